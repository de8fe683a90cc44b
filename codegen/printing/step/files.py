"""All files of the time step: constraint rows, loops, the step itself."""

from __future__ import annotations

from ...analysis.plan import Plan
from ..kernels import CFile, Context
from .coast import coast_file
from .contact import contact_files
from .dependence import dependence_files
from .specialised import factored_file, seen_file, specialised_file
from .step import step_file
from .switched import switched_files


def step_files(context: Context, plan: Plan) -> tuple[CFile, ...]:
    """Straight-line code for a known partition of loops or for each that comes and goes, then what pivots."""
    rows = contact_files(context, plan.rows) if plan.rows else ()
    loops: tuple[CFile, ...] = ()
    straight = plan.straight
    if plan.switches:
        loops = tuple(switched_files(context, plan.core))
    elif straight.closed and straight.closed.function:
        loops = (specialised_file(context, straight.closed, straight.closed.function),)
    if straight.factored:
        loops = (*loops, factored_file(context, straight.factored))
    if straight.closing:
        loops = (*loops, seen_file(context, straight.closing))
    if straight.dependence and plan.closure:
        loops = (*loops, *dependence_files(context, plan.closure, straight.dependence, plan.misfit))
    coast = (coast_file(context),) if plan.turning else ()
    leaders = plan.reference.partition.independent if plan.reference and not plan.switches else ()
    step = step_file(context, plan.sizes, plan.closure, straight, plan.turning, plan.core, leaders)
    return (*rows, *loops, *coast, step)
