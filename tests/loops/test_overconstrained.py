"""Loops with more rows than freedoms are left to take: both integrators keep their order, closing keeps what leads."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime import Model, Simulator, Trajectory
from kinegen.runtime.errors import ClosureWarning
from support.mechanisms.linkages import OVERCONSTRAINED
from support.oracles.numeric import Array

QUICK = ("bennett", "myard")
ALL = [pytest.param(name, marks=() if name in QUICK else pytest.mark.sweep) for name in OVERCONSTRAINED]


@cache
def model(name: str) -> Model:
    return kg.compile(OVERCONSTRAINED[name]().mechanism(name))


def thrown(name: str, speed: float) -> tuple[Array, Array]:
    """Closed, with the fastest joint at this speed."""
    q = model(name).assemble(OVERCONSTRAINED[name]().near[:-1])
    W = model(name).closure.split(q).W()
    assert W.shape[1] == 1
    return q, W[:, 0] * (speed / np.abs(W).max())


def run(name: str, speed: float, dt: float, integrator: str, duration: float = 0.2) -> Trajectory:
    q, v = thrown(name, speed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClosureWarning)
        return Simulator(model(name), q=q, v=v, integrator=integrator, dt=dt).run(duration)


def distance(a: Trajectory, b: Trajectory) -> float:
    return float(np.abs(a.q[-1] - b.q[-1]).max())


def on_one_coordinate(name: str, speed: float, dt: float, duration: float) -> Array:
    """q at the end by the classical method in the fastest joint alone: the others are assembled at every stage."""
    moving, (q, v) = model(name), thrown(name, speed)
    lead = int(np.abs(v).argmax())
    joint = moving.manifest.joints[lead].name
    chosen = moving.with_independent([joint])

    def rate(x: float, w: float, near: Array) -> tuple[float, Array, Array]:
        at = near.copy()
        at[lead] = x
        at = chosen.assemble(at, hold=[joint])
        given = np.zeros(moving.nv)
        given[lead] = w
        v = chosen.dependent_motion(at, given)[0]
        return float(chosen.forward_dynamics(at, v, np.zeros(moving.nv), method="reduced")[lead]), at, v

    for _ in range(round(duration / dt)):
        x, w = float(q[lead]), float(v[lead])
        a1 = rate(x, w, q)[0]
        a2 = rate(x + dt / 2 * w, w + dt / 2 * a1, q + dt / 2 * v)[0]
        a3 = rate(x + dt / 2 * w + dt * dt / 4 * a1, w + dt / 2 * a2, q + dt / 2 * v)[0]
        a4 = rate(x + dt * w + dt * dt / 2 * a2, w + dt * a3, q + dt * v)[0]
        x += dt * w + dt * dt / 6 * (a1 + a2 + a3)
        q, v = rate(x, w + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4), q + dt * v)[1:]
    return np.asarray(q)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("speed", [3.0, 15.0])
def test_runge_kutta_is_of_order_four(name: str, speed: float) -> None:
    exact = run(name, speed, 5e-5, "rk4")
    coarse, _, fine = (distance(run(name, speed, dt, "rk4"), exact) for dt in (2e-3, 1e-3, 5e-4))
    assert fine < coarse / 2**7 or fine < 1e-11 * speed, (coarse, fine)
    total = exact.energy.sum(axis=1)
    assert np.ptp(total) < 1e-9 * np.abs(exact.energy).max()


@pytest.mark.parametrize("name", ALL)
def test_semi_implicit_is_of_order_one(name: str) -> None:
    exact = run(name, 3.0, 1e-3, "rk4")
    coarse, fine = (distance(run(name, 3.0, dt, "semi_implicit"), exact) for dt in (1e-3, 5e-4))
    assert 1.7 < coarse / fine < 2.3


@pytest.mark.parametrize("name", ALL)
def test_the_motion_is_that_of_one_coordinate(name: str) -> None:
    end = run(name, 15.0, 1e-3, "rk4", duration=0.05).q[-1]
    assert np.abs(end - on_one_coordinate(name, 15.0, 1e-3, 0.05)).max() < 1e-7


@pytest.mark.parametrize("name", ALL)
def test_closing_leaves_alone_what_leads(name: str) -> None:
    q, v = thrown(name, 1.0)
    lead = list(model(name).closure.split(q).independent)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-5, 1e-8):
        off = q + size * rng.uniform(-1, 1, q.size)
        closed, moving = model(name).project(off, v)
        assert np.array_equal(closed[lead], off[lead])
        assert np.array_equal(moving[lead], v[lead])
        assert np.abs(model(name).closure_residual(closed)).max() <= 1e-10
        assert np.abs(closed - off).max() < 30 * size
