"""Where a mechanism stands still: the configuration for given torques, or the torques for a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..abi import PER_LINK
from ..analysis.values import by_value
from ..arguments import Array, as_array
from ..errors import ModelError
from ..model.bounds import require_rest_within
from ..model.closed.closure import dof_names, dofs_named, lengths
from ..model.closed.leaders import require_holonomic
from ..model.model import Model
from ..typed import typed
from .linear import actuation
from .passive import passive_derivatives
from .rest import (
    FirstStep,
    away,
    damped_newton,
    fallen,
    force_of,
    left_of,
    lowered,
    newton,
    no_rest,
    stepped,
    unbalanced,
)

ROUNDS = 200
NOTHING = 1e-12
"""Part of the forces that meet in a coordinate that counts as none: rounding leaves some 1e-16 of each."""

NEWTON = (newton, damped_newton)

VANISHED = 1e-6
"""Part of an entry of q that a step may leave for it to be tried at 0."""


@by_value
@dataclass(frozen=True)
class Equilibrium:
    """q (nq), torques tau (nv) along the tree's joints, and what acceleration is left [m/s², rad/s²]."""

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
    limits: bool = True,
) -> Equilibrium:
    """Rest near q0 (nq), with springs of joints if `passive`; closed mechanisms are assembled first.

    `tau` (nv) given: the configuration at which these torques of the tree's joints hold the mechanism, by Newton's
    method along its independent coordinates, no joint turning by more than 0.5 rad in one step, and where that ends
    without a rest once more from q0, stiff joints ahead of soft ones, and once more as closed mechanisms are led best
    from place to place, past dead points of the independent coordinates; then down the potential of weights, springs
    and torques, which may lead some radians away. Joints in `hold` (independent ones) stay where they are and may need
    more torque, which is added to tau. It is a rest nearby, and may well be one that the mechanism would fall from:
    `linearize(model, rest.q, tau=rest.tau)` has a pole with a positive real part there. A rest beyond a limit of a
    joint that is not held is refused: what rests on its limit is found with that joint in `hold`. `limits=False`: they
    do not matter.

    Without tau: the actuators hold it at q0, and the tau of the result is what they do along the joints of the tree: a
    motor of a joint that closes a loop acts along several that have none. What each motor gives is told by
    `model.actuator_torques(rest.q, v, a, passive=True)` with v and a zero. `hold` and `limits` change nothing then.

    ModelError with the acceleration that is left where there is no rest: where more is left along a coordinate than
    1e-12 of the forces that meet there (weights at their levers, springs, torques), whatever the units; with the joint
    where the way leads off along a slide without end; and where it leads to a singular inertia, as a gimbal's lock.
    """
    at = as_array("q0", q0, (model.nq,), batch=False)
    q = model.assemble(at) if model.manifest.closed else at.copy()
    held = list(dofs_named(model.manifest, hold))
    if tau is None:
        return _torques(model, q, passive)
    require_holonomic(model.manifest, "equilibrium with given torques")
    torque = as_array("tau", tau, (model.nv,), batch=False).copy()
    found = _configuration(model, q, torque, held, passive)
    if limits:
        loops = model.kernel("loop_coordinates")(found.q) if model.manifest.closed else np.zeros(0)
        require_rest_within(model.manifest, np.concatenate([found.q, loops]), held)
    return found


def _acceleration(model: Model, q: Array, tau: Array, passive: bool) -> Array:
    """(nv) from rest."""
    return model.forward_dynamics(q, np.zeros(model.nv), force_of(model, q, tau, passive))


def _torques(model: Model, q: Array, passive: bool) -> Equilibrium:
    still = np.zeros(model.nv)
    wanted = model.inverse_dynamics(q, still, still) - force_of(model, q, still, passive)
    W, actuators = model.W(q), actuation(model, q)
    tau = np.zeros(model.nv)
    for _ in range(2):  # again for what rounding of the largest left in the least
        tau = tau + actuators @ np.linalg.lstsq(W.T @ actuators, W.T @ (wanted - tau), rcond=1e-10)[0]
    left = float(np.abs(_acceleration(model, q, tau, passive)).max(initial=0.0))
    if not _at_rest(model, q, tau, list(range(W.shape[1])), passive):
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
    closed, start = model.manifest.closed, q
    searches: list[tuple[FirstStep | None, bool]] = [(begin, anew) for anew in (False, True) for begin in NEWTON]
    down: list[tuple[FirstStep | None, bool]] = [(None, closed), (newton, closed)]
    failed: list[ModelError] = []
    for begin, anew in (searches if closed else searches[:2]) + down:
        try:
            found, rests = _search(model, start, tau, held, passive, begin, anew)
        except ModelError as error:  # the way led to a lock, or to a dead point of what leads
            failed.append(error)
            continue
        if rests:
            return found
        failed.append(no_rest(model, q, found.q, found.residual))
        if begin is None and not away(model, q, found.q):
            start = found.q
    raise failed[-1]


