"""What joints carry, computed from measured motion: forces, moments, their causes, the residual at the root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..analysis.values import by_value
from ..arguments import Array, as_array, as_floats
from ..errors import ModelError, shown
from ..model.torques.causes import TorqueTerms
from ..names.lookup import near
from ..typed import typed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@by_value
@dataclass(frozen=True)
class JointLoads:
    """Loads over n frames at times t (n) [s]. What a joint's parent side exerts on its child side, at its centre.

    `joints`, in the order of the axes below; `roots` are those whose segment floats: their load is the residual.
    `force` (n, joints, 3) [N] and `centers` (n, joints, 3) [m], world axes; `terms`: the moments [N m] by segment and
    cause, one dof "JOINT x", y, z per world axis; `spin` (n, joints, 3) [rad/s]: angular velocity of child less parent;
    `child`, `parent` (n, joints, 3, 3): segment axes in world (the unit matrix where there is no parent). Where the
    parent was not measured, `spin` and `parent` are NaN, and so are power and work.
    """

    t: Array
    joints: tuple[str, ...]
    roots: tuple[str, ...]
    force: Array
    centers: Array
    terms: TorqueTerms
    spin: Array
    child: Array
    parent: Array

    @property
    def moment(self) -> Array:
        """(n, joints, 3) moments [N m], world axes."""
        return self.terms.total.reshape(len(self.t), len(self.joints), 3)

    @property
    def static(self) -> Array:
        """(n, joints, 3) the static approximation of `moment`, −Σ (τ_E + r_E × f_E): external wrenches alone [B]."""
        return self.terms.static.reshape(len(self.t), len(self.joints), 3)

    @property
    def residual(self) -> Mapping[str, Array]:
        """Root joint → (n, 6) [force; moment], world axes: what nothing exerts, so that it measures the errors of
        motion, masses and plates together. Empty for chains that an unmeasured body holds.
        """
        return {name: np.concatenate([self.force_of(name), self.moment_of(name)], axis=1) for name in self.roots}

    @typed
    def moment_of(self, joint: str, axes: Literal["world", "child", "parent"] = "world") -> Array:
        """(n, 3) moment of one joint in the axes asked for. ModelError for those of a parent that was not measured."""
        return self._turned(joint, self.moment[:, self._at(joint)], axes)

    @typed
    def force_of(self, joint: str, axes: Literal["world", "child", "parent"] = "world") -> Array:
        """(n, 3) force of one joint, likewise."""
        return self._turned(joint, self.force[:, self._at(joint)], axes)

    def along(self, joint: str, axis: ArrayLike, slide: ArrayLike | None = None) -> Array:
        """(n) generalised force about an axis (3) or (n, 3), world: the moment along it and, where the centre slides as
        the joint turns, the force along `slide` (n, 3) [m/rad] = ∂centre/∂angle in world axes.
        """
        n = len(self.t)
        given = as_floats("axis", axis, f"(3,) or ({n}, 3)")
        direction = np.broadcast_to(as_array("axis", given, (3,) if given.ndim == 1 else (n, 3), batch=False), (n, 3))
        found = np.einsum("ki,ki->k", self.moment_of(joint), direction)
        if slide is not None:
            moved = as_array("slide", slide, (n, 3), batch=False)
            found = found + np.einsum("ki,ki->k", self.force_of(joint), moved)
        return np.asarray(found)

    def power(self) -> TorqueTerms:
        """Power [W] of the moments at the joints, by segment and cause: positive where it feeds the child's motion.
        NaN of joints whose parent was not measured.
        """
        return self._known(self.terms.power(np.nan_to_num(self.spin).reshape(len(self.t), -1)))

    def work(self) -> TorqueTerms:
        """Work [J] of the moments over the whole motion, by segment and cause, likewise."""
        return self._known(self.terms.work(np.nan_to_num(self.spin).reshape(len(self.t), -1), self.t))

    def _known(self, terms: TorqueTerms) -> TorqueTerms:
        """The same, and NaN at the joints whose rate is not known."""
        unknown = np.isnan(self.spin).any(axis=0).ravel()[:, None, None]
        return replace(terms, values=np.where(unknown, np.nan, terms.values))

    @typed
    def plot(
        self, names: str | Sequence[str], path: str | PathLike[str] | None = None, *, title: str | None = None
    ) -> Figure:
        """Stacked areas over time; see `TorqueTerms.plot`."""
        return self.terms.plot(self.t, names, path, title=title)

    def to_xarray(self) -> Any:
        """An xarray Dataset: `terms`, `total` and `static` by dof (see `TorqueTerms.to_xarray`), and `force`, `moment`
        (time, joint_name, axis).
        """
        data = self.terms.to_xarray(self.t)
        dims = ("time", "joint_name", "axis")
        return data.assign_coords(joint_name=list(self.joints), axis=list("xyz")).assign(
            force=(dims, self.force), moment=(dims, self.moment)
        )

    def _at(self, joint: str) -> int:
        if not isinstance(joint, str) or joint not in self.joints:
            raise ModelError(f"no joint {shown(joint)}{near(joint, self.joints)}")
        return self.joints.index(joint)

    def _turned(self, joint: str, vector: Array, axes: str) -> Array:
        if axes == "world":
            return np.ascontiguousarray(vector)
        turned = (self.child if axes == "child" else self.parent)[:, self._at(joint)]
        if np.isnan(turned).all():
            raise ModelError(f"joint '{joint}': its parent was not measured; ask for axes='world' or 'child'")
        return np.asarray(np.einsum("kji,kj->ki", turned, vector))
