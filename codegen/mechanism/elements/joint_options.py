"""What the options of a joint may be: each is checked, and brought to the form in which the joint keeps it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import KINDS, SPHERICAL, Kind, Y, Z
from kinegen.runtime.typed import is_empty, is_series

from .. import checks
from ..algebra import cross, dot
from ..pose import Pose
from ..types import NEUTRAL, ROTATION_PART, SIZES, WORLD, Number, Vector
from .rolling import Wheel

UNLIMITED = (-math.inf, math.inf)  # lower and upper limit of a coordinate that has none
PARALLEL = 1e-6  # axes whose sine is below this are parallel, or in one plane


@dataclass(frozen=True)
class Mimic:
    """q = multiplier * q[joint] + offset, as URDF's <mimic>: the joint has no coordinate of its own."""

    joint: str
    multiplier: Number = 1.0
    offset: Number = 0.0

    def __post_init__(self) -> None:
        checks.name(self.joint, "mimic")
        object.__setattr__(self, "multiplier", checks.number(self.multiplier, f"mimic of '{self.joint}': multiplier"))
        object.__setattr__(self, "offset", checks.number(self.offset, f"mimic of '{self.joint}': offset"))

    @property
    def formula(self) -> str:
        """What tables tell of it: -2 knee + 0.1."""
        factor, offset = (f"{x:.6g}" if isinstance(x, (int, float)) else str(x) for x in (self.multiplier, self.offset))
        factor = {"1": "", "-1": "-"}.get(factor, f"{factor} ")
        more = "" if offset == "0" else f" - {offset[1:]}" if offset.startswith("-") else f" + {offset}"
        return f"{factor}{self.joint}{more}"


def check_ends(what: str, parent: Any, child: Any, origin: Any, child_origin: Any, *, closes: bool) -> None:
    checks.name(parent, f"{what}: parent")
    checks.name(child, f"{what}: child")
    if child == WORLD and not closes:
        raise ModelError(
            f"{what}: '{WORLD}' cannot be a child; swap parent and child, or give cut=True if the joint closes a loop"
        )
    if parent == child:
        raise ModelError(f"{what} joins link '{child}' to itself; give another parent")
    for label, pose in (("origin", origin), ("child_origin", child_origin)):
        if not isinstance(pose, Pose):
            raise ModelError(f"{what}: {label} must be a Pose, got {shown(pose)}")


def actuated_of(value: Any, usual: bool, what: str) -> bool:
    return usual if value is None else checks.flag(value, f"{what}: actuated")


def passive_wheel(wheel: Any, kind: Kind, actuated: Any, stiffness: Any, what: str) -> bool:
    """False: nothing drives a point of contact. ModelError for what a rolling joint cannot be."""
    if not isinstance(wheel, Wheel):
        raise ModelError(f"{what}: wheel must be a Wheel(radius, tyre, axis), got {shown(wheel)}")
    if kind is not SPHERICAL:
        raise ModelError(f"{what}: what rolls is a {SPHERICAL.name} joint at the point of contact, got {kind.name}")
    if actuated:
        raise ModelError(f"{what}: a point of contact has no actuator; drive the joint that carries the wheel")
    if any(per_dof(stiffness, kind.name, f"{what}: stiffness")):
        raise ModelError(f"{what}: a point of contact has no spring; give it to the joint that carries the wheel")
    return False


def axis_of(value: Any, kind: Kind, number: int, what: str) -> Vector:
    """The option `axis` (number 0) or `axis2` (1) of a joint."""
    used = ("axis", "axis2")[number] in kind.options
    default: Vector = kind.axes[number] if used else (Z, Y)[number]
    if value is None or used:
        return checks.direction(default if value is None else value, what)
    axis = checks.vector(value, what)
    if axis != default and "axes" in kind.options:
        raise ModelError(f"{what} is for kinds with one; give axes")
    if axis != default and number:
        raise ModelError(f"{what}: this kind takes no axis2, got {axis}; a universal joint has two axes")
    if axis != default:
        raise ModelError(f"{what} is fixed to {default} for this kind, got {axis}; turn `origin` instead")
    return default


def axes_of(value: Any, kind: Kind, what: str) -> tuple[Vector, ...]:
    if "axes" not in kind.options:
        if value is not None and not is_empty(value):
            raise ModelError(f"{what}: this kind takes no axes, got {shown(value)}; see axis, or turn `origin` instead")
        return ()
    given = kind.axes if value is None else value
    if isinstance(given, str) or not is_series(given) or len(given := tuple(given)) != len(kind.axes):
        raise ModelError(f"{what} must be {len(kind.axes)} directions such as {kind.axes}, got {shown(value)}")
    return tuple(checks.direction(axis, f"{what}[{i}]") for i, axis in enumerate(given))


