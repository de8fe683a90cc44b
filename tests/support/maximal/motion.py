"""Motion in maximal coordinates, in doubles: integrated by an explicit method of order 8 with step control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from .equations import Frames, Placement
from .exact import cross, of_quaternion, rounded
from .joints import SCALAR, advanced
from .solving import acceleration, free_in_doubles

Array = NDArray[np.float64]

SPREAD = 0.02
"""Moves to configurations beside another one [m, rad]."""

NEAR = 1e-4
"""Singular values of C below this part of the largest: a singular configuration is near."""

LONGEST = 1500

TIGHT = 1e-11
"""Relative and absolute error that a step may make."""


@dataclass(frozen=True)
class Moved:
    """Where a motion ended: `poses` (N of (4, 4)), w, and the least ratio of singular values on its way; `ended` is
    False if it needs more than LONGEST rates, which is given up."""

    poses: tuple[Array, ...]
    w: Array
    ratio: float
    ended: bool


class _TooLong(Exception):
    """A motion that is not followed any further."""


def branch_rank(start: Placement, rank: int, probes: int = 4) -> tuple[int, bool]:
    """The highest of the rank of C at the start and at configurations beside it on its branches, and whether it moves
    as C lets it: where links are in line, or equal and parallel, what C leaves free may be so for an instant only."""
    N, _, sizes = free_in_doubles(start.C, rank)
    ratio = float(sizes[rank - 1] / sizes[0]) if rank else 1.0
    spread = SPREAD if ratio < NEAR else min(SPREAD, ratio / 5)  # closing is to take much less than the move
    rng, moves = np.random.default_rng(2), True
    for _ in range(probes if N.shape[1] else 0):
        w = N @ rng.normal(size=N.shape[1])
        asked = stepped(start, w * (spread / np.abs(w).max()))
        beside = closed(asked)
        if beside is None or _apart(start, beside) < spread / 20:
            moves = False
            continue
        moves = moves and (ratio < NEAR or _apart(asked, beside) < spread / 2)
        found = np.linalg.svd(beside.C)[1]
        rank = max(rank, int((found > 1e-6 * found[0]).sum()))
    return rank, moves


def _apart(a: Placement, b: Placement) -> float:
    """How far any link or joint is in one from where it is in the other [m, 1]."""
    poses = max(float(np.abs(x - y).max()) for x, y in zip(a.poses, b.poses, strict=True))
    return max(poses, *(float(np.abs(x - y).max(initial=0.0)) for x, y in zip(a.q, b.q, strict=True)))


def stepped(at: Placement, w: Array) -> Placement:
    """Moved for unit time at w."""
    poses = []
    for k, pose in enumerate(at.poses):
        R = of_quaternion(_exponential(w[6 * k + 3 : 6 * k + 6]))
        moved = np.eye(4)
        moved[:3, :3] = R @ pose[:3, :3]
        moved[:3, 3] = at.arms[k] + w[6 * k : 6 * k + 3] - moved[:3, :3] @ at.frames.com[k]
        poses.append(moved)
    starts = at.frames.starts
    parts = zip(at.frames.assembly.holds, at.q, starts, strict=True)
    q = tuple(advanced(hold.kind, q, w[start : start + hold.nv]) for hold, q, start in parts)
    return Placement(at.frames, tuple(poses), q)


def _exponential(turn: Array) -> Array:
    angle = float(np.linalg.norm(turn))
    return np.array([*(turn * (0.5 * np.sinc(angle / (2 * np.pi)))), np.cos(angle / 2)])


def closed(at: Placement, tolerance: float = 1e-11) -> Placement | None:
    """The nearest closed placement by Gauss's steps, None if they do not end."""
    for _ in range(30):
        gaps = np.concatenate([at.gaps(), np.zeros(len(at.C) - at.gaps().size)])
        if np.abs(gaps).max() < tolerance:
            return at
        at = stepped(at, -np.linalg.pinv(at.C, rcond=1e-7) @ gaps)
        if not np.abs(at.poses[0]).max() < 1e3:
            return None
    return None


