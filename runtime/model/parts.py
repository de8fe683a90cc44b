"""Methods of the parts that a model is put together from, under the model's own names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

Part = TypeVar("Part")
P = ParamSpec("P")
R = TypeVar("R")


class PartMethod(Generic[Part, P, R]):
    """A method of the part that an object holds as its attribute `part`: signature and text are those of the part's.

    The bound method is kept in the object at its first use, so that it costs what a method of its own would.
    """

    def __init__(self, part: str, method: Callable[Concatenate[Part, P], R]) -> None:
        self._part, self._method = part, method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, holder: None, owner: type) -> Callable[Concatenate[Part, P], R]: ...

    @overload
    def __get__(self, holder: object, owner: type) -> Callable[P, R]: ...

    def __get__(self, holder: object | None, owner: type) -> Any:
        if holder is None:
            return self._method
        bound = getattr(getattr(holder, self._part), self._method.__name__)
        holder.__dict__[self._name] = bound
        return bound
