"""The benchmark bicycle: linear equations and eigenvalues of the nonlinear model as published [Meijaard07]."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinegen as kg
from support.oracles.numeric import Array
from support.rolling.bicycle import bicycle

GRAVITY = 9.81
LEADERS = ("base[3]", "steer", "base[0]")  # lean, steer, speed
M = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
C1 = [[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]
K0 = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]
K2 = [[0.0, 76.59734589573222], [0.0, 2.65431523794604]]


@cache
def model() -> kg.Model:
    return kg.compile(bicycle()).with_independent(LEADERS)


def rolling_on(speed: float) -> tuple[Array, Array]:
    """Upright and straight on."""
    return model().q0, model().project(model().q0, [speed, *[0.0] * 8])[1]


def inertia() -> Array:
    """(2, 2) of lean and steer; the speed is apart."""
    W = model().W(model().q0)
    reduced = W.T @ model().mass_matrix(model().q0) @ W
    assert np.abs(reduced[0, 1:]).max() < 1e-13
    return np.asarray(reduced[1:, 1:])


def stiffness_and_damping(speed: float) -> tuple[Array, Array]:
    """−∂f/∂(lean, steer) and by their rates, f = M ÿ."""
    found = kg.linearize(model(), *rolling_on(speed))
    rates = [found.states.index(f"d {name}") for name in LEADERS[:2]]
    angles = [found.states.index(name) for name in LEADERS[:2]]
    return -inertia() @ found.A[np.ix_(rates, angles)], -inertia() @ found.A[np.ix_(rates, rates)]


def moving(speed: float) -> Array:
    """The poles of lean and steer, the largest first: those of place, heading, wheels and speed are zero."""
    poles = kg.linearize(model(), *rolling_on(speed)).poles
    return np.asarray(sorted(poles, key=lambda s: -abs(s))[:4])


def test_the_coefficients_are_the_published_ones() -> None:
    """M q̈ + v C1 q̇ + (g K0 + v² K2) q = 0, to the last of fourteen digits but for the rounding of doubles."""
    at_rest, none = stiffness_and_damping(0.0)
    np.testing.assert_allclose(inertia(), M, rtol=0, atol=2e-14 * 80)
    np.testing.assert_allclose(at_rest / GRAVITY, K0, rtol=0, atol=2e-14 * 80)
    assert np.abs(none).max() < 1e-13
    for speed in (1.0, 5.0):
        stiffness, damping = stiffness_and_damping(speed)
        np.testing.assert_allclose(damping / speed, C1, rtol=0, atol=2e-14 * 80)
        np.testing.assert_allclose((stiffness - at_rest) / speed**2, K2, rtol=0, atol=1e-11)


def test_the_eigenvalues_are_the_published_ones() -> None:
    still = sorted(moving(0.0).real, reverse=True)
    np.testing.assert_allclose(
        still, [5.53094371765393, 3.13164324790656, -3.13164324790656, -5.53094371765393], rtol=1e-9
    )
    castering, weave, other, capsize = moving(5.0)
    assert castering == pytest.approx(-14.07838969279822, rel=1e-10)
    assert {complex(weave).imag > 0, complex(other).imag > 0} == {True, False}
    assert weave.real == pytest.approx(-0.77534188219585, rel=1e-10)
    assert abs(weave.imag) == pytest.approx(4.46486771378823, rel=1e-10)
    assert capsize == pytest.approx(-0.32286642900409, rel=1e-10)


def growth(speed: float, oscillating: bool) -> float:
    """Largest real part of the poles that oscillate, or of those that do not."""
    return max(float(s.real) for s in moving(speed) if (abs(s.imag) > 1e-6) == oscillating)


@pytest.mark.parametrize(
    ("low", "high", "oscillating", "published"), [(4.0, 4.6, True, 4.2924), (5.5, 6.5, False, 6.0243)]
)
def test_weave_and_capsize_speeds(low: float, high: float, oscillating: bool, published: float) -> None:
    """Between them the bicycle is stable by itself."""
    sign = growth(low, oscillating) > 0.0
    assert sign != (growth(high, oscillating) > 0.0)
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (growth(middle, oscillating) > 0.0) == sign else (low, middle)
    assert low == pytest.approx(published, abs=5e-5)


def test_it_rights_itself_and_keeps_its_energy() -> None:
    """Pushed at 4.6 m/s, which is stable, lean and steer die out and the energy goes into speed."""
    q, v = rolling_on(4.6)
    v = model().project(q, v + np.eye(9)[3] * 0.5)[1]
    trajectory = kg.Simulator(model(), dt=2e-3, integrator="rk4", q=q, v=v).run(10.0, every=5)
    energy = trajectory.energy.sum(axis=1)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-8
    lean, steer = trajectory.v[:, 3], trajectory.q[:, 7]
    assert (
        np.abs(lean[-50:]).max() < 5e-2 * np.abs(lean).max() and np.abs(steer[-50:]).max() < 5e-2 * np.abs(steer).max()
    )
    assert trajectory.v[-1, 0] > 4.6
    assert np.abs(model().closure_residual(trajectory.q)).max() < 1e-11
