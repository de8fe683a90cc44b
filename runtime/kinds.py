"""The kinds of joints, one record each: plain data that code generation and runtime share.

A kind is a product of elementary motions, J(q) = X₁(q₁) X₂(q₂) ..., each about or along an axis that stands still in
the frame before it. Sizes, layout, labels and what a closure locks follow from that. A new kind is one record more in
`_RECORDS`: one motion by itself, a turn and a slide along one axis, two or three turns, or three slides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from types import MappingProxyType

from .errors import InternalError

Axis = tuple[float, float, float]
X: Axis = (1.0, 0.0, 0.0)
Y: Axis = (0.0, 1.0, 0.0)
Z: Axis = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Motion:
    """An elementary motion. `neutral` (nq) is no motion; `linear` (nv): which velocities are lengths per time.

    `rotation`: entries of q that are a unit quaternion [x y z w] or [cos sin]; `group`: the group that its coordinates
    move in (SE(2), SO(3), SE(3)), empty where they add. `angles`: entries of q that are angles; `winds`: they are
    read from a rotation and wind up over turns. `turns`: how many directions of rotation are free.
    """

    name: str
    neutral: tuple[float, ...]
    linear: tuple[bool, ...]
    q_names: tuple[str, ...]
    v_names: tuple[str, ...]
    v_labels: tuple[str, ...]
    rotation: tuple[int, int] | None = None
    group: str = ""
    angles: tuple[int, ...] = ()
    winds: bool = False
    turns: int = 0

    @property
    def nq(self) -> int:
        return len(self.neutral)

    @property
    def nv(self) -> int:
        return len(self.linear)


def _plain(name: str, label: str, linear: bool, **rest: bool | int | tuple[int, ...]) -> Motion:
    return Motion(name, (0.0,), (linear,), (label,), (label,), (label,), **rest)  # type: ignore[arg-type]  # by name


PLACE, QUATERNION, RATES = ("x", "y", "z"), ("qx", "qy", "qz", "qw"), ("wx", "wy", "wz")
TURN = _plain("turn", "angle", False, angles=(0,), winds=True, turns=1)
SLIDE = _plain("slide", "shift", True)
SCREW = _plain("screw", "angle", False, angles=(0,), turns=1)
"""Turns and slides `pitch` [m/rad]; its angle follows from the slide, so that it never winds up."""
BALL = Motion("ball", (0.0, 0.0, 0.0, 1.0), (False,) * 3, QUATERNION, RATES, RATES, (0, 4), "so3", turns=3)
"""v is the angular velocity in the child frame."""
PLANE = Motion("plane", (0.0, 0.0, 1.0, 0.0), (True, True, False), ("x", "y", "cos", "sin"), ("x", "y", "turn"),
               ("vx", "vy", "w"), (2, 4), "se2", turns=1)  # fmt: skip
"""v = [vx vy ω] in the child frame."""
FLIGHT = Motion("flight", (0.0,) * 6 + (1.0,), (True,) * 3 + (False,) * 3, PLACE + QUATERNION, PLACE + RATES,
                ("vx", "vy", "vz", *RATES), (3, 7), "se3", turns=3)  # fmt: skip
"""v = [linear | angular] in the child frame."""

SEVERAL = ((2, 1, 1, 1), (2, 2, 0, 2), (3, 3, 0, 3), (3, 0, 3, 3))
"""How many motions, turns, slides and axes products of several may have: of others it is not known what they lock."""


@dataclass(frozen=True)
class Step:
    """A motion of a kind's product and the number of its axis among the kind's axes; where its entries begin."""

    motion: Motion
    axis: int
    q: int
    v: int


@dataclass(frozen=True)
class Kind:
    """A kind of joint. `product`: its motions in sequence, each with the number of its axis.

    `axes`: default axes; `options`: the options of a joint that set them ("axis", "axis2", or "axes" for all), none
    where they are fixed. `unlimited`: takes no limits although its coordinates add. `actuated`: has an actuator unless
    told otherwise. `names` of the entries stand in symbols, `labels` in plots and tables (default: the names, or those
    of its motion). `about`: what it does, for its template. `urdf`, `sdf`, `mjcf`: its words in these formats.
    """

    name: str
    about: str
    product: tuple[tuple[Motion, int], ...] = ()
    axes: tuple[Axis, ...] = ()
    options: tuple[str, ...] = ()
    unlimited: bool = False
    actuated: bool = True
    names: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    urdf: tuple[str, ...] = ()
    sdf: tuple[str, ...] = ()
    mjcf: tuple[str, ...] = ()
    steps: tuple[Step, ...] = field(init=False)

    def __post_init__(self) -> None:
        steps, q, v = [], 0, 0
        for motion, axis in self.product:
            steps.append(Step(motion, axis, q, v))
            q, v = q + motion.nq, v + motion.nv
        object.__setattr__(self, "steps", tuple(steps))
        axes = {step.axis for step in steps}
        if len(steps) > 1 and (len(steps), len(self.turns), len(self.slides), len(axes)) not in SEVERAL:
            allowed = "one motion, a turn and a slide along one axis, or, each along its own, 2 or 3 turns or 3 slides"
            raise InternalError(f"kind '{self.name}': what a closure locks of it is not known; a kind is {allowed}")

    # ---- Layout

    @cached_property
    def nq(self) -> int:
        return sum(step.motion.nq for step in self.steps)

    @cached_property
    def nv(self) -> int:
        return sum(step.motion.nv for step in self.steps)

    @cached_property
    def neutral(self) -> tuple[float, ...]:
        """(nq) where the joint's two frames coincide."""
        return tuple(x for step in self.steps for x in step.motion.neutral)

    @cached_property
    def linear(self) -> tuple[bool, ...]:
        """(nv) which velocities are lengths per time."""
        return tuple(x for step in self.steps for x in step.motion.linear)

    @cached_property
    def rotation(self) -> slice | None:
        """Where the rotation stands in q, as a unit complex number or a unit quaternion; None where coordinates add."""
        parts = [(step.q + step.motion.rotation[0], step.q + step.motion.rotation[1])
                 for step in self.steps if step.motion.rotation]  # fmt: skip
        return slice(*parts[0]) if parts else None

    @cached_property
    def group(self) -> str:
        """The group that q moves in (se2, so3, se3); empty where coordinates add."""
        return self.steps[0].motion.group if len(self.steps) == 1 else ""

    @cached_property
    def angles(self) -> tuple[int, ...]:
        """Entries of q that are angles."""
        return tuple(step.q + i for step in self.steps for i in step.motion.angles)

    @cached_property
    def winding(self) -> tuple[int, ...]:
        """Entries of q that are angles and may wind up when they are read from a rotation."""
        return tuple(step.q + i for step in self.steps if step.motion.winds for i in step.motion.angles)

    @property
    def limited(self) -> bool:
        """Can have limits."""
        return self.nq == self.nv and not self.unlimited

    @property
    def one_dof(self) -> bool:
        """Can lead and mimic."""
        return (self.nq, self.nv) == (1, 1)

    def entries(self, side: int) -> tuple[str, ...]:
        """Names of the entries of q (side 0) or v (1) in symbols; one entry alone has none of its own."""
        if self.names or (self.nq, self.nv)[side] < 2:
            return self.names or ("",) * (self.nq, self.nv)[side]
        return tuple(x for step in self.steps for x in (step.motion.q_names, step.motion.v_names)[side])

    def labelled(self, side: int) -> tuple[str, ...]:
        """Labels of the entries of q (side 0) or v (1) in plots and tables."""
        if self.labels or self.names or (self.nq, self.nv)[side] < 2:
            return self.labels or self.entries(side)
        return tuple(x for step in self.steps for x in (step.motion.q_names, step.motion.v_labels)[side])

    # ---- Motion

    @property
    def segments(self) -> tuple[tuple[Step, ...], ...]:
        """Motions that share an axis commute and move one frame; every other one has a frame without mass before it."""
        found = tuple(tuple(group) for _, group in groupby(self.steps, key=lambda step: step.axis))
        return found or ((),)

    @cached_property
    def turns(self) -> tuple[int, ...]:
        """Numbers of the axes that it turns about by an angle of its own, in sequence."""
        return tuple(step.axis for step in self.steps if step.motion == TURN)

    @property
    def slides(self) -> tuple[int, ...]:
        """Numbers of the axes that it slides along."""
        return tuple(step.axis for step in self.steps if step.motion == SLIDE)

    @property
    def axial(self) -> bool:
        """All its motions are about or along one axis, or across it."""
        return len(self.axes) == 1

    @property
    def screws(self) -> bool:
        """Ties a slide to a turn by its pitch."""
        return any(step.motion == SCREW for step in self.steps)

    @property
    def free(self) -> bool:
        """Locks nothing."""
        return any(step.motion == FLIGHT for step in self.steps)

    @property
    def rigid(self) -> bool:
        """Lets nothing move."""
        return not self.steps

    # ---- Closure

    @property
    def ends(self) -> tuple[int, int] | None:
        """Numbers of the axes that are z of the closure's frames on the parent and on the child; None: the user's
        frames, where no axis is held."""
        if not self.axes or len(self.turns) > 2 or (len(self.axes) > 1 and not self.turns):
            return None
        return 0, len(self.axes) - 1

    @property
    def locked(self) -> tuple[int, ...]:
        """Slots of the rows [linear x y z; angular x y z] that a closure locks, z along the joint's axis.

        Slot 5 of two turns is the rotation across both axes, slot 2 of a screw the slide less pitch times the turn.
        """
        return tuple(slot for slot in range(6) if slot not in (*self._shifts(), *self._turnings()))

    def _shifts(self) -> tuple[int, ...]:
        if self.group:
            return {"se2": (0, 1), "so3": (), "se3": (0, 1, 2)}[self.group]
        return {0: (), 1: (2,), 3: (0, 1, 2)}[len(self.slides)]

    def _turnings(self) -> tuple[int, ...]:
        return {0: (), 1: (5,), 2: (3, 4), 3: (3, 4, 5)}[sum(step.motion.turns for step in self.steps)]

    @property
    def crossed(self) -> bool:
        """Two turns: the locked rotation is across both axes."""
        return len(self.turns) == 2


