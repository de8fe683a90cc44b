"""Balance of a body that sways on its foot: ZMP of its motion and of the forces, capture point, polygons, cones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

import kinegen as kg

Array = np.ndarray
DT, ANKLE, HIP = 1e-3, 0.08, 0.9
SLOPE = np.radians(6.0)


def swayer(slope: float = 0.0) -> kg.Mechanism:
    """A trunk on a leg on a foot, by an ankle and a hip of two axes each; the ground falls along x by `slope`."""
    foot = kg.Link("foot", 3.0, (0.02, 0.0, -0.05), kg.inertia.box(3.0, (0.24, 0.12, 0.05)), shapes=[sole()])
    leg = kg.Link("leg", 12.0, (0.0, 0.0, 0.4), kg.inertia.box(12.0, (0.1, 0.1, 0.8)))
    trunk = kg.Link("trunk", 40.0, (0.03, 0.01, 0.3), kg.inertia.box(40.0, (0.2, 0.4, 0.6)))
    joints = [
        kg.Joint("base", "free", "world", "foot"),
        kg.Joint("ankle", "universal", "foot", "leg", damping=(5.0, 5.0)),
        kg.Joint("hip", "universal", "leg", "trunk", kg.Pose((0.0, 0.0, HIP - ANKLE)), damping=(5.0, 5.0)),
    ]
    ground = kg.plane(friction=0.9, pose=kg.Pose(rpy=(0.0, slope, 0.0)))
    return kg.Mechanism("swayer", [foot, leg, trunk], joints, shapes=[ground])


def sole() -> kg.Shape:
    return kg.box((0.24, 0.12, 0.04), pose=kg.Pose((0.02, 0.0, -ANKLE + 0.02)), friction=0.9)


def sway(slope: float, amplitude: float = 0.02) -> kg.Trajectory:
    """2 s of circles with the hip, the foot flat on the ground."""
    model = kg.compile(swayer(slope), progress=False)
    q = model.q0
    q[model.q_slice("base")] = [
        ANKLE * np.sin(slope),
        0,
        ANKLE * np.cos(slope),
        0,
        np.sin(slope / 2),
        0,
        np.cos(slope / 2),
    ]
    q[model.q_slice("ankle")][1] = -slope
    t = np.arange(round(2.0 / DT)) * DT
    circle = amplitude * (1 - np.exp(-4 * t))[:, None] * np.stack([np.sin(5 * t), np.cos(5 * t)], axis=1)
    servos = {
        "ankle": kg.Servo(4000.0, 200.0, np.tile([0.0, -slope], (len(t), 1))),
        "hip": kg.Servo(2000.0, 100.0, circle),
    }
    return kg.Simulator(model, dt=DT, q=q, servos=servos).run(2.0)


@pytest.fixture(scope="module", params=[0.0, SLOPE], ids=["level", "slope"])
def run(request: pytest.FixtureRequest) -> tuple[kg.Trajectory, Array]:
    """A motion, and the normal of its ground."""
    return sway(request.param), np.array([np.sin(request.param), 0.0, np.cos(request.param)])


def parts(run: kg.Trajectory) -> tuple[kg.Model, kg.ContactHistory]:
    assert run.model is not None and run.contacts is not None
    return run.model, run.contacts


def accelerations(run: kg.Trajectory) -> Array:
    """(n - 1, nv) of the steps."""
    return np.asarray(np.diff(run.v, axis=0) / np.diff(run.t)[:, None])


def test_the_foot_stands_and_the_body_sways(run: tuple[kg.Trajectory, Array]) -> None:
    motion, _ = run
    assert np.abs(motion.q[:, :3] - motion.q[0, :3]).max() < 1e-5
    assert np.ptp(motion.momentum[200:, :2], axis=0).min() > 1.0


def test_zmp_of_motion_is_center_of_pressure_of_forces(run: tuple[kg.Trajectory, Array]) -> None:
    """From rates of momentum; from the wrench of all contacts; as the mean of contact points weighted by pressure."""
    motion, normal = run
    model, contacts = parts(motion)
    pressed = contacts.center_of_pressure("world")[50:-1]
    by_forces = kg.zero_moment_point(-contacts.wrench("world"), (0, 0, 0), normal)[50:-1]
    np.testing.assert_allclose(by_forces, pressed, atol=1e-6)
    needed = kg.external_wrench(model, motion.q[:-1], motion.v[:-1], accelerations(motion))
    by_motion = kg.zero_moment_point(needed, (0, 0, 0), normal)[50:]
    np.testing.assert_allclose(by_motion, pressed, atol=1e-6)
    assert np.ptp(pressed[:, 0]) > 0.03 and np.ptp(pressed[:, 1]) > 0.03
    np.testing.assert_allclose(by_motion @ normal, 0.0, atol=1e-12)


def test_momentum_changes_by_the_forces_of_the_ground(run: tuple[kg.Trajectory, Array]) -> None:
    """The rate of the momentum is gravity and the ground's wrench about the mass centre."""
    motion, _ = run
    model, contacts = parts(motion)
    rate = model.momentum_rate(motion.q[:-1], motion.v[:-1], accelerations(motion))
    wrench = -contacts.wrench("world", about=model.com(motion.q))[:-1]
    wrench[:, :3] += model.total_mass() * model.gravity_acceleration()
    np.testing.assert_allclose(np.diff(motion.momentum, axis=0)[50:] / DT, rate[50:], atol=5e-3)
    np.testing.assert_allclose(rate[50:, :3], wrench[50:, :3], atol=1e-6)
    np.testing.assert_allclose(rate[50:, 3:], wrench[50:, 3:], atol=1e-9)
    assert np.abs(rate).max(axis=0)[:3].min() > 5.0


