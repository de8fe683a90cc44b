"""Kinds of joints are named in their records only: code that names one would have to be changed for the next."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from kinegen.runtime.kinds import KINDS

ROOT = Path(__file__).parents[1]
PYTHON = [path for room in ("api", "codegen", "runtime") for path in sorted((ROOT / room).rglob("*.py"))]
TEMPLATES = sorted((ROOT / "templates").rglob("*.j2"))

ROOTS = "the word is one for `root=`, which says whether a robot floats"
MAKES = "makes joints of this kind: a model, not a treatment of kinds"
ALLOWED = {
    "runtime/kinds.py": "the records",
    "codegen/printing/structs/workspace.py": "a field of a C struct is called so: motions that the closure leaves free",
    "codegen/reference.py": MAKES,
    "api/figure.py": MAKES,
    "api/cli/commands.py": ROOTS,
    "api/cli/peers.py": ROOTS,
    "api/models.py": ROOTS,
    "api/scenes/scene.py": ROOTS,
}
"""Files that may name kinds, and why; so may the readers of file formats, whose words they are."""


@cache
def _named(path: Path) -> set[str]:
    """Kinds that stand as a string in the code, docstrings left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    strings = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {value for value in strings if isinstance(value, str) and value in KINDS}


def _where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_code_names_no_kind() -> None:
    free = [path for path in PYTHON if not _where(path).startswith("codegen/mechanism/formats/")]
    assert {_where(path): _named(path) for path in free if _where(path) not in ALLOWED and _named(path)} == {}


def test_the_exceptions_are_needed() -> None:
    assert all(_named(ROOT / where) for where in ALLOWED)


def test_the_c_knows_groups_not_kinds() -> None:
    """`{% if kind == "planar" %}` and the like: strings within the braces of a template."""
    for path in TEMPLATES:
        text = path.read_text(encoding="utf-8")
        assert not [kind for kind in KINDS if f"'{kind}'" in text or f'"{kind}"' in text], path
