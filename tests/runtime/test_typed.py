"""Arguments are of the types that are annotated: what passes, and what a refusal says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.typed import typed

PASSES: dict[str, tuple[Any, ...]] = {
    "str | None": ("a", None),
    "bool": (True, np.bool_(0), 1),
    "Sequence[str]": (["a"], ("a", "b"), np.array(["a"]), {"a": 1}.keys()),
    "Iterable[str]": (["a"], iter(["a"])),
    "Mapping[str, float]": ({}, {"a": 1}),
    "Mapping[tuple[str, str], Pose]": ({("a", "b"): kg.Pose()},),
    "tuple[str, int]": (("a", 1),),
    "Literal['x', 'y']": ("x",),
    "Callable[[float], Any] | None": (print, None),
    "str | Path": ("a", Path("a")),
    "ArrayLike": (1, "text", None),
    "Start": ({"a": 1.0},),
}
FAILS: dict[str, tuple[Any, ...]] = {
    "str | None": (b"a", 1, np.zeros(3)),
    "bool": ("yes", 2, np.zeros(2), None),
    "Sequence[str]": ("ab", [1], iter(["a"]), {"a": 1}, np.array("a"), np.zeros(3)),
    "Iterable[str]": ("ab", [1], 3),
    "Mapping[str, float]": ({1: 2.0}, [("a", 1)], "a"),
    "Mapping[tuple[str, str], Pose]": ({"a": kg.Pose()}, {("a", "b"): 1}),
    "tuple[str, int]": ((1, "a"), "a"),
    "Literal['x', 'y']": ("z", 1, ["x"]),
    "Callable[[float], Any] | None": (1, "a"),
    "str | Path": (1, True, b"a"),
    "Start": ([], 1),
}


def taking(annotation: str) -> Callable[..., Any]:
    def function(value: Any) -> Any:
        return value

    function.__annotations__["value"] = annotation
    return typed(function)


@pytest.mark.parametrize("annotation", PASSES)
def test_what_is_of_the_type_passes(annotation: str) -> None:
    for value in PASSES[annotation]:
        assert taking(annotation)(value) is value
        assert taking(annotation)(value=value) is value


@pytest.mark.parametrize("annotation", FAILS)
def test_what_is_not_is_refused_by_name(annotation: str) -> None:
    for value in FAILS[annotation]:
        with pytest.raises(kg.ModelError, match=r"value: expected .*, got"):
            taking(annotation)(value)


def test_every_argument_is_looked_at() -> None:
    """By place, by name, of many, in a constructor; with a remedy."""

    @typed
    class Made:
        def __init__(self, *names: str, flag: bool = False) -> None:
            self.names = names

    assert Made("a", "b", flag=True).names == ("a", "b")
    with pytest.raises(kg.ModelError, match=r"Made: names: expected str, got 2"):
        Made("a", 2)  # type: ignore[arg-type]
    with pytest.raises(kg.ModelError, match=r"Made: flag: expected bool, got 'x'"):
        Made(flag="x")  # type: ignore[arg-type]
    with pytest.raises(kg.ModelError, match=r"body_segments: mechanism: .*kg.load\(path\) reads one"):
        kg.body_segments("a.urdf")  # type: ignore[arg-type]


def test_types_of_ours_are_told_by_what_they_are() -> None:
    """`Start` and `Controller` are words of the code alone."""
    said = r"^compile: at: expected Mapping\[str, Any\] \| None, got array\(\[1\., 2\.\]\); write \{'joint': 0\.3\}$"
    with pytest.raises(kg.ModelError, match=said):
        kg.compile(kg.human_figure(), at=np.array([1.0, 2.0]))  # type: ignore[arg-type]
    with pytest.raises(kg.ModelError, match=r"value: expected Callable, got 1$"):
        taking("Controller")(1)


def test_iterators_are_not_used_up() -> None:
    given = iter(["a", "b"])
    assert list(taking("Iterable[str]")(given)) == ["a", "b"]


def test_choices_are_listed() -> None:
    with pytest.raises(kg.ModelError, match=r"^relative_position: axis: expected one of 'x', 'y', 'z', got 'w'$"):
        kg.relative_position("a", "b", "w")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: kg.angle(5), "^angle: joint: expected str, got 5$"),  # type: ignore[arg-type]
        (lambda: kg.speed(None), "^speed: joint: expected str, got None$"),  # type: ignore[arg-type]
        (lambda: kg.force(3), "^force: connection: expected str, got 3$"),  # type: ignore[arg-type]
        (lambda: kg.moment(3), "^moment: connection: expected str, got 3$"),  # type: ignore[arg-type]
        (lambda: kg.contact_force("a", 7), r"^contact_force: other: expected str \| None, got 7$"),  # type: ignore[arg-type]
    ],
)
def test_quantities_are_of_names(made: Callable[[], object], words: str) -> None:
    with pytest.raises(kg.ModelError, match=words):
        made()
