"""Linkages that move although their loops have more rows than freedoms are left, and those whose branches cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose, inertia
from kinegen.codegen.mechanism.types import NEUTRAL
from support.mechanisms.closed_mechanisms import rod

QUARTER = np.pi / 2
BAR, WIDTH, STEP = 0.3, 0.2, 0.05  # [m] of parallelograms: cranks, couplers, from a coupler up to the next


@dataclass(frozen=True)
class DenavitHartenberg:
    """A closed chain of n turning joints: lengths a [m], twists [rad] and offsets d [m], and joint angles at which it
    is nearly closed (n)."""

    a: Sequence[float]
    twist: Sequence[float]
    d: Sequence[float]
    near: Sequence[float]

    def mechanism(self, name: str) -> Mechanism:
        """Z(θ1) X1 Z(θ2) X2 ... = 1, cut at the last joint; boxes of different mass off the joints."""
        n = len(self.a)
        links = [
            Link(f"l{i}", 1 + 0.1 * i, (self.a[i - 1] / 2, 0.03, 0.05), inertia.box(1 + 0.1 * i, (0.3, 0.1, 0.08)))
            for i in range(1, n)
        ]
        along = [Pose((self.a[i], 0, 0), (self.twist[i], 0, 0)) * Pose((0, 0, self.d[(i + 1) % n])) for i in range(n)]
        joints = [
            Joint(
                f"j{k}",
                "revolute",
                "world" if k == 1 else f"l{k - 1}",
                f"l{k}",
                Pose() if k == 1 else along[k - 2],
                actuated=k == 1,
            )
            for k in range(1, n)
        ]
        last = Joint(f"j{n}", "revolute", "world", f"l{n - 1}", along[n - 1].inverse(), along[n - 2], actuated=False)
        return Mechanism(name, links, [*joints, last])


def _twist_of(length: float, a: float, twist: float) -> float:
    """Bennett's condition: a/sin(twist) is the same for all sides."""
    return float(np.arcsin(length / a * np.sin(twist)))


def _bennett(a: float, twist: float, b: float) -> DenavitHartenberg:
    other = _twist_of(b, a, twist)
    return DenavitHartenberg([a, b, a, b], [twist, other, twist, other], [0.0] * 4, [1.194, 2.848, -1.194, -2.848])


def _goldberg(a: float, twist: float, b: float, c: float) -> DenavitHartenberg:
    """Two of Bennett's loops with one link in common, which is left out."""
    beta, gamma = _twist_of(b, a, twist), _twist_of(c, a, twist)
    return DenavitHartenberg(
        [b + c, a, c, b, a], [beta + gamma, twist, gamma, beta, twist], [0.0] * 5, [-3.138, -0.4, 3.164, 0.396, -0.022]
    )


def _myard(b: float, twist: float) -> DenavitHartenberg:
    a = b * float(np.sin(twist))
    twists = [twist, QUARTER, np.pi - 2 * twist, QUARTER, np.pi - twist]
    return DenavitHartenberg([a, b, 0.0, b, a], twists, [0.0] * 5, [-2.143, -3.348, 2.642, -0.499, -2.935])


def _bricard() -> DenavitHartenberg:
    """The trihedral case: the squares of every other side have the same sum."""
    a = [0.6, 0.45, 0.65, 0.7, 0.6]
    sixth = float(np.sqrt(a[0] ** 2 + a[2] ** 2 + a[4] ** 2 - a[1] ** 2 - a[3] ** 2))
    return DenavitHartenberg(
        [*a, sixth], [QUARTER, -QUARTER] * 3, [0.0] * 6, [-0.024, -4.294, -0.021, 2.037, -0.025, 2.257]
    )


def _schatz(a: float, offset: float) -> DenavitHartenberg:
    return DenavitHartenberg(
        [0.0, a, a, a, 0.0, a * 3**0.5],
        [QUARTER] * 5 + [0.0],
        [offset, 0, 0, 0, 0, -offset],
        [1.03, -2.033, -1.956, 0.924, 2.549, -0.291],
    )


def _sarrus() -> DenavitHartenberg:
    return DenavitHartenberg(
        [0.55, 0.6, 0.35, 0.55, 0.6, 0.35],
        [0, 0, QUARTER, 0, 0, -QUARTER],
        [0.0] * 6,
        [-1.082, -3.002, -2.199, 2.054, 2.035, 2.194],
    )


