"""A motion that shows what a mechanism can do: every freedom of it moved in turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.model.model import Model
from kinegen.runtime.simulation.trajectory import Trajectory
from kinegen.runtime.typed import typed
from kinegen.runtime.viewer.freedoms import freedoms

from ..compiling import compile

TURN, SLIDE = 0.8, 0.1
"""How far a freedom without limits is moved either way [rad, m]."""
FPS, STEPS = 24, 12
"""Frames a second; frames from home to either side."""


@typed
def tour(what: Mechanism | Model | str | Path) -> Trajectory:
    """A motion of a mechanism (a file of one, a model): from q0 each freedom there, to the other side, and home.

    Each goes through its limits, or 0.8 rad or 0.1 m either way; loops follow, a free root stays; an event names its
    joint as it starts. `kg.tour(mechanism).html(path)` is a page of it, for which nothing else is needed. ModelError as
    `kg.compile`.
    """
    model = _model(what)
    start = model.q0
    states: list[Array] = [start]
    events = []
    for freedom in freedoms(model):
        if freedom.free:
            continue
        events.append(((len(states) - 1) / FPS, "move", freedom.joint.name))
        down, up = freedom.reach(start, TURN, SLIDE)
        for side in (up, down):
            there = list(_towards(model, start, freedom.entry, side))
            states += [*there, *there[-2::-1], start]
    t = np.arange(len(states)) / FPS
    still = np.zeros((len(states), model.nv))
    joints = model.manifest.joints
    return Trajectory(t, states, still, still, name=model.name, joints=joints, events=events, model=model)


def _model(what: object) -> Model:
    if isinstance(what, Model):
        return what
    if not isinstance(what, (Mechanism, str, Path)):
        raise ModelError(f"tour: expected a mechanism, a file of one or a model, got {shown(what)}")
    return compile(what, contacts=False)


def _towards(model: Model, q: Array, entry: int, far: float) -> Iterator[Array]:
    """Configurations on the way, slowing down; loops follow, as far as they can be closed."""
    before = 0.0
    for part in np.sin(0.5 * np.pi * np.arange(1, STEPS + 1) / STEPS):
        v = np.zeros(model.nv)
        v[entry] = far * float(part) - before
        before += v[entry]
        try:
            q = model.integrate(q, model.dependent_motion(q, v)[0])
            q = model.assemble(q) if model.manifest.closed else q
        except ModelError:
            return  # as far as it goes
        yield q
