"""Cost of a change of structure: one switch beside one step, a thousand of them in a scene, precompiling n connections.

    python benchmarks/switching.py [--counts 1,2,4,8,16]

Times are processor time of one core, best of several repetitions; that of precompiling is what passes on the clock,
once, from an empty cache.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

import kinegen as kg


def figure_on_bars(count: int, cache: Path | None = None) -> kg.TopologyLibrary:
    """The 16-dof figure, joints damped, with `count` connections of its hands and feet to places in the world."""
    man = kg.simple_figure(name=f"figure_{count}")
    joints = [replace(j, damping=(0.0 if j.kind == "free" else 1.0,) * j.nv) for j in man.joints]
    man = replace(man, joints=tuple(joints))
    ends = ("forearm_l", "forearm_r", "shank_l", "shank_r")
    made = [
        kg.Connection(f"grip{i}", ends[i % 4], "world", kg.spherical(), pose=kg.Pose((0, 0, -0.2 - 0.02 * (i // 4))))
        for i in range(count)
    ]
    return kg.TopologyLibrary(man, made, cache=cache)


def best(action: Callable[[], object], repetitions: int = 7) -> float:
    """Least processor time [s]."""
    spent = []
    for _ in range(repetitions):
        start = time.process_time()
        action()
        spent.append(time.process_time() - start)
    return min(spent)


def switch_cost(simulator: kg.Simulator) -> tuple[float, float]:
    """(seconds of a step, seconds of a switch): the mean of connecting and cutting, Python's share included."""
    step = best(lambda: simulator.step(500)) / 500
    state = simulator.save()

    def switches() -> None:
        for _ in range(100):
            simulator.connect("grip1")
            simulator.cut("grip1")

    switch = best(switches) / 200
    simulator.restore(state)
    return step, switch


def scene(library: kg.TopologyLibrary, switches: int, active: set[str]) -> float:
    """Seconds of a scene of 20 s with this many switches at times spread over it."""

    def moved() -> None:
        simulator = kg.Simulator(library, active=active)
        for k in range(switches):
            simulator.at(0.02 * (k + 0.5), "cut" if k % 2 else "connect", "grip1")
        simulator.step(20_000)

    return best(moved, 5)


def precompiled(count: int) -> tuple[float, int]:
    """(seconds to derive, print and compile, bytes of C) of a library that was never built before."""
    with tempfile.TemporaryDirectory() as folder:
        library = figure_on_bars(count, Path(folder))
        start = time.perf_counter()
        library.precompile()
        spent = time.perf_counter() - start
        return spent, len(library.model.source)


def main(counts: Annotated[str, typer.Option(help="numbers of connections")] = "1,2,4,8,16") -> None:
    """Prints two tables."""
    console, library = Console(), figure_on_bars(16)
    table = Table(
        "active", "step [us]", "switch [us]", "steps per switch", title="one switch, figure with 16 connections"
    )
    for names in ({"grip0"}, {"grip0", "grip2"}, {"grip0", "grip2", "grip3"}):
        step, switch = switch_cost(kg.Simulator(library, active=names))
        cells = f"{1e6 * step:.1f}", f"{1e6 * switch:.1f}", f"{switch / step:.2f}"
        table.add_row(", ".join(sorted(names)), *cells)
    console.print(table)
    one, both = scene(library, 0, {"grip0"}), scene(library, 0, {"grip0", "grip1"})
    switched, held = scene(library, 1000, {"grip0"}), (one + both) / 2
    console.print(
        f"20,000 steps: one grip {one:.3f} s, two grips {both:.3f} s, 1,000 switches between the two {switched:.3f} s: "
        f"{100 * held / switched:.0f} % of the speed without"
    )
    table = Table("connections", "topologies", "precompile [s]", "per connection [s]", "C [kB]", title="precompiling")
    times = [(int(n), *precompiled(int(n))) for n in counts.split(",")]
    first = times[0]
    for n, spent, size in times:
        rate = (spent - first[1]) / (n - first[0]) if n > first[0] else np.nan
        table.add_row(str(n), str(2**n), f"{spent:.1f}", f"{rate:.2f}", f"{size / 1000:.0f}")
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
