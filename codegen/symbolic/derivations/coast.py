"""What a step asks of a mechanism that coasts, its links turning fast (§10)."""

from __future__ import annotations

from ...mechanism.mechanism import Mechanism
from ...program.types import Function
from ..symbols import Coordinate
from ..tree import mass_matrix
from ..tree.factor import times
from ..vector import zero
from ..workbench import Workbench, written
from .dynamics import acceleration, times_mass

DT = Coordinate("dt", real=True)
"""The step, which is no parameter of that name."""


def momenta(mechanism: Mechanism) -> Function:
    """(q, v) -> h = M v."""

    def build(w: Workbench) -> None:
        w.tape.output("h", (w.nv,), times_mass(w, w.v))

    return written(mechanism, "momenta", "momenta h = M v", build)


def kick_velocities(mechanism: Mechanism, route: str, damped: bool) -> Function:
    """(q, v, tau, d, dt) -> u, a, h of (M + diag d) (u - v) = dt (tau - g), M a + c(q, u) = 0, h = M u, with all that
    they share computed once; `route`: "articulated" or "ltdl", without d if not `damped`."""

    def build(w: Workbench) -> None:
        v, tau, d = w.v, w.tau, w.extra if damped else None
        (dt,) = w.tape.input("dt", (DT,))
        change = acceleration(w, route, w.rest, tau, w.gravity, d)
        u = [w.tape.let(x + dt * a, "u") for x, a in zip(v, change, strict=True)]
        by_matrix = route == "ltdl"  # M is there
        h = times(mass_matrix.by_composite_inertias(w.chain, w.nv), u) if by_matrix else times_mass(w, u)
        w.tape.output("u", (w.nv,), u)
        w.tape.output("a", (w.nv,), acceleration(w, route, u, w.rest, zero(w.tape)))
        w.tape.output("h", (w.nv,), h)

    title = "velocities u after forces of a step, momenta h = M u, and acceleration a of the coast that begins there"
    return written(mechanism, "kick_velocities", title, build)
