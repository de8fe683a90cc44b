"""Torsional and rolling friction: closed forms, laws, two solvers, what contacts tell, and what files say."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.analysis.contact.collision_pairs import touching
from kinegen.runtime import ContactOptions, Model, Simulator, Trajectory
from kinegen.runtime.contact.contacts import _WITHOUT_MOMENTS
from support.contact.contact_scenes import GRAVITY, at, scene, shapes, solid
from support.oracles.turning import by_projection, violation

RADIUS, ROLLING, TORSION = 0.1, 0.002, 0.003
RESISTING = {"friction": 0.8, "rolling": ROLLING, "torsion": TORSION}
INTEGRATORS = ("semi_implicit", "rk4")


@cache
def leaning() -> Model:
    """A ball on the plane z = 0, gravity open."""
    down = sympy.symbols("down_x down_y down_z")
    return scene("ball", [solid("b", shapes.sphere(RADIUS, **RESISTING), 2.0)], [shapes.plane(**RESISTING)], down)


def ball(lean: float = 0.0) -> Model:
    """The same under gravity that leans by an angle towards x."""
    return leaning().with_parameters(down_x=GRAVITY * np.sin(lean), down_y=0.0, down_z=-GRAVITY * np.cos(lean))


def speed(sim: Simulator) -> float:
    """Of the centre [m/s]."""
    return float(np.linalg.norm(sim.v[:3]))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_rolling_ball_slows_down_and_stops(integrator: str) -> None:
    """a = 5/7 g rolling/radius; then it rests for good."""
    sim = Simulator(ball(), integrator=integrator, q=at((0, 0, RADIUS)), v=[0.2, 0, 0, 0, 0.2 / RADIUS, 0])
    slowing = 5 / 7 * GRAVITY * ROLLING / RADIUS
    sim.step(500)
    assert speed(sim) == pytest.approx(0.2 - 0.5 * slowing, abs=1e-6)
    sim.step(1500)
    where = sim.q.copy()
    sim.step(500)
    assert speed(sim) < 1e-12 and np.abs(sim.q - where).max() < 1e-12
    assert where[0] == pytest.approx(0.2**2 / (2 * slowing), rel=2e-3)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_ball_that_turns_on_its_point_slows_down(integrator: str) -> None:
    """5/2 g torsion/radius² [rad/s²]."""
    sim = Simulator(ball(), integrator=integrator, q=at((0, 0, RADIUS)), v=[0, 0, 0, 0, 0, 3.0])
    sim.step(300)
    assert sim.v[5] == pytest.approx(3.0 - 0.3 * 2.5 * GRAVITY * TORSION / RADIUS**2, abs=1e-9)
    sim.step(300)
    assert np.abs(sim.v).max() < 1e-12


def beside(what: str) -> kg.Model | kg.TopologyLibrary:
    """The ball among loops, rows or connections, which do not touch it."""
    rolling = kg.Mechanism(
        "m",
        [solid("b", shapes.sphere(RADIUS, **RESISTING), 2.0)],
        [kg.Joint("f", "free", "world", "b")],
        shapes=[shapes.plane(**RESISTING)],
    )
    bar = kg.Link("bar", 1.0, (0, 0, -0.5), kg.inertia.rod(1.0, 1.0, axis=(0, 0, 1)))
    swing = kg.Joint("swing", "revolute", "world", "bar", kg.Pose((5, 0, 3)), axis=(0, 1, 0), friction=0.1)
    if what == "loops":
        return kg.compile(kg.combine("both", rolling, replace(kg.load("examples/fourbar.toml"), gravity=(0, 0, -9.81))))
    both = kg.combine("both", rolling, kg.Mechanism("bar", [bar], [swing]))
    if what == "rows":
        post = kg.Rows("post", "world", "bar", axes="y", origin=kg.Pose((5, 0, 3)))
        return kg.compile(both, rows=kg.RowRules(friction=True, between=[post]))
    return kg.TopologyLibrary(both, [kg.Connection("hook", "bar", "world", kg.fixed())])


@pytest.mark.parametrize("what", ["loops", "rows", pytest.param("connections", marks=pytest.mark.sweep)])
def test_it_slows_down_beside(what: str) -> None:
    sim = kg.Simulator(beside(what))
    q, v, at_v = sim.q.copy(), sim.v.copy(), sim.model.v_slice("f")
    q[sim.model.q_slice("f")], v[at_v] = at((0, 0, RADIUS)), [0.2, 0, 0, 0, 0.2 / RADIUS, 0]
    sim.q, sim.v = q, v
    sim.step(200)
    slowed = 0.2 - 0.2 * 5 / 7 * GRAVITY * ROLLING / RADIUS
    assert np.linalg.norm(sim.v[at_v][:3]) == pytest.approx(slowed, abs=1e-6)


def test_solved_exactly_by_runge_kutta_it_rests() -> None:
    """Where a step ends, moments that do not press are asked for no velocity."""
    sim = Simulator(
        ball(), dt=1e-3, integrator="rk4", q=at((0, 0, RADIUS - 1e-5)), contacts=ContactOptions(solver="exact")
    )
    before = sim.q.copy()
    sim.step()
    assert np.abs(sim.q - before).max() < 1e-12 and np.abs(sim.v).max() < 1e-12


def test_on_a_slope_it_rests_below_the_angle_of_rolling_friction() -> None:
    """tan(angle) = rolling/radius; above it rolls by 5/7 (g sin − rolling/radius g cos)."""
    rests, rolls = (np.arctan(part * ROLLING / RADIUS) for part in (0.98, 1.5))
    sim = Simulator(ball(rests), q=at((0, 0, RADIUS)))
    sim.step(1000)
    assert np.abs(sim.q[:2]).max() < 1e-12 and np.abs(sim.v).max() < 1e-12
    sim = Simulator(ball(rolls), q=at((0, 0, RADIUS)), contacts=ContactOptions(tolerance=1e-10))
    sim.step(1000)
    pull = 5 / 7 * GRAVITY * (np.sin(rolls) - ROLLING / RADIUS * np.cos(rolls))
    assert speed(sim) == pytest.approx(pull, rel=1e-6)


def test_contacts_tell_moments_and_where_the_force_is() -> None:
    """The wrench on the ball is what it accelerates by; the normal force stands `rolling` ahead of the point."""
    model = ball()
    sim = Simulator(model, q=at((0, 0, RADIUS)), v=[0, 0.5, 0, -0.5 / RADIUS, 0, 2.0])
    trajectory = sim.run(0.05)
    slowing, weight = 5 / 7 * GRAVITY * ROLLING / RADIUS, 2.0 * GRAVITY
    (moment,), history = sim.contacts.moments, trajectory.contacts
    np.testing.assert_allclose(moment, [ROLLING * weight, 0.0, -TORSION * weight], atol=1e-8)
    wrench = history.wrench("b", about=trajectory.q[:, :3])
    turning = [0.4 * 2.0 * RADIUS * slowing, 0.0, -TORSION * weight]
    np.testing.assert_allclose(wrench[1:-1], [[0, -2.0 * slowing, weight, *turning]] * 49, atol=1e-6)
    np.testing.assert_allclose(history.wrench("world", trajectory.q[:, :3]), -wrench, atol=1e-12)
    ahead = history.center_of_pressure("b")[:-1, :2] - trajectory.q[:-1, :2]
    np.testing.assert_allclose(ahead, [[0.0, ROLLING]] * 50, atol=1e-8)


def test_a_file_keeps_moments_and_older_files_have_none(tmp_path: Path) -> None:
    sim = Simulator(ball(), q=at((0, 0, RADIUS)), v=[0, 0.5, 0, -0.5 / RADIUS, 0, 0])
    trajectory = sim.run(0.01)
    trajectory.save(tmp_path / "roll.npz")
    read = Trajectory.load(tmp_path / "roll.npz")
    np.testing.assert_array_equal(read.contacts.wrench("b"), trajectory.contacts.wrench("b"))
    with np.load(tmp_path / "roll.npz") as file:
        arrays = dict(file)
    older = np.zeros(len(arrays["contact_records"]), dtype=_WITHOUT_MOMENTS)
    for name in older.dtype.names:
        older[name] = arrays["contact_records"][name]
    np.savez(tmp_path / "older.npz", **(arrays | {"contact_records": older}))
    again = Trajectory.load(tmp_path / "older.npz").contacts
    np.testing.assert_array_equal(again.force("b"), trajectory.contacts.force("b"))
    assert not again.records["moment"].any()


# ---- The laws, by three solvers


@cache
def pile() -> Model:
    resisting = {"friction": 0.6, "rolling": 0.02, "torsion": 0.03}
    things = [
        shapes.sphere(0.1, **resisting),
        shapes.box((0.2, 0.15, 0.1), **resisting),
        shapes.sphere(0.08, **resisting),
        shapes.capsule(0.06, 0.1, friction=0.6),  # without: its pairs slide only
    ]
    return scene(
        "rolling_pile", [solid(f"b{i}", x, 1.0 + i) for i, x in enumerate(things)], [shapes.plane(**resisting)]
    )


def thrown(seed: int) -> Simulator:
    rng = np.random.default_rng(seed)
    q = at(*((*rng.uniform(-0.05, 0.05, 2), 0.12 + 0.2 * i) for i in range(4)))
    v = np.concatenate([[*rng.uniform(-0.3, 0.3, 3), *rng.uniform(-3, 3, 3)] for _ in range(4)])
    return Simulator(pile(), q=q, v=v, contacts=ContactOptions(tolerance=1e-12, sweeps=4000, depth=1.0))


def test_sweeps_cone_programs_and_plain_projection_agree() -> None:
    """Problems of a pile in motion: moments that stick and moments that give way, at one contact and at many."""
    seen = np.zeros(2, dtype=int)
    for seed in (1, 2):
        sim = thrown(seed)
        exact = Simulator(pile(), q=sim.q, v=sim.v, contacts=ContactOptions(solver="exact", depth=1.0))
        for steps in (200, 100, 100, 1000):
            sim.step(steps)
            problem = sim._motion.stepper._state.problem()
            assert violation(problem, problem.f) < 1e-9
            exact.q, exact.v = sim.q, sim.v
            exact.step()
            sim.step()
            problem, theirs = (each._motion.stepper._state.problem() for each in (sim, exact))
            assert violation(theirs, theirs.f) < 1e-7
            np.testing.assert_allclose(problem.K @ problem.f, theirs.K @ theirs.f, atol=1e-7)  # the same velocities
            moments = np.flatnonzero(problem.point >= 0)
            normal = problem.f[3 * problem.point[moments]]
            size = np.hypot(problem.f[3 * moments + 1], problem.f[3 * moments + 2])
            live = normal > 1e-9
            limit = problem.bound[moments] * normal
            seen += [(size[live] > limit[live] * (1 - 1e-9)).sum(), (size[live] < 0.99 * limit[live]).sum()]
        slow = by_projection(problem, 3000)
        np.testing.assert_allclose(problem.K @ slow, problem.K @ problem.f, atol=1e-6)
    assert (seen >= [6, 6]).all(), seen


def test_k_of_moments_is_that_of_unit_moments() -> None:
    """Rows of moments from public Jacobians: angular velocity of the second link against the first."""
    sim, model = thrown(1), pile()
    sim.step(300)
    q = sim.q
    sim.step()
    problem, contacts = sim._motion.stepper._state.problem(), sim.contacts
    J = np.zeros((3 * len(problem.bound), model.nv))
    for i, (links, point, normal) in enumerate(zip(contacts.links, contacts.points, contacts.normals, strict=True)):
        blocks = [(i, 0), *((k, 3) for k in np.flatnonzero(problem.point == i))]
        for link, sign in zip(links, (-1.0, 1.0), strict=True):
            if link == "world":
                continue
            own = model.frame_jacobian(q, link)
            arm = point - model.link_poses(q)[model.link_names.index(link), :3, 3]
            twist = np.vstack([own[:3] - np.cross(arm, own[3:].T).T, own[3:]])
            for block, part in blocks:
                J[3 * block] += sign * normal @ twist[part : part + 3]
    rows = slice(0, None, 3)  # along and about the normals
    K = (J @ np.linalg.solve(model.mass_matrix(q), J.T))[rows, rows]
    assert (problem.point >= 0).sum() > 2
    np.testing.assert_allclose(problem.K[rows, rows], K, atol=1e-10 * np.abs(K).max())


def test_energy_never_rises() -> None:
    """Balls that meet, rub and roll on each other without gravity: kinetic energy only falls."""
    rough = {"friction": 0.5, "rolling": 0.01, "torsion": 0.01}
    balls = [solid(f"b{i}", shapes.sphere(0.1 + 0.01 * i, **rough), 1.0 + i) for i in range(6)]
    model = scene("rolling_cluster", balls, [], (0.0, 0.0, 0.0))
    rng = np.random.default_rng(5)
    places = rng.normal(size=(6, 3))
    places *= np.array([0.3, 0.3, 0.35, 0.5, 0.55, 0.6])[:, None] / np.linalg.norm(places, axis=1)[:, None]
    v = np.hstack([-2.0 * places, rng.uniform(-20, 20, (6, 3))]).ravel()
    sim = Simulator(model, q=at(*places), v=v, contacts=ContactOptions(depth=1.0, tolerance=1e-12, sweeps=1000))
    trajectory = sim.run(0.6)
    energy = trajectory.energy[:, 0]
    assert np.diff(energy).max() < 1e-11 * energy[0]
    assert energy[-1] < 0.6 * energy[0]


# ---- Pairs, options, files


def test_pairs_combine_as_sliding_friction_does() -> None:
    plane = shapes.plane(friction=0.4, rolling=0.01, torsion=0.09)
    for rule, expected in {"geometric": (0.02, 0.03), "min": (0.01, 0.01), "max": (0.04, 0.09)}.items():
        link = solid("b", shapes.sphere(0.1, friction=0.9, rolling=0.04, torsion=0.01))
        mech = kg.Mechanism("m", [link], [kg.Joint("f", "free", "world", "b")], shapes=[plane])
        (pair,) = touching(mech, kg.ContactRules(combine=rule)).pairs
        assert (pair.rolling, pair.torsion) == pytest.approx(expected)
    said = kg.ContactRules(pairs={("world", "b"): kg.Surface(rolling=0.5)})
    (pair,) = touching(mech, said).pairs
    assert (pair.friction, pair.torsion, pair.rolling) == pytest.approx((0.6, 0.03, 0.5))
    lone = replace(mech, shapes=(shapes.plane(),))
    (pair,) = touching(lone, kg.ContactRules()).pairs
    assert not pair.resists_turning


def test_models_without_it_have_no_rows_of_it() -> None:
    plain = kg.generate(
        kg.Mechanism(
            "m",
            [solid("b", shapes.sphere(0.1, rolling=0.1))],
            [kg.Joint("f", "free", "world", "b")],
            shapes=[shapes.plane()],
        )
    )
    assert "#define HAS_TURNING 0" in plain.files[f"{plain.manifest.prefix}_model.h"]
    assert "torsion" not in plain.files[f"{plain.manifest.prefix}_contact.c"] and plain.manifest.contact_capacity == 1


@pytest.mark.parametrize("option", ["rolling", "torsion"])
def test_wrong_coefficients_are_refused(option: str) -> None:
    with pytest.raises(kg.ModelError, match=f"sphere: {option} must not be negative, got -0.1"):
        kg.sphere(0.1, **{option: -0.1})
    with pytest.raises(kg.ModelError, match=f"surface: {option} must not be negative"):
        kg.Surface(**{option: -1.0})


MJCF = """<mujoco><worldbody><geom type="plane" size="1 1 1" {}/>
  <body name="b" pos="0 0 0.05"><freejoint/><geom size="0.1" {}/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("others", ["", 'friction="0.5 0.02 0.00003"', 'friction="2 0.003 0.004"'])
