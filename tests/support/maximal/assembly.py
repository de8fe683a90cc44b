"""Links placed in the world and the joints that hold them: closed there by construction, with 60 digits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinegen.codegen.mechanism import KINDS, Joint, Link, Mechanism, Mimic, Pose

from .exact import Exact, exact, floats, inverse, rounded
from .joints import moved

WORLD = "world"


@dataclass(frozen=True)
class Body:
    """A link: pose (4, 4) in the world with 60 digits, mass, centre of gravity, moments xx xy xz yy yz zz about it."""

    name: str
    pose: Exact
    mass: float
    com: tuple[float, ...]
    moments: tuple[float, ...]


@dataclass(frozen=True)
class Hold:
    """A joint: `frame` (4, 4) its parent's side in the world and q (nq), both with 60 digits; `axes` in that frame.

    `mimic`: (leader, k) where it follows another one.
    """

    name: str
    kind: str
    parent: str
    child: str
    frame: Exact
    q: Exact
    axes: tuple[Exact, ...] = ()
    pitch: Any = 0
    armature: tuple[float, ...] = ()
    damping: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    mimic: tuple[str, float] | None = None
    actuated: bool = True
    cut: bool = False

    @property
    def nv(self) -> int:
        return KINDS[self.kind].nv

    def far_side(self) -> Exact:
        """(4, 4) its child's side in the world."""
        return self.frame @ moved(self.kind, self.axes, self.pitch, self.q)


@dataclass(frozen=True)
class Assembly:
    """A mechanism at a configuration at which it is closed."""

    name: str
    bodies: tuple[Body, ...]
    holds: tuple[Hold, ...]
    gravity: tuple[float, float, float]

    @cached_property
    def poses(self) -> Mapping[str, Exact]:
        return {WORLD: exact(np.eye(4))} | {body.name: body.pose for body in self.bodies}

    @cached_property
    def mechanism(self) -> Mechanism:
        """The same in doubles, as a user describes it."""
        links = [Link(b.name, b.mass, b.com, b.moments) for b in self.bodies]
        return Mechanism(self.name, links, [self._joint(hold) for hold in self.holds], gravity=self.gravity)

    @cached_property
    def start(self) -> dict[str, tuple[float, ...]]:
        """Coordinates of the tree's joints by name, as `compile(at=)` takes them."""
        q = {hold.name: floats(hold.q) for hold in self.holds}
        return {body.joint.name: q[body.joint.name] for body in self.mechanism.tree.bodies if body.nv}

    @property
    def q(self) -> NDArray[np.float64]:
        """(nq) of the tree."""
        return np.array([x for values in self.start.values() for x in values])

    def _joint(self, hold: Hold) -> Joint:
        kind = KINDS[hold.kind]
        options: dict[str, Any] = {
            name: floats(axis) for name, axis in zip(("axis", "axis2"), hold.axes, strict=False) if name in kind.options
        }
        if "axes" in kind.options:
            options["axes"] = [floats(axis) for axis in hold.axes]
        if "pitch" in kind.options:
            options["pitch"] = float(hold.pitch)
        if hold.mimic:
            options["mimic"] = Mimic(hold.mimic[0], hold.mimic[1], self._offset(hold))
        passive = {"armature": hold.armature, "damping": hold.damping, "stiffness": hold.stiffness}
        options |= {name: values for name, values in passive.items() if values}
        return Joint(
            hold.name,
            hold.kind,
            hold.parent,
            hold.child,
            _seen(self.poses[hold.parent], hold.frame),
            _seen(self.poses[hold.child], hold.far_side()),
            actuated=hold.actuated and hold.mimic is None and not kind.rigid,
            cut=hold.cut,
            **options,
        )

    def _offset(self, hold: Hold) -> float:
        assert hold.mimic
        (leader,) = (other for other in self.holds if other.name == hold.mimic[0])
        return float(hold.q[0] - hold.mimic[1] * leader.q[0])


def _seen(link: Exact, frame: Exact) -> Pose:
    local = rounded(inverse(link) @ frame)
    return Pose(floats(local[:3, 3]), rotation=local[:3, :3].tolist())
