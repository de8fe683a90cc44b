"""Contact as the runtime sees it: options of the solver, contacts of a step, contacts over a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, overload

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from ..analysis.values import by_value
from ..arguments import Array, as_array, as_count, as_floats, as_number, as_place
from ..errors import ModelError, shown
from ..structs import CONTACT, UsualOptions
from ..typed import typed

Records = npt.NDArray[np.void]
Counts = npt.NDArray[np.int64]

RECORD = CONTACT.dtype
"""The C struct PREFIX_contact."""

_WITHOUT_MOMENTS = np.dtype(
    [(name, *field) for name, *field in CONTACT.dtype.descr if name and name != "moment"], align=True
)


SOLVERS = ("sweeps", "exact")


@dataclass(frozen=True)
class ContactOptions(UsualOptions):
    """How contact is solved; the defaults stand and walk.

    `tolerance`: a sweep that changes no velocity at a contact by more [m/s] is the last, 0: all `sweeps` are made, and
    nothing else; `sweeps`: at most so many [P §4]; `depth` [m] that may stay; `recovery`: part of what is deeper that a
    step removes, at `recovery_speed` [m/s] at most; `bounce`: approach speed [m/s] above which restitution acts.
    `solver`: "sweeps", or "exact": a cone program to rounding in every step (slow; needs kinegen[exact]).
    """

    solver: str = "sweeps"

    def __post_init__(self) -> None:
        if not isinstance(self.solver, str) or self.solver not in SOLVERS:
            raise ModelError(f"solver: unknown {shown(self.solver)}; known: {', '.join(SOLVERS)}")
        for option in fields(self):
            value = getattr(self, option.name)
            if option.name == "solver":
                continue
            if option.name == "sweeps":
                object.__setattr__(self, "sweeps", as_count("sweeps", value, least=1))
            else:
                number = as_number(option.name, value)
                if number < 0.0:
                    raise ModelError(f"{option.name}: expected a number of at least 0, got {shown(value)}")
                object.__setattr__(self, option.name, number)
        if self.recovery > 1.0:
            raise ModelError(f"recovery: expected a part between 0 and 1, got {self.recovery}")


@by_value
@dataclass(frozen=True)
class Contacts:
    """Contacts of one step, k of them, in world axes: the force that acts on the second link of each pair.

    `links`: (first, second) names, "world" for the ground; `points` (k, 3) [m]; `normals` (k, 3) from first to second;
    `forces` (k, 3) [N] on the second, their opposite on the first; `gaps` (k) [m], negative where they overlap;
    `moments` (k, 3) [N m] of torsional and rolling friction on the second, their opposite on the first.
    `sweeps` and `residual` [m/s] tell how the solver ended; `pairs`: links of all that may
    touch.
    """

    links: tuple[tuple[str, str], ...]
    points: Array
    normals: Array
    forces: Array
    gaps: Array
    sweeps: int = 0
    residual: float = 0.0
    pairs: Sequence[tuple[str, str]] = ()
    moments: Array = field(default_factory=lambda: np.zeros((0, 3)))

    def __len__(self) -> int:
        return len(self.links)

    def wrench(self, link: str, about: Sequence[float] | Array = (0.0, 0.0, 0.0)) -> Array:
        """(6) [force; moment about the world point `about`] that all contacts exert on a link, or on "world".

        `about` may be a centre of pressure, NaN where nothing presses: the wrench is 0 there.
        ModelError if no shape of the link can touch.
        """
        require_touching(link, self.pairs)
        sign = np.array([(second == link) - (first == link) for first, second in self.links], dtype=float)
        forces = sign[:, None] * self.forces
        place = as_floats("about", about, "(3,)")
        if forces.any() or not np.isnan(place).all():
            place = as_array("about", place, (3,), batch=False)
        moments = _moments(self.points - place, forces) + sign[:, None] * self.moments
        return np.concatenate([forces.sum(axis=0), moments.sum(axis=0)])

    def center_of_pressure(self, link: str) -> Array:
        """(3) mean of the link's contact points, weighted with their normal forces; NaN where nothing presses.

        Rolling friction puts a point's normal force by n × moment / force ahead of where it rolls.
        ModelError if no shape of the link can touch.
        """
        require_touching(link, self.pairs)
        own = np.array([link in pair for pair in self.links], dtype=bool)
        weights = np.einsum("ij,ij->i", self.normals, self.forces) * own
        total = weights.sum()
        if not total > 0.0:
            return np.full(3, np.nan)
        center: Array = (weights @ self.points + own @ np.cross(self.normals, self.moments)) / total
        return center


@by_value
@dataclass(frozen=True)
class ContactHistory:
    """Contacts of the steps that start at the recorded states; `history[i]` gives those of state i, `history[a:b]` the
    history of these states, as `window`.

    `starts` (n + 1) say where the contacts of each state stand in `records`; `pairs`: link names of every pair number.
    """

    starts: Counts
    records: Records
    pairs: Sequence[tuple[str, str]]

    def __len__(self) -> int:
        return max(len(self.starts) - 1, 0)

    @overload
    def __getitem__(self, index: int) -> Contacts: ...
    @overload
    def __getitem__(self, index: slice) -> ContactHistory: ...
    def __getitem__(self, index: int | slice) -> Contacts | ContactHistory:
        if isinstance(index, slice):
            return self.window(index)
        i = as_place("contacts", index, len(self))
        return contacts_of(self.records[self.starts[i] : self.starts[i + 1]], self.pairs)

    @typed
    def window(self, index: slice) -> ContactHistory:
        """The history of a slice of the states."""
        try:
            chosen = range(len(self))[index]
        except (TypeError, ValueError) as error:
            raise ModelError(f"window: no states are at {shown(index)}: {error}") from None
        counts = [int(self.starts[i + 1] - self.starts[i]) for i in chosen]
        parts = [self.records[self.starts[i] : self.starts[i + 1]] for i in chosen]
        records = np.concatenate(parts) if parts else self.records[:0]
        return ContactHistory(np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]), records, self.pairs)

    def force(self, link: str) -> Array:
        """(n, 3) total contact force [N] on a link, or on "world", at each recorded state: a force plate.

        ModelError if no shape of the link can touch.
        """
        return self._summed(self._signs(link)[:, None] * self.records["force"])

    def wrench(self, link: str, about: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """(n, 6) [force; moment about the world point `about`, (3) or (n, 3)] on a link, or on "world".

        `about` may be a centre of pressure: where nothing presses its rows are not numbers, and the wrench is 0.
        """
        forces = self._signs(link)[:, None] * self.records["force"]
        place = as_floats("about", about, f"(3,) or ({len(self)}, 3)")
        if place.shape not in ((3,), (len(self), 3)):
            raise ModelError(f"about: expected shape (3,) or ({len(self)}, 3), got {place.shape}")
        origin = np.broadcast_to(place, (len(self), 3))
        moments = _moments(self.records["point"] - origin[self._states()], forces)
        moments += self._signs(link)[:, None] * self.records["moment"]
        return self._summed(np.hstack([forces, moments]))

    def center_of_pressure(self, link: str) -> Array:
        """(n, 3) mean of the link's contact points, as `Contacts.center_of_pressure`; NaN where nothing presses."""
        own = np.abs(self._signs(link))
        normal = self._pressing() * own
        ahead = own[:, None] * np.cross(self.records["normal"], self.records["moment"])
        sums = self._summed(np.column_stack([normal, normal[:, None] * self.records["point"] + ahead]))
        with np.errstate(divide="ignore", invalid="ignore"):
            center: Array = np.where(sums[:, :1] > 0.0, sums[:, 1:] / sums[:, :1], np.nan)
        return center

    def points(self, link: str, within: float = 1e-3) -> Array:
        """(n, k, 3) points [m] where the link touches at each state, NaN behind the last; k: the most at any state.

        `within`: those with gaps of at most so much [m], and all that press: what comes down fast closes a wider gap in
        the step. ModelError if no shape of the link can touch.
        """
        touching = (self.records["gap"] <= as_number("within", within)) | (self._pressing() > 0.0)
        chosen = (self._signs(link) != 0.0) & touching
        states = self._states()[chosen]
        count = np.bincount(states, minlength=len(self))
        place = np.arange(len(states)) - np.repeat(np.cumsum(count) - count, count)
        points = np.full((len(self), int(count.max(initial=0)), 3), np.nan)
        points[states, place] = self.records["point"][chosen]
        return points

    def links(self) -> tuple[str, ...]:
        """Links that may touch something, "world" last."""
        return touching_links(self.pairs)

    def _states(self) -> Counts:
        """State of each record."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def _pressing(self) -> Array:
        """Normal force [N] of each record."""
        return np.asarray(np.einsum("ij,ij->i", self.records["normal"], self.records["force"]), dtype=np.float64)

    def _signs(self, link: str) -> Array:
        """+1 for records whose force acts on the link, -1 where its opposite does, else 0."""
        require_touching(link, self.pairs)
        numbers, place = np.unique(self.records["pair"], return_inverse=True)
        links = [self.pairs[number] for number in numbers.tolist()]
        sign = np.array([(second == link) - (first == link) for first, second in links], dtype=float)
        chosen: Array = sign[place]
        return chosen

    def _summed(self, values: Array) -> Array:
        """(n, k) sums over each state of values (records, k)."""
        total: Array = np.zeros((len(self), values.shape[1]))
        np.add.at(total, self._states(), values)
        return total

    def arrays(self) -> Mapping[str, Any]:
        """What a file keeps; `from_arrays` reads it."""
        return {"contact_starts": self.starts, "contact_records": self.records, "contact_pairs": np.array(self.pairs)}

    @staticmethod
    @typed
    def from_arrays(arrays: Mapping[str, Any]) -> ContactHistory:
        """Inverse of `arrays`. ModelError if one is missing or they do not fit each other."""
        missing = {"contact_starts", "contact_records", "contact_pairs"} - arrays.keys()
        if missing:
            raise ModelError(f"contacts: array '{min(missing)}' is missing")
        starts, records, named = (np.asarray(arrays[f"contact_{part}"]) for part in ("starts", "records", "pairs"))
        records = _with_moments(records)
        fits = records.dtype == RECORD and records.ndim == 1 and starts.dtype.kind == "i" and starts.ndim == 1
        fits = fits and named.ndim == 2 and named.shape[1] == 2 and named.dtype.kind == "U"
        if not fits or not len(starts) or starts[0] != 0 or starts[-1] != len(records):
            raise ModelError("contacts: their arrays do not fit each other")
        if (starts[1:] < starts[:-1]).any():
            raise ModelError("contacts: they are not in the order of the states")
        if len(records) and not 0 <= records["pair"].min() <= records["pair"].max() < len(named):
            raise ModelError("contacts: a record names a pair that is not there")
        for name in ("point", "normal", "force", "gap", "moment"):
            as_array(f"contacts: {name}", np.ascontiguousarray(records[name]), records[name].shape, batch=False)
        return ContactHistory(starts.astype(np.int64), records, tuple((str(a), str(b)) for a, b in named))


def _moments(arms: Array, forces: Array) -> Array:
    """(k, 3) moments of forces (k, 3): zero without a force, also where the arm is NaN."""
    return np.cross(np.where(forces.any(axis=1, keepdims=True), arms, 0.0), forces)


def _with_moments(records: Records) -> Records:
    """Records of a file that was written before there were moments get none."""
    if records.dtype != _WITHOUT_MOMENTS:
        return records
    widened = np.zeros(records.shape, dtype=RECORD)
    for name in _WITHOUT_MOMENTS.names or ():
        widened[name] = records[name]
    return widened


def contacts_of(records: Records, pairs: Sequence[tuple[str, str]], sweeps: int = 0, residual: float = 0.0) -> Contacts:
    """Contacts from an array of RECORD."""
    return Contacts(
        tuple(pairs[i] for i in records["pair"].tolist()),
        records["point"].copy(),
        records["normal"].copy(),
        records["force"].copy(),
        records["gap"].copy(),
        sweeps,
        residual,
        pairs,
        records["moment"].copy(),
    )


def touching_links(pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The links of these pairs, "world" last."""
    return tuple(sorted({name for pair in pairs for name in pair}, key=lambda name: (name == "world", name)))


def require_touching(link: str, pairs: Sequence[tuple[str, str]]) -> None:
    """ModelError if the link is in none of the pairs that may touch."""
    if not isinstance(link, str) or not any(link in pair for pair in pairs):
        known = ", ".join(touching_links(pairs))
        raise ModelError(f"contacts: no shape of a link {shown(link)} can touch; those that can: {known}")
