"""Which entries of a matrix are zero whatever the configuration: a picture of M, G or J_C."""

from __future__ import annotations

from markupsafe import Markup

from ..program.types import Function
from .svg import add, canvas, markup

LARGEST_CELL, WIDEST, TALLEST = 22.0, 300.0, 620.0
MARGIN = 6.0


def share(function: Function) -> str:
    """How many entries of the only output are not identically zero: `7 of 12`."""
    entries = function.outputs[0].entries
    return f"{sum(entry != 0 for entry in entries)} of {len(entries)}"


def sparsity(function: Function, name: str) -> Markup:
    """SVG of the only output, a matrix; a square where an entry is not identically zero."""
    (output,) = function.outputs
    rows, columns = output.shape
    cell = min(LARGEST_CELL, WIDEST / columns, TALLEST / rows)
    picture = canvas(columns * cell + 2 * MARGIN, rows * cell + 2 * MARGIN, "sparsity", f"non-zero entries of {name}")
    add(picture, "rect", x=MARGIN, y=MARGIN, width=columns * cell, height=rows * cell, kind="frame")
    gap = 0.12 * cell
    size = cell - 2 * gap
    squares = [
        f"M{MARGIN + (i % columns) * cell + gap:.2f} {MARGIN + (i // columns) * cell + gap:.2f}"
        f"h{size:.2f}v{size:.2f}h{-size:.2f}z"
        for i, entry in enumerate(output.entries)
        if entry != 0
    ]
    add(picture, "path", d="".join(squares), kind="entries")
    return markup(picture)
