"""What the rows that a partition leaves out miss where dimensions are rounded, measured where the loops were fitted.

The proof of a straight-line acceleration asks these rows to be met. Of loops that close they are, to rounding; of loops
that miss by a misfit they are by that much times what the mechanism makes of it, which no misfit in metres tells.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ...mechanism.mechanism import Mechanism
from ...program.evaluate import numeric
from ...symbolic.functions import derive
from ...symbolic.loops.closed import Partition
from ...symbolic.loops.left_out import MISSED, Scales
from .closure import scales_of
from .fit import Fit

Array = npt.NDArray[np.float64]

SPARE = 10.0  # times what was measured: the configurations looked at are some of all
POOR = 0.05  # smallest over largest singular value of K_S below which straight-line code is not trusted anyway
DRAWN = 4  # velocities and accelerations at each configuration


def fitted_scales(mechanism: Mechanism, fit: Fit, partition: Partition | None) -> Scales:
    """The scales of the loops, with what the rows that the partition leaves out may miss by."""
    scales = scales_of(mechanism)
    if not fit.misfit or partition is None:
        return scales
    missed = _missed(mechanism, scales, partition, fit)
    return replace(scales, misfit=fit.misfit, missed=MISSED + SPARE * missed)


def _missed(mechanism: Mechanism, scales: Scales, partition: Partition, fit: Fit) -> float:
    """The largest part of the size of its terms by which a row is missed, over random motions that the others allow."""
    rows, bias = numeric(derive(mechanism, "closure_rows")), numeric(derive(mechanism, "closure_rows_bias"))
    weights, units = np.array(scales.rows), np.array(scales.units)
    rng, chosen, found = np.random.default_rng(3), list(partition.rows), [(0.0, 0.0)]
    left = [r for r in range(len(weights)) if r not in partition.rows]
    for q in fit.configurations:
        K = rows({"q": q.tolist(), "p": list(fit.values)})["K"]
        sizes = np.linalg.svd((weights[:, None] * K * units)[np.ix_(chosen, partition.dependent)])[1]
        inverse = np.linalg.pinv(K[np.ix_(chosen, partition.dependent)])
        for _ in range(DRAWN):
            v, a = rng.normal(size=(2, len(units))) * units
            v[list(partition.dependent)] = -inverse @ K[np.ix_(chosen, partition.independent)] @ _of(v, partition)
            drift = bias({"q": q.tolist(), "v": v.tolist(), "p": list(fit.values)})["dKv"]
            free = K[np.ix_(chosen, partition.independent)] @ _of(a, partition)
            a[list(partition.dependent)] = -inverse @ (free + drift[chosen])
            missed = float(np.linalg.norm((weights * (K @ a + drift))[left]))
            size = np.sqrt(((a / units) ** 2).sum() + ((v / units) ** 2).sum() ** 2 + scales.floor**2)
            found.append((float(sizes.min(initial=1.0) / sizes.max(initial=1.0)), missed / float(size)))
    well = [missed for quality, missed in found if quality > POOR]
    return max(well or [missed for _, missed in found])


def _of(rates: Array, partition: Partition) -> Array:
    return rates[list(partition.independent)]
