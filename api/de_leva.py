"""Masses, lengths, mass centres and radii of gyration of men and women: [DeLeva96 table 4].

Breadths between hips and shoulders and the place of the ankle in the foot are not in the table and are rounded values
of ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Segment:
    """A row of the table: share of the body's mass; length [m]; mass centre from the upper end (trunk and head: lower
    end) in lengths; radii of gyration about the sagittal, transverse and longitudinal axis in lengths.
    """

    share: float
    length: float
    centre: float
    radii: Triple


@dataclass(frozen=True)
class Person:
    """A column of the table: the mean person's mass [kg] and segments.

    `ankle`: height of its centre over the sole; `hip`, `shoulder`: from the midplane to the centre of the joint;
    `shoulder_height`: of the centres over the lower end of the upper trunk [m].
    """

    mass: float
    lower_trunk: Segment
    middle_trunk: Segment
    upper_trunk: Segment
    head_and_neck: Segment
    upper_arm: Segment
    forearm: Segment
    hand: Segment
    thigh: Segment
    shank: Segment
    foot: Segment
    ankle: float
    hip: float
    shoulder: float
    shoulder_height: float

    @property
    def whole(self) -> float:
        """Sum of all shares, which are rounded to a ten-thousandth."""
        middle = (self.lower_trunk, self.middle_trunk, self.upper_trunk, self.head_and_neck)
        limbs = (self.upper_arm, self.forearm, self.hand, self.thigh, self.shank, self.foot)
        return round(sum(part.share for part in middle) + 2.0 * sum(part.share for part in limbs), 9)

    @property
    def stature(self) -> float:
        """m, the segments in one line: lengths are scaled from this to a height."""
        line = (self.lower_trunk, self.middle_trunk, self.upper_trunk, self.head_and_neck, self.thigh, self.shank)
        return math.fsum([*(segment.length for segment in line), self.ankle])


MAN = Person(
    mass=73.0,
    lower_trunk=Segment(0.1117, 0.1457, 1 - 0.6115, (0.615, 0.551, 0.587)),
    middle_trunk=Segment(0.1633, 0.2155, 1 - 0.4502, (0.482, 0.383, 0.468)),
    upper_trunk=Segment(0.1596, 0.2421, 1 - 0.5066, (0.505, 0.320, 0.465)),
    head_and_neck=Segment(0.0694, 0.2429, 1 - 0.5002, (0.303, 0.315, 0.261)),
    upper_arm=Segment(0.0271, 0.2817, 0.5772, (0.285, 0.269, 0.158)),
    forearm=Segment(0.0162, 0.2689, 0.4574, (0.276, 0.265, 0.121)),
    hand=Segment(0.0061, 0.1879, 0.3624, (0.288, 0.235, 0.184)),
    thigh=Segment(0.1416, 0.4222, 0.4095, (0.329, 0.329, 0.149)),
    shank=Segment(0.0433, 0.4403, 0.4395, (0.251, 0.246, 0.102)),
    foot=Segment(0.0137, 0.2581, 0.4415, (0.257, 0.245, 0.124)),
    ankle=0.068,
    hip=0.087,
    shoulder=0.18,
    shoulder_height=0.1543,  # 515.5 mm over the hips
)
WOMAN = Person(
    mass=61.9,
    lower_trunk=Segment(0.1247, 0.1815, 1 - 0.4920, (0.433, 0.402, 0.444)),
    middle_trunk=Segment(0.1465, 0.2053, 1 - 0.4512, (0.433, 0.354, 0.415)),
    upper_trunk=Segment(0.1545, 0.2280, 1 - 0.5050, (0.466, 0.314, 0.449)),
    head_and_neck=Segment(0.0668, 0.2437, 1 - 0.4841, (0.271, 0.295, 0.261)),
    upper_arm=Segment(0.0255, 0.2751, 0.5754, (0.278, 0.260, 0.148)),
    forearm=Segment(0.0138, 0.2643, 0.4559, (0.261, 0.257, 0.094)),
    hand=Segment(0.0056, 0.1720, 0.3427, (0.244, 0.208, 0.154)),
    thigh=Segment(0.1478, 0.3685, 0.3612, (0.369, 0.364, 0.162)),
    shank=Segment(0.0481, 0.4386, 0.4352, (0.267, 0.263, 0.092)),
    foot=Segment(0.0129, 0.2283, 0.4014, (0.299, 0.279, 0.139)),
    ankle=0.064,
    hip=0.085,
    shoulder=0.16,
    shoulder_height=0.1111,  # 497.9 mm over the hips
)
