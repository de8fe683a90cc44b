"""The closure of a mechanism as the C needs it: cut joints, rows of K that count, scales, preferences (§8)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from kinegen.runtime.kinds import KINDS, locked_rows

from ...mechanism.elements.link import Link
from ...mechanism.mechanism import Mechanism
from ...mechanism.structure.topology import Switch
from ...mechanism.structure.tree import Body
from ...symbolic.loops.clusters import merged
from ...symbolic.loops.left_out import Scales
from .lengths import length_of, own, path_of, unit_length
from .partition import PREFERENCE, SWITCHED, column_weights


@dataclass(frozen=True)
class Closure:
    """Tables of the loops.

    `rows`: those of K (six a loop) that can differ from zero; `row_scale`, `unit`: what makes rows and columns of K
    pure numbers; `readiness` (nv): of a velocity to be dependent; `in_loop` (nv): 1 for joints of loops; `dofs`: of
    each loop, velocities that its rows may take, ascending; `flags`: its place in the parameters, -1 for one that is
    always active.
    """

    cut: tuple[Body, ...]
    rows: tuple[int, ...]
    row_scale: tuple[float, ...]
    unit: tuple[float, ...]
    readiness: tuple[float, ...]
    in_loop: tuple[float, ...]
    dofs: tuple[tuple[int, ...], ...]
    flags: tuple[int, ...]

    @property
    def firsts(self) -> tuple[int, ...]:
        """Where the `dofs` of each loop begin if they stand one after the other, and where they end."""
        return tuple(accumulate(map(len, self.dofs), initial=0))

    @property
    def per_unit(self) -> tuple[float, ...]:
        """1/unit."""
        return tuple(1.0 / x for x in self.unit)

    @property
    def unit_spread(self) -> float:
        """The largest unit over the smallest."""
        return max(self.unit, default=1.0) / min(self.unit, default=1.0)

    def gap_scale(self, length: float) -> tuple[float, ...]:
        """What an entry of the residual is as part of a gap: angles times `length`, those that are always zero none."""
        return tuple(float(i in self.rows) * (1.0 if i % 6 < 3 else length) for i in range(6 * len(self.cut)))

    @property
    def cut_nq(self) -> int:
        """Coordinates of the cut joints."""
        return sum(body.nq for body in self.cut)

    @property
    def cut_nv(self) -> int:
        """Velocities of the cut joints."""
        return sum(body.nv for body in self.cut)


def loop_flags(mechanism: Mechanism, switches: Sequence[Switch]) -> tuple[int, ...]:
    """Place in p of each loop's flag, after the open parameters; -1 for a loop that is always active."""
    first = len(mechanism.parameters)
    places = {switch.name: first + k for k, switch in enumerate(switches)}
    return tuple(places.get(loop.joint.name, -1) for loop in mechanism.virtual_links)


def cut_bodies(mechanism: Mechanism) -> tuple[Body, ...]:
    """The virtual links, massless, and the cut joints with their places in the arrays of cut coordinates and
    velocities, in the order of the loops."""
    bodies = []
    q = v = 0
    for i, virtual in enumerate(mechanism.virtual_links):
        joint = virtual.joint
        bodies.append(Body(i, Link(virtual.name), joint, -1, q, v, joint.nq, joint.nv))
        q, v = q + joint.nq, v + joint.nv
    return tuple(bodies)


def closure_of(mechanism: Mechanism, switches: Sequence[Switch] = ()) -> Closure:
    """The tables of a mechanism with loops."""
    preference = SWITCHED if switches else PREFERENCE
    loops = mechanism.virtual_links
    paths = [path_of(mechanism, loop.joint) for loop in loops]
    lengths = [length_of(mechanism, path, loop.joint) for path, loop in zip(paths, loops, strict=True)]
    unit, in_loop = [1.0] * mechanism.tree.nv, [0.0] * mechanism.tree.nv
    for path, length in zip(paths, lengths, strict=True):
        for body in path:
            for i in range(own(body)):
                in_loop[body.v_start + i] = 1.0
                if KINDS[body.joint.kind].linear[i]:
                    unit[body.v_start + i] = length
    # loops that lock nothing keep a row, so that no array is empty
    rows = locked_rows(loop.joint.kind for loop in loops) or (0,)
    return Closure(
        cut_bodies(mechanism),
        rows,
        tuple(1.0 / lengths[row // 6] if row % 6 < 3 else 1.0 for row in rows),
        tuple(unit),
        tuple(float(weight) for weight in column_weights(mechanism, preference)),
        tuple(in_loop),
        tuple(tuple(sorted(dofs)) for dofs in dofs_of_loops(mechanism)),
        loop_flags(mechanism, switches),
    )


def scales_of(mechanism: Mechanism) -> Scales:
    """The same tables for all six rows of every loop; `floor`: gravity over the largest loop."""
    loops = mechanism.virtual_links
    lengths = [length_of(mechanism, path_of(mechanism, loop.joint), loop.joint) for loop in loops]
    rows = tuple(1.0 / length if slot < 3 else 1.0 for length in lengths for slot in range(6))
    pull = [float(g) for g in mechanism.gravity if isinstance(g, (int, float))]
    floor = math.hypot(*pull) / max(lengths, default=1.0)
    return Scales(rows, closure_of(mechanism).unit, floor, length=unit_length(mechanism))


def dofs_of_loops(mechanism: Mechanism) -> list[set[int]]:
    """Velocities that the rows of each loop may take."""
    paths = [path_of(mechanism, loop.joint) for loop in mechanism.virtual_links]
    return [{body.v_start + i for body in path for i in range(own(body))} for path in paths]


def joints_of_loops(mechanism: Mechanism) -> int:
    """The number of joints of the tree if bodies that loops tie together count as one: clusters, and bodies of no
    loop."""
    loops = mechanism.virtual_links
    clusters = merged({body.index for body in path_of(mechanism, loop.joint)} for loop in loops)
    return len(clusters) + len(mechanism.tree.bodies) - len(set().union(*clusters))
