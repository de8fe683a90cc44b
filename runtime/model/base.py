"""What compiled models of doubles and of floats have in common: names, layout, parameters, and their kernels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ..abi import JointSpec, Manifest
from ..arguments import Array
from ..errors import ModelError, shown
from ..module.kernel import Kernel
from ..module.module import Module, load_module
from ..names.lookup import near_joint, values_by_name
from ..parts import PartMethod
from ..typed import typed
from .closed.leaders import actuators
from .configuration import Configurations, home
from .kernels import Kernels
from .packed import PackedPattern
from .quantities import Quantities
from .table import model_table


class KernelModel:
    """Kernels of one mechanism, of the numbers of `computes` and no others."""

    computes: ClassVar[str] = ""

    def __init__(self, module: Module, parameters: Mapping[str, float] | None = None) -> None:
        if module.manifest.dtype != self.computes:
            raise ModelError(
                f"model '{module.manifest.name}' was compiled with dtype '{module.manifest.dtype}': "
                f"kinegen.runtime.{_LOADED[module.manifest.dtype]} opens it"
            )
        self._kernels = Kernels(module, parameters or {})
        self._kernel = self._kernels.of
        self._quantities = Quantities(self._kernels)
        self._configurations = Configurations(self._kernels)

    @classmethod
    @typed
    def load(cls, folder: str | Path) -> Self:
        """The model compiled into `folder`; needs neither SymPy nor a compiler. Errors: see `load_module`."""
        return cls(load_module(folder))

    # ---- What it is

    @property
    def manifest(self) -> Manifest:
        """Names, layout, parameters, kernels with their operation counts."""
        return self._kernels.manifest

    @property
    def module(self) -> Module:
        """The open module: cffi's `ffi` and `lib`."""
        return self._kernels.module

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def dtype(self) -> np.dtype[Any]:
        """What it computes with and gives."""
        return np.dtype(self.manifest.dtype)

    @property
    def nq(self) -> int:
        """Entries of q."""
        return self.manifest.nq

    @property
    def nv(self) -> int:
        """Entries of v: degrees of freedom of the tree."""
        return self.manifest.nv

    @property
    def nu(self) -> int:
        """Entries of `actuators`."""
        return len(self.actuators)

    @property
    def actuators(self) -> tuple[str, ...]:
        """Velocities θ_A of the actuated joints: those of the tree, then of the cut joints; rows of S. Joints and
        connections of a library that are not active have none."""
        return tuple(actuators(self.manifest, self.parameters))

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joints with coordinates of their own, in the order of q and v."""
        return tuple(joint.name for joint in self.manifest.joints if joint.nv > 0)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Links in the order of `link_poses` and `cog_jacobian`."""
        return self.manifest.links

    @property
    def q0(self) -> Array:
        """(nq) where a motion starts: joints at the beginning of their `motion` or at their `start`, free ones else at
        their `rest`, others neutral; moved into the limits."""
        return home(self.manifest).astype(self.dtype)

    def q_slice(self, joint: str) -> slice:
        """Where the entries of a joint stand in q."""
        spec = self._joint(joint)
        return slice(spec.q_start, spec.q_start + spec.nq)

    def v_slice(self, joint: str) -> slice:
        """Where the entries of a joint stand in v."""
        spec = self._joint(joint)
        return slice(spec.v_start, spec.v_start + spec.nv)

    @property
    def sources(self) -> Mapping[str, str]:
        """The C files that were compiled, name -> text. BuildError if they are gone, as after `kinegen cache clear`."""
        return {name: self.module.text(name) for name in self.manifest.sources}

    @property
    def source(self) -> str:
        """The C that was compiled, all files one after the other."""
        return "\n".join(f"/* ======== {name} ======== */\n\n{text}" for name, text in self.sources.items())

    # ---- Parameters

    @property
    def parameters(self) -> Mapping[str, float | None]:
        """Run-time parameters, name -> value; None for those that have none yet."""
        return self._kernels.parameters

    def with_parameters(self, values: Mapping[str, float] | None = None, /, **named: float) -> Self:
        """The same model with these parameters set, by mapping or keyword; this one is untouched."""
        return self._with({**self._kernels.known, **values_by_name("with_parameters", values, named)})

    def _with(self, values: Mapping[str, float]) -> Self:
        """The same with these values of parameters."""
        return type(self)(self.module, values)

    # ---- Quantities that are kernels: promised names of the part that has them

    inverse_dynamics = PartMethod("_quantities", Quantities.inverse_dynamics)
    mass_matrix = PartMethod("_quantities", Quantities.mass_matrix)
    mass_matrix_product = PartMethod("_quantities", Quantities.mass_matrix_product)
    mass_matrix_solve = PartMethod("_quantities", Quantities.mass_matrix_solve)
    bias = PartMethod("_quantities", Quantities.bias)
    gravity = PartMethod("_quantities", Quantities.gravity)
    link_poses = PartMethod("_quantities", Quantities.link_poses)
    cog_bias = PartMethod("_quantities", Quantities.cog_bias)
    com = PartMethod("_quantities", Quantities.com)
    com_jacobian = PartMethod("_quantities", Quantities.com_jacobian)
    energy = PartMethod("_quantities", Quantities.energy)
    momentum = PartMethod("_quantities", Quantities.momentum)
    centroidal_momentum_matrix = PartMethod("_quantities", Quantities.centroidal_momentum_matrix)
    momentum_rate = PartMethod("_quantities", Quantities.momentum_rate)
    total_mass = PartMethod("_quantities", Quantities.total_mass)
    gravity_acceleration = PartMethod("_quantities", Quantities.gravity_acceleration)
    integrate = PartMethod("_quantities", Quantities.integrate)
    difference = PartMethod("_quantities", Quantities.difference)
    rnea = PartMethod("_quantities", Quantities.inverse_dynamics)
    crba = PartMethod("_quantities", Quantities.mass_matrix)

    @property
    def mass_matrix_pattern(self) -> PackedPattern:
        """Where the entries of a packed mass matrix stand. ModelError if compiled without `lanes`."""
        return self._quantities.mass_matrix_pattern

    # ---- Configurations

    neutral = PartMethod("_configurations", Configurations.neutral)
    random = PartMethod("_configurations", Configurations.random)

    # ---- For those who build on it

    def parameter_values(self) -> Array:
        """Values of the run-time parameters in the manifest's order. ModelError names those that have none."""
        return self._kernels.values()

    @typed
    def kernel(self, name: str) -> Kernel:
        """A kernel by its name in the manifest, those of `manifest.further` compiled when they are first asked for.

        ModelError for an unknown one, while parameters lack values, and for one that nobody here can compile.
        """
        return self._kernels.kernel(name)

    def _joint(self, name: str) -> JointSpec:
        specs = {joint.name: joint for joint in self.manifest.joints}
        if not isinstance(name, str) or name not in specs:
            raise ModelError(f"model '{self.name}' has no joint {shown(name)}{near_joint(self.manifest, name, specs)}")
        return specs[name]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, nq={self.nq}, nv={self.nv}, {len(self.link_names)} links)"

    def _repr_html_(self) -> str:
        return model_table(repr(self), self.manifest.joints)


_LOADED = {"float64": "load", "float32": "SingleModel.load"}
