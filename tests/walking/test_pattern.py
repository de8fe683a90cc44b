"""Walking patterns: preview control, the ZMP of the whole body, reach and balance told with step and time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are
from scipy.spatial import ConvexHull

import kinegen as kg
from kinegen.runtime.arguments import Array
from kinegen.walking.biped import biped, require_room
from kinegen.walking.preview import EFFORT, mass_centre, riccati

FEET = ("foot_l", "foot_r")
FILE = Path(__file__).parents[2] / "examples" / "walking" / "biped.toml"
STEPS = kg.footsteps(6, length=[0.1, 0.15, 0.15, -0.1, -0.05, 0.0], turn=[0.0, 0.2, 0.2, 0.0, 0.0, 0.0], width=0.2)


@pytest.fixture(scope="module")
def robot() -> kg.Mechanism:
    return kg.load(FILE)


@pytest.fixture(scope="module")
def model(robot: kg.Mechanism) -> kg.Model:
    return kg.compile(robot)


@pytest.fixture(scope="module")
def pattern(robot: kg.Mechanism, model: kg.Model) -> kg.WalkingPattern:
    return kg.walking_pattern(model, robot, FEET, STEPS)


def test_riccati_is_that_of_scipy() -> None:
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(5, 5)), rng.normal(size=(5, 2))
    Q, R = np.diag([1.0, 2.0, 0.5, 0.0, 1.0]), np.diag([0.3, 2.0])
    expected = solve_discrete_are(A, B, Q, R)
    assert np.abs(riccati(A, B, Q, R) - expected).max() < 1e-9 * np.abs(expected).max()


def test_the_cart_follows_the_zmp() -> None:
    """p = x - (h/g) x'' by differences; beside the path that solves this exactly, with both ends at rest."""
    dt, h = 5e-3, 0.8
    t = np.arange(0.0, 8.0, dt)
    zmp = np.interp(t, [2.0, 2.2, 3.0, 3.2], [0.0, 0.1, 0.1, 0.25])[:, None]
    x = mass_centre(zmp, h, 9.81, dt)[:, 0]
    p = x[1:-1] - h / 9.81 * np.diff(x, 2) / dt**2
    assert np.abs(p - zmp[1:-1, 0]).max() < 5e-3
    k, n = h / 9.81 / dt**2, len(t)
    matrix = np.eye(n) * (1 + 2 * k) - k * (np.eye(n, k=1) + np.eye(n, k=-1))
    matrix[0], matrix[-1] = np.eye(n)[0], np.eye(n)[-1]
    assert np.abs(x - np.linalg.solve(matrix, zmp[:, 0])).max() < 2e-3


def test_the_jerk_weighs_what_it_weighs_at_kajita() -> None:
    """1e-6 beside the error of the ZMP at steps of 5 ms and a mass centre at 0.814 m."""
    weight = EFFORT * (0.814 / 9.81) ** 4 / 0.005**2
    assert weight == pytest.approx(1e-6, rel=0.01)


def zmp_of_inverse_dynamics(pattern: kg.WalkingPattern) -> np.ndarray:
    """(n, 2) by what the free joint would have to do, as a wrench about the world's origin."""
    model, a = pattern.model, np.gradient(pattern.v, pattern.dt, axis=0)
    tau = model.inverse_dynamics(pattern.q, pattern.v, a)[:, :6]
    J = model.frame_jacobian(pattern.q, "trunk")[..., :6]
    wrench = np.linalg.solve(np.swapaxes(J, 1, 2), tau[..., None])[..., 0]  # at the trunk's origin, world axes
    force, moment = wrench[:, :3], wrench[:, 3:] + np.cross(pattern.q[:, :3], wrench[:, :3])
    return np.column_stack([-moment[:, 1], moment[:, 0]]) / force[:, 2:]


