"""Mechanisms whose generated C is looked at: trees, loops, open parameters; the digest of all that is generated."""

from __future__ import annotations

import hashlib
from functools import cache

from sympy import symbols

from kinegen.codegen.mechanism import KINDS, Joint, Link, Mechanism, Pose
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.sources import Sources
from support.mechanisms.closed_mechanisms import four_bar, random_closed
from support.oracles.mechanisms import double_pendulum, random_mechanism


def parametric() -> Mechanism:
    """The double pendulum, its numbers open, as in `PARAMETERS`."""
    return double_pendulum(*symbols("m1 m2 l1 l2", positive=True))


def sprung_loops() -> Mechanism:
    """Cut joints of several kinds with springs, dampers and friction, all held by one body that floats."""
    links = [Link("base", 2.0, inertia=(1, 0, 0, 1, 0, 1))]
    joints = [Joint("float", "free", "world", "base")]
    for kind in (name for name, record in KINDS.items() if record.screws or 1 < record.nv < 6):
        links.append(Link(kind, 1.0, (0.1, 0, 0), (0.1, 0, 0, 0.1, 0, 0.1)))
        place, pitch = Pose((0.1, 0.2, 0.3)), {"pitch": 0.1} if kind == "helical" else {}
        joints.append(Joint(f"tree_{kind}", "spherical", "base", kind, place))
        joints.append(
            Joint(f"cut_{kind}", kind, "base", kind, place, cut=True, damping=0.1, stiffness=1.0, friction=0.1, **pitch)
        )
    return Mechanism("sprung_loops", links, joints)


PARAMETERS = {"l1": 0.8, "l2": 1.1, "m1": 1.3, "m2": 0.7}
MECHANISMS = {
    "pendulum": double_pendulum,
    "every_kind": lambda: random_mechanism(165, bodies=9, mimic=0),
    "floating": lambda: random_mechanism(4, bodies=6, kinds=["revolute", "fixed"], root="free"),
    "four-bar": lambda: four_bar(1.0, 2.0, 2.5, 3.0),
    "two loops": lambda: random_closed(30, ("spherical", "universal"), bodies=5).mechanism,
    "sprung loops": lambda: sprung_loops(),
    "mimics": lambda: random_mechanism(5, bodies=5, kinds=["revolute", "prismatic", "helical"], mimic=0.8),
}


@cache
def sources(name: str) -> Sources:
    return generate(MECHANISMS[name]())


def digest(made: Sources) -> str:
    text = "\0".join([made.manifest.to_json(), made.cdef, *(f"{n}\0{t}" for n, t in made.files.items())])
    return hashlib.sha256(text.encode()).hexdigest()
