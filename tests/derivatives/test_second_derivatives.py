"""Second derivatives of trees: fifty digits, the compiled loops at every width, Pinocchio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pinocchio as pin
import pytest

import kinegen as kg
from kinegen.codegen.build import build_with
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.symbolic.functions import derive
from kinegen.runtime import Model
from kinegen.runtime.derivatives.differences import differences as rates
from support.drawn.verdict import toolchain
from support.mechanisms.robots import FOLDER
from support.oracles.digits import DIGITS, differences, tangent, unit_rotations
from support.oracles.mechanisms import random_state
from support.oracles.numeric import Array, error
from support.oracles.pinocchio_oracle import to_pinocchio
from support.oracles.random_cases import SMALL, random_case
from support.processors import targets

KERNELS = (
    "inverse_second_derivatives",
    "inverse_weighed_derivatives",
    "inverse_derivatives",
    "forward_derivatives",
    "inverse_dynamics",
    "forward_dynamics",
    "integrate",
)
SHIFT = 5e-3
"""Of differences of order eight: half of it, or twice, leaves more (rounding; the rates of order nine of M⁻¹)."""
EXACT = ("two_planar", "two_free", "mimics", "rotors")
MORE = [name for name in SMALL if name not in (*EXACT, "mixed9", "mixed12", "two_gimbal", "skewed")]


def small(mechanism: Mechanism, processor: tuple[str, ...] = ()) -> Model:
    """The model with these kernels, for this machine or by the compiler's flags for another."""
    tools, sources = toolchain(), generate(mechanism, contacts=False, selection=Selection(KERNELS))
    return Model.load(build_with(sources, replace(tools, architecture=processor or tools.architecture)))


@pytest.mark.parametrize("name", [*EXACT, *(pytest.param(name, marks=pytest.mark.sweep) for name in MORE)])
def test_fifty_digits(name: str) -> None:
    """Every entry against differences of the first derivatives at fifty digits, in all directions."""
    tree, model = random_case(name), small(random_case(name))
    q, v, a, _ = random_state(tree, np.random.default_rng(3))
    found = model.inverse_dynamics_second_derivatives(q, v, a)
    first, n = derive(tree, "inverse_derivatives"), model.nv
    with mpmath.workdps(DIGITS):
        given = {"q": unit_rotations(tree, q), "v": list(map(mpmath.mpf, v)), "a": list(map(mpmath.mpf, a))}
        for k in range(n):
            one = [int(j == k) for j in range(n)]
            by_q, by_v = (
                np.array(differences(first, given, way), dtype=float).reshape(3, n, n)
                for way in ({"q": tangent(tree, given["q"], k)}, {"v": one})
            )
            pairs = zip(found, (by_q[0], by_v[0], by_v[1], by_q[2]), strict=True)
            for ours, exact in pairs:
                assert np.abs(ours[:, :, k] - exact).max() <= 1e-12 * max(1.0, np.abs(ours).max())


def of_first(model: Model, q: Array, v: Array, force: Array, weights: Array, *, forward: bool) -> list[Array]:
    """Of weightsᵀτ or weightsᵀa by differences of order eight of the first derivatives."""
    first = model.forward_dynamics_derivatives if forward else model.inverse_dynamics_derivatives

    def along(part: int, at: Array, speed: Array) -> Array:
        return np.einsum("i,kij->kj", weights, np.array(first(at, speed, force))[part])

    by_q = [rates(lambda e, part=part: along(part, model.integrate(q, e), v), model.nv, SHIFT) for part in range(3)]
    by_v = [rates(lambda e, part=part: along(part, q, v + e), model.nv, SHIFT) for part in range(2)]
    return [by_q[0], by_v[0], by_v[1], by_q[2]]


@pytest.mark.parametrize("name", ["mimics", "mixed9"])
@pytest.mark.parametrize("forward", [False, True])
def test_weights_and_all(name: str, forward: bool) -> None:
    """Those of all entries, added up by weights, are the weighed ones; both are rates of the first derivatives."""
    tree, model = random_case(name), small(random_case(name))
    second = model.forward_dynamics_second_derivatives if forward else model.inverse_dynamics_second_derivatives
    for seed in range(3):
        q, v, a, tau = random_state(tree, np.random.default_rng(seed))
        weights = np.random.default_rng(seed).normal(size=model.nv)
        given = q, v, tau if forward else a
        weighed = second(*given, weights=weights)
        for ours, all_of, expected in zip(
            weighed, second(*given), of_first(model, *given, weights, forward=forward), strict=True
        ):
            scale = max(1.0, np.abs(all_of).max())
            assert np.abs(np.einsum("i,ijk->jk", weights, all_of) - ours).max() <= 1e-11 * scale
            assert np.abs(expected - ours).max() <= 1e-10 * scale


