"""What holds two links together and lets them move."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from dataclasses import dataclass, fields
from typing import Any

import sympy

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import KINDS, SPHERICAL, Kind, Y, Z

from .. import checks
from ..algebra import cross, dot, free_symbols
from ..pose import COINCIDENT, Pose
from ..types import NEUTRAL, ROTATION_PART, SIZES, WORLD, Number, Vector, VectorLike
from .motion import TIME, begin_of, check_motion, motion_of
from .rolling import Wheel

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


@dataclass(frozen=True, init=False)
class Joint:
    """A joint from link `parent` ("world" is the ground) to link `child`; `kind` is one of KINDS.

    `origin`: pose of the joint frame in the parent; `child_origin`: pose of the joint frame in the child.
    `axis` (3) in the joint frame, made a unit vector if it is numeric (a symbolic one must be one). universal: turns
    about `axis`, then `axis2`; cylindrical: turns about and slides along `axis`; planar: slides in x, y, turns about z;
    helical: slides `pitch` [m/rad] along `axis` per radian; gimbal: turns about the three `axes` (by default z, y, x)
    in sequence; cartesian: slides along the three `axes` (x, y, z). Where a gimbal closes a loop its angles are read
    from the rotation: the second one between the positions at which the axes lie in one plane; there the others are
    not determined and its rates grow beyond bounds, and the loop goes through.
    `damping`, `stiffness`, `friction` (dry), `armature` (none where the joint closes a loop): one number, or one per
    entry of v (nv); `rest` (nq): where the spring is slack, q in the layout of mathematics §1 (quaternions x y z w).
    `start` (nq): where a motion starts, if not neutral, or of a free joint at its `rest`.
    `limits`: (lower, upper), or a pair per entry of q, None for no bound; `velocity_limit`, `effort_limit`: one or nv.
    `actuated`: has an actuator; by default all kinds but fixed and free, and no mimic.
    `cut`: cut the loop here. `mimic`: follow another joint (kinds with one degree of freedom).
    `wheel`: what rolls without slip on z = 0 of the joint's frame in the parent (`rolling` makes such joints): a
    spherical joint at the point of contact, which runs along tyre and plane. It closes a loop, always.
    `motion`: its coordinate as a function of time, or (nq) of them: a number at which it is held, or an expression of
    the symbol t [s] and parameters, twice differentiable but where pieces of a sympy.Piecewise meet. Simulations move
    it so, from t = 0 on, and tell its torque [mathematics §13]; loops are cut elsewhere, and it leads them. Dynamics,
    derivatives and equilibria know nothing of it: they hold for all q, v, τ.
    Numbers that enter the equations may be SymPy expressions; limits are plain numbers.
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    child_origin: Pose
    axis: Vector
    axis2: Vector
    axes: tuple[Vector, ...]
    pitch: Number
    limits: tuple[tuple[float, float], ...]
    velocity_limit: tuple[float, ...]
    effort_limit: tuple[float, ...]
    damping: tuple[Number, ...]
    stiffness: tuple[Number, ...]
    rest: tuple[Number, ...]
    start: tuple[float, ...]
    friction: tuple[Number, ...]
    armature: tuple[Number, ...]
    actuated: bool
    cut: bool
    mimic: Mimic | None
    motion: tuple[Number, ...]
    wheel: Wheel | None

    def __init__(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        origin: Pose = COINCIDENT,
        child_origin: Pose = COINCIDENT,
        axis: VectorLike | None = None,
        axis2: VectorLike | None = None,
        pitch: Number = 0.0,
        limits: Sequence[Any] | None = None,
        velocity_limit: float | Sequence[float] | None = None,
        effort_limit: float | Sequence[float] | None = None,
        damping: Number | Sequence[Number] = 0.0,
        stiffness: Number | Sequence[Number] = 0.0,
        rest: Number | Sequence[Number] | None = None,
        friction: Number | Sequence[Number] = 0.0,
        armature: Number | Sequence[Number] = 0.0,
        actuated: bool | None = None,
        cut: bool = False,
        mimic: Mimic | None = None,
        axes: Sequence[VectorLike] | None = None,
        start: float | Sequence[float] | None = None,
        motion: Number | Sequence[Number] | None = None,
        wheel: Wheel | None = None,
        **unknown: Any,
    ) -> None:
        what = f"joint '{checks.name(name, 'joint')}'"
        if not isinstance(kind, str) or kind not in KINDS:
            raise ModelError(f"{what}: unknown kind {shown(kind)}{checks.nearest(kind, tuple(KINDS))}")
        for option in unknown:
            raise ModelError(f"{what}: unknown option '{option}'{checks.nearest(option, OPTIONS)}")
        _check_ends(what, parent, child, origin, child_origin)
        record = KINDS[kind]
        values = {
            "name": name,
            "kind": kind,
            "parent": parent,
            "child": child,
            "origin": origin,
            "child_origin": child_origin,
            "axis": _axis(axis, record, 0, f"{what} ({kind}): axis"),
            "axis2": _axis(axis2, record, 1, f"{what} ({kind}): axis2"),
            "axes": _axes(axes, record, f"{what} ({kind}): axes"),
            "pitch": _pitch(pitch, record, what),
            "limits": _limits(limits, kind, what),
            "velocity_limit": _bounds(velocity_limit, kind, f"{what}: velocity_limit"),
            "effort_limit": _bounds(effort_limit, kind, f"{what}: effort_limit"),
            "damping": _per_dof(damping, kind, f"{what}: damping"),
            "stiffness": _per_dof(stiffness, kind, f"{what}: stiffness"),
            "rest": _rest(rest, kind, f"{what}: rest"),
            "start": _start(start, kind, f"{what}: start"),
            "friction": _per_dof(friction, kind, f"{what}: friction"),
            "armature": _per_dof(armature, kind, f"{what}: armature"),
            "actuated": _actuated(actuated, record.actuated and mimic is None, what),
            "cut": checks.flag(cut, f"{what}: cut"),
            "mimic": _mimic(mimic, name, kind, what),
            "motion": motion_of(motion, kind, f"{what}: motion"),
            "wheel": wheel,
        }
        if wheel is not None:
            values |= {"cut": True, "actuated": _passive_wheel(wheel, record, actuated, stiffness, what)}
        for key, value in values.items():
            object.__setattr__(self, key, value)
        _check_skew(record, self.directions, what)
        check_motion(self.motion, self.start, f"{what}: motion", cut=self.cut, follows=mimic is not None)

    @property
    def begin(self) -> tuple[float, ...]:
        """(nq) where its motion begins, else its `start`; empty if nothing is said."""
        return begin_of(self.motion) or self.start

    @property
    def nq(self) -> int:
        """Entries of q of the kind (a mimic joint has none of its own in the tree)."""
        return SIZES[self.kind][0]

    @property
    def nv(self) -> int:
        """Entries of v of the kind (a mimic joint has none of its own in the tree)."""
        return SIZES[self.kind][1]

    @property
    def described(self) -> str:
        """What tables call it: its kind, or that it rolls."""
        return "rolling" if self.wheel else self.kind

    @property
    def directions(self) -> tuple[Vector, ...]:
        """The axes of the kind, by their numbers in its record."""
        return self.axes or (self.axis, self.axis2)[: len(KINDS[self.kind].axes)]

    @property
    def lower(self) -> tuple[float, ...]:
        """(nq) lower limits, -inf where there is none."""
        return tuple(low for low, _ in self.limits)

    @property
    def upper(self) -> tuple[float, ...]:
        """(nq) upper limits, inf where there is none."""
        return tuple(high for _, high in self.limits)

    @property
    def velocity(self) -> tuple[float, ...]:
        """(nv) velocity limits, inf where there is none."""
        return self.velocity_limit

    @property
    def effort(self) -> tuple[float, ...]:
        """(nv) effort limits, inf where there is none."""
        return self.effort_limit

    @property
    def free_symbols(self) -> frozenset[sympy.Symbol]:
        mimic = (self.mimic.multiplier, self.mimic.offset) if self.mimic else ()
        passive = (*self.damping, *self.stiffness, *self.rest, *self.friction, *self.armature)
        axes = (*self.axis, *self.axis2, *(x for axis in self.axes for x in axis))
        own = free_symbols((*axes, self.pitch, *passive, *mimic)) | (free_symbols(self.motion) - {TIME})
        own |= self.wheel.free_symbols if self.wheel else frozenset()
        return own | self.origin.free_symbols | self.child_origin.free_symbols


