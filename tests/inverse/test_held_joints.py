"""Inverse kinematics with joints that are held: they stay as they are, whatever others meet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import kinegen as kg
from support.mechanisms.closed_mechanisms import five_bar


def test_held_joints_of_loops_stay_where_others_meet_their_limits() -> None:
    start = kg.compile(five_bar()).q0
    elbow = float(start[3])
    joints = [
        replace(j, limits=(elbow - 0.1, elbow + 0.1)) if j.name == "right_elbow" else j for j in five_bar().joints
    ]
    at = kg.compile(replace(five_bar(), joints=tuple(joints)))
    tip = (at.frame_pose(start, "left_forearm") @ [0.7, 0, 0, 1])[:3]
    goals = tip + np.array([[-0.05, 0, 0], [-0.1, 0, 0], [-0.2, 0, 0], [-0.4, 0, 0], [0.2, 0, 0]])
    asked = [kg.FrameTarget("left_forearm", goals, point=(0.7, 0, 0), position_weight=(1, 0, 0))]
    found = kg.solve_ik(at, asked, start, hold=["left_motor"], check=False)
    turned = np.abs(found.q - start)
    assert (turned[:, 0] == 0.0).all() and at.joint_names[0] == "left_motor"
    assert turned[:2, 3].max() < 0.1 and found.reached.tolist() == [True, True, False, False, False]
    assert np.abs(turned[2:, 3] - 0.1).max() < 1e-8  # on the limit
