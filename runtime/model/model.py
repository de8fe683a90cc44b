"""A compiled model as users call it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..abi import JointSpec, Manifest
from ..analysis.causes import Causes
from ..arguments import Array, as_array, as_count, require_memory
from ..derivatives.frames import MotionDerivatives
from ..derivatives.methods import DynamicsDerivatives
from ..errors import ModelError, shown
from ..identification.regressors import Regressors
from ..lookup import looked_up
from ..module.kernel import Kernel
from ..module.module import Further, Module, load_module
from ..module.states import Batch
from ..parts import PartMethod
from ..typed import typed
from .closed.closure import Closure, dofs_named
from .closed.judged import judged_dynamics
from .closed.loops import Loops
from .configuration import RandomConfigurations, generator_of, home, prescribed_motion
from .frames import Frames
from .kernels import Kernels
from .packed import PackedPattern
from .quantities import Quantities
from .table import model_table


@typed
class Model:
    """Kernels of one mechanism. SI units, radians, world axes unless said otherwise.

    q (nq) and v (nv) follow Pinocchio's layout, quaternions have the scalar last and velocities are in the child's
    frame: free joint q = [x y z | qx qy qz qw], v = [linear | angular]; spherical joint q = [qx qy qz qw], v = angular
    velocity; planar joint q = [x y cos sin], v = [vx vy w].

    Array arguments may carry leading batch axes, which broadcast; results are fresh arrays. A wrong shape or dtype, a
    number that is not finite, a quaternion off unit norm: `ModelError`. Calls release the GIL; threads may share it.
    """

    def __init__(
        self,
        module: Module,
        parameters: Mapping[str, float] | None = None,
        pins: tuple[int, ...] = (),
        at: Array | None = None,
    ) -> None:
        """A model on an open module; `parameters` gives values to run-time parameters, by name; `pins`: entries of v
        that must be independent, judged `at` a configuration (see `with_independent`)."""
        self._kernels = Kernels(module, parameters or {})
        self._kernel = self._kernels.of
        self._frames = Frames(self._kernels)
        self.loops = Loops(self._kernels, pins, at)
        """Everything about closed loops; what follows of it below is the same by its promised name."""
        self._quantities = Quantities(self._kernels)
        self._derivatives = DynamicsDerivatives(self._kernels, self.loops)
        self._motion_derivatives = MotionDerivatives(self._kernels, self.loops, self._frames)
        self._regressors = Regressors(self._kernels)
        self._causes = Causes(self._kernels)

    @classmethod
    @typed
    def load(cls, folder: str | Path) -> Model:
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
    def nq(self) -> int:
        """Entries of q."""
        return self.manifest.nq

    @property
    def nv(self) -> int:
        """Entries of v: degrees of freedom of the tree."""
        return self.manifest.nv

    @property
    def nu(self) -> int:
        """Degrees of freedom of the actuated joints, cut ones included."""
        return len(self.actuators)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joints with coordinates of their own, in the order of q and v."""
        return tuple(joint.name for joint in self.manifest.joints if joint.nv > 0)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Links in the order of `link_poses` and `cog_jacobian`."""
        return self.manifest.links

    @property
    def frame_names(self) -> tuple[str, ...]:
        """What `frame_pose` and `frame_jacobian` may be asked for: links and frames fixed to them."""
        return self._frames.names

    @property
    def q0(self) -> Array:
        """(nq) where a simulation starts: joints at the beginning of their `motion` or at their `start`, free ones else
        at their `rest`, others neutral; moved into the limits, loops closed."""
        start = home(self.manifest)
        return self.assemble(start) if self.manifest.loops else start

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

    def with_parameters(self, values: Mapping[str, float] | None = None, /, **named: float) -> Model:
        """The same model with these parameters set, by mapping or keyword; this one is untouched."""
        if values is not None and not isinstance(values, Mapping):
            raise ModelError(f"with_parameters: expected values by name, got {shown(values)}")
        return Model(self.module, {**self._kernels.known, **(values or {}), **named}, self.loops.pins, self.loops.at)

    # ---- Quantities that are kernels: promised names of the part that has them

    inverse_dynamics = PartMethod("_quantities", Quantities.inverse_dynamics)
    mass_matrix = PartMethod("_quantities", Quantities.mass_matrix)
    mass_matrix_product = PartMethod("_quantities", Quantities.mass_matrix_product)
    mass_matrix_solve = PartMethod("_quantities", Quantities.mass_matrix_solve)
    bias = PartMethod("_quantities", Quantities.bias)
    gravity = PartMethod("_quantities", Quantities.gravity)
    passive_forces = PartMethod("_quantities", Quantities.passive_forces)
    link_poses = PartMethod("_quantities", Quantities.link_poses)
    cog_jacobian = PartMethod("_quantities", Quantities.cog_jacobian)
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

    inverse_dynamics_derivatives = PartMethod("_derivatives", DynamicsDerivatives.inverse_dynamics_derivatives)
    forward_dynamics_derivatives = PartMethod("_derivatives", DynamicsDerivatives.forward_dynamics_derivatives)
    rnea_derivatives = PartMethod("_derivatives", DynamicsDerivatives.inverse_dynamics_derivatives)
    aba_derivatives = PartMethod("_derivatives", DynamicsDerivatives.forward_dynamics_derivatives)
    frame_velocity_derivatives = PartMethod("_motion_derivatives", MotionDerivatives.frame_velocity_derivatives)
    frame_acceleration_derivatives = PartMethod("_motion_derivatives", MotionDerivatives.frame_acceleration_derivatives)
    com_velocity_derivatives = PartMethod("_motion_derivatives", MotionDerivatives.com_velocity_derivatives)

    torque_regressor = PartMethod("_regressors", Regressors.torque_regressor)
    energy_regressor = PartMethod("_regressors", Regressors.energy_regressor)
    inertial_parameters = PartMethod("_regressors", Regressors.inertial_parameters)
    rotor_inertias = PartMethod("_regressors", Regressors.rotor_inertias)

    @property
    def inertial_labels(self) -> tuple[str, ...]:
        """Columns of regressors: ("m_LINK", "mx_LINK", ..., "Izz_LINK") of each link."""
        return self._regressors.inertial_labels

    frame_pose = PartMethod("_frames", Frames.frame_pose)
    frame_jacobian = PartMethod("_frames", Frames.frame_jacobian)
    frame_velocity = PartMethod("_frames", Frames.frame_velocity)
    frame_acceleration = PartMethod("_frames", Frames.frame_acceleration)
    frame_bias = PartMethod("_frames", Frames.frame_bias)

    # ---- What takes more than a kernel

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, method: str | None = None, **batch: Unpack[Batch]
    ) -> Array:
        """(..., nv) acceleration under torques τ; without springs, dampers, friction (see `passive_forces`).

        With loops: pivots below 1e-5 of the largest count as zero. Where `partition(q).rank` so is below nv - nf or a
        row of a loop is missed by more than 1e-8, a `ClosureWarning` tells (in C: not-numbers), and the acceleration is
        that of the rank at q. `method`: "unit_vector", "ltdl", "articulated", "reduced", without warnings; None: best.
        """
        if self.manifest.closed and method is None:
            return judged_dynamics(self._kernels, self.loops, q, v, tau, batch)
        return self._kernel("forward_dynamics", method, batch)(q, v, tau)

    aba = forward_dynamics

    torque_terms = PartMethod("_causes", Causes.torque_terms)

    def prescribed_motion(self, t: ArrayLike) -> dict[str, Array]:
        """(..., 3, nv_j) q, v, a of the joints whose motion the model gives, at times t (...) [s], by joint."""
        return prescribed_motion(self, t)

    @cached_property
    def _random(self) -> RandomConfigurations:
        return RandomConfigurations(self.manifest)

    def neutral(self) -> Array:
        """(nq) zeros, with unit quaternions [0 0 0 1] and [cos sin] = [1 0]; limits are not looked at (see `q0`)."""
        return self._neutral.copy()

    @cached_property
    def _neutral(self) -> Array:
        return np.array(self.manifest.neutral)

    def random(self, rng: np.random.Generator | int | None = None, *, size: int | tuple[int, ...] = ()) -> Array:
        """(*size, nq) configurations, uniform in the limits (±π or ±1 m where there are none) and over rotations.

        With loops: the closed configurations next to such.
        """
        sizes = size if isinstance(size, tuple) else (size,)
        shape = tuple(as_count("size", n, least=0) for n in sizes)
        require_memory("random", self.nq * prod(shape))
        generator = self._random.anywhere if rng is None else generator_of(rng)
        return self.loops.closed_near(lambda n: self._random.drawn(generator, n), shape)

    # ---- Closed loops: promised names of what `loops` does

    @property
    def independent(self) -> tuple[str, ...]:
        """Velocities θ_G (nf) that give all others, ascending; columns of H, W and S. "ball[2]": one entry of three."""
        return self.loops.independent

    @property
    def dependent(self) -> tuple[str, ...]:
        """Velocities θ_S that follow: those of the tree ascending, then those of the cut joints; rows of H."""
        return self.loops.dependent

    @property
    def nf(self) -> int:
        """Degrees of freedom of the closed mechanism."""
        return self.loops.nf

    @property
    def actuators(self) -> tuple[str, ...]:
        """Velocities θ_A of the actuated joints: those of the tree, then of the cut joints; rows of S."""
        return self.loops.actuators

    @property
    def closure(self) -> Closure:
        """The loops' C functions."""
        return self.loops.closure

    def with_independent(self, names: Sequence[str], q: ArrayLike | None = None) -> Model:
        """The same model led by these joints (or entries, "ball[2]"); fewer than nf are filled up.

        `q` (nq): where that is judged, put on the closure; by default where the model's own freedoms were found. On
        another branch there may be more or fewer of them. ModelError for unknown joints and for pins that contradict
        each other there.
        """
        at = None if q is None else as_array("q", q, (self.manifest.nq,), batch=False)
        model = Model(self.module, self._kernels.known, dofs_named(self.manifest, names), at)
        _ = model.loops.leaders
        return model

    partition = PartMethod("loops", Loops.partition)
    closure_residual = PartMethod("loops", Loops.closure_residual)
    closure_jacobian = PartMethod("loops", Loops.closure_jacobian)
    closure_bias = PartMethod("loops", Loops.closure_bias)
    W = PartMethod("loops", Loops.W)
    H = PartMethod("loops", Loops.H)
    S = PartMethod("loops", Loops.S)
    assemble = PartMethod("loops", Loops.assemble)
    project = PartMethod("loops", Loops.project)
    dependent_motion = PartMethod("loops", Loops.dependent_motion)
    loop_joint = PartMethod("loops", Loops.loop_joint)
    actuator_torques = PartMethod("loops", Loops.actuator_torques)

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
        return looked_up(name, specs, f"model '{self.name}' has no joint")

    def __reduce__(self) -> tuple[Any, ...]:
        module = self.module
        further = {group: str(folder) for group, folder in module.further.folders.items()}
        return _restore, (str(module.folder), self._kernels.known, self.loops.pins, module.sealed, further)

    def __repr__(self) -> str:
        return f"Model({self.name!r}, nq={self.nq}, nv={self.nv}, {len(self.link_names)} links)"

    def _repr_html_(self) -> str:
        return model_table(repr(self), self.manifest.joints)


load = Model.load


def _restore(
    folder: str, parameters: dict[str, float], pins: tuple[int, ...], sealed: bool, further: dict[str, str]
) -> Model:
    known = Further(folders={group: Path(place) for group, place in further.items()})
    return Model(replace(load_module(folder, sealed=sealed), further=known), parameters, pins)
