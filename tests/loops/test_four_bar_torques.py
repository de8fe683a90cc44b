"""The four-bars of [S] against Lagrange's equation written in SymPy from the triangle of the closed linkage."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sympy

from kinegen import ModelError, compile
from kinegen.runtime.arguments import Array

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "closed"))
import four_bars

LENGTH, BASE, MASS = map(sympy.Rational, ("1/2", "7/10", "1"))
GRAVITY = sympy.Float("9.81", 30)


def lagrangian_torque() -> Callable[..., Array]:
    """τ of theta3 from its angle x, rate u and acceleration w.

    P1 is the crank's end, P2 the knee between links 2 and 3, B the right pivot at (BASE, 0): the triangle P1 P2 B gives
    |P1 B|, the triangle A B P1 the crank's angle, and P2 lies on the far side of P1 B.
    """
    x, u, w = sympy.symbols("x u w", real=True)
    across = 2 * LENGTH * sympy.cos(x / 2)  # |P1 B| with the turn x at the knee
    crank = sympy.acos((LENGTH**2 + BASE**2 - across**2) / (2 * LENGTH * BASE))
    P1 = LENGTH * sympy.Matrix([sympy.cos(crank), sympy.sin(crank)])
    B = sympy.Matrix([BASE, 0])
    heading = sympy.atan2(B[1] - P1[1], B[0] - P1[0])
    second = heading - x / 2  # x < 0: link 2 rises from the line P1 B by half the turn
    P2 = P1 + LENGTH * sympy.Matrix([sympy.cos(second), sympy.sin(second)])
    third = second + x
    centres = ((P1 / 2, crank), ((P1 + P2) / 2, second), ((P2 + B) / 2, third))
    inertia = MASS * LENGTH**2 / 12
    kinetic = (
        sum(
            MASS * sum(sympy.diff(c, x) ** 2 for c in centre) + inertia * sympy.diff(angle, x) ** 2
            for centre, angle in centres
        )
        / 2
        * u**2
    )
    potential = sum(MASS * GRAVITY * centre[1] for centre, _ in centres)
    momentum = sympy.diff(kinetic, u)
    force = sympy.diff(momentum, u) * w + sympy.diff(momentum, x) * u - sympy.diff(kinetic - potential, x)
    function: Callable[..., Array] = sympy.lambdify((x, u, w), force, cse=True)
    return function


@pytest.fixture(scope="module")
def reference() -> tuple[four_bars.States, Array]:
    model = compile(four_bars.mechanism("theta3"))
    states = four_bars.motion(model)
    return states, lagrangian_torque()(states.q[:, 2], states.v[:, 2], states.a[:, 2])


def test_one_actuator(reference: tuple[four_bars.States, Array]) -> None:
    states, expected = reference
    found = four_bars.torques(compile(four_bars.mechanism("theta3")), states)[:, 0]
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()
    assert np.ptp(expected) > 5.0  # it is a curve


def test_any_single_actuator_gives_the_same_power(reference: tuple[four_bars.States, Array]) -> None:
    """τ θ̇ of the one motor is the same wherever it sits, the cut joint included."""
    states, expected = reference
    moving = np.abs(states.v[:, 2]) > 0.1
    for name in ("theta1", "theta2", "theta4"):
        model = compile(four_bars.mechanism(name))
        tau = four_bars.torques(model, states)[:, 0]
        rate = (model.with_independent(["theta3"]).S(states.q)[:, 0, 0]) * states.v[:, 2]
        np.testing.assert_allclose((tau * rate)[moving], (expected * states.v[:, 2])[moving], atol=1e-10)


def test_redundant_actuators_share(reference: tuple[four_bars.States, Array]) -> None:
    states, expected = reference
    model = compile(four_bars.mechanism("theta1", "theta3"))
    shared = four_bars.torques(model, states)
    S = model.with_independent(["theta3"]).S(states.q)[:, :, 0]
    scale = np.abs(expected).max()
    assert np.abs(np.einsum("ki,ki->k", S, shared) - expected).max() < 1e-10 * scale
    least = S * (expected / np.einsum("ki,ki->k", S, S))[:, None]  # S (SᵀS)⁻¹ τ_G
    assert np.abs(shared - least).max() < 1e-10 * scale


def test_limits_are_respected(reference: tuple[four_bars.States, Array]) -> None:
    states, expected = reference
    model = compile(four_bars.mechanism("theta1", "theta3"))
    shared = four_bars.torques(model, states)
    limit = np.array([0.6, 1.5]) * np.abs(shared).max(axis=0)
    limited = four_bars.torques(model, states, limit)
    S = model.with_independent(["theta3"]).S(states.q)[:, :, 0]
    scale = np.abs(expected).max()
    assert np.all(np.abs(limited) <= limit)
    assert np.abs(np.einsum("ki,ki->k", S, limited) - expected).max() < 1e-10 * scale
    free = np.abs(shared[:, 0]) <= limit[0]
    np.testing.assert_allclose(limited[free], shared[free], atol=1e-12)
    # where the limit is met it is met exactly: the other motor makes up for it, no more
    np.testing.assert_allclose(np.abs(limited[~free, 0]), limit[0], rtol=1e-12)
    assert (~free).sum() > 20


def test_limits_without_a_solution_name_the_motor(reference: tuple[four_bars.States, Array]) -> None:
    states, _ = reference
    model = compile(four_bars.mechanism("theta1", "theta3"))
    with pytest.raises(ModelError, match=r"theta3 \(.*limits"):
        four_bars.torques(model, states, np.array([0.5, 0.5]))
