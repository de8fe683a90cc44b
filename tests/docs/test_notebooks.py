"""Notebooks run from a clean kernel, show something, and are kept without outputs."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import matplotlib
import nbformat
import pytest
from matplotlib import pyplot

from support.notebooks import executed, normal

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


AS_CODE = (
    "tour",
    "torque_by_cause",
    "control_with_derivatives",
    "double_pendulum_to_c",
)
"""Run without a kernel, which they are given in the sweep: what they show is of kinds that the others show too."""
LONG = "take_the_c_away"
"""Left to the sweep: it compiles again what tests of the command line compile."""
MADE_ELSEWHERE = ("walking_on_contact", "fourbar_and_jansen")
"""Left to the sweep too: what tests of walking and of examples make."""


def copied(notebook: Path, folder: Path) -> Path:
    """The notebook in a copy of the examples."""
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("out", "__pycache__"))
    return folder / "examples" / "notebooks" / notebook.name


@pytest.mark.parametrize(
    "notebook",
    [
        pytest.param(n, marks=pytest.mark.sweep if n.stem in (*AS_CODE, LONG, *MADE_ELSEWHERE) else (), id=n.stem)
        for n in NOTEBOOKS
    ],
)
def test_notebook_runs(notebook: Path, tmp_path: Path) -> None:
    """Without an error or a warning, and with a picture, a page or an equation to look at."""
    done = executed(copied(notebook, tmp_path), tmp_path / "ipython")
    outputs = [output for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    shown = {kind for output in outputs for kind in output.get("data", {})}
    assert shown & {"image/png", "text/html", "text/latex"} or notebook.stem == LONG
    assert sum(output.output_type != "error" for output in outputs) >= 4


@pytest.mark.parametrize("name", AS_CODE)
def test_code_of_notebook_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All cells, in one namespace, without an error or a warning."""
    matplotlib.use("agg")
    path = copied(ROOT / f"examples/notebooks/{name}.ipynb", tmp_path)
    monkeypatch.chdir(path.parent)
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert len(cells) >= 4
    names: dict[str, Any] = {"__name__": name}
    for number, cell in enumerate(cells):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(cell.source, f"{name}, cell {number}", "exec"), names)
    pyplot.close("all")


def test_notebooks_are_kept_without_outputs() -> None:
    """`python tests/support/notebooks.py FILE` puts them into this form."""
    assert len(NOTEBOOKS) >= 8
    for path in NOTEBOOKS:
        text = path.read_text(encoding="utf-8")
        nbformat.validate(nbformat.reads(text, as_version=4))
        assert text == normal(text, path.stem), path.name
        assert len(text) < 16_000, path.name


def test_every_notebook_is_in_the_contents() -> None:
    text = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    assert [path.stem for path in NOTEBOOKS if f"\nnotebooks/{path.stem}\n" not in text] == []
