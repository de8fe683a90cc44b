"""The sweeps against exact solutions on contact problems drawn from the motion of real scenes.

    python benchmarks/contact_exact.py [--problems 1000] [--plot FILE.png]

Every problem is one step of a scene with the defaults: warm (as it runs) and cold (from no forces). Exact: Clarabel's
cone programs with de Saxcé's correction [DeSaxce98]. Coulomb's law may have several solutions, so that two distances
are told: to Clarabel's solution, and to the exact one nearest to what the sweeps found (Newton's method from there).
Quantiles over all problems, in velocities at the contacts [m/s] and parts of the largest impulse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import contact
import numpy as np
import rollouts
import typer
from rich.console import Console
from rich.table import Table

import kinegen as kg
from kinegen.runtime.contact.cones import ConeProblem
from kinegen.runtime.contact.exact import solve_exactly
from kinegen.runtime.contact.newton import polish
from kinegen.runtime.simulation.simulator import motion_of

Array = Any
OPTIONS = kg.ContactOptions(depth=1.0)  # nothing is pushed out, so that the step's problem can be looked at
QUANTILES = (0.5, 0.9, 0.99, 1.0)
MEASURES = {
    "residual, m/s": "what one more projection would change",
    "to the exact one near, m/s": "velocities",
    "to Clarabel's, m/s": "velocities",
    "impulse, to the one near": "of the largest impulse",
    "cone": "friction beyond μ times the normal impulse, of the largest impulse",
    "parting, m/s": "velocity below what the gap allows",
    "complementarity": "f_n (v_n − target), of the largest impulse times 1 m/s",
}


def boxes(count: int) -> tuple[kg.Model, Array]:
    """Boxes that fall on each other in a pit."""
    links, joints = [], []
    for i in range(count):
        size = (0.1, 0.1, 0.1) if i % 2 else (0.12, 0.08, 0.06)
        links.append(kg.Link(f"b{i}", 1.0, inertia=kg.inertia.box(1.0, size), shapes=[kg.box(size, friction=0.6)]))
        joints.append(kg.Joint(f"f{i}", "free", "world", f"b{i}"))
    walls = [kg.box((1, 1, 1), pose=kg.Pose((x, y, 0.3))) for x, y in ((0.65, 0), (-0.65, 0), (0, 0.65), (0, -0.65))]
    model = kg.compile(kg.Mechanism("pit", links, joints, shapes=[kg.plane(friction=0.6), *walls]))
    rng = np.random.default_rng(1)
    q = np.concatenate([[*rng.uniform(-0.08, 0.08, 2), 0.1 + 0.13 * i, 0, 0, 0, 1] for i in range(count)])
    return model, q


def arm_on_stops() -> tuple[kg.Model, Array]:
    """A floating trunk with a limp arm that meets its stops, thrown on the floor."""
    links = [
        kg.Link("trunk", 3.0, inertia=kg.inertia.box(3.0, (0.4, 0.3, 0.2)), shapes=[kg.box((0.4, 0.3, 0.2))]),
        kg.Link("upper", 1.0, (0.2, 0, 0), kg.inertia.box(1.0, (0.4, 0.05, 0.05))),
        kg.Link(
            "hand", 0.5, (0.1, 0, 0), kg.inertia.sphere(0.5, 0.06), shapes=[kg.sphere(0.06, pose=kg.Pose((0.2, 0, 0)))]
        ),
    ]
    joints = [
        kg.Joint("base", "free", "world", "trunk"),
        kg.Joint("shoulder", "revolute", "trunk", "upper", kg.Pose((0.25, 0, 0.1)), axis=(0, 1, 0), limits=(-0.6, 0.8)),
        kg.Joint("elbow", "revolute", "upper", "hand", kg.Pose((0.4, 0, 0)), axis=(0, 1, 0), limits=(-0.3, 1.2)),
    ]
    model = kg.compile(kg.Mechanism("stops", links, joints, shapes=[kg.plane(friction=0.7)]))
    return model, np.array([0, 0, 0.5, 0.2, 0.1, 0.0, 0.97, 0.1, 0.2])


def talos() -> tuple[kg.Model, Array]:
    model = kg.compile(contact.robot(1))
    q = contact.start(model)
    q[2] += 0.01
    return model, q


def go2() -> tuple[kg.Model, Array, dict[str, kg.Servo]]:
    """Go2 on balls for feet, whose servos hold it where it stands: few points."""
    model, q, servos = rollouts.trotting(rollouts.quadruped(), 1)
    return (
        model,
        q,
        {name: kg.Servo(servo.kp, servo.kd, float(np.ravel(servo.position)[0])) for name, servo in servos.items()},
    )


def drawn(
    model: kg.Model, q: Array, servos: Mapping[str, kg.Servo], count: int, every: int, seed: int
) -> Iterator[tuple[str, ConeProblem]]:
    """What steps of a motion solved, warm and cold by turns; thrown anew when it has come to rest."""
    rng = np.random.default_rng(seed)
    found = 0
    while found < count:
        unit = q.copy()
        for joint in model.manifest.joints:
            if joint.kind == "free":
                turn = unit[joint.q_start + 3 : joint.q_start + 7] + 0.05 * rng.normal(size=4)
                unit[joint.q_start + 3 : joint.q_start + 7] = turn / np.linalg.norm(turn)
        sim = kg.Simulator(model, q=unit, v=0.3 * rng.normal(size=model.nv), contacts=OPTIONS, servos=servos)
        for _ in range(60):
            sim.step(every)
            if not len(sim.contacts) or found >= count:
                continue
            kept, warm = sim.save(), bool(rng.integers(2))
            cold = kg.Simulator(model, q=sim.q, v=sim.v, contacts=OPTIONS, servos=servos)
            (sim if warm else cold).step()
            yield "warm" if warm else "cold", motion_of(sim if warm else cold).stepper.contact_state.problem()
            sim.restore(kept)
            found += 1


def measured(problem: ConeProblem) -> list[float]:
    """One number for each of MEASURES, all at least 1e-16."""
    f, near, exact = problem.f, polish(problem, problem.f), solve_exactly(problem)
    v = problem.velocity(f)
    cone = problem.kind[0::3] == 1
    size = max(float(np.abs(f).max()), 1e-12)
    slip = np.hypot(f[1::3], f[2::3])[cone]
    numbers = [
        problem.residual(f),
        float(np.abs(problem.K @ (f - near)).max()) if problem.residual(near) < 1e-9 else np.nan,
        float(np.abs(problem.K @ (f - exact)).max()),
        float(np.abs(f - near).max()) / size if problem.residual(near) < 1e-9 else np.nan,
        float((slip - problem.bound[cone] * f[0::3][cone]).max(initial=0.0)) / size,
        float(-v[0::3][cone].min(initial=0.0)),
        float(np.abs(f[0::3] * v[0::3])[cone].max(initial=0.0)) / size,
    ]
    return [max(x, 1e-16) if np.isfinite(x) else x for x in numbers]


def table(title: str, rows: Array) -> Table:
    shown = Table("", *(f"{q:.0%}" if q < 1 else "worst" for q in QUANTILES), title=title)
    for name, column in zip(MEASURES, np.array(rows).T, strict=True):
        shown.add_row(name, *(f"{x:.1e}" for x in np.nanquantile(column, QUANTILES)))
    return shown


def plot(results: dict[str, list[list[float]]], file: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), sharey=True, layout="constrained")
    for ax, number in zip(axes, (0, 1, 2), strict=True):
        for start, rows in results.items():
            values = np.sort(np.array(rows)[:, number])
            values = values[np.isfinite(values)]
            ax.semilogx(values, np.linspace(0.0, 1.0, values.size), label=start)
        ax.set_title(list(MEASURES)[number], fontsize=10)
        ax.axvline(OPTIONS.tolerance, color="0.7", lw=0.8)
        ax.set_xlim(1e-12, 1)
    axes[0].set_ylabel("part of the problems")
    axes[0].legend()
    figure.savefig(file, dpi=110)


def main(
    problems: Annotated[int, typer.Option(help="of all scenes together")] = 1000,
    figure: Annotated[Path | None, typer.Option("--plot", help="picture of the distributions")] = None,
) -> None:
    """Prints a table for warm and one for cold starts."""
    free = [(boxes(6), 12), (boxes(14), 25), (arm_on_stops(), 12), (talos(), 5)]
    scenes: list[tuple[kg.Model, Array, Mapping[str, kg.Servo], int]] = [(*scene, {}, every) for scene, every in free]
    scenes.append((*go2(), 5))
    results: dict[str, list[list[float]]] = {"warm": [], "cold": []}
    failed, skipped = 0, 0
    for seed, (model, q, servos, every) in enumerate(scenes):
        for start, problem in drawn(model, q, servos, problems // len(scenes), every, seed):
            try:
                results[start].append(measured(problem))
            except kg.ModelError:
                failed += 1
    console = Console()
    for start, rows in results.items():
        skipped += int(np.isnan(np.array(rows)[:, 1]).sum())
        console.print(table(f"{len(rows)} problems, {start} start, tolerance {OPTIONS.tolerance:g} m/s", rows))
    console.print(f"{failed} without an exact solution found, {skipped} where Newton finds none near")
    if figure:
        plot(results, figure)


if __name__ == "__main__":
    typer.run(main)
