"""A floating figure with an arm and a wheel, and every function of arrays that its model has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kinegen.codegen.mechanism import Frame, Joint, Link, Mechanism, Pose
from kinegen.runtime import Model

INERTIA = (0.1, 0.0, 0.0, 0.2, 0.0, 0.3)


def figure() -> Mechanism:
    """A floating trunk with an arm (ball, limited hinge) and a wheel on a slide; a hand frame; a frame of the world."""
    links = [Link(name, 1.0, (0.1, 0.2, 0.3), INERTIA) for name in ("trunk", "upper", "lower", "cart", "wheel")]
    joints = [
        Joint("base", "free", "world", "trunk"),
        Joint("shoulder", "spherical", "trunk", "upper", Pose((0.0, 0.2, 0.5))),
        Joint("elbow", "revolute", "upper", "lower", Pose((0.0, 0.0, -0.3)), axis=(0, 1, 0), limits=(0.2, 2.5)),
        Joint("slide", "prismatic", "trunk", "cart", axis=(1, 0, 0), limits=(None, -0.5), actuated=False),
        Joint("axle", "continuous", "cart", "wheel"),
    ]
    frames = [
        Frame("hand", "lower", Pose((0.0, 0.1, -0.25), (0.3, -0.2, 0.1))),
        Frame("mark", "world", Pose((1, 2, 3))),
    ]
    return Mechanism("figure", links, joints, frames=frames)


FUNCTIONS: dict[str, tuple[Callable[[Model], Callable[..., Any]], str]] = {
    "inverse_dynamics": (lambda m: m.inverse_dynamics, "qvv"),
    "rnea": (lambda m: m.rnea, "qvv"),
    "inverse_dynamics cog": (lambda m: lambda *x: m.inverse_dynamics(*x, method="cog"), "qvv"),
    "mass_matrix": (lambda m: m.mass_matrix, "q"),
    "crba": (lambda m: m.crba, "q"),
    "mass_matrix unit_vector": (lambda m: lambda q: m.mass_matrix(q, method="unit_vector"), "q"),
    "forward_dynamics": (lambda m: m.forward_dynamics, "qvv"),
    "aba": (lambda m: m.aba, "qvv"),
    "forward_dynamics unit_vector": (lambda m: lambda *x: m.forward_dynamics(*x, method="unit_vector"), "qvv"),
    "bias": (lambda m: m.bias, "qv"),
    "gravity": (lambda m: m.gravity, "q"),
    "passive_forces": (lambda m: m.passive_forces, "qv"),
    "link_poses": (lambda m: m.link_poses, "q"),
    "cog_jacobian": (lambda m: m.cog_jacobian, "q"),
    "cog_bias": (lambda m: m.cog_bias, "qv"),
    "com": (lambda m: m.com, "q"),
    "com_jacobian": (lambda m: m.com_jacobian, "q"),
    "frame_pose": (lambda m: lambda q: m.frame_pose(q, "hand"), "q"),
    "frame_pose of world": (lambda m: lambda q: m.frame_pose(q, "mark"), "q"),
    "frame_jacobian": (lambda m: lambda q: m.frame_jacobian(q, "hand"), "q"),
    "frame_jacobian of world": (lambda m: lambda q: m.frame_jacobian(q, "mark"), "q"),
    "frame_velocity": (lambda m: lambda q, v: m.frame_velocity(q, v, "hand", reference="local"), "qv"),
    "frame_bias of world": (lambda m: lambda q, v: m.frame_bias(q, v, "mark"), "qv"),
    "frame_acceleration": (lambda m: lambda q, v, a: m.frame_acceleration(q, v, a, "hand"), "qvv"),
    "energy": (lambda m: m.energy, "qv"),
    "momentum": (lambda m: m.momentum, "qv"),
    "centroidal_momentum_matrix": (lambda m: m.centroidal_momentum_matrix, "q"),
    "momentum_rate": (lambda m: m.momentum_rate, "qvv"),
    "integrate": (lambda m: m.integrate, "qv"),
    "difference": (lambda m: m.difference, "qc"),
}
"""Every function of arrays, with its arguments in letters: q, c (another q) and v (anything with nv entries)."""

NAMES = tuple(FUNCTIONS)


def calls(model: Model) -> dict[str, tuple[Callable[..., Any], str]]:
    """The functions of a model, with the letters of their arguments."""
    return {name: (of(model), letters) for name, (of, letters) in FUNCTIONS.items()}


def arguments(model: Model, letters: str, size: tuple[int, ...] = (), seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [model.random(rng, size=size) if x in "qc" else rng.normal(size=(*size, model.nv)) for x in letters]
