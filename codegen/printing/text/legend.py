"""What the letters of straight-line code stand for: the legend at the head of a file lists those that occur in it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator

from ...program.tape import NEGATIVE
from ...program.types import Function
from .printer import WIDTH

MEANINGS = {
    "c[] s[]": "cosine and sine of the joint angles",
    "R p": "pose in the parent or, where poses are asked for, in the world",
    "R_.._up p_.._up": "in a loop: pose of what the link hangs on, in the cut joint's frame on its parent",
    "w wp": "angular velocity; that of the parent in the link's axes",
    "dw dwp dwq": "rate of w; the parent's; with velocity products of the joint",
    "a ap aq": "acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned",
    "u up": "velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)",
    "w2": "2 wp + velocity of the joint, for Coriolis",
    "ww": "products of entries of w",
    "U": "[dw]x + [w]x[w]x",
    "f fp n": "force and moment about the link's origin; p: in the parent's axes",
    "m s S": "mass, first moment and second moment of mass",
    "sp Sp sq RS": "s, S in the parent's axes, s about its origin, R S",
    "I H M": "articulated inertia [I H; H' M]; M also entries of the mass matrix",
    "Ip Hp Mp Hs": "I, H, M in the parent's axes, H about its origin",
    "Un Uf D iD": "articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)",
    "Vn Vf uD dv": "Un/D, Uf/D, u/D, acceleration of the joint",
    "pn pf qn qf rn rf": "articulated bias wrench; with the joint's velocity products; in the parent's axes",
    "wxp wwp wxs": "w x p, w x (w x p), w x s",
    "zw za": "velocity products of the joint",
    "h": "half of a turn, R S of R S R'; height along gravity",
    "q2 qq E": "twice a quaternion's entries, their products, its rotation",
    "R0 p0 Rl pl Rc Rv Re pe RF": "constant or user's frames",
    "l z": "linear and angular velocity per velocity of the joint",
    "pG vG aG Gx ddq": "centre of mass: position, velocity, acceleration; its part by joint accelerations",
    "r rr": "arm, or right-hand side; products of its entries",
    "st mt": "subtree: first moment, mass",
    "rC rp": "from the link's origin to the centre of mass of all; the same in the parent's axes",
    "RI Iw": "R I; inertia in world axes, or I w",
    "mJ imass mass": "mass times Jacobian, 1/mass, mass",
    "vv T V": "squares of speeds, kinetic and potential energy",
    "com F N": "centre of mass; force, moment that move a link",
    "P Pp L": "momentum, or its rate: linear, p: in the parent's axes; angular (L also the factor of M = L'DL)",
    "y x": "M x = r half solved, solved",
    "uq zr lr Pr": "velocity up in the link's axes; rates of z, l and of momentum",
    "J": "Jacobian",
    "ue ae us du ddu dW ddW dz": "sides of a loop: velocity, acceleration of the end; of one against the other, rates",
    "e b": "locked rows of a loop: gap, rate",
    "across cos rate": "directions of a joint with two turns or more, their cosine, rates",
    "MW WMW CW dCW A G rhs": "reduced equations of motion",
    "ip size least most": "pivots, their sizes, the least and the most",
    "k inv t": "intermediate value",
    "tau": "joint force",
    "g X Jb": "gravity, motion axes and inertia in the frame of the first link that moves",
    "d qd ds dc": "rate of what the name goes on to say, of a coordinate, of sine and cosine, as q and v move",
}
"""Names that belong together, blanks between them, and what they are."""

_UP = re.compile(r"([Rp])_\w+_up_")
_ORDER = [(names.split(" "), text) for names, text in MEANINGS.items()]
KNOWN = frozenset(name for names, _ in _ORDER for name in names)


def letters(function: Function) -> frozenset[str]:
    """The letters that the names of a program begin with; entries of outputs speak for themselves."""
    outputs = tuple(f"{output.name}_" for output in function.outputs)
    plain = (assignment.symbol.name.removeprefix(NEGATIVE) for assignment in function.assignments)
    own = [name for name in plain if not name.startswith(outputs)]
    found = {name.partition("_")[0] for name in own} | {f"{up[1]}_.._up" for name in own if (up := _UP.match(name))}
    return frozenset(found | ({"c[]", "s[]"} if function.angles else set()))


def legend(found: Collection[str]) -> list[str]:
    """Lines that tell what the letters stand for."""
    return [line for told in _told(found) for line in textwrap.wrap(told, WIDTH, subsequent_indent="    ")]


def _told(found: Collection[str]) -> Iterator[str]:
    for names, text in _ORDER:
        if not set(names).isdisjoint(found):
            yield f"{', '.join(names)}: {text}"
