"""Forward dynamics that goes on from a look at the loops: what both need at q is computed once (§8).

One program gives all outputs of both. The first part is what the look needs; `seen` are its values that the second
part, all that is left, reads.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

import sympy

from ...mechanism.mechanism import Mechanism
from ...program.limbs import Limbs
from ...program.packs.packs import Symbols, alike
from ...program.types import Function, Input, Output
from ...program.verify import verify
from ..limbs import copies_of, limbs_of
from ..workbench import Workbench, written
from .closed import Partition
from .closed_functions import accelerated, looked
from .left_out import Scales

LOOK = 4  # outputs of the look
NO_LIMBS = Limbs()


def derive_seen(
    mechanism: Mechanism,
    partition: Partition,
    route: str,
    scales: tuple[Scales, Scales],
    massless: bool = False,
    added: Sequence[int] = (),
    damped: Sequence[int] = (),
) -> tuple[Function, Function]:
    """`derive_closing` with `seen` as one more output; `derive_closed` by a route, or by independent coordinates with
    dampers of the cut joints of the loops `damped`, from (q, v, tau, d, d_cut where there are any, seen).

    `scales`: those of the look, and those of the acceleration.
    """

    def build(w: Workbench) -> None:
        looked(w, partition, scales[0])
        accelerated(w, partition, route, scales[1], massless, added, damped)

    title = "acceleration under closed loops, from what a look at them has seen"
    copies = copies_of(mechanism.tree)
    limbs = copies if copies.widths else limbs_of(mechanism.tree)
    return divided(written(mechanism, "forward_dynamics_seen", title, build), limbs)


def divided(whole: Function, limbs: Limbs = NO_LIMBS) -> tuple[Function, Function]:
    """Both parts of a program that gives the outputs of the look before all others; what limbs that are alike have seen
    stands side by side."""
    first, second = whole.outputs[:LOOK], whole.outputs[LOOK:]
    looking, read = _needed(whole, first), _needed(whole, second)
    looked_at = tuple(angle for angle in whole.angles if not looking.isdisjoint((angle.sin, angle.cos)))
    there = looking.union(*((angle.sin, angle.cos) for angle in looked_at))
    rest = tuple(own for own in whole.assignments if own.symbol in read - looking)
    wanted = _symbols(own.expr for own in rest) | _symbols(x for output in second for x in output.entries)
    turned = [symbol for angle in looked_at for symbol in (angle.sin, angle.cos)]
    made = [*turned, *(own.symbol for own in whole.assignments if own.symbol in looking)]
    packs = alike(whole, limbs).packs if limbs.widths else {}
    seen = tuple(_side_by_side((symbol for symbol in made if symbol in wanted), packs, there))
    look = replace(
        whole,
        name="closing",
        title="gap of the loops, what closes it, v_S = H v_G there, and what is seen on the way",
        inputs=tuple(given for given in whole.inputs if given.name in ("p", "q")),
        angles=looked_at,
        assignments=tuple(own for own in whole.assignments if own.symbol in looking),
        outputs=(*first, Output("seen", (len(seen),), seen)),
        evened=None,
        whole=whole,
    )
    after = replace(
        whole,
        inputs=(*whole.inputs, Input("seen", seen)),
        angles=tuple(a for a in whole.angles if a not in looked_at and not wanted.isdisjoint((a.sin, a.cos))),
        assignments=rest,
        outputs=second,
        evened=None,
        whole=whole,
    )
    return verify(look), verify(after)


def _side_by_side(
    symbols: Iterable[sympy.Symbol], packs: Mapping[sympy.Symbol, Symbols], there: Container[sympy.Symbol]
) -> dict[sympy.Symbol, None]:
    """The symbols, each with those of its pack if all of them are `there`."""
    found: dict[sympy.Symbol, None] = {}
    for symbol in symbols:
        pack = packs.get(symbol, (symbol,))
        found |= dict.fromkeys(pack if all(member in there for member in pack) else (symbol,))
    return found


def _needed(function: Function, outputs: Iterable[Output]) -> set[sympy.Symbol]:
    """The symbols of all values that these come from."""
    found = _symbols(entry for output in outputs for entry in output.entries)
    for own in reversed(function.assignments):  # last to first
        if own.symbol in found:
            found |= own.expr.free_symbols
    return found


def _symbols(exprs: Iterable[sympy.Expr]) -> set[sympy.Symbol]:
    return set().union(*(expr.free_symbols for expr in exprs))
