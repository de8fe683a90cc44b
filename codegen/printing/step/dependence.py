"""PREFIX_dependence.h and .c: what depends from the velocities that lead, straight-line, and kernels for it (§8)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kinegen.runtime.abi import ArraySpec, KernelSpec
from kinegen.runtime.thresholds import LEADING

from ...analysis.loops.closure import Closure
from ...analysis.routes import Dependence
from ...mechanism.structure.tree import Body
from ...program.types import Function
from ...symbolic.loops.closed_functions import derive_cut_rates
from ...symbolic.loops.cut_joint import is_plain
from ..kernels import CFile, Context, Piece, arrays_of, sentence
from ..text.dialects import C_LANES
from ..text.environment import render
from ..text.printer import print_function

TITLES = {
    "W": "velocities of the tree per independent one",
    "H": "dependent velocities, those of the cut joints included, per independent one",
    "S": "velocities of the actuated joints per independent one",
    "dependent_motion": "rates v and a whose dependent entries follow from the independent ones",
    "actuator_torques": "least torques of the actuated joints that give a motion on the closure, NaN where none do",
}

SCALAR: dict[str, Callable[[str], tuple[str, ...]]] = {
    "W": lambda p: (f"coefficients({p}, q, W);",),
    "H": lambda p: ("double W[NV * LEADERS];", f"coefficients_of({p}, q, FOLLOWED, followed, W, H);"),
    "S": lambda p: ("double W[NV * LEADERS];", f"coefficients_of({p}, q, ACTUATED, actuated, W, S);"),
    "dependent_motion": lambda p: (f"led({p}, q, v, a, motion);",),
    "actuator_torques": lambda p: (f"torques({p}, q, v, a, tau);",),
}
"""What each kernel calls of runtime/c/lanes/dependent.h, with the parameters."""


@dataclass(frozen=True)
class ScalarKernel:
    """A kernel for one state: its title and its lines of C."""

    spec: KernelSpec
    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class CutRates:
    """Velocities of the cut joints per v: the `piece` that gives the entries that can differ from zero.

    First those of velocities that lead, which stand at these `places` among the rows (cut velocities, leaders), then
    the others, of these `rows` and `columns`.
    """

    piece: Piece
    places: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True)
class DependenceText:
    """What `dependence.h.j2` and `dependence.c.j2` show.

    `piece`: the straight-line function, any number of lanes; `rows`, `leads`: of each entry of H that it gives, the
    velocity that follows and the place of the one that leads; `firsts`: the first entry of each that follows, in the
    order of `followers`, and their end; `followed`, `actuated`: rows of H and S, velocities of
    the tree, then, after all of those, of the cut joints. `misfit` [m, rad]: what the loops miss by. `cut`: what H
    takes of the cut joints; None where it takes nothing, or something else.
    """

    title: str
    prefix: str
    parametric: bool
    nv: int
    piece: Piece
    leaders: tuple[int, ...]
    followers: tuple[int, ...]
    rows: tuple[int, ...]
    leads: tuple[int, ...]
    firsts: tuple[int, ...]
    followed: tuple[int, ...]
    actuated: tuple[int, ...]
    misfit: float
    cut: CutRates | None = None
    kernels: tuple[ScalarKernel, ...] = ()

    @property
    def shares(self) -> bool:
        """There are actuators enough for every motion."""
        return len(self.actuated) >= len(self.leaders)

    @property
    def leading(self) -> tuple[float, ...]:
        """(nv) readiness of the velocities to be dependent."""
        return tuple(LEADING if i in self.leaders else 1.0 for i in range(self.nv))


def dependence_files(context: Context, closure: Closure, dependence: Dependence, misfit: float) -> tuple[CFile, CFile]:
    """The straight-line code, and the kernels for one state around it."""
    context.advance("dependence")
    text, prefix = _text(context, closure, dependence, misfit), context.prefix
    kernels = tuple(kernel.spec for kernel in text.kernels)
    titles = {spec.name: TITLES[spec.name] for spec in kernels}
    programs = {"dependence": dependence.function}
    return (
        CFile(f"{prefix}_dependence.h", render("step/dependence.h.j2", dependence=text), (), {}),
        CFile(
            f"{prefix}_dependence.c",
            render("step/dependence.c.j2", dependence=text),
            kernels,
            titles,
            programs=programs,
        ),
    )


def _text(context: Context, closure: Closure, dependence: Dependence, misfit: float) -> DependenceText:
    tree, partition = context.mechanism.tree, dependence.partition
    nf = len(partition.independent)
    followed = [i for i in range(tree.nv) if i not in partition.independent]
    followed += range(tree.nv, tree.nv + closure.cut_nv)
    actuated = _actuated(tree.bodies, 0) + _actuated(closure.cut, tree.nv)
    return DependenceText(
        context.mechanism.name,
        context.prefix,
        context.parametric,
        tree.nv,
        _piece(context, "dependence", dependence.function, "static KG_INLINE "),
        partition.independent,
        partition.dependent,
        tuple(partition.dependent[place // nf] for place in dependence.places),
        tuple(place % nf for place in dependence.places),
        tuple(bisect_left(dependence.places, nf * k) for k in range(len(partition.dependent) + 1)),
        tuple(followed),
        tuple(actuated),
        misfit,
        _cut_rates(context, partition.independent),
        tuple(_kernels(context, nf, len(followed), len(actuated))),
    )


def _actuated(bodies: Sequence[Body], start: int) -> list[int]:
    return [start + body.v_start + i for body in bodies if body.joint.actuated for i in range(body.nv)]


def _cut_rates(context: Context, leaders: Sequence[int]) -> CutRates | None:
    """None where no cut joint moves, and where one has several turns."""
    cut = [virtual.joint for virtual in context.mechanism.virtual_links if virtual.joint.nv]
    if not cut or not all(map(is_plain, cut)):
        return None
    program = derive_cut_rates(context.mechanism)
    (C,) = program.outputs
    nv, nf = C.shape[1], len(leaders)
    led = [place for place in C.places if place % nv in leaders]
    others = [place for place in C.places if place % nv not in leaders]
    entries = replace(C, shape=(len(C.places),), entries=tuple(C.entries[place] for place in (*led, *others)))
    return CutRates(
        _piece(context, "cut_rates", replace(program, outputs=(entries,)), "static inline "),
        tuple(place // nv * nf + leaders.index(place % nv) for place in led),
        tuple(place // nv for place in others),
        tuple(place % nv for place in others),
    )


def _piece(context: Context, name: str, program: Function, storage: str) -> Piece:
    """For any number of states."""
    spec = KernelSpec(name, f"{context.prefix}_{name}", *arrays_of(program))
    body = print_function(program, C_LANES)
    return Piece(spec, body, program, storage)


def _kernels(context: Context, nf: int, followed: int, actuated: int) -> list[ScalarKernel]:
    """W, H and dependent motion; what concerns actuators where there are any, and enough."""
    tree = context.mechanism.tree
    q, state = ("q", tree.nq), (("q", tree.nq), ("v", tree.nv), ("a", tree.nv))
    kernels = [
        _kernel(context, "W", (q,), ("W", (tree.nv, nf))),
        _kernel(context, "H", (q,), ("H", (followed, nf))),
        _kernel(context, "dependent_motion", state, ("motion", (2, tree.nv))),
    ]
    if actuated:
        kernels.append(_kernel(context, "S", (q,), ("S", (actuated, nf))))
    if actuated >= nf:
        kernels.append(_kernel(context, "actuator_torques", state, ("tau", (actuated,))))
    return kernels


def _kernel(
    context: Context, name: str, inputs: Sequence[tuple[str, int]], output: tuple[str, tuple[int, ...]]
) -> ScalarKernel:
    spec = KernelSpec(
        name,
        f"{context.prefix}_{name}",
        tuple(ArraySpec(array, (size,)) for array, size in inputs),
        (ArraySpec(*output),),
        route="specialised",
        reason="straight-line code of a fixed partition, else generic elimination with complete pivoting",
    )
    return ScalarKernel(spec, sentence(TITLES[name]), SCALAR[name]("p" if context.parametric else "0"))
