"""Contact in mechanisms with closed loops: laws, momentum balance with multipliers, trees that are the same machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.model.closed.closure import dofs_named
from support.contact.closed_contact import bar, expected, model, standing, walker
from support.contact.contact_balance import FINE, along, resting_axes
from support.contact.contact_scenes import shapes, solid
from support.contact.dolls import hanging_doll
from support.oracles.cone import exact, rows, unforced

DT = 1e-3


def thrown(of, count):
    """States on the way of a walker that was thrown on the ground."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        sim = kg.Simulator(of, q=standing(of, rng.uniform(0.0, 0.05), rng.uniform(-0.3, 0.3)), v=rng.normal(size=of.nv))
        sim.step(int(rng.integers(20, 400)))
        yield sim.q, sim.v


def leading(of):
    """Dofs that lead: points on links meet velocities by these alone."""
    return list(dofs_named(of.manifest, of.independent))


@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_laws_and_momentum_balance(damping):
    """M (v' − v)/dt + h = Jᵀf + Kᵀλ by an oracle with multipliers; Coulomb's laws at every point."""
    of, mechanism, checked = model(damping), walker(damping), 0
    for q, v in thrown(of, 12):
        sim = kg.Simulator(of, q=q, v=v, contacts=FINE, limits=False)
        sim.step()
        c = sim.contacts
        if not len(c) or c.gaps.min() < -1e-4:  # leaving a depth moves q beside v
            continue
        f, J = along(c), rows(of, q, c.links, c.points, c.normals)
        after, lead = resting_axes(of, q, sim.q, sim.v), leading(of)
        if damping == 0.0:
            a = expected(mechanism, of, q, v, J.T @ f)
            flat = v + DT * a
            flat[:3] += DT * np.cross(v[3:6], v[:3])
            np.testing.assert_allclose(after[lead], flat[lead], atol=1e-9)
        normal = np.einsum("ij,ij->i", c.normals, c.forces)
        separation = (J @ of.W(q) @ after[lead])[0::3] + np.maximum(c.gaps, 0.0) / DT
        assert normal.min() >= 0.0
        assert separation.min() > -1e-8
        assert np.abs(separation * normal * DT).max() < 1e-8
        friction = np.linalg.norm(c.forces - normal[:, None] * c.normals, axis=1)
        assert (friction <= np.sqrt(0.4) * normal + 1e-9).all()
        checked += 1
    assert checked >= 6, checked


def test_forces_are_those_of_an_exact_cone_solver():
    """K = J W A⁻¹ Wᵀ Jᵀ by dense matrices, Coulomb's law as cones."""
    of, checked = model(), 0
    for q, v in thrown(of, 25):
        sim = kg.Simulator(of, q=q, v=v, contacts=FINE, limits=False)
        sim.step()
        c = sim.contacts
        if not len(c) or c.gaps.min() < -1e-4:
            continue
        W = of.W(q)
        J = rows(of, q, c.links, c.points, c.normals)
        if np.linalg.matrix_rank(J @ W, tol=1e-8) < len(J):  # redundant points: many solutions
            continue
        K = J @ W @ np.linalg.solve(W.T @ of.mass_matrix(q) @ W, W.T @ J.T)
        b = J @ W @ unforced(of, q, v, np.zeros(of.nv), DT)[leading(of)]
        f, velocity = exact(K, b, np.maximum(c.gaps, 0.0) / DT, np.full(len(c), np.sqrt(0.4)))
        np.testing.assert_allclose(K @ along(c) * DT + b, velocity, atol=2e-5)
        np.testing.assert_allclose(DT * W.T @ J.T @ along(c), W.T @ J.T @ f, atol=2e-5)
        checked += 1
    assert checked >= 4, checked


