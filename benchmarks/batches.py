"""Batches: a loop in C over states, lanes with states or entries one after the other, beside Pinocchio's C++.

    python benchmarks/batches.py [ROBOT ...] [--rounds N] [--states N] [--single]

Microseconds a state on one core, best of 200 repetitions, both sides interleaved, best of N rounds. The share of the
floating-point peak counts products, sums and divisions of the kernel, those of its sines among them, and beside it
without these; the peak is that of products with sums in independent chains, measured in the same run. With --single
a second row of each kernel has the times of floats, whose ratio is that of doubles to floats. Needs what
benchmarks/run.py needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import prod
from typing import Annotated

import typer
from common import batch_timing, ours, peer
from rich import box
from rich.console import Console
from rich.table import Table
from run import ROBOTS, mechanism_of

import kinegen as kg
from kinegen.codegen.printing.selection import Selection
from kinegen.runtime.abi import Manifest

TARGETS = {"inverse_dynamics": 65, "mass_matrix_packed": 35, "forward_dynamics": 65}
SINES = {"float64": 38, "float32": 26}
"""Products and sums of a sine with its cosine (runtime/c/linear/sincos.h): 9 for the remainder, 1 for its square, 20 or
8 for both polynomials, 8 for what is made of them."""
PEER = {"inverse_dynamics": 0, "mass_matrix": 1, "mass_matrix_packed": 1, "forward_dynamics": 2}


Pair = tuple[dict[str, float], tuple[float, ...]]


def program_of(name: str, states: int, dtype: str = "float64") -> tuple[Manifest, ours.Program]:
    """The manifest and the timing program of a robot."""
    selection = Selection(batch_timing.KERNELS, lanes=True, dtype=dtype)
    sources = kg.generate(mechanism_of(name), selection=selection)
    sizes = {kernel: prod(sources.manifest.kernel(kernel).outputs[0].shape) for kernel in batch_timing.KERNELS}
    driver = batch_timing.driver(sizes, dtype == "float32")
    return sources.manifest, ours.build(sources, driver, states, f"batches_{dtype}")


def prepare(name: str, states: int) -> tuple[Manifest, Callable[[], Pair]]:
    """The manifest, and what times both sides one after the other: ours by kernel and kind, Pinocchio's."""
    manifest, program = program_of(name, states)
    binary, dumped = peer.build(), peer.dump(peer.ROBOTS / ROBOTS[name].file, ROBOTS[name].root == "free")
    return manifest, lambda: (batch_timing.measure(program), peer.measure(binary, dumped))


def measure(
    name: str, rounds: int, states: int, single: bool = False
) -> tuple[Manifest, dict[str, float], tuple[float, ...], dict[str, float]]:
    """The manifest, our times by kernel and kind, Pinocchio's, ours of floats (none if not `single`); the best of all
    rounds."""
    manifest, pair = prepare(name, states)
    floats = program_of(name, states, "float32")[1] if single else None
    turns = [(*pair(), batch_timing.measure(floats) if floats else {}) for _ in range(rounds)]
    peers = tuple(min(times) for times in zip(*(found for _, found, _ in turns), strict=True))
    return manifest, _best([own for own, _, _ in turns]), peers, _best([found for _, _, found in turns])


def _best(turns: list[dict[str, float]]) -> dict[str, float]:
    return {key: (max if key == "peak" else min)(found[key] for found in turns) for key in turns[0]}


def flops(manifest: Manifest, kernel: str, sine: int = 0) -> int:
    """Products, sums and divisions of a kernel; `sine`: those of a sine with its cosine."""
    counts = manifest.kernel(kernel).operations
    return sum(counts.get(part, 0) for part in ("mul", "add", "div")) + sine * counts.get("sincos", 0)


def rows(
    table: Table,
    name: str,
    manifest: Manifest,
    own: dict[str, float],
    pinocchio: tuple[float, ...],
    floats: dict[str, float],
) -> None:
    for k, kernel in enumerate(batch_timing.KERNELS):
        plain, count = flops(manifest, kernel), flops(manifest, kernel, SINES["float64"])
        times = [own[f"{kernel} {kind}"] for kind in batch_timing.KINDS]
        best, other = min(times[1:]), pinocchio[PEER[kernel]]
        table.add_row(
            name if k == 0 else "",
            kernel,
            *(f"{time:.4f}" for time in times),
            f"{other:.3f}",
            f"{other / best:.1f}",
            str(TARGETS.get(kernel, "")) if "talos" in name else "",
            f"{count / best / 1e3:.0f}",
            f"{count / best / 1e3 / own['peak']:.0%}",
            f"{plain / best / 1e3 / own['peak']:.0%}",
            end_section=k == len(batch_timing.KERNELS) - 1 and not floats,
        )
        if floats:
            of_floats = [floats[f"{kernel} {kind}"] for kind in batch_timing.KINDS]
            least = min(of_floats[1:])
            rates = [x / least / 1e3 for x in (flops(manifest, kernel, SINES["float32"]), plain)]
            told = (*(f"{time:.4f}" for time in of_floats), "", f"{best / least:.2f}", "", f"{rates[0]:.0f}")
            end = k == len(batch_timing.KERNELS) - 1
            table.add_row("", "  floats", *told, *(f"{x / floats['peak']:.0%}" for x in rates), end_section=end)
        if f"{kernel} differs" in own:
            table.add_row("", "lanes differ from the loop in the last bits")


def main(
    robots: Annotated[list[str] | None, typer.Argument(help="any of: " + ", ".join(ROBOTS))] = None,
    rounds: Annotated[int, typer.Option(min=1, help="interleaved runs of each side")] = 5,
    states: Annotated[int, typer.Option(min=8, help="states of a batch")] = 512,
    single: Annotated[bool, typer.Option("--single", help="beside doubles also floats, by turns")] = False,
) -> None:
    """Prints one table of times a state."""
    console = Console(width=None if sys.stdout.isatty() else 130)
    chosen = robots or [*ROBOTS]
    if unknown := sorted(set(chosen) - set(ROBOTS)):
        raise typer.BadParameter(f"unknown robot {', '.join(unknown)}; known: {', '.join(ROBOTS)}")
    table = Table(
        title="µs a state in a batch, one core; ratio = Pinocchio / best of lanes", box=box.SIMPLE, pad_edge=False
    )
    for column in (
        "robot",
        "kernel",
        "loop",
        "lanes aos",
        "lanes soa",
        "Pinocchio",
        "ratio",
        "target",
        "Gflop/s",
        "of peak",
        "no sines",
    ):
        table.add_column(column, justify="left" if column in ("robot", "kernel") else "right", no_wrap=True)
    for name in chosen:
        rows(table, name, *measure(name, rounds, states, single))
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
