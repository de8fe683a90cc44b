"""What a link looks like, where a model file says it: geometry that is drawn and never touches or weighs anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from kinegen.runtime.errors import ModelError, shown

from .. import checks
from ..geometry.shapes import Shape
from ..pose import Pose

Colour = tuple[float, float, float, float]


@dataclass(frozen=True)
class Visual:
    """A shape as it is drawn, fixed to `link` or to "world"; its friction and the like mean nothing.

    `colour`: red, green, blue, opacity in [0, 1]; None: that of the mesh, or one that is chosen. `stretch` (3): the
    shape is larger by so much along its axes.
    """

    link: str
    shape: Shape
    colour: Colour | None = None
    stretch: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        what = f"visual of '{checks.name(self.link, 'visual: link')}'"
        if not isinstance(self.shape, Shape):
            raise ModelError(f"{what}: shape must be made with sphere(), mesh() and the like, got {shown(self.shape)}")
        if self.colour is not None:
            parts = [checks.constant(x, f"{what}: colour") for x in checks.items(self.colour, 4, f"{what}: colour")]
            if not all(0.0 <= x <= 1.0 for x in parts):
                raise ModelError(f"{what}: colour must be four numbers between 0 and 1, got {shown(self.colour)}")
            object.__setattr__(self, "colour", tuple(parts))
        factors = [checks.constant(x, f"{what}: stretch") for x in checks.items(self.stretch, 3, f"{what}: stretch")]
        if not all(x > 0.0 for x in factors):
            raise ModelError(f"{what}: stretch must be three positive numbers, got {shown(self.stretch)}")
        object.__setattr__(self, "stretch", tuple(factors))


def moved(visuals: Iterable[Visual], place: Callable[[str], tuple[str, Pose]]) -> tuple[Visual, ...]:
    """The visuals on other links: `place` gives the link that each now is on, and the pose in it."""
    result = []
    for visual in visuals:
        link, pose = place(visual.link)
        result.append(replace(visual, link=link, shape=replace(visual.shape, pose=pose * visual.shape.pose)))
    return tuple(result)


def readable(make: Callable[[], Iterable[Visual]]) -> list[Visual]:
    """What `make` gives, nothing where a file describes a visual that cannot be drawn: the motion is the same."""
    try:
        return list(make())
    except ModelError:
        return []
