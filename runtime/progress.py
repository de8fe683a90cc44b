"""Progress of a long run: a bar at a terminal, a function, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .arguments import as_flag
from .errors import ModelError

Report = Callable[[float], None]
"""Is told the fraction done, 0 to 1."""


@contextmanager
def reporter(progress: bool | Report, title: str = "simulating") -> Iterator[Report | None]:
    """True: a bar, drawn only at a terminal; a function: itself; False: None. ModelError for anything else, and if rich
    is missing."""
    if callable(progress):
        yield progress
        return
    if not as_flag("progress", progress):
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError as error:
        raise ModelError("progress=True needs the package 'rich'; install it or hand in a function") from error
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda fraction: bar.update(task, completed=fraction)
