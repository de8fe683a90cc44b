"""What a mechanism may become: every connection that it may make and every joint that it may lose (§9) [N98 §4].

All of them are cut joints over one tree. A joint of the tree that may be lost hangs its subtree on world by a free
joint and closes a loop itself, so that q and v keep their size and meaning whatever is connected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import sympy

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import FREE, KINDS

from .. import checks
from ..elements.joint import Joint
from ..elements.joint_templates import JointTemplate
from ..mechanism import Mechanism
from ..pose import COINCIDENT, Pose
from ..types import WORLD
from .edits import UNFIT, unfit
from .inertness import inert

UNFIT_HERE = {
    **UNFIT,
    "start": "its coordinates begin at 0 where the links stand when it is made, or are told by pose_b; leave it out",
}
"""Options of joints that a connection cannot have, and what to do."""


@dataclass(frozen=True)
class Connection:
    """A joint that two links may get: its frame stands at `pose` in `link_a`.

    `pose_b`: where it stands in `link_b`; None: wherever the links are when they are connected, so that the joint's
    coordinates begin at zero and nothing jumps. "world" may stand for either link; it is like a link at rest there:
    coordinates and velocities are those of link_b relative to link_a whichever is "world", forces those on link_b.
    """

    name: str
    link_a: str
    link_b: str
    joint: JointTemplate
    pose: Pose = COINCIDENT
    pose_b: Pose | None = None

    def __post_init__(self) -> None:
        what = f"connection '{checks.name(self.name, 'connection')}'"
        for link in (self.link_a, self.link_b):
            checks.name(link, f"{what}: link")
        if self.link_a == self.link_b:
            raise ModelError(f"{what} joins link '{self.link_a}' to itself; give another link")
        if not isinstance(self.joint, JointTemplate):
            raise ModelError(f"{what}: joint must be a template such as kg.spherical(), got {shown(self.joint)}")
        if dict(self.joint.options).get("wheel"):
            raise ModelError(
                f"{what}: what rolls does not come and go; give kg.rolling(...) among the mechanism's joints"
            )
        if not isinstance(self.pose, Pose) or not isinstance(self.pose_b, (Pose, type(None))):
            raise ModelError(f"{what}: pose and pose_b must be Poses, got {shown(self.pose)} and {shown(self.pose_b)}")
        if found := unfit(self.joint, UNFIT_HERE):
            raise ModelError(f"{what}: its joint takes no {found}")
        if not all(pose.numeric for pose in (self.pose, self.pose_b or COINCIDENT)):
            raise ModelError(f"{what}: its poses must be numbers, they hold symbols")


@dataclass(frozen=True)
class Switch:
    """A cut joint that can be active or not.

    It goes from link_a to link_b. Its frame in link_a is `declared`, that in link_b is run-time data; `given`: its
    value if that is declared too. `base`: the free joint that a subtree hangs on, for a joint that was one of the tree.
    """

    name: str
    joint: Joint
    link_a: str
    link_b: str
    declared: Pose
    given: Pose | None
    active: bool = False
    base: str = ""

    @property
    def symbols(self) -> tuple[sympy.Symbol, ...]:
        """(12) rows of [R | p] of the frame that is run-time data."""
        return pose_symbols(self.name)


@dataclass(frozen=True)
class Topologies:
    """A mechanism with all its switches, in the order of their flags."""

    mechanism: Mechanism
    switches: tuple[Switch, ...]


def topologies(mechanism: Mechanism, connections: Sequence[Connection] = (), cuts: Sequence[str] = ()) -> Topologies:
    """All that `connections` and `cuts` (names of joints) can make of the mechanism.

    ModelError for a name that is taken, a link or joint that is not there, a joint that cannot be cut.
    """
    if not isinstance(mechanism, Mechanism):
        raise ModelError(f"expected a Mechanism, got {type(mechanism).__name__}")
    if not isinstance(connections, Sequence) or any(not isinstance(c, Connection) for c in connections):
        raise ModelError(f"connections: expected a list of Connections, got {shown(connections)}")
    named = frozenset(joint.name for joint in mechanism.joints)
    taken = set(named)
    for connection in connections:
        if connection.name in taken:
            other = "joint" if connection.name in named else "connection"
            raise ModelError(f"connection '{connection.name}': a {other} has that name already; take another")
        taken.add(connection.name)
        for link in (connection.link_a, connection.link_b):
            if link != WORLD:
                mechanism.link(link)
    lost = [_lost(mechanism, name, taken) for name in _distinct(cuts)]
    made = [_made(connection) for connection in connections]
    hung = {switch.name: Joint(switch.base, FREE.name, WORLD, switch.link_b) for switch in lost if switch.base}
    kept = [hung.get(joint.name, joint) for joint in mechanism.joints if joint.name in hung or not _in(joint, lost)]
    joints = (*kept, *(switch.joint for switch in (*lost, *made)))
    expanded = replace(mechanism, joints=joints)
    _require_inertia(expanded, lost)
    return Topologies(expanded, (*lost, *made))


def pose_symbols(name: str) -> tuple[sympy.Symbol, ...]:
    """(12) names of the entries of [R | p] of a switch, rows of four."""
    return tuple(sympy.Symbol(f"{name}.pose{k:02d}", real=True) for k in range(12))


def _require_inertia(expanded: Mechanism, lost: Sequence[Switch]) -> None:
    """ModelError names a joint that cannot be cut, since what it holds has too little inertia to fly free."""
    causes = {switch.base: switch.name for switch in lost if switch.base}
    for body in inert(expanded.tree):
        if body.joint.name in causes:
            lack = "has no mass" if body.link.massless else "has no inertia about one of its axes"
            remedy = "mass and inertia" if body.link.massless else "some, as a rod has about itself"
            raise ModelError(
                f"cuts: joint '{causes[body.joint.name]}' cannot be cut: '{body.link.name}' would fly free, but "
                f"{lack}, so that nothing would say how it moves; give it {remedy}"
            )


def _distinct(cuts: Sequence[str]) -> list[str]:
    if isinstance(cuts, str):
        raise ModelError(f"cuts: expected a list of joint names, got the text {cuts!r}; write [{cuts!r}]")
    if not isinstance(cuts, Sequence):
        raise ModelError(f"cuts: expected a list of joint names, got {shown(cuts)}")
    for i, name in enumerate(cuts):
        if not isinstance(name, str):
            raise ModelError(f"cuts: expected names of joints, got {shown(name)}")
        if name in cuts[:i]:
            raise ModelError(f"cuts: joint {name!r} is named twice")
    return list(cuts)


def _in(joint: Joint, switches: Sequence[Switch]) -> bool:
    return any(joint.name == switch.name for switch in switches)


def _open_pose(name: str) -> Pose:
    s = pose_symbols(name)
    return Pose((s[3], s[7], s[11]), rotation=[(s[4 * i], s[4 * i + 1], s[4 * i + 2]) for i in range(3)])


def _made(connection: Connection) -> Switch:
    name, a, b, pose = connection.name, connection.link_a, connection.link_b, connection.pose
    options = {"actuated": False, **dict(connection.joint.options), "cut": True}
    joint = Joint(name, connection.joint.kind, a, b, pose, _open_pose(name), **options)
    return Switch(name, joint, a, b, pose, connection.pose_b)


def _lost(mechanism: Mechanism, name: str, taken: set[str]) -> Switch:
    """A joint of the mechanism that can be cut; one of the tree leaves its subtree on a free joint."""
    joint = mechanism.joint(name)
    if joint.wheel:
        raise ModelError(f"joint '{name}' rolls and cannot be cut: what rolls does not come and go")
    if KINDS[joint.kind].free:
        raise ModelError(f"joint '{name}' is free: it holds nothing that could be cut")
    followers = [other.name for other in mechanism.joints if other.mimic and other.mimic.joint == name]
    if joint.mimic or followers:
        other = followers[0] if followers else name
        raise ModelError(f"joint '{name}' cannot be cut: joint '{other}' mimics another joint; remove the mimic")
    if joint.motion:
        raise ModelError(f"joint '{name}' cannot be cut: what has a motion stays in the tree; remove the motion")
    if not joint.child_origin.numeric or not joint.origin.numeric:
        raise ModelError(f"joint '{name}' cannot be cut: its origins hold symbols; give numbers")
    base = ""
    if name not in [loop.joint.name for loop in mechanism.virtual_links]:
        base = checks.untaken(f"free_{joint.child}", taken)
        taken.add(base)
    open_joint = replace(joint, child_origin=_open_pose(name), cut=True)
    return Switch(name, open_joint, joint.parent, joint.child, joint.origin, joint.child_origin, True, base)
