"""The contact solver against an exact cone solver, and what holds for every solution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Mimic, Pose
from kinegen.runtime import Model, Simulator
from support.contact.contact_balance import FINE, along, resting_axes
from support.contact.contact_scenes import at, scene, shapes, solid
from support.oracles.cone import exact, rows, unforced

DT = 1e-3


@cache
def heap() -> Model:
    bodies = [
        solid("b1", shapes.box((0.2, 0.3, 0.1), friction=0.3), 2.0),
        solid("b2", shapes.box((0.2, 0.2, 0.2), friction=0.9)),
        solid("c", shapes.capsule(0.08, 0.2, friction=0.6), 0.5),
        solid("s", shapes.sphere(0.1, friction=0.2)),
    ]
    return scene("heap", bodies, [shapes.plane(friction=0.5)])


def arm_mechanism() -> Mechanism:
    """A floating body with an arm: contacts of one tree answer each other through its joints."""
    links = [
        Link("trunk", 3.0, (0, 0, 0), (0.03, 0, 0, 0.05, 0, 0.04), shapes=[shapes.box((0.4, 0.3, 0.2), friction=0.6)]),
        Link("upper", 1.0, (0.2, 0, 0), (0.01, 0, 0, 0.02, 0, 0.02)),
        Link(
            "hand",
            0.5,
            (0.1, 0, 0),
            (0.003, 0, 0, 0.004, 0, 0.004),
            shapes=[shapes.sphere(0.05, pose=Pose((0.2, 0, 0)), friction=0.8)],
        ),
    ]
    joints = [
        Joint("base", "free", "world", "trunk"),
        Joint("shoulder", "spherical", "trunk", "upper", Pose((0.25, 0, 0.1)), damping=0.1),
        Joint("elbow", "revolute", "upper", "hand", Pose((0.4, 0, 0)), axis=(0, 1, 0), friction=0.05),
    ]
    return Mechanism("arm", links, joints, shapes=[shapes.plane(friction=0.5)])


@cache
def arm() -> Model:
    return kg.compile(arm_mechanism())


@cache
def coupled() -> Model:
    """The same with a finger that follows the elbow: one dof moves it in two ways."""
    bare = arm_mechanism()
    tip = shapes.sphere(0.04, pose=Pose((0.15, 0, 0)), friction=0.7)
    finger = Link("finger", 0.3, (0.08, 0, 0), (0.001, 0, 0, 0.002, 0, 0.002), shapes=[tip])
    follows = Mimic("elbow", -0.7, 0.2)
    wrist = Joint("wrist", "revolute", "hand", "finger", Pose((0.2, 0, 0)), axis=(0, 1, 0), mimic=follows)
    return kg.compile(
        Mechanism("coupled", [*bare.links, finger], [*bare.joints, wrist], shapes=[shapes.plane(friction=0.5)])
    )


def _states(model: Model, count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """States with contacts on the way of thrown bodies."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        q = model.random(rng)
        for j in model.manifest.joints:
            if j.kind == "free":
                q[j.q_start : j.q_start + 3] = [*rng.uniform(-0.12, 0.12, 2), rng.uniform(0.2, 0.9)]
        sim = Simulator(model, q=q, v=0.5 * rng.normal(size=model.nv))
        sim.step(int(rng.integers(250, 700)))
        yield sim.q, sim.v


SURFACES = {heap: {"world": 0.5, "b1": 0.3, "b2": 0.9, "c": 0.6, "s": 0.2}}
SURFACES[arm] = {"world": 0.5, "trunk": 0.6, "hand": 0.8}
SURFACES[coupled] = {**SURFACES[arm], "finger": 0.7}


def _friction(make: Callable[[], Model], links: tuple[tuple[str, str], ...]) -> np.ndarray:
    """(k) of each pair: the geometric mean of its two surfaces."""
    own = SURFACES[make]
    return np.array([np.sqrt(own[a] * own[b]) for a, b in links])


def test_forces_are_those_of_an_exact_cone_solver() -> None:
    model, checked = heap(), 0
    for q, v in _states(model, 150):
        if checked == 10:
            break
        sim = Simulator(model, q=q, v=v, contacts=FINE)
        sim.step()
        c = sim.contacts
        if not len(c) or c.gaps.min() < -1e-4:  # leaving a depth moves q beside v
            continue
        J = rows(model, q, c.links, c.points, c.normals)
        if np.linalg.matrix_rank(J) < len(J):  # redundant points: Coulomb's law has many solutions
            continue
        b = J @ unforced(model, q, v, np.zeros(model.nv), DT)
        K = J @ np.linalg.solve(model.mass_matrix(q), J.T)
        f, velocity = exact(K, b, np.maximum(c.gaps, 0.0) / DT, _friction(heap, c.links))
        impulse = DT * J.T @ along(c)
        np.testing.assert_allclose(K @ along(c) * DT + b, velocity, atol=2e-5)
        np.testing.assert_allclose(impulse, J.T @ f, atol=2e-5)
        checked += 1
    assert checked == 10, checked


