"""Models of floats beside those of doubles, and states of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kinegen as kg
from kinegen.codegen.mechanism import Mechanism
from support.c.generated_samples import PARAMETERS, parametric
from support.oracles.mechanisms import random_mechanism, random_state

Array = NDArray[Any]

COUNT = 37
METHODS = {
    "inverse_dynamics": ("q", "v", "a"),
    "bias": ("q", "v"),
    "gravity": ("q",),
    "mass_matrix": ("q",),
    "forward_dynamics": ("q", "v", "tau"),
    "link_poses": ("q",),
    "com": ("q",),
    "com_jacobian": ("q",),
    "cog_bias": ("q", "v"),
    "energy": ("q", "v"),
    "momentum": ("q", "v"),
    "centroidal_momentum_matrix": ("q",),
    "momentum_rate": ("q", "v", "a"),
    "integrate": ("q", "v"),
    "difference": ("q", "other"),
}
MECHANISMS: dict[str, Callable[[], Mechanism]] = {
    "every kind": lambda: random_mechanism(165, bodies=9, mimic=0),
    "mimics": lambda: random_mechanism(5, bodies=5, kinds=["revolute", "prismatic", "helical"], mimic=0.8),
    "free": lambda: random_mechanism(4, bodies=4, kinds=["revolute", "fixed"], root="free"),
    "parameters": parametric,
}


@cache
def models(name: str) -> tuple[kg.SingleModel, kg.Model]:
    """Of floats by lanes, and of doubles."""
    mechanism = MECHANISMS[name]()
    single = kg.compile(mechanism, dtype="float32", lanes=True, progress=False)
    double = kg.compile(mechanism, contacts=False, progress=False)
    if mechanism.parameters:
        return single.with_parameters(PARAMETERS), double.with_parameters(PARAMETERS)
    return single, double


@cache
def states(name: str) -> dict[str, Array]:
    mechanism, rng = MECHANISMS[name](), np.random.default_rng(3)
    rows = [random_state(mechanism, rng) for _ in range(COUNT)]
    found = {key: np.array([row[k] for row in rows], np.float32) for k, key in enumerate(("q", "v", "a", "tau"))}
    return found | {"other": np.roll(found["q"], 1, axis=0)}


def soa(array: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(array, 0, -1))


def quaternion(model: kg.SingleModel) -> slice:
    """Where that of the free joint stands in q."""
    return slice(model.q_slice("joint0").start + 3, model.q_slice("joint0").stop)