def test_the_cart_goes_the_same_way_on_the_moon_but_slower() -> None:
    """Times are multiples of sqrt(h/g): the same steps in 3.5 times the time have the same path."""
    dt, h, slower = 5e-3, 0.8, 3.5
    t = dt * np.arange(1200)
    zmp = np.interp(t, [2.0, 2.1, 3.0, 3.1], [0.0, 0.1, 0.1, 0.2])[:, None]
    here = mass_centre(zmp, h, 9.81, dt)
    np.testing.assert_allclose(mass_centre(zmp, h, 9.81 / slower**2, slower * dt), here, atol=1e-9)
    np.testing.assert_allclose(mass_centre(zmp, h * slower**2, 9.81, slower * dt), here, atol=1e-9)
    assert np.abs(here - zmp)[-1] < 1e-5


def test_the_zmp_is_that_of_inverse_dynamics(pattern: kg.WalkingPattern) -> None:
    """And inside the soles at all times."""
    inner = slice(5, -5)
    assert np.abs(zmp_of_inverse_dynamics(pattern) - pattern.zmp[:, :2])[inner].max() < 1e-4
    assert np.abs(pattern.zmp[:, :2] - pattern.reference).max() < 1e-2
    assert pattern.margin.min() > 0.05


@pytest.mark.sweep
def test_a_walk_elsewhere_minds_the_gravity_there(robot: kg.Mechanism) -> None:
    """On Mars; where nothing pulls onto the floor there is no walk."""
    anywhere, way = kg.compile(kg.parametrise(robot, "gravity")), kg.footsteps(2, length=0.05, width=0.2)

    def pulled(gravity: tuple[float, float, float]) -> tuple[kg.Model, kg.Mechanism]:
        values = dict(zip(("gravity_x", "gravity_y", "gravity_z"), gravity, strict=True))
        return anywhere.with_parameters(values), replace(robot, gravity=gravity)

    timing = kg.StepTiming(single=1.2, double=0.4)
    pattern = kg.walking_pattern(*pulled((0.0, 0.0, -3.71)), FEET, way, timing=timing, dt=5e-3)
    assert np.abs(zmp_of_inverse_dynamics(pattern) - pattern.zmp[:, :2])[5:-5].max() < 1e-4
    assert pattern.margin.min() > 0.0
    for gravity in ((0.0, 0.0, 0.0), (1.0, 0.0, -9.7)):
        with pytest.raises(kg.ModelError, match=r"gravity of model .* along -z"):
            kg.walking_pattern(*pulled(gravity), FEET, way)


def test_margins_are_distances_to_the_hull_of_the_soles(pattern: kg.WalkingPattern) -> None:
    rng = np.random.default_rng(1)
    corners = np.array([[x, y] for x in (-0.11, 0.11) for y in (-0.06, 0.06)])
    for i in rng.integers(0, len(pattern.t), 200):
        x, y, z, yaw = np.moveaxis(pattern.soles[i], -1, 0)
        turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
        both = [np.array([x[k], y[k]]) + corners @ turn[..., k].T for k in range(2) if z[k] < 1e-12]
        equations = ConvexHull(np.vstack(both)).equations
        assert np.isclose(pattern.margin[i], -(equations @ [*pattern.zmp[i, :2], 1.0]).max(), atol=1e-9)


def test_soles_go_where_they_were_told(model: kg.Model, pattern: kg.WalkingPattern) -> None:
    """At the end, and never into the floor; the mass centre and the trunk are where they are to be."""
    lowest = np.inf
    for side, foot in enumerate(FEET):
        pose = model.frame_pose(pattern.q, foot)
        sole = pose[:, :3, 3] + pose[:, :3, :3] @ [0.02, 0.0, -0.08]
        assert np.abs(sole - pattern.soles[:, side, :3]).max() < 1e-9
        lowest = min(lowest, sole[:, 2].min())
        last = [step for step in STEPS if step.side == side][-1]
        assert np.allclose(sole[-1], [last.x, last.y, 0.0], atol=1e-9)
        assert np.isclose(np.arctan2(pose[-1, 1, 0], pose[-1, 0, 0]), last.yaw)
    assert lowest > -1e-9
    assert np.abs(model.com(pattern.q) - pattern.com).max() < 1e-9
    assert np.abs(model.frame_pose(pattern.q, "trunk")[:, 2, 2] - 1.0).max() < 1e-9
    assert np.abs(np.diff(pattern.v, axis=0)).max() < 0.1  # no jumps


