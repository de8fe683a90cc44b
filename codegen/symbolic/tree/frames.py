"""Pose, Jacobian and motion of one link or named frame, and the steps from link to link that lead there (§3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kinegen.runtime.errors import ModelError

from ...mechanism.mechanism import Mechanism
from ...mechanism.pose import Pose
from ...mechanism.structure.tree import Body, SpanningTree
from ...mechanism.types import WORLD
from ...program.limbs import Limbs
from ...program.tape import Scalar
from ...program.types import Function
from ..names import comment
from ..symbols import Coordinate
from ..vector import Mat, Vec, identity, let_mat, let_vec, zero
from ..workbench import Workbench, written
from . import kinematics
from .momentum import Twist, twists
from .rnea import forward, world_motion
from .segments import hung, pose


def derive_frame_pose(mechanism: Mechanism, name: str) -> Function:
    """(4, 4) homogeneous pose of a link or frame in world axes. ModelError if there is no such link or frame."""

    def build(w: Workbench, at: _Fixed) -> None:
        R, p = at.pose(w)
        rows = [[*R.rows[i], p[i]] for i in range(3)] + [[w.tape.zero] * 3 + [w.tape.one]]
        w.tape.output("pose", (4, 4), (entry for row in rows for entry in row))

    return _of_frame(mechanism, "frame_pose", "pose of {} in world", name, build)


def derive_frame_jacobian(mechanism: Mechanism, name: str) -> Function:
    """(6, nv) rows [linear; angular] at the frame's origin, world axes. ModelError if there is no such frame."""

    def build(w: Workbench, at: _Fixed) -> None:
        _, p = at.pose(w)
        rows = kinematics.point_jacobian(w.true, kinematics.places(w.true), at.segment, p, w.nv)
        w.tape.output("J", (6, w.nv), (entry for row in rows for entry in row))

    return _of_frame(mechanism, "frame_jacobian", "velocity [linear; angular] of {} per v, world axes", name, build)


def derive_frame_velocity(mechanism: Mechanism, name: str) -> Function:
    """(6) [linear; angular] of the frame's origin, world axes: J v. ModelError if there is no such frame."""

    def build(w: Workbench, at: _Fixed) -> None:
        moving = twists(w.true, w.v)[at.segment] if at.segment >= 0 else Twist(zero(w.tape), zero(w.tape))
        _put(w, "velocity", at, moving.u + moving.w.cross(at.offset.p), moving.w)

    return _of_frame(mechanism, "frame_velocity", "velocity [linear; angular] of {}, world axes", name, build)


def derive_frame_acceleration(mechanism: Mechanism, name: str) -> Function:
    """(6) rate of `derive_frame_velocity`'s: J a + dJ/dt v. ModelError if there is no such frame."""

    def build(w: Workbench, at: _Fixed) -> None:
        _put_rate(w, "acceleration", at, w.v, w.a)

    return _of_frame(mechanism, "frame_acceleration", "acceleration [linear; angular] of {}, world axes", name, build)


def derive_frame_bias(mechanism: Mechanism, name: str) -> Function:
    """(6) dJ/dt v: that rate at a = 0. ModelError if there is no such frame."""

    def build(w: Workbench, at: _Fixed) -> None:
        _put_rate(w, "bias", at, w.v, [w.tape.zero] * w.nv)

    return _of_frame(mechanism, "frame_bias", "acceleration [linear; angular] of {} at a = 0, world axes", name, build)


OF_FRAMES: dict[str, Callable[[Mechanism, str], Function]] = {
    "pose": derive_frame_pose,
    "jacobian": derive_frame_jacobian,
    "velocity": derive_frame_velocity,
    "acceleration": derive_frame_acceleration,
    "bias": derive_frame_bias,
}
"""Quantity -> what derives it of one frame."""


def moving_frames(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of links, and of frames that are not fixed to world."""
    links = (body.link.name for body in mechanism.tree.bodies)
    return (*links, *(frame.name for frame in mechanism.frames if frame.link != WORLD))


@dataclass(frozen=True)
class _Fixed:
    """Where a frame is: the segment that carries it (-1: world) and its pose there."""

    segment: int
    offset: kinematics.Place

    def pose(self, w: Workbench) -> tuple[Mat, Vec]:
        """In world."""
        if self.segment < 0:
            return self.offset.R, self.offset.p
        at = kinematics.places(w.true)[self.segment]
        return at.R @ self.offset.R, let_vec(at.p + at.R.apply(self.offset.p), "p")


def _of_frame(
    mechanism: Mechanism, quantity: str, title: str, name: str, build: Callable[[Workbench, _Fixed], None]
) -> Function:
    """`title` with a place for the name. ModelError if there is no such link or frame."""
    link, offset = _find(mechanism, name)
    return written(mechanism, quantity, title.format(comment(name)), lambda w: build(w, _fixed(w, link, offset)))


def _fixed(w: Workbench, link: int, offset: Pose) -> _Fixed:
    R, p = pose(w.tape, offset)
    if link < 0:
        return _Fixed(-1, kinematics.Place(R, p))
    segment = kinematics.links(w.true)[link]
    carrier = w.true[segment]
    R, p = let_mat(carrier.link_R @ R, "R"), let_vec(carrier.link_p + carrier.link_R.apply(p), "p")
    return _Fixed(segment, kinematics.Place(R, p))


def _put_rate(w: Workbench, name: str, at: _Fixed, v: Sequence[Scalar], a: Sequence[Scalar]) -> None:
    still = zero(w.tape)
    motion = [*forward(w.true, v, a, still), world_motion(still)][at.segment]
    _put(w, name, at, motion.a + motion.U.apply(at.offset.p), motion.dw)


def _put(w: Workbench, name: str, at: _Fixed, linear: Vec, angular: Vec) -> None:
    """Both in world axes, of axes of the segment."""
    R = kinematics.places(w.true)[at.segment].R if at.segment >= 0 else identity(w.tape)
    linear, angular = let_vec(linear, name), let_vec(angular, name)
    w.tape.output(name, (6,), [*R.apply(linear), *R.apply(angular)])


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
    above = w.tape.input("above", [Coordinate(f"above_{i}", real=True) for i in range(4 * rows)])
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
