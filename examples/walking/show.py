"""A walk as one page that plays offline in any browser, and its footsteps from above with ZMP and capture point.

    python examples/walking/show.py [FOLDER] [ROBOT LEFT_FOOT RIGHT_FOOT]     files go to FOLDER (examples/out)

ROBOT: a file whose links LEFT_FOOT and RIGHT_FOOT have shapes to stand on, and a floor; by default biped.toml.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import kinegen as kg

HERE = Path(__file__).parent
STEPS = 6
KP, KD = 5e3, 100.0
"""Of all servos [N m/rad, N m s/rad]."""


def main(arguments: Sequence[str], steps: int = STEPS) -> kg.Trajectory:
    folder = Path(arguments[0]) if arguments else HERE.parent / "out"
    file, *feet = arguments[1:] or (str(HERE / "biped.toml"), "foot_l", "foot_r")
    robot = kg.load(file, root="fixed" if file.endswith(".toml") else "free")
    robot = robot if robot.shapes else replace(robot, shapes=(kg.plane(friction=0.8),))
    model = kg.compile(robot)
    pattern = kg.walking_pattern(model, robot, feet, kg.footsteps(steps, length=0.1, width=0.2, turn=0.1))
    q, v = pattern.start(model)
    servos = pattern.servos(KP, KD)
    run = kg.Simulator(model, dt=pattern.dt, q=q, v=v, servos=servos, tau=pattern.torques(model)).run(pattern.t[-1])
    folder.mkdir(parents=True, exist_ok=True)
    page = kg.animate(robot, run, folder / "walk.html")
    run.plot_footsteps(folder / "walk_footsteps.png", zmp=pattern.zmp)
    off, least = abs(run.q[:, :3] - pattern.q[:, :3]).max(), 1e3 * pattern.margin.min()
    print(f"{steps} steps in {run.t[-1]:.1f} s, the planned ZMP at least {least:.0f} mm inside the soles")
    print(f"trunk at most {1e3 * off:.1f} mm off the pattern")
    print(f"{page}: open it in a browser")
    return run


if __name__ == "__main__":
    main(sys.argv[1:])
