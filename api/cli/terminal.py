"""Where commands write: results on stdout, progress and complaints on stderr, bars only at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

PIPE_WIDTH = 120
"""Columns of a table that goes to a file or a pipe."""


def show(*things: object) -> None:
    """Print results; markup is understood, numbers are not coloured by guess."""
    stdout = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    for thing in things:
        stdout.print(thing)


def complain(text: str) -> None:
    """One line on stderr, never wrapped."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(text)


def table(title: str, *columns: str, right: tuple[str, ...] = (), fold: tuple[str, ...] = ()) -> Table:
    """An empty table; columns named in `right` hold numbers, those in `fold` may be broken over lines."""
    made = Table(title=title, title_justify="left", title_style="bold", header_style="bold cyan", border_style="dim")
    for column in columns:
        made.add_column(escape(column), justify="right" if column in right else "left", no_wrap=column not in fold)
    return made


@contextmanager
def activity(title: str) -> Iterator[Callable[[str], None]]:
    """A spinner with a line of text that the function given changes; nothing if stderr is no terminal."""
    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda text: bar.update(task, description=f"{title} {text}", advance=1)


@contextmanager
def fraction_bar(title: str) -> Iterator[Callable[[float], None]]:
    """A bar that the function given moves, 0 to 1; nothing if stderr is no terminal."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda fraction: bar.update(task, completed=fraction)


def seconds(value: float) -> str:
    """A time for people: 3.1 µs, 25 ms, 8.4 s."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