@pytest.mark.parametrize("name", ["mimics", pytest.param("mixed9", marks=pytest.mark.sweep)])
def test_every_width_of_vectors(name: str, tmp_path: Path) -> None:
    """Two, four and eight numbers at a time, and one by one as for a compiler without vectors."""
    (tmp_path / "plain.h").write_text("#include <math.h>\n#include <string.h>\n#undef __GNUC__\n")
    tree = random_case(name)
    q, v, a, _ = random_state(tree, np.random.default_rng(7))
    weights = np.random.default_rng(7).normal(size=v.size)
    processors = [*((f"-march={target}",) for target, _ in targets()), ("-include", str(tmp_path / "plain.h"))]
    models = [small(tree, processor) for processor in processors]
    for call in (
        lambda model: model.inverse_dynamics_second_derivatives(q, v, a),
        lambda model: model.inverse_dynamics_second_derivatives(q, v, a, weights=weights),
    ):
        first, *others = (np.array(call(model)) for model in models)
        assert all(error(other, first) < 1e-13 for other in others)


def test_batches_and_bad_input() -> None:
    tree, model = random_case("mixed6"), small(random_case("mixed6"))
    states = [random_state(tree, np.random.default_rng(seed)) for seed in range(6)]
    q, v, a, tau = (np.array(x).reshape(2, 3, -1) for x in zip(*states, strict=True))
    n = model.nv
    inverse, forward = model.inverse_dynamics_second_derivatives, model.forward_dynamics_second_derivatives
    for function, force in ((inverse, a), (forward, tau)):
        everything, weighed = function(q, v, force), function(q, v, force, weights=v)
        assert everything[0].shape == (2, 3, n, n, n)
        assert weighed[0].shape == (2, 3, n, n)
        one = function(q[1, 2], v[1, 2], force[1, 2])
        assert all(np.allclose(x, y[1, 2], rtol=1e-12, atol=1e-12) for x, y in zip(one, everything, strict=True))
        with pytest.raises(kg.ModelError, match="weights: expected shape"):
            function(q, v, force, weights=np.ones(n + 1))
        with pytest.raises(kg.ModelError, match="v: expected shape"):
            function(q, v[..., 1:], force)
        with pytest.raises(kg.ModelError, match=r"nan"):
            function(q[0, 0], v[0, 0], np.full(n, np.nan))


def test_inverse_dynamics_of_loops_are_those_of_the_tree() -> None:
    model = kg.compile(kg.load("examples/fourbar.toml"))
    q, still = model.q0, np.zeros(model.nv)
    assert model.inverse_dynamics_second_derivatives(q, still, still).d2tau_dqdq.shape == (model.nv,) * 3


@pytest.mark.filterwarnings("ignore")
def test_pinocchio() -> None:
    """Differences of order eight of Pinocchio's first derivatives, for Talos."""
    robot = kg.load(FOLDER / "talos_data/robots/talos_reduced.urdf", root="free", mimic="independent")
    model, oracle = small(robot), to_pinocchio(robot)
    q, v, a, tau = random_state(robot, np.random.default_rng(0))
    weights = np.random.default_rng(1).normal(size=model.nv)

    def first(part: int, force: Array, compute: Any, at: Array, speed: Array) -> Array:
        matrix = np.array(compute(oracle.model, oracle.data, oracle.q(at), speed, force)[part])
        return weights @ (np.triu(matrix) + np.triu(matrix, 1).T if part == 2 else matrix)

    def by_q(of: Callable[..., Array]) -> Array:
        return rates(lambda e: np.array([of(at=model.integrate(q, x), speed=v) for x in e]), model.nv, SHIFT)

    def by_v(of: Callable[..., Array]) -> Array:
        return rates(lambda e: np.array([of(at=q, speed=v + x) for x in e]), model.nv, SHIFT)

    for second, force, compute in (
        (model.inverse_dynamics_second_derivatives, a, pin.computeRNEADerivatives),
        (model.forward_dynamics_second_derivatives, tau, pin.computeABADerivatives),
    ):
        of_q, of_v, of_force = (partial(first, part, force, compute) for part in range(3))
        expected = by_q(of_q), by_v(of_q), by_v(of_v), by_q(of_force)
        for ours, theirs in zip(second(q, v, force, weights=weights), expected, strict=True):
            assert error(ours, theirs) < 1e-9
