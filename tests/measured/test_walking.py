"""A person who walked, beside OpenSim: KINEGEN_WALKING_DATA=FOLDER pytest -m walking (see benchmarks/walking.py).

The data is no part of the repository; asked for without it, these tests fail.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from support.files.measured_truth import script

pytestmark = pytest.mark.walking
WALKING = script("benchmarks", "walking")


def folder() -> Path:
    named = os.environ.get("KINEGEN_WALKING_DATA")
    assert named, "set KINEGEN_WALKING_DATA to the folder with the walking person's data"
    return Path(named)


@cache
def walk() -> Any:
    return WALKING.walk(folder())


@pytest.mark.parametrize("joint", ["hip_r", "hip_l", "knee_r", "knee_l", "ankle_r", "ankle_l", "back"])
def test_moments_are_those_of_opensim(joint: str) -> None:
    assert np.abs(walk().opensim[joint]).max() > 30.0
    assert walk().error(joint) < 0.002


@pytest.mark.parametrize("joint", ["knee_r", "knee_l"])
def test_the_plain_moment_of_the_sliding_knee_differs(joint: str) -> None:
    assert 1.0 < walk().error(joint, sliding=False) < 4.0


def test_terms_add_up_and_the_foot_carries_the_plate() -> None:
    terms = walk().loads.terms
    assert np.allclose(terms.by_cause.sum(-1), terms.total, atol=1e-9)
    ankle = terms.of("ankle_r z")
    stance = np.abs(ankle.total[:, 0]) > 50.0
    assert np.abs(ankle.static - ankle.total)[stance].max() < 0.05 * np.abs(ankle.total).max()


def test_files_of_the_laboratory_are_read() -> None:
    markers = kg.read_trc(folder() / "subject01_walk.trc")
    assert (len(markers.t), len(markers.names), markers.rate) == (151, 41, pytest.approx(60.0))
    assert np.allclose(markers.of(["R.ASIS"])[0, 0], [0.61724762, 1.05527502, 0.17078198])
    angles = kg.read_table(folder() / "subject01_walk_IK.mot")
    assert angles.in_degrees and angles.rate == pytest.approx(60.0)
    torques = kg.read_table(folder() / "subject01_walk_ID.sto")
    assert np.allclose(torques.column("hip_flexion_r_moment"), walk().opensim["hip_r"], atol=1e-3)


def test_plates_of_the_laboratory_are_those_of_the_motion() -> None:
    path, t = folder() / "subject01_walk_grf.mot", walk().t
    right = kg.read_forces(path, "right").on("calcn_r", t)
    left = kg.read_forces(
        path, "left", force="1_ground_force_v", point="1_ground_force_p", torque="1_ground_torque_"
    ).on("calcn_l", t)
    rows = WALKING.by_label(folder() / "plates.csv", "foot")
    for wrench, foot in ((right, "calcn_r"), (left, "calcn_l")):
        assert np.abs(wrench.force - WALKING.vectors(rows[foot], "force")).max() < 1.0


def test_markers_of_the_pelvis_move_as_one() -> None:
    markers = kg.read_trc(folder() / "subject01_walk.trc").low_passed(6.0)
    names = ("R.ASIS", "L.ASIS", "V.Sacral")
    places = dict(zip(names, markers.of(names)[0] - markers.of(names)[0].mean(axis=0), strict=True))
    assert kg.fit_cluster(markers, places).rms.max() < 0.01
