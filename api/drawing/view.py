"""A mechanism in the browser, every freedom of it moved in turn; a motion played."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

import numpy as np

from kinegen.codegen.mechanism import KINDS, Mechanism
from kinegen.codegen.symbolic.names import identifier
from kinegen.runtime.abi import JointSpec
from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.model.model import Model
from kinegen.runtime.simulation.trajectory import Trajectory
from kinegen.runtime.typed import typed

from ..compiling import compile

TURN, SLIDE = 0.8, 0.1
"""How far a freedom without limits is moved either way [rad, m]."""
FPS, STEPS = 24, 12
"""Frames a second; frames from home to either side."""


@typed
def view(what: Mechanism | Model | Trajectory | str | Path, path: str | PathLike[str] | None = None) -> Path:
    """Show a motion, or a mechanism (a file of one, a model) whose freedoms move one after the other.

    Each goes through its limits, or 0.8 rad or 0.1 m either way; loops follow, a free root stays. Opened in the
    browser as a page in the folder for temporary files; with `path` only written there. Returns the path of the page.
    ModelError as `Trajectory.html` and `kg.compile`.
    """
    motion = what if isinstance(what, Trajectory) else tour(_model(what))
    name = identifier(motion.name)
    target = Path(path) if path is not None else Path(tempfile.mkdtemp(prefix="kinegen-")) / f"{name}.html"
    motion.html(target, fps=FPS)
    if path is None:
        webbrowser.open(target.absolute().as_uri())
    return target


def _model(what: object) -> Model:
    if isinstance(what, Model):
        return what
    if not isinstance(what, (Mechanism, str, Path)):
        raise ModelError(f"view: expected a mechanism, a file of one, a model or a trajectory, got {shown(what)}")
    return compile(what, contacts=False)


def tour(model: Model) -> Trajectory:
    """From q0 each freedom there, to the other side, and home; an event names its joint as it starts."""
    start = model.q0
    states: list[Array] = [start]
    events = []
    for entry, joint in _freedoms(model):
        events.append(((len(states) - 1) / FPS, "move", joint.name))
        down, up = _range(joint, entry, start)
        for side in (up, down):
            there = list(_towards(model, start, entry, side))
            states += [*there, *there[-2::-1], start]
    t = np.arange(len(states)) / FPS
    still = np.zeros((len(states), model.nv))
    joints = model.manifest.joints
    return Trajectory(t, states, still, still, name=model.name, joints=joints, events=events, model=model)


def _freedoms(model: Model) -> Iterator[tuple[int, JointSpec]]:
    """Entries of v that all others follow, with their joints; those of free joints are left out."""
    joints = {joint.v_start + i: joint for joint in model.manifest.joints for i in range(joint.nv)}
    free = ((entry, joints[entry]) for entry in model.loops.leaders)
    return ((entry, joint) for entry, joint in free if not KINDS[joint.kind].free)


def _range(joint: JointSpec, entry: int, q: Array) -> tuple[float, float]:
    """(<= 0, >= 0) how far an entry of v goes either way from q: to its limits, no further than half a turn."""
    kind, i = KINDS[joint.kind], entry - joint.v_start
    far = SLIDE if kind.linear[i] else TURN
    if not kind.limited:
        return -far, far
    at, most = float(q[joint.q_start + i]), float("inf") if kind.linear[i] else np.pi
    low, high = joint.lower[i] - at, joint.upper[i] - at
    return (max(low, -most) if np.isfinite(low) else -far), (min(high, most) if np.isfinite(high) else far)


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
