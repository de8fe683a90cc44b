"""A simulator that is looked at: time, the mouse, connections."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.viewer.live import Live
from kinegen.runtime.viewer.pull import STIFF, as_wrenches, felt_mass, point_jacobian
from support.contact.dropped import simulator as dropped
from support.mechanisms.closed_mechanisms import four_bar
from support.served import served

RADIUS = 0.2


def ball() -> kg.Simulator:
    """Of 1 kg, where nothing else acts."""
    link = kg.Link("ball", 1.0, inertia=kg.inertia.sphere(1.0, RADIUS), shapes=[kg.sphere(RADIUS)])
    return kg.Simulator(kg.Mechanism("space", [link], [kg.Joint("free", "free", "world", "ball")], gravity=(0, 0, 0)))


def test_real_time_slow_motion_a_step_and_reset() -> None:
    simulator = dropped()
    with served(Live, simulator) as show:
        show.advance(0.0204)
        show.advance(0.0004)
        assert simulator.t == pytest.approx(0.020)
        show.advance(0.0004)
        assert simulator.t == pytest.approx(0.021)  # what is left of a step is not lost
        show._chosen.value = "1/10"
        show.advance(0.05)
        assert simulator.t == pytest.approx(0.026, abs=1.1e-3)
        show._step()
        t = simulator.t
        show.advance(1.0)
        assert simulator.t == t and show._button.label == "play"
        show.reset()
        assert simulator.t == 0.0 and np.array_equal(simulator.q, dropped().q)


def test_reset_gives_back_the_servos_that_an_event_has_changed() -> None:
    """The same motion again: a joint of 1 kg m² that goes to 0.1 rad, and from 20 ms on to 0.7."""
    link = kg.Link("arm", 1.0, inertia=(1, 0, 0, 1, 0, 1))
    mechanism = kg.Mechanism("m", [link], [kg.Joint("j", "revolute", "world", "arm", axis=(0, 1, 0))])
    grip = kg.Connection("grip", "world", "arm", kg.spherical())
    simulator = kg.Simulator(kg.TopologyLibrary(mechanism, connections=[grip]), servos={"j": kg.Servo(50.0, 1.0, 0.1)})

    def other(sim: kg.Simulator) -> None:
        sim.servos = {"j": kg.Servo(50.0, 1.0, 0.7)}

    simulator.at(0.02, other)
    ends = []
    with served(Live, simulator) as show:
        for _ in range(2):
            assert simulator.servos["j"].position == 0.1
            show.advance(0.0402)
            ends.append(simulator.q[0])
            show.advance(0.0102)
            show.reset()
    assert ends[0] == ends[1] > 0.01


def test_a_word_that_a_list_does_not_have_stands_for_its_first_choice() -> None:
    """No page sends one, but others that reach the viewer may: it goes on."""
    simulator = dropped()
    with served(Live, simulator) as show:
        show._chosen.value = "nosuch"
        show.advance(0.0204)
        assert simulator.t == pytest.approx(0.020)
        show._chosen.value = "1/2"
        show.advance(0.0204)
        assert simulator.t == pytest.approx(0.030, abs=1.1e-3)


def test_the_mouse_pulls_a_ball_to_the_cursor_and_lets_it_go() -> None:
    """Held at its middle it is m ẍ = m ω² (goal − x) − 2 m ω ẋ: after t, e^(−ω t) (1 + ω t) of the way is left."""
    simulator = ball()
    goal = np.array([0.3, -0.1, 0.2])
    with served(Live, simulator) as show:
        show.take("ball", np.zeros(3))
        assert show.pull is not None and show.pull.mass == pytest.approx(1.0)
        show.aim(goal)
        simulator.step(100)
        left = np.exp(-0.1 * STIFF) * (1.0 + 0.1 * STIFF)
        np.testing.assert_allclose(simulator.q[:3], (1.0 - left) * goal, rtol=2e-2)
        show.refresh()
        assert show.stage._pull.visible
        simulator.step(1000)
        np.testing.assert_allclose(simulator.q[:3], goal, atol=1e-4)
        show.drop()
        assert simulator.wrenches is None and show.pull is None
        show.refresh()
        assert not show.stage._pull.visible


def test_the_grasped_point_goes_with_its_link() -> None:
    simulator = ball()
    simulator.q = [1.0, 0.0, 0.0, 0.0, 0.0, np.sin(0.5), np.cos(0.5)]
    with served(Live, simulator) as show:
        show.take("ball", np.array([1.0, RADIUS, 0.0]))
        assert show.pull is not None
        np.testing.assert_allclose(show.pull.local, RADIUS * np.array([np.sin(1.0), np.cos(1.0), 0.0]), atol=1e-9)
        np.testing.assert_allclose(show.pull.point(simulator.model, simulator.q), [1.0, RADIUS, 0.0], atol=1e-9)
        assert show.pull.mass == pytest.approx(1.0 / (1.0 + RADIUS**2 / (0.4 * RADIUS**2)))  # 1/m + r²/I


def test_inertia_that_is_felt_in_a_loop() -> None:
    """The tip of a crank moves across it: 1 / (Wᵀ M W), over the crank's length squared."""
    model = kg.compile(four_bar(1.0, 2.0, 2.5, 3.0))
    q, tip = model.q0, np.array([1.0, 0.0, 0.0])
    across = point_jacobian(model, q, "crank", tip) @ model.W(q)[:, 0]
    reduced = float((model.W(q).T @ model.mass_matrix(q) @ model.W(q)).item())
    assert felt_mass(model, q, "crank", tip) == pytest.approx(reduced / np.abs(across).max() ** 2)


