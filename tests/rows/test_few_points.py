"""Robots on few points, which are solved as a matrix: against the solver of many, K by unit forces, sweeps counted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.analysis.sizes import RowSizes

TIGHT = kg.ContactOptions(tolerance=1e-12, sweeps=5000, depth=1.0)


def robot(name: str, friction: float | str) -> kg.Model:
    """A trunk on three legs: a sprung knee and a ball, a sprung slide and a bar, two balls on one spot."""
    mu = kg.parameter("mu", 0.8) if friction == "mu" else friction
    feet = {
        "knee": [kg.sphere(0.03, pose=kg.Pose((0.0, 0.0, -0.3)), friction=mu)],
        "slide": [kg.capsule(0.03, 0.1, pose=kg.Pose((0.0, 0.0, -0.3), rpy=(1.5707963, 0.0, 0.0)), friction=mu)],
        "ball": [kg.sphere(0.03, pose=kg.Pose((0.0, 0.02, -0.3)), friction=mu)] * 2,
    }
    hips = {"knee": (0.3, 0.0, 0.0), "slide": (-0.2, 0.25, 0.0), "ball": (-0.2, -0.25, 0.0)}
    held = {"stiffness": 300.0, "rest": 0.0, "damping": 3.0}
    joints = [kg.Joint("base", "free", "world", "trunk")]
    joints.append(kg.Joint("j_knee", "revolute", "trunk", "knee", kg.Pose(hips["knee"]), axis=(0.0, 1.0, 0.0), **held))
    joints.append(kg.Joint("j_slide", "prismatic", "trunk", "slide", kg.Pose(hips["slide"]), axis=(0, 0, 1), **held))
    turns = {"axis": (1.0, 0.0, 0.0), "axis2": (0.0, 1.0, 0.0)}
    joints.append(kg.Joint("j_ball", "universal", "trunk", "ball", kg.Pose(hips["ball"]), **turns))
    masses = {"knee": 0.3, "slide": 2.0, "ball": 0.02}
    links = [kg.Link("trunk", 6.0, (0.02, 0.01, 0.05), kg.inertia.box(6.0, (0.6, 0.5, 0.2)))]
    for foot, shapes in feet.items():
        inertia = kg.inertia.box(masses[foot], (0.05, 0.05, 0.3))
        links.append(kg.Link(foot, masses[foot], (0.0, 0.01, -0.15), inertia, shapes=shapes))
    return kg.compile(kg.Mechanism(name, links, joints, shapes=[kg.plane(friction=mu)]))


@cache
def few() -> kg.Model:
    return robot("few", "mu")


@cache
def by_sweeps(few_points: bool) -> kg.Model:
    """The same robot by sweeps, after its few points or, as many points are, without; the methods that follow stalled
    sweeps may go to another solution where Coulomb's law has several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowSizes, "few_points", property(lambda sizes: few_points))
        patch.setattr(RowSizes, "newton_groups", property(lambda sizes: 0))
        return robot("few_swept" if few_points else "many_swept", "mu")


