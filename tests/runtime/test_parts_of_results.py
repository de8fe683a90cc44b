"""Named tuples of parts of a result: by one call in C, and by numpy where there are no such calls."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from kinegen.codegen.build import toolchain
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model
from kinegen.runtime.arguments import Array
from support.machine import missing
from support.mechanisms.sample_figure import figure

pytestmark = pytest.mark.usefixtures("headers")


class Pair(NamedTuple):
    first: Array
    second: Array


@pytest.fixture(scope="module")
def calls() -> Any:
    if toolchain.python_include() is None:
        missing("the headers of Python")
    return Model.load(compile_mechanism(figure())).module.calls


@pytest.mark.parametrize("front", [(), (5,), (2, 0, 3)])
@pytest.mark.parametrize("behind", [(), (4,), (2, 3), (2, 3, 4)])
def test_parts_are_views(calls: Any, front: tuple[int, ...], behind: tuple[int, ...]) -> None:
    """Those of numpy's, of the same memory, whatever stands in front and behind."""
    whole = np.random.default_rng(0).uniform(size=(*front, 3, *behind))
    found = calls.parts(Pair, whole, len(behind), (2, 0))
    moved = np.moveaxis(whole, -1 - len(behind), 0)
    assert type(found) is Pair
    for part, wanted in zip(found, (moved[2], moved[0]), strict=True):
        np.testing.assert_array_equal(part, wanted)
        assert part.shape == (*front, *behind) and part.base is whole and part.flags.writeable
        assert part.flags.c_contiguous == wanted.flags.c_contiguous
    found.first[...] = 0.0
    assert not moved[2].any()


def test_parts_of_what_is_only_read_are_only_read(calls: Any) -> None:
    whole = np.zeros((3, 2))
    whole.flags.writeable = False
    found = calls.parts(Pair, whole, 1, (2, 0))
    assert not found.first.flags.writeable and not found.second.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        found.first[...] = 1.0


def test_refusals(calls: Any) -> None:
    whole = np.zeros((3, 2))
    with pytest.raises(ValueError, match="fewer axes"):
        calls.parts(Pair, whole, 2, (0, 1))
    with pytest.raises(ValueError, match="kind of tuple"):
        calls.parts(dict, whole, 1, (0, 1))
    for wrong in ((0, 3), (-1, 0)):
        with pytest.raises(IndexError, match="no such part"):
            calls.parts(Pair, whole, 1, wrong)
    with pytest.raises(TypeError):
        calls.parts(Pair, whole, 1, ("first", "second"))
