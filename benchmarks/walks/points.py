"""Time of a step over the points of contact of a walk, beside MuJoCo on the same pattern [P Fig. 7].

    python benchmarks/walks/points.py [--steps N] [--boxes 1,2,5] [--plot FILE]

Talos (reduced) walks over N steps by the torques of one pattern and servos towards it, 1 ms, semi-implicit steps on
both sides, soles cut into boxes of four points each. Prints for every number of points the median microseconds of a
step and how many steps had so many: of kinegen in twenty steps of one call, what the call from Python takes included,
of MuJoCo less an empty call, for each of its solvers; and how far from the pattern each walk ends.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import mujoco
import numpy as np
import typer
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

import kinegen as kg
from kinegen.runtime.arguments import Array

sys.path.insert(0, str(Path(__file__).parents[1]))
from common.mjcf import mjcf
from common.mujoco_step import seconds_of
from contact import FEET, SOLVERS, robot  # the robot of benchmarks/contact.py

KP, KD, ARMATURE = 5e3, 100.0, 0.1
BEND = {"3": -0.45, "4": 0.9, "5": -0.45}
"""Hip, knee and ankle of both legs where the search for the stance begins [rad]."""
CHUNK = 20
"""Steps of kinegen in one call; those whose contacts change in between are left out."""
LEAST = 500
"""Steps with a number of points, for which it is told."""


def walker(boxes: int) -> kg.Mechanism:
    """Talos on soles of so many boxes, with the rotors of its motors."""
    made = robot(boxes)
    joints = [replace(joint, armature=(ARMATURE,)) if joint.nv == 1 else joint for joint in made.joints]
    return replace(made, joints=tuple(joints))


def pattern_of(model: kg.Model, mechanism: kg.Mechanism, steps: int) -> kg.WalkingPattern:
    q0 = model.q0
    for side in ("left", "right"):
        for number, angle in BEND.items():
            q0[model.q_slice(f"leg_{side}_{number}_joint")] = angle
    way = kg.footsteps(steps, length=0.15, width=0.17, turn=0.05)
    height = 0.95 * float(model.com(q0)[2] - min(model.frame_pose(q0, foot)[2, 3] for foot in FEET) + 0.107)
    return kg.walking_pattern(model, mechanism, FEET, way, q0=q0, height=height)


def ours(model: kg.Model, pattern: kg.WalkingPattern) -> tuple[Array, Array, Array]:
    """Points (k) and µs of a step (k), place of the base at the end (3)."""
    q, v = pattern.start(model)
    given = {"servos": pattern.servos(KP, KD), "tau": pattern.torques(model)}
    simulator = kg.Simulator(model, dt=pattern.dt, q=q, v=v, **given)
    points, spent = [], []
    for _ in range(len(pattern.t) // CHUNK):
        before = len(simulator.contacts)
        begun = time.perf_counter()
        simulator.step(CHUNK)
        lasted = time.perf_counter() - begun
        if len(simulator.contacts) == before:
            points.append(before)
            spent.append(1e6 * lasted / CHUNK)
    return np.repeat(points, CHUNK), np.repeat(spent, CHUNK), simulator.q[:3]


def theirs(mechanism: kg.Mechanism, pattern: kg.WalkingPattern, solver: str) -> tuple[Array, Array, Array]:
    """The same of MuJoCo: actuators with a position and a velocity gain, implicit dampers."""
    names = [joint.name for joint in pattern.model.manifest.joints if joint.nq == joint.nv]
    servos = [(name, KP, KD) for name in names]
    text = mjcf(mechanism, *SOLVERS[solver], integrator="implicitfast", servos=servos)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    places = [pattern.model.q_slice(name).start for name in names]
    rates = [pattern.model.v_slice(name).start for name in names]
    data.qpos[:3], data.qpos[3:7] = pattern.q[0, :3], pattern.q[0, [6, 3, 4, 5]]
    for name, place in zip(names, places, strict=True):
        data.joint(name).qpos[0] = pattern.q[0, place]
    points, spent = [], []
    for q, v, tau in zip(pattern.q, pattern.v, pattern.tau, strict=True):
        data.ctrl[:] = q[places] + KD / KP * v[rates] + tau[rates] / KP
        spent.append(seconds_of(model, data, 1))
        points.append(data.ncon)
    empty = np.median([seconds_of(model, data, 0) for _ in range(2000)])
    return np.array(points), 1e6 * (np.array(spent) - empty), np.array(data.qpos[:3])


def medians(points: Array, spent: Array) -> dict[int, tuple[float, int]]:
    """Number of points → (median µs, steps), of those with `LEAST` steps."""
    counts = {int(n): spent[points == n] for n in np.unique(points)}
    return {n: (float(np.median(x)), len(x)) for n, x in counts.items() if len(x) >= LEAST}


def main(
    steps: Annotated[int, typer.Option(help="of the walk")] = 6,
    boxes: Annotated[str, typer.Option(help="boxes of a sole, four points each")] = "1,2,5",
    plot: Annotated[Path | None, typer.Option(help="picture of it, .png")] = None,
) -> None:
    """Prints one table, and draws it if asked."""
    console = Console(width=None if sys.stdout.isatty() else 130)
    table = Table(
        "boxes of a sole", "points", "kinegen", *SOLVERS, title=f"Talos walks {steps} steps: median µs of a step"
    )
    curves: dict[str, list[tuple[int, float]]] = {}
    for number in map(int, boxes.split(",")):
        mechanism = walker(number)
        model = kg.compile(mechanism)
        pattern = pattern_of(model, mechanism, steps)
        runs = {"kinegen": ours(model, pattern)} | {name: theirs(mechanism, pattern, name) for name in SOLVERS}
        found = {name: medians(points, spent) for name, (points, spent, _) in runs.items()}
        for n in sorted(set().union(*found.values())):
            told = [found[name].get(n) for name in runs]
            table.add_row(str(number), str(n), *(f"{x[0]:.1f} ({x[1]})" if x else "" for x in told))
        for name in runs:
            curves.setdefault(name, []).extend((n, median) for n, (median, _) in found[name].items())
        ends = ", ".join(f"{name} {1e3 * np.linalg.norm(x[2] - pattern.q[-1, :3]):.0f}" for name, x in runs.items())
        console.print(f"{number} boxes: mm from the pattern at the end: {ends}")
    console.print(table)
    if plot is not None:
        _plot(curves, plot)


def _plot(curves: dict[str, list[tuple[int, float]]], path: Path) -> None:
    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for (name, curve), marker in zip(curves.items(), "os^D", strict=True):
        title = name if name == "kinegen" else f"MuJoCo, {name}"
        axes.plot(*np.array(sorted(curve)).T, marker=marker, markersize=4.0, linewidth=1.0, label=title)
    axes.set_xlabel("points of contact")
    axes.set_ylabel("time of a step [µs]")
    axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    axes.set_title("Talos walks, 1 ms a step", fontsize="medium")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    typer.run(main)
