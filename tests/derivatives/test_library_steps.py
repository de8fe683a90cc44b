"""Derivatives of steps of a library with what is connected just now: differences, and the same compiled by itself."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.runtime.derivatives.steps.step import StepDerivatives
from kinegen.runtime.topology.library import Library
from support.contact.closed_contact import ACROSS, bar
from support.contact.contact_scenes import solid
from support.contact.step_differences import DT, FIRST, INTEGRATORS, Case, assert_agree
from support.oracles.numeric import Array, error

FRICTION = 0.5
DEEP = 6e-5
HAND = kg.Pose((0, 0, -0.3))


def mechanism() -> kg.Mechanism:
    """A body on three feet with an arm, and a load on the ground."""
    mu = sympy.Symbol("mu")
    places = ((0.2, 0, -0.1), (-0.2, 0.2, -0.1), (-0.2, -0.2, -0.1))
    feet = [kg.sphere(0.03, pose=kg.Pose(place), friction=mu) for place in places]
    body = kg.Link("body", 6.0, inertia=(0.06, 0, 0, 0.08, 0, 0.1), shapes=feet)
    links = [body, bar("upper", 0.4, 0.8), bar("lower", 0.3, 0.5), solid("load", kg.sphere(0.1, friction=FRICTION))]
    joints = [
        kg.Joint("float", "free", "world", "body"),
        kg.Joint("shoulder", "revolute", "body", "upper", kg.Pose((0.3, 0, 0.4)), axis=ACROSS, damping=0.1),
        kg.Joint("elbow", "revolute", "upper", "lower", kg.Pose((0, 0, -0.4)), axis=ACROSS, actuated=False),
        kg.Joint("flight", "free", "world", "load"),
    ]
    return kg.Mechanism("carrier", links, joints, shapes=[kg.plane(friction=FRICTION)])


@cache
def carrier(*cuts: str) -> Library:
    """The hand can take the load, a tie can hold it to the body, and of the arm these joints can break."""
    hand = kg.Connection("hand", "lower", "load", kg.spherical(), pose=HAND)
    tie = kg.Connection("tie", "body", "load", kg.revolute(axis=ACROSS))
    made = kg.TopologyLibrary(mechanism(), connections=[hand, tie], cuts=cuts)
    return Library(made.model.with_parameters(mu=FRICTION))


def standing(lib: Library) -> Array:
    """Feet and load a little in the ground, the load beside the hand."""
    arm = {"float": [0, 0, 0.13 - DEEP, 0, 0, 0, 1], "shoulder": -0.6, "elbow": 0.9}
    hand = lib.model.frame_pose(lib.state(arm)[0], "lower") @ np.array([0, 0, -0.3, 1.0])
    return lib.state({**arm, "flight": [hand[0] + 0.02, hand[1], 0.1 - DEEP, 0, 0, 0, 1]})[0]


def moving(at: kg.Model, *linear: float) -> Array:
    """(nf) independent velocities of all of it at this velocity."""
    y = np.zeros(at.nf)
    for name, speed in zip("012", linear, strict=True):
        y[at.independent.index(f"float[{name}]")] = speed
        y[[i for i, one in enumerate(at.independent) if one in (f"flight[{name}]", f"free_lower[{name}]")]] = speed
    return y


SELDOM = [
    pytest.param(names, marks=pytest.mark.sweep) for names in (("elbow", "hand", "tie"), ("elbow", "hand"), ("elbow",))
]


@FIRST
@pytest.mark.parametrize("active", [("hand",), *SELDOM])
def test_what_is_connected_stands_slides_and_falls(active: tuple[str, ...], integrator: str) -> None:
    lib = carrier("elbow")
    q = standing(lib)
    at = lib.with_active(active, q).with_independent(["float", "shoulder"])

    def agree(case: Case, targets: bool = False) -> StepDerivatives:
        return assert_agree(at, case, 1e-7, targets, [integrator])

    still = agree(Case(q, np.zeros(at.nf), ("sticks",) * 4, parameters=["mu"], h=4e-6))
    assert len(still.independent) == at.nf < at.nv
    if active == ("elbow", "hand"):
        agree(Case(q, moving(at, 1.0, 0.3, 0.0), ("slips",) * 4, parameters=["mu"], h=4e-6))
        agree(Case(q, moving(at, 1.0, 0.3, -0.2), ("slips",) * 4, h=4e-6))
        servos = {"shoulder": kg.Servo(kp=100.0, kd=4.0, position=-0.58)}
        agree(Case(q, np.zeros(at.nf), ("sticks",) * 4, servos=servos, h=4e-6), targets=True)
        neutral = np.array([0.0, 0.0, 0.0, 1.0])
        breaking = {
            "elbow": kg.Servo(30.0, 2.0, 0.91),
            "hand": kg.Servo(0.0, 0.3, neutral),
            "tie": kg.Servo(9.0, 1.0, 0.3),
        }
        agree(Case(q, np.zeros(at.nf), ("sticks",) * 4, servos=breaking, h=4e-6))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_same_as_what_is_compiled_by_itself(integrator: str) -> None:
    """And as a simulator of the library goes on, whose model of the moment it is."""
    lib = carrier()
    q = standing(lib)
    taken = lib.pose_now("hand", q)
    pose = kg.Pose(taken[:3, 3], rotation=taken[:3, :3])
    alone = kg.compile(mechanism().connect("lower", "load", kg.spherical(), name="hand", pose=HAND, pose_b=pose))
    pins = ["float", "shoulder", "elbow"]
    one = lib.with_active({"hand"}, q).with_independent(pins)
    two = alone.with_parameters(mu=FRICTION).with_independent(pins)
    v = one.W(q) @ moving(one, 0.5, 0.2, 0.0)
    first, second = (
        kg.step_derivatives(at, q, v, dt=DT, integrator=integrator, parameters=["mu"]) for at in (one, two)
    )
    assert first.independent == second.independent and len(first.points) == 4
    for name in ("A", "B", "by_parameter", "tree"):
        assert error(getattr(first, name), getattr(second, name)) < 1e-9
    options = kg.ContactOptions(solver="exact")
    sim = kg.Simulator(lib, dt=DT, q=q, v=v, active={"hand"}, contacts=options, integrator=integrator)
    of_now = kg.step_derivatives(sim.model, q, v, dt=DT, integrator=integrator)
    sim.step()
    assert error(sim.v, of_now.v) < 1e-9 and error(sim.q, of_now.q) < 1e-9


def test_accelerations_and_linear_models_of_what_is_connected() -> None:
    lib = carrier()
    q = standing(lib)
    one = lib.with_active({"hand"}, q).with_independent(["float", "shoulder", "elbow"])
    v, tau = one.W(q) @ np.linspace(-0.3, 0.4, one.nf), np.linspace(1.0, -1.0, one.nv)
    found = one.forward_dynamics_derivatives(q, v, tau)
    steps = 1e-5 * np.eye(one.nf)
    by_v = [one.forward_dynamics(q, v + s * one.W(q) @ e, tau) for e in steps for s in (1, -1)]
    wanted = np.array([(by_v[2 * i] - by_v[2 * i + 1]) / 2e-5 for i in range(one.nf)]).T
    assert error(found.da_dv, wanted) < 1e-8
    assert kg.linearize(one, q).A.shape == (2 * one.nf, 2 * one.nf)


def test_what_is_refused() -> None:
    at = carrier().with_active({"hand"}, standing(carrier()))
    with pytest.raises(
        kg.ModelError, match=r"'hand\.active' tells what is connected, by which nothing is differentiated"
    ):
        kg.step_derivatives(at, standing(carrier()), np.zeros(at.nv), parameters=["hand.active"])
