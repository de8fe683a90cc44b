"""Scenes of rigid bodies for the long runs of contact."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import kinegen as kg
from kinegen.runtime.arguments import Array

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "contact"))
import arch as stones

FLOOR = kg.plane()


def solid(name: str, shape: kg.Shape, mass: float = 1.0) -> kg.Link:
    """A homogeneous body of one shape, its frame at the centre."""
    size = shape.size
    if shape.kind == "sphere":
        inertia = kg.inertia.sphere(mass, size[0])
    elif shape.kind == "box":
        inertia = kg.inertia.box(mass, size)
    else:
        inertia = kg.inertia.cylinder(mass, *size)
    return kg.Link(name, mass, inertia=inertia, shapes=[shape])


def scene(name: str, bodies: list[kg.Link], ground: list[kg.Shape]) -> kg.Model:
    """Bodies that float above what stands."""
    joints = [kg.Joint(f"{body.name}_flight", "free", "world", body.name) for body in bodies]
    return kg.compile(kg.Mechanism(name, bodies, joints, shapes=ground))


def placed(*places: tuple[float, float, float]) -> Array:
    """q of free bodies that stand upright."""
    return np.concatenate([[*place, 0.0, 0.0, 0.0, 1.0] for place in places])


def stack(masses: list[float], edge: float = 0.1) -> tuple[kg.Model, Array]:
    """Cubes on each other, each a little off the one below."""
    cube = kg.box((edge, edge, edge))
    model = scene(f"stack{len(masses)}", [solid(f"b{i}", cube, m) for i, m in enumerate(masses)], [FLOOR])
    places = [(0.003 * (-1) ** i, 0.002 * (i % 3), edge * (i + 0.5)) for i in range(len(masses))]
    return model, placed(*places)


def wall() -> tuple[kg.Model, Array]:
    """Bricks in rows of five to one, each on two of the row below."""
    brick = (0.2, 0.1, 0.08)
    places = [(0.205 * (i - 2.0 + 0.5 * row), 0.0, 0.08 * (row + 0.5)) for row in range(5) for i in range(5 - row)]
    bricks = [solid(f"b{i}", kg.box(brick, friction=0.6), 3.0) for i in range(len(places))]
    return scene("wall", bricks, [FLOOR]), placed(*places)


def table() -> tuple[kg.Model, Array]:
    """Forty feet, far more than hold it."""
    feet = [kg.sphere(0.02, pose=kg.Pose((0.1 * i - 0.45, 0.2 * j - 0.3, -0.3))) for i in range(10) for j in range(4)]
    top = kg.Link("table", 20.0, (0.05, 0.02, 0.1), (2.0, 0, 0, 2.0, 0, 3.0), shapes=feet)
    return scene("table", [top], [FLOOR]), placed((0, 0, 0.32))


def on_slope() -> tuple[kg.Model, Array]:
    """A box on a slope just below the angle at which it slides."""
    slope = kg.plane(pose=kg.Pose((0, 0, 0), (0.45, 0, 0)))
    model = scene("slope", [solid("b", kg.box((0.2, 0.2, 0.1)))], [slope])
    half = 0.225
    q = np.array([0, -0.05 * np.sin(0.45), 0.05 * np.cos(0.45), np.sin(half), 0, 0, np.cos(half)])
    return model, q


def pile(count: int, friction: float = 0.5) -> tuple[kg.Model, Array]:
    """Boxes of many sizes above a floor between four walls."""
    rng = np.random.default_rng(2)
    bodies = []
    for i in range(count):
        size = [round(float(x), 3) for x in rng.uniform(0.1, 0.25, 3)]
        bodies.append(solid(f"b{i}", kg.box(size, friction=friction), 500.0 * float(np.prod(size))))
    quarter = np.pi / 2
    walls = [
        kg.plane(pose=kg.Pose((WALLS * np.cos(a), WALLS * np.sin(a), 0), (0, -quarter, a)))
        for a in quarter * np.arange(4)
    ]
    model = scene(f"pile{count}", bodies, [FLOOR, *walls])
    q = model.random(rng).reshape(count, 7)
    for i in range(count):
        q[i, :3] = [0.4 * (i % 3) - 0.4, 0.4 * (i // 3 % 3) - 0.4, 0.3 + 0.35 * (i // 9)]
    return model, q.ravel()


WALLS = 0.6
"""Distance of the walls from the middle of the pile [m]."""


def polyhedron(seed: int) -> tuple[kg.Model, float]:
    """A box, or the hull of twelve random points with a box's inertia, above a floor; and its restitution."""
    rng = np.random.default_rng(seed)
    size, restitution = [round(float(x), 3) for x in rng.uniform(0.05, 0.4, 3)], round(float(rng.uniform()), 2)
    surface = {"friction": round(float(rng.uniform()), 2), "restitution": restitution}
    corners = rng.uniform(-0.5, 0.5, (12, 3)) * size
    shape = kg.convex(corners - corners.mean(axis=0), **surface) if seed % 2 else kg.box(size, **surface)
    body = kg.Link("b", 1.0, inertia=kg.inertia.box(1.0, size), shapes=[shape])
    return scene(f"drop{seed}", [body], [kg.plane(friction=0.8)]), restitution


def arch() -> tuple[kg.Model, Array]:
    """Nine stones, from examples/contact."""
    model = kg.compile(stones.mechanism())
    return model, stones.start(model)


def rod(friction: float, angle: float) -> tuple[kg.Model, Array, Array]:
    """A thin rod on its tip, `angle` [rad] above the ground, that slides along x: model, q, v [Painlevé]."""
    ends = [kg.sphere(0.005, pose=kg.Pose((0, 0, z)), friction=friction) for z in (-0.5, 0.5)]
    link = kg.Link("rod", 1.0, inertia=(1 / 12, 0, 0, 1 / 12, 0, 1e-4), shapes=ends)
    model = scene("rod", [link], [kg.plane(friction=friction)])
    lean = np.pi / 2 - angle
    q = np.array([0, 0, 0.005 + 0.5 * np.sin(angle), 0, np.sin(lean / 2), 0, np.cos(lean / 2)])
    return model, q, np.array([5 * np.cos(lean), 0, 5 * np.sin(lean), 0, 0, 0])
