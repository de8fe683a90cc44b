"""Restitution island by island: energy, momentum, and that what happens elsewhere does not matter."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.runtime import ContactOptions
from support.contact.contact_scenes import at, loose, scene, solid

QUARTER = np.pi / 2
INWARD = (  # position in units of half a room, attitude: the normals of six walls
    ((0, 0, -1), (0, 0, 0)),
    ((0, 0, 1), (2 * QUARTER, 0, 0)),
    ((-1, 0, 0), (0, QUARTER, 0)),
    ((1, 0, 0), (0, -QUARTER, 0)),
    ((0, -1, 0), (-QUARTER, 0, 0)),
    ((0, 1, 0), (QUARTER, 0, 0)),
)


def walls(half: float, restitution: float) -> list[shapes.Shape]:
    poses = [kg.Pose(tuple(half * x for x in place), turn) for place, turn in INWARD]  # type: ignore[arg-type]
    return [shapes.plane(pose=pose, friction=0.0, restitution=restitution) for pose in poses]


@cache
def room(restitutions: tuple[float, ...], friction: float = 0.0) -> kg.Model:
    """Balls of several masses in a room of 2 m whose walls take what each ball says."""
    balls = [
        solid(f"b{i}", shapes.sphere(0.05 + 0.01 * i, friction=friction, restitution=e), 0.3 * 4.0**i)
        for i, e in enumerate(restitutions)
    ]
    return scene("room", balls, walls(1.0, 0.0), (0.0, 0.0, 0.0))


def flying(model: kg.Model, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Balls on a grid, so that none overlap, with speeds of some m/s."""
    rng = np.random.default_rng(seed)
    count = model.nv // 6
    grid = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    places = rng.permutation(len(grid))[:count]
    v = np.concatenate([[*rng.normal(scale=2.0, size=3), *rng.normal(scale=3.0, size=3)] for _ in range(count)])
    return at(*(grid[i] for i in places)), v


def impacts(trajectory: kg.Trajectory) -> int:
    assert trajectory.contacts is not None
    return int(np.count_nonzero(np.abs(trajectory.contacts.records["force"]).max(axis=1)))


def bounced(restitutions: tuple[float, ...], seed: int, seconds: float) -> int:
    """Impacts of a run in which energy must not rise, and must stay where all restitution is 1.

    Also what approaches more slowly than by the usual 0.05 m/s bounces here.
    """
    model = room(restitutions)
    q, v = flying(model, seed)
    trajectory = kg.Simulator(model, q=q, v=v, contacts=ContactOptions(bounce=1e-9)).run(seconds)
    energy = trajectory.energy[:, 0]
    assert (np.diff(energy) / energy[:-1]).max() < 1e-12, f"seed {seed}"
    if min(restitutions) == 1.0:
        assert abs(energy[-1] / energy[0] - 1.0) < 1e-9, f"seed {seed}"
    return impacts(trajectory)


@pytest.mark.sweep
def test_balls_in_a_room() -> None:
    assert bounced((1.0, 1.0, 1.0), 0, 3.0) > 20
    assert bounced((0.3, 0.7, 1.0), 1, 3.0) > 10


@pytest.mark.sweep
def test_ten_thousand_impacts(capsys: pytest.CaptureFixture[str]) -> None:
    for restitutions in ((1.0, 1.0, 1.0), (0.3, 0.7, 1.0)):
        total, seed = 0, 100
        while total < 10_000 and seed < 400:
            total += bounced(restitutions, seed, 40.0)
            seed += 1
        with capsys.disabled():
            print(f"\nrestitution {restitutions}: {total} impacts, seeds 100 to {seed - 1}")
        assert total >= 10_000 or min(restitutions) < 1.0


