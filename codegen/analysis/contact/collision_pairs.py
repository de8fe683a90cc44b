"""Which shapes may touch: a static table of pairs, filtered (§11)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from kinegen.runtime.errors import ContactWarning, ModelError, warn
from kinegen.runtime.kinds import FIXED

from ...mechanism.mechanism import Mechanism
from ...mechanism.structure.tree import SpanningTree
from ...mechanism.types import Number
from ..constraint_rows import NOTHING_HELD, Held
from .placed import Placed, all_placed, solids
from .rules import ContactRules, Touch, meet

KINDS = ("plane", "height_field", "sphere", "capsule", "cylinder", "box", "convex")
MOST_POINTS = 1024  # of all pairs together in one step, or
POINTS_PER_BODY = 16  # if that is more
_POINTS = {
    "plane": {"sphere": 1, "capsule": 2, "cylinder": 8, "box": 8, "convex": 8},
    "height_field": dict.fromkeys(("sphere", "capsule", "cylinder", "box", "convex"), 8),
    "sphere": {"sphere": 1, "capsule": 1, "cylinder": 1, "box": 1, "convex": 1},
    "capsule": {"capsule": 3, "cylinder": 4, "box": 8, "convex": 8},
    "cylinder": {"cylinder": 8, "box": 8, "convex": 8},
    "box": {"box": 8, "convex": 8},
    "convex": {"convex": 8},
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two shapes, by number, the first of the simpler kind; what holds between them; points at most."""

    first: int
    second: int
    friction: Number
    restitution: float
    points: int
    torsion: float = 0.0
    rolling: float = 0.0

    @property
    def resists_turning(self) -> bool:
        """There are moments at its points."""
        return self.torsion > 0.0 or self.rolling > 0.0


@dataclass(frozen=True)
class Touching:
    """The shapes that take part, the pairs of them that may touch, and what rows hold beside; false if nothing does.

    `warnings`: those that were given of shapes that take no part as they stand.
    """

    shapes: tuple[Placed, ...]
    pairs: tuple[Pair, ...]
    held: Held = NOTHING_HELD
    warnings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.pairs) or bool(self.held)

    @property
    def open_frictions(self) -> tuple[sympy.Expr, ...]:
        """What the friction of pairs is where it depends on run-time parameters, each once."""
        return tuple(dict.fromkeys(pair.friction for pair in self.pairs if isinstance(pair.friction, sympy.Expr)))

    @property
    def room(self) -> int:
        """Points of contact that a step has room for."""
        return self._room(self.pairs)

    @property
    def turning_room(self) -> int:
        """Those of them with torsional or rolling friction."""
        return self._room([pair for pair in self.pairs if pair.resists_turning])

    def _room(self, pairs: Iterable[Pair]) -> int:
        most = max(MOST_POINTS, POINTS_PER_BODY * len({placed.body for placed in self.shapes}))
        return min(most, sum(pair.points for pair in pairs))


def touching(
    mechanism: Mechanism, rules: ContactRules, never: Callable[[Placed, Placed], bool] = lambda a, b: False
) -> Touching:
    """The table of a mechanism, empty if nothing may touch; `never`: pairs that are no pairs whatever the tree says.

    Opens the meshes that may touch something; warns of those that cannot be had and of those taken as their hulls,
    naming the links. ModelError for an unknown name in the rules, a symbolic pose, a mesh given in Python that is not
    there or not convex.
    """
    rules.check(mechanism)
    placed = all_placed(mechanism)
    seats = [_seat(mechanism, shape, rules) for shape in placed]
    apart = _Apart(rules.exclude, {frozenset(pair) for pair in mechanism.excluded})
    found: list[tuple[int, int]] = []
    missing: list[str] = []
    for i, a in enumerate(placed):
        for k in range(i + 1, len(placed)):
            if not _may_touch(seats[i], seats[k], apart) or never(a, placed[k]):
                continue
            first, second = (i, k) if seats[i].rank <= seats[k].rank else (k, i)
            if _points(seats[first].kind, seats[second].kind):
                found.append((first, second))
            else:
                missing += [f"{placed[n].kind} of '{placed[n].link}'" for n in (first, second)]
    said = _warn(mechanism, missing)
    return _table(mechanism, placed, found, rules, said)


def _table(
    mechanism: Mechanism, placed: list[Placed], found: list[tuple[int, int]], rules: ContactRules, said: tuple[str, ...]
) -> Touching:
    """The pairs found, of shapes that are to be had."""
    wanted = sorted({i for pair in found for i in pair})
    for i in wanted:
        _check(placed[i])
    made, lost = solids([placed[i] for i in wanted], mechanism.name)
    had = dict(zip(wanted, made, strict=True))
    found = [pair for pair in found if all(had[i] for i in pair)]
    used = sorted({i for pair in found for i in pair})
    number = {old: new for new, old in enumerate(used)}
    surfaces = _Surfaces(placed, rules)
    pairs = tuple(_pair(placed, first, second, number, surfaces) for first, second in found)
    return Touching(tuple(shape for i in used if (shape := had[i])), pairs, warnings=(*said, *lost))


