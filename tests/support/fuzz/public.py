"""Everything public that can be called: the names of `kinegen` and `kinegen.runtime`, and what their classes do.

Classes are those that have such names, and those of the results that public functions give, found by their
annotations. Of a class: its methods, its operators ("Pose.__mul__"), and what may be assigned ("Simulator.q =").
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from types import ModuleType
from typing import Any

import kinegen as kg
import kinegen.runtime
from kinegen.homes import HOMES, MODULES
from kinegen.runtime.parts import PartInput, PartMethod, PartProperty

VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_FREE = (staticmethod, classmethod)
_BORN = ("__init__", "__new__", "__post_init__")
_PYTHONS = ("__eq__", "__ne__", "__setattr__", "__delattr__", "__setstate__", "__deepcopy__", "__class_getitem__")
"""What takes an argument, and is Python's own business."""


@dataclass(frozen=True)
class Public:
    """A function, a class, or something that a class does: `owner` is the class that this needs a receiver of."""

    name: str
    function: Callable[..., Any]
    owner: str = ""
    free: bool = False
    """Whether it has no `self`."""

    @property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """Those of a call, without `self`."""
        found = tuple(inspect.signature(self.function).parameters.values())
        return found[1:] if self.owner and not self.free else found

    def bound(self, receiver: Any) -> Callable[..., Any]:
        if not self.owner:
            return self.function
        attribute = self.name.rpartition(".")[2]
        if attribute.endswith(" ="):
            return partial(_assign, receiver, attribute.removesuffix(" ="))
        found: Callable[..., Any] = getattr(receiver, attribute)
        return found


def _assign(receiver: Any, attribute: str, value: Any) -> None:
    setattr(receiver, attribute, value)


@cache
def everything() -> dict[str, Public]:
    """By name, such as "load", "inertia.box", "Model.aba", "runtime.load"."""
    found = [item for name, value in _roots().items() for item in _of(name, value)]
    found += [item for name, owner in results().items() for item in _done_by(name, owner)]
    here = {item.function for item in found if item.owner and not item.name.startswith("runtime.")}
    found = [item for item in found if not (item.name.startswith("runtime.") and item.function in here)]
    return {item.name: item for item in sorted(found, key=lambda item: item.name)}


@cache
def owners() -> dict[str, type]:
    """Public classes, and those of results, by the names by which methods are told."""
    return {name: value for name, value in _roots().items() if inspect.isclass(value)} | results()


@cache
def results() -> dict[str, type]:
    """Classes without a public name whose objects come from public functions, properties or each other's methods."""
    known = [value for value in _roots().values() if inspect.isclass(value)]
    asked = [item.function for name, value in _roots().items() for item in _of(name, value)]
    asked += [getter for owner in known for getter in _getters(owner)]
    found: dict[str, type] = {}
    while asked:
        for given in _given_by(asked.pop()):
            if given in known:
                continue
            known.append(given)
            if [*_done_by(given.__name__, given)]:
                assert given.__name__ not in found, f"two results are called {given.__name__}"
                found[given.__name__] = given
            asked += [*(item.function for item in _done_by(given.__name__, given)), *_getters(given)]
    return found


def _roots() -> dict[str, Any]:
    """What has a public name. `kinegen.runtime` has some names of `kinegen` for functions and classes of its own."""
    found = {
        name: getattr(kg, name)
        for name in sorted({*kg.__all__, *MODULES, *(name for names in HOMES.values() for name in names)})
    }
    inner = {name: getattr(kinegen.runtime, name) for name in kinegen.runtime.__all__}
    return found | {f"runtime.{name}": value for name, value in inner.items() if value is not found.get(name)}


def _of(name: str, value: Any) -> Iterator[Public]:
    if isinstance(value, ModuleType):
        for key, inner in vars(value).items():
            if inspect.isfunction(inner) and inner.__module__ == value.__name__ and not key.startswith("_"):
                yield Public(f"{name}.{key}", inner)
        return
    yield Public(name, value)
    if inspect.isclass(value):
        yield from _done_by(name, value)


