"""A man of 40 degrees of freedom hangs on a bar by both hands and swings: two loops through the floating base.

    python examples/closed/figure_on_bar.py [FOLDER]          pictures go to FOLDER (examples/out)

Each hand turns about the bar (y) and can do nothing else there. Springs and dampers in the joints hold a stretched
posture; hips and shoulders are driven to and fro at the pace of the swing.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from sketch import SIDE, Array, Curves, picture

import kinegen as kg
from kinegen.script import Folder, script

BAR = 2.6
"""Height of the bar [m]."""
STIFFNESS, DAMPING = 120.0, 6.0
"""N m/rad, N m s/rad, of all joints but the wrists, which are a tenth as stiff."""
LEAN = 0.7
"""What the body is turned by about the bar when it is let go [rad]."""
RAISED = (0.0, -1.0, 0.0, 0.0)
"""Quaternion (x, y, z, w) of an arm that points up."""


def mechanism() -> kg.Mechanism:
    """The figure with springs, dampers and both hands on the bar, which is the y axis at height BAR."""
    figure = kg.human_figure()
    joints = [_held(joint) for joint in figure.joints]
    for side in "lr":
        hand = figure.link(f"hand_{side}")
        grip = kg.Pose((0.0, figure.joint(f"shoulder_{side}").origin.xyz[1], BAR))
        options = {"axis": (0, 1, 0), "actuated": False, "cut": True}
        joints.append(kg.Joint(f"grip_{side}", "revolute", "world", hand.name, grip, kg.Pose(hand.com), **options))
    palm = kg.Frame("palm_l", "hand_l", kg.Pose(figure.link("hand_l").com))
    return kg.Mechanism("figure_on_bar", figure.links, joints, gravity=figure.gravity, frames=(palm,))


def _held(joint: kg.Joint) -> kg.Joint:
    if joint.kind == "free":
        return joint
    share = 0.1 if joint.name.startswith("wrist") else 1.0
    options = {"rest": RAISED} if joint.name.startswith("shoulder") else {}
    return replace(joint, stiffness=share * STIFFNESS, damping=share * DAMPING, limits=None, **options)


def start(model: kg.Model, lean: float = 0.0) -> Array:
    """(nq) closed, straight, arms up, turned about the bar by `lean` [rad]."""
    q = model.neutral()
    for side in "lr":
        q[model.q_slice(f"shoulder_{side}")] = RAISED
    below = float(model.frame_pose(q, "palm_l")[2, 3])
    q[:7] = [-below * np.sin(lean), 0.0, BAR - below * np.cos(lean), 0.0, np.sin(lean / 2), 0.0, np.cos(lean / 2)]
    return model.assemble(q)


def kicks(model: kg.Model, steps: int, dt: float, torque: float = 60.0, period: float = 2.6) -> Array:
    """(steps, nv) torques of the hips about y, to and fro at the pace of the swing."""
    tau = np.zeros((steps, model.nv))
    t = dt * np.arange(steps)
    for side in "lr":
        tau[:, model.v_slice(f"hip_{side}").start + 1] = torque * np.sin(2 * np.pi * t / period)
    return tau


def main(folder: Folder = Path(__file__).parents[1] / "out") -> None:
    made = mechanism()
    model = kg.compile(made)
    steps, dt = 3000, 2e-3
    simulator = kg.Simulator(model, dt=dt, q=start(model, LEAN), tau=kicks(model, steps, dt))
    trajectory = simulator.run(steps * dt, every=5)
    trunk = trajectory.q[:, :3] - [0.0, 0.0, BAR]
    angle = np.degrees(np.arctan2(trunk[:, 0], -trunk[:, 2]))
    grips = [np.unwrap(model.loop_joint(f"grip_{side}", trajectory.q)[0][:, 0]) for side in "lr"]
    print(f"tree {model.nv}, loops {len(model.manifest.loops)}, degrees of freedom {model.nf}")
    print(f"largest gap {trajectory.closure_gap.max():.1g} m or rad in {len(trajectory)} states")
    print(f"the pelvis swings from {angle.min():.1f} to {angle.max():.1f} degrees")
    apart = np.abs(grips[0] - grips[1]).max()
    print(f"the hands turn by {np.degrees(np.ptp(grips[0])):.0f} degrees, alike within {apart:.1g} rad")
    curves = [
        Curves("pelvis [degrees]", trajectory.t, angle, ["from the plumb line"]),
        Curves("grip [rad]", trajectory.t, np.stack(grips, axis=1), ["left", "right"]),
    ]
    half = trajectory[len(trajectory) // 2 :]
    picture(folder / "figure_on_bar.png", made, model, half.t, half.q, curves, view=SIDE, poses=6)


if __name__ == "__main__":
    script(main, __doc__)
