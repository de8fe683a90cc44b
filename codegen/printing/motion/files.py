"""PREFIX_motion.c: motion of the coordinates, passive joint forces, pieces of the time step (mathematics §1, §10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from kinegen.runtime.abi import KernelSpec
from kinegen.runtime.thresholds import SLIP_SPEED

from ...analysis.loops.closure import cut_bodies
from ...analysis.motion.spin import Spin
from ...analysis.motion.turning import Turning
from ...mechanism.structure.tree import Body, SpanningTree
from ...symbolic.symbols import symbols_of
from ..kernels import CFile, Context
from ..text.environment import render
from . import passive, statements
from .coordinates import TITLES as MOVES
from .coordinates import Coordinates, coordinate_kernels, coordinates_of, kernel, voided
from .statements import GROUP, Statements, listed, parameter_printer, present

TITLES = {
    **MOVES,
    "passive_forces": "Forces of springs, dampers and dry friction",
    "passive_forces_open": "Forces of springs, dampers and dry friction of the tree's joints",
}
"""What the kernels of `motion_source` give."""


CALLS = {"call_q": ("q",), "call_q_v": ("q", "v"), "call_q_v_x": ("q", "v", "x")}
"""Functions that call a kernel with these arguments and look at what goes in and comes out."""


@dataclass(frozen=True)
class Motion:
    """What the motion of a mechanism is printed from.

    `cut`: the cut joints of a closed one; `flags`: for each of them, the place in p that tells whether it is active, -1
    if it always is. `spins`: bodies whose spin is stepped by itself; `turning`: the others that turn.
    """

    tree: SpanningTree
    prefix: str
    parameters: Sequence[sympy.Symbol] = ()
    title: str = ""
    cut: Sequence[Body] = ()
    flags: Sequence[int] = ()
    spins: Sequence[Spin] = ()
    turning: Turning | None = None


@dataclass(frozen=True)
class MotionText:
    """What `motion.c.j2` and `motion.h.j2` show: statements joint by joint, and names.

    `groups`: a joint moves in one; `closed`: there are loops, whose cut joints the cut_... concern; `parameter`: how
    the parameters stand in a signature; `slip` [rad/s, m/s] of dry friction.
    """

    title: str
    prefix: str
    nq: int
    nv: int
    parametric: bool
    parameter: str
    groups: bool
    closed: bool
    coordinates: Coordinates
    offset: tuple[Statements, ...]
    cut_offset: tuple[Statements, ...]
    passive: tuple[Statements, ...]
    implicit: tuple[Statements, ...]
    springs: tuple[Statements, ...]
    cut_passive: tuple[Statements, ...]
    cut_implicit: tuple[Statements, ...]
    cut_springs: tuple[Statements, ...]
    advance: tuple[Statements, ...]
    displace: tuple[Statements, ...]
    rates: tuple[Statements, ...]
    turning: tuple[Statements, ...]
    resting: tuple[Statements, ...]
    spins: tuple[Statements, ...]
    centres: tuple[Statements, ...]
    turns: tuple[str, ...]
    unused: str
    kernels: tuple[KernelSpec, ...]
    slip: str = repr(SLIP_SPEED)

    @property
    def titles(self) -> dict[str, str]:
        return TITLES

    @property
    def calls(self) -> dict[str, tuple[str, ...]]:
        return CALLS


def _text(motion: Motion) -> MotionText:
    number, tree, parametric = parameter_printer(motion.parameters), motion.tree, bool(motion.parameters)
    spins = {found.body.index: found for found in motion.spins}
    own = listed(tree, lambda body: passive.passive(body, number))
    return MotionText(
        title=motion.title or motion.prefix,
        prefix=motion.prefix,
        nq=tree.nq,
        nv=tree.nv,
        parametric=parametric,
        parameter="const double *p, " if parametric else "",
        groups=any(body.nv and body.joint.kind in GROUP for body in (*tree.bodies, *motion.cut)),
        closed=bool(motion.cut),
        coordinates=coordinates_of(tree, motion.prefix, motion.title or motion.prefix, parametric),
        offset=listed(tree, statements.offset),
        cut_offset=present(motion.cut, statements.offset),
        passive=own,
        implicit=listed(tree, lambda body: passive.implicit(body, number)),
        springs=listed(tree, lambda body: passive.springs(body, number)),
        cut_passive=present(motion.cut, lambda body: passive.passive(body, number), motion.flags),
        cut_implicit=present(motion.cut, lambda body: passive.implicit(body, number), motion.flags),
        cut_springs=present(motion.cut, lambda body: passive.springs(body, number), motion.flags),
        advance=listed(tree, statements.advance),
        displace=listed(tree, statements.displace),
        rates=listed(tree, statements.rate),
        turning=listed(tree, statements.turning),
        resting=listed(tree, statements.resting),
        spins=listed(tree, lambda body: statements.spin(body, spins, number)),
        centres=listed(tree, lambda body: statements.centre(body, spins, number)),
        turns=tuple(statements.turns(motion.turning, number)) if motion.turning else (),
        unused=_unused(parametric, own),
        kernels=motion_kernels(tree, motion.prefix, bool(motion.cut)),
    )


def motion_file(context: Context, spins: Sequence[Spin] = (), turning: Turning | None = None) -> CFile:
    """PREFIX_motion.c of a model, and the declarations of all that it defines."""
    mechanism = context.mechanism
    motion = Motion(
        mechanism.tree,
        context.prefix,
        symbols_of(mechanism).parameters,
        mechanism.name,
        cut_bodies(mechanism),
        context.flags if context.switches else (),
        spins,
        turning,
    )
    kernels = motion_kernels(motion.tree, motion.prefix, bool(motion.cut))
    text, declared = motion_source(motion), motion_header(motion)
    return CFile(f"{motion.prefix}_motion.c", text, kernels, TITLES, (), declared)


def motion_source(motion: Motion) -> str:
    """PREFIX_motion.c: integrate, difference, passive_forces, their batches, checks of arguments, pieces of a step.

    It includes PREFIX.h, which must declare what `motion_header` lists.
    """
    return render("motion/motion.c.j2", motion=_text(motion))


def motion_header(motion: Motion) -> str:
    """C declarations of all that `motion_source` defines, without includes or guards: cffi reads them as well."""
    return render("motion/motion.h.j2", motion=_text(motion))


def motion_kernels(tree: SpanningTree, prefix: str, closed: bool = False) -> tuple[KernelSpec, ...]:
    """Kernels of `motion_source` for the manifest; `simulate` is not among them, it has a signature of its own.

    In a closed mechanism the passive forces of the tree alone are called passive_forces_open.
    """
    q, v = (tree.nq,), (tree.nv,)
    forces = kernel(f"passive_forces{'_open' if closed else ''}", prefix, {"q": q, "v": v}, {"f": v})
    return (*coordinate_kernels(tree, prefix), forces)


def _unused(parametric: bool, own: Sequence[Statements]) -> str:
    """The arguments that passive forces have no use for."""
    text = " ".join(line for joint in own for line in joint.lines)
    names = [name for name in ("q", "v") if f"{name}[" not in text and f"{name} +" not in text]
    return voided((["p"] if parametric and "p[" not in text else []) + names)
