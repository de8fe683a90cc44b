"""PREFIX_lane_terms.c: what the steps of several simulations with rows begin with, one in each lane of a vector."""

from __future__ import annotations

from dataclasses import replace

from kinegen.runtime.errors import InternalError

from ...analysis.plan import Plan
from ...program.types import Function, Output
from ..kernels import CFile, Context, printed
from ..text.environment import render
from .files import LanesDeclarations, LanesFile, piece_by_lanes
from .kernel import LARGEST, LaneKernel

TERMS = "contact_terms"


def has_lane_terms(plan: Plan) -> bool:
    """Such simulations go side by side, and the lanes of what their steps begin with do not fill the stack."""
    return plan.sizes.beside and sum(len(output.entries) for output in _terms(plan).outputs) <= LARGEST


def lane_terms_file(context: Context, plan: Plan) -> CFile:
    """The C of a mechanism that has them: what `contact_terms` gives, as one array in the order of the struct begun."""
    scalar = printed(context, TERMS, _terms(plan))
    entries = tuple(entry for output in scalar.program.outputs for entry in output.entries)
    program = replace(scalar.program, outputs=(Output("terms", (len(entries),), entries),))
    piece = piece_by_lanes(context, scalar.spec, program)
    spec = replace(scalar.spec, outputs=piece.spec.outputs, lanes=f"{context.prefix}_{TERMS}_lanes")
    kernel = LaneKernel(spec, piece.spec, piece, looked=False)
    title, parameters = context.mechanism.name, len(context.mechanism.parameters)
    subject, twin = "what steps with rows begin with", f"{context.prefix}_terms.c"
    file = LanesFile(title, context.prefix, subject, twin, parameters, [kernel])
    declared = LanesDeclarations((spec,), context.parametric, context.numbers.scalar, "")
    header = render("lanes/lanes.h.j2", declared=declared)
    return CFile(f"{context.prefix}_lane_terms.c", render("lanes/lanes.c.j2", file=file), (), {}, declarations=header)


def _terms(plan: Plan) -> Function:
    if plan.rows is None:
        raise InternalError(f"{plan.mechanism.name} has no rows")
    return dict(plan.rows.functions)[TERMS]
