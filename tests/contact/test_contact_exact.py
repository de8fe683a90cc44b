"""K and b against unit test forces; the exact solver as an option; the sweeps against it on problems of real scenes."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime import ContactOptions, Model, Simulator
from kinegen.runtime.contact.cones import HELD, NORMAL, TANGENT, ConeProblem
from kinegen.runtime.contact.exact import solve_exactly
from kinegen.runtime.contact.newton import polish
from kinegen.runtime.errors import ModelError
from support.contact.closed_contact import ring
from support.contact.contact_scenes import at, scene, shapes, solid, standing_talos
from support.mechanisms.closed_mechanisms import four_bar
from support.oracles.cone import unforced
from support.oracles.coulomb import by_trying, violation

DT = 1e-3
KEEP = {"depth": 1.0}  # nothing is pushed out, so that the room tells what was solved


def directions(normal: np.ndarray) -> np.ndarray:
    """(3, 3) normal and the two tangents of [Duff17]."""
    x, y, z = normal
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    return np.array([normal, [1.0 + sign * x * x * a, sign * b, -sign * x], [b, sign + y * y * a, -y]])


def rows_of(model: Model, q: np.ndarray, contacts: kg.Contacts) -> np.ndarray:
    """(3k, nv) from public Jacobians."""
    found = []
    for (first, second), point, normal in zip(contacts.links, contacts.points, contacts.normals, strict=True):
        J = np.zeros((3, model.nv))
        for link, sign in ((first, -1.0), (second, 1.0)):
            if link != "world":
                own = model.frame_jacobian(q, link)
                arm = point - model.link_poses(q)[model.link_names.index(link), :3, 3]
                J += sign * (own[:3] - np.cross(arm, own[3:].T).T)
        found.append(directions(normal) @ J)
    return np.concatenate(found)


@cache
def pile() -> Model:
    bodies = [solid(f"b{i}", shapes.box((0.1, 0.1 + 0.02 * i, 0.08)), 1.0 + i) for i in range(4)]
    return scene("small_pile", bodies, [shapes.plane(friction=0.6)])


@cache
def robot() -> Model:
    return kg.compile(standing_talos())


def piled(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return at(*((*rng.uniform(-0.03, 0.03, 2), 0.05 + 0.09 * i) for i in range(4)))


def solved(sim: Simulator) -> ConeProblem:
    problem: ConeProblem = sim._motion.stepper._state.problem()  # type: ignore[attr-defined]
    return problem


@pytest.mark.parametrize("make", ["pile", pytest.param("talos", marks=pytest.mark.sweep)])
def test_k_and_b_are_those_of_unit_test_forces(make: str) -> None:
    """[P §2.2]: forward dynamics with one unit force at a time, through our kernel that knows nothing of contact."""
    if make == "pile":
        model, q = pile(), piled(3)
        sim = Simulator(model, q=q, contacts=ContactOptions(**KEEP))
        sim.step(120)
    else:
        model = robot()
        q = model.neutral()
        feet = [model.link_names.index(f"leg_{side}_6_link") for side in ("left", "right")]
        q[2] -= model.link_poses(q)[feet, 2, 3].min() - 0.107
        sim = Simulator(
            model, q=q, v=0.1 * np.random.default_rng(0).normal(size=model.nv), contacts=ContactOptions(**KEEP)
        )
        for joint in model.manifest.joints:  # implicit damping is no part of the unit forces
            assert joint.nv
    q, v = sim.q, sim.v
    sim.step()
    contacts, problem = sim.contacts, solved(sim)
    assert len(contacts) >= 8
    J, tau = rows_of(model, q, contacts), np.zeros(model.nv)
    free = model.forward_dynamics(q, v, tau)
    K = np.array([J @ (model.forward_dynamics(q, v, tau + force) - free) for force in J]).T
    if make == "talos":  # with M + dt d in place of M, as dampers act at the end of the step
        d = _damping(model)
        M = model.mass_matrix(q)
        damped = np.linalg.inv(M + DT * np.diag(d))
        np.testing.assert_allclose(K, J @ np.linalg.inv(M) @ J.T, atol=1e-9 * np.abs(K).max())
        K = J @ damped @ J.T
    np.testing.assert_allclose(problem.K, K, atol=1e-10 * np.abs(K).max())
    if make == "pile":
        np.testing.assert_allclose(problem.b, J @ unforced(model, q, v, tau, DT), atol=1e-10)
    forces = contacts.forces.reshape(-1, 3)
    along = np.concatenate([directions(n) @ f for n, f in zip(contacts.normals, forces, strict=True)])
    np.testing.assert_allclose(problem.f, DT * along, atol=1e-12 + 1e-10 * np.abs(problem.f).max())


def _damping(model: Model) -> np.ndarray:
    """(nv) dampers of the joints, by what they do to a unit velocity."""
    rest = model.passive_forces(model.neutral(), np.zeros(model.nv))
    return np.array([-(model.passive_forces(model.neutral(), e) - rest)[k] for k, e in enumerate(np.eye(model.nv))])


def small_problem(seed: int, points: int) -> ConeProblem:
    """Points on one or two bodies that are pushed together: K = J M⁻¹ Jᵀ of full rank, friction from none to 1.2."""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(3 * points, 3 * points + 2))
    K = J @ np.diag(rng.uniform(0.2, 2.0, J.shape[1])) @ J.T / J.shape[1]
    b = rng.normal(size=3 * points)
    b[0::3] = -np.abs(b[0::3]) * rng.choice([-0.3, 1.0], size=points, p=(0.2, 0.8))
    friction = rng.uniform(0.0, 1.2, points)
    kind = np.tile(np.array([NORMAL, TANGENT, TANGENT], dtype=np.intc), points)
    return ConeProblem(K, b, np.zeros(3 * points), np.zeros(3 * points), friction, kind)


@pytest.mark.parametrize("points", [1, 2, pytest.param(3, marks=pytest.mark.sweep)])
def test_exact_is_what_trying_every_combination_finds(points: int) -> None:
    """Open, stick or slip at every point, by equations of each combination: no cone program, no polishing."""
    modes = np.zeros(3, dtype=int)
    for seed in range({1: 40, 2: 25, 3: 6}[points]):
        problem = small_problem(seed, points)
        f = solve_exactly(problem)
        assert violation(problem.K, problem.b, problem.bound, f) < 1e-9
        (found,) = by_trying(problem.K, problem.b, problem.bound)
        np.testing.assert_allclose(f, found, atol=1e-7)
        slip = np.hypot(*(problem.K @ f + problem.b).reshape(-1, 3)[:, 1:].T)
        pressed = f[0::3] > 1e-9
        modes += [np.count_nonzero(~pressed), *(np.count_nonzero(pressed & (slip > 1e-7) == s) for s in (False, True))]
    assert (modes >= 2).all(), modes


def test_what_parts_gets_nothing_at_all() -> None:
    """Not what rounding leaves: a Runge-Kutta step asks which points press."""
    found = [(problem, solve_exactly(problem)) for problem in (small_problem(seed, 4) for seed in range(20))]
    parting = [f[3 * i : 3 * i + 3] for p, f in found for i in range(4) if p.velocity(f)[3 * i] > 1e-6]
    assert len(parting) > 10 and not np.any(parting)


def test_exact_steps_follow_the_sweeps() -> None:
    """A pile that falls into place: each step with both from its state, and a run of the exact one."""
    exact = Simulator(pile(), q=piled(1), contacts=ContactOptions(solver="exact"))
    worst = 0.0
    for k in range(160):
        sweeps = Simulator(pile(), q=exact.q, v=exact.v, contacts=ContactOptions(tolerance=1e-10, sweeps=20000))
        exact.step()
        if k % 8 == 0:
            sweeps.step()
            worst = max(worst, float(np.abs(exact.v - sweeps.v).max()))
        assert exact.contacts.residual < 1e-10
    assert worst < 1e-3
    again = Simulator(pile(), q=piled(1), contacts=ContactOptions(solver="exact"))
    again.step(160)
    assert (again.q == exact.q).all()


def test_exact_solves_rows_and_limits_too() -> None:
    """A four-bar by rows against the same by sweeps; a prismatic leg on its stop with friction in the joint."""
    rows = kg.compile(four_bar(0.3, 0.9, 0.7, 0.8), rows=kg.RowRules(loops=True))
    q = kg.compile(four_bar(0.3, 0.9, 0.7, 0.8)).q0
    runs = [
        Simulator(rows, q=q, contacts=options)
        for options in (ContactOptions(solver="exact"), ContactOptions(tolerance=1e-13, sweeps=2000))
    ]
    for sim in runs:
        sim.step(300)
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-9)
    leg = kg.Link("leg", 2.0, (0, 0, 0), kg.inertia.sphere(2.0, 0.1), shapes=[kg.sphere(0.1)])
    slide = kg.Joint("slide", "prismatic", "world", "leg", axis=(0, 0, 1), friction=5.0, limits=(-0.2, 1.0))
    model = kg.compile(kg.Mechanism("leg", [leg], [slide], shapes=[kg.plane()]), rows=kg.RowRules(friction=True))
    for start in (0.15, -0.19):
        runs = [Simulator(model, q=[start], contacts=ContactOptions(solver=solver)) for solver in ("exact", "sweeps")]
        for sim in runs:
            sim.step(400)
        np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-6)


def test_a_ring_of_links_that_falls_is_solved_to_the_end() -> None:
    """Points repeat each other and the loop's rows."""
    model, q = ring(6, 1.0)
    rng = np.random.default_rng(2)
    turn = rng.normal(size=4)
    q = np.concatenate([[0, 0, 0.25], turn / np.linalg.norm(turn), q[7:]])
    v = np.concatenate([rng.normal(size=6), np.zeros(model.nv - 6)])
    sim = Simulator(model, q=q, v=v, contacts=ContactOptions(solver="exact", **KEEP))
    most = 0
    for _ in range(160):
        sim.step()
        assert sim.contacts.residual < 1e-9
        problem = solved(sim)
        touching, after = problem.kind[0::3] == NORMAL, problem.velocity(problem.f)
        own, held = np.repeat(touching, 3), problem.kind == HELD
        if touching.any():
            broken = violation(np.zeros((own.sum(),) * 2), after[own], problem.bound[touching], problem.f[own])
            assert broken < 1e-8
        assert np.abs(after[held]).max() < 1e-8
        most = max(most, len(sim.contacts))
    assert most >= 4


