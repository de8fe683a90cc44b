"""Force plates over time: what they measured, put on the frames of a motion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from ..analysis.smoothing import low_pass, sample_rate
from ..analysis.values import by_value
from ..arguments import Array, as_array, as_floats, as_number
from ..errors import ModelError
from ..model.torques.causes import Wrench
from ..typed import typed
from .table import read_table


@typed
@by_value
@dataclass(frozen=True)
class PlateRecord:
    """Force (n, 3) [N] **on the body** at a point (n, 3) [m] and free moment (n, 3) [N m], world axes, at times t (n).

    `file` and `name` are for messages and labels. ModelError for other sizes and for gaps.
    """

    file: str
    name: str
    t: Array
    force: Array
    point: Array
    moment: Array

    def __post_init__(self) -> None:
        where = f"{self.file}: plate '{self.name}'"
        t = as_floats(f"{where}: t", self.t, "(n,)")
        object.__setattr__(self, "t", as_array(f"{where}: t", t, (t.size,), batch=False))
        for part in ("force", "point", "moment"):
            array = as_array(f"{where}: {part}", getattr(self, part), (t.size, 3), batch=False)
            object.__setattr__(self, part, array)

    def on(self, segment: str, t: ArrayLike) -> Wrench:
        """The wrench on a segment at the frames t of a motion: force and moment about the world's origin are linear
        between samples, and so is the point, at which the free moment makes up for what force and point do not tell.

        ModelError if the plate was not recording at all of these times: the records are not synchronised.
        """
        given = np.atleast_1d(as_floats("t", t, "(n,)"))
        times = as_array("t", given, (given.size,), batch=False)
        rate = sample_rate(self.t, f"{self.file}: time of plate '{self.name}'")
        margin = 1.0 / rate
        outside = (times < self.t[0] - margin) | (times > self.t[-1] + margin)
        if outside.any():
            k = int(np.argmax(outside))
            raise ModelError(
                f"{self.file}: plate '{self.name}' recorded from {self.t[0]:g} to {self.t[-1]:g} s, but frame {k + 1} "
                f"of the motion is at {times[k]:g} s: shift the record (plate.shifted(seconds)) or cut the motion"
            )
        about = np.cross(self.point, self.force) + self.moment
        force, point, about = (
            np.stack([np.interp(times, self.t, part[:, i]) for i in range(3)], axis=1)
            for part in (self.force, self.point, about)
        )
        return Wrench(self.name, segment, force, point, about - np.cross(point, force))

    def shifted(self, seconds: float) -> PlateRecord:
        """The same record, so much later."""
        return replace(self, t=self.t + as_number("seconds", seconds))

    def low_passed(self, cutoff: float) -> PlateRecord:
        """Force and moment about the world's origin without what is faster than `cutoff` [Hz]. The points stay those
        that were measured, and the free moment, which then has parts along the plate too, makes up for what the smooth
        force does not tell there: they are no centres of pressure of it.
        """
        rate = sample_rate(self.t, f"{self.file}: time of plate '{self.name}'")
        force = low_pass(self.force, rate, cutoff)
        about = low_pass(np.cross(self.point, self.force) + self.moment, rate, cutoff)
        return replace(self, force=force, moment=about - np.cross(self.point, force))


@typed
def read_forces(
    path: str | PathLike[str],
    name: str = "plate",
    *,
    force: str = "ground_force_v",
    point: str = "ground_force_p",
    torque: str = "ground_torque_",
) -> PlateRecord:
    """One plate of a .mot, .sto or .csv file with SI units: columns `force`x, y, z, likewise point and free torque.

    ModelError names the file and the column, line or frame that is wrong.
    """
    table = read_table(path)
    parts = [table.vectors([f"{prefix}{axis}" for axis in "xyz"]) for prefix in (force, point, torque)]
    sample_rate(table.t, f"{table.file}: column 'time'")
    return PlateRecord(table.file, name, table.t, *parts)
