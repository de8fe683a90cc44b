"""The mechanism as a drawing: links as bars between their joints, joints as the signs of machine drawings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from kinegen.runtime.kinds import KINDS, Kind

from ..mechanism.types import WORLD
from .geometry import Geometry, JointPlace
from .labels import labels
from .svg import add, canvas, clipped, markup

Array = npt.NDArray[np.float64]
SMALL, LARGE = (680.0, 440.0), (1160.0, 800.0)  # pictures of few links and of many
MARGIN = 48.0
FLAT = 1e-9  # thickness over size below which a mechanism is planar
FEW = 14  # links up to which names are written beside them, and two pictures stand side by side
COLOURS = 8


@dataclass(frozen=True)
class View:
    """World point → (x, y) on the page and depth towards the eye."""

    right: Array
    upward: Array
    eye: Array
    scale: float
    shift: tuple[float, float]

    def __call__(self, point: Array) -> tuple[float, float]:
        return (
            float(self.shift[0] + self.scale * (self.right @ point)),
            float(self.shift[1] - self.scale * (self.upward @ point)),
        )

    def depth(self, point: Array) -> float:
        return float(self.eye @ point)


def drawing(scene: Geometry, name: str) -> Markup:
    """SVG; planar mechanisms are seen along their normal, spatial ones from the front, right and above."""
    points = np.array([p for joint in scene.joints for p in (joint.on_parent, joint.on_child)] + [*_heavy(scene)])
    few = len(scene.poses) <= FEW + 1
    size = SMALL if few else LARGE
    view = _view(points, scene.up, size)
    picture = canvas(*size, "drawing", f"drawing of {name}")
    bars = sorted(_bars(scene), key=lambda bar: view.depth(bar.middle))
    for bar in bars:
        bar.draw(picture, view)
    for link, place in _massive(scene):
        _center(picture, view, link, place, scene)
    for joint in sorted(scene.joints, key=lambda joint: view.depth(joint.on_parent)):
        _joint(picture, view, joint)
    if few:
        named = [(clipped(bar.link, 24), view(bar.ends[0]), view(bar.ends[1])) for bar in _longest(bars)]
        signs = [view(place) for joint in scene.joints for place in (joint.on_parent, joint.on_child)]
        for label in labels(named, [*signs, *map(view, _heavy(scene))], size):
            add(picture, "text", label.text, x=label.x, y=label.y, kind="name", text_anchor=label.anchor)
    _gravity(picture, view, scene.up, size[0] - 30)
    return markup(picture)


@dataclass(frozen=True)
class Bar:
    """A part of a link between two points."""

    link: str
    colour: int
    ends: tuple[Array, Array]
    thin: bool

    @property
    def middle(self) -> Array:
        return np.asarray((self.ends[0] + self.ends[1]) / 2)

    def draw(self, picture: Element, view: View) -> None:
        (x1, y1), (x2, y2) = map(view, self.ends)
        kind = f"link c{self.colour}{' thin' if self.thin else ''}"
        add(picture, "line", x1=x1, y1=y1, x2=x2, y2=y2, kind=kind, title=self.link)


def _bars(scene: Geometry) -> list[Bar]:
    """From each link's own joint to the joints it carries; to its centre of mass where it carries none."""
    found = []
    own = {joint.joint.child: joint.on_child for joint in scene.joints if not joint.cut}
    for i, (link, pose) in enumerate((name, pose) for name, pose in scene.poses.items() if name != WORLD):
        start = own.get(link, pose[:3, 3])
        ends = [joint.on_parent for joint in scene.joints if joint.joint.parent == link]
        ends += [joint.on_child for joint in scene.joints if joint.cut and joint.joint.child == link]
        thin = [False] * len(ends)
        if link in scene.centers and scene.masses[link] > 0:
            ends, thin = [*ends, scene.centers[link]], [*thin, bool(ends)]
        found += [Bar(link, i % COLOURS, (start, end), slim) for end, slim in zip(ends, thin, strict=True)]
    return found


def _longest(bars: list[Bar]) -> list[Bar]:
    best: dict[str, Bar] = {}
    for bar in bars:
        length = float(np.linalg.norm(bar.ends[1] - bar.ends[0]))
        known = best.get(bar.link)
        if not bar.thin and (known is None or length > float(np.linalg.norm(known.ends[1] - known.ends[0]))):
            best[bar.link] = bar
    return list(best.values())


def _massive(scene: Geometry) -> list[tuple[str, Array]]:
    return [(link, place) for link, place in scene.centers.items() if scene.masses[link] > 0]


def _heavy(scene: Geometry) -> list[Array]:
    return [place for _, place in _massive(scene)]


def _center(picture: Element, view: View, link: str, place: Array, scene: Geometry) -> None:
    """The sign of a centre of mass: a disc with two black quarters."""
    x, y = view(place)
    r = 5.0
    mark = add(picture, "g", kind="com", title=f"centre of mass of {link}, {scene.masses[link]:.4g} kg")
    add(mark, "circle", cx=x, cy=y, r=r, kind="disc")
    quarters = f"M{x:.2f} {y:.2f}h{r}a{r} {r} 0 0 1 {-r} {r}zM{x:.2f} {y:.2f}h{-r}a{r} {r} 0 0 1 {r} {-r}z"
    add(mark, "path", d=quarters, kind="quarters")


