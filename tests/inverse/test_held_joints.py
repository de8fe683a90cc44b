"""Inverse kinematics with joints that are held: they stay as they are, whatever others meet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

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


def test_held_joints_stay_beyond_their_own_limits() -> None:
    """Of an arm, and of what leads a closed mechanism; joints that are not held come back within theirs."""
    rod = kg.inertia.rod(1.0, 1.0, axis=(1, 0, 0))
    links = [kg.Link(name, 1.0, (0.5, 0, 0), rod) for name in "abc"]
    parents, at_end = ("world", "a", "b"), (kg.Pose(), kg.Pose((1, 0, 0)), kg.Pose((1, 0, 0)))
    joints = [kg.Joint(f"j_{link.name}", "revolute", parent, link.name, origin=origin, axis=(0, 0, 1), limits=(-1, 1))
              for link, parent, origin in zip(links, parents, at_end, strict=True)]  # fmt: skip
    arm, start = kg.compile(kg.Mechanism("arm", links, joints)), np.array([1.5, 0.3, 0.4])
    met = kg.FrameTarget("c", arm.frame_pose(start, "c")[:3, 3])
    found = kg.solve_ik(arm, [met], start, hold=["j_a"])
    assert np.array_equal(found.q, start) and found.iterations == 0
    found = kg.solve_ik(
        arm, [kg.FrameTarget("c", met.position, position_weight=(1, 0, 0))], [1.5, 1.2, 0.4], hold=["j_a"]
    )
    assert found.q[0] == 1.5 and found.q[1] <= 1.0

    bounded = [replace(j, limits=(-0.5, 0.5)) if j.name == "left_motor" else j for j in five_bar().joints]
    bars = kg.compile(replace(five_bar(), name="bounded", joints=tuple(bounded)))
    start = bars.assemble(np.array([2.3, -1.6, 0.9, 1.6]))
    tip = (bars.frame_pose(start, "left_forearm") @ [0.7, 0, 0, 1])[:3]
    asked = [kg.FrameTarget("left_forearm", tip + np.array([0.05, 0, 0]), point=(0.7, 0, 0), position_weight=(1, 0, 0))]
    assert kg.solve_ik(bars, asked, start, hold=["left_motor"]).q[0] == start[0] > 0.5


def test_entries_of_joints_that_turn_their_axes_are_held_together() -> None:
    """Turns or shifts, which then stay; single ones are refused, but for shifts along axes that do not turn."""
    box = kg.inertia.box(1.0, (0.2, 0.3, 0.4))
    links = [kg.Link(name, 1.0, (0, 0, 0.3), box) for name in ("body", "arm", "plate")]
    joints = [
        kg.Joint("fly", "free", "world", "body"),
        kg.Joint("ball", "spherical", "body", "arm", origin=kg.Pose((0, 0, 0.5))),
        kg.Joint("slab", "planar", "world", "plate"),
    ]
    at = kg.compile(kg.Mechanism("held", links, joints))
    start = at.integrate(at.neutral(), np.linspace(-0.7, 0.5, at.nv))
    asked = [kg.FrameTarget("arm", (0.5, 0.3, 0.9)), kg.FrameTarget("plate", (0.3, 0.2, 0.0), point=(0.1, 0, 0))]
    for entry, words in (
        (
            "fly[2]",
            r"hold: fly\[0\], fly\[1\], fly\[2\] are along axes that turn with 'body'.* hold all of them, or 'fly'",
        ),
        ("fly[3]", r"hold: fly\[3\], fly\[4\], fly\[5\] are along axes"),
        ("ball[2]", r"hold: ball\[0\], ball\[1\], ball\[2\] are along axes that turn with 'arm'"),
        ("slab[0]", r"hold: slab\[0\], slab\[1\] are along axes that turn with 'plate'"),
    ):
        with pytest.raises(kg.ModelError, match=words):
            kg.solve_ik(at, asked, start, hold=[entry])
    place, turn, ball, slab = (f"fly[{i}]" for i in range(3)), [f"fly[{i}]" for i in range(3, 6)], ["ball"], ["slab[2]"]
    for hold, entries in (
        ([*place], range(3)),
        (turn, range(3, 7)),
        (ball, range(at.q_slice("ball").start, at.q_slice("ball").stop)),
        (slab, range(at.q_slice("slab").start + 2, at.q_slice("slab").stop)),
    ):
        found = kg.solve_ik(at, asked, start, hold=hold, check=False)
        assert found.iterations > 1 and np.abs(found.q - start)[list(entries)].max() < 1e-12
    level = at.neutral() + np.eye(at.nq)[0]  # what does not turn, along its own axes
    found = kg.solve_ik(at, asked, level, hold=["fly[2]", *turn], check=False)
    assert found.q[2] == level[2] and found.q[0] != level[0]
