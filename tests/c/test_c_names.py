"""What all names of a mechanism's C begin with: other than what that C is made of, whatever it is called."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from kinegen.codegen.mechanism import Joint, Link, Mechanism
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.library import whole_library
from kinegen.codegen.printing.prefix import APART, prefix_of
from kinegen.codegen.printing.text.environment import template_texts
from kinegen.codegen.printing.text.widths import fitted
from kinegen.codegen.reference import reference_files


def words(text: str) -> set[str]:
    return set(re.findall(r"\b[A-Za-z]\w*", text))


def own_names() -> tuple[set[str], set[str]]:
    """Of the reference mechanisms: what follows the prefix in names of their C, and all other words of it."""
    after, others = set(), set()
    for path, text in reference_files().items():
        prefix = path.partition("/")[0]
        if path.endswith((".c", ".h")):
            for word in words(text):
                if word.lower().startswith(f"{prefix}_"):
                    after.add(word[len(prefix) + 1 :])
                else:
                    others.add(word)
    return after, others


def test_no_name_of_a_mechanism_is_one_that_its_c_has_already() -> None:
    after, others = own_names()
    assert {"momentum", "simulate", "contact", "NQ", "H"} <= after
    others = others.union(*map(words, (*whole_library().values(), *template_texts())))
    parted = [(word[:k], word[k + 1 :]) for word in others for k, sign in enumerate(word) if sign == "_"]
    names = {first for first, rest in parted if rest in after}
    assert {"turn", "free"} <= names and len(names) > 20
    assert [name for name in sorted(names) if name in (prefix_of(name), prefix_of(name).upper())] == []
    assert not any(word.lower().startswith(APART) for word in others)


def test_a_comment_does_not_end_on_a_line_of_its_own() -> None:
    alone = [path for path, text in reference_files().items() if re.search(r"^ \* \*/", text, re.MULTILINE)]
    assert alone == []
    for size in range(100, 125):  # the last word and the end of the comment about the edge
        lines = fitted(f"/* {'x' * 60} {'y' * (size - 64)} */\n").splitlines()
        assert max(map(len, lines)) <= 120 and lines[-1].strip() != "* */"


def test_a_macro_of_the_library_is_defined_in_one_file() -> None:
    """Two headers that define one would not go together. Setting: a width that one header sets for another."""
    places: dict[str, set[str]] = {}
    for path, text in whole_library().items():
        for macro in re.findall(r"^#\s*define\s+(\w+)", text, re.MULTILINE):
            places.setdefault(macro, set()).add(path)
    assert len(places) > 100
    assert {macro for macro, paths in places.items() if len(paths) > 1} == {"KG_ANGLE_BYTES"}


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("crane", "crane"),
        ("Two holds", "two_holds"),
        ("turn", "mechanism_turn"),
        ("Mass matrix", "mechanism_mass_matrix"),
        ("has", "mechanism_has"),  # HAS_LOOPS, a macro
        ("math", "mechanism_math"),  # math.h
        ("Stdio", "mechanism_stdio"),
        ("limits", "mechanism_limits"),
        ("kg", "mechanism_kg"),
        ("int", "int_"),
        ("膝", "unnamed"),
    ],
)
def test_the_prefix_is_the_name_unless_that_is_taken(name: str, prefix: str) -> None:
    assert prefix_of(name) == prefix


@pytest.mark.parametrize("name", ["turn", "free"])
def test_mechanisms_that_are_called_as_functions_of_the_library_compile(name: str, tmp_path: Path) -> None:
    ball = Link("ball", 1.0, inertia=(0.1, 0, 0, 0.1, 0, 0.1), shapes=[shapes.sphere(0.1)])
    made = generate(Mechanism(name, [ball], [Joint("float", "free", "world", "ball")], shapes=[shapes.plane()]))
    assert made.manifest.name == name
    made.write(tmp_path)
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    subprocess.run([*command, *sorted(x for x in made.files if x.endswith(".c"))], cwd=tmp_path, check=True)
