"""Generalised forces shared among actuators: Sᵀ τ_A = τ_G [N98 (2)], exactly, with redundancy, limits, or too few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...abi import Manifest
from ...arguments import Array, as_array, as_floats
from ...errors import ModelError, in_row

BALANCED = 1e-9
"""Part of the largest generalised force that may stay unbalanced by rounding."""


def actuator_torques(
    manifest: Manifest,
    actuators: Mapping[str, float],
    S: Array,
    wanted: Array,
    weights: ArrayLike | None,
    limits: ArrayLike | bool | None,
    unbalanced: bool,
) -> Any:
    """(..., N_A) torques for S (..., N_A, nf), τ_G `wanted` (..., nf); with `unbalanced` also what is left (..., nf).

    `actuators`: the effort of each, which `limits` may be, by velocity in the order of S. The least ½ τᵀQτ of those
    that balance best. ModelError if they cannot balance and `unbalanced` is not asked for, if limits leave no solution,
    and for weights that are not positive definite.
    """
    Q = _weights(weights, len(actuators))
    bounds = _bounds([*actuators.values()], limits)
    torques, left = _shared(S, wanted, Q)
    scale = np.maximum(1.0, np.abs(wanted).max(axis=-1, initial=0.0))
    open_states = np.argwhere(np.abs(left).max(axis=-1, initial=0.0) > BALANCED * scale)
    if len(open_states) and not unbalanced:
        first = tuple(open_states[0].tolist())
        with in_row(first):
            raise _unbalanced(manifest, actuators, S[first], left[first], torques[first])
    if bounds is not None:
        for i in np.ndindex(wanted.shape[:-1]):
            with in_row(i):
                torques[i] = _bounded(manifest, actuators, S[i], wanted[i] - left[i], torques[i], Q, bounds)
    return (torques, left) if unbalanced else torques


def _shared(S: Array, wanted: Array, Q: Array) -> tuple[Array, Array]:
    """τ = Q^-½ (S' Q^-½)⁺ τ_G, and what stays unbalanced."""
    root = np.linalg.cholesky(np.linalg.inv(Q))  # root rootᵀ = Q⁻¹
    St = np.swapaxes(S, -1, -2)
    share = root @ np.linalg.pinv(St @ root, rcond=1e-10)
    torques = np.zeros(S.shape[:-1])
    for _ in range(2):  # what rounding left once more
        torques += _times(share, wanted - _times(St, torques))
    return torques, wanted - _times(St, torques)


def _times(A: Array, x: Array) -> Array:
    """A x of every state."""
    product: Array = np.einsum("...ij,...j->...i", A, x)
    return product


def _bounded(
    manifest: Manifest,
    actuators: Mapping[str, float],
    S: Array,
    wanted: Array,
    free: Array,
    Q: Array,
    bounds: tuple[Array, Array],
) -> Array:
    """The least ½ τᵀQτ within the bounds; `free` is the one without them."""
    low, high = bounds
    if np.all(free >= low) and np.all(free <= high):
        return free
    daqp = _solver()
    basis = np.linalg.qr(S)[0][:, : np.linalg.matrix_rank(S, tol=1e-10)] if S.size else np.zeros((len(free), 0))
    target = basis.T @ free  # Sᵀτ = Sᵀτ_free on independent rows
    A = np.ascontiguousarray(basis.T)
    upper = np.ascontiguousarray(np.r_[np.minimum(high, 1e30), target])
    lower = np.ascontiguousarray(np.r_[np.maximum(low, -1e30), target])
    sense = np.r_[np.zeros(len(free), dtype=np.intc), np.full(len(target), 5, dtype=np.intc)].astype(np.intc)
    found, _, flag, _ = daqp.solve(np.ascontiguousarray(Q), np.zeros(len(free)), A, upper, lower, sense)
    torques = np.asarray(found, dtype=np.float64)
    gap = np.abs(S.T @ torques - wanted).max(initial=0.0)
    if flag < 1 or gap > 1e-6 * max(1.0, float(np.abs(wanted).max(initial=0.0))):
        beyond = [
            f"{name} ({x:.4g}, limits {a:.4g} to {b:.4g})"
            for name, x, a, b in zip(actuators, free, low, high, strict=True)
            if x < a or x > b
        ]
        raise ModelError(
            f"limits: no torques of model '{manifest.name}' within their limits give this motion; without limits these "
            f"exceed theirs: {', '.join(beyond)}; slow the motion down, lighten the load or raise the limits"
        )
    return np.clip(torques, low, high)


def _solver() -> Any:
    try:
        import daqp
    except ImportError as error:
        raise ModelError("limits: torque limits need the package daqp: pip install 'kinegen[qp]'") from error
    return daqp


def _unbalanced(
    manifest: Manifest, actuators: Mapping[str, float], S: Array, left: Array, torques: Array
) -> ModelError:
    rank = int(np.linalg.matrix_rank(S, tol=1e-10)) if S.size else 0
    if rank == S.shape[1]:
        return ModelError(
            f"model '{manifest.name}' is near a singular configuration of its actuators: this motion takes up to "
            f"{np.abs(torques).max():.4g} N m or N of them, of which rounding leaves {np.abs(left).max():.4g} "
            "unbalanced; keep away from there, or ask for unbalanced=True to get these torques and what they leave"
        )
    listed = ", ".join([*actuators][:8]) + (", ..." if len(actuators) > 8 else "")
    return ModelError(
        f"model '{manifest.name}' is under-actuated for this motion: {len(actuators)} actuators "
        f"({listed}) of rank {rank} for {S.shape[1]} "
        f"degrees of freedom leave up to {np.abs(left).max():.4g} N m or N unbalanced; actuate more joints, or ask for "
        "unbalanced=True to get the least-squares torques and what they leave"
    )


def _weights(weights: ArrayLike | None, count: int) -> Array:
    """(N_A, N_A) symmetric and positive definite."""
    if weights is None:
        return np.eye(count)
    flat = as_floats("weights", weights, f"({count},) or ({count}, {count})").ndim == 1
    Q = (
        np.diag(as_array("weights", weights, (count,), batch=False))
        if flat
        else as_array("weights", weights, (count, count), batch=False)
    )
    if not np.allclose(Q, Q.T) or np.linalg.eigvalsh(Q).min(initial=np.inf) <= 0.0:
        raise ModelError("weights: expected positive numbers or a symmetric positive definite matrix")
    return Q


def _bounds(efforts: Sequence[float], limits: ArrayLike | bool | None) -> tuple[Array, Array] | None:
    """Lower and upper (N_A) limits."""
    count = len(efforts)
    if limits is None or limits is False:
        return None
    if limits is True:
        effort = np.array(efforts)
        return -effort, effort
    given = as_floats("limits", limits, f"({count},) or (2, {count})")
    shape = (2, count) if given.ndim == 2 else (count,)
    if given.shape == shape and given.dtype.kind == "f" and np.isnan(given).any():
        raise ModelError(f"limits: entry {', '.join(map(str, np.argwhere(np.isnan(given))[0]))} is nan")
    if given.shape != shape or given.dtype.kind not in "iuf":
        raise ModelError(
            f"limits: expected True, ({count},) or (2, {count}) numbers, lower and upper, got shape {given.shape} of "
            f"{given.dtype}"
        )
    low, high = (given[0], given[1]) if given.ndim == 2 else (-given, given)
    if np.any(low > high):
        raise ModelError(f"limits: lower exceeds upper for {int(np.flatnonzero(low > high)[0])}; swap them")
    return low.astype(np.float64), high.astype(np.float64)
