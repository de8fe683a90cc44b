"""How well motions tell parameters apart: deviations of few equations, and from where on motions are poor."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.identification.base import BaseParameters
from kinegen.runtime.identification.excitation import excitation
from kinegen.runtime.identification.scale import undriven

COUNT = 4
BASE = BaseParameters(tuple("abcd"), tuple(range(COUNT)), np.eye(COUNT), 1.0)


def test_deviations_of_few_equations_are_those_of_the_noise() -> None:
    """Of 8 equations with 4 unknowns a fit leaves half of the noise: the mean variance is that of the noise still."""
    rng, noise = np.random.default_rng(0), 0.3
    Y = rng.normal(size=(2 * COUNT, 1, COUNT))
    flat = Y[:, 0]
    variances = []
    for _ in range(2000):
        right = noise * rng.normal(size=2 * COUNT)
        left = right - flat @ np.linalg.lstsq(flat, right, rcond=None)[0]
        variances.append(excitation(Y, left[:, None], BASE, COUNT)[1] ** 2)
    wanted = noise**2 * np.diag(np.linalg.inv(flat.T @ flat))
    assert np.allclose(np.mean(variances, axis=0), wanted, rtol=0.05)


@pytest.mark.parametrize(("condition", "poor"), [(1e7, False), (1e9, True)])
def test_motions_are_poor_from_a_condition_of_1e8(condition: float, poor: bool) -> None:
    """Columns of a and b are alike but for what makes the condition."""
    Y = np.linalg.qr(np.random.default_rng(1).normal(size=(40, COUNT)))[0]
    Y[:, 1] = Y[:, 0] + 2.0 / condition * Y[:, 1]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found, _ = excitation(Y[:, None], np.ones((40, 1)), BASE, COUNT)
    assert found == pytest.approx(condition, rel=1e-3)
    said = [str(one.message) for one in told if one.category is kg.ExcitationWarning]
    assert ["these motions do not tell a, b (condition" in text for text in said] == [True] * poor


@pytest.mark.parametrize(("left", "still"), [(0.45, False), (0.55, True)])
def test_torques_are_noise_where_half_of_their_square_is_left(left: float, still: bool) -> None:
    """Of two joints that share no unknown, the first one's torques are noise in such a part, the other's none."""
    Y, right = np.zeros((100, 2, 2)), np.ones((100, 2))
    Y[:, 0, 0] = Y[:, 1, 1] = 1.0
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = undriven(Y, right, np.sqrt([left, 1e-3]) * right)
    assert found.tolist() == [still, False]
    assert [one.category for one in told] == [kg.ExcitationWarning] * still