def test_torques_and_floor_make_the_motion(model: kg.Model, pattern: kg.WalkingPattern) -> None:
    """Forward dynamics of the planned torques and floor forces gives back the planned acceleration."""
    a = np.gradient(pattern.v, pattern.dt, axis=0)
    rows = slice(5, -5, 50)
    tau = pattern.tau[rows].copy()
    assert not pattern.tau[:, :6].any()
    for side, foot in enumerate(FEET):
        pose, J = model.frame_pose(pattern.q[rows], foot), model.frame_jacobian(pattern.q[rows], foot)
        arm = pose[:, :3, :3] @ [0.02, 0.0, -0.08]
        centre = J[:, :3] + np.cross(J[:, 3:].swapaxes(1, 2), arm[:, None]).swapaxes(1, 2)
        wrench = pattern.floor[rows, side]
        tau += np.einsum("nij,ni->nj", centre, wrench[:, :3]) + np.einsum("nij,ni->nj", J[:, 3:], wrench[:, 3:])
    assert (
        np.abs(model.forward_dynamics(pattern.q[rows], pattern.v[rows], tau) - a[rows]).max() < 1e-6 * np.abs(a).max()
    )
    lifted = pattern.soles[..., 2] > 1e-9
    assert lifted.any() and not pattern.floor[lifted].any()
    assert pattern.floor[~lifted][:, 2].min() > -1e-9


def test_torques_hold_against_springs_dampers_and_friction(robot: kg.Mechanism, pattern: kg.WalkingPattern) -> None:
    """The motion is the same, and what the joints do by themselves is left to them."""
    joints = [replace(j, damping=20.0, stiffness=50.0, friction=0.5) if j.nv == 1 else j for j in robot.joints]
    stiff = replace(robot, joints=tuple(joints))
    model = kg.compile(stiff)
    found = kg.walking_pattern(model, stiff, FEET, STEPS)
    passive = model.passive_forces(pattern.q, pattern.v)
    assert np.array_equal(found.q, pattern.q) and np.abs(passive).max() > 5.0
    assert np.abs(found.tau - (pattern.tau - passive)).max() < 1e-9


@pytest.mark.sweep
def test_a_walk_is_turned_and_moved_as_a_whole(
    robot: kg.Mechanism, model: kg.Model, pattern: kg.WalkingPattern
) -> None:
    c, s = np.cos(0.7), np.sin(0.7)
    moved = [replace(f, x=1 + c * f.x - s * f.y, y=2 + s * f.x + c * f.y, yaw=f.yaw + 0.7) for f in STEPS]
    other = kg.walking_pattern(model, robot, FEET, moved)
    assert np.abs(other.q[:, 7:] - pattern.q[:, 7:]).max() < 1e-7
    assert np.abs(other.margin - pattern.margin).max() < 1e-5


def test_height_start_and_samples_are_the_users(robot: kg.Mechanism, model: kg.Model) -> None:
    """A lower mass centre from bent knees, at 5 ms; the servos have a row for each sample, by joint their gains."""
    bent = model.q0
    for side in "lr":
        bent[model.q_slice(f"knee_{side}")] = 0.6
    timing = kg.StepTiming(single=0.8, double=0.3, stand=2.0, lift=0.03)
    steps = kg.footsteps(2, length=0.1, width=0.2, first="left")
    low = kg.walking_pattern(model, robot, FEET, steps, timing=timing, height=0.7, q0=bent, dt=5e-3)
    assert np.allclose(low.com[:, 2], 0.7) and np.isclose(low.t[-1], 2 * 2.0 + 2 * 1.1 + 0.3) and low.dt == 5e-3
    assert np.isclose(low.soles[..., 2].max(), 0.03, atol=1e-5)
    assert low.steps[2].side == 0 and low.margin.min() > 0.04
    names = [joint.name for joint in model.manifest.joints[1:]]
    servos = low.servos({name: float(k) for k, name in enumerate(names)}, 2.0, limit=50.0)
    assert [*servos] == names and [servo.kp for servo in servos.values()] == [*map(float, range(len(names)))]
    assert all(len(servo.position) == len(low.t) and servo.limit == 50.0 for servo in servos.values())
    with pytest.raises(kg.ModelError, match="kp has no gain of joint 'hip_l'"):
        low.servos({}, 2.0)


