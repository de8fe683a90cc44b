"""Mechanism → Look: visuals of its file, shapes that touch, and sticks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from kinegen.codegen.mechanism import KINDS, WORLD, Joint, Mechanism, Pose, Shape
from kinegen.codegen.mechanism.geometry.triangles import Piece, pieces, unit_cylinder, unit_sphere
from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import ModelError
from kinegen.runtime.visual.look import Colour, Ground, Kind, Look, Looking, Part, Point, Rod, Surface

from .colours import GROUND, METAL, link_colours
from .ellipsoids import ellipsoid, value

THIN = 0.012
"""Radius of a bone, as part of how far the mechanism reaches."""

FLAT = 0.02
"""Half the thickness of a wheel without a tyre, as part of its radius."""

JOINT: Colour = (0.12, 0.16, 0.2, 1.0)

Values = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What is drawn of a link; `note`: why there is nothing."""

    link: str
    kind: Kind
    colour: Colour
    pieces: tuple[Piece, ...]
    note: str = ""


def looking(mechanism: Mechanism) -> Looking:
    """What a module is given: values of the parameters -> the look of the mechanism."""
    return partial(look_of, mechanism)


def look_of(mechanism: Mechanism, values: Values) -> Look:
    """Everything of a mechanism that can be drawn; `values` of its parameters by name.

    A mesh that cannot be read is left out, with a note that says why.
    """
    drawn = [*_visuals(mechanism), *_shapes(mechanism), *_sticks(mechanism, values)]
    surfaces = {piece.key: Surface(piece.vertices, piece.triangles) for one in drawn for piece in one.pieces}
    number = {key: i for i, key in enumerate(surfaces)}
    parts = [
        Part(one.link, number[piece.key], piece.place, piece.colour or one.colour, one.kind)
        for one in drawn
        for piece in one.pieces
    ]
    x, y, z = (value(g, values) for g in mechanism.gravity)
    strength = float(np.linalg.norm((x, y, z)))
    up = (-x / strength, -y / strength, -z / strength) if strength > 0.0 else (0.0, 0.0, 1.0)
    notes = tuple(dict.fromkeys(one.note for one in drawn if one.note))
    grounds = (Ground(link, _rows(shape.pose)) for link, shape in _every_shape(mechanism) if shape.kind == "plane")
    return Look(tuple(surfaces.values()), tuple(parts), tuple(grounds), tuple(_rods(mechanism, values)), up, notes)


def _visuals(mechanism: Mechanism) -> Iterator[_Drawn]:
    for visual in mechanism.visuals:
        colour = visual.colour or (*METAL, 1.0)
        yield _made(visual.link, "visual", colour, partial(pieces, visual.shape, visual.stretch, solid=False))


def _shapes(mechanism: Mechanism) -> Iterator[_Drawn]:
    colours = link_colours(mechanism)
    for link, shape in _every_shape(mechanism):
        yield _made(link, "shape", (*colours.get(link, GROUND), 1.0), partial(pieces, shape))


def _every_shape(mechanism: Mechanism) -> Iterator[tuple[str, Shape]]:
    """All shapes that may touch, with the links that carry them."""
    yield from ((WORLD, shape) for shape in mechanism.shapes)
    yield from ((link.name, shape) for link in mechanism.links for shape in link.shapes)


def _made(link: str, kind: Kind, colour: Colour, make: Callable[[], Iterable[Piece]]) -> _Drawn:
    try:
        return _Drawn(link, kind, colour, tuple(make()))
    except ModelError as error:
        return _Drawn(link, kind, colour, (), f"link '{link}': {error}")


