"""Points within their cones, by which an interior point method goes (runtime/c/newton/within.h), against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.codegen.analysis.sizes import WITHIN_ROWS
from support.c.c_library import Library

FRICTION, OVER, OWN, G, U, V, W, DG, DU, LEFT, BEND = 0, 1, 2, 4, 7, 10, 13, 16, 19, 22, 25


def drawn(seed: int, limits: int = 0) -> np.ndarray:
    """Rows of eight points with g and u inside their cones, some of them limits, which have no tangents."""
    rng = np.random.default_rng(seed)
    p = np.zeros((WITHIN_ROWS, 8))
    p[FRICTION], p[OWN], p[OWN + 1] = rng.uniform(0.2, 1.2, 8), rng.uniform(0.5, 2.0, 8), rng.uniform(0.5, 2.0, 8)
    for first in (G, U):
        p[first + 1 : first + 3] = rng.normal(size=(2, 8))
    p[V : V + 3] = rng.normal(size=(3, 8))
    for first in (FRICTION, OWN + 1, *(row + k for row in (G, U, V) for k in (1, 2))):
        p[first, :limits] = 0.0
    for first in (G, U):
        p[first] = np.hypot(p[first + 1], p[first + 2]) + rng.uniform(0.01, 1.0, 8)
    p[OVER] = np.where(p[FRICTION] > 0.0, 1.0 / np.maximum(p[FRICTION], 0.1), 0.0)
    return p


def cone(x: np.ndarray) -> np.ndarray:
    """How far within the cone x_0 >= |x_t|."""
    return x[0] - np.hypot(x[1], x[2])


def rows(c: Library, x: np.ndarray) -> object:
    return c.doubles(x, "double (*)[8]")


def off(p: np.ndarray) -> np.ndarray:
    """r = T v + |u_t| e - u."""
    r = p[V : V + 3] - p[U : U + 3]
    r[0] += np.hypot(p[U + 1], p[U + 2])
    return r


@pytest.mark.parametrize("limits", [0, 3, 8])
def test_steps_reach_to_the_edge_of_the_cones(c: Library, limits: int) -> None:
    """Limits go through the tip of their cone, where rounding decided whether that was seen."""
    left = 0
    for seed in range(200):
        p, rng = drawn(seed, limits), np.random.default_rng(1000 + seed)
        p[DG : DG + 6] = rng.normal(size=(6, 8)) * np.where(p[FRICTION] > 0.0, 1.0, [[1], [0], [0], [1], [0], [0]])
        reach = c.lib.reach_within(rows(c, p))
        parts = np.linspace(0.0, reach, 50)
        inside = [min(cone(p[a : a + 3] + x * p[d : d + 3]).min() for a, d in ((G, DG), (U, DU))) for x in parts]
        assert min(inside) > -1e-13
        if reach < 1.0:
            assert inside[-1] < 1e-7  # the root of what rounding leaves
            left += 1
        else:
            assert inside[-1] > 0.0
    assert left > 150


@pytest.mark.parametrize("lags", [0, 1])
def test_what_bends_is_what_a_step_leaves(c: Library, lags: int) -> None:
    """Changes of u follow r to first order; what they leave of it after a part of the step is what is told."""
    for seed in range(20):
        p, d, du = drawn(seed), np.random.default_rng(seed).normal(size=(3, 8)), np.zeros((3, 8))
        c.lib.follow_within(lags, rows(c, p), rows(c, d), rows(c, du))
        p[DU : DU + 3], made = du, 0.7
        then = p.copy()
        then[U : U + 3] += made * du
        then[V : V + 3] += made * d
        told = c.lib.bend_within(lags, made, rows(c, p))
        r = off(then)
        assert told == pytest.approx(np.sum(p[G] * (abs(r[0]) + np.hypot(r[1], r[2]))), rel=1e-12)
        np.testing.assert_allclose(r, (1.0 - made) * off(p) + [p[BEND], 0 * p[BEND], 0 * p[BEND]], atol=1e-13)
        again = np.zeros((3, 8))
        c.lib.follow_within(lags, rows(c, p), rows(c, d), rows(c, again))
        np.testing.assert_allclose(again[0], du[0] + p[BEND], atol=1e-14)
        np.testing.assert_array_equal(again[1:], du[1:])


@pytest.mark.parametrize("lags", [0, 1])
@pytest.mark.parametrize("limits", [0, 2])
def test_steps_solve_what_they_say(c: Library, lags: int, limits: int) -> None:
    """dg = left - S dv is -g - W^2 du; `more` is what products of the changes and what bends ask for."""
    for seed in range(20):
        p, S, dv = drawn(seed, limits), np.zeros((9, 8)), np.random.default_rng(seed).normal(size=(3, 8))
        dv[1:, :limits] = 0.0
        c.lib.scale_within(rows(c, p))
        c.lib.slope_within(lags, rows(c, p), rows(c, S))
        du = np.zeros((3, 8))
        T = np.array([np.ones(8), p[FRICTION], p[FRICTION]])
        c.lib.follow_within(lags, rows(c, p), rows(c, T * dv), rows(c, du))
        over = np.array([np.ones(8), p[OVER], p[OVER]])
        dg = p[LEFT : LEFT + 3] - over * np.einsum("jki,ji->ki", S.reshape(3, 3, 8), dv)
        W2 = scalings(p)
        np.testing.assert_allclose(np.einsum("jki,ki->ji", W2, p[U : U + 3]), p[G : G + 3], atol=1e-9)  # W u = W^-1 g
        np.testing.assert_allclose(dg, -p[G : G + 3] - np.einsum("jki,ki->ji", W2, du), atol=1e-9)
        p[DG : DG + 3], p[DU : DU + 3] = dg, du
        p[BEND], more = np.random.default_rng(seed).normal(size=8) * (p[FRICTION] > 0.0), np.zeros((3, 8))
        c.lib.aim_within(0.3, rows(c, p), rows(c, more))
        check_target(p, more, W2, 0.3)


def scalings(p: np.ndarray) -> np.ndarray:
    """W^2 (3, 3, 8) from its tangents and scale."""
    w = np.array([np.sqrt(1.0 + p[W + 1] ** 2 + p[W + 2] ** 2), p[W + 1], p[W + 2]])
    J = np.diag([1.0, -1.0, -1.0])[:, :, None]
    return np.asarray(p[W] * (2.0 * w[:, None] * w[None] - J))


def check_target(p: np.ndarray, more: np.ndarray, W2: np.ndarray, target: float) -> None:
    """(W^-1 g) o (W^-1 (more + W^2 bend e)) = target e - (W^-1 dg) o (W du), point by point."""
    for i in range(8):
        values, vectors = np.linalg.eigh(W2[:, :, i])
        root = vectors @ np.diag(np.sqrt(values)) @ vectors.T
        back = np.linalg.inv(root)
        x = back @ (more[:, i] + W2[:, 0, i] * p[BEND, i])
        asked = target * np.eye(3)[0] - product(back @ p[DG : DG + 3, i], root @ p[DU : DU + 3, i])
        np.testing.assert_allclose(product(back @ p[G : G + 3, i], x), asked, rtol=1e-7, atol=1e-7)


def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.array([x @ y, x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]])


@pytest.mark.parametrize("row", [G, V, OWN])
@pytest.mark.parametrize("limits", [0, 8])
def test_what_is_no_number_is_not_solved(c: Library, row: int, limits: int) -> None:
    """One of eight is none; of limits it came out as solved."""
    p = drawn(0, limits)
    assert 0.0 < c.lib.residual_within(rows(c, p)) < 1e3
    p[row, 3] = np.nan
    assert c.lib.residual_within(rows(c, p)) == np.inf
