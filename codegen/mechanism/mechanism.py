"""The description of a machine: links, joints, frames, gravity; checked once, then a plain value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import sympy

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.typed import is_series, typed

from . import checks
from .algebra import free_symbols
from .elements.joint import Joint
from .elements.joint_templates import JointTemplate
from .elements.link import Link, shape_tuple
from .elements.motion import TIME
from .elements.visual import Visual
from .geometry.shapes import Shape, parts_of
from .pose import COINCIDENT, Frame, Pose
from .structure.edits import connection, kept, without
from .structure.inertness import check_dynamics
from .structure.pointers import Pointers, pointers
from .structure.table import mechanism_table, summary
from .structure.tree import SpanningTree, VirtualLink, spanning_tree
from .types import WORLD, Vector, VectorLike

T = TypeVar("T", Link, Joint, Frame)
Part = TypeVar("Part", Link, Joint, Frame, Visual)


@dataclass(frozen=True, init=False, repr=False)
class Mechanism:
    """Links and joints, in any order and any graph; "world" is the ground.

    `gravity` (3) in world axes [m/s²]; `frames`: names fixed to links or to world; `shapes`: of the world.
    `excluded`: pairs of links, or of parts of them (`Shape.part`), whose own shapes never touch. `visuals`: what links
    look like; the motion knows nothing of them.
    `unphysical`: "error" refuses inertias that no body can have, "allow" takes them as they are.
    ModelError says what is wrong: duplicate or unknown names, a link that hangs on nothing, an inertia no body has.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    gravity: Vector
    frames: tuple[Frame, ...]
    shapes: tuple[Shape, ...]
    unphysical: str
    excluded: tuple[tuple[str, str], ...]
    visuals: tuple[Visual, ...] = field(metadata={"drawn": True})

    def __init__(
        self,
        name: str,
        links: Iterable[Link],
        joints: Iterable[Joint],
        gravity: VectorLike = (0.0, 0.0, -9.81),
        frames: Iterable[Frame] = (),
        shapes: Iterable[Shape] = (),
        unphysical: str = "error",
        excluded: Iterable[tuple[str, str]] = (),
        visuals: Iterable[Visual] = (),
    ) -> None:
        what = f"mechanism '{checks.name(name, 'mechanism')}'"
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "links", _all(links, Link, what))
        object.__setattr__(self, "joints", _all(joints, Joint, what))
        object.__setattr__(self, "gravity", checks.vector(gravity, f"{what}: gravity"))
        object.__setattr__(self, "frames", _all(frames, Frame, what))
        object.__setattr__(self, "shapes", shape_tuple(shapes, what))
        if not isinstance(unphysical, str) or unphysical not in ("error", "allow"):
            raise ModelError(f"{what}: unphysical must be 'error' or 'allow', got {shown(unphysical)}")
        object.__setattr__(self, "unphysical", unphysical)
        object.__setattr__(self, "excluded", _pairs(excluded, what))
        object.__setattr__(self, "visuals", _all(visuals, Visual, what))
        self._check(what)

    @cached_property
    def tree(self) -> SpanningTree:
        """Bodies in depth-first preorder and the virtual links of the loops."""
        return spanning_tree(self.links, self.joints)

    @property
    def virtual_links(self) -> tuple[VirtualLink, ...]:
        """One for each joint that closes a loop, in listed order."""
        return self.tree.virtual_links

    def pointers(self) -> Pointers:
        """Parent, child, brother and real of every link, virtual ones too; printable."""
        return pointers(self.tree)

    @cached_property
    def parameters(self) -> tuple[sympy.Symbol, ...]:
        """The symbols that the description leaves open, sorted by name: run-time parameters of the compiled model."""
        found: set[sympy.Symbol] = set(free_symbols(self.gravity))
        for link in self.links:
            found |= link.free_symbols
        for joint in self.joints:
            found |= joint.free_symbols
        for frame in self.frames:
            found |= frame.pose.free_symbols
        found |= free_symbols(shape.friction for shape in self.all_shapes)
        return tuple(sorted(found, key=lambda s: s.name))

    @property
    def all_shapes(self) -> tuple[Shape, ...]:
        """Those of the world, then those of the links in their order."""
        return (*self.shapes, *(shape for link in self.links for shape in link.shapes))

    def link(self, name: str) -> Link:
        """The link of that name; ModelError with the nearest one, or the one that a frame of that name is fixed to, if
        there is none."""
        fixed = [frame.link for frame in self.frames if frame.name == name]
        if fixed and all(link.name != name for link in self.links):
            raise ModelError(f"mechanism '{self.name}' has no link {shown(name)}: it is a frame of link '{fixed[0]}'")
        return _find(self.links, name, f"mechanism '{self.name}' has no link")

    def joint(self, name: str) -> Joint:
        """The joint of that name; ModelError with the nearest one if there is none."""
        return _find(self.joints, name, f"mechanism '{self.name}' has no joint")

    def connect(
        self,
        link_a: str,
        link_b: str,
        joint: JointTemplate,
        *,
        name: str | None = None,
        pose: Pose = COINCIDENT,
        pose_b: Pose = COINCIDENT,
    ) -> Mechanism:
        """The mechanism with `link_b` connected to `link_a` by one more joint, a loop joint; the tree stays as it is.

        The ends may be links, frames or "world", which is like a link at rest; `joint` is made with revolute(axis=...)
        and the like; `pose` and `pose_b` say where its frame stands in either. Passive unless it says actuated=True;
        called LINK_A_LINK_B unless `name` is given. A floating link stays on its free joint, through which the loop
        then goes (pseudo-closed [N98 §4.2]). ModelError for unknown ends, one link twice, a name that is taken.
        """
        made = connection(self.links, self.frames, self.joints, (link_a, link_b), joint, name, (pose, pose_b))
        return replace(self, joints=(*self.joints, made))

    def cut(self, joint: str) -> Mechanism:
        """The mechanism without the joint of that name.

        A loop joint goes with its virtual link. Where a joint of the tree was, what hung on it floats on world by a
        free joint "free_LINK" (its q is the pose of LINK in world); loops through it stay [N98 §4.4].
        ModelError for an unknown joint, one that others mimic, one that holds nothing.
        """
        return replace(self, joints=without(self.joints, self.tree, joint))

    @typed
    def in_tree(self, *joints: str) -> Mechanism:
        """The same mechanism, its loops cut so that these joints are in the tree: then q holds them, and their motion
        can be given (`Simulator(driven=)`).

        ModelError for an unknown joint, and where two of them hold one link or a link would hang on itself.
        """
        return replace(self, joints=kept(self.joints, joints))

    def check_dynamics(self) -> None:
        """ModelError names a joint that moves nothing with inertia, so that the mass matrix is singular.

        In a closed mechanism without open parameters the loops may give such a joint the inertia of other links: there
        it is judged when the mechanism is compiled.
        """
        if not self.virtual_links or self.parameters:
            check_dynamics(self.tree)

    def __repr__(self) -> str:
        return f"Mechanism({self.name!r}, {summary(self.tree)})"

    def __str__(self) -> str:
        """A table of its joints and links, the first ones of a large mechanism."""
        return mechanism_table(self.name, self.tree)

    def _check(self, what: str) -> None:
        if not self.links:
            raise ModelError(f"{what} has no links; give at least one Link and a joint that hangs it on world")
        names = [link.name for link in self.links]
        _unique(names, f"{what}: two links are called")
        _unique([joint.name for joint in self.joints], f"{what}: two joints are called")
        _unique(
            [*names, WORLD, *(frame.name for frame in self.frames)],
            f"{what}: a frame and a link or two frames are called",
        )
        known = dict.fromkeys([*names, WORLD])
        for joint in self.joints:
            for side, end in (("parent", joint.parent), ("child", joint.child)):
                if end not in known:
                    raise ModelError(f"joint '{joint.name}': {side} '{end}' is no link{checks.nearest(end, [*known])}")
        parts = parts_of(self.links, self.shapes)
        for name in (name for pair in self.excluded for name in pair):
            if name not in known and name not in parts:
                raise ModelError(f"{what}: excluded '{name}' is no link{checks.nearest(name, [*known])}")
        for frame in self.frames:
            if frame.link not in known:
                raise ModelError(
                    f"frame '{frame.name}': '{frame.link}' is no link{checks.nearest(frame.link, [*known])}"
                )
        for visual in self.visuals:
            if visual.link not in known:
                raise ModelError(f"{what}: visual of '{visual.link}', no link{checks.nearest(visual.link, [*known])}")
        for link in self.links if self.unphysical == "error" else ():
            if defect := link.defect():
                raise ModelError(f"link '{link.name}' cannot exist: {defect}; check its mass and inertia")
        times = [TIME.name] if any(joint.motion for joint in self.joints) else []
        _unique([*(symbol.name for symbol in self.parameters), *times], f"{what}: two different symbols are called")
        _ = self.tree


