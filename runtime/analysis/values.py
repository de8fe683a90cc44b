"""Records that hold arrays are equal where all that they hold is, entry by entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

R = TypeVar("R")


def by_value(record: type[R]) -> type[R]:
    """A dataclass whose `==` compares arrays too: Python's own asks whether an array is true."""

    def __eq__(self: object, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        held = [field.name for field in fields(record) if field.compare]  # type: ignore[arg-type]  # a dataclass
        return self is other or all(same(getattr(self, name), getattr(other, name)) for name in held)

    record.__eq__ = __eq__  # type: ignore[method-assign]
    return record


def same(a: Any, b: Any) -> bool:
    """Whether two values are, arrays by shape and entries, NaN as itself, errors by type and what they say."""
    if hasattr(a, "__array__") or hasattr(b, "__array__"):
        return _same_arrays(a, b)
    if isinstance(a, (list, tuple)) and type(a) is type(b):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    if isinstance(a, Exception) and type(a) is type(b):
        return same((a.args, vars(a)), (b.args, vars(b)))
    return bool(a == b)


def _same_arrays(a: Any, b: Any) -> bool:
    try:
        x, y = np.asarray(a), np.asarray(b)
    except ValueError:  # ragged
        return False
    if x.dtype.names and x.dtype == y.dtype:  # fields, which may hold arrays again
        return all(_same_arrays(x[name], y[name]) for name in x.dtype.names)
    if x.shape != y.shape or not {x.dtype.kind, y.dtype.kind} <= set("biufc"):
        return x.shape == y.shape and bool(x.tolist() == y.tolist())
    return bool(np.array_equal(x, y, equal_nan=True))
