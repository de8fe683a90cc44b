"""One call of a program: with a limit on its time, and with nothing of it left running."""

from __future__ import annotations

import math
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kinegen.runtime.errors import BuildError

LIMIT_SECONDS = 1800.0
"""The largest file that is known takes a minute at the highest optimisation."""
POLL_SECONDS = 0.2

FULL = (b"No space left on device", b"Disk quota exceeded", b"NoSpaceLeft")
"""What compilers say of a full disk, the last of them zig."""


class FullError(BuildError):
    """A compiler found no room for what it makes; its message names the remedy."""


@dataclass(frozen=True)
class Ended:
    """How a program ended: its exit code (negative: the signal that killed it) and what it wrote."""

    code: int
    output: bytes
    errors: bytes


def time_limit(environ: Mapping[str, str]) -> float:
    """Seconds that one call of the compiler may take: $KINEGEN_CC_TIMEOUT, else half an hour."""
    given = environ.get("KINEGEN_CC_TIMEOUT", "").strip()
    try:
        limit = float(given) if given else LIMIT_SECONDS
    except ValueError:
        limit = math.nan
    if not limit > 0:
        raise BuildError(f"KINEGEN_CC_TIMEOUT is '{given}', expected seconds above zero: correct or unset it")
    return min(limit, threading.TIMEOUT_MAX)


def run_compiler(
    command: tuple[str, ...], arguments: list[str], folder: Path | None = None, stop: threading.Event | None = None
) -> str:
    """Standard output of the compiler; BuildError with the first lines of what it says if it fails, FullError if a disk
    is full.

    `stop`: when it is set, the call is given up.
    """
    name, limit = shlex.join(command), time_limit(os.environ)
    try:
        done = run_program([*command, *arguments], limit, folder, stop=stop)
    except TimeoutError as error:
        raise BuildError(
            f"the C compiler '{name}' was stopped, it had not finished after {limit:g} s: "
            "set KINEGEN_CC_TIMEOUT to more seconds, or CC to another compiler"
        ) from error
    except OSError as error:
        raise BuildError(f"cannot run the C compiler '{name}': {error.strerror}; set CC") from error
    if done.code:
        asked = b"" if arguments == ["--version"] else done.output  # which is no complaint
        said = "\n".join(_text(done.errors.strip() or asked.strip()).splitlines()[:12])
        told = said or "it does not say why: set CC to a C compiler"
        failed = f"the C compiler '{name}' failed (exit code {done.code}):\n{told}"
        if any(words in done.errors for words in FULL):
            raise FullError(
                f"{failed}\nset KINEGEN_CACHE to a folder where there is room, or TMPDIR where the compiler's own "
                "files have none"
            )
        raise BuildError(failed)
    return _text(done.output)


def _text(written: bytes) -> str:
    return written.decode("utf-8", "replace").replace("\r\n", "\n")


def run_program(
    arguments: Sequence[str],
    limit: float,
    folder: Path | None = None,
    *,
    data: bytes = b"",
    stop: threading.Event | None = None,
) -> Ended:
    """Run a program with `data` as its standard input.

    OSError if it cannot be started. After `limit` seconds, or when `stop` is set, it and all that it has started are
    killed: TimeoutError.
    """
    process = subprocess.Popen(
        arguments,
        cwd=folder,
        env={"PATH": os.defpath, **os.environ, "LC_ALL": "C"},  # without PATH gcc finds no linker
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,  # compilers start others
    )
    try:
        return _ended(process, time.monotonic() + limit, data, stop)
    except BaseException:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    finally:
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                with suppress(OSError):
                    pipe.close()


def _ended(process: subprocess.Popen[bytes], deadline: float, data: bytes, stop: threading.Event | None) -> Ended:
    given: bytes | None = data
    while True:
        left = deadline - time.monotonic()
        try:
            output, errors = process.communicate(given, max(0.0, min(left, POLL_SECONDS)))
            return Ended(process.returncode, output, errors)
        except subprocess.TimeoutExpired:
            given = None
            if left <= 0 or (stop and stop.is_set()):
                raise TimeoutError from None
