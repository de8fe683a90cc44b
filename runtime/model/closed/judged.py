"""Accelerations of closed mechanisms that are held against their loops, and what is said where they fail (§8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from ...abi import Manifest
from ...arguments import Array
from ...errors import ClosureWarning, ModelError, row_text, warn
from ...module.states import Batch, given_states, in_aos
from ..kernels import Kernels, Method
from .closure import dof_names
from .loops import Loops

TAKES_PART = 0.1
"""Part of the largest entry of a motion from which on a dof takes part in it."""


class JudgedDynamics:
    """Forward dynamics of a mechanism; where it has loops, with a word where they do not hold what they held."""

    def __init__(self, kernels: Kernels, loops: Loops) -> None:
        self._kernels, self._loops = kernels, loops

    def quick(self, name: str, method: Method) -> Method:
        """A method of this class by one call in C, where the kernel gives a result that is proven."""
        return self._kernels.quick(name, method)

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, method: str | None = None, **batch: Unpack[Batch]
    ) -> Array:
        """(..., nv) acceleration under torques τ; without springs, dampers, friction (see `passive_forces`).

        With loops: pivots below 1e-5 of the largest count as zero. Where `partition(q).rank` so is below nv - nf or a
        row of a loop is missed by more than 1e-8, a `ClosureWarning` tells (in C: not-numbers), and the acceleration is
        that of the rank at q. `method`, without warnings: of trees "unit_vector", "ltdl" or "articulated", with loops
        "unit_vector", "reduced" or "specialised", as far as the model has them; None: best.
        """
        kernels = self._kernels
        if not kernels.manifest.closed or method is not None:
            return kernels.of("forward_dynamics", method, batch)(q, v, tau)
        try:
            return kernels.of("forward_dynamics", None, batch)(q, v, tau)
        except ModelError:
            a = kernels.of("forward_dynamics", "reduced", batch)(q, v, tau)  # what else is wrong is said again
        given = given_states(kernels.manifest.kernel("forward_dynamics"), (q, v, tau), batch.get("layout", "aos"))
        states = (*given.in_aos().arrays, a if given.layout == "aos" else in_aos(a, 1))
        flat = [np.broadcast_to(x, (*given.batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in states]
        rows = np.ndindex(given.batch)
        for row, at, rate, torque, found in zip(rows, *flat, strict=True):
            if not is_proven(kernels.of("forward_dynamics"), at, rate, torque):
                warn(row_text(row) + _told(kernels, self._loops, at, rate, found), ClosureWarning)
                break
        return a


def is_proven(dynamics: Callable[..., Array], q: Array, v: Array, tau: Array) -> bool:
    """Whether the acceleration of this state is that of the closed mechanism; `dynamics`: the kernel."""
    try:
        dynamics(np.ascontiguousarray(q), np.ascontiguousarray(v), np.ascontiguousarray(tau))
    except ModelError:
        return False
    return True


def lost_hold(manifest: Manifest, K: Array, rank: int) -> str:
    """Which loop loses its hold on which joint beyond so many directions of the rows K."""
    U, sizes, directions = np.linalg.svd(K)
    loop = manifest.loops[int(np.abs(U[:, rank]).argmax()) // 6].name
    joint = dof_names(manifest)[int(np.abs(directions[rank]).argmax())]
    ratio = sizes[rank] / max(sizes[0], 1e-300)
    return f"loop '{loop}' loses its hold on joint '{joint}' (smallest over largest singular value {ratio:.2g})"


def singular_inertia(manifest: Manifest, A: Array, dofs: Sequence[int]) -> ModelError:
    """Names those of the dofs, along which A (n, n) is the inertia, by whose motion least is moved."""
    inertia = np.diag(A)
    size = np.sqrt(np.where(inertia > 0.0, inertia, 1.0))  # so that units do not decide which these are
    least = np.abs(np.linalg.eigh(A / np.outer(size, size))[1][:, 0])
    names = dof_names(manifest)
    moving = [names[i] for i, part in zip(dofs, least, strict=True) if part > TAKES_PART * least.max()]
    return ModelError(
        f"model '{manifest.name}' comes to where its inertia is singular: {', '.join(moving)} can move there and no "
        "mass with it, as in a gimbal at its lock or links without mass in line; start elsewhere"
    )


def _told(kernels: Kernels, loops: Loops, q: Array, v: Array, a: Array) -> str:
    manifest = kernels.manifest
    at = np.ascontiguousarray(q)
    K, rank = kernels.of("closure_rows")(at), loops.partition(at).rank
    rows = K @ a + kernels.of("closure_rows_bias")(at, np.ascontiguousarray(v))
    terms = np.abs(K) @ np.abs(a) + 1e-300
    worst = int(np.abs(rows).argmax())
    free = manifest.nv - rank
    why = lost_hold(manifest, K, rank) if rank < min(K.shape) else f"loop '{manifest.loops[worst // 6].name}' is open"
    return (
        f"model '{manifest.name}' is at or near a singular configuration: {why}; the acceleration is that of a "
        f"mechanism with {free} degree{'s' * (free != 1)} of freedom, and loop '{manifest.loops[worst // 6].name}' is "
        f"missed by a part {abs(rows[worst]) / max(abs(rows[worst]), terms[worst]):.1g} of its terms"
    )
