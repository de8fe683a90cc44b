"""The straight-line code that a closed mechanism allows: forward dynamics, closing, dependent velocities."""

from __future__ import annotations

from dataclasses import dataclass

from ...mechanism.mechanism import Mechanism
from ...program.types import Function
from ...symbolic.loops.closed import Partition
from ...symbolic.loops.left_out import Scales
from ..passive import is_damped
from ..routes import (
    Closing,
    Dependence,
    Route,
    closed_route,
    closing_of,
    dependence_of,
    factored_of,
    packed_closing,
)
from .closure import Closure
from .fit import Fit
from .missed import fitted_scales


@dataclass(frozen=True)
class StraightLine:
    """On one partition, each None if there is none: `closed` forward dynamics; `closing` puts a state back on the
    closure; `factored`: forward dynamics with what answers forces of rows; `dependence`: what depends from the
    independent velocities.

    `scales`: what the rows of loops are measured by, None without loops; `dependent`: velocities that depend, 0 if
    nothing is straight-line; `alike`: `closed` goes by independent coordinates. It takes what is added to the diagonal
    of M, as `factored` does.
    """

    scales: Scales | None = None
    closed: Route | None = None
    closing: Closing | None = None
    factored: Function | None = None
    dependence: Dependence | None = None
    dependent: int = 0
    alike: bool = False


NOTHING_STRAIGHT = StraightLine()


def straight_line_of(
    mechanism: Mechanism, found: Fit, closure: Closure | None, switched: bool, massless: bool, rows: bool
) -> StraightLine:
    """What a partition that stays allows; `switched`: loops come and go; `rows`: constraint rows may act."""
    if closure is None:
        return NOTHING_STRAIGHT
    fixed = None if switched else _fixed(found)
    scales = fitted_scales(mechanism, found, fixed)
    if fixed is None:
        return StraightLine(scales)
    added = range(mechanism.tree.nv)  # by dampers and servos
    route = closed_route(mechanism, fixed, massless, scales, added)
    closed = route if route.function is not None else None
    looks = closed and not found.misfit
    closing = closing_of(mechanism, fixed, closure, route, massless, scales, added) if looks else None
    answering = closing is not None and rows and not _has_cut_damping(mechanism)
    factored = factored_of(mechanism, fixed, massless, scales, added) if answering else None
    packed = packed_closing(closing, factored) if closing else None
    dependence = dependence_of(mechanism, fixed, scales) if closed else None
    alike, dependent = route.name != "multipliers", len(fixed.dependent)
    return StraightLine(scales, closed, packed, factored, dependence, dependent, alike)


def _fixed(found: Fit) -> Partition | None:
    """The partition; None without one, or without any velocity on one of its sides."""
    partition = found.reference.partition if found.reference else None
    return partition if partition and partition.independent and partition.dependent else None


def _has_cut_damping(mechanism: Mechanism) -> bool:
    """Dampers of cut joints add to M off its diagonal."""
    return any(is_damped(loop.joint) for loop in mechanism.virtual_links)
