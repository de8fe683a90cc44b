"""Steps of a search for rest: Newton's, whole and damped, and down the potential; where it goes away, and what is told
without a rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..arguments import Array
from ..errors import ModelError
from ..model.closed.closure import dof_names, lengths
from ..model.closed.judged import require_inertia
from ..model.model import Model
from .linear import derivatives_in_coordinates
from .passive import passive_derivatives

TURN = 0.5
"""Angle [rad] that no joint turns by more than in a step of the search, which so ends near where it began."""

FAR = 1e4
"""Times the largest lever of its masses that a mechanism moves at most; far beyond, forces are rounding."""

FirstStep = Callable[[Array, Array, Array], Array]
"""A step for a slope, what is left, and how joints turn with it."""


def newton(slope: Array, left: Array, turns: Array) -> Array:
    """Least squares for slope x = -left, however far joints turn."""
    return -np.asarray(np.linalg.lstsq(slope, left, rcond=1e-12)[0], dtype=np.float64)


def damped_newton(slope: Array, left: Array, turns: Array) -> Array:
    """Newton's step, damped by as little as lets no joint turn by more than `TURN` [Levenberg44]: what is stiff goes
    all its way. From singular values, since squares of soft and stiff together leave nothing of the soft."""
    U, sizes, V = np.linalg.svd(slope)
    most = float(sizes.max(initial=0.0)) or 1.0
    along, sizes = -U.T @ left / most, np.where(sizes > 1e-12 * most, sizes / most, 0.0)

    def step(damping: float) -> Array:
        return np.asarray(V.T @ (along * sizes / np.maximum(sizes**2 + damping, 1e-300)), dtype=np.float64)

    def near(damping: float) -> bool:
        return float(np.abs(turns @ step(damping)).max(initial=0.0)) <= TURN

    if near(0.0):
        return step(0.0)
    low, high = -30.0, 10.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if near(10.0**middle) else (middle, high)
    return step(10.0**high)


def ways_down(slope: Array, left: Array, first: Array) -> Iterator[Array]:
    """The first step, whole and halved, then Newton's, damped more and more [Levenberg44]."""
    yield from (first / 2.0**halving for halving in range(4))
    size = float(np.linalg.norm(slope, 2)) if slope.size else 0.0
    for power in range(-4, 3):
        damped = slope.T @ slope + 10.0**power * size**2 * np.eye(len(left))
        yield -np.asarray(np.linalg.lstsq(damped, slope.T @ left, rcond=None)[0], dtype=np.float64)


def stepped(
    model: Model, q: Array, tau: Array, free: list[int], passive: bool, a: Array, begin: FirstStep
) -> tuple[Array, Array] | None:
    """Configuration and accelerations after a step of Newton's method by which these fall; None if there is none.

    One that turns a joint too far is shortened as a whole, where `begin` has not damped it, soft joints first."""
    L, slope = _slope(model, q, tau, free, passive)
    left, ways = L.T @ a, model.W(q)[:, free] @ np.linalg.inv(L.T)
    first = begin(slope, left, ways[~lengths(model.manifest)])
    steps = (_bounded(model, ways @ way) for way in ways_down(slope, left, first))
    size = np.linalg.norm(left)
    return _first(model, q, tau, free, passive, steps, lambda _, remains: bool(np.linalg.norm(L.T @ remains) < size))


def fallen(model: Model, q: Array, tau: Array, free: list[int], passive: bool, a: Array) -> tuple[Array, Array] | None:
    """The same after a step along what pulls, where it still pulls that way: over places where accelerations are least,
    and no rest is."""
    W = model.W(q)[:, free]
    push, way = W.T @ model.mass_matrix(q) @ W @ a, W @ a
    size = TURN / max(float(np.abs(way).max(initial=0.0)), 1e-300)
    steps = (_bounded(model, size / 2.0**halving * way) for halving in range(20))
    return _first(model, q, tau, free, passive, steps, lambda _, remains: bool(push @ remains > 0.0))


def lowered(model: Model, q: Array, tau: Array, free: list[int], passive: bool, a: Array) -> tuple[Array, Array] | None:
    """The same after a step down the potential of weights, springs and torques, which serves where these do at least a
    fifth of the work that the forces at its beginning tell.

    It is Newton's where the potential curves up; along what curves down it goes the other way, down too [Dauphin14]."""
    L, slope = _slope(model, q, tau, free, passive)
    left, ways = L.T @ a, model.W(q)[:, free] @ np.linalg.inv(L.T)
    sizes, axes = np.linalg.eigh(0.5 * (slope + slope.T))
    sizes = np.maximum(np.abs(sizes), 1e-9 * float(np.abs(sizes).max(initial=0.0)))
    way = ways @ damped_newton(-(axes * sizes) @ axes.T, left, ways[~lengths(model.manifest)])
    leads = [list(model.loops.leaders)[k] for k in free]
    push = left_of(model, q, tau, free, passive)

    def serves(beside: Array, remains: Array) -> bool:
        along = model.difference(q, beside)[leads]
        return bool((push + left_of(model, beside, tau, free, passive)) @ along > 0.4 * push @ along)

    return _first(model, q, tau, free, passive, (_bounded(model, way / 2.0**halving) for halving in range(20)), serves)


