"""Markers over time, OpenSim's .trc files, and the rigid motion of a cluster of markers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..analysis.smoothing import low_pass, sample_rate
from ..analysis.values import by_value
from ..arguments import Array, as_array, as_count, as_floats
from ..errors import ModelError, shown
from ..files import number_in
from ..names.lookup import near
from ..typed import typed
from .table import number_of_cell, read_lines, said_whole

METRES = {"m": 1.0, "cm": 1e-2, "mm": 1e-3} | {
    part + word: size
    for part, size in (("", 1.0), ("centi", 1e-2), ("milli", 1e-3))
    for word in ("meter", "meters", "metre", "metres")
}
"""Units of length of files, in small letters."""
FLAT = 1e-3
"""Smallest second singular value of a cluster's markers [m] that still tells how it is turned."""
SHRUNK = 0.5
"""Least part of a cluster's size across its longest axis that a low-pass must leave to tell how it turns."""
OFF = 2.0
"""Misfit in parts of a cluster's size beyond which its places are taken to be in other units than its markers."""


@typed
@by_value
@dataclass(frozen=True)
class Markers:
    """`positions` (n, markers, 3) [m] at times t (n) [s]; NaN where a marker was not seen. `file` is for messages.
    ModelError for other sizes.
    """

    file: str
    t: Array
    names: tuple[str, ...]
    positions: Array

    def __post_init__(self) -> None:
        t, positions = (
            as_floats(f"{self.file}: t", self.t, "(n,)"),
            as_floats(f"{self.file}: positions", self.positions),
        )
        object.__setattr__(self, "t", as_array(f"{self.file}: t", t, (t.size,), batch=False))
        if positions.shape != (t.size, len(self.names), 3):
            raise ModelError(
                f"{self.file}: {t.size} times and {len(self.names)} names of markers need positions "
                f"{(t.size, len(self.names), 3)}, got {positions.shape}"
            )
        object.__setattr__(self, "positions", positions)

    @property
    def rate(self) -> float:
        """Frames per second."""
        return sample_rate(self.t, f"{self.file}: time")

    @typed
    def of(self, names: Sequence[str]) -> Array:
        """(n, len(names), 3) positions. ModelError names a missing marker, or the first frame of a gap."""
        for name in names:
            if not isinstance(name, str) or name not in self.names:
                raise ModelError(f"{self.file}: no marker {shown(name)}{near(name, self.names)}")
            if self.names.count(name) > 1:
                raise ModelError(f"{self.file}: {self.names.count(name)} markers are called {name!r}; rename them")
        chosen = self.positions[:, [self.names.index(name) for name in names]]
        lost = np.asarray(~np.isfinite(chosen).all(axis=2))
        if lost.any():
            k, m = (int(i) for i in np.argwhere(lost)[0])
            after = np.flatnonzero(~lost[k:, m])
            end = k + int(after[0]) if len(after) else len(self.t)
            fillable = len(_beside(~lost[:, m], k, end)) == 4
            remedy = f"fill the gap (markers.filled(longest={end - k})) or take" if fillable else "take"
            raise ModelError(
                f"{self.file}: marker {names[m]!r} is not seen in frames {k + 1} to {end} ({self.t[k]:g} s on); "
                f"{remedy} other frames (markers.between) or markers"
            )
        return np.ascontiguousarray(chosen)

    def filled(self, longest: int) -> Markers:
        """Gaps of at most `longest` frames closed by the cubic through two frames on either side; others stay, also
        those at the beginning or the end and those without two frames on either side."""
        longest, positions = as_count("longest", longest, least=0), self.positions.copy()
        for m in range(len(self.names)):
            seen = np.asarray(np.isfinite(positions[:, m]).all(axis=1))
            for first, end in _runs(~seen):
                around = _beside(seen, first, end)
                if end - first > longest or len(around) < 4:
                    continue
                at = np.vander(np.array(around, dtype=float) - first, 4)
                inside = np.vander(np.arange(end - first, dtype=float), 4)
                positions[first:end, m] = inside @ np.linalg.solve(at, positions[around, m])
        return replace(self, positions=positions)

    def low_passed(self, cutoff: float) -> Markers:
        """Without what is faster than `cutoff` [Hz] (see `Smoothing`). ModelError where there are gaps."""
        return replace(self, positions=low_pass(self.of(self.names), self.rate, cutoff))

    def between(self, start: float, end: float) -> Markers:
        """Frames with start <= t <= end."""
        first, last = (float(as_array(name, x, (), batch=False)) for name, x in (("start", start), ("end", end)))
        kept = (self.t >= first - 1e-9) & (self.t <= last + 1e-9)
        return replace(self, t=self.t[kept], positions=self.positions[kept])


