"""Small mechanisms: named links on joints, arms with symbols; and whether two expressions are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from kinegen.codegen.mechanism import Frame, Joint, Link, Mechanism, Pose, inertia
from support.oracles.mechanisms import spherical_pendulum

m1, m2, l1, l2, g = sympy.symbols("m1 m2 l1 l2 g", positive=True)


def same(found: sympy.Expr | sympy.MatrixBase, expected: sympy.Expr | sympy.MatrixBase) -> bool:
    """Equal after simplification, every entry."""
    difference = found - expected
    entries = list(difference) if isinstance(difference, sympy.MatrixBase) else [difference]
    return all(sympy.simplify(sympy.nsimplify(entry, rational=True)) == 0 for entry in entries)


def planar_arm() -> Mechanism:
    """Two point masses at the ends of massless links, axes z, gravity along −y."""
    return Mechanism(
        "planar_arm",
        links=[Link("one", mass=m1, com=(l1, 0, 0)), Link("two", mass=m2, com=(l2, 0, 0))],
        joints=[
            Joint("j1", "revolute", "world", "one", axis=(0, 0, 1)),
            Joint("j2", "revolute", "one", "two", origin=Pose((l1, 0, 0)), axis=(0, 0, 1)),
        ],
        gravity=(0, -g, 0),
        frames=[Frame("tip", "two", Pose((l2, 0, 0)))],
    )


def symbolic_cart_pole() -> Mechanism:
    """A uniform pole of half length l1 and mass m2 that stands up at zero, on a cart of mass m1."""
    rod = inertia.rod(m2, 2 * l1, axis=(0, 0, 1))
    return Mechanism(
        "cart_pole",
        links=[Link("cart", mass=m1), Link("pole", mass=m2, com=(0, 0, l1), inertia=rod)],
        joints=[
            Joint("rail", "prismatic", "world", "cart", axis=(1, 0, 0)),
            Joint("pivot", "revolute", "cart", "pole", axis=(0, 1, 0)),
        ],
        gravity=(0, 0, -g),
    )


SMALL = {
    "planar_arm": planar_arm,
    "cart_pole": symbolic_cart_pole,
    "spherical_pendulum": lambda: spherical_pendulum(m1, l1),
    "universal_and_slide": lambda: Mechanism(
        "universal_and_slide",
        links=[Link("arm", mass=m1, com=(l1, 0, 0), inertia=inertia.rod(m1, 2 * l1)), Link("bob", mass=m2)],
        joints=[
            Joint("shoulder", "universal", "world", "arm", axis=(0, 0, 1), axis2=(0, 1, 0)),
            Joint("slide", "prismatic", "arm", "bob", axis=(1, 0, 0), armature=l2),
        ],
    ),
}


BOX = inertia.box(1.0, (0.1, 0.2, 0.3))
FOURBAR = [
    ("pivot", "world", "crank"),
    ("j2", "crank", "coupler"),
    ("j3", "coupler", "rocker"),
    ("j4", "world", "rocker"),
]


def link(name: str, mass: float = 1.0) -> Link:
    return Link(name, mass, (0.0, 0.0, 0.1), BOX)


def chain(*joints: tuple[Any, ...], frames: Sequence[Frame] = ()) -> Mechanism:
    """A mechanism whose links are all that the joints (name, parent, child[, options]) mention."""
    made = [Joint(n, o.pop("kind", "revolute"), p, c, **o) for n, p, c, o in ((*j, {})[:4] for j in joints)]
    names = dict.fromkeys(x for j in made for x in (j.parent, j.child) if x != "world")
    return Mechanism("m", [link(n) for n in names], made, frames=frames)
