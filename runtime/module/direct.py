"""The short way into a kernel: arrays that need no care; numbers are looked at on both sides.

Anything but arrays of the kernel's numbers in C order and of the right shape takes the general way, and so does a
state of which C says that something is wrong: errors are made there. All of that is C (calls.c), for one state and for
as many as no threads share, where the headers of Python and numpy were there when the model was compiled. Else the
arrays of one state are handed over by cffi, the usual ones unrolled: a loop over three costs as much as the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy import vdot

from ..abi import KernelSpec, Precision
from ..arguments import FEW, Array
from .module import Module

Call = Callable[..., Array]

BRIEF = 2000
"""Operations, some tenths of a microsecond, up to which a call keeps the GIL: letting it go would cost as much."""

LARGEST = 1e308
"""Numbers that are twice as large are not finite."""

_COORDINATES = ("integrate", "difference", "passive_forces")
_NOT_CONTIGUOUS = (ValueError, BufferError)


@dataclass(frozen=True)
class Checks:
    """What the numbers are, how many results are looked at, and which inputs have rotations, of unit norm.

    `named`: the arrays that may be given as the last input, by name, or what is called with the others instead; None
    where that is an array like the others.
    `most`: so many states go to one call in C.
    `bound`: C hands over where results are about this large or larger; None: only where they are not finite.
    """

    precision: Precision
    results: int
    most: int
    turning: tuple[int, ...] = ()
    named: Mapping[str, Array | Call] | None = None
    bound: float | None = None

    @property
    def factor(self) -> float:
        """Times this, what is to be handed over is not finite."""
        return 0.0 if self.bound is None else LARGEST / self.bound


def cffi_call(module: Module, spec: KernelSpec, parameters: list[Any], checks: Checks, general: Call) -> Call:
    """A function of the arrays of `spec`, of one state by cffi."""
    nq, nv = (module.manifest.nq,), (module.manifest.nv,)
    ways = (([nq], _of_q, "q"), ([nq, nv], _of_q_v, "q_v"), ([nq, nv, nv], _of_q_v_x, "q_v_x"))
    shapes = [array.shape for array in spec.inputs]
    # two configurations (difference) pass as q v where nq = nv: nothing turns then, and the check is the same
    for wanted, way, name in ways:
        function = getattr(module.lib, f"{module.manifest.prefix}_call_{name}", None)
        if shapes == wanted and function is not None:
            kernel, precision = module.ffi.addressof(module.lib, spec.function), checks.precision
            first = (precision.unit, precision.large, kernel, *parameters)
            return way(module, spec, function, first, checks.results, general)
    return _of_others(module, spec, parameters, checks, general)


def compiled_call(
    module: Module, spec: KernelSpec, parameters: list[Any], checks: Checks, general: Call
) -> Call | None:
    """A call in C that hands over to `general`, of which it takes name and text; None where there is none.

    That is where there were no headers, and for more arrays, or more axes, than such calls take.
    """
    if module.calls is None:
        return None
    with suppress(ValueError):
        return _compiled(module, spec, parameters, checks, general)
    return None


def _brief(spec: KernelSpec) -> bool:
    counted = sum(spec.operations.values())
    return counted <= BRIEF if counted else spec.name in _COORDINATES


def _compiled(module: Module, spec: KernelSpec, parameters: list[Any], checks: Checks, general: Call) -> Call:
    def address(name: str) -> int:
        return int(module.ffi.cast("uintptr_t", module.ffi.addressof(module.lib, name))) if name else 0

    owner = parameters[0] if parameters else None
    call: Call = module.calls.Call(
        address(spec.function),
        address(f"{spec.function}_batch"),
        address(spec.lanes),
        checks.most,
        address(f"{module.manifest.prefix}_first_off_unit"),
        int(module.ffi.cast("uintptr_t", owner)) if parameters else 0,
        owner,
        tuple(given.shape for given in spec.inputs),
        sum(1 << i for i in checks.turning),
        None if checks.named is None else dict(checks.named),
        spec.outputs[0].shape,
        checks.results,
        checks.factor,
        _brief(spec),
        checks.precision.unit,
        checks.precision.large,
        general,
    )
    return call


def _of_q(module: Module, spec: KernelSpec, function: Any, first: tuple[Any, ...], n: int, general: Call) -> Call:
    nq, output = (module.manifest.nq,), spec.outputs[0].shape
    array, dtype, empty, pointer, numbers = _tools(module)

    def call(q: Any) -> Array:
        if type(q) is array and q.shape == nq and q.dtype is dtype:
            try:
                q_ = pointer(numbers, q)
            except _NOT_CONTIGUOUS:
                return general(q)
            result: Array = empty(output, dtype)
            if not function(*first, q_, n, pointer(numbers, result)):
                return result
        return general(q)

    return call


def _of_q_v(module: Module, spec: KernelSpec, function: Any, first: tuple[Any, ...], n: int, general: Call) -> Call:
    nq, nv, output = (module.manifest.nq,), (module.manifest.nv,), spec.outputs[0].shape
    array, dtype, empty, pointer, numbers = _tools(module)

    def call(q: Any, v: Any) -> Array:
        if type(q) is array is type(v) and q.shape == nq and v.shape == nv and q.dtype is dtype is v.dtype:
            try:
                q_, v_ = pointer(numbers, q), pointer(numbers, v)
            except _NOT_CONTIGUOUS:
                return general(q, v)
            result: Array = empty(output, dtype)
            if not function(*first, q_, v_, n, pointer(numbers, result)):
                return result
        return general(q, v)

    return call


def _of_q_v_x(module: Module, spec: KernelSpec, function: Any, first: tuple[Any, ...], n: int, general: Call) -> Call:
    nq, nv, output = (module.manifest.nq,), (module.manifest.nv,), spec.outputs[0].shape
    array, dtype, empty, pointer, numbers = _tools(module)

    def call(q: Any, v: Any, x: Any) -> Array:
        if (
            (type(q) is array is type(v) and type(x) is array)
            and (q.shape == nq and v.shape == nv and x.shape == nv)
            and (q.dtype is dtype is v.dtype and x.dtype is dtype)
        ):
            try:
                q_, v_, x_ = pointer(numbers, q), pointer(numbers, v), pointer(numbers, x)
            except _NOT_CONTIGUOUS:
                return general(q, v, x)
            result: Array = empty(output, dtype)
            if not function(*first, q_, v_, x_, n, pointer(numbers, result)):
                return result
        return general(q, v, x)

    return call


def _of_others(module: Module, spec: KernelSpec, parameters: list[Any], checks: Checks, general: Call) -> Call:
    """A square too large for a number is not finite either: then, and of many numbers, the general way decides."""
    shapes, output = [given.shape for given in spec.inputs], spec.outputs[0].shape
    if max(map(prod, (*shapes, output))) > FEW:
        return general
    function = getattr(module.lib, spec.function)
    off_unit = getattr(module.lib, f"{module.manifest.prefix}_first_off_unit")
    array, dtype, empty, pointer, numbers = _tools(module)

    def call(*arguments: Any) -> Array:
        if len(arguments) != len(shapes):
            return general(*arguments)
        pointers = []
        for x, shape in zip(arguments, shapes, strict=True):
            if not (type(x) is array and x.shape == shape and x.dtype is dtype):
                return general(*arguments)
            try:
                pointers.append(pointer(numbers, x))
            except _NOT_CONTIGUOUS:
                return general(*arguments)
            if not isfinite(vdot(x, x)):
                return general(*arguments)
        for i in checks.turning:
            if off_unit(1, checks.precision.unit, pointers[i]) >= 0:
                return general(*arguments)
        result: Array = empty(output, dtype)
        function(*parameters, *pointers, pointer(numbers, result))
        return result if isfinite(vdot(result, result)) else general(*arguments)

    return call


def _tools(module: Module) -> tuple[Any, Any, Any, Any, Any]:
    ffi, precision = module.ffi, module.manifest.precision
    return np.ndarray, np.dtype(precision.dtype), np.empty, ffi.from_buffer, ffi.typeof(f"{precision.scalar}[]")
