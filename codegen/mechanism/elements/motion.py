"""The motion that a joint is given: its coordinates as functions of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.typed import is_empty, is_series

from .. import checks
from ..expressions import BENT, FUNCTIONS
from ..types import SIZES, Number

TIME = sympy.Symbol("t", real=True)
"""Time [s] in the expression of a motion: whatever symbol is called t there."""

WITH_PIECES = (*FUNCTIONS, *BENT)

FITS = 1e-9
"""How far `start` may be from where the motion begins [m, rad]."""


def motion_of(value: Any, kind: str, what: str) -> tuple[Number, ...]:
    """(nq) coordinates in TIME and parameters; empty if none is given. ModelError for kinds that cannot be told."""
    if value is None or is_empty(value):
        return ()
    record = KINDS[kind]
    if record.rigid:
        raise ModelError(f"{what}: a {kind} joint does not move")
    if record.group:
        raise ModelError(
            f"{what}: a {kind} joint has no coordinates that add; make it of joints that have, such as kg.cartesian() "
            "and kg.gimbal()"
        )
    if callable(value):
        raise ModelError(
            f"{what}: a function cannot be compiled; give an expression of the symbol t, or the function to a "
            "simulation: Simulator(driven={joint: function})"
        )
    given = value if is_series(value) and not isinstance(value, str) else (value,)
    return tuple(checks.number(_in_time(x), what, WITH_PIECES) for x in checks.items(given, SIZES[kind][0], what))


def begin_of(motion: Sequence[Number]) -> tuple[float, ...]:
    """(nq) where a motion begins; empty if there is none, or if parameters decide."""
    placed = [entry.subs(TIME, 0) if isinstance(entry, sympy.Expr) else entry for entry in motion]
    if any(isinstance(entry, sympy.Expr) and (entry.free_symbols or not entry.is_real) for entry in placed):
        return ()
    return tuple(float(entry) for entry in placed)


def check_motion(motion: Sequence[Number], start: Sequence[float], what: str, *, cut: bool, follows: bool) -> None:
    """ModelError where a joint with a motion is cut, follows another one, or starts elsewhere."""
    if not motion:
        return
    if cut:
        raise ModelError(f"{what}: what has a motion stays in the tree; cut the loop at another joint")
    if follows:
        raise ModelError(f"{what}: it moves by its motion or by mimic; leave one of them out")
    begin = begin_of(motion)
    if begin and start and max(abs(a - b) for a, b in zip(begin, start, strict=True)) > FITS:
        raise ModelError(f"{what}: it starts at {list(start)}, its motion begins at {list(begin)}; leave start out")


def _in_time(value: Any) -> Any:
    """With the real symbol of time, by which re(t) is t."""
    if not isinstance(value, sympy.Expr):
        return value
    return value.subs({symbol: TIME for symbol in value.free_symbols if symbol.name == TIME.name and symbol != TIME})
