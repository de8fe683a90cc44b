"""Joints that follow others: chains are followed to their leader, and what acts at a follower is felt by the leader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import sympy

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS

from .. import checks
from ..algebra import times, total
from ..elements.joint import Joint
from ..elements.joint_options import UNLIMITED, Mimic
from ..types import Number

SLACK = 1e-300
"""Of a spring, in N/m or N m/rad: too little to be added to any other."""

POINT = 1e-9
"""rad or m: bounds no further apart leave a leader one point, which rounding may have made two."""


def resolve_mimics(chosen: Sequence[Joint], loops: Sequence[Joint]) -> tuple[Joint, ...]:
    """The joints of the tree; every mimic then names a joint with a coordinate of its own.

    With q_f = a q + b, a follower's damping d, stiffness k and armature i act on its leader as a² d, a² k, a² i, its
    friction f as |a| f, the spring being slack where both balance; they are moved there; a follower keeps none.
    The leader's limits are those of all, also where it is continuous, unless they leave nothing, or one point within
    rounding: its own then hold.
    ModelError if a mimic names no joint, a loop joint, one of several degrees of freedom, or goes round in a circle, or
    if a follower has limits while a, b are run-time parameters.
    """
    for joint in loops:
        if joint.mimic:
            raise ModelError(
                f"joint '{joint.name}' closes a loop and cannot mimic '{joint.mimic.joint}'; cut elsewhere"
            )
    by_name = {joint.name: joint for joint in chosen}
    looping = {joint.name for joint in loops}
    result = dict(by_name)
    for joint in chosen:
        if joint.mimic:
            mimic = _leader(joint.name, joint.mimic, by_name, looping)
            result[mimic.joint] = _with_follower(result[mimic.joint], joint, mimic)
            result[joint.name] = replace(
                joint, mimic=mimic, damping=(0.0,), stiffness=(0.0,), friction=(0.0,), armature=(0.0,), rest=(0.0,)
            )
    return tuple(result[joint.name] for joint in chosen)


def _leader(follower: str, mimic: Mimic, by_name: dict[str, Joint], looping: set[str]) -> Mimic:
    """The chain of mimics from `follower` in one: q = a (a' q' + b') + b."""
    seen = [follower]
    while True:
        name = mimic.joint
        if name in looping:
            raise ModelError(f"joint '{follower}' mimics '{name}', which closes a loop; cut the loop elsewhere")
        if name not in by_name:
            raise ModelError(f"joint '{follower}' mimics the unknown joint '{name}'{checks.nearest(name, [*by_name])}")
        if name in seen:
            raise ModelError(
                f"mimic joints go round in a circle: {' -> '.join([*seen, name])}; let one of them be free"
            )
        leader = by_name[name]
        if not KINDS[leader.kind].one_dof:
            raise ModelError(
                f"joint '{follower}' mimics '{name}', which is {leader.kind}: only one-dof joints can lead"
            )
        if leader.mimic is None:
            return mimic
        seen.append(name)
        nxt = leader.mimic
        offset = total((times(mimic.multiplier, nxt.offset), mimic.offset))
        mimic = Mimic(nxt.joint, times(mimic.multiplier, nxt.multiplier), offset)


def _with_follower(leader: Joint, follower: Joint, mimic: Mimic) -> Joint:
    a, b = mimic.multiplier, mimic.offset
    square = times(a, a)
    (k,), (k_f,) = leader.stiffness, follower.stiffness
    (rest,), (rest_f,) = leader.rest, follower.rest
    stiffness = total((k, times(square, k_f)))
    # k (q - r) + a k_f (a q + b - r_f) = stiffness (q - rest)
    pull = total((times(k, rest), times(times(a, k_f), total((rest_f, times(-1.0, b))))))
    led = replace(
        leader,
        damping=(total((leader.damping[0], times(square, follower.damping[0]))),),
        friction=(total((leader.friction[0], times(_size(a), follower.friction[0]))),),
        armature=(total((leader.armature[0], times(square, follower.armature[0]))),),
        stiffness=(stiffness,),
        rest=(rest if times(square, k_f) == 0 else pull / _above_zero(stiffness, k),),
        limits=(UNLIMITED,),
    )
    # past the constructor: a continuous joint takes none when it is described
    object.__setattr__(led, "limits", _limits(leader, follower, mimic))
    return led


def _above_zero(stiffness: Number, own: Number) -> Number:
    """The stiffness where springs pull; where parameters leave none, nor a pull, the quotient of both is 0."""
    surely = not isinstance(own, sympy.Expr) and own > 0
    return stiffness if surely or not isinstance(stiffness, sympy.Expr) else stiffness + SLACK


def _limits(leader: Joint, follower: Joint, mimic: Mimic) -> tuple[tuple[float, float], ...]:
    """Limits of the leader that keep the follower in its own as well."""
    a, b = mimic.multiplier, mimic.offset
    if all(map(math.isinf, follower.limits[0])):
        return leader.limits
    if isinstance(a, sympy.Expr) or isinstance(b, sympy.Expr):
        raise ModelError(
            f"joint '{follower.name}' follows '{leader.name}' by numbers that are run-time parameters, and has limits, "
            f"which are numbers of the compiled module: give '{follower.name}' none (limits=None) and bound "
            f"'{leader.name}' instead{', made revolute' if KINDS[leader.kind].unlimited else ''}"
        )
    if a == 0:
        return leader.limits
    low, high = sorted((bound - b) / a for bound in follower.limits[0])
    both = max(leader.limits[0][0], low), min(leader.limits[0][1], high)
    return (both,) if both[1] - both[0] > POINT else leader.limits


def _size(a: Number) -> Number:
    return sympy.Abs(a) if isinstance(a, sympy.Expr) else abs(a)
