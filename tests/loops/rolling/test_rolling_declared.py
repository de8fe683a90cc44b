"""How rolling is declared: names, files, symbols, tables, and what is refused, by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.visual.look import look_of
from support.rolling.bicycle import bicycle
from support.rolling.mechanisms import MASS, RADIUS, ball, disc, raft
from support.rolling.oracle import slip_rows

LINK = kg.Link("disc", 1.0, inertia=(0.1, 0, 0, 0.2, 0, 0.1))
HUNG = "base", "free", "world", "disc"
FREE = kg.Joint(*HUNG)
UPRIGHT = (0.0, 0.0, RADIUS, 0.0, 0.0, 0.0, 1.0)
FLAT = np.array([0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5])
"""Configuration of the disc, exactly flat: its axle, the y axis, is turned into the vertical."""


def test_it_is_a_joint_that_closes_a_loop() -> None:
    joint = kg.rolling("disc", radius=0.3)
    assert (joint.name, joint.parent, joint.child, joint.cut, joint.actuated) == (
        "disc_world",
        "world",
        "disc",
        True,
        False,
    )
    assert joint.wheel == kg.Wheel(0.3) and joint.wheel.axis == (0.0, 1.0, 0.0)
    assert [loop.joint.name for loop in disc().virtual_links] == ["disc_world"]
    assert "disc_world  rolling, cut  world   disc" in str(disc())


def test_files_keep_it(tmp_path: Path) -> None:
    for mechanism in (raft(), bicycle()):
        kg.save(mechanism, tmp_path / "rolling.toml")
        read = kg.load(tmp_path / "rolling.toml")
        assert (read.links, read.joints) == (mechanism.links, mechanism.joints)
    text = (tmp_path / "rolling.toml").read_text(encoding="utf-8")
    (tmp_path / "rolling.toml").write_text(text.replace("tyre", "tire"), encoding="utf-8")
    with pytest.raises(kg.ModelError, match=r"wheel: unknown key 'tire'; did you mean 'tyre'"):
        kg.load(tmp_path / "rolling.toml")


def test_lengths_may_be_run_time_parameters() -> None:
    """A model with an open radius is that of the radius."""
    radius = sympy.Symbol("radius", positive=True)
    opened = kg.Mechanism("disc", [LINK], [FREE, kg.rolling("disc", radius=radius)])
    fixed = kg.Mechanism("disc", [LINK], [FREE, kg.rolling("disc", radius=0.25)])
    model, plain = kg.compile(opened).with_parameters(radius=0.25), kg.compile(fixed)
    rng = np.random.default_rng(0)
    q = plain.assemble(np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.3, np.sqrt(0.86)]))
    v = plain.project(q, rng.normal(size=6))[1]
    a, b = (m.forward_dynamics(q, v, np.zeros(6)) for m in (model, plain))
    np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: kg.rolling("disc"), "give its radius, the radius of its tyre, or both"),
        (lambda: kg.rolling("disc", radius=-1), "radius must not be negative"),
        (
            lambda: kg.Joint("j", "revolute", "world", "disc", wheel=kg.Wheel(1)),
            "a spherical joint at the point of contact",
        ),
        (lambda: kg.Joint("j", "spherical", "world", "disc", wheel=3), "wheel must be a Wheel"),
        (lambda: kg.Joint("j", "spherical", "world", "disc", wheel=kg.Wheel(1), actuated=True), "has no actuator"),
        (lambda: kg.Joint("j", "spherical", "world", "disc", wheel=kg.Wheel(1), stiffness=1), "has no spring"),
        (lambda: kg.Mechanism("m", [LINK], [kg.rolling("disc", radius=1)]), "rolls and carries nothing"),
        (lambda: disc().in_tree("disc_world"), "in_tree: joint 'disc_world' rolls"),
        (lambda: kg.Connection("c", "world", "disc", kg.spherical(wheel=kg.Wheel(1))), "does not come and go"),
        (lambda: kg.TopologyLibrary(disc(), cuts=["disc_world"]), "rolls and cannot be cut"),
        (lambda: kg.compile(disc(), rows=kg.RowRules(loops=True)), "rows cannot roll"),
    ],
)
def test_what_is_refused(make: object, message: str) -> None:
    with pytest.raises(kg.ModelError, match=message):
        make()  # type: ignore[operator]


def test_what_knows_positions_only_is_refused() -> None:
    model = kg.compile(disc())
    with pytest.raises(kg.ModelError, match=r"joint 'disc_world' rolls"):
        kg.equilibrium(model, model.q0, np.zeros(6))
    with pytest.raises(kg.ModelError, match=r"solve_ik: joint 'disc_world' rolls"):
        kg.solve_ik(model, [kg.FrameTarget("disc", position=(0.1, 0, RADIUS))])


def test_a_library_rolls_on_and_is_caught_without_slip() -> None:
    """Step for step as the model alone; a connection takes energy, and the wheel still does not slip."""
    library = kg.TopologyLibrary(disc(), [kg.Connection("pin", "world", "disc", kg.spherical(), kg.Pose((1, 0, 1)))])
    model = kg.compile(disc())
    q = np.array([0.0, 0.0, RADIUS * np.cos(0.2), np.sin(0.1), 0.0, 0.0, np.cos(0.1)])
    q, v = model.project(q, [0.0, 0.0, 0.0, 0.1, 5.0, 0.3])
    alone = kg.Simulator(model, dt=1e-3, integrator="rk4", q=q, v=v).run(0.5)
    sim = kg.Simulator(library, dt=1e-3, integrator="rk4", q=q, v=v, active=set())
    free = sim.run(0.5)
    np.testing.assert_allclose(free.q, alone.q, atol=1e-11)
    sim.connect("pin")
    caught = sim.run(0.5)
    assert caught.energy[0].sum() < free.energy[-1].sum()
    np.testing.assert_allclose(caught.energy.sum(axis=1), caught.energy[0].sum(), rtol=1e-8)
    assert np.abs(slip_rows(disc(), sim.q) @ sim.v).max() < 1e-12


def test_a_library_tells_what_a_wheel_gets_from_the_ground() -> None:
    """Its force is what weight leaves of m a; at its frame, the centre, it turns the disc."""
    pin = kg.Connection("pin", "world", "disc", kg.spherical(), kg.Pose((1, 0, 1)))
    model, moments = kg.compile(disc()), MASS * RADIUS**2 * np.array([0.25, 0.5, 0.25])
    q = np.array([0.0, 0.0, RADIUS * np.cos(0.2), np.sin(0.1), 0.0, 0.0, np.cos(0.1)])
    q, v = model.project(q, [0.0, 0.0, 0.0, 0.1, 5.0, 0.3])
    sim = kg.Simulator(kg.TopologyLibrary(disc(), [pin]), q=q, v=v, active=set())
    a, R, turning = model.forward_dynamics(q, v, np.zeros(6)), model.frame_pose(q, "disc")[:3, :3], v[3:]
    force = MASS * (R @ (a[:3] + np.cross(turning, v[:3])) + [0, 0, 9.81])
    moment = R @ (moments * a[3:] + np.cross(turning, moments * turning))
    np.testing.assert_allclose(sim.wrench("disc_world"), [*force, *moment], rtol=1e-9, atol=1e-11)
    assert not sim.wrench("pin").any()
    with pytest.raises(kg.ModelError, match=r"no connection or cut joint 'base'; it has: disc_world, pin"):
        sim.wrench("base")


def test_what_carries_it_can_still_be_cut_and_connected() -> None:
    """Edits make new mechanisms that roll on."""
    braked = disc().connect("world", "disc", kg.planar(), name="brake")
    assert [loop.joint.name for loop in braked.virtual_links] == ["disc_world", "brake"]
    assert disc().cut("disc_world").virtual_links == ()


def test_wheels_are_drawn(tmp_path: Path) -> None:
    """Where a link has no shape of its own: a flat cylinder of the wheel's radius about its axle, a ball."""
    for mechanism, far, thin in ((disc(0.05), RADIUS + 0.05, 0.05), (ball(), RADIUS, RADIUS)):
        look = look_of(mechanism, {})
        corners = [
            part.place[:, :3] @ look.surfaces[part.surface].vertices.T + part.place[:, 3:] for part in look.parts
        ]
        reach = np.abs(np.concatenate(corners, axis=1)).max(axis=1)
        np.testing.assert_allclose(reach, [far, thin, far], rtol=1e-6)
    kg.report(disc(), tmp_path / "disc.html")
    assert "disc_world: rolling, cut, world to disc" in (tmp_path / "disc.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("tyre", [0.0, 0.05])
def test_a_wheel_that_lies_flat_where_it_starts_is_refused_with_the_remedy(tyre: float) -> None:
    flat = kg.Mechanism("flat", [LINK], [FREE, kg.rolling("disc", radius=0.3, tyre=tyre, axis=(0, 0, 1))])
    with pytest.raises(kg.ModelError, match=r"lies flat .*\('disc_world'\); give its joints another start="):
        kg.compile(flat)


@pytest.mark.parametrize("lanes", [False, True])
def test_what_follows_where_a_wheel_lies_flat_is_refused(lanes: bool) -> None:
    """Of one state and of one row of many, which pivoting found before as not-numbers."""
    model = kg.compile(disc(), lanes=lanes)
    v = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    with pytest.raises(kg.ModelError, match=r"a wheel lies flat"):
        model.dependent_motion(FLAT, v)
    with pytest.raises(kg.ModelError, match=r"a wheel lies flat"):
        model.dependent_motion(np.array([model.q0] * 3 + [FLAT]), v)
    with pytest.raises(kg.ModelError, match=r"a wheel lies flat"):
        model.partition(FLAT)


@pytest.mark.parametrize("radius", [RADIUS, sympy.Symbol("R", positive=True)])
def test_a_state_in_which_a_wheel_lies_flat_is_told_by_wheel_and_row(radius: float | sympy.Symbol) -> None:
    """And not by kernels that nobody called, nor as an inertia that were singular."""
    rolls = kg.rolling("disc", radius=radius)
    model = kg.compile(kg.Mechanism("coin", [LINK], [kg.Joint(*HUNG, start=UPRIGHT), rolls]), lanes=True)
    model = model.with_parameters(R=RADIUS) if model.parameters else model
    still, states = np.zeros(6), np.array([UPRIGHT, UPRIGHT, FLAT, UPRIGHT])
    words = r"model 'coin': at this q a wheel lies flat on what it rolls on, .+ \('disc_world'\); take another q"
    for ask in (
        lambda q: model.forward_dynamics(q, still, still),
        lambda q: model.project(q, still),
        lambda q: model.closure_bias(q, still),
        model.W,
        model.closure_residual,
    ):
        with pytest.raises(kg.ModelError, match=f"^{words}"):
            ask(FLAT)
        with pytest.raises(kg.ModelError, match=f"^row 2: {words}"):
            ask(states)
    with pytest.raises(kg.ModelError, match=f"^row 2: {words}"):
        model.forward_dynamics(states.T.copy(), np.zeros((6, 4)), np.zeros((6, 4)), layout="soa")
    with pytest.raises(kg.ModelError, match=f"^{words}"):
        kg.Simulator(model, q=FLAT)
    with pytest.raises(kg.ModelError, match=f"^rollout: row 2: {words}"):
        kg.rollout(model, states, steps=1)
