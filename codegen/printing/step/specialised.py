"""The straight-line kernels of a mechanism with permanent loops, for the partition chosen at generation."""

from __future__ import annotations

from ...analysis.routes import Closing, Route
from ...program.types import Function
from ..kernels import CFile, Context, internal_file, printed


def factored_file(context: Context, function: Function) -> CFile:
    """PREFIX_forward_dynamics_factored: C only, steps with rows call it; a file of its own, for it is long."""
    pieces = [printed(context, "forward_dynamics_factored", function, "independent")]
    return internal_file(context, "factored", "closed loops with a fixed partition, for steps with rows", pieces)


def pulled_file(context: Context, function: Function) -> CFile:
    """PREFIX_forward_dynamics_pulled: C only, steps with dampers of cut joints call it; a file of its own likewise."""
    pieces = [printed(context, "forward_dynamics_pulled", function, "independent")]
    return internal_file(context, "pulled", "closed loops with a fixed partition and dampers of cut joints", pieces)


def specialised_file(context: Context, route: Route, function: Function, closing: Closing | None) -> CFile:
    """PREFIX_forward_dynamics_specialised and PREFIX_closing: C only, the closed kernels and the step call them."""
    pieces = [printed(context, "forward_dynamics_specialised", function, route.name, route.reason)]
    pieces += [printed(context, "closing", closing.function)] if closing else []
    return internal_file(context, "specialised", "closed loops with a fixed partition", pieces)
