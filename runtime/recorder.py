"""States of a run, collected in blocks."""

from __future__ import annotations

import numpy as np

from .arguments import Array
from .model import Model
from .trajectory import Event, Trajectory


class Recorder:
    """Collects (k) times, (k, nq) and (k, nv) states, (k, nv) torques of the steps that start there."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._blocks: list[tuple[Array, Array, Array, Array]] = []
        self.last_tau: Array = np.zeros((1, model.nv))
        self.events: list[Event] = []

    def add(self, t: Array, q: Array, v: Array, tau: Array) -> None:
        self._blocks.append((t, q, v, tau))

    def trajectory(self) -> Trajectory:
        t, q, v, tau = (np.concatenate(column) for column in zip(*self._blocks, strict=True))
        model = self._model
        joints = model.manifest.joints
        return Trajectory(t, q, v, tau, name=model.name, joints=joints, events=self.events, model=model)