WIDE = kg.footsteps(4, length=0.1, width=0.2)
MIRRORED = [replace(step, y=-step.y) for step in WIDE]


@pytest.mark.parametrize(
    ("steps", "timing", "passes", "told"),
    [
        (
            kg.footsteps(4, length=[0.1, 0.9, 0.0, 0.0], width=0.2),
            kg.StepTiming(),
            2,
            r"step 2, t = 3\.\d+ s cannot",
        ),
        (MIRRORED, kg.StepTiming(), 1, "steps: at the start: the left foot would stand to the right"),
        (
            [*WIDE[:3], replace(WIDE[3], y=-0.15)],
            kg.StepTiming(),
            1,
            "steps: step 2: the left foot would stand",
        ),
        (
            kg.footsteps(4, length=0.1, width=0.05),
            kg.StepTiming(),
            1,
            r"at the start: the feet .* each other.*\(width\)",
        ),
        (kg.footsteps(1, width=0.2), kg.StepTiming(stand=1e-4), 1, r"step 1, t = 0\.000 s: the ZMP leaves the soles"),
        (kg.footsteps(4, length=0.2, width=0.2), kg.StepTiming(0.2, 0.02), 0, r"step 1, t = 1\.\d+ s: the ZMP"),
    ],
)
def test_what_cannot_be_walked_is_told(
    robot: kg.Mechanism, model: kg.Model, steps: list[kg.Footstep], timing: kg.StepTiming, passes: int, told: str
) -> None:
    with pytest.raises(kg.ModelError, match=told):
        kg.walking_pattern(model, robot, FEET, steps, timing=timing, passes=passes)


@pytest.mark.parametrize(("height", "dt"), [(1e-320, 0.02), (1e-3, 0.02), (1e300, 0.02)])
def test_swings_that_samples_do_not_resolve_are_told(
    robot: kg.Mechanism, model: kg.Model, height: float, dt: float
) -> None:
    with pytest.raises(kg.ModelError, match=r"height, dt: .* under gravity of 9\.81 .* between dt"):
        kg.walking_pattern(model, robot, FEET, kg.footsteps(4, length=0.1, width=0.2), height=height, dt=dt)


def test_feet_of_spheres_stand_on_their_lowest_points(robot: kg.Mechanism, model: kg.Model) -> None:
    """Four of them, turned in their links, in the corners of a box's sole."""
    corners = [(x, y) for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
    spheres = [kg.sphere(0.02, pose=kg.Pose((x, y, 0.1), (0.4, 0.0, 0.0))) for x, y in corners]
    box = kg.box((0.2, 0.1, 0.02), pose=kg.Pose((0.0, 0.0, 0.09)))
    for shapes in ([box], spheres):
        links = [replace(x, shapes=shapes) if x.name in FEET else x for x in robot.links]
        sole = biped(model, replace(robot, links=links), FEET).soles[0]
        np.testing.assert_allclose(sole.point, [0.0, 0.0, 0.08], atol=1e-12)
        np.testing.assert_allclose(np.sort(np.abs(sole.corners), axis=0), [[0.1, 0.05]] * 4, atol=1e-12)


@pytest.mark.parametrize("kind", [kg.capsule, kg.cylinder])
@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.5 * np.pi, 0.0, 0.0), (0.7, 0.2, 0.0)])
def test_feet_may_have_round_shapes_above_their_soles(
    robot: kg.Mechanism, model: kg.Model, kind: Callable[..., kg.Shape], turn: tuple[float, float, float]
) -> None:
    """A capsule or cylinder whose lowest point, brought down to the sole, would carry the foot too."""
    box = kg.box((0.2, 0.1, 0.02), pose=kg.Pose((0.0, 0.0, 0.09)))
    z, across = np.array(kg.Pose((0.0, 0.0, 0.0), turn).rotation, dtype=float)[2], 0.03
    reach = 0.05 * abs(z[2]) + across * (1.0 if kind is kg.capsule else np.hypot(z[0], z[1]))

    def sole(above: float) -> Array:
        round_one = kind(across, 0.1, pose=kg.Pose((0.0, 0.0, 0.08 + reach + above), turn))
        links = [replace(x, shapes=[round_one, box]) if x.name in FEET else x for x in robot.links]
        return biped(model, replace(robot, links=links), FEET).soles[0].point

    np.testing.assert_allclose(sole(2.1e-3), [0.0, 0.0, 0.08], atol=1e-12)
    for above in (1.9e-3, 0.0, -0.01):
        with pytest.raises(kg.ModelError, match="has no corners to stand on"):
            sole(above)


