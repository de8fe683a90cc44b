"""What a bridge offers of a model, in the arrays of another package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..abi import INTEGRATORS
from ..arguments import as_number
from ..errors import ModelError, shown
from ..model.model import Model
from . import smooth
from .smooth import Smooth

Apply = Callable[[Smooth], Callable[..., Any]]
"""The function of a package's arrays that a smooth function becomes there."""


class Functions:
    """Functions of a compiled model that take and give arrays of another package, and are differentiated there.

    Arrays are float64 and may carry leading batch axes, which broadcast. Gradients are exact, those of second order too
    of inverse and forward dynamics, bias and gravity; else these are good to about 1e-11. Those by q are per number.
    Where q has quaternions or [cos sin] they are those of the function after these are brought to unit norm, so that
    they have no part along them; on the tangent space they are those by u of `integrate(q, u)` at u = 0. ModelError for
    another dtype or shape, for derivatives of higher order, and for those of second order of `step` and of forward
    dynamics where something rolls or a joint with a quaternion or [cos sin] is independent in part.
    """

    def __init__(self, model: Model, apply: Apply) -> None:
        self._model, self._apply = model, apply
        self._made: dict[tuple[Any, ...], Callable[..., Any]] = {}

    def __reduce__(self) -> tuple[Callable[..., Functions], tuple[Model, Apply]]:
        """Pickles and copies hold the model; what was made of it is made again where it is asked for."""
        return type(self), (self._model, self._apply)

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Any:
        """(..., nv) torques that give acceleration a, as `Model.inverse_dynamics`."""
        return self._of(smooth.inverse_dynamics)(q, v, a)

    def forward_dynamics(self, q: Any, v: Any, tau: Any) -> Any:
        """(..., nv) accelerations, as `Model.forward_dynamics`: without springs, dampers, friction.

        Of a closed mechanism q and v must be closed, and gradients by q and v stand at the independent entries, along
        motions that keep the loops closed; the others are zero. ModelError at a singular configuration.
        """
        return self._of(smooth.forward_dynamics)(q, v, tau)

    def bias(self, q: Any, v: Any) -> Any:
        """(..., nv) torques of velocity and gravity."""
        return self._of(smooth.bias)(q, v)

    def gravity(self, q: Any) -> Any:
        """(..., nv) torques that hold the mechanism still against gravity."""
        return self._of(smooth.gravity)(q)

    def mass_matrix(self, q: Any) -> Any:
        """(..., nv, nv) mass matrix."""
        return self._of(smooth.mass_matrix)(q)

    def energy(self, q: Any, v: Any) -> Any:
        """(..., 2) kinetic energy, potential energy of gravity [J]."""
        return self._of(smooth.energy)(q, v)

    def com(self, q: Any) -> Any:
        """(..., 3) centre of mass in world."""
        return self._of(smooth.com)(q)

    def frame_pose(self, q: Any, frame: str) -> Any:
        """(..., 4, 4) pose of a frame or link in world. ModelError for an unknown one."""
        return self._of(smooth.frame_pose, frame)(q)

    def frame_velocity(self, q: Any, v: Any, frame: str) -> Any:
        """(..., 6) [linear; angular] velocity of a frame's origin in world axes. ModelError for closed mechanisms."""
        return self._of(smooth.frame_velocity, frame)(q, v)

    def integrate(self, q: Any, v_dt: Any) -> Any:
        """(..., nq) q moved by v_dt (nv) = velocity × time."""
        return self._of(smooth.integrate)(q, v_dt)

    def difference(self, q0: Any, q1: Any) -> Any:
        """(..., nv) the shortest v_dt with integrate(q0, v_dt) = q1."""
        return self._of(smooth.difference)(q0, q1)

    def step(self, q: Any, v: Any, tau: Any, *, dt: float, integrator: str = "semi_implicit") -> tuple[Any, Any]:
        """q (..., nq), v (..., nv) after one step [s] of a `kg.Simulator`, with springs, dampers and friction, without
        contacts and limits. Errors as of `kg.step_derivatives`, by which it goes: one state at a time. Of a closed
        mechanism gradients by q and v stand at the independent entries, as for `forward_dynamics`.
        """
        if integrator not in tuple(INTEGRATORS):
            raise ModelError(f"integrator: expected one of {', '.join(INTEGRATORS)}, got {shown(integrator)}")
        both = self._of(smooth.step, as_number("dt", dt, positive=True), integrator)(q, v, tau)
        return both[..., : self._model.nq], both[..., self._model.nq :]

    def _of(self, make: Callable[..., Smooth], *options: Any) -> Callable[..., Any]:
        key = (make.__name__, *options)
        try:
            known = self._made.get(key)
        except TypeError as error:
            raise ModelError(f"{make.__name__}: expected a name, got {shown(options[0])}") from error
        if known is None:
            known = self._made[key] = self._apply(make(self._model, *options))
        return known


def require_size(name: str, shape: tuple[int, ...], size: int) -> None:
    """ModelError for an array whose last axis is not what the argument has."""
    if tuple(shape[-1:]) != (size,):
        raise ModelError(f"{name}: expected shape (..., {size}), got {tuple(shape)}")


def twice(function: Smooth) -> ModelError:
    """What is said where second derivatives are asked for, and there are none."""
    return ModelError(
        f"{function.name}: its gradient has no gradient here; for second derivatives take the program itself, "
        "kg.derive(mechanism).program(...).lambdify('jax'), or .lambdify('torch')"
    )


def thrice(function: Smooth) -> ModelError:
    """What is said where third derivatives are asked for."""
    return ModelError(
        f"{function.name}: it can be differentiated twice here; for third derivatives take the program itself, "
        "kg.derive(mechanism).program(...).lambdify('jax')"
    )
