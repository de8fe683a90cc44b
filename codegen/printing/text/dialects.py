"""The languages that programs are printed in."""

from __future__ import annotations

from dataclasses import replace

from ...program.dialect import Dialect
from ...program.operations import CALLS

C_DOUBLE = Dialect(
    scalar="double",
    functions={name: {"Abs": "fabs"}.get(name, name) for name in CALLS},
    store="{array}[{index}] = {value};",
    assign="const double {name} = {value};",
    restrict="restrict ",
)

EXTREMES = {"fmin": "kg_min", "fmax": "kg_max"}  # those of runtime/c/linear/extremes.h are no calls

_WIDE = {"fmin": "kg_wide_min", "fmax": "kg_wide_max"}

C_KERNEL = replace(C_DOUBLE, functions={**C_DOUBLE.functions, **EXTREMES})

C_LANES = replace(
    C_DOUBLE,
    scalar="kg_wide",
    constant="kg_splat({value})",
    functions={**{name: f"kg_wide_{called}" for name, called in C_DOUBLE.functions.items()}, **_WIDE},
    assign="const kg_wide {name} = {value};",
    sincos="kg_wide_sincos",
    cleared=0.5,
)
