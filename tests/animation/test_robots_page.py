"""Every robot of example-robot-data as a page: small enough, everything in its place (`pytest -m sweep`)."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.animation.clip import Clip
from kinegen.runtime.animation.page import page
from kinegen.visual.look import look_of
from support.animations import data_of, surface_of
from support.mechanisms.robots import FOLDER

pytestmark = pytest.mark.sweep
REFUSED = {"alex_psyonic_hands.urdf", "romeo_laas_small.urdf", "ur3.urdf"}  # by name: see tests/formats/test_robots.py
ROBOTS = sorted(file for file in FOLDER.glob("*/**/*.urdf") if file.name not in REFUSED)


@pytest.mark.parametrize("file", ROBOTS, ids=lambda file: str(file.relative_to(FOLDER)))
def test_a_robot_as_a_page(file: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = kg.load(file)
    bare = replace(robot, links=[replace(link, shapes=()) for link in robot.links], shapes=())  # their hulls take long
    look = look_of(bare, {})
    links = tuple(body.link.name for body in robot.tree.bodies)
    poses = np.tile(np.eye(4), (300, len(links), 1, 1))
    clip = Clip(robot.name, np.arange(300.0), links, poses, None, None, (), np.zeros((300, 0), dtype=bool), ())
    text = page(clip, look)
    assert len(text) < 3e6
    assert all(np.isfinite(part.place).all() for part in look.parts)
    for packed, surface in zip(data_of(text)["surfaces"], look.surfaces, strict=True):
        vertices, triangles = surface_of(packed)
        assert triangles.max(initial=0) < len(vertices)
        used = surface.vertices[np.unique(surface.triangles)]
        assert np.abs(vertices.mean(axis=0) - used.mean(axis=0)).max() < 0.5 * np.ptp(used, axis=0).max() + 1e-9
