"""Which links can turn so fast that a step must look after them, and which groups of links move by themselves (§10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kinegen.runtime.kinds import KINDS

from ...mechanism.algebra import cells, free_symbols
from ...mechanism.elements.joint import Joint
from ...mechanism.mechanism import Mechanism
from ...mechanism.structure.rigid import rigid_inertia
from ...mechanism.structure.tree import Body
from ...mechanism.types import WORLD
from .spin import Spin

ROUND = 1e-9
"""By how much, of its size, an inertia may differ from one that is round about an axis."""


@dataclass(frozen=True)
class Floating:
    """A free joint that leaves a whole group free: its body, the group, and the first such body of the group."""

    body: Body
    group: int
    first: Body


@dataclass(frozen=True)
class Turning:
    """`bodies`: those of the tree; `counted` (per body): places in v of the speeds that turn the links under it
    against each other; `alone`: indices of bodies that fly by themselves. `groups` (nv): of each velocity, the links
    that share its motion; `floating`: what leaves them free."""

    bodies: tuple[Body, ...]
    counted: tuple[tuple[int, ...], ...]
    alone: frozenset[int]
    groups: tuple[int, ...]
    floating: tuple[Floating, ...]


def turning_of(mechanism: Mechanism, spins: tuple[Spin, ...], locked: bool) -> Turning | None:
    """None where no link turns, or those that do fly by themselves or on one joint. `locked`: rows hold links."""
    bodies, group = mechanism.tree.bodies, _groups(mechanism)
    alone = frozenset(spin.body.index for spin in spins)
    sizes = [sum(b.nv for b in bodies if group[b.index] == g) for g in range(max(group) + 1)]
    held = locked or bool(mechanism.virtual_links)
    counted = tuple(
        ()
        if not held and (sizes[group[b.index]] == 1 or _is_rotor(mechanism, b) or _is_disc(b, sizes[group[b.index]]))
        else tuple(_angular(b))
        for b in bodies
    )
    if not any(places for b, places in zip(bodies, counted, strict=True) if b.index not in alone):
        return None
    of_velocity = {b.v_start + i: group[b.index] for b in bodies for i in range(b.nv)}
    groups = tuple(of_velocity[i] for i in range(mechanism.tree.nv))
    return Turning(bodies, counted, alone, groups, tuple(_floating(mechanism, group)))


def _angular(body: Body) -> Iterator[int]:
    """Places in v of angular velocities, of a mimic joint that of its leader."""
    for i, linear in enumerate(KINDS[body.joint.kind].linear):
        if not linear:
            yield body.v_start + i


def _is_rotor(mechanism: Mechanism, body: Body) -> bool:
    """Turns about one axis that it is round about, and carries nothing: where it stands changes no inertia."""
    joint, kind = body.joint, KINDS[body.joint.kind]
    if kind.nv != 1 or len(kind.turns) != 1 or any(other.parent == body.index for other in mechanism.tree.bodies):
        return False
    mass, centre, inertia = rigid_inertia([(body.link, joint.child_origin.inverse())])
    if free_symbols((mass, *centre, *cells(inertia), *joint.directions[0])):
        return False
    c, n, tensor = np.array(centre, float), np.array(joint.directions[0], float), np.array(inertia, float)
    along = n @ tensor @ n
    round_about = along * np.outer(n, n) + 0.5 * (np.trace(tensor) - along) * (np.eye(3) - np.outer(n, n))
    size = np.abs(tensor).max() + float(mass) * (c @ c)
    across = np.cross(c, n)
    return bool(max(np.abs(tensor - round_about).max(), float(mass) * (across @ across)) <= ROUND * size)


def _is_disc(body: Body, group_nv: int) -> bool:
    """Moves in a plane by itself and turns about its centre of mass: no motion of it changes another."""
    joint = body.joint
    if KINDS[joint.kind].group != "se2" or group_nv != body.nv:
        return False
    _, centre, _ = rigid_inertia([(body.link, joint.child_origin.inverse())])
    normal = joint.directions[0] if joint.directions else (0.0, 0.0, 1.0)
    if free_symbols((*centre, *normal)):
        return False
    return not np.cross(np.array(centre, float), np.array(normal, float)).any()


def _groups(mechanism: Mechanism) -> tuple[int, ...]:
    """Of each body the number of its group: the trees on world, joined where loops join them."""
    bodies = mechanism.tree.bodies
    tree: list[int] = []
    for body in bodies:
        tree.append(body.index if body.parent < 0 else tree[body.parent])
    of_link = {body.link.name: body.index for body in bodies}
    for loop in mechanism.virtual_links:
        ends = [tree[of_link[name]] for name in (loop.joint.parent, loop.real) if name != WORLD]
        tree = [min(ends) if t in ends else t for t in tree]
    order = {t: i for i, t in enumerate(dict.fromkeys(tree))}
    return tuple(order[t] for t in tree)


def _floating(mechanism: Mechanism, group: tuple[int, ...]) -> Iterator[Floating]:
    """Free joints of the groups that nothing ties to world, joints alone and with others in one frame of world."""
    tied = {group[b.index] for b in mechanism.tree.bodies if b.parent < 0 and not _is_free(b.joint)}
    of_link = {body.link.name: group[body.index] for body in mechanism.tree.bodies}
    for loop in mechanism.virtual_links:
        if WORLD in (loop.joint.parent, loop.real):
            tied |= {of_link[name] for name in (loop.joint.parent, loop.real) if name != WORLD}
    roots = [b for b in mechanism.tree.bodies if b.parent < 0 and group[b.index] not in tied]
    first: dict[int, Body] = {}
    for body in roots:
        first.setdefault(group[body.index], body)
    moved = {group[b.index] for b in roots if b.joint.origin != first[group[b.index]].joint.origin}
    return (Floating(b, group[b.index], first[group[b.index]]) for b in roots if group[b.index] not in moved)


def _is_free(joint: Joint) -> bool:
    """Lets a link go anywhere, and has no inertia of its own."""
    return KINDS[joint.kind].group == "se3" and joint.mimic is None and all(a == 0 for a in joint.armature)