def test_mjcf(others: str, tmp_path: Path) -> None:
    """Of every two condim the larger one holds, for the coefficients of both geoms: MuJoCo's, also by way of TOML."""
    for ground, ball in itertools.product((1, 3, 4, 6), repeat=2):
        text = MJCF.format(f'condim="{ground}"', f'condim="{ball}" {others}')
        data = mujoco.MjData(known := mujoco.MjModel.from_xml_string(text))
        mujoco.mj_forward(known, data)
        sliding, _, torsion, rolling, _ = data.contact[0].friction
        expected = [value * (data.contact[0].dim >= k) for value, k in ((sliding, 3), (torsion, 4), (rolling, 6))]
        (tmp_path / "m.xml").write_text(text)
        kg.save(kg.load(tmp_path / "m.xml"), tmp_path / "m.toml")
        for name in ("m.xml", "m.toml"):
            (pair,) = touching(kg.load(tmp_path / name), kg.ContactRules()).pairs
            assert [pair.friction, pair.torsion, pair.rolling] == expected


def test_sdf_and_toml(tmp_path: Path) -> None:
    torsional = "<torsional><coefficient>0.5</coefficient><patch_radius>0.02</patch_radius>{}</torsional>"
    text = """<sdf version="1.9"><model name="m"><link name="b"><inertial><mass>1</mass></inertial><collision name="c">
      <geometry><sphere><radius>0.1</radius></sphere></geometry><surface><friction>{}</friction></surface></collision>
      </link></model></sdf>"""
    found = []
    for more in ("", "<use_patch_radius>0</use_patch_radius>"):
        (tmp_path / "m.sdf").write_text(text.format(torsional.format(more)))
        (shape,) = kg.load(tmp_path / "m.sdf", root="free").link("b").shapes
        found.append(shape.torsion)
    assert found == [pytest.approx(3 * np.pi / 16 * 0.5 * 0.02), 0.0]  # the other needs a depth
    link = solid("b", shapes.sphere(0.1, rolling=0.01, torsion=0.02))
    mech = kg.Mechanism("m", [link], [kg.Joint("f", "free", "world", "b")], shapes=[shapes.plane(torsion=0.3)])
    kg.save(mech, tmp_path / "m.toml")
    read = kg.load(tmp_path / "m.toml")
    assert (read.link("b").shapes, read.shapes) == (link.shapes, mech.shapes)
