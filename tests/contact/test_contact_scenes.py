"""Whole scenes: stacks, drops, a robot on its feet; records, restarts, refusals."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.analysis.contact.rules import ContactRules
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.codegen.pipeline import generate
from kinegen.runtime import ContactOptions, Model, SimulationError, Simulator, Trajectory
from kinegen.runtime.errors import ContactWarning, ModelError
from support.contact.contact_scenes import at, dropped, scene, shapes, solid, standing_talos, upright

CUBE = shapes.box((0.1, 0.1, 0.1))


@cache
def stack() -> Model:
    return scene("stack_10", [solid(f"b{i}", CUBE) for i in range(10)], [shapes.plane()])


@cache
def ball_on_ground(restitution: float = 0.5) -> Model:
    return scene("drop", [solid("ball", shapes.sphere(0.1, restitution=restitution))], [shapes.plane()])


def test_a_stack_of_ten_boxes_stands() -> None:
    start = at(*((0.003 * (-1) ** i, 0.002 * (i % 3), 0.05 + 0.1 * i) for i in range(10)))
    sim = Simulator(stack(), q=start)
    trajectory = sim.run(6.0, every=100)
    moved = np.abs(trajectory.q - start).max()
    assert moved < 1e-3
    assert trajectory.contacts is not None
    depths = [-c.gaps.min() for c in trajectory.contacts if len(c)]  # type: ignore[attr-defined]
    assert max(depths) < 2e-4
    pressed = np.mean(trajectory.contacts.force("world")[10:60], axis=0)
    np.testing.assert_allclose(pressed, [0, 0, -98.1], atol=0.2)


@pytest.mark.parametrize("restitution", [*(pytest.param(e, marks=pytest.mark.sweep) for e in (0.0, 0.5)), 1.0])
def test_no_drop_gains_energy(restitution: float) -> None:
    for model in dropped(restitution):
        for seed in range(10):
            rng = np.random.default_rng(seed)
            q = model.random(rng)
            q[:3] = [0, 0, 0.6]
            sim = Simulator(model, q=q, v=[*rng.normal(size=3), *(3 * rng.normal(size=3))], dt=2e-4)
            trajectory = sim.run(0.8, every=20)
            energy = trajectory.energy.sum(axis=1)
            drift = 0.02 * (energy[0] - energy.min()) + 1e-3  # of the spin of a free body, first order in dt
            if restitution == 1.0:  # Euler's steps keep energy - g dt P_z / 2, and P_z turns round in a bounce
                drift += 9.81 * 2e-4 * np.abs(trajectory.momentum[:, 2]).max()
            assert (energy - energy[0]).max() < drift


def test_shapes_rest_on_each_other() -> None:
    """Each on a box that stands: after a second at rest, each box carries its own and both press on the ground."""
    across = Pose(rpy=(0.0, np.pi / 2, 0.0))
    tops = {
        "ball": (shapes.sphere(0.1), 0.1),
        "rod": (shapes.capsule(0.05, 0.3, pose=across), 0.05),
        "cube": (CUBE, 0.05),
    }
    bases = [solid(f"below_{name}", shapes.box((0.4, 0.4, 0.2)), 3.0) for name in tops]
    bodies = [*bases, *(solid(name, shape) for name, (shape, _) in tops.items())]
    model = scene("carry", bodies, [shapes.plane()])
    places = [np.array([i, 0, 0.2 + height]) for i, (_, height) in enumerate(tops.values())]
    sim = Simulator(model, q=at(*((i, 0, 0.1) for i in range(3)), *places))
    sim.step(1000)
    for i, (name, place) in enumerate(zip(tops, places, strict=True)):
        np.testing.assert_allclose(sim.q[21 + 7 * i : 24 + 7 * i], place, atol=2e-4)
        np.testing.assert_allclose(sim.contacts.wrench(name)[:3], [0, 0, 9.81], atol=1e-2)
        np.testing.assert_allclose(sim.contacts.wrench(f"below_{name}")[:3], [0, 0, 3 * 9.81], atol=1e-2)
    np.testing.assert_allclose(sim.contacts.wrench("world")[:3], [0, 0, -12 * 9.81], atol=3e-2)


def test_capsules_and_balls_push_each_other_apart_along_their_axes() -> None:
    """Head-on, frictionless, without gravity: equal masses with restitution 1 exchange their speeds."""
    for shape in (shapes.sphere(0.1, restitution=1.0), shapes.capsule(0.1, 0.2, restitution=1.0)):
        link = replace(shape, friction=0.0)
        model = scene("exchange", [solid("a", link), solid("b", link)], [], (0.0, 0.0, 0.0))
        sim = Simulator(model, q=at((0, 0, 0), (0.5, 0, 0)), v=[1.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        sim.step(600)
        np.testing.assert_allclose(sim.v[[0, 6]], [0.0, 1.0], atol=1e-6)


@pytest.mark.parametrize("pad", [(0.02, 0.1, 0.2), (0.02, 0.06, 0.06)], ids=["as wide", "narrower"])
def test_two_fingers_hold_what_friction_can_hold(pad: tuple[float, float, float]) -> None:
    """A cube between fingers that can only close, weight up to 2 mu N: how its corners share N is not told by motion.
    The wider pads end at its edges, where the same corner is found as one of either solid. Beyond that it falls."""
    cube = solid("cube", shapes.box((0.1, 0.1, 0.1), friction=0.5), 2.0)
    fingers = [kg.Link(name, 0.3, shapes=[shapes.box(pad, friction=0.5)]) for name in ("left", "right")]
    slides = [
        Joint(link.name, "prismatic", "world", link.name, axis=(side, 0, 0), origin=Pose((-0.06 * side, 0, 0)))
        for link, side in zip(fingers, (1.0, -1.0), strict=True)
    ]
    model = kg.compile(Mechanism("gripper", [*fingers, cube], [*slides, Joint("flight", "free", "world", "cube")]))
    height, weight = model.q_slice("flight").start + 2, 2.0 * 9.81
    for part in (0.3, 0.5, 0.7, 0.9, 0.95, 1.1):
        press = weight / part
        soft, bounded = kg.Servo(2000.0, 40.0, press / 2000.0), kg.Servo(5000.0, 50.0, 0.05, limit=press)
        for servo in (None, soft, bounded):
            sim = Simulator(model, tau=None if servo else [press, press, *np.zeros(6)],
                            servos={"left": servo, "right": servo} if servo else None)  # fmt: skip
            sim.step(300)
            if part < 1.0:
                assert abs(sim.q[height]) < 1e-6 and np.abs(sim.v).max() < 1e-4
                assert sim.contacts.forces[:, 2].sum() == pytest.approx(weight, abs=1e-2)
            else:
                assert sim.v[4] < -0.2


def test_a_servo_at_its_limit_moves_all_else_as_its_torque_does() -> None:
    """Bit for bit: a step is made without the limit first, and what was found there of contacts counts no more."""
    disc, arm = solid("disc", shapes.cylinder(0.1, 0.01)), kg.Link("arm", 1.0, inertia=kg.inertia.sphere(1.0, 0.1))
    joints = [Joint("flight", "free", "world", "disc"), Joint("hinge", "revolute", "world", "arm", axis=(1, 0, 0))]
    model = kg.compile(Mechanism("beside_a_hinge", [disc, arm], joints, shapes=[shapes.plane()]))
    q, v = model.neutral(), np.zeros(7)
    q[model.q_slice("flight")] = 0, 0, 0.03, np.sin(0.12), 0, 0, np.cos(0.12)
    v[model.v_slice("flight")] = 0, 0, 0, 0, 0, 9.0
    ends = []
    for driven in ({"tau": {"hinge": 5.0}}, {"servos": {"hinge": kg.Servo(5000.0, 5.0, 1e3, limit=5.0)}}):
        sim = Simulator(model, q=q, v=v, **driven)
        sim.step(300)
        assert len(sim.contacts)
        ends.append(sim.q)
    assert np.array_equal(*ends)


def test_talos_stands_on_its_feet() -> None:
    model = kg.compile(standing_talos())
    q = upright(model)
    sim = Simulator(model, q=q)
    trajectory = sim.run(3.0, every=50)
    assert trajectory.contacts is not None
    weight = model.mass_matrix(q)[0, 0] * 9.81
    total = trajectory.contacts.force("world")[-2]
    np.testing.assert_allclose(total, [0, 0, -weight], atol=0.01 * weight)
    assert len(sim.contacts) == 8
    assert abs(sim.q[2] - q[2]) < 0.02 and np.abs(sim.v).max() < 0.05
    assert sim.contacts.gaps.min() > -2e-4
    center = sim.contacts.center_of_pressure("world")
    assert abs(center[0] - model.com(sim.q)[0]) < 0.03


def test_contacts_are_recorded_saved_and_read(tmp_path: Path) -> None:
    sim = Simulator(ball_on_ground(0.0), q=at((0, 0, 0.1)))
    trajectory = sim.run(0.3, every=7)
    assert trajectory.contacts is not None and len(trajectory.contacts) == len(trajectory)
    np.testing.assert_allclose(trajectory.contacts[20].forces, [[0, 0, 9.81]], atol=1e-6)
    assert trajectory.contacts[20].links == (("world", "ball"),)
    trajectory.save(tmp_path / "drop.npz")
    read = Trajectory.load(tmp_path / "drop.npz")
    assert read.contacts is not None
    np.testing.assert_array_equal(read.contacts.force("ball"), trajectory.contacts.force("ball"))
    part = read[5:9]
    assert part.contacts is not None
    np.testing.assert_array_equal(part.contacts.force("ball"), trajectory.contacts.force("ball")[5:9])
    np.testing.assert_array_equal(trajectory.contacts[5:9].force("ball"), part.contacts.force("ball"))


def test_a_force_plate_tells_force_moment_and_center_over_time(tmp_path: Path) -> None:
    """A box dropped off centre onto one that stands: what the contacts of every state say, for all states at once."""
    model = scene("plates", [solid("base", shapes.box((0.4, 0.4, 0.2)), 3.0), solid("top", CUBE)], [shapes.plane()])
    sim = Simulator(model, q=at((0, 0, 0.1), (0.05, -0.1, 0.27)))
    trajectory = sim.run(0.5, every=10)
    history = trajectory.contacts
    assert history is not None and history.links() == ("base", "top", "world")
    for link in history.links():
        about = np.random.default_rng(1).normal(size=3)
        np.testing.assert_allclose(history.wrench(link, about), [c.wrench(link, about) for c in history], atol=1e-9)
        centers = [c.center_of_pressure(link) for c in history]
        np.testing.assert_allclose(history.center_of_pressure(link), centers, atol=1e-12)
        np.testing.assert_array_equal(history.wrench(link)[:, :3], history.force(link))
    assert (
        np.isnan(history.center_of_pressure("top")[0]).all() and np.isnan(history.center_of_pressure("top")[-1]).all()
    )
    np.testing.assert_allclose(history.center_of_pressure("top")[-2], [0.05, -0.1, 0.2], atol=2e-3)
    np.testing.assert_allclose(history.center_of_pressure("world")[-2, :2], [0.0125, -0.025], atol=2e-3)
    moved = history.wrench("world", history.center_of_pressure("world"))[-2]  # where it is, flat ground feels no tilt
    np.testing.assert_allclose(moved[3:5], 0.0, atol=1e-6)
    trajectory.plot_contacts(tmp_path / "all.png")
    figure = trajectory.plot_contacts(links=["world"])
    assert (tmp_path / "all.png").stat().st_size > 10_000 and len(figure.axes) == 2
    with pytest.raises(ModelError, match=r"links: no link is named, so that there is nothing to draw"):
        trajectory.plot_contacts(links=[])
    with pytest.raises(IndexError, match=rf"contacts\[{len(trajectory)}\]: there are {len(trajectory)} states"):
        trajectory.contacts[len(trajectory)]
    with pytest.raises(ModelError, match="no shape of a link 'tip' can touch; those that can: base, top, world"):
        history.force("tip")
    for ask in (history[-2].wrench, history[-2].center_of_pressure, sim.contacts.wrench):
        with pytest.raises(ModelError, match="no shape of a link 'tip' can touch; those that can: base, top, world"):
            ask("tip")
    with pytest.raises(ModelError, match="without contacts"):
        Simulator(model, contacts=False).run(0.01).plot_contacts()
    with pytest.raises(ModelError, match="nothing ever pressed"):
        Simulator(model, q=at((0, 0, 1), (0, 0, 2))).run(0.01).plot_contacts()


def test_the_wrench_about_a_centre_of_pressure_is_zero_where_nothing_presses() -> None:
    """A box 0.5 mm over the floor: contacts are near, and press first where it lands."""
    crate = scene("crate", [solid("crate", CUBE)], [shapes.plane()])
    history = Simulator(crate, q=at((0, 0, 0.0505))).run(0.03).contacts
    assert history is not None
    center = history.center_of_pressure("crate")
    lifted = np.isnan(center).all(axis=1)
    assert lifted[1] and len(history[1]) == 4 and not lifted[-2]
    for link in ("crate", "world"):
        wrenches = history.wrench(link, center)
        assert not wrenches[lifted].any()
        np.testing.assert_allclose(wrenches, [c.wrench(link, p) for c, p in zip(history, center, strict=True)])
    with pytest.raises(ModelError, match=r"about: entry 0 is nan, expected a number"):
        history[-2].wrench("crate", np.full(3, np.nan))


def test_motion_is_the_same_in_one_run_and_in_pieces() -> None:
    start = at(*((0.01 * i, 0.02 * i, 0.2 * i + 0.3) for i in range(10)))
    whole, pieces = Simulator(stack(), q=start), Simulator(stack(), q=start)
    whole.step(600)
    pieces.step(350)
    kept = pieces.save()
    pieces.step(250)
    np.testing.assert_array_equal(whole.q, pieces.q)
    pieces.restore(kept)
    pieces.step(250)
    np.testing.assert_array_equal(whole.q, pieces.q)
    np.testing.assert_array_equal(whole.contacts.forces, pieces.contacts.forces)


def test_contact_can_be_left_out() -> None:
    sim = Simulator(ball_on_ground(), q=at((0, 0, 0.2)), contacts=False)
    sim.step(1000)
    assert sim.q[2] < -4.0
    with pytest.raises(ModelError, match="simulated without contacts"):
        _ = sim.contacts
    bare = Mechanism("bare", [Link("b", 1.0, (0, 0, 0), (1, 0, 0, 1, 0, 1))], [Joint("f", "free", "world", "b")])
    assert not generate(bare).manifest.touching
    assert not generate(stack_mechanism(), contacts=False).manifest.touching


def stack_mechanism() -> Mechanism:
    return Mechanism("one", [solid("b", CUBE)], [Joint("f", "free", "world", "b")], shapes=[shapes.plane()])


def test_rules_choose_the_pairs() -> None:
    links = [solid(name, CUBE) for name in "abc"]
    joints = [
        Joint("fa", "free", "world", "a"),
        Joint("ab", "revolute", "a", "b", Pose((0, 0, 0.3))),
        Joint("bc", "revolute", "b", "c", Pose((0, 0, 0.3))),
    ]
    chain = Mechanism("chain", links, joints, shapes=[shapes.plane()])
    floor = {("world", name) for name in "abc"}
    assert set(generate(chain).manifest.touching) == floor
    assert set(generate(chain, contacts=ContactRules(within=True)).manifest.touching) == floor | {("a", "c")}
    excluded = ContactRules(within=True, exclude=[("c", "a"), ("world", "b")])
    assert set(generate(chain, contacts=excluded).manifest.touching) == {("world", "a"), ("world", "c")}
    with pytest.raises(ModelError, match="no link 'd'"):
        generate(chain, contacts=ContactRules(exclude=[("a", "d")]))
    with pytest.raises(ModelError, match=r"exclude: expected pairs of link names.*got .ab."):
        ContactRules(exclude=["ab"])  # type: ignore[list-item]


def test_what_cannot_touch_is_said() -> None:
    links = [solid("drum", shapes.cylinder(0.1, 0.2)), solid("crate", CUBE)]
    joints = [Joint(f"{link.name}_free", "free", "world", link.name) for link in links]
    table = generate(Mechanism("mixed", links, joints, shapes=[shapes.plane()])).manifest.touching
    assert set(table) == {("world", "drum"), ("world", "crate"), ("drum", "crate")}
    flat = [Link("m", 1.0, (0, 0, 0), (1, 0, 0, 1, 0, 1), shapes=[shapes.plane()])]
    with pytest.warns(ContactWarning, match="plane of 'm'"):
        generate(Mechanism("planes", flat, [Joint("f", "free", "world", "m")], shapes=[shapes.plane()]))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"sweeps": 0}, "sweeps"),
        ({"tolerance": -1.0}, "tolerance: expected a number of at least 0"),
        ({"recovery": 2.0}, "between 0 and 1"),
        ({"depth": float("nan")}, "depth"),
    ],
)
def test_bad_options_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ContactOptions(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_c_takes_the_usual_options_for_none_and_makes_no_step_without_sweeps(integrator: str) -> None:
    usual, bare = (Simulator(ball_on_ground(), q=at((0, 0, 0.1)), integrator=integrator) for _ in range(2))
    state, stepper = bare._motion.stepper._state, bare._motion.stepper
    assert state is not None
    options, state._options = state._options, usual.model.module.ffi.NULL
    for sim in (usual, bare):
        sim.step(200)
    np.testing.assert_array_equal(bare.q, usual.q)
    options.sweeps = 0
    state._options = options
    before = bare.q.copy()
    with pytest.raises(SimulationError):
        bare.step(1)
    assert stepper._simulate(stepper._simulation) == 0
    np.testing.assert_array_equal(bare.q, before)


def test_links_that_are_not_there_bear_nothing_and_are_named() -> None:
    sim = Simulator(ball_on_ground(), q=at((0, 0, 0.1)))
    history = sim.run(0.01).contacts
    assert history is not None
    for contacts in (sim.contacts, history):
        for told in (contacts.wrench, contacts.center_of_pressure):
            with pytest.raises(ModelError, match="no shape of a link 'bal' can touch; those that can: ball, world"):
                told("bal")


def test_bad_use_is_refused() -> None:
    with pytest.raises(ModelError, match="friction must not be negative"):
        shapes.box((1, 1, 1), friction=-0.1)
    sim = Simulator(ball_on_ground(), q=at((0, 0, 0.1)), tau=lambda t, q, v: [np.nan if t > 0.1 else 0.0] * 6)
    with pytest.raises(SimulationError, match="entry 0, joint 'ball_free', is nan") as caught:
        sim.run(1.0)
    assert caught.value.trajectory is not None and np.isfinite(sim.q).all()
    sim = Simulator(ball_on_ground(), q=at((0, 0, 0.1)), v=[0, 0, -1e200, 0, 0, 0])
    with pytest.raises(SimulationError, match="stops being finite"):
        sim.step(3)
