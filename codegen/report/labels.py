"""Names beside bars, where they cover neither each other nor what else is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

WIDE, HIGH = 7.2, 13.0  # of a letter, of a line
AWAY = 13.0  # from the bar
ALONG = (0.5, 0.35, 0.65, 0.2, 0.8, 0.05, 0.95)  # of the bar, the best first
FURTHER = (1.0, 1.8, 3.0)  # times AWAY

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """What a name or a sign covers on the page."""

    left: float
    top: float
    right: float
    bottom: float

    def covers(self, other: Box) -> float:
        """Area that both cover."""
        if other.left >= self.right or other.right <= self.left or other.top >= self.bottom or other.bottom <= self.top:
            return 0.0
        wide = min(self.right, other.right) - max(self.left, other.left)
        return wide * (min(self.bottom, other.bottom) - max(self.top, other.top))


@dataclass(frozen=True)
class Label:
    """A name with its baseline at (x, y), its `anchor` as in SVG: start, middle or end."""

    text: str
    x: float
    y: float
    anchor: str

    @property
    def box(self) -> Box:
        width = WIDE * len(self.text)
        left = self.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * width
        return Box(left, self.y - 0.8 * HIGH, left + width, self.y + 0.2 * HIGH)


def labels(bars: Sequence[tuple[str, Point, Point]], signs: Iterable[Point], size: Point) -> list[Label]:
    """A label for each (name, end, end), one after the other at the first free place, else where it covers least.

    `signs`: where joints are drawn; `size` of the picture, which labels do not leave if they can stay.
    """
    taken = [_about(point, 6.0) for point in signs]
    taken += [_about(point, 2.5) for _, start, end in bars for point in np.linspace(start, end, 20)]
    found = []
    for name, start, end in bars:
        places = [_beside(name, start, end, part, side, far) for far in FURTHER for part in ALONG for side in (1, -1)]
        best = min(places, key=lambda label: _spoilt(label.box, taken, size))
        found.append(best)
        taken.append(best.box)
    return found


def _about(point: Sequence[float] | Array, half: float) -> Box:
    x, y = float(point[0]), float(point[1])
    return Box(x - half, y - half, x + half, y + half)


def _beside(name: str, start: Point, end: Point, part: float, side: int, far: float) -> Label:
    (x1, y1), (x2, y2) = start, end
    along = np.array([x2 - x1, y2 - y1])
    length = float(np.linalg.norm(along))
    across = np.array([along[1], -along[0]]) / length if length > 1e-6 else np.array([1.0, 0.0])
    across = side * (across if (across[0], across[1]) > (0.0, -1.0) else -across)
    dx, dy = AWAY * far * float(across[0]), AWAY * far * float(across[1])
    anchor = "start" if across[0] > 0.3 else "end" if across[0] < -0.3 else "middle"
    return Label(name, x1 + part * (x2 - x1) + dx, y1 + part * (y2 - y1) + dy + 4.0, anchor)


def _spoilt(box: Box, taken: Sequence[Box], size: Point) -> float:
    """Area that is covered already, or off the page."""
    whole = (box.right - box.left) * (box.bottom - box.top)
    inside = box.covers(Box(2.0, 2.0, size[0] - 2.0, size[1] - 2.0))
    return whole - inside + sum(box.covers(other) for other in taken)