def test_zmp_of_known_forces() -> None:
    """One force through a point of a tilted plane, with a moment along the normal; nothing presses, nothing told."""
    rng = np.random.default_rng(0)
    normal = np.array([0.2, -0.3, 0.9]) / np.linalg.norm([0.2, -0.3, 0.9])
    origin = np.array([0.4, -0.1, 0.7])
    across = rng.normal(size=(3, 4, 3))
    at = origin + across - (across @ normal)[..., None] * normal
    force = rng.normal(size=(3, 4, 3)) + 5.0 * normal
    wrench = np.concatenate([force, np.cross(at, force) + 2.0 * normal], axis=-1)
    np.testing.assert_allclose(kg.zero_moment_point(wrench, origin, 3.0 * normal), at, atol=1e-12)
    assert np.isnan(kg.zero_moment_point(np.zeros((2, 6)))).all()
    assert np.isnan(kg.zero_moment_point([0, 0, -1, 0, 0, 0])).all()
    with pytest.raises(kg.ModelError, match="away from the ground"):
        kg.zero_moment_point(wrench, normal=(0, 0, 0))


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_a_linear_pendulum_comes_to_rest_over_its_capture_point(slope: float) -> None:
    """A point mass driven along a plane parallel to the ground, pushed from the capture point alone: closed form."""
    normal, along = np.array([np.sin(slope), 0.0, np.cos(slope)]), np.array([np.cos(slope), 0.0, -np.sin(slope)])
    body = kg.Link("body", 2.0, (0.0, 0.0, 0.0), kg.inertia.sphere(2.0, 0.1))
    model = kg.compile(kg.Mechanism("point", [body], [kg.Joint("base", "free", "world", "body")]), progress=False)
    q, v = model.neutral(), np.zeros(6)
    q[:3] = 0.8 * normal
    v[:3] = 0.5 * along + 0.2 * np.array([0.0, 1.0, 0.0])
    rate = kg.pendulum_rate(model, q, normal=normal)
    assert rate == pytest.approx(np.sqrt(9.81 * np.cos(slope) / 0.8), rel=1e-12)
    foot = kg.capture_point(model, q, v, normal=normal)
    assert abs(foot @ normal) < 1e-12
    center, speed, dt = q[:3].copy(), v[:3].copy(), 1e-4
    for _ in range(round(6.0 / float(rate) / dt)):  # c'' = ω² (c - foot) + g, by the midpoint
        half, mid = center + 0.5 * dt * speed, speed + 0.5 * dt * (rate**2 * (center - foot) + [0, 0, -9.81])
        center, speed = center + dt * mid, speed + dt * (rate**2 * (half - foot) + [0, 0, -9.81])
    assert np.linalg.norm(speed) < 0.02
    np.testing.assert_allclose(center[:2], foot[:2], atol=0.01)
    assert kg.capture_point(model, np.tile(q, (3, 2, 1)), v).shape == (3, 2, 3)
    with pytest.raises(kg.ModelError, match="below the plane"):
        kg.capture_point(model, q, v, point=(0, 0, 2))
    with pytest.raises(kg.ModelError, match="stands along gravity"):
        kg.pendulum_rate(model, q, normal=(0, 1, 0))


