"""What a test needs of the machine: had where it can be, else said.

A test that needs another user, or a mount, is marked `root`: it runs as it is for root, else in a user namespace of its
own (`unshare`), where it is root. Where that is not allowed either it is skipped, with the reason in
the summary, or fails if KINEGEN_ALL_TESTS is set.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

WAYS = {"mount": ("-r", "-m"), "users": ("--map-root-user", "--map-auto", "-m")}
"""Options of unshare: mounts need a namespace of their own; users need more ids than one (newuidmap, /etc/subuid)."""


def missing(what: str) -> NoReturn:
    """A right that only the owner of the machine can give: skipped with its reason, or an error where it should be."""
    said = f"this machine lacks {what}, which the test needs"
    if os.environ.get("KINEGEN_ALL_TESTS"):
        pytest.fail(f"{said}, and KINEGEN_ALL_TESTS is set", pytrace=False)
    pytest.skip(said)


@cache
def able(*command: str) -> bool:
    """Whether a command can be run."""
    try:
        return subprocess.run([*command, "true"], capture_output=True).returncode == 0
    except OSError:
        return False


def is_root(need: str) -> bool:
    """Whether this process may do what a test needs."""
    return os.geteuid() == 0 and (need == "users" or able("unshare", "-m"))


class InNamespace(pytest.Item):
    """A test in a process of its own that is root in a user namespace."""

    need = "mount"

    def runtest(self) -> None:
        way = ("unshare", *WAYS[self.need])
        if not able(*way):
            missing(f"root, or user namespaces ({' '.join(way)})")
        command = [*way, sys.executable, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", self.nodeid]
        root = self.config.rootpath
        done = subprocess.run(command, capture_output=True, text=True, cwd=root)
        if done.returncode or " passed" not in done.stdout:
            pytest.fail(f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-1000:]}", pytrace=False)

    def reportinfo(self) -> tuple[str, int | None, str]:
        return str(self.path), None, self.name


def placed(item: pytest.Item) -> pytest.Item:
    """The test, or the same in a namespace."""
    mark = item.get_closest_marker("root")
    if mark is None or is_root(mark.args[0]):
        return item
    twin = InNamespace.from_parent(item.parent, name=item.name)
    twin.need = mark.args[0]
    twin.own_markers = list(item.own_markers)
    return twin


def runs(pid: int) -> bool:
    """Whether it is still there after ten seconds: what was killed takes a moment to end."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return False
        except OSError:
            return False
        time.sleep(0.1)
    return True
