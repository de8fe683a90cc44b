"""A person walks: joint moments of this project beside OpenSim's own, from measured motion and force plates.

    python benchmarks/walking.py [FOLDER] [--pictures DIR]

FOLDER holds the data that mathematics and tests speak of (default: $KINEGEN_WALKING_DATA): OpenSim's gait10dof18musc
example (model and data by Delp, Loan, Hoy, Zajac, Topp, Rosen, Thelen, Anderson, Seth; CC BY 3.0) as segments.csv,
joints.csv, plates.csv, parameters.csv and opensim_torques.csv, SI units, y up. It is no part of this repository.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinegen.runtime.errors import ModelError
from kinegen.runtime.measured.dynamics import inverse_dynamics_from_motion
from kinegen.runtime.measured.loads import JointLoads
from kinegen.runtime.measured.motion import BodySegment, Motion, SegmentMotion
from kinegen.runtime.model.torques.causes import Wrench

Array = NDArray[np.float64]
GRAVITY = (0.0, -9.80665, 0.0)
CONNECTS = {"hip": "femur", "knee": "tibia", "ankle": "talus"}
"""Joint → the segment that it carries."""
OPENSIM = {
    **{f"hip_{side}": f"hip_flexion_{side}_moment" for side in "rl"},
    **{f"knee_{side}": f"knee_angle_{side}_moment" for side in "rl"},
    **{f"ankle_{side}": f"ankle_angle_{side}_moment" for side in "rl"},
    "back": "lumbar_extension_moment",
}


@dataclass(frozen=True)
class Walk:
    """Loads of every joint, joint axes (n, 3), OpenSim's generalised forces (n), and how the knees' centres slide with
    the angle (n, 3) [m/rad].
    """

    t: Array
    loads: JointLoads
    axes: dict[str, Array]
    opensim: dict[str, Array]
    slide: dict[str, Array]

    def moment(self, joint: str, *, sliding: bool = True) -> Array:
        """(n) generalised force about the joint's axis."""
        slide = self.slide.get(joint) if sliding else None
        return self.loads.along(joint, self.axes[joint], slide)

    def error(self, joint: str, *, sliding: bool = True) -> float:
        """rms difference from OpenSim [N m]."""
        return float(np.sqrt(np.mean((self.moment(joint, sliding=sliding) - self.opensim[joint]) ** 2)))


def walk(folder: Path) -> Walk:
    """The person's joint loads. ModelError names a file that is missing."""
    rows = by_label(folder / "segments.csv", "segment")
    t = rows["pelvis"]["time"]
    moving = {name: _motion(columns) for name, columns in rows.items()}
    joints = by_label(folder / "joints.csv", "joint")
    centers = {name: vectors(columns, "centre") for name, columns in joints.items()}
    plates = [
        Wrench(f"plate_{foot[-1]}", foot, *(vectors(columns, part) for part in ("force", "point", "torque")))
        for foot, columns in by_label(folder / "plates.csv", "foot").items()
    ]
    segments = list(_segments(folder))
    motion = Motion.from_kinematics(t, moving)
    loads = inverse_dynamics_from_motion(segments, motion, plates, gravity=GRAVITY, centers=centers)
    found = next(iter(by_label(folder / "opensim_torques.csv", None).values()))
    opensim = {joint: found[column] for joint, column in OPENSIM.items()}
    axes = {name: vectors(columns, "axis") for name, columns in joints.items()}
    return Walk(t, loads, axes, opensim, _slides(moving, centers))


def _segments(folder: Path) -> Iterator[BodySegment]:
    carried = {f"{segment}_{side}": f"{joint}_{side}" for joint, segment in CONNECTS.items() for side in "rl"}
    for row in rows_of(folder / "parameters.csv"):
        name, numbers = row["segment"], {key: float(row[key]) for key in row if key not in ("segment", "parent")}
        xx, yy, zz, xy, xz, yz = (numbers[f"i{axes}"] for axes in ("xx", "yy", "zz", "xy", "xz", "yz"))
        inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        joint = {**carried, "torso": "back", "pelvis": "ground_pelvis"}.get(name, name)
        parent = None if row["parent"] == "ground" else row["parent"]
        yield BodySegment(name, numbers["mass"], inertia, parent, joint)