OPTIONS = tuple(field.name for field in fields(Joint))


def _check_ends(what: str, parent: Any, child: Any, origin: Any, child_origin: Any) -> None:
    checks.name(parent, f"{what}: parent")
    checks.name(child, f"{what}: child")
    if child == WORLD:
        raise ModelError(f"{what}: '{WORLD}' cannot be a child; swap parent and child")
    if parent == child:
        raise ModelError(f"{what} joins link '{child}' to itself; give another parent")
    for label, pose in (("origin", origin), ("child_origin", child_origin)):
        if not isinstance(pose, Pose):
            raise ModelError(f"{what}: {label} must be a Pose, got {shown(pose)}")


def _actuated(value: Any, usual: bool, what: str) -> bool:
    return usual if value is None else checks.flag(value, f"{what}: actuated")


def _passive_wheel(wheel: Any, kind: Kind, actuated: Any, stiffness: Any, what: str) -> bool:
    """False: nothing drives a point of contact. ModelError for what a rolling joint cannot be."""
    if not isinstance(wheel, Wheel):
        raise ModelError(f"{what}: wheel must be a Wheel(radius, tyre, axis), got {shown(wheel)}")
    if kind is not SPHERICAL:
        raise ModelError(f"{what}: what rolls is a {SPHERICAL.name} joint at the point of contact, got {kind.name}")
    if actuated:
        raise ModelError(f"{what}: a point of contact has no actuator; drive the joint that carries the wheel")
    if any(_per_dof(stiffness, kind.name, f"{what}: stiffness")):
        raise ModelError(f"{what}: a point of contact has no spring; give it to the joint that carries the wheel")
    return False


