"""README's tour runs as it stands, in order, beside the examples."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import matplotlib
import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_tour_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    matplotlib.use("agg")
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("out"))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for number, block in enumerate(BLOCKS):
        exec(compile(block, f"README.md, block {number}", "exec"), names)
    assert abs(names["a"]).max() < 1e-12
    assert names["many"].shape == (1000, 2)
    assert (tmp_path / "arm.npz").is_file() and (tmp_path / "arm.png").is_file()
    printed = capsys.readouterr().out
    assert "brother" in printed and r"\dot{v}" in printed


def test_two_commands_set_up_and_pictures_exist() -> None:
    assert len(re.findall(r"^python3 -m venv ", README, re.MULTILINE)) == 2
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", README):
        assert (ROOT / picture).is_file()


def test_files_that_are_named_exist() -> None:
    for path in re.findall(r"\b(?:api|benchmarks|examples|docs)/\w+\.\w+", README):
        assert (ROOT / path).is_file(), path
