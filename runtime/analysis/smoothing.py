"""From sampled curves to velocities and accelerations: low-pass, then local polynomials; also for rotations."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np
from numpy.typing import NDArray

from ..arguments import Array, as_count, as_number
from ..errors import ModelError, shown
from ..rotations import rotation

JITTER = 0.05
"""How far a sample may lie from its place on an even grid, in sampling periods (files round their times)."""


WIDEST, STEEPEST = 501, 30
"""Largest window and degree: beyond, fits need much memory and lose all digits."""


@dataclass(frozen=True)
class Smoothing:
    """How sampled curves are smoothed and differentiated.

    `cutoff` [Hz]: Butterworth low-pass of order 2, run forwards and backwards (order 4 in all, no delay), its
    frequency corrected for the two passes [Winter09 ch. 3]; None: no low-pass. Derivatives: those of the polynomial of
    `degree` that fits `window` samples best, taken at the sample in their middle [Savitzky64]; degree = window − 1
    interpolates.
    """

    cutoff: float | None = 6.0
    window: int = 9
    degree: int = 8

    def __post_init__(self) -> None:
        if self.cutoff is not None:
            require_cutoff(self.cutoff)
        window, degree = (as_count(f"smoothing: {name}", getattr(self, name), least=2) for name in ("window", "degree"))
        if window % 2 == 0 or not degree < window or window > WIDEST or degree > STEEPEST:
            raise ModelError(
                f"smoothing: window must be odd and at most {WIDEST}, and 2 <= degree < window and at most {STEEPEST}, "
                f"got {window} and {degree}"
            )

    @staticmethod
    def none() -> Smoothing:
        """Interpolating derivatives, for data without noise."""
        return Smoothing(cutoff=None)


def require_increase(t: Array, what: str) -> None:
    """ModelError for times t (n) that do not increase, by the first that does not."""
    late = np.diff(t) <= 0.0
    if late.any():
        k = int(np.argmax(late)) + 1
        raise ModelError(f"{what}: must increase, but frame {k + 1} at {t[k]:g} s follows {t[k - 1]:g} s")


def sample_rate(t: Array, what: str = "time") -> float:
    """Samples per second of the even grid that t (n) lies on. ModelError names the first sample that does not."""
    if len(t) < 2:
        raise ModelError(f"{what}: needs at least two samples, got {len(t)}")
    require_increase(t, what)
    steps = np.diff(t)
    period = (t[-1] - t[0]) / (len(t) - 1)
    usual = float(np.median(steps))
    if steps.max() > 1.5 * usual:
        k = int(np.argmax(steps > 1.5 * usual)) + 1
        raise ModelError(
            f"{what}: frames are missing between {t[k - 1]:g} s and {t[k]:g} s (frame {k + 1}; "
            f"the others are {usual:.4g} s apart); fill the gap or cut the record there"
        )
    frames = np.arange(len(t)) - (len(t) - 1) / 2.0
    off = (t - t.mean() - frames * (frames @ t) / (frames @ frames)) / period  # from the line that fits best
    if 0.5 * np.ptp(off) > max(JITTER, 0.6e-3 / period):  # times written with three decimals are even
        k = int(np.argmax(np.abs(off)))
        raise ModelError(f"{what}: samples are not evenly spaced at frame {k + 1} ({t[k]:g} s); resample them")
    return float(1.0 / period)


def require_cutoff(cutoff: float) -> float:
    """A frequency [Hz]. ModelError for what is none."""
    try:
        return as_number("cutoff", cutoff, positive=True)
    except ModelError:
        raise ModelError(f"smoothing: cutoff must be a positive frequency in Hz, got {shown(cutoff)}") from None


def low_pass(x: Array, rate: float, cutoff: float) -> Array:
    """(n, ...) curves without what is faster than `cutoff` [Hz]; see `Smoothing`. ModelError above half the rate."""
    if require_cutoff(cutoff) >= 0.5 * rate:
        raise ModelError(
            f"smoothing: a cutoff of {cutoff:g} Hz needs more than {2 * cutoff:.4g} samples per second, "
            f"there are {rate:.4g}; lower the cutoff or take None"
        )
    k = np.tan(np.pi * cutoff / rate) / (np.sqrt(2.0) - 1.0) ** 0.25  # each of two passes leaves 1/√√2 at the cutoff
    norm = 1.0 / (1.0 + np.sqrt(2.0) * k + k * k)
    b0 = k * k * norm
    a1, a2 = 2.0 * (k * k - 1.0) * norm, (1.0 - np.sqrt(2.0) * k + k * k) * norm
    pad = int(min(len(x) - 1, 2.0 * rate / cutoff))
    longer = np.concatenate([2.0 * x[0] - x[pad:0:-1], x, 2.0 * x[-1] - x[-2 : -pad - 2 : -1]]) if pad else x
    for _ in range(2):
        longer = _biquad(longer, b0, a1, a2)[::-1]
    return np.ascontiguousarray(longer[pad : pad + len(x)])


def _biquad(x: Array, b0: float, a1: float, a2: float) -> Array:
    """One pass of y = b0 (x + 2 x₋₁ + x₋₂) − a1 y₋₁ − a2 y₋₂, at rest at the first sample."""
    y = np.empty_like(x)
    before, earlier, y1, y2 = x[0], x[0], x[0], x[0]
    for k, now in enumerate(x):
        y[k] = b0 * (now + 2.0 * before + earlier) - a1 * y1 - a2 * y2
        earlier, before, y2, y1 = before, now, y1, y[k]
    return y


def windows(n: int, smoothing: Smoothing, what: str = "samples") -> NDArray[np.intp]:
    """(n, window) samples that each derivative is taken from. ModelError if there are fewer than `window`."""
    if n < smoothing.window:
        raise ModelError(f"{what}: {n} frames are too few, derivatives need {smoothing.window} (Smoothing.window)")
    first = np.clip(np.arange(n) - smoothing.window // 2, 0, n - smoothing.window)
    near: NDArray[np.intp] = first[:, None] + np.arange(smoothing.window)
    return near


def weights(n: int, rate: float, smoothing: Smoothing, order: int) -> Array:
    """(n, window) factors of the samples of `windows` that give the derivative of `order` at each sample."""
    width = smoothing.window
    half = width // 2
    at = (np.arange(width)[None, :] - np.arange(width)[:, None]) / half  # [place in the window, sample]
    fits = np.linalg.pinv(at[:, :, None] ** np.arange(smoothing.degree + 1))
    table = fits[:, order, :] * (factorial(order) * (rate / half) ** order)
    places = np.arange(n) - np.clip(np.arange(n) - width // 2, 0, n - width)
    return np.asarray(table[places], dtype=np.float64)


def derivatives(x: Array, rate: float, smoothing: Smoothing) -> tuple[Array, Array]:
    """First and second derivative (n, ...) of curves x (n, ...); x is taken as it is (see `low_pass`)."""
    near = windows(len(x), smoothing)
    samples = x[near] - x[:, None]  # relative to the sample itself: nothing is lost to a large offset
    first, second = (np.einsum("kw,kw...->k...", weights(len(x), rate, smoothing, order), samples) for order in (1, 2))
    return first, second


def rotation_logarithm(R: Array) -> Array:
    """(..., 3) rotation vectors of rotation matrices (..., 3, 3) by less than π."""
    vee = 0.5 * np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], -1)
    sine = np.linalg.norm(vee, axis=-1)
    angle = np.arctan2(sine, 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1.0))
    factor = np.divide(angle, sine, out=np.ones_like(sine), where=sine > 1e-300)
    return np.asarray(vee * factor[..., None])


def angular_motion(R: Array, rate: float, smoothing: Smoothing, what: str = "rotation") -> tuple[Array, Array]:
    """Angular velocity and acceleration (n, 3) in world axes of rotations R (n, 3, 3), body to world.

    Beside each sample the body is told by rotation vectors φ from one that goes on at a steady ω₀, as between the
    neighbours: R(s) = R exp(s ω₀) exp(φ), where φ̇ = ω − ω₀ and φ̈ = ω̇ − ω₀ × φ̇ in body axes. However fast it turns, φ
    is small. ModelError where the body turns by more than a quarter between frames, or too unevenly for a window.
    """
    near = windows(len(R), smoothing, what)
    step = rotation_logarithm(np.einsum("kji,kjl->kil", R[:-1], R[1:]))
    require_slow(np.linalg.norm(step, axis=-1), what)
    spin, apart = at_samples(step), near - np.arange(len(R))[:, None]
    steady = _turns(apart[..., None] * spin[:, None])
    phi = rotation_logarithm(np.swapaxes(steady, -1, -2) @ (np.swapaxes(R, -1, -2)[:, None] @ R[near]))
    require_even(phi, what, smoothing)
    first, second = (np.einsum("kw,kwi->ki", weights(len(R), rate, smoothing, order), phi) for order in (1, 2))
    spin = rate * spin
    omega, alpha = (np.einsum("kij,kj->ki", R, x) for x in (spin + first, second + np.cross(spin, first)))
    return omega, alpha


def at_samples(steps: Array) -> Array:
    """(n, ...) of steps between n samples (n - 1, ...): the mean of those before and after each."""
    return np.asarray(0.5 * (np.concatenate([steps[:1], steps]) + np.concatenate([steps, steps[-1:]])))


def require_slow(angles: Array, what: str) -> None:
    """ModelError where angles (n - 1) from sample to sample are more than a quarter turn: which way is not known."""
    if angles.max() > np.pi / 2:
        k = int(np.argmax(angles > np.pi / 2))
        raise ModelError(
            f"{what}: turns by {np.degrees(angles[k]):.0f} degrees between frames {k + 1} and {k + 2}, after the "
            "low-pass if there is one; more than 90 do not tell which way: record more frames a second"
        )


def require_even(phi: Array, what: str, smoothing: Smoothing) -> None:
    """ModelError where rotation vectors (n, window, 3) jump, as they do beyond half a turn."""
    jumps = (np.linalg.norm(np.diff(phi, axis=1), axis=-1) > np.pi).any(axis=1)
    if jumps.any():
        raise ModelError(
            f"{what}: turns too unevenly about frame {int(np.argmax(jumps)) + 1} for derivatives from "
            f"{smoothing.window} frames (Smoothing.window); take fewer, or a record with more frames a second"
        )


def _turns(vectors: Array) -> Array:
    """(..., 3, 3) rotation matrices of rotation vectors (..., 3)."""
    half = 0.5 * np.linalg.norm(vectors, axis=-1, keepdims=True)
    return rotation(np.concatenate([0.5 * vectors * np.sinc(half / np.pi), np.cos(half)], axis=-1))


def low_pass_rotations(R: Array, rate: float, cutoff: float) -> Array:
    """(n, 3, 3) rotations smoothed as `low_pass` does, through their quaternions."""
    q = low_pass(_quaternions(R), rate, cutoff)
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    return rotation(q)


def _quaternions(R: Array) -> Array:
    """(n, 4) x y z w, continuous in sign: eigenvectors of the largest eigenvalue [BarItzhack00]."""
    n = len(R)
    K = np.empty((n, 4, 4))
    K[:, :3, :3] = R + np.swapaxes(R, 1, 2) - np.trace(R, axis1=1, axis2=2)[:, None, None] * np.eye(3)
    vee = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], -1)
    K[:, :3, 3] = K[:, 3, :3] = vee
    K[:, 3, 3] = np.trace(R, axis1=1, axis2=2)
    q = np.linalg.eigh(K)[1][:, :, -1]
    for k in range(1, n):
        if q[k] @ q[k - 1] < 0.0:
            q[k] = -q[k]
    return np.ascontiguousarray(q)
