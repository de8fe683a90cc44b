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


def calls(model: Model) -> dict[str, tuple[Callable[..., Any], str]]:
    """Every function of arrays, with its arguments in letters: q, c (another q) and v (anything with nv entries)."""
    return {
        "inverse_dynamics": (model.inverse_dynamics, "qvv"),
        "rnea": (model.rnea, "qvv"),
        "inverse_dynamics cog": (lambda *x: model.inverse_dynamics(*x, method="cog"), "qvv"),
        "mass_matrix": (model.mass_matrix, "q"),
        "crba": (model.crba, "q"),
        "mass_matrix unit_vector": (lambda q: model.mass_matrix(q, method="unit_vector"), "q"),
        "forward_dynamics": (model.forward_dynamics, "qvv"),
        "aba": (model.aba, "qvv"),
        "forward_dynamics unit_vector": (lambda *x: model.forward_dynamics(*x, method="unit_vector"), "qvv"),
        "bias": (model.bias, "qv"),
        "gravity": (model.gravity, "q"),
        "passive_forces": (model.passive_forces, "qv"),
        "link_poses": (model.link_poses, "q"),
        "cog_jacobian": (model.cog_jacobian, "q"),
        "cog_bias": (model.cog_bias, "qv"),
        "com": (model.com, "q"),
        "com_jacobian": (model.com_jacobian, "q"),
        "frame_pose": (lambda q: model.frame_pose(q, "hand"), "q"),
        "frame_pose of world": (lambda q: model.frame_pose(q, "mark"), "q"),
        "frame_jacobian": (lambda q: model.frame_jacobian(q, "hand"), "q"),
        "frame_jacobian of world": (lambda q: model.frame_jacobian(q, "mark"), "q"),
        "energy": (model.energy, "qv"),
        "momentum": (model.momentum, "qv"),
        "centroidal_momentum_matrix": (model.centroidal_momentum_matrix, "q"),
        "integrate": (model.integrate, "qv"),
        "difference": (model.difference, "qc"),
    }


NAMES = tuple(calls(Model.__new__(Model)))


def arguments(model: Model, letters: str, size: tuple[int, ...] = (), seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [model.random(rng, size=size) if x in "qc" else rng.normal(size=(*size, model.nv)) for x in letters]