def check_skew(kind: Kind, axes: Sequence[Vector], what: str) -> None:
    """Several axes must span as many directions, or no inertia can hold the joint in its neutral position."""
    if len(axes) == 2:
        normal = checks.constants(cross(*axes))
        if normal is not None and math.hypot(*normal) < PARALLEL:
            raise ModelError(f"{what}: axis and axis2 are parallel; a {kind.name} joint needs two directions")
    if len(axes) == 3:
        volume = checks.constants((dot(axes[0], cross(axes[1], axes[2])),))
        if volume is not None and abs(volume[0]) < PARALLEL:
            instead = (
                "; make Euler's angles about z, x, z of three revolute joints, the middle one with a start= off 0, "
                "where the outer two turn about one axis"
            )
            instead *= len(kind.turns) == 3
            raise ModelError(f"{what}: its axes lie in one plane; a {kind.name} joint needs three directions{instead}")


def pitch_of(value: Any, kind: Kind, what: str) -> Number:
    pitch = checks.number(value, f"{what}: pitch")
    if kind.screws and pitch == 0:
        raise ModelError(f"{what}: a {kind.name} joint needs a pitch [m/rad]; without one it only turns")
    if not kind.screws and pitch != 0:
        raise ModelError(f"{what}: only a helical joint has a pitch, this one is {kind.name}")
    return pitch


def per_dof(value: Any, kind: str, what: str) -> tuple[Number, ...]:
    nv = SIZES[kind][1]
    if isinstance(value, (str, bytes)) or not is_series(value):
        one = checks.not_negative(value, what)
        if nv == 0 and one != 0:
            raise ModelError(f"{what} has no meaning for a fixed joint, got {one}")
        return (one,) * nv
    return tuple(checks.not_negative(v, f"{what}[{i}]") for i, v in enumerate(checks.items(value, nv, what)))


def bounds_of(value: Any, kind: str, what: str) -> tuple[float, ...]:
    nv = SIZES[kind][1]
    given = (math.inf if value is None else value,) * nv if not is_series(value) else value
    result = tuple(checks.constant(v, what, infinite=True) for v in checks.items(given, nv, what))
    if any(v < 0.0 for v in result):
        raise ModelError(f"{what} must not be negative, got {shown(value)}")
    return result


def limits_of(value: Any, kind: str, what: str) -> tuple[tuple[float, float], ...]:
    nq = SIZES[kind][0]
    if value is None or (not KINDS[kind].limited and _unbounded(value)):
        return (UNLIMITED,) * nq
    if not KINDS[kind].limited:
        instead = "; make it revolute" if KINDS[kind].unlimited else ""
        raise ModelError(f"{what}: a {kind} joint takes no limits{instead}")
    if nq == 1 and not _nested(value):
        return (_pair(value, f"{what}: limits"),)
    pairs = checks.items(value, nq, f"{what}: limits", "pair")
    if not all(pair is None or is_series(pair) for pair in pairs):
        each = "(lower, upper) or None for each coordinate"
        raise ModelError(f"{what}: limits must be {nq} pairs, {each}, got {shown(value)}")
    return tuple(_pair((None, None) if pair is None else pair, f"{what}: limits") for pair in pairs)


def _unbounded(value: Any) -> bool:
    """All ends of limits are infinite."""
    if is_series(value) and not isinstance(value, (str, bytes)):
        return all(map(_unbounded, value))
    return value is None or (isinstance(value, float) and math.isinf(value))


def _nested(value: Any) -> bool:
    return is_series(value) and all(is_series(part) for part in value)


def _pair(value: Any, what: str) -> tuple[float, float]:
    low, high = checks.items(value, 2, what)
    lower = -math.inf if low is None else checks.constant(low, what, infinite=True)
    upper = math.inf if high is None else checks.constant(high, what, infinite=True)
    if lower > upper:
        raise ModelError(f"{what}: lower {lower} is greater than upper {upper}; swap them")
    return lower, upper


def start_at(value: Any, kind: str, what: str) -> tuple[float, ...]:
    """(nq) numbers; empty if nothing is said."""
    if value is None or is_empty(value):
        return ()
    return tuple(checks.constant(x, what) for x in _coordinates(value, kind, what))


def rest_of(value: Any, kind: str, what: str) -> tuple[Number, ...]:
    return NEUTRAL[kind] if value is None else _coordinates(value, kind, what)


def _coordinates(value: Any, kind: str, what: str) -> tuple[Number, ...]:
    """(nq) numbers or symbols; those of a rotation have unit length."""
    given = value if is_series(value) else (value,)
    rest = [checks.number(v, what) for v in checks.items(given, SIZES[kind][0], what)]
    part = ROTATION_PART.get(kind, slice(0, 0))
    numeric = checks.constants(rest[part])
    if numeric:
        length = math.hypot(*numeric)
        if abs(length - 1.0) > 1e-6:
            raise ModelError(f"{what}: the rotation {numeric} must have unit length, it has {length:.6g}")
        rest[part] = checks.unit(numeric)
    return tuple(rest)


def mimic_of(value: Any, name: str, kind: str, what: str) -> Mimic | None:
    if value is None:
        return None
    if not isinstance(value, Mimic):
        raise ModelError(f"{what}: mimic must be a Mimic(joint, multiplier, offset), got {shown(value)}")
    if not KINDS[kind].one_dof:
        raise ModelError(f"{what}: only a joint with one degree of freedom can mimic, this one is {kind}")
    if value.joint == name:
        raise ModelError(f"{what} mimics itself; name another joint")
    return value