def _axis(value: Any, kind: Kind, number: int, what: str) -> Vector:
    """The option `axis` (number 0) or `axis2` (1) of a joint."""
    used = ("axis", "axis2")[number] in kind.options
    default: Vector = kind.axes[number] if used else (Z, Y)[number]
    if value is None or used:
        return checks.direction(default if value is None else value, what)
    axis = checks.vector(value, what)
    if axis != default and "axes" in kind.options:
        raise ModelError(f"{what} is for kinds with one; give axes")
    if axis != default:
        raise ModelError(f"{what} is fixed to {default} for this kind, got {axis}; turn `origin` instead")
    return default


def _axes(value: Any, kind: Kind, what: str) -> tuple[Vector, ...]:
    if "axes" not in kind.options:
        if value is not None and not (isinstance(value, Sized) and len(value) == 0):
            raise ModelError(f"{what}: this kind takes no axes, got {shown(value)}; see axis, or turn `origin` instead")
        return ()
    given = kind.axes if value is None else value
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != len(kind.axes):
        raise ModelError(f"{what} must be {len(kind.axes)} directions such as {kind.axes}, got {shown(value)}")
    return tuple(checks.direction(axis, f"{what}[{i}]") for i, axis in enumerate(given))


def _check_skew(kind: Kind, axes: Sequence[Vector], what: str) -> None:
    """Several axes must span as many directions, or no inertia can hold the joint in its neutral position."""
    if len(axes) == 2:
        normal = checks.constants(cross(*axes))
        if normal is not None and math.hypot(*normal) < PARALLEL:
            raise ModelError(f"{what}: axis and axis2 are parallel; a {kind.name} joint needs two directions")
    if len(axes) == 3:
        volume = checks.constants((dot(axes[0], cross(axes[1], axes[2])),))
        if volume is not None and abs(volume[0]) < PARALLEL:
            raise ModelError(f"{what}: its axes lie in one plane; a {kind.name} joint needs three directions")