def test_no_pendulum_without_gravity() -> None:
    body = kg.Link("body", 2.0, (0, 0, 0), kg.inertia.sphere(2.0, 0.1))
    joints = [kg.Joint("base", "free", "world", "body")]
    model = kg.compile(kg.Mechanism("drift", [body], joints, gravity=(0, 0, 0)), progress=False)
    with pytest.raises(kg.ModelError, match="no gravity"):
        kg.capture_point(model, [0, 0, 1, 0, 0, 0, 1], np.zeros(6))


def test_margins_are_those_of_brute_force() -> None:
    """Qhull's half planes inside, distances to a thousand points of the edge outside; any number of points, gaps."""
    rng = np.random.default_rng(1)
    points, at = rng.normal(size=(40, 5, 9, 3)), rng.normal(size=(40, 5, 3))
    points[rng.random((40, 5, 9)) < 0.4] = np.nan
    polygon = kg.support_polygon(points)
    margin = polygon.margin(at)
    seen = {True: 0, False: 0}
    for i in np.ndindex(40, 5):
        own = points[i][np.isfinite(points[i][:, 0]), :2]
        if len(own) < 3:
            assert np.isnan(margin[i]) if not len(own) else margin[i] <= 0.0
            continue
        hull = ConvexHull(own)
        corners = polygon.vertices[i][np.isfinite(polygon.vertices[i][:, 0]), :2]
        assert {*map(tuple, corners)} == {*map(tuple, own[hull.vertices])}
        inside = -(hull.equations[:, :2] @ at[i][:2] + hull.equations[:, 2])
        seen[bool(inside.min() > 0)] += 1
        share = np.linspace(0.0, 1.0, 1001)[:, None, None]
        ends = own[hull.simplices]
        nearest = np.linalg.norm((1 - share) * ends[:, 0] + share * ends[:, 1] - at[i][:2], axis=-1).min()
        assert abs(margin[i]) == pytest.approx(nearest, abs=3e-3) and (margin[i] > 0) == (inside.min() > 0)
        if margin[i] > 0:
            assert margin[i] == pytest.approx(inside.min(), abs=1e-12)
    assert min(seen.values()) > 20


def test_polygons_of_few_points() -> None:
    """None, one, two, several on a line, one point many times; on a plane that leans."""
    gap = [np.nan] * 3
    cases = [
        [gap] * 4,
        [[1, 2, 0], gap, gap, gap],
        [[0, 0, 0], gap, [2, 0, 0], gap],
        [[0, 0, 0], [1, 0, 0], [3, 0, 0], gap],
    ]
    cases.append([[1, 1, 0]] * 4)
    margin = kg.support_polygon(cases).margin((1, 1, 5))
    np.testing.assert_allclose(margin, [np.nan, -1.0, -1.0, -1.0, 0.0], atol=1e-12)
    square = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 1, 0], [1, 1, 1e-12], [0.2, 0.3, 0]]
    np.testing.assert_allclose(
        kg.support_polygon(square).margin([[0, 0, 0], [0.5, 0, 0], [2, 2, 0]]), [1, 0.5, -(2**0.5)]
    )
    leaning = kg.support_polygon(square, normal=(1, 0, 1))
    np.testing.assert_allclose(leaning.vertices[np.isfinite(leaning.vertices[:, 0])] @ [1, 0, 1], 0.0, atol=1e-12)
    assert leaning.margin((0, 0, 0)) == pytest.approx(2**-0.5)
    with pytest.raises(kg.ModelError, match="points: expected shape"):
        kg.support_polygon([1.0, 2.0])
    with pytest.raises(kg.ModelError, match="do not go with polygons"):
        kg.support_polygon(cases).margin(np.zeros((3, 3)))


