"""The straight-line kernels of a mechanism with permanent loops, for the partition chosen at generation."""

from __future__ import annotations

from ...analysis.routes import Route
from ...program.types import Function
from ..kernels import CFile, Context, internal_declarations, kernels_text, printed


def specialised_file(context: Context, route: Route, function: Function) -> CFile:
    """PREFIX_forward_dynamics_specialised: C only, it is called by the closed kernels and the step."""
    piece = printed(context, "forward_dynamics_specialised", function, route.name, route.reason)
    text = kernels_text(context, "closed loops with a fixed partition", [piece], batches=False)
    return CFile(f"{context.prefix}_specialised.c", text, (), {}, (), internal_declarations(context, [piece]))
