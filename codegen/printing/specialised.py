"""The straight-line kernels of a mechanism with permanent loops, for the partition chosen at generation."""

from __future__ import annotations

from ..analysis.loops import scales_of
from ..analysis.routes import WEIGHTS, Route
from ..program.types import Function
from ..symbolic.loops.closed import Partition
from ..symbolic.loops.closed_functions import ROUTES, derive_closed
from .kernels import CFile, Context, internal_declarations, kernels_text, printed

LONGEST = 60_000  # operations above which only the generic kernels are printed


def specialised_file(context: Context, route: Route, function: Function) -> CFile:
    """PREFIX_forward_dynamics_specialised: C only, it is called by the closed kernels and the step."""
    piece = printed(context, "forward_dynamics_specialised", function, route.name, route.reason)
    text = kernels_text(context, "closed loops with a fixed partition", [piece], batches=False)
    return CFile(f"{context.prefix}_specialised.c", text, (), {}, (), internal_declarations(context, [piece]))


def closed_route(context: Context, partition: Partition) -> Route:
    """Multipliers or independent coordinates, whichever takes fewer operations."""
    scales = scales_of(context.mechanism)
    functions = {name: derive_closed(context.mechanism, partition, name, scales) for name in ROUTES}
    totals = {name: function.operations.total for name, function in functions.items()}
    best = min(ROUTES, key=lambda name: totals[name])
    reason = ", ".join(f"{name} {totals[name]}" for name in ROUTES) + f" operations{WEIGHTS}"
    function: Function | None = functions[best] if totals[best] <= LONGEST else None
    return Route(best, function, reason)
