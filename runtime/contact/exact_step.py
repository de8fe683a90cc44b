"""A step of the C whose contact problem is handed to another solver, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arguments import Array
from ..model.model import Model
from .cones import ConeProblem

Solver = Callable[[ConeProblem], Array]


class SolverCall:
    """The C callback of a model that has a Python function solve each step's problem; keeps what it raises."""

    def __init__(self, model: Model, solver: Solver) -> None:
        prefix = model.manifest.prefix
        self._ffi, self._lib, self._prefix = model.module.ffi, model.module.lib, prefix
        self._solver = solver
        self.error: Exception | None = None
        self.pointer = self._ffi.callback(f"double(long, {prefix}_contact_workspace *)", self._solve)

    def problem(self, count: int, workspace: Any) -> ConeProblem:
        """What the C is about to solve, or, after a step that pushed nothing out of a depth, what it solved."""
        n = 3 * count
        K, bound = np.zeros((n, n)), np.zeros((count, 2))
        b, f, target = np.zeros(n), np.zeros(n), np.zeros(n)
        kind, point = np.zeros(n, dtype=np.intc), np.zeros(count, dtype=np.intc)
        arrays = [self._ffi.from_buffer("double[]", array) for array in (K, b, f, target, bound)]
        getattr(self._lib, f"{self._prefix}_contact_problem")(
            count, workspace, *arrays, *(self._ffi.from_buffer("int[]", array) for array in (kind, point))
        )
        return ConeProblem(K, b, f, target, bound[:, 0].copy(), kind, bound[:, 1].copy(), point)

    def _solve(self, count: int, workspace: Any) -> float:
        """Gives the residual; forces that are no numbers after an error, so that the C stops at this step."""
        problem = self.problem(count, workspace)
        try:
            f = np.ascontiguousarray(self._solver(problem), dtype=np.float64)
            residual = problem.residual(f)
        except Exception as error:
            self.error, f, residual = error, np.full(3 * count, np.nan), np.nan
        getattr(self._lib, f"{self._prefix}_contact_solution")(count, self._ffi.from_buffer("double[]", f), workspace)
        return float(residual)
