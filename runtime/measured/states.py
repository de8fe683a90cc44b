"""A recorded motion as states with accelerations: from a trajectory's file, or from coordinates in a table."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from ..abi import JointSpec
from ..analysis.smoothing import (
    Smoothing,
    at_samples,
    derivatives,
    low_pass,
    require_even,
    require_slow,
    sample_rate,
    weights,
    windows,
)
from ..arguments import Array
from ..derivatives.linear import bracket
from ..errors import ModelError
from ..kinds import KINDS
from ..model.model import Model
from ..model.torques.causes import Wrench
from ..names.lookup import frames, near
from ..plotting.plot import entry_labels
from ..simulation.stored.columns import column_names
from ..simulation.trajectory import Trajectory
from ..thresholds import ROUNDED
from .table import Table, read_table

TABLES = (".csv", ".mot", ".sto")


@dataclass(frozen=True)
class States:
    """t (n) [s], q (n, nq), v (n, nv), a (n, nv) in the model's layout; `contacts`: what pushes links, as recorded."""

    t: Array
    q: Array
    v: Array
    a: Array
    contacts: tuple[Wrench, ...] = ()


def read_states(model: Model, path: str | PathLike[str], smoothing: Smoothing | None = None) -> States:
    """The motion in a file, smoothed as told (`Smoothing.none()` if not).

    .npz: what `Trajectory.save` wrote; a is the derivative of its v. Where contacts press in it, they are read too, but
    for the last state, for which none are recorded: it is left out. .csv, .mot, .sto: a column `time` [s] and one per
    entry of q, named by its joint ("knee_r"; "root_joint x", "hip_r qw"; see `coordinate_names`), in rad and m, in
    degrees where the header says inDegrees=yes; v and a are derivatives. Joints without columns stay at `q0`.
    ModelError names file, column and frame.
    """
    smoothing = smoothing or Smoothing.none()
    suffix = Path(path).suffix.lower()
    if suffix == ".npz":
        return _of_trajectory(model, path, smoothing)
    if suffix in TABLES:
        table = read_table(path)
        return states_of(model, table.t, _coordinates(model, table), smoothing, table.file)
    raise ModelError(f"{path}: cannot read a motion from '{suffix}'; known: .npz, {', '.join(TABLES)}")


def coordinate_names(model: Model) -> tuple[str, ...]:
    """Name of every entry of q, as columns are called."""
    return tuple(name for _, name in entry_labels(model.manifest.joints, 0))


def states_of(model: Model, t: Array, q: Array, smoothing: Smoothing | None = None, what: str = "q") -> States:
    """States of configurations q (n, nq) at even times t (n): v and a are derivatives of the shortest motions u to each
    configuration's neighbours from where a motion at the steady velocity v₀ between them would be: q(s) = q exp(s v₀)
    exp(u), with u̇ = v − v₀ and ü = v̇ − ad v₀ u̇. No low-pass is put on q itself: `Smoothing.cutoff` acts on v, whose
    derivative is a. ModelError where a rotation turns by more than a quarter between frames, or too unevenly for a
    window.
    """
    smoothing = smoothing or Smoothing.none()
    rate = sample_rate(t, what)
    n = len(t)
    near = windows(n, smoothing, what)
    step = model.difference(q[:-1], q[1:])
    turns = [joint.v_start + _turning(joint) for joint in model.manifest.joints if KINDS[joint.kind].group]
    for own in turns:
        require_slow(np.linalg.norm(step[:, own], axis=1), what)
    steady, apart = at_samples(step), near - np.arange(n)[:, None]
    u = model.difference(model.integrate(q[:, None], apart[..., None] * steady[:, None]), q[near])
    for own in turns:
        require_even(u[..., own], what, smoothing)
    first, second = (np.einsum("kw,kwi->ki", weights(n, rate, smoothing, order), u) for order in (1, 2))
    steady = rate * steady
    if turns:
        second += np.array([bracket(model, at) @ rest for at, rest in zip(steady, first, strict=True)])
    return _smoothed(t, q, steady + first, second, rate, smoothing)


