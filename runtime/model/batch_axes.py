"""Batch axes that do not broadcast are told by the method that was asked, with the arguments that it was given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

from ..errors import ModelError
from ..module.states import UNFIT, UnfitError

P = ParamSpec("P")
R = TypeVar("R")


def tells_batches(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """For a method that asks kernels of other names. `names`: its arguments with one axis behind those of the batch."""

    def telling(method: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(method)

        @wraps(method)
        def told(*given: P.args, **named: P.kwargs) -> R:
            try:
                return method(*given, **named)
            except ValueError as error:  # numpy's own too
                if isinstance(error, ModelError) and not isinstance(error, UnfitError):
                    raise
                arguments = signature.bind(*given, **named).arguments
                shapes = {name: np.shape(x) for name in names if (x := arguments.get(name)) is not None}
                if _broadcast(*shapes.values()):
                    raise
                listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
                raise UnfitError(f"{method.__name__}: {UNFIT}: {listed}") from error

        return told

    return telling


def batch_of(where: str, batches: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The batch axes that what is called so has together. ModelError if they do not broadcast."""
    try:
        return np.broadcast_shapes(*batches.values())
    except ValueError as error:
        listed = ", ".join(f"{name} {axes}" for name, axes in batches.items())
        raise UnfitError(f"{where}: {UNFIT}: {listed}") from error


def _broadcast(*shapes: tuple[int, ...]) -> bool:
    try:
        np.broadcast_shapes(*(shape[:-1] for shape in shapes))
    except ValueError:
        return False
    return True