def test_other_wrenches_go_on_acting_while_something_is_pulled() -> None:
    """A force that holds the ball against the pull's spring: f = m ω² (x − goal) where it rests."""
    simulator = ball()
    simulator.wrenches = {"ball": [5.0, 0, 0, 0, 0, 0]}
    with served(Live, simulator) as show:
        show.take("ball", np.zeros(3))
        simulator.step(2000)
        np.testing.assert_allclose(simulator.q[:3], [5.0 / STIFF**2, 0, 0], atol=1e-5)
        show.drop()
        assert simulator.wrenches == {"ball": [5.0, 0, 0, 0, 0, 0]}
        simulator.wrenches = {"ball": np.zeros((10, 6))}
    with served(Live, simulator) as show:
        show.take("ball", np.zeros(3))
        assert show.pull is None and "in a row per step" in show.message.text


def test_wrenches_of_every_form_are_read() -> None:
    model, q = ball().model, np.array([1.0, 2.0, 3.0, 0, 0, 0, 1.0])
    v, push = np.zeros(6), kg.Wrench("push", "ball", force=np.ones(3), point=np.zeros(3))
    assert as_wrenches(None, model, 0.0, q, v) == [] and as_wrenches([push], model, 0.0, q, v) == [push]
    (told,) = as_wrenches(lambda t, q, v: {"ball": [1, 0, 0, 0, t, 0]}, model, 0.5, q, v)
    np.testing.assert_array_equal([told.force, told.point, told.moment], [[1, 0, 0], [1, 2, 3], [0, 0.5, 0]])


def test_buttons_connect_and_cut() -> None:
    simulator = dropped()
    with served(Live, simulator) as show:
        labels = {button.label for button in show._buttons}
        assert labels == {"connect weld", "connect rope", "connect hook", "cut pivot"}
        show.switch("rope")
        assert simulator.active == {"pivot", "rope"} and "connect rope" in show.message.text
        show.switch("pivot")
        assert simulator.active == {"rope"}
        show.refresh()
        assert {button.label for button in show._buttons} >= {"cut rope", "connect pivot"}
        simulator.step(100)
        show.switch("hook")
        assert simulator.active == {"rope"} and "hook" in show.message.text and "apart" in show.message.text


def test_torques_are_set_by_sliders_and_given_back() -> None:
    """Of joints that close loops as well; the motion is that of a simulator with these torques."""
    simulator = kg.Simulator(kg.compile(four_bar(1.0, 2.0, 2.5, 3.0)), tau=[0.0, 0.0, 0.1])
    twin = kg.Simulator(simulator.model)
    (cut,) = simulator.model.manifest.loops
    first = simulator.model.joint_names[0]
    with served(Live, simulator) as show:
        assert {name for name, _ in show.torques.sliders} == {*simulator.model.joint_names, cut.name}
        show.torques.sliders[first, 0].value = 0.4
        show.torques.sliders[cut.name, 0].value = -0.3
        show.torques._act()
        last = simulator.model.joint_names[-1]
        twin.tau = {first: 0.4, cut.name: -0.3, last: show.torques.sliders[last, 0].value}
        simulator.step(100)
        twin.step(100)
        np.testing.assert_array_equal(simulator.q, twin.q)
        show.reset()
        np.testing.assert_array_equal(simulator.tau, [0.0, 0.0, 0.1])
        assert show.torques.sliders[first, 0].value == 0.0
    with served(Live, kg.Simulator(simulator.model, tau=lambda t, q, v: [0.0, 0.0, 0.0])) as show:
        assert show.torques.sliders == {}


def test_parameters_are_set_by_sliders_and_given_back() -> None:
    """A four-bar with another gravity and mass goes on as if it had been compiled with them, its loop closed."""
    bars = kg.parametrise(four_bar(1.0, 2.0, 2.5, 3.0), "mass of *", "gravity")
    model = kg.compile(bars)
    mass, *_ = (name for name in model.parameters if name.startswith("m"))
    simulator, changed = kg.Simulator(model), {"gravity_z": -3.0, mass: 2.5}
    simulator.step(50)
    twin = kg.Simulator(model.with_parameters(changed), q=simulator.q, v=simulator.v)
    with served(Live, simulator) as show:
        for name, value in changed.items():
            show.parameters.sliders[name].value = value
            show.parameters._act(name)
        simulator.step(200)
        twin.step(200)
        np.testing.assert_allclose(simulator.q, twin.q, atol=1e-10)
        assert simulator.gap < 1e-9
        show.release()
        assert simulator.model.parameters == model.parameters
        assert simulator.t == pytest.approx(0.25)


def test_energy_of_the_last_seconds_is_drawn() -> None:
    simulator = dropped()
    with served(Live, simulator) as show:
        for _ in range(4):
            simulator.step(200)
            show.energy.note(simulator, 1.0)
        t, kinetic, potential, total = show.energy.plot.data
        np.testing.assert_allclose(t, [0.2, 0.4, 0.6, 0.8])
        assert [kinetic[-1], potential[-1]] == pytest.approx(list(simulator.model.energy(simulator.q, simulator.v)))
        np.testing.assert_allclose(total, kinetic + potential)
        show.reset()
        show.energy.note(simulator, 1.0)
        assert len(show.energy.plot.data[0]) == 1
