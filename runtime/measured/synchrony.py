"""Do force plates and motion tell of the same moments?"""

from __future__ import annotations

import numpy as np

from ..arguments import Array
from ..errors import ModelError

LEAST = 3
"""Frames of lag below which filters and rounding may be the cause."""
BETTER = 0.5
"""Share of the mismatch that must be left after the shift for a lag to be believed."""
SMALL = 0.05
"""Mismatch relative to the needed force below which nothing is wrong."""


def require_synchrony(needed: Array, measured: Array, t: Array) -> None:
    """ModelError if the measured total force (n, 3) fits the needed one (n, 3), Σ m (p̈_G − g), plainly better when it
    is shifted by some frames.
    """
    n = len(t)
    if n // 4 < LEAST:
        return
    reach = min(n // 4, round(0.5 * (n - 1) / (t[-1] - t[0])))
    misfits = {lag: _misfit(needed, measured, lag) for lag in range(-reach, reach + 1)}
    best = min(misfits, key=lambda lag: misfits[lag])
    size = float(np.sqrt((needed**2).sum(axis=1).mean()))
    if abs(best) >= LEAST and misfits[best] < BETTER * misfits[0] and misfits[0] > SMALL * size:
        late = best * float(t[1] - t[0])
        raise ModelError(
            f"the force plates are not synchronised with the motion: they are {abs(late):.3g} s ({abs(best)} frames) "
            f"{'late' if best > 0 else 'early'}; so shifted, the unexplained force falls from {misfits[0]:.3g} to "
            f"{misfits[best]:.3g} N rms. Shift them (plate.shifted({-late:.4g})), or pass check_synchrony=False"
        )


def _misfit(needed: Array, measured: Array, lag: int) -> float:
    """rms [N] of needed(k) − measured(k + lag)."""
    n = len(needed)
    first, last = max(0, -lag), min(n, n - lag)
    off = needed[first:last] - measured[first + lag : last + lag]
    return float(np.sqrt((off**2).sum(axis=1).mean()))