def test_a_rigid_loop_is_one_body():
    """Two floating bodies that a fixed loop joint makes one, beside the same body as a tree."""
    feet = [
        shapes.sphere(0.03, pose=kg.Pose((x, y, -0.04)), friction=0.4) for x, y in ((0.1, 0), (-0.1, 0.1), (-0.1, -0.1))
    ]
    base = replace(solid("base", shapes.box((0.3, 0.2, 0.1)), 2.0), shapes=feet)  # on three points: one solution
    horn = solid("horn", shapes.sphere(0.06, friction=0.9), 0.3)
    at, floor = kg.Pose((0.1, 0.05, 0.1)), [shapes.plane(friction=0.5)]
    free = [kg.Joint("base_free", "free", "world", "base"), kg.Joint("horn_free", "free", "world", "horn")]
    weld = kg.Joint("weld", "fixed", "base", "horn", at)
    whole = kg.compile(kg.Mechanism("whole", [base, horn], [free[0], weld], shapes=floor))
    held = kg.Joint("weld", "fixed", "base", "horn", at, cut=True)
    looped = kg.compile(kg.Mechanism("looped", [base, horn], [*free, held], shapes=floor), independent=["base_free"])
    turned = [0.3, 0.1, 0.05, np.sqrt(1 - 0.1025)]
    start, v = np.array([0, 0, 0.35, *turned]), np.array([0.5, 0.2, -0.5, 1.0, -2.0, 0.5])
    pose = whole.link_poses(start)[whole.link_names.index("horn")]
    q = looped.assemble(np.concatenate([start, pose[:3, 3], turned]), hold=["base_free"])
    carried = np.r_[v[:3] + np.cross(v[3:], np.array(at.xyz, dtype=float)), v[3:]]
    one = kg.Simulator(whole, q=start, v=v, contacts=FINE)
    two = kg.Simulator(looped, q=q, v=np.concatenate([v, carried]), contacts=FINE)
    for _ in range(6):
        one.step(100)
        two.step(100)
        np.testing.assert_allclose(two.q[:7], one.q, atol=1e-6)
        np.testing.assert_allclose(two.v[:6], one.v, atol=1e-5)
    assert len(one.contacts) >= 2
    np.testing.assert_allclose(two.contacts.wrench("world"), one.contacts.wrench("world"), atol=1e-4)


def test_it_falls_stays_closed_and_gains_no_energy():
    of = model(0.5)
    sim = kg.Simulator(of, q=standing(of, 0.1, 0.2), v=np.r_[0.3, 0.1, np.zeros(of.nv - 2)], dt=2.5e-4)
    trajectory = sim.run(2.0)
    assert trajectory.closure_gap.max() <= 1e-10
    energy = trajectory.energy.sum(axis=1)
    assert np.diff(energy).max() < 2e-4  # Euler's method on what swings free
    assert energy[-1] < energy[0] - 10.0
    assert len(sim.contacts) >= 2
    gained = trajectory.momentum[-1, :3] - trajectory.momentum[0, :3]
    pushed = -2.5e-4 * trajectory.contacts.force("world").sum(axis=0)
    np.testing.assert_allclose(gained, pushed - [0, 0, 9.6 * 9.81 * 2.0], atol=0.05)
    assert min(c.gaps.min() for c in trajectory.contacts if len(c)) > -1e-3


def test_a_point_that_hardly_moves_takes_no_energy_from_what_turns():
    """A doll whom a pin and the wall hold between them: what its limbs gain by turning must not count against the wall
    alone. If it does, forces of 1e9 N come of it, 100 J in a step, or states that are not finite, in four of ten; in
    two of thirty where a hinge is held where it is."""
    of, q = hanging_doll(-0.083)
    W, held = of.W(q), 0
    hinge = {"hinge0_2": float(q[of.q_slice("hinge0_2")][0])}
    for seed, given in [*((seed, None) for seed in range(10)), (6, hinge), (25, hinge)]:
        v = W @ (0.3 * np.random.default_rng(seed).normal(size=W.shape[1]))
        trajectory = kg.Simulator(of, q=q, v=v, driven=given).run(1.2)
        held += sum(len(c) > 2 for c in trajectory.contacts)
        assert np.diff(trajectory.energy.sum(axis=1)).max() < 0.2  # Euler's method on what falls, 0.08
    assert held > 1000


