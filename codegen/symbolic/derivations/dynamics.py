"""Torques, accelerations and mass matrices of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...program.tape import Scalar
from ..derivatives.recursion import inverse_dynamics_derivatives, parts
from ..tree import articulated, mass_matrix, rnea
from ..tree.cog_route import inverse_dynamics_cog, mass_matrix_cog
from ..tree.factor import Triangle, factorise, on_diagonal, solve, square, triangle
from ..vector import Vec, zero
from ..workbench import Derivation, Workbench, flat


def _inverse_dynamics(w: Workbench) -> None:
    _, v, a = w.q, w.v, w.a
    w.tape.output("tau", (w.nv,), rnea.inverse_dynamics(w.chain, v, a, w.gravity))


def _bias(w: Workbench) -> None:
    _, v = w.q, w.v
    w.tape.output("h", (w.nv,), rnea.inverse_dynamics(w.chain, v, w.rest, w.gravity))


def _gravity(w: Workbench) -> None:
    w.tape.output("g", (w.nv,), rnea.inverse_dynamics(w.chain, w.rest, w.rest, w.gravity))


def _mass_matrix_composite(w: Workbench) -> None:
    w.tape.output("M", (w.nv, w.nv), flat(square(mass_matrix.by_composite_inertias(w.chain, w.nv))))


def _mass_matrix_unit_vector(w: Workbench) -> None:
    w.tape.output("M", (w.nv, w.nv), flat(mass_matrix.by_unit_vectors(w.chain, w.nv)))


def _mass_matrix_cog(w: Workbench) -> None:
    w.tape.output("M", (w.nv, w.nv), flat(mass_matrix_cog(w.true, w.nv)))


def _inverse_dynamics_cog(w: Workbench) -> None:
    _, v, a = w.q, w.v, w.a
    w.tape.output("tau", (w.nv,), inverse_dynamics_cog(w.true, v, a, w.gravity))


def _inverse_dynamics_derivatives(w: Workbench) -> None:
    _, v, a = w.q, w.v, w.a
    parts = inverse_dynamics_derivatives(w.chain, v, a, w.gravity)
    w.tape.output("dtau", (3, w.nv, w.nv), (entry for part in parts for entry in flat(part)))


def _derivative_parts(w: Workbench) -> None:
    rows, lifts = parts(w.chain, w.gravity)
    w.tape.output("rows", (len(rows), len(rows[0])), flat(rows))
    w.tape.output("lift", (len(lifts), 3), (entry for lift in lifts for entry in lift))
    _armatures(w)


def acceleration(
    w: Workbench,
    route: str,
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    gravity: Vec,
    extra: Sequence[Scalar] | None = None,
) -> list[Scalar]:
    """v̇ (nv) of the tree by articulated bodies or by M = LᵀDL, `route`: "articulated" or "ltdl"; what `extra` adds to
    the diagonal of M."""
    if route == "articulated":
        return articulated.forward_dynamics(w.chain, v, tau, gravity, extra)
    return _by_factor(w, mass_matrix.by_composite_inertias(w.chain, w.nv), v, tau, gravity, extra)


def _by_factor(
    w: Workbench,
    M: Triangle,
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    gravity: Vec,
    extra: Sequence[Scalar] | None = None,
) -> list[Scalar]:
    h = rnea.inverse_dynamics(w.chain, v, w.rest, gravity)
    if extra is not None:
        M = on_diagonal(M, dict(enumerate(extra)))
    right = [w.tape.let(t - b, "r") for t, b in zip(tau, h, strict=True)]
    return solve(factorise(M), right)


def _forward_dynamics(w: Workbench, route: str) -> None:
    _, v, tau = w.q, w.v, w.tau
    w.tape.output("a", (w.nv,), acceleration(w, route, v, tau, w.gravity))


def _forward_dynamics_damped(w: Workbench, route: str) -> None:
    _, v, tau, extra = w.q, w.v, w.tau, w.extra
    w.tape.output("a", (w.nv,), acceleration(w, route, v, tau, w.gravity, extra))


def _forward_dynamics_unit_vector(w: Workbench) -> None:
    _, v, tau = w.q, w.v, w.tau
    M = triangle(mass_matrix.by_unit_vectors(w.chain, w.nv))
    w.tape.output("a", (w.nv,), _by_factor(w, M, v, tau, w.gravity))


def _armatures(w: Workbench) -> None:
    total = [w.tape.zero] * w.nv
    for segment in w.true:
        for column in segment.columns:
            total[column.index] = total[column.index] + column.armature * (column.factor * column.factor)
    w.tape.output("armatures", (w.nv,), total)


def _gravity_vector(w: Workbench) -> None:
    w.tape.output("g", (3,), w.gravity)


def _composite_columns(w: Workbench) -> None:
    rows = [e for _, *parts in mass_matrix.composite_columns(w.chain) for part in parts for e in part]
    w.tape.output("rows", (len(rows) // 12, 12), rows)


def times_mass(w: Workbench, x: Sequence[Scalar]) -> list[Scalar]:
    """M x (nv), the torques at rest without gravity for these accelerations: momenta, if x are velocities."""
    return rnea.inverse_dynamics(w.chain, w.rest, x, zero(w.tape))


def _unit_torque(w: Workbench) -> None:
    _, a = w.q, w.a
    w.tape.output("tau", (w.nv,), times_mass(w, a))


DYNAMICS: dict[str, Derivation] = {
    "inverse_dynamics": ("joint forces tau of the open chain, by recursion in link frames", _inverse_dynamics),
    "inverse_dynamics_cog": ("joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^)", _inverse_dynamics_cog),
    "inverse_derivatives": (
        "derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M",
        _inverse_dynamics_derivatives,
    ),
    "derivative_parts": ("motion axes and inertias in the frame of the first link that moves", _derivative_parts),
    "bias": ("bias h(q, v): tau at zero acceleration", _bias),
    "gravity": ("gravity g(q): tau at rest", _gravity),
    "mass_matrix_composite": ("mass matrix M by composite inertias", _mass_matrix_composite),
    "mass_matrix_unit_vector": ("mass matrix M by unit vectors", _mass_matrix_unit_vector),
    "mass_matrix_cog": ("mass matrix M = G' M^ G", _mass_matrix_cog),
    "forward_dynamics_articulated": (
        "acceleration by articulated bodies",
        partial(_forward_dynamics, route="articulated"),
    ),
    "forward_dynamics_ltdl": ("acceleration by M = L'DL", partial(_forward_dynamics, route="ltdl")),
    "forward_dynamics_unit_vector": ("acceleration by unit vectors", _forward_dynamics_unit_vector),
    "forward_dynamics_damped_articulated": (
        "acceleration a of (M + diag d) a = tau - h, by articulated bodies",
        partial(_forward_dynamics_damped, route="articulated"),
    ),
    "forward_dynamics_damped_ltdl": (
        "acceleration a of (M + diag d) a = tau - h, by L'DL",
        partial(_forward_dynamics_damped, route="ltdl"),
    ),
    "armatures": ("armature of every joint", _armatures),
    "gravity_vector": ("acceleration of gravity, world axes", _gravity_vector),
    "composite_columns": ("motion axes [z; l] and wrenches [n; f] of the subtrees in base axes", _composite_columns),
    "unit_torque": ("joint forces at rest without gravity", _unit_torque),
}
