"""Where links are and how they move, in closed form; world axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import sympy

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.typed import typed

from ..mechanism.mechanism import Mechanism
from ..mechanism.pose import Frame, Pose
from ..symbolic.symbols import symbols_of
from ..symbolic.tree.frames import derive_frame_jacobian
from .derived import Derived
from .forms.closed_form import closed_form, new_atoms
from .forms.form import Form

CONTACT = "contact"


@dataclass(frozen=True)
class Kinematics:
    """Poses and Jacobians of links, of frames, of the centre of mass and of points."""

    derived: Derived

    @property
    def G(self) -> Form:
        """(6N, nv) COG Jacobian: [velocity of the COG; angular velocity] of every link = G v, world axes [S §2].

        Links in the order of the tree, depth first, as in `model.link_names`; so in all that is stacked over links.
        """
        return self.derived.form("cog_jacobian")

    @property
    def G_dot(self) -> Form:
        """(6N, nv) Ġ."""
        return self.derived.form("cog_jacobian_rate")

    @property
    def G_dot_v(self) -> Form:
        """(6N) Ġ v: COG and angular accelerations at v̇ = 0 [S (4)]."""
        return self.derived.form("cog_bias")

    @property
    def com(self) -> Form:
        """(3) centre of mass, world axes."""
        return self.derived.form("com")

    @property
    def com_jacobian(self) -> Form:
        """(3, nv) velocity of the centre of mass per v."""
        return self.derived.form("com_jacobian")

    @typed
    def link_pose(self, name: str) -> Form:
        """(4, 4) homogeneous pose of a link or frame in world. ModelError for an unknown name."""
        return self.derived.form("frame_pose", name)

    @typed
    def frame_jacobian(self, name: str) -> Form:
        """(6, nv) rows [linear; angular] velocity of a link or frame per v: at its origin, world axes."""
        return self.derived.form("frame_jacobian", name)

    @typed
    def contact_rows(self, link: str, point: Sequence[object] = (0, 0, 0), normal: Sequence[float] = (0, 0, 1)) -> Form:
        """(3, nv) velocity of a point of a link along a normal and two tangents, per v [P §2].

        `point` in link axes [m], numbers or SymPy expressions; `normal` in world axes; the first tangent is as near to
        x as can be, the second is normal × first. ModelError for an unknown link or a normal without direction.
        """
        return Form(_contact_rows(self.derived.mechanism, link, point, normal).xreplace(self.derived.renaming))


def _contact_rows(mechanism: Mechanism, link: str, point: Sequence[object], normal: Sequence[float]) -> Form:
    """(3, nv) rows [normal; tangent; tangent]. ModelError for an unknown link or a normal without direction."""
    mechanism.link(link)
    at = replace(mechanism, frames=(Frame(CONTACT, link, Pose(tuple(point))),))
    atoms, nv = new_atoms(at, symbols_of(at)), at.tree.nv
    linear = closed_form([derive_frame_jacobian(at, CONTACT)], atoms, slice(0, 3 * nv), force=False)
    return Form(_contact_axes(normal) * sympy.Matrix(3, nv, list(linear)))


def _contact_axes(normal: Sequence[float]) -> sympy.Matrix:
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
