"""Random closed mechanisms: rank, H and dH/dt, inverse and forward dynamics against multipliers written apart."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model
from kinegen.runtime.model.closed.closure import Split
from support.mechanisms.closed_families import BY_NAME, ROUTES, family_model
from support.mechanisms.closed_mechanisms import Closed, one_loop, planar_closed, random_closed
from support.oracles.kkt import Multipliers
from support.oracles.numeric import Array, Reference, error

MEMBERS = [seed if seed < 4 else pytest.param(seed, marks=pytest.mark.sweep) for seed in range(22)]
COVERED = ("turning", "cross", "gimbal", "cartesian")
"""Kinds that are among the numbers here, or close loops in tests/rows; turning is a hinge without limits."""
NAMES = [pytest.param(name, marks=pytest.mark.sweep if name in COVERED else ()) for name in BY_NAME]
NUMERIC = {
    **{f"spatial, {kind}": (one_loop, (kind,)) for kind in ("prismatic", "universal")},
    "spatial, helical": (random_closed, (1, ("helical",))),
    "two loops": (random_closed, (30, ("spherical", "universal"))),
    "floating, two loops": (random_closed, (31, ("revolute", "spherical"))),
    **{f"planar-{n}": (planar_closed, (n, n)) for n in (1, 2, 3, 4)},
}

MORE = (
    *("planar-2", "planar-3", "planar-4", "spatial, prismatic", "spatial, universal", "spatial, helical"),
    "floating, two loops",
)


@cache
def numeric_case(name: str) -> tuple[Closed, Model]:
    make, arguments = NUMERIC[name]
    options = {"root": "free"} if name.startswith("floating") else {}
    closed = make(*arguments, **options)
    return closed, Model.load(compile_mechanism(closed.mechanism, selection=ROUTES))


def member(name: str, seed: int) -> tuple[Closed, Model]:
    closed, values = BY_NAME[name].drawn(seed)
    return closed, family_model(name).with_parameters(values)


def on_closure(model: Model, closed: Closed, seed: int) -> tuple[Split, Array, Multipliers]:
    """The split at the closed configuration, a velocity on the closure, and the oracle there."""
    split = model.closure.split(closed.q)
    v = split.W() @ np.random.default_rng(seed).normal(size=len(split.independent))
    cut = [model.loop_joint(loop.joint.name, closed.q)[0] for loop in closed.mechanism.virtual_links]
    return split, v, Multipliers(closed.mechanism, closed.q, v, cut)


def assert_agrees(closed: Closed, model: Model, seed: int) -> None:
    split, v, oracle = on_closure(model, closed, seed)
    q, nv = closed.q, model.nv
    assert np.abs(model.closure_residual(q)).max() < 1e-12
    for loop, virtual in zip(oracle.loops(), closed.mechanism.virtual_links, strict=True):
        assert error(loop.pose, np.eye(4)) < 1e-9  # the cut joint's coordinates put its two sides together
        assert error(model.loop_joint(virtual.joint.name, q, v)[1], loop.u) < 1e-9
    motions = oracle.null_space()
    assert len(split.independent) == motions.shape[1]
    reached = split.W() @ motions[list(split.independent)]
    assert error(reached, motions[:nv]) < 1e-9
    both = np.concatenate([v, *(loop.u for loop in oracle.loops())])
    assert np.abs(model.closure_jacobian(q) @ both).max() < 1e-10

    tau = np.random.default_rng([seed, 1]).normal(size=nv)
    expected = oracle.forward_dynamics(tau)
    for method in (None, "reduced", "unit_vector"):
        assert error(model.forward_dynamics(q, v, tau, method=method), expected) < 1e-9, method
    accelerations = np.concatenate([expected, np.zeros(both.size - nv)])
    if both.size == nv:  # no coordinates in the cut joints: their accelerations are not needed
        assert error(model.closure_jacobian(q) @ accelerations, -model.closure_bias(q, v)) < 1e-9
    force = Reference(closed.mechanism, q, v).inverse_dynamics(expected)
    assert error(split.W().T @ force, split.W().T @ tau) < 1e-9


@pytest.mark.parametrize("seed", MEMBERS)
@pytest.mark.parametrize("name", NAMES)
def test_families_against_multipliers(name: str, seed: int) -> None:
    assert_agrees(*member(name, seed), seed)


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.sweep if n in MORE else ()) for n in NUMERIC])
def test_numbers_against_multipliers(name: str) -> None:
    """With numbers instead of symbols the forward dynamics is straight-line for a fixed partition."""
    closed, model = numeric_case(name)
    assert_agrees(closed, model, 5)
    routes = {kernel.name: kernel.route for kernel in model.manifest.kernels}
    assert routes["forward_dynamics"] == "specialised"


def moved(model: Model, q: Array, v: Array, split: Split, time: float) -> Array:
    """q after `time` at v, the independent entries as they are, the dependent ones assembled."""
    names = [f"{j.name}[{i}]" if j.nv > 1 else j.name for j in model.manifest.joints for i in range(j.nv)]
    return model.assemble(model.integrate(q, time * v), hold=[names[i] for i in split.independent])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_H_against_assembled_configurations(name: str, seed: int) -> None:
    closed, model = member(name, seed)
    split, _, _ = on_closure(model, closed, seed)
    W, step = split.W(), 1e-5
    for column, independent in enumerate(split.independent):
        unit = np.zeros(model.nv)
        unit[independent] = 1.0
        after, before = (moved(model, closed.q, unit, split, t) for t in (step, -step))
        rate = (model.difference(closed.q, after) - model.difference(closed.q, before)) / (2 * step)
        assert error(rate, W[:, column]) < 1e-6


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_rate_of_H_against_assembled_configurations(name: str, seed: int) -> None:
    closed, model = member(name, seed)
    split, v, _ = on_closure(model, closed, seed)
    model = model.with_independent([model.partition(closed.q).independent[i] for i in range(len(split.independent))])
    independent, step = list(split.independent), 1e-5
    rates = []
    for t in (step, -step):
        q = moved(model, closed.q, v, split, t)
        rates.append(model.closure.led_by(q, split.independent).W() @ v[independent])
    expected = (rates[0] - rates[1]) / (2 * step)
    found = model.dependent_motion(closed.q, v)[1]
    assert error(found, expected) < 1e-6


def test_specialised_and_generic_agree_along_a_motion() -> None:
    _, model = numeric_case("two loops")
    rng = np.random.default_rng(3)
    for q in model.random(rng, size=20):
        split = model.closure.split(q)
        v = split.W() @ rng.normal(size=len(split.independent))
        tau = rng.normal(size=model.nv)
        expected = model.forward_dynamics(q, v, tau, method="reduced")
        assert error(model.forward_dynamics(q, v, tau), expected) < 1e-9
        assert error(model.forward_dynamics(q, v, tau, method="unit_vector"), expected) < 1e-9


def test_batches_are_single_calls() -> None:
    _, model = numeric_case("planar-2")
    q = model.random(0, size=7)
    v, a = model.dependent_motion(q, np.ones(model.nv))
    tau = np.random.default_rng(0).normal(size=(7, model.nv))
    together = model.forward_dynamics(q, v, tau)
    for i in range(7):
        assert np.array_equal(together[i], model.forward_dynamics(q[i], v[i], tau[i]))
        assert error(model.W(q)[i], model.W(q[i])) == 0.0
    assert np.abs(np.einsum("bij,bj->bi", model.kernel("closure_rows")(q), v)).max() < 1e-10
    drift = np.einsum("bij,bj->bi", model.kernel("closure_rows")(q), a) + model.kernel("closure_rows_bias")(q, v)
    assert np.abs(drift).max() < 1e-9 * max(1.0, float(np.abs(a).max()))
