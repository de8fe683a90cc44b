"""What the user says of contact: who may touch whom, and how surfaces of two links combine (§11)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.typed import is_series, typed

from ...mechanism import checks
from ...mechanism.geometry.shapes import Shape, check_bits, parts_of
from ...mechanism.geometry.surface import COMBINE, Combine, check_arm, check_restitution, combined
from ...mechanism.mechanism import Mechanism
from ...mechanism.types import WORLD, Number


@dataclass(frozen=True)
class Surface:
    """Friction μ >= 0, restitution in [0, 1], torsional and rolling friction [m] >= 0 between two links, in place of
    what their shapes say; None: that."""

    friction: float | None = None
    restitution: float | None = None
    torsion: float | None = None
    rolling: float | None = None

    def __post_init__(self) -> None:
        friction, restitution, torsion, rolling = (
            0.0 if value is None else value for value in (self.friction, self.restitution, self.torsion, self.rolling)
        )
        check_restitution(restitution, "surface")
        if checks.constant(friction, "surface: friction") < 0.0:
            raise ModelError(f"surface: friction must not be negative, got {friction}")
        check_arm(torsion, "surface: torsion")
        check_arm(rolling, "surface: rolling")


@dataclass(frozen=True)
class Touch:
    """What holds between two shapes: friction (an expression where that of a shape is a symbol), restitution, torsional
    and rolling friction [m]."""

    friction: Number
    restitution: float
    torsion: float = 0.0
    rolling: float = 0.0


@dataclass(frozen=True)
class ContactRules:
    """Which links may touch, and how.

    `within`: also links of one tree (a robot and itself), but never a link and its parent; by default only links of
    different trees, and all links with the world. `exclude`: pairs of link names ("world" too) that never touch; here
    and below the name of a link that a fixed joint has made a part of another one means the shapes that it had.
    `groups`: {link: (category, mask)} bits in place of those of its shapes; two shapes may touch if the category of
    one meets the mask of the other, as contype and conaffinity do in MJCF.
    `pairs`: {(link, link): Surface(...)}. `combine`: each friction of two shapes, "geometric" mean √(μ_a μ_b), "min",
    "product" or "max", in place of the rules of the shapes (None: these); of two restitutions the larger one holds.
    """

    within: bool = False
    exclude: tuple[tuple[str, str], ...] = ()
    groups: tuple[tuple[str, int, int], ...] = ()
    pairs: tuple[tuple[str, str, Surface], ...] = ()
    combine: Combine | None = None

    def __init__(
        self,
        *,
        within: bool = False,
        exclude: Iterable[tuple[str, str]] = (),
        groups: Mapping[str, tuple[int, int]] | None = None,
        pairs: Mapping[tuple[str, str], Surface] | None = None,
        combine: Combine | None = None,
    ) -> None:
        object.__setattr__(self, "within", checks.flag(within, "within"))
        named = [exclude] if isinstance(exclude, str) or not is_series(exclude) else exclude
        object.__setattr__(self, "exclude", tuple(_two_names(pair, "exclude") for pair in named))
        object.__setattr__(self, "groups", tuple(_group(*item) for item in _by_link(groups, "groups").items()))
        object.__setattr__(self, "pairs", _each_once(_surface(*item) for item in _by_link(pairs, "pairs").items()))
        if combine is not None and (not isinstance(combine, str) or combine not in COMBINE):
            raise ModelError(f"combine: unknown rule {shown(combine)}{checks.nearest(combine, [*COMBINE])}")
        object.__setattr__(self, "combine", combine)

    @typed
    def check(self, mechanism: Mechanism) -> None:
        """ModelError for a name that is no link."""
        known = {WORLD, *(link.name for link in mechanism.links), *parts_of(mechanism.links, mechanism.shapes)}
        named = {
            "exclude": [name for pair in self.exclude for name in pair],
            "groups": [link for link, _, _ in self.groups],
            "pairs": [name for a, b, _ in self.pairs for name in (a, b)],
        }
        for option, names in named.items():
            for name in names:
                if name not in known:
                    raise ModelError(f"{option}: mechanism '{mechanism.name}' has no link {shown(name)}")

    @typed
    def surface(self, link_a: str, a: Shape, link_b: str, b: Shape) -> Touch:
        """What holds between two shapes: of their coefficients those that the larger `condim` has."""
        order, resisted = list(COMBINE), max(_resisted(a), _resisted(b))
        rule = self.combine or order[max(order.index(a.combine), order.index(b.combine))]
        touch = Touch(
            combined(rule, a.friction, b.friction) if resisted >= 3 else 0.0,
            max(a.restitution, b.restitution),
            COMBINE[rule](a.torsion, b.torsion) if resisted >= 4 else 0.0,
            COMBINE[rule](a.rolling, b.rolling) if resisted >= 6 else 0.0,
        )
        for first, second, said in self.pairs:
            if meet((first, second), (link_a, a.part), (link_b, b.part)):
                told = {field.name: getattr(said, field.name) for field in fields(said)}
                touch = replace(touch, **{name: float(value) for name, value in told.items() if value is not None})
        return touch

    @typed
    def bits(self, link: str, shape: Shape) -> tuple[int, int]:
        """Category and mask of a shape: two may touch if the category of one meets the mask of the other."""
        own = [(category, mask) for name, category, mask in self.groups if name in (link, shape.part)]
        return own[-1] if own else (shape.category, shape.mask)


def _resisted(shape: Shape) -> int:
    """Its `condim`, or where none is given what its own coefficients ask for."""
    return shape.condim or (6 if shape.rolling > 0.0 else 4 if shape.torsion > 0.0 else 3)


def meet(pair: tuple[str, str], a: Collection[str], b: Collection[str]) -> bool:
    """One name of the pair is among those of a, the other among those of b."""
    first, second = pair
    return (first in a and second in b) or (first in b and second in a)


def _two_names(pair: Any, option: str) -> tuple[str, str]:
    match pair:
        case [str(a), str(b)]:
            if a == b:
                raise ModelError(
                    f"{option}: a link does not touch itself, got {shown(pair)}; name another link or 'world'"
                )
            return a, b
    raise ModelError(f"{option}: expected pairs of link names such as ('hand', 'table'), got {shown(pair)}")


def _by_link(given: Any, option: str) -> Mapping[Any, Any]:
    if not isinstance(given, Mapping | None):
        raise ModelError(f"{option}: expected what holds for links, by their names, got {shown(given)}")
    return given or {}


def _group(link: Any, bits: Any) -> tuple[str, int, int]:
    match bits:
        case [category, mask] if isinstance(link, str):
            what = f"groups: link {link!r}"
            return link, check_bits(category, what), check_bits(mask, what)
    raise ModelError(f"groups: expected (category, mask) of link {shown(link)}, got {shown(bits)}")


def _surface(names: Any, said: Any) -> tuple[str, str, Surface]:
    if not isinstance(said, Surface):
        raise ModelError(f"pairs: expected a Surface for {shown(names)}, got {shown(said)}")
    return *_two_names(names, "pairs"), said


def _each_once(pairs: Iterable[tuple[str, str, Surface]]) -> tuple[tuple[str, str, Surface], ...]:
    """ModelError for a pair that is told two things, in one order of its names and in the other."""
    told: dict[frozenset[str], tuple[str, str, Surface]] = {}
    for a, b, said in pairs:
        first = told.setdefault(frozenset((a, b)), (a, b, said))
        if first[2] != said:
            raise ModelError(f"pairs: {first[:2]} and {(a, b)} are one pair, with two surfaces; leave out one of them")
    return tuple(told.values())