def _sticks(mechanism: Mechanism, values: Values) -> Iterator[_Drawn]:
    """Every link as balls at its joints, bones between them or through its mass centre, and an ellipsoid of inertia."""
    colours, radius = link_colours(mechanism), THIN * _reach(mechanism, values)
    for link in mechanism.links:
        colour = colours[link.name]
        rims = (_wheel(joint, values) for joint in mechanism.joints if joint.wheel and joint.child == link.name)
        yield _Drawn(link.name, "stick", (*colour, 0.8), tuple(rim for rim in rims if np.isfinite(rim.place).all()))
        found = ellipsoid(link, values)
        ends = _ends(mechanism, link.name, values)
        yield _Drawn(link.name, "stick", JOINT, tuple(_ball(1.5 * radius * np.eye(3), end) for end in ends))
        if found is not None:
            squared, com = found
            lengths, axes = np.linalg.eigh(squared)
            halves = np.maximum(np.sqrt(np.maximum(lengths, 0.0)), radius)
            if halves[1] > 2.0 * radius or len(ends) == 1:  # a rod's is thinner than its bone, and longer
                turned = axes * np.linalg.det(axes)  # of determinant 1, so that triangles face outwards
                yield _Drawn(link.name, "stick", (*colour, 0.55), (_ball(turned * halves, com),))
            ends = ends if len(ends) != 1 or not np.linalg.norm(com - ends[0]) else [*ends, 2.0 * com - ends[0]]
        bones = (_bone(ends[0], end, radius) for end in ends[1:] if np.linalg.norm(end - ends[0]) > radius)
        yield _Drawn(link.name, "stick", (*colour, 1.0), tuple(bones))


def _wheel(joint: Joint, values: Values) -> Piece:
    """What rolls: a ball, or a flat cylinder as far out as the tyre."""
    assert joint.wheel is not None
    radius, tyre, *axis = (value(x, values) for x in (joint.wheel.radius, joint.wheel.tyre, *joint.wheel.axis))
    turn = np.array([[value(x, values) for x in row] for row in joint.child_origin.rotation])
    middle = np.array([value(x, values) for x in joint.child_origin.xyz])
    if radius == 0.0:
        return _ball(tyre * np.eye(3), middle)
    half = turn @ np.array(axis) * max(tyre, FLAT * radius)
    return _bone(middle - half, middle + half, radius + tyre)


def _ball(axes: Array, middle: Array) -> Piece:
    """The unit ball with these half axes as columns."""
    return Piece("sphere", *unit_sphere(), np.column_stack([axes, middle]))


def _ends(mechanism: Mechanism, link: str, values: Values) -> list[Array]:
    """(3) where joints are on a link, in it: that by which it hangs first."""
    by = [joint.child_origin for joint in mechanism.joints if joint.child == link]
    carried = [joint.origin for joint in mechanism.joints if joint.parent == link]
    found = [np.array([value(x, values) for x in pose.xyz]) for pose in (*by, *carried)]
    return [point for point in found if np.isfinite(point).all()]


def _bone(a: Array, b: Array, radius: float) -> Piece:
    """A cylinder from a to b."""
    along = b - a
    z = along / np.linalg.norm(along)
    helper = np.eye(3)[int(np.abs(z).argmin())]
    x = np.cross(helper, z) / np.linalg.norm(np.cross(helper, z))
    axes = np.column_stack([radius * x, radius * np.cross(z, x), along])
    return Piece("cylinder", *unit_cylinder(), np.column_stack([axes, 0.5 * (a + b)]))


def _reach(mechanism: Mechanism, values: Values) -> float:
    """The longest way [m] from joint to joint and on to the mass centre, along the tree; 1 if all is in one point."""
    reached: list[float] = []
    ends = [0.0]
    for body in mechanism.tree.bodies:
        step = float(np.linalg.norm([value(x, values) for x in body.joint.origin.xyz])) if body.parent >= 0 else 0.0
        reached.append((reached[body.parent] if body.parent >= 0 else 0.0) + (step if np.isfinite(step) else 0.0))
        com = float(np.linalg.norm([value(x, values) for x in body.link.com]))
        ends.append(reached[-1] + (com if np.isfinite(com) else 0.0))
    return max(ends) or 1.0


def _rods(mechanism: Mechanism, values: Values) -> Iterator[Rod]:
    """Joints whose ends slide apart."""
    for joint in mechanism.joints:
        if any(KINDS[joint.kind].linear) and not KINDS[joint.kind].free:
            yield Rod(joint.parent, _point(joint.origin, values), joint.child, _point(joint.child_origin, values))


def _point(pose: Pose, values: Values) -> Point:
    x, y, z = (float(np.nan_to_num(value(x, values))) for x in pose.xyz)
    return x, y, z


def _rows(pose: Pose) -> Array:
    """(3, 4) [R | p] of the pose of a shape, which holds numbers only."""
    return np.column_stack([np.array(pose.rotation, dtype=float), np.array(pose.xyz, dtype=float)])
