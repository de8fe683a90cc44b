"""External wrenches that act in a simulation: constant, a row per step, or asked from a function before every step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arguments import Array, as_array
from ...errors import ModelError, SimulationError, about
from ...model.model import Model
from ...model.torques.causes import Wrench
from ...names.lookup import frames, near, require_placed

Wrenches = Mapping[str, ArrayLike] | Sequence[Wrench]
"""By link or frame, (6) [force; moment] at its origin, world axes; or Wrenches, each at a point of the world."""

WrenchController = Callable[[float, Array, Array], Wrenches]
"""wrenches(t, q, v) -> Wrenches: t [s], q (nq) and v (nv) are copies."""


@dataclass(frozen=True)
class Acting:
    """k wrenches: `place` (k, 5) as the C takes it, [link, x, y, z, rests]; `rows` (6 k) or (n, 6 k)."""

    place: Array
    rows: Array

    @property
    def count(self) -> int:
        return len(self.place)


class Loads:
    """`given`: None for none, Wrenches, with a row per step (the first for step `first`), or a WrenchController."""

    @about("wrenches")
    def __init__(self, model: Model, given: Any, first: int) -> None:
        self._model, self._manifest = model, model.manifest
        self._given: Any = dict(given) if isinstance(given, Mapping) else given
        self.first = first
        self.asks = callable(given)
        self._fixed = None if self.asks or given is None else self._read("wrenches", given)

    @cached_property
    def _known(self) -> dict[str, tuple[Array, Array]]:
        """Links and frames that wrenches may act on."""
        return frames(self._manifest)

    @property
    def constant(self) -> bool:
        """They stay what they are."""
        return not self.asks and (self._fixed is None or self._fixed.rows.ndim == 1)

    @property
    def given(self) -> Any:
        """As it was given."""
        return self._given

    def by(self, given: Any) -> Loads:
        """Other wrenches, whose rows count from the first step."""
        return self if given is None and self._given is None else Loads(self._model, given, 0)

    def acting(self, step: int, n: int, t: float, q: Array, v: Array) -> Acting | None:
        """The wrenches of up to n > 0 steps from `step`, as many as there are rows; a function is asked at t, q, v."""
        if self.asks:
            return self._asked(self._given(t, q.copy(), v.copy()), t)
        if self._fixed is None or self._fixed.rows.ndim == 1:
            return self._fixed
        rows = self._fixed.rows[step - self.first :][:n]
        if not len(rows):
            raise SimulationError(
                f"wrenches: their {len(self._fixed.rows)} rows, one per step, end at t = {t:g} s; give more rows or "
                "one wrench for all"
            )
        return Acting(self._fixed.place, rows)

    def moved(self, model: Model) -> Loads:
        """The same wrenches in a model that has these frames on other links."""
        return Loads(model, self._given, self.first)

    def _read(self, what: str, given: Any) -> Acting:
        """ModelError that names the wrench for an unknown link, a wrong shape or what is no number."""
        if isinstance(given, Mapping):
            parts = [self._at_frame(what, name, value) for name, value in given.items()]
        elif isinstance(given, Sequence) and all(isinstance(item, Wrench) for item in given):
            parts = [self._at_point(what, wrench) for wrench in given]
        else:
            raise ModelError(
                f"{what}: expected {{link: [force, moment]}} or a list of kg.Wrench, got {type(given).__name__}"
            )
        counts = {len(rows) for _, rows in parts if rows.ndim == 2}
        if len(counts) > 1:
            raise ModelError(f"{what}: all rows must be as many, got {', '.join(map(str, sorted(counts)))}")
        place = np.array([place for place, _ in parts]).reshape(-1, 5)
        if not parts:
            return Acting(place, np.zeros(0))
        return Acting(place, np.concatenate([np.broadcast_to(rows, (*counts, 6)) for _, rows in parts], axis=-1))

    def _at_frame(self, what: str, name: str, value: Any) -> tuple[Array, Array]:
        rows = as_array(f"{what} on '{name}'", value, (6,))
        if rows.ndim > 2:
            raise ModelError(f"{what} on '{name}': expected shape (6,) or (steps, 6), got {rows.shape}")
        return np.append(self._place(what, name), 0.0), rows

    def _at_point(self, what: str, wrench: Wrench) -> tuple[Array, Array]:
        """The moment is carried over to the origin of the world, where the place rests."""
        link = self._place(f"{what}: '{wrench.name}'", wrench.link)[0]
        try:
            moment = wrench.moment + np.cross(wrench.point, wrench.force)
            rows = np.concatenate(np.broadcast_arrays(wrench.force, moment), axis=-1)
        except ValueError as error:
            raise ModelError(f"{what}: '{wrench.name}': force, point and moment do not fit ({error})") from error
        if rows.ndim > 2:
            raise ModelError(f"{what}: '{wrench.name}': expected shape (3,) or (steps, 3), got {rows[..., :3].shape}")
        return np.array([link, 0.0, 0.0, 0.0, 1.0]), rows

    def _place(self, what: str, name: str) -> Array:
        """(4) [link, x, y, z] of a frame that moves."""
        require_placed(self._manifest, name, f"{what}: ")
        if name not in self._known:
            raise ModelError(
                f"{what}: model '{self._manifest.name}' has no link or frame {name!r}{near(name, self._known)}"
            )
        place = self._known[name][0]
        if place[0] < 0.0:
            raise ModelError(f"{what}: '{name}' is fixed to the world, on which a wrench does nothing")
        return place

    def _asked(self, value: Any, t: float) -> Acting:
        """What a function gave, or an error that names t and the link."""
        what = f"wrenches(t, q, v) at t = {t:g} s"
        try:
            found = self._read(what, value)
        except ModelError as error:
            raise SimulationError(str(error)) from error
        if found.rows.ndim != 1:
            raise SimulationError(f"{what}: expected one wrench for each link, got {len(found.rows)} rows")
        return found
