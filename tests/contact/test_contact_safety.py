"""What contact never does: give energy, let things through, end without a word. As a user would meet it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from support.contact.contact_scenes import at, scene, shapes, solid

URDF = """<robot name="r"><link name="crate"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry>SHAPE</geometry></collision></link></robot>"""
SDF = """<sdf version="1.7"><model name="m"><link name="crate"><inertial><mass>1</mass></inertial>
<collision name="c"><geometry><box><size>0 1 1</size></box></geometry></collision></link></model></sdf>"""
MJCF = """<mujoco><worldbody><body name="crate"><freejoint/>
<geom type="box" size="1 1 1" mass="1" friction="-1 0 0"/></body></worldbody></mujoco>"""
TOML = """name = "r"
link = [{name = "crate", mass = 1, inertia = [1, 0, 0, 1, 0, 1], shapes = [{sphere = 0.0}]}]
joint = [{name = "flight", kind = "free", parent = "world", child = "crate"}]
"""


def polyhedron(rng: np.random.Generator, restitution: float) -> kg.Link:
    """A hull of random points, with the inertia of a box about it."""
    points = rng.uniform(-0.15, 0.15, (8, 3))
    hull = kg.convex(points - points.mean(axis=0), friction=float(rng.uniform()), restitution=restitution)
    return kg.Link("b", 1.0, inertia=kg.inertia.box(1.0, tuple(map(float, np.ptp(points, axis=0)))), shapes=[hull])


@pytest.mark.parametrize(
    ("kind", "restitution"),
    [
        ("hull", 0.0),
        ("box", 0.6),
        *(
            pytest.param(*case, marks=pytest.mark.sweep)
            for case in (("box", 0.0), ("hull", 0.6), ("hull", 1.0), ("box", 1.0))
        ),
    ],
)
def test_contact_never_gives_energy(kind: str, restitution: float) -> None:
    """Every step with contact against the same step without: the kinetic energy is less. 30 drops of each body.

    What is moved without velocity to leave a depth, and Euler's steps of a free spin, are no work of contact.
    """
    rng = np.random.default_rng(int(10 * restitution))
    size = tuple(map(float, rng.uniform(0.05, 0.4, 3)))
    box = solid("b", shapes.box(size, friction=0.6, restitution=restitution))
    body = polyhedron(rng, restitution) if kind == "hull" else box
    model = scene("drop", [body], [shapes.plane(friction=0.8)])
    sim, bare, touched = kg.Simulator(model), kg.Simulator(model, contacts=False), 0
    for _ in range(30):
        q = model.random(rng)
        q[:3] = [0, 0, 0.4]
        sim.q, sim.v = q, np.array([*rng.normal(size=3), *(5 * rng.normal(size=3))])
        trajectory = sim.run(0.6)
        energy = trajectory.energy
        assert trajectory.contacts is not None
        for i in np.flatnonzero(np.diff(trajectory.contacts.starts)):
            bare.q, bare.v = trajectory.q[i], trajectory.v[i]
            bare.step()
            assert energy[i + 1, 0] <= model.energy(bare.q, bare.v)[0] + 1e-12
            touched += 1
        total = energy.sum(axis=1)
        assert total.max() < 1.01 * total[0]
        assert trajectory.q[:, 2].min() > 0.0
    assert touched > 300


def test_a_shaken_pile_stays_in_its_box() -> None:
    """Eight boxes between four walls, kicked with metres a second five times; nothing leaves, all comes to rest."""
    rng = np.random.default_rng(2)
    bodies = [
        solid(f"b{i}", shapes.box(tuple(map(float, rng.uniform(0.1, 0.25, 3)))), float(rng.uniform(0.5, 8)))
        for i in range(8)
    ]
    quarter = np.pi / 2
    walls = [
        shapes.plane(pose=kg.Pose((0.5 * np.cos(a), 0.5 * np.sin(a), 0), (0, -quarter, a)))
        for a in quarter * np.arange(4)
    ]
    model = scene("pile", bodies, [shapes.plane(), *walls])
    q = model.random(rng).reshape(8, 7)
    for i in range(8):
        q[i, :3] = [0.5 * (i % 2) - 0.25, 0.5 * (i // 2 % 2) - 0.25, 0.3 + 0.4 * (i // 4)]
    sim = kg.Simulator(model, q=q.ravel())
    for _ in range(5):
        sim.step(1000)
        places = sim.q.reshape(8, 7)[:, :3]
        assert np.abs(places[:, :2]).max() < 0.5 and places[:, 2].min() > 0.03
        v = sim.v.copy().reshape(8, 6)
        v[:, :3] += 4.0 * rng.normal(size=(8, 3))
        sim.v = v.ravel()
    sim.step(5000)  # some boxes rock for seconds
    assert np.abs(sim.v).max() < 1e-3 and sim.contacts.gaps.min() > -2e-4


WALL = solid("wall", shapes.box((2.0, 0.002, 2.0)), 1e3)


@cache
def range_of(*names: str) -> kg.Model:
    """Things to throw at a thin wall, without gravity."""
    things = {
        "ball": solid("ball", shapes.sphere(0.01)),
        "box": solid("box", shapes.box((0.1, 0.02, 0.03))),
        "hammer": solid("hammer", shapes.sphere(0.01), 100.0),
    }
    return scene("_".join(names), [*(things[name] for name in names), WALL], [], (0.0, 0.0, 0.0))


def behind(model: kg.Model, q: np.ndarray, link: int) -> bool:
    """On the far side of the wall, as seen in its own axes."""
    poses = model.link_poses(q)
    return bool((poses[-1, :3, :3].T @ (poses[link, :3, 3] - poses[-1, :3, 3]))[1] > 0.0)


@pytest.mark.parametrize("thing, speed", [("ball", 200.0), ("ball", 5000.0), ("box", 20.0), ("box", 200.0)])
def test_nothing_goes_through_a_wall_by_its_own_speed(thing: str, speed: float) -> None:
    """A hundred thicknesses of the wall in a step, and more."""
    model, rng = range_of(thing), np.random.default_rng(0)
    for k in range(30):
        q = model.random(rng)
        q[:3], q[7:] = [0.01 * k, -1 - rng.uniform() * speed * 1e-3, 0], [0, 0, 0, 0, 0, 0, 1]
        forward = model.link_poses(q)[0, :3, :3].T @ [0, speed, 0]
        sim = kg.Simulator(model, q=q, v=[*forward, *(30 * rng.normal(size=3)), *np.zeros(6)])
        sim.step(int(1100 / speed) + 6)
        assert not behind(model, sim.q, 0)


def test_what_is_struck_before_a_wall_stays_before_it_below_the_bound() -> None:
    """A speed gained within a step is seen in the next one: half of both thicknesses may pass in it, 11 m/s here."""
    model, through = range_of("hammer", "ball"), {}
    for speed in (1.0, 5.0, 10.0, 40.0):
        through[speed] = 0
        for k in range(40):
            before = -0.011 - 0.0006 * (k % 10)
            q = at((0, -0.1 - 0.0371 * k * speed * 1e-3, 0), (0, before, 0), (0, 0, 0))
            sim = kg.Simulator(model, q=q, v=[0, speed, 0, *np.zeros(15)])
            sim.step(int(100 / speed) + 10)
            through[speed] += behind(model, sim.q, 1)
    assert through[1.0] == through[5.0] == through[10.0] == 0 < through[40.0]


@pytest.mark.parametrize(
    "suffix, text, message",
    [
        (".urdf", URDF.replace("SHAPE", '<box size="0 1 1"/>'), "size x must be positive, got 0.*'crate'"),
        (".urdf", URDF.replace("SHAPE", '<sphere radius="-1"/>'), "radius must be positive, got -1.*'crate'"),
        (".sdf", SDF, "size x must be positive, got 0.*'crate'"),
        (".xml", MJCF, "friction must not be negative, got -1.*'crate'"),
        (".toml", TOML, "'crate'.*radius must be positive, got 0"),
    ],
)
def test_bad_shapes_in_files_name_their_link(suffix: str, text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / f"bad{suffix}"
    file.write_text(text)
    with pytest.raises(kg.ModelError, match=message) as caught:
        kg.load(file)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: kg.box((0, 1, 1)), "size x must be positive, got 0"),
        (lambda: kg.sphere(float("nan")), "radius must be finite"),
        (lambda: kg.capsule(0.0, 1.0), "radius must be positive"),
        (lambda: kg.box((1, 1, 1), friction=-1), "friction must not be negative"),
        (lambda: kg.plane(restitution=1.5), "restitution must lie between 0 and 1"),
        (lambda: kg.convex(np.zeros((4, 3))), "convex"),
        (lambda: kg.Link("crate", 1.0, shapes=["box"]), "link 'crate': shapes must be made with sphere"),
    ],
)
def test_bad_shapes_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(kg.ModelError, match=message):
        make()


@pytest.mark.parametrize("seed", range(3))
def test_a_plane_beside_what_slides_along_it_gives_no_force(seed: int) -> None:
    """Its normal is one along which nothing moves, but for rounding: what is deep in it stays so, and goes on."""
    normal = np.random.default_rng(seed).normal(size=3)
    normal /= np.linalg.norm(normal)
    across = np.cross(normal, (1.0, 0.0, 0.0)) / np.linalg.norm(np.cross(normal, (1.0, 0.0, 0.0)))
    turned = np.column_stack([across, np.cross(normal, across), normal]).tolist()
    link = kg.Link("puck", 1.0, inertia=kg.inertia.sphere(1.0, 0.1), shapes=[kg.sphere(0.1)])
    joint = kg.Joint("slide", "planar", "world", "puck", kg.Pose(rotation=turned))
    floor = kg.plane(pose=kg.Pose(tuple(-0.09 * normal), rotation=turned))
    model = kg.compile(kg.Mechanism("skewed_puck", [link], [joint], shapes=[floor], gravity=(0, 0, 0)))
    for integrator in ("semi_implicit", "rk4"):
        simulator = kg.Simulator(model, v=[1.0, 0.0, 0.5], integrator=integrator)
        run = simulator.run(0.5)
        assert len(simulator.contacts) == 1 and np.abs(simulator.contacts.forces).max() < 1e-9
        np.testing.assert_allclose(run.energy[:, 0], run.energy[0, 0], rtol=1e-9)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_a_wall_beside_a_linkage_gives_no_force(integrator: str) -> None:
    """A four-bar in a skewed plane, one ball on a knee, one on a hinge that stands: neither moves along the normal, the
    other not at all."""
    normal = np.random.default_rng(3).normal(size=3)
    normal /= np.linalg.norm(normal)
    across = np.cross(normal, (1.0, 0.0, 0.0)) / np.linalg.norm(np.cross(normal, (1.0, 0.0, 0.0)))
    turned = np.column_stack([across, np.cross(normal, across), normal])
    inertia, ball = (0.01, 0, 0, 0.1, 0, 0.1), [kg.sphere(0.1)]
    links = [
        kg.Link("crank", 1.0, (0.2, 0, 0), inertia),
        kg.Link("coupler", 1.0, (0.45, 0, 0), inertia, ball),
        kg.Link("rocker", 1.0, (0.3, 0, 0), inertia, ball),
    ]
    far, z = kg.Pose(tuple((turned @ (0.8, 0, 0)).tolist()), rotation=turned.tolist()), (0, 0, 1)
    joints = [
        kg.Joint("drive", "revolute", "world", "crank", kg.Pose(rotation=turned.tolist()), axis=z),
        kg.Joint("knee", "revolute", "crank", "coupler", kg.Pose((0.4, 0, 0)), axis=z),
        kg.Joint("base", "revolute", "world", "rocker", far, axis=z),
        kg.Joint("tip", "revolute", "coupler", "rocker", kg.Pose((0.9, 0, 0)), kg.Pose((0.7, 0, 0)), axis=z),
    ]
    wall = kg.plane(pose=kg.Pose(tuple((-0.09 * normal).tolist()), rotation=turned.tolist()))
    simulator = kg.Simulator(kg.Mechanism("skewed_bars", links, joints, shapes=[wall]), integrator=integrator)
    run = simulator.run(0.5)
    assert len(simulator.contacts) == 2 and np.abs(simulator.contacts.forces).max() < 1e-9
    total = run.energy.sum(axis=1)
    assert np.ptp(run.energy[:, 0]) > 1.0 and np.ptp(total) < (1e-7 if integrator == "rk4" else 0.1)


def test_a_controller_that_fails_leaves_state_and_trajectory() -> None:
    """NaN from a controller: which entry of which joint; the last state stands, can be saved, and motion goes on."""
    model = scene("ball", [solid("ball", shapes.sphere(0.1))], [shapes.plane()])
    controller = lambda t, q, v: [np.nan if t > 0.2 else 0.0] * 6  # noqa: E731
    sim = kg.Simulator(model, q=at((0, 0, 0.2)), tau=controller)
    with pytest.raises(kg.ModelError, match="entry 0, joint 'ball_free', is nan") as caught:
        sim.run(1.0)
    recorded = caught.value.trajectory  # type: ignore[attr-defined]
    assert recorded.t[-1] == sim.t == pytest.approx(0.201) and len(recorded.contacts[-2]) == 1
    np.testing.assert_array_equal(recorded.q[-1], sim.q)
    kept = sim.save()
    sim.tau = None
    sim.step(300)
    rest = sim.q
    assert np.isfinite(rest).all() and rest[2] == pytest.approx(0.1, abs=1e-4)
    sim.restore(kept)
    sim.step(300)
    np.testing.assert_array_equal(sim.q, rest)


def test_a_state_that_explodes_stops_with_the_last_finite_one() -> None:
    model = scene("ball", [solid("ball", shapes.sphere(0.1))], [shapes.plane()])
    sim = kg.Simulator(model, q=at((0, 0, 0.2)), tau=lambda t, q, v: [0, 0, 1e306 if t > 0.1 else 0, 0, 0, 0])
    with pytest.raises(kg.ModelError, match=r"stops being finite in the step from .* joint 'ball_free'") as caught:
        sim.run(1.0)
    assert np.isfinite(sim.q).all() and np.isfinite(sim.v).all() and sim.t > 0.1
    assert len(caught.value.trajectory) > 100  # type: ignore[attr-defined]
    assert sim.save().steps == round(sim.t / sim.dt)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_after_a_step_that_failed_all_goes_on_as_if_it_had_not_been_tried(integrator: str) -> None:
    """Bit for bit: no force of it is where the next one starts."""
    box = shapes.box((0.2, 0.2, 0.2))
    model = scene("two_boxes", [solid("low", box), solid("high", box)], [shapes.plane()])
    start = at((0, 0, 0.1), (0.02, 0.01, 0.301))
    tried, other = (kg.Simulator(model, q=start, integrator=integrator) for _ in range(2))
    for force in (1e308, -1e200):
        for sim in (tried, other):
            sim.step(20)
        tried.wrenches = {"high": [0, 0, force, 1e308, 0, 0]}
        with pytest.raises(kg.SimulationError, match="stops being finite"):
            tried.step()
        tried.wrenches = None
        for sim in (tried, other):
            sim.step(20)
        np.testing.assert_array_equal(tried.q, other.q)
        np.testing.assert_array_equal(tried.v, other.v)
