"""Families of random closed mechanisms, as the places of their joints in the world.

Each loop is closed because its joints are put where its links are. How much the loop then moves follows from how the
axes lie: parallel, through one point, mirrored, as Bennett's condition has them. Nothing here says how many freedoms
there are; that is found by elimination with 60 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from kinegen.codegen.mechanism import KINDS
from support.maximal.exact import MP, Exact, cross, exact, pose, random_direction, turn

from .spots import GROUND, Spot, across, any_axis, any_point

EVERY_KIND = tuple(kind for kind in KINDS if kind not in ("free", "fixed"))
LOOP_KINDS = tuple(kind for kind in KINDS if kind != "free")


def spatial(rng: np.random.Generator) -> list[Spot]:
    """A tree of joints of all kinds, with one or two loops of all kinds between its links."""
    count = int(rng.integers(3, 7))
    spots = []
    for i in range(count):
        parent = i - 1 if rng.random() < 0.75 else int(rng.integers(-1, i))
        spots.append(Spot(str(rng.choice(EVERY_KIND)), parent, i, any_point(rng)))
    for _ in range(int(rng.integers(1, 3))):
        parent, child = rng.choice(np.arange(-1, count), 2, replace=False).tolist()
        spots.append(Spot(str(rng.choice(LOOP_KINDS)), parent, child, any_point(rng)))
    return spots


def _network(rng: np.random.Generator, joint: Callable[[int, int], Spot], links: int, loops: int) -> list[Spot]:
    """Links one on the other, and joints that close loops of at least three links."""
    parents = [i - 1 if rng.random() < 0.8 else int(rng.integers(-1, i)) for i in range(links)]
    spots = [joint(parent, i) for i, parent in enumerate(parents)]
    ends = {(parent, i) for i, parent in enumerate(parents)}
    for k in range(20 * loops):
        if len(spots) == links + loops:
            break
        a, b = (GROUND, links - 1) if k == 0 else sorted(rng.choice(np.arange(-1, links), 2, replace=False).tolist())
        if (a, b) not in ends and b - a > 1:
            ends.add((a, b))
            spots.append(joint(int(a), int(b)))
    return spots


def planar(rng: np.random.Generator) -> list[Spot]:
    """Turning joints about parallel axes, slides across them: a planar mechanism in a skewed frame."""
    normal = any_axis(rng)

    def joint(a: int, b: int) -> Spot:
        chance = rng.random()
        if chance < 0.2:
            return Spot("prismatic", a, b, any_point(rng), (across(rng, normal),))
        kind = "planar" if chance > 0.97 else "cylindrical" if chance > 0.93 else "revolute"
        return Spot(kind, a, b, any_point(rng), (normal,))

    loops = int(rng.integers(1, 4))
    return _network(rng, joint, int(rng.integers(2 * loops + 1, 2 * loops + 3)), loops)


def spherical(rng: np.random.Generator) -> list[Spot]:
    """All axes through one point."""
    centre = any_point(rng)

    def joint(a: int, b: int) -> Spot:
        kind = str(rng.choice(["revolute"] * 8 + ["universal", "spherical"]))
        return Spot(kind, a, b, centre, (any_axis(rng),) if kind == "revolute" else ())

    loops = int(rng.integers(1, 3))
    return _network(rng, joint, int(rng.integers(2 * loops + 1, 2 * loops + 3)), loops)


def parallel(rng: np.random.Generator) -> list[Spot]:
    """Joints that turn about, screw and slide along parallel axes, and slide anywhere: four rows of a loop count."""
    normal = any_axis(rng)
    turning = ["revolute", "revolute", "helical", "cylindrical"]
    slides = float(rng.choice([0.2, 1.0], p=[0.8, 0.2]))

    def joint(a: int, b: int) -> Spot:
        if rng.random() < slides:
            return Spot("prismatic", a, b, any_point(rng), (any_axis(rng),))
        return Spot(str(rng.choice(turning)), a, b, any_point(rng), (normal,))

    loops = int(rng.integers(1, 3))
    return _network(rng, joint, int(rng.integers(3 * loops, 3 * loops + 2)), loops)


def bennett(rng: np.random.Generator) -> list[Spot]:
    """Bennett's four-bar, or two that have a link in common: moves by its shape alone."""
    spots = _bennett(rng, [GROUND, 0, 1, 2])
    if rng.random() < 0.4:
        spots += _bennett(rng, [int(rng.integers(-1, 3)), 3, 4, 5])
    return spots


