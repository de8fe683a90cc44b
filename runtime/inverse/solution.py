"""What inverse kinematics found, and the error that tells what it did not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.values import by_value
from ..arguments import Array
from ..errors import ModelError
from ..structs import ENDED

REACHED, OUT_OF_BOUNDS = (list(ENDED).index(name) for name in ("reached", "out_of_bounds"))

WHY = {
    "reached": "is met",
    "stationary": "has no better near: out of reach, in the way of other targets or limits, or a start too far off",
    "out_of_passes": "was still coming nearer: allow more iterations",
    "out_of_bounds": "leaves the limits: closed loops cannot meet them from this start",
}
"""What is said of a target where a search ended so."""


@by_value
@dataclass(frozen=True)
class IKSolution:
    """Configurations q (..., nq), and by how much every target is missed: `residual` (..., T) [m or rad], `names` (T).

    Of positions and the centre of mass the distance, of a rotation the angle of the turn left, of directions and
    looks the angle between the axes; along axes of positive weight alone, whatever that is. `units` (T): "m" or "rad".
    `reached` (...): every residual is within the tolerance, limits and loops are kept. `iterations` (...): linear
    problems solved, in all attempts. `ended` (...): 0 reached, 1 nothing better near, 2 out of iterations, 3 limits.
    """

    q: Array
    residual: Array
    names: tuple[str, ...]
    units: tuple[str, ...]
    reached: NDArray[np.bool_]
    iterations: NDArray[np.int64]
    ended: NDArray[np.int64]

    def message(self) -> str:
        """What was missed first, by how much and why; empty if everything was reached."""
        missed = np.flatnonzero(~self.reached.reshape(-1))
        if not missed.size:
            return ""
        row = int(missed[0])
        residual = self.residual.reshape(-1, len(self.names))[row]
        worst = int(residual.argmax())
        ended = list(ENDED)[int(self.ended.reshape(-1)[row])]
        where = f"row {row} ({missed.size} of {self.reached.size} rows): " if self.reached.ndim else ""
        others = ", ".join(
            f"{name} {size:.3g} {unit}"
            for name, size, unit in zip(self.names, residual.tolist(), self.units, strict=True)
        )
        return (
            f"{where}{self.names[worst]} is missed by {residual[worst]:.3g} {self.units[worst]} and {WHY[ended]} "
            f"(residuals: {others})"
        )


class IKError(ModelError):
    """Targets that were not reached; the message names the worst and its residual, `solution` has all."""

    def __init__(self, message: str, solution: IKSolution) -> None:
        super().__init__(message)
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with its solution, as from another process."""
        return type(self), (*self.args, self.solution), vars(self)