_RECORDS = (
    Kind("fixed", "No motion.", actuated=False, urdf=("fixed",), sdf=("fixed",)),
    Kind("revolute", "Turns about `axis`.", ((TURN, 0),), (Z,), ("axis",), urdf=("revolute",), sdf=("revolute",),
         mjcf=("hinge",)),
    Kind("continuous", "Turns about `axis` without limits.", ((TURN, 0),), (Z,), ("axis",), unlimited=True,
         urdf=("continuous",), sdf=("continuous",)),
    Kind("prismatic", "Slides along `axis`.", ((SLIDE, 0),), (Z,), ("axis",), urdf=("prismatic",), sdf=("prismatic",),
         mjcf=("slide",)),
    Kind("helical", "Turns about `axis` and slides `pitch` [m/rad] along it.", ((SCREW, 0),), (Z,), ("axis", "pitch"),
         sdf=("screw",)),
    Kind("universal", "Turns about `axis`, then `axis2`.", ((TURN, 0), (TURN, 1)), (X, Y), ("axis", "axis2"),
         names=("1", "2"), labels=("first", "second"), sdf=("universal", "revolute2")),
    Kind("cylindrical", "Turns about and slides along `axis`.", ((TURN, 0), (SLIDE, 0)), (Z,), ("axis",)),
    Kind("planar", "Slides along x and y, turns about z.", ((PLANE, 0),), (Z,), urdf=("planar",)),
    Kind("spherical", "Turns about all axes; q = [qx qy qz qw].", ((BALL, 0),), urdf=("spherical",), sdf=("ball",),
         mjcf=("ball",)),
    Kind("free", "Moves freely; q = [x y z qx qy qz qw].", ((FLIGHT, 0),), actuated=False, urdf=("floating",),
         mjcf=("free",)),
    Kind("gimbal", "Turns about the first, then the second, then the third of `axes`.",
         ((TURN, 0), (TURN, 1), (TURN, 2)), (Z, Y, X), ("axes",), names=("1", "2", "3"),
         labels=("first", "second", "third")),
    Kind("cartesian", "Slides along three `axes`.", ((SLIDE, 0), (SLIDE, 1), (SLIDE, 2)), (X, Y, Z), ("axes",),
         names=("x", "y", "z")),
)  # fmt: skip

KINDS: Mapping[str, Kind] = MappingProxyType({record.name: record for record in _RECORDS})
FIXED, REVOLUTE, PRISMATIC, SPHERICAL, FREE = (
    KINDS[name] for name in ("fixed", "revolute", "prismatic", "spherical", "free")
)


def locked_rows(kinds: Iterable[str]) -> tuple[int, ...]:
    """Rows of K, six a loop, that the joints of loops lock, which are of these kinds (§8)."""
    return tuple(6 * i + slot for i, kind in enumerate(kinds) for slot in KINDS[kind].locked)
