"""The meshes of a mechanism, of links, of the world and of what they look like, one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kinegen.runtime.errors import ModelError

from ..geometry.shapes import Shape
from ..mechanism import Mechanism
from ..types import WORLD


def each_mesh(mechanism: Mechanism, change: Callable[[Shape], Shape]) -> Mechanism:
    """The mechanism with every mesh as `change` gives it. A ModelError of `change` names the link."""

    def changed(link: str, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
        try:
            return tuple(change(shape) if shape.kind == "mesh" else shape for shape in shapes)
        except ModelError as error:
            raise ModelError(f"link '{link}': {error}") from None

    links = tuple(
        replace(link, shapes=changed(link.name, link.shapes)) if link.shapes else link for link in mechanism.links
    )
    visuals = tuple(replace(seen, shape=changed(seen.link, (seen.shape,))[0]) for seen in mechanism.visuals)
    return replace(mechanism, links=links, shapes=changed(WORLD, mechanism.shapes), visuals=visuals)