def _bounded(model: Model, step: Array) -> Array:
    """No longer than lets each joint turn by `TURN`."""
    turn = float(np.abs(step[~lengths(model.manifest)]).max(initial=0.0))
    return step * min(1.0, TURN / turn) if turn else step


def _first(
    model: Model,
    q: Array,
    tau: Array,
    free: list[int],
    passive: bool,
    steps: Iterator[Array],
    serves: Callable[[Array, Array], bool],
) -> tuple[Array, Array] | None:
    """Configuration and accelerations after the first of the steps whose accelerations serve."""
    for step in steps:
        try:
            beside = model.integrate(q, step)
            beside = model.assemble(beside, hold=model.independent) if model.manifest.closed else beside
            remains = unbalanced(model, beside, tau, free, passive)
            if serves(beside, remains):
                return beside, remains
        except ModelError:  # no closed configuration there: another step
            continue
    return None


def _slope(model: Model, q: Array, tau: Array, free: list[int], passive: bool) -> tuple[Array, Array]:
    """L of the mass matrix L Lᵀ along the free coordinates y, and the rates of Lᵀ a by Lᵀ y."""
    rest, leaders, W = np.zeros(model.nv), list(model.loops.leaders), model.W(q)
    M, both = model.mass_matrix(q), np.ix_(free, free)
    require_inertia(model.manifest, M, W[:, free], [leaders[k] for k in free])
    A = W.T @ M @ W
    L = np.asarray(np.linalg.cholesky(A[both]), dtype=np.float64)
    found = derivatives_in_coordinates(model, q, rest, force_of(model, q, tau, passive))
    da_dq = found.da_dq
    if passive:
        da_dq = da_dq + found.da_dtau @ passive_derivatives(model, q, rest)[0] @ W
    by_y = np.linalg.solve(L, (A @ da_dq[leaders])[both])
    return L, np.asarray(np.linalg.solve(L, by_y.T).T, dtype=np.float64)


def force_of(model: Model, q: Array, tau: Array, passive: bool) -> Array:
    return tau + model.passive_forces(q, np.zeros(model.nv)) if passive else tau


def unbalanced(model: Model, q: Array, tau: Array, free: list[int], passive: bool) -> Array:
    """(nf free) accelerations from rest along the free coordinates with the others held."""
    W = model.W(q)[:, free]
    A = W.T @ model.mass_matrix(q) @ W
    inertia = np.diag(A)
    size = np.sqrt(np.where(inertia > 0.0, inertia, 1.0))  # so that units do not decide what the rank is
    a = np.linalg.lstsq(A / np.outer(size, size), left_of(model, q, tau, free, passive) / size, rcond=None)[0] / size
    return np.asarray(a, dtype=np.float64)


def left_of(model: Model, q: Array, tau: Array, free: list[int], passive: bool) -> Array:
    """(nf free) forces along the free coordinates that nothing balances."""
    still = np.zeros(model.nv)
    force = force_of(model, q, tau, passive) - model.inverse_dynamics(q, still, still)
    return np.asarray(model.W(q)[:, free].T @ force, dtype=np.float64)


def away(model: Model, q0: Array, q: Array) -> list[str]:
    """Entries of joints along which q is without end away from q0; none where no joint turns a mass at a lever."""
    along = lengths(model.manifest)
    linear = model.cog_jacobian(q0).reshape(-1, 2, 3, model.nv)[:, 0]
    lever = float(np.linalg.norm(linear, axis=1)[:, ~along].max(initial=0.0))
    far = along & (np.abs(model.difference(q0, q)) > FAR * lever) & (lever > 0.0)
    return [name for name, gone in zip(dof_names(model.manifest), far, strict=True) if gone]


def no_rest(model: Model, q0: Array, q: Array, left: float) -> ModelError:
    """Of a search that began at q0 and ended at q, where accelerations `left` stay."""
    gone = away(model, q0, q)
    stays = f"accelerations of {left:.3g} m/s² or rad/s² stay"
    told = f"the search went away along {', '.join(gone)}, without end" if gone else stays
    return ModelError(
        f"model '{model.name}': no rest was found near this q0 under these torques: {told}; start elsewhere, give "
        "other torques, or hold joints"
    )
