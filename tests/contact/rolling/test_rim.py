"""A disc on its edge: the steady circle in closed form, energy to second order, thrown coins."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.mechanism import Pose
from kinegen.runtime import ContactOptions, Model, Simulator, Trajectory
from support.contact.contact_scenes import GRAVITY, scene, shapes, solid
from support.oracles.disc import Steady, steady

RADIUS, THICKNESS = 0.1, 0.004
CIRCLES = {"steep": (np.deg2rad(70.0), 3.0), "tilted": (np.deg2rad(45.0), 6.0), "flat": (np.deg2rad(20.0), 12.0)}
RISEN = {"steep": 1e-8, "tilted": 1e-7, "flat": 1e-6}
"""Most that their energy rises, of itself."""
FAST = {"steep": (1.0, 21.6), "tilted": (0.5, 28.6), "flat": (0.3, 36.0)}
"""Circles that need friction of 0.06 at most."""


def disc(floor: shapes.Shape, thickness: float = THICKNESS, **surface: float | kg.Expression) -> Model:
    shape = shapes.cylinder(RADIUS, thickness, **({"friction": 5.0} | surface))
    return scene("disc", [solid("b", shape, 1.0)], [floor])


@cache
def on_a_plane() -> Model:
    mu = kg.parameter("mu", 5.0)
    return disc(shapes.plane(friction=mu), friction=mu)


def rolled(model: Model, motion: Steady, dt: float, time: float) -> Trajectory:
    return Simulator(model, dt=dt, q=motion.q, v=motion.twist).run(time, every=round(0.01 / dt))


def loss(trajectory: Trajectory) -> float:
    """Greatest change of the energy, over the energy."""
    energy = trajectory.energy.sum(axis=1)
    return float(np.abs(energy / energy[0] - 1.0).max())


def risen(trajectory: Trajectory) -> float:
    """By how much the energy is over what it was before, over its start."""
    energy = trajectory.energy.sum(axis=1)
    return float((energy - np.minimum.accumulate(energy)).max() / energy[0])


@pytest.mark.parametrize("circle", CIRCLES)
def test_a_tilted_disc_rolls_in_its_circle(circle: str) -> None:
    tilt, rate = CIRCLES[circle]
    motion = steady(tilt, rate, 1.0, RADIUS, THICKNESS, GRAVITY)
    trajectory = rolled(on_a_plane(), motion, 1e-3, 5.0)
    assert loss(trajectory) < 2e-4
    assert risen(trajectory) < RISEN[circle]
    x, y = trajectory.q[:, :2].T
    np.testing.assert_allclose(np.hypot(x, y), motion.radius, rtol=5e-3)  # wobbles about it, as its start is off by dt
    turned = np.unwrap(np.arctan2(y, x))
    assert (turned[-1] - turned[0]) / 5.0 == pytest.approx(rate, rel=1e-3)
    qx, qy = trajectory.q[:, 3:5].T
    np.testing.assert_allclose(np.arccos(1 - 2 * (qx**2 + qy**2)), tilt, atol=2e-3)
    force = trajectory.contacts.force("b")[1:-1]
    centripetal = rate**2 * motion.radius
    np.testing.assert_allclose(force[:, 2], GRAVITY, rtol=0.1)
    np.testing.assert_allclose(np.linalg.norm(force[:, :2], axis=1).mean(), centripetal, rtol=5e-3)


def test_energy_is_kept_to_second_order() -> None:
    motion = steady(*CIRCLES["tilted"], 1.0, RADIUS, THICKNESS, GRAVITY)
    lost = [loss(rolled(on_a_plane(), motion, dt, 2.0)) for dt in (4e-3, 2e-3, 1e-3)]
    assert lost[0] / lost[1] > 3.0 and lost[1] / lost[2] > 3.0, lost


@pytest.mark.parametrize("circle", FAST)
def test_usual_friction_is_enough_where_it_rolls_fast(circle: str) -> None:
    """Forces do not alternate, so that the point stays within its cone, and energy is kept to second order."""
    motion = steady(*FAST[circle], 1.0, RADIUS, THICKNESS, GRAVITY)
    smooth = on_a_plane().with_parameters(mu=0.2)
    lost = [loss(rolled(smooth, motion, dt, 0.3)) for dt in (1e-3, 2.5e-4)]
    assert lost[0] < 1e-3 and lost[0] / lost[1] > 12.0, lost
    force = Simulator(smooth, q=motion.q, v=motion.twist).run(0.05).contacts.force("b")[10:-1]
    centripetal = FAST[circle][1] ** 2 * motion.radius
    np.testing.assert_allclose(force[:, 2], GRAVITY, rtol=0.02)
    np.testing.assert_allclose(np.linalg.norm(force[:, :2], axis=1), centripetal, atol=0.02 * GRAVITY)


def test_on_a_box_it_rolls_as_on_a_plane() -> None:
    motion = steady(*CIRCLES["steep"], 1.0, RADIUS, THICKNESS, GRAVITY)
    table = disc(shapes.box((4.0, 4.0, 0.2), pose=Pose((0, 0, -0.1)), friction=5.0))
    assert loss(rolled(table, motion, 1e-3, 1.0)) < 1e-4


def test_rolling_friction_takes_what_it_works() -> None:
    """Energy falls by the moment times the turning across the normal, time by time."""
    rough = {"rolling": 1e-4, "torsion": 0.0}
    model = disc(shapes.plane(friction=5.0, **rough), **rough)
    motion = steady(*CIRCLES["steep"], 1.0, RADIUS, THICKNESS, GRAVITY)
    trajectory = rolled(model, motion, 1e-3, 0.5)
    energy = trajectory.energy.sum(axis=1)
    turning = float(np.linalg.norm(motion.w[:2]))
    assert energy[0] - energy[-1] == pytest.approx(1e-4 * GRAVITY * turning * 0.5, rel=0.03)


@cache
def coin() -> Model:
    return disc(shapes.plane(friction=0.5), 0.02, friction=0.5)


@pytest.mark.parametrize("seed", range(3))
def test_a_thrown_coin_gains_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = rng.normal(size=4)
    q = np.concatenate([[0.0, 0.0, 0.3], turn / np.linalg.norm(turn)])
    sim = Simulator(coin(), q=q, v=rng.normal(size=6) * [0.3, 0.3, 0.3, 4.0, 4.0, 4.0])
    trajectory = sim.run(4.0)
    assert risen(trajectory) < 5e-4
    energy = trajectory.energy.sum(axis=1)
    assert energy.max() == energy[0]


def test_a_moment_taken_up_again_goes_on_with_the_same_bits() -> None:
    motion = steady(*CIRCLES["tilted"], 1.0, RADIUS, THICKNESS, GRAVITY)
    sim = Simulator(on_a_plane(), q=motion.q, v=motion.twist)
    sim.step(100)
    saved = sim.save()
    sim.step(100)
    q, v = sim.q, sim.v
    sim.restore(saved)
    sim.step(100)
    np.testing.assert_array_equal(sim.q, q)
    np.testing.assert_array_equal(sim.v, v)


def test_both_solvers_give_the_same_step() -> None:
    motion = steady(*CIRCLES["tilted"], 1.0, RADIUS, THICKNESS, GRAVITY)
    sims = [
        Simulator(on_a_plane(), q=motion.q, v=motion.twist, contacts=options)
        for options in (ContactOptions(tolerance=1e-12), ContactOptions(solver="exact"))
    ]
    for sim in sims:
        sim.step(50)
    np.testing.assert_allclose(sims[0].v, sims[1].v, atol=1e-8)


def test_only_cylinders_that_fly_by_themselves_are_led() -> None:
    def features(mech: kg.Mechanism) -> bool:
        files = kg.generate(mech).files
        return "#define HAS_RIMS 1" in next(text for name, text in files.items() if name.endswith("_model.h"))

    def made(shape: kg.Shape, kind: str) -> kg.Mechanism:
        joints = [kg.Joint("j", kind, "world", "b")]
        return kg.Mechanism("m", [solid("b", shape)], joints, shapes=[kg.plane()])

    assert features(made(kg.cylinder(0.1, 0.1), "free"))
    assert not features(made(kg.sphere(0.1), "free"))
    assert not features(made(kg.cylinder(0.1, 0.1), "planar"))
