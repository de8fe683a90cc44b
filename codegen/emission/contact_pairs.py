"""Which shapes may touch: a static table of pairs, filtered (§11)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kinegen.runtime.errors import ContactWarning, ModelError

from ..mechanism.mechanism import Mechanism
from ..mechanism.polyhedron import Polyhedron, hull
from ..mechanism.pose import Pose
from ..mechanism.shapes import Shape
from ..mechanism.tree import SpanningTree
from ..mechanism.types import WORLD, ZERO, Vector
from .contact_rows import NOTHING_HELD, Held

KINDS = ("plane", "sphere", "capsule", "cylinder", "box", "convex")
MOST_POINTS = 1024  # of all pairs together in one step
_POINTS = {
    "plane": {"sphere": 1, "capsule": 2, "cylinder": 8, "box": 8, "convex": 8},
    "sphere": {"sphere": 1, "capsule": 1, "cylinder": 1, "box": 1, "convex": 1},
    "capsule": {"capsule": 2, "cylinder": 2, "box": 2, "convex": 2},
    "cylinder": {"cylinder": 8, "box": 8, "convex": 8},
    "box": {"box": 8, "convex": 8},
    "convex": {"convex": 8},
}


@dataclass(frozen=True)
class ContactRules:
    """Which links may touch.

    `within`: also links of one tree (a robot and itself), but never a link and its parent; by default only links of
    different trees, and all links with the world. `exclude`: pairs of link names ("world" too) that never touch.
    """

    within: bool = False
    exclude: tuple[tuple[str, str], ...] = ()

    def __init__(self, *, within: bool = False, exclude: Iterable[tuple[str, str]] = ()) -> None:
        object.__setattr__(self, "within", bool(within))
        pairs = [exclude] if isinstance(exclude, str) else list(exclude)
        for pair in pairs:
            if isinstance(pair, str) or len(tuple(pair)) != 2:
                raise ModelError(f"exclude: expected pairs of link names such as ('hand', 'table'), got {pair!r}")
        object.__setattr__(self, "exclude", tuple((a, b) for a, b in pairs))

    def unknown(self, mechanism: Mechanism) -> str | None:
        """An excluded name that is no link."""
        known = {WORLD, *(link.name for link in mechanism.links)}
        return next((name for pair in self.exclude for name in pair if name not in known), None)


@dataclass(frozen=True)
class Placed:
    """A shape, the link that carries it and the number of its body, -1 for the world.

    `solid`: what a convex shape is, about its centre, which stands at `center` in the shape.
    """

    shape: Shape
    link: str
    body: int
    solid: Polyhedron | None = None
    center: Vector = ZERO

    @property
    def pose(self) -> Pose:
        """Of the shape's centre, in the link."""
        return self.shape.pose * Pose(self.center)


@dataclass(frozen=True)
class Pair:
    """Two shapes, by number, the first of the simpler kind; combined friction and restitution; points at most.

    Friction: the geometric mean √(μ_a μ_b); restitution: the larger one.
    """

    first: int
    second: int
    friction: float
    restitution: float
    points: int


@dataclass(frozen=True)
class Touching:
    """The shapes that take part, the pairs of them that may touch, and what rows hold beside; false if nothing does."""

    shapes: tuple[Placed, ...]
    pairs: tuple[Pair, ...]
    held: Held = NOTHING_HELD

    def __bool__(self) -> bool:
        return bool(self.pairs) or bool(self.held)

    @property
    def room(self) -> int:
        """Points of contact that a step has room for."""
        return min(MOST_POINTS, sum(pair.points for pair in self.pairs))


