"""The straight-line kernels of a mechanism with permanent loops, for the partition chosen at generation."""

from __future__ import annotations

from ...analysis.routes import Closing, Route
from ...program.types import Function
from ..kernels import CFile, Context, internal_file, printed


def factored_file(context: Context, function: Function) -> CFile:
    """PREFIX_forward_dynamics_factored: C only, steps with rows call it; a file of its own, for it is long."""
    pieces = [printed(context, "forward_dynamics_factored", function, "independent")]
    return internal_file(context, "factored", "closed loops with a fixed partition, for steps with rows", pieces)


def seen_file(context: Context, closing: Closing) -> CFile:
    """PREFIX_closing and PREFIX_forward_dynamics_seen, which goes on from it if steps take it: C only."""
    functions = {"closing": closing.function} | ({"forward_dynamics_seen": closing.after} if closing.goes_on else {})
    pieces = [printed(context, name, function) for name, function in functions.items()]
    return internal_file(context, "seen", "a look at the closed loops, and forward dynamics from there", pieces)


def specialised_file(context: Context, route: Route, function: Function) -> CFile:
    """PREFIX_forward_dynamics_specialised: C only, the closed kernels and the step call it."""
    pieces = [printed(context, "forward_dynamics_specialised", function, route.name, route.reason)]
    return internal_file(context, "specialised", "closed loops with a fixed partition", pieces)