def _search(
    model: Model, q: Array, tau: Array, held: list[int], passive: bool, begin: FirstStep | None, anew: bool
) -> tuple[Equilibrium, bool]:
    """Where the search ends, and whether that is a rest or a place from which no step serves. `begin`: what it tries
    first in each step, without one it goes down the potential; `anew`: what leads is chosen before each step."""
    free, begun = _free(model, held), q
    a, calm = unbalanced(model, q, tau, free, passive), np.inf
    for _ in range(ROUNDS):
        if _at_rest(model, q, tau, free, passive) or away(model, begun, q):
            break
        if anew:
            model = _led_well(model, q, held)
            free = _free(model, held)
            a = unbalanced(model, q, tau, free, passive)
        size = float(np.abs(a).max(initial=0.0))
        carried = _carried(model, q, tau, held, passive)
        if begin is None:
            moved = lowered(model, q, carried, free, passive, a)
        else:
            moved = stepped(model, q, carried, free, passive, a, begin) if size < calm else None
            calm = calm if moved else min(calm, size)
            moved = moved or fallen(model, q, carried, free, passive, a)
        if moved is None:
            break
        q, a = _vanished(model, q, moved, tau, free, passive)
    found = Equilibrium(q, _carried(model, q, tau, held, passive), float(np.abs(a).max(initial=0.0)))
    return found, _at_rest(model, q, tau, free, passive)


def _free(model: Model, held: list[int]) -> list[int]:
    """Places among what leads of what is not held."""
    return [k for k, i in enumerate(model.loops.leaders) if i not in held]


def _led_well(model: Model, q: Array, held: list[int]) -> Model:
    """The model led by what gives all others best at q, and by what is held: towards a dead point of what leads its
    acceleration vanishes beside those of the others, so that a search ends there without a rest."""
    names = dof_names(model.manifest)
    try:
        found = model.with_independent([names[i] for i in held], q)
    except ModelError:  # what is held is at its own dead point
        return model
    return found if found.nf == model.nf else model


def _vanished(
    model: Model, before: Array, moved: tuple[Array, Array], tau: Array, free: list[int], passive: bool
) -> tuple[Array, Array]:
    """What a step moved; with entries of q that it left next to nothing of at 0 where that is a rest and it is none.

    Where a spring brings a length to 0 all forces vanish with it, and what rounding leaves is much beside none."""
    q = moved[0]
    at_zero = np.where(np.abs(q) <= VANISHED * np.abs(before), 0.0, q)
    if (at_zero == q).all() or _at_rest(model, q, tau, free, passive):
        return moved
    try:
        at_zero = model.assemble(at_zero, hold=model.independent) if model.manifest.closed else at_zero
    except ModelError:  # no closed configuration there
        return moved
    if not _at_rest(model, at_zero, tau, free, passive):
        return moved
    return at_zero, unbalanced(model, at_zero, tau, free, passive)


def _carried(model: Model, q: Array, tau: Array, held: list[int], passive: bool) -> Array:
    """(nv) tau, and what the joints that are held must add for their own rest."""
    still, leaders = np.zeros(model.nv), list(model.loops.leaders)
    more = model.W(q).T @ (model.inverse_dynamics(q, still, still) - force_of(model, q, tau, passive))
    total = tau.copy()
    total[held] += [more[leaders.index(i)] for i in held]
    return total


def _at_rest(model: Model, q: Array, tau: Array, free: list[int], passive: bool) -> bool:
    """Whether what is left along each free coordinate is nothing beside the forces that meet there, whatever the units:
    torques, weights at their levers whichever way they hang, springs and what a change of q in its last digits does."""
    pi = model.inertial_parameters().reshape(-1, PER_LINK)
    linear, angular = np.moveaxis(model.cog_jacobian(q).reshape(len(pi), 2, 3, model.nv), 1, 0)
    levers = np.abs(pi[:, 0]) @ np.linalg.norm(linear, axis=1)
    levers += np.linalg.norm(pi[:, 1:4], axis=1) @ np.linalg.norm(angular, axis=1)
    meeting = np.abs(tau) + float(np.linalg.norm(model.gravity_acceleration())) * levers
    if passive:
        rest, place = np.zeros(model.nv), np.abs(model.difference(model.neutral(), q))
        reach = np.where(lengths(model.manifest), place, np.maximum(place, 1.0))
        meeting += np.abs(model.passive_forces(q, rest)) + np.abs(passive_derivatives(model, q, rest)[0]) @ reach
    bound = NOTHING * np.abs(model.W(q)[:, free]).T @ meeting
    return bool((np.abs(left_of(model, q, tau, free, passive)) <= bound).all())
