"""Saved states and pickles of simulators with damaged fields: refused, or they go on; nothing else comes out.

A field, or a field of what it holds, gets a strange value, or some of its bits are turned; the simulator that takes it
makes a few steps, so that what was believed is used. A refusal changes nothing, by the bits of q and v.
"""

from __future__ import annotations

import copy
import random
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

import kinegen as kg
from kinegen.runtime.events.agenda import Agenda

from . import receivers as made
from .strange import STRANGE

STEPS = 5


def simulators() -> dict[str, kg.Simulator]:
    """In the middle of a motion: connections with something still to happen, contact, a loop."""
    swing = made.swing()
    swing.at(0.02, "connect", "hold")
    swing.when(kg.distance("upper", "lower") > 5.0, "cut", "elbow")
    rolling = kg.Simulator(kg.compile(made.ball(), progress=False), q=[0, 0, 0.1, 0, 0, 0, 1])
    found = {"library": swing, "contact": rolling, "loop": kg.Simulator(made.bars())}
    for simulator in found.values():
        simulator.step(7)
    return found


def go_on(rng: random.Random, simulator: kg.Simulator) -> None:
    """Restored from a damaged state, or made from the damaged parts of a pickle."""
    if rng.random() < 0.6:
        before = simulator.q, simulator.v, simulator.t
        try:
            simulator.restore(damaged(rng, simulator.save()))
        except kg.ModelError:
            now = simulator.q, simulator.v, simulator.t
            assert all(np.array_equal(a, b) for a, b in zip(before, now, strict=True)), "a refused state changed it"
            simulator.step(STEPS)
            raise
        simulator.step(STEPS)
        return
    rebuild, parts = copy.deepcopy(simulator.__reduce__())
    at = rng.randrange(1, len(parts))
    rebuild(*(damaged(rng, part) if i == at else part for i, part in enumerate(parts))).step(STEPS)


def damaged(rng: random.Random, value: Any) -> Any:
    """A copy with one thing changed, in itself or somewhere in it."""
    if rng.random() < 0.15:
        return rng.choice(STRANGE)
    if isinstance(value, Agenda) or (is_dataclass(value) and not isinstance(value, type)):
        field = rng.choice(fields(value))
        return replace(value, **{field.name: damaged(rng, getattr(value, field.name))})
    if isinstance(value, bytes):
        return _turned(rng, value)
    if isinstance(value, np.ndarray) and value.size:
        return np.frombuffer(_turned(rng, value.tobytes()), value.dtype).reshape(value.shape)
    if isinstance(value, tuple | list) and value:
        at = rng.randrange(len(value))
        return type(value)(damaged(rng, x) if i == at else x for i, x in enumerate(value))
    return rng.choice(STRANGE)


def _turned(rng: random.Random, data: bytes) -> bytes:
    """Some bits turned, of the same length."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8]) if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)
