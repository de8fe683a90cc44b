"""The straight-line kernels of a mechanism with permanent loops, for the partition chosen at generation."""

from __future__ import annotations

from dataclasses import dataclass

from ..analysis.routes import WEIGHTS, Route
from ..program.types import Function
from ..symbolic.loops.closed import Partition
from ..symbolic.loops.closed_functions import ROUTES, derive_closed, derive_dependence
from .kernels import CFile, Context, internal_declarations, kernels_text, printed

LONGEST = 60_000  # operations above which only the generic kernels are printed


@dataclass(frozen=True)
class Specialised:
    """The file, the route that its forward dynamics takes, and the partition it is printed for."""

    file: CFile
    route: Route
    partition: Partition


def specialised_file(context: Context, partition: Partition) -> Specialised:
    """PREFIX_forward_dynamics_specialised and PREFIX_dependence: C only, they are called by the closed kernels."""
    route = closed_route(context, partition)
    pieces = []
    if route.function is not None:
        pieces.append(printed(context, "forward_dynamics_specialised", route.function, route.name, route.reason))
    pieces.append(printed(context, "dependence", derive_dependence(context.mechanism, partition)))
    text = kernels_text(context, "closed loops with a fixed partition", pieces, batches=False)
    declarations = internal_declarations(context, pieces)
    file = CFile(f"{context.prefix}_specialised.c", text, (), {}, (), declarations)
    return Specialised(file, route, partition)


def closed_route(context: Context, partition: Partition) -> Route:
    """Multipliers or independent coordinates, whichever takes fewer operations."""
    functions = {name: derive_closed(context.mechanism, partition, name) for name in ROUTES}
    totals = {name: function.operations.total for name, function in functions.items()}
    best = min(ROUTES, key=lambda name: totals[name])
    reason = ", ".join(f"{name} {totals[name]}" for name in ROUTES) + f" operations{WEIGHTS}"
    function: Function | None = functions[best] if totals[best] <= LONGEST else None
    return Route(best, function, reason)