def test_the_zmp_stays_in_the_support_polygon(run: tuple[kg.Trajectory, Array]) -> None:
    motion, normal = run
    _, contacts = parts(motion)
    support = kg.support_polygon(contacts.points("world")[50:-1], normal=normal)
    margin = support.margin(kg.zero_moment_point(-contacts.wrench("world"), normal=normal)[50:-1])
    assert margin.min() > 0.005 and 0.04 < margin.max() < 0.06
    assert support.vertices.shape[1:] == (4, 3)


CORNERS = np.array([(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.05, 0.05)])


def drawn_wrenches(count: int) -> Array:
    rng = np.random.default_rng(2)
    return np.asarray(rng.normal(size=(count, 6)) * [0.25, 0.25, 0.1, 0.02, 0.04, 0.03] + np.eye(6)[2])


def test_the_closed_form_of_a_rectangle_is_the_hull_of_its_corners() -> None:
    wrenches = drawn_wrenches(2000)
    closed = kg.ContactWrenchCone.of_rectangle(0.1, 0.05, 0.6)
    hull = kg.ContactWrenchCone.of_points(CORNERS, 0.6, sides=4)
    assert closed.rows.shape == hull.rows.shape == (16, 6)
    np.testing.assert_allclose(closed.margin(wrenches), hull.margin(wrenches), atol=1e-9)
    assert 0.1 < (closed.margin(wrenches) > 0).mean() < 0.9


def test_cone_margins_are_those_of_a_linear_program() -> None:
    """Two feet at an angle, pyramids of eight sides: the most that can be taken away, found by forces at the points."""
    up = np.array([[0, 0, 1.0]] * 4 + [[0.3, 0, 0.95]] * 3)
    points = np.vstack([CORNERS, CORNERS[:3] + np.array([0.5, 0.2, 0.1])])
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    cone = kg.ContactWrenchCone.of_points(points, 0.7, up, sides=8)
    edges = []
    for point, n in zip(points, up, strict=True):
        first = np.array([1.0, 0, 0]) - n * n[0]
        first /= np.linalg.norm(first)
        for k in range(8):
            angle = (2 * k + 1) * np.pi / 8
            force = n + 0.7 * (np.cos(angle) * first + np.sin(angle) * np.cross(n, first))
            edges.append(np.concatenate([force, np.cross(point, force)]))
    wrenches = drawn_wrenches(60) + np.array([0, 0, 0, 0.1, -0.25, 0])
    pressing = wrenches[:, :3] @ cone.center[:3] / (cone.center[:3] @ cone.center[:3])
    expected = []
    for wrench, press in zip(wrenches, pressing, strict=True):
        matrix = np.column_stack([*edges, press * cone.center])
        bounds = [(0, None)] * len(edges) + [(None, None)]
        expected.append(linprog(np.r_[np.zeros(len(edges)), -1.0], A_eq=matrix, b_eq=wrench, bounds=bounds).x[-1])
    np.testing.assert_allclose(cone.margin(wrenches), expected, atol=1e-7)
    assert np.min(expected) < 0 < np.max(expected)


