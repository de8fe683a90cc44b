"""What happens when a command cannot do what was asked: one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

from rich.markup import escape

from kinegen.runtime.errors import InternalError, KinegenError

from .terminal import complain

WRONG, OURS, INTERRUPTED = 2, 1, 130


def run(arguments: list[str]) -> int:
    """The exit code of `kinegen` with these arguments."""
    from .commands import app

    if any(not argument or re.fullmatch(r"--[a-z-]+=", argument) for argument in arguments):
        complain(
            "[bold red]error:[/] an argument is empty, as from a shell variable that is not set: set it, or drop it"
        )
        return WRONG
    return run_app(app, "kinegen", arguments)


def run_app(app: Callable[..., object], name: str, arguments: list[str]) -> int:
    """The exit code of a command of typer with these arguments; `--debug` anywhere among them shows tracebacks."""
    debug = "--debug" in arguments
    wanted = [argument for argument in arguments if argument != "--debug"]
    with _warnings_in_one_line(), _any_output():
        try:
            code = _code_of(lambda: app(wanted, prog_name=name))
            sys.stdout.flush()
            return code
        except KeyboardInterrupt:
            complain("[bold red]interrupted[/]")
            return INTERRUPTED
        except BrokenPipeError:
            _write_nowhere()  # whoever read our output has gone
            return 0
        except Exception as error:
            return _failed(error, debug)


def _code_of(command: Callable[[], object]) -> int:
    """The exit code with which a command ends by itself. BrokenPipeError where nobody reads its output any more,
    KeyboardInterrupt where it was interrupted, which typer makes that exit code."""
    nowhere = _goes_nowhere()
    try:
        command()
    except SystemExit as done:
        if done.code == INTERRUPTED:
            raise KeyboardInterrupt from done
        # typer wraps the output when its reader is gone, rich sends it to nowhere; both exit with 1
        if type(sys.stdout).__name__ == "PacifyFlushWrapper" or _goes_nowhere() != nowhere:
            raise BrokenPipeError from done
        return done.code if isinstance(done.code, int) else WRONG
    return 0


def _goes_nowhere() -> bool:
    """Standard output is /dev/null."""
    try:
        return os.fstat(sys.stdout.fileno()).st_rdev == os.stat(os.devnull).st_rdev
    except (OSError, ValueError):  # no file at all: collected by whoever called
        return False


def _write_nowhere() -> None:
    """Else Python complains of what it could not write when it flushes at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(error: Exception, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    if isinstance(error, KinegenError) and not isinstance(error, InternalError):
        complain(f"[bold red]error:[/] {escape(str(error))}")
        return WRONG
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF) and not error.filename:
            _write_nowhere()
        place = f"{error.filename}: " if error.filename else ""
        complain(f"[bold red]error:[/] {escape(place + (error.strerror or str(error)))}")
        return WRONG
    hint = "" if debug else "; --debug shows where"
    complain(f"[bold red]bug in kinegen:[/] {escape(f'{type(error).__name__}: {error}{hint}')}")
    return OURS


@contextmanager
def _any_output() -> Iterator[None]:
    """Output that is closed takes everything, letters that it lacks are written as their codes, no window is needed."""
    before, backend = (sys.stdout, sys.stderr), os.environ.get("MPLBACKEND")
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout, sys.stderr = before[0] or nowhere, before[1] or nowhere
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        os.environ["MPLBACKEND"] = "agg"
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before
            os.environ.pop("MPLBACKEND")
            if backend is not None:
                os.environ["MPLBACKEND"] = backend


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        complain(f"[yellow]warning:[/] {escape(str(message))}")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
