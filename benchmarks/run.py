"""Inverse dynamics, mass matrix, forward dynamics and derivatives beside Pinocchio's C++, in one run on one core.

    python benchmarks/run.py [ROBOT ...] [--rounds N]

Both sides: best of 7 × 20000 calls over 256 random states, runs interleaved, best of N rounds. Needs Eigen's headers
(Debian: libeigen3-dev) and the `test` extra; builds Pinocchio's program once into benchmarks/out/.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from common import ours, peer
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

import kinegen as kg
from kinegen.codegen.printing.sources import Sources


@dataclass(frozen=True)
class Robot:
    file: str
    root: Literal["fixed", "free"]


ROBOTS = {
    "panda": Robot("panda_description/urdf/panda.urdf", "fixed"),
    "go2": Robot("go2_description/urdf/go2.urdf", "free"),
    "simple_humanoid": Robot("simple_humanoid_description/urdf/simple_humanoid.urdf", "free"),
    "talos_reduced": Robot("talos_data/robots/talos_reduced.urdf", "free"),
}


SHORT = ("ID", "M", "FD", "dID", "dFD")
"""What the table calls `ours.KERNELS`."""


@dataclass(frozen=True)
class Result:
    """Microseconds per kernel on both sides; operations; seconds to derive and print, and to compile."""

    robot: str
    sources: Sources
    ours: tuple[float, ...]
    pinocchio: tuple[float, ...]
    deriving: float
    compiling: float


@dataclass(frozen=True)
class Prepared:
    """Programs of both sides; seconds to derive and print, and to compile ours."""

    sources: Sources
    program: ours.Program
    binary: Path
    dumped: Path
    deriving: float
    compiling: float

    def pair(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Microseconds of each kernel, ours and Pinocchio's, one after the other."""
        return ours.measure(self.program), peer.measure(self.binary, self.dumped)


def mechanism_of(name: str) -> kg.Mechanism:
    robot = ROBOTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kg.FileWarning)
        return kg.load(peer.ROBOTS / robot.file, root=robot.root, mimic="independent")


def prepare(name: str) -> Prepared:
    start = time.perf_counter()
    sources = kg.generate(mechanism_of(name))
    derived = time.perf_counter()
    program = ours.build(sources)
    compiled = time.perf_counter()
    dumped = peer.dump(peer.ROBOTS / ROBOTS[name].file, ROBOTS[name].root == "free")
    return Prepared(sources, program, peer.build(), dumped, derived - start, compiled - derived)


def measure(name: str, rounds: int) -> Result:
    prepared = prepare(name)
    pairs = [prepared.pair() for _ in range(rounds)]
    best = [tuple(map(min, zip(*side, strict=True))) for side in zip(*pairs, strict=True)]
    return Result(name, prepared.sources, best[0], best[1], prepared.deriving, prepared.compiling)


def table(results: list[Result]) -> Table:
    shown = Table(title="µs per call, one core; ratio = Pinocchio / kinegen", box=box.SIMPLE, pad_edge=False)
    for column in ("robot", "nv", "", "route", "kinegen", "Pinocchio", "ratio", "+ × ÷", "Gflop/s"):
        shown.add_column(column, justify="left" if column in ("robot", "", "route") else "right", no_wrap=True)
    for result in results:
        manifest = result.sources.manifest
        rows = zip(ours.KERNELS, SHORT, result.ours, result.pinocchio, ours.operations(result.sources), strict=True)
        for k, (kernel, short, own, other, count) in enumerate(rows):
            first = (result.robot, str(manifest.nv)) if k == 0 else ("", "")
            figures = f"{own:.3f}", f"{other:.3f}", f"{other / own:.1f}", f"{count}", f"{count / own / 1e3:.1f}"
            shown.add_row(*first, short, manifest.kernel(kernel).route, *figures, end_section=k == len(SHORT) - 1)
    return shown


def main(
    robots: Annotated[list[str] | None, typer.Argument(help="any of: " + ", ".join(ROBOTS))] = None,
    rounds: Annotated[int, typer.Option(min=1, help="interleaved runs of each side")] = 5,
) -> None:
    """Prints one table: ID inverse dynamics, M mass matrix, FD forward dynamics, dID and dFD their derivatives."""
    console = Console(width=None if sys.stdout.isatty() else 100)
    chosen = robots or [*ROBOTS]
    if unknown := sorted(set(chosen) - set(ROBOTS)):
        raise typer.BadParameter(f"unknown robot {', '.join(unknown)}; known: {', '.join(ROBOTS)}")
    peer.needed()
    results = [measure(name, rounds) for name in track(chosen, "measuring", transient=True, console=console)]
    console.print(table(results))
    for result in results:
        console.print(
            f"{result.robot}: all kernels derived and printed in {result.deriving:.2f} s, "
            f"compiled one file after the other in {result.compiling:.1f} s"
        )


if __name__ == "__main__":
    typer.run(main)
