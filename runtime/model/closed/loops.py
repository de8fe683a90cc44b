"""What a compiled model tells of its closed loops; in a tree W is the unit matrix and everything else is empty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...abi import JointSpec, Manifest
from ...arguments import Array, as_array
from ...errors import ModelError, in_row
from ...kinds import KINDS
from ...module.kernel import not_finite_message, require_unit
from ...module.states import UNFIT, UnfitError
from ...names.lookup import looked_up
from ...typed import typed
from ..batch_axes import tells_batches
from ..kernels import Kernels, Method
from .actuation import actuator_torques
from .closure import Closure, Partition, closed_within, cut_dof_names, dof_names, dofs_named
from .leaders import actuated_joints, actuators, leaders, readiness, require_closed

_OF_LOOPS = {"closure_residual": "closure_gap", "closure_jacobian": "closure_jacobian", "closure_bias": "closure_bias"}
"""Methods that are kernels of another name or the same, where there are loops."""


class Loops:
    """The closed loops of a model [N98 §2]; arrays take leading batch axes like those of `Model`.

    `pins`: entries of v that must be independent; `at` (nq): where that is judged, None for the model's own place.
    """

    def __init__(self, kernels: Kernels, pins: tuple[int, ...] = (), at: Array | None = None) -> None:
        self.pins, self.at = pins, at
        self._kernels = kernels
        self._kernel = kernels.of
        self._specialised: dict[str, Callable[..., Array] | None] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Loops, (self._kernels, self.pins, self.at)

    def quick(self, name: str, method: Method) -> Method:
        """A method of this class by one call in C, where there is a kernel that gives what it does for the usual state.

        Where that gives nothing the method is asked, which pivots.
        """
        with suppress(ModelError):
            if name in ("W", "H", "S", "actuator_torques") and self._has(name):
                return self._kernels.quick(name, method)
        if name in _OF_LOOPS and self.manifest.closed:
            return self._kernels.quick(_OF_LOOPS[name], method)
        return method

    @property
    def manifest(self) -> Manifest:
        return self._kernels.manifest

    @cached_property
    def closure(self) -> Closure:
        """The loops' C functions."""
        return Closure(self._kernels.module, self._kernels.values(), readiness(self.manifest, self.pins))

    @property
    def misfit(self) -> float:
        """The largest gap [m] that loops were found to have where they should be closed, 0 if they close; angles count
        as radians, of loops smaller than a millimetre or larger than 100 m times about their size.

        Redundant loops (planar four-bars, Bennett linkages) miss by what their dimensions are rounded by; up to
        `kg.compile(fit=)` they stand for the exact ones. A loop counts as open from a gap of twenty times as much.
        """
        return self.manifest.misfit

    # ---- What leads

    @cached_property
    def leaders(self) -> tuple[int, ...]:
        """Entries of v that lead, ascending. ModelError for pins that contradict each other."""
        return leaders(self.closure, self.pins, self._offsets, self.at)

    @property
    def independent(self) -> tuple[str, ...]:
        """Velocities θ_G (nf) that give all others, ascending; columns of H, W and S. "ball[2]": one entry of three."""
        names = dof_names(self.manifest)
        return tuple(names[i] for i in self.leaders)

    @property
    def dependent(self) -> tuple[str, ...]:
        """Velocities θ_S that follow: those of the tree ascending, then those of the cut joints; rows of H."""
        names = dof_names(self.manifest)
        tree = tuple(name for i, name in enumerate(names) if i not in self.leaders)
        return (*tree, *cut_dof_names(self.manifest))

    @property
    def nf(self) -> int:
        """Degrees of freedom of the closed mechanism."""
        return len(self.leaders)

    @property
    def actuators(self) -> tuple[str, ...]:
        """Velocities θ_A of the actuated joints: those of the tree, then of the cut joints; rows of S. Joints and
        connections of a library that are not active have none."""
        return tuple(actuators(self.manifest, self._kernels.parameters))

    def partition(self, q: ArrayLike) -> Partition:
        """Rank, and the independent and dependent velocities that pivoting finds best at q (nq); pins are kept."""
        at = as_array("q", q, (self.manifest.nq,), batch=False)
        require_unit(self._kernels.module, "q", at)
        if self.manifest.rolling:
            self._offsets(at)  # which tells where there are none
        split = self.closure.split(at)
        names = dof_names(self.manifest)
        return Partition(
            len(split.dependent),
            tuple(names[i] for i in split.independent),
            tuple(names[i] for i in split.dependent),
            1.0 / split.ratio if split.ratio > 0.0 else np.inf,
        )

    # ---- Closure

    def closure_residual(self, q: ArrayLike) -> Array:
        """(..., 6L) gap of every loop [m; rad] in the axes of its cut joint; its free directions are 0.

        Axes that should coincide count as the sine of their angle, beyond a quarter turn as 2 less it.
        """
        return self._loops_kernel("closure_gap", (0,))(q)

    def closure_jacobian(self, q: ArrayLike) -> Array:
        """(..., 6L, N_J) J_C θ̇_J = 0, world axes: columns of the tree, then of the cut joints [N98 (5)(6)]."""
        return self._loops_kernel("closure_jacobian", (0, self.manifest.nv))(q)

    def closure_bias(self, q: ArrayLike, v: ArrayLike) -> Array:
        """(..., 6L) J̇_C θ̇_J, the loops' accelerations at θ̈_J = 0, world axes."""
        return self._loops_kernel("closure_bias", (0,))(q, v)

    def W(self, q: ArrayLike) -> Array:
        """(..., nv, nf) θ_O per θ_G [N98 (3)]; ModelError where `independent` does not lead."""
        return self._first("W", self._W, q)

    def H(self, q: ArrayLike) -> Array:
        """(..., N_J - nf, nf) θ_S per θ_G [N98 (12)]: rows as `dependent`."""
        return self._first("H", self._H, q)

    def S(self, q: ArrayLike) -> Array:
        """(..., N_A, nf) θ_A per θ_G [N98 (4)]: rows as `actuators`."""
        return self._first("S", self._S, q)

    def assemble(self, q: ArrayLike, *, hold: Sequence[str] = ()) -> Array:
        """(..., nq) closed configuration near q; joints named in `hold` keep their coordinates.

        From far away it may be of any branch, such as an elbow up or down. `q0` is of the branch that
        `kg.compile(..., at=...)` asked for; others of it are reached by small steps, each assembled from the last one.
        ModelError that names the loop and its gap if none is found.
        """
        moving = np.ones(self.manifest.nv)
        moving[list(dofs_named(self.manifest, hold))] = 0.0
        return self._each(q, (self.manifest.nq,), lambda at: self._assembled(at, moving))

    @tells_batches("q", "v")
    def project(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """(..., nq), (..., nv): q and v with their dependent entries put on the closure; q must be close to it.

        Those of `independent` stay as they are, but where they lead badly or not at all, near dead points: there those
        of `partition(q)` stay.
        """
        q_all, v_all = self.states(q, v)
        for i in np.ndindex(q_all.shape[:-1]):
            gap = self.closure.project_led(q_all[i], v_all[i], self.leaders)
            with in_row(i):
                require_closed(self.manifest, self._offsets, q_all[i], gap)
        return q_all, v_all

    @tells_batches("q", "v", "a")
    def dependent_motion(self, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None) -> tuple[Array, Array]:
        """(..., nv) v and a whose dependent entries follow from the independent ones: v_S = H v_G, a_S = H a_G + Ḣ v_G.

        `a`: zero if not given. q must be closed.
        """
        motion = self._first("dependent_motion", self._led, q, v, self._still if a is None else a)
        if motion.ndim == 2:  # found sooner
            return motion[0], motion[1]
        return motion[..., 0, :], motion[..., 1, :]

    @tells_batches("q", "v")
    def loop_joint(
        self, name: str, q: ArrayLike, v: ArrayLike | None = None, *, near: ArrayLike | None = None
    ) -> tuple[Array, Array]:
        """(..., nq_j) coordinates and (..., nv_j) velocities of a cut joint, in the layout of its kind.

        Angles lie within half a turn of 0, or of `near` (nq_j), an earlier value. v: zero if not given.
        """
        joint = self._cut(name)
        rate = np.zeros(self.manifest.nv) if v is None else as_array("v", v, (self.manifest.nv,))
        shape = np.broadcast_shapes(as_array("q", q, (self.manifest.nq,)).shape[:-1], rate.shape[:-1])
        if not joint.nv:
            return np.zeros((*shape, 0)), np.zeros((*shape, 0))
        at = self._kernel("loop_coordinates")(q)[..., joint.q_start : joint.q_start + joint.nq]
        C = self._kernel("loop_jacobian")(q)[..., joint.v_start : joint.v_start + joint.nv, :]
        at = np.broadcast_to(at, (*shape, joint.nq)).copy()
        angles = list(KINDS[joint.kind].winding)
        if near is not None and angles:
            last = as_array("near", near, (joint.nq,))
            at = np.broadcast_to(at, np.broadcast_shapes(at.shape, last.shape)).copy()
            at[..., angles] += 2 * np.pi * np.rint((last - at)[..., angles] / (2 * np.pi))
        return at, np.einsum("...ij,...j->...i", C, rate)

    # ---- Actuation

    @typed
    @tells_batches("q", "v", "a")
    def actuator_torques(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        limits: ArrayLike | bool | None = None,
        unbalanced: bool = False,
        passive: bool = False,
    ) -> Any:
        """(..., N_A) torques τ_A of `actuators` that give the motion: Sᵀτ_A = τ_G = Wᵀτ_O [N98 (1)(2)].

        q, v, a must be on the closure (see `dependent_motion`). More actuators than nf: the least ½ τ_AᵀQτ_A,
        `weights` Q as (N_A) or (N_A, N_A). `limits`: True for the joints' effort limits, or (N_A), or (2, N_A) lower
        and upper; needs daqp. Too few: ModelError, or with `unbalanced` the pair of the least-squares torques and
        (..., nf) the generalised force τ_G - Sᵀτ_A that nothing holds. `passive`: springs, dampers and friction help.
        """
        if weights is None and limits is None and not (unbalanced or passive):
            return self._first("actuator_torques", self._shared, q, v, a)
        return self._shared(q, v, a, weights, limits, unbalanced, passive)

    # ---- For these methods

    def _loops_kernel(self, name: str, empty: tuple[int, ...]) -> Callable[..., Array]:
        if self.manifest.closed:
            return self._kernel(name)
        return lambda *state: np.zeros((*self.states(*state)[0].shape[:-1], *empty))

    def _offsets(self, q: Array) -> Array:
        return self._kernel("closure_offsets")(q)

    @cached_property
    def _still(self) -> Array:
        return np.zeros(self.manifest.nv)

    def _first(self, name: str, by_pivoting: Callable[..., Array], *arguments: ArrayLike) -> Array:
        """What the kernel of that name gives; where it gives nothing, what pivoting does, which also tells why not."""
        try:
            call = self._specialised[name]
        except KeyError:
            call = self._specialised[name] = self._kernel(name) if self._has(name) else None
        if call is None:
            return by_pivoting(*arguments)
        try:
            return call(*arguments)
        except ModelError:
            return by_pivoting(*arguments)

    def _has(self, name: str) -> bool:
        """There is a kernel of that name, which is for the velocities that lead here."""
        return self.manifest.has(name) and self.leaders == self.manifest.independent

    def _W(self, q: ArrayLike) -> Array:
        states = as_array("q", q, (self.manifest.nq,))
        require_unit(self._kernels.module, "q", states)
        if not self.manifest.closed:
            return np.broadcast_to(np.eye(self.nf), (*states.shape[:-1], self.nf, self.nf)).copy()
        W = self.closure.coefficients(states, self.leaders)
        return self._finite("loops", W, 2, q=states)

    def _H(self, q: ArrayLike) -> Array:
        W = self.W(q)
        follows = [i for i in range(self.manifest.nv) if i not in self.leaders]
        return np.concatenate([W[..., follows, :], self._cut_rows(q) @ W], axis=-2)

    def _S(self, q: ArrayLike) -> Array:
        W, joints = self.W(q), actuated_joints(self.manifest, self._kernels.parameters)
        tree, cut = ([i for j in part for i in range(j.v_start, j.v_start + j.nv)] for part in joints)
        of_cut = self._cut_rows(q)[..., cut, :] @ W if cut else np.zeros((*W.shape[:-2], 0, self.nf))
        return np.concatenate([W[..., tree, :], of_cut], axis=-2)

    def _led(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """(..., 2, nv) v and a."""
        q_all, v_all, a_all = self.states(q, v, a)
        if self.manifest.closed:
            self.closure.follow(q_all, v_all, a_all, self.leaders)
        motion = np.stack([v_all, a_all], axis=-2)
        return self._finite("dependent_motion", motion, 2, q=q_all, v=v_all, a=a_all)

    def _shared(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        weights: ArrayLike | None = None,
        limits: ArrayLike | bool | None = None,
        unbalanced: bool = False,
        passive: bool = False,
    ) -> Any:
        q_all, v_all = self.states(q, v)
        force = self._kernel("inverse_dynamics")(q_all, v_all, a)
        if passive:
            force = force - self._kernel("passive_forces")(q_all, v_all)
        q_all = np.broadcast_to(q_all, (*force.shape[:-1], self.manifest.nq))
        wanted = np.einsum("...ij,...i->...j", self.W(q_all), force)
        efforts = actuators(self.manifest, self._kernels.parameters)
        return actuator_torques(self.manifest, efforts, self.S(q_all), wanted, weights, limits, unbalanced)

    def _cut_rows(self, q: ArrayLike) -> Array:
        if not cut_dof_names(self.manifest):
            return np.zeros((*as_array("q", q, (self.manifest.nq,)).shape[:-1], 0, self.manifest.nv))
        return self._kernel("loop_jacobian")(q)

    def _assembled(self, q: Array, moving: Array) -> Array:
        closed = q.copy()
        require_closed(self.manifest, self._offsets, closed, self.closure.assemble(closed, moving), moving)
        return closed

    def closed_near(self, draw: Callable[[tuple[int, ...]], Array], size: tuple[int, ...]) -> Array:
        """`draw`n configurations, closed; drawn again where one cannot be."""
        if not self.manifest.closed:
            return draw(size)
        result = np.empty((*size, self.manifest.nq))
        for i in np.ndindex(size):
            for _ in range(50):
                q = draw(())
                if self.closure.assemble(q) <= closed_within(self.manifest):
                    break
            require_closed(self.manifest, self._offsets, q, self.closure.assemble(q))
            result[i] = q
        return result

    def _cut(self, name: str) -> JointSpec:
        cut = {joint.name: joint for joint in self.manifest.loops}
        return looked_up(name, cut, f"model '{self.manifest.name}' has no cut joint")

    def states(self, q: ArrayLike, *rates: ArrayLike) -> tuple[Array, ...]:
        """q and v, or q, v and a (or τ), as fresh arrays with the same batch axes."""
        nv, given = (self.manifest.nv,), zip("va", rates, strict=False)
        arrays = {"q": as_array("q", q, (self.manifest.nq,))} | {name: as_array(name, x, nv) for name, x in given}
        require_unit(self._kernels.module, "q", arrays["q"])
        if len({array.shape[:-1] for array in arrays.values()}) == 1:
            return tuple(array.copy() for array in arrays.values())
        try:
            batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
        except ValueError as error:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
            raise UnfitError(f"{UNFIT}: {shapes}") from error
        return tuple(np.broadcast_to(array, (*batch, array.shape[-1])).copy() for array in arrays.values())

    def _each(self, q: ArrayLike, shape: tuple[int, ...], of: Callable[[Array], Array]) -> Array:
        """`of` at every state of a batch."""
        states = as_array("q", q, (self.manifest.nq,))
        require_unit(self._kernels.module, "q", states)
        result = np.empty((*states.shape[:-1], *shape))
        for i in np.ndindex(states.shape[:-1]):
            with in_row(i):
                result[i] = of(np.ascontiguousarray(states[i]))
        return self._finite("loops", result, len(shape), q=states)

    def _finite(self, what: str, result: Array, axes: int, **states: Array) -> Array:
        """The result, whose last `axes` are of one state; ModelError that tells why it is none there."""
        if not np.isfinite(result).all():
            module, p = self._kernels.module, self._kernels.values()
            raise ModelError(not_finite_message(module, p, what, result, axes, states))
        return result
