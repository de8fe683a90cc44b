"""Inertias that are singular, or are not by rounding alone: refused by name in all that divides by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg
from support.oracles.numeric import error


def top(izz: float) -> kg.Mechanism:
    """A heavy top on massless rings that turn about z, y, z: at q = 0 the first and the last axis are one."""
    z, y = (0, 0, 1), (0, 1, 0)
    links = [kg.Link("outer"), kg.Link("inner"), kg.Link("rotor", 1.0, (0, 0, 0.2), inertia=(0.02, 0, 0, 0.02, 0, izz))]
    pairs = [("o", "world", "outer", z), ("i", "outer", "inner", y), ("r", "inner", "rotor", z)]
    return kg.Mechanism("top", links, [kg.Joint(a, "revolute", b, c, axis=axis) for a, b, c, axis in pairs])


def crank(lengths: tuple[float, float]) -> kg.Model:
    """A crank and a rod without mass, and a slider that has some."""
    a, b = lengths
    axis, rod = (0, 0, 1), kg.Pose((b, 0, 0))
    links = [kg.Link("crank"), kg.Link("rod"), kg.Link("slider", 1.0, inertia=kg.inertia.sphere(1.0, 0.1))]
    joints = [
        kg.Joint("crank", "revolute", "world", "crank", axis=axis),
        kg.Joint("pin", "revolute", "crank", "rod", kg.Pose((a, 0, 0)), axis=axis),
        kg.Joint("slide", "prismatic", "world", "slider", axis=(1, 0, 0)),
        kg.Joint("wrist", "revolute", "rod", "slider", rod, axis=axis),
    ]
    reach = a * np.cos(0.7) + np.sqrt(b * b - (a * np.sin(0.7)) ** 2)
    found = kg.compile(kg.Mechanism("engine", links, joints), at={"crank": 0.7, "slide": reach})
    return found.with_independent(["crank"])


@pytest.mark.parametrize("izz", [0.03, 0.023])
def test_an_inertia_that_is_singular_but_for_rounding_has_no_motion(izz: float) -> None:
    """Forward dynamics, its derivatives, linear models and steps are refused by name; beside it they are found."""
    at, still = kg.compile(top(izz)), np.zeros(3)
    spin, push, told = [0.0, 0.0, 100.0], np.array([1.0, 0.0, 0.0]), r"inertia is singular: o, r can move there"
    exactly = r"entry .* of the result is -?(inf|nan): the inertia may be singular there"
    for q in (at.q0, np.array([0.3, 0.0, -1.1])):
        with pytest.raises(kg.ModelError, match=rf"^model 'top' comes to where its {told}|{exactly}"):
            at.forward_dynamics(q, still, push)
        with pytest.raises(kg.ModelError, match=rf"^row 1: model 'top' comes to where its {told}|{exactly}"):
            at.forward_dynamics([[0, 0.5, 0], q, q], still, push)
        with pytest.raises(kg.ModelError, match=told):
            kg.linearize(at, q, spin)
        for integrator in ("semi_implicit", "rk4"):
            with pytest.raises(kg.ModelError, match=rf"{told}|stops being finite .*; o, r can move there"):
                kg.step_derivatives(at, q, spin, integrator=integrator)
    with pytest.raises(kg.ModelError, match=rf"{told}|{exactly}"):
        at.forward_dynamics_derivatives(at.q0, still, still)
    assert np.abs(kg.linearize(at, [0, 1e-4, 0], spin).poles.real).max() < 1e-6  # the top sleeps


def test_dampers_hold_a_step_where_the_inertia_is_singular() -> None:
    """At the end of a semi-implicit step they are a part of what is solved for."""
    mechanism = top(0.03)
    damped = [replace(joint, damping=0.5) for joint in mechanism.joints]
    at = kg.compile(kg.Mechanism("damped", mechanism.links, damped))
    assert np.isfinite(kg.step_derivatives(at, at.q0, [0, 0, 100.0]).A).all()


@pytest.mark.parametrize("lengths", [(0.3, 0.8), (0.31, 0.77), (0.123, 0.456)])
@pytest.mark.parametrize("dead", [0.0, np.pi])
def test_a_dead_point_of_the_only_mass_is_a_singular_inertia(lengths: tuple[float, float], dead: float) -> None:
    """There rounding alone moves the slider; 1e-9 rad beside it the acceleration is huge and right."""
    at = crank(lengths)
    q, push, told = at.q0, np.array([1.0, 0.0, 0.0]), r"inertia is singular: crank can move there"
    for angle in np.linspace(q[0], dead, 30):
        q[0] = angle
        q = at.assemble(q, hold=["crank"])
    for rate in (0.0, 1.0):
        v = at.dependent_motion(q, np.full(at.nv, rate))[0]
        with pytest.raises(kg.ModelError, match=told):
            at.forward_dynamics(q, v, push)
        with pytest.raises(kg.ModelError, match=told):
            kg.linearize(at, q, v)
    q[0] += 1e-9
    q = at.assemble(q, hold=["crank"])
    slide = float(at.W(q)[2, 0])
    assert error(at.forward_dynamics(q, np.zeros(3), push)[0], slide**-2) < 1e-6


@pytest.mark.parametrize("dt", [1e-3, 1e-4])
def test_a_motion_that_ends_at_a_dead_point_of_the_only_mass_tells_so(dt: float) -> None:
    """Shorter steps end there too."""
    at = crank((0.3, 0.8))
    begun = at.dependent_motion(at.q0, np.full(at.nv, -2.0))[0]
    sim = kg.Simulator(at, q=at.q0, v=begun, dt=dt, integrator="rk4")
    with pytest.raises(kg.SimulationError, match=r"; crank, pin can move there with next to no mass: keep it away"):
        sim.run(0.4)


def test_a_motion_without_massless_links_that_grows_tells_nothing_of_them() -> None:
    """A damper so strong that Runge-Kutta steps overshoot."""
    link = kg.Link("a", 1.0, (0, 0, -0.5))
    hinge = kg.Joint("j", "revolute", "world", "a", axis=(0, 1, 0), damping=1e5)
    sim = kg.Simulator(kg.compile(kg.Mechanism("stiff", [link], [hinge])), v=[1.0], dt=1e-2, integrator="rk4")
    with pytest.raises(kg.SimulationError, match=r"masses and inertias$"):
        sim.run(1.0)
