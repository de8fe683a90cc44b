"""Accelerations of closed mechanisms that are held against their loops, and what is said where they fail (§8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from ...abi import Manifest
from ...arguments import Array
from ...errors import ClosureWarning, ModelError, in_row, row_text, warn
from ...module.states import Batch, given_states, in_aos
from ..kernels import Kernels, Method
from .closure import dof_names, lengths
from .loops import Loops

TAKES_PART = 0.1
"""Part of the largest entry of a motion from which on a dof takes part in it."""

ROUNDING = 1e-13
"""Part of the inertia along single dofs below which that of their common motion is rounding."""

NEARLY = 1e-10
"""The same below which it is told where a motion stops being finite; a chain of 60 equal links has 4e-7."""

HUGE = 1e12
"""Size of an acceleration from which on it is asked whether the inertia is singular."""


class JudgedDynamics:
    """Forward dynamics of a mechanism; where it has loops, with a word where they do not hold what they held."""

    def __init__(self, kernels: Kernels, loops: Loops) -> None:
        self._kernels, self._loops = kernels, loops

    def quick(self, name: str, method: Method) -> Method:
        """A method of this class by one call in C, where the kernel gives a result that is proven."""
        return self._kernels.quick(name, method, bound=HUGE)

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, method: str | None = None, **batch: Unpack[Batch]
    ) -> Array:
        """(..., nv) acceleration under torques τ; without springs, dampers, friction (see `passive_forces`).

        With loops: pivots below 1e-5 of the largest count as zero. Where `partition(q).rank` so is below nv - nf or a
        row of a loop is missed by more than 1e-8, a `ClosureWarning` tells (in C: not-numbers), and the acceleration is
        that of the rank at q. ModelError where the inertia is singular, or is not by rounding alone. `method`, without
        warnings: of trees "unit_vector", "ltdl" or "articulated", with loops "unit_vector", "reduced" or "specialised",
        as far as the model has them; None: best.
        """
        kernels = self._kernels
        try:
            found = kernels.of("forward_dynamics", method, batch)(q, v, tau)
        except ModelError:
            if not kernels.manifest.closed or method is not None:
                raise
            return self._near_singular((q, v, tau), batch)
        if is_huge(found):
            for row, at, _, _, a in self._rows((q, v, tau), found, batch):
                if is_huge(a):
                    with in_row(row):
                        require_inertia_at(kernels, self._loops, at)
        return found

    def _near_singular(self, states: Sequence[ArrayLike], batch: Batch) -> Array:
        """Accelerations by the rank at each state, with a warning for the first whose loops they do not hold."""
        kernels = self._kernels
        a = kernels.of("forward_dynamics", "reduced", batch)(*states)  # what else is wrong is said again
        for row, at, rate, torque, found in self._rows(states, a, batch):
            if not is_proven(kernels.of("forward_dynamics"), at, rate, torque):
                with in_row(row):
                    require_inertia_at(kernels, self._loops, at)
                warn(row_text(row) + _told(kernels, self._loops, at, rate, found), ClosureWarning)
                break
        return a

    def _rows(
        self, states: Sequence[ArrayLike], a: Array, batch: Batch
    ) -> Iterator[tuple[tuple[int, ...], Array, Array, Array, Array]]:
        """Index in the batch, q, v, τ and acceleration of every state."""
        given = given_states(self._kernels.manifest.kernel("forward_dynamics"), states, batch.get("layout", "aos"))
        arrays = (*given.in_aos().arrays, a if given.layout == "aos" else in_aos(a, 1))
        flat = [np.broadcast_to(x, (*given.batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in arrays]
        return zip(np.ndindex(given.batch), *flat, strict=True)


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


def is_huge(numbers: Array) -> bool:
    return not float(np.vdot(numbers, numbers)) <= HUGE**2


def require_inertia_at(kernels: Kernels, loops: Loops, q: Array) -> None:
    """`require_inertia` of a model at q (nq), where its loops leave the freedoms that they do elsewhere."""
    split = loops.closure.split(np.ascontiguousarray(q))
    if "mass_matrix" in kernels.manifest.routes and len(split.independent) == loops.nf:
        require_inertia(kernels.manifest, kernels.of("mass_matrix")(q), split.W(), split.independent)


def require_inertia_of_tree(manifest: Manifest, M: Array) -> None:
    """`require_inertia` where all velocities lead."""
    require_inertia(manifest, M, np.eye(manifest.nv), range(manifest.nv))


def require_inertia(manifest: Manifest, M: Array, W: Array, dofs: Sequence[int]) -> None:
    """ModelError if WᵀMW (nf, nf), the inertia along the dofs that lead, is singular or would be but for rounding.

    At a dead point of all that has mass W is rounding there, 1e-16 of its largest entry, and the inertia its square.
    """
    floor = np.zeros(len(dofs))
    if manifest.closed and len(dofs):
        unit = np.where(lengths(manifest), manifest.unit_length, 1.0)
        floor = ROUNDING * np.abs(W / unit[:, None]).max(axis=0) ** 2 * float((unit**2 * np.diag(M)).max())
    A = W.T @ M @ W
    if len(dofs) and np.linalg.eigvalsh(_scaled(A, floor))[0] < ROUNDING:
        raise singular_inertia(manifest, A, dofs, floor)


def _scaled(A: Array, floor: Array | float) -> Array:
    """A by the roots of its diagonal, so that units do not decide what is small in it; these are at least `floor`."""
    inertia = np.maximum(np.diag(A), floor)
    size = np.sqrt(np.where(inertia > 0.0, inertia, 1.0))
    found: Array = A / np.outer(size, size)
    return found


def singular_inertia(manifest: Manifest, A: Array, dofs: Sequence[int], floor: Array | float = 0.0) -> ModelError:
    """Names those of the dofs, along which A (n, n) is the inertia, by whose motion least is moved."""
    return ModelError(
        f"model '{manifest.name}' comes to where its inertia is singular: {_moving(manifest, _scaled(A, floor), dofs)} "
        "can move there and no mass with it, as in a gimbal at its lock, links without mass in line or a dead point of "
        "all that has mass; start elsewhere"
    )


def hardly_inert(manifest: Manifest, mass_matrix: Callable[[Array], Array], q: Array) -> str:
    """The joints of the tree that can move at q (nq) with next to no mass; "" if there are none, or it is not known."""
    with suppress(ModelError):
        scaled = _scaled(mass_matrix(q), 0.0) if manifest.has("mass_matrix") else np.eye(manifest.nv)
        if np.linalg.eigvalsh(scaled)[0] < NEARLY:
            return _moving(manifest, scaled, range(manifest.nv), NEARLY)
    return ""


def _moving(manifest: Manifest, scaled: Array, dofs: Sequence[int], below: float = ROUNDING) -> str:
    """Those of the dofs that take part in the motions that move least, or less than `below`."""
    sizes, motions = np.linalg.eigh(scaled)
    least = np.linalg.norm(motions[:, sizes <= max(float(sizes[0]), below)], axis=1)
    names = dof_names(manifest)
    return ", ".join(names[i] for i, part in zip(dofs, least, strict=True) if part > TAKES_PART * least.max())


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
