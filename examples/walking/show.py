"""A walk as one page that plays offline in any browser, and its footsteps from above with ZMP and capture point.

    python examples/walking/show.py [FOLDER] [ROBOT LEFT_FOOT RIGHT_FOOT [STRIDE]]     files go to FOLDER (examples/out)

ROBOT: a file of any robot that stands upright and looks along x; its links LEFT_FOOT and RIGHT_FOOT have shapes to
stand on. Steps and gains are in proportion to it: a step is STRIDE (0.12) of the height of its mass centre long. By
default biped.toml.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import kinegen as kg
from kinegen.script import Folder, script

HERE = Path(__file__).parent


def walker(file: Path, feet: Sequence[str]) -> kg.Mechanism:
    """The robot on a floor that nothing but its feet touches."""
    robot = kg.load(file, root="fixed" if file.suffix == ".toml" else "free")
    links = [link if link.name in feet else replace(link, shapes=()) for link in robot.links]
    return replace(robot, links=tuple(links), shapes=robot.shapes or (kg.plane(friction=0.8),))


def main(
    folder: Folder = HERE.parent / "out",
    file: Annotated[Path, typer.Argument(metavar="ROBOT", help="Its file.")] = HERE / "biped.toml",
    left_foot: Annotated[str, typer.Argument(metavar="LEFT_FOOT", help="A link of it.")] = "foot_l",
    right_foot: Annotated[str, typer.Argument(metavar="RIGHT_FOOT", help="Another one.")] = "foot_r",
    stride: Annotated[float, typer.Argument(metavar="STRIDE", help="Of the height of its mass centre.")] = 0.12,
    steps: Annotated[int, typer.Option(min=1, help="How many.")] = 6,
) -> kg.Trajectory:
    feet = left_foot, right_foot
    robot = walker(file, feet)
    model = kg.compile(robot)
    left, right = (model.frame_pose(model.q0, foot)[:3, 3] for foot in feet)
    height = float((model.com(model.q0) - 0.5 * (left + right))[2])
    way = kg.footsteps(steps, length=stride * height, width=float(np.linalg.norm((left - right)[:2])), turn=0.1)
    pattern = kg.walking_pattern(model, robot, feet, way)
    stiff = 75.0 * model.total_mass() * height**2  # 5,000 N m/rad for Talos
    start, given = pattern.start(model), {"servos": pattern.servos(stiff, 0.02 * stiff), "tau": pattern.torques(model)}
    run = kg.Simulator(model, dt=pattern.dt, q=start[0], v=start[1], **given).run(pattern.t[-1])
    page = kg.animate(robot, run, folder / "walk.html")
    low = np.flatnonzero(model.com(run.q)[:, 2] < 0.75 * pattern.com[0, 2])
    if low.size:
        print(
            f"the pattern is made, its replay falls at {run.t[low[0]]:.1f} s: nothing minds the balance (see walk.py)"
        )
        print(f"{page}: open it in a browser")
        return run
    run.plot_footsteps(folder / "walk_footsteps.png", zmp=pattern.zmp)
    off, least = abs(run.q[:, :3] - pattern.q[:, :3]).max(), 1e3 * pattern.margin.min()
    print(f"{steps} steps in {run.t[-1]:.1f} s, the planned ZMP at least {least:.0f} mm inside the soles")
    print(f"trunk at most {1e3 * off:.1f} mm off the pattern")
    print(f"{page}: open it in a browser")
    return run


if __name__ == "__main__":
    script(main, __doc__)
