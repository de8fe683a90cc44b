"""A compiled model of floats: kernels that are straight-line code, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from ..errors import MissingError
from ..module.module import Module
from ..parts import PartMethod
from ..typed import typed
from .base import KernelModel
from .model import Model
from .quantities import Quantities


@typed
class SingleModel(KernelModel):
    """Kernels of one open mechanism in single precision; units, axes and layouts are those of `Model`.

    Arrays given as float32 are taken as they are, others are rounded to it; results are float32. Twice as many states
    as of doubles go through a vector. What `Model` has beside (simulation, derivatives, closed loops, frames but
    for the kernels of those named when it was compiled, ...) is not there: to ask for it is a `ModelError`. Wrong
    arguments raise `ModelError` as in `Model`; quaternions may be off unit norm by 1e-5.
    """

    computes = "float32"

    def __init__(self, module: Module, parameters: Mapping[str, float] | None = None) -> None:
        """A model on an open module; `parameters` gives values to run-time parameters, by name."""
        super().__init__(module, parameters)

    forward_dynamics = PartMethod("_quantities", Quantities.forward_dynamics)
    aba = PartMethod("_quantities", Quantities.forward_dynamics)

    def __getattr__(self, name: str) -> NoReturn:
        """A name of `Model` is refused with the remedy; what this class has too tells itself why it is not there."""
        if hasattr(SingleModel, name):
            object.__getattribute__(self, name)
        if name.startswith("_") or not hasattr(Model, name):
            raise AttributeError(f"SingleModel has no attribute {name!r}")
        raise MissingError(
            f"{name} of model '{self.manifest.name}', which is of float32: such models have inverse_dynamics, "
            "forward_dynamics, mass_matrix, link_poses, com, integrate and what else is straight-line code; compile "
            "without dtype"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return SingleModel, (self.module, self._kernels.known)
