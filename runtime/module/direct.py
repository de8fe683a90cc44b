"""The short way into a kernel: one state, arrays that need no care, one check and one kernel in C.

Anything but float64 arrays in C order and of the right shape takes the general way, and so does a state that the check
in C finds wrong: errors are made there. Arguments are unrolled: a loop over three costs as much as the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..abi import KernelSpec
from ..arguments import Array
from .module import Module

Call = Callable[..., Array]

_FLOAT64 = np.dtype(np.float64)
_NOT_CONTIGUOUS = (ValueError, BufferError)


def direct_call(module: Module, spec: KernelSpec, parameters: list[Any], tolerance: float, general: Call) -> Call:
    """A function of (q), (q, v) or (q, v, x), x of nv entries; `general` itself for kernels of other inputs."""
    nq, nv = (module.manifest.nq,), (module.manifest.nv,)
    ways = (([nq], _of_q), ([nq, nv], _of_q_v), ([nq, nv, nv], _of_q_v_x))
    shapes = [array.shape for array in spec.inputs]
    # two configurations (difference) pass as q v where nq = nv: nothing turns then, and the check is the same
    make = next((way for wanted, way in ways if shapes == wanted), None)
    return make(module, spec, tuple(parameters), tolerance, general) if make else general


def _of_q(module: Module, spec: KernelSpec, p: tuple[Any, ...], tolerance: float, general: Call) -> Call:
    nq, output = (module.manifest.nq,), spec.outputs[0].shape
    function, admissible, pointer, doubles, null = _tools(module, spec)
    array, float64, empty = np.ndarray, _FLOAT64, np.empty

    def call(q: Any) -> Array:
        if type(q) is array and q.shape == nq and q.dtype is float64:
            try:
                q_ = pointer(doubles, q)
            except _NOT_CONTIGUOUS:
                return general(q)
            if admissible(tolerance, q_, null, null):
                result = empty(output)
                function(*p, q_, pointer(doubles, result))
                return result
        return general(q)

    return call


def _of_q_v(module: Module, spec: KernelSpec, p: tuple[Any, ...], tolerance: float, general: Call) -> Call:
    nq, nv, output = (module.manifest.nq,), (module.manifest.nv,), spec.outputs[0].shape
    function, admissible, pointer, doubles, null = _tools(module, spec)
    array, float64, empty = np.ndarray, _FLOAT64, np.empty

    def call(q: Any, v: Any) -> Array:
        if type(q) is array is type(v) and q.shape == nq and v.shape == nv and q.dtype is float64 is v.dtype:
            try:
                q_, v_ = pointer(doubles, q), pointer(doubles, v)
            except _NOT_CONTIGUOUS:
                return general(q, v)
            if admissible(tolerance, q_, v_, null):
                result = empty(output)
                function(*p, q_, v_, pointer(doubles, result))
                return result
        return general(q, v)

    return call


def _of_q_v_x(module: Module, spec: KernelSpec, p: tuple[Any, ...], tolerance: float, general: Call) -> Call:
    nq, nv, output = (module.manifest.nq,), (module.manifest.nv,), spec.outputs[0].shape
    function, admissible, pointer, doubles, _ = _tools(module, spec)
    array, float64, empty = np.ndarray, _FLOAT64, np.empty

    def call(q: Any, v: Any, x: Any) -> Array:
        if (
            (type(q) is array is type(v) and type(x) is array)
            and (q.shape == nq and v.shape == nv and x.shape == nv)
            and (q.dtype is float64 is v.dtype and x.dtype is float64)
        ):
            try:
                q_, v_, x_ = pointer(doubles, q), pointer(doubles, v), pointer(doubles, x)
            except _NOT_CONTIGUOUS:
                return general(q, v, x)
            if admissible(tolerance, q_, v_, x_):
                result = empty(output)
                function(*p, q_, v_, x_, pointer(doubles, result))
                return result
        return general(q, v, x)

    return call


def _tools(module: Module, spec: KernelSpec) -> tuple[Any, Any, Any, Any, Any]:
    ffi, lib = module.ffi, module.lib
    admissible = getattr(lib, f"{module.manifest.prefix}_admissible")
    return getattr(lib, spec.function), admissible, ffi.from_buffer, ffi.typeof("double[]"), ffi.NULL
