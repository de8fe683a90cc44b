"""Arrays of states as C takes them: where they stand, how far apart states and entries are, how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal, TypedDict

import numpy as np

from ..abi import KernelSpec
from ..arguments import Array, as_floats
from ..errors import ModelError, shown

FLOAT64 = np.dtype(np.float64)

Layout = Literal["aos", "soa"]

UNFIT = "batch axes do not broadcast"


class UnfitError(ModelError):
    """Batch axes that do not broadcast: what asks for a kernel tells them again by its own name and arguments."""


class Batch(TypedDict, total=False):
    """How many states are computed.

    `out`: array for the result, float64 (of a float32 model float32), aligned and in C order; `layout`: "aos", states
    one after the other, arrays (..., *shape), or "soa", entries one after the other, arrays (*shape, ...), arguments
    and result alike; `threads`: how many share the work, by default one for little work and else as many as there are
    processors. No result depends on it.
    """

    out: Array | None
    layout: Layout
    threads: int | None


@dataclass(frozen=True)
class States:
    """An argument as C reads it: entry k of state i stands at array.flat[i*state + k*entry]."""

    array: Array
    state: int
    entry: int


@dataclass(frozen=True)
class Given:
    """The arguments of a kernel, its numbers in C order: arrays of `spec.inputs`, the batch axes of each and of all."""

    spec: KernelSpec
    arrays: tuple[Array, ...]
    batches: tuple[tuple[int, ...], ...]
    batch: tuple[int, ...]
    layout: Layout

    @property
    def count(self) -> int:
        return prod(self.batch)

    @property
    def named(self) -> dict[str, Array]:
        return {given.name: array for given, array in zip(self.spec.inputs, self.arrays, strict=True)}

    def states(self) -> list[States]:
        """One state for all is repeated by a stride of 0, other broadcasting is copied."""
        return [
            _placed(array, given.shape, own, self.batch, self.layout)
            for given, array, own in zip(self.spec.inputs, self.arrays, self.batches, strict=True)
        ]

    def in_aos(self) -> Given:
        """The same with states one after the other."""
        if self.layout == "aos":
            return self
        moved = (in_aos(array, len(given.shape)) for given, array in zip(self.spec.inputs, self.arrays, strict=True))
        return replace(self, arrays=tuple(moved), layout="aos")


def given_states(spec: KernelSpec, arguments: Sequence[Any], layout: Layout, dtype: np.dtype[Any] = FLOAT64) -> Given:
    """ModelError that names an argument of another shape or type, and for batch axes that do not broadcast.

    TypeError for another number of arguments. It is not looked whether the numbers are finite.
    """
    if layout not in ("aos", "soa"):
        raise ModelError(f"layout: expected 'aos' or 'soa', got {shown(layout)}")
    if len(arguments) != len(spec.inputs):
        wanted = ", ".join(given.name for given in spec.inputs)
        raise TypeError(f"{spec.name}() takes the arguments {wanted}, but {len(arguments)} were given")
    found = [_own(a.name, x, a.shape, layout, dtype) for a, x in zip(spec.inputs, arguments, strict=True)]
    arrays, batches = tuple(array for array, _ in found), tuple(batch for _, batch in found)
    if len(set(batches)) == 1:
        return Given(spec, arrays, batches, batches[0], layout)
    try:
        return Given(spec, arrays, batches, np.broadcast_shapes(*batches), layout)
    except ValueError as error:
        shapes = ", ".join(f"{a.name} {x.shape}" for a, x in zip(spec.inputs, arrays, strict=True))
        raise UnfitError(f"{spec.name}: {UNFIT}: {shapes}") from error


def states_shape(shape: tuple[int, ...], batch: tuple[int, ...], layout: Layout) -> tuple[int, ...]:
    """Of an array of states whose own shape is given."""
    return (*batch, *shape) if layout == "aos" else (*shape, *batch)


def _own(
    name: str, value: Any, shape: tuple[int, ...], layout: Layout, dtype: np.dtype[Any]
) -> tuple[Array, tuple[int, ...]]:
    """`value` as an array, and its batch axes."""
    if type(value) is np.ndarray and value.dtype == dtype and value.ndim and _is_plain(value):
        array = value
    else:
        array = as_floats(name, value, _told(shape, layout), dtype)
    at = array.ndim - len(shape) if layout == "aos" else len(shape)
    first, last = array.shape[: max(at, 0)], array.shape[max(at, 0) :]
    batch, own = (first, last) if layout == "aos" else (last, first)
    if own != shape:
        raise ModelError(f"{name}: expected shape {_told(shape, layout)}, got {array.shape}")
    return array, batch


def _is_plain(array: Array) -> bool:
    """C reads it as it stands."""
    flags = array.flags
    return bool(flags.c_contiguous and flags.aligned)


def _told(shape: tuple[int, ...], layout: Layout) -> str:
    """Of the arrays of an argument."""
    return f"({', '.join(map(str, ('...', *shape) if layout == 'aos' else (*shape, '...')))})"


def _placed(
    array: Array, own: tuple[int, ...], batch: tuple[int, ...], common: tuple[int, ...], layout: Layout
) -> States:
    if prod(batch) == 1:
        return States(array, 0, 1)
    if batch != common:
        if layout == "soa":
            array = array.reshape(*own, *(1,) * (len(common) - len(batch)), *batch)
        array = np.ascontiguousarray(np.broadcast_to(array, states_shape(own, common, layout)))
    return States(array, prod(own), 1) if layout == "aos" else States(array, 1, prod(common))


def result_array(out: Any, shape: tuple[int, ...], arguments: Sequence[Array], dtype: np.dtype[Any]) -> Array:
    """A fresh array, or `out` if it can take the result; ModelError if not."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray) or out.dtype != dtype or out.shape != shape:
        got = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else shown(out)
        raise ModelError(f"out: expected a {dtype} array of shape {shape}, got {got}")
    if not out.flags.carray:
        raise ModelError("out: expected an aligned array in C order that can be written to; np.empty gives one")
    if any(np.may_share_memory(out, array) for array in arguments):
        raise ModelError("out: overlaps an argument; results need an array of their own")
    return out


def in_aos(array: Array, own: int) -> Array:
    """(*own, ...) as (..., *own), in C order."""
    return np.ascontiguousarray(np.moveaxis(array, range(own), range(array.ndim - own, array.ndim)))


def in_soa(array: Array, own: int) -> Array:
    """(..., *own) as (*own, ...), a view."""
    return np.moveaxis(array, range(array.ndim - own, array.ndim), range(own))
