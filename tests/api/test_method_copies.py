"""Methods of compiled models and kernels go through pickle and copy, as those of ordinary objects do."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.build import toolchain
from support.mechanisms.closed_mechanisms import four_bar
from support.mechanisms.sample_figure import INERTIA, figure

HINGE = kg.Joint("pin", "revolute", "world", "rod", axis=(0, 1, 0))


@pytest.fixture(params=["compiled", "cffi"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Kernels are called by the C for Python, or without Python's headers by cffi."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "cffi":
            patch.setattr(toolchain, "python_include", lambda: None)
        else:
            request.getfixturevalue("headers")
        yield request.param


def pendulum() -> Any:
    link = kg.Link("rod", sympy.Symbol("m"), (0, 0, -0.5), INERTIA)
    return kg.compile(kg.Mechanism("pendulum", [link], [HINGE])).with_parameters(m=2.0)


def single() -> Any:
    return kg.compile(kg.Mechanism("one", [kg.Link("rod", 1.0, inertia=INERTIA)], [HINGE]), dtype="float32")


MODELS: dict[str, Any] = {
    "tree": lambda: kg.compile(figure()),
    "loop": lambda: kg.compile(four_bar(0.2, 0.6, 0.5, 0.6)),
    "parameters": pendulum,
    "float32": single,
}


def methods_of(model: Any) -> dict[str, Any]:
    """Its public methods, by name."""
    found = {}
    for name in (name for name in dir(type(model)) if not name.startswith("_")):
        with suppress(kg.KinegenError):  # properties that this model has not
            found[name] = getattr(model, name)
    return {name: method for name, method in found.items() if callable(method)}


@pytest.mark.parametrize("name", MODELS)
def test_methods_and_kernels_are_pickled_and_copied(way: str, name: str) -> None:
    model = MODELS[name]()
    methods = methods_of(model) | {"kernel": model.kernel("bias")}
    assert {"bias", "forward_dynamics", "mass_matrix", "total_mass", "random"} <= methods.keys()
    q, v = model.neutral(), np.full(model.nv, 0.3, dtype=model.dtype)
    expected = [model.bias(q, v), model.mass_matrix(q), model.total_mass()]  # what pickles hold compiles no further
    for method in methods.values():
        pickle.loads(pickle.dumps(method)), copy.copy(method)
    for again in (pickle.loads(pickle.dumps(methods)), copy.deepcopy(methods)):
        assert again.keys() == methods.keys()
        np.testing.assert_array_equal(again["bias"](q, v), expected[0])
        np.testing.assert_array_equal(again["kernel"](q, v), expected[0])
        np.testing.assert_array_equal(again["mass_matrix"](q), expected[1])
        assert again["total_mass"]() == expected[2]
        assert not np.array_equal(again["random"](), model.random())
    if model.module.calls is not None:
        assert copy.copy(model.bias) is model.bias and copy.deepcopy([model.bias])[0] is model.bias


def test_methods_work_in_other_processes(way: str) -> None:
    model = pendulum()
    angles = [np.array([0.3]), np.array([0.4])]
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        found = list(pool.map(model.gravity, angles))
    np.testing.assert_array_equal(found, [model.gravity(q) for q in angles])


def test_methods_of_loops_keep_who_leads_and_where_that_was_judged() -> None:
    plain = kg.compile(four_bar(0.2, 0.6, 0.5, 0.6))
    model = plain.with_independent(["knee"], plain.assemble([1.3, 1.6, -1.1], hold=["pivot"]))
    q = model.q0
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again.independent == model.independent == ("knee",)
        np.testing.assert_array_equal(again.loops.at, model.loops.at)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model.W))(q), model.W(q))
