"""A kernel of a compiled model as a function of arrays: arguments checked at the door, batches by one C call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np

from ..abi import LARGE, KernelSpec, Manifest
from ..arguments import Array, as_array
from ..errors import ModelError
from ..kinds import KINDS
from .direct import Checks, direct_call
from .module import Module

UNIT_TOLERANCE = 1e-6
"""How far the norm of a quaternion or of a cosine-sine pair may be off 1."""

TOO_LARGE = 1e20
"""Size of an argument that is told as the reason where a result is not finite."""

_CONFIGURATIONS = ("q", "q0", "q1")


class Kernel:
    """Calls one C function; holds no state that a call changes, so that threads may share it.

    Arguments are arrays (..., *shape) in the order of `spec.inputs`; the result is a fresh array (..., *shape of the
    output), the leading axes broadcast by numpy's rules.
    """

    __slots__ = (
        "_batch",
        "_doubles",
        "_ffi",
        "_inputs",
        "_module",
        "_output",
        "_parameters",
        "_polynomial",
        "call",
        "spec",
    )

    call: Callable[..., Array]
    """What calling the kernel does, for those who keep a function."""

    def __init__(self, module: Module, spec: KernelSpec, parameters: Array) -> None:
        ffi, manifest = module.ffi, module.manifest
        self.spec = spec
        self._module = module
        self._ffi = ffi
        self._batch = getattr(module.lib, f"{spec.function}_batch") if spec.function else None
        self._doubles = ffi.typeof("double[]")
        # cffi's pointer keeps the array alive
        self._parameters = [ffi.from_buffer(self._doubles, parameters)] if manifest.parameters else []
        self._polynomial = is_polynomial(spec) and not manifest.parameters
        turning = any(KINDS[joint.kind].rotation for joint in manifest.joints)
        self._inputs = [
            (array.shape, prod(array.shape), turning and array.name in _CONFIGURATIONS) for array in spec.inputs
        ]
        self._output = spec.outputs[0].shape
        checks = Checks(UNIT_TOLERANCE, 0 if self._polynomial else prod(self._output))
        direct = direct_call(module, spec, self._parameters, checks, self.general) if spec.function else None
        self.call = direct or self.general

    def __call__(self, *arguments: Any) -> Array:
        return self.call(*arguments)

    def general(self, *arguments: Any) -> Array:
        """Any arguments: cast, check, broadcast, then one C call for all states."""
        names = [array.name for array in self.spec.inputs]
        arrays = [as_array(n, x, i[0]) for n, x, i in zip(names, arguments, self._inputs, strict=True)]
        for name, array, (_, _, turning) in zip(names, arrays, self._inputs, strict=True):
            if turning:
                require_unit(self._module, name, array)
        leading = [array.shape[: array.ndim - len(i[0])] for array, i in zip(arrays, self._inputs, strict=True)]
        try:
            batch = np.broadcast_shapes(*leading)
        except ValueError as error:
            shapes = ", ".join(f"{n} {a.shape}" for n, a in zip(names, arrays, strict=True))
            raise ModelError(f"{self.spec.name}: batch axes do not broadcast: {shapes}") from error
        result = np.empty((*batch, *self._output))
        count = prod(batch)
        if count and self._batch:
            pointers: list[Any] = [count, *self._parameters]
            for array, lead, (shape, size, _) in zip(arrays, leading, self._inputs, strict=True):
                one = prod(lead) == 1
                full = array if one or lead == batch else np.ascontiguousarray(np.broadcast_to(array, (*batch, *shape)))
                pointers += [self._ffi.from_buffer(self._doubles, full), 0 if one else size]
            self._batch(*pointers, self._ffi.from_buffer(self._doubles, result))
            self._require_finite(result, dict(zip(names, arrays, strict=True)))
        return result

    def _require_finite(self, result: Array, arrays: Mapping[str, Array]) -> None:
        """ModelError if a number of the result is not finite; it is looked at those numbers that are fewer."""
        fewer = self._polynomial and result.size > sum(array.size for array in arrays.values())
        if fewer and all(map(_within_large, arrays.values())):
            return
        if not np.isfinite(result).all():
            raise ModelError(not_finite_message(self.spec.name, result, arrays))


def _within_large(array: Array) -> bool:
    return bool(array.min(initial=0.0) >= -LARGE and array.max(initial=0.0) <= LARGE)


def is_polynomial(spec: KernelSpec) -> bool:
    """Whether it is made of sums and products alone, so that its results are finite for all numbers up to LARGE."""
    return bool(spec.operations) and not spec.operations.get("div", 1) and not spec.operations.get("call", 1)


def not_finite_message(what: str, result: Array, arrays: Mapping[str, Array]) -> str:
    """Which entry is not finite, and what is likely to be the reason."""
    index = tuple(int(i) for i in np.argwhere(~np.isfinite(result))[0])
    sizes = {name: float(np.abs(array).max(initial=0.0)) for name, array in arrays.items()}
    largest = max(sizes, key=lambda name: sizes[name], default="")
    why = "the inertia may be singular there, or a parameter too large"
    if sizes.get(largest, 0.0) > TOO_LARGE:
        why = f"{largest} has numbers of {sizes[largest]:.3g}, which are too large"
    return f"{what}: entry {index[0] if len(index) == 1 else index} of the result is {result[index]}: {why}"


def require_unit(module: Module, name: str, q: Array) -> None:
    """ModelError that names the joint if a rotation in q (..., nq) is off unit norm."""
    manifest, ffi = module.manifest, module.ffi
    check = getattr(module.lib, f"{manifest.prefix}_first_off_unit")
    at = check(q.size // max(manifest.nq, 1), UNIT_TOLERANCE, ffi.from_buffer("double[]", q))
    if at >= 0:
        raise ModelError(
            off_unit_message(manifest, name, q.reshape(-1, manifest.nq)[at // manifest.nq], at % manifest.nq)
        )


def off_unit_message(manifest: Manifest, name: str, q: Array, at: int) -> str:
    """What is wrong with the rotation that stands at `q[at:]`, q (nq)."""
    joint = next(j for j in manifest.joints if j.q_start <= at < j.q_start + j.nq)
    part = KINDS[joint.kind].rotation or slice(0)
    rotation = q[at : at + part.stop - part.start]
    what = "[cos sin] pair" if rotation.size == 2 else "quaternion [x y z w]"
    return (
        f"{name}: the {what} of joint '{joint.name}', entries {at} to {at + rotation.size - 1}, has norm "
        f"{np.linalg.norm(rotation):.9g}, expected 1; divide it by its norm (model.neutral() is a valid start)"
    )
