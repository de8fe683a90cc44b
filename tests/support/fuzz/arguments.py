"""Calls of everything public with arguments that nobody would give, made from the annotations.

Every call starts from one that works (CALLS); one or two of its arguments are replaced by values that their annotation
names or that it does not. A KinegenError is right, and a TypeError where a value is of another type than annotated.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sympy

import kinegen as kg

from .seeds import EXAMPLES

NAN, INF = float("nan"), float("inf")
NUMBERS = (0, -1, 1, 2.5, NAN, INF, -INF, 1e308, -1e300, 1e-320, 10**400, 10**5000, True, np.float32(2), np.int8(-1))
ARRAYS = (
    *((), (0.0,), (0, 0, 0), (1.0, NAN, 0.0), (1e300,) * 3, [[1, 0, 0]] * 3, [[]], [[1], [2, 3]], ["a", "b", "c"]),
    *(
        np.zeros(0),
        np.zeros(1),
        np.zeros(3),
        np.eye(3),
        np.eye(4),
        np.zeros((0, 3)),
        np.full(3, INF),
        np.zeros((2, 2, 2)),
    ),
    *(
        np.zeros(3, complex),
        np.array(["a"]),
        np.array([None, 1]),
        np.ma.masked_array([1.0], [True]),
        np.zeros(3, ">f4"),
    ),
)
TEXTS = ("", " ", "a", "world", "a\0b", "x" * 300, "ü", "\n", "../a", "a.toml", "m/0")
SYMBOLS = (sympy.Symbol("m"), sympy.Symbol("w", imaginary=True), sympy.oo, sympy.nan, sympy.zoo, sympy.I, sympy.pi)
OTHERS = (None, object(), {}, {"a": 1}, {1: 2}, set(), b"a", range(3), lambda: None, Path("a"), slice(None), [None])
POOLS: dict[str, tuple[Any, ...]] = {
    "float": NUMBERS,
    "int": NUMBERS,
    "Number": (*NUMBERS, *SYMBOLS),
    "Vector": (*ARRAYS, *SYMBOLS),
    "Matrix": ARRAYS,
    "Array": ARRAYS,
    "Sequence": (*ARRAYS, *TEXTS),
    "str": TEXTS,
    "Path": TEXTS,
    "bool": (True, False, 0, "yes"),
    "Any": (*NUMBERS, *ARRAYS, *TEXTS, *OTHERS),
}
"""Values by a word of an annotation."""
STRANGE = (*NUMBERS, *ARRAYS, *TEXTS, *SYMBOLS, *OTHERS)


@cache
def pendulum() -> kg.Mechanism:
    return kg.load(EXAMPLES / "double_pendulum.urdf")


@cache
def model() -> kg.Model:
    return kg.compile(pendulum(), progress=False)


@cache
def trajectory() -> kg.Trajectory:
    return kg.Simulator(model()).run(0.01)


def markers() -> kg.Markers:
    return kg.Markers("lab", np.arange(30) / 100, ("a", "b", "c"), np.random.default_rng(0).normal(size=(30, 3, 3)))


def plate() -> kg.PlateRecord:
    n = np.ones((30, 3))
    return kg.PlateRecord("lab", "p", np.arange(30) / 100, n, n, n)


Call = tuple[Callable[..., Any], tuple[Any, ...]]
STATE = (np.zeros(2), np.zeros(2), np.zeros(2))


@cache
def calls() -> dict[str, Call]:
    """Name → function and arguments that work."""
    m, sim, run = model(), kg.Simulator(model()), trajectory()
    one = {"joint": kg.revolute(axis=(0, 1, 0)), "link": kg.Link("l", 1.0, (0, 0, 1), kg.inertia.sphere(1.0, 0.1))}
    made: dict[str, Call] = {
        "Link": (kg.Link, ("l", 1.0, (0, 0, 1), (1, 0, 0, 1, 0, 1), [kg.sphere(0.1)])),
        "Joint": (kg.Joint, ("j", "revolute", "world", "l", kg.Pose(), kg.Pose(), (0, 0, 1))),
        "Pose": (kg.Pose, ((0, 0, 1), (0.1, 0, 0))),
        "Frame": (kg.Frame, ("f", "l", kg.Pose())),
        "Mimic": (kg.Mimic, ("j", 1.0, 0.0)),
        "Mechanism": (kg.Mechanism, ("m", [one["link"]], [kg.Joint("j", "revolute", "world", "l")], (0, 0, -9.81))),
        "combine": (kg.combine, ("m", pendulum())),
        "merge_fixed": (kg.merge_fixed, (pendulum(),)),
        "Connection": (kg.Connection, ("c", "upper", "world", one["joint"])),
        "sphere": (kg.sphere, (0.1,)),
        "box": (kg.box, ((1, 2, 3),)),
        "capsule": (kg.capsule, (0.1, 1.0)),
        "cylinder": (kg.cylinder, (0.1, 1.0)),
        "convex": (kg.convex, (np.eye(4)[:, :3],)),
        "height_field": (kg.height_field, (np.zeros((3, 3)), (1.0, 1.0))),
        "mesh": (kg.mesh, ("a.stl",)),
        "plane": (kg.plane, ()),
        "inertia.box": (kg.inertia.box, (1.0, (1, 2, 3))),
        "inertia.capsule": (kg.inertia.capsule, (1.0, 0.1, 1.0, (0, 0, 1))),
        "ContactOptions": (kg.ContactOptions, (1e-5, 120, 1e-4, 0.2, 0.5, 0.05)),
        "Surface": (kg.Surface, (0.5, 0.1)),
        "load": (kg.load, (EXAMPLES / "double_pendulum.urdf",)),
        "Smoothing": (kg.Smoothing, (6.0, 9, 8)),
        "Markers": (kg.Markers, ("lab", np.arange(3.0), ("a",), np.zeros((3, 1, 3)))),
        "Markers.of": (markers().of, (["a"],)),
        "Markers.filled": (markers().filled, (3,)),
        "Markers.low_passed": (markers().low_passed, (6.0,)),
        "Markers.between": (markers().between, (0.0, 0.1)),
        "fit_cluster": (kg.fit_cluster, (markers(), {"a": (0, 0, 0), "b": (1, 0, 0), "c": (0, 1, 0)})),
        "PlateRecord": (kg.PlateRecord, ("lab", "p", np.arange(3.0), *(np.zeros((3, 3)),) * 3)),
        "PlateRecord.on": (plate().on, ("l", [0.1, 0.2])),
        "PlateRecord.shifted": (plate().shifted, (0.1,)),
        "PlateRecord.low_passed": (plate().low_passed, (6.0,)),
        "BodySegment": (kg.BodySegment, ("s", 1.0, np.eye(3), None, "", (0, 0, 0), (0, 0, 0))),
        "Wrench": (kg.Wrench, ("w", "l", (0, 0, 1), (0, 0, 0), (0, 0, 0))),
        "Trajectory": (kg.Trajectory, (run.t, run.q, run.v, run.tau)),
        "Trajectory.joint": (run.joint, ("elbow",)),
        "Simulator": (lambda *a, **k: kg.Simulator(m, *a, **k), ()),
        "Simulator.step": (lambda n: kg.Simulator(m).step(n), (1,)),
        "Simulator.wrench": (sim.wrench, ("a",)),
        "Model.with_parameters": (m.with_parameters, ({},)),
        "Model.with_independent": (m.with_independent, (["shoulder"],)),
        "Model.random": (m.random, (0,)),
        "Model.frame_pose": (m.frame_pose, (STATE[0], "lower")),
        "Model.frame_jacobian": (m.frame_jacobian, (STATE[0], "lower")),
        "Model.q_slice": (m.q_slice, ("elbow",)),
        "Model.torque_terms": (m.torque_terms, STATE),
        "distance": (kg.distance, ("upper", "lower")),
        "force": (kg.force, ("c",)),
    }
    for name in ("rnea", "aba", "crba", "bias", "gravity", "link_poses", "com", "com_jacobian", "energy", "integrate"):
        count = {"rnea": 3, "aba": 3, "bias": 2, "energy": 2, "integrate": 2}.get(name, 1)
        made[f"Model.{name}"] = (getattr(m, name), STATE[:count])
    for name in (
        "W",
        "H",
        "S",
        "assemble",
        "project",
        "dependent_motion",
        "closure_residual",
        "partition",
        "difference",
    ):
        count = {"project": 2, "dependent_motion": 3, "difference": 2}.get(name, 1)
        made[f"Model.{name}"] = (getattr(m, name), STATE[:count])
    return made


def hostile(rng: random.Random, name: str) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """A call with one or two strange arguments, and now and then a strange option."""
    function, good = calls()[name]
    parameters = list(inspect.signature(function).parameters.values())
    given, options = list(good), {}
    for _ in range(rng.choice([1, 1, 2])):
        if given and rng.random() < 0.75:
            at = rng.randrange(len(given))
            given[at] = _value(rng, parameters[min(at, len(parameters) - 1)])
            continue
        named = [p for p in parameters[len(given) :] if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if named:
            option = rng.choice(named)
            options[option.name] = _value(rng, option)
    return function, tuple(given), options


def _value(rng: random.Random, parameter: inspect.Parameter) -> Any:
    """Of the annotated kind three times in four, else anything."""
    pool = [x for word, values in POOLS.items() if word in str(parameter.annotation) for x in values]
    return rng.choice(pool) if pool and rng.random() < 0.75 else rng.choice(STRANGE)
