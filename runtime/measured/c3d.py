"""C3D files: markers, and the wrenches of force plates."""

from __future__ import annotations

import re
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..errors import ModelError
from ..files import in_file, read_bytes
from ..typed import typed
from .c3d_file import C3dFile, parse_c3d
from .markers import METRES, Markers, metres_of
from .plates import PlateRecord

LARGEST = 1 << 29
"""Bytes of a file that are read."""
FORCE, LENGTH, MOMENT, VOLTAGE = "force", "length", "moment", "voltage"
PLATES = {
    1: (FORCE,) * 3 + (LENGTH,) * 2 + (MOMENT,),
    2: (FORCE,) * 3 + (MOMENT,) * 3,
    3: (FORCE,) * 8,
    4: (VOLTAGE,) * 6,
}
"""What the channels of a plate tell, by its type."""
FORCES = {"n": 1.0, "newton": 1.0, "newtons": 1.0, "kn": 1e3}
MOMENTS = {force + length: f * m for force, f in FORCES.items() for length, m in METRES.items()}
"""N, m and N m in the units that channels may have, in small letters, without spaces and marks: N-m and N*m are nm."""
KNOWN = {FORCE: (FORCES, "N, kN"), LENGTH: (METRES, "m, cm, mm"), MOMENT: (MOMENTS, "N m, N cm, N mm, kN m")}
PRESSED = 5.0
"""N: below, a plate tells no centre of pressure, and its own centre is taken."""
STEEP = 0.2
"""Part of a plate's mean force that is along `up` at least."""


@typed
def read_c3d(path: str | PathLike[str], *, up: ArrayLike = (0.0, 0.0, 1.0)) -> tuple[Markers, tuple[PlateRecord, ...]]:
    """Markers [m] and force plates of a C3D file; time starts at the first frame's number, from 0, over the rate.

    Markers without a label are called point_1, point_2, ... Files differ in whether a plate's force acts on the plate
    or on the body: a foot can only press, so the sign is taken that pushes the body along `up` (3). The point is the
    centre of pressure in the plate's plane, the moment what is left about it. Channels without a unit (ANALOG:UNITS)
    are in newtons and POINT:UNITS. Where FORCE_PLATFORM:ZERO names frames, from 1 for the first of the file, the mean
    of each channel over these is its baseline, which is taken off; [0, 0] stands for none. ModelError for files that
    are damaged or larger than 512 MiB, for units and plates that it does not know, for a baseline of frames that are
    not there, and for forces that are hardly along `up`.
    """
    upward = as_array("up", up, (3,), batch=False)
    if not np.linalg.norm(upward) > 0.0:
        raise ModelError(f"up: expected the direction away from the ground, got {upward.tolist()}")
    file, data = str(path), read_bytes(path, LARGEST)
    try:
        found = parse_c3d(data)
    except ModelError as error:
        raise ModelError(f"{file}: cannot be read as C3D ({error})") from None
    with in_file(file):
        markers = _times(found, len(found.points)), _names(found), found.points * _metres(found)
        used = found.parameters.whole("FORCE_PLATFORM", "USED", 0)
        plates = [_plate(found, k, upward) for k in range(used)]
    return Markers(file, *markers), tuple(PlateRecord(file, *plate) for plate in plates)


