"""Chains of n links: how derivation time, text size and operation counts of the kernels grow with n.

    python benchmarks/growth.py [--floating/--fixed]

Prints the figures with exponents fitted by least squares in log-log, and writes benchmarks/out/growth.png.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

import matplotlib
import numpy as np
import typer
from common.peer import OUT
from rich.console import Console
from rich.progress import track
from rich.table import Table

import kinegen as kg

matplotlib.use("Agg")
from matplotlib import pyplot

SIZES = (10, 20, 40, 80)
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


def exponent(values: list[float]) -> float:
    """The slope of log value over log n."""
    return float(np.polyfit(np.log(SIZES), np.log(values), 1)[0])


def main(floating: Annotated[bool, typer.Option("--floating/--fixed")] = True) -> None:
    """Prints the table and writes the plot."""
    console = Console()
    grow(4, floating)  # imports are no part of it
    found = [grow(n, floating) for n in track(SIZES, "deriving", transient=True, console=console)]
    table = Table("", *(f"n = {n}" for n in SIZES), "exponent", title="growth with the number of links")
    figure, axes = pyplot.subplots(figsize=(7, 5))
    for key, label in MEASURES.items():
        values = [float(getattr(growth, key)) for growth in found]
        table.add_row(label, *(f"{value:.4g}" for value in values), f"{exponent(values):.2f}")
        axes.loglog(SIZES, np.array(values) / values[0], "o-", label=f"{label}: n^{exponent(values):.2f}")
    axes.loglog(SIZES, np.array(SIZES) / SIZES[0], "k:", label="linear")
    axes.set(xlabel="links", ylabel=f"relative to {SIZES[0]} links", xticks=SIZES, xticklabels=SIZES)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    OUT.mkdir(exist_ok=True)
    figure.savefig(OUT / "growth.png", dpi=150, bbox_inches="tight")
    console.print(table)
    console.print(f"plot: {OUT / 'growth.png'}")


if __name__ == "__main__":
    typer.run(main)