@pytest.mark.parametrize("friction", [0.3, 0.8])
@pytest.mark.parametrize(
    ("other", "normal"),
    [((0.4, 0.1, 1.2), (-1, 0, 0)), ((0.4, 0.1, 1.2), (-1, 0, -0.2)), ((0.1, 0.05, 0), (0, 0, -1))],
)
def test_a_foot_on_the_floor_and_a_hand_elsewhere_hold_what_their_forces_add_up_to(
    friction: float, other: tuple[float, ...], normal: tuple[float, ...]
) -> None:
    """At a wall, at one that leans, below the edge of the floor: no force at a point undoes those at the others."""
    points = np.vstack([CORNERS[:3] if other[2] == 0.0 else CORNERS, other])
    up = np.array([(0, 0, 1.0)] * (len(points) - 1) + [normal])
    cone = kg.ContactWrenchCone.of_points(points, friction, up)
    rng = np.random.default_rng(0)
    held = np.zeros((2000, 6))
    for point, n in zip(points, up / np.linalg.norm(up, axis=1, keepdims=True), strict=True):
        across = rng.normal(size=(2000, 3))
        across -= np.outer(across @ n, n)
        across *= friction * np.cos(np.pi / 8) / np.linalg.norm(across, axis=1, keepdims=True)
        force = rng.exponential(size=(2000, 1)) * (n + rng.uniform(size=(2000, 1)) * across)
        held += np.hstack([force, np.cross(point, force)])
    margin = cone.margin(held)
    assert (margin > 0.0).all() and np.isfinite(margin).any()
    assert (cone.margin(-held) == -np.inf).any() and (cone.margin(-held) < 0.0).all()


def test_a_cone_of_points_far_from_their_origin_is_the_same() -> None:
    wrenches, near = drawn_wrenches(200), kg.ContactWrenchCone.of_points(CORNERS, 0.6)
    for away in (10.0, 100.0, 1e4):
        far = np.array([away, -0.5 * away, 0.1 * away])
        moved = np.hstack([wrenches[:, :3], wrenches[:, 3:] + np.cross(far, wrenches[:, :3])])
        cone = kg.ContactWrenchCone.of_points(CORNERS + far, 0.6)
        np.testing.assert_allclose(cone.margin(moved), near.margin(wrenches), atol=1e-13 * away + 1e-12)


def test_pyramids_grow_into_the_true_cone() -> None:
    """Pure sliding along the edge of the true cone, sideways: met to cos(π/sides)."""
    for sides in (4, 8, 16):
        cone = kg.ContactWrenchCone.of_points(CORNERS, 0.6, sides=sides)
        slip = 0.6 * np.cos(np.pi / sides)
        assert cone.margin([slip, 0, 1, 0, 0, 0]) == pytest.approx(0.0, abs=1e-9)
    closed = kg.ContactWrenchCone.of_rectangle(0.1, 0.05, 0.6)
    assert closed.margin([0, 0, 7.0, 0, 0, 0]) == pytest.approx(1.0)
    assert closed.margin([0, 0, 10.0, 0, 0.25, 0]) == pytest.approx(0.75)  # 2.5 of 10 cm towards the toes
    assert np.isnan(closed.margin(np.zeros(6))) and closed.margin([0, 0, -1, 0, 0, 0]) == -np.inf


def test_the_forces_of_the_ground_are_in_the_cone(run: tuple[kg.Trajectory, Array]) -> None:
    """In the foot's axes, of a simulation whose true cones are wider: a cone of 16 sides with its friction."""
    motion, _ = run
    model, contacts = parts(motion)
    corners = [(0.02 + x, y, -ANKLE) for x in (-0.12, 0.12) for y in (-0.06, 0.06)]
    cone = kg.ContactWrenchCone.of_points(corners, 0.9 / np.cos(np.pi / 16), sides=16)
    margin = cone.margin(contacts.wrench("foot"), model.frame_pose(motion.q, "foot"))[50:-1]
    assert 0.05 < margin.min() < 0.2 and 0.8 < margin.max() < 1.0


def test_a_foot_that_tips_has_no_margins_left() -> None:
    model, contacts = parts(motion := sway(0.0, amplitude=0.03))
    pressed = contacts.center_of_pressure("world")
    corners = [(0.02 + x, y, -ANKLE) for x in (-0.12, 0.12) for y in (-0.06, 0.06)]
    cone = kg.ContactWrenchCone.of_points(corners, 0.9 / np.cos(np.pi / 16), sides=16)
    tipping = np.abs(pressed[:, 1]) > 0.06 - 1e-6
    assert tipping.sum() > 10
    margins = [
        cone.margin(contacts.wrench("foot"), model.frame_pose(motion.q, "foot")),
        kg.support_polygon(contacts.points("world")[:-1]).margin(pressed[:-1]),
    ]
    for margin in margins:
        assert np.abs(margin[: len(tipping) - 1][tipping[:-1]]).max() < 1e-5


