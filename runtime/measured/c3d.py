"""C3D files through the package ezc3d: markers, and the wrenches of force plates."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..errors import ModelError
from .markers import UNITS, Markers
from .plates import PlateRecord

MOMENT_UNITS = {"Nm": 1.0, "Nmm": 1e-3}
PRESSED = 5.0
"""N: below, a plate tells no centre of pressure, and its own centre is taken."""


def read_c3d(path: str | PathLike[str], *, up: ArrayLike = (0.0, 0.0, 1.0)) -> tuple[Markers, tuple[PlateRecord, ...]]:
    """Markers [m] and force plates of a C3D file; time starts at the first frame's number over the rate.

    Files differ in whether a plate's force acts on the plate or on the body: a foot can only press, so the sign is
    taken that pushes the body along `up` (3). The point is the centre of pressure in the plate's plane, the moment
    what is left about it. ModelError without ezc3d, for units it does not know, and for files it cannot read.
    """
    file = str(path)
    data = _open(file)
    parameters, points = data["parameters"], data["data"]["points"]
    labels = [str(name).strip() for name in _value(parameters, "POINT", "LABELS", [])]
    unit = str(next(iter(_value(parameters, "POINT", "UNITS", [""])), "")).strip()
    rate = float(next(iter(_value(parameters, "POINT", "RATE", [0.0])), 0.0))
    if unit not in UNITS:
        raise ModelError(f"{file}: parameter POINT:UNITS is {unit!r}; known: {', '.join(UNITS)}")
    if not rate > 0.0 or points.shape[2] == 0:
        raise ModelError(f"{file}: {points.shape[2]} frames at {rate:g} per second (parameter POINT:RATE): no motion")
    first = int(data["header"]["points"]["first_frame"]) / rate
    t = first + np.arange(points.shape[2]) / rate
    positions = np.ascontiguousarray(np.moveaxis(points[:3], 0, -1).swapaxes(0, 1)) * UNITS[unit]
    names = tuple(labels[: points.shape[1]])
    markers = Markers(file, t, names, positions)
    upward = as_array("up", up, (3,), batch=False)
    platforms: Sequence[Any] = data["data"].get("platform", ())
    return markers, tuple(_plate(file, k, plate, first, rate, len(t), upward) for k, plate in enumerate(platforms, 1))


def _open(file: str) -> Any:
    try:
        import ezc3d
    except ImportError as error:
        raise ModelError("C3D files need the package 'ezc3d': pip install 'kinegen[measured]'") from error
    if not Path(file).is_file():
        raise ModelError(f"{file}: there is no such file")
    try:
        plain = ezc3d.c3d(file)
        if not int(next(iter(_value(plain["parameters"], "FORCE_PLATFORM", "USED", [0])), 0)):
            return plain
        return ezc3d.c3d(file, extract_forceplat_data=True)
    except (ValueError, RuntimeError, OSError, IndexError, KeyError) as error:
        raise ModelError(f"{file}: cannot be read as C3D ({error})") from error


def _value(parameters: Any, group: str, name: str, default: Any) -> Any:
    return parameters[group][name]["value"] if group in parameters and name in parameters[group] else default


def _plate(file: str, number: int, plate: Any, first: float, rate: float, frames: int, up: Array) -> PlateRecord:
    name = f"plate_{number}"
    for key, known in (("unit_position", UNITS), ("unit_moment", MOMENT_UNITS), ("unit_force", {"N": 1.0})):
        if plate[key] not in known:
            raise ModelError(f"{file}: {name}: {key} is {plate[key]!r}; known: {', '.join(known)}")
    force = np.ascontiguousarray(np.asarray(plate["force"], dtype=float).T)
    moment = np.asarray(plate["moment"], dtype=float).T * MOMENT_UNITS[plate["unit_moment"]]
    corners = np.asarray(plate["corners"], dtype=float).T * UNITS[plate["unit_position"]]
    samples = len(force) / frames
    if samples != int(samples) or samples < 1:
        raise ModelError(f"{file}: {name} has {len(force)} samples for {frames} frames: not a whole number for each")
    bad = ~np.isfinite(np.concatenate([force, moment], axis=1)).all(axis=1)
    if bad.any():
        raise ModelError(f"{file}: {name}: sample {int(np.argmax(bad)) + 1} is a gap")
    sign = 1.0 if (force @ up).sum() >= 0.0 else -1.0
    force, moment, center = sign * force, sign * moment, corners.mean(axis=0)
    normal = np.cross(corners[0] - corners[2], corners[1] - corners[3])
    normal /= np.linalg.norm(normal)
    pressing = np.abs(force @ normal) > PRESSED
    arm = np.cross(normal, moment) / np.where(pressing, force @ normal, 1.0)[:, None]
    point = center + np.where(pressing[:, None], arm, 0.0)
    t = first + np.arange(len(force)) / (rate * samples)
    return PlateRecord(file, name, t, force, point, moment - np.cross(point - center, force))
