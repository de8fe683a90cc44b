"""Time to find the points of two shapes that overlap by 0.1 mm, beside the distance that coal's C++ finds for them.

    python benchmarks/contacts/pairs.py

Ours is the C function of a step (up to eight points, their gaps and normals), called 200 times from one call; coal's is
one signed distance with its two nearest points, called from Python, which takes some microseconds itself: the column
"empty call" is that of two balls.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import coal
import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from support.contact.contact_scenes import shapes
from support.contact.pair_probe import coal_distance, in_coal, probe, random_pose


def stone(corners: int, seed: int) -> shapes.Shape:
    points = np.random.default_rng(seed).normal(size=(corners, 3))
    return shapes.convex(0.1 * np.array([1, 0.8, 0.6]) * points / np.linalg.norm(points, axis=1)[:, None])


PAIRS = {
    "box, box": (shapes.box((0.2, 0.3, 0.1)), shapes.box((0.1, 0.1, 0.25))),
    "box, 8 corners": (shapes.box((0.2, 0.3, 0.1)), stone(8, 1)),
    "8, 8 corners": (stone(8, 2), stone(8, 3)),
    "20, 20 corners": (stone(20, 2), stone(20, 3)),
    "60, 60 corners": (stone(60, 2), stone(60, 3)),
    "cylinder, box": (shapes.cylinder(0.06, 0.15), shapes.box((0.2, 0.3, 0.1))),
    "cylinder, cylinder": (shapes.cylinder(0.06, 0.15), shapes.cylinder(0.1, 0.08)),
    "capsule, 20 corners": (shapes.capsule(0.04, 0.2), stone(20, 2)),
    "ball, field of 2 cm cells": (
        shapes.sphere(0.05),
        shapes.height_field(0.01 * np.random.default_rng(0).normal(size=(50, 50)), (1, 1)),
    ),
}


def median(call: Callable[[], object], count: int, inner: int) -> float:
    """µs of one of the `inner` calls in each call."""
    spent = []
    for _ in range(count):
        begun = time.perf_counter()
        call()
        spent.append((time.perf_counter() - begun) / inner)
    return float(np.median(spent)) * 1e6


def touching_poses(a: object, b: object, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray] | None:
    """Poses where coal sees the two 0.1 mm deep in each other."""
    A, B = random_pose(rng, 0.0), random_pose(rng, 0.05)
    for _ in range(5):
        distance, normal = coal_distance(a, b, A, B)
        if not np.isfinite(normal).all():
            return None
        B[:, 3] -= (distance + 1e-4) * normal
    return (A, B) if abs(coal_distance(a, b, A, B)[0] + 1e-4) < 1e-6 else None


def main() -> None:
    """Prints one table."""
    rng = np.random.default_rng(0)
    ball = coal.Sphere(0.1)
    pose = random_pose(rng, 0.0), random_pose(rng, 1.0)
    empty = median(lambda: coal_distance(ball, ball, *pose), 2000, 1)
    title = f"µs to find the points of two shapes 0.1 mm deep; coal's empty call {empty:.1f}"
    table = Table("shapes", "kinegen", "points", "coal, from Python", title=title)
    with tempfile.TemporaryDirectory() as folder:
        for k, (name, (a, b)) in enumerate(PAIRS.items()):
            found = probe(Path(folder) / str(k), a, b)
            ours, theirs, points = [], [], []
            for _ in range(60):
                if b.kind == "height_field":
                    poses = np.column_stack([np.eye(3), [*rng.normal(size=2) * 0.1, 0.06]]), np.eye(3, 4)
                else:
                    pair = in_coal(a), in_coal(b)
                    made = touching_poses(*pair, rng)
                    if made is None:
                        continue
                    poses = made
                    theirs.append(median(partial(coal_distance, *pair, *poses), 5, 1))
                points.append(len(found(*poses, 5e-4)))
                ours.append(median(partial(found, *poses, 5e-4, 200), 3, 200))
            other = f"{np.median(theirs):.1f}" if theirs else "-"
            table.add_row(name, f"{np.median(ours):.2f}", f"{np.mean(points):.1f}", other)
    Console().print(table)


if __name__ == "__main__":
    main()