def metres_of(unit: str, what: str) -> float:
    """A unit of length in metres. ModelError, `what` and the unit, where it is not known."""
    if unit.lower() not in METRES:
        raise ModelError(f"{what} {unit!r}; known: m, cm, mm")
    return METRES[unit.lower()]


@typed
def read_trc(path: str | PathLike[str]) -> Markers:
    """A .trc file; lengths become metres, empty entries gaps. ModelError names file, line, column and frame.

    Times are even from the first of column Time on: 1 / DataRate apart where that meets all of the column to within
    its last digit, else so that the last one is that of the column. Times that are not even are refused, as is a
    DataRate that is more than 1 % off.
    """
    file, lines = str(path), read_lines(path)
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise ModelError(f"{file}: not a .trc file: it should begin with 'PathFileType' and have five lines of header")
    header = dict(zip(lines[1].split("\t"), lines[2].split("\t"), strict=False))
    keys = {key.strip().lower(): value.strip() for key, value in header.items()}
    metres = metres_of(keys.get("units", ""), f"{file}: line 3: unknown Units")
    names = tuple(name.strip() for name in lines[3].split("\t")[2:] if name.strip())
    if said_whole(keys.get("nummarkers")) not in (None, len(names)):
        raise ModelError(f"{file}: NumMarkers is {keys['nummarkers']}, line 4 names {len(names)}")
    times: list[tuple[float, float]] = []
    rows: list[list[float]] = []
    for number, line in ((k + 1, line) for k, line in enumerate(lines) if k >= 5 and line.strip()):
        cells = line.rstrip("\r\n").split("\t")
        if len(cells) > 2 + 3 * len(names) and any(cell.strip() for cell in cells[2 + 3 * len(names) :]):
            raise ModelError(f"{file}: line {number} has {len(cells)} entries, {2 + 3 * len(names)} were expected")
        cells += [""] * (2 + 3 * len(names) - len(cells))
        times.append((number_of_cell(file, number, len(rows) + 1, "Time", cells[1]), _last_digit(cells[1])))
        rows.append(_row(file, number, len(rows) + 1, names, cells[2 : 2 + 3 * len(names)]))
    if said_whole(keys.get("numframes")) not in (None, len(rows)):
        raise ModelError(f"{file}: NumFrames is {keys['numframes']}, the file has {len(rows)}; is it cut off?")
    told, digit = np.array(times).reshape(-1, 2).T
    t = _even_times(file, told, digit, keys.get("datarate", ""))
    return Markers(file, t, names, np.array(rows).reshape(len(rows), len(names), 3) * metres)


def _row(file: str, line: int, frame: int, names: Sequence[str], cells: Sequence[str]) -> list[float]:
    return [
        number_of_cell(file, line, frame, f"{names[k // 3]} {'XYZ'[k % 3]}", cell) if _given(cell) else np.nan
        for k, cell in enumerate(cells)
    ]


def _given(cell: str) -> bool:
    return bool(cell.strip()) and cell.strip().lower() != "nan"


def _last_digit(number: str) -> float:
    """What one more in the last digit of a number makes: 0.01 for 3.25."""
    mantissa, mark, exponent = number.strip().lower().partition("e")
    return abs(float(re.sub(r"\d", "0", mantissa[:-1]) + "1" + mark + exponent))


def _even_times(file: str, t: Array, digit: Array, said: str) -> Array:
    """Times from the first one and DataRate where they are within half a `digit` of t (n), else from both ends of t:
    headers round their rate, 60 for 59.94. ModelError if the two do not agree.
    """
    measured = sample_rate(t, f"{file}: column 'Time'")
    try:
        rate = number_in(said)
    except ValueError as error:
        raise ModelError(f"{file}: line 3: DataRate is {said!r}, expected frames per second") from error
    if not abs(rate - measured) <= 0.01 * measured:  # nan is none either
        raise ModelError(f"{file}: DataRate is {rate:g} per second, but column 'Time' goes on by {measured:.5g}")
    starts, near = t - np.arange(len(t)) / rate, 0.5 * digit + 1e-9
    if (starts - near).max() > (starts + near).min():  # no first time with that rate meets all
        return np.linspace(t[0], t[-1], len(t))
    return np.asarray(t[0] + np.arange(len(t)) / rate)


@by_value
@dataclass(frozen=True)
class ClusterFit:
    """Rigid motion of a cluster: rotation (n, 3, 3) and origin (n, 3) of its axes in world; `rms` (n) [m] how far its
    markers are from where they would be if it were rigid.
    """

    rotation: Array
    origin: Array
    rms: Array


