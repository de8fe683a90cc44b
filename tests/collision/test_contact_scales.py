"""Contact knows no length of its own: the same two shapes in metres, millimetres and micrometres touch alike."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinegen as kg
from support.contact.contact_scenes import shapes
from support.contact.pair_probe import coal_distance, in_coal, probe, random_pose

ROCK = [[0.1, 0, 0], [-0.1, 0.05, 0], [0, -0.1, 0.05], [0.03, 0.1, 0], [0, 0, 0.15], [0, 0, -0.1], [0.05, 0.05, 0.1]]
HILLS = [[0.02 * np.sin(1.3 * i + 0.7 * j * j) for j in range(7)] for i in range(7)]
BOUNDED = ("sphere", "capsule", "cylinder", "box", "convex")
PAIRS = [*combinations_with_replacement(BOUNDED, 2), *((ground, k) for ground in ("plane", "field") for k in BOUNDED)]


def shape_of(kind: str, scale: float) -> shapes.Shape:
    match kind:
        case "sphere":
            return shapes.sphere(0.08 * scale)
        case "capsule":
            return shapes.capsule(0.05 * scale, 0.3 * scale)
        case "cylinder":
            return shapes.cylinder(0.06 * scale, 0.25 * scale)
        case "box":
            return shapes.box((0.2 * scale, 0.3 * scale, 0.1 * scale))
        case "convex":
            return shapes.convex(np.multiply(ROCK, scale))
        case "plane":
            return shapes.plane()
    return shapes.height_field(np.multiply(HILLS, scale), (0.6 * scale, 0.6 * scale))


def placings(ground: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """Poses of two shapes of about 0.1 m: any; then with axes nearly parallel and up to nearly on one line."""
    rng, found = np.random.default_rng(4), []
    for spread in (0.03, 0.06, 0.12) * 30:
        a = np.eye(3, 4) if ground else random_pose(rng, 0.03)
        found.append((a, random_pose(rng, spread)))
    for aside in (0.1, 0.01, 1e-4, 2e-7):
        for along in (0.01, 0.17, 0.2995):
            a = np.eye(3, 4) if ground else random_pose(rng, 0.03)
            turn = Rotation.from_euler("zx", [rng.uniform(1.0, 2.0), 3e-5]).as_matrix()
            angle = rng.uniform(0.3, 1.2)
            place = [aside * np.cos(angle), aside * np.sin(angle), along]
            found.append((a, np.column_stack([a[:, :3] @ turn, a[:, 3] + a[:, :3] @ place])))
    return found


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_points_of_contact_scale_with_the_shapes(pair: tuple[str, str], tmp_path: Path) -> None:
    """About 1e-3 and 1e-6, by powers of two: no number is rounded otherwise then, but where hulls are made."""
    whole = probe(tmp_path / "whole", *(shape_of(kind, 1.0) for kind in pair))
    for scale in (2.0**-10, 2.0**-20):
        small = probe(tmp_path / f"{scale}", *(shape_of(kind, scale) for kind in pair))
        for a, b in placings(pair[0] in ("plane", "field")):
            wanted, found = whole(a, b, 0.2), small(a * [1, 1, 1, scale], b * [1, 1, 1, scale], 0.2 * scale)
            np.testing.assert_array_equal(found[:, 0], wanted[:, 0])
            np.testing.assert_allclose(found[:, 1:5] / scale, wanted[:, 1:5], rtol=0.0, atol=1e-10)
            np.testing.assert_allclose(found[:, 5:], wanted[:, 5:], rtol=0.0, atol=1e-8)


def test_a_rod_of_micrometres_lies_on_another() -> None:
    """Side by side, of 4 um radius: the axis across both carries, not that along them."""
    scale, pose = 1e-5, kg.Pose((0, 0, 0), rotation=((0, 0, 1), (0, 1, 0), (-1, 0, 0)))
    rod = kg.cylinder(0.4 * scale, 4 * scale, pose=pose, friction=0.5)
    inertia = kg.inertia.box(scale**3, (4 * scale, 0.8 * scale, 0.8 * scale))
    body = kg.Link("b", scale**3, inertia=inertia, shapes=[rod])
    mechanism = kg.Mechanism("rods", [body], [kg.Joint("f", "free", "world", "b")], shapes=[rod])
    slow = scale**0.5
    options = kg.ContactOptions(
        tolerance=1e-7 * slow, depth=1e-4 * scale, bounce=0.05 * slow, recovery_speed=0.5 * slow
    )
    q = [0.1 * scale, 0, 0.7999 * scale, 0, 0, 0, 1]
    simulator = kg.Simulator(kg.compile(mechanism), q=q, dt=1e-3 * slow, contacts=options)
    simulator.step(100)
    np.testing.assert_allclose(simulator.q[:3] / scale, [0.1, 0, 0.7999], atol=1e-6)
    np.testing.assert_allclose(np.abs(simulator.contacts.normals), [[0, 0, 1], [0, 0, 1]], atol=1e-9)
    np.testing.assert_allclose(simulator.contacts.gaps / scale, -1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", ["box", "cylinder", "convex"])
def test_a_capsule_without_length_touches_as_a_ball(kind: str, tmp_path: Path) -> None:
    capsule, ball = (
        probe(tmp_path / name, shape, shape_of(kind, 1.0))
        for name, shape in (("capsule", shapes.capsule(0.1, 0.0)), ("ball", shapes.sphere(0.1)))
    )
    rng = np.random.default_rng(0)
    for i in range(200):
        a, b = random_pose(rng, 0.03), random_pose(rng, 0.12 if i % 2 else 0.06)
        found, wanted = capsule(a, b), ball(a, b)
        assert abs(found[:, 1].min() - wanted[:, 1].min()) < 1e-6


def test_a_disc_without_thickness_is_as_far_apart_as_it_is(tmp_path: Path) -> None:
    disc, rod = shapes.cylinder(0.1, 0.0), shapes.cylinder(0.1, 0.15)
    rng, apart = np.random.default_rng(1), 0
    for name, first, second in (("disc", disc, rod), ("rod", rod, disc), ("capsule", shapes.capsule(0.04, 0.2), disc)):
        found, pair = probe(tmp_path / name, first, second), (in_coal(first), in_coal(second))
        for _ in range(200):
            a, b = random_pose(rng, 0.03), random_pose(rng, 0.12)
            distance, _ = coal_distance(*pair, a, b)
            if distance > 0.0:
                apart += 1
                assert abs(found(a, b)[:, 1].min() - distance) < 1e-7
    assert apart > 150
