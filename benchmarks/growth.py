"""Chains of n links, or rows of n loops: how derivation time, text size and cost of the kernels grow with n.

    python benchmarks/growth.py [--floating/--fixed]
    python benchmarks/growth.py --loops

Prints the figures with exponents fitted by least squares in log-log, and writes benchmarks/out/growth.png. Of loops
(parallelograms, each on the coupler of the one before) also forward dynamics and a time step, in C on one core.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import matplotlib
import numpy as np
import typer
from common.ours import STATES
from common.peer import OUT
from rich.console import Console
from rich.progress import track
from rich.table import Table

import kinegen as kg

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.mechanisms.linkages import leaning, parallelograms

matplotlib.use("Agg")
from matplotlib import pyplot

SIZES = (10, 20, 40, 80)
LOOPS = (4, 8, 16, 32, 64)
REPETITIONS = 3


@dataclass(frozen=True)
class Growth:
    """Of one chain: seconds to derive and print (the best of three), characters of C, operations of ID, M and FD."""

    seconds: float
    characters: float
    inverse: float
    mass: float
    forward: float


MEASURES = {
    "seconds": "all kernels derived and printed [s]",
    "characters": "characters of C",
    "inverse": "ID operations",
    "mass": "M operations",
    "forward": "FD operations",
}


def chain(n: int, floating: bool) -> kg.Mechanism:
    """n rods, hinges about x, y, z in turn, each a little skewed; the first one hangs on world or floats."""
    inertia = kg.inertia.rod(1.0, 0.2)
    links = [kg.Link(f"link{i}", mass=1.0, com=(0.1, 0.01, 0), inertia=inertia) for i in range(n)]
    joints = [
        kg.Joint(
            f"joint{i}",
            "free" if floating and i == 0 else "revolute",
            parent=f"link{i - 1}" if i else "world",
            child=f"link{i}",
            origin=kg.Pose((0.2, 0, 0) if i else (0, 0, 0), rpy=(0.1, 0, 0)),
            axis=None if floating and i == 0 else tuple(float(k == i % 3) for k in range(3)),
        )
        for i in range(n)
    ]
    return kg.Mechanism(f"chain{n}", links, joints)


def grow(n: int, floating: bool) -> Growth:
    mechanism, times = chain(n, floating), []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        sources = kg.generate(mechanism)
        times.append(time.perf_counter() - start)
    names = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
    counts = [sources.manifest.kernel(name).operations for name in names]
    totals = [sum(count.get(k, 0) for k in ("mul", "add", "div")) for count in counts]
    return Growth(min(times), sum(map(len, sources.files.values())), *totals)


@dataclass(frozen=True)
class LoopGrowth:
    """Of one row of loops: process time to derive and print, characters of C, microseconds of forward dynamics (a state
    of a batch) and of a semi-implicit step (the best of several)."""

    seconds: float
    characters: float
    forward: float
    step: float


LOOP_MEASURES = {
    "seconds": "all kernels derived and printed [s]",
    "characters": "characters of C",
    "forward": "forward dynamics [us]",
    "step": "time step [us]",
}


def grow_loops(n: int) -> LoopGrowth:
    mechanism, rng = parallelograms(n), np.random.default_rng(0)
    start = time.process_time()
    sources = kg.generate(mechanism)
    seconds = time.process_time() - start
    model = kg.compile(mechanism)
    q = np.array([leaning(mechanism, rng.uniform(-0.4, 0.4, n)) for _ in range(STATES)])
    still = np.zeros((STATES, model.nv))
    simulator = kg.Simulator(model, dt=1e-3, q=q[0])
    forward, step = [], []
    for _ in range(5 * REPETITIONS):
        start = time.perf_counter()
        model.forward_dynamics(q, still, still)
        middle = time.perf_counter()
        simulator.step(20)
        forward.append((middle - start) / STATES)
        step.append((time.perf_counter() - middle) / 20)
    return LoopGrowth(seconds, sum(map(len, sources.files.values())), min(forward) * 1e6, min(step) * 1e6)


def exponent(sizes: tuple[int, ...], values: list[float]) -> float:
    """The slope of log value over log n."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def main(floating: Annotated[bool, typer.Option("--floating/--fixed")] = True, loops: bool = False) -> None:
    """Prints the table and writes the plot."""
    console = Console()
    sizes, what, measures = (LOOPS, "loops", LOOP_MEASURES) if loops else (SIZES, "links", MEASURES)
    grow(4, floating)  # imports are no part of it
    tracked = track(sizes, "deriving", transient=True, console=console)
    found = [grow_loops(n) if loops else grow(n, floating) for n in tracked]
    table = Table("", *(f"n = {n}" for n in sizes), "exponent", title=f"growth with the number of {what}")
    figure, axes = pyplot.subplots(figsize=(7, 5))
    for key, label in measures.items():
        values = [float(getattr(growth, key)) for growth in found]
        power = exponent(sizes, values)
        table.add_row(label, *(f"{value:.4g}" for value in values), f"{power:.2f}")
        axes.loglog(sizes, np.array(values) / values[0], "o-", label=f"{label}: n^{power:.2f}")
    axes.loglog(sizes, np.array(sizes) / sizes[0], "k:", label="linear")
    axes.set(xlabel=what, ylabel=f"relative to {sizes[0]} {what}", xticks=sizes, xticklabels=sizes)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    OUT.mkdir(exist_ok=True)
    figure.savefig(OUT / "growth.png", dpi=150, bbox_inches="tight")
    console.print(table)
    console.print(f"plot: {OUT / 'growth.png'}")


if __name__ == "__main__":
    typer.run(main)
