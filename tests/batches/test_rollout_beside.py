"""Simulations with rows side by side: what Simulators make, whatever each meets."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray

import kinegen as kg
from kinegen.runtime.rollouts import together

ROWS, STEPS, EVERY, DT = 19, 120, 7, 2e-3
FLIES, FAST, DIVERGES = 2, 4, 6
Array = NDArray[np.float64]


@cache
def hopper() -> kg.Model:
    """A crate that floats, with a sprung leg, and an arm on a ball joint; all of them meet the floor."""
    mass = sympy.Symbol("m", positive=True)
    links = [
        kg.Link("crate", mass, inertia=kg.inertia.box(1.0, (0.3, 0.2, 0.2)), shapes=[kg.box((0.3, 0.2, 0.2))]),
        kg.Link(
            "leg", 0.3, (0, 0, -0.1), np.diag([4e-3, 4e-3, 2e-3]), shapes=[kg.sphere(0.04, pose=kg.Pose((0, 0, -0.25)))]
        ),
        kg.Link(
            "arm",
            0.2,
            (0.1, 0, -0.1),
            np.diag([5e-3, 4e-3, 6e-3]),
            shapes=[kg.sphere(0.03, pose=kg.Pose((0.2, 0, -0.2)))],
        ),
    ]
    joints = [
        kg.Joint("flight", "free", "world", "crate"),
        kg.Joint("hip", "revolute", "crate", "leg", axis=(0, 1, 0), damping=0.1, stiffness=4.0, limits=(-0.5, 0.5)),
        kg.Joint("shoulder", "spherical", "crate", "arm"),
    ]
    plane = kg.plane(friction=0.6)
    return kg.compile(kg.Mechanism("hopping", links, joints, shapes=[plane], unphysical="allow"), lanes=True)


def starts(model: kg.Model) -> tuple[Array, Array, Array]:
    """q, v, torques of each step: one flies, one turns fast, one has a torque that no double holds for long."""
    rng = np.random.default_rng(5)
    q = np.tile(model.neutral(), (ROWS, 1))
    q[:, 2] = rng.uniform(0.2, 0.4, ROWS)
    q[FLIES, 2] = 9.0
    v = rng.normal(size=(ROWS, model.nv))
    v[FAST, 3:6] = (90.0, 20.0, 0.0)
    tau = 0.1 * rng.normal(size=(ROWS, STEPS, model.nv))
    tau[DIVERGES, 40:] = 1.7e308
    return q, v, tau


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each group of simulations went side by side, as they are made."""
    found: list[bool] = []

    def call(self: Any, *args: Any, call: Any = together._Caller.call) -> None:
        found.append(bool(self._all.terms))
        call(self, *args)

    monkeypatch.setattr(together._Caller, "call", call)
    return found


def given(tau: Array, **more: Any) -> dict[str, Any]:
    aims = np.column_stack([0.3 * np.sin(np.arange(STEPS)), np.zeros(STEPS)])[:, :1]
    servos = {"hip": kg.Servo(kp=80.0, kd=2.0, position=aims, limit=8.0)}
    servos["shoulder"] = kg.Servo(kp=3.0, kd=0.3, position=(0.1, 0.0, 0.0, np.sqrt(0.99)))
    return {"dt": DT, "tau": tau, "servos": servos, "every": EVERY, "lanes": True} | more


def of_one(tau: Array) -> dict[str, Any]:
    """What one `Simulator` is given."""
    return {name: value for name, value in given(tau).items() if name not in ("every", "lanes")}


def test_all_make_what_simulators_make(beside: list[bool]) -> None:
    """Contacts, stops, servos at their limits, spin: each in its own time."""
    model = hopper().with_parameters(m=1.5)
    q, v, tau = starts(model)
    found = kg.rollout(model, q, v, steps=STEPS, threads=1, **given(tau))
    assert beside and all(beside) and list(found.errors) == [DIVERGES]
    touched = 0
    for row in range(ROWS):
        alone = kg.Simulator(model, q=q[row], v=v[row], **of_one(tau[row]))
        try:
            run = alone.run(STEPS * DT, every=EVERY)
            touched += len(alone.contacts) > 0
        except kg.SimulationError as error:
            assert row == DIVERGES and str(found.errors[row]) == str(error)
            continue
        np.testing.assert_allclose(found.q[row], run.q, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found.v[row], run.v, rtol=1e-12, atol=1e-12)
    assert ROWS // 2 < touched < ROWS
    again = kg.rollout(model, q, v, steps=STEPS, threads=3, **given(tau))
    assert np.array_equal(found.q, again.q, equal_nan=True) and np.array_equal(found.v, again.v, equal_nan=True)
    few = kg.rollout(model, q[:3], v[:3], steps=STEPS, threads=1, **given(tau[:3]))
    assert all(beside) and np.array_equal(few.q, found.q[:3]), "no result depends on how many there are"
    del beside[:]
    turns = kg.rollout(model, q, v, steps=STEPS, threads=1, **given(tau, lanes=False))
    assert not any(beside)
    np.testing.assert_allclose(found.q[:DIVERGES], turns.q[:DIVERGES], rtol=1e-12, atol=1e-12)


def test_wrenches_act_on_each_of_them(beside: list[bool]) -> None:
    model = hopper().with_parameters(m=1.0)
    q, v, tau = starts(model)
    tau[DIVERGES] = 0.0
    push = np.random.default_rng(1).normal(size=(ROWS, STEPS, 6))
    found = kg.rollout(model, q, v, steps=STEPS, wrenches={"arm": push}, **given(tau))
    assert all(beside)
    for row in range(0, ROWS, 3):
        alone = kg.Simulator(model, q=q[row], v=v[row], wrenches={"arm": push[row]}, **of_one(tau[row]))
        np.testing.assert_allclose(found.q[row], alone.run(STEPS * DT, every=EVERY).q, rtol=1e-12, atol=1e-12)


OTHERS: list[dict[str, Any]] = [
    {"integrator": "rk4"},
    {"lanes": None},
    {"parameters": {"m": np.linspace(1.0, 2.0, ROWS)}},
]


@pytest.mark.parametrize("more", OTHERS)
def test_others_go_one_after_the_other(more: dict[str, Any], beside: list[bool]) -> None:
    model = hopper().with_parameters(m=1.0)
    q, v, tau = starts(model)
    kg.rollout(model, q, v, steps=5, **given(tau[:, :5], **more))
    assert beside and not any(beside)
