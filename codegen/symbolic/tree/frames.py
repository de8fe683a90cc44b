"""Pose and Jacobian of one link or named frame, and the steps from link to link that lead there (§3)."""

from __future__ import annotations

import sympy

from kinegen.runtime.errors import ModelError

from ...mechanism.mechanism import Mechanism
from ...mechanism.pose import Pose
from ...mechanism.structure.tree import Body, SpanningTree
from ...mechanism.types import WORLD
from ...program.limbs import Limbs
from ...program.tape import Scalar
from ...program.types import Function
from ..vector import Mat, Vec, identity, let_mat, let_vec, zero
from ..workbench import Workbench, written
from . import kinematics
from .segments import hung, pose


def derive_frame_pose(mechanism: Mechanism, name: str) -> Function:
    """(4, 4) homogeneous pose of a link or frame in world axes. ModelError if there is no such link or frame."""
    link, offset = _find(mechanism, name)

    def build(w: Workbench) -> None:
        R, p, _ = _place(w, link, offset)
        rows = [[*R.rows[i], p[i]] for i in range(3)] + [[w.tape.zero] * 3 + [w.tape.one]]
        w.tape.output("pose", (4, 4), (entry for row in rows for entry in row))

    return written(mechanism, "frame_pose", "world pose of a link or frame", build)


def derive_frame_jacobian(mechanism: Mechanism, name: str) -> Function:
    """(6, nv) rows [linear; angular] at the frame's origin, world axes. ModelError if there is no such frame."""
    link, offset = _find(mechanism, name)

    def build(w: Workbench) -> None:
        _, p, segment = _place(w, link, offset)
        at = kinematics.places(w.true)
        rows = kinematics.point_jacobian(w.true, at, segment, p, w.nv)
        w.tape.output("J", (6, w.nv), (entry for row in rows for entry in row))

    return written(mechanism, "frame_jacobian", "velocity [linear; angular] of a link or frame per v", build)


def _place(w: Workbench, link: int, offset: Pose) -> tuple[Mat, Vec, int]:
    """World pose of a frame and the segment that carries it (-1: world)."""
    tape = w.tape
    base_R, base_p, segment = identity(tape), zero(tape), -1
    if link >= 0:
        segment = kinematics.links(w.true)[link]
        at, carrier = kinematics.places(w.true)[segment], w.true[segment]
        base_R, base_p = at.R @ carrier.link_R, at.p + at.R.apply(carrier.link_p)
    base_R, base_p = let_mat(base_R, "R"), let_vec(base_p, "p")
    R, p = pose(tape, offset)
    return base_R @ R, let_vec(base_p + base_R.apply(p), "p"), segment


def _find(mechanism: Mechanism, name: str) -> tuple[int, Pose]:
    """(body or -1 for world, pose in it) of a link or frame."""
    links = {body.link.name: body.index for body in mechanism.tree.bodies} | {WORLD: -1}
    frames = {frame.name: frame for frame in mechanism.frames}
    if name in frames:
        return links[frames[name].link], frames[name].pose
    if name not in links:
        raise ModelError(f"no link or frame '{name}'; there are: {', '.join([*links, *frames])}")
    return links[name], Pose()


def link_step(mechanism: Mechanism, link: int, rows: int = 3) -> Function:
    """`own` (rows, 4) = [R p] of a link of the `above` that it hangs on, and its motion `axes` [z; l; p]; world. Rows
    are alike: one alone reads the row above it."""
    title = f"pose and motion axes of link {link}"
    return written(mechanism, f"step_{link}", title, lambda w: _write_step(w, link, rows))


def alike_steps(tree: SpanningTree, copies: Limbs) -> tuple[int, ...]:
    """Of each link the first whose step is the same, but that it reads other entries of q: in trees that are alike."""
    firsts: dict[object, int] = {}
    return tuple(firsts.setdefault(_geometry(body, copies), body.index) for body in tree.bodies)


def _geometry(body: Body, copies: Limbs) -> object:
    """What its step is made of."""
    if not body.nq or ("q", body.q_start) not in copies.places:
        return body.index
    joint = body.joint
    return joint.kind, joint.origin, joint.child_origin, joint.axis, joint.axis2, joint.axes, joint.pitch


def _write_step(w: Workbench, link: int, rows: int) -> None:
    above = w.tape.input("above", [sympy.Symbol(f"above_{i}", real=True) for i in range(4 * rows)])
    place, axes = _placed([*above, *[w.tape.zero] * (12 - 4 * rows)]), []
    for segment in hung(w.tape, w.mechanism.tree.bodies[link], w.q):
        R = let_mat(place.R @ segment.R, f"R_{segment.name}")
        place = kinematics.Place(R, let_vec(place.p + place.R.apply(segment.p), f"p_{segment.name}"))
        for column in segment.columns:
            angular, linear = kinematics.world_axis(column, place, segment.name)
            for part in (angular * column.factor, linear * column.factor, place.p):
                axes += [*part][:rows]
    R, p = place.R @ segment.link_R, place.p + place.R.apply(segment.link_p)
    w.tape.output("own", (rows, 4), (entry for row in range(rows) for entry in (*R.rows[row], p[row])))
    w.tape.output("axes", (len(axes) // (3 * rows), 3 * rows), axes)


def _placed(rows: list[Scalar]) -> kinematics.Place:
    """Of (3, 4)."""
    R = Mat((Vec(*rows[0:3]), Vec(*rows[4:7]), Vec(*rows[8:11])))
    return kinematics.Place(R, Vec(rows[3], rows[7], rows[11]))
