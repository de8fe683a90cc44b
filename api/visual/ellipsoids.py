"""The uniform solid ellipsoid with a link's mass and inertia, which stands for a link that has no shape."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinegen.codegen.mechanism import Link
from kinegen.codegen.mechanism.types import Number
from kinegen.runtime.arguments import Array


def value(number: Number, values: Mapping[str, float]) -> float:
    """A number of a description, `values` being those of its symbols; NaN where one is missing."""
    if isinstance(number, (int, float)):
        return float(number)
    missing = [symbol for symbol in number.free_symbols if symbol.name not in values]
    return float("nan") if missing else float(number.subs({s: values[s.name] for s in number.free_symbols}))


def ellipsoid(link: Link, values: Mapping[str, float]) -> tuple[Array, Array] | None:
    """(3, 3) squared half axes A in link axes, (3) mass centre; None for a link without mass or with open numbers.

    I = m/5 (tr(A) E − A), so that A = 5/m (tr(I)/2 E − I); half axes that no body can have count as zero.
    """
    numbers = [link.mass, *link.com, *(x for row in link.inertia for x in row)]
    known = np.array([value(x, values) for x in numbers])
    if not np.isfinite(known).all() or known[0] <= 0.0:
        return None
    moments = known[4:].reshape(3, 3)
    return 5.0 / known[0] * (np.trace(moments) / 2.0 * np.eye(3) - moments), known[1:4]