def _turning(joint: JointSpec) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Velocities of the joint that are angular."""
    return np.flatnonzero(~np.array(KINDS[joint.kind].linear))


def _smoothed(t: Array, q: Array, v: Array, a: Array, rate: float, smoothing: Smoothing) -> States:
    if smoothing.cutoff is None:
        return States(t, q, v, a)
    v = low_pass(v, rate, smoothing.cutoff)
    return States(t, q, v, derivatives(v, rate, smoothing)[0])


def _of_trajectory(model: Model, path: str | PathLike[str], smoothing: Smoothing) -> States:
    trajectory = Trajectory.load(path, model)
    rate = sample_rate(trajectory.t, f"{path}: t")
    windows(len(trajectory), smoothing, f"{path}: t")
    a = derivatives(trajectory.v, rate, smoothing)[0]
    states = _smoothed(trajectory.t, trajectory.q, trajectory.v, a, rate, smoothing)
    pushed = _contacts(model, trajectory)
    if not pushed:
        return states
    t, q, v, a = (x[:-1] for x in (states.t, states.q, states.v, states.a))
    return States(t, q, v, a, pushed)


def _contacts(model: Model, trajectory: Trajectory) -> tuple[Wrench, ...]:
    """What the contacts of all states but the last exert on each link that moves, about the world's origin."""
    if trajectory.contacts is None:
        return ()
    history, places = trajectory.contacts[:-1], frames(model.manifest)
    moved = [link for link in history.links() if link in places and places[link][0][0] >= 0.0]
    wrenches = ((link, history.wrench(link)) for link in moved)
    return tuple(
        Wrench(f"contacts of {link}", link, w[:, :3], np.zeros(3), w[:, 3:]) for link, w in wrenches if w.any()
    )


def _coordinates(model: Model, table: Table) -> Array:
    """(n, nq). ModelError for columns that the model does not have, for joints with some of their columns only."""
    names = coordinate_names(model)
    given = [name for name in table.columns if name in names]
    beside = {"time", *column_names(model.manifest.joints)}  # of Trajectory.to_csv
    unknown = [name for name in table.columns if name not in beside]
    like = near(unknown[0] if unknown else "", names)
    if not given:
        raise ModelError(f"{table.file}: no column is a coordinate of model '{model.name}'{like}")
    if unknown:
        raise ModelError(f"{table.file}: column {unknown[0]!r} is no coordinate of model '{model.name}'{like}")
    q = np.tile(model.q0, (len(table.t), 1))
    for joint in model.manifest.joints:
        own = names[joint.q_start : joint.q_start + joint.nq]
        lacking = [name for name in own if name not in given]
        if lacking and len(lacking) < len(own):
            raise ModelError(f"{table.file}: joint '{joint.name}' has no column {lacking[0]!r}")
        if not lacking:
            q[:, joint.q_start : joint.q_start + joint.nq] = _entries(table, joint, own)
    return q


def _entries(table: Table, joint: JointSpec, names: tuple[str, ...]) -> Array:
    """(n, nq) of a joint: angles in radians, rotations of unit norm."""
    values, kind = table.vectors(names), KINDS[joint.kind]
    angles = list(kind.angles)
    if table.in_degrees:
        values[:, angles] = np.radians(values[:, angles])
    leaps = np.argwhere(np.abs(np.diff(values[:, angles], axis=0)) > np.pi)
    if leaps.size:
        k, i = leaps[0]
        raise ModelError(
            f"{table.file}: column {names[angles[i]]!r} turns by more than half a turn before frame {k + 2}: is it in "
            "degrees? Tables are in radians unless their header says inDegrees=yes"
        )
    rotation = kind.rotation
    if rotation is not None:
        norm = np.linalg.norm(values[:, rotation], axis=1)
        if np.abs(norm - 1.0).max() > ROUNDED:
            k = int(np.argmax(np.abs(norm - 1.0) > ROUNDED))
            columns = ", ".join(names[rotation])
            raise ModelError(f"{table.file}: frame {k + 1}: columns {columns} have norm {norm[k]:.4g}, expected 1")
        values[:, rotation] /= norm[:, None]
    return values
