"""The closure of a mechanism whose loops come and go as C: a file a loop, and the kernels that gather the active ones.

n possible connections are n files, compiled side by side; which of them hold is data (their flags in the parameters).
"""

from __future__ import annotations

from dataclasses import dataclass

from kinegen.runtime.abi import ArraySpec, KernelSpec

from ...analysis.loops.closure import cut_bodies
from ...analysis.routes import Core
from ...symbolic.functions import DERIVATIONS
from ...symbolic.loops.functions import TOPICS, derive_loop
from ..kernels import CFile, Context, internal_file, kernels_text, printed
from ..text.environment import render

GATHERED = {
    "closure_residual": ("gap", "gap", 6),
    "closure_rows": ("rows", "K", 6),
    "closure_rows_bias": ("turning", "dKv", 6),
    "cut_poses": ("pose", "poses", 12),
    "cut_twists": ("twist", "twists", 6),
    "closure_bias": ("bias", "dJv", 6),
}
"""Kernel: topic of one loop, name of the output, rows a loop. Poses and twists are given of inactive loops as well."""

ALWAYS = ("cut_poses", "cut_twists")
WITH_COLUMNS = ("closure_rows", "cut_twists")
WITH_SPEED = ("closure_rows_bias", "closure_bias")


@dataclass(frozen=True)
class _Call:
    """C statement that fills in one loop, whose entries begin at `start`; `flag`: its place in p, -1 for always."""

    flag: int
    start: int
    text: str


@dataclass(frozen=True)
class _Gather:
    """A kernel: head, output, entries a loop that are zero where it is not active (0: they are given), calls."""

    head: str
    out: str
    size: int
    calls: tuple[_Call, ...]


@dataclass(frozen=True)
class _Jacobian:
    """Columns of one loop in J_C: place of its flag in p, number of the loop, velocities of its cut joint."""

    flag: int
    index: int
    nv: int
    start: int


@dataclass(frozen=True)
class _Gathered:
    """What `loops_switched.c.j2` shows: kernels over all loops; `cut_nv`: velocities of all cut joints."""

    prefix: str
    nv: int
    loops: int
    cut_nv: int
    kernels: tuple[_Gather, ...]
    jacobians: tuple[_Jacobian, ...]


def switched_files(context: Context, core: Core | None) -> list[CFile]:
    """PREFIX_loop0.c, PREFIX_loop1.c, ... for the loops, PREFIX_closure.c with the kernels over all of them,
    PREFIX_branches.c with what branches give to them."""
    branches = (_branches_file(context, core),) if core else ()
    return [*(_loop_file(context, i) for i in range(len(context.flags))), _gathered_file(context), *branches]


def _branches_file(context: Context, core: Core) -> CFile:
    pieces = [printed(context, "branch_terms", core.branches), printed(context, "open_terms", core.open)]
    return internal_file(context, "branches", "factor of M for loops that come and go", pieces)


def _loop_file(context: Context, index: int) -> CFile:
    mechanism, loop = context.mechanism, f"loop{index}"
    joint = mechanism.virtual_links[index].joint
    topics = [topic for topic in TOPICS if topic != "effort" or joint.nv]
    pieces = [printed(context, f"{loop}_{topic}", derive_loop(mechanism, index, topic)) for topic in topics]
    name = joint.name
    return internal_file(context, loop, f"closure of loop {index}, {name}", pieces)


def _gathered_file(context: Context) -> CFile:
    cut = cut_bodies(context.mechanism)
    cut_nv = sum(body.nv for body in cut)
    kernels = tuple(_spec(context, name, cut_nv) for name in (*GATHERED, "closure_jacobian"))
    gathered = _Gathered(
        context.prefix,
        context.mechanism.tree.nv,
        len(cut),
        cut_nv,
        tuple(_gather(context, kernel) for kernel in kernels if kernel.name in GATHERED),
        tuple(
            _Jacobian(flag, body.index, body.nv, body.v_start) for flag, body in zip(context.flags, cut, strict=True)
        ),
    )
    loops = render("step/loops_switched.c.j2", gathered=gathered)
    text = kernels_text(context, "closure of the loops that are active", (), loops, kernels)
    titles = {kernel.name: DERIVATIONS[kernel.name][0] for kernel in kernels}
    return CFile(f"{context.prefix}_closure.c", text, kernels, titles)


def _spec(context: Context, name: str, cut_nv: int) -> KernelSpec:
    tree, loops = context.mechanism.tree, len(context.flags)
    if name == "closure_jacobian":
        output = ArraySpec("J_C", (6 * loops, tree.nv + cut_nv))
    else:
        _, out, rows = GATHERED[name]
        shape = (loops, 12) if name == "cut_poses" else (rows * loops,)
        output = ArraySpec(out, (*shape, tree.nv) if name in WITH_COLUMNS else shape)
    inputs = [ArraySpec("q", (tree.nq,))] + ([ArraySpec("v", (tree.nv,))] if name in WITH_SPEED else [])
    reason = "a call for each active loop"
    return KernelSpec(name, f"{context.prefix}_{name}", tuple(inputs), (output,), route="loop", reason=reason)


def _gather(context: Context, kernel: KernelSpec) -> _Gather:
    topic, out, rows = GATHERED[kernel.name]
    size = rows * (context.mechanism.tree.nv if kernel.name in WITH_COLUMNS else 1)
    inputs = [array.name for array in kernel.inputs]
    head = ", ".join(f"const double *restrict {name}" for name in ("p", *inputs))
    calls = tuple(
        _Call(flag, i * size, f"{context.prefix}_loop{i}_{topic}(p, {', '.join(inputs)}, {out} + {i * size});")
        for i, flag in enumerate(context.flags)
    )
    cleared = 0 if kernel.name in ALWAYS else size
    return _Gather(f"void {kernel.function}({head}, double *restrict {out})", out, cleared, calls)
