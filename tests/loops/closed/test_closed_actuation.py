"""Torques of the actuators of closed and open mechanisms: exact, redundant, limited, too few."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.runtime.errors import ModelError
from support.mechanisms.closed_models import model, motion
from support.oracles.numeric import error


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "five-bar", "stewart"])
def test_torques_give_the_motion_back(name: str) -> None:
    q, v, a = motion(name, 4)
    torques = model(name).actuator_torques(q, v, a)
    m, tau = model(name), np.zeros(model(name).nv)
    for torque, joint in zip(torques, m.actuators, strict=True):
        tau[m.v_slice(joint)] = torque
    assert error(m.forward_dynamics(q, v, tau), a) < 1e-9
    wanted = m.W(q).T @ m.inverse_dynamics(q, v, a)
    assert np.abs(m.S(q).T @ torques - wanted).max() < 1e-9 * max(1.0, float(np.abs(wanted).max()))


def test_redundant_torques_are_the_least() -> None:
    q, v, a = motion("two motors", 2)
    m = model("two motors")
    S, wanted = m.S(q), m.W(q).T @ m.inverse_dynamics(q, v, a)
    torques = m.actuator_torques(q, v, a)
    assert error(S.T @ torques, wanted) < 1e-12
    assert error(torques, np.linalg.pinv(S.T) @ wanted) < 1e-12
    weights = np.array([1.0, 9.0])
    weighted = m.actuator_torques(q, v, a, weights=weights)
    assert error(S.T @ weighted, wanted) < 1e-12
    null = np.array([-S[1, 0], S[0, 0]])  # Sᵀ null = 0: optimal where Q τ has no part along it
    assert abs(null @ (weights * weighted)) < 1e-9 * np.abs(weights * weighted).max()
    assert error(m.actuator_torques(q, v, a, weights=np.diag(weights)), weighted) < 1e-12


def test_limits_are_kept_and_the_motion_too() -> None:
    q, v, a = motion("two motors", 2)
    m = model("two motors")
    free = m.actuator_torques(q, v, a)
    S, wanted = m.S(q), m.W(q).T @ m.inverse_dynamics(q, v, a)
    most = np.abs(free) * [0.9, 10.0] + [0.0, 50.0]
    limited = m.actuator_torques(q, v, a, limits=most)
    assert (np.abs(limited) <= most + 1e-12).all()
    assert abs(limited[0]) == pytest.approx(most[0])
    assert error(S.T @ limited, wanted) < 1e-9
    asymmetric = m.actuator_torques(q, v, a, limits=[-most, most])
    assert error(asymmetric, limited) < 1e-9
    assert error(m.actuator_torques(q, v, a, limits=1e6 * np.ones(2)), free) < 1e-14  # by another solution


def test_limits_that_cannot_be_kept_name_the_joints() -> None:
    q, v, a = motion("two motors", 2)
    with pytest.raises(ModelError, match=r"limits: no torques .* these exceed theirs: (pivot|base) \("):
        model("two motors").actuator_torques(q, v, 100 * a, limits=[1e-3, 1e-3])
    with pytest.raises(ModelError, match="limits: no torques"):
        model("two motors").actuator_torques(q, v, 1e4 * a, limits=True)


def test_too_few_actuators_are_said_and_shown() -> None:
    tree = model("tree")
    q, v, a = np.array([0.3, 0.4]), np.zeros(2), np.array([1.0, 2.0])
    with pytest.raises(ModelError, match=r"under-actuated for this motion: 1 actuators \(one\) of rank 1 for 2"):
        tree.actuator_torques(q, v, a)
    torques, left = tree.actuator_torques(q, v, a, unbalanced=True)
    wanted = tree.inverse_dynamics(q, v, a)
    assert error(torques, wanted[:1]) < 1e-12
    assert error(left, [0.0, wanted[1]]) < 1e-12


def test_torques_of_batches() -> None:
    q = model("stewart").random(0, size=4)
    v, a = model("stewart").dependent_motion(q, np.zeros(24))
    torques = model("stewart").actuator_torques(q, v, a)
    assert torques.shape == (4, 6)
    for i in range(4):
        assert error(torques[i], model("stewart").actuator_torques(q[i], v[i], a[i])) < 1e-12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": [1.0, -1.0]}, "weights: expected positive numbers"),
        ({"weights": [1.0]}, r"weights: expected shape \(2,\)"),
        ({"limits": [1.0]}, r"limits: expected True, \(2,\) or \(2, 2\) numbers"),
        ({"limits": [[1.0, 1.0], [-1.0, -1.0]]}, "limits: lower exceeds upper for 0"),
    ],
)
def test_bad_actuation_arguments(options: dict[str, list[float]], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        model("two motors").actuator_torques(*motion("two motors"), **options)
