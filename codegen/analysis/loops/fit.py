"""Loops whose dimensions are rounded or whose links have no mass: what they miss by, what inertia they have (§8).

A loop with redundant rows (a planar four-bar, a Bennett linkage) closes only for exact dimensions. With rounded ones
its ends stay apart by the rounding wherever it moves, and the rows of K are independent by that little. Such a loop is
known by this: with the rank of the exact mechanism it can be moved, its dependent coordinates following, and misses by
about the same small gap everywhere.

Links without mass leave the tree without inertia; whether the closed mechanism has it is looked at where it is closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from kinegen.runtime.errors import ModelError

from ...mechanism import checks
from ...mechanism.elements.parameter import default_of
from ...mechanism.mechanism import Mechanism
from ...program.evaluate import numeric
from ...symbolic.functions import derive
from ..inertia import inert_motion, without_inertia
from ..sparsity import decomposed
from .branches import NEAR
from .partition import (
    RANK_TOLERANCE,
    Reference,
    _Closure,
    choose_reference,
    closed_configurations,
    column_weights,
    eliminate,
    refuse_open,
)

Array = npt.NDArray[np.float64]

FIT = 2e-5
"""Gap [m, rad] that files with six digits leave: by default loops may miss by so much."""

MOST = 1e-4
"""Gap [m, rad] up to which a tolerance may be asked for: more is no rounding."""

EXACT = 5e-12  # gap [m, rad] of a loop that closes: rounding of the arithmetic, not of the dimensions
CLOSED = 1e-9  # gap up to which an assembly counts as closed
TRIES = 4  # assemblies looked at
LOOSE = 1e-3  # pivots below this part of the largest are what rounding leaves
SINGULAR = 1e-3  # smallest over largest singular value of what is solved, below which a configuration tells nothing
SAMPLES = 16  # configurations looked at on the way
STEP = 0.4  # from one to the next [rad, m]
LOOKED_AT = 4  # closed configurations: A may be singular in one of them alone


@dataclass(frozen=True)
class Fit:
    """`reference`: None without loops, or where parameters without values shape them; `misfit` [m, rad]: the largest
    gap of a loop where it should be closed, 0 if it closes; closed `configurations` (nq each) where it does not;
    `values` (P) of the parameters with which it was looked at.
    """

    reference: Reference | None
    misfit: float = 0.0
    configurations: tuple[Array, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def start(self) -> tuple[float, ...]:
        """(nq) where it was assembled, empty if it was not."""
        return self.reference.start if self.reference and self.reference.start else ()


NO_FIT = Fit(None)


def fit_of(mechanism: Mechanism, at: Mapping[str, Sequence[float]], tolerance: float) -> Fit:
    """Which coordinates lead a closed mechanism, as it is with the values that parameters have by default."""
    tolerance = checks.constant(tolerance, "fit")
    if not 0.0 <= tolerance <= MOST:
        raise ModelError(f"fit={tolerance:g}: a gap between 0 and {MOST:g} m or rad is asked for")
    if not mechanism.virtual_links:
        return NO_FIT
    kernels = [derive(mechanism, name) for name in ("closure_residual", "closure_rows")]
    shape = {symbol for kernel in kernels for symbol in kernel.used}.intersection(mechanism.parameters)
    # parameters that do not change the shape of loops may have any value here
    values = [default_of(symbol) if symbol in shape else 1.0 for symbol in mechanism.parameters]
    given = tuple(value for value in values if value is not None)
    if not shape:
        return fitted(mechanism, tolerance, at, given)
    if len(given) < len(values):
        return NO_FIT
    try:
        return fitted(mechanism, 0.0, at, given)
    except ModelError:  # loops that cannot be closed with these values may be closed with others
        return NO_FIT


def fitted(
    mechanism: Mechanism,
    tolerance: float,
    at: Mapping[str, Sequence[float]] | None = None,
    values: tuple[float, ...] = (),
) -> Fit:
    """The reference of a mechanism with loops, which may miss by `tolerance` [m, rad] because dimensions are rounded.

    `at`: coordinates of joints of the tree, by name, as for `choose_reference`, which serves where loops close;
    `values` (P) of parameters, on which its shape must not depend unless the tolerance is 0. Raises ModelError if a
    loop cannot be closed, not even so nearly, or misses by more wherever it moves.
    """
    if not tolerance > 0.0:
        return Fit(choose_reference(mechanism, values, at), values=values)
    closure, weights = _Closure(mechanism, values), column_weights(mechanism)
    found = _beside(closure, at, tolerance) if at else _assemblies(closure, tolerance)
    if not found:
        return Fit(choose_reference(mechanism, values, at), values=values)  # says which loop is open
    rank, _, partition, q, first = max(
        ((*eliminate(closure.rows(x), weights, LOOSE), x, size) for x, size in found), key=lambda best: best[:2]
    )
    samples = list(_samples(closure, rank, q))
    gaps = [gap for _, gap in samples] or [first]
    if max(gaps) <= EXACT or (max(gaps) > tolerance and any(size <= CLOSED for _, size in found)):
        return Fit(choose_reference(mechanism, values, at), values=values)
    if max(gaps) > tolerance:
        raise ModelError(_too_far(mechanism, max(gaps), tolerance))
    start = tuple(found[0][0].tolist()) if at else ()
    return Fit(Reference(tuple(q.tolist()), partition, start), max(gaps), (q, *(x for x, _ in samples)), values)


def _beside(closure: _Closure, at: Mapping[str, Sequence[float]], tolerance: float) -> list[tuple[Array, float]]:
    """(q, gap) of the assembly nearest to these coordinates, with their joints held if that can be, then of others on
    its branch; nothing if it is open by more than the tolerance."""
    given, moving = closure.given(at)
    q, gap = closure.of_moving(moving).assembled(given)
    if np.abs(gap).max() > tolerance:
        q, gap = closure.assembled(given)
    found = [(q, float(np.abs(gap).max()))]
    rank = eliminate(closure.rows(q), np.ones(closure.rows(q).shape[1]), LOOSE)[0]
    free, rng = decomposed(closure.rows(q)).directions[rank:], np.random.default_rng(1)
    for _ in range(TRIES if len(free) else 0):
        step = rng.normal(size=len(free)) @ free
        beside, gap = closure.assembled(closure.moved(q, step * (NEAR / max(float(np.abs(step).max()), 1e-9))))
        found.append((beside, float(np.abs(gap).max())))
    return [(q, size) for q, size in found if size <= tolerance] if found[0][1] <= tolerance else []


def _assemblies(closure: _Closure, tolerance: float) -> list[tuple[Array, float]]:
    """(q, gap) of assemblies that are closed within the tolerance; ModelError if none of those tried is closed."""
    found: list[tuple[Array, float]] = []
    gaps = []
    for q, gap in closure.tries():
        gaps.append(gap)
        if (size := float(np.abs(gap).max())) <= tolerance:
            found.append((q, size))
        if len(found) >= TRIES:
            break
    if not found and tolerance >= CLOSED:
        refuse_open(closure, gaps)
    return found


def _samples(closure: _Closure, rank: int, q: Array) -> Iterator[tuple[Array, float]]:
    """(q, gap) on the way from q along what the loops allow, where that many rows of K are well determined."""
    rng = np.random.default_rng(0)
    way: Array = rng.normal(size=(closure.rows(q).shape[1],))
    for _ in range(SAMPLES):
        free = decomposed(closure.rows(q)).directions[rank:].T
        if not free.shape[1]:
            return
        along = free @ (free.T @ way)
        along = along * (STEP / max(float(np.abs(along).max()), 1e-9))
        near = _followed(closure, closure.moved(q, along), rank)
        if near is None:
            way = rng.normal(size=(way.size,))
            continue
        q, way = near, along + 0.1 * rng.normal(size=(way.size,))
        yield q, float(np.abs(closure.gap(q)).max())


def _followed(closure: _Closure, q: Array, rank: int) -> Array | None:
    """The least sum of squared gaps near q; None if Gauss's steps do not end, or end where K has lost rank."""
    for _ in range(20):
        left, sizes, directions = decomposed(closure.rows(q))
        if rank and sizes[rank - 1] < SINGULAR * sizes[0]:
            return None
        step = -directions[:rank].T @ ((left[:, :rank].T @ closure.gap(q)) / sizes[:rank])
        longest = float(np.abs(step).max(initial=0.0))
        if not longest < 1.0:
            return None
        q = closure.moved(q, step)
        if longest < 1e-11:
            return q
    return None


