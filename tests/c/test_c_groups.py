"""Motion groups of the C library: exponential and logarithm, the series near zero, the time step."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm

from support.c.c_library import Library

SIZES = {"so3": (4, 3), "se3": (7, 6), "se2": (4, 3)}
SCALES = [0.0, 1e-12, 1e-6, 1e-3, 0.3, 0.999, 1.001, 2.0, 3.0]


def neutral(group: str) -> np.ndarray:
    return np.array({"so3": [0, 0, 0, 1], "se3": [0, 0, 0, 0, 0, 0, 1], "se2": [0, 0, 1, 0]}[group], dtype=float)


def some(c: Library, group: str, rng: np.random.Generator) -> np.ndarray:
    return c.group(f"{group}_integrate", neutral(group), rng.normal(size=SIZES[group][1]), out=SIZES[group][0])


def skew(w: np.ndarray) -> np.ndarray:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def generator(group: str, v: np.ndarray) -> np.ndarray:
    """(4, 4) of a motion in unit time."""
    full = {"so3": np.r_[0, 0, 0, v], "se3": v, "se2": np.r_[v[:2], 0, 0, 0, v[2:]]}[group]
    return np.block([[skew(full[3:]), full[:3, None]], [np.zeros((1, 4))]])


def pose(group: str, q: np.ndarray) -> np.ndarray:
    """(4, 4)"""
    T = np.eye(4)
    if group == "se2":
        T[:2, :2] = [[q[2], -q[3]], [q[3], q[2]]]
        T[:2, 3] = q[:2]
        return T
    e, r = q[-4:-1], q[-1]
    T[:3, :3] = np.eye(3) + 2 * r * skew(e) + 2 * skew(e) @ skew(e)
    if group == "se3":
        T[:3, 3] = q[:3]
    return T


@pytest.mark.parametrize("group", SIZES)
@pytest.mark.parametrize("scale", SCALES)
def test_integrate_is_the_exponential_and_difference_its_inverse(c: Library, group: str, scale: float) -> None:
    rng = np.random.default_rng(3)
    nq, nv = SIZES[group]
    for _ in range(20):
        q, v = some(c, group, rng), rng.normal(size=nv)
        turning = v[2:] if group == "se2" else v[-3:]
        v *= scale / np.linalg.norm(turning)
        moved = c.group(f"{group}_integrate", q, v, out=nq)
        np.testing.assert_allclose(pose(group, moved), pose(group, q) @ expm(generator(group, v)), atol=4e-14)
        np.testing.assert_allclose(c.group(f"{group}_difference", q, moved, out=nv), v, atol=3e-14)


def test_the_logarithm_of_a_turn_to_the_last_digits(c: Library) -> None:
    """t = 2 atan2(e, r) of quaternions (e n, r): turns from 1e-300 to half a turn, of both signs, seen on one axis; a
    place across it is t/2 cot t/2 of itself, t/2 aside."""
    near = 10.0 ** np.arange(-300, 0.0, 7.0)
    for half in [*near, *np.linspace(0.01, np.pi / 2, 300), *(np.pi / 2 - near[-3:])]:
        for sign in (1.0, -1.0):
            e, r = float(np.sin(half)), sign * float(np.cos(half))
            w = c.group("so3_difference", neutral("so3"), np.array([0.0, e, 0.0, r]), out=3)
            turn = sign * 2 * mpmath.atan2(mpmath.mpf(e), abs(mpmath.mpf(r)))
            assert w[0] == w[2] == 0.0 and abs(w[1] / turn - 1) < 9e-16, (half, sign)
            v = c.group("se3_difference", neutral("se3"), np.array([1.0, 0, 0, 0.0, e, 0.0, r]), out=6)
            along = turn / 2 * mpmath.cot(turn / 2)
            assert v[3] == v[1] == v[5] == 0.0 and abs(v[0] - along) < 9e-16, (half, sign)
            assert abs(v[2] / (turn / 2) - 1) < 9e-16, (half, sign)


@pytest.mark.parametrize("group", SIZES)
def test_offset_is_the_place_along_the_first_axes_and_the_turn(c: Library, group: str) -> None:
    rng = np.random.default_rng(6)
    nq, nv = SIZES[group]
    for _ in range(10):
        q, way = some(c, group, rng), rng.normal(size=nv)
        q1 = c.group(f"{group}_integrate", q, way, out=nq)
        found = generator(group, c.group(f"{group}_offset", q, q1, out=nv))
        between = np.linalg.inv(pose(group, q)) @ pose(group, q1)
        np.testing.assert_allclose(found[:3, 3], between[:3, 3], atol=1e-14)
        np.testing.assert_allclose(expm(found[:3, :3]), between[:3, :3], atol=1e-14)


@pytest.mark.parametrize("group", SIZES)
def test_rate_is_the_derivative_of_the_coordinates(c: Library, group: str) -> None:
    """d/dt of u with q exp(u(t)) moving at v: (u(t + h) - u(t - h))/2h, at u where terms beyond u⁴ vanish."""
    rng, h = np.random.default_rng(4), 1e-5
    nq, nv = SIZES[group]
    q = some(c, group, rng)
    for _ in range(10):
        u, v = 2e-2 * rng.normal(size=nv), rng.normal(size=nv)
        there = c.group(f"{group}_integrate", q, u, out=nq)
        ends = [c.group(f"{group}_integrate", there, sign * h * v, out=nq) for sign in (1, -1)]
        before = [c.group(f"{group}_difference", q, end, out=nv) for end in ends]
        found = c.group(f"{group}_rate", u, v, out=nv)
        np.testing.assert_allclose(found, (before[0] - before[1]) / (2 * h), atol=2e-8)


@pytest.mark.parametrize("group", SIZES)
def test_advance_without_acceleration_keeps_the_velocity_of_the_origin(c: Library, group: str) -> None:
    """a = -ω x v: the origin goes straight on, and the turning goes on."""
    rng, dt = np.random.default_rng(5), 0.1
    nv = SIZES[group][1]
    q, v = some(c, group, rng), rng.normal(size=nv)
    a = np.zeros(nv)
    if group == "se3":
        a[:3] = -np.cross(v[3:], v[:3])
    if group == "se2":
        a[:2] = v[2] * np.array([v[1], -v[0]])
    q1, v1 = q.copy(), v.copy()
    getattr(c.lib, f"{group}_advance")(dt, c.doubles(a), c.doubles(q1), c.doubles(v1))
    T, T1 = pose(group, q), pose(group, q1)
    full, full1 = (generator(group, x)[:3, 3] for x in (v, v1))
    np.testing.assert_allclose(T1[:3, 3], T[:3, 3] + dt * T[:3, :3] @ full, atol=1e-14)
    np.testing.assert_allclose(T1[:3, :3] @ full1, T[:3, :3] @ full, atol=1e-14)
    np.testing.assert_allclose(T1[:3, :3], T[:3, :3] @ expm(dt * generator(group, v)[:3, :3]), atol=1e-14)


@pytest.mark.parametrize("way", ["principal", "principal, one more", "general"])
def test_slow_spins_by_substitution_are_those_by_newton(c: Library, way: str) -> None:
    """To rounding; they hand over where one pass brings too little. Without one more, what follows from them is."""
    rng, h = np.random.default_rng(4), 5e-4
    for turn in (1e-4, 1e-3, 3e-3, 0.03, 3.0):  # half of it a step
        x = np.sort(rng.uniform(0.1, 1.0, 3))
        Q = np.eye(3) if way != "general" else np.linalg.qr(rng.normal(size=(3, 3)))[0]
        inertia = (Q * [x[0] + x[1], x[0] + x[2], x[1] + x[2]]) @ Q.T  # no moment above the sum of the others
        b, n = rng.normal(size=3), rng.normal(size=3)
        b *= turn / h / np.linalg.norm(b)
        w = b - h * np.linalg.solve(inertia, n)
        S, slow, exact = inertia[np.triu_indices(3)], np.zeros(3), w.copy()
        given = [c.doubles(x) for x in (S, w, n)]
        if way == "general":
            settled = c.lib.slow_spin(h, *given, c.doubles(slow))
        else:
            settled = c.lib.slow_principal_spin(h, *given, int("more" in way), c.doubles(slow))
        assert settled or turn > 0.01
        assert not settled or turn < 1.0
        c.lib.middle_spin(2.0 * h, *map(c.doubles, (S, w, n, exact)))
        if way == "principal":
            slow = b - h * np.linalg.solve(inertia, np.cross(slow, inertia @ slow))
        if settled:
            np.testing.assert_allclose(slow, exact, rtol=0.0, atol=4e-15 * np.linalg.norm(b))
