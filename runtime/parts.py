"""What the parts of an object can do, under names of the object's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

Part = TypeVar("Part")
P = ParamSpec("P")
R = TypeVar("R")


class PartMethod(Generic[Part, P, R]):
    """A method of the part that an object holds as its attribute `part`: signature and text are those of the part's.

    The bound method is kept in the object at its first use, so that it costs what a method of its own would; or what
    the part's `quick(name, method)`, if it has that, gives for it.
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
        part, name = getattr(holder, self._part), self._method.__name__
        bound = getattr(part, name)
        if hasattr(part, "quick"):
            bound = part.quick(name, bound)
        holder.__dict__[self._name] = bound
        return bound


class PartProperty(Generic[Part, R]):
    """A property of the part that an object holds as its attribute `part`, with the text of the part's."""

    def __init__(self, part: str, of: Callable[[Part], R] | cached_property[R]) -> None:
        self._part, self.of = part, of
        getter = of.func if isinstance(of, cached_property) else of.fget if isinstance(of, property) else of
        self._name = getter.__name__
        self.__doc__ = of.__doc__

    @overload
    def __get__(self, holder: None, owner: type) -> PartProperty[Part, R]: ...

    @overload
    def __get__(self, holder: object, owner: type) -> R: ...

    def __get__(self, holder: object | None, owner: type) -> Any:
        return self if holder is None else getattr(getattr(holder, self._part), self._name)


class PartInput(PartProperty[Part, R]):
    """Such a property that may be assigned."""

    def __set__(self, holder: object, value: Any) -> None:
        setattr(getattr(holder, self._part), self._name, value)
