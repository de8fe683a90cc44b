"""What passes by an edge is not struck by it, nor by inner edges of a floor of many solids; what meets a side is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinegen as kg
from kinegen.codegen.mechanism import Pose
from kinegen.runtime import Model, Trajectory
from support.contact.contact_scenes import GRAVITY, at, scene, shapes, solid


def corners(x: float, y: float, z: float) -> list[list[float]]:
    return [[i * x / 2, j * y / 2, k * z / 2] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]


BODIES = {
    "box": shapes.box((0.1, 0.1, 0.1), friction=0.0),
    "hull": shapes.convex([*corners(0.1, 0.1, 0.1), [0.07, 0, -0.05], [0.07, 0, 0.05]], friction=0.0),
    "cylinder": shapes.cylinder(0.05, 0.1, friction=0.0),
}
INTEGRATORS = ("semi_implicit", "rk4")


def block(size: tuple[float, float, float], place: tuple[float, float, float], kind: str = "box") -> shapes.Shape:
    if kind == "box":
        return shapes.box(size, pose=Pose(place), friction=0.0)
    return shapes.convex(corners(*size), pose=Pose(place), friction=0.0)


def floor(kind: str = "box", friction: float = 0.0, drop: float = 0.0) -> list[shapes.Shape]:
    """Twelve tiles along x, the tops of the first at z = 0 and of each other lower by `drop`."""
    tiles = [block((0.1, 1, 0.1), (0.1 * i - 0.25, 0, -0.05 - drop * i), kind) for i in range(12)]
    return [replace(tile, friction=friction) for tile in tiles]


def velocity(motion: Trajectory) -> np.ndarray:
    """(3,) at the end, in world axes."""
    return Rotation.from_quat(motion.q[-1, 3:7]).apply(motion.v[-1, :3])


def slid(model: Model, height: float = 0.0, yaw: float = 0.0, integrator: str = "semi_implicit") -> Trajectory:
    """0.4 s from 1 m/s on."""
    turn = Rotation.from_euler("z", yaw)
    start = [-0.2, 0.013, 0.05 + height, *turn.as_quat()]
    v = [*turn.inv().apply([1.0, 0.0, 0.0]), 0.0, 0.0, 0.0]
    return kg.Simulator(model, q=start, v=v, integrator=integrator).run(0.4)


@pytest.mark.parametrize("name", BODIES)
def test_what_flies_past_an_edge_is_not_struck_by_it(name: str) -> None:
    """By half a step's way and less, wherever in a step it passes."""
    body = solid("m", BODIES[name])
    model = scene(f"past_{name}", [body], [block((0.1, 1, 0.1), (0.05, 0, -0.05))], gravity=(0, 0, 0))
    for speed, clear, dt in ((1.0, 1e-6, 1e-3), (1.0, 1e-4, 1e-3), (1.0, 1e-5, 1e-4), (10.0, 3e-3, 1e-3)):
        for phase in (0.0, 0.3, 0.7):
            for integrator in INTEGRATORS:
                start = at([-0.1 - phase * speed * dt, 0.01, 0.05 + clear])
                v = [speed, 0, 0, 0, 0, 0]
                sim = kg.Simulator(model, q=start, v=v, dt=dt, integrator=integrator)
                sim.run(0.25 / speed)
                np.testing.assert_allclose(sim.v, v, atol=1e-9)


@pytest.mark.parametrize("kind", ["box", "hull"])
@pytest.mark.parametrize("name", BODIES)
def test_flat_bodies_slide_over_flush_tiles_as_over_one_floor(name: str, kind: str) -> None:
    """Also turned, and where they are sunk in by half of what may stay."""
    model = scene(f"tiles_{name}_{kind}", [solid("m", BODIES[name])], floor(kind))
    for integrator in INTEGRATORS:
        for height, yaw in ((0.0, 0.0), (0.0, 0.3), (-5e-5, 0.0), (-5e-5, np.pi / 4)):
            motion = slid(model, height, yaw, integrator)
            np.testing.assert_allclose(velocity(motion), [1, 0, 0], atol=1e-4)
            np.testing.assert_allclose(motion.q[-1, :2], [0.2, 0.013], atol=1e-4)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_friction_alone_slows_a_crate_on_tiles(integrator: str) -> None:
    crate = replace(BODIES["box"], friction=0.1)
    motion = slid(scene("rough_tiles", [solid("m", crate)], floor(friction=0.1)), integrator=integrator)
    np.testing.assert_allclose(velocity(motion), [1 - 0.1 * GRAVITY * 0.4, 0, 0], atol=1e-4)


