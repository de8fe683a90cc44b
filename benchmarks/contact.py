"""Whole time steps with contact beside MuJoCo's, in one run: a robot on two feet under PD control, 1 ms.

    python benchmarks/contact.py [--points 8,16,40,80] [--steps N] [--plot FILE]

Talos (reduced) with boxes for soles, the same masses, joints, armature, poses, torques and friction on both sides, the
defaults of both. Prints the median microseconds of a step, which other work on the machine moves little, less those of
a call from Python that makes no step, for each of MuJoCo's solvers, and the points that they were solved for; also
those of 120 sweeps in every step, converged or not [P Fig. 7]. Four points: a rod under each foot.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import mujoco
import numpy as np
import typer
from common import peer
from common.mjcf import mjcf
from common.mujoco_step import seconds_of
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

import kinegen as kg
from kinegen.runtime.arguments import Array
from kinegen.runtime.simulation.simulator import motion_of

FILE = peer.ROBOTS / "talos_data/robots/talos_reduced.urdf"
FEET = ("leg_left_6_link", "leg_right_6_link")
HALF, CENTER = (0.1, 0.06, 0.02), (0.0, 0.0, -0.087)
ROD = 0.08
"""Half the length of the rod [m]."""
FRICTION, ARMATURE, STIFFNESS, DAMPING = 0.8, 0.01, 400.0, 8.0
SOLVERS = {
    "Newton, pyramid": ("Newton", 100, "pyramidal"),
    "Newton, cone": ("Newton", 100, "elliptic"),
    "PGS, cone": ("PGS", 50, "elliptic"),
}


@dataclass(frozen=True)
class Sole:
    """Half edges and centre of one of the boxes that a foot stands on."""

    half: tuple[float, float, float]
    center: tuple[float, float, float]


def soles(boxes: int) -> list[Sole]:
    """A sole cut across into so many boxes."""
    length = HALF[0] / max(boxes, 1)
    return [
        Sole((0.8 * length, *HALF[1:]), (CENTER[0] - HALF[0] + (2 * i + 1) * length, *CENTER[1:])) for i in range(boxes)
    ]


def robot(boxes: int) -> kg.Mechanism:
    """The robot without its own shapes, dampers and limits, on soles (0: on rods) and a plane."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kg.FileWarning)
        read = kg.load(FILE, root="free", mimic="independent")
    shapes = [kg.box([2 * h for h in sole.half], pose=kg.Pose(sole.center), friction=FRICTION) for sole in soles(boxes)]
    if not boxes:
        lying = kg.Pose(CENTER, (0.0, np.pi / 2, 0.0))
        shapes = [kg.capsule(HALF[2], 2 * ROD, pose=lying, friction=FRICTION)]
    links = [
        kg.Link(link.name, link.mass, link.com, link.inertia, shapes=shapes if link.name in FEET else [])
        for link in read.links
    ]
    joints = [plain(joint) if joint.nv == 1 else joint for joint in read.joints]
    ground = [kg.plane(friction=FRICTION)]
    return kg.Mechanism("standing", links, joints, shapes=ground, unphysical="allow")


def plain(joint: kg.Joint) -> kg.Joint:
    """A joint with a rotor, without dampers, dry friction and limits."""
    return replace(joint, damping=(0.0,), friction=(0.0,), armature=(ARMATURE,), limits=None)


def start(model: kg.Model) -> Array:
    """Upright, the soles on the ground."""
    q = model.neutral()
    feet = [model.link_names.index(foot) for foot in FEET]
    q[2] -= model.link_poses(q)[feet, 2, 3].min() + CENTER[2] - HALF[2]
    return q


