"""Equations of motion of links that are free bodies, held by joints: nothing is eliminated, no tree is chosen.

Unknown are, of every link, the acceleration of its centre of gravity and its angular acceleration (world axes), and the
accelerations of all joints, w = [V; u]:

    C ẇ + drift = 0,   M̂ ẇ = f + Cᵀλ,   M̂ = blockdiag( m E₃, I, armature )

A row of C says how a joint lets its child move against its parent. Both sorts of numbers serve: doubles are solved by
singular values, 60 digits by elimination with complete pivoting, where rounding (1e-58) is not taken for a pivot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .assembly import Assembly, Body
from .exact import Exact, cross, exact, inverse, rounded, skew
from .joints import BETWEEN, CHILD, Screw, moved, screws

EXACTLY = 1e-30
"""Pivots below this part of the largest are zero, with 60 digits."""


@dataclass(frozen=True)
class Frames:
    """The joints' frames in their links: what stays while the links move. Of doubles, or with 60 digits."""

    assembly: Assembly
    parent: tuple[Exact, ...]
    child: tuple[Exact, ...]
    axes: tuple[tuple[Exact, ...], ...]
    com: tuple[Exact, ...]
    inertia: tuple[Exact, ...]
    places: Mapping[str, int]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, assembly: Assembly, digits: bool) -> Frames:
        to = exact if digits else rounded
        poses = assembly.poses
        count = 6 * len(assembly.bodies)
        starts = tuple(count + sum(h.nv for h in assembly.holds[:i]) for i in range(len(assembly.holds)))
        return cls(
            assembly,
            tuple(to(inverse(poses[h.parent]) @ h.frame) for h in assembly.holds),
            tuple(to(inverse(poses[h.child]) @ h.far_side()) for h in assembly.holds),
            tuple(tuple(to(axis) for axis in h.axes) for h in assembly.holds),
            tuple(to(body.com) for body in assembly.bodies),
            tuple(to(_symmetric(body)) for body in assembly.bodies),
            {body.name: i for i, body in enumerate(assembly.bodies)},
            starts,
        )

    @property
    def size(self) -> int:
        """Entries of w."""
        return self.starts[-1] + self.assembly.holds[-1].nv

    def part(self, name: str) -> slice:
        """Where the rates of a joint stand in w."""
        (i,) = (k for k, hold in enumerate(self.assembly.holds) if hold.name == name)
        return slice(self.starts[i], self.starts[i] + self.assembly.holds[i].nv)


def _symmetric(body: Body) -> list[list[float]]:
    xx, xy, xz, yy, yz, zz = body.moments
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