@pytest.mark.parametrize("restitution", [0.3, pytest.param(0.7, marks=pytest.mark.sweep), 1.0])
@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_a_ball_leaves_with_its_part_of_the_speed(restitution: float, integrator: str) -> None:
    """Three balls of 1 g to 100 kg at three heights, no gravity: each leaves with e times its speed, exactly."""
    balls = [
        solid(f"b{i}", shapes.sphere(0.1, friction=0.0, restitution=restitution), mass)
        for i, mass in enumerate((1e-3, 1.0, 100.0))
    ]
    model = scene("three", balls, [shapes.plane(friction=0.0)], (0.0, 0.0, 0.0))
    sim = kg.Simulator(
        model,
        q=at((0, 0, 0.11), (1, 0, 0.15), (2, 0, 0.3)),
        v=np.concatenate([[0.2, 0, -speed, 0, 0, 0] for speed in (0.5, 1.7, 9.0)]),
        integrator=integrator,
    )
    sim.step(200)
    np.testing.assert_allclose(sim.v[2::6], restitution * np.array([0.5, 1.7, 9.0]), rtol=1e-12)
    np.testing.assert_allclose(sim.v[0::6], 0.2, rtol=1e-14)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_balls_apart_by_less_than_a_step_keep_energy_and_momentum(integrator: str) -> None:
    """Four balls on a line that one strikes: impacts whose gaps close within a step."""
    masses, r = np.array([1.0, 0.5, 2.0, 1.0]), 0.02
    balls = [solid(f"b{i}", shapes.sphere(r, friction=0.0, restitution=1.0), m) for i, m in enumerate(masses)]
    lines = [kg.Joint(ball.name, "prismatic", "world", ball.name, axis=(1, 0, 0)) for ball in balls]
    for order in (1, -1):
        model = kg.compile(kg.Mechanism("balls_apart", balls[::order], lines[::order], gravity=(0, 0, 0)))
        for gaps in ((1e-7, 1e-4), (3e-4, 1e-6), (4e-4, 4e-4), (0.0, 2e-4), (3e-4, 0.0), (6e-4, 1e-4), (1e-4, 1e-4)):
            q = np.cumsum([0.0, 2 * r + 0.01, 2 * r + gaps[0], 2 * r + gaps[1]])
            sim = kg.Simulator(model, q=q[::order], v=[1.0, 0, 0, 0][::order], integrator=integrator)
            sim.step(40)
            v = sim.v[::order]
            assert v[0] < v[1] <= v[2] + 1e-12 and v[2] <= v[3] + 1e-12
            assert abs(masses @ v - 1.0) < 1e-13 and abs(masses @ v**2 - 1.0) < 1e-12, (gaps, v)
        sim = kg.Simulator(model, q=q[::order], v=[0.3, 0, 0, 0][::order], integrator=integrator)
        sim.step(200)  # one after the other, though some 0.1 mm apart
        one_by_one = 0.3 * np.prod(2.0 * masses[:-1] / (masses[:-1] + masses[1:]))
        assert abs(sim.v[::order][3] / one_by_one - 1.0) < 1e-12


def test_restitution_one_keeps_the_energy_of_bodies_that_strike_with_several_points() -> None:
    """Boxes and rods that spin, without friction: several points at once, none of them loses anything."""
    bodies = [
        solid("box", shapes.box((0.3, 0.2, 0.1), friction=0.0, restitution=1.0)),
        solid("rod", shapes.capsule(0.04, 0.4, friction=0.0, restitution=1.0)),
    ]
    for body in bodies:
        model = scene("struck", [body], [shapes.plane(friction=0.0)], (0.0, 0.0, 0.0))
        for k, turned in enumerate(np.linspace(0.0, 0.4, 5)):
            q = np.array([0, 0, 0.3, np.sin(turned / 2), 0, 0, np.cos(turned / 2)])
            sim = kg.Simulator(model, q=q, v=[0.3, 0.1, -2.0, 0.2 * k, 0.0, 0.0], dt=1e-4)
            trajectory = sim.run(0.5)
            assert trajectory.contacts is not None
            energy = trajectory.energy[:, 0]
            for i in np.flatnonzero(np.diff(trajectory.contacts.starts)):  # other steps have Euler's error of the spin
                mass = model.mass_matrix(trajectory.q[i])
                before, after = (0.5 * x @ mass @ x for x in (trajectory.v[i], trajectory.v[i + 1]))
                assert after <= before * (1.0 + 1e-3)
            assert np.abs(energy - energy[0]).max() < 2e-3 * energy[0]
            assert impacts(trajectory) > 0


