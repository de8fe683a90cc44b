"""What each of several simulations is given: arrays with a row for each, or one thing for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..errors import ModelError

T = TypeVar("T")


@dataclass(frozen=True)
class Each(Generic[T]):
    """`of` gives what simulation `row` has; `counts`: by name, how many rows there are, 1 where all have the same;
    `rows`: (rows, width) or (rows, steps, width) where it is arrays, else None."""

    of: Callable[[int], T]
    counts: Mapping[str, int]
    rows: Array | None = None


def each_row(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """(rows, *shape) of one such array or several."""
    array = as_array(name, value, shape)
    if array.ndim > len(shape) + 1:
        raise ModelError(f"{name}: expected shape {shape} or (B, {', '.join(map(str, shape))}), got {array.shape}")
    return array[None] if array.ndim == len(shape) else array


def each_torques(tau: Any, nv: int, steps: int) -> Each[Any]:
    """Of (nv), (B, nv) or (B, steps, nv); of functions, one for each; else the same for all."""
    if isinstance(tau, Sequence) and tau and all(map(callable, tau)):
        return Each(lambda row: tau[row % len(tau)], {"tau": len(tau)})
    if tau is None or callable(tau) or isinstance(tau, Mapping):
        return Each(lambda row: tau, {"tau": 1})
    array = _by_step("tau", tau, nv, steps)
    return Each(lambda row: array[row % len(array)], {"tau": len(array)}, array)


def each_wrenches(wrenches: Any, steps: int) -> Each[Any]:
    """By link or frame: of (6), (B, 6) or (B, steps, 6); else the same for all."""
    if not isinstance(wrenches, Mapping):
        return Each(lambda row: wrenches, {"wrenches": 1})
    arrays = {name: _by_step(f"wrenches on '{name}'", value, 6, steps) for name, value in wrenches.items()}
    counts = {f"wrenches on '{name}'": len(array) for name, array in arrays.items()}
    return Each(lambda row: {name: array[row % len(array)] for name, array in arrays.items()}, counts, _beside(arrays))


@dataclass(frozen=True)
class EachServos:
    """Servos by joint; `tables`: of aims that differ, (B, 1, n) or (B, steps, n) by joint and what they are."""

    given: Any
    tables: Mapping[tuple[str, str], Array]

    @property
    def counts(self) -> Mapping[str, int]:
        """By name, how many rows there are."""
        return {f"{what} of the servo on '{name}'": len(table) for (name, what), table in self.tables.items()}

    @property
    def by_parameters(self) -> bool:
        """Some have gains or limits that are run-time parameters."""
        servos = self.given.values() if isinstance(self.given, Mapping) else ()
        return any(isinstance(getattr(servo, what, None), str) for servo in servos for what in ("kp", "kd", "limit"))

    def of(self, row: int) -> Any:
        """Those of simulation `row`."""
        if not self.tables:
            return self.given
        own = dict(self.given)
        for (name, what), table in self.tables.items():
            aims = table[row % len(table)]
            own[name] = replace(own[name], **{what: aims[0] if len(aims) == 1 else aims})
        return own


def each_servos(servos: Any, steps: int) -> EachServos:
    """Of arrays with three axes a row for each simulation."""
    tables: dict[tuple[str, str], Array] = {}
    for name, servo in servos.items() if isinstance(servos, Mapping) else ():
        for what in ("position", "velocity"):
            aim = getattr(servo, what, None)
            if callable(aim) or not isinstance(aim, np.ndarray | Sequence) or np.ndim(aim) != 3:
                continue
            table = aim if isinstance(aim, np.ndarray) else np.asarray(aim)
            if table.shape[1] not in (1, steps) or not table.shape[2]:
                raise ModelError(
                    f"servos: joint '{name}': {what}: expected (B, 1, n) or (B, {steps}, n), got {table.shape}"
                )
            tables[name, what] = table
    return EachServos(servos, tables)


def _beside(arrays: Mapping[str, Array]) -> Array | None:
    """(rows, 6 n) or (rows, steps, 6 n) of n arrays that have as many rows or one; None of arrays that have not."""
    counts = {len(array) for array in arrays.values()} - {1}
    if not arrays or len(counts) > 1:
        return None
    held = max(array.ndim for array in arrays.values()) == 2
    wide = [array if held or array.ndim == 3 else array[:, None] for array in arrays.values()]
    shape = np.broadcast_shapes(*(array.shape for array in wide))
    return np.concatenate([np.broadcast_to(array, shape) for array in wide], axis=-1)


def _by_step(name: str, value: ArrayLike, width: int, steps: int) -> Array:
    """(rows, width) or (rows, steps, width)."""
    array = as_array(name, value, (width,))
    if array.ndim > 3 or (array.ndim == 3 and array.shape[1] != steps):
        raise ModelError(f"{name}: expected shape ({width},), (B, {width}) or (B, {steps}, {width}), got {array.shape}")
    return array[None] if array.ndim == 1 else array
