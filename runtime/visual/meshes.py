"""What is drawn of each link as few meshes: all of one kind and colour in one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ..arguments import Array
from .look import WORLD, Colour, Index, Kind, Look, Part, Surface
from .simplify import coarser, share


@dataclass(frozen=True, eq=False)
class Mesh:
    """All parts of a link, or of "world", of one kind and colour: `vertices` (n, 3) [m] in the link, `triangles` (f, 3)
    numbers of their corners, counterclockwise as seen from outside. `solid`: nobody sees them from inside.
    """

    link: str
    kind: Kind
    colour: Colour
    vertices: Array
    triangles: Index
    solid: bool


def meshes(look: Look, links: Collection[str], triangles: int) -> tuple[Mesh, ...]:
    """Those of the links that are there and of the world; each kind simplified to about `triangles` in all."""
    groups: dict[tuple[str, Kind, Colour], list[Part]] = {}
    for part in look.parts:
        if part.link == WORLD or part.link in links:
            groups.setdefault((part.link, part.kind, part.colour), []).append(part)
    most = {
        kind: _share(look, [p for group in groups.values() for p in group], kind, triangles) for _, kind, _ in groups
    }
    simple: dict[tuple[int, int], Surface] = {}
    found = []
    for (link, kind, colour), parts in groups.items():
        for part in parts:
            key = (part.surface, most[kind])
            simple[key] = simple.get(key) or coarser(look.surfaces[part.surface], most[kind])
        placed = [(simple[p.surface, most[kind]], p.place) for p in parts]
        solid = colour[3] >= 1.0 and all(is_solid(look.surfaces[p.surface]) for p in parts)
        found.append(Mesh(link, kind, colour, *_joined(placed), solid))
    return tuple(mesh for mesh in found if len(mesh.triangles))


def _share(look: Look, parts: list[Part], kind: Kind, triangles: int) -> int:
    """The most triangles of one part of a kind, so that all of that kind stay within the budget."""
    return share([len(look.surfaces[part.surface].triangles) for part in parts if part.kind == kind], triangles)


def _joined(placed: list[tuple[Surface, Array]]) -> tuple[Array, Index]:
    """(n, 3) corners and (f, 3) triangles of all surfaces where they are placed."""
    starts = np.cumsum([0, *(len(surface.vertices) for surface, _ in placed)])
    vertices = [surface.vertices @ place[:, :3].T + place[:, 3] for surface, place in placed]
    faces = [surface.triangles + start for (surface, _), start in zip(placed, starts, strict=False)]
    return np.concatenate(vertices), np.concatenate(faces)


def is_solid(surface: Surface) -> bool:
    """Closed, Σ A n = 0, with its triangles facing outwards, Σ A n · x > 0; told by sums, which holes could cancel."""
    a, b, c = np.moveaxis(surface.vertices[surface.triangles], 1, 0)
    areas = np.cross(b - a, c - a)
    total = np.linalg.norm(areas, axis=1).sum()
    return bool(np.linalg.norm(areas.sum(axis=0)) <= 1e-3 * total and np.einsum("ij,ij->", areas, a) > 0.0)
