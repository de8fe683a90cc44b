"""Arguments of public functions are of the types that are annotated, or a ModelError names the one that is not.

Python checks no annotation, so that a value of another type fails somewhere below, with an error that names neither the
argument nor the remedy. `typed` looks first. It takes what the annotation says as text: names, `X | Y`, `X[Y]`. Numbers
and arrays are accepted here; their shapes and values are checked where they are used (`arguments.py`).
"""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sized
from functools import cache, wraps
from typing import Any, ParamSpec, TypeGuard, TypeVar

import numpy as np

from .errors import ModelError, instead_of_floats, shown

P = ParamSpec("P")
R = TypeVar("R")
Test = Callable[[Any], bool]
NUMBERS = ("int", "float", "Number", "Vector", "VectorLike", "Matrix", "MatrixLike", "Array", "ArrayLike")
UNIONS = (
    *("Any", "object", "Self", "Counts", "Records", "Torques", "Wrenches", "Course", "ShapeKind", "Combine", "Form"),
    "Target",
)
ANYTHING = frozenset((*NUMBERS, *UNIONS))
"""What is looked at where it is used: numbers, arrays and unions that have a name."""
NAMED = {"Start": "Mapping[str, Any]", "Told": "Callable", "Controller": "Callable", "WrenchController": "Callable"}
"""Names of other annotations."""
CHOICE = re.compile(r"Literal\[([^\[\]]*)\]")
REMEDY = {
    "Mechanism": "kg.load(path) reads one from a file",
    "Model": "kg.compile(mechanism) makes one",
    "Start": "write {'joint': 0.3}",
    "Sequence[str]": "write ['a', 'b']",
}


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, or a class by its constructor, with its arguments looked at first."""
    if isinstance(function, type):
        function.__init__ = typed(function.__init__)  # type: ignore[misc]
        return function
    parameters = inspect.signature(function).parameters
    about = {p.name: str(p.annotation) for p in parameters.values() if _says(p)}
    names = [p.name for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    variadic = next((p.name for p in parameters.values() if p.kind is p.VAR_POSITIONAL), None)
    placed = [(i, name) for i, name in enumerate(names) if name in about]

    @wraps(function)
    def looked_at(*args: P.args, **options: P.kwargs) -> R:
        for i, name in placed:
            if i < len(args):
                _check(function, about, name, args[i])
        for value in args[len(names) :]:
            _check(function, about, variadic, value)
        for name, value in options.items():
            _check(function, about, name, value)
        return function(*args, **options)

    return looked_at


def _says(p: inspect.Parameter) -> bool:
    """Its annotation leaves out something."""
    if not isinstance(p.annotation, str) or p.kind is p.VAR_KEYWORD:
        return False
    return ANYTHING.isdisjoint(part.strip() for part in p.annotation.split("|"))


def _check(function: Callable[..., Any], about: Mapping[str, str], name: str | None, value: Any) -> None:
    if name is None or name not in about or _test(about[name])(value):
        return
    said = next((remedy for kind, remedy in REMEDY.items() if kind in about[name]), "")
    if isinstance(value, str) and "[str]" in about[name]:
        said = f"write [{shown(value)}]"
    said = instead_of_floats(value) or said
    where = function.__qualname__.removesuffix(".__init__")
    expected = CHOICE.sub(lambda found: f"one of {found.group(1)}", about[name]).replace('"', "'")
    expected = " | ".join(NAMED.get(part, part) for part in expected.split(" | "))
    raise ModelError(f"{where}: {name}: expected {expected}, got {shown(value)}{said and '; '}{said}")


@cache
def _test(annotation: str) -> Test:
    return _of(ast.parse(annotation, mode="eval").body)


def _of(node: ast.expr) -> Test:
    """Whether a value is of the annotated type."""
    match node:
        case ast.BinOp(left=left, right=right):
            first, second = _of(left), _of(right)
            return lambda value: first(value) or second(value)
        case ast.Constant(value=None):
            return lambda value: value is None
        case ast.Subscript(value=of, slice=ast.Tuple(elts=parts)):
            return _holding(_last(of), parts)
        case ast.Subscript(value=of, slice=part):
            return _holding(_last(of), [part])
    return _plain(_last(node))


def _last(node: ast.expr) -> str:
    """Generator of np.random.Generator."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else "Any"


def _plain(name: str) -> Test:
    if name in NAMED:
        return _test(NAMED[name])
    tests: dict[str, Test] = {
        **dict.fromkeys(ANYTHING, _any),
        "str": lambda value: isinstance(value, str),
        "bool": lambda value: isinstance(value, bool | np.bool_) or (type(value) is int and value in (0, 1)),
        "Callable": callable,
        **dict.fromkeys(("Path", "PathLike"), _is_path),
    }
    # by name, since what is annotated is often imported for type checkers only
    return tests.get(name, lambda value: any(kind.__name__ == name for kind in type(value).__mro__))


def _any(value: Any) -> bool:
    return True


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


def _holding(name: str, parts: list[ast.expr]) -> Test:
    """X[Y]: what is looked through at once; an iterator, which is used up by that, is not."""
    if name == "Literal":
        allowed = [part.value for part in parts if isinstance(part, ast.Constant)]
        return lambda value: isinstance(value, str) and value in allowed
    if name in ("Callable", "PathLike"):
        return _plain(name)
    inner = [_of(part) for part in parts if not isinstance(part, ast.Constant) or part.value is None]
    if name in ("Mapping", "dict"):
        key, held = inner
        return lambda value: isinstance(value, Mapping) and all(key(k) and held(x) for k, x in value.items())
    return _many(inner, Iterable if name == "Iterable" else Collection)


def _many(inner: list[Test], kind: type) -> Test:
    """Several values, each of the last of these types if there are more values than types."""
    last = len(inner) - 1

    def test(value: Any) -> bool:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, kind):
            return False
        if isinstance(value, np.ndarray) and value.ndim == 0:
            return False
        if inner[0] is _any or not isinstance(value, Collection):
            return True
        many: Collection[Any] = value
        return all(inner[min(i, last)](x) for i, x in enumerate(many))

    return test


def is_series(value: object) -> TypeGuard[Iterable[Any]]:
    """It has entries, one after the other, as SymPy's matrices have: no single value, and no array without axes."""
    several = isinstance(value, Iterable) or (hasattr(value, "__len__") and hasattr(value, "__getitem__"))
    return several and getattr(value, "ndim", 1) != 0


def is_empty(value: object) -> bool:
    """It has no entries."""
    return is_series(value) and isinstance(value, Sized) and len(value) == 0