@pytest.mark.parametrize(
    ("points", "friction", "normals", "words"),
    [
        ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], 0.5, (0, 0, 1), "on one line"),
        ([(0, 0, 0)], 0.5, (0, 0, 1), "on one line"),
        (CORNERS, 0.0, (0, 0, 1), "friction"),
        (CORNERS[:3], 1e-12, (0, 0, 1), "friction: 1e-12 is so little that rounding leaves nothing"),
        ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], 1e-12, (0, 0, 1), "on one line"),
        (CORNERS, 0.5, (0, 0, 0), "without a length"),
        ([*CORNERS, CORNERS.mean(axis=0)], 0.5, [(0, 0, 1)] * 4 + [(0, 0, -1)], "can press against each other"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], 0.1, [(0, 0, 1), (0, 0, -1)] * 2, "cancel each other out"),
        (np.zeros((2, 2, 3)), 0.5, (0, 0, 1), "expected shape"),
        (np.zeros((0, 3)), 0.5, (0, 0, 1), r"three corners or more, got \(0, 3\)"),
    ],
)
def test_what_is_no_cone_is_refused(points: Array, friction: float, normals: Array, words: str) -> None:
    with pytest.raises(kg.ModelError, match=words):
        kg.ContactWrenchCone.of_points(points, friction, normals)


def test_states_of_other_numbers_are_refused_by_name() -> None:
    cone = kg.ContactWrenchCone.of_rectangle(0.1, 0.05, 0.6)
    with pytest.raises(kg.ModelError, match=r"margin: batch axes do not broadcast: wrench \(3,\), pose \(2,\)"):
        cone.margin(np.ones((3, 6)), np.tile(np.eye(4), (2, 1, 1)))
    model = kg.compile(swayer(), progress=False)
    with pytest.raises(kg.ModelError, match=r"capture_point: batch axes do not broadcast: q \(3, \d+\), v \(2, \d+\)"):
        kg.capture_point(model, np.tile(model.q0, (3, 1)), np.zeros((2, model.nv)))


def test_steps_as_a_picture(run: tuple[kg.Trajectory, Array], tmp_path: Path) -> None:
    motion, normal = run
    _, contacts = parts(motion)
    planned = kg.zero_moment_point(-contacts.wrench("world"), normal=normal)
    figure = motion.plot_footsteps(tmp_path / "steps.png", zmp=planned, normal=normal)
    above, *over_time = figure.axes
    assert len(over_time) == 3 and (tmp_path / "steps.png").stat().st_size > 20_000
    curves = {line.get_label(): line.get_xydata() for line in above.lines}
    assert set(curves) == {"ZMP", "mass centre", "capture point", "planned ZMP"}
    np.testing.assert_allclose(curves["ZMP"], curves["planned ZMP"])
    outlines = [patch for patch in above.patches if patch.get_label() == "foot"]
    assert len(outlines) == 1
    extent = np.ptp(outlines[0].get_path().vertices, axis=0)  # type: ignore[attr-defined]
    np.testing.assert_allclose(extent, [0.24, 0.12], atol=1e-3)


def test_pictures_of_no_steps_are_refused() -> None:
    model = kg.compile(swayer(), progress=False)
    q = model.q0
    q[2] = 2.0
    flying = kg.Simulator(model, dt=DT, q=q).run(0.01)
    with pytest.raises(kg.ModelError, match="nothing ever pressed on the ground"):
        flying.plot_footsteps()
    with pytest.raises(kg.ModelError, match="simulated without contacts"):
        kg.Simulator(model, dt=DT, q=q, contacts=False).run(0.01).plot_footsteps()
    with pytest.raises(kg.ModelError, match="as many as states"):
        sway(0.0).plot_footsteps(zmp=np.zeros((3, 3)))
