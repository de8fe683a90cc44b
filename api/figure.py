"""The human figure of [N98 Fig. 13]: 17 links, 12 spherical and 4 revolute joints, and a free root.

Masses, lengths, mass centres and radii of gyration: de Leva's for men [DeLeva96 table 4]. That table has head and neck
in one: the neck here is a cylinder of soft tissue cut out of it, so that both together, upright, are the table's
segment. Breadths between hips and shoulders and the place of the ankle in the foot are not in the table and are rounded
values of ours.

Axes in every link, standing upright: x forward, y to the left, z up; the link's origin is its upper joint, the root's
is the point between the hips.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.codegen.mechanism.elements import inertia as solids
from kinegen.codegen.mechanism.structure.merge import merge_fixed
from kinegen.runtime.abi import LARGE
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.typed import typed

Triple = tuple[float, float, float]

MASS = 73.0
"""kg, of the table's mean man."""
ANKLE = 0.068
"""m, height of the ankle's centre over the sole."""
HEEL = 0.25
"""Place of the ankle along the foot, from the heel, in foot lengths."""
HIP, SHOULDER = 0.087, 0.18
"""m, from the midplane to the centre of the joint."""
SHOULDER_HEIGHT = 0.1543
"""m, the shoulders' centres over the lower end of the upper trunk (515.5 mm over the hips)."""
NECK = (0.10, 0.06, 1.06e3)
"""Length and radius [m] and density [kg/m³] of the neck."""


@dataclass(frozen=True)
class Segment:
    """A row of the table: share of the body's mass; length [m]; mass centre from the upper end (trunk and head: lower
    end) in lengths; radii of gyration about the sagittal, transverse and longitudinal axis in lengths.
    """

    share: float
    length: float
    centre: float
    radii: Triple


LOWER_TRUNK = Segment(0.1117, 0.1457, 1 - 0.6115, (0.615, 0.551, 0.587))
MIDDLE_TRUNK = Segment(0.1633, 0.2155, 1 - 0.4502, (0.482, 0.383, 0.468))
UPPER_TRUNK = Segment(0.1596, 0.2421, 1 - 0.5066, (0.505, 0.320, 0.465))
HEAD_AND_NECK = Segment(0.0694, 0.2429, 1 - 0.5002, (0.303, 0.315, 0.261))
UPPER_ARM = Segment(0.0271, 0.2817, 0.5772, (0.285, 0.269, 0.158))
FOREARM = Segment(0.0162, 0.2689, 0.4574, (0.276, 0.265, 0.121))
HAND = Segment(0.0061, 0.1879, 0.3624, (0.288, 0.235, 0.184))
THIGH = Segment(0.1416, 0.4222, 0.4095, (0.329, 0.329, 0.149))
SHANK = Segment(0.0433, 0.4403, 0.4395, (0.251, 0.246, 0.102))
FOOT = Segment(0.0137, 0.2581, 0.4415, (0.257, 0.245, 0.124))

TRUNK = (LOWER_TRUNK, MIDDLE_TRUNK, UPPER_TRUNK, HEAD_AND_NECK)
STATURE = sum(segment.length for segment in (*TRUNK, THIGH, SHANK)) + ANKLE
"""m, the table's man with his segments in one line; lengths are scaled from this to `height`."""


@dataclass(frozen=True)
class Scale:
    """What masses and lengths of the table are multiplied by."""

    mass: float
    length: float

    def link(self, name: str, mass: float, com: Triple, moments: Triple) -> Link:
        """A link of the table's mass [kg], mass centre [m] and principal moments about x y z [kg m²], scaled."""
        x, y, z = (self.length * c for c in com)
        xx, yy, zz = (self.mass * self.length * self.length * m for m in moments)
        return Link(name, self.mass * mass, (x, y, z), (xx, 0.0, 0.0, yy, 0.0, zz))

    def pose(self, x: float, y: float, z: float) -> Pose:
        return Pose((self.length * x, self.length * y, self.length * z))


@typed
def human_figure(mass: float = 70.0, height: float = 1.75, *, name: str = "human_figure") -> Mechanism:
    """A standing man of `mass` [kg] and `height` [m], arms hanging: nv = 46, nq = 59, floating on joint "root_joint".

    Joints: root_joint (free), waist, chest, neck, head, hip_l, ankle_l, shoulder_l, wrist_l and _r (spherical), knee_l,
    elbow_l and _r (revolute, positive when they bend). ModelError if mass or height is not positive.
    """
    for what, value in (("mass", mass), ("height", height)):
        if not (isinstance(value, (int, float)) and 0.0 < value <= LARGE):  # no NaN
            raise ModelError(f"human_figure: {what} must be a positive number, got {shown(value)}")
    scale = Scale(mass / MASS, height / STATURE)
    links = [*_trunk(scale), *(link for side in "lr" for link in (*_leg(scale, side), *_arm(scale, side)))]
    joints = [*_spine(scale), *(joint for side in "lr" for joint in _limbs(scale, side))]
    return Mechanism(name, links, joints)


