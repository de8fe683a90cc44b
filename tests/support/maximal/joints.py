"""What each kind of joint lets free, written for bodies that are free otherwise: poses, and the axes of its screws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .exact import Exact, cos_sin, cross, exact, of_quaternion, pose, turn

PARENT, CHILD, BETWEEN = range(3)
"""What carries an axis: the parent, the child, or what has only turned about the first axis."""

TURNS = ("revolute", "continuous")
SCALAR = (*TURNS, "prismatic", "helical", "cylindrical", "universal", "gimbal", "cartesian")
"""Kinds whose velocities are the rates of their coordinates."""


@dataclass(frozen=True)
class Screw:
    """One free direction, world axes: velocity `slide` (3) and angular velocity `turn` (3) of the child against the
    parent, at the child's side of the joint, per unit of its rate."""

    slide: Exact
    turn: Exact
    carrier: int


def moved(kind: str, axes: tuple[Exact, ...], pitch: Any, q: Exact) -> Exact:
    """(4, 4) the child's side of a joint as seen from the parent's."""
    still, straight = exact(np.zeros(3)), exact(np.eye(3))
    if q.dtype == float:
        still, straight = np.zeros(3), np.eye(3)
    if kind in TURNS:
        return pose(turn(axes[0], q[0]), still)
    if kind == "prismatic":
        return pose(straight, axes[0] * q[0])
    if kind == "helical":
        return pose(turn(axes[0], q[0]), axes[0] * (pitch * q[0]))
    if kind == "cylindrical":
        return pose(turn(axes[0], q[0]), axes[0] * q[1])
    if kind == "universal":
        return pose(turn(axes[0], q[0]) @ turn(axes[1], q[1]), still)
    if kind == "gimbal":
        return pose(turn(axes[0], q[0]) @ turn(axes[1], q[1]) @ turn(axes[2], q[2]), still)
    if kind == "cartesian":
        return pose(straight, axes[0] * q[0] + axes[1] * q[1] + axes[2] * q[2])
    if kind == "planar":
        zero, one = still[0], straight[0, 0]
        return pose(np.array([[q[2], -q[3], zero], [q[3], q[2], zero], [zero, zero, one]]), np.array([*q[:2], zero]))
    if kind == "spherical":
        return pose(of_quaternion(q), still)
    if kind == "free":
        return pose(of_quaternion(q[3:]), q[:3])
    return pose(straight, still)


def screws(kind: str, axes: tuple[Exact, ...], pitch: Any, q: Exact, parent: Exact, child: Exact) -> list[Screw]:
    """In the order of its velocities; `parent`, `child` (3, 3): rotations of its two sides."""
    zero = parent[0] * 0
    world = tuple(parent @ axis for axis in axes)
    if kind in TURNS:
        return [Screw(zero, world[0], PARENT)]
    if kind == "prismatic":
        return [Screw(world[0], zero, PARENT)]
    if kind == "helical":
        return [Screw(pitch * world[0], world[0], PARENT)]
    if kind == "cylindrical":
        return [Screw(zero, world[0], PARENT), Screw(world[0], zero, PARENT)]
    if kind == "universal":
        return [Screw(zero, world[0], PARENT), Screw(zero, child @ axes[1], CHILD)]
    if kind == "gimbal":
        between = parent @ (turn(axes[0], q[0]) @ axes[1])
        return [Screw(zero, world[0], PARENT), Screw(zero, between, BETWEEN), Screw(zero, child @ axes[2], CHILD)]
    if kind == "cartesian":
        return [Screw(axis, zero, PARENT) for axis in world]
    x, y, z = child.T
    turns = [Screw(zero, axis, CHILD) for axis in (x, y, z)]
    slides = [Screw(axis, zero, CHILD) for axis in (x, y, z)]
    return {"planar": [*slides[:2], turns[2]], "spherical": turns, "free": slides + turns, "fixed": []}[kind]


def advanced(kind: str, q: Exact, u: Exact) -> Exact:
    """Coordinates (doubles) after unit time at rates u."""
    if kind in SCALAR:
        return q + u
    if kind == "planar":
        c, s = cos_sin(float(u[2]))
        forward = q[:2] + np.array([q[2] * u[0] - q[3] * u[1], q[3] * u[0] + q[2] * u[1]])
        return np.array([*forward, q[2] * c - q[3] * s, q[3] * c + q[2] * s])
    if kind == "spherical":
        return turned(q, u)
    if kind == "free":
        return np.concatenate([q[:3] + of_quaternion(q[3:]) @ u[:3], turned(q[3:], u[3:])])
    return q


def turned(q: Exact, by: Exact) -> Exact:
    """Quaternion x y z w (doubles) turned by a vector in the child's axes."""
    angle = float(np.linalg.norm(by))
    half = np.array([*(by * (0.5 * np.sinc(angle / (2 * np.pi)))), np.cos(angle / 2)])
    vector = q[3] * half[:3] + half[3] * q[:3] + cross(q[:3], half[:3])
    result = np.array([*vector, q[3] * half[3] - q[:3] @ half[:3]])
    return result / np.linalg.norm(result)
