"""Records that hold arrays are equal by what they hold."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields, is_dataclass, replace
from inspect import isclass
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.analysis.values import same

ONES, BALL = np.ones(3), np.diag([0.1, 0.2, 0.3])
RECORDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "wrench": (kg.Wrench("push", "l", ONES, np.zeros((4, 3))), {"force": (1.0, 1.0, 2.0)}),
    "servo": (kg.Servo([1.0, 2.0], "damping", np.array([0.0, np.nan])), {"kp": np.array([1.0, 3.0])}),
    "segment": (kg.BodySegment("shank", 3.0, BALL), {"inertia": 2.0 * BALL}),
    "markers": (kg.Markers("walk.trc", ONES[:2], ("a",), np.zeros((2, 1, 3))), {"names": ("b",)}),
}


@pytest.mark.parametrize("record", RECORDS)
def test_copies_are_equal(record: str) -> None:
    made, other = RECORDS[record]
    changed = replace(made, **other)
    assert made == copy.deepcopy(made) and made in [changed, copy.copy(made)]
    assert made != changed and made != "text"


def test_rollouts_whose_rows_failed_are_compared_by_what_the_errors_say() -> None:
    """Errors themselves are equal to no other."""
    t, state, made = np.zeros(1), np.full((1, 1, 2), np.nan), np.zeros(1, dtype=np.int64)
    failed, other = (kg.Rollouts(t, state, state, made, {0: kg.SimulationError(said)}) for said in ("fast", "far"))
    assert failed == copy.deepcopy(failed) == pickle.loads(pickle.dumps(failed)) and failed != other
    assert not same(kg.SimulationError("fast"), kg.ModelError("fast")) and not same(kg.ModelError("fast"), "fast")


def test_templates_and_connections_of_arrays_are_compared_too() -> None:
    hinge, turned = (kg.revolute(axis=np.array(axis), damping=np.array([0.1])) for axis in ((0, 0, 1), (0, 1, 0)))
    assert hinge == kg.revolute(axis=[0, 0, 1], damping=[0.1]) and hinge != turned
    assert kg.Connection("c", "a", "b", hinge) == kg.Connection("c", "a", "b", copy.deepcopy(hinge))


def test_moments_and_contacts_of_motions_are_compared_too() -> None:
    ball = kg.Link("ball", 1.0, inertia=kg.inertia.sphere(1.0, 0.1), shapes=[kg.sphere(0.1)])
    fall = kg.Mechanism("fall", [ball], [kg.Joint("fly", "free", "world", "ball")], shapes=[kg.plane()])
    simulator = kg.Simulator(kg.compile(fall), q=[0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0], contacts=True)
    first, run = simulator.save(), simulator.run(0.01)
    assert first in [simulator.save(), copy.deepcopy(first)] and first != simulator.save()
    assert run.contacts is not None and run.contacts == copy.deepcopy(run.contacts) != run[:3].contacts


def test_every_public_record_of_arrays_is_compared_so() -> None:
    records = [kind for name in kg.__all__ if isclass(kind := getattr(kg, name)) and is_dataclass(kind)]
    held = {kind for kind in records if any("Array" in str(field.type) for field in fields(kind))}
    assert {kg.Wrench, kg.Servo, kg.Equilibrium} <= held
    assert {kind for kind in held if "by_value" not in kind.__eq__.__qualname__} == set()


def test_what_is_the_same() -> None:
    assert (
        same((1, [ONES]), (1, [ONES.copy()])) and same([1.0, 2.0], np.array([1, 2])) and same({"a": ONES}, {"a": ONES})
    )
    assert not any(same(ONES, other) for other in (np.ones(2), np.ones((1, 3)), "text", None, [[1], [1, 2]], {"a": 1}))
    assert same(np.float64(1.0), 1.0) and not same(np.float64(1.0), "k") and not same([ONES], (ONES,))