OVERCONSTRAINED = {
    "bennett": lambda: _bennett(0.45, 0.7, 0.6),
    "goldberg": lambda: _goldberg(0.5, 0.5, 0.65, 0.55),
    "myard": lambda: _myard(0.75, 0.8),
    "bricard": _bricard,
    "schatz": lambda: _schatz(0.5, 0.25),
    "sarrus": _sarrus,
}


def peaucellier(arm: float = 1.0, side: float = 0.4, crank: float = 0.35) -> Mechanism:
    """Seven links in the xy plane, no gravity: the crank draws a circle through the arms' pivot, the far corner of the
    rhombus a straight line."""
    at_arm, at_side = Pose((arm, 0, 0)), Pose((side, 0, 0))
    joints = [
        Joint("crank", "revolute", "world", "c", Pose((crank, 0, 0))),
        *(Joint(f"arm {x}", "revolute", "world", x, actuated=False) for x in "ab"),
        *(Joint(f"near {x}", "revolute", "c", f"near_{x}", Pose((crank, 0, 0)), actuated=False) for x in "ab"),
        *(Joint(f"far {x}", "revolute", x, f"far_{x}", at_arm, actuated=False) for x in "ab"),
        *(Joint(f"corner {x}", "revolute", x, f"near_{x}", at_arm, at_side, actuated=False) for x in "ab"),
        Joint("pen", "revolute", "far_a", "far_b", at_side, at_side, actuated=False),
    ]
    links = [rod("c", crank), rod("a", arm), rod("b", arm)]
    links += [rod(f"{end}_{x}", side) for end in ("near", "far") for x in "ab"]
    return Mechanism("peaucellier", links, joints, gravity=(0, 0, 0))


def parallelograms(n: int, root: str = "") -> Mechanism:
    """n parallelograms, each of which stands on the coupler of the one before.

    `root`: the joint of a slab that carries the first one, "" where it stands on world.
    """
    links, joints, base = [], [], "world"
    if root:
        base = "slab"
        links.append(Link(base, mass=3.0, inertia=inertia.box(3.0, (0.3, 0.3, 0.1))))
        joints.append(Joint(root, root, "world", base))
    for k in range(n):
        crank, coupler, follower = (f"{name}{k}" for name in ("crank", "coupler", "follower"))
        bar = {"mass": 0.4, "inertia": inertia.box(0.4, (0.02, 0.02, BAR))}
        links += [
            Link(crank, com=(0.0, 0.0, BAR / 2), **bar),
            Link(coupler, mass=0.5, com=(WIDTH / 2, 0.01, 0.02), inertia=inertia.box(0.5, (WIDTH, 0.05, 0.05))),
            Link(follower, com=(0.0, 0.0, BAR / 2), **bar),
        ]
        foot, top = STEP if k else 0.0, Pose((0.0, 0.0, BAR))
        y = {"axis": (0, 1, 0)}
        joints += [
            Joint(f"shoulder{k}", "revolute", base, crank, Pose((0.0, 0.0, foot)), **y),
            Joint(f"elbow{k}", "revolute", crank, coupler, top, **y),
            Joint(f"support{k}", "revolute", base, follower, Pose((WIDTH, 0.0, foot)), **y),
            Joint(f"pin{k}", "revolute", follower, coupler, top, child_origin=Pose((WIDTH, 0, 0)), cut=True, **y),
        ]
        base = coupler
    return Mechanism(f"parallelograms{n}", links, joints)


def leaning(mechanism: Mechanism, angles: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """q with the cranks at these angles (n), the loops closed; a free slab where it is at rest."""
    turned = dict(enumerate(np.asarray(angles, dtype=float).tolist()))
    sign = {"shoulder": 1.0, "elbow": -1.0, "support": 1.0}
    q = []
    for body in mechanism.tree.bodies:
        name, number = body.joint.name.rstrip("0123456789"), body.joint.name.lstrip("abcdefghijklmnopqrstuvwxyz")
        q += [sign[name] * turned[int(number)]] if name in sign else NEUTRAL[body.joint.kind]
    return np.array(q)
