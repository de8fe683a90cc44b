"""The closed loops of a compiled model: split of the velocities, W, H, S, closing (mathematics §8) [N98 §2.2].

θ_O are the velocities of the tree (nv), θ_J those and the ones of the cut joints, θ_G the independent ones (nf). In an
open tree nothing is closed: W is the unit matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...abi import JointSpec, Manifest
from ...arguments import Array
from ...errors import ModelError, in_row, shown
from ...kinds import KINDS, locked_rows
from ...module.module import Module
from ...names.lookup import near_joint
from ...thresholds import CLOSED_GAP, KEPT_RATIO, KEPT_RATIO_MISFIT, LEADING, MARGIN
from ...typed import is_series

PROBES, NEAR = 4, 0.05
"""Moves from a point that show the rank of its branch, and how far they go [m, rad]."""


Calls = Callable[[Array, Array], Array]


def closed_within(manifest: Manifest) -> float:
    """Gap [m] up to which loops of the model count as closed."""
    return CLOSED_GAP * manifest.unit_length + MARGIN * manifest.misfit


def gaps_of(manifest: Manifest, offsets: Array) -> Array:
    """(..., L) how far each loop is open [m], angles times the unit of length, from its distance and angle
    (..., L, 2)."""
    return np.asarray((offsets * (1.0, manifest.unit_length)).max(axis=-1))


def widest(manifest: Manifest, offsets: Array) -> tuple[str, float]:
    """The loop that is open by the most, from the distance and angle of each (L, 2), and the larger of its own two
    [m, rad]."""
    worst = int(gaps_of(manifest, offsets).argmax())
    return manifest.loops[worst].name, float(offsets[worst].max())


@dataclass(frozen=True)
class Partition:
    """Rank m of the closure, names of independent and dependent velocities, and how well the former give the latter.

    `condition`: largest over smallest pivot of the elimination, in units of the loops' size; inf if nothing can move.
    """

    rank: int
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    condition: float


@dataclass(frozen=True)
class Split:
    """Indices in v of the independent (nf) and dependent (m) velocities, v_S = H v_G with H (m, nf), pivot ratio.

    `rows` (m): by which of the locked rows of all loops each of the dependent ones follows."""

    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    rows: tuple[int, ...]
    H: Array
    ratio: float
    weak_row: int
    weak_column: int

    def W(self) -> Array:
        """(nv, nf) θ_O per θ_G."""
        W = np.zeros((len(self.independent) + len(self.dependent), len(self.independent)))
        W[list(self.independent), range(len(self.independent))] = 1.0
        W[list(self.dependent)] = self.H
        return W


class Closure:
    """C functions of the loops with their parameters; `ready` (nv): readiness to be dependent, None for the usual."""

    def __init__(self, module: Module, parameters: Array, ready: Array | None) -> None:
        self.manifest = module.manifest
        self.ready = ready
        self._ffi, self._lib, self._prefix = module.ffi, module.lib, module.manifest.prefix
        self._keep = parameters  # the pointer below does not own it
        self.parameters: Any = self.pointer(parameters) if module.manifest.parameters else self._ffi.NULL
        """p of the C functions, null where there are no parameters."""
        self.ready_pointer = self._ffi.NULL if ready is None else self.pointer(ready)

    def pointer(self, array: Array) -> Any:
        return self._ffi.from_buffer("double[]", array)

    def function(self, name: str) -> Any:
        return getattr(self._lib, f"{self._prefix}_{name}")

    def new(self, what: str) -> Any:
        """A fresh C struct PREFIX_what."""
        return self._ffi.new(f"{self._prefix}_{what} *")

    def split(self, q: Array, ready: Array | None = None) -> Split:
        """The split at q (nq); `ready` in place of the closure's own."""
        nv = self.manifest.nv
        if not self.manifest.closed:
            return Split(tuple(range(nv)), (), (), np.zeros((0, nv)), 1.0, 0, 0)
        found = self.new("partition")
        found.rank = -1
        self.function("partition_closure")(
            self.parameters, self.pointer(q), self.ready_pointer if ready is None else self.pointer(ready), found
        )
        return read_split(self._ffi, found, nv)

    def coefficients(self, q: Array, independent: Sequence[int]) -> Array:
        """(..., nv, nf) W at q (..., nq), led by these velocities; errors as of `led_by`."""
        W = np.empty((*q.shape[:-1], self.manifest.nv, len(independent)))
        self._led("led_coefficients", q, independent, W)
        return W

    def follow(self, q: Array, v: Array, a: Array, independent: Sequence[int]) -> None:
        """v and a (..., nv), in place: what depends from these velocities and accelerations; errors as of `led_by`."""
        self._led("led_motion", q, independent, v, a)

    def _leading(self, independent: Sequence[int]) -> Array:
        """(nv) readiness with which these velocities lead."""
        ready = np.ones(self.manifest.nv)
        ready[list(independent)] = LEADING
        return ready

    def _led(self, name: str, q: Array, independent: Sequence[int], *out: Array) -> None:
        states = np.ascontiguousarray(q).reshape(-1, self.manifest.nq)
        arrays = map(self.pointer, (states, self._leading(independent), *out))
        done = self.function(name)(len(states), self.parameters, *arrays)
        if done < len(states):
            with in_row([int(i) for i in np.unravel_index(done, q.shape[:-1])] if q.ndim > 1 else ()):
                self.led_by(states[done], independent)
                raise ModelError(f"model '{self.manifest.name}': no partition of its velocities serves at this q")

    def led_by(self, q: Array, independent: Sequence[int]) -> Split:
        """The split at q with these independent velocities; ModelError if they do not give the others there."""
        split = self.split(q, self._leading(independent))
        if split.independent != tuple(independent):
            names = dof_names(self.manifest)
            lost = [names[i] for i in split.independent if i not in independent]
            extra = [i for i in independent if i not in split.independent]
            followers = ", ".join(names[i] for i in extra)
            what = f"{followers} follows from the others" if extra else f"{', '.join(lost)} is free as well"
            remedy = "see model.partition(q), or choose others by model.with_independent([...])"
            if len(split.independent) > len(independent):
                remedy = (
                    "q is singular, or of a branch with more freedoms, where more velocities lead: take another q, or "
                    "begin elsewhere, kg.compile(..., at={joint: coordinates})"
                )
            raise ModelError(
                f"model '{self.manifest.name}': {', '.join(names[i] for i in independent) or 'no joint'} cannot lead "
                f"at this q: {what} (loop '{self.loop_name(split, extra)}'); {remedy}"
            )
        return split

    def rank_around(self, q: Array, integrate: Calls) -> int:
        """The rank of the branch through q: the highest at q and beside it, along random directions that W allows."""
        split, rng = self.split(q), np.random.default_rng(0)
        rank, W = len(split.dependent), split.W()
        for _ in range(PROBES):
            step = W @ rng.normal(size=W.shape[1])
            beside = integrate(q, step * (NEAR / max(float(np.abs(step).max(initial=0.0)), 1e-9)))
            if self.assemble(beside) <= closed_within(self.manifest):
                rank = max(rank, len(self.split(beside).dependent))
        return rank

    def momentary(self, q: Array) -> int | None:
        """The entry of v that moves most in a motion that K v = 0 allows at q for an instant only; None if there is
        none."""
        entry = int(self.function("momentary")(self.parameters, self.pointer(q), self.ready_pointer))
        return None if entry < 0 else entry

    def beside(self, q: Array, integrate: Calls, difference: Calls) -> Array | None:
        """A closed configuration on the branch through q, by NEAR along what W allows; None if q is alone."""
        W, rng = self.split(q).W(), np.random.default_rng(1)
        for _ in range(PROBES if W.shape[1] else 0):
            step = W @ rng.normal(size=W.shape[1])
            found = integrate(q, step * (NEAR / max(float(np.abs(step).max()), 1e-9)))
            if self.assemble(found) <= closed_within(self.manifest) and np.abs(difference(q, found)).max() > NEAR / 4:
                return found
        return None

    def loop_name(self, split: Split, followers: Sequence[int] = ()) -> str:
        """The loop by which the first of these dependent velocities follows; without any, the one that holds least."""
        if not followers:
            return self.manifest.loops[split.weak_row // 6].name
        row = split.rows[split.dependent.index(followers[0])]
        return self.manifest.loops[locked_rows(loop.kind for loop in self.manifest.loops)[row] // 6].name

    def project(self, q: Array, v: Array, ready: Array | None = None) -> float:
        """q, v onto the closure, in place; the gap left. `ready` as for `split`."""
        if not self.manifest.closed:
            return 0.0
        split = self.new("partition")
        split.rank = -1
        leading = self.ready_pointer if ready is None else self.pointer(ready)
        return float(self.function("project")(self.parameters, self.pointer(q), self.pointer(v), leading, split))

    def project_led(self, q: Array, v: Array, independent: Sequence[int]) -> float:
        """The same with these entries of q and v as they are; where they lead badly, with those that pivoting finds."""
        if not self.manifest.closed:
            return 0.0
        nearby, rate, ready = q.copy(), v.copy(), self._leading(independent)
        gap = self.project(nearby, rate)
        split = self.split(nearby, ready)
        kept = KEPT_RATIO_MISFIT if self.manifest.misfit else KEPT_RATIO
        if split.independent == tuple(independent) and split.ratio > kept:
            led, led_rate = q.copy(), v.copy()
            left = self.project(led, led_rate, ready)
            if left <= closed_within(self.manifest):
                nearby, rate, gap = led, led_rate, left
        q[:], v[:] = nearby, rate
        return gap

    def assemble(self, q: Array, moving: Array | None = None) -> float:
        """q to a closed configuration near it, in place; the gap left. `moving` (nv): 0 holds an entry of v."""
        if not self.manifest.closed:
            return 0.0
        move = self._ffi.NULL if moving is None else self.pointer(moving)
        return float(self.function("assemble")(self.parameters, self.pointer(q), move))


def read_split(ffi: Any, found: Any, nv: int) -> Split:
    """A C split with rows and columns in ascending order."""
    m = found.rank
    columns = np.array([found.columns[i] for i in range(nv)], dtype=int)
    dependent, independent = columns[:m], columns[m:]
    H = np.frombuffer(ffi.buffer(found.H), dtype=np.float64, count=m * (nv - m)).reshape(m, nv - m)
    rows, order = np.argsort(dependent), np.argsort(independent)
    return Split(
        tuple(independent[order].tolist()),
        tuple(dependent[rows].tolist()),
        tuple(found.rows[int(i)] for i in rows),
        H[np.ix_(rows, order)].copy(),
        float(found.ratio),
        int(found.weak_row),
        int(found.weak_column),
    )


def lengths(manifest: Manifest) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """(nv) whether an entry of the tree's velocities is along a length."""
    found = [is_length for joint in manifest.joints if joint.nv for is_length in KINDS[joint.kind].linear]
    return np.array(found, dtype=bool)


def dof_names(manifest: Manifest) -> tuple[str, ...]:
    """(nv) a joint's name, with the number of the entry where it has several: "ball[2]"."""
    return tuple(name for joint in manifest.joints for name in _dofs(joint))


def cut_dof_names(manifest: Manifest) -> tuple[str, ...]:
    """Names of the velocities of the cut joints."""
    return tuple(name for joint in manifest.loops for name in _dofs(joint))


def dofs_named(manifest: Manifest, names: Sequence[str]) -> tuple[int, ...]:
    """Indices in v of joints ("ball") and single entries ("ball[2]"), ascending. ModelError for unknown names."""
    if isinstance(names, str):
        raise ModelError(f"expected a list of names, got the text {names!r}; write [{names!r}]")
    if not isinstance(names, Collection) or not is_series(names):
        raise ModelError(f"expected a list of names of joints, got {shown(names)}")
    known: dict[str, tuple[int, ...]] = {name: (i,) for i, name in enumerate(dof_names(manifest))}
    known |= {joint.name: tuple(range(joint.v_start, joint.v_start + joint.nv)) for joint in manifest.joints}
    for name in names:
        if not isinstance(name, str) or name not in known:
            like = near_joint(manifest, name, known)
            if isinstance(name, str) and name in [joint.name for joint in manifest.loops]:
                raise ModelError(
                    f"model '{manifest.name}' has no coordinates of joint '{name}', which is cut{like}; "
                    f"mechanism.in_tree({name!r}) cuts the loop elsewhere"
                )
            raise ModelError(f"model '{manifest.name}': no joint {shown(name)} in the tree{like}")
    return tuple(sorted({i for name in names for i in known[name]}))


def _dofs(joint: JointSpec) -> list[str]:
    return [joint.name] if joint.nv == 1 else [f"{joint.name}[{i}]" for i in range(joint.nv)]
