"""Configurations made from the layout alone, home and random ones, and motions that the model gives."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..abi import JointSpec, Manifest
from ..arguments import Array, as_array, as_count, as_floats, require_memory
from ..errors import ModelError, shown
from ..kinds import KINDS
from .kernels import Kernels, Method


def home(manifest: Manifest) -> Array:
    """(nq) where a motion starts, before loops are closed: every coordinate moved into its limits."""
    q = list(manifest.start or manifest.neutral)
    for joint in manifest.joints:
        turned, start = _turned(joint), joint.q_start
        for i in range(joint.nq):
            if i not in turned:
                q[start + i] = min(max(q[start + i], joint.lower[i]), joint.upper[i])
    return np.array(q, dtype=np.float64)


def generator_of(rng: Any) -> np.random.Generator:
    """The generator itself, or one that begins at a whole number, or anywhere for None. ModelError for what is none."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise ModelError(f"rng: expected a generator or a whole number from 0 on, got {shown(rng)}") from error


def random_configuration(manifest: Manifest, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
    """(*size, nq) rotations uniform; other coordinates uniform in their limits.

    Where a limit is missing the range ends π rad or 1 m beyond the other limit or, if both are, either side of 0.
    """
    return Ranges(manifest).drawn(rng, size)


@dataclass(frozen=True)
class _Range:
    """Coordinates of one joint or several: entries of q that add, with their range, then a rotation if there is one."""

    entries: np.ndarray[tuple[int], np.dtype[np.intp]]
    low: Array
    high: Array
    rotation: slice | None

    @cached_property
    def places(self) -> slice | np.ndarray[tuple[int], np.dtype[np.intp]]:
        """The entries: as a slice where they follow each other."""
        at = self.entries
        follow = at.size > 0 and bool((np.diff(at) == 1).all())
        return slice(int(at[0]), int(at[-1]) + 1) if follow else at

    @cached_property
    def span(self) -> Array:
        return self.high - self.low


class Ranges:
    """`random_configuration` of a model that is asked for many: what it needs of the joints is found once."""

    def __init__(self, manifest: Manifest) -> None:
        self._nq = manifest.nq
        self._by_joint = [_range_of(joint) for joint in manifest.joints if joint.nq]
        self._together = _joined(self._by_joint)
        self._low, self._span = np.zeros((2, manifest.nq))
        for one in self._by_joint:
            self._low[one.entries], self._span[one.entries] = one.low, one.span

    def drawn(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        """(*size, nq), the same numbers of `rng` joint by joint, each for all of `size`."""
        return self._drawn(rng, size, self._by_joint if size else self._together)

    def many(self, rng: np.random.Generator, count: int) -> Array:
        """(count, nq) of other numbers than those of `drawn`, by fewer calls."""
        q = rng.random((count, self._nq))
        q *= self._span
        q += self._low
        for part in (one.rotation for one in self._by_joint if one.rotation):
            direction = rng.standard_normal((count, part.stop - part.start))
            q[:, part] = direction / np.sqrt(np.einsum("ij,ij->i", direction, direction))[:, None]
        return q

    def _drawn(self, rng: np.random.Generator, size: tuple[int, ...], ranges: list[_Range]) -> Array:
        q = np.empty((*size, self._nq))
        for one in ranges:
            if one.entries.size:
                part = rng.random((*size, one.entries.size))
                part *= one.span
                part += one.low
                q[..., one.places] = part
            if one.rotation:
                direction = rng.standard_normal((*size, one.rotation.stop - one.rotation.start))
                q[..., one.rotation] = direction / np.sqrt(np.add.reduce(direction**2, axis=-1, keepdims=True))
        return q


AT_ONCE = 1 << 14
"""Numbers of single configurations, 256 at most, that are drawn together where nobody says by which generator."""

Draw = Callable[[tuple[int, ...]], Array]


class Configurations:
    """Configurations of a mechanism that nobody has to give; `closed`: of those drawn, what its loops let be."""

    def __init__(self, kernels: Kernels, closed: Callable[[Draw, tuple[int, ...]], Array] | None = None) -> None:
        self._kernels, self._manifest, self._closed = kernels, kernels.manifest, closed
        self._dtype = np.dtype(self._manifest.dtype)
        self._anywhere = (-1, np.random.default_rng())
        self._ready: tuple[int, list[Array]] = (-1, [])

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy draws by a generator of its own."""
        return Configurations, (self._kernels, self._closed)

    def quick(self, name: str, method: Method) -> Method:
        """A method of this class by one call in C, where there is nothing to look at."""
        if name == "neutral":
            return self._kernels.answer(method)
        return method if self._manifest.loops or not self._manifest.nq else self._kernels.answer(method, self._block)

    def neutral(self) -> Array:
        """(nq) zeros, with unit quaternions [0 0 0 1] and [cos sin] = [1 0]; limits are not looked at (see `q0`)."""
        return self._neutral.copy()

    def random(self, rng: np.random.Generator | int | None = None, *, size: int | tuple[int, ...] = ()) -> Array:
        """(*size, nq) configurations, uniform in the limits (±π or ±1 m where there are none) and over rotations.

        With loops: the closed configurations next to such, of any branch; `assemble` tells how to stay on one.
        """
        sizes = size if isinstance(size, tuple) else (size,)
        shape = tuple(as_count("size", n, least=0) for n in sizes)
        if shape:
            require_memory("random", self._manifest.nq * prod(shape))
        return self._placed(self._anyone if rng is None else partial(self._ranges.drawn, generator_of(rng)), shape)

    @cached_property
    def _neutral(self) -> Array:
        return np.array(self._manifest.neutral, dtype=self._dtype)

    @cached_property
    def _ranges(self) -> Ranges:
        return Ranges(self._manifest)

    def _placed(self, drawn: Draw, shape: tuple[int, ...]) -> Array:
        """Configurations as `drawn`, so many, where the mechanism can be."""
        placed = self._closed(drawn, shape) if self._closed else drawn(shape)
        return placed.astype(self._dtype, copy=False)

    @property
    def _generator(self) -> np.random.Generator:
        """One that nobody knows where it began, in this process: a fork would go on like its parent."""
        if self._anywhere[0] != os.getpid():
            self._anywhere = (os.getpid(), np.random.default_rng())
        return self._anywhere[1]

    def _anyone(self, size: tuple[int, ...] = ()) -> Array:
        """(*size, nq) by a generator that began anywhere; one by one they come from many that were drawn together."""
        if size:
            return self._ranges.drawn(self._generator, size)
        process, rows = self._ready
        try:
            return rows.pop() if process == os.getpid() else self._renewed()
        except IndexError:  # none is left, or another thread took the last one
            return self._renewed()

    def _renewed(self) -> Array:
        """One of many new ones, which stand ready then."""
        rows: list[Array] = [row.copy() for row in self._block()]
        first = rows.pop()
        self._ready = os.getpid(), rows
        return first

    def _block(self) -> Array:
        """(n, nq) many at once."""
        count = min(256, AT_ONCE // max(1, self._manifest.nq) + 1)
        return self._ranges.many(self._generator, count).astype(self._dtype, copy=False)


def _range_of(joint: JointSpec) -> _Range:
    entries = _additive(joint)
    low, high = _range(joint)
    part = KINDS[joint.kind].rotation
    rotation = slice(joint.q_start + part.start, joint.q_start + part.stop) if part else None
    return _Range(joint.q_start + entries, low[entries], high[entries], rotation)


def _joined(ranges: list[_Range]) -> list[_Range]:
    """Joints in a row up to the next that turns: for a single configuration their numbers follow each other as well."""
    found: list[_Range] = []
    for one in ranges:
        last = found[-1] if found else None
        if last is None or last.rotation:
            found.append(one)
            continue
        entries = np.concatenate([last.entries, one.entries])
        ends = np.concatenate([last.low, one.low]), np.concatenate([last.high, one.high])
        found[-1] = _Range(entries, *ends, one.rotation)
    return found


def _additive(joint: JointSpec) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Indices within the joint of the coordinates that are not part of a rotation's unit numbers."""
    keep = np.ones(joint.nq, dtype=bool)
    keep[list(_turned(joint))] = False
    return np.flatnonzero(keep)


def _turned(joint: JointSpec) -> range:
    """Those that are."""
    part = KINDS[joint.kind].rotation
    return range(joint.nq)[part] if part else range(0)


def _range(joint: JointSpec) -> tuple[Array, Array]:
    reach = np.array([np.pi if i in KINDS[joint.kind].angles else 1.0 for i in range(joint.nq)])
    lower, upper = np.asarray(joint.lower[: joint.nq]), np.asarray(joint.upper[: joint.nq])
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * reach, -reach))
    high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2 * reach, reach))
    return low, high


class OfKernels(Protocol):
    """What has kernels by name: a model."""

    @property
    def manifest(self) -> Manifest: ...

    def kernel(self, name: str) -> Callable[..., Array]: ...


def prescribed_motion(model: OfKernels, t: ArrayLike) -> dict[str, Array]:
    """(..., 3, nv_j) q, v, a at times t (...) [s], by joint. ModelError where one is no number."""
    manifest = model.manifest
    if not manifest.moved:
        return {}
    times, kernel = as_array("t", as_floats("t", t)[..., None], (1,)), model.kernel("prescribed_motion")
    try:
        found = kernel(times)
    except ModelError as error:
        span = f"t = {times.min():g} to {times.max():g} s"
        names = ", ".join(manifest.moved)
        raise ModelError(f"the motion of {names} is not a number at all times from {span}") from error
    widths = {joint.name: joint.nv for joint in manifest.joints}
    ends = np.cumsum([widths[name] for name in manifest.moved]).tolist()
    return {name: found[..., end - widths[name] : end] for name, end in zip(manifest.moved, ends, strict=True)}