RIGID = ("waist", "chest", "neck", "head", "wrist_l", "wrist_r", "ankle_l", "ankle_r")
"""Joints of the human figure that the simple one does not have."""


@typed
def simple_figure(
    mass: float = 70.0, height: float = 1.75, *, name: str = "simple_figure", prefix: str = ""
) -> Mechanism:
    """The figure of [N98 Figs. 14, 15]: a rigid trunk with head, arms and legs of 4 dof each: nv = 16 + 6, nq = 27.

    The human figure with stiff spine, wrists and ankles. Links: pelvis (all of the trunk), thigh, shank, upper_arm,
    forearm, _l and _r; hand_l, foot_l, head ... are frames. Joints: root_joint (free), hip, shoulder (spherical), knee,
    elbow (revolute), _l and _r. `prefix` stands before all names, for more than one figure. ModelError as for
    `human_figure`.
    """
    figure = human_figure(mass, height, name=name)
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


def _moments(segment: Segment) -> Triple:
    x, y, z = (MASS * segment.share * (radius * segment.length) ** 2 for radius in segment.radii)
    return x, y, z


def _upright(scale: Scale, name: str, segment: Segment, sign: float) -> Link:
    """A segment along z from its origin: upwards (sign 1) or hanging (sign -1)."""
    com = (0.0, 0.0, sign * segment.centre * segment.length)
    return scale.link(name, MASS * segment.share, com, _moments(segment))


def _trunk(scale: Scale) -> list[Link]:
    named = (("pelvis", LOWER_TRUNK), ("abdomen", MIDDLE_TRUNK), ("thorax", UPPER_TRUNK))
    return [*(_upright(scale, name, segment, 1.0) for name, segment in named), *_neck_and_head(scale)]


def _neck_and_head(scale: Scale) -> list[Link]:
    """The table's one segment cut in two: head = whole − neck in mass, first and second moments."""
    length, radius, density = NECK
    neck = math.pi * radius**2 * length * density
    whole, middle = MASS * HEAD_AND_NECK.share, HEAD_AND_NECK.centre * HEAD_AND_NECK.length
    head = whole - neck
    centre = (whole * middle - neck * length / 2) / head
    across, _, about = (row[k] for k, row in enumerate(solids.cylinder(neck, radius, length)))
    x, y, z = _moments(HEAD_AND_NECK)
    shift = neck * (length / 2 - middle) ** 2 + head * (centre - middle) ** 2
    return [
        scale.link("neck", neck, (0.0, 0.0, length / 2), (float(across), float(across), float(about))),
        scale.link(
            "head", head, (0.0, 0.0, centre - length), (x - across - shift, y - across - shift, z - float(about))
        ),
    ]


def _leg(scale: Scale, side: str) -> list[Link]:
    sagittal, transverse, longitudinal = _moments(FOOT)  # the foot's long axis points forward
    com = ((FOOT.centre - HEEL) * FOOT.length, 0.0, -ANKLE / 2)
    return [
        _upright(scale, f"thigh_{side}", THIGH, -1.0),
        _upright(scale, f"shank_{side}", SHANK, -1.0),
        scale.link(f"foot_{side}", MASS * FOOT.share, com, (longitudinal, transverse, sagittal)),
    ]


def _arm(scale: Scale, side: str) -> list[Link]:
    named = (("upper_arm", UPPER_ARM), ("forearm", FOREARM), ("hand", HAND))
    return [_upright(scale, f"{name}_{side}", segment, -1.0) for name, segment in named]


def _spine(scale: Scale) -> list[Joint]:
    heights = (LOWER_TRUNK.length, MIDDLE_TRUNK.length, UPPER_TRUNK.length, NECK[0])
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
    sign = 1.0 if side == "l" else -1.0
    arm, forearm, hand = f"upper_arm_{side}", f"forearm_{side}", f"hand_{side}"
    thigh, shank, foot = f"thigh_{side}", f"shank_{side}", f"foot_{side}"
    hip, shoulder = scale.pose(0.0, sign * HIP, 0.0), scale.pose(0.0, sign * SHOULDER, SHOULDER_HEIGHT)
    knee, ankle = scale.pose(0.0, 0.0, -THIGH.length), scale.pose(0.0, 0.0, -SHANK.length)
    elbow, wrist = scale.pose(0.0, 0.0, -UPPER_ARM.length), scale.pose(0.0, 0.0, -FOREARM.length)
    forward, backward = (0.0, -1.0, 0.0), (0.0, 1.0, 0.0)  # what turning a hanging limb about these axes does to it
    return [
        Joint(f"hip_{side}", "spherical", "pelvis", thigh, hip),
        Joint(f"knee_{side}", "revolute", thigh, shank, knee, axis=backward, limits=(0.0, 2.5)),
        Joint(f"ankle_{side}", "spherical", shank, foot, ankle),
        Joint(f"shoulder_{side}", "spherical", "thorax", arm, shoulder),
        Joint(f"elbow_{side}", "revolute", arm, forearm, elbow, axis=forward, limits=(0.0, 2.5)),
        Joint(f"wrist_{side}", "spherical", forearm, hand, wrist),
    ]
