"""Which rows of J_C and which columns of θ_J the loop equations of a mechanism are solved by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt
import sympy

from kinegen.runtime.errors import ModelError, shown

from ...analysis.loops.partition import choose_partition, closed_configurations
from ...mechanism.elements.parameter import default_of
from ...mechanism.mechanism import Mechanism
from ...program.evaluate import numeric
from ...symbolic.loops.closed import Partition
from ...symbolic.loops.equations import derive_loop_jacobian

Array = npt.NDArray[np.float64]
DRAWS = 30  # sets of random lengths tried before a mechanism with open parameters counts as unclosable
LOOKED_AT = 3  # closed configurations at which a choice of rows must be regular
REGULAR = 1e-7  # smallest over largest singular value from which it is


@dataclass(frozen=True)
class Samples:
    """Numbers for the parameters, J_C (6L, N_J) at closed configurations, and the partition that compiling takes."""

    values: tuple[float, ...]
    jacobians: tuple[Array, ...]
    partition: Partition


@dataclass(frozen=True)
class Split:
    """Independent rows of J_C, and columns of θ_J = [tree; cut joints]: dependent and independent, both ascending."""

    rows: tuple[int, ...]
    dependent: tuple[int, ...]
    independent: tuple[int, ...]


def entries_named(mechanism: Mechanism, names: Sequence[str]) -> tuple[int, ...]:
    """Entries of v by joint ("knee": all of the joint) or by joint and place ("ball[2]"). ModelError if unknown."""
    known: dict[str, range] = {}
    for body in mechanism.tree.bodies:
        if body.nv:
            known[body.joint.name] = range(body.v_start, body.v_start + body.nv)
            known |= {f"{body.joint.name}[{i}]": range(body.v_start + i, body.v_start + i + 1) for i in range(body.nv)}
    for name in names:
        if name not in known:
            moving = [body.joint.name for body in mechanism.tree.bodies if body.nv]
            raise ModelError(
                f"independent: mechanism '{mechanism.name}' has no joint {shown(name)} in its tree; "
                f"there are: {', '.join(moving)}"
            )
    return tuple(sorted({entry for name in names for entry in known[name]}))


def samples(mechanism: Mechanism) -> Samples:
    """Closed configurations; open parameters get their own values, others the first random ones that close the loops.

    Raises ModelError that names the loop if there are none.
    """
    rng = np.random.default_rng(1)
    for draw in range(DRAWS):
        values = tuple(_value(symbol, rng) for symbol in mechanism.parameters)
        try:
            partition = choose_partition(mechanism, values)
        except ModelError:
            if not values or draw == DRAWS - 1:
                raise
            continue
        J = numeric(derive_loop_jacobian(mechanism))
        found = islice(closed_configurations(mechanism, values), LOOKED_AT)
        jacobians = tuple(J({"q": q.tolist(), "p": list(values)})["J_C"] for q in found)
        return Samples(values, jacobians, partition)
    raise ModelError(f"mechanism '{mechanism.name}': its loops could not be closed with any parameters")


def _value(symbol: sympy.Symbol, rng: np.random.Generator) -> float:
    """Its own by default, else any of the sign that it must have."""
    default = default_of(symbol)
    if default is not None:
        return default
    size = float(rng.uniform(0.5, 1.5))
    return -size if symbol.is_negative else size


def choose_split(found: Samples, lengths: Sequence[int], independent: Sequence[int] | None = None) -> Split:
    """Rows as short as can be (`lengths`: terms of each row, 0 for zero rows) that fix all other velocities.

    `independent`: None for those of the compiled model. Raises ModelError if these do not lead.
    """
    total = found.jacobians[0].shape[1]
    leaders = tuple(sorted(found.partition.independent if independent is None else independent))
    followers = tuple(j for j in range(total) if j not in leaders)
    by_length = sorted((i for i, length in enumerate(lengths) if length), key=lambda i: (lengths[i], i))
    rows: list[int] = []
    for row in by_length:
        if len(rows) < len(followers) and _regular(found.jacobians, [*rows, row], followers):
            rows.append(row)
    if len(rows) < len(followers) or len(leaders) != len(found.partition.independent):
        raise ModelError(
            f"these {len(leaders)} velocities do not lead the mechanism, which has "
            f"{len(found.partition.independent)} degrees of freedom"
        )
    return Split(tuple(sorted(rows)), followers, leaders)


def _regular(jacobians: Iterable[Array], rows: Sequence[int], columns: Sequence[int]) -> bool:
    """Full row rank at one closed configuration at least (others may be singular)."""
    for J in jacobians:
        sizes = np.linalg.svd(J[np.ix_(rows, columns)], compute_uv=False)
        if len(rows) <= len(columns) and sizes[-1] > REGULAR * sizes[0]:
            return True
    return False