def ours(mechanism: kg.Mechanism, steps: int, options: kg.ContactOptions | None = None) -> tuple[float, int, float]:
    """Median µs of a step, points of contact, mean sweeps."""
    model = kg.compile(mechanism)
    simulator = kg.Simulator(model, q=start(model), contacts=options)
    stepper, tau = motion_of(simulator).stepper, np.zeros(model.nv)
    q, v = simulator.q.copy(), simulator.v.copy()
    stepper.advance(q, v, tau, 1)
    motion = stepper._simulation
    stepper._prepare(q, v, tau, 1, 0)
    motion.log_every, contacts = 0, motion.contacts

    def call(n: int) -> float:
        motion.steps = n
        begun = time.perf_counter()
        stepper._simulate(motion)
        return time.perf_counter() - begun

    rest, spent, sweeps = start(model)[7:], [], []
    for _ in range(steps):
        tau[6:] = -STIFFNESS * (q[7:] - rest) - DAMPING * v[6:]
        spent.append(call(1))
        sweeps.append(contacts.sweeps)
    return _net(spent, [call(0) for _ in range(2000)]), contacts.count, float(np.mean(sweeps))


def _net(spent: list[float], empty: list[float]) -> float:
    """Median µs of a step, less that of a call from Python that makes none."""
    return float(np.median(spent) - np.median(empty)) * 1e6


def theirs(mechanism: kg.Mechanism, solver: str, steps: int) -> tuple[float, int]:
    """Median µs of mj_step and points of contact."""
    model = mujoco.MjModel.from_xml_string(mjcf(mechanism, *SOLVERS[solver]))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    feet = [model.body(foot).id for foot in FEET]
    data.qpos[2] -= min(data.xpos[foot][2] for foot in feet) + CENTER[2] - HALF[2]
    rest, spent = data.qpos[7:].copy(), []
    for _ in range(steps):
        data.qfrc_applied[6:] = -STIFFNESS * (data.qpos[7:] - rest) - DAMPING * data.qvel[6:]
        spent.append(seconds_of(model, data, 1))
    return _net(spent, [seconds_of(model, data, 0) for _ in range(2000)]), int(data.ncon)


def main(
    points: Annotated[str, typer.Option(help="numbers of contact points: 4, multiples of eight")] = "8,16,40,80",
    steps: Annotated[int, typer.Option(help="steps of a millisecond in each run")] = 1000,
    plot: Annotated[Path | None, typer.Option(help="picture of it, .png")] = None,
) -> None:
    """Prints one table, and draws it if asked."""
    title = f"{FILE.stem} on two feet: median µs of a step of 1 ms"
    columns = "points", "sweeps", "kinegen", "kinegen, 120 sweeps", *SOLVERS, "best of MuJoCo / kinegen"
    table, curves = Table(*columns, title=title), []
    for number in map(int, points.split(",")):
        mechanism = robot(number // 8)
        own, found, sweeps = ours(mechanism, steps)
        full, *_ = ours(mechanism, steps, kg.ContactOptions(tolerance=0.0, sweeps=120))
        runs = [theirs(mechanism, solver, steps) for solver in SOLVERS]
        best = min(spent for spent, _ in runs)
        cells = [f"{spent:.1f} ({count})" for spent, count in runs]
        table.add_row(str(found), f"{sweeps:.1f}", f"{own:.2f}", f"{full:.1f}", *cells, f"{best / own:.1f}")
        curves.append((found, own, full, best))
    Console(width=None if sys.stdout.isatty() else 130).print(table)
    if plot is not None:
        _plot(np.array(curves), plot)


def _plot(curves: Array, path: Path) -> None:
    """Time of a step over points of contact [P Fig. 7]; curves (n, 4): points, ours, 120 sweeps, best of MuJoCo."""
    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.subplots()
    names = "kinegen", "kinegen, 120 sweeps in every step", "best of MuJoCo's solvers"
    for k, name in enumerate(names):
        axes.plot(curves[:, 0], curves[:, k + 1], "o-", label=name)
    axes.set_xlabel("points of contact")
    axes.set_ylabel("time of a step [µs]")
    axes.set_title(f"{FILE.stem} on two feet, 1 ms")
    axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    typer.run(main)
