"""Second derivatives of inverse dynamics beside Pinocchio's C++, in one run on one core.

    python benchmarks/derivatives/second.py [ROBOT ...] [--rounds N]

Weighed: of weightsᵀτ, four matrices (nv, nv), as optimisers take them, which Pinocchio has not; of all τ: four tensors
(nv, nv, nv), zeros written each time; Pinocchio's fills the same tensors again and again, zeros already there.
Ours are called from Python with new arrays, the weighed ones for 64 states at once, the others one by one.
Microseconds a state, best of N rounds by turns. Fails where both sides differ by more than 1e-10 of the largest entry.
Needs Eigen's headers (Debian: libeigen3-dev).
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

import kinegen as kg
from kinegen.runtime.arguments import Array

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import peer
from run import ROBOTS, mechanism_of

STATES = 64


def microseconds(call: Callable[[], object]) -> float:
    """A state, best of seven."""
    call()
    times = []
    for _ in range(7):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times) / STATES * 1e6


def one_by_one(second: Callable[..., object], *states: Array) -> None:
    for state in zip(*states, strict=True):
        second(*state)


def theirs(binary: Path, model: Path, states: Array, nv: int) -> tuple[float, Array]:
    """Microseconds a state, and the tensors (4, nv, nv, nv) of the first one."""
    given, out = peer.OUT / "second_states.bin", peer.OUT / "second.bin"
    states.tofile(given)
    done = subprocess.run([binary, model, given, out], check=True, capture_output=True, text=True)
    return float(done.stdout), np.fromfile(out).reshape(4, nv, nv, nv).transpose(0, 3, 2, 1)


def measured(robot: str, rounds: int) -> tuple[int, Array]:
    """nv, and microseconds a state: weighed, of all τ, Pinocchio's."""
    model = kg.compile(mechanism_of(robot), contacts=False, progress=False)
    binary = peer.build("pinocchio_second")
    dumped = peer.dump(peer.ROBOTS / ROBOTS[robot].file, ROBOTS[robot].root == "free")
    rng = np.random.default_rng(0)
    q = model.integrate(model.q0, rng.normal(size=(STATES, model.nv)))
    v, a, weights = rng.normal(size=(3, STATES, model.nv))
    second, times = model.inverse_dynamics_second_derivatives, []
    for _ in range(rounds):
        their, tensors = theirs(binary, dumped, np.hstack([q, v, a]), model.nv)
        weighed = microseconds(lambda: second(q, v, a, weights=weights))
        times.append((weighed, microseconds(lambda: one_by_one(second, q, v, a)), their))
    off = np.abs(np.array(second(q[0], v[0], a[0])) - tensors).max() / np.abs(tensors).max()
    if off > 1e-10:
        raise SystemExit(f"{robot}: both sides differ by {off:.1e} of the largest entry")
    return model.nv, np.min(times, axis=0)


def main(
    robots: Annotated[list[str] | None, typer.Argument(help="any of: " + ", ".join(ROBOTS))] = None,
    rounds: Annotated[int, typer.Option(min=1, help="interleaved runs of each side")] = 3,
) -> None:
    """Prints one table."""
    console = Console(width=None if sys.stdout.isatty() else 100)
    shown = Table(title="second derivatives of inverse dynamics, µs a state", box=box.SIMPLE, pad_edge=False)
    for column in ("robot", "nv", "weighed", "of all τ", "Pinocchio, of all τ", "ratio"):
        shown.add_column(column, justify="left" if column == "robot" else "right", no_wrap=True)
    for robot in track(robots or [*ROBOTS], "measuring", transient=True, console=console):
        if robot not in ROBOTS:
            raise typer.BadParameter(f"unknown robot {robot}; known: {', '.join(ROBOTS)}")
        nv, (weighed, whole, their) = measured(robot, rounds)
        shown.add_row(robot, str(nv), f"{weighed:.2f}", f"{whole:.1f}", f"{their:.1f}", f"{their / whole:.1f}")
    console.print(shown)


if __name__ == "__main__":
    typer.run(main)
