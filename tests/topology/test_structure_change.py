"""Connecting while moving: the velocity boundary condition against independent answers [N98 (20)-(33)]."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from support.contact.dropped import simulator
from support.oracles.numeric import Reference, error
from support.switching import library, locked_rows, nearest_velocity, oracle, start

ROUNDS = {"float": 200, "ground": 170, "loop": 130}
"""500 connections or groups of them, over structures that hold already; a twentieth of them unless swept."""


def joined(rng, names, at_least=1):
    count = int(rng.integers(at_least, at_least + 2))
    return [str(name) for name in rng.choice(names, size=count, replace=False)]


@pytest.mark.parametrize("share", [0.05, pytest.param(1.0, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("name", ROUNDS)
def test_impulse_is_the_least_change_of_energy(name, share):
    """v+ is the nearest in the metric of M; M Δv is what the impulses of all loops give; energy never rises."""
    lib, rng = library(name), np.random.default_rng(7)
    names = [connection.name for connection in lib.connections]
    rounds = 0
    while rounds < share * ROUNDS[name]:
        before = {str(n) for n in rng.choice(names, size=rng.integers(0, 3), replace=False)}
        sim = start(name, rng, active=lib.library.initial | before)
        new = [n for n in joined(rng, names) if n not in before]
        if not new:
            continue
        rounds += 1
        v, momentum = sim.v, sim.model.momentum(sim.q, sim.v)
        M = Reference(lib.topologies.mechanism, sim.q, v).mass_matrix()
        q = sim.q
        impact = sim.connect(*new)
        assert np.array_equal(sim.q, q)
        kkt = oracle(sim, lib)
        expected = nearest_velocity(kkt, v)
        scale = 1.0 + np.abs(v).max()
        assert np.abs(sim.v - expected).max() < 1e-10 * scale
        assert np.allclose(impact.delta_v, sim.v - v)
        energy = 0.5 * v @ M @ v, 0.5 * sim.v @ M @ sim.v
        assert energy[1] <= energy[0] * (1 + 1e-12)
        assert_balance(kkt, M, impact, sim, lib, name, momentum)


def assert_balance(kkt, M, impact, sim, lib, name, momentum):
    """M Δv = Σ Jᵀ F of the new loops plus something in the rows of the old ones; no F along free directions (23)."""
    specs = {spec.name: spec for spec in lib.library.model.manifest.switches}
    loops = dict(zip((virtual.joint.name for virtual in kkt.mechanism.virtual_links), kkt.loops(), strict=True))
    rows = dict(zip(loops, locked_rows(kkt), strict=True))
    left = M @ impact.delta_v
    size = max(np.abs(left).max(), 1.0)
    for n, F in impact.impulses.items():
        left = left - loops[n].J.T @ F
        assert np.abs(loops[n].S.T @ F).max(initial=0.0) < 1e-10 * max(np.abs(F).max(), 1.0)
        assert np.abs(rows[n] @ sim.v).max() < 1e-9 * np.abs(sim.v).max() + 1e-9  # relative velocity in span J_n
    old = [rows[n].T for n in rows if n not in impact.impulses]
    if old:
        K = np.hstack(old)
        left = left - K @ np.linalg.lstsq(K, left, rcond=1e-10)[0]
    assert np.abs(left).max() < 1e-10 * size
    grounded = any("world" in (spec.link_a, spec.link_b) for spec in specs.values() if spec.name in sim.active)
    if name == "float" and not grounded:
        after = sim.model.momentum(sim.q, sim.v)
        assert np.abs(after - momentum).max() < 1e-10 * max(np.abs(momentum).max(), 1.0)


def test_what_holds_already_gives_no_impulse():
    """A connection that repeats another one changes nothing, and so does one that is free."""
    rng = np.random.default_rng(3)
    lib = library("float")
    first = lib.connections[0].name
    sim = start("float", rng, active={first})
    v = sim.v
    assert error(sim.v + sim.connect("again0").delta_v, v) < 1e-12
    free = next(c.name for c in lib.connections if c.joint.kind == "free")
    assert np.abs(sim.connect(free).impulse).max() == 0.0
    assert np.abs(sim.v - v).max() < 1e-12


def pinned(n):
    """A chain of n links in a plane that is turned in space, and connections of its last one to world."""
    turn = kg.Pose((0, 0, 2), (0.9, -0.4, 0.6))
    links = [kg.Link(f"a{i}", 1.0, (0.5, 0, 0), kg.inertia.box(1.0, (1, 0.1, 0.2))) for i in range(n)]
    joints = [
        kg.Joint(f"j{i}", "revolute", f"a{i - 1}" if i else "world", f"a{i}", kg.Pose((1, 0, 0)) if i else turn,
                 axis=(0, 1, 0))
        for i in range(n)
    ]  # fmt: skip
    ends = {"pin": kg.revolute(axis=(0, 1, 0)), "ball": kg.spherical(), "weld": kg.fixed()}
    holds = [kg.Connection(name, f"a{n - 1}", "world", joint, kg.Pose((0.5, 0, 0))) for name, joint in ends.items()]
    holds.append(kg.Connection("hub", "a0", "world", kg.revolute(axis=(0, 1, 0))))
    return kg.TopologyLibrary(kg.Mechanism(f"pinned{n}", links, joints), holds), np.array(turn.rotation, float)


@pytest.mark.parametrize("n", [1, 3])
def test_directions_that_a_plane_holds_already_are_no_constraints(n):
    """Of six rows those count that the plane leaves, whose impulse is the smallest along them; others are rounding."""
    lib, R = pinned(n)
    q, v = np.array([0.4, 0.7, -0.3])[:n], np.array([2.0, -1.0, 3.0])[:n]
    angle = np.cumsum(q)
    arm = np.where(np.arange(n) == n - 1, 0.5, 1.0)
    reach = np.array([-arm * np.sin(angle), np.zeros(n), -arm * np.cos(angle)])  # of each link, along its motion
    J = np.vstack([R @ np.cumsum(reach[:, ::-1], axis=1)[:, ::-1], np.outer(R[:, 1], np.ones(n))])
    M = Reference(lib.topologies.mechanism, q, v).mass_matrix()
    hub = kg.Simulator(lib, q=q, v=v, limits=False)
    assert np.abs(hub.connect("hub").impulse).max() == 0.0
    assert np.array_equal(hub.v, v)
    hub.step()
    assert np.abs(hub.wrench("hub")).max() < 1e-9
    for name, rows in (("pin", J[:3]), ("ball", J[:3]), ("weld", J)):
        sim = kg.Simulator(lib, q=q, v=v, limits=False)
        impulse = sim.connect(name).impulse
        after = v - np.linalg.solve(M, rows.T @ np.linalg.pinv(rows @ np.linalg.solve(M, rows.T), 1e-9) @ rows @ v)
        assert np.abs(sim.v - after).max() < 1e-12
        assert np.abs(J.T @ -impulse - M @ (after - v)).max() < 1e-11  # on world
        if name != "weld":  # whose moments count over a length
            assert np.abs(impulse[:3] + np.linalg.pinv(rows.T, 1e-9) @ M @ (after - v)).max() < 1e-11
            assert np.abs(impulse[3:]).max() < 1e-11


def test_a_cut_leaves_v_and_energy():
    rng = np.random.default_rng(4)
    sim = start("float", rng, active={"revolute1", "spherical8"})
    q, v = sim.q, sim.v
    sim.cut("revolute1")
    assert np.array_equal(sim.q, q)
    assert np.abs(sim.v - v).max() < 1e-14
    assert sim.active == {"spherical8"}


def test_connecting_then_cutting_returns_the_former_dynamics():
    rng = np.random.default_rng(5)
    for name in ROUNDS:
        lib = library(name)
        sim = start(name, rng)
        tau = rng.normal(size=lib.model.nv)
        before = sim.model.forward_dynamics(sim.q, sim.v, tau)
        sim.connect(lib.connections[2].name)
        sim.cut(lib.connections[2].name)
        again = start(name, np.random.default_rng(0))
        again.q, again.v = sim.q, sim.v
        found, expected = (s.model.forward_dynamics(s.q, s.v, tau) for s in (sim, again))
        assert error(found, expected) < 1e-9
        assert sim.model.nf == again.model.nf
        assert before.shape == tau.shape


def test_several_at_once_are_resolved_together():
    """All at once is not one after the other: the joint impulse is the least of all."""
    rng = np.random.default_rng(6)
    lib = library("float")
    sim = start("float", rng)
    state = sim.save()
    together = sim.connect("fixed0", "spherical8", "prismatic3")
    after = sim.v
    assert set(together.impulses) == {"fixed0", "spherical8", "prismatic3"}
    with pytest.raises(kg.ModelError, match="3 connections"):
        _ = together.impulse
    sim.restore(state)
    assert sim.active == frozenset()
    for name in together.impulses:
        sim.connect(name)
    kkt = oracle(sim, lib)
    assert np.abs(np.vstack(locked_rows(kkt)) @ after).max() < 1e-8


def test_what_is_planned_for_one_time_is_one_switch() -> None:
    """First the cut, then the connection, in whatever order they are asked for: not one after the other."""
    sim = start("float", np.random.default_rng(6))
    sim.connect("fixed0")
    state = sim.save()
    sim.switch(["spherical8"], ["fixed0"])
    switched = sim.v
    sim.restore(state)
    sim.connect("spherical8")
    sim.cut("fixed0")
    assert np.abs(sim.v - switched).max() > 1e-3
    changes, seen = [("connect", "spherical8"), ("cut", "fixed0")], list[np.ndarray]()
    for order in (changes, changes[::-1]):
        sim.restore(state)
        for what, name in order:
            sim.at(sim.t, what, name)
        sim.at(sim.t, lambda s: seen.append(s.v))
        events = sim.run(sim.dt).events
        assert seen.pop() == pytest.approx(switched, rel=1e-12)
        assert [event[1:] for event in events][:2] == changes[::-1]


@pytest.mark.parametrize(
    ("name", "active"), [("float", ("spherical8", "universal5")), ("ground", ("helical4", "revolute1"))]
)
def test_wrenches_carry_the_motion(name, active):
    """Σ Jᵀ f over all that holds is M a + h − τ, and no wrench has a part along free directions."""
    lib, rng = library(name), np.random.default_rng(9)
    checked = 0
    for _ in range(8):
        tau = rng.normal(size=lib.model.nv)
        sim = start(name, rng, active=lib.library.initial | set(active))
        sim.tau = tau
        kkt, model = oracle(sim, lib), sim.model
        reference = Reference(kkt.mechanism, sim.q, sim.v)
        left = reference.mass_matrix() @ kkt.forward_dynamics(tau) + reference.bias() - tau
        size = np.abs(left).max()
        loops = dict(zip((virtual.joint.name for virtual in kkt.mechanism.virtual_links), kkt.loops(), strict=True))
        for n, terms in loops.items():
            f = sim.wrench(n)
            assert np.abs(terms.S.T @ f).max(initial=0.0) < 1e-9 * max(np.abs(f).max(), 1.0)
            left = left - terms.J.T @ f
        if model.partition(sim.q).condition < 100:
            assert np.abs(left).max() < 1e-6 * size
            checked += 1
    assert checked >= 6, checked


@pytest.mark.parametrize("masses", [(1.0, 9.0), (9.0, 1.0)])
def test_a_gap_is_closed_by_what_is_light(masses):
    """Carts on a rail: their mass centre stays, whichever comes first."""
    carts = [kg.Link(n, m, inertia=kg.inertia.box(m, (0.1, 0.1, 0.1))) for n, m in zip("ab", masses, strict=True)]
    rails = [kg.Joint(f"rail_{cart.name}", "prismatic", "world", cart.name, axis=(1, 0, 0)) for cart in carts]
    weld = kg.Connection("weld", "a", "b", kg.fixed(), pose=kg.Pose((0.2, 0, 0)), pose_b=kg.Pose((-0.2, 0, 0)))
    sim = kg.Simulator(kg.TopologyLibrary(kg.Mechanism("carts", carts, rails), connections=[weld]), q=[0.0, 0.45])
    sim.connect("weld", tolerance=0.1)
    np.testing.assert_allclose(sim.q, np.array([0.0, 0.4]) + 0.05 * masses[1] / sum(masses), atol=1e-12)


def test_a_gap_is_closed_by_displacements_of_least_mass():
    """dx = −M⁻¹Kᵀ(K M⁻¹Kᵀ)⁺ r, again and again, M where it began and K by differences; what held before holds on."""
    sizes = {"a": 1.0, "b": 9.0, "c": 0.5}
    links = [kg.Link(n, m, (0.1, 0, 0), kg.inertia.box(m, (0.2, 0.1, 0.05))) for n, m in sizes.items()]
    joints = [kg.Joint("free_a", "free", "world", "a"), kg.Joint("free_b", "free", "world", "b")]
    tip = kg.Pose((0.2, 0, 0))
    joints.append(kg.Joint("knee", "revolute", "b", "c", tip, axis=(0, 1, 0)))
    ball = kg.Connection("ball", "a", "c", kg.spherical(), pose=tip, pose_b=tip)
    hook = kg.Connection("hook", "world", "b", kg.spherical())
    lib = kg.TopologyLibrary(kg.Mechanism("tip_to_tip", links, joints), connections=[ball, hook])
    q = np.array([0, 0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 0.6, 0, 0.8, 0.3])
    c = lib.library.model.link_poses(q)[lib.library.model.link_names.index("c")]
    q[:3] = c[:3] @ [0.2, 0, 0, 1] - [0.2, 0, 0] + [0.02, -0.01, 0.01]
    sim = kg.Simulator(lib, q=q)
    sim.connect("hook")
    model, M = lib.library.with_active({"hook", "ball"}, q), np.linalg.inv(lib.library.model.mass_matrix(q))
    for _ in range(8):
        off = [model.closure_residual(model.integrate(q, step)) for step in 1e-6 * np.eye(model.nv)]
        back = [model.closure_residual(model.integrate(q, -step)) for step in 1e-6 * np.eye(model.nv)]
        K = (np.array(off) - back).T / 2e-6
        q = model.integrate(q, -M @ K.T @ np.linalg.pinv(K @ M @ K.T, rcond=1e-8) @ model.closure_residual(q))
    assert np.abs(model.closure_residual(q)).max() < 1e-12
    sim.connect("ball", tolerance=0.1)
    assert np.abs(model.difference(sim.q, q)).max() < 1e-7
    assert sim.gap < 1e-10


def test_conditions_that_make_each_other_true_at_one_time_end_with_an_error() -> None:
    """By connections, and by a function that plans itself anew."""

    def again(sim: kg.Simulator) -> None:
        sim.when(kg.force("rope") > 5.0, again)

    for plan in (again, lambda sim: sim.when(kg.force("rope") > 5.0, "cut", "rope", repeat=True)):
        sim = simulator(active={"rope"})
        plan(sim)
        sim.when(kg.force("rope") <= 0.0, "connect", "rope", repeat=True)
        with pytest.raises(kg.SimulationError, match=r"^t = 0 s: events .* make conditions true, 1000 times by now"):
            sim.run(0.01)


@pytest.mark.parametrize("by", ["tau", "wrenches"])
def test_functions_of_what_drives_cannot_ask_what_follows_from_it(by: str) -> None:
    """What a step before carried they can use."""
    asked, nv = list[float](), simulator().model.nv

    def drive(t: float, q: np.ndarray, v: np.ndarray) -> object:
        asked.append(told if held else sim.wrench("rope")[2])
        return np.zeros(nv) if by == "tau" else {"a": np.zeros(6)}

    sim, held = simulator(active={"rope"}, **{by: drive}), False
    for ask in (sim.step, lambda: sim.wrench("rope")):
        with pytest.raises(kg.ModelError, match=r"^wrench: what 'rope' carries depends on .* gave before this step"):
            ask()
    held, told = True, 0.0
    for _ in range(3):
        sim.step()
        told = sim.wrench("rope")[2]
    assert asked[-1] == pytest.approx(-19.62)
