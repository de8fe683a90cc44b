"""Springs, dampers and dry friction of all joints in closed form: forces, and their rates (mathematics §1, §14).

    φ = k x − d w − μ w/√(w² + ε²),   f = Cᵀ φ

along the velocities w = C v of the joints' entries; x: by what the rest of a spring is off its coordinate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arguments import Array
from ..kinds import KINDS
from ..model.model import Model
from ..thresholds import SLIP_SPEED
from .cut import CutJoints, Joints
from .offsets import offset_rates
from .pieces import fill, has_piece

FAST = 1e150
"""Speed at which friction adds nothing to what dampers take."""


class Springs(NamedTuple):
    """(n) each: stiffness k, and x."""

    k: Array
    x: Array


class Passive:
    """Of a model; entries of joints that close loops (k) stand behind the tree's, n in all."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._sizes = model.nv, sum(loop.nv for loop in model.manifest.loops)

    def springs(self, q: Array, values: Array | None = None) -> Springs:
        """At the coordinates q of all joints, with the values of the parameters or others."""
        nq, (nv, cut) = self._model.nq, self._sizes
        k, x = np.zeros(nv + cut), np.zeros(nv + cut)
        fill(self._model, "springs", [q[:nq]], [k[:nv], x[:nv]], values)
        fill(self._model, "cut_springs", [q[nq:]], [k[nv:], x[nv:]], values)
        return Springs(k, x)

    def damping(self, w: Array, values: Array | None = None) -> Array:
        """(n) d + μ/√(w² + ε²)."""
        nv, found = self._model.nv, np.zeros(sum(self._sizes))
        fill(self._model, "damping", [1.0, w[:nv]], [found[:nv]], values)
        fill(self._model, "cut_damping", [1.0, w[nv:]], [found[nv:]], values)
        return found

    def dampers(self) -> Array:
        """(n) d."""
        return self.damping(np.full(sum(self._sizes), FAST))

    def friction(self) -> Array:
        """(n) μ: what dampers do not take."""
        found: Array = SLIP_SPEED * (self.damping(np.zeros(sum(self._sizes))) - self.dampers())
        return found

    def slopes(self, w: Array) -> tuple[Array, Array]:
        """(n) each: rates by w of `damping`, and of what it takes from φ, d w + μ w/√(w² + ε²)."""
        friction, slow = self.friction(), w * w + SLIP_SPEED**2
        taken: Array = self.dampers() + friction * SLIP_SPEED**2 / slow**1.5
        return -friction * w / slow**1.5, taken

    def force(self, q: Array, w: Array, values: Array | None = None) -> Array:
        """(n) φ."""
        springs = self.springs(q, values)
        return springs.k * springs.x - self.damping(w, values) * w

    def rates(self, joints: Joints, v: Array) -> tuple[Array, Array]:
        """(nv, nv) each: of f by q and by v. ModelError half a turn off the rest of a spring that turns a pose."""
        w = joints.along @ v
        taken = self.slopes(w)[1][:, None]
        change = self._by_place(joints.q) @ joints.displaced - taken * joints.turning(v)
        by_q: Array = joints.pulling(self.force(joints.q, w)) + joints.along.T @ change
        return by_q, -joints.along.T @ (taken * joints.along)

    def _by_place(self, q: Array) -> Array:
        """(n, n) k times the rates of x by motions of the joints."""
        k, x = self.springs(q)
        found, manifest, nv = np.diag(-k), self._model.manifest, self._model.nv
        every = ((joint, start) for some, start in ((manifest.joints, 0), (manifest.loops, nv)) for joint in some)
        for joint, start in every:
            own = slice(start + joint.v_start, start + joint.v_start + joint.nv)
            group = KINDS[joint.kind].group if k[own].any() else ""
            if group:
                half = f"the spring of joint '{joint.name}' is half a turn off its rest, where its torque jumps: there "
                found[own, own] = k[own, None] * offset_rates(group, x[own], f"{half}it has no derivative")[0]
        return found

    @property
    def acting(self) -> Array:
        """(k) which entries of joints that close loops have springs, dampers or friction."""
        model, (nv, cut) = self._model, self._sizes
        pieces = has_piece(model, "cut_springs") or has_piece(model, "cut_damping")
        if not pieces:
            return np.zeros(cut, dtype=bool)
        k = self.springs(np.concatenate([model.neutral(), np.zeros(sum(loop.nq for loop in model.manifest.loops))])).k
        found: Array = (k != 0.0)[nv:] | (self.damping(np.zeros(nv + cut)) != 0.0)[nv:]
        return found


def passive_derivatives(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """(nv, nv) each: ∂/∂q on the tangent space and ∂/∂v of `passive_forces`, to rounding.

    Where an angle of a joint that closes a loop is half a turn, at which its reading jumps, along the reading at q.
    """
    passive = Passive(model)
    near = np.zeros(sum(loop.nq for loop in model.manifest.loops))
    return passive.rates(CutJoints(model, near).at(q, passive.acting), v)
