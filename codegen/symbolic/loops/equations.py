"""Loop equations as one writes them on paper: in the axes of the link that both sides of a loop share (§8) [N98 §2].

That is world for a loop through the world. Where a cut joint locks all positions, each side's velocity is taken at its
own end of the joint, so that the linear rows of J_C are the derivatives of the linear equations; on the closure this is
the J_C of the kernels up to the choice of axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kinegen.runtime.kinds import KINDS

from ...mechanism.mechanism import Mechanism
from ...program.tape import Scalar
from ...program.types import Function
from ..tree.kinematics import Place, world_axis
from ..tree.rnea import moved, world_motion
from ..vector import Vec, identity, let_mat, let_vec, zero
from ..workbench import Workbench, written
from . import closure, cut_joint
from .closure import Loop

POSITION = {0, 1, 2}


@dataclass(frozen=True)
class Paper:
    """A loop with the places of its segments in the shared link, and the two ends of its cut joint there."""

    loop: Loop
    at: tuple[Place, ...]
    parent_end: Vec
    child_end: Vec

    @property
    def pinned(self) -> bool:
        """Whether the cut joint locks all positions."""
        kind = KINDS[self.loop.joint.kind]
        return not kind.screws and not self.loop.rim and set(kind.locked) >= POSITION


def derive_closure_equations(mechanism: Mechanism) -> Function:
    """(6L) gap of each loop; linear rows of a pinned joint: its place on the child minus its place on the parent."""

    def entries(w: Workbench, paper: Paper) -> list[Scalar]:
        rows = closure.residual(paper.loop)
        return [*(paper.child_end - paper.parent_end), *rows[3:]] if paper.pinned else rows

    return _derived(mechanism, "closure_equations", "gap of each loop, axes of the link that its sides share", entries)


def derive_loop_bias(mechanism: Mechanism) -> Function:
    """(6L) J̇_C θ̇_J: loop accelerations with θ̈_J = 0 [N98 (16)]."""

    def entries(w: Workbench, paper: Paper) -> list[Scalar]:
        rows = cut_joint.paper_bias(w.true, paper.loop, paper.at, w.v)
        if not paper.pinned:
            return rows
        parent = _end_acceleration(w, paper, paper.loop.parent_path, paper.loop.parent_end[1])
        child = _end_acceleration(w, paper, paper.loop.child_path, paper.loop.child_end[1])
        return [*(parent - child), *rows[3:]]

    return _derived(mechanism, "loop_bias", "dJ_C/dt dtheta_J, axes of the link that the sides share", entries, True)


def derive_loop_jacobian(mechanism: Mechanism) -> Function:
    """J_C (6L, N_J): twist of the virtual link minus twist of its real link; tree, then cut joints [N98 (5)(6)]."""
    sizes = [virtual.joint.nv for virtual in mechanism.virtual_links]
    width = mechanism.tree.nv + sum(sizes)

    def build(w: Workbench) -> None:
        rows: list[list[Scalar]] = []
        for loop, start in zip(w.loops, _starts(w.nv, sizes), strict=True):
            rows += _block(w, _on_paper(w, loop), start, width)
        w.tape.output("J_C", (len(rows), width), [entry for row in rows for entry in row])

    title = "Jacobian J_C, axes of the link that the sides of a loop share; tree, then cut joints"
    return written(mechanism, "loop_jacobian", title, build)


def _starts(first: int, sizes: Sequence[int]) -> list[int]:
    return [first + sum(sizes[:i]) for i in range(len(sizes))]


def _derived(
    mechanism: Mechanism,
    name: str,
    title: str,
    entries: Callable[[Workbench, Paper], list[Scalar]],
    moving: bool = False,
) -> Function:
    def build(w: Workbench) -> None:
        _ = w.v if moving else w.q
        found = [entry for loop in w.loops for entry in entries(w, _on_paper(w, loop))]
        w.tape.output("rows", (len(found),), found)

    return written(mechanism, name, title, build)


def _on_paper(w: Workbench, loop: Loop) -> Paper:
    """Places in the shared link, down both sides."""
    chain = w.true
    fixed = _shared(w, loop)
    at = [fixed] * len(chain)
    for side in (loop.parent_path, loop.child_path):
        above = fixed
        for i in side:
            segment = chain[i]
            R = let_mat(above.R @ segment.R, f"R_{segment.name}")
            above = at[i] = Place(R, let_vec(above.p + above.R.apply(segment.p), f"p_{segment.name}"))
    ends = []
    for side, end in ((loop.parent_path, loop.parent_end[1]), (loop.child_path, loop.child_end[1])):
        place = at[side[-1]] if side else fixed
        ends.append(let_vec(place.p + place.R.apply(end), "end"))
    return Paper(loop, tuple(at), *ends)


def _shared(w: Workbench, loop: Loop) -> Place:
    """The segment from which both sides start, in the axes of its link."""
    first = (*loop.parent_path, *loop.child_path)[:1]
    top = w.true[first[0]].parent if first else loop.parent
    if top < 0:
        return Place(identity(w.tape), zero(w.tape))
    R = w.true[top].link_R.T
    return Place(R, let_vec(-R.apply(w.true[top].link_p), "p_shared"))


def _block(w: Workbench, paper: Paper, start: int, width: int) -> list[list[Scalar]]:
    """(6, width) rows of one loop; its cut joint's columns from `start`."""
    tape, loop = w.tape, paper.loop
    rows = [[tape.zero] * width for _ in range(6)]
    sides = ((loop.parent_path, paper.parent_end, 1.0), (loop.child_path, paper.child_end, -1.0))
    for side, end, sign in sides:
        point = end if paper.pinned else paper.child_end
        for i in side:
            for column in w.true[i].columns:
                angular, linear = world_axis(column, paper.at[i], w.true[i].name)
                twist = [*(linear + angular.cross(let_vec(point - paper.at[i].p, "r"))), *angular]
                for row, entry in enumerate(twist):
                    rows[row][column.index] = tape.let(rows[row][column.index] + entry * column.factor * sign, "J")
    F = cut_joint.world_frame(loop, paper.at)
    for k, (linear, angular) in enumerate(cut_joint.cut_axes(loop)):
        for row, entry in enumerate((*F.apply(linear), *F.apply(angular))):
            rows[row][start + k] = tape.let(entry, "J")
    return rows


def _end_acceleration(w: Workbench, paper: Paper, side: Sequence[int], end: Vec) -> Vec:
    """Of a point fixed to the last segment of a side, the shared link at rest, θ̈ = 0."""
    if not side:
        return zero(w.tape)
    motion = world_motion(zero(w.tape))
    for i in side:
        motion = moved(w.true[i], motion, w.v, w.rest)
    return let_vec(paper.at[side[-1]].R.apply(let_vec(motion.a + motion.U.apply(end), "a")), "a")
