"""A person squats, looks at a ball and reaches for it, feet on the ground, the centre of mass above them.

    python examples/inverse_kinematics.py [FOLDER]        a page that plays goes to FOLDER (examples/out)

Every moment is a search from where the one before ended: targets of feet, hand, head, trunk and centre of mass at once.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import kinegen as kg
from kinegen.script import Folder, script

DURATION, MOMENTS = 3.0, 151
FEET = ("foot_l", "foot_r")
BALL = np.array([0.45, -0.3, 0.45])


def targets(figure: kg.Model, stand: np.ndarray) -> list[kg.FrameTarget | kg.LookAtTarget | kg.ComTarget]:
    """A row for each moment: down to the ball with the right hand, and up again with it."""
    poses = {foot: figure.frame_pose(stand, foot) for foot in FEET}
    hand, com = figure.frame_pose(stand, "hand_r")[:3, 3], figure.com(stand)
    s = 0.5 - 0.5 * np.cos(2 * np.pi * np.linspace(0, 1, MOMENTS))[:, None]  # there and back
    middle = np.mean([pose[:2, 3] for pose in poses.values()], axis=0)
    return [
        *(kg.FrameTarget(foot, pose[:3, 3], pose[:3, :3]) for foot, pose in poses.items()),
        kg.FrameTarget("hand_r", hand + s * (BALL - hand)),
        kg.ComTarget(np.hstack([com[:2] + s * (middle - com[:2]), np.full((MOMENTS, 1), com[2]) - 0.25 * s])),
        kg.LookAtTarget("head", hand + s * (BALL - hand), weight=0.3),
    ]


def reach(figure: kg.Model) -> kg.IKSolution:
    stand = figure.q0
    return kg.solve_ik(figure, targets(figure, stand), stand, follow=True, tolerance=1e-5)


def main(folder: Folder = Path(__file__).parent / "out") -> None:
    figure = kg.compile(kg.human_figure())
    found = reach(figure)
    print(f"{MOMENTS} moments, {found.iterations.mean():.1f} passes each, missed by at most {found.residual.max():.1e}")
    t, still = np.linspace(0, DURATION, MOMENTS), np.zeros((MOMENTS, figure.nv))
    v = np.vstack([figure.difference(found.q[:-1], found.q[1:]) / t[1], still[:1]])
    motion = kg.Trajectory(t, found.q, v, still, joints=figure.manifest.joints, model=figure)
    print(motion.html(folder / "reach.html"))


if __name__ == "__main__":
    script(main, __doc__)
