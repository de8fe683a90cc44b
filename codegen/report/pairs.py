"""Which equation stands beside which C function."""

from __future__ import annotations

from collections.abc import Callable

from ..inspection.equations import Equations
from ..inspection.forms.form import Form
from .formulas import Quantity

_NAMED: tuple[tuple[str, str, str, Callable[[Equations], Form]], ...] = (
    ("mass_matrix", "M", "mass matrix", lambda eq: eq.M),
    ("bias", "h", "torques at zero acceleration, C v + g", lambda eq: eq.bias),
    ("gravity", "g", "torques that hold the mechanism still", lambda eq: eq.gravity),
    ("inverse_dynamics", "τ", "torques of a motion, M v̇ + h", lambda eq: eq.inverse_dynamics),
    ("com", "c", "centre of mass", lambda eq: eq.com),
    ("cog_bias", "Ġv", "accelerations of the links at v̇ = 0", lambda eq: eq.G_dot_v),
    ("closure_residual", "f", "gaps in the cut joints' frames", lambda eq: eq.closed_form("closure_residual")),
    ("closure_jacobian", "J_C", "loop Jacobian, world axes", lambda eq: eq.closed_form("closure_jacobian")),
    ("dependence", "H", "dependent velocities are H times independent ones", lambda eq: eq.H),
)
PAIRS = tuple((kernel, Quantity(left, meaning, of, kernel)) for kernel, left, meaning, of in _NAMED)