def motion(start: Placement, w: Array, tau: Mapping[str, Array], duration: float, rank: int) -> Moved:
    """Springs and dampers act; the rank of C is kept along the way."""
    frames, worst, asked = start.frames, [1.0], count()
    state = np.concatenate([_packed(start), w])

    def rate(_: float, x: Array) -> Array:
        if next(asked) > LONGEST:
            raise _TooLong
        at, velocity = _unpacked(frames, x, start)
        N, P, sizes = free_in_doubles(at.C, rank)
        worst[0] = min(worst[0], float(sizes[rank - 1] / sizes[0]) if rank else 1.0)
        a, _ = acceleration(at, velocity, tau, N, P, passive=True)
        return np.concatenate([_rates(at, x, velocity), a])

    try:
        found = solve_ivp(
            rate, (0.0, duration), state, method="DOP853", rtol=TIGHT, atol=TIGHT, first_step=duration / 20
        )
    except (_TooLong, np.linalg.LinAlgError):
        return Moved(start.poses, w, worst[0], False)
    at, velocity = _unpacked(frames, found.y[:, -1], start)
    return Moved(at.poses, velocity, worst[0], bool(found.success))


def _packed(at: Placement) -> Array:
    """Centres of gravity, quaternions, and the coordinates of joints whose rates are their velocities."""
    parts = [np.concatenate([arm, _quaternion(pose[:3, :3])]) for arm, pose in zip(at.arms, at.poses, strict=True)]
    holds = zip(at.frames.assembly.holds, at.q, strict=True)
    return np.concatenate([*parts, *(q for hold, q in holds if hold.kind in SCALAR)])


def _unpacked(frames: Frames, x: Array, like: Placement) -> tuple[Placement, Array]:
    poses, at = [], 0
    for com in frames.com:
        pose = np.eye(4)
        pose[:3, :3] = of_quaternion(x[at + 3 : at + 7] / np.linalg.norm(x[at + 3 : at + 7]))
        pose[:3, 3] = x[at : at + 3] - pose[:3, :3] @ com
        poses.append(pose)
        at += 7
    q = []
    for hold, own in zip(frames.assembly.holds, like.q, strict=True):
        scalar = hold.kind in SCALAR
        q.append(x[at : at + len(own)] if scalar else own)
        at += len(own) if scalar else 0
    return Placement(frames, tuple(poses), tuple(q)), x[at:]


def _rates(at: Placement, x: Array, w: Array) -> Array:
    parts = []
    for k in range(len(at.poses)):
        q, omega = x[7 * k + 3 : 7 * k + 7], w[6 * k + 3 : 6 * k + 6]
        turning = np.array([*(q[3] * omega + cross(omega, q[:3])), -omega @ q[:3]]) / 2
        parts.append(np.concatenate([w[6 * k : 6 * k + 3], turning]))
    holds = zip(at.frames.assembly.holds, at.frames.starts, strict=True)
    return np.concatenate([*parts, *(w[start : start + hold.nv] for hold, start in holds if hold.kind in SCALAR)])


def _quaternion(R: Array) -> Array:
    """x y z w of a rotation, by its largest component."""
    trace = np.trace(R)
    squares = np.array([*(1.0 + 2.0 * np.diag(R) - trace), 1.0 + trace]) / 4
    k = int(squares.argmax())
    s = 4 * np.sqrt(squares[k])
    if k == 3:
        q = np.array([(R[2, 1] - R[1, 2]) / s, (R[0, 2] - R[2, 0]) / s, (R[1, 0] - R[0, 1]) / s, s / 4])
    else:
        i, j = (k + 1) % 3, (k + 2) % 3
        q = np.zeros(4)
        q[k], q[3] = s / 4, (R[j, i] - R[i, j]) / s
        q[i], q[j] = (R[i, k] + R[k, i]) / s, (R[j, k] + R[k, j]) / s
    return rounded(q / np.linalg.norm(q))
