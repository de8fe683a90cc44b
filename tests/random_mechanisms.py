"""Random mechanisms, thousands of them, each held against an independent computation.

    .venv/bin/python tests/random_mechanisms.py closed --count 5000
    .venv/bin/python tests/random_mechanisms.py trees --count 10000

Mechanism number n is the same in every run with the same --seed. Exits 1 if anything is silently wrong; every such
number is printed with the line that repeats it alone.

closed: freedoms and accelerations by maximal coordinates with 60 digits, 0.1 s of motion by maximal coordinates in
doubles (support/maximal). What is closed by shape alone (parallel axes, through one point, mirrored, Bennett) is built
with 60 digits, so that dependent rows are dependent. trees: every route of every quantity against a dense reference and
maximal coordinates; of every tenth the compiled kernels as well.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from support.drawn.random_closed import closed_verdict
from support.drawn.random_trees import tree_verdict
from support.drawn.verdict import Verdict

app = typer.Typer(add_completion=False, help=__doc__)
console = Console(width=120)

Count = Annotated[int, typer.Option(help="how many mechanisms")]
First = Annotated[int, typer.Option(help="number of the first one")]
Seed = Annotated[int, typer.Option(help="of all of them")]
Processes = Annotated[int, typer.Option(help="processes that share the work")]


@app.command()
def closed(
    count: Count = 5000,
    first: First = 0,
    seed: Seed = 0,
    processes: Processes = 1,
    family: Annotated[str, typer.Option(help="only one family")] = "",
    c: Annotated[bool, typer.Option(help="compile; else freedoms and straight-line accelerations only")] = True,
) -> None:
    """Closed mechanisms."""
    judge = partial(_closed, seed=seed, family=family, c=c)
    options = f" --family '{family}'" * bool(family) + " --no-c" * (not c)
    _run(judge, range(first, first + count), f"closed --seed {seed}{options}", processes)


@app.command()
def trees(count: Count = 10000, first: First = 0, seed: Seed = 0, processes: Processes = 1) -> None:
    """Trees."""
    _run(partial(_tree, seed=seed), range(first, first + count), f"trees --seed {seed}", processes)


def _closed(number: int, *, seed: int, family: str, c: bool) -> tuple[int, str, Verdict]:
    if not c:
        return number, *closed_verdict(seed, number, None, family)
    return number, *_with_cache(lambda folder: closed_verdict(seed, number, folder, family))


def _tree(number: int, *, seed: int) -> tuple[int, str, Verdict]:
    return number, *_with_cache(lambda folder: tree_verdict(seed, number, folder))


def _with_cache(made: Callable[[Path], tuple[str, Verdict]]) -> tuple[str, Verdict]:
    """With a cache of compiled models of its own, of which only what all models share is kept."""
    folder = Path(tempfile.gettempdir()) / f"kinegen_random_{os.getpid()}"
    try:
        return made(folder)
    finally:
        for part in ("models", "locks", "work", "front"):
            shutil.rmtree(folder / part, ignore_errors=True)


def _run(judge: Callable[[int], tuple[int, str, Verdict]], numbers: range, what: str, processes: int) -> None:
    console.print(f"{what}: numbers {numbers.start} to {numbers.stop - 1}")
    outcomes, refusals, warned = Counter[tuple[str, str]](), Counter[str](), Counter[str]()
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console) as bar, ProcessPoolExecutor(processes) as pool:
        task = bar.add_task("", total=len(numbers))
        for number, family, verdict in pool.map(judge, numbers):
            outcomes[family, verdict.outcome] += 1
            refusals.update(verdict.what if verdict.outcome == "refused" else ())
            warned.update(verdict.warned)
            if verdict.outcome == "silent":
                command = f"python {sys.argv[0]} {what} --first {number} --count 1"
                console.print(f"SILENT {family}: {'; '.join(verdict.what)}\n    {command}", highlight=False)
            elif len(numbers) == 1:
                console.print(f"{family}: {verdict}")
            bar.update(task, advance=1)
    _report(outcomes, refusals, warned)
    raise typer.Exit(int(any(outcome == "silent" for _, outcome in outcomes)))


def _report(outcomes: Counter[tuple[str, str]], refusals: Counter[str], warned: Counter[str]) -> None:
    kinds = ("agreed", "told", "refused", "silent")
    table = Table("family", *kinds, box=box.SIMPLE)
    for family in sorted({family for family, _ in outcomes}):
        table.add_row(family, *(str(outcomes[family, kind]) for kind in kinds))
    totals = (sum(n for (_, outcome), n in outcomes.items() if outcome == kind) for kind in kinds)
    table.add_row("all", *map(str, totals), style="bold")
    console.print(table)
    for title, counted in (("refused", refusals), ("warned", warned)):
        for message, times in counted.most_common():
            console.print(f"{title} {times} times: {message}", highlight=False)


if __name__ == "__main__":
    app()
