"""What holds loops together: gaps, rows, cut joints."""

from __future__ import annotations

from ..loops import closure, cut_joint
from ..tree import kinematics
from ..workbench import Derivation, Workbench, flat


def _closure_residual(w: Workbench) -> None:
    w.tape.output("gap", (6 * len(w.loops),), (entry for loop in w.loops for entry in closure.residual(loop)))


def _closure_rows(w: Workbench) -> None:
    rows = [row for loop in w.loops for row in closure.jacobian(w.true, loop, w.nv)]
    w.tape.output("K", (6 * len(w.loops), w.nv), flat(rows))


def _closure_rows_bias(w: Workbench) -> None:
    _, v = w.q, w.v
    w.tape.output("dKv", (6 * len(w.loops),), (e for loop in w.loops for e in closure.bias(w.true, loop, v)))


def _cut_poses(w: Workbench) -> None:
    w.tape.output("poses", (len(w.loops), 12), (e for loop in w.loops for e in cut_joint.relative_pose(loop)))


def _cut_twists(w: Workbench) -> None:
    rows = [row for loop in w.loops for row in cut_joint.cut_twist(w.true, loop, w.nv)]
    w.tape.output("twists", (6 * len(w.loops), w.nv), flat(rows))


def _closure_jacobian(w: Workbench) -> None:
    rows = cut_joint.paper_jacobian(w.true, w.loops, kinematics.places(w.true), w.nv)
    w.tape.output("J_C", (len(rows), len(rows[0])), flat(rows))


def _closure_bias(w: Workbench) -> None:
    _, v = w.q, w.v
    at = kinematics.places(w.true)
    entries = [e for loop in w.loops for e in cut_joint.paper_bias(w.true, loop, at, v)]
    w.tape.output("dJv", (len(entries),), entries)


CLOSURE: dict[str, Derivation] = {
    "closure_residual": ("gap of each loop: linear, angular, in the cut joint's frame", _closure_residual),
    "closure_rows": ("rows K of K v = 0: locked twist of each loop in the cut joint's frame", _closure_rows),
    "closure_rows_bias": ("rate dK/dt v of the rows", _closure_rows_bias),
    "cut_poses": ("pose [R | p] of each cut joint's frame on the child in its frame on the parent", _cut_poses),
    "cut_twists": ("twist of each cut joint, child axes, per unit of v", _cut_twists),
    "closure_jacobian": (
        "Jacobian J_C: twist of virtual minus real link, world axes; tree, then cut joints",
        _closure_jacobian,
    ),
    "closure_bias": ("rate dJ_C/dt dtheta_J, world axes", _closure_bias),
}
