"""The form in which notebooks are kept, without outputs, and their run in a kernel of its own.

python tests/support/notebooks.py examples/notebooks/*.ipynb      writes them in this form
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def normal(text: str, name: str) -> str:
    """The same cells without what they put out, numbered."""
    cells = []
    for number, cell in enumerate(json.loads(text)["cells"], 1):
        kept = {"cell_type": cell["cell_type"], "id": f"{name.replace('_', '-')}-{number:02d}", "metadata": {}}
        if cell["cell_type"] == "code":
            kept |= {"execution_count": None, "outputs": []}
        cells.append(kept | {"source": cell["source"]})
    whole = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


AS_IN_TESTS = "from kinegen.codegen.build import toolchain\n\ntoolchain.python_include = lambda: None"
"""Models as plain libraries without Python's headers, see tests/conftest.py."""


def executed(path: Path, private: Path) -> Any:
    """The notebook with its outputs, run where it lies by a new kernel, whose settings and history are in `private`.

    Models are compiled as in tests. Raises CellExecutionError, which holds the traceback.
    """
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(AS_IN_TESTS))
    client = NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(path.parent)}})
    commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return client.execute(env={**os.environ, "PATH": commands, "IPYTHONDIR": str(private)})


if __name__ == "__main__":
    for file in map(Path, sys.argv[1:]):
        file.write_text(normal(file.read_text(encoding="utf-8"), file.stem), encoding="utf-8")
