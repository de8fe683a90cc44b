"""Closed configurations all over the branch that a model was compiled for, reached by small steps along it (§16)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ..arguments import Array
from ..errors import ModelError
from ..model.closed.closure import closed_within
from ..model.derivatives.rolling import positions_held
from ..model.model import Model

STEP, SHORTEST = 0.2, 0.2 / 64
"""Longest and shortest step of a coordinate [rad, or lengths of the mechanism]."""

TURNED, OFF = 0.9, 0.1
"""Cosine that is left at least of how the motions that the loops allow turn in a step, and how far from its aim a step
may end, in parts of it: beyond them it may have come to another branch."""

FAR = 0.1
"""Least ratio of the pivots, over that at the first place: what is closer to a singular place is stepped over, for
rounding counts much there."""

NEARBY, SETTLED = 1e-6, 2
"""How far from a place its slopes are taken [rad, or lengths of the mechanism], and how often it is settled by them."""

DRAWN = 50
"""Closed configurations drawn for a first place at most, where the model has none of its own."""


@dataclass(frozen=True)
class Place:
    """q (nq), closed, the entries of v that lead best there, and an orthonormal basis (nv, nf) of the velocities that
    the loops allow, lengths over `reach`; `ratio` of the pivots. No joint is at a dead point in such a basis."""

    q: Array
    leaders: tuple[int, ...]
    ways: Array
    ratio: float


def walked(model: Model, n: int, reach: Array, length: float, rng: np.random.Generator) -> list[Place]:
    """n places, each reached from one of those before it by steps of up to `length` in all; `reach` (nv): unit of each
    velocity."""
    first = _first(model, reach, rng)
    found = [first]
    while len(found) < n:
        place = found[rng.integers(len(found))]
        found.append(_walk(model, place, rng.normal(size=model.nf), reach, length, FAR * first.ratio))
    return [_settled(model, place, reach) for place in found]


def _first(model: Model, reach: Array, rng: np.random.Generator) -> Place:
    """A closed configuration with as many freedoms as the model: the first of its own that is not close to a singular
    place, or one drawn."""
    own = [place for q in _own(model) if len((place := _place(model, q, reach)).leaders) == model.nf]
    best = max((place.ratio for place in own), default=0.0)
    for place in own:
        if place.ratio >= FAR * best:
            return place
    for _ in range(DRAWN):
        place = _place(model, np.array(model.random(rng), dtype=np.float64), reach)
        if len(place.leaders) == model.nf:
            return place
    raise ModelError(
        f"model '{model.name}': base parameters: no closed configuration was found that has the model's {model.nf} "
        "degrees of freedom; begin elsewhere, kg.compile(..., at={joint: coordinates})"
    )


def _own(model: Model) -> Iterator[Array]:
    """Where the model starts, where it was asked what leads, and where it was compiled for, as far as they close."""
    with suppress(ModelError):
        yield np.array(model.q0, dtype=np.float64)
    for at in (model.loops.at, model.manifest.reference or None):
        with suppress(ModelError):
            if at is not None:
                yield np.array(model.assemble(at), dtype=np.float64)


def _place(model: Model, q: Array, reach: Array) -> Place:
    split = model.loops.closure.split(q, np.ones(model.nv))
    return Place(q, split.independent, np.linalg.qr(split.W() / reach[:, None])[0], split.ratio)


def _walk(model: Model, place: Place, x: Array, reach: Array, length: float, least: float) -> Place:
    """Where steps that begin along `ways` x and go straight on lead; the last place before they cannot go on."""
    gone, way = 0.0, place.ways @ x
    while gone < length and np.abs(way).max(initial=0.0) > 0.0:
        way = way / np.abs(way).max()
        size = min(STEP, length - gone)
        while (there := _stepped(model, place, size * way, reach, least)) is None:
            size /= 2
            if size < SHORTEST:
                return place
        gone, place, way = gone + size, there, there.ways @ (there.ways.T @ way)
    return place


def _settled(model: Model, place: Place, reach: Array) -> Place:
    """A place closed as far as rounding allows: of what a loop is open, motions and accelerations where it closes
    slowly have thousands of times as much."""
    q, rank = place.q, model.nv - model.nf
    if model.manifest.rolling:  # some of the rows that hold velocities hold no position
        rank = positions_held(model.manifest, model.kernel("closure_rows")(q))
    for _ in range(SETTLED):
        gap = model.closure_residual(q)
        beside = model.closure_residual(model.integrate(q, NEARBY * np.diag(reach)))
        U, sizes, ways = np.linalg.svd((beside - gap).T / NEARBY, full_matrices=False)
        step = ways[:rank].T @ ((U.T @ gap)[:rank] / sizes[:rank])
        q = np.array(model.integrate(q, -reach * step), dtype=np.float64)
    return _place(model, q, reach)


def _stepped(model: Model, place: Place, step: Array, reach: Array, least: float) -> Place | None:
    """The place a step further; None where that is not surely on the same branch."""
    closure = model.loops.closure
    aim = np.array(model.integrate(place.q, reach * step), dtype=np.float64)
    q = aim.copy()
    if closure.assemble(q) > closed_within(model.manifest):
        return None
    off = np.linalg.norm(np.asarray(model.difference(aim, q)) / reach)
    there = _place(model, q, reach)
    if off > OFF * np.linalg.norm(step) or there.ratio < least or len(there.leaders) != model.nf:
        return None
    turned = np.linalg.svd(there.ways.T @ place.ways, compute_uv=False)
    return there if turned.min(initial=1.0) > TURNED else None
