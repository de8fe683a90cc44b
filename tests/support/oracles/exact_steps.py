"""A semi-implicit step of a closed mechanism, written once more with numbers of fifty digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import scipy.linalg

import kinegen as kg
from kinegen.codegen.inspection.sources import program_of
from support.oracles.digits import DIGITS, STEP, many_digits
from support.oracles.numeric import Array

LOOP = ("closure_rows", "closure_rows_bias", "closure_residual")


@dataclass(frozen=True)
class Leading:
    """Which entries of v lead and which follow, and the rows of K that tell the latter."""

    lead: list[int]
    follow: list[int]
    kept: list[int]


def leading(K: Array, lead: Sequence[int]) -> Leading:
    """As many rows of K (m, nv) as entries follow `lead`, those that tell most."""
    follow = [i for i in range(K.shape[1]) if i not in lead]
    best = scipy.linalg.qr(K[:, follow].T, mode="r", pivoting=True)[1]
    return Leading([*lead], follow, sorted(best[: len(follow)].tolist()))


@dataclass(frozen=True)
class ExactStep:
    """Of a mechanism whose q changes by v (nq = nv): `first` leads before the step, `second` in it; dt [s]."""

    run: Mapping[str, Callable[[dict[str, Any]], Mapping[str, Any]]]
    nv: int
    first: Leading
    second: Leading
    dt: float

    def matrix(self, name: str, columns: int, **given: Any) -> Any:
        (values,) = self.run[name](given).values()
        return mpmath.matrix([values[i * columns : (i + 1) * columns] for i in range(len(values) // columns)])

    def rows(self, x: list[Any], by: Leading) -> Any:
        whole = self.matrix("closure_rows", self.nv, q=x)
        return mpmath.matrix([[whole[i, j] for j in range(self.nv)] for i in by.kept])

    def closed(self, x: list[Any], by: Leading) -> list[Any]:
        """By Newton's steps, where the leaders stay."""
        for _ in range(8):
            gap = self.matrix("closure_residual", 1, q=x)
            move = mpmath.lu_solve(_columns(self.rows(x, by), by.follow), -mpmath.matrix([gap[i] for i in by.kept]))
            x = [e + (move[by.follow.index(i)] if i in by.follow else 0) for i, e in enumerate(x)]
        return x

    def led(self, x: list[Any], y: list[Any], by: Leading) -> list[Any]:
        """All velocities that the leaders' y give."""
        K, follow, lead = self.rows(x, by), by.follow, by.lead
        found = mpmath.lu_solve(_columns(K, follow), -(_columns(K, lead) * mpmath.matrix(y)))
        return [found[follow.index(i)] if i in follow else y[lead.index(i)] for i in range(self.nv)]

    def acceleration(self, x: list[Any], v: list[Any], torque: list[Any]) -> list[Any]:
        """By multipliers: [M −Kᵀ; K 0] [a; λ] = [τ − h; −K̇v]."""
        n, kept = self.nv, self.first.kept
        M, K, m = self.matrix("mass_matrix", n, q=x), self.rows(x, self.first), len(kept)
        h, drift = self.matrix("bias", 1, q=x, v=v), self.matrix("closure_rows_bias", 1, q=x, v=v)
        whole = mpmath.zeros(n + m)
        whole[:n, :n], whole[n:, :n], whole[:n, n:] = M, K, -K.T
        right = [*(torque[i] - h[i] for i in range(n)), *(-drift[i] for i in kept)]
        return [*mpmath.lu_solve(whole, mpmath.matrix(right))][:n]

    def made(self, q: list[Any], speeds: list[Any], torque: list[Any]) -> list[Any]:
        """[q; v] after a step from near q."""
        x, dt = self.closed(q, self.first), mpmath.mpf(self.dt)
        v = self.led(x, speeds, self.first)
        end = [e + dt * f for e, f in zip(v, self.acceleration(x, v, torque), strict=True)]
        moved = self.closed([e + dt * s for e, s in zip(x, end, strict=True)], self.second)
        return [*moved, *self.led(moved, [end[i] for i in self.second.lead], self.second)]


def _columns(whole: Any, columns: list[int]) -> Any:
    return mpmath.matrix([[whole[i, j] for j in columns] for i in range(whole.rows)])


def exact_derivatives(
    mechanism: kg.Mechanism, at: kg.Model, q: Array, rate: Array, tau: Array, found: kg.StepDerivatives, dt: float
) -> Array:
    """(2 nv, 2 nf + nv): of the tree's state after a step by y, ẏ, tau.

    The step closes by the leaders or by the partition of the state: by that whose end is the one found, to 1e-12.
    """
    K = at.kernel("closure_rows")(q)
    run = {name: many_digits(program_of(mechanism, name)) for name in ("mass_matrix", "bias", *LOOP)}
    first, other = (leading(K, lead) for lead in (at.loops.leaders, at.closure.split(q).independent))
    base, nf, end = [mpmath.mpf(x) for x in q.tolist()], at.nf, np.concatenate([found.q, found.v])
    with mpmath.workdps(DIGITS):
        start = [*[mpmath.mpf(0)] * nf, *map(mpmath.mpf, rate.tolist()), *map(mpmath.mpf, tau.tolist())]

        def after(given: list[Any], step: ExactStep) -> list[Any]:
            near = [e + (given[first.lead.index(i)] if i in first.lead else 0) for i, e in enumerate(base)]
            return step.made(near, given[nf : 2 * nf], given[2 * nf :])

        steps = [ExactStep(run, at.nv, first, second, dt) for second in (first, other)]
        step = next(s for s in steps if np.abs(np.array(after(start, s), dtype=float) - end).max() < 1e-12)
        small, columns = mpmath.mpf(10) ** STEP, []
        for j in range(len(start)):
            ends = [after([e + sign * small * (i == j) for i, e in enumerate(start)], step) for sign in (1, -1)]
            columns.append([float((b - c) / (2 * small)) for b, c in zip(*ends, strict=True)])
    return np.array(columns).T
