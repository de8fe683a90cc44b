"""The languages that programs are printed in."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinegen.runtime.errors import ModelError

from ...program.dialect import Dialect
from ...program.operations import CALLS
from ...program.rounding import UNIT

C_DOUBLE = Dialect(
    scalar="double",
    functions={name: {"Abs": "fabs"}.get(name, name) for name in CALLS},
    store="{array}[{index}] = {value};",
    assign="const double {name} = {value};",
    restrict="restrict ",
)

EXTREMES = {"fmin": "kg_min", "fmax": "kg_max"}  # those of runtime/c/linear/extremes.h are no calls

_WIDE = {"fmin": "kg_wide_min", "fmax": "kg_wide_max"}

C_KERNEL = replace(
    C_DOUBLE,
    functions={**C_DOUBLE.functions, **EXTREMES},
    clear_run="kg_zeros({count}, {run});",
)

C_LANES = replace(
    C_DOUBLE,
    scalar="kg_wide",
    constant="kg_splat({value})",
    functions={**{name: f"kg_wide_{called}" for name, called in C_DOUBLE.functions.items()}, **_WIDE},
    assign="const kg_wide {name} = {value};",
    sincos="kg_wide_sincos",
    sincos_apart="kg_wide_sincos",
    cleared=0.5,
)


def single(value: float) -> np.float32:
    """The float nearest to a number. ModelError for one that floats hold only as infinite, or with fewer digits."""
    with np.errstate(over="ignore"):
        held = np.float32(value)
    if not np.isfinite(held) or (value != 0.0 and abs(held) < np.finfo(np.float32).tiny):
        raise ModelError(
            f"dtype 'float32': {value:.9g}, which follows from the description, is beyond the numbers of single "
            "precision, 1.2e-38 to 3.4e38 in size; compile without dtype"
        )
    return held


def _of_floats(dialect: Dialect) -> Dialect:
    """A dialect of doubles with floats in their place."""
    return replace(dialect, held=single, suffix="f")


C_FLOAT = _of_floats(
    replace(
        C_KERNEL,
        scalar="float",
        functions={name: called if name in EXTREMES else f"{called}f" for name, called in C_KERNEL.functions.items()},
        assign="const float {name} = {value};",
    )
)

C_FLOAT_LANES = _of_floats(C_LANES)


@dataclass(frozen=True)
class Numbers:
    """What a model computes with: `dtype` of its arrays, the dialects of its kernels for one state and by lanes.

    `define`: what the C says before it includes a header of runtime/c, which computes with the same numbers then.
    `bounded`: sums and products of numbers that a description or a state may have are finite.
    `rounding`: relative error that one operation may make, some units in the last place; `sums`: what sums of terms may
    be off by, of the largest term; `least`: compilers may take smaller numbers for zero.
    """

    dtype: str
    kernel: Dialect
    lanes: Dialect
    define: str = ""
    bounded: bool = True
    rounding: float = UNIT
    sums: float = 1e-7
    least: float = 1e-290

    @property
    def scalar(self) -> str:
        """The type of a number in arrays."""
        return self.kernel.scalar


DOUBLE = Numbers("float64", C_KERNEL, C_LANES)
SINGLE = Numbers(
    "float32", C_FLOAT, C_FLOAT_LANES, "KG_SINGLE /* numbers of the headers are floats */", False, 2.0**-21, 2e-4, 1e-37
)
NUMBERS = {numbers.dtype: numbers for numbers in (DOUBLE, SINGLE)}
