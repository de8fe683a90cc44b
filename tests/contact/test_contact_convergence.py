"""How fast the solver settles: sweeps, depths and creep of stacks; rest among the motions that friction allows."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime import ContactOptions, Model, Simulator
from support.contact.contact_scenes import at, scene, shapes, solid

CUBE = shapes.box((0.1, 0.1, 0.1))


def stack(masses: tuple[float, ...]) -> tuple[Model, np.ndarray]:
    """Cubes on each other, each a little beside the one below."""
    n = len(masses)
    bodies = [solid(f"b{i}", CUBE, mass) for i, mass in enumerate(masses)]
    start = at(*((0.003 * (-1) ** i, 0.002 * (i % 3), 0.05 + 0.1 * i) for i in range(n)))
    return scene(f"stack_{n}", bodies, [shapes.plane()]), start


def stood(masses: tuple[float, ...], steps: int) -> tuple[float, float, float]:
    """Mean sweeps, greatest depth [m], greatest shift [m] over so many steps, the first hundred left out."""
    model, start = stack(masses)
    sim = Simulator(model, q=start)
    sweeps, depth, moved = [], 0.0, 0.0
    for _ in range(steps):
        sim.step()
        sweeps.append(sim.contacts.sweeps)
        depth, moved = max(depth, -sim.contacts.gaps.min()), max(moved, np.abs(sim.q - start).max())
    return float(np.mean(sweeps[100:])), depth, moved


def test_a_stack_of_ten_settles_in_a_few_sweeps() -> None:
    sweeps, depth, moved = stood((1.0,) * 10, 800)
    assert sweeps < 25.0  # 110 without acceleration
    assert depth < 1e-5
    assert moved < 1e-4


@pytest.mark.parametrize("masses", [(1.0, 1000.0), pytest.param((1.0, 30.0, 1000.0), marks=pytest.mark.sweep)])
def test_a_heavy_body_stands_on_a_light_one(masses: tuple[float, ...]) -> None:
    sweeps, depth, moved = stood(masses, 800)
    assert sweeps < 25.0
    assert depth < 1e-4
    assert moved < 5e-4


def test_a_step_is_the_same_again() -> None:
    model, start = stack((1.0,) * 10)
    runs = [Simulator(model, q=start, v=np.linspace(-0.1, 0.1, model.nv)) for _ in range(2)]
    runs[0].step(100)
    for _ in range(100):
        runs[1].step()
    assert (runs[0].q == runs[1].q).all()
    assert runs[0].contacts.sweeps == runs[1].contacts.sweeps


def test_the_limit_of_sweeps_holds_and_more_of_them_come_closer() -> None:
    model, start = stack((1.0,) * 10)
    residuals = []
    for sweeps in (5, 40, 2000):
        options = ContactOptions(sweeps=sweeps, tolerance=0.0)
        sim = Simulator(model, q=start, v=np.tile([0.1, 0.0, -0.5, 0.0, 0.0, 0.0], 10), contacts=options)
        sim.step()
        assert sim.contacts.sweeps == sweeps
        residuals.append(sim.contacts.residual)
    assert residuals[0] > 10.0 * residuals[1] > 1e5 * residuals[2]


@cache
def gripper() -> kg.Model:
    """A palm that lifts, two fingers of which one follows the other, and a cube of 1 kg between them on the ground."""
    edge, pad = (0.1, 0.1, 0.1), (0.02, 0.1, 0.06)
    cube = kg.Link("cube", 1.0, inertia=kg.inertia.box(1.0, edge), shapes=[shapes.box(edge, friction=0.5)])
    links = [kg.Link("palm", 1.0), cube]
    joints = [
        kg.Joint("lift", "prismatic", "world", "palm", axis=(0, 0, 1)),
        kg.Joint("flight", "free", "world", "cube", start=(0, 0, -0.1, 0, 0, 0, 1)),
    ]
    for name, side, mimic in (("left", 1.0, None), ("right", -1.0, kg.Mimic("left"))):
        links.append(kg.Link(name, 0.2, inertia=kg.inertia.box(0.2, pad), shapes=[shapes.box(pad, friction=0.5)]))
        origin = kg.Pose((0.06 * side, 0, -0.1))
        joints.append(kg.Joint(name, "prismatic", "palm", name, axis=(-side, 0, 0), origin=origin, mimic=mimic))
    ground = shapes.plane(pose=kg.Pose((0, 0, -0.15)))
    return kg.compile(kg.Mechanism("gripper", links, joints, shapes=[ground]))


def turned(integrator: str, part: float, acceleration: float) -> float:
    """Largest angle [rad] of the cube when the palm has lifted it for 0.3 s; the grip could bear 1/part of the load."""
    model, ramp = gripper(), 0.1
    force = (9.81 + acceleration) / 0.5 / part
    sim = Simulator(model, integrator=integrator, tau={"left": force}, driven={"lift": 0.0})
    sim.step(150)
    begin = sim.t

    def lifted(t: float) -> tuple[float, float, float]:
        u, w, a = min(t - begin, ramp), max(t - begin - ramp, 0.0), acceleration
        speed = a * u * u / (2 * ramp) + a * w
        return a * u**3 / (6 * ramp) + a * ramp * w / 2 + a * w * w / 2, speed, a * u / ramp

    sim.driven = {"lift": lifted}
    sim.step(300)
    assert sim.contacts.residual < 1e-5
    place = model.q_slice("flight").start
    return 2.0 * float(np.abs(sim.q[place + 3 : place + 6]).max())


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_a_grip_that_could_hold_a_cube_lifts_it_from_the_ground(integrator: str) -> None:
    """The ground leaves its corners unevenly pressed: those that bear little must not slip, one after the other, until
    the cube turns, which Coulomb's law allows as it allows rest."""
    for acceleration in (0.3, 1.0):
        for part in np.arange(0.3, 0.9, 0.06):
            assert turned(integrator, float(part), acceleration) < 1e-3, (acceleration, part)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_a_grip_that_cannot_hold_a_cube_lets_it_slide(integrator: str) -> None:
    model = gripper()
    sim = Simulator(model, integrator=integrator, tau={"left": 0.9 * 9.81 / 0.5}, driven={"lift": 0.0})
    q = sim.q.copy()
    q[model.q_slice("flight").start + 2] += 0.02
    sim.q = q
    sim.step(50)
    assert -sim.v[model.v_slice("flight").start + 2] == pytest.approx(0.1 * 9.81 * 0.05, rel=0.1)
