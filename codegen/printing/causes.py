"""PREFIX_causes.c: the torque of every joint split by link and cause (§4), linear text and a loop over paths."""

from __future__ import annotations

from kinegen.runtime.abi import ArraySpec, KernelSpec

from ..symbolic.symbols import symbols_of
from ..symbolic.tree.causes import cause_parts
from .environment import render
from .kernels import CFile, Context, printed
from .motion import parameter_printer

TITLE = "Torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity"


def causes_file(context: Context) -> CFile:
    """The file with the kernel torque_terms(q, v, a) → (nv, N, 3)."""
    piece = printed(context, "cause_parts", cause_parts(context.mechanism), storage="static ")
    tree = context.mechanism.tree
    kernel = KernelSpec(
        "torque_terms",
        f"{context.prefix}_torque_terms",
        (ArraySpec("q", (tree.nq,)), ArraySpec("v", (tree.nv,)), ArraySpec("a", (tree.nv,))),
        (ArraySpec("terms", (tree.nv, len(tree.bodies), 3)),),
        dict(piece.spec.operations),
        "loop",
        "a loop over the paths of the tree",
    )
    number = parameter_printer(symbols_of(context.mechanism).parameters)
    loops = render("paths.c.j2", use_dof=True, use_last=True, **context.paths) + render(
        "loops_causes.c.j2",
        gravity=[number(g) for g in context.mechanism.gravity],
        carriers=_carriers(context),
        **context.common(),
        **context.paths,
    )
    text = render(
        "kernels.c.j2",
        subject="torque by cause",
        pieces=[piece],
        loops=loops,
        loop_kernels=(kernel,),
        batches=True,
        **context.common(),
    )
    return CFile(f"{context.prefix}_causes.c", text, (kernel,), {kernel.name: TITLE}, ("-O1",))


def _carriers(context: Context) -> list[int]:
    """The link that each motion axis moves, in the order of `Context.paths`."""
    bodies = context.mechanism.tree.bodies
    return [body.index for body in bodies for _ in range(body.nv or (1 if body.joint.mimic else 0))]
