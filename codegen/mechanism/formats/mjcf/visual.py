"""What geoms of MJCF look like: those of the groups that viewers show, in their colour or that of their material."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ...elements.visual import Colour, Visual, readable
from ...geometry.shapes import Shape
from ..xml_input import Node
from .asset import Assets
from .geom import Geom, shape_of
from .input import alone, whole

MATERIAL = (
    *("name", "class", "texture", "texrepeat", "texuniform", "emission", "specular", "shininess", "reflectance"),
    *("metallic", "roughness", "rgba"),
)
SHOWN = 3  # groups from here on are hidden unless asked for: shapes for contact alone


def materials(document: Node) -> dict[str, Node]:
    """The <material> assets by name."""
    result: dict[str, Node] = {}
    for section in document.children("asset"):
        for node in section.children("material"):
            node.only_attributes(*MATERIAL)
            result[alone(node, node.text("name", ""), result)] = node
    return result


def visuals_of(geoms: Sequence[Geom], assets: Assets, known: Mapping[str, Node], link: str) -> list[Visual]:
    """Of the geoms of a body; what cannot be drawn is left out."""
    return [visual for geom in geoms for visual in readable(partial(_visual, geom, assets, known, link))]


def _visual(geom: Geom, assets: Assets, known: Mapping[str, Node], link: str) -> Iterator[Visual]:
    if whole(geom.node, "group", 0) >= SHOWN:
        return
    colour = _colour(geom.node) or _colour(known.get(geom.node.text("material", "")))
    if geom.kind == "ellipsoid":
        a, b, c = geom.size[:3]
        yield Visual(link, Shape("sphere", (1.0,), geom.pose), colour, (a, b, c))
        return
    shape = shape_of(geom, assets)
    if shape is not None:
        yield Visual(link, shape, colour)


def _colour(node: Node | None) -> Colour | None:
    values = None if node is None else node.numbers("rgba", (4,))
    if values is None:
        return None
    red, green, blue, opacity = (min(max(x, 0.0), 1.0) for x in values)
    return red, green, blue, opacity
