"""A saved moment, looked at before a motion goes back to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..arguments import Array, as_number
from ..errors import ModelError
from ..events.agenda import Agenda, Past
from ..events.saved import Known, Watchable, agenda_of, past_of
from ..model.model import Model
from ..stepping.clock import Clock
from .beginning import configuration, velocity
from .sealed import State, unseal


@dataclass(frozen=True)
class Moment:
    """A State of which all is sound but that `memory` may be of other options: its clock, q (nq), v (nv), what is still
    to happen and what happened."""

    clock: Clock
    q: Array
    v: Array
    memory: bytes
    agenda: Agenda
    past: Past


def moment_of(
    state: Any, model: Model, clock: Clock, known: Known, watchable: Watchable, unforeseen: tuple[str, ...]
) -> Moment:
    """What `state` tells of a motion of `model` in the steps of `clock`.

    `known`: raises for a name of no connection, `watchable` for a condition that cannot be watched; `unforeseen`: what
    the model was built anew for. ModelError if the state is damaged, or belongs to another model or to steps of another
    length.
    """
    if not isinstance(state, State):
        raise ModelError(f"state: expected what `save` gave, got {type(state).__name__}")
    try:
        memory = unseal(model.manifest, state.loops)
    except ModelError as error:
        if not unforeseen:
            raise
        raise ModelError(
            "state: it is damaged, or not one of the library that was built anew for "
            f"{', '.join(unforeseen)}, not foreseen in '{model.name}'; declare them in the "
            "TopologyLibrary, or save after that"
        ) from error
    q, v = configuration(model, state.q), velocity(model, state.v)
    then = clock.at(state.steps, state.within)
    _require_time(as_number("state: t", state.t), then)
    agenda, past = agenda_of(state.agenda, known, watchable), past_of(state.events, state.forgotten)
    return Moment(then, q, v, memory, agenda, past)


def _require_time(t: float, clock: Clock) -> None:
    """ModelError unless the steps until then end at t [s]."""
    if t == clock.t:
        return
    length = f"dt={(t - clock.within) / clock.steps:g}" if clock.steps else "another dt"
    raise ModelError(
        f"state: it was saved at t = {t:g} s with {length}, and its {clock.steps} steps of {clock.dt:g} s end at "
        f"{clock.t:g} s; make the simulator with the same dt, or begin a new one with its q and v"
    )
