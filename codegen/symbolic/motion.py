"""The motions that joints are given, as one function of time [mathematics §13]."""

from __future__ import annotations

import sympy

from ..mechanism.elements.motion import TIME
from ..mechanism.elements.pieces import with_derivatives
from ..mechanism.mechanism import Mechanism
from ..mechanism.structure.tree import Body
from ..mechanism.types import Number
from ..program.tape import Scalar, Tape
from ..program.types import Function
from ..program.verify import verify

NAME = "prescribed_motion"


def moved(mechanism: Mechanism) -> tuple[Body, ...]:
    """Bodies whose joint has a motion, in the order of the tree."""
    return tuple(body for body in mechanism.tree.bodies if body.joint.motion)


def prescribed_motion(mechanism: Mechanism) -> Function:
    """q, v, a of all entries that have a motion (3, entries) at time (1)."""
    tape = Tape(NAME, "q, v, a of the joints whose motion the model gives, at a time [s]")
    if mechanism.parameters:
        tape.input("p", mechanism.parameters)
    tape.input("time", [TIME])
    columns = [_entry(tape, value, body) for body in moved(mechanism) for value in body.joint.motion]
    entries = [column[order] for order in range(3) for column in columns]
    tape.output("motion", (3, len(columns)), entries)
    return verify(tape.function())


def _entry(tape: Tape, value: Number, body: Body) -> list[Scalar]:
    what = f"joint '{body.joint.name}': motion"
    tape.section(body.joint.name)
    return [tape.number(part) for part in with_derivatives(sympy.sympify(value), TIME, what)]
