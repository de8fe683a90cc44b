"""What the causes of a joint's torque are made of (§4): the straight-line part, linear in the size of the tree."""

from __future__ import annotations

from ..mechanism.mechanism import Mechanism
from ..program.types import Function
from .functions import Workbench, written
from .kinematics import center, cog_bias, links, places, world_axis, world_inertia


def cause_parts(mechanism: Mechanism) -> Function:
    """Per motion axis: `axes` [z; l; p] and `rotors`; per link: `centers`, `inertias`, `masses`, `drift` = Ġv.

    World axes, true inertial data; rows of drift are [p̈_G; ω̇] at v̇ = 0, rotors are armatures felt at the axis.
    """
    title = "axes, mass centres, inertias and accelerations of the velocities, world axes"
    return written(mechanism, "cause_parts", title, _write)


def _write(w: Workbench) -> None:
    _, v = w.q, w.v
    at, carried = places(w.true), links(w.true)
    axes, rotors = [], []
    for segment, place in zip(w.true, at, strict=True):
        for column in segment.columns:
            angular, linear = world_axis(column, place, segment.name)
            axes += [*(angular * column.factor), *(linear * column.factor), *place.p]
            rotors.append(column.armature * (column.factor * column.factor))
    w.tape.output("axes", (len(rotors), 9), axes)
    w.tape.output("rotors", (len(rotors),), rotors)
    w.tape.output("centers", (len(carried), 3), (e for i in carried for e in center(w.true[i], at[i])))
    w.tape.output("inertias", (len(carried), 3, 3), (e for i in carried for e in world_inertia(w.true[i], at[i])))
    w.tape.output("masses", (len(carried),), (w.true[i].inertia.m for i in carried))
    w.tape.output("drift", (6 * len(carried),), cog_bias(w.true, v))