def _points(first: str, second: str) -> int:
    return _POINTS.get(first, {}).get(second, 0)


@dataclass(frozen=True)
class _Seat:
    """What pairs are asked of a shape, found once: its kind, link, and part of it; bits that meet those of others; the
    rigid body that carries it, -1: the world, the one above if links of one tree may touch, and the root; place of its
    kind."""

    kind: str
    link: str
    part: str
    category: int
    mask: int
    rigid: int
    above: int | None
    root: int
    rank: int


def _seat(mechanism: Mechanism, placed: Placed, rules: ContactRules) -> _Seat:
    tree, (category, mask) = mechanism.tree, rules.bits(placed.link, placed.shape)
    rigid = rigid_body(tree, placed.body)
    above = _above(tree, rigid) if rules.within and rigid >= 0 else None
    root = _root(tree, placed.body) if placed.body >= 0 else -1
    part = placed.shape.part
    return _Seat(placed.kind, placed.link, part, category, mask, rigid, above, root, KINDS.index(placed.kind))


@dataclass(frozen=True)
class _Apart:
    """Pairs that never touch: those of rules mean a link and all its parts, those of a mechanism its own shapes."""

    rules: tuple[tuple[str, str], ...]
    own: Collection[frozenset[str]]

    def holds(self, a: _Seat, b: _Seat) -> bool:
        if self.own and frozenset((a.part or a.link, b.part or b.link)) in self.own:
            return True
        return any(meet(pair, (a.link, a.part), (b.link, b.part)) for pair in self.rules)


def _may_touch(a: _Seat, b: _Seat, apart: _Apart) -> bool:
    if not (a.category & b.mask or b.category & a.mask) or a.rigid == b.rigid:  # one body, or both at rest
        return False
    if apart.holds(a, b):
        return False
    if -1 in (a.rigid, b.rigid) or a.root != b.root:
        return True
    return a.above is not None and b.rigid != a.above and a.rigid != b.above


def rigid_body(tree: SpanningTree, i: int) -> int:
    """The body that carries body i, through fixed joints; -1 for the world."""
    while i >= 0 and tree.bodies[i].joint.kind == FIXED.name:
        i = tree.bodies[i].parent
    return i


def _above(tree: SpanningTree, i: int) -> int:
    """The rigid body that body i hangs on; links with neither mass nor shape are part of a joint of several axes."""
    above = rigid_body(tree, tree.bodies[i].parent)
    while above >= 0 and not any(
        body.link.mass != 0 or body.link.shapes for body in tree.bodies if rigid_body(tree, body.index) == above
    ):
        above = rigid_body(tree, tree.bodies[above].parent)
    return above


def _root(tree: SpanningTree, i: int) -> int:
    while tree.bodies[i].parent >= 0:
        i = tree.bodies[i].parent
    return i


class _Surfaces:
    """What holds between two shapes; pairs of which the rules say nothing follow from the two surfaces alone."""

    def __init__(self, placed: Sequence[Placed], rules: ContactRules) -> None:
        self._placed, self._rules = placed, rules
        shapes = [x.shape for x in placed]
        looks = [(s.friction, s.restitution, s.torsion, s.rolling, s.combine, s.condim) for s in shapes]
        numbers = {look: k for k, look in enumerate(looks)}
        self._look = [numbers[look] for look in looks]
        self._known: dict[tuple[int, int], Touch] = {}

    def between(self, first: int, second: int) -> Touch:
        a, b = self._placed[first], self._placed[second]
        ends = (a.link, a.shape.part), (b.link, b.shape.part)
        if any(meet((first, second), *ends) for first, second, _ in self._rules.pairs):
            return self._rules.surface(a.link, a.shape, b.link, b.shape)
        key = self._look[first], self._look[second]
        if key not in self._known:
            self._known[key] = self._rules.surface(a.link, a.shape, b.link, b.shape)
        return self._known[key]


def _pair(placed: list[Placed], first: int, second: int, number: dict[int, int], surfaces: _Surfaces) -> Pair:
    points, touch = _points(placed[first].kind, placed[second].kind), surfaces.between(first, second)
    return Pair(number[first], number[second], touch.friction, touch.restitution, points, touch.torsion, touch.rolling)


def _check(placed: Placed) -> None:
    pose: Any = placed.shape.pose
    if pose.free_symbols:
        raise ModelError(
            f"link '{placed.link}': the pose of its {placed.shape.kind} has open symbols; contact needs numbers"
        )


def _warn(mechanism: Mechanism, missing: list[str]) -> tuple[str, ...]:
    names = sorted(set(missing))
    if not names:
        return ()
    shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    text = f"mechanism '{mechanism.name}': some pairs of these shapes do not touch each other: {shown}; give solids"
    warn(text, ContactWarning)
    return (text,)