def _pitch(value: Any, kind: Kind, what: str) -> Number:
    pitch = checks.number(value, f"{what}: pitch")
    if kind.screws and pitch == 0:
        raise ModelError(f"{what}: a {kind.name} joint needs a pitch [m/rad]; without one it only turns")
    if not kind.screws and pitch != 0:
        raise ModelError(f"{what}: only a helical joint has a pitch, this one is {kind.name}")
    return pitch


def _per_dof(value: Any, kind: str, what: str) -> tuple[Number, ...]:
    nv = SIZES[kind][1]
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        one = checks.not_negative(value, what)
        if nv == 0 and one != 0:
            raise ModelError(f"{what} has no meaning for a fixed joint, got {one}")
        return (one,) * nv
    return tuple(checks.not_negative(v, f"{what}[{i}]") for i, v in enumerate(checks.items(value, nv, what)))


def _bounds(value: Any, kind: str, what: str) -> tuple[float, ...]:
    nv = SIZES[kind][1]
    given = (math.inf if value is None else value,) * nv if not hasattr(value, "__len__") else value
    result = tuple(checks.constant(v, what, infinite=True) for v in checks.items(given, nv, what))
    if any(v < 0.0 for v in result):
        raise ModelError(f"{what} must not be negative, got {shown(value)}")
    return result


def _limits(value: Any, kind: str, what: str) -> tuple[tuple[float, float], ...]:
    nq = SIZES[kind][0]
    none = ((-math.inf, math.inf),) * nq
    if value is None:
        return none
    given = checks.items(value, 2 if nq == 1 and not _nested(value) else nq, f"{what}: limits")
    pairs = given if _nested(given) else (given,)
    result = tuple(_pair(pair, f"{what}: limits") for pair in pairs)
    if result != none and not KINDS[kind].limited:
        instead = "; make it revolute" if KINDS[kind].unlimited else ""
        raise ModelError(f"{what}: a {kind} joint takes no limits{instead}")
    return result


def _nested(value: Any) -> bool:
    return hasattr(value, "__iter__") and all(hasattr(part, "__len__") for part in value)


def _pair(value: Any, what: str) -> tuple[float, float]:
    low, high = checks.items(value, 2, what)
    lower = -math.inf if low is None else checks.constant(low, what, infinite=True)
    upper = math.inf if high is None else checks.constant(high, what, infinite=True)
    if lower > upper:
        raise ModelError(f"{what}: lower {lower} is greater than upper {upper}; swap them")
    return lower, upper


def _start(value: Any, kind: str, what: str) -> tuple[float, ...]:
    """(nq) numbers; empty if nothing is said."""
    if value is None or (hasattr(value, "__len__") and not len(value)):
        return ()
    return tuple(checks.constant(x, what) for x in _coordinates(value, kind, what))


def _rest(value: Any, kind: str, what: str) -> tuple[Number, ...]:
    return NEUTRAL[kind] if value is None else _coordinates(value, kind, what)


def _coordinates(value: Any, kind: str, what: str) -> tuple[Number, ...]:
    """(nq) numbers or symbols; those of a rotation have unit length."""
    given = value if hasattr(value, "__len__") else (value,)
    rest = [checks.number(v, what) for v in checks.items(given, SIZES[kind][0], what)]
    part = ROTATION_PART.get(kind, slice(0, 0))
    numeric = checks.constants(rest[part])
    if numeric:
        length = math.hypot(*numeric)
        if abs(length - 1.0) > 1e-6:
            raise ModelError(f"{what}: the rotation {numeric} must have unit length, it has {length:.6g}")
        rest[part] = [v / length for v in numeric]
    return tuple(rest)


def _mimic(value: Any, name: str, kind: str, what: str) -> Mimic | None:
    if value is None:
        return None
    if not isinstance(value, Mimic):
        raise ModelError(f"{what}: mimic must be a Mimic(joint, multiplier, offset), got {shown(value)}")
    if not KINDS[kind].one_dof:
        raise ModelError(f"{what}: only a joint with one degree of freedom can mimic, this one is {kind}")
    if value.joint == name:
        raise ModelError(f"{what} mimics itself; name another joint")
    return value
