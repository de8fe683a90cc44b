"""Which rows and columns a closed mechanism is solved by: chosen numerically at a closed reference configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.thresholds import RANK_TOLERANCE, RATHER_LEADING, SINGULAR, TIED

from ...mechanism.mechanism import Mechanism
from ...symbolic.loops.closed import Partition
from .assembly import TRIES, Assembly
from .branches import NEAR, ROUNDING, around, built_up, folds, held_together, rank_of, regular
from .lengths import CLOSED, is_closed

Array = npt.NDArray[np.float64]

LONGEST = 0.5  # step on the way to what is near: longer ones end on other branches
PREFERENCE = {"passive": 1.0, "actuated": RATHER_LEADING, "base": 0.1, "moved": 0.03}  # weights of columns
TURNING = 0.3  # the same of turns beside shifts, where something rolls: places follow from how it turns
SWITCHED = {**PREFERENCE, "base": 1.0}  # what floats is taken hold of: it follows, never singular


@dataclass(frozen=True)
class Reference:
    """A closed configuration q (nq), regular on its branch, with the partition that is found there; `start` (nq): the
    closed configuration near the one that was asked for, empty if none was."""

    q: tuple[float, ...]
    partition: Partition
    start: tuple[float, ...] = ()


def choose_partition(mechanism: Mechanism, values: Sequence[float] = ()) -> Partition:
    """The partition of `choose_reference` without a start configuration."""
    return choose_reference(mechanism, values).partition


def choose_reference(
    mechanism: Mechanism, values: Sequence[float] = (), at: Mapping[str, Sequence[float]] | None = None
) -> Reference:
    """Where a closed mechanism is at work, and the partition that serves there.

    `values` stand for symbolic parameters. `at`: coordinates of joints of the tree, by name; the others start from
    `start`, `rest` or neutral, and a closed configuration near is taken, with these joints held if that can be.
    Without it, the branch is that of the first closed configuration near the start, or, if that one is folded, the
    branch of the highest rank among those found. Partitions that serve at the start too come first. Raises ModelError
    if no closed configuration is found: the message names the loop with the largest gap.
    """
    closure = Assembly(mechanism, values)
    weights = column_weights(mechanism)
    start = _placed(closure, at) if at else None
    begun = () if start is None else tuple(start.tolist())
    if start is not None:
        q, rank = regular(closure, start)
        candidates = [q, *around(closure, q)]
    else:
        q, rank, candidates = _found(closure)
    best: tuple[tuple[bool, float], Array, Partition] | None = None
    for tried in candidates:
        there, quality, partition = eliminate(closure.rows(tried), weights)
        if there == rank and (best is None or quality > best[0][1] or not best[0][0]):
            serves = serves_at(closure.rows(q), partition), quality
            best = (serves, tried, partition) if best is None or serves > best[0] else best
    if best is None:  # on the edge of being singular
        return Reference(tuple(q.tolist()), eliminate(closure.rows(q), weights)[2], begun)
    return Reference(tuple(best[1].tolist()), best[2], begun)


def serves_at(K: Array, partition: Partition) -> bool:
    """That the same velocities depend, and lead, where the closure has the rows K."""
    own = K[:, partition.dependent]
    rank, quality, _ = eliminate(own, np.ones(own.shape[1]))
    return rank == own.shape[1] and quality > SINGULAR


def _found(closure: Assembly) -> tuple[Array, int, list[Array]]:
    """(q, rank) of the branch to be on, and closed configurations at which that rank may be found."""
    closed, gaps = [], []
    for q, gap in closure.tries():
        gaps.append(gap)
        if is_closed(gap):
            closed.append(q)
    if not closed:
        refuse_open(closure, gaps)
    first, rank = regular(closure, closed[0])
    candidates = [first, *closed[1:]]
    fixed = held_together(closure, first, closure.links())
    if folds(closure, first, fixed):
        for q in built_up(closure, fixed):
            candidates.append(q)
            if not folds(closure, q, fixed):
                break
        rank = max(rank_of(closure.rows(q)) for q in candidates)
    return first, rank, candidates


def _placed(closure: Assembly, at: Mapping[str, Sequence[float]]) -> Array:
    """The closed configuration near these coordinates; ModelError that names the loop that stays open."""
    q, gap = placed(closure, at, CLOSED)
    if not is_closed(gap):
        refuse_open(closure, [gap], f" near at={{{', '.join(repr(name) for name in at)}}}")
    return q


def placed(closure: Assembly, at: Mapping[str, Sequence[float]], most: float | Array) -> tuple[Array, Array]:
    """(q, gap) of the closed configuration near the start with these coordinates; open if the gap is beyond `most`.

    The named joints are held while the others close the loops as well as they can, from the start and, if that leads
    far away, from others around it; what stays open then is closed with all joints free.
    """
    asked, moving = closure.given(at)
    held, rng = closure.of_moving(moving), np.random.default_rng(0)
    tries: list[tuple[float, Array, Array]] = []
    for attempt in range(TRIES):
        beside = 0.15 * attempt * moving * rng.normal(size=moving.size)
        q, gap = held.assembled(closure.moved(asked, beside), LONGEST)
        if is_closed(gap, most):
            return q, gap
        q, gap = closure.assembled(q, LONGEST)
        away = closure.away(asked, q, moving) if is_closed(gap, most) else np.inf
        tries.append((away, q, gap))
        if away <= NEAR:
            break
    least = min(away for away, _, _ in tries)
    return next((q, gap) for away, q, gap in tries if away <= 2.0 * least)  # the first of those about as near


def refuse_open(closure: Assembly, gaps: Sequence[Array], where: str = "") -> NoReturn:
    """ModelError that names the loop that stays open, from the gaps of all tries."""
    worst = min(gaps, key=lambda gap: float(np.abs(gap).max()))
    loop = closure.mechanism.virtual_links[int(np.abs(worst).argmax()) // 6]
    raise ModelError(
        f"mechanism '{closure.mechanism.name}': the loop closed by joint '{loop.joint.name}' cannot be closed{where}: "
        f"its ends stay {closure.told(worst):.3g} (m or rad) apart; check the origins of the joints in the loop"
    )


def closed_configurations(mechanism: Mechanism, values: Sequence[float] = ()) -> Iterator[Array]:
    """The closed configurations (nq) among those that `choose_partition` looks at."""
    return (q for q, gap in Assembly(mechanism, values).tries() if is_closed(gap))


def eliminate(K: Array, weights: Array, tolerance: float = RANK_TOLERANCE) -> tuple[int, float, Partition]:
    """(rank, smallest/largest pivot, partition) by elimination with complete pivoting of the weighted columns.

    `tolerance`: pivots below this part of the largest are zero, and those that rounding leaves. Of entries that are as
    large the first is taken, whichever of them rounding makes larger on this machine.
    """
    work = K * weights
    rows: list[int] = []
    dependent: list[int] = []
    pivots: list[float] = []
    for _ in range(min(K.shape)):
        sizes = np.abs(work)
        r, c = (int(i) for i in np.argwhere(TIED * sizes >= sizes.max())[0])
        pivot = float(work[r, c])
        if abs(pivot) <= max(tolerance * abs(pivots[0]) if pivots else 0.0, ROUNDING):
            break
        pivots.append(pivot)
        rows.append(r)
        dependent.append(c)
        others = np.flatnonzero(work[:, c])
        work[others] -= np.outer(work[others, c] / pivot, work[r])
        work[r], work[:, c] = 0.0, 0.0
    independent = tuple(i for i in range(K.shape[1]) if i not in dependent)
    quality = abs(pivots[-1] / pivots[0]) if pivots else 1.0
    return len(pivots), quality, Partition(tuple(rows), tuple(dependent), independent)


def column_weights(mechanism: Mechanism, preference: Mapping[str, float] = PREFERENCE) -> Array:
    """(nv) readiness of each velocity to be dependent: less of actuated joints, bases and joints that have a motion."""
    weights = np.ones(mechanism.tree.nv)
    rolls = any(loop.joint.wheel for loop in mechanism.virtual_links)
    for body in mechanism.tree.bodies:
        base = KINDS[body.joint.kind].free and body.parent < 0
        kind = "moved" if body.joint.motion else "base" if base else "actuated" if body.joint.actuated else "passive"
        weights[body.v_start : body.v_start + body.nv] = preference[kind]
        if rolls and body.nv:
            weights[body.v_start : body.v_start + body.nv] *= np.where(KINDS[body.joint.kind].linear, 1.0, TURNING)
    return weights