def _motion(columns: dict[str, Array]) -> SegmentMotion:
    rotation = np.stack([columns[f"r{i}{j}"] for i in (1, 2, 3) for j in (1, 2, 3)], axis=1).reshape(-1, 3, 3)
    return SegmentMotion(rotation, *(vectors(columns, part) for part in ("com", "acceleration", "omega", "alpha")))


def _slides(moving: dict[str, SegmentMotion], centers: dict[str, Array]) -> dict[str, Array]:
    """∂centre/∂angle of the knees, world axes: the centre in the thigh is a function of the angle, the same for both
    legs, which the samples of the stride give; its derivative is that of a polynomial through the nearest ones.
    """
    angles, places = {}, {}
    for side in "rl":
        thigh, shank = moving[f"femur_{side}"], moving[f"tibia_{side}"]
        between = np.einsum("kji,kjl->kil", thigh.rotation, shank.rotation)
        angles[side] = np.arctan2(between[:, 1, 0], between[:, 0, 0])
        places[side] = np.einsum("kji,kj->ki", thigh.rotation, centers[f"knee_{side}"] - thigh.com)
        places[side][:, 2] = 0.0  # the legs stand apart
    angle, place = np.concatenate([*angles.values()]), np.concatenate([*places.values()])
    return {
        f"knee_{side}": np.einsum(
            "kij,kj->ki",
            moving[f"femur_{side}"].rotation,
            np.array([_slope(angle, place, x) for x in angles[side]]),
        )
        for side in "rl"
    }


def _slope(angle: Array, place: Array, at: float, nearest: int = 12, degree: int = 4) -> Array:
    near = np.argsort(np.abs(angle - at))[:nearest]
    off = angle[near] - at
    size = np.abs(off).max()
    fit: Array = np.linalg.lstsq(np.vander(off / size, degree + 1, increasing=True), place[near], rcond=None)[0]
    return np.asarray(fit[1] / size)


def vectors(columns: dict[str, Array], name: str) -> Array:
    return np.stack([columns[f"{name}_{axis}"] for axis in "xyz"], axis=1)


def by_label(path: Path, label: str | None) -> dict[str, dict[str, Array]]:
    """Label → column → (n) numbers."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows_of(path):
        for column, text in row.items():
            if column != label:
                found[row[label] if label else ""][column].append(float(text))
    return {name: {column: np.array(x) for column, x in columns.items()} for name, columns in found.items()}


def rows_of(path: Path) -> list[dict[str, str]]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise ModelError(
            f"{path}: cannot be read ({error.strerror}); see --help for what should stand there"
        ) from error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=os.environ.get("KINEGEN_WALKING_DATA"))
    parser.add_argument("--pictures", type=Path, help="folder for a picture of ankle and hip")
    options = parser.parse_args()
    if options.folder is None:
        parser.error("say where the data is: an argument, or KINEGEN_WALKING_DATA")
    found = walk(Path(options.folder))
    print(f"{'joint':8}  rms difference [N m]  without sliding  peak [N m]")
    for joint in OPENSIM:
        plain = f"{found.error(joint, sliding=False):15.5f}" if joint in found.slide else " " * 15
        print(f"{joint:8}  {found.error(joint):20.5f}  {plain}  {np.abs(found.opensim[joint]).max():10.1f}")
    for root, residual in found.loads.residual.items():
        print(f"{root}: residual force {np.sqrt((residual[:, :3] ** 2).mean()):.1f} N rms per axis")
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
        title = "A person walks: flexion torque of the right ankle and hip by cause"
        picture = options.pictures / "walking.png"
        found.loads.plot(("ankle_r z", "hip_r z"), picture, title=title)


if __name__ == "__main__":
    try:
        main()
    except ModelError as error:
        sys.exit(f"error: {error}")