def test_what_clarabel_cannot_solve_is_solved_by_rows_that_yield(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same impulses, from none, as by trying every combination; ModelError where nothing keeps the law."""

    def fails(*_: Any) -> Any:
        raise ModelError("NumericalError")

    monkeypatch.setattr("kinegen.runtime.contact.exact._Program.minimum", fails)
    for seed in range(20):
        problem = small_problem(seed, 2)
        (found,) = by_trying(problem.K, problem.b, problem.bound)
        np.testing.assert_allclose(solve_exactly(problem), found, atol=1e-9)
    kind = np.tile(np.array([NORMAL, 0, 0], dtype=np.intc), 2)
    K = np.zeros((6, 6))
    K[np.ix_([0, 3], [0, 3])] = [[1.0, -1.0], [-1.0, 1.0]]  # jaws that close from both sides
    jaws = ConeProblem(K, np.array([-1.0, 0, 0, -1.0, 0, 0]), np.zeros(6), np.zeros(6), np.zeros(2), kind)
    with pytest.raises(ModelError, match=r"law is kept no better than to .* may have no solution"):
        solve_exactly(jaws)
    assert np.isnan(jaws.residual(np.full(6, np.nan)))


def test_sweeps_come_close_to_exact_on_problems_of_scenes() -> None:
    """Warm, with defaults: what one more projection changes, and how far they are from exact ones near."""
    sim = Simulator(pile(), q=piled(2), contacts=ContactOptions(**KEEP))
    residuals, errors = [], []
    for _ in range(60):
        sim.step(5)
        if not len(sim.contacts):
            continue
        problem = solved(sim)
        near = polish(problem, problem.f)
        residuals.append(problem.residual(problem.f))
        errors.append(np.abs(problem.K @ (problem.f - near)).max())
        f = solve_exactly(problem)
        touching = problem.kind[0::3] == NORMAL
        own = np.repeat(touching, 3)
        broken = violation(
            problem.K[np.ix_(own, own)], (problem.b - problem.target)[own], problem.bound[touching], f[own]
        )
        assert broken < 1e-6
        v = problem.velocity(f)
        normal, slip = f[0::3], np.hypot(v[1::3], v[2::3])
        assert normal.min() >= -1e-14
        assert v[0::3].min() > -1e-6
        assert np.abs(normal * v[0::3]).max() < 1e-7
        assert (np.hypot(f[1::3], f[2::3]) <= problem.bound * normal + 1e-12).all()
        power = f[1::3] * v[1::3] + f[2::3] * v[2::3]
        np.testing.assert_allclose(power, -problem.bound * normal * slip, atol=1e-7)
    assert len(residuals) > 30
    assert np.quantile(residuals, 0.8) < 2e-5
    assert np.quantile(errors, 0.8) < 1e-4


def test_the_associated_flow_is_another_law() -> None:
    """A box pushed sideways: by Coulomb it slides along, the minimum without de Saxcé's term [DeSaxce98] lifts it."""
    model = scene("pushed", [solid("b", shapes.box((0.2, 0.2, 0.2)))], [shapes.plane(friction=0.5)])
    sim = Simulator(model, q=at((0, 0, 0.1)), v=[1.0, 0, 0, 0, 0, 0], contacts=ContactOptions(**KEEP))
    sim.step()
    problem = solved(sim)
    coulomb, associated = solve_exactly(problem), solve_exactly(problem, coulomb=False)
    assert np.abs(problem.velocity(coulomb)[0::3]).max() < 1e-10
    assert problem.velocity(associated)[0::3].max() > 0.1
    assert coulomb[0::3].sum() == pytest.approx(9.81e-3, rel=1e-6)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.raises(ModelError, match=r"pip install 'kinegen\[exact\]'"):
        Simulator(pile(), contacts=ContactOptions(solver="exact"))
    with pytest.raises(ModelError, match="solver: unknown 'best'; known: sweeps, exact"):
        ContactOptions(solver="best")


def test_a_solver_that_fails_stops_the_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(problem: ConeProblem) -> Any:
        raise ValueError("no solution today")

    monkeypatch.setattr("kinegen.runtime.contact.state.solve_exactly", fails)
    sim = Simulator(pile(), q=piled(1) + 0.0, contacts=ContactOptions(solver="exact"))
    with pytest.raises(kg.KinegenError, match="no solution today"):
        sim.step(300)
    assert np.isfinite(sim.q).all()
