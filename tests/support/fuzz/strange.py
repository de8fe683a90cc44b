"""Values that nobody would give, by annotation: of the right type and wrong in other ways, or of another type."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from .public import last

NAN, INF = float("nan"), float("inf")
NUMBERS = (0, -1, 1, 2.5, NAN, INF, -INF, 1e308, -1e300, 1e-320, 10**400, 10**5000, True, np.float32(2), np.int8(-1))
ARRAYS = (
    *((), (0.0,), (0, 0, 0), (1.0, NAN, 0.0), (1e300,) * 3, [[1, 0, 0]] * 3, [[]], [[1], [2, 3]], ["a", "b", "c"]),
    *(np.zeros(0), np.zeros(1), np.zeros(3), np.eye(3), np.eye(4), np.zeros((0, 3)), np.full(3, INF)),
    *(np.zeros((2, 2, 2)), np.zeros((30, 3)), np.full((30, 3), NAN), np.arange(30.0), -np.arange(30.0)),
    *(np.zeros(3, complex), np.array(["a"]), np.array([None, 1]), np.ma.masked_array([1.0], [True])),
    *(np.zeros(3, ">f4"), np.zeros(3, "f8,i4"), np.array([2**63 - 1, -1, 0]), np.zeros((1, 0, 3))),
)
TEXTS = ("", " ", "a", "world", "a\0b", "x" * 300, "ü", "\n", "../a", "a.toml", "m/0", "upper", "elbow", "\ud800")
SYMBOLS = (sympy.Symbol("m"), sympy.Symbol("w", imaginary=True), sympy.oo, sympy.nan, sympy.zoo, sympy.I, sympy.pi)
OTHERS = (None, object(), {}, {"a": 1}, {1: 2}, set(), b"a", range(3), Path("a"), slice(None), [None], object)
SLICES = (slice(None), slice(0, 0), slice(5, -9, -1), slice(NAN), slice("a"), slice(10**30), slice(None, None, 0))
STRANGE = (*NUMBERS, *ARRAYS, *TEXTS, *SYMBOLS, *OTHERS)
LISTS = ("Sequence", "Iterable", "Collection", "tuple", "list")


FUNCTIONS: tuple[Callable[..., Any], ...] = (lambda *_: None, lambda *_: NAN, lambda *_: "a", lambda: 0, lambda *_: {})
POOLS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("float", "int"), NUMBERS),
    "Number": (*NUMBERS, *SYMBOLS),
    **dict.fromkeys(("VectorLike", "Vector"), (*ARRAYS, *SYMBOLS)),
    **dict.fromkeys(("MatrixLike", "Matrix", "ArrayLike", "Array", "Counts", "Records"), ARRAYS),
    "str": TEXTS,
    "PathLike": (*TEXTS, *map(Path, TEXTS)),
    "Path": (*TEXTS, *map(Path, TEXTS)),
    "bool": (True, False, 0, "yes"),
    "slice": SLICES,
    **dict.fromkeys(("Callable", "Controller", "WrenchController", "Told"), FUNCTIONS),
    **dict.fromkeys(("Torques", "Course"), (*ARRAYS, *FUNCTIONS, {"elbow": NAN}, {"a": 1.0}, {"elbow": "a"})),
    "Wrenches": (*ARRAYS, *FUNCTIONS, {"lower": [1.0]}, {"a": np.zeros(6)}, {"lower": "a"}, [1]),
    "Start": ({"elbow": NAN}, {"a": 1.0}, {"elbow": "a"}, {1: 2}, *OTHERS),
    "Combine": TEXTS,
    "ShapeKind": (*TEXTS, "mesh", "convex", "plane", "height_field", "capsule"),
    "Generator": (*NUMBERS, np.random.default_rng(0), np.random.RandomState(0)),
    "Event": ((0.0, "a", "b"), (NAN, "a", "b"), ("a",), (), (1, 2, 3)),
    "Any": STRANGE,
    "object": STRANGE,
    "None": (None,),
}
"""Values by the name of a type in an annotation."""


def strange(rng: random.Random, node: ast.expr, parts: dict[str, Any]) -> Any:
    """Of the annotated kind three times in four, else anything; `parts` has good values of classes, by their names."""
    if rng.random() < 0.25:
        return rng.choice(STRANGE)
    match node:
        case ast.BinOp(left=left, right=right):
            return strange(rng, rng.choice([left, right]), parts)
        case ast.Subscript(value=value, slice=inner):
            return _of_many(rng, last(value), inner.elts if isinstance(inner, ast.Tuple) else [inner], parts)
        case ast.Constant(value=None):
            return None
    name = last(node)
    if name in parts and rng.random() < 0.8:
        return damaged(rng, parts[name], parts)
    return rng.choice(POOLS.get(name, STRANGE))


def _of_many(rng: random.Random, name: str, inner: list[ast.expr], parts: dict[str, Any]) -> Any:
    if name in ("Mapping", "dict"):
        return {_key(strange(rng, inner[0], parts)): strange(rng, inner[-1], parts) for _ in range(rng.randrange(3))}
    if name in LISTS:
        found = [strange(rng, inner[0], parts) for _ in range(rng.choice([0, 1, 1, 2, 3, 17]))]
        return rng.choice([list, tuple, iter])(found)
    return rng.choice(POOLS.get(name, TEXTS))


def _key(value: Any) -> Any:
    """What can be a key stays."""
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def damaged(rng: random.Random, value: Any, parts: dict[str, Any]) -> Any:
    """A good value as it is, or with a field that its own constructor lets through."""
    if not is_dataclass(value) or isinstance(value, type) or rng.random() < 0.3:
        return value
    field = rng.choice(fields(value))
    try:
        return replace(value, **{field.name: strange(rng, ast.Name(str(field.type)), parts)})
    except (ValueError, TypeError):
        return value