def test_momentum_between_bodies() -> None:
    """Five balls that rub and bounce in empty space: their momentum stays to rounding, their energy never rises."""
    balls = [
        solid(f"b{i}", shapes.sphere(0.2, friction=0.5, restitution=e), m)
        for i, (e, m) in enumerate([(0.3, 1.0), (0.7, 2.0), (1.0, 0.5), (0.0, 3.0), (1.0, 1.0)])
    ]
    model = scene("space", balls, [], (0.0, 0.0, 0.0))
    places = [(0.0, 0, 0), (1.0, 0.05, 0), (0, 1.0, 0.05), (-1.0, 0.02, 0.1), (0, -1.0, 0)]
    v = np.concatenate([[*(-2.0 * np.array(place)), 1.0, -2.0, 0.5] for place in places])
    trajectory = kg.Simulator(model, q=at(*places), v=v).run(1.0)
    scale = sum(m * 2.0 for m in (1.0, 2.0, 0.5, 3.0, 1.0))
    assert np.abs(trajectory.momentum[:, :3] - trajectory.momentum[0, :3]).max() < 1e-13 * scale
    energy = trajectory.energy[:, 0]
    assert (np.diff(energy) / energy[:-1]).max() < 1e-12
    assert impacts(trajectory) >= 4


@pytest.mark.parametrize(
    ("integrator", "bounces", "library"),
    [
        pytest.param("semi_implicit", 1.0, False, marks=pytest.mark.sweep),
        pytest.param("rk4", 1.0, False, marks=pytest.mark.sweep),
        pytest.param("semi_implicit", 0.0, False, marks=pytest.mark.sweep),
        ("semi_implicit", 0.0, True),
    ],
)
def test_islands_do_not_feel_each_other(integrator: str, bounces: float, library: bool) -> None:
    """A stack with a ball that drops on it, beside three quite different things that others do: the same bits; in a
    library one of the others may hang."""
    box = shapes.box((0.2, 0.2, 0.1), friction=0.6, restitution=0.2 * bounces)
    links = [solid(f"s{i}", box) for i in range(3)]
    links += [solid("a", shapes.sphere(0.05, friction=0.3, restitution=0.7 * bounces), 0.2)]
    links += [solid("rod", shapes.capsule(0.03, 0.3, friction=0.9, restitution=0.9 * bounces))]
    links += [solid("b", shapes.sphere(0.1, friction=0.4, restitution=bounces), 5.0)]
    mechanism = loose("islands", links, [shapes.plane(friction=0.8)])
    hanging = kg.Connection("hook", "rod", "world", kg.spherical())
    model = kg.TopologyLibrary(mechanism, connections=[hanging]) if library else kg.compile(mechanism)
    stack = [(0, 0, 0.05), (0.01, 0, 0.1501), (0, 0.01, 0.2502), (0.02, 0, 0.5)]
    others = [
        [(5, 0, 3.0), (6, 0, 3.0)],  # far above the ground
        [(5, 0, 0.2), (6, 0, 0.1)],  # one falls over, one rests
        [(5, 0, 0.16), (5.0, 0.02, 0.45)],  # one on the other, and deep in the ground
    ]
    ends = []
    for pair in others:
        v = np.r_[np.zeros(24), [0, 0, -2, 3, 1, 0], [0, 0, -3, 0, 0, 5]]
        sim = kg.Simulator(model, q=at(*stack, *pair), v=v, integrator=integrator)
        sim.step(400)
        ends.append((sim.q[:28], sim.v[:24], sim.v[24:]))
    assert (ends[0][2] != ends[1][2]).any()
    for q, v, _ in ends[1:]:
        assert (q == ends[0][0]).all()
        assert (v == ends[0][1]).all()


