"""Preview control of the ZMP on the cart-table model [Kajita03] (§17).

A cart with mass centre at (x, height) on a table without mass: p = x - T² x'', T = sqrt(height/g). The jerk of x is the
input, and the cart starts to move before p does: it knows the p that is wanted for some seconds. All times are
multiples of T, so that walks at other heights and on other planets are the same, slower or faster.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.runtime.arguments import Array

AHEAD = 6.0
"""The reference is known so many T beforehand: weights fall as exp(-t/T). 1.7 s where the mass centre is 0.8 m high."""
EFFORT = 5.3e-7
"""Weight of (jerk's increment/Δt)² T⁸ beside (error of the ZMP)²: 1e-6 at steps of 5 ms and 0.814 m, as [Kajita03]."""


def riccati(A: Array, B: Array, Q: Array, R: Array) -> Array:
    """(n, n) the stabilising P = AᵀPA - AᵀPB (R + BᵀPB)⁻¹ BᵀPA + Q, by doubling the horizon [Anderson78]."""
    G, H = B @ np.linalg.solve(R, B.T), Q
    for _ in range(60):
        inner = np.linalg.inv(np.eye(len(A)) + G @ H)
        step = A.T @ H @ inner @ A
        A, G, H = A @ inner @ A, G + A @ inner @ G @ A.T, H + step
        if np.abs(step).max() <= 1e-14 * np.abs(H).max():
            break
    return np.asarray(0.5 * (H + H.T))


def mass_centre(zmp: Array, height: float, gravity: float, dt: float) -> Array:
    """(n, k) path of the mass centre whose cart has the ZMP `zmp` (n, k) [m], at rest above it at both ends.

    `height` [m] of the mass centre, `gravity` [m/s²] downwards, `dt` [s] between samples.
    The tracking error is integrated [Kajita03 (12)-(15)], so that the state is [Σ error; increments of x, x', x''].
    """
    period = math.sqrt(height / gravity)
    A = np.array([[1.0, dt, dt * dt / 2], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
    B, C = np.array([[dt**3 / 6], [dt * dt / 2], [dt]]), np.array([[1.0, 0.0, -(period**2)]])
    whole = np.block([[np.ones((1, 1)), C @ A], [np.zeros((3, 1)), A]])
    drive = np.vstack([C @ B, B])
    weight, effort = np.diag([1.0, 0.0, 0.0, 0.0]), np.array([[EFFORT * period**8 / dt**2]])
    P = riccati(whole, drive, weight, effort)
    inverse = 1.0 / (effort + drive.T @ P @ drive)
    K = (inverse * (drive.T @ P @ whole))[0]
    ahead = max(1, round(AHEAD * period / dt))
    gains = _preview_gains(whole - np.outer(drive, K), P, drive, float(inverse[0, 0]), ahead)
    wanted = zmp - zmp[0]
    later = np.vstack([wanted, np.repeat(wanted[-1:], ahead, axis=0)])
    coming = np.stack([np.correlate(later[1:, i], gains, "valid") for i in range(zmp.shape[1])], axis=1)
    x = np.zeros((3, zmp.shape[1]))
    path, missed = np.empty(zmp.shape), np.zeros(zmp.shape[1])
    for k in range(len(zmp)):
        path[k] = x[0]
        missed += (C @ x)[0] - wanted[k]
        x = A @ x + B * (coming[k] - K[0] * missed - K[1:] @ x)
    return np.asarray(zmp[0] + path)


def _preview_gains(closed: Array, P: Array, drive: Array, inverse: float, count: int) -> Array:
    """(count) weights of the references of the coming steps."""
    gains, column = np.empty(count), P[:, :1]
    for j in range(count):
        gains[j] = inverse * (drive.T @ column)[0, 0]
        column = closed.T @ column
    return gains
