"""A diver in free fall, every joint held by a servo, swings both arms round: the body turns the other way.

    python examples/held_figure.py [FOLDER]          a picture goes to FOLDER (examples/out)

Nothing outside turns the figure: its angular momentum about its centre of mass stays zero (by semi-implicit steps to
first order), and as the arms go round by the back the body leans back. Servos of ball joints go for unit quaternions
[qx qy qz qw]; those of the shoulders follow a function of time.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

Array = NDArray[np.float64]
TURNS, DURATION = 2.0, 1.5
GAINS = {"kp": 300.0, "kd": 20.0}


def swing(t: float) -> tuple[float, float]:
    """Angle [rad] and rate [rad/s] of the arms, from rest to rest after TURNS."""
    u, whole = t / DURATION, 2.0 * np.pi * TURNS
    return whole * (u - np.sin(2.0 * np.pi * u) / (2.0 * np.pi)), whole / DURATION * (1.0 - np.cos(2.0 * np.pi * u))


def shoulder() -> kg.Servo:
    """Round about y, which points to the left: a hanging arm goes back first."""

    def position(t: float) -> Array:
        half = 0.5 * swing(t)[0]
        return np.array([0.0, np.sin(half), 0.0, np.cos(half)])

    return kg.Servo(**GAINS, position=position, velocity=lambda t: [0.0, swing(t)[1], 0.0])


def dive(model: kg.Model) -> kg.Trajectory:
    """All joints but the shoulders are held where they are neutral; the free one has no servo."""
    servos = {joint.name: kg.Servo(**GAINS) for joint in model.manifest.joints if joint.name != "root_joint"}
    servos |= {f"shoulder_{side}": shoulder() for side in "lr"}
    return kg.Simulator(model, servos=servos).run(DURATION)


def pitch(model: kg.Model, run: kg.Trajectory) -> Array:
    """(n) angle [rad] by which the figure's height leans forward, about y of the world."""
    up = model.frame_pose(run.q, "pelvis")[:, :3, 2]
    return np.unwrap(np.arctan2(up[:, 0], up[:, 2]))


def spin(model: kg.Model, run: kg.Trajectory) -> Array:
    """(n, 3) angular momentum [N m s] about the centre of mass."""
    return np.asarray(model.momentum(run.q, run.v)[:, 3:])


def main(folder: Folder = Path(__file__).parent / "out") -> tuple[kg.Model, kg.Trajectory]:
    mechanism = kg.human_figure()
    model = kg.compile(mechanism)
    run = dive(model)
    kg.stick_figures(mechanism, run, folder / "held_figure.png")
    lean = np.degrees(pitch(model, run)[-1])
    print(f"The arms went round {TURNS:g} times, the body leans back by {-lean:.0f} degrees.")
    print(f"Angular momentum stayed below {np.abs(spin(model, run)).max():.1e} N m s.")
    return model, run


if __name__ == "__main__":
    script(main, __doc__)
