"""Joints of loops that are moved by the model, or close the loop: power, actuator torques of the same motion."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
from support.mechanisms.closed_mechanisms import five_bar, four_bar

INTEGRATORS = ("semi_implicit", "rk4")
t = sympy.Symbol("t")


def with_options(mechanism: kg.Mechanism, **options: dict[str, Any]) -> kg.Mechanism:
    joints = [replace(j, **options[j.name]) if j.name in options else j for j in mechanism.joints]
    return replace(mechanism, joints=tuple(joints))


def bar() -> kg.Mechanism:
    """A crank that turns through; its loop closes at `tip`."""
    return four_bar(0.2, 0.6, 0.5, 0.6)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_crank_that_the_model_turns(integrator: str) -> None:
    """As one that the simulation turns, and straight-line code is led by it."""
    base = kg.compile(bar())
    begin = float(base.q0[0])
    model = kg.compile(with_options(bar(), pivot={"motion": begin + 8 * t}))
    assert model.independent == ("pivot",)
    np.testing.assert_allclose(model.q0, base.q0, atol=1e-9)
    mine = kg.Simulator(model, integrator=integrator).run(0.5)
    given = {"pivot": lambda s: (begin + 8 * s, 8.0, 0.0)}
    other = kg.Simulator(base, integrator=integrator, q=base.q0, driven=given).run(0.5)
    np.testing.assert_allclose(mine.q, other.q, atol=1e-9)
    np.testing.assert_allclose(mine.tau, other.tau, atol=1e-6)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_crank_that_the_model_turns_by_a_ramp(integrator: str) -> None:
    """It stops at once, as where the simulation is told the coordinate alone."""
    base = kg.compile(bar())
    begin = float(base.q0[0])
    model = kg.compile(with_options(bar(), pivot={"motion": begin + 8 * sympy.Min(t, 0.1003)}))
    mine = kg.Simulator(model, integrator=integrator).run(0.2)
    given = {"pivot": lambda s: begin + 8 * min(s, 0.1003)}
    other = kg.Simulator(base, integrator=integrator, q=base.q0, driven=given).run(0.2)
    np.testing.assert_allclose(mine.q, other.q, atol=1e-9)
    np.testing.assert_allclose(mine.tau, other.tau, atol=1e-4)
    assert mine.v[-1, 0] == 0.0


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("by", ["model", "simulation"])
def test_a_joint_that_closed_the_loop(by: str, integrator: str) -> None:
    """Torque: that of an actuator there, by the linkage as it was cut before; power: that of the crank for the same
    motion. It turns back on its way, of which no warning speaks."""
    middle, swing, rate = -1.1, 0.25, 3.0
    moved = with_options(bar(), tip={"motion": middle + swing * sympy.sin(rate * t)}) if by == "model" else bar()
    given = {"tip": lambda s: middle + swing * np.sin(rate * s)} if by == "simulation" else None
    start = kg.compile(moved if by == "model" else bar().in_tree("tip")).assemble([1.3, 1.6, middle], hold=["tip"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", kg.ClosureWarning)
        simulator = kg.Simulator(moved, driven=given, q=start, integrator=integrator)
        run = simulator.run(1.5)
    model = simulator.model
    assert model.joint_names == ("pivot", "base", "tip") and model.manifest.loops[0].name == "knee"
    np.testing.assert_allclose(run.joint("tip")[0][:, 0], middle + swing * np.sin(rate * run.t), atol=1e-14)
    if integrator == "semi_implicit":
        return
    # the same linkage, cut at the tip: its coordinates from the poses, its accelerations from those of the tip
    a = np.zeros_like(run.v)
    a[:, 2] = -swing * rate**2 * np.sin(rate * run.t)
    v, a = model.with_independent(["tip"]).dependent_motion(run.q, run.v, a)
    np.testing.assert_allclose(run.v, v, atol=1e-9)
    knee = np.array([model.loop_joint("knee", *state)[0][0] for state in zip(run.q, run.v, strict=True)])
    knee_v = np.array([model.loop_joint("knee", *state)[1][0] for state in zip(run.q, run.v, strict=True)])
    options = {name: {"actuated": name == "tip"} for name in ("pivot", "knee", "base", "tip")}
    cut = kg.compile(with_options(bar(), **options))
    q, v_cut = np.stack([run.q[:, 0], knee, run.q[:, 1]], 1), np.stack([run.v[:, 0], knee_v, run.v[:, 1]], 1)
    assert cut.actuators == ("tip",) and abs(cut.closure_residual(q)).max() < 1e-9
    crank = cut.with_independent(["pivot"])
    _, a_cut = crank.dependent_motion(q, v_cut, np.stack([a[:, 0], 0 * knee, 0 * knee], 1))
    torque = cut.actuator_torques(q, v_cut, a_cut)[:, 0]
    np.testing.assert_allclose(run.joint("tip")[2][:-1, 0], torque[:-1], rtol=1e-7, atol=1e-7)
    work = (crank.W(q).transpose(0, 2, 1) @ cut.inverse_dynamics(q, v_cut, a_cut)[..., None])[:, 0, 0]
    np.testing.assert_allclose((run.tau[:-1, 2] * run.v[:-1, 2]), (work * run.v[:, 0])[:-1], rtol=1e-6, atol=1e-7)


def test_two_motors_move_a_mechanism_of_two_freedoms_and_three_are_refused() -> None:
    legs = five_bar()
    model = kg.compile(legs)
    first, second = model.independent[:2]
    begin = {name: float(model.q0[model.q_slice(name)][0]) for name in model.joint_names}
    swing = 0.2 * sympy.sin(3 * t)
    moved = kg.compile(with_options(legs, **{name: {"motion": begin[name] + swing} for name in (first, second)}))
    assert set(moved.independent) == {first, second}
    run = kg.Simulator(moved).run(0.5)
    for name in (first, second):
        np.testing.assert_allclose(run.joint(name)[0][:, 0], begin[name] + 0.2 * np.sin(3 * run.t), atol=1e-14)
    a = np.gradient(run.v, run.t, axis=0)[1:-1]
    v, a = moved.dependent_motion(run.q[1:-1], run.v[1:-1], a)
    torques = moved.actuator_torques(run.q[1:-1], v, a)
    mine = np.hstack([run.joint(name)[2][1:-1] for name in moved.actuators])
    np.testing.assert_allclose(mine, torques, atol=0.02 * abs(torques).max())
    third = next(name for name in model.joint_names if name not in (first, second))
    names = {name: {"motion": begin[name] + swing} for name in (first, second, third)}
    with pytest.raises(kg.ModelError, match="cannot move as told: at this q the loops leave 2 degrees of freedom"):
        kg.Simulator(kg.compile(with_options(legs, **names)))