@cache
def usual() -> kg.Model:
    """The same robot, whose points are solved as many are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowSizes, "few_points", property(lambda sizes: False))
        return robot("many", "mu")


def thrown(model: kg.Model, rng: np.random.Generator, mu: float, contacts: kg.ContactOptions) -> kg.Simulator:
    q, v = model.neutral(), 0.5 * rng.normal(size=model.nv)
    q[2], q[3:6] = 0.34, 0.03 * rng.normal(size=3)
    q[3:7] /= np.linalg.norm(q[3:7])
    return kg.Simulator(model.with_parameters(mu=mu), q=q, v=v, contacts=contacts)


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.8, 2.0])
def test_steps_are_those_of_the_solver_of_many(mu: float) -> None:
    """Sliding, sticking, striking, on two equal points: velocities to what the tolerance allows, forces in the cone."""
    seen = set[int]()
    for seed in range(3):
        mine = thrown(by_sweeps(True), np.random.default_rng(seed), mu, TIGHT)
        theirs = thrown(by_sweeps(False), np.random.default_rng(seed), mu, TIGHT)
        for _ in range(250):
            mine.step()
            theirs.step()
            contacts, other = mine.contacts, theirs.contacts
            seen.add(len(contacts))
            if max(contacts.residual, other.residual) > 1e-12:  # Coulomb's law may have several solutions, or none
                break
            np.testing.assert_allclose(mine.v, theirs.v, atol=1e-7)
            normal = np.einsum("ij,ij->i", contacts.forces, contacts.normals)
            across = np.linalg.norm(contacts.forces - normal[:, None] * contacts.normals, axis=1)
            assert (normal >= 0.0).all() and (across <= mu * normal * (1.0 + 1e-12) + 1e-12).all()
    assert {1, 2, 3, 4} <= seen


@pytest.mark.parametrize("make", [few, usual])
def test_what_stalled_sweeps_hand_over_is_solved_too(make: Callable[[], kg.Model]) -> None:
    """With so much friction the methods that follow may go to another solution of the law: one it is."""
    looked = 0
    for seed in range(3):
        sim = thrown(make(), np.random.default_rng(seed), 2.0, TIGHT)
        for _ in range(250):
            sim.step()
            if sim.contacts.sweeps > 12 and sim.contacts.residual < 1e-12:
                problem = sim._motion.stepper._state.problem()  # type: ignore[attr-defined]
                assert problem.residual(problem.f) < 1e-8
                looked += 1
    assert looked > 10


def test_the_problem_of_a_step_can_be_looked_at() -> None:
    """K and b as of the solver of many, and impulses that solve them."""
    mine = thrown(few(), np.random.default_rng(1), 0.5, TIGHT)
    theirs = thrown(usual(), np.random.default_rng(1), 0.5, TIGHT)
    looked = 0
    for _ in range(200):
        mine.step()
        theirs.step()
        if not len(mine.contacts) or mine.contacts.residual > 1e-12:
            continue
        problem, other = (sim._motion.stepper._state.problem() for sim in (mine, theirs))  # type: ignore[attr-defined]
        np.testing.assert_allclose(problem.K, other.K, atol=1e-9 * np.abs(other.K).max())
        np.testing.assert_allclose(problem.b, other.b, atol=1e-6)
        assert problem.residual(problem.f) < 1e-8
        looked += 1
    assert looked > 50


def test_all_sweeps_count() -> None:
    """Also the first eight, after which points are handed to the solver of many, which goes on from where they are."""

    def struck(model: kg.Model, options: kg.ContactOptions) -> kg.Simulator:
        q, v = model.neutral(), np.linspace(-0.2, 0.3, model.nv)
        q[2], v[2] = 0.3305, -1.0
        sim = kg.Simulator(model.with_parameters(mu=0.5), q=q, v=v, contacts=options)
        sim.step()
        assert len(sim.contacts) == 5
        return sim

    solved = struck(usual(), TIGHT)
    assert solved.contacts.residual <= 1e-12
    off = []
    for sweeps in (7, 8, 9, 10, 30):
        sim = struck(few(), kg.ContactOptions(tolerance=0.0, sweeps=sweeps))
        assert sim.contacts.sweeps == sweeps
        off.append(float(np.abs(sim.v - solved.v).max()))
    assert off == sorted(off, reverse=True) and len(set(off)) == len(off) and off[-1] < 1e-11


@cache
def vehicle() -> kg.Model:
    """A body of 6 kg on four balls of 0.5 kg, 0.1 m, each on an axle of its own: one more than hold it."""
    links = [kg.Link("base", 6.0, (0.0, 0.0, 0.1), kg.inertia.box(6.0, (0.6, 0.3, 0.2)))]
    joints = [kg.Joint("base", "free", "world", "base")]
    for name, x, y in [("fl", 0.25, 0.2), ("fr", 0.25, -0.2), ("rl", -0.25, 0.2), ("rr", -0.25, -0.2)]:
        inertia = kg.inertia.cylinder(0.5, 0.1, 0.04, axis=(0, 1, 0))
        links.append(kg.Link(name, 0.5, inertia=inertia, shapes=[kg.sphere(0.1, friction=1.0)]))
        hub = kg.Pose((x, y, -0.05))
        joints.append(kg.Joint(f"axle_{name}", "continuous", "base", name, hub, axis=(0, 1, 0), armature=0.002))
    return kg.compile(kg.Mechanism("vehicle", links, joints, shapes=[kg.plane(friction=1.0)]))


@pytest.mark.parametrize("dt", [1e-3, 2e-4])
def test_what_no_motion_can_meet_shifts_no_weight(dt: float) -> None:
    """Wheels whose gaps differ by nanometres: none spins, as a = (4 T/r) / (M + 4 I/r^2) has it, and on both diagonals
    stands half the weight."""
    model, torque = vehicle(), 0.8
    start = model.neutral()
    start[2] = 0.15
    sim = kg.Simulator(model, dt=dt, q=start, tau={f"axle_{name}": torque for name in ("fl", "fr", "rl", "rr")})
    run = sim.run(0.2)
    rate = (4.0 * torque / 0.1) / (8.0 + 4.0 * (0.0025 + 0.002) / 0.01)
    np.testing.assert_allclose(run.v[:, 0], rate * run.t, atol=1e-5)
    np.testing.assert_allclose(run.v[:, 6:], np.outer(rate / 0.1 * run.t, np.ones(4)), atol=1e-4)
    assert run.contacts is not None
    normal = {name: run.contacts.force(name)[:-1, 2] for name in ("fl", "fr", "rl", "rr")}
    np.testing.assert_allclose(normal["fl"] + normal["rr"], normal["fr"] + normal["rl"], atol=5.0)
    np.testing.assert_allclose(sum(normal.values()), 8.0 * 9.81, rtol=5e-3)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_feet_that_no_motion_tells_apart_share_what_they_bear(integrator: str) -> None:
    """A cart that cannot roll on three wheels side by side, placed or dropped, in either order of declaration."""
    wheels = [
        kg.Link(f"wheel{i}", 2.0, inertia=(0.01, 0, 0, 0.01, 0, 0.01), shapes=[kg.sphere(0.1, friction=0.8)])
        for i in range(3)
    ]
    links = [kg.Link("cart", 10.0, inertia=(1, 0, 0, 1, 0, 1)), *wheels]
    axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    joints = [kg.Joint("hold", "cartesian", "world", "cart", axes=axes, start=(0, 0, 0.1))]
    for i, wheel in enumerate(wheels):
        place = kg.Pose((0.0, 0.3 * i, 0.0))
        joints.append(kg.Joint(f"axle{i}", "revolute", "cart", wheel.name, origin=place, axis=(0, 1, 0)))
    for order in (1, -1):
        model = kg.compile(kg.Mechanism("side_by_side", links[::order], joints[::order], shapes=[kg.plane()]))
        for height in (0.1, 0.102):
            q = model.q0.copy()
            q[model.q_slice("hold")] = (0.0, 0.0, height)
            run = kg.Simulator(model, q=q, integrator=integrator).run(0.2)
            forces = [run.contacts.force(wheel.name)[-2][2] for wheel in wheels]  # type: ignore[union-attr]
            np.testing.assert_allclose(forces, 16.0 * 9.81 / 3.0, rtol=1e-3)
