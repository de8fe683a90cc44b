"""A model posed by hand: one freedom after the other, loops follow."""

from __future__ import annotations

import numpy as np

from ..arguments import Array
from ..errors import ModelError
from ..model.model import Model
from .freedoms import Freedom, freedoms

STEP = 0.05
"""Longest step [rad, m] of any entry of v on the way to a pose of a closed mechanism."""
LEAST = 1e-5
"""Part of the way that a step must be; where dependent joints would be that much faster is a dead point."""
ASIDE = 0.1
"""How far [rad, m] closing may take a step from where velocities led: further is another way of assembling it."""


class Posing:
    """`q` (nq) of `model`, closed, at first q0."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.freedoms: tuple[Freedom, ...] = freedoms(model)
        self.q: Array = model.q0
        self._held = model.independent

    def values(self) -> Array:
        """(freedoms) what each is at [rad, m]."""
        return np.array([freedom.value(self.model, self.q) for freedom in self.freedoms])

    def reset(self) -> None:
        """Back to q0."""
        self.q = self.model.q0

    def move(self, number: int, value: float) -> None:
        """Freedom `number` goes to `value`; in a tree at once, in a closed mechanism step by step, the others held.

        ModelError that names it where loops cannot follow; q is then the last closed one on the way.
        """
        freedom, model = self.freedoms[number], self.model
        if not model.manifest.closed:
            self.q = self._placed(freedom, value)
            return
        left = value - freedom.value(model, self.q)
        while left != 0.0:
            step = self._step(freedom, left)
            try:
                self.q = self._closed(step)
            except ModelError as error:
                raise self._refusal(freedom, value, str(error)) from error
            if abs(step[freedom.entry]) < LEAST * STEP:
                raise self._refusal(freedom, value, "the loops are at a dead point")
            left -= step[freedom.entry]
            left = 0.0 if abs(left) < 1e-12 else left

    def _placed(self, freedom: Freedom, value: float) -> Array:
        """q0 ⊕ r where r is that of q but for one entry."""
        model = self.model
        r = model.difference(model.q0, self.q)
        r[freedom.entry] += value - freedom.value(model, self.q)
        return model.integrate(model.q0, r)

    def _step(self, freedom: Freedom, left: float) -> Array:
        """(nv) the longest step towards a value `left` away that no entry exceeds STEP in."""
        v = np.zeros(self.model.nv)
        v[freedom.entry] = left
        whole = self.model.dependent_motion(self.q, v)[0]
        step: Array = whole * min(1.0, STEP / float(np.abs(whole).max()))
        return step

    def _closed(self, step: Array) -> Array:
        """q after a step, closed, with all freedoms held."""
        led = self.model.integrate(self.q, step)
        q = self.model.assemble(led, hold=self._held)
        if float(np.abs(self.model.difference(led, q)).max()) > ASIDE:
            raise ModelError("the loops would jump to another way of being assembled")
        return q

    def _refusal(self, freedom: Freedom, value: float, why: str) -> ModelError:
        at = freedom.value(self.model, self.q)
        return ModelError(f"'{freedom.name}' cannot reach {value:.4g}, it stays at {at:.4g}: {why}")
