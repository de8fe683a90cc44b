"""Commands run in a folder of their own, which holds the examples."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.commands import EXAMPLES


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for file in EXAMPLES.glob("*.*"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
