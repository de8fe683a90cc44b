"""Rows beside contacts: loops held by rows against the closure by W, connections of some axes, forces, drift."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from support.contact.closed_contact import standing, walker
from support.mechanisms.closed_mechanisms import ONE_LOOP, four_bar, one_loop, random_closed

EXACT = kg.ContactOptions(tolerance=1e-13, sweeps=5000)
LOOPS = kg.RowRules(loops=True)
LOCKED_ELSEWHERE = ("cartesian", "revolute", "planar", "gimbal", "universal")
"""As prismatic joints lock all turns, planar ones some; the hinges of the four-bar; a universal joint some of them."""


@cache
def bars(rows: bool) -> kg.Model:
    """Crank and rocker, gravity across."""
    return kg.compile(four_bar(0.3, 0.9, 0.7, 0.8), rows=LOOPS if rows else None)


def ball(name: str = "ball", mass: float = 2.0, *shapes: kg.Shape) -> kg.Link:
    return kg.Link(name, mass, (0, 0, 0), kg.inertia.sphere(mass, 0.1), shapes=shapes)


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=pytest.mark.sweep if k in LOCKED_ELSEWHERE else ()) for k in ONE_LOOP]
)
def test_accelerations_are_those_of_the_closure(kind: str) -> None:
    """A spatial mechanism in motion: what a very short step makes of v, through a loop joint of each kind."""
    closed = one_loop(kind)
    by_w, by_rows = kg.compile(closed.mechanism), kg.compile(closed.mechanism, rows=LOOPS)
    assert not by_rows.manifest.closed
    rng = np.random.default_rng(1)
    tau = rng.normal(size=by_w.nv)
    v = kg.Simulator(by_w, q=closed.q, v=rng.normal(size=by_w.nv)).v
    assert np.linalg.norm(v) > 0.1
    dt, exact = 1e-7, replace(EXACT, tolerance=1e-15)  # velocities are divided by dt
    sim = kg.Simulator(by_rows, q=closed.q, v=v, tau=tau, dt=dt, contacts=exact, limits=False)
    sim.step()
    expected = by_w.forward_dynamics(closed.q, v, tau)
    np.testing.assert_allclose((sim.v - v) / dt, expected, atol=1e-6 * (1.0 + np.abs(expected).max()))
    assert max(row.off for row in sim.rows) < 1e-8


def test_four_bar_moves_as_with_the_closure() -> None:
    """Over-constrained in space: three rows of five are redundant. Velocities step by step, drift over 20 s."""
    by_w, by_rows = (bars(rows) for rows in (False, True))
    dt = 2e-5
    runs = [kg.Simulator(by_w, q=by_w.q0, dt=dt), kg.Simulator(by_rows, q=by_w.q0, dt=dt, contacts=EXACT)]
    for _ in range(20):
        for sim in runs:
            sim.step(500)
        assert np.abs(runs[0].v - runs[1].v).max() < 2e-3
    state = runs[0].q, runs[0].v
    once = [kg.Simulator(of, q=state[0], v=state[1], dt=1e-6, contacts=c) for of, c in ((by_w, None), (by_rows, EXACT))]
    for sim in once:
        sim.step()
    np.testing.assert_allclose(once[0].v, once[1].v, atol=1e-9)
    long = kg.Simulator(by_rows, q=by_w.q0)
    energy = [long.run(20.0, every=100).energy.sum(axis=1) for long in (long, kg.Simulator(by_w, q=by_w.q0))]
    assert max(row.off for row in long.rows) < 1e-4
    drift = [np.abs(run - run[0]).max() for run in energy]
    assert drift[0] < drift[1]  # that of the closure with the same steps


def test_an_open_loop_is_drawn_together() -> None:
    """A mechanism that starts open closes, at half a metre a second at most."""
    sim = kg.Simulator(bars(True), q=bars(False).q0 + np.array([0.0, 0.05, 0.0]))
    sim.step()
    opened = sim.rows[0].off
    assert opened > 0.03
    sim.step(40)
    assert 0.0 < opened - sim.rows[0].off < 0.0205
    sim.step(200)
    assert sim.rows[0].off < 1e-4


def test_two_locked_axes_of_six() -> None:
    """A free ball on a rail that leans: two rows; it slides at g sin and turns as it likes, the rail carries g cos."""
    lean = 0.3
    mech = kg.Mechanism("bead", [ball()], [kg.Joint("float", "free", "world", "ball")])
    rail = kg.Rows("rail", "world", "ball", axes="xy", origin=kg.Pose(rpy=(0.0, np.pi / 2 + lean, 0.0)))
    model = kg.compile(mech, rows=kg.RowRules(between=[rail]))
    spin = np.array([3.0, -2.0, 1.0])
    sim = kg.Simulator(model, q=[0, 0, 0, 0, 0, 0, 1], v=[0, 0, 0, *spin], contacts=EXACT)
    sim.step(1000)
    along = np.array([np.cos(lean), 0.0, -np.sin(lean)])
    np.testing.assert_allclose(sim.q[:3], along * 0.5 * 9.81 * np.sin(lean) * 1.001, atol=1e-6)
    np.testing.assert_allclose(sim.v[3:], spin, atol=1e-9)
    (row,) = sim.rows
    assert (row.name, row.parent, row.child, row.kind) == ("rail", "world", "ball", "axes")
    across = np.array([np.sin(lean), 0.0, np.cos(lean)])
    np.testing.assert_allclose(row.force, across * 2.0 * 9.81 * np.cos(lean), atol=1e-8)


def test_locked_turns_and_their_moments() -> None:
    """A plate that hangs on its corner by three axes and one turn tells the force and the moment that hold it."""
    plate = kg.Link("plate", 3.0, (0.2, 0, 0), kg.inertia.box(3.0, (0.4, 0.2, 0.02)))
    mech = kg.Mechanism("hung", [plate], [kg.Joint("float", "free", "world", "plate")])
    held = [kg.Rows("hook", "world", "plate", axes="xyz", turns=turns) for turns in ("xyz", "xy")]
    for rows in held:
        sim = kg.Simulator(kg.compile(mech, rows=kg.RowRules(between=[rows])), contacts=EXACT)
        sim.step(100)
        np.testing.assert_allclose(sim.q, [0, 0, 0, 0, 0, 0, 1], atol=1e-12)
        force, moment = sim.rows
        np.testing.assert_allclose(force.force, [0, 0, 3 * 9.81], atol=1e-9)
        np.testing.assert_allclose(moment.force, [0, -0.2 * 3 * 9.81, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("turns", "axis", "axis2"), [("x", (0, 1, 0), (0, 0, 1)), ("y", (0, 0, 1), (1, 0, 0)), ("z", (1, 0, 0), (0, 1, 0))]
)
def test_one_locked_turn_is_a_universal_joint_about_the_next_two_axes(
    turns: str, axis: tuple[float, float, float], axis2: tuple[float, float, float]
) -> None:
    plate = kg.Link("plate", 3.0, (0.2, 0, 0), kg.inertia.box(3.0, (0.4, 0.2, 0.02)))
    mech = kg.Mechanism("hung", [plate], [kg.Joint("float", "free", "world", "plate")])
    swinging = kg.Rows("hinge", "world", "plate", axes="xyz", turns=turns)
    sim = kg.Simulator(kg.compile(mech, rows=kg.RowRules(between=[swinging])), dt=1e-4, contacts=EXACT)
    hinge = kg.Joint("hinge", "universal", "world", "plate", axis=axis, axis2=axis2)
    same = kg.Simulator(kg.compile(kg.Mechanism("same", [plate], [hinge])), dt=1e-4, v=[0.0, 2.0])
    sim.v = same.model.frame_jacobian(same.q, "plate") @ same.v
    sim.step(3000)
    same.step(3000)
    np.testing.assert_allclose(sim.model.link_poses(sim.q)[0], same.model.link_poses(same.q)[0], atol=2e-3)


def test_a_walker_with_loops_by_rows_goes_down_as_with_the_closure() -> None:
    """Legs that are four-bars, feet on the ground, weak hips: rows and contacts in one sweep against W."""
    with pytest.raises(kg.ModelError, match="'pin_l': it has springs, dampers or friction"):
        kg.compile(walker(1.0), rows=LOOPS)
    by_w, by_rows = kg.compile(walker()), kg.compile(walker(), rows=LOOPS)
    q = standing(by_w)
    hips = [by_w.v_slice(f"hip_{side}").start for side in "lr"]

    def hold(t: float, now: np.ndarray, v: np.ndarray) -> np.ndarray:
        tau = np.zeros(v.size)
        tau[hips] = [-600.0 * (now[k + 1] - q[k + 1]) - 20.0 * v[k] for k in hips]
        return tau

    runs = [kg.Simulator(model, q=q, tau=hold) for model in (by_w, by_rows)]
    forces = []
    for sim in runs:
        sim.step(850)
        assert sim.contacts.gaps.min() > -2e-4
        forces.append(sim.run(0.05).contacts.wrench("world").mean(axis=0))  # redundant feet: no step by itself is told
    np.testing.assert_allclose(forces[0], forces[1], atol=0.2)
    assert forces[0][2] < -10.0
    assert max(row.off for row in runs[1].rows) < 1e-5
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=2e-4)


def test_rows_hold_with_shapes_and_survive_a_restart() -> None:
    """Two balls tied together fall on the ground, one on the other: the pair that rows hold does not touch itself."""
    links = [ball("a", 1.0, kg.sphere(0.1)), ball("b", 1.0, kg.sphere(0.1))]
    joints = [kg.Joint(f"{x}_free", "free", "world", x) for x in "ab"]
    tie = kg.Rows("tie", "a", "b", axes="xyz", turns="xyz", origin=kg.Pose((0.15, 0, 0)))
    model = kg.compile(
        kg.Mechanism("pair", links, joints, shapes=[kg.plane()]), rows=kg.RowRules(between=[tie]), progress=False
    )
    assert ("a", "b") not in model.manifest.touching
    sim = kg.Simulator(model, q=[0, 0, 0.3, 0, 0, 0, 1, 0.15, 0, 0.3, 0, 0, 0, 1])
    sim.step(300)
    kept = sim.save()
    sim.step(100)
    again = kg.Simulator(model)
    again.restore(kept)
    again.step(100)
    assert (again.q == sim.q).all()
    assert sim.contacts.forces.shape == (2, 3)
    np.testing.assert_allclose(sim.contacts.wrench("world")[2], -2 * 9.81, atol=1e-2)
    assert max(row.off for row in sim.rows) < 1e-6


def test_bad_rows_are_refused() -> None:
    mech = kg.Mechanism("bead", [ball()], [kg.Joint("float", "free", "world", "ball")])

    def refused(match: str, **options: object) -> None:
        with pytest.raises(kg.ModelError, match=match):
            kg.compile(mech, rows=kg.RowRules(between=[kg.Rows(**{"name": "r", "parent": "world", **options})]))  # type: ignore[arg-type]

    refused("no link 'bell'.*'ball'", child="bell")
    refused("lock nothing", child="ball", axes="")
    refused("letters of 'xyz'", child="ball", axes="xx")
    refused("both ends are 'world'", child="world")
    refused("a joint of that name", name="float", child="ball")
    with pytest.raises(kg.ModelError, match="names must differ"):
        kg.RowRules(between=[kg.Rows("r", "world", "ball")] * 2)
    with pytest.raises(kg.ModelError, match="between: expected Rows, got 'r'"):
        kg.RowRules(between=["r"])  # type: ignore[list-item]
    closed = four_bar(0.3, 0.9, 0.7, 0.8)
    with pytest.raises(kg.ModelError, match="loops that the closure holds"):
        kg.compile(closed, rows=kg.RowRules(between=[kg.Rows("r", "world", "crank")]))
    with pytest.raises(kg.ModelError, match="rows cannot lock a helical joint"):
        kg.compile(random_closed(4, ["helical"]).mechanism, rows=LOOPS)


def test_ends_on_one_body_are_refused() -> None:
    """Of links that fixed joints merge, also with the world: what is off between them no force takes back."""
    links = [ball(), ball("ear"), ball("post")]
    joints = [
        kg.Joint("float", "free", "world", "ball"),
        kg.Joint("glue", "fixed", "ball", "ear"),
        kg.Joint("foot", "fixed", "world", "post"),
    ]
    for parent, child in (("ball", "ear"), ("post", "world")):
        told = f"'{parent}' and '{child}' are one body"
        with pytest.raises(kg.ModelError, match=f"rows 'r': {told}"):
            kg.compile(kg.Mechanism("ears", links, joints), rows=kg.RowRules(between=[kg.Rows("r", parent, child)]))
    ring = kg.Joint("ring", "fixed", "ball", "ear", kg.Pose((0.5, 0, 0)), cut=True)
    with pytest.raises(kg.ModelError, match="loop joint 'ring': 'ball' and 'ear' are one body"):
        kg.compile(kg.Mechanism("ears", links, [*joints, ring]), rows=LOOPS)


def test_the_page_on_the_solver(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Its code runs as it stands, its paths are there."""
    root = Path(__file__).parents[2]
    page = (root / "docs" / "contact_solver.md").read_text(encoding="utf-8")
    for path in (*re.findall(r"`(tests/[\w/]+\.py)`", page), *(f"docs/{p}" for p in re.findall(r"\]\((.*?)\)", page))):
        assert (root / path).is_file(), path
    monkeypatch.chdir(root)
    for block in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(compile(block, "contact_solver.md", "exec"), {})
    assert capsys.readouterr().out.startswith("close axes")
