"""The closure of one loop as functions of its own, for mechanisms whose loops come and go (§9).

All loops of such a mechanism are kinematics over the same tree: a function a loop keeps text and time linear in their
number, whatever subset is active.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kinegen.runtime.kinds import KINDS

from ...mechanism.mechanism import Mechanism
from ...program.tape import Scalar
from ...program.types import Function
from ..tree import kinematics
from ..vector import unit, zero
from ..workbench import Workbench, written
from . import closure, cut_joint


@dataclass(frozen=True)
class _Topic:
    """One quantity of a loop: title, what puts it on the tape."""

    title: str
    build: Callable[[Workbench, closure.Loop], None]


def derive_loop(mechanism: Mechanism, index: int, topic: str) -> Function:
    """Quantity `topic` (a key of TOPICS) of loop `index`, in factored form."""
    chosen = TOPICS[topic]

    def build(w: Workbench) -> None:
        chosen.build(w, closure.loop_at(w.mechanism, w.true, index))

    return written(mechanism, topic, f"{chosen.title} of loop {index}", build)


def _gap(w: Workbench, loop: closure.Loop) -> None:
    w.tape.output("gap", (6,), closure.residual(loop))


def _rows(w: Workbench, loop: closure.Loop) -> None:
    rows = closure.jacobian(w.true, loop, w.nv)
    w.tape.output("K", (6, w.nv), [entry for row in rows for entry in row])


def _turning(w: Workbench, loop: closure.Loop) -> None:
    w.tape.output("dKv", (6,), closure.bias(w.true, loop, w.v))


def _pose(w: Workbench, loop: closure.Loop) -> None:
    w.tape.output("pose", (12,), cut_joint.relative_pose(loop))


def _twist(w: Workbench, loop: closure.Loop) -> None:
    rows = cut_joint.cut_twist(w.true, loop, w.nv)
    w.tape.output("twist", (6, w.nv), [entry for row in rows for entry in row])


def _jacobian(w: Workbench, loop: closure.Loop) -> None:
    rows = cut_joint.paper_jacobian(w.true, [loop], kinematics.places(w.true), w.nv)
    w.tape.output("J", (6, len(rows[0])), [entry for row in rows for entry in row])


def _bias(w: Workbench, loop: closure.Loop) -> None:
    v = w.v
    w.tape.output("dJv", (6,), cut_joint.paper_bias(w.true, loop, kinematics.places(w.true), v))


def _wrench(w: Workbench, loop: closure.Loop) -> None:
    """(6, 6): columns [force; moment] on C at the joint's frame, world axes, per unit along each row of K."""
    tape, F = w.tape, cut_joint.world_frame(loop, kinematics.places(w.true))
    nothing, kind = zero(tape), KINDS[loop.joint.kind]
    columns = []
    for slot in range(6):
        axis = unit(tape, slot % 3)
        force, moment = (axis, nothing) if slot < 3 else (nothing, axis)
        if kind.crossed and slot == 5:
            moment = closure.across(loop)
        if kind.screws and slot == 2:
            moment = unit(tape, 2) * (-loop.pitch)
        if loop.rim:
            moment = loop.rim.arm.cross(force)
        if slot not in kind.locked:
            force = moment = nothing
        columns.append([*F.apply(force), *F.apply(moment)])
    entries: list[Scalar] = [column[row] for row in range(6) for column in columns]
    w.tape.output("N", (6, 6), entries)


def _effort(w: Workbench, loop: closure.Loop) -> None:
    """(nv_j, 6): rows [force; moment] on C at the joint's frame, world axes, per unit along each of its velocities."""
    F = cut_joint.world_frame(loop, kinematics.places(w.true))
    rows = [[*F.apply(force), *F.apply(moment)] for force, moment in cut_joint.cut_efforts(loop)]
    w.tape.output("A", (len(rows), 6), [entry for row in rows for entry in row])


TOPICS: dict[str, _Topic] = {
    "gap": _Topic("Gap", _gap),
    "rows": _Topic("Rows of K", _rows),
    "turning": _Topic("Rate dK/dt v of the rows", _turning),
    "pose": _Topic("Pose [R | p] of the joint's frame on the child in its frame on the parent", _pose),
    "twist": _Topic("Twist of the child's side per unit of v, its axes", _twist),
    "jacobian": _Topic("Rows of J_C, columns of the tree and of the joint", _jacobian),
    "bias": _Topic("Rate dJ_C/dt dtheta_J", _bias),
    "wrench": _Topic("Wrench on the child's side in world axes per unit force along the rows", _wrench),
    "effort": _Topic("Wrench on the child's side in world axes per unit along the joint's velocities", _effort),
}
