"""What a mechanism looks like, as plain data: surfaces of triangles and how they are fixed to its links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arguments import Array

Index = NDArray[np.int64]
Colour = tuple[float, float, float, float]
Kind = Literal["stick", "shape", "visual"]
Point = tuple[float, float, float]

WORLD = "world"


@dataclass(frozen=True, eq=False)
class Surface:
    """`vertices` (n, 3), `triangles` (f, 3) numbers of their corners, counterclockwise as seen from outside."""

    vertices: Array
    triangles: Index


@dataclass(frozen=True, eq=False)
class Part:
    """A surface on a link, or on "world". `place` (3, 4) rows of [A | p]: x in the surface is A x + p in the link [m].

    `colour`: red, green, blue, opacity in [0, 1]. `kind`: the visual of a file, the shape that touches, or a stick.
    """

    link: str
    surface: int
    place: Array
    colour: Colour
    kind: Kind


@dataclass(frozen=True, eq=False)
class Ground:
    """A half space on a link, or on "world": `place` (3, 4) of its plane z = 0."""

    link: str
    place: Array


@dataclass(frozen=True)
class Rod:
    """A straight line between points [m] of two links, such as a piston between its ends."""

    link_a: str
    point_a: Point
    link_b: str
    point_b: Point


@dataclass(frozen=True, eq=False)
class Look:
    """Everything that is drawn. `up` (3): against gravity, in world; `notes`: what could not be drawn, and why."""

    surfaces: tuple[Surface, ...] = ()
    parts: tuple[Part, ...] = ()
    grounds: tuple[Ground, ...] = ()
    rods: tuple[Rod, ...] = ()
    up: Point = (0.0, 0.0, 1.0)
    notes: tuple[str, ...] = ()


RANK: dict[Kind, int] = {"stick": 0, "shape": 1, "visual": 2}


class Drawn(Protocol):
    """A part, or several in one."""

    @property
    def link(self) -> str: ...

    @property
    def kind(self) -> Kind: ...


def best_kinds(parts: Iterable[Drawn]) -> dict[str, Kind]:
    """By link, what is drawn of it unless told otherwise: its visuals, else its shapes, else its sticks."""
    best: dict[str, Kind] = {}
    for part in parts:
        if part.link not in best or RANK[part.kind] > RANK[best[part.link]]:
            best[part.link] = part.kind
    return best


Looking = Callable[[Mapping[str, float]], Look]
"""Values of run-time parameters -> the look; whoever compiles a mechanism hands it to the module (`Module.look`)."""
