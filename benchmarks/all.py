"""Everything beside its peers, in one run: a table and a picture of the ratios, with their spread.

    python benchmarks/all.py [--robots talos_reduced,panda] [--rounds N] [--threads N]

Kernels for one state and in batches beside Pinocchio's C++ and CasADi's C, steps with contact and rollouts beside
MuJoCo, a motion found by IPOPT with the bridge's C beside Pinocchio's in CasADi. Both sides are measured by turns,
`--rounds` times; a ratio is that of one round, and the median of the rounds is shown between the least and the largest.
Writes out/all.md and out/all.png. Growth with bodies and loops: growth.py; closed mechanisms: closed.py; calls from
Python: calls.py; switching: switching.py; walks: walking.py; more of optimal motions: bridges/optimal.py.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

import batches
import contact
import rollouts
import run
import typer
from bridges import optimal
from common import batch_timing, casadi_c, ours, peer
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

import kinegen as kg

STATES = 512
ROWS, STEPS = 64, 200
ROLLED = ("arm", "arm, servos", "talos stands", "go2 trots")
KNOTS = 25


@dataclass(frozen=True)
class Compared:
    """One piece of work on both sides: microseconds of each round; operations, and their share of the peak."""

    work: str
    peer: str
    own: tuple[float, ...]
    other: tuple[float, ...]
    operations: int = 0
    share: float = 0.0

    @property
    def ratios(self) -> list[float]:
        return [theirs / mine for mine, theirs in zip(self.own, self.other, strict=True)]


def kernels(name: str, rounds: int) -> Iterator[Compared]:
    """One state at a time, beside Pinocchio and CasADi."""
    prepared = run.prepare(name)
    casadi = casadi_c.build(run.mechanism_of(name), prepared.program.states)
    pairs, printed = [], []
    for _ in range(rounds):
        pairs.append(prepared.pair())
        printed.append(ours.measure(casadi))
    own, other = (tuple(zip(*side, strict=True)) for side in zip(*pairs, strict=True))
    for k, (short, count) in enumerate(zip(run.SHORT, ours.operations(prepared.sources), strict=True)):
        straight = count if short in ("ID", "M", "FD") else 0
        yield Compared(f"{name}: {short}", "Pinocchio", own[k], other[k], straight)
    for k, columns in enumerate(zip(*printed, strict=True)):
        yield Compared(f"{name}: {run.SHORT[k]}", "CasADi's C", own[k], columns)


def lanes(name: str, rounds: int) -> Iterator[Compared]:
    """A state of a batch, the better of both layouts."""
    manifest, pair = batches.prepare(name, STATES)
    pairs = [pair() for _ in range(rounds)]
    for kernel in batch_timing.KERNELS:
        own = tuple(min(found[f"{kernel} {kind}"] for kind in batch_timing.KINDS[1:]) for found, _ in pairs)
        other = tuple(theirs[batches.PEER[kernel]] for _, theirs in pairs)
        count, peak = batches.flops(manifest, kernel, batches.SINES["float64"]), max(pair[0]["peak"] for pair in pairs)
        title = f"{name}: {kernel.replace('_', ' ')}, a state of {STATES}"
        yield Compared(title, "Pinocchio", own, other, count, count / min(own) / 1e3 / peak)


def standing(points: int, rounds: int) -> Compared:
    """A step of Talos on so many points, beside the best of MuJoCo's solvers."""
    mechanism = contact.robot(points // 8)
    own, other = [], []
    for _ in range(rounds):
        own.append(contact.ours(mechanism, 600)[0])
        other.append(min(contact.theirs(mechanism, solver, 600)[0] for solver in contact.SOLVERS))
    return Compared(f"talos: a step on {points} points", "MuJoCo", tuple(own), tuple(other))


def many(rounds: int, threads: int) -> Iterator[Compared]:
    """A step of a rollout."""
    for name in ROLLED:
        mine, theirs = rollouts.CASES[name](ROWS, STEPS, threads)
        times = [(rollouts.seconds(mine), rollouts.seconds(theirs)) for _ in range(rounds)]
        own, other = (tuple(x / (ROWS * STEPS) * 1e6 for x in side) for side in zip(*times, strict=True))
        yield Compared(f"{name}, a step of {ROWS} rollouts, {threads} threads", "MuJoCo", own, other)


def by_ipopt(rounds: int) -> Iterator[Compared]:
    """Panda's motion of least effort, beside Pinocchio's expressions in CasADi and CasADi's C of them."""
    mechanism = run.mechanism_of("panda")
    model, exact = kg.compile(mechanism, contacts=False), optimal.exact(mechanism)
    own = optimal.solver(exact[optimal.OWN], model, None, KNOTS)
    duration = optimal.LONGER * float(own().plan.t[-1])
    solvers = {name: optimal.solver(side, model, duration, KNOTS) for name, side in exact.items()}
    for solve in solvers.values():
        solve()
    times = [{name: solve().seconds * 1e6 for name, solve in solvers.items()} for _ in range(rounds)]
    spent = {name: tuple(each[name] for each in times) for name in solvers}
    for name in ("Pinocchio's SX", "Pinocchio's SX, CasADi's C"):
        yield Compared("panda: motion of least effort by IPOPT", name, spent[optimal.OWN], spent[name])


def machine() -> str:
    """Processor and compiler."""
    names = [line.partition(":")[2] for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    found = ours.find_toolchain()
    return f"{(names or [platform.machine()])[0].strip()}, {found.name} {' '.join(found.architecture)}"


def table(found: list[Compared]) -> str:
    """Markdown."""
    head = "| work | kinegen [µs] | peer | its [µs] | ratio | from | to | operations | of peak |"
    lines = [head, "|---|---|---|---|---|---|---|---|---|"]
    for row in found:
        ratios, count, share = row.ratios, row.operations or "", f"{row.share:.0%}" if row.share else ""
        cells = [row.work, f"{min(row.own):.3g}", row.peer, f"{min(row.other):.3g}", f"{median(ratios):.1f}"]
        lines.append(f"| {' | '.join([*cells, f'{min(ratios):.1f}', f'{max(ratios):.1f}'])} | {count} | {share} |")
    return "\n".join(lines) + "\n"


def plot(found: list[Compared], path: Path, title: str) -> None:
    """Bars of the ratios on a logarithmic axis, with their spread."""
    figure = Figure(figsize=(9.0, 1.0 + 0.28 * len(found)), layout="constrained")
    axes = figure.subplots()
    peers = list(dict.fromkeys(row.peer for row in found))
    for k, row in enumerate(reversed(found)):
        ratios = row.ratios
        middle = median(ratios)
        spread = [[middle - min(ratios)], [max(ratios) - middle]]
        axes.barh(k, middle, color=f"C{peers.index(row.peer)}", xerr=spread, error_kw={"lw": 1.0})
    axes.set_yticks(range(len(found)), [f"{row.work} / {row.peer}" for row in reversed(found)], fontsize=8)
    axes.set_xscale("log")
    axes.axvline(1.0, color="k", lw=0.8)
    axes.set_xlabel("times as fast as the peer")
    axes.set_title(title, fontsize=9)
    axes.grid(axis="x", which="both", alpha=0.3)
    figure.savefig(path, dpi=110)


def main(
    robots: Annotated[str, typer.Option(help="any of: " + ", ".join(run.ROBOTS))] = "talos_reduced,panda",
    rounds: Annotated[int, typer.Option(min=1, help="turns of each side")] = 5,
    threads: Annotated[int, typer.Option(min=1, help="of rollouts")] = len(os.sched_getaffinity(0)),
) -> None:
    """Prints the table, and writes it with the picture."""
    console, chosen, found = Console(), robots.split(","), list[Compared]()
    if unknown := sorted(set(chosen) - set(run.ROBOTS)):
        raise typer.BadParameter(f"unknown robot {', '.join(unknown)}; known: {', '.join(run.ROBOTS)}")
    with console.status("measuring") as status:
        for name in chosen:
            status.update(f"measuring {name}")
            found += [*kernels(name, rounds), *lanes(name, rounds)]
        status.update("measuring steps")
        found += [standing(points, rounds) for points in (8, 80)]
        found += many(rounds, threads)
        status.update("measuring optimal motions")
        found += by_ipopt(rounds)
    text, title = table(found), f"{machine()}; {rounds} rounds"
    peer.OUT.mkdir(exist_ok=True)
    (peer.OUT / "all.md").write_text(f"{title}\n\n{text}", encoding="utf-8")
    plot(found, peer.OUT / "all.png", title)
    shown = Table(*(cell.strip() for cell in text.splitlines()[0].strip("|").split("|")), title=title)
    for line in text.splitlines()[2:]:
        shown.add_row(*(cell.strip() for cell in line.strip("|").split("|")))
    console.print(shown)
    console.print(f"written: {peer.OUT / 'all.md'}, {peer.OUT / 'all.png'}")


if __name__ == "__main__":
    typer.run(main)