def _done_by(name: str, owner: type) -> Iterator[Public]:
    """Methods, operators that take something, what may be assigned."""
    for key, value in sorted(_members(owner).items()):
        if _may_be_assigned(value):
            yield Public(f"{name}.{key} =", _setter(value), name)
        elif inspect.isfunction(value) or isinstance(value, (*_FREE, PartMethod)):
            found = Public(f"{name}.{key}", getattr(owner, key), name, isinstance(value, _FREE))
            if not key.startswith("_") or found.parameters:
                yield found


def _members(owner: type) -> dict[str, Any]:
    """What our classes among its bases bring, but for what Python itself calls."""
    found: dict[str, Any] = {}
    for home in owner.__mro__:
        if home.__module__.partition(".")[0] == "kinegen":
            found = {**vars(home), **found}
    skipped = (*_BORN, *_PYTHONS)
    return {
        key: value
        for key, value in found.items()
        if key not in skipped and (not key.startswith("_") or (key.startswith("__") and inspect.isfunction(value)))
    }


def _may_be_assigned(value: Any) -> bool:
    return isinstance(value, PartInput) or (isinstance(value, property) and value.fset is not None)


def _setter(value: Any) -> Callable[..., Any]:
    found: Callable[..., Any] = (value.of if isinstance(value, PartInput) else value).fset
    return found


def _getters(owner: type) -> Iterator[Callable[..., Any]]:
    """Of properties."""
    for value in _members(owner).values():
        inner = value.of if isinstance(value, PartProperty) else value
        getter = getattr(inner, "fget", None) or getattr(inner, "func", None)
        if getter is not None:
            yield getter


def _given_by(function: Callable[..., Any]) -> Iterator[type]:
    """Our classes in the annotation of what a function gives."""
    if inspect.isclass(function):
        return
    for kind in kinds_in(parsed(inspect.signature(function).return_annotation)):
        found = _meant(inspect.unwrap(function).__module__, kind)
        if inspect.isclass(found) and found.__module__.partition(".")[0] == "kinegen":
            yield found


def _meant(module: str, name: str) -> Any:
    """What an annotation in that module means by a name, which may be imported for types alone."""
    home = sys.modules[module]
    if hasattr(home, name):
        return getattr(home, name)
    for node in _imports(module):
        if name in (alias.asname or alias.name for alias in node.names):
            written = next(alias.name for alias in node.names if (alias.asname or alias.name) == name)
            source = importlib.import_module("." * node.level + (node.module or ""), home.__package__)
            return getattr(source, written)
    return None


@cache
def _imports(module: str) -> tuple[ast.ImportFrom, ...]:
    """All `from ... import` in its text."""
    nodes = ast.walk(ast.parse(inspect.getsource(sys.modules[module])))
    return tuple(node for node in nodes if isinstance(node, ast.ImportFrom))


def parsed(annotation: object) -> ast.expr:
    """The annotation as an expression: names, `X[Y, ...]`, `X | Y`, None; anything if there is none."""
    text = annotation if isinstance(annotation, str) else "Any"
    return ast.parse(text, mode="eval").body


def kinds_in(node: ast.expr) -> Iterator[str]:
    """Names of types in an annotation, such as Sequence and float; not what a Literal or a Callable holds."""
    match node:
        case ast.BinOp(left=left, right=right):
            yield from kinds_in(left)
            yield from kinds_in(right)
        case ast.Subscript(value=value, slice=inner):
            yield from kinds_in(value)
            if last(value) not in ("Literal", "Callable"):
                for part in inner.elts if isinstance(inner, ast.Tuple) else [inner]:
                    yield from kinds_in(part)
        case ast.Name() | ast.Attribute():
            yield last(node)


def last(node: ast.expr) -> str:
    """Generator of np.random.Generator."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