@dataclass(frozen=True)
class Placement:
    """Where everything stands: `poses` (N of (4, 4)) of the links, `q` of all joints."""

    frames: Frames
    poses: tuple[Exact, ...]
    q: tuple[Exact, ...]

    @classmethod
    def start(cls, frames: Frames) -> Placement:
        to = exact if frames.com[0].dtype == object else rounded
        assembly = frames.assembly
        return cls(frames, tuple(to(b.pose) for b in assembly.bodies), tuple(to(h.q) for h in assembly.holds))

    @cached_property
    def arms(self) -> tuple[Exact, ...]:
        """Centres of gravity (3 each) from the world's origin."""
        found = zip(self.poses, self.frames.com, strict=True)
        return tuple(pose[:3, :3] @ com + pose[:3, 3] for pose, com in found)

    @cached_property
    def sides(self) -> tuple[tuple[Exact, Exact], ...]:
        """Of every joint, its parent's and its child's side in the world (4, 4)."""
        holds, frames = self.frames.assembly.holds, self.frames
        ends = zip(holds, frames.parent, frames.child, strict=True)
        return tuple((self._pose(hold.parent, a) @ a, self._pose(hold.child, b) @ b) for hold, a, b in ends)

    def _pose(self, link: str, like: Exact) -> Exact:
        """Of a link or the world, in the sort of numbers of `like`."""
        return self.poses[self.frames.places[link]] if link in self.frames.places else like * 0 + np.eye(4, dtype=int)

    @cached_property
    def screws(self) -> tuple[list[Screw], ...]:
        parts = zip(self.frames.assembly.holds, self.frames.axes, self.q, self.sides, strict=True)
        return tuple(
            screws(hold.kind, axes, hold.pitch if q.dtype == object else float(hold.pitch), q, a[:3, :3], b[:3, :3])
            for hold, axes, q, (a, b) in parts
        )

    def gaps(self) -> Exact:
        """(6 each) by how far every joint is open, world axes, doubles only."""
        found = []
        for hold, axes, q, (a, b) in zip(self.frames.assembly.holds, self.frames.axes, self.q, self.sides, strict=True):
            where = a @ moved(hold.kind, axes, float(hold.pitch), q)
            R = b[:3, :3] @ where[:3, :3].T
            found += [b[:3, 3] - where[:3, 3], np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2]
        return np.concatenate(found)

    # ---- Velocities

    @cached_property
    def C(self) -> Exact:
        """(rows, size of w)"""
        frames, rows = self.frames, []
        zero = self.arms[0][0] * 0
        for i, hold in enumerate(frames.assembly.holds):
            block = np.full((6, frames.size), zero)
            at = self.sides[i][1][:3, 3]
            for link, sign in ((hold.parent, -1), (hold.child, 1)):
                if link not in frames.places:
                    continue
                k = frames.places[link]
                start = 6 * k
                for axis in range(3):
                    block[axis, start + axis] = block[axis, start + axis] + sign
                    block[3 + axis, start + 3 + axis] = block[3 + axis, start + 3 + axis] + sign
                block[:3, start + 3 : start + 6] = -sign * skew(at - self.arms[k])
            for j, screw in enumerate(self.screws[i]):
                block[:3, frames.starts[i] + j] = -screw.slide
                block[3:, frames.starts[i] + j] = -screw.turn
            rows.append(block)
        return np.vstack([*rows, *self._mimics(zero)])

    def _mimics(self, zero: Any) -> list[Exact]:
        found = []
        for i, hold in enumerate(self.frames.assembly.holds):
            if hold.mimic:
                row = np.full((1, self.frames.size), zero)
                row[0, self.frames.starts[i]] = zero - 1
                row[0, self.frames.part(hold.mimic[0]).start] = zero + hold.mimic[1]
                found.append(row)
        return found

    def drift(self, w: Exact) -> Exact:
        """(rows) C ẇ + drift = 0."""
        frames, found = self.frames, []
        for i, hold in enumerate(frames.assembly.holds):
            at = self.sides[i][1][:3, 3]
            zero = at * 0
            v_B, omega_c, acceleration = self._at(hold.child, at, w)
            omega_p, v_p = zero, zero
            if hold.parent in frames.places:
                k = frames.places[hold.parent]
                v_p, omega_p = w[6 * k : 6 * k + 3], w[6 * k + 3 : 6 * k + 6]
            linear, angular = acceleration - cross(omega_p, v_B - v_p), zero
            u = w[frames.starts[i] : frames.starts[i] + hold.nv]
            between = omega_p + (self.screws[i][0].turn * u[0] if hold.nv else zero)
            carriers = {0: omega_p, CHILD: omega_c, BETWEEN: between}
            for screw, rate in zip(self.screws[i], u, strict=True):
                linear = linear - rate * cross(carriers[screw.carrier], screw.slide)
                angular = angular - rate * cross(carriers[screw.carrier], screw.turn)
            found += [linear, angular]
        count = sum(hold.mimic is not None for hold in frames.assembly.holds)
        return np.concatenate([*found, np.full(count, w[0] * 0)])

    def _at(self, link: str, at: Exact, w: Exact) -> tuple[Exact, Exact, Exact]:
        """Velocity of a point of a link, the link's angular velocity, and the centripetal acceleration."""
        k = self.frames.places[link]
        v, omega, arm = w[6 * k : 6 * k + 3], w[6 * k + 3 : 6 * k + 6], at - self.arms[k]
        around = cross(omega, arm)
        return v + around, omega, cross(omega, around)

    # ---- Forces

    @cached_property
    def inertia(self) -> Exact:
        """(size, size) M̂."""
        frames = self.frames
        result = np.full((frames.size, frames.size), self.arms[0][0] * 0)
        for k, body in enumerate(frames.assembly.bodies):
            for axis in range(3):
                result[6 * k + axis, 6 * k + axis] += body.mass
            R = self.poses[k][:3, :3]
            result[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = R @ frames.inertia[k] @ R.T
        for i, hold in enumerate(frames.assembly.holds):
            for j, rotor in enumerate(hold.armature):
                result[frames.starts[i] + j, frames.starts[i] + j] += rotor
        return result

    def forces(self, w: Exact, tau: Mapping[str, Exact], passive: bool) -> Exact:
        """(size) weights, gyroscopic moments, torques of joints by name; with springs and dampers where asked."""
        frames, gravity = self.frames, np.array(self.frames.assembly.gravity)
        result = w * 0
        for k, body in enumerate(frames.assembly.bodies):
            angular = slice(6 * k + 3, 6 * k + 6)
            result[6 * k : 6 * k + 3] = result[6 * k : 6 * k + 3] + body.mass * gravity
            result[angular] = -cross(w[angular], self.inertia[angular, angular] @ w[angular])
        for i, hold in enumerate(frames.assembly.holds):
            part = slice(frames.starts[i], frames.starts[i] + hold.nv)
            if hold.name in tau:
                result[part] = result[part] + tau[hold.name]
            if passive and hold.damping:
                result[part] = result[part] - np.array(hold.damping) * w[part]
            if passive and hold.stiffness:  # scalar coordinates, slack at zero
                result[part] = result[part] - np.array(hold.stiffness) * self.q[i]
        return result
