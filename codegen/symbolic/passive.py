"""Forces that joints of the tree have of themselves, on the left side: M v̇ + c + g + k + d + s = τ (§3).

springs       k = stiffness (q − rest), with the energy ½ stiffness (q − rest)²
dampers       d = damping v
dry friction  s = friction v/√(v² + slip²), smooth around rest
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import sympy

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.thresholds import SLIP_SPEED

from ..mechanism.mechanism import Mechanism
from ..program.types import Function
from .symbols import Symbols
from .workbench import Workbench, written

Expressions = Sequence[sympy.Expr]


@dataclass(frozen=True)
class Entry:
    """A velocity of the tree, with the numbers of its joint; `x`: displacement of its spring."""

    v: sympy.Symbol
    stiffness: sympy.Expr
    damping: sympy.Expr
    friction: sympy.Expr
    x: sympy.Expr


@dataclass(frozen=True)
class Passive:
    """`option`: of a joint; `of`: the quantity, from all entries; `output`: its letter, with one number if `whole`."""

    title: str
    option: str
    output: str
    of: Callable[[Sequence[Entry]], Expressions]
    whole: bool = False


SLIP = sympy.Float(SLIP_SPEED) ** 2
PASSIVE = {
    "springs": Passive("forces of springs", "stiffness", "k", lambda e: [i.stiffness * i.x for i in e]),
    "dampers": Passive("forces of dampers", "damping", "d", lambda e: [i.damping * i.v for i in e]),
    "dry_friction": Passive(
        "dry friction", "friction", "s", lambda e: [i.friction * i.v / sympy.sqrt(i.v**2 + SLIP) for i in e]
    ),
    "spring_energy": Passive(
        "energy of springs", "stiffness", "energy", lambda e: [sum(i.stiffness * i.x**2 for i in e) / 2], whole=True
    ),
}


def derive_passive(mechanism: Mechanism, name: str) -> Function:
    """One of PASSIVE. ModelError for springs of rotations, whose displacement is no difference of coordinates, and for
    joints that close loops, whose coordinates are not among q.
    """
    asked = PASSIVE[name]
    for virtual in mechanism.virtual_links:
        if any(x != 0 for x in getattr(virtual.joint, asked.option)):
            raise ModelError(
                f"joint '{virtual.joint.name}' closes a loop and has {asked.option}: its coordinate is not among q; "
                "cut the loop at another joint (cut=True there) to have its force among these"
            )

    def build(w: Workbench) -> None:
        _ = w.q if asked.option == "stiffness" else w.v
        found = [w.tape.number(sympy.sympify(x)) for x in asked.of(list(_entries(mechanism, w.symbols, asked.option)))]
        w.tape.output(asked.output, (1 if asked.whole else w.nv,), found)

    return written(mechanism, name, asked.title, build)


def derive_damping_terms(mechanism: Mechanism) -> Function:
    """See `_damping_terms`."""
    return written(
        mechanism, "damping_terms", "what dampers and friction add to M over dt, and its slope in v", _damping_terms
    )


def _damping_terms(w: Workbench) -> None:
    """(2, nv): damping + friction/√(v² + slip²), by which a semi-implicit step adds to M, and its slope in v."""
    _, v = w.q, w.v
    found = []
    for option in ("damping", "friction"):
        found.append([w.tape.zero] * w.nv)
        for place, number in _numbers(w.mechanism, option):
            found[-1][place] = w.tape.number(number)
    D, slope = [], []
    for speed, damping, friction in zip(v, *found, strict=True):
        if friction.is_zero:
            D.append(damping)
            slope.append(w.tape.zero)
            continue
        square = w.tape.let(speed * speed + float(SLIP), "vv")
        inverse = w.tape.reciprocal(w.tape.call("sqrt", square), "k")
        D.append(w.tape.let(damping + friction * inverse, "k"))
        cube = w.tape.let(inverse * inverse, "k")
        slope.append(-(w.tape.let(friction * speed, "k") * w.tape.let(cube * inverse, "k")))
    w.tape.output("D", (2, w.nv), [*D, *slope])


def _numbers(mechanism: Mechanism, option: str) -> Iterator[tuple[int, sympy.Expr]]:
    for body in mechanism.tree.bodies:
        for i in range(body.nv):
            yield body.v_start + i, sympy.sympify(getattr(body.joint, option)[i])


def _entries(mechanism: Mechanism, symbols: Symbols, option: str) -> Iterator[Entry]:
    for body in mechanism.tree.bodies:
        joint, turning = body.joint, bool(KINDS[body.joint.kind].group)
        if option == "stiffness" and body.nv and turning and any(k != 0 for k in joint.stiffness):
            raise ModelError(
                f"joint '{joint.name}' ({joint.kind}) has a spring, whose displacement is no difference of "
                "coordinates: model.passive_forces(q, v) has its torque; chain kg.gimbal() or kg.cartesian() to see it "
                "in symbols"
            )
        for i in range(body.nv):
            k, d, s = (sympy.sympify(x[i]) for x in (joint.stiffness, joint.damping, joint.friction))
            x = sympy.Integer(0) if turning else symbols.q[body.q_start + i] - sympy.sympify(joint.rest[i])
            yield Entry(symbols.v[body.v_start + i], k, d, s, x)
