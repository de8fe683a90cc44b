"""Linear models in symbols: ẋ = A x + B u about a state of a mechanism, open or closed (§14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import KINDS

from ..mechanism.elements.joint import Joint
from ..mechanism.mechanism import Mechanism
from .forms.form import Form
from .forms.polynomial import TooLarge
from .forms.rational import Singular, solved

UNFIT = (sympy.oo, -sympy.oo, sympy.zoo, sympy.nan, sympy.I)  # no part of a state


@dataclass(frozen=True)
class LinearEquations:
    """ẋ = A x + B u + drift, y = C x + D u in symbols, as `kg.linearize` has it in numbers.

    x = [δy; δẏ] of the independent coordinates and velocities, u: torques of the actuated joints beyond those that the
    state takes; y: the coordinates. `drift` (n): velocities and accelerations of the state. `states`, `inputs`, and
    `outputs` name rows and columns. `forces` (nf): what must act along the independent velocities for it, Sᵀ τ_A.
    """

    A: Form
    B: Form
    C: Form
    D: Form
    drift: Form
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    forces: Form

    def __str__(self) -> str:
        parts = (("states", self.states), ("inputs", self.inputs), ("outputs", self.outputs))
        names = "\n".join(f"{what}: {', '.join(names) or 'none'}" for what, names in parts)
        return f"{names}\n\nA = {self.A.text()}\n\nB = {self.B.text()}"


def linear_equations(
    eq: Any, q: Sequence[Any] | None, v: Sequence[Any] | None, a: Sequence[Any] | None, tau: Sequence[Any] | None
) -> LinearEquations:
    """About q (nq), independent velocities v and accelerations a (nf), under tau (N_A); see `Equations.linearize`."""
    mechanism: Mechanism = eq.mechanism
    _require_sums(mechanism)
    W, S, nf = sympy.Matrix(eq.W), sympy.Matrix(eq.S), eq.W.cols
    q_at = _given("q", q, eq.q, len(eq.q))
    rates = [sympy.Dummy(f"rate{i}", real=True) for i in range(nf)]
    v_at, a_at = (_given(name, given, [0] * nf, nf) for name, given in (("v", v), ("a", a)))
    u_at = None if tau is None else _given("tau", tau, [], S.rows)

    moving = dict(zip(eq.v, W * _column(rates), strict=True))
    passive = eq.springs + eq.dampers + eq.dry_friction
    load = sympy.Matrix(eq.A) * _column(a_at) + sympy.Matrix(eq.b) + W.T * sympy.Matrix(passive)
    load = load.xreplace(moving)
    at = dict(zip([*eq.q, *rates], [*q_at, *v_at], strict=True))

    forces = load.xreplace(at)
    left = load
    if S.free_symbols & set(eq.q):  # the actuators' share of the load turns with the loops
        left = load - S.T * (_torques(mechanism, S.xreplace(at), forces) if u_at is None else _column(u_at))
    W_at, mass = W.xreplace(at), sympy.Matrix(eq.A).xreplace(at)
    by_y = left.jacobian(list(eq.q)).xreplace(at) * W_at
    by_rate = left.jacobian(_column(rates)).xreplace(at)
    answer = _solved(mechanism, mass, sympy.Matrix.hstack(-by_y, -by_rate, S.T.xreplace(at)))
    zero, one = sympy.zeros(nf, nf), sympy.eye(nf)
    A = sympy.Matrix.vstack(sympy.Matrix.hstack(zero, one), answer[:, : 2 * nf])
    B = sympy.Matrix.vstack(sympy.zeros(nf, S.rows), answer[:, 2 * nf :])
    names = _names(mechanism)
    states = tuple(names[i] for i in eq.loops.forms.split.independent)
    inputs = tuple(names[i] for i in eq.loops.forms.actuated())
    C = sympy.Matrix.hstack(one, zero)
    drift = _column([*v_at, *a_at])
    return LinearEquations(
        Form(A),
        Form(B),
        Form(C),
        Form(sympy.zeros(nf, S.rows)),
        Form(drift),
        (*states, *(f"d {name}" for name in states)),
        inputs,
        states,
        Form(forces),
    )


def _column(entries: Sequence[sympy.Expr]) -> sympy.Matrix:
    """One column, also where there are no entries."""
    return sympy.Matrix(len(entries), 1, list(entries))


def _require_sums(mechanism: Mechanism) -> None:
    """ModelError for joints whose coordinates are no sums of their velocities, and for what rolls."""
    for virtual in mechanism.virtual_links:
        if virtual.joint.wheel is not None:
            raise ModelError(
                f"linearize: joint '{virtual.joint.name}' rolls, so that more coordinates than velocities are "
                "independent: take kg.linearize(model, q), in numbers"
            )
    for body in mechanism.tree.bodies:
        if body.nv and KINDS[body.joint.kind].group:
            raise ModelError(
                f"linearize: joint '{body.joint.name}' ({body.joint.kind}) has no coordinates that add: make it of "
                "joints that have, as kg.gimbal() and kg.cartesian(), or take kg.linearize(model, q), in numbers"
            )


def _given(name: str, given: Sequence[Any] | None, default: Sequence[Any], count: int) -> list[sympy.Expr]:
    try:
        found = [sympy.sympify(x) for x in (default if given is None else given)]
    except (TypeError, ValueError, AttributeError, sympy.SympifyError):  # what SymPy says of strange values
        found = [None]
    if not all(isinstance(x, sympy.Expr) and not x.has(*UNFIT) for x in found):
        raise ModelError(f"linearize: {name}: expected finite real numbers or symbols, got {shown(given)}")
    if len(found) != count:
        raise ModelError(f"linearize: {name}: expected {count} entries, got {len(found)}")
    return found


def _torques(mechanism: Mechanism, S: sympy.Matrix, forces: sympy.Matrix) -> sympy.Matrix:
    """τ_A of Sᵀ τ_A = forces. ModelError where there is not just one."""
    if S.rows != S.cols or S.det().equals(0):
        raise ModelError(
            f"linearize: mechanism '{mechanism.name}' has {S.rows} actuated and {S.cols} independent velocities, so "
            "that the state does not say how its actuators share the load: give tau, one for each actuated velocity"
        )
    return _solved(mechanism, S.T, forces)


def _solved(mechanism: Mechanism, mass: sympy.Matrix, right: sympy.Matrix) -> sympy.Matrix:
    try:
        return solved(mass, right)
    except Singular:
        raise ModelError(
            f"linearize: mechanism '{mechanism.name}' is singular there: its loops or its mass matrix; go beside it"
        ) from None
    except TooLarge:
        raise ModelError(
            f"linearize: mechanism '{mechanism.name}': its linear model is too large to read there: give numbers for "
            "the state or for parameters, or take kg.linearize(model, q), in numbers"
        ) from None


def _names(mechanism: Mechanism) -> list[str]:
    """Of all velocities, those of the tree and then of the cut joints, as `model.independent` has them."""
    tree = [name for body in mechanism.tree.bodies for name in _entries(body.joint, body.nv)]
    return [*tree, *(name for virtual in mechanism.virtual_links for name in _entries(virtual.joint, virtual.joint.nv))]


def _entries(joint: Joint, count: int) -> list[str]:
    return [joint.name] if count == 1 else [f"{joint.name}[{i}]" for i in range(count)]
