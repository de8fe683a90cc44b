"""Notebooks run from a clean kernel, show something, and are kept without outputs."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest

from support.notebooks import executed, normal

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(notebook: Path, tmp_path: Path) -> None:
    """Without an error or a warning, and with a picture, a page or an equation to look at."""
    examples = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", examples, ignore=shutil.ignore_patterns("out", "__pycache__"))
    done = executed(examples / "notebooks" / notebook.name, tmp_path / "ipython")
    outputs = [output for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    shown = {kind for output in outputs for kind in output.get("data", {})}
    assert shown & {"image/png", "text/html", "text/latex"} or notebook.stem == "take_the_c_away"
    assert sum(output.output_type != "error" for output in outputs) >= 4


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
