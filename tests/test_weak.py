"""No test that cannot fail: each says what it checks, by `assert`, by what raises or warns, or by an assert_ helper."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).parent.rglob("test_*.py"))
SAYING = ("raises", "warns", "fail")


def says(node: ast.AST) -> bool:
    """Whether this is a check, which does not hold whatever happens."""
    if isinstance(node, ast.Assert):
        return not isinstance(node.test, ast.Constant | ast.Tuple)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name in SAYING or name.startswith("assert_")
    return False


def silent(text: str) -> list[str]:
    """Tests in this text that say nothing; functions assert_... that do not either."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    meant = [node for node in functions if node.name.startswith(("test_", "assert_"))]
    return [node.name for node in meant if not any(says(inner) for part in node.body for inner in ast.walk(part))]


def test_every_test_says_what_it_checks() -> None:
    assert len(FILES) > 150
    found = {path.name: names for path in FILES if (names := silent(path.read_text(encoding="utf-8")))}
    assert found == {}


@pytest.mark.parametrize("body", ["pass", "assert True", "assert (1, 'always')", "check(1)"])
def test_a_silent_test_is_found(body: str) -> None:
    assert silent(f"def test_it():\n    {body}\n") == ["test_it"]
    assert silent("def test_it():\n    assert_near(1, 2)\n") == []
