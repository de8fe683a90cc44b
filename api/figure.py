"""The human figure of [N98 Fig. 13]: 17 links, 12 spherical and 4 revolute joints, and a free root.

Masses, lengths, mass centres and radii of gyration: de Leva's [DeLeva96 table 4]. That table has head and neck in one:
the neck here is a cylinder of soft tissue cut out of it, so that both together, upright, are the table's segment.

Axes in every link, standing upright: x forward, y to the left, z up; the link's origin is its upper joint, the root's
is the point between the hips.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.codegen.mechanism.checks import number
from kinegen.codegen.mechanism.elements import inertia as solids
from kinegen.codegen.mechanism.elements.parameter import default_of
from kinegen.codegen.mechanism.structure.merge import merge_fixed
from kinegen.codegen.mechanism.types import Number
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.typed import typed

from .de_leva import MAN, WOMAN, Person, Segment, Triple

HEEL = 0.25
"""Place of the ankle along the foot, from the heel, in foot lengths."""
NECK = (0.10, 0.06, 1.06e3)
"""Length and radius [m] and density [kg/m³] of the neck."""
HEIGHTS = (0.3, 3.0)
"""Least and largest height [m] of a person."""
PEOPLE = {"male": MAN, "female": WOMAN}


@dataclass(frozen=True)
class Scale:
    """A person of the table, and what masses and lengths are multiplied by."""

    of: Person
    mass: Number
    length: Number

    def link(self, name: str, mass: float, com: Triple, moments: Triple) -> Link:
        """A link of the table's mass [kg], mass centre [m] and principal moments about x y z [kg m²], scaled."""
        x, y, z = (self.length * c for c in com)
        xx, yy, zz = (self.mass * self.length * self.length * m for m in moments)
        return Link(name, self.mass * mass, (x, y, z), (xx, 0.0, 0.0, yy, 0.0, zz))

    def pose(self, x: float, y: float, z: float) -> Pose:
        return Pose((self.length * x, self.length * y, self.length * z))


@typed
def human_figure(
    mass: Number = 70.0, height: Number = 1.75, *, sex: str = "male", name: str = "human_figure"
) -> Mechanism:
    """Someone standing of `mass` [kg] and `height` [m], arms hanging: nv = 46, nq = 59, floating on joint "root_joint".

    `height` is that of the figure, from the soles to the top of its head: what its segments add up to, which are to
    each other as in the table. A man's there add up to 1.777 m, more than his mean stature; for segments of the table's
    own lengths that is the height to ask for.

    `sex`: "male" or "female", of the table's means. Mass and height may be SymPy expressions, and are run-time
    parameters then: `kg.parameter("height", 1.75)` is one that need not be set.

    Joints: root_joint (free), waist, chest, neck, head, hip_l, ankle_l, shoulder_l, wrist_l and _r (spherical), knee_l,
    elbow_l and _r (revolute, positive when they bend). ModelError if the mass is not positive or the height not that of
    a person.
    """
    if sex not in PEOPLE:
        raise ModelError(f"human_figure: sex must be one of {', '.join(map(repr, PEOPLE))}, got {shown(sex)}")
    mean = PEOPLE[sex]
    scale = Scale(mean, _positive("mass", mass) / (mean.mass * mean.whole), _height(height) / mean.stature)
    links = [*_trunk(scale), *(link for side in "lr" for link in (*_leg(scale, side), *_arm(scale, side)))]
    joints = [*_spine(scale), *(joint for side in "lr" for joint in _limbs(scale, side))]
    return Mechanism(name, links, joints)


def _positive(what: str, value: Number) -> Number:
    """ModelError for what is no positive number, by default neither, or a symbol that cannot be one."""
    given = number(value, f"human_figure: {what}")
    known = given if isinstance(given, float) else default_of(given)
    cannot = not isinstance(given, float) and given.is_positive is False
    if cannot or (known is not None and known <= 0.0):
        raise ModelError(f"human_figure: {what} must be a positive number, got {_told(value)}")
    return given


def _height(value: Number) -> Number:
    """ModelError for what is no height of a person in metres; a symbol may be any that is positive."""
    given, (least, most) = _positive("height", value), HEIGHTS
    known = given if isinstance(given, float) else default_of(given)
    if known is not None and not least <= known <= most:
        metres = known / 100.0
        hint = f"; {known:g} cm are {metres:g} m" if least <= metres <= most else ""
        raise ModelError(f"human_figure: height must be {least:g} to {most:g} m, got {_told(value)}{hint}")
    return given


def _told(value: Number) -> str:
    known = default_of(value)
    return shown(value) if known is None else f"{value}, which is {known:g} by default"


RIGID = ("waist", "chest", "neck", "head", "wrist_l", "wrist_r", "ankle_l", "ankle_r")
"""Joints of the human figure that the simple one does not have."""


