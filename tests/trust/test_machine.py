"""A right that this machine lacks is said, or an error where all tests are to run; root is had in a namespace."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support import machine


def test_what_is_missing_is_said_or_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINEGEN_ALL_TESTS", "1")
    with pytest.raises(pytest.fail.Exception, match="lacks a moon, which the test needs, and KINEGEN_ALL_TESTS is set"):
        machine.missing("a moon")
    monkeypatch.delenv("KINEGEN_ALL_TESTS")
    with pytest.raises(pytest.skip.Exception, match="lacks a moon"):
        machine.missing("a moon")


def test_a_test_runs_in_a_namespace(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """The tests of mounts do so for who is not root: the namespace's root may mount, and nobody outside sees it."""
    if not machine.able("unshare", *machine.WAYS["mount"]):
        machine.missing("user namespaces")
    (tmp_path / "disk").mkdir()
    text = "mount -t tmpfs none disk && touch disk/here && id -u && ls disk"
    command = ["unshare", *machine.WAYS["mount"], "sh", "-c", text]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0", "here"]
    assert list((tmp_path / "disk").iterdir()) == []
    assert isinstance(machine.placed(request.node), type(request.node))
