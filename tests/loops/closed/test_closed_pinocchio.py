"""Closed forward dynamics against Pinocchio's constrained dynamics, for the loops that it knows: welds and balls."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import kinegen as kg
from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime import Model
from support.mechanisms.closed_families import BY_NAME, family_model
from support.mechanisms.closed_mechanisms import Closed, stewart
from support.oracles.numeric import Array, error
from support.oracles.pinocchio_constraints import constrained


def pinocchio_acceleration(mechanism: Mechanism, q: Array, v: Array, tau: Array) -> Array:
    oracle, models, data = constrained(mechanism)
    settings = pin.ProximalSettings(1e-13, 1e-12, 100)
    return np.asarray(
        pin.constraintDynamics(oracle.model, oracle.data, oracle.q(q), v, tau, models, data, settings)
    ).copy()


def assert_agrees(closed: Closed, model: Model, seed: int) -> None:
    rng = np.random.default_rng(seed)
    split = model.closure.split(closed.q)
    v = split.W() @ rng.normal(size=len(split.independent))
    tau = rng.normal(size=model.nv)
    expected = pinocchio_acceleration(closed.mechanism, closed.q, v, tau)
    assert error(model.forward_dynamics(closed.q, v, tau), expected) < 1e-9


@pytest.mark.parametrize("name", ["weld", "ball"])
def test_families(name: str) -> None:
    model = family_model(name)
    for seed in range(20):
        closed, values = BY_NAME[name].drawn(seed)
        assert_agrees(closed, model.with_parameters(values), seed)


def test_stewart_platform() -> None:
    mechanism = stewart()
    model = kg.compile(mechanism)
    for seed, q in enumerate(model.random(0, size=5)):
        assert_agrees(Closed(mechanism, q), model, seed)
