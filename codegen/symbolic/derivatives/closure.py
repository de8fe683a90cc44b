"""How the equations of closed loops change as q and v do (§14): what derivatives on the closure are made of."""

from __future__ import annotations

from collections.abc import Sequence

from kinegen.runtime.kinds import BALL, FLIGHT, KINDS, PLANE, Step

from ...mechanism.mechanism import Mechanism
from ...program.tangent import tangent
from ...program.tape import Scalar
from ...program.types import Function
from ..loops import closure
from ..symbols import Coordinate
from ..vector import Vec
from ..workbench import Workbench, written

TITLE = "changes of K v, of K a + dK/dt v and of K'f as q moves along dq and v by dv"
SECOND = "how what closure_variation gives changes as q moves along eq and v by ev"


def closure_variation(mechanism: Mechanism) -> Function:
    """(q, v, a, f, dq, dv) → `change`: K v at v as it is (6L), K a + K̇v (6L), Kᵀf at f as it is (nv).

    f (6L): forces along the rows of K; dq (nv): on the tangent space; dv (nv).
    """
    return written(mechanism, "closure_variation", TITLE, lambda w: w.tape.output("change", *_changes(w)))


def closure_second_variation(mechanism: Mechanism) -> Function:
    """(q, v, a, f, dq, dv, eq, ev) → `change` (6L + 6L + nv): the rates of `closure_variation` as q moves along eq (nv,
    on the tangent space) and v by ev (nv), where dq and dv stay what they are [mathematics §14]."""
    return written(mechanism, "closure_second_variation", SECOND, _build_second)


def _build_second(w: Workbench) -> None:
    shape, changes = _changes(w)
    eq, ev = _given(w, "eq", w.nv), _given(w, "ev", w.nv)
    moved = [*zip(w.q, coordinate_rates(w, eq), strict=True), *zip(w.v, ev, strict=True)]
    w.tape.output("change", shape, tangent(w.tape, changes, moved))


def _changes(w: Workbench) -> tuple[tuple[int], list[Scalar]]:
    """Shape and entries of the first variation."""
    _, v, a = w.q, w.v, w.a
    tape, count = w.tape, 6 * len(w.loops)
    f = _given(w, "f", count)
    dq, dv = _given(w, "dq", w.nv), _given(w, "dv", w.nv)
    rows = [row for loop in w.loops for row in closure.jacobian(w.true, loop, w.nv)]
    drift = [entry for loop in w.loops for entry in closure.bias(w.true, loop, v)]
    velocity = [_sum(w, zip(row, v, strict=True)) for row in rows]
    rate = [tape.let(_sum(w, zip(row, a, strict=True)) + b, "r") for row, b in zip(rows, drift, strict=True)]
    force = [_sum(w, ((row[j], x) for row, x in zip(rows, f, strict=True))) for j in range(w.nv)]
    turned = list(zip(w.q, coordinate_rates(w, dq), strict=True))
    changes = tangent(tape, [*velocity, *force], turned)
    moved = tangent(tape, rate, [*turned, *zip(v, dv, strict=True)])
    return (2 * count + w.nv,), [*changes[:count], *moved, *changes[count:]]


def _given(w: Workbench, name: str, count: int) -> list[Scalar]:
    return w.tape.input(name, [Coordinate(f"{name}_{i}", real=True) for i in range(count)])


def _sum(w: Workbench, pairs: object) -> Scalar:
    return w.tape.let(sum((x * y for x, y in pairs), w.tape.zero), "r")  # type: ignore[attr-defined]  # pairs of scalars


def derive_coordinate_rates(mechanism: Mechanism) -> Function:
    """(q, v) → q̇ (nq)."""

    def build(w: Workbench) -> None:
        w.tape.output("qd", (len(w.q),), coordinate_rates(w, w.v))

    return written(mechanism, "coordinate_rates", "rates of the coordinates, quaternions among them", build)


def coordinate_rates(w: Workbench, rate: Sequence[Scalar]) -> list[Scalar]:
    """q̇ (nq) of velocities (nv): angles and lengths as they are, positions turned, quaternions by ½ Q(q) ω."""
    found = [w.tape.zero] * len(w.q)
    for body in w.mechanism.tree.bodies:
        if body.nv:
            for step in KINDS[body.joint.kind].steps:
                q, v = body.q_start + step.q, body.v_start + step.v
                moved = _moved(step, w.q[q : q + step.motion.nq], rate[v : v + step.motion.nv])
                for i, entry in enumerate(moved):
                    found[q + i] = w.tape.let(entry, "qd")
    return found


def _moved(step: Step, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    match step.motion.name:
        case PLANE.name:
            x, y, turn = v
            cos, sin = q[2], q[3]
            return [cos * x - sin * y, sin * x + cos * y, -(sin * turn), cos * turn]
        case BALL.name:
            return _spun(q, v)
        case FLIGHT.name:
            e, linear = Vec(*q[3:6]), Vec(*v[:3])
            t = e.cross(linear) * 2.0  # R u = u + w t + e × t,  t = 2 e × u
            return [*(linear + t * q[6] + e.cross(t)), *_spun(q[3:], v[3:])]
    return list(v)


def _spun(q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """½ q (ω, 0), scalar last."""
    e, spin, w = Vec(*q[:3]), Vec(*v), q[3]
    return [*((spin * w + e.cross(spin)) * 0.5), e.dot(spin) * -0.5]