@pytest.mark.parametrize("bounded", ["crank", "pin"])
def test_stops_hold_under_contact(bounded):
    """A deck on a rail stands on a shoe that a crank pushes out: it folds until the crank, or the cut pin, stops."""
    limits = {"limits": (-0.5, 0.5)}
    links = [
        kg.Link("deck", 4.0, inertia=(0.1, 0, 0, 0.1, 0, 0.1)),
        bar("crank", 0.2, 0.5),
        bar("rod", 0.4, 0.5),
        kg.Link("shoe", 0.5, inertia=(0.01, 0, 0, 0.01, 0, 0.01), shapes=[kg.sphere(0.05)]),
    ]
    joints = [
        kg.Joint("rail", "prismatic", "world", "deck", axis=(0, 0, 1)),
        kg.Joint("crank", "revolute", "deck", "crank", axis=(0, 1, 0), **(limits if bounded == "crank" else {})),
        kg.Joint("knee", "revolute", "crank", "rod", kg.Pose((0, 0, -0.2)), axis=(0, 1, 0)),
        kg.Joint("guide", "prismatic", "deck", "shoe", axis=(0, 0, -1)),
        kg.Joint(
            "pin", "revolute", "shoe", "rod", child_origin=kg.Pose((0, 0, -0.4)), axis=(0, 1, 0), cut=True,
            **(limits if bounded == "pin" else {}),
        ),
    ]  # fmt: skip
    of = kg.compile(kg.Mechanism("jack", links, joints, shapes=[kg.plane()]))
    q = of.assemble([0.9, 0.2, -0.3, 0.58], hold=["crank"])
    sim = kg.Simulator(of, q=q)
    trajectory = sim.run(2.0, every=5)
    stop = sim.q[1] if bounded == "crank" else of.loop_joint("pin", sim.q, sim.v)[0][0]
    assert abs(stop) == pytest.approx(0.5, abs=1e-4)
    assert trajectory.closure_gap.max() <= 1e-10
    assert sim.contacts.links == (("world", "shoe"),)
    np.testing.assert_allclose(sim.contacts.wrench("shoe")[2], 5.5 * 9.81, rtol=1e-3)
    assert np.abs(sim.v).max() < 1e-6
    free = kg.Simulator(of, q=q, limits=False).run(0.5)
    angles = (
        free.q[:, 1]
        if bounded == "crank"
        else [of.loop_joint("pin", *x)[0][0] for x in zip(free.q, free.v, strict=True)]
    )
    assert np.ptp(angles) > 1.02


def test_a_controller_that_fails_leaves_the_state():
    of = model()
    sim = kg.Simulator(of, q=standing(of), tau=lambda t, q, v: np.full(of.nv, np.nan if t > 0.05 else 0.0))
    with pytest.raises(kg.ModelError, match="is nan"):
        sim.run(0.2)
    assert np.isfinite(sim.q).all() and sim.t == pytest.approx(0.051)
    blown = kg.Simulator(of, q=standing(of), v=[0, 0, -1e200, *np.zeros(of.nv - 3)])
    with pytest.raises(kg.ModelError):
        blown.step(3)
    assert np.isfinite(blown.q).all()


def test_motion_is_the_same_in_one_run_and_in_pieces():
    of = model(0.5)
    whole, pieces = (kg.Simulator(of, q=standing(of, 0.02, 0.1)) for _ in range(2))
    whole.step(300)
    pieces.step(170)
    kept = pieces.save()
    pieces.step(130)
    np.testing.assert_array_equal(whole.q, pieces.q)
    pieces.restore(kept)
    pieces.step(130)
    np.testing.assert_array_equal(whole.q, pieces.q)
    np.testing.assert_array_equal(whole.contacts.forces, pieces.contacts.forces)


def test_contact_can_be_left_out():
    of = model()
    sim = kg.Simulator(of, q=standing(of), contacts=False)
    sim.step(500)
    assert sim.q[2] < 0.0
    with pytest.raises(kg.ModelError, match="without contacts"):
        _ = sim.contacts


def test_what_loops_hold_together_does_not_touch_itself():
    """By default nothing of one machine; within it not the two sides of a loop joint."""
    cube = shapes.box((0.1, 0.1, 0.1))
    links = [solid(name, cube) for name in "abc"]
    joints = [
        kg.Joint("fa", "free", "world", "a"),
        kg.Joint("fb", "free", "world", "b"),
        kg.Joint("bc", "revolute", "b", "c", kg.Pose((0, 0, 0.3))),
        kg.Joint("ca", "spherical", "c", "a", kg.Pose((0, 0, 0.3)), cut=True),
    ]
    chain = kg.Mechanism("chain", links, joints, shapes=[shapes.plane()])
    floor = {("world", name) for name in "abc"}
    assert set(kg.generate(chain).manifest.touching) == floor
    inner = set(kg.generate(chain, contacts=kg.ContactRules(within=True)).manifest.touching)
    assert inner == floor | {("a", "b")}
