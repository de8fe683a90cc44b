"""Accelerations of closed mechanisms that are held against their loops, and what is said where they fail (§8)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ...abi import Manifest
from ...arguments import Array
from ...errors import ClosureWarning, ModelError, warn
from ...module.states import Batch, given_states, in_aos
from ..kernels import Kernels
from .closure import dof_names
from .loops import Loops


def judged_dynamics(kernels: Kernels, loops: Loops, q: ArrayLike, v: ArrayLike, tau: ArrayLike, batch: Batch) -> Array:
    """(..., nv) acceleration of a mechanism with loops; (nv, ...) in the layout "soa".

    Where the loops hold fewer directions than on the branch that the model was compiled for, or no acceleration meets
    them, a `ClosureWarning` names loop and joint, and the result is by the rank at q.
    """
    try:
        return kernels.of("forward_dynamics", None, batch)(q, v, tau)
    except ModelError:
        a = kernels.of("forward_dynamics", "reduced", batch)(q, v, tau)  # what else is wrong is said again
    given = given_states(kernels.manifest.kernel("forward_dynamics"), (q, v, tau), batch.get("layout", "aos"))
    states = (*given.in_aos().arrays, a if given.layout == "aos" else in_aos(a, 1))
    flat = [np.broadcast_to(x, (*given.batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in states]
    for at, rate, torque, found in zip(*flat, strict=True):
        if not is_proven(kernels.of("forward_dynamics"), at, rate, torque):
            warn(_told(kernels, loops, at, rate, found), ClosureWarning)
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
