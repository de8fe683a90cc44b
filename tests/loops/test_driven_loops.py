"""Joints of loops whose motion is given: torques and energy, other freedoms, structure, contact, what is refused."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from support.contact.closed_contact import model as walker
from support.contact.closed_contact import standing
from support.contact.closed_contact import walker as mechanism
from support.mechanisms.closed_mechanisms import five_bar, four_bar, slider_crank

INTEGRATORS = ("semi_implicit", "rk4")
SPEED = 8.0


@cache
def bar() -> kg.Model:
    """A crank that turns through, led by it."""
    return kg.compile(four_bar(0.2, 0.6, 0.5, 0.6))


@cache
def legs() -> kg.Model:
    return kg.compile(five_bar())


def turning(model: kg.Model, joint: str, speed: float = SPEED) -> dict[str, Any]:
    begin = model.q0[model.q_slice(joint)][0]
    return {joint: lambda t: (begin + speed * t, speed, 0.0)}


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_crank_at_constant_speed(integrator: str) -> None:
    """Its torque is that of inverse dynamics on the closure; what it works is the energy of the linkage."""
    model, dt = bar(), 1e-3
    crank = model.joint_names[0]
    simulator = kg.Simulator(model, dt=dt, integrator=integrator, driven=turning(model, crank))
    run = simulator.run(1.001)
    np.testing.assert_allclose(run.q[:, 0], model.q0[0] + SPEED * run.t, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(run.v[:, 0], np.full(len(run), SPEED))
    assert simulator.gap < 1e-10
    v, a = model.with_independent([crank]).dependent_motion(run.q, run.v)
    np.testing.assert_allclose(run.v, v, atol=1e-9)
    np.testing.assert_allclose(run.tau[:-1, :1], model.actuator_torques(run.q, v, a)[:-1], atol=1e-9)
    power, energy = SPEED * run.tau[:-1, 0], run.energy.sum(axis=1)
    simpson = dt / 3 * (power[0] + 4 * power[1::2].sum() + 2 * power[2:-1:2].sum() + power[-1])
    assert np.ptp(energy) > 1.0
    assert energy[len(power) - 1] - energy[0] == pytest.approx(simpson, abs=1e-6)


def test_the_rest_of_a_linkage_follows_with_the_order_of_the_integrator() -> None:
    """A five-bar with one leg driven, the other free: accelerations by the partitioned A, order 4."""
    model = legs()
    joint = model.independent[0]
    lead, follow = model.v_slice(joint).start, model.v_slice(model.independent[1]).start

    def course(t: float) -> tuple[float, float, float]:
        return model.q0[lead] + 0.3 * np.sin(5 * t), 1.5 * np.cos(5 * t), -7.5 * np.sin(5 * t)

    ends = []
    for dt in (8e-3, 4e-3, 1e-3):
        simulator = kg.Simulator(model, dt=dt, integrator="rk4", driven={joint: course})
        simulator.step(round(0.24 / dt))
        assert simulator.q[lead] == course(simulator.t)[0]
        ends.append(simulator.q[follow])
    assert abs(ends[1] - ends[2]) < abs(ends[0] - ends[2]) / 11 and abs(ends[1] - ends[2]) < 1e-6
    simulator = kg.Simulator(model, dt=1e-5, driven={joint: course})
    q, v = simulator.q, simulator.v
    simulator.step()
    W, v_G = model.W(q), v[[lead, follow]]
    own, drift = model.dependent_motion(q, v, np.zeros(model.nv))
    np.testing.assert_allclose(own, W @ v_G, atol=1e-12)
    A, b = W.T @ model.mass_matrix(q) @ W, W.T @ model.inverse_dynamics(q, v, drift)
    a_lead = (course(1e-5)[1] - course(0.0)[1]) / 1e-5
    a_follow = (-b[1] - A[1, 0] * a_lead) / A[1, 1]
    assert (simulator.v[follow] - v[follow]) / 1e-5 == pytest.approx(a_follow, rel=1e-3)
    torque = A[0, 0] * a_lead + A[0, 1] * a_follow + b[0]
    assert simulator.driving[joint][0] == pytest.approx(torque, rel=1e-8)


def test_motors_that_contradict_each_other_are_named() -> None:
    model = bar()
    q = model.q0
    crank, other = model.joint_names[:2]
    with pytest.raises(
        kg.ModelError, match=r"driven: \w+, \w+ cannot move as told: at this q the loops leave 1 degree"
    ):
        kg.Simulator(model, driven={crank: q[0], other: q[1]})
    with pytest.raises(kg.ModelError, match=rf"cannot be closed from here with {crank}, {other} held"):
        kg.Simulator(model, driven={crank: q[0] + 0.2, other: q[1]})
    cut = model.manifest.loops[0].name
    with pytest.raises(kg.ModelError, match=rf"driven: joint '{cut}' closes a loop or can be cut.*in_tree\('{cut}'\)"):
        kg.Simulator(model, driven={cut: 0.0})


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_what_the_loop_cannot_reach_is_named(integrator: str) -> None:
    """A rocker swings between its dead points; told to go on, it stops the motion there by name."""
    model = bar()
    rocker = model.joint_names[-1]
    simulator = kg.Simulator(model, integrator=integrator, driven=turning(model, rocker, 1.0))
    with pytest.raises(kg.SimulationError, match=rf"{rocker}") as stopped:
        simulator.run(6.0)
    run = stopped.value.trajectory
    assert run is not None and len(run) > 50
    assert abs(model.closure_residual(run.q)).max() < 1e-9
    np.testing.assert_allclose(
        run.q[:, model.q_slice(rocker).start], model.q0[model.q_slice(rocker)] + run.t, atol=1e-12
    )


def test_a_slider_cannot_drive_through_a_dead_point() -> None:
    model = kg.compile(slider_crank())
    with pytest.raises(kg.ModelError, match=r"driven: slide cannot move as told: .* or start off a dead point"):
        kg.Simulator(model, driven=turning(model, "slide", 0.5))
    q = model.assemble([1.2, -1.5, 1.0], hold=["motor"])
    for speed in (0.5, -0.5):
        simulator = kg.Simulator(model, driven={"slide": lambda t, v=speed: (q[2] + v * t, v, 0.0)}, q=q)
        with pytest.raises(kg.SimulationError, match="slide") as stopped:
            simulator.run(5.0)
        reached = stopped.value.trajectory.q[-1, 2]
        assert abs(reached - (1.1 if speed > 0 else 0.5)) < 1e-3


def test_a_library_keeps_its_motion_through_events() -> None:
    """A driven arm meets a connection: v of the arm stays, the rest jumps as an infinitely strong motor makes it."""
    bar_of = kg.inertia.box(1.0, (0.05, 0.05, 0.5))
    ball = kg.Link("ball", 2.0, inertia=kg.inertia.box(2.0, (0.1, 0.1, 0.1)))
    links = [*(kg.Link(name, 1.0, (0, 0, -0.25), bar_of) for name in ("upper", "lower")), ball]
    joints = [
        kg.Joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0)),
        kg.Joint("elbow", "revolute", "upper", "lower", kg.Pose((0, 0, -0.5)), axis=(0, 1, 0)),
        kg.Joint("flight", "free", "world", "ball"),
    ]
    library = kg.TopologyLibrary(
        kg.Mechanism("thrower", links, joints, frames=[kg.Frame("hand", "lower", kg.Pose((0, 0, -0.5)))]),
        [kg.Connection("grip", "lower", "ball", kg.fixed(), pose=kg.Pose((0, 0, -0.5)))],
    )
    course = {"shoulder": lambda t: (0.4 * np.sin(4 * t), 1.6 * np.cos(4 * t), -6.4 * np.sin(4 * t))}
    q, v = library.state({"flight": (0, 0, -1.0, 0, 0, 0, 1)}, {})
    for integrator in INTEGRATORS:
        simulator = kg.Simulator(library, integrator=integrator, driven=course, q=q, v=v)
        before = simulator.v
        impact = simulator.connect("grip")
        assert simulator.v[0] == pytest.approx(1.6, abs=1e-14) and abs(impact.delta_v[1]) > 0.01
        tree = library.library.model
        jump = tree.mass_matrix(q) @ (simulator.v - before)
        J = np.vstack([tree.frame_jacobian(q, "ball") - tree.frame_jacobian(q, "hand"), np.eye(8)[:1]])
        np.testing.assert_allclose(J @ simulator.v, [*np.zeros(6), 1.6], atol=1e-12)
        impulse = np.linalg.lstsq(J.T, jump, rcond=None)[0]  # of the connection and of the motor, and of nothing else
        np.testing.assert_allclose(J.T @ impulse, jump, atol=1e-12)
        simulator.when(kg.angle("shoulder") > 0.3, "cut", "grip")
        run = simulator.run(0.5)
        assert [what for _, what, _ in run.events] == ["cut"]
        np.testing.assert_allclose(run.q[:, 0], 0.4 * np.sin(4 * run.t), atol=1e-14)
        np.testing.assert_allclose(run.v[:, 0], 1.6 * np.cos(4 * run.t), atol=1e-13)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_walker_on_the_floor_with_a_driven_crank(integrator: str) -> None:
    """Contact, loops and a motion that is given: the crank goes as it is told, the vertical momentum account closes."""
    model = walker()
    q = standing(model)
    places = {name: q[model.q_slice(name)][0] for name in ("hip_l", "hip_r")}
    course = {name: lambda t, x=place: x + 0.1 * np.sin(8 * t) for name, place in places.items()}
    simulator = kg.Simulator(model, integrator=integrator, q=q, driven=course)
    run = simulator.run(0.2)
    for name, place in places.items():
        np.testing.assert_allclose(run.joint(name)[0][:, 0], place + 0.1 * np.sin(8 * run.t), rtol=0, atol=1e-15)
    assert simulator.gap < 1e-10
    pressed = np.array([-run.contacts[i].wrench("world")[2] for i in range(200)])
    weight = 9.81 * sum(link.mass for link in mechanism().links)
    impulse = 1e-3 * np.cumsum(pressed - weight)
    np.testing.assert_allclose(run.momentum[1:, 2] - run.momentum[0, 2], impulse, atol=5e-3)
    assert np.ptp(run.momentum[:, 2]) > 0.1 and pressed.min() >= 0.0


def test_a_loop_held_by_rows_follows_as_one_held_by_its_closure() -> None:
    """The same linkage with its loop in the contact solver: the crank is exact, the rest follows to the rows."""
    mechanism = four_bar(0.2, 0.6, 0.5, 0.6)
    by_rows = kg.compile(mechanism, rows=kg.RowRules(loops=True))
    course, q = turning(bar(), "pivot"), bar().q0
    runs = [kg.Simulator(model, driven=course, q=q).run(0.5) for model in (bar(), by_rows)]
    np.testing.assert_array_equal(runs[1].q[:, 0], runs[0].q[:, 0])
    np.testing.assert_allclose(runs[1].q, runs[0].q, atol=5e-4)
    np.testing.assert_allclose(runs[1].tau[5:-1, 0], runs[0].tau[5:-1, 0], atol=0.02)


@pytest.mark.filterwarnings("error::kinegen.ClosureWarning")
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_crank_that_rests_for_an_instant_within_a_step_is_no_singular_place(integrator: str) -> None:
    """Cycloidal indexing: the mean speed of that step is a third of that at both of its ends, which are equal."""
    model = bar()
    crank = model.joint_names[0]
    for begin in (0.2, 1.35, 4.0):
        q = model.assemble([begin, *model.q0[1:]], hold=[crank])
        rate = 2 * np.pi / 0.5005

        def course(t: float, start: float = q[0], rate: float = rate) -> float:
            return float(start + rate * t - np.sin(rate * t))

        simulator = kg.Simulator(model, integrator=integrator, q=q, driven={crank: course})
        simulator.run(0.7)
        assert simulator.gap < 1e-10
