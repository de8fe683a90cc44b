"""Calls without arguments whose answer is ready: the same each time, or one of many that were made together."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.build import toolchain
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model
from kinegen.runtime.errors import ModelError
from support.machine import missing
from support.mechanisms.sample_figure import figure

pytestmark = pytest.mark.usefixtures("headers")


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.load(compile_mechanism(figure()))


@pytest.fixture
def answers(model: Model) -> Any:
    if toolchain.python_include() is None:
        missing("the headers of Python")
    assert model.module.calls is not None
    return model.module.calls.Answer


def test_methods_that_are_answers(model: Model, answers: Any) -> None:
    """Name, text and refusals are those of the methods; arrays are the caller's own."""
    for name in ("neutral", "random", "total_mass", "gravity_acceleration"):
        method = getattr(model, name)
        assert isinstance(method, answers) and method.__name__ == name
        assert method.__doc__ == getattr(Model, name).__doc__
        with pytest.raises(TypeError, match="argument"):
            method(1, 2, 3)
    first = model.neutral()
    first[:] = 7.0
    np.testing.assert_array_equal(model.neutral(), model.manifest.neutral)
    model.gravity_acceleration()[:] = 7.0
    np.testing.assert_array_equal(model.gravity_acceleration(), [0.0, 0.0, -9.81])
    assert model.total_mass() == sum(link.mass for link in figure().links) == pytest.approx(model.total_mass())
    assert model.neutral().flags.owndata and model.neutral().dtype == np.float64


def test_random_by_a_generator_goes_its_own_way(model: Model) -> None:
    """Numbers of a seed are those before and after others were drawn."""
    first = model.random(5)
    for _ in range(600):
        model.random()
    np.testing.assert_array_equal(model.random(5), first)
    np.testing.assert_array_equal(model.random(np.random.default_rng(5)), first)
    assert model.random(size=3).shape == (3, model.nq)
    with pytest.raises(ModelError, match="rng"):
        model.random("five")  # type: ignore[arg-type]


def test_an_answer_is_asked_for_once(answers: Any) -> None:
    asked: list[int] = []

    def general(*given: int) -> Any:
        asked.append(len(given))
        return np.arange(6.0).reshape(2, 3)[:, ::2]

    once = answers(general, None)
    first, second, third = once(), once(), once(1)
    assert asked == [0, 1] and first is not second and second.flags.c_contiguous
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(third, second)

    def fails() -> Any:
        asked.append(-1)
        raise ModelError("not yet")

    failing = answers(fails, None)
    for _ in range(2):
        with pytest.raises(ModelError, match="not yet"):
            failing()
    assert asked[2:] == [-1, -1]


def test_each_row_is_handed_out_once(answers: Any) -> None:
    made: list[int] = []

    def block() -> Any:
        made.append(len(made))
        return np.arange(8.0).reshape(4, 2) + 100.0 * len(made)

    rows = answers(lambda *given: "general", block)
    found = np.array([rows() for _ in range(8)])
    assert made == [0, 1] and len(np.unique(found[:, 0])) == 8
    assert rows(1) == "general" and rows().base is None
    for wrong in (np.zeros((0, 2)), np.zeros((4, 4))[:, ::2], [1.0], np.array([object()])):
        with pytest.raises(RuntimeError, match="rows of an array"):
            answers(None, lambda wrong=wrong: wrong)()


def test_answers_are_collected(answers: Any) -> None:
    """In a circle with what they ask."""

    def count() -> int:
        gc.collect()
        return sum(type(x).__name__ == "Answer" for x in gc.get_objects())

    before = count()
    for _ in range(5):
        holder: dict[str, Any] = {}
        holder["answer"] = answers(lambda holder=holder: np.zeros(3), lambda holder=holder: np.zeros((4, 3)))
        holder["answer"]()
    del holder
    assert count() == before


def test_models_that_are_loaded_again_leave_nothing_behind_for_forks(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is to be done after a fork is told once, for that cannot be taken back."""
    if toolchain.python_include() is None:
        missing("the headers of Python")
    told: list[Any] = []
    monkeypatch.setattr(os, "register_at_fork", lambda **functions: told.append(functions), raising=False)
    again = [pickle.loads(pickle.dumps(model)) for _ in range(3)]
    assert all(each.module.calls is not None for each in again)
    assert told == []


def test_models_leave_no_modules_behind_and_take_no_places_of_others() -> None:
    """They stood as `_NAME` among the imported ones, where C modules of Python do."""
    import _socket

    import _cffi_backend

    def arm(name: str, mass: float) -> kg.Model:
        link = kg.Link("a", mass, (0.0, 0.0, -0.5), kg.inertia.box(1.0, (0.1, 0.2, 0.3)))
        return kg.compile(kg.Mechanism(name, [link], [kg.Joint("j", "revolute", "world", "a", axis=(0, 1, 0))]))

    models = [arm(name, mass) for name, mass in (("socket", 1.0), ("cffi_backend", 1.0), ("cffi_backend", 2.0))]
    assert all(model.total_mass() in (1.0, 2.0) for model in models)
    assert sys.modules["_socket"] is _socket
    assert sys.modules["_cffi_backend"] is _cffi_backend
    models.append(arm("left_behind", 1.0))
    assert not any(name.startswith(("_left_behind", "_cffi_backend.", "kinegen_calls")) for name in sys.modules)
