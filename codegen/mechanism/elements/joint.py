"""What holds two links together and lets them move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import sympy

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import KINDS

from .. import checks
from ..algebra import free_symbols
from ..pose import COINCIDENT, Pose
from ..types import SIZES, Number, Vector, VectorLike
from .joint_options import (
    Mimic,
    actuated_of,
    axes_of,
    axis_of,
    bounds_of,
    check_ends,
    check_skew,
    limits_of,
    mimic_of,
    passive_wheel,
    per_dof,
    pitch_of,
    rest_of,
    start_at,
)
from .motion import TIME, begin_of, check_motion, motion_of
from .rolling import Wheel


@dataclass(frozen=True, init=False)
class Joint:
    """A joint from link `parent` ("world" is the ground) to link `child`; `kind` is one of KINDS. "world" is the child
    of joints that close loops only (`cut`), and is like a link at rest there.

    `origin`: pose of the joint frame in the parent; `child_origin`: pose of the joint frame in the child.
    `axis` (3) in the joint frame, made a unit vector if it is numeric (a symbolic one must be one). universal: turns
    about `axis`, then `axis2`; cylindrical: turns about and slides along `axis`; planar: slides in x, y, turns about z;
    helical: slides `pitch` [m/rad] along `axis` per radian; gimbal: turns about the three `axes` (by default z, y, x)
    in sequence; cartesian: slides along the three `axes` (x, y, z). Where the axes of a gimbal lie in one plane its
    rates grow beyond bounds: a spherical joint has no such place. Where a gimbal closes a loop its angles are read from
    the rotation, the second one between those places; there the others are not determined, and the loop goes through.
    `damping`, `stiffness`, `friction` (dry), `armature` (none where the joint closes a loop): one number, or one per
    entry of v (nv); friction is smooth, μ v/√(v² + ε²) with ε = 1 mm/s or 1 mrad/s: under a load of μ/2 it creeps
    at 0.6 ε, and `RowRules(friction=True)` makes it stick; `rest` (nq): where the spring is slack, q
    in the layout of mathematics §1 (quaternions x y z w).
    `start` (nq): where a motion starts, if not neutral, or of a free joint at its `rest`.
    `limits`: (lower, upper), of two or three entries of q a pair for each; None in place of a number or of a pair is no
    bound; `velocity_limit`, `effort_limit`: one or nv, data for planners and controllers, which simulations do not hold
    (`Servo` has a `limit` of its own).
    `actuated`: has an actuator; by default all kinds but fixed and free, and no mimic, where it is without effect.
    `cut`: cut the loop here. `mimic`: follow another joint (kinds with one degree of freedom), to which its springs,
    dampers and friction are added; friction is then smooth around rest at the speed of the joint that leads.
    `wheel`: what rolls without slip on z = 0 of the joint's frame in the parent (`rolling` makes such joints): a
    spherical joint at the point of contact, which runs along tyre and plane. It closes a loop, always.
    `motion`: its coordinate as a function of time, or (nq) of them: a number at which it is held, or an expression of
    the symbol t [s] and parameters, twice differentiable but where pieces of a sympy.Piecewise (or Min, Max, Abs)
    meet; their rates may differ there. Simulations move it so, from t = 0 on, and tell its torque [mathematics §13];
    loops are cut elsewhere, and it leads them. Dynamics, derivatives and equilibria know nothing of it: they hold for
    all q, v, τ.
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
        cut = checks.flag(cut, f"{what}: cut") or wheel is not None
        check_ends(what, parent, child, origin, child_origin, closes=cut and wheel is None)
        record = KINDS[kind]
        values = {
            "name": name,
            "kind": kind,
            "parent": parent,
            "child": child,
            "origin": origin,
            "child_origin": child_origin,
            "axis": axis_of(axis, record, 0, f"{what} ({kind}): axis"),
            "axis2": axis_of(axis2, record, 1, f"{what} ({kind}): axis2"),
            "axes": axes_of(axes, record, f"{what} ({kind}): axes"),
            "pitch": pitch_of(pitch, record, what),
            "limits": limits_of(limits, kind, what),
            "velocity_limit": bounds_of(velocity_limit, kind, f"{what}: velocity_limit"),
            "effort_limit": bounds_of(effort_limit, kind, f"{what}: effort_limit"),
            "damping": per_dof(damping, kind, f"{what}: damping"),
            "stiffness": per_dof(stiffness, kind, f"{what}: stiffness"),
            "rest": rest_of(rest, kind, f"{what}: rest"),
            "start": start_at(start, kind, f"{what}: start"),
            "friction": per_dof(friction, kind, f"{what}: friction"),
            "armature": per_dof(armature, kind, f"{what}: armature"),
            "actuated": actuated_of(actuated, record.actuated and mimic is None, what),
            "cut": cut,
            "mimic": mimic_of(mimic, name, kind, what),
            "motion": motion_of(motion, kind, f"{what}: motion"),
            "wheel": wheel,
        }
        if wheel is not None:
            values["actuated"] = passive_wheel(wheel, record, actuated, stiffness, what)
        for key, value in values.items():
            object.__setattr__(self, key, value)
        check_skew(record, self.directions, what)
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
        """What tables call it: its kind, or that it rolls; what it follows, or that its motion is given."""
        if self.mimic:
            return f"{self.kind} = {self.mimic.formula}"
        return "rolling" if self.wheel else f"{self.kind}{', moved' * bool(self.motion)}"

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
        """Symbols in its axes, pitch, origins, passive forces, mimic, motion (but time) and wheel."""
        mimic = (self.mimic.multiplier, self.mimic.offset) if self.mimic else ()
        passive = (*self.damping, *self.stiffness, *self.rest, *self.friction, *self.armature)
        axes = (*self.axis, *self.axis2, *(x for axis in self.axes for x in axis))
        own = free_symbols((*axes, self.pitch, *passive, *mimic)) | (free_symbols(self.motion) - {TIME})
        own |= self.wheel.free_symbols if self.wheel else frozenset()
        return own | self.origin.free_symbols | self.child_origin.free_symbols


OPTIONS = tuple(field.name for field in fields(Joint))
