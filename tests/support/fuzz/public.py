"""Everything public that can be called: the names of `kinegen`, and the methods of its classes."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import kinegen as kg
from kinegen.runtime.parts import PartMethod

VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class Public:
    """A function, a class, or a method of a class: `owner` is the class that a method needs a receiver of."""

    name: str
    function: Callable[..., Any]
    owner: str = ""

    @property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """Those of a call, without `self`."""
        if self.owner and not isinstance(inspect.getattr_static(getattr(kg, self.owner), self._attribute), _FREE):
            return tuple(inspect.signature(self.function).parameters.values())[1:]
        return tuple(inspect.signature(self.function).parameters.values())

    def bound(self, receiver: Any) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(receiver, self._attribute) if self.owner else self.function
        return found

    @property
    def _attribute(self) -> str:
        return self.name.rpartition(".")[2]


_FREE = (staticmethod, classmethod)


@cache
def everything() -> dict[str, Public]:
    """By name, such as "load", "inertia.box", "Model.aba"."""
    found = [item for name in kg.__all__ for item in _of(name, getattr(kg, name))]
    return {item.name: item for item in sorted(found, key=lambda item: item.name)}


def _of(name: str, value: Any) -> Iterator[Public]:
    if isinstance(value, ModuleType):
        for key, inner in vars(value).items():
            if inspect.isfunction(inner) and inner.__module__ == value.__name__ and not key.startswith("_"):
                yield Public(f"{name}.{key}", inner)
        return
    yield Public(name, value)
    if inspect.isclass(value):
        for key in sorted(set(_methods(value))):
            yield Public(f"{name}.{key}", getattr(value, key), name)


def _methods(owner: type) -> Iterator[str]:
    for home in owner.__mro__:
        if home.__module__.partition(".")[0] == "kinegen":
            for key, value in vars(home).items():
                if not key.startswith("_") and (inspect.isfunction(value) or isinstance(value, (*_FREE, PartMethod))):
                    yield key


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
