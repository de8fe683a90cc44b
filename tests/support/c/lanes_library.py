"""Kernels of a mechanism with and without lanes in one shared library, for a compiler, a processor and a width."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import cffi
import numpy as np
from numpy.typing import NDArray

from kinegen.codegen.build.toolchain import FLAGS, GCC_FLAGS
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.abi import KernelSpec

Array = NDArray[Any]
GUARD = 7.25
"""Stands around the results, and stays."""


@dataclass(frozen=True)
class LanesLibrary:
    """An open library; `parameters`: values of p, empty for none."""

    sources: Sources
    ffi: Any
    lib: Any
    parameters: Array

    @property
    def dtype(self) -> str:
        return self.sources.manifest.dtype

    @property
    def kernels(self) -> list[KernelSpec]:
        """Those that have lanes."""
        return [kernel for kernel in self.sources.manifest.kernels if kernel.lanes]

    def by_state(self, kernel: KernelSpec, arrays: Sequence[Array]) -> Array:
        """(n, size) of arrays (n, size), one state after the other."""
        call, p = getattr(self.lib, kernel.function), self._p()
        out = np.empty((len(arrays[0]), prod(kernel.outputs[0].shape)), self.dtype)
        for i, row in enumerate(out):
            call(*p, *(self._at(np.ascontiguousarray(array[i])) for array in arrays), self._at(row))
        return out

    def by_lanes(self, kernel: KernelSpec, arrays: Sequence[Array], layout: str) -> tuple[Array, int]:
        """The same by lanes, between guards that are looked at, and what the function returns."""
        n, size = len(arrays[0]), prod(kernel.outputs[0].shape)
        room = np.full(n * size + 16, GUARD, self.dtype)
        passed: list[Any] = []
        keep = [np.ascontiguousarray(array if layout == "aos" else array.T) for array in arrays]
        for array, given in zip(keep, arrays, strict=True):
            strides = (given.shape[1], 1) if layout == "aos" else (1, n)
            passed += [self._at(array), *strides]
        out = self._at(room) + 8
        first = getattr(self.lib, kernel.lanes)(
            n, *self._p(), *passed, out, *((size, 1) if layout == "aos" else (1, n))
        )
        assert (room[:8] == GUARD).all() and (room[-8:] == GUARD).all(), kernel.name
        result = room[8:-8].reshape((n, size) if layout == "aos" else (size, n))
        return np.ascontiguousarray(result if layout == "aos" else result.T), first

    def _p(self) -> list[Any]:
        return [self._at(self.parameters)] if self.parameters.size else []

    def _at(self, array: Array) -> Any:
        assert array.dtype == self.dtype
        return self.ffi.from_buffer(f"{self.sources.manifest.precision.scalar}[]", array)


def lanes_library(
    sources: Sources, folder: Path, compiler: Sequence[str], flags: Sequence[str], parameters: Array | None = None
) -> LanesLibrary:
    """Compiled with the flags of users and these."""
    folder.mkdir(parents=True, exist_ok=True)
    sources.write(folder)
    files = [name for name in sources.files if name.endswith(".c")]
    tuning = GCC_FLAGS if compiler[0] == "gcc" else ()
    command = [*compiler, "-std=c99", *FLAGS, *flags, *tuning, "-shared", *files, "-lm", "-o", "lanes.so"]
    subprocess.run(command, cwd=folder, check=True)
    ffi = cffi.FFI()
    ffi.cdef(sources.cdef)
    found = np.asarray(parameters if parameters is not None else [], sources.manifest.dtype)
    return LanesLibrary(sources, ffi, ffi.dlopen(str(folder / "lanes.so")), found)
