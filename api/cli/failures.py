"""What happens when a command cannot do what was asked: one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.markup import escape

from kinegen.runtime.errors import InternalError, KinegenError

from .terminal import complain

WRONG, OURS, INTERRUPTED = 2, 1, 130


def run(arguments: list[str]) -> int:
    """The exit code of the command with these arguments; `--debug` anywhere among them shows tracebacks."""
    from .commands import app

    debug = "--debug" in arguments
    wanted = [argument for argument in arguments if argument != "--debug"]
    with _warnings_in_one_line():
        try:
            app(wanted, prog_name="kinegen")
        except SystemExit as done:
            return done.code if isinstance(done.code, int) else WRONG
        except KeyboardInterrupt:
            complain("[bold red]interrupted[/]")
            return INTERRUPTED
        except BrokenPipeError:
            # whoever read our output has gone; without this Python complains again when it flushes at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except Exception as error:
            return _failed(error, debug)
    return 0


def _failed(error: Exception, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    if isinstance(error, KinegenError) and not isinstance(error, InternalError):
        complain(f"[bold red]error:[/] {escape(str(error))}")
        return WRONG
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        complain(f"[bold red]error:[/] {escape(place + (error.strerror or str(error)))}")
        return WRONG
    hint = "" if debug else "; --debug shows where"
    complain(f"[bold red]bug in kinegen:[/] {escape(f'{type(error).__name__}: {error}{hint}')}")
    return OURS


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        complain(f"[yellow]warning:[/] {escape(str(message))}")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
