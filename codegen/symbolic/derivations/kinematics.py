"""Where links are and how they move: poses, Jacobians, centres of mass, energy, momentum."""

from __future__ import annotations

from ..tree import kinematics, momentum
from ..workbench import Derivation, Workbench, flat


def _link_poses(w: Workbench) -> None:
    w.tape.output("poses", (len(w.mechanism.tree.bodies), 4, 4), kinematics.link_poses(w.true))


def _cog_jacobian(w: Workbench) -> None:
    w.tape.output("G", (6 * len(w.mechanism.tree.bodies), w.nv), flat(kinematics.cog_jacobian(w.true, w.nv)))


def _cog_bias(w: Workbench) -> None:
    _, v = w.q, w.v
    w.tape.output("dGv", (6 * len(w.mechanism.tree.bodies),), kinematics.cog_bias(w.true, v))


def _com(w: Workbench) -> None:
    w.tape.output("com", (3,), kinematics.com(w.true))


def _com_jacobian(w: Workbench) -> None:
    w.tape.output("J_com", (3, w.nv), flat(kinematics.com_jacobian(w.true, w.chain, w.nv)))


def _com_velocity_derivative(w: Workbench) -> None:
    _, v = w.q, w.v
    w.tape.output("dv_dq", (3, w.nv), flat(momentum.com_velocity_derivative(w.true, w.chain, v)))


def _energy(w: Workbench) -> None:
    w.tape.output("energy", (2,), momentum.energy(w.true, w.v, w.gravity))


def _momentum(w: Workbench) -> None:
    w.tape.output("momentum", (6,), momentum.momentum(w.true, w.chain, w.v))


def _centroidal_momentum_matrix(w: Workbench) -> None:
    w.tape.output("A_G", (6, w.nv), flat(momentum.centroidal_momentum_matrix(w.true, w.chain, w.nv)))


def _momentum_rate(w: Workbench) -> None:
    w.tape.output("momentum_rate", (6,), momentum.momentum_rate(w.true, w.chain, w.v, w.a))


def _total_mass(w: Workbench) -> None:
    w.tape.output("mass", (1,), [kinematics.total_mass(w.true)])


def _motion_columns(w: Workbench) -> None:
    """Rows [z; l; p] per motion axis (world axes), and the centres of mass: what loops over paths gather."""
    at = kinematics.places(w.true)
    rows = kinematics.axis_rows(w.true, at)
    w.tape.output("axes", (len(rows) // 9, 9), rows)
    centers = [entry for i in kinematics.links(w.true) for entry in kinematics.center(w.true[i], at[i])]
    w.tape.output("centers", (len(centers) // 3, 3), centers)


def _world_inertias(w: Workbench) -> None:
    at = kinematics.places(w.true)
    each = [kinematics.world_inertia(w.true[i], at[i]) for i in kinematics.links(w.true)]
    w.tape.output("inertias", (len(each), 3, 3), (entry for inertia in each for entry in inertia))
    w.tape.output("masses", (len(each),), (w.true[i].inertia.m for i in kinematics.links(w.true)))


KINEMATICS: dict[str, Derivation] = {
    "link_poses": ("world poses of the link frames", _link_poses),
    "cog_jacobian": ("COG Jacobian G: [dp_G; w] = G v, world axes", _cog_jacobian),
    "cog_bias": ("COG accelerations dG/dt v at zero joint acceleration", _cog_bias),
    "com": ("centre of mass", _com),
    "com_jacobian": ("Jacobian of the centre of mass", _com_jacobian),
    "com_velocity_derivative": (
        "derivative of the velocity of the centre of mass by q on the tangent space",
        _com_velocity_derivative,
    ),
    "motion_columns": ("motion axes [z; l; p] and centres of mass, world axes", _motion_columns),
    "world_inertias": ("moments of inertia about the centres of mass in world axes, masses", _world_inertias),
    "energy": ("kinetic and potential energy", _energy),
    "momentum": ("linear momentum, angular momentum about the centre of mass", _momentum),
    "centroidal_momentum_matrix": ("centroidal momentum matrix", _centroidal_momentum_matrix),
    "momentum_rate": ("rate of the momentum: linear, angular about the centre of mass", _momentum_rate),
    "total_mass": ("mass of all links", _total_mass),
}
