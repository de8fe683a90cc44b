"""Where a mechanism stands still: the configuration for given torques, or the torques for a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..errors import ModelError
from ..model.closed.closure import dof_names, dofs_named
from ..model.closed.leaders import require_holonomic
from ..model.model import Model
from ..typed import typed
from .linear import actuation, derivatives_in_coordinates
from .passive import passive_derivatives

ROUNDS = 60
STILL = 1e-9
"""Acceleration [m/s², rad/s²] that counts as none."""


@dataclass(frozen=True)
class Equilibrium:
    """q (nq), torques tau (nv) of the tree's joints, and what acceleration is left [m/s², rad/s²]."""

    q: Array
    tau: Array
    residual: float


@typed
def equilibrium(
    model: Model,
    q0: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    hold: Sequence[str] = (),
    passive: bool = True,
) -> Equilibrium:
    """Rest near q0 (nq), with springs of joints if `passive`; closed mechanisms are assembled first.

    `tau` (nv) given: the configuration at which these torques hold the mechanism, by Newton's method along its
    independent coordinates; joints in `hold` (independent ones) stay where they are and may need more torque, which is
    added to tau. Without tau: the torques of the actuators that hold it at q0. ModelError with the acceleration that is
    left where there is no rest.
    """
    at = as_array("q0", q0, (model.nq,), batch=False)
    q = model.assemble(at) if model.manifest.closed else at.copy()
    if tau is None:
        return _torques(model, q, passive)
    require_holonomic(model.manifest, "equilibrium with given torques")
    torque = as_array("tau", tau, (model.nv,), batch=False).copy()
    return _configuration(model, q, torque, list(dofs_named(model.manifest, hold)), passive)


def _force(model: Model, q: Array, tau: Array, passive: bool) -> Array:
    return tau + model.passive_forces(q, np.zeros(model.nv)) if passive else tau


def _acceleration(model: Model, q: Array, tau: Array, passive: bool) -> Array:
    """(nv) from rest."""
    return model.forward_dynamics(q, np.zeros(model.nv), _force(model, q, tau, passive))


def _torques(model: Model, q: Array, passive: bool) -> Equilibrium:
    still = np.zeros(model.nv)
    wanted = model.inverse_dynamics(q, still, still) - _force(model, q, still, passive)
    W, actuators = model.W(q), actuation(model, q)
    tau = actuators @ np.linalg.lstsq(W.T @ actuators, W.T @ wanted, rcond=1e-10)[0]
    left = float(np.abs(_acceleration(model, q, tau, passive)).max(initial=0.0))
    if left > STILL * max(1.0, float(np.abs(wanted).max(initial=0.0))):
        raise ModelError(
            f"model '{model.name}': no torques of its actuators ({', '.join(model.actuators) or 'none'}) hold it at "
            f"this q: accelerations of {left:.3g} m/s² or rad/s² stay; give tau to look for a q instead"
        )
    return Equilibrium(q, tau, left)


def _configuration(model: Model, q: Array, tau: Array, held: list[int], passive: bool) -> Equilibrium:
    leaders = list(model.loops.leaders)
    if stray := [dof_names(model.manifest)[i] for i in held if i not in leaders]:
        raise ModelError(
            f"model '{model.name}': hold: {', '.join(stray)} follows from others; hold some of "
            f"{', '.join(model.independent)}, or choose these by model.with_independent([...])"
        )
    free = [k for k, i in enumerate(leaders) if i not in held]
    for _ in range(ROUNDS):
        force, size = _unbalanced(model, q, tau, free, passive)
        if size <= STILL:
            break
        moved = _step(model, q, _carried(model, q, tau, held, passive), free, passive, force, size)
        if moved is None:
            break
        q = moved
    _, size = _unbalanced(model, q, tau, free, passive)
    if not size <= STILL:
        raise ModelError(
            f"model '{model.name}': no rest was found near this q0 under these torques: accelerations of {size:.3g} "
            "m/s² or rad/s² stay; start elsewhere, give other torques, or hold joints"
        )
    return Equilibrium(q, _carried(model, q, tau, held, passive), size)


def _carried(model: Model, q: Array, tau: Array, held: list[int], passive: bool) -> Array:
    """(nv) tau, and what the joints that are held must add for their own rest."""
    still, leaders = np.zeros(model.nv), list(model.loops.leaders)
    more = model.W(q).T @ (model.inverse_dynamics(q, still, still) - _force(model, q, tau, passive))
    total = tau.copy()
    total[held] += [more[leaders.index(i)] for i in held]
    return total


def _unbalanced(model: Model, q: Array, tau: Array, free: list[int], passive: bool) -> tuple[Array, float]:
    """Force (nf free) along the free coordinates, and the acceleration it makes with the others held."""
    still = np.zeros(model.nv)
    W = model.W(q)[:, free]
    force: Array = W.T @ (_force(model, q, tau, passive) - model.inverse_dynamics(q, still, still))
    a = np.linalg.lstsq(W.T @ model.mass_matrix(q) @ W, force, rcond=None)[0]
    return force, float(np.abs(a).max(initial=0.0))


def _step(
    model: Model, q: Array, tau: Array, free: list[int], passive: bool, force: Array, size: float
) -> Array | None:
    """Newton's step along the free coordinates, halved until the acceleration falls; None if it does not."""
    rest = np.zeros(model.nv)
    found = derivatives_in_coordinates(model, q, rest, _force(model, q, tau, passive))
    da_dq = found.da_dq
    if passive:
        da_dq = da_dq + found.da_dtau @ passive_derivatives(model, q, rest)[0] @ found.W
    leaders, W, M = list(found.independent), found.W, model.mass_matrix(q)
    slope = (W.T @ M @ W @ da_dq[leaders])[np.ix_(free, free)]
    move = -np.linalg.lstsq(slope, force, rcond=1e-12)[0]
    for halving in range(12):
        step = W[:, free] @ (move / 2.0**halving)
        try:
            beside = model.integrate(q, step)
            beside = model.assemble(beside, hold=model.independent) if model.manifest.closed else beside
            if _unbalanced(model, beside, tau, free, passive)[1] < size:
                return beside
        except ModelError:  # no closed configuration there: a shorter step
            continue
    return None
