"""The kernels of an open module, with values for its run-time parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np

from ..abi import Manifest
from ..arguments import Array
from ..errors import ModelError, shown
from ..module.kernel import Kernel
from ..module.module import Module
from ..module.states import Batch
from ..names.lookup import parameter_values

Method = TypeVar("Method", bound=Callable[..., Any])
Told = TypeVar("Told", bound=tuple[Array, ...])

METHODS = ("articulated", "cog", "composite", "ltdl", "reduced", "specialised", "unit_vector")
"""Ways to one result: the kernel QUANTITY_METHOD takes the arguments of QUANTITY and gives what it gives."""


class Kernels:
    """Kernels by name, or by quantity and method; `given`: values of run-time parameters, by name."""

    def __init__(self, module: Module, given: Mapping[str, float]) -> None:
        self.module = module
        self._values = parameter_values(module.manifest, given)
        self._found: dict[str, Kernel] = {}
        self._calls: dict[str, Callable[..., Array]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernels, (self.module, self.known)

    @property
    def manifest(self) -> Manifest:
        return self.module.manifest

    @property
    def parameters(self) -> Mapping[str, float | None]:
        """Run-time parameters, name -> value; None for those that have none yet."""
        pairs = zip(self.manifest.parameters, self._values.tolist(), strict=True)
        return MappingProxyType({spec.name: None if np.isnan(value) else value for spec, value in pairs})

    @property
    def known(self) -> dict[str, float]:
        """The parameters that have values."""
        return {name: value for name, value in self.parameters.items() if value is not None}

    def values(self) -> Array:
        """Values of the parameters in the manifest's order. ModelError names those that have none."""
        missing = [spec for spec, value in self.parameters.items() if value is None]
        if missing:
            first = missing[0]
            raise ModelError(
                f"model '{self.manifest.name}': no value for parameter {', '.join(missing)}; set it: "
                f"model.with_parameters({{{first!r}: 1.0}}), or where it is described: kg.parameter({first!r}, 1.0), "
                f'in TOML parameters = {{"{first}" = 1.0}}'
            )
        return self._values.copy()

    def kernel(self, name: str) -> Kernel:
        """A kernel by its name; one of a group that is compiled when it is first asked for is compiled now.

        ModelError for an unknown one, while parameters lack values, and for one that nobody here can compile.
        """
        module = self.module.having(name)
        return Kernel(module, module.manifest.kernel(name), self.values())

    def quick(
        self,
        name: str,
        method: Method,
        named: Mapping[str, Array] | None = None,
        own: Mapping[str, str] = MappingProxyType({}),
        bound: float | None = None,
    ) -> Method:
        """A method whose arguments are those of the kernel `name`, by one call in C for the usual ones.

        `named`: what the last of them may be, by name; `own`: names with a kernel of their own, without that argument.
        `bound`: results of about this size and beyond are left to the method.
        The method itself where the kernel has no text, lacks parameters, or waits to be compiled: see `Kernel.quick`.
        """
        if not self.manifest.has(name) or not self.manifest.kernel(name).function:
            return method
        if None in self.parameters.values():
            return method
        alone = {given: self.kernel(kernel).call for given, kernel in own.items()}
        return cast(Method, self.kernel(name).quick(method, None if named is None else {**named, **alone}, bound))

    def answer(self, method: Method, drawn: Callable[[], Array] | None = None) -> Method:
        """A method that without arguments always answers the same, asked once: arrays are given as fresh copies.

        `drawn`: makes many answers (n, ...) at a time, each for one call without arguments in this process. The method
        itself where calls in C could not be compiled.
        """
        calls = self.module.calls
        return method if calls is None else cast(Method, calls.Answer(method, drawn))

    def parts(self, kind: type[Told], whole: Array, picked: tuple[int, ...], axes: int = 2) -> Told:
        """The named tuple `kind` of views whole[..., i, ...] for i in `picked`, with so many axes behind i."""
        calls = self.module.calls
        if calls is None:
            moved = np.moveaxis(whole, -1 - axes, 0)
            return kind(*(moved[i] for i in picked))
        told: Told = calls.parts(kind, whole, axes, picked)
        return told

    def of(self, quantity: str, method: str | None = None, batch: Batch | None = None) -> Callable[..., Array]:
        """The function of a quantity, by one of the methods that there are for it, None for the best.

        `batch`: how it takes many states, if anything is said of that.
        """
        if method is None and not batch and (found := self._calls.get(quantity)) is not None:
            return found
        name = quantity if method is None else self._named(quantity, method)
        call = self._calls.get(name)
        if call is not None:
            return partial(self._found[name].batched, **batch) if batch else call
        self._found[name] = kernel = self.kernel(name)
        self._calls[name] = kernel.call
        return self.of(quantity, method, batch)

    def _named(self, quantity: str, method: str) -> str:
        """The kernel of a quantity by that method; ModelError with those that there are."""
        known = {name: f"{quantity}_{name}" for name in METHODS if f"{quantity}_{name}" in self.manifest.routes}
        if not isinstance(method, str) or method not in known:
            raise ModelError(f"{quantity}: unknown method {shown(method)}; known: {', '.join(known) or 'none'}")
        return known[method]
