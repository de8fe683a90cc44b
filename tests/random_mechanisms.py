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

import gc
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from support.drawn.random_closed import closed_verdict
from support.drawn.random_trees import tree_verdict
from support.drawn.verdict import Verdict, kind_of

app = typer.Typer(add_completion=False, help=__doc__)
console = Console(width=120)

RENEWED = 100
"""Mechanisms after which a process is replaced: compiled modules stay in memory."""

SELDOM = 200_000, 20, 100
"""Thresholds of the collection of cycles, which takes a quarter of the time else: programs are many small objects."""

Judge = Callable[[int, Path], tuple[str, Verdict]]

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


def _closed(number: int, folder: Path, *, seed: int, family: str, c: bool) -> tuple[str, Verdict]:
    return closed_verdict(seed, number, folder if c else None, family)


def _tree(number: int, folder: Path, *, seed: int) -> tuple[str, Verdict]:
    return tree_verdict(seed, number, folder)


def _judged(number: int, judge: Judge, root: Path) -> tuple[int, str, Verdict]:
    """With a cache of compiled models for this process, of which only what all models share is kept."""
    folder = root / str(os.getpid())
    gc.set_threshold(*SELDOM)
    try:
        return number, *judge(number, folder)
    except Exception as error:  # whatever has no name is a fault, and the others are still to be judged
        return number, "crashed", Verdict("silent", (f"{type(error).__name__}: {error}",))
    finally:
        for part in ("models", "locks", "work"):
            shutil.rmtree(folder / part, ignore_errors=True)


def _run(judge: Judge, numbers: range, what: str, processes: int) -> None:
    console.print(f"{what}: numbers {numbers.start} to {numbers.stop - 1}")
    found = list[tuple[str, Verdict]]()
    columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with (
        tempfile.TemporaryDirectory() as root,
        Progress(*columns, console=console) as bar,
    ):
        task = bar.add_task("", total=len(numbers))
        for number, family, verdict in _verdicts(partial(_judged, judge=judge, root=Path(root)), numbers, processes):
            found.append((family, verdict))
            if verdict.outcome == "silent":
                command = f"python {sys.argv[0]} {what} --first {number} --count 1"
                console.print(f"SILENT {family}: {'; '.join(verdict.what)}\n    {command}", highlight=False)
            elif len(numbers) == 1:
                console.print(f"{family}: {verdict}")
            bar.update(task, advance=1)
    _report(found)
    raise typer.Exit(int(any(verdict.outcome == "silent" for _, verdict in found)))


def _verdicts(
    judged: Callable[[int], tuple[int, str, Verdict]], numbers: range, processes: int
) -> Iterator[tuple[int, str, Verdict]]:
    """In order, by a new pool for each part: one that replaces its processes itself (max_tasks_per_child) may wait for
    ever in Python 3.11, https://github.com/python/cpython/issues/115634."""
    part = RENEWED * processes
    for start in range(0, len(numbers), part):
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            yield from pool.map(judged, numbers[start : start + part])


def _report(found: list[tuple[str, Verdict]]) -> None:
    """Counts of every outcome by family, and what was said how often."""
    kinds = ("agreed", "told", "refused", "silent")
    counts = Counter((family, verdict.outcome) for family, verdict in found)
    table = Table("family", *kinds, box=box.SIMPLE)
    for family in sorted({family for family, _ in found}):
        table.add_row(family, *(str(counts[family, kind]) for kind in kinds))
    totals = Counter(verdict.outcome for _, verdict in found)
    table.add_row("all", *(str(totals[kind]) for kind in kinds), style="bold")
    console.print(table)
    for outcome in ("refused", "told"):
        said = Counter(kind_of(text) for _, v in found if v.outcome == outcome for text in v.what)
        _list(f"{outcome}:", said)
    _list("warned, agreed or told:", Counter(text for _, v in found for text in v.warned))


def _list(title: str, counted: Counter[str]) -> None:
    for text, times in counted.most_common():
        console.print(f"{title} {times} times {text}", highlight=False)


if __name__ == "__main__":
    app()