@pytest.mark.parametrize("drop", [1e-7, 1e-6, 1e-5, 1e-4])
def test_a_crate_slides_on_over_tiles_each_lower_than_the_last(drop: float) -> None:
    motion = slid(scene("lower_tiles", [solid("m", BODIES["box"])], floor(drop=drop)))
    gain = 1e-4 + GRAVITY * 4 * drop  # some of what it loses in height
    assert abs(velocity(motion)[0] - 1.0) < gain
    assert motion.q[-1, 2] < 0.05 + 1e-6


@pytest.mark.parametrize(("rise", "passes"), [(9e-5, True), (2e-4, False)])
def test_a_step_up_by_less_than_may_stay_is_passed_and_a_higher_one_strikes(rise: float, passes: bool) -> None:
    raised = [block((0.1, 1, 0.1), (0.1 * i - 0.25, 0, -0.05 + (rise if i > 4 else 0.0))) for i in range(12)]
    motion = slid(scene("raised", [solid("m", BODIES["box"])], raised))
    assert (velocity(motion)[0] > 1.0 - 1e-4) == passes


def test_a_crate_that_comes_down_on_tiles_slides_on() -> None:
    """Flat at 0.3 m/s, over seams and between them, a seam passed in the step of the impact among them."""
    model = scene("landing", [solid("m", BODIES["box"])], floor())
    for k in range(20):
        start = at([-0.2 + 0.0037 * k, 0.013, 0.052])
        motion = kg.Simulator(model, q=start, v=[1, 0, -0.3, 0, 0, 0]).run(0.3)
        assert velocity(motion)[0] > 1.0 - 1e-3


@pytest.mark.parametrize("play", [1e-3, 1e-4, 1e-5])
def test_a_peg_that_falls_centred_into_a_hole_falls_freely(play: float) -> None:
    half = 0.02 + play
    sides = [block((0.1, 0.3, 0.1), (s * (half + 0.05), 0, -0.05)) for s in (-1, 1)]
    ends = [block((2 * half, 0.1, 0.1), (0, s * (half + 0.05), -0.05)) for s in (-1, 1)]
    model = scene("peg", [solid("m", shapes.box((0.04, 0.04, 0.1), friction=0.0))], sides + ends)
    for k in range(5):
        motion = kg.Simulator(model, q=at([0, 0, 0.35 + 7e-4 * k])).run(0.4)
        np.testing.assert_allclose(motion.v[-1], [0, 0, -0.4 * GRAVITY, 0, 0, 0], atol=1e-6)


TURNS = {"side": [0.0, 0.0, 0.0], "edge": [0.0, 0.0, np.pi / 4], "corner": [0.4, 0.7, 0.6]}


@pytest.mark.parametrize("how", TURNS)
def test_what_meets_a_wall_by_a_side_an_edge_or_a_corner_stops_there(how: str) -> None:
    """Point by point: what touches has no velocity into the wall, and all momentum that is gone is its force's."""
    body = solid("m", BODIES["box"])
    model = scene("wall", [body], [block((0.1, 1, 0.4), (0.05, 0, 0))], gravity=(0, 0, 0))
    turn = Rotation.from_rotvec(TURNS[how])
    front = np.max(turn.apply(corners(0.1, 0.1, 0.1))[:, 0])
    inertia = body.mass * 0.1**2 / 6
    for phase in (0.0, 0.3, 0.7):
        start = [-front - 0.0205 - 1e-3 * phase, 0.01, 0.02, *turn.as_quat()]
        v = [*turn.inv().apply([1.0, 0.1, 0.0]), 0, 0, 0]
        motion = kg.Simulator(model, q=start, v=v).run(0.03, every=1)
        impulse = motion.contacts.force("m").sum(axis=0) * 1e-3
        np.testing.assert_allclose(velocity(motion) - impulse, [1, 0.1, 0], atol=1e-9)
        np.testing.assert_allclose(impulse[1:], 0.0, atol=1e-9)
        if how == "side":
            assert impulse[0] == pytest.approx(-1.0, abs=1e-6)
        elif how == "corner":  # one point at rest after the impact
            tip = turn.apply(corners(0.1, 0.1, 0.1))[np.argmax(turn.apply(corners(0.1, 0.1, 0.1))[:, 0])]
            lever2 = tip[1] ** 2 + tip[2] ** 2
            assert impulse[0] == pytest.approx(-1.0 / (1.0 + lever2 / inertia), rel=0.02)
        ends = Rotation.from_quat(motion.q[-1, 3:]).apply(corners(0.1, 0.1, 0.1)) + motion.q[-1, :3]
        assert ends[:, 0].max() < 2e-4
