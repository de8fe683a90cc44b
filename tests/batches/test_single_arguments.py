"""Models of floats: what they make of arguments, and what they refuse by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kinegen as kg
import kinegen.runtime
from kinegen.codegen.printing.selection import Selection
from support.c.single_models import COUNT, MECHANISMS, Array, models, quaternion, soa, states

# ---- Arguments


def test_doubles_and_whole_numbers_are_rounded() -> None:
    model = models("mimics")[0]
    q = np.random.default_rng(0).normal(size=model.nq)
    assert np.array_equal(model.com(q), model.com(q.astype(np.float32)))
    assert np.array_equal(model.com(q.tolist()), model.com(q.astype(np.float32)))
    assert np.array_equal(model.com([0] * model.nq), model.com(np.zeros(model.nq, np.float16)))


def test_numbers_that_floats_do_not_hold() -> None:
    model = models("mimics")[0]
    q = np.zeros((4, model.nq))
    q[2, 0] = -4e38
    with pytest.raises(kg.ModelError, match=r"q: entry \(2, 0\) is -4e\+38, float32 holds numbers up to 3.4e38"):
        model.com(q)
    for mass, why in ((1e39, r"at most 3.40282e\+38 in size"), (1e-46, "positive")):
        with pytest.raises(kg.ModelError, match=f"parameter m1: expected a number that is {why}"):
            models("parameters")[0].with_parameters(m1=mass)
        models("parameters")[1].with_parameters(m1=mass)
    with pytest.raises(kg.ModelError, match="expected float64 numbers"):
        model.com(np.zeros(model.nq, complex))


@pytest.mark.parametrize("layout", ["aos", "soa"])
def test_rows_that_are_wrong_are_told(layout: Any) -> None:
    model, given = models("free")[0], {name: x.copy() for name, x in states("free").items()}
    turned = soa if layout == "soa" else np.asarray
    turning = model.v_slice("joint0").start + 3
    given["v"][20, turning] = np.nan
    with pytest.raises(kg.ModelError, match=rf"v: entry \(20, {turning}\) is nan"):
        model.bias(turned(given["q"]), turned(given["v"]), layout=layout)
    given["v"][20, turning] = 1e25  # its square is infinite
    with pytest.raises(kg.ModelError, match=r"bias: entry \(20, \d\) of the result is .*v has numbers of 1e\+25"):
        model.bias(turned(given["q"]), turned(given["v"]), layout=layout)


def test_unit_norm_within_what_floats_hold() -> None:
    """A quaternion normalised in floats, or some steps later, is one; one that was never normalised is not."""
    single, double = models("free")
    q = single.neutral()
    for factor, taken in ((1 + 5e-6, True), (1 - 5e-6, True), (1 + 3e-5, False), (1 - 3e-5, False)):
        other = q.copy()
        other[quaternion(single)] *= np.float32(factor)
        for given in (other, np.tile(other, (20, 1))):
            if taken:
                single.com(given)
                with pytest.raises(kg.ModelError, match="has norm"):
                    double.com(given)
            else:
                with pytest.raises(kg.ModelError, match="has norm"):
                    single.com(given)


def test_results_go_into_float32_arrays() -> None:
    model, q = models("free")[0], states("free")["q"]
    with pytest.raises(kg.ModelError, match=r"out: expected a float32 array of shape \(37, 3\), got float64 \(37, 3\)"):
        model.com(q, out=np.empty((COUNT, 3)))


# ---- What is refused


def test_all_else_of_a_model_is_refused_by_name() -> None:
    model = models("free")[0]
    missing = [name for name in dir(kg.Model) if not name.startswith("_") and name not in dir(kg.SingleModel)]
    assert len(missing) > 30 and {"H", "frame_pose", "cog_jacobian", "passive_forces", "assemble"} <= set(missing)
    for name in missing:
        assert not hasattr(model, name)
        with pytest.raises(kg.ModelError, match=rf"^{name} of model .* float32: .*compile without dtype"):
            getattr(model, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = model.nothing


REFUSED: dict[str, Callable[[Any, Array], object]] = {
    "Simulator": lambda model, q: kg.Simulator(model),
    "runtime.Simulator": lambda model, q: kinegen.runtime.Simulator(model),
    "rollout": lambda model, q: kg.rollout(model, q, steps=3),
    "solve_ik": lambda model, q: kg.solve_ik(model, []),
    "linearize": lambda model, q: kg.linearize(model, q),
    "equilibrium": lambda model, q: kg.equilibrium(model, q),
    "step_derivatives": lambda model, q: kg.step_derivatives(model, q, q),
    "base_parameters": lambda model, q: kg.base_parameters(model),
    "identify": lambda model, q: kg.identify(model, []),
    "jax": lambda model, q: kg.jax.functions(model),
    "view": lambda model, q: kg.view(model),
    "play": lambda model, q: kg.play(model, "page.html"),
    "tour": lambda model, q: kg.tour(model),
    "external_wrench": lambda model, q: kg.external_wrench(model, q, q, q),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_a_model_of_doubles_refuses_at_the_door(name: str) -> None:
    model = models("mimics")[0]
    with pytest.raises(kg.ModelError, match="float32 model has kernels alone: compile without dtype"):
        REFUSED[name](model, np.zeros(model.nq))


def test_options_that_do_not_fit() -> None:
    tree = MECHANISMS["free"]()
    with pytest.raises(kg.ModelError, match="dtype: expected one of 'float64', 'float32', got 'float16'"):
        kg.compile(tree, dtype="float16")  # type: ignore[call-overload]
    with pytest.raises(kg.ModelError, match="dtype: expected 'float64' or 'float32', got 'half'"):
        Selection(dtype="half")
    for option in ({"independent": ["a"]}, {"rows": kg.RowRules()}):
        with pytest.raises(kg.ModelError, match=f"{next(iter(option))}: a float32 model is an open tree"):
            kg.compile(tree, dtype="float32", **option)
    with pytest.raises(kg.ModelError, match=r"'float32': '.*' closes a loop by joint .*compile without dtype"):
        kg.compile("examples/fourbar.toml", dtype="float32")
    with pytest.raises(kg.ModelError, match=r"no kernel 'simulate' of float32"):
        kg.generate(tree, selection=Selection(("bias", "simulate"), dtype="float32"))
    with pytest.raises(kg.ModelError, match="of float32 there are no others: compile without dtype"):
        models("free")[0].kernel("frame_jacobian")


@pytest.mark.parametrize("mass", [1e-41, 1e39])
def test_descriptions_that_floats_do_not_hold(mass: float) -> None:
    ball = kg.Mechanism("ball", [kg.Link("ball", mass)], [kg.Joint("slide", "prismatic", "world", "ball")])
    with pytest.raises(kg.ModelError, match=r"beyond the numbers of single precision.*compile without dtype"):
        kg.generate(ball, selection=Selection(dtype="float32"))
    assert kg.generate(ball, selection=Selection(("bias",)))
