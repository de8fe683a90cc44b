"""From the pose of a link to that of one that hangs on it: what goes along a single path is made of (§3)."""

from __future__ import annotations

import sympy

from ...mechanism.mechanism import Mechanism
from ...program.tape import Scalar
from ...program.types import Function
from ..vector import Mat, Vec, let_mat, let_vec
from ..workbench import Workbench, written
from .kinematics import Place, world_axis
from .segments import hung


def link_step(mechanism: Mechanism, link: int) -> Function:
    """`own` (3, 4) = [R p] of a link of the `above` (3, 4) that it hangs on, and its motion `axes` [z; l; p]; world."""
    name = mechanism.tree.bodies[link].link.name
    return written(mechanism, f"step_{link}", f"pose and motion axes of {name}", lambda w: _write(w, link))


def _write(w: Workbench, link: int) -> None:
    above = w.tape.input("above", [sympy.Symbol(f"above_{i}", real=True) for i in range(12)])
    place, axes = _place(above), []
    for segment in hung(w.tape, w.mechanism.tree.bodies[link], w.q):
        R = let_mat(place.R @ segment.R, f"R_{segment.name}")
        place = Place(R, let_vec(place.p + place.R.apply(segment.p), f"p_{segment.name}"))
        for column in segment.columns:
            angular, linear = world_axis(column, place, segment.name)
            axes += [*(angular * column.factor), *(linear * column.factor), *place.p]
    R, p = place.R @ segment.link_R, place.p + place.R.apply(segment.link_p)
    w.tape.output("own", (3, 4), (entry for row in range(3) for entry in (*R.rows[row], p[row])))
    w.tape.output("axes", (len(axes) // 9, 9), axes)


def _place(rows: list[Scalar]) -> Place:
    """Of (3, 4)."""
    R = Mat((Vec(*rows[0:3]), Vec(*rows[4:7]), Vec(*rows[8:11])))
    return Place(R, Vec(rows[3], rows[7], rows[11]))
