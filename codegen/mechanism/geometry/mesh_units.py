"""What the numbers in a mesh file are in metres: COLLADA names its unit, other formats are taken as metres."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any


def metres(file: Path, scene: Any) -> float:
    """The unit of a file that trimesh read [m]. ValueError if it is no length.

    Of COLLADA the unit counts and `up_axis` does not, as in RViz and Gazebo: axes are those of the file.
    """
    if file.suffix.lower() != ".dae":
        return 1.0
    named = {str(mesh.metadata.get("units", "meters")) for mesh in scene.geometry.values()}
    units = [float(name.partition("*")[0]) if "*" in name else 1.0 for name in named]  # "0.001 * meters"
    unit = units[0] if units else 1.0
    if not (math.isfinite(unit) and unit > 0.0):
        raise ValueError(f"its <unit meter='{unit:g}'> is no length: write how many metres it is, as meter='0.001'")
    return unit