def _joint(picture: Element, view: View, place: JointPlace) -> None:
    joint = place.joint
    (x, y), (x2, y2) = view(place.on_parent), view(place.on_child)
    title = f"{joint.name}: {joint.described}{', cut' if place.cut else ''}, {joint.parent} to {joint.child}"
    mark = add(
        picture, "g", kind=f"joint{' cut' if place.cut else ''}{' driven' if joint.actuated else ''}", title=title
    )
    kind = KINDS[joint.kind]
    if not kind.free and abs(x2 - x) + abs(y2 - y) > 1.0:
        add(mark, "line", x1=x, y1=y, x2=x2, y2=y2, kind="rail")
    if joint.parent == WORLD and not kind.free:
        _ground(mark, x, y)
    _sign(kind)(mark, x, y)


def _ground(mark: Element, x: float, y: float) -> None:
    base = y + 17
    add(mark, "path", d=f"M{x:.2f} {y:.2f}l-10 17h20z", kind="ground")
    strokes = "".join(f"M{x + dx:.2f} {base:.2f}l-5 6" for dx in (-8, -1, 6, 13))
    add(mark, "path", d=f"M{x - 14:.2f} {base:.2f}h28{strokes}", kind="ground")


def _ring(mark: Element, x: float, y: float) -> None:
    add(mark, "circle", cx=x, cy=y, r=6.0, kind="sign")


def _square(mark: Element, x: float, y: float) -> None:
    add(mark, "rect", x=x - 6, y=y - 6, width=12.0, height=12.0, kind="sign")


def _ball(mark: Element, x: float, y: float) -> None:
    add(mark, "circle", cx=x, cy=y, r=7.0, kind="sign")
    add(mark, "circle", cx=x, cy=y, r=3.0, kind="dot")


def _cross(mark: Element, x: float, y: float) -> None:
    _ring(mark, x, y)
    add(mark, "path", d=f"M{x - 6:.2f} {y:.2f}h12M{x:.2f} {y - 6:.2f}v12", kind="stroke")


def _weld(mark: Element, x: float, y: float) -> None:
    add(mark, "path", d=f"M{x - 5:.2f} {y - 5:.2f}l10 10M{x - 5:.2f} {y + 5:.2f}l10 -10", kind="stroke")


def _nothing(mark: Element, x: float, y: float) -> None:
    """A free joint holds nothing."""


def _sign(kind: Kind) -> Callable[[Element, float, float], None]:
    """A square for what slides, a ring for what turns, crossed if it turns about several axes."""
    if kind.rigid or kind.free:
        return _weld if kind.rigid else _nothing
    if kind.group == "so3":
        return _ball
    if len(kind.turns) > 1:
        return _cross
    return _square if kind.slides or kind.group else _ring


def _gravity(picture: Element, view: View, up: Array, x: float) -> None:
    """An arrow at the edge, if gravity lies in the page."""
    dx, dy = float(-view.right @ up), float(view.upward @ up)
    if dx * dx + dy * dy < 0.1:
        return
    y = 30.0
    add(picture, "line", x1=x, y1=y, x2=x + 34 * dx, y2=y + 34 * dy, kind="gravity")
    tip, side = (x + 34 * dx, y + 34 * dy), (-dy, dx)
    wings = [(tip[0] - 8 * dx + s * 4 * side[0], tip[1] - 8 * dy + s * 4 * side[1]) for s in (1, -1)]
    corners = " ".join(f"{a:.2f},{b:.2f}" for a, b in (tip, *wings))
    add(picture, "polygon", points=corners, kind="gravity")
    add(picture, "text", "g", x=x + 8, y=y + 14, kind="name")


def _view(points: Array, up: Array, size: tuple[float, float]) -> View:
    """Fills the picture; up is upwards unless one looks along it."""
    eye = _eye(points, up)
    upward = up - eye * (eye @ up)
    if np.linalg.norm(upward) < 1e-6:
        upward = np.array([0.0, 1.0, 0.0]) - eye * eye[1]
    upward = upward / np.linalg.norm(upward)
    right = np.cross(upward, eye)
    flat = np.column_stack([points @ right, points @ upward])
    low, high = flat.min(axis=0), flat.max(axis=0)
    spans = np.maximum(high - low, 1e-9)
    scale = float(min((np.array(size) - 2 * MARGIN) / spans)) if np.any(high - low > 1e-9) else 1.0
    x, y = (low + high) / 2
    return View(right, upward, eye, scale, (size[0] / 2 - scale * float(x), size[1] / 2 + scale * float(y)))


def _eye(points: Array, up: Array) -> Array:
    """Unit vector towards the eye: the normal of a planar mechanism, else from the front, its right and above."""
    apart = np.vstack([points - points.mean(axis=0), np.zeros((3, 3))])
    _, sizes, axes = np.linalg.svd(apart, full_matrices=False)
    if sizes[2] > FLAT * sizes[0]:
        side = np.cross(up, [1.0, 0.0, 0.0] if abs(up[0]) < 0.9 else [0.0, 1.0, 0.0])
        front = np.cross(side, up)
        eye = 0.80 * front / np.linalg.norm(front) - 0.52 * side / np.linalg.norm(side) + 0.30 * up
    else:
        eye = axes[2] if sizes[1] > FLAT * max(sizes[0], 1e-12) else _across(axes[0], up)
        eye = eye if eye @ np.array([0.3, -0.8, 0.5]) >= 0 else -eye
    return np.asarray(eye / np.linalg.norm(eye))


def _across(line: Array, up: Array) -> Array:
    """A direction to look at a straight line from."""
    normal = np.cross(up, line)
    if np.linalg.norm(normal) < 1e-6:
        normal = np.cross([1.0, 0.0, 0.0] if abs(line[0]) < 0.9 else [0.0, 0.0, 1.0], line)
    return np.asarray(normal)