def _pairs(values: Any, what: str) -> tuple[tuple[str, str], ...]:
    if not is_series(values):
        raise ModelError(f"{what}: excluded must be pairs of names of links, got {shown(values)}")
    return tuple(_pair(value, what) for value in values)


def _pair(value: Any, what: str) -> tuple[str, str]:
    a, b = checks.items(value, 2, f"{what}: excluded") if isinstance(value, (tuple, list)) else ("", "")
    if not (isinstance(a, str) and isinstance(b, str) and a and b):
        raise ModelError(f"{what}: excluded must be pairs of names of links, got {shown(value)}")
    if a == b:
        raise ModelError(
            f"{what}: excluded: a link does not touch itself, got {shown(value)}; name another link or 'world'"
        )
    return a, b


def _all(values: Any, kind: type[Part], what: str) -> tuple[Part, ...]:
    plural = f"{kind.__name__.lower()}s"
    if isinstance(values, (str, dict)) or not is_series(values):
        raise ModelError(f"{what}: {plural} must be a list of {kind.__name__}, got {shown(values)}")
    result = tuple(values)
    for value in result:
        if not isinstance(value, kind):
            raise ModelError(f"{what}: {plural} must hold {kind.__name__} values only, got {shown(value)}")
    return result


def _find(values: Sequence[T], name: str, complaint: str) -> T:
    for value in values if isinstance(name, str) else ():
        if value.name == name:
            return value
    raise ModelError(f"{complaint} {shown(name)}{checks.nearest(name, [value.name for value in values])}")


