"""Where joints lie in the world, and links, frames and coordinates made up around them: an Assembly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinegen.codegen.mechanism import KINDS
from support.maximal.assembly import WORLD, Assembly, Body, Hold
from support.maximal.exact import MP, Exact, cos_sin, exact, length, pose, random_direction, random_rotation, turn, unit
from support.maximal.joints import SCALAR

GROUND = -1


@dataclass(frozen=True)
class Spot:
    """A joint between two links (GROUND: the ground) at a point of the world; `axes`: its directions there, drawn at
    random where the kind has more; of a planar joint the normal. Both sides may be swapped."""

    kind: str
    parent: int
    child: int
    point: Exact
    axes: tuple[Exact, ...] = ()
    pitch: Any = 0

    def turned_round(self) -> Spot:
        return replace(self, parent=self.child, child=self.parent, axes=tuple(reversed(self.axes)))


@dataclass(frozen=True)
class Manner:
    """How the rest is made up: all coordinates `neutral`, and chances of springs, dampers, rotors, of a link without
    mass, of a joint that follows another one, of a base that moves (its kind), of passive branches."""

    neutral: bool
    springs: float
    dampers: float
    rotors: float
    massless: float
    mimics: float
    base: str
    branches: int


def manner(rng: np.random.Generator) -> Manner:
    return Manner(
        neutral=bool(rng.random() < 0.3),
        springs=0.3 if rng.random() < 0.3 else 0.0,
        dampers=0.3 if rng.random() < 0.3 else 0.0,
        rotors=0.3 if rng.random() < 0.3 else 0.0,
        massless=0.2 if rng.random() < 0.15 else 0.0,
        mimics=1.0 if rng.random() < 0.08 else 0.0,
        base=str(rng.choice(["", "", "", "", "", "free", "revolute", "spherical", "planar"])),
        branches=int(rng.choice([0, 0, 0, 1, 2])),
    )


def made(rng: np.random.Generator, name: str, spots: Sequence[Spot], how: Manner) -> Assembly:
    """Directed so that every link hangs on the ground, listed in random order."""
    spots = _branched(rng, _based(rng, spots, how.base), how.branches)
    spots = _directed(rng, spots)
    count = 1 + max(max(spot.parent, spot.child) for spot in spots)
    near = [[s.point for s in spots if i in (s.parent, s.child)] for i in range(count)]
    bodies = [_body(rng, i, points, how) for i, points in enumerate(near)]
    marked = bool(rng.random() < 0.3)
    hung = set[int]()
    holds = []
    for i, spot in enumerate(spots):
        holds.append(_hold(rng, i, spot, how, cut=marked and spot.child in hung))
        hung.add(spot.child)
    order = range(len(holds)) if marked else rng.permutation(len(holds))
    gravity = tuple(rng.uniform(-6, 6, 3).tolist())
    drawn = Assembly(name, tuple(bodies), tuple(holds[i] for i in order), gravity)
    return _following(rng, _without_rotors_at_cuts(drawn), how.mimics)


def _without_rotors_at_cuts(drawn: Assembly) -> Assembly:
    """Joints that close loops take no rotor: which ones these are is for the mechanism to say."""
    tree = {body.joint.name for body in drawn.mechanism.tree.bodies}
    holds = tuple(hold if hold.name in tree else replace(hold, armature=()) for hold in drawn.holds)
    return replace(drawn, holds=holds)


def _following(rng: np.random.Generator, drawn: Assembly, chance: float) -> Assembly:
    """One joint of the tree follows another one there."""
    tree = [body.joint.name for body in drawn.mechanism.tree.bodies if KINDS[body.joint.kind].one_dof]
    if rng.random() >= chance or len(tree) < 2:
        return drawn
    leader, follower = rng.choice(tree, 2, replace=False).tolist()
    factor = float(rng.uniform(0.3, 2.0) * rng.choice([-1.0, 1.0]))
    holds = tuple(replace(h, mimic=(leader, factor)) if h.name == follower else h for h in drawn.holds)
    return replace(drawn, holds=holds)


def _based(rng: np.random.Generator, spots: Sequence[Spot], kind: str) -> list[Spot]:
    """The ground becomes one more link on a joint of this kind."""
    if not kind:
        return list(spots)
    link = 1 + max(max(spot.parent, spot.child) for spot in spots)
    swapped = [
        replace(
            spot,
            parent=link if spot.parent == GROUND else spot.parent,
            child=link if spot.child == GROUND else spot.child,
        )
        for spot in spots
    ]
    return [Spot(kind, GROUND, link, exact(rng.uniform(-0.3, 0.3, 3))), *swapped]


def _branched(rng: np.random.Generator, spots: list[Spot], count: int) -> list[Spot]:
    """With chains of random joints that close nothing."""
    spots = list(spots)
    for _ in range(count):
        link = 1 + max(max(spot.parent, spot.child) for spot in spots)
        kind = str(rng.choice(["revolute", "prismatic", "spherical", "universal", "fixed", "cylindrical"]))
        spots.append(Spot(kind, int(rng.integers(link)), link, exact(rng.uniform(-0.5, 0.5, 3))))
    return spots


def _directed(rng: np.random.Generator, spots: Sequence[Spot]) -> list[Spot]:
    """A random spanning tree from the ground first, each joint away from it; the others either way."""
    left, reached, tree = list(spots), {GROUND}, list[Spot]()
    while True:
        ready = [i for i, s in enumerate(left) if (s.parent in reached) != (s.child in reached)]
        if not ready:
            break
        spot = left.pop(int(rng.choice(ready)))
        spot = spot if spot.parent in reached else spot.turned_round()
        reached.add(spot.child)
        tree.append(spot)
    loops = [s.turned_round() if s.child == GROUND or (s.parent != GROUND and rng.random() < 0.5) else s for s in left]
    return [*tree, *loops]


def _body(rng: np.random.Generator, i: int, points: Sequence[Exact], how: Manner) -> Body:
    middle = sum(points[1:], points[0]) / len(points)
    frame = pose(random_rotation(rng), middle + exact(rng.uniform(-0.3, 0.3, 3)))
    if len(points) > 1 and rng.random() < how.massless:
        return Body(f"l{i}", frame, 0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
    x, y, z = rng.uniform(0.01, 0.05, 3)
    com = tuple(rng.uniform(-0.2, 0.2, 3).tolist())
    return Body(f"l{i}", frame, float(rng.uniform(0.5, 2.0)), com, (x + y, 0.0, 0.0, y + z, 0.0, x + z))


def _hold(rng: np.random.Generator, i: int, spot: Spot, how: Manner, cut: bool) -> Hold:
    kind = KINDS[spot.kind]
    q = _coordinates(rng, spot.kind, how.neutral)
    frame, axes = random_rotation(rng), list[Exact]()
    if spot.kind == "planar" and spot.axes:
        frame = _with_z(rng, spot.axes[0])
    elif "axis" in kind.options or "axes" in kind.options:
        axes = [unit(exact(rng.normal(size=3))) for _ in kind.axes]
        if len(axes) == 2:
            axes[1] = unit(axes[1] - (axes[0] @ axes[1]) * axes[0] + MP.mpf("0.2") * axes[0])
        if len(axes) == 3:  # within half a radian of square
            axes = [unit(row + exact(rng.uniform(-0.2, 0.2, 3))) for row in random_rotation(rng)]
        if spot.axes:
            axes[0] = frame.T @ spot.axes[0]
        if len(spot.axes) > 1:  # as it lies after the first turn
            axes[1] = turn(axes[0], -q[0]) @ (frame.T @ spot.axes[1])
    pitch = (spot.pitch or MP.mpf(float(rng.uniform(0.1, 0.3) * rng.choice([-1, 1])))) if kind.screws else 0
    scalar = spot.kind in SCALAR

    def drawn(chance: float, low: float, high: float) -> tuple[float, ...]:
        return tuple(rng.uniform(low, high, kind.nv).tolist()) if kind.nv and rng.random() < chance else ()

    return Hold(
        f"j{i}",
        spot.kind,
        WORLD if spot.parent == GROUND else f"l{spot.parent}",
        f"l{spot.child}",
        pose(frame, spot.point),
        q,
        tuple(axes),
        pitch,
        armature=() if cut else drawn(how.rotors, 0.01, 0.1),
        damping=drawn(how.dampers, 0.05, 0.5),
        stiffness=drawn(how.springs if scalar else 0.0, 1.0, 10.0),
        actuated=bool(rng.random() < 0.6),
        cut=cut,
    )


def _with_z(rng: np.random.Generator, z: Exact) -> Exact:
    """(3, 3) a random rotation whose third column is z."""
    x = exact(rng.normal(size=3))
    x = unit(x - (x @ z) * z)
    y = np.array([z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]])
    return np.column_stack([x, y, z])


def _coordinates(rng: np.random.Generator, kind: str, neutral: bool) -> Exact:
    size = 0.0 if neutral else 1.0
    if kind == "planar":
        c, s = cos_sin(MP.mpf(float(size * rng.uniform(-1.2, 1.2))))
        return np.array([*exact(size * rng.uniform(-0.3, 0.3, 2)), c, s])
    if kind in ("spherical", "free"):
        turned = unit(exact(np.array([*(size * rng.uniform(-0.5, 0.5, 3)), 1.0])))
        return turned if kind == "spherical" else np.array([*exact(size * rng.uniform(-0.3, 0.3, 3)), *turned])
    scale = 0.3 if kind in ("prismatic", "cartesian") else 1.2
    return exact(size * rng.uniform(-scale, scale, KINDS[kind].nq))


def any_point(rng: np.random.Generator, size: float = 0.5) -> Exact:
    return exact(rng.uniform(-size, size, 3))


def any_axis(rng: np.random.Generator) -> Exact:
    return random_direction(rng)


def across(rng: np.random.Generator, axis: Exact) -> Exact:
    """A random unit vector across this one."""
    while True:
        found = random_direction(rng)
        found = found - (found @ axis) * axis
        if length(found) > 0.1:
            return unit(found)
