"""Families of closed mechanisms: one shape with symbols, compiled once, and members of it with random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import sympy

from kinegen.codegen.mechanism import KINDS, Joint, Link, Mechanism, Pose
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.codegen.printing.selection import Selection
from kinegen.runtime import Model
from support.mechanisms.closed_mechanisms import Closed, coordinates_of
from support.oracles.mechanisms import AXIAL, random_state
from support.oracles.numeric import Reference, inverse, joint_motion, matrix

Numbers = Callable[[str, int], Sequence[Any]]
"""Where a chain gets its numbers from: (name, how many) -> numbers or symbols."""


@dataclass(frozen=True)
class Family:
    """Mechanisms of one shape: joint kinds of the tree with the link each hangs on, and the kind that closes a loop
    from a link (-1: world) to the last one."""

    name: str
    tree: tuple[tuple[str, int], ...]
    loops: tuple[tuple[str, int, int], ...]

    def open(self, numbers: Numbers) -> Mechanism:
        links = [_family_link(f"l{i}", numbers) for i in range(len(self.tree))]
        joints = []
        for i, (kind, parent) in enumerate(self.tree):
            options = {"axis": _AXES[i % 3]} if kind in AXIAL else {}
            if kind == "universal":
                options["axis2"] = _AXES[(i + 1) % 3]
            if kind == "helical":
                options["pitch"] = 0.2
            origin = Pose(tuple(numbers(f"o{i}", 3)), (0.3 * i, -0.2 * i, 0.5))
            joints.append(Joint(f"j{i}", kind, _link(parent), f"l{i}", origin, **options))
        return Mechanism(self.name, links, joints)

    def cut(self, i: int, child_origin: Pose) -> Joint:
        kind, parent, child = self.loops[i]
        options = {"pitch": -0.15} if kind == "helical" else {}
        if kind == "universal":
            options = {"axis": (0.6, 0.0, 0.8), "axis2": (0.0, 1.0, 0.0)}
        elif kind in AXIAL:
            options |= {"axis": (0.0, 0.6, -0.8)}
        origin = Pose((0.1, -0.2, 0.15), (0.4, 0.3, -0.6))
        return Joint(f"c{i}", kind, _link(parent), _link(child), origin, child_origin, cut=True, **options)

    def symbolic(self) -> Mechanism:
        """The shape with symbols: the places of the joints, the inertias, the child's side of every cut joint."""

        def symbols(name: str, count: int) -> list[sympy.Symbol]:
            return [sympy.Symbol(f"{name}_{k}") for k in range(count)]

        tree = self.open(symbols)
        cuts = []
        for i in range(len(self.loops)):
            p, R = symbols(f"p{i}", 3), symbols(f"r{i}", 9)
            cuts.append(self.cut(i, Pose(tuple(p), rotation=[R[0:3], R[3:6], R[6:9]])))
        return Mechanism(self.name, tree.links, (*tree.joints, *cuts))

    def drawn(self, seed: int) -> tuple[Closed, dict[str, float]]:
        """A member with numbers, closed at a random q; and those numbers by the symbols' names."""
        rng = np.random.default_rng([seed, len(self.tree)])
        values: dict[str, float] = {}

        def numbers(name: str, count: int) -> list[float]:
            low = 0.5 if name[0] in "mi" else -0.4
            found = [float(rng.uniform(low, low + 0.8)) for _ in range(count)]
            values.update({f"{name}_{k}": x for k, x in enumerate(found)})
            return found

        tree = self.open(numbers)
        q = random_state(tree, rng)[0]
        poses = dict(
            zip(
                (b.link.name for b in tree.tree.bodies),
                Reference(tree, q, np.zeros(tree.tree.nv)).link_poses(),
                strict=True,
            )
        )
        poses["world"] = np.eye(4)
        cuts = []
        for i, (_, parent, child) in enumerate(self.loops):
            draft = self.cut(i, Pose())
            moved, _, _ = joint_motion(draft, coordinates_of(draft, rng), np.zeros(draft.nv))
            placed = inverse(poses[_link(child)]) @ poses[_link(parent)] @ matrix(draft.origin) @ moved
            values.update({f"p{i}_{k}": float(x) for k, x in enumerate(placed[:3, 3])})
            values.update({f"r{i}_{k}": float(x) for k, x in enumerate(placed[:3, :3].ravel())})
            cuts.append(self.cut(i, Pose(tuple(placed[:3, 3].tolist()), rotation=placed[:3, :3].tolist())))
        return Closed(Mechanism(self.name, tree.links, (*tree.joints, *cuts)), q), values


_AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))


def _link(i: int) -> str:
    return "world" if i < 0 else f"l{i}"


def _family_link(name: str, numbers: Numbers) -> Link:
    """Moments of 0.5 to 1.3 each in a ratio that a body can have."""
    (mass,) = numbers(f"m{name}", 1)
    x, y, z = numbers(f"i{name}", 3)
    return Link(name, mass, tuple(numbers(f"c{name}", 3)), (x + y, 0, 0, y + z, 0, x + z))


def _chain(*kinds: str) -> tuple[tuple[str, int], ...]:
    """Joints one after the other; "/kind" starts again at the world."""
    ends = (i - 1 if i and not kind.startswith("/") else -1 for i, kind in enumerate(kinds))
    return tuple((kind.removeprefix("/"), end) for kind, end in zip(kinds, ends, strict=True))


_DESIGNED = (
    Family("weld", _chain("revolute", "revolute", "spherical", "universal", "prismatic"), (("fixed", -1, 4),)),
    Family("hinge", _chain("revolute", "spherical", "/revolute", "universal"), (("revolute", 1, 3),)),
    Family("turning", _chain("continuous", "revolute", "cylindrical", "spherical"), (("continuous", -1, 3),)),
    Family("slide", _chain("planar", "revolute", "spherical"), (("prismatic", -1, 2),)),
    Family("screw", _chain("helical", "universal", "revolute", "/revolute", "spherical"), (("helical", 2, 4),)),
    Family("cross", _chain("revolute", "revolute", "prismatic", "revolute", "revolute"), (("universal", -1, 4),)),
    Family("sleeve", _chain("revolute", "universal", "spherical"), (("cylindrical", -1, 2),)),
    Family("plane", _chain("universal", "prismatic", "helical"), (("planar", -1, 2),)),
    Family("ball", _chain("revolute", "universal", "/revolute", "revolute"), (("spherical", 1, 3),)),
    Family(
        "floating",
        (("free", -1), ("revolute", 0), ("revolute", 1), ("revolute", 0), ("spherical", 3)),
        (("spherical", 2, 4), ("universal", -1, 2)),
    ),
)
_CLOSING = {kind for family in _DESIGNED for kind, _, _ in family.loops}
_ARM = _chain("revolute", "universal", "prismatic", "revolute", "revolute")
FAMILIES = _DESIGNED + tuple(
    Family(kind, _ARM, ((kind, -1, 4),)) for kind in KINDS if kind not in _CLOSING and kind != "free"
)
"""Every kind that locks something closes a loop in one of them."""
BY_NAME = {family.name: family for family in FAMILIES}

ROUTES = Selection(further=("reference",))
"""Of what is asked for seldom the slower routes alone, in half of the time."""


@cache
def family_model(name: str) -> Model:
    """With open parameters."""
    return Model.load(compile_mechanism(BY_NAME[name].symbolic(), selection=ROUTES))