def _too_far(mechanism: Mechanism, gap: float, tolerance: float) -> str:
    remedy = f", or compile with fit={2 * gap:.1g}" if 2.0 * gap <= MOST else ""
    return (
        f"mechanism '{mechanism.name}': its loops stay {gap:.3g} (m or rad) apart when they move, more than the "
        f"{tolerance:.3g} that rounded dimensions may leave; check the origins of the joints in the loops{remedy}"
    )


def check_closed_inertia(mechanism: Mechanism, fit: Fit) -> None:
    """ModelError if A = WᵀMW is singular in every closed configuration that is looked at.

    It names the joints that move together without inertia, and the links without mass that they move.
    """
    rows, masses = numeric(derive(mechanism, "closure_rows")), numeric(derive(mechanism, "mass_matrix_composite"))
    motion: Array | None = None
    tolerance = LOOSE if fit.misfit else RANK_TOLERANCE
    for q in islice(fit.configurations or closed_configurations(mechanism), LOOKED_AT):
        at = {"q": q.tolist(), "p": []}
        motion = inert_motion(rows(at)["K"], masses(at)["M"], tolerance)
        if motion is None:
            return
    if motion is not None:
        raise ModelError(without_inertia(mechanism, motion, "A = W'MW of the closed mechanism"))
