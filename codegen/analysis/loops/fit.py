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
from kinegen.runtime.thresholds import RANK_TOLERANCE

from ...mechanism import checks
from ...mechanism.elements.parameter import default_of
from ...mechanism.mechanism import Mechanism
from ...program.evaluate import numeric
from ...symbolic.functions import derive
from ..inertia import inert_motion, without_inertia
from ..sparsity import decomposed
from .assembly import Assembly
from .branches import NEAR
from .lengths import CLOSED, is_closed, spans
from .partition import (
    Reference,
    choose_reference,
    closed_configurations,
    column_weights,
    eliminate,
    placed,
    refuse_open,
)

Array = npt.NDArray[np.float64]

FIT = 2e-5
"""Gap [m, rad] that files with six digits leave: by default loops may miss by so much."""

MOST = 1e-4
"""Gap [m, rad] up to which a tolerance may be asked for: more is no rounding."""

PART = 1e-2
"""Part of a loop's own size that its ends may be apart: more is no rounding, however small the loop is."""

# gaps in units of the assembly
EXACT = 5e-12  # gap of a loop that closes: rounding of the arithmetic, not of the dimensions
TRIES = 4  # assemblies looked at
LOOSE = 1e-3  # pivots below this part of the largest are what rounding leaves
SINGULAR = 1e-3  # smallest over largest singular value of what is solved, below which a configuration tells nothing
SAMPLES = 16  # configurations looked at on the way
STEP = 0.4  # from one to the next [rad, m]
LOOKED_AT = 4  # closed configurations: A may be singular in one of them alone


@dataclass(frozen=True)
class Fit:
    """`reference`: None without loops, or where parameters without values shape them; `misfit` [m]: the largest gap of
    a loop where it should be closed, angles times `unit_length`, 0 if it closes; closed `configurations` (nq each)
    where it does not; `values` (P) of the parameters with which it was looked at.
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
    closure, weights = Assembly(mechanism, values), column_weights(mechanism)
    most = _most(closure, tolerance)
    found = _beside(closure, at, most) if at else _assemblies(closure, most)
    if not found:
        return Fit(choose_reference(mechanism, values, at), values=values)  # says which loop is open
    rank, _, partition, q, first = max(
        ((*eliminate(closure.rows(x), weights, LOOSE), x, gap) for x, gap in found), key=lambda best: best[:2]
    )
    samples = list(_samples(closure, rank, q))
    gaps = [gap for _, gap in samples] or [first]
    misfit = max(map(_size, gaps))
    far = [gap for gap in gaps if not is_closed(gap, most)]
    if misfit <= EXACT or (far and any(is_closed(gap) for _, gap in found)):
        return Fit(choose_reference(mechanism, values, at), values=values)
    if far:
        raise ModelError(_too_far(closure, far, most, tolerance))
    start = tuple(found[0][0].tolist()) if at else ()
    return Fit(
        Reference(tuple(q.tolist()), partition, start), misfit * closure.length, (q, *(x for x, _ in samples)), values
    )


def _most(closure: Assembly, tolerance: float) -> Array:
    """(6L) the largest gaps that rounded dimensions may leave: the tolerance [m, rad], and no more than a part of the
    size of each loop."""
    of_size = PART * np.repeat(spans(closure.mechanism), 3).reshape(-1, 3)
    linear = np.minimum(tolerance, of_size) / closure.length
    return np.concatenate([linear, np.full_like(linear, tolerance)], axis=1).ravel()


def _size(gap: Array) -> float:
    return float(np.abs(gap).max())


def _beside(closure: Assembly, at: Mapping[str, Sequence[float]], most: Array) -> list[tuple[Array, Array]]:
    """(q, gap) of an assembly near these coordinates, with their joints held if that can be, then of others on
    its branch; nothing if it is open by more than it may."""
    q, gap = placed(closure, at, most)
    found = [(q, gap)]
    rank = eliminate(closure.rows(q), np.ones(closure.rows(q).shape[1]), LOOSE)[0]
    free, rng = decomposed(closure.rows(q)).directions[rank:], np.random.default_rng(1)
    for _ in range(TRIES if len(free) else 0):
        step = rng.normal(size=len(free)) @ free
        found.append(closure.assembled(closure.moved(q, step * (NEAR / max(_size(step), 1e-9)))))
    return [(q, gap) for q, gap in found if is_closed(gap, most)] if is_closed(gap, most) else []


def _assemblies(closure: Assembly, most: Array) -> list[tuple[Array, Array]]:
    """(q, gap) of assemblies that are closed but for what they may miss; ModelError if none of those tried is."""
    found: list[tuple[Array, Array]] = []
    gaps = []
    for q, gap in closure.tries():
        gaps.append(gap)
        if is_closed(gap, most):
            found.append((q, gap))
        if len(found) >= TRIES:
            break
    if not found and most.min() >= CLOSED:
        refuse_open(closure, gaps)
    return found


def _samples(closure: Assembly, rank: int, q: Array) -> Iterator[tuple[Array, Array]]:
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
        yield q, closure.gap(q)


def _followed(closure: Assembly, q: Array, rank: int) -> Array | None:
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


def _too_far(closure: Assembly, gaps: Sequence[Array], most: Array, tolerance: float) -> str:
    worst = max(gaps, key=lambda gap: float((np.abs(gap) / most).max()))
    row = int((np.abs(worst) / most).argmax())
    unit = closure.length if row % 6 < 3 else 1.0
    gap, bound = unit * abs(float(worst[row])), unit * float(most[row])
    remedy = f", or compile with fit={2 * gap:.1g}" if 2.0 * gap <= MOST and bound >= tolerance else ""
    return (
        f"mechanism '{closure.mechanism.name}': its loops stay {gap:.3g} (m or rad) apart when they move, more than "
        f"the {bound:.3g} that rounded dimensions may leave; check the origins of the joints in the loops{remedy}"
    )


def check_closed_inertia(mechanism: Mechanism, fit: Fit) -> None:
    """ModelError if A = WᵀMW is singular in every closed configuration that is looked at.

    It names the joints that move together without inertia, and the links without mass that they move.
    """
    closure, masses = Assembly(mechanism, ()), numeric(derive(mechanism, "mass_matrix_composite"))
    motion: Array | None = None
    tolerance = LOOSE if fit.misfit else RANK_TOLERANCE
    for q in islice(fit.configurations or closed_configurations(mechanism), LOOKED_AT):
        M = masses({"q": q.tolist(), "p": []})["M"] * np.outer(closure.units, closure.units)
        motion = inert_motion(closure.rows(q), M, tolerance)
        if motion is None:
            return
    if motion is not None:
        raise ModelError(without_inertia(mechanism, motion, "A = W'MW of the closed mechanism"))
