"""Makers of joints: templates without their links yet, for connections made later, and joints that roll."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import KINDS, SPHERICAL, Kind
from kinegen.runtime.typed import typed

from ..pose import COINCIDENT, Pose
from ..types import WORLD, Number, VectorLike
from .joint import Joint
from .rolling import Wheel


@dataclass(frozen=True)
class JointTemplate:
    """A kind and its options, as `Joint` takes them, checked when it is made."""

    kind: str
    options: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        for pair in self.options if isinstance(self.options, tuple) else [self.options]:
            if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
                raise ModelError(f"a joint template's options are pairs of a name and a value, got {shown(pair)}")
        fixed_later = sorted({key for key, _ in self.options} & {"name", "kind", "parent", "child"})
        if fixed_later:
            raise ModelError(f"a joint template takes no {fixed_later[0]}: that is given when the joint is made")
        plain = ((key, value.tolist() if isinstance(value, np.ndarray) else value) for key, value in self.options)
        object.__setattr__(self, "options", tuple(plain))  # which can be compared, and stays as it is
        self.joint(str(self.kind), WORLD, "template")

    def joint(
        self, name: str, parent: str, child: str, origin: Pose = COINCIDENT, child_origin: Pose = COINCIDENT
    ) -> Joint:
        """The joint between two links, its frame at `origin` in the parent and `child_origin` in the child."""
        options = {"origin": origin, "child_origin": child_origin, **dict(self.options)}
        return Joint(name, self.kind, parent, child, **options)


def _template(kind: Kind) -> Callable[..., JointTemplate]:
    def template(**options: Any) -> JointTemplate:
        return JointTemplate(kind.name, tuple(options.items()))

    template.__name__ = template.__qualname__ = kind.name
    template.__doc__ = kind.about
    return template


TEMPLATES: dict[str, Callable[..., JointTemplate]] = {name: _template(kind) for name, kind in KINDS.items()}
"""A maker of templates for every kind: `revolute(axis=(0, 1, 0))`."""


@typed
def rolling(
    wheel: str,
    ground: str = WORLD,
    *,
    radius: Number = 0.0,
    tyre: Number = 0.0,
    axis: VectorLike = (0.0, 1.0, 0.0),
    pose: Pose = COINCIDENT,
    plane: Pose = COINCIDENT,
    name: str | None = None,
    damping: Number | VectorLike = 0.0,
) -> Joint:
    """The joint by which link `wheel` rolls without slip on a plane of link `ground`, one of a mechanism's joints.

    `radius` [m] alone: a disc with a sharp edge; `radius` of the circle and `tyre` [m], the radius of the rim's
    cross-section: a wheel; `tyre` alone: a ball. `pose`: of the wheel's centre in its link, `axis` its axle there.
    `plane`: a pose in the ground whose x and y lie in the plane and whose z points to the wheel's side; z = 0 of the
    ground unless given. Lengths, axis and poses may hold SymPy symbols. `damping` [N m s/rad]: of the turning against
    the plane, one number or one for each axis of the wheel's frame.

    The joint closes a loop: the wheel hangs on another one, such as a free joint or an axle. It is called WHEEL_GROUND
    unless `name` is given. The lowest point of the wheel stays on the plane, and the wheel's material there does not
    move against the plane's: one row that holds a position, and two that hold velocities only [mathematics §8]. Nothing
    lifts the wheel off, and it never slips. Where it lies flat it has no lowest point, and no motion is found there.
    ModelError for lengths that are negative or both zero.
    """
    rim = Wheel(radius, tyre, axis)
    called = f"{wheel}_{ground}" if name is None else name
    ends = called, SPHERICAL.name, ground, wheel
    return Joint(*ends, origin=plane, child_origin=pose, damping=damping, wheel=rim)


def __getattr__(name: str) -> Callable[..., JointTemplate]:
    try:
        return TEMPLATES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
