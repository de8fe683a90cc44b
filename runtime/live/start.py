"""Where a motion in a page begins and what drives it: a simulator at the present moment, as numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arguments import Array
from ..errors import ModelError
from ..events.agenda import Agenda, Alteration, Change
from ..events.conditions import Condition
from ..simulation.motion import Motion
from ..simulation.simulator import Simulator, motion_of, plans_of
from ..stepping.given.drive import torque_entries
from ..structs import CONDITION, OPTION_NUMBERS, PAGE_WRENCHES
from ..topology.structure import TOLERANCE
from .layout import finite

MOST_WRENCHES = PAGE_WRENCHES - 1
"""External wrenches that C has room for, beside that of the mouse."""


def start_of(simulator: Simulator) -> dict[str, Any]:
    """q, v, parameters, torques, wrenches, servos, contact, and what is to happen, from the present moment on.

    What loops and contacts remember of the last step is not part of it, but for the turns of joints. ModelError by name
    for what a page cannot go on with: functions of Python, rows per step, motions that are given, the exact solver.
    """
    motion, agenda = motion_of(simulator), plans_of(simulator)
    agenda.wait_again()
    _refuse(motion, agenda)
    stepper, settings, manifest = motion.stepper, motion.settings, motion.model.manifest
    state, clock, closing = stepper.contact_state, motion.clock, stepper.closing
    ready = closing.ready if closing else None
    options = state.options if state else None
    return {
        "dt": settings.dt,
        "integrator": manifest.integrators.index(settings.integrator),
        "limits": int(stepper.limits),
        "shapes": int(bool(state and state.shapes)),
        "options": [float(getattr(options, name)) if options else 0.0 for name in OPTION_NUMBERS],
        "p": _list(stepper.values) or [0.0],
        "q": _list(motion.q),
        "v": _list(motion.v),
        "tau": _list(motion.drives.tau.torques(clock.steps, 1, clock.t, motion.q, motion.v)),
        "wrenches": _wrenches(motion),
        "servos": _servos(motion),
        "ready": None if ready is None else _list(ready),
        "turns": _list(stepper.turns),
        "rank": int(closing.memory.full_rank) if closing and not manifest.switches else -1,
        "steps": clock.steps,
        "within": clock.within,
        "watches": _watches(motion, agenda),
        "timed": [
            {"t": t, **_change(change, motion)} for t, _, change in sorted(agenda.timed, key=lambda entry: entry[:2])
        ],
        "torque_range": torque_range(motion),
    }


def _refuse(motion: Motion, agenda: Agenda) -> None:
    name, state, drives = motion.model.name, motion.stepper.contact_state, motion.drives
    if not motion.model.nv:
        raise ModelError(f"play: nothing moves in '{name}'")
    if drives.driven.width:
        raise ModelError(
            f"play: the motion of joint '{drives.driven.names[0]}' is given, which a page cannot go on with; let it "
            "go (driven={...: None}), or hold it by a servo"
        )
    for what, given in (("tau", drives.tau), ("wrenches", drives.wrenches), ("servos", drives.servos)):
        if given.asks:
            raise ModelError(
                f"play: {what} of '{name}' is a function of Python, which a page does not have; give numbers"
            )
    acting = drives.wrenches.acting(motion.clock.steps, 1, motion.clock.t, motion.q, motion.v)
    rows = [("tau", drives.tau.constant is None), ("wrenches", bool(acting and acting.rows.ndim == 2))]
    rows.append(("servos", drives.servos.width > 0 and not drives.servos.constant))
    for what, told in rows:
        if told:
            raise ModelError(f"play: {what} of '{name}' is a row per step, which ends; give numbers")
    if acting and acting.count > MOST_WRENCHES:
        raise ModelError(f"play: {acting.count} wrenches act on '{name}', a page has room for {MOST_WRENCHES}")
    if state and state.options.solver != "sweeps":
        raise ModelError(f"play: contact of '{name}' is solved exactly, in Python; use solver='sweeps'")
    for watch in agenda.watches:
        if not isinstance(watch.condition, Condition) or not _is_told(watch.change):
            raise ModelError(f"play: an event of '{name}' is a function of Python, which a page does not have")
    if not all(_is_told(change) for _, _, change in agenda.timed):
        raise ModelError(f"play: an event of '{name}' is a function of Python, which a page does not have")
    for change in (*(watch.change for watch in agenda.watches), *(change for _, _, change in agenda.timed)):
        if isinstance(change.action, Alteration) and change.action.servos:
            raise ModelError(
                f"play: an event of '{name}' changes the servo of joint '{next(iter(change.action.servos))}', which a "
                "page does not do; leave that target as it is"
            )


def _list(values: Array) -> list[float]:
    return [float(value) for value in values]


def _wrenches(motion: Motion) -> dict[str, list[float]]:
    clock = motion.clock
    acting = motion.drives.wrenches.acting(clock.steps, 1, clock.t, motion.q, motion.v)
    if acting is None:
        return {"place": [], "rows": []}
    return {"place": _list(acting.place.ravel()), "rows": _list(acting.rows.ravel())}


def _servos(motion: Motion) -> dict[str, list[Any]]:
    servos, clock = motion.drives.servos, motion.clock
    target = servos.targets(clock.steps, 1, clock.t) if servos.width else np.zeros(0)
    places = {spec.name: place for place, spec in enumerate(motion.model.manifest.parameters)}
    named = [
        {"what": what, "joint": joint, "dof": dof, "place": places[name]}
        for (joint, servo), part in zip(servos.given.items(), servos.parts, strict=True)
        for what in ("kp", "kd", "limit")
        if isinstance(name := getattr(servo, what), str)
        for dof in servos.dof[part.columns].tolist()
    ]
    return {
        "place": servos.place.tolist(),
        "dof": servos.dof.tolist(),
        "kp": _list(servos.kp),
        "kd": _list(servos.kd),
        "limit": finite(_list(servos.limit)),
        "target": _list(target),
        "named": named,
    }


def _watches(motion: Motion, agenda: Agenda) -> list[dict[str, Any]]:
    """Conditions as the bytes of their struct where a long has 32 bits."""
    found = []
    for watch in agenda.watches:
        condition = watch.condition
        assert isinstance(condition, Condition)
        row = condition.row(motion.model.manifest).astype(CONDITION.dtype_32)
        row["passed"] = watch.passed
        told = {"row": list(row.tobytes()), "text": str(condition), "repeat": watch.repeat, "armed": watch.armed}
        found.append({**told, **_change(watch.change, motion)})
    return found


def _is_told(change: Change) -> bool:
    """It is told by data alone."""
    return change.action is None or isinstance(change.action, Alteration)


def _change(change: Change, motion: Motion) -> dict[str, Any]:
    """`values`: [place, value] of parameters; `alone`: after what else happens in that instant, not with it."""
    told = change.action
    if not isinstance(told, Alteration):
        plain = {"values": [], "tolerance": TOLERANCE, "alone": False}
        return {"connect": list(change.connect), "cut": list(change.cut), **plain}
    places = {spec.name: place for place, spec in enumerate(motion.model.manifest.parameters)}
    values = [[places[name], float(value)] for name, value in told.values.items()]
    return {
        "connect": list(told.connect),
        "cut": list(told.cut),
        "values": values,
        "tolerance": told.tolerance,
        "alone": True,
    }


def torque_range(motion: Motion) -> list[float]:
    """(nv + cut) torques that move each joint well: its effort, else what gives it 10 rad/s² or m/s² where it starts.

    A cut joint has no inertia of its own in M: without an effort it gets the middle one of the tree's joints.
    """
    model, manifest = motion.model, motion.model.manifest
    entries = torque_entries(manifest)
    found = 10.0 * np.abs(np.diagonal(model.mass_matrix(motion.q)))
    found = np.append(found, np.full(sum(joint.nv for joint in manifest.loops), np.median(found)))
    for joint in (*manifest.joints, *manifest.loops):
        for i, effort in enumerate(joint.effort):
            if math.isfinite(effort) and effort > 0.0:
                found[entries[joint.name].start + i] = effort
    return [float(f"{value:.2g}") for value in found]