def touching(
    mechanism: Mechanism, rules: ContactRules, never: Callable[[Placed, Placed], bool] = lambda a, b: False
) -> Touching:
    """The table of a mechanism, empty if nothing may touch; `never`: pairs that are no pairs whatever the tree says.

    Warns of shapes that cannot take part (meshes), naming the links. ModelError
    for an unknown name in the rules or a symbolic pose.
    """
    if (name := rules.unknown(mechanism)) is not None:
        raise ModelError(f"exclude: mechanism '{mechanism.name}' has no link {name!r}")
    placed = _all_placed(mechanism)
    found: list[tuple[int, int]] = []
    missing: list[str] = []
    for i, a in enumerate(placed):
        for k in range(i + 1, len(placed)):
            if never(a, placed[k]) or not _may_touch(mechanism.tree, a, placed[k], rules):
                continue
            first, second = sorted((i, k), key=lambda n: _rank(placed[n].shape))
            if _points(placed[first].shape, placed[second].shape):
                found.append((first, second))
            else:
                missing += [f"{placed[n].shape.kind} of '{placed[n].link}'" for n in (first, second)]
    _warn(mechanism, missing, bool(found))
    used = sorted({i for pair in found for i in pair})
    number = {old: new for new, old in enumerate(used)}
    for i in used:
        _check(placed[i])
    pairs = tuple(_pair(placed, first, second, number) for first, second in found)
    return Touching(tuple(placed[i] for i in used), pairs)


def _all_placed(mechanism: Mechanism) -> list[Placed]:
    links = [
        placed_shape(shape, body.link.name, body.index) for body in mechanism.tree.bodies for shape in body.link.shapes
    ]
    return [*(placed_shape(shape, WORLD, -1) for shape in mechanism.shapes), *links]


def placed_shape(shape: Shape, link: str, body: int) -> Placed:
    """With the hull of a convex shape; ModelError names the link."""
    if shape.kind != "convex":
        return Placed(shape, link, body)
    try:
        solid = hull(shape.vertices, shape.most)
    except ModelError as error:
        raise ModelError(f"link '{link}': {error}") from None
    return Placed(shape, link, body, solid.about(solid.center), solid.center)


def _rank(shape: Shape) -> int:
    return KINDS.index(shape.kind) if shape.kind in KINDS else len(KINDS)


def _points(first: Shape, second: Shape) -> int:
    return _POINTS.get(first.kind, {}).get(second.kind, 0)


def _may_touch(tree: SpanningTree, a: Placed, b: Placed, rules: ContactRules) -> bool:
    if (a.link, b.link) in rules.exclude or (b.link, a.link) in rules.exclude:
        return False
    path_a, path_b = rigid_body(tree, a.body), rigid_body(tree, b.body)
    if path_a == path_b:  # one body, or both at rest
        return False
    if -1 in (path_a, path_b):
        return True
    if _root(tree, a.body) != _root(tree, b.body):
        return True
    parents = (rigid_body(tree, tree.bodies[path_a].parent), rigid_body(tree, tree.bodies[path_b].parent))
    return rules.within and path_b != parents[0] and path_a != parents[1]


def rigid_body(tree: SpanningTree, i: int) -> int:
    """The body that carries body i, through fixed joints; -1 for the world."""
    while i >= 0 and tree.bodies[i].joint.kind == "fixed":
        i = tree.bodies[i].parent
    return i


def _root(tree: SpanningTree, i: int) -> int:
    while tree.bodies[i].parent >= 0:
        i = tree.bodies[i].parent
    return i


def _pair(placed: list[Placed], first: int, second: int, number: dict[int, int]) -> Pair:
    a, b = placed[first].shape, placed[second].shape
    friction, restitution = (a.friction * b.friction) ** 0.5, max(a.restitution, b.restitution)
    return Pair(number[first], number[second], friction, restitution, _points(a, b))


def _check(placed: Placed) -> None:
    pose: Any = placed.shape.pose
    if pose.free_symbols:
        raise ModelError(
            f"link '{placed.link}': the pose of its {placed.shape.kind} has open symbols; contact needs numbers"
        )


def _warn(mechanism: Mechanism, missing: list[str], some: bool) -> None:
    names = sorted(set(missing))
    if not names:
        return
    shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    rest = "the other shapes do" if some else "nothing of it touches anything"
    warnings.warn(
        f"mechanism '{mechanism.name}': some pairs of these shapes do not touch each other: {shown}; {rest}. Meshes "
        "take no part in contact: give other shapes instead",
        ContactWarning,
        stacklevel=2,
    )