def _bennett(rng: np.random.Generator, links: list[int]) -> list[Spot]:
    alpha, theta = (MP.mpf(float(x)) for x in (rng.uniform(0.5, 1.2), rng.uniform(0.8, 2.2)))
    beta, a = (MP.mpf(float(x)) for x in (rng.uniform(1.4, 1.8), rng.uniform(0.4, 0.8)))
    b = a * MP.sin(beta) / MP.sin(alpha)
    other = 2 * MP.atan(MP.sin((alpha + beta) / 2) / MP.sin((beta - alpha) / 2) / MP.tan(theta / 2))
    frame = pose(turn(random_direction(rng), MP.mpf(float(rng.uniform(-3, 3)))), any_point(rng))
    spots = []
    sides = ((a, alpha, theta), (b, beta, other), (a, alpha, -theta), (b, beta, -other))
    for k, (side, twist, angle) in enumerate(sides):
        spots.append(Spot("revolute", links[k], links[(k + 1) % 4], frame[:3, 3], (frame[:3, 2],)))
        frame = frame @ _denavit(angle, side, twist)
    return spots


def _denavit(theta: object, length: object, twist: object) -> Exact:
    c, s, ct, st = MP.cos(theta), MP.sin(theta), MP.cos(twist), MP.sin(twist)
    return np.array(
        [[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [c * 0, st, ct, c * 0], [0, 0, 0, 1]],
        dtype=object,
    )


def line_symmetric(rng: np.random.Generator) -> list[Spot]:
    """A ring whose second half is the first, turned by half a turn about a line."""
    line = any_axis(rng)
    through = any_point(rng)
    half = _half(rng, int(rng.integers(2, 5)))

    def image(vector: Exact) -> Exact:
        return 2 * (line @ vector) * line - vector

    n = len(half)
    twins = [Spot(s.kind, 0, 0, through + image(s.point - through), (image(s.axes[0]),), s.pitch) for s in half]
    return _ring([*half, *twins], 2 * n)


def mirrored(rng: np.random.Generator) -> list[Spot]:
    """A ring that is its own mirror image: two joints in the plane of the mirror, the others in pairs."""
    normal = any_axis(rng)
    through = any_point(rng)
    half = _half(rng, int(rng.integers(1, 4)))

    def image(vector: Exact) -> Exact:
        return vector - 2 * (normal @ vector) * normal

    twins = [
        Spot(s.kind, 0, 0, through + image(s.point - through), (image(s.axes[0]),), -s.pitch) for s in reversed(half)
    ]
    ends = []
    for _ in range(2):
        kind = str(rng.choice(["revolute", "revolute", "revolute", "prismatic", "spherical", "cylindrical"]))
        axis = normal if kind == "revolute" and rng.random() < 0.2 else across(rng, normal)
        place = through + MP.mpf(float(rng.uniform(0.2, 0.6))) * across(rng, normal)
        ends.append(Spot(kind, 0, 0, place, () if kind == "spherical" else (axis,)))
    spots = [ends[0], *half, ends[1], *twins]
    return _ring(spots, len(spots))


def _half(rng: np.random.Generator, count: int) -> list[Spot]:
    found = []
    for _ in range(count):
        kind = str(rng.choice(["revolute"] * 5 + ["prismatic", "helical"]))
        pitch = MP.mpf(float(rng.uniform(0.1, 0.3))) if kind == "helical" else MP.mpf(0)
        found.append(Spot(kind, 0, 0, any_point(rng), (any_axis(rng),), pitch))
    return found


def _ring(spots: list[Spot], links: int) -> list[Spot]:
    """The spots one after the other around a ring of this many links, the ground being one."""
    names = [GROUND, *range(links - 1), GROUND]
    return [Spot(s.kind, names[k], names[k + 1], s.point, s.axes, s.pitch) for k, s in enumerate(spots)]


def copies(rng: np.random.Generator) -> list[Spot]:
    """A platform on equal legs at equal angles, more of them than it needs."""
    leg = exact(rng.uniform(-0.5, 0.5, 3))
    ends = [(exact(rng.uniform(-0.6, 0.6, 3))) for _ in range(int(rng.integers(2, 5)))]
    kind = str(rng.choice(["revolute", "universal", "spherical"], p=[0.6, 0.25, 0.15]))
    first, second = any_axis(rng), any_axis(rng)
    second = cross(first, second)
    second = second / MP.sqrt(second @ second)
    axes = {"revolute": (first,), "universal": (first, second), "spherical": ()}[kind]
    spots = []
    for i, foot in enumerate(ends):
        spots.append(Spot(kind, GROUND, i, foot, axes))
        spots.append(Spot(kind, i, len(ends), foot + leg, tuple(reversed(axes))))
    return spots


# ---- Near and at singular configurations


def near_singular(rng: np.random.Generator) -> list[Spot]:
    """A planar or spherical ring whose joints are nearly in line, by 1e-1 to 1e-10, or a parallelogram nearly flat."""
    return _in_line(rng, MP.mpf(10) ** MP.mpf(-float(rng.uniform(1, 10))))


def in_line(rng: np.random.Generator) -> list[Spot]:
    """The same, exactly in line."""
    return _in_line(rng, MP.mpf(0))


def _in_line(rng: np.random.Generator, off: object) -> list[Spot]:
    shape, normal = rng.integers(3), any_axis(rng)
    along = across(rng, normal)
    over = cross(normal, along)
    count = 4 if shape == 2 else int(rng.integers(4, 6))
    places = exact(np.sort(rng.uniform(-0.8, 0.8, count)) if rng.random() < 0.5 else rng.uniform(-0.8, 0.8, count))
    lifts = exact(rng.uniform(-1, 1, count)) * off
    if shape == 1:  # axes nearly in a plane
        axes = [
            turn(normal, 2 * place) @ (along * MP.cos(y) + normal * MP.sin(y))
            for place, y in zip(places, lifts, strict=True)
        ]
        return _ring([Spot("revolute", 0, 0, exact(np.zeros(3)), (axis,)) for axis in axes], count)  # fmt: skip
    if shape == 2:
        a, b = MP.mpf(float(rng.uniform(0.2, 0.5))), MP.mpf(float(rng.uniform(0.5, 1.0)))
        places, lifts = np.array([a * 0, a, a + b, b]), np.array([off * 0, off, off, off * 0])
    points = [
        x * along + y * over + MP.mpf(float(rng.uniform(-0.2, 0.2))) * normal
        for x, y in zip(places, lifts, strict=True)
    ]
    return _ring([Spot("revolute", 0, 0, point, (normal,)) for point in points], count)  # fmt: skip


def folded(rng: np.random.Generator) -> list[Spot]:
    """A planar, spherical or spatial ring in which two joints lie on one axis, so that what is between turns freely."""
    shape, count = rng.integers(3), int(rng.integers(5, 8))
    normal, centre = any_axis(rng), any_point(rng)
    if shape == 0:
        spots = [Spot("revolute", 0, 0, any_point(rng), (normal,)) for _ in range(count)]
    elif shape == 1:
        spots = [Spot("revolute", 0, 0, centre, (any_axis(rng),)) for _ in range(count)]
    else:
        spots = [Spot("revolute", 0, 0, any_point(rng), (any_axis(rng),)) for _ in range(count + 1)]
    first = int(rng.integers(len(spots) - 2))
    second = int(rng.integers(first + 2, len(spots)))
    same = spots[first]
    slid = same.point + same.axes[0] * MP.mpf(float(rng.uniform(-0.2, 0.2)))
    spots[second] = Spot("revolute", 0, 0, same.point if shape == 1 else slid, same.axes)
    return _ring(spots, len(spots))


FAMILIES: Mapping[str, tuple[Callable[[np.random.Generator], list[Spot]], float]] = {
    "spatial": (spatial, 0.25),
    "planar": (planar, 0.14),
    "spherical": (spherical, 0.08),
    "parallel": (parallel, 0.08),
    "Bennett": (bennett, 0.08),
    "line-symmetric": (line_symmetric, 0.07),
    "mirrored": (mirrored, 0.08),
    "copies": (copies, 0.07),
    "near singular": (near_singular, 0.06),
    "in line": (in_line, 0.04),
    "folded": (folded, 0.05),
}
"""By name, with the share of each among random mechanisms."""
