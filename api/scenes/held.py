"""Joints that a scene holds by motors: springs and dampers whose numbers are run-time parameters of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import sympy

from kinegen.codegen.mechanism import Joint
from kinegen.runtime.errors import ModelError

from .toml_table import Table


@dataclass(frozen=True)
class Hold:
    """A motor that holds a joint: `target` in the layout of q, None for where it starts."""

    stiffness: float
    damping: float
    target: tuple[float, ...] | None


def read_holds(table: Table) -> dict[str, Hold]:
    holds = {}
    for joint in table.unread():
        one = table.table(joint)
        holds[joint] = Hold(
            stiffness=one.number("stiffness", 0.0, least=0.0),
            damping=one.number("damping", 0.0, least=0.0),
            target=one.optional_numbers("target"),
        )
        one.done()
    return holds


def held_joint(joint: Joint, number: int) -> Joint:
    """The joint with symbols for its spring, damper and rest. ModelError if it cannot be held."""
    if joint.nv == 0 or joint.mimic is not None:
        raise ModelError(f"joint '{joint.name}' does not move by itself, so that it cannot be held")
    if any(value != 0 for value in joint.stiffness):
        raise ModelError(f"joint '{joint.name}' has a spring of its own; hold another joint, or change the model")
    symbol = {what: sympy.Symbol(f"hold_{number}_{what}") for what in ("stiffness", "damping")}
    return replace(
        joint,
        stiffness=(symbol["stiffness"],) * joint.nv,
        damping=tuple(value + symbol["damping"] for value in joint.damping),
        rest=tuple(sympy.Symbol(f"hold_{number}_rest_{i}") for i in range(joint.nq)),
    )


def gains_of(holds: Mapping[str, Hold], joint: str) -> dict[str, float]:
    k, hold = list(holds).index(joint), holds[joint]
    return {f"hold_{k}_stiffness": hold.stiffness, f"hold_{k}_damping": hold.damping}


def rest_of(holds: Mapping[str, Hold], joint: str, rest: Iterable[float]) -> dict[str, float]:
    """Parameters for a new target. ModelError if the joint is not held."""
    if joint not in holds:
        raise ModelError(f"target of joint '{joint}': nothing goes there; add [hold.{joint}] or [servo.{joint}]")
    k = list(holds).index(joint)
    return {f"hold_{k}_rest_{i}": float(x) for i, x in enumerate(rest)}