@pytest.mark.parametrize("make", [heap, arm, coupled])
def test_laws_hold_at_every_contact(make: Callable[[], Model]) -> None:
    """Signorini's and Coulomb's, with the friction of the pair itself: where it slips, all of it."""
    model, checked, slipped = make(), 0, 0
    for q, v in _states(model, 12):
        sim = Simulator(model, q=q, v=v, contacts=replace(FINE, tolerance=1e-9))
        sim.step()
        c = sim.contacts
        if not len(c) or c.gaps.min() < -1e-4:
            continue
        normal = np.einsum("ij,ij->i", c.normals, c.forces)
        tangential = c.forces - normal[:, None] * c.normals
        assert normal.min() >= 0.0
        J = rows(model, q, c.links, c.points, c.normals)
        after = J @ resting_axes(model, q, sim.q, sim.v)
        separation = after[0::3] + np.maximum(c.gaps, 0.0) / DT
        assert separation.min() > -1e-6
        assert np.abs(separation * normal * DT).max() < 1e-7
        slipping = np.linalg.norm(after.reshape(-1, 3)[:, 1:], axis=1)
        friction = np.linalg.norm(tangential, axis=1)
        most = _friction(make, c.links) * normal
        assert (friction <= most + 1e-9).all()
        np.testing.assert_allclose(friction[slipping > 1e-4], most[slipping > 1e-4], atol=1e-6)
        power = np.einsum("ij,ij->i", along(c).reshape(-1, 3)[:, 1:], after.reshape(-1, 3)[:, 1:])
        np.testing.assert_allclose(power, -friction * slipping, atol=1e-6)  # friction points against the slip
        checked += len(c)
        slipped += np.count_nonzero((slipping > 1e-4) & (normal > 1e-3))
    assert checked >= 20 and slipped >= 4, (checked, slipped)


@pytest.mark.parametrize("make", [arm, coupled])
def test_step_is_momentum_balance(make: Callable[[], Model]) -> None:
    """v' − v' without contact = M⁻¹ Jᵀ f dt, through joints with dampers and friction too."""
    model, checked = make(), 0
    for q, v in _states(model, 12):
        sim, bare = Simulator(model, q=q, v=v, contacts=FINE), Simulator(model, q=q, v=v, contacts=False)
        sim.step()
        bare.step()
        c = sim.contacts
        if not len(c) or c.gaps.min() < -1e-4:
            continue
        J = rows(model, q, c.links, c.points, c.normals)
        f = along(c)
        gained = resting_axes(model, q, sim.q, sim.v) - resting_axes(model, q, bare.q, bare.v)
        d = np.zeros(model.nv)
        d[model.v_slice("shoulder")] = 0.1
        d[model.v_slice("elbow")] = 0.05 / np.sqrt(v[model.v_slice("elbow")] ** 2 + 1e-6)
        M = model.mass_matrix(q) + DT * np.diag(d)
        np.testing.assert_allclose(M @ gained, DT * J.T @ f, atol=1e-9)
        checked += 1
    assert checked >= 3, checked


def test_a_table_on_forty_points_presses_with_its_weight() -> None:
    feet = [shapes.sphere(0.02, pose=Pose((0.1 * i - 0.45, 0.2 * j - 0.3, -0.3))) for i in range(10) for j in range(4)]
    table = Link("table", 20.0, (0.05, 0.02, 0.1), (2.0, 0, 0, 2.0, 0, 3.0), shapes=feet)
    # by default sweeps end at 1e-5 m/s, which lets so many points press by turns, 1 % of the weight to and fro
    sim = Simulator(scene("table", [table], [shapes.plane()]), q=at((0, 0, 0.32)), contacts=FINE)
    sim.step(500)
    c = sim.contacts
    assert len(c) == 40
    weight = 20.0 * 9.81
    np.testing.assert_allclose(c.wrench("table", sim.model.com(sim.q)), [0, 0, weight, 0, 0, 0], atol=1e-6 * weight)
    np.testing.assert_allclose(c.wrench("world"), -c.wrench("table"))
    np.testing.assert_allclose(c.center_of_pressure("table")[:2], [0.05, 0.02], atol=1e-6)


def test_joint_limits_hold_under_contact() -> None:
    """A leg that falls on its foot folds until its knee stops; the stop carries the weight above."""
    links = [
        Link("thigh", 4.0, (0, 0, 0), (0.02, 0, 0, 0.02, 0, 0.02)),
        Link("shank", 1.0, (0, 0, -0.2), (0.01, 0, 0, 0.01, 0, 0.01), shapes=[shapes.sphere(0.05, pose=FOOT)]),
    ]
    joints = [
        Joint("rail", "prismatic", "world", "thigh", axis=(0, 0, 1)),
        Joint("knee", "prismatic", "thigh", "shank", axis=(0, 0, 1), limits=(-0.1, 0.05)),
    ]
    model = kg.compile(Mechanism("leg", links, joints, shapes=[shapes.plane()]))
    sim = Simulator(model, q=[0.8, 0.0])
    trajectory = sim.run(1.5)
    assert trajectory.q[:, 1].max() < 0.05 + 1e-4
    np.testing.assert_allclose(sim.q, [0.4, 0.05], atol=1e-4)
    assert sim.contacts.links == (("world", "shank"),)
    np.testing.assert_allclose(sim.contacts.wrench("shank")[:3], [0, 0, 5.0 * 9.81], atol=1e-2)
    free = Simulator(model, q=[0.8, 0.0], limits=False)
    free.step(1500)
    assert free.q[1] > 0.3


FOOT = Pose((0, 0, -0.4))
