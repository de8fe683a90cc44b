"""Torques and energies by inertial parameters (§16)."""

from __future__ import annotations

from ..regressor import regressor
from ..tree import kinematics
from ..workbench import Derivation, Workbench, flat


def _torque_regressor(w: Workbench) -> None:
    _, v, a = w.q, w.v, w.a
    Y = regressor.torque_regressor(w.true, v, a, w.gravity)
    w.tape.output("Y", (w.nv, len(Y[0])), flat(Y))


def _energy_regressor(w: Workbench) -> None:
    _, v = w.q, w.v
    Y = regressor.energy_regressor(w.true, v, w.gravity)
    w.tape.output("Y_energy", (2, len(Y[0])), flat(Y))


def _inertial_parameters(w: Workbench) -> None:
    pi = regressor.inertial_parameters(w.true)
    w.tape.output("pi", (len(pi),), pi)


def _regressor_parts(w: Workbench) -> None:
    """Axes [z; l; p] in world axes, and per link [p | R] of its frame and [ω; ω̇; a − g] in its axes."""
    _, v, a = w.q, w.v, w.a
    at, carried = kinematics.places(w.true), kinematics.links(w.true)
    rows = kinematics.axis_rows(w.true, at)
    w.tape.output("axes", (len(rows) // 9, 9), rows)
    frames = [regressor.link_frame(w.true[i], at[i]) for i in carried]
    w.tape.output("frames", (len(frames), 3, 4), (e for x in frames for i in range(3) for e in (x.p[i], *x.R.rows[i])))
    motions = regressor.link_motions(w.true, v, a, w.gravity)
    w.tape.output("motions", (len(motions), 9), (e for x in motions for e in (*x.w, *x.dw, *x.a)))


REGRESSOR: dict[str, Derivation] = {
    "torque_regressor": (
        "regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link",
        _torque_regressor,
    ),
    "regressor_parts": ("motion axes, frames of the links, their motions", _regressor_parts),
    "energy_regressor": ("kinetic and potential energy by inertial parameters", _energy_regressor),
    "inertial_parameters": ("inertial parameters pi of the links: m, m c, I about the origin", _inertial_parameters),
}