def test_feet_that_look_back_have_room(robot: kg.Mechanism, model: kg.Model) -> None:
    """Yaws of two feet side by side, on both sides of half a turn."""
    soles = biped(model, robot, FEET)
    left, right = kg.Footstep(0, 0.0, -0.1, 3.13), kg.Footstep(1, 0.0, 0.1, -3.13)
    require_room(soles, [left, right])
    with pytest.raises(kg.ModelError, match="legs would cross"):
        require_room(soles, [replace(left, y=0.1), replace(right, y=-0.1)])


def test_yaws_past_half_a_turn_go_the_shorter_way(robot: kg.Mechanism, model: kg.Model) -> None:
    """Those of atan2 jump from pi to -pi; feet and trunk would make a whole turn back."""
    turned = kg.footsteps(3, length=0.03, width=0.2, turn=0.04)
    c, s = -np.cos(0.02), np.sin(0.02)  # all of it turned by pi - 0.02
    over = [kg.Footstep(x.side, c * x.x - s * x.y, s * x.x + c * x.y, x.yaw + np.pi - 0.02) for x in turned]
    wrapped = [replace(x, yaw=np.arctan2(np.sin(x.yaw), np.cos(x.yaw))) for x in over]
    assert wrapped[0].yaw > 3.0 and wrapped[-1].yaw < -3.0
    walks = [kg.walking_pattern(model, robot, FEET, way, dt=5e-3) for way in (over, wrapped)]
    np.testing.assert_allclose(walks[1].q, walks[0].q, atol=1e-9)
    assert np.abs(walks[1].v[:, 3:6]).max() < 0.5


def test_more_footsteps_than_the_memory_holds_are_refused() -> None:
    with pytest.raises(kg.ModelError, match=r"footsteps: takes .* GiB of memory, this machine .*; take fewer steps"):
        kg.footsteps(2**40, length=0.1, width=0.2)


def test_feet_without_soles_are_refused(robot: kg.Mechanism, model: kg.Model) -> None:
    def standing(*shapes: kg.Shape) -> kg.Mechanism:
        return replace(robot, links=[replace(x, shapes=shapes) if x.name == "foot_r" else x for x in robot.links])

    for shapes, told in (
        ((), "right foot, link 'foot_r', has no shape to stand on"),
        ((kg.capsule(0.05, 0.1),), "a capsule has no corners to stand on"),
        ((kg.sphere(0.05),), "no flat sole"),
        ((kg.box((0.2, 0.1, 0.1), pose=kg.Pose(rpy=(0.5, 0, 0))),), "no flat sole"),
    ):
        with pytest.raises(kg.ModelError, match=told):
            kg.walking_pattern(model, standing(*shapes), FEET, STEPS)
    with pytest.raises(kg.ModelError, match="left and the right foot"):
        kg.walking_pattern(model, robot, ["foot_l"], STEPS)
    with pytest.raises(kg.ModelError, match=r"'foot_r' stands to the right of 'foot_l' .* name the left foot first"):
        kg.walking_pattern(model, robot, FEET[::-1], STEPS)
    with pytest.raises(kg.ModelError, match="'foot_x'"):
        kg.walking_pattern(model, robot, ["foot_l", "foot_x"], STEPS)