def _times(found: C3dFile, samples: int) -> Array:
    """(samples) [s], as many for each frame."""
    frames = len(found.points)
    if not 0.0 < found.rate < np.inf:
        raise ModelError(f"{frames} frames at {found.rate:g} per second (parameter POINT:RATE): no motion")
    return np.asarray(found.first / found.rate + np.arange(samples) / (found.rate * (samples // frames)))


def _metres(found: C3dFile) -> float:
    return metres_of(next(iter(found.parameters.texts("POINT", "UNITS")), ""), "parameter POINT:UNITS is")


def _names(found: C3dFile) -> tuple[str, ...]:
    """A name for each marker."""
    count = found.points.shape[1]
    labels = (found.parameters.texts("POINT", "LABELS") + [""] * count)[:count]
    return tuple(label or f"point_{k}" for k, label in enumerate(labels, 1))


def _plate(found: C3dFile, number: int, up: Array) -> tuple[str, Array, Array, Array, Array]:
    """Name, times (n) and force, point and moment (n, 3) of a plate, as its record has them."""
    name, parameters = f"plate_{number + 1}", found.parameters
    kind = int(parameters.table("FORCE_PLATFORM", "TYPE", (1,), number)[0])
    if kind not in PLATES:
        raise ModelError(f"{name} is of type {kind}; known: {', '.join(map(str, PLATES))}")
    channels = parameters.table("FORCE_PLATFORM", "CHANNEL", (len(PLATES[kind]),), number).astype(int) - 1
    count = found.analogs.shape[1]
    absent = channels[(channels < 0) | (channels >= count)]
    if absent.size:
        raise ModelError(f"{name} has channel {absent[0] + 1} of {count}: FORCE_PLATFORM:CHANNEL counts from 1")
    metres = _metres(found)
    raw = found.analogs[:, channels] * _factors(found, name, kind, channels, metres)
    bad = ~np.isfinite(raw).all(axis=1)
    if bad.any():
        raise ModelError(f"{name}: sample {int(np.argmax(bad)) + 1} is a gap")
    raw = raw - _baseline(found, kind, raw)
    corners = parameters.table("FORCE_PLATFORM", "CORNERS", (3, 4), number).reshape(4, 3) * metres
    origin = parameters.table("FORCE_PLATFORM", "ORIGIN", (3,), number) * metres
    axes = _axes(name, corners)
    force, moment = _wrench(found, number, kind, raw, -origin if origin[2] > 0.0 else origin, metres)
    force, moment = force @ axes.T, moment @ axes.T
    center, normal = corners.mean(axis=0), axes[:, 2]
    sign = 1.0 if _upward(name, force, normal, up) >= 0.0 else -1.0
    force, moment = sign * force, sign * moment
    pressing = np.abs(force @ normal) > PRESSED
    arm = np.cross(normal, moment) / np.where(pressing, force @ normal, 1.0)[:, None]
    point = center + np.where(pressing[:, None], arm, 0.0)
    t = _times(found, len(force))
    return name, t, force, point, moment - np.cross(point - center, force)


def _baseline(found: C3dFile, kind: int, raw: Array) -> Array:
    """(channels) what a plate's channels (n, channels) tell where nothing stands on it: their mean over the frames of
    FORCE_PLATFORM:ZERO. None of [0, 0], of [1, 0], and of places; frame 0 is the first, 1. ModelError for frames that
    the file does not have.
    """
    frames, zero = len(found.points), found.parameters.numbers("FORCE_PLATFORM", "ZERO")[:2]
    first, last = zero if len(zero) == 2 and np.isfinite(zero).all() else (0.0, 0.0)
    if last < max(first, 1.0):
        return np.zeros(raw.shape[1])
    if first < 0.0 or last > frames:
        raise ModelError(
            f"parameter FORCE_PLATFORM:ZERO takes the baseline of force plates from frames {first:g} to {last:g}, the "
            f"file has frames 1 to {frames}; write the numbers of unloaded frames there, or [0, 0] for no baseline"
        )
    samples = len(raw) // frames
    mean = raw[(max(int(first), 1) - 1) * samples : int(last) * samples].mean(axis=0)
    return np.where(np.array(PLATES[kind]) == LENGTH, 0.0, mean)


def _upward(name: str, force: Array, normal: Array, up: Array) -> float:
    """The mean of forces (n, 3) along up (3), where the plate is loaded across its plane. ModelError where they hardly
    act along it: which way is then chance. What a plate on which nobody stood tells, sideways too, is its drift."""
    loaded = np.abs(force @ normal) > PRESSED
    mean = force[loaded].mean(axis=0) if loaded.any() else force.mean(axis=0)
    along, size = float(mean @ up / np.linalg.norm(up)), float(np.linalg.norm(mean))
    if loaded.any() and size > PRESSED and abs(along) < STEEP * size:
        raise ModelError(
            f"{name}: its force, [{mean[0]:.4g}, {mean[1]:.4g}, {mean[2]:.4g}] N in the mean, is hardly along "
            f"up=({up[0]:g}, {up[1]:g}, {up[2]:g}): say in the file's axes which way it pushes the body, up=(0, 1, 0) "
            "where y is up"
        )
    return along


def _axes(name: str, corners: Array) -> Array:
    """(3, 3) axes of a plate in its columns: x from the second corner to the first, z up from its plane."""
    x, across = corners[0] - corners[1], corners[0] - corners[3]
    z = np.cross(x, across)
    columns = np.array([x, np.cross(z, x), z])
    sizes = np.linalg.norm(columns, axis=1)
    if not (np.isfinite(sizes) & (sizes > 0.0)).all():
        raise ModelError(f"{name}: its corners (parameter FORCE_PLATFORM:CORNERS) span no plane")
    return np.asarray((columns / sizes[:, None]).T)


def _factors(found: C3dFile, plate: str, kind: int, channels: np.ndarray[Any, Any], metres: float) -> list[float]:
    """N, m and N m in the units of a plate's channels; of those without a unit, in newtons and POINT:UNITS.

    Channels of type 4 are what its matrix takes. ModelError for units that are not known.
    """
    units, labels = (found.parameters.texts("ANALOG", part) for part in ("UNITS", "LABELS"))
    factors = []
    for channel, quantity in zip(channels, PLATES[kind], strict=True):
        unit = units[channel] if channel < len(units) else ""
        word = re.sub(r"[\s.*·⋅-]", "", unit).lower()
        if quantity == VOLTAGE or not word:
            factors.append(metres if quantity in (LENGTH, MOMENT) else 1.0)
            continue
        known, said = KNOWN[quantity]
        if word not in known:
            label = f" ({labels[channel]})" if channel < len(labels) else ""
            raise ModelError(
                f"{plate}: channel {channel + 1}{label} is a {quantity} in {unit!r} (parameter ANALOG:UNITS); known: "
                f"{said}. Write there what the file's numbers are once scaled"
            )
        factors.append(known[word])
    return factors


def _wrench(found: C3dFile, number: int, kind: int, raw: Array, origin: Array, metres: float) -> tuple[Array, Array]:
    """(n, 3) force and moment about the middle of the surface, in the plate's axes [N, N m]; `metres` in POINT:UNITS.

    Type 1: force, centre of pressure, free moment; 2: force, moment; 3: eight sensors; 4: as 2, by a matrix from volts
    to newtons and newtons times POINT:UNITS.
    """
    if kind == 1:
        arm = np.column_stack([raw[:, 3:5], np.zeros(len(raw))])
        free = np.column_stack([np.zeros((len(raw), 2)), raw[:, 5]])
        return raw[:, :3], np.cross(arm, raw[:, :3]) + free
    if kind == 3:
        x12, x34, y14, y23, z1, z2, z3, z4 = raw.T
        a, b = np.abs(origin[:2])  # of the sensors from the middle: distances, which some files write negated
        force = np.column_stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4])
        moments = (b * (z1 + z2 - z3 - z4), a * (z2 + z3 - z1 - z4), b * (x34 - x12) + a * (y14 - y23))
        return force, np.column_stack(moments) + np.cross(force, [0.0, 0.0, origin[2]])
    if kind == 4:
        matrix = found.parameters.table("FORCE_PLATFORM", "CAL_MATRIX", (6, 6), number).reshape(6, 6, order="F")
        raw = raw @ matrix.T * np.repeat([1.0, metres], 3)
    return raw[:, :3], raw[:, 3:] + np.cross(raw[:, :3], origin)