@typed
def fit_cluster(markers: Markers, places: Mapping[str, ArrayLike]) -> ClusterFit:
    """The least-squares rigid motion of markers that stand at `places` (marker → (3) [m], in segment axes).

    By singular values [Soderkvist93]. ModelError for fewer than three markers, for markers that stand in one line or
    are seen in one, for unknown ones and gaps, and for places that must be in other units than the markers.
    """
    local, seen = _cluster(markers, places)
    center = local.mean(axis=0)
    middle = seen.mean(axis=1)
    U, _, Vt = np.linalg.svd(_spread(seen, local))
    U[:, :, 2] *= np.sign(np.linalg.det(U @ Vt))[:, None]
    R = U @ Vt
    off = seen - middle[:, None] - np.einsum("kij,mj->kmi", R, local - center)
    rms = np.sqrt((off**2).sum(axis=2).mean(axis=1))
    _require_units(markers.file, places, local, seen, rms)
    return ClusterFit(R, middle - R @ center, rms)


def _cluster(markers: Markers, places: Mapping[str, ArrayLike]) -> tuple[Array, Array]:
    """Places (markers, 3) of a cluster and where its markers are seen (n, markers, 3): neither of them in one line."""
    names = tuple(places)
    if len(names) < 3:
        raise ModelError(f"{markers.file}: a cluster needs three markers, got {', '.join(names) or 'none'}")
    local = np.array([as_array(f"place of marker {name!r}", places[name], (3,), batch=False) for name in names])
    if _width(local) < FLAT:
        raise ModelError(f"{markers.file}: markers {', '.join(names)} stand in one line: how they turn cannot be seen")
    seen = markers.of(names)
    lined = _width(seen) < FLAT
    if lined.any():
        k = int(np.argmax(lined))
        raise ModelError(
            f"{markers.file}: in frame {k + 1} ({markers.t[k]:g} s) markers {', '.join(names)} are seen in one line or "
            "point: how they turn cannot be seen; take other frames (markers.between) or markers"
        )
    return local, seen


def _require_units(file: str, places: Mapping[str, ArrayLike], local: Array, seen: Array, rms: Array) -> None:
    """ModelError where markers (n, markers, 3) are off (n) their places (markers, 3) by far more than their size, in
    the median of all frames: one may be mistaken in some."""
    told, found, off = float(_size(local)), np.median(_size(seen)), np.median(rms)
    if off > OFF * min(told, found):
        raise ModelError(
            f"{file}: markers {', '.join(places)} are off their places by {off:.3g} m rms: by the places their cluster "
            f"has a size of {told:.3g} m, as it is seen of {found:.3g} m; are the places, or the markers, in "
            "millimetres?"
        )


def _size(points: Array) -> Array:
    """(...) root mean square distance of points (..., k, 3) from their middle."""
    return np.asarray(np.sqrt(((points - points.mean(axis=-2, keepdims=True)) ** 2).sum(axis=-1).mean(axis=-1)))


def _width(points: Array) -> Array:
    """(...) second singular value of points (..., k, 3) about their middle: 0 in one line."""
    return np.asarray(np.linalg.svd(points - points.mean(axis=-2, keepdims=True), compute_uv=False)[..., 1])


def _spread(seen: Array, local: Array) -> Array:
    """(n, 3, 3) of markers seen (n, markers, 3) against their places (markers, 3), both about their middle."""
    about = seen - seen.mean(axis=1, keepdims=True)
    return np.asarray(np.einsum("kmi,mj->kij", about, local - local.mean(axis=0)))


def require_size(before: Markers, after: Markers, places: Mapping[str, ArrayLike], what: str) -> None:
    """ModelError, with `what` in front, where a low-pass has shrunk a cluster so far that it no longer tells its turns:
    markers that spin faster than the cutoff go round, once low-passed, on smaller circles."""
    local, seen = _cluster(before, places)
    stood = _spread(local[None], local)
    size, was, left = (
        np.linalg.svd(spread, compute_uv=False)[:, 1]
        for spread in (stood, _spread(seen, local), _spread(after.of(tuple(places)), local))
    )
    whole = np.minimum(was, size)  # noise makes what was seen larger, and places may be told too large
    part = np.divide(left, whole, out=np.ones_like(left), where=whole > 0.0)
    k = int(np.argmin(part))
    if part[k] < SHRUNK:
        raise ModelError(
            f"{what} turns too fast for the low-pass, which leaves {part[k]:.0%} of its cluster's size in frame "
            f"{k + 1}; give a higher cutoff, or none: kg.Smoothing(cutoff=None)"
        )


def _beside(seen: NDArray[np.bool_], first: int, end: int) -> list[int]:
    """The two frames on either side of a gap [first, end) as far as they are seen: four where it can be filled."""
    return [k for k in (first - 2, first - 1, end, end + 1) if 0 <= k < len(seen) and seen[k]]


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """(first, end) of each run of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
