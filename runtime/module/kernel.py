"""A kernel of a compiled model as a function of arrays: arguments checked at the door, batches by one C call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from ..abi import CONFIGURATIONS, LARGE, KernelSpec, Manifest
from ..arguments import Array, as_array, as_floats, off_unit_message
from ..errors import ModelError, row_text
from ..kinds import KINDS
from .direct import Checks, cffi_call, compiled_call
from .module import Module
from .shared_work import most_alone, most_at_once, operations_of, shared, thread_count
from .states import Batch, Given, Layout, given_states, in_aos, in_soa, result_array, states_shape

TOO_LARGE = 1e20
"""Size of an argument that is told as the reason where a result is not finite."""


class Kernel:
    """Calls one C function; holds no state that a call changes, so that threads may share it.

    Arguments are arrays (..., *shape) in the order of `spec.inputs`; the result is a fresh array (..., *shape of the
    output), the leading axes broadcast by numpy's rules.
    """

    __slots__ = (
        "_at_once",
        "_batch",
        "_checks",
        "_dtype",
        "_ffi",
        "_inputs",
        "_lanes",
        "_module",
        "_numbers",
        "_operations",
        "_output",
        "_parameters",
        "_polynomial",
        "_values",
        "batched",
        "call",
        "spec",
    )

    call: Callable[..., Array]
    """What calling the kernel does, for those who keep a function."""
    batched: Callable[..., Array]
    """The same with `out`, `layout`, `threads`: see `Batch`."""

    def __init__(self, module: Module, spec: KernelSpec, parameters: Array) -> None:
        ffi, manifest = module.ffi, module.manifest
        self.spec = spec
        self._module = module
        self._ffi = ffi
        self._batch = getattr(module.lib, f"{spec.function}_batch") if spec.function else None
        self._lanes = getattr(module.lib, spec.lanes) if spec.lanes else None
        precision = manifest.precision
        self._dtype, self._numbers = np.dtype(precision.dtype), ffi.typeof(f"{precision.scalar}[]")
        # cffi's pointer keeps the array alive
        p = as_floats("parameters", parameters, dtype=self._dtype)
        self._values = p
        self._parameters = [ffi.from_buffer(self._numbers, p)] if manifest.parameters else []
        self._polynomial = precision.bounded and is_polynomial(spec) and not manifest.parameters
        turning = any(KINDS[joint.kind].rotation for joint in manifest.joints)
        self._inputs = [
            (array.shape, prod(array.shape), turning and array.name in CONFIGURATIONS) for array in spec.inputs
        ]
        self._output = spec.outputs[0].shape
        self._operations = operations_of(spec)
        self._at_once = most_at_once(self._operations, prod(self._output))
        turned = tuple(i for i, (_, _, turns) in enumerate(self._inputs) if turns)
        most = most_alone(self._operations)
        self._checks = Checks(precision, 0 if self._polynomial else prod(self._output), most, turned)
        compiled = plain = None
        if spec.function:
            given = module, spec, self._parameters, self._checks, self.general
            compiled = compiled_call(*given)
            plain = compiled or cffi_call(*given)
        self.call, self.batched = plain or self.general, compiled or self.general

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self._module, self.spec, self._values)

    def __call__(self, *arguments: Any) -> Array:
        return self.call(*arguments)

    def quick(
        self,
        general: Callable[..., Any],
        named: Mapping[str, Array | Callable[..., Array]] | None = None,
        bound: float | None = None,
    ) -> Callable[..., Any]:
        """`general`, by one call in C where its arguments are this kernel's, of one state and in order.

        `named`: what the last of them may be, by name, or what is called instead without it. `bound`: see `Checks`.
        `general` itself where calls in C could not be compiled.
        """
        checks = replace(self._checks, named=named, bound=bound)
        if not self.spec.function:
            return general
        return compiled_call(self._module, self.spec, self._parameters, checks, general) or general

    def general(
        self,
        *arguments: Any,
        out: Array | None = None,
        layout: Layout = "aos",
        threads: int | None = None,
        **unknown: Any,
    ) -> Array:
        """Any arguments: cast, check, broadcast, then all states in C. `out`, `layout`, `threads`: see `Batch`."""
        for name in unknown:
            options = ", ".join(Batch.__annotations__)
            raise TypeError(f"{self.spec.name}() got an unexpected keyword argument '{name}'; options are {options}")
        given = given_states(self.spec, arguments, layout, self._dtype)
        result = result_array(out, states_shape(self._output, given.batch, layout), given.arrays, self._dtype)
        workers = thread_count(threads, given.count, self._operations)
        if self._lanes and given.count > 1:
            self._by_lanes(given, workers, result)
        elif layout == "aos":
            self._by_state(given, workers, result)
        else:
            moved = np.empty(states_shape(self._output, given.batch, "aos"), self._dtype)
            self._by_state(given.in_aos(), workers, moved)
            result[...] = in_soa(moved, len(self._output))
        return result

    def _by_state(self, given: Given, workers: int, result: Array) -> None:
        """One state after the other, in "aos"."""
        self._require_arguments(given)
        if not (given.count and self._batch):
            return
        batch, size = self._batch, prod(self._output)
        pointers = [(self._pointer(x.array), x.state) for x in given.states()]
        out = self._pointer(result)

        def work(start: int, number: int) -> int:
            passed = (part for x, stride in pointers for part in (x + start * stride, stride))
            batch(number, *self._parameters, *passed, out + start * size)
            return -1

        shared(given.count, workers, self._at_once, work)
        self._require_finite(result, given.named)

    def _by_lanes(self, given: Given, workers: int, result: Array) -> None:
        """Several states at a time; C looks at the numbers, errors are made where it has seen one."""
        lanes: Any = self._lanes
        into = (prod(self._output), 1) if given.layout == "aos" else (1, given.count)
        pointers = [(self._pointer(x.array), x.state, x.entry) for x in given.states()]
        pointers.append((self._pointer(result), *into))

        def work(start: int, number: int) -> int:
            passed = (part for x, state, entry in pointers for part in (x + start * state, state, entry))
            first: int = lanes(number, *self._parameters, *passed)
            return first + start if first >= 0 else -1

        if shared(given.count, workers, self._at_once, work) >= 0:
            self._require_arguments(given.in_aos())
            found = result if given.layout == "aos" else in_aos(result, len(self._output))
            self._require_finite(found, given.in_aos().named)

    def _pointer(self, array: Array) -> Any:
        return self._ffi.from_buffer(self._numbers, array)

    def _require_arguments(self, given: Given) -> None:
        """ModelError that names the first entry that is no number, and the first rotation off unit norm."""
        for (name, array), (shape, _, _) in zip(given.named.items(), self._inputs, strict=True):
            as_array(name, array, shape)
        for (name, array), (_, _, turning) in zip(given.named.items(), self._inputs, strict=True):
            if turning:
                require_unit(self._module, name, array)

    def _require_finite(self, result: Array, arrays: Mapping[str, Array]) -> None:
        """ModelError if a number of the result is not finite; it is looked at those numbers that are fewer."""
        fewer = self._polynomial and result.size > sum(array.size for array in arrays.values())
        if fewer and all(map(_within_large, arrays.values())):
            return
        if not np.isfinite(result).all():
            axes = len(self._output)
            raise ModelError(not_finite_message(self._module, self._values, self.spec.name, result, axes, arrays))


def _within_large(array: Array) -> bool:
    return bool(array.min(initial=0.0) >= -LARGE and array.max(initial=0.0) <= LARGE)


def is_polynomial(spec: KernelSpec) -> bool:
    """Whether it is made of sums and products alone, so that its results are finite for all numbers up to LARGE."""
    return bool(spec.operations) and not spec.operations.get("div", 1) and not spec.operations.get("call", 1)


def not_finite_message(
    module: Module, p: Array, what: str, result: Array, axes: int, arrays: Mapping[str, Array]
) -> str:
    """Which entry is not finite, and what is likely to be the reason. The last `axes` of the result are of one state;
    p (P): the parameters."""
    index = tuple(int(i) for i in np.argwhere(~np.isfinite(result))[0])
    batch = result.shape[: result.ndim - axes]
    row = index[: len(batch)]
    if "q" in arrays and (
        flat := _flat_wheels(module, p, np.broadcast_to(arrays["q"], (*batch, module.manifest.nq))[row])
    ):
        return (
            f"{row_text(row)}model '{module.manifest.name}': at this q a wheel lies flat on what it rolls on, and "
            f"touches it at no one point ({', '.join(map(repr, flat))}); take another q"
        )
    sizes = {name: float(np.abs(array).max(initial=0.0)) for name, array in arrays.items()}
    largest = max(sizes, key=lambda name: sizes[name], default="")
    why = "the inertia may be singular there, or a parameter too large"
    if sizes.get(largest, 0.0) > TOO_LARGE:
        why = f"{largest} has numbers of {sizes[largest]:.3g}, which are too large"
    return f"{what}: entry {index[0] if len(index) == 1 else index} of the result is {result[index]}: {why}"


def _flat_wheels(module: Module, p: Array, q: Array) -> list[str]:
    """The joints that roll and have no lowest point at q (nq): their gaps are no numbers there."""
    manifest, ffi = module.manifest, module.ffi
    if not manifest.rolling:
        return []
    gaps = np.zeros((len(manifest.loops), 2))
    given = (p, np.ascontiguousarray(q), gaps) if manifest.parameters else (np.ascontiguousarray(q), gaps)
    getattr(module.lib, f"{manifest.prefix}_closure_offsets")(*(ffi.from_buffer("double[]", x) for x in given))
    open_by = dict(zip((loop.name for loop in manifest.loops), gaps, strict=True))
    return [name for name in manifest.rolling if np.isnan(open_by[name]).any()]


def require_unit(module: Module, name: str, q: Array) -> None:
    """ModelError that names the joint, and of several states the row, if a rotation in q (..., nq) is off unit norm."""
    nq, at = module.manifest.nq, first_off_unit(module, q)
    if at >= 0:
        row = tuple(int(i) for i in np.unravel_index(at // nq, q.shape[:-1])) if q.size > nq else ()
        what = f"{name}, row {row[0] if len(row) == 1 else row}" if row else name
        raise ModelError(_off_unit(module.manifest, what, q.reshape(-1, nq)[at // nq], at % nq))


def first_off_unit(module: Module, q: Array) -> int:
    """Index in q (..., nq) of the first rotation off unit norm, -1 if there is none."""
    manifest, ffi = module.manifest, module.ffi
    check = getattr(module.lib, f"{manifest.prefix}_first_off_unit")
    precision = manifest.precision
    at: int = check(q.size // max(manifest.nq, 1), precision.unit, ffi.from_buffer(f"{precision.scalar}[]", q))
    return at


def _off_unit(manifest: Manifest, name: str, q: Array, at: int) -> str:
    """What is wrong with the rotation that stands at `q[at:]`, q (nq)."""
    joint = next(j for j in manifest.joints if j.q_start <= at < j.q_start + j.nq)
    part = KINDS[joint.kind].rotation or slice(0)
    return off_unit_message(name, joint.name, at, q[at : at + part.stop - part.start])