@typed
def simple_figure(
    mass: Number = 70.0, height: Number = 1.75, *, sex: str = "male", name: str = "simple_figure", prefix: str = ""
) -> Mechanism:
    """The figure of [N98 Figs. 14, 15]: a rigid trunk with head, arms and legs of 4 dof each: nv = 16 + 6, nq = 27.

    The human figure with stiff spine, wrists and ankles. Links: pelvis (all of the trunk), thigh, shank, upper_arm,
    forearm, _l and _r; hand_l, foot_l, head ... are frames. Joints: root_joint (free), hip, shoulder (spherical), knee,
    elbow (revolute), _l and _r. `prefix` stands before all names, for more than one figure. ModelError as for
    `human_figure`.
    """
    figure = human_figure(mass, height, sex=sex, name=name)
    joints = [Joint(j.name, "fixed", j.parent, j.child, j.origin) if j.name in RIGID else j for j in figure.joints]
    stiff = merge_fixed(Mechanism(name, figure.links, joints))
    if not prefix:
        return stiff
    named = {link.name: prefix + link.name for link in stiff.links} | {"world": "world"}
    return Mechanism(
        name,
        [replace(link, name=named[link.name]) for link in stiff.links],
        [replace(j, name=prefix + j.name, parent=named[j.parent], child=named[j.child]) for j in stiff.joints],
        stiff.gravity,
        [replace(frame, name=prefix + frame.name, link=named[frame.link]) for frame in stiff.frames],
    )


def _moments(scale: Scale, segment: Segment) -> Triple:
    x, y, z = (scale.of.mass * segment.share * (radius * segment.length) ** 2 for radius in segment.radii)
    return x, y, z


def _upright(scale: Scale, name: str, segment: Segment, sign: float) -> Link:
    """A segment along z from its origin: upwards (sign 1) or hanging (sign -1)."""
    com = (0.0, 0.0, sign * segment.centre * segment.length)
    return scale.link(name, scale.of.mass * segment.share, com, _moments(scale, segment))


def _trunk(scale: Scale) -> list[Link]:
    of = scale.of
    named = (("pelvis", of.lower_trunk), ("abdomen", of.middle_trunk), ("thorax", of.upper_trunk))
    return [*(_upright(scale, name, segment, 1.0) for name, segment in named), *_neck_and_head(scale)]


def _neck_and_head(scale: Scale) -> list[Link]:
    """The table's one segment cut in two: head = whole − neck in mass, first and second moments."""
    length, radius, density = NECK
    neck = math.pi * radius**2 * length * density
    both = scale.of.head_and_neck
    whole, middle = scale.of.mass * both.share, both.centre * both.length
    head = whole - neck
    centre = (whole * middle - neck * length / 2) / head
    across, _, about = (row[k] for k, row in enumerate(solids.cylinder(neck, radius, length)))
    x, y, z = _moments(scale, scale.of.head_and_neck)
    shift = neck * (length / 2 - middle) ** 2 + head * (centre - middle) ** 2
    return [
        scale.link("neck", neck, (0.0, 0.0, length / 2), (float(across), float(across), float(about))),
        scale.link(
            "head", head, (0.0, 0.0, centre - length), (x - across - shift, y - across - shift, z - float(about))
        ),
    ]


def _leg(scale: Scale, side: str) -> list[Link]:
    of, foot = scale.of, scale.of.foot
    sagittal, transverse, longitudinal = _moments(scale, foot)  # the foot's long axis points forward
    com = ((foot.centre - HEEL) * foot.length, 0.0, -of.ankle / 2)
    return [
        _upright(scale, f"thigh_{side}", of.thigh, -1.0),
        _upright(scale, f"shank_{side}", of.shank, -1.0),
        scale.link(f"foot_{side}", of.mass * foot.share, com, (longitudinal, transverse, sagittal)),
    ]


def _arm(scale: Scale, side: str) -> list[Link]:
    of = scale.of
    named = (("upper_arm", of.upper_arm), ("forearm", of.forearm), ("hand", of.hand))
    return [_upright(scale, f"{name}_{side}", segment, -1.0) for name, segment in named]


def _spine(scale: Scale) -> list[Joint]:
    of = scale.of
    heights = (of.lower_trunk.length, of.middle_trunk.length, of.upper_trunk.length, NECK[0])
    names = ("waist", "chest", "neck", "head")
    links = ("pelvis", "abdomen", "thorax", "neck", "head")
    return [
        Joint("root_joint", "free", "world", "pelvis"),
        *(
            Joint(name, "spherical", below, above, scale.pose(0.0, 0.0, z))
            for name, (below, above), z in zip(names, pairwise(links), heights, strict=True)
        ),
    ]


def _limbs(scale: Scale, side: str) -> list[Joint]:
    sign, of = 1.0 if side == "l" else -1.0, scale.of
    arm, forearm, hand = f"upper_arm_{side}", f"forearm_{side}", f"hand_{side}"
    thigh, shank, foot = f"thigh_{side}", f"shank_{side}", f"foot_{side}"
    hip, shoulder = scale.pose(0.0, sign * of.hip, 0.0), scale.pose(0.0, sign * of.shoulder, of.shoulder_height)
    knee, ankle = scale.pose(0.0, 0.0, -of.thigh.length), scale.pose(0.0, 0.0, -of.shank.length)
    elbow, wrist = scale.pose(0.0, 0.0, -of.upper_arm.length), scale.pose(0.0, 0.0, -of.forearm.length)
    forward, backward = (0.0, -1.0, 0.0), (0.0, 1.0, 0.0)  # what turning a hanging limb about these axes does to it
    return [
        Joint(f"hip_{side}", "spherical", "pelvis", thigh, hip),
        Joint(f"knee_{side}", "revolute", thigh, shank, knee, axis=backward, limits=(0.0, 2.5)),
        Joint(f"ankle_{side}", "spherical", shank, foot, ankle),
        Joint(f"shoulder_{side}", "spherical", "thorax", arm, shoulder),
        Joint(f"elbow_{side}", "revolute", arm, forearm, elbow, axis=forward, limits=(0.0, 2.5)),
        Joint(f"wrist_{side}", "spherical", forearm, hand, wrist),
    ]
