"""The command `kinegen` as a process: terminals, pipes, closed and full outputs."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import COMMAND, PENDULUM


def test_a_reader_that_leaves_early_is_no_error() -> None:
    line = f'{" ".join(map(repr, COMMAND[:2]))} "{COMMAND[2]}" inspect {PENDULUM} | head -1'
    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert done.stdout.startswith("links of double_pendulum")


BARS = {"deriving": ["demo", "--duration", "0.1"], "writing": ["inspect", "--html", "page.html"]}


@pytest.mark.parametrize("shows", [pytest.param("deriving", marks=pytest.mark.sweep), "writing"])
def test_bars_at_a_terminal(shows: str, tmp_path: Path) -> None:
    """At a terminal long stages show progress, and leave nothing of it on the screen."""
    environment = {**os.environ, "KINEGEN_CACHE": str(tmp_path / "cache"), "TERM": "xterm", "COLUMNS": "120"}
    action, *options = BARS[shows]
    command = [*COMMAND, action, PENDULUM, *options]
    keeper, terminal = pty.openpty()
    done = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal, stdin=terminal, env=environment)
    os.close(terminal)
    shown = b""
    while done.poll() is None or shown == b"":
        try:
            shown += os.read(keeper, 65536)
        except OSError:  # the terminal is closed: Linux says so by an input/output error
            break
    os.close(keeper)
    assert done.wait(60) == 0
    assert shows.encode() in shown and (action != "demo" or b"simulating" in shown)


KINEGEN = f"{sys.executable} -c 'from kinegen.cli import main; main()'"
OUTPUTS = {
    "letters that it lacks": ("PYTHONIOENCODING=ascii {} inspect double_pendulum.urdf", "0", r"\xd7"),
    "closed": ("{} cache list >&-", "0", ""),
    "both closed": ("{} inspect nothing.urdf >&- 2>&-", "2", ""),
    "full": ("{} cache list > /dev/full", "2", "error: No space left on device"),
    "a reader that goes": ("{} inspect double_pendulum.urdf | head -1", "0", "links of double_pendulum"),
    "help for nobody": ("{} --help | true", "0", ""),
    "no such window": ("MPLBACKEND=zzz {} simulate double_pendulum.toml --plot a.png", "0", "plot  a.png"),
}


@pytest.mark.parametrize("case", OUTPUTS)
def test_any_output_will_do(case: str) -> None:
    """No output, and no setting of where pictures are shown, is a bug of ours."""
    line, code, words = OUTPUTS[case]
    script = f"{line.format(KINEGEN)}; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == code, done
    assert words in done.stdout + done.stderr
    assert "bug" not in done.stderr and "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