def test_a_box_among_others_moves_as_it_does_alone() -> None:
    """Nine boxes far from each other, so many that code is a loop over them, fall on a corner each. Without friction
    velocities are unique, and what is left is where sweeps stop: nothing of it at 1e-12 m/s."""
    box = solid("b0", shapes.box((0.1, 0.1, 0.1), friction=0.0))
    many = scene("many", [replace(box, name=f"b{i}") for i in range(9)], [shapes.plane(friction=0.0)])
    alone = scene("alone", [box], [shapes.plane(friction=0.0)])
    rng = np.random.default_rng(1)
    turns = rng.normal(size=(9, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    q = np.hstack([[[0.3 * (i % 3), 0.3 * (i // 3), 0.1 + 0.04 * rng.random()] for i in range(9)], turns])
    exactly = ContactOptions(tolerance=1e-12, sweeps=5000)
    together = kg.Simulator(many, q=q.ravel(), contacts=exactly).run(0.2)
    assert together.contacts is not None
    assert np.count_nonzero(np.diff(together.contacts.starts)) > 50
    for i in range(9):
        by_itself = kg.Simulator(alone, q=q[i], contacts=exactly).run(0.2)
        np.testing.assert_allclose(together.q[:, 7 * i : 7 * i + 7], by_itself.q, rtol=0, atol=1e-12)


def hinged_boxes(closing: bool) -> kg.Model:
    """Two boxes that a hinge holds together: a tree, or closed by the hinge."""
    box = shapes.box((0.1,) * 3, friction=0.4)
    edge = kg.Pose((0.0, 0.06, 0.0))
    hinge = kg.Joint("hinge", "revolute", "a", "b", origin=edge, child_origin=kg.Pose((0.0, -0.06, 0.0)), cut=closing)
    loose_ones = [kg.Joint(f"j{name}", "free", "world", name) for name in ("ab" if closing else "a")]
    bodies = [solid(name, box) for name in "ab"]
    plane = shapes.plane(friction=0.4)
    return kg.compile(kg.Mechanism("boxes", bodies, [*loose_ones, hinge], shapes=[plane], gravity=(0.0, 0.0, -9.81)))


@pytest.mark.parametrize("kind", ["tree", "closed"])
def test_what_touches_is_pushed_alike_however_far_from_the_origin_of_the_world(kind: str) -> None:
    """Moments about that origin would hide what a body answers: by (1e6 / 0.05)^2 of rounding, one part in twenty."""
    model, turned = hinged_boxes(kind == "closed"), np.array([0.2, -0.4, 0.7, 0.5]) / np.sqrt(0.94)
    ended = []
    for far in (0.0, 1e3, 1e6):
        q = model.neutral()
        q[:7] = [far, 0.0, 0.09, *turned]
        if kind == "closed":
            q[7:] = [far, 0.1, 0.09, *turned]
            q = model.assemble(q, hold=["ja"])
        v = np.zeros(model.nv)
        v[5] = -0.5
        sim = kg.Simulator(model, q=q, v=model.project(q, v)[1] if kind == "closed" else v)
        sim.step(100)
        ended.append(sim.v)
        assert len(sim.contacts) > 0
    np.testing.assert_allclose(ended[1], ended[0], atol=1e-8)
    np.testing.assert_allclose(ended[2], ended[0], atol=1e-5)


@cache
def row_of_balls() -> kg.Model:
    """Three equal balls on a rail, with restitution 1 and no friction."""
    ball = kg.sphere(0.05, friction=0.0, restitution=1.0)
    links = [kg.Link(name, 1.0, shapes=[ball]) for name in "abc"]
    joints = [kg.Joint(f"rail_{name}", "prismatic", "world", name, axis=(1, 0, 0)) for name in "abc"]
    rules = kg.ContactRules(exclude=[(name, "world") for name in "abc"])
    return kg.compile(kg.Mechanism("row_of_balls", links, joints, gravity=(0, 0, 0)), contacts=rules)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("creep", [0.0, 1e-9, 6e-5, -6e-5, 1e-3, -1e-3])
def test_balls_that_meet_within_a_step_keep_their_energy(creep: float, integrator: str) -> None:
    """The last one hardly moves at all: what it gains or loses by that does not cost a sixth of the energy."""
    v = np.array([0.9356, 0.0, creep])
    simulator = kg.Simulator(row_of_balls(), q=[0, 0.1 + 6.42e-5, 0.2 + 4.99e-4], v=v, integrator=integrator)
    simulator.step(20)
    kept = float(simulator.v @ simulator.v) / float(v @ v)
    assert 0.998 < kept < 1.0 + 1e-12
    assert simulator.v.sum() == pytest.approx(v.sum(), abs=1e-12)


def test_few_rows_of_balls_lose_energy_and_none_gains() -> None:
    rng, lost = np.random.default_rng(0), []
    for _ in range(300):
        first, second = rng.uniform(0.0, 1e-3, 2)
        v = np.array([rng.uniform(0.3, 2.0), 0.0, rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-6, -2)])
        simulator = kg.Simulator(row_of_balls(), q=[0, 0.1 + first, 0.2 + first + second], v=v)
        simulator.step(20)
        lost.append(1.0 - float(simulator.v @ simulator.v) / float(v @ v))
    assert min(lost) > -1e-12 and max(lost) < 0.03
    assert sum(loss > 1e-3 for loss in lost) <= 0.05 * len(lost)
