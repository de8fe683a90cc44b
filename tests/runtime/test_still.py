"""Mechanisms in which no joint moves: poses, energy, time that goes on, and shapes that others touch."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose, inertia
from kinegen.runtime import Model

NOTHING = np.zeros(0)
FILES = {
    "table.urdf": """<robot name="table">
      <link name="leg"><inertial><mass value="2"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="top"><inertial><origin xyz="0.1 0 0"/><mass value="3"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
      <joint name="weld" type="fixed"><parent link="leg"/><child link="top"/>
        <origin xyz="0 0 0.7" rpy="0 0 1.2"/></joint>
    </robot>""",
    "table.sdf": """<sdf version="1.9"><model name="table"><static>true</static>
      <link name="leg"><inertial><mass>2</mass></inertial></link>
      <link name="top"><pose>0 0 0.7 0 0 1.2</pose><inertial><pose>0.1 0 0 0 0 0</pose><mass>3</mass></inertial>
        <collision name="c"><geometry><box><size>1 1 0.1</size></box></geometry></collision></link>
      </model></sdf>""",
    "table.xml": """<mujoco model="table"><compiler angle="radian"/><worldbody>
      <body name="leg"><geom size="0.01" mass="2"/>
      <body name="top" pos="0 0 0.7" euler="0 0 1.2"><inertial pos="0.1 0 0" mass="3" diaginertia="1 1 1"/>
      <geom type="box" size="0.5 0.5 0.05"/></body></body></worldbody></mujoco>""",
    "table.toml": """name = "table"
      link = [{name = "leg", mass = 2}, {name = "top", mass = 3, com = [0.1, 0, 0], shapes = [{box = [1, 1, 0.1]}]}]
      [[joint]]
      name = "foot"
      kind = "fixed"
      parent = "world"
      child = "leg"
      [[joint]]
      name = "weld"
      kind = "fixed"
      parent = "leg"
      child = "top"
      origin = {xyz = [0, 0, 0.7], rpy = [0, 0, 1.2]}""",
}


@pytest.fixture(params=FILES)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Mechanism:
    file = tmp_path / request.param
    file.write_text(FILES[request.param])
    return kg.load(file)


def post() -> Mechanism:
    links = [Link("post", 2.0, com=(0.0, 0.0, 0.5), inertia=inertia.sphere(2.0, 0.1))]
    return Mechanism("post", links, [Joint("weld", "fixed", "world", "post", origin=Pose((1.0, 2.0, 3.0)))])


@pytest.fixture(scope="module")
def model() -> Model:
    return kg.compile(post())


def test_every_format_gives_poses_and_energy(table: Mechanism) -> None:
    model = kg.compile(table)
    assert (model.nq, model.nv, model.nf, model.link_names) == (0, 0, 0, ("leg", "top"))
    c, s = np.cos(1.2), np.sin(1.2)
    top = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0.7], [0, 0, 0, 1]])
    poses = model.link_poses([])
    np.testing.assert_allclose(poses[model.link_names.index("top")], top, atol=1e-15)
    np.testing.assert_allclose(model.frame_pose([], "leg"), np.eye(4), atol=1e-15)
    np.testing.assert_allclose(model.energy([], []), [0.0, 9.81 * 3.0 * 0.7], atol=1e-12)
    np.testing.assert_allclose(model.com([]), 0.6 * (top @ [0.1, 0, 0, 1])[:3], atol=1e-12)
    np.testing.assert_array_equal(model.momentum([], []), 0.0)


def test_results_without_entries_have_their_shapes(model: Model) -> None:
    for q, batch in ((NOTHING, ()), (np.zeros((4, 0)), (4,)), (np.zeros((2, 3, 0)), (2, 3))):
        assert model.link_poses(q).shape == (*batch, 1, 4, 4)
        assert model.mass_matrix(q).shape == (*batch, 0, 0)
        for method in ("cog", "unit_vector", "composite"):
            assert model.mass_matrix(q, method=method).shape == (*batch, 0, 0)
        for call in (model.inverse_dynamics, model.forward_dynamics):
            assert call(q, q, q).shape == (*batch, 0)
        assert model.inverse_dynamics(q, q, q, method="cog").shape == (*batch, 0)
        for call in (model.bias, model.passive_forces, model.integrate, model.difference):
            assert call(q, q).shape == (*batch, 0)
        assert model.gravity(q).shape == (*batch, 0)
        assert model.cog_jacobian(q).shape == (*batch, 6, 0)
        assert model.frame_jacobian(q, "post").shape == (*batch, 6, 0)
        still = np.zeros((*batch, 0))
        assert not model.frame_acceleration(q, still, still, "post").any()
        assert model.frame_velocity(q, still, "post").shape == (*batch, 6)
        assert model.frame_acceleration_derivatives(q, still, still, "post").da_dq.shape == (*batch, 6, 0)
        for second in (model.inverse_dynamics_second_derivatives, model.forward_dynamics_second_derivatives):
            assert all(part.shape == (*batch, 0, 0, 0) for part in second(q, still, still))
            assert all(part.shape == (*batch, 0, 0) for part in second(q, still, still, weights=still))
        assert model.com_jacobian(q).shape == (*batch, 3, 0)
        assert model.centroidal_momentum_matrix(q).shape == (*batch, 6, 0)
        assert model.cog_bias(q, q).shape == (*batch, 6)
        assert model.torque_terms(q, q, q).total.shape == (*batch, 0)
    assert model.q0.shape == model.neutral().shape == (0,)
    assert model.random(1, size=5).shape == (5, 0)
    assert model.independent == model.dependent == model.actuators == ()
    with pytest.raises(kg.ModelError, match=r"q: expected shape \(\.\.\., 0\), got \(7,\)"):
        model.link_poses(np.zeros(7))
    with pytest.raises(kg.ModelError, match="no kernel 'jerk'"):
        model.kernel("jerk")


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_time_goes_on(model: Model, integrator: str) -> None:
    sim = kg.Simulator(model, dt=1e-2, integrator=integrator)
    trajectory = sim.run(0.5, every=10)
    np.testing.assert_allclose(trajectory.t, np.linspace(0.0, 0.5, 6), atol=1e-12)
    assert trajectory.q.shape == trajectory.v.shape == trajectory.tau.shape == (6, 0)
    np.testing.assert_allclose(trajectory.energy, [[0.0, 2.0 * 9.81 * 3.5]] * 6)
    twin, saved = copy.deepcopy(sim), sim.save()
    sim.step(3)
    assert (sim.t, twin.t) == (0.53, 0.5)
    sim.restore(saved)
    assert sim.t == 0.5
    asked: list[float] = []
    sim.tau = lambda t, q, v: asked.append(t) or []
    sim.step(2)
    np.testing.assert_allclose(asked, [0.5, 0.51])


def test_open_parameters() -> None:
    height = sympy.Symbol("height", real=True)
    links = [Link("post", 2.0, inertia=inertia.sphere(2.0, 0.1))]
    open_post = Mechanism("open_post", links, [Joint("weld", "fixed", "world", "post", origin=Pose((0, 0, height)))])
    model = kg.compile(open_post).with_parameters(height=1.5)
    assert model.link_poses([])[0, 2, 3] == 1.5
    assert model.energy([], [])[1] == pytest.approx(2.0 * 9.81 * 1.5, rel=1e-14)


def test_others_touch_what_stands_still(table: Mechanism) -> None:
    ball = Link("ball", 0.1, inertia=inertia.sphere(0.1, 0.1), shapes=[kg.sphere(0.1)])
    scene = kg.combine("scene", table, Mechanism("ball", [ball], [Joint("flight", "free", "world", "ball")]))
    sim = kg.Simulator(scene, q=[0.2, 0.1, 0.86, 0, 0, 0, 1])
    sim.step(300)
    assert abs(sim.q[2] - 0.85) < 2e-4
    np.testing.assert_allclose(sim.contacts.wrench("top")[:3], [0.0, 0.0, -0.981], atol=1e-6)


def test_held_to_what_stands_still() -> None:
    """A library: a ball hung on the post, which is let go."""
    ball = Link("ball", 0.1, inertia=inertia.sphere(0.1, 0.1))
    scene = kg.combine("hung", post(), Mechanism("ball", [ball], [Joint("flight", "free", "world", "ball")]))
    library = kg.TopologyLibrary(scene, [kg.Connection("hook", "post", "ball", kg.fixed(), kg.Pose((0, 0, 0.5)))])
    sim = kg.Simulator(library, q=[1.0, 2.0, 3.5, 0, 0, 0, 1], active={"hook"})
    sim.step(50)
    np.testing.assert_allclose(sim.q[:3], [1.0, 2.0, 3.5], atol=1e-9)
    np.testing.assert_allclose(sim.wrench("hook")[:3], [0.0, 0.0, 0.981], atol=1e-9)
    sim.cut("hook")
    sim.step(50)
    assert sim.q[2] < 3.5 - 0.01


def test_what_would_hold_it_is_refused_by_name() -> None:
    links = [Link("a", 1.0), Link("b", 1.0)]
    welds = [Joint(f"weld_{link.name}", "fixed", "world", link.name) for link in links]
    looped = Mechanism("looped", links, [*welds, Joint("pin", "revolute", "a", "b", cut=True)])
    with pytest.raises(kg.ModelError, match="no joint that moves: 'pin' would hold what stands still already; remove"):
        kg.compile(looped)
    plain = Mechanism("plain", links, welds)
    with pytest.raises(kg.ModelError, match="'rail' would hold what stands still"):
        kg.compile(plain, rows=kg.RowRules(between=[kg.Rows("rail", "a", "b", axes="x")]))
    with pytest.raises(kg.ModelError, match="it has no equations of motion"):
        kg.derive(plain)
