"""A compiled model as users call it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..abi import JointSpec, Manifest
from ..analysis.causes import TorqueTerms, Wrench, torque_terms
from ..arguments import Array, as_array
from ..errors import ModelError
from ..lookup import frames, near, parameter_values
from ..module.kernel import Kernel
from ..module.module import Module, load_module
from .configuration import home, random_configuration
from .loops import ModelLoops
from .table import model_table


class Model(ModelLoops):
    """Kernels of one mechanism. SI units, radians, world axes unless said otherwise.

    q (nq) and v (nv) follow Pinocchio's layout, quaternions have the scalar last and velocities are in the child's
    frame: free joint q = [x y z | qx qy qz qw], v = [linear | angular]; spherical joint q = [qx qy qz qw], v = angular
    velocity; planar joint q = [x y cos sin], v = [vx vy w].

    Array arguments may carry leading batch axes, which broadcast; results are fresh arrays. A wrong shape or dtype, a
    number that is not finite, a quaternion off unit norm: `ModelError`. Calls release the GIL; threads may share it.
    """

    def __init__(
        self, module: Module, parameters: Mapping[str, float] | None = None, pins: tuple[int, ...] = ()
    ) -> None:
        """A model on an open module; `parameters` gives values to run-time parameters, by name; `pins`: entries of v
        that must be independent (see `with_independent`)."""
        self._module, self._pins = module, pins
        self._values = parameter_values(module.manifest, parameters or {})
        self._calls: dict[str, Callable[..., Array]] = {}
        self._frames = frames(module.manifest)

    @classmethod
    def load(cls, folder: str | Path) -> Model:
        """The model compiled into `folder`; needs neither SymPy nor a compiler. Errors: see `load_module`."""
        return cls(load_module(folder))

    # ---- What it is

    @property
    def manifest(self) -> Manifest:
        """Names, layout, parameters, kernels with their operation counts."""
        return self._module.manifest

    @property
    def module(self) -> Module:
        """The open module: cffi's `ffi` and `lib`."""
        return self._module

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
        return tuple(self._frames)

    @property
    def q0(self) -> Array:
        """(nq) where a motion starts: neutral, free joints at their `rest`, moved into the limits, loops closed."""
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
        """The C files that were compiled, name -> text."""
        folder = self._module.folder
        return {name: (folder / name).read_text(encoding="utf-8") for name in self.manifest.sources}

    @property
    def source(self) -> str:
        """The C that was compiled, all files one after the other."""
        return "\n".join(f"/* ======== {name} ======== */\n\n{text}" for name, text in self.sources.items())

    # ---- Parameters

    @property
    def parameters(self) -> Mapping[str, float | None]:
        """Run-time parameters, name -> value; None for those that have none yet."""
        pairs = zip(self.manifest.parameters, self._values.tolist(), strict=True)
        return MappingProxyType({spec.name: None if np.isnan(value) else value for spec, value in pairs})

    def with_parameters(self, values: Mapping[str, float] | None = None, /, **named: float) -> Model:
        """The same model with these parameters set, by mapping or keyword; this one is untouched."""
        known = {name: value for name, value in self.parameters.items() if value is not None}
        return Model(self._module, {**known, **(values or {}), **named}, self._pins)

    # ---- Dynamics

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, method: str | None = None) -> Array:
        """(..., nv) torques τ of all joints that give acceleration a; without springs, dampers, friction.

        `method`: None for the recursion over links, "cog" for Gᵀ(M̂q̈ + b̂) (mathematics §3).
        """
        return self._kernel("inverse_dynamics", method)(q, v, a)

    def mass_matrix(self, q: ArrayLike, *, method: str | None = None) -> Array:
        """(..., nv, nv) mass matrix, symmetric and full.

        `method`: "cog", "unit_vector" or "composite"; None: the one with the fewest operations for this topology.
        """
        return self._kernel("mass_matrix", method)(q)

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, method: str | None = None) -> Array:
        """(..., nv) acceleration under torques τ; without springs, dampers, friction (see `passive_forces`).

        `method`: "unit_vector", "ltdl" or "articulated"; None: the one with the fewest operations for this topology.
        """
        return self._kernel("forward_dynamics", method)(q, v, tau)

    def bias(self, q: ArrayLike, v: ArrayLike) -> Array:
        """(..., nv) torques of velocity and gravity: `inverse_dynamics` at a = 0."""
        return self._kernel("bias")(q, v)

    def gravity(self, q: ArrayLike) -> Array:
        """(..., nv) torques that hold the mechanism still against gravity."""
        return self._kernel("gravity")(q)

    def passive_forces(self, q: ArrayLike, v: ArrayLike) -> Array:
        """(..., nv) torques of springs, dampers and dry friction: add them to τ of `forward_dynamics`.

        −damping v − stiffness difference(rest, q) − friction v/√(v² + 0.001²).
        """
        return self._kernel("passive_forces")(q, v)

    def torque_terms(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: Sequence[Wrench] = ()) -> TorqueTerms:
        """(..., nv, N, 3 + wrenches) torque of every dof by link and cause [B], mathematics §4; labelled.

        Causes: acceleration, centrifugal (and Coriolis), gravity, each wrench that acts on the mechanism from outside.
        All add up to what the joints exert: `inverse_dynamics` less Σ J_hᵀ [f; τ]. No springs, dampers, friction.
        """
        return torque_terms(self, q, v, a, wrenches)

    rnea = inverse_dynamics
    crba = mass_matrix
    aba = forward_dynamics

    # ---- Kinematics

    def link_poses(self, q: ArrayLike) -> Array:
        """(..., N, 4, 4) pose of every link in world."""
        return self._kernel("link_poses")(q)

    def cog_jacobian(self, q: ArrayLike) -> Array:
        """(..., 6N, nv) COG Jacobian G [S (4)]: rows [velocity of its COG; angular velocity] per link, world axes."""
        return self._kernel("cog_jacobian")(q)

    def cog_bias(self, q: ArrayLike, v: ArrayLike) -> Array:
        """(..., 6N) Ġ v, the accelerations of `cog_jacobian`'s rows at v̇ = 0."""
        return self._kernel("cog_bias")(q, v)

    def com(self, q: ArrayLike) -> Array:
        """(..., 3) centre of mass in world."""
        return self._kernel("com")(q)

    def com_jacobian(self, q: ArrayLike) -> Array:
        """(..., 3, nv) velocity of the centre of mass per v."""
        return self._kernel("com_jacobian")(q)

    def frame_pose(self, q: ArrayLike, frame: str) -> Array:
        """(..., 4, 4) pose of a frame or link in world."""
        place, offset = self._frame(frame)
        poses = self.link_poses(q)
        link = int(place[0])  # -1: fixed to world
        base: Array = poses[..., link, :, :] if link >= 0 else np.broadcast_to(np.eye(4), (*poses.shape[:-3], 4, 4))
        pose: Array = np.matmul(base, offset)
        return pose

    def frame_jacobian(self, q: ArrayLike, frame: str) -> Array:
        """(..., 6, nv) rows [linear; angular] velocity of a frame or link per v: at its origin, in world axes."""
        place, _ = self._frame(frame)
        if place[0] < 0.0:  # fixed to world
            return np.zeros((*as_array("q", q, (self.nq,)).shape[:-1], 6, self.nv))
        return self._kernel("frame_jacobian")(q, place)

    # ---- Energy and momentum

    def energy(self, q: ArrayLike, v: ArrayLike) -> Array:
        """(..., 2) kinetic energy, potential energy of gravity; springs are not counted."""
        return self._kernel("energy")(q, v)

    def momentum(self, q: ArrayLike, v: ArrayLike) -> Array:
        """(..., 6) [linear; angular about the centre of mass] momentum, world axes."""
        return self._kernel("momentum")(q, v)

    def centroidal_momentum_matrix(self, q: ArrayLike) -> Array:
        """(..., 6, nv) `momentum` per v."""
        return self._kernel("centroidal_momentum_matrix")(q)

    # ---- Coordinates

    def integrate(self, q: ArrayLike, v_dt: ArrayLike) -> Array:
        """(..., nq) q moved by v_dt (nv) = velocity × time; rotations advance by the exponential map."""
        return self._kernel("integrate")(q, v_dt)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """(..., nv) the shortest v_dt with integrate(q0, v_dt) = q1, up to the sign of quaternions."""
        return self._kernel("difference")(q0, q1)

    def neutral(self) -> Array:
        """(nq) zeros, with unit quaternions [0 0 0 1] and [cos sin] = [1 0]; limits are not looked at (see `q0`)."""
        return np.array(self.manifest.neutral)

    def random(self, rng: np.random.Generator | int | None = None, *, size: int | tuple[int, ...] = ()) -> Array:
        """(*size, nq) configurations, uniform in the limits (±π or ±1 m where there are none) and over rotations.

        With loops: the closed configurations next to such.
        """
        shape = (size,) if isinstance(size, int) else size
        generator = np.random.default_rng(rng)
        return self._closed_near(lambda n: random_configuration(self.manifest, generator, n), shape)

    # ---- For those who build on it

    def parameter_values(self) -> Array:
        """Values of the run-time parameters in the manifest's order. ModelError names those that have none."""
        missing = [spec for spec, value in self.parameters.items() if value is None]
        if missing:
            example = f"model.with_parameters({{{missing[0]!r}: 1.0}})"
            raise ModelError(f"model '{self.name}': no value for parameter {', '.join(missing)}; set it: {example}")
        return self._values.copy()

    def kernel(self, name: str) -> Kernel:
        """A kernel by its name in the manifest. ModelError for an unknown one and while parameters lack values."""
        return Kernel(self._module, self.manifest.kernel(name), self.parameter_values())

    def _kernel(self, quantity: str, method: str | None = None) -> Callable[..., Array]:
        name = quantity if method is None else f"{quantity}_{method}"
        call = self._calls.get(name)
        if call is not None:
            return call
        routes = [k.name for k in self.manifest.kernels]
        if method is not None and name not in routes:
            known = [
                k.removeprefix(f"{quantity}_") for k in routes if k.startswith(f"{quantity}_") and "damped" not in k
            ]
            raise ModelError(f"{quantity}: unknown method {method!r}; known: {', '.join(known) or 'none'}")
        self._calls[name] = call = self.kernel(name).call
        return call

    def _joint(self, name: str) -> JointSpec:
        specs = {joint.name: joint for joint in self.manifest.joints}
        if name not in specs:
            raise ModelError(f"model '{self.name}' has no joint {name!r}{near(name, specs)}")
        return specs[name]

    def _frame(self, name: str) -> tuple[Array, Array]:
        if name not in self._frames:
            raise ModelError(f"model '{self.name}' has no link or frame {name!r}{near(name, self._frames)}")
        return self._frames[name]

    def __reduce__(self) -> tuple[Any, ...]:
        known = {name: value for name, value in self.parameters.items() if value is not None}
        return _restore, (str(self._module.folder), known, self._pins)

    def _pinned(self, pins: tuple[int, ...]) -> Model:
        known = {name: value for name, value in self.parameters.items() if value is not None}
        return Model(self._module, known, pins)

    def __repr__(self) -> str:
        return f"Model({self.name!r}, nq={self.nq}, nv={self.nv}, {len(self.link_names)} links)"

    def _repr_html_(self) -> str:
        return model_table(repr(self), self.manifest.joints)


load = Model.load


def _restore(folder: str, parameters: dict[str, float], pins: tuple[int, ...] = ()) -> Model:
    return Model(load_module(folder), parameters, pins)
