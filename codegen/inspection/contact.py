"""Contact rows in closed form: velocity of a point of a link along a normal and two tangents [P §2]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import sympy

from kinegen.runtime.errors import ModelError, shown

from ..mechanism.mechanism import Mechanism
from ..mechanism.pose import Frame, Pose
from ..symbolic.symbols import symbols_of
from ..symbolic.tree.frames import derive_frame_jacobian
from .forms.closed_form import closed_form, new_atoms
from .forms.form import Form

NAME = "contact"


def contact_rows(mechanism: Mechanism, link: str, point: Sequence[object], normal: Sequence[float]) -> Form:
    """(3, nv) rows [normal; tangent; tangent]. ModelError for an unknown link or a normal without direction."""
    mechanism.link(link)
    at = replace(mechanism, frames=(Frame(NAME, link, Pose(tuple(point))),))
    atoms, nv = new_atoms(at, symbols_of(at)), at.tree.nv
    linear = closed_form([derive_frame_jacobian(at, NAME)], atoms, slice(0, 3 * nv), force=False)
    return Form(contact_axes(normal) * sympy.Matrix(3, nv, list(linear)))


def contact_axes(normal: Sequence[float]) -> sympy.Matrix:
    """(3, 3) rows n, t₁, t₂ = n × t₁; t₁ as near to x as can be (to y for a normal along x)."""
    try:
        n = [float(entry) for entry in normal]
        length = math.hypot(*n)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"normal: expected three numbers, got {shown(normal)}") from None
    if len(n) != 3 or not 0.0 < length < math.inf:
        raise ModelError(f"normal: expected three numbers that are not all zero, got {shown(normal)}")
    z = sympy.Matrix([sympy.nsimplify(entry / length, rational=True, tolerance=1e-15) for entry in n])
    side = sympy.Matrix([0, 1, 0] if abs(n[0]) > 0.9 * length else [1, 0, 0])
    x = side - z * side.dot(z)
    x = x / x.norm()
    return sympy.Matrix.vstack(z.T, x.T, z.cross(x).T)
