"""The symbols of a mechanism: coordinates, velocities, accelerations, torques, parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy.printing.latex import greek_letters_set

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.names.latin import GREEK

from ..mechanism.elements.joint import Joint
from ..mechanism.mechanism import Mechanism
from .names import identifiers

_GREEK = re.compile(rf"({'|'.join(word for word in GREEK if word in greek_letters_set)})(\d*)")

ROWS = ("x", "y", "z", "rx", "ry", "rz")
"""What a closure may lock: shifts along the axes of a joint's frame, turns about them."""


class Coordinate(sympy.Symbol):  # type: ignore[misc]  # sympy has no types
    """An entry of q, v, a or tau, typeset as q_{knee}, v_{knee}, v̇_{knee}, τ_{knee}, or of another array that programs
    take: no parameter, whatever its name."""

    __slots__ = ()

    @classmethod
    def class_key(cls) -> tuple[int, int, str]:
        """Sorted among other symbols by name."""
        return 2, 0, "Symbol"

    def _latex(self, printer: object) -> str:
        letter, _, name = self.name.partition("_")
        head = {"a": r"\dot{v}", "tau": r"\tau", "lambda": r"\lambda"}.get(letter, letter)
        greek = _GREEK.fullmatch(name)
        if greek:
            number = f"_{{{greek[2]}}}" if greek[2] else ""
            return rf"{head}_{{\{greek[1]}{number}}}"
        return rf"{head}_{{\mathrm{{{name.replace('_', chr(92) + '_')}}}}}"


@dataclass(frozen=True)
class Symbols:
    """q (nq), v, a, tau (nv) in the layout of §1, and the free symbols of the description, sorted by name.

    `extra`: what dampers add to M; `v_cut`, `q_cut`, `extra_cut`: velocities of the cut joints, loop by loop, their
    coordinates, called alike, and what dampers add along them; `multipliers`: forces along what they lock.
    """

    q: tuple[sympy.Symbol, ...]
    v: tuple[sympy.Symbol, ...]
    a: tuple[sympy.Symbol, ...]
    tau: tuple[sympy.Symbol, ...]
    extra: tuple[sympy.Symbol, ...]
    parameters: tuple[sympy.Symbol, ...]
    v_cut: tuple[sympy.Symbol, ...]
    q_cut: tuple[sympy.Symbol, ...]
    extra_cut: tuple[sympy.Symbol, ...]
    multipliers: tuple[sympy.Symbol, ...]


def symbols_of(mechanism: Mechanism) -> Symbols:
    """Symbols named after the joints. Raises ModelError if a parameter has the name of one of them."""
    moving = [body.joint for body in mechanism.tree.bodies if body.nv]
    cut = [virtual.joint for virtual in mechanism.virtual_links]
    joints = (*moving, *cut)
    names = identifiers([joint.name for joint in joints], lambda k, name: _spelt(joints[k], name, k >= len(moving)))

    def family(letter: str, side: int, joints: Sequence[Joint], names: Sequence[str]) -> tuple[sympy.Symbol, ...]:
        """Of q (side 0) or of v, a, tau (side 1)."""
        found = [own for joint, name in zip(joints, names, strict=True) for own in _entries(joint, letter, name, side)]
        return tuple(Coordinate(own, real=True) for own in found)

    tree, loops = names[: len(moving)], names[len(moving) :]
    q = family("q", 0, moving, tree)
    v, a, tau, extra = (family(letter, 1, moving, tree) for letter in ("v", "a", "tau", "d"))
    v_cut, q_cut, extra_cut = (family(letter, 1, cut, loops) for letter in ("v", "q", "d"))
    multipliers = tuple(
        Coordinate(own, real=True) for joint, name in zip(cut, loops, strict=True) for own in _locked(joint, name)
    )
    taken = {symbol.name for group in (q, v, a, tau, extra, v_cut, q_cut, extra_cut, multipliers) for symbol in group}
    for parameter in mechanism.parameters:
        if parameter.name in taken:
            raise ModelError(f"parameter '{parameter.name}' has the name of a coordinate: rename the symbol")
    return Symbols(q, v, a, tau, extra, tuple(mechanism.parameters), v_cut, q_cut, extra_cut, multipliers)


def _entries(joint: Joint, letter: str, name: str, side: int) -> list[str]:
    """Names of the entries of a joint of that name in q (side 0) or in v, a, tau (side 1)."""
    return ["_".join(filter(None, (letter, name, part))) for part in KINDS[joint.kind].entries(side)]


def _locked(joint: Joint, name: str) -> list[str]:
    """Names of the forces along what a cut joint of that name locks."""
    return [f"lambda_{name}_{ROWS[slot]}" for slot in KINDS[joint.kind].locked]


def _spelt(joint: Joint, name: str, cut: bool) -> list[str]:
    """What no other joint may have for a symbol; a cut joint's coordinates are called as its velocities are."""
    return _entries(joint, "q", name, int(cut)) + _entries(joint, "v", name, 1) + (_locked(joint, name) if cut else [])