def _unique(names: Sequence[str], complaint: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"{complaint} {name!r}; names must differ")
        seen.add(name)


def require_mechanism(value: object, what: str) -> Mechanism:
    """`value`, which was given to `what`; ModelError if it is no mechanism."""
    if not isinstance(value, Mechanism):
        raise ModelError(f"{what}: expected a Mechanism, got {shown(value)}; kg.load(path) reads one from a file")
    return value


def combine(name: str, *mechanisms: Mechanism) -> Mechanism:
    """Mechanisms side by side as one, branches of the same world, so that `connect` can join them.

    One hangs on a link of another once the joint that holds it to world has that link as its `parent`; load it with
    merge=False then, so that what this joint holds is still a link, with its mass, and not a part of world.
    Their shapes of the world come together; gravity must be the same. ModelError if names are given twice.
    """
    if not mechanisms:
        raise ModelError(f"mechanism '{checks.name(name, 'mechanism')}': give the mechanisms that it is made of")
    first = require_mechanism(mechanisms[0], "combine")
    for other in mechanisms[1:]:
        if require_mechanism(other, "combine").gravity != first.gravity:
            raise ModelError(
                f"mechanisms '{first.name}' and '{other.name}' have the gravities {first.gravity} and {other.gravity}; "
                "give both the same"
            )
    judged = "allow" if any(mechanism.unphysical == "allow" for mechanism in mechanisms) else "error"
    parts: dict[str, Any] = {
        part: [value for mechanism in mechanisms for value in getattr(mechanism, part)]
        for part in ("links", "joints", "frames", "shapes", "excluded", "visuals")
    }
    return Mechanism(name, gravity=first.gravity, unphysical=judged, **parts)
