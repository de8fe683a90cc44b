"""The step from link to link as text: rows x, y, z of poses and axes are alike, so that one row's program computes as
many of them as a vector holds (frames/xyz.h)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...program.types import Function
from .dialects import C_KERNEL
from .printer import Lines, given_names, stores, wrapped

HEADER = "kinegen/frames/xyz.h"
OF_ROWS = replace(
    C_KERNEL,
    constant="(kg_xyz){{{value}}}",
    load="*kg_xyz_at({array} + {index}*XYZ + e)",
    store="*kg_xyz_to({array} + {index}*XYZ + e) = {value};",
    assign="const kg_xyz {name} = {value};",
    cleared=1.0,
)


def step_lines(function: Function) -> Lines:
    """The body of the step of one row."""
    angles = tuple(C_KERNEL.expression(angle.argument, given_names(function, C_KERNEL)) for angle in function.angles)
    return Lines(OF_ROWS, angles, "", tuple(_blocks(function)), (), function.unused, HEADER)


def _blocks(function: Function) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Numbers, then vectors: what follows from the link above."""
    (above,) = (given for given in function.inputs if given.name == "above")
    names, of_rows = given_names(function, C_KERNEL), set(above.symbols)
    loads = OF_ROWS.loads(above.name, above.symbols)
    for symbol in loads:
        del names[symbol]
    stored, numbers, title = stores(function, OF_ROWS, names), list[str](), ""
    rows = [OF_ROWS.assign.format(name=x.name, value=loads[x]) for x in above.symbols if x in function.used]
    rows += [line for symbol in (None, *above.symbols) for line in stored.get(symbol, ())]
    for assignment in function.assignments:
        alike = not of_rows.isdisjoint(assignment.expr.free_symbols)
        dialect, lines, title = OF_ROWS if alike else C_KERNEL, rows if alike else numbers, assignment.section
        of_rows |= {assignment.symbol} if alike else set()
        value = dialect.expression(assignment.expr, names, assignment.kept)
        lines += wrapped(dialect.assign.format(name=assignment.symbol.name, value=value))
        lines += stored.get(assignment.symbol, ())
    loop = "for (int e = 0; e < 3; e += AT_ONCE) { /* entries along x, y, z of the world, which are alike */"
    yield title, (*numbers, loop, *(f"    {line}" for line in rows), "}")
