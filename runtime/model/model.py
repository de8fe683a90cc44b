"""A compiled model as users call it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..module.module import Module
from ..parts import PartMethod
from ..typed import typed
from .base import KernelModel
from .closed.closure import Closure, dofs_named
from .closed.judged import JudgedDynamics
from .closed.loops import Loops
from .configuration import Configurations, home, prescribed_motion
from .derivatives.frames import MotionDerivatives
from .derivatives.methods import DynamicsDerivatives
from .frames import Frames
from .quantities import Quantities
from .torques.causes import Causes
from .torques.regressors import Regressors


@typed
class Model(KernelModel):
    """Kernels of one mechanism. SI units, radians, world axes unless said otherwise.

    q (nq) and v (nv) follow Pinocchio's layout, quaternions have the scalar last and velocities are in the child's
    frame: free joint q = [x y z | qx qy qz qw], v = [linear | angular]; spherical joint q = [qx qy qz qw], v = angular
    velocity; planar joint q = [x y cos sin], v = [vx vy w].

    Array arguments may carry leading batch axes, which broadcast; results are fresh arrays. A wrong shape or dtype, a
    number that is not finite, a quaternion off unit norm: `ModelError`. Calls release the GIL; threads may share it.
    """

    computes = "float64"

    def __init__(
        self,
        module: Module,
        parameters: Mapping[str, float] | None = None,
        pins: tuple[int, ...] = (),
        at: Array | None = None,
    ) -> None:
        """A model on an open module; `parameters` gives values to run-time parameters, by name; `pins`: entries of v
        that must be independent, judged `at` a configuration (see `with_independent`)."""
        super().__init__(module, parameters)
        self._frames = Frames(self._kernels)
        self.loops = Loops(self._kernels, pins, at)
        """Everything about closed loops; what follows of it below is the same by its promised name."""
        self._configurations = Configurations(self._kernels, self.loops.closed_near)
        self._dynamics = JudgedDynamics(self._kernels, self.loops)
        self._derivatives = DynamicsDerivatives(self._kernels, self.loops)
        self._motion_derivatives = MotionDerivatives(self._kernels, self.loops, self._frames)
        self._regressors = Regressors(self._kernels)
        self._causes = Causes(self._kernels, self.loops)
        self.spare: deque[Any] = deque(maxlen=1)
        """What the last rollout began with and did not use up: the next one begins with it."""

    # ---- What it is

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

    def _with(self, values: Mapping[str, float]) -> Model:
        return Model(self.module, values, self.loops.pins, self.loops.at)

    # ---- Promised names of the parts that have them

    passive_forces = PartMethod("_quantities", Quantities.passive_forces)
    cog_jacobian = PartMethod("_quantities", Quantities.cog_jacobian)

    inverse_dynamics_derivatives = PartMethod("_derivatives", DynamicsDerivatives.inverse_dynamics_derivatives)
    forward_dynamics_derivatives = PartMethod("_derivatives", DynamicsDerivatives.forward_dynamics_derivatives)
    inverse_dynamics_second_derivatives = PartMethod(
        "_derivatives", DynamicsDerivatives.inverse_dynamics_second_derivatives
    )
    forward_dynamics_second_derivatives = PartMethod(
        "_derivatives", DynamicsDerivatives.forward_dynamics_second_derivatives
    )
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

    forward_dynamics = PartMethod("_dynamics", JudgedDynamics.forward_dynamics)
    aba = PartMethod("_dynamics", JudgedDynamics.forward_dynamics)

    torque_terms = PartMethod("_causes", Causes.torque_terms)

    def prescribed_motion(self, t: ArrayLike) -> dict[str, Array]:
        """(..., 3, nv_j) q, v, a of the joints whose motion the model gives, at times t (...) [s], by joint."""
        return prescribed_motion(self, t)

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

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self.module, self._kernels.known, self.loops.pins, self.loops.at)


load = Model.load
