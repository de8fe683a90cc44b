"""Python blocks of the pages in docs/ run as they stand, those of a page in order and in one namespace."""

from __future__ import annotations

import re
import runpy
import shutil
import warnings
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import pytest

ROOT = Path(__file__).parents[2]
PAGES = {
    page.stem: re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for page in sorted((ROOT / "docs").glob("*.md"))
}


def measured_files(folder: Path) -> None:
    """What `python examples/measured_motion.py FOLDER` writes first: stand.trc, stand.mot."""
    example = runpy.run_path(str(folder / "examples/measured_motion.py"))
    example["write_measured"](example["simulate"](), folder, 0.2)


BEFORE: dict[str, Callable[[Path], None]] = {"torque_by_cause": measured_files}


PROMISED = {
    "architecture": (
        "continuous (0.0, 1.0, 0.0) (0.0, 0.0, -1.0)",
        "elbow 1 1",
        "14 mul, 10 add, 2 sincos",
        "slice(1, 2, None)",
    ),
    "parameters": ("('m_upper', 'mx_upper', 'my_upper', 'mz_upper')", "8", "m_lower*origin_elbow_z + mz_upper"),
    "rolling": (
        "('base[3]', 'base[4]', 'base[5]')",
        "Matrix([[1, 0, 0, 0, -R*sin(q_turn_1), -R*cos(q_turn_1)]])",
        "Matrix([[lambda_disc_world_x, lambda_disc_world_y, lambda_disc_world_z]])",
        "-0.775342 ± 4.464868i, -0.322866",
    ),
    "closed_loops": ("[2.0, -1.52, 1.75]", "[2.0, -3.05, -2.33]"),
    "derivatives": ("('shoulder', 'elbow', 'd shoulder', 'd elbow')", "['slips', 'slips', 'slips']"),
}
"""What comments on a page say that it prints."""

PICTURES = {"contact": "contacts.png"}
"""What a page draws."""


SELDOM = ("walking_robots", "live_pages")
"""Walks for long, as examples do, which are run by tests/walking and tests/api; pages, which tests/live makes too."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.sweep if name in SELDOM else ()) for name, blocks in PAGES.items() if blocks],
)
def test_page_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every block without an error or a warning, and what a comment promises is printed."""
    matplotlib.use("agg")
    monkeypatch.setattr(webbrowser, "open", lambda url: True)
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("out", "__pycache__"))
    monkeypatch.chdir(tmp_path)
    if name in BEFORE:
        BEFORE[name](tmp_path)
    names: dict[str, Any] = {"__name__": name}
    for number, block in enumerate(PAGES[name]):
        where = f"docs/{name}.md, block {number}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(compile(block, where, "exec"), names)
        except Exception as error:
            pytest.fail(f"{where}: {type(error).__name__}: {error}")
    printed = capsys.readouterr().out
    for promised in PROMISED.get(name, ()):
        assert f"# {promised}" in "".join(PAGES[name])
        assert promised in printed
    if name in PICTURES:
        assert (tmp_path / PICTURES[name]).stat().st_size > 10_000


def test_every_block_of_python_is_seen() -> None:
    marked = sum((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").count("```py") for name in PAGES)
    assert marked == sum(map(len, PAGES.values())) >= 9
