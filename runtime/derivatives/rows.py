"""What holds a mechanism in a step: nothing in a tree, with loops the rows of a partition (mathematics §8, §14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arguments import Array
from ..model.closed.judged import require_inertia_of_tree, singular_inertia
from ..model.model import Model
from ..module.kernel import Kernel
from ..simulation.simulator import Simulator, motion_of
from .cut import Kernels
from .differences import WEIGHTS
from .linear import turned

PASSES = 6
"""Newton's, from a step's end back to the closure: what it lacks is squared in each."""

Partition = tuple[tuple[int, ...], tuple[int, ...]]
"""Rows of K that close the loops, and velocities that follow by them."""


class Partitions:
    """By which rows the loops of simulators were closed; those of trees by none."""

    def __init__(self) -> None:
        self.found: list[Partition] = []

    def note(self, simulator: Simulator) -> None:
        """The rows of its last step, which come first from here on."""
        closing = motion_of(simulator).stepper.closing
        now: Partition = closing.held() if closing else ((), ())
        self.found = list(dict.fromkeys([now, *self.found]))


@dataclass(frozen=True)
class Moving:
    """A state (or an acceleration) with its rates by all that is asked for: dq on the tangent space at q."""

    q: Array
    v: Array
    dq: Array
    dv: Array


@dataclass(frozen=True)
class Way:
    """A displacement u (nv) from where a step begins, the velocity v at its end, and their rates (nv, columns)."""

    u: Array
    v: Array
    du: Array
    dv: Array


@dataclass(frozen=True)
class Load:
    """Joint torques (nv) of what touches, and their rates (nv, columns)."""

    force: Array
    rate: Array


class Forces(Protocol):
    """What moves a mechanism in a step, as `Law` has it."""

    def accelerated(self, x: Moving, end: float, load: Load | None = None) -> tuple[Array, Array, Array]: ...

    def jump(self, x: Moving, impulse: Load) -> tuple[Array, Array]: ...


class Acting:
    """What acts through the stages of a Runge-Kutta step, and where they end: nothing."""

    def load(self, way: Way, at: Moving) -> Load | None:
        """At a stage, which the way leads to."""
        return None

    def meet(self, law: Forces, way: Way) -> Way:
        """What the stages came to, with what rows still lack."""
        return way


@dataclass(frozen=True)
class Rows:
    """Rows `kept` of K, as many as there are velocities that `follow`: the others give these. None in a tree.

    They alone are asked, so that what they give off the closure, at the stages of a step, is as smooth as they are.
    `places`: run-time parameters by which is differentiated; the last columns of rates are by them. `closing`: stages
    within a step are put back on the closure too, as they are where the rows turn fast.
    """

    model: Model
    kept: tuple[int, ...]
    follow: tuple[int, ...]
    places: tuple[int, ...] = ()
    closing: bool = False

    def answer(self, x: Moving, M: Array, force: Array) -> tuple[Array, Callable[[Array], Array]]:
        """a (nv) with M a = force + Kᵀλ and K a + K̇v = 0, and its rates per (nv, columns) of those of force − M a."""
        nv, inverse = self.model.nv, self._inverse(x.q, M)
        if not self.kept:
            return inverse @ force, lambda change: inverse @ change
        drift = self.model.kernel("closure_rows_bias")(x.q, x.v)[list(self.kept)]
        both = inverse @ np.concatenate([force, -drift])
        a, wrench = both[:nv], np.zeros(6 * len(self.model.manifest.loops))
        wrench[list(self.kept)] = both[nv:]
        _, rate, pull = self._changes(x, a, wrench)

        def turning(kernel: Kernels) -> Array:
            left: Array = kernel("closure_rows")(x.q) @ a + kernel("closure_rows_bias")(x.q, x.v)
            return left[list(self.kept)]

        first = pull.shape[1] - len(self.places)
        pull[:, first:] += self.by_parameters(lambda kernel: kernel("closure_rows")(x.q).T @ wrench)
        rate[:, first:] += self.by_parameters(turning)
        return a, lambda change: (inverse @ np.vstack([change + pull, -rate]))[:nv]

    def act(self, law: Forces, x: Moving) -> tuple[Moving, Acting]:
        """At the beginning of a Runge-Kutta step: the state after impacts, and what acts from there on."""
        return x, Acting()

    def response(self, q: Array, M: Array) -> Array:
        """(nv, nv) accelerations per force."""
        nv = self.model.nv
        found: Array = self._inverse(q, M)[:nv, :nv]
        return found

    def _inverse(self, q: Array, M: Array) -> Array:
        """Of [M −Kᵀ; K 0]."""
        if not self.kept:
            require_inertia_of_tree(self.model.manifest, M)
        K = self._rows(q) if self.kept else np.zeros((0, self.model.nv))
        whole = np.block([[M, -K.T], [K, np.zeros((len(K), len(K)))]])
        try:
            found: Array = np.linalg.inv(whole)
        except np.linalg.LinAlgError as error:
            W = self.model.W(q)
            raise singular_inertia(self.model.manifest, W.T @ M @ W, self.model.loops.leaders) from error
        return found

    def begin(self, q: Array, v: Array, leaders: Sequence[int], columns: int) -> Moving:
        """A closed state per its independent coordinates and velocities, the first columns of so many, and parameters:
        with these the dependent ones move."""
        n, still = len(leaders), np.zeros((self.model.nv, columns))
        dq, dv = still.copy(), still.copy()
        dq[list(leaders), range(n)] = dv[list(leaders), range(n, 2 * n)] = 1.0
        return self._following(Moving(q, v, dq, dv), self._others(leaders))

    def stage(self, x: Moving) -> Moving:
        """Where a stage of a step stands."""
        return self.end(x) if self.closing else x

    def end(self, x: Moving) -> Moving:
        """x put back on the closure: q by the coordinates that follow, v by H."""
        if not self.kept:
            return x
        q, v, follow = self.closed(x.q, self.follow), x.v.copy(), list(self.follow)
        lead, K = list(self._others(follow)), self._rows(q)
        v[follow] = -np.linalg.solve(K[:, follow], K[:, lead] @ v[lead])
        carried, by_u = turned(self.model, self.model.difference(x.q, q))
        return self._following(Moving(q, v, carried @ x.dq, x.dv), self.follow, by_u)

    def led(self, q: Array, J: Array) -> Array:
        """J W (..., nv) in the columns of the velocities that lead, at q (..., nq), of rows J (..., nv)."""
        if not self.kept:
            return J
        follow, lead = list(self.follow), list(self._others(self.follow))
        K = self.model.kernel("closure_rows")(q)[..., list(self.kept), :]
        H = -np.linalg.solve(K[..., follow], K[..., lead])
        found = np.zeros_like(J)
        found[..., lead] = J[..., lead] + J[..., follow] @ H
        return found

    def closed(self, q: Array, follow: Sequence[int], other: Model | None = None) -> Array:
        """q put on the closure by the coordinates `follow`; `other`: with the parameters of another model."""
        kernel, columns, kept = (other or self.model).kernel, list(follow), list(self.kept)
        for _ in range(PASSES if kept else 0):
            move = np.zeros(self.model.nv)
            move[columns] = -np.linalg.solve(kernel("closure_rows")(q)[kept][:, columns], self._gap(kernel, q))
            q = self.model.integrate(q, move)
        return q

    def beside(self, q: Array, leaders: Sequence[int], moved: Array, other: Model | None = None) -> Array:
        """The closed configuration whose independent coordinates are those of q moved by `moved`."""
        way = np.zeros(self.model.nv)
        way[list(leaders)] = moved
        return self.closed(self.model.integrate(q, way), self._others(leaders), other)

    def by_parameters(self, of: Callable[[Kernels], Array]) -> Array:
        """(..., places) of what kernels give: differences of order eight leave rounding."""
        return self.by_values(lambda values: of(self.kernels(values)))

    def by_values(self, of: Callable[[Array], Array]) -> Array:
        """The same of what the values of all parameters give."""
        found = [self._by_parameter(place, of) for place in self.places]
        return np.stack(found, axis=-1) if found else np.zeros((1, 0))

    def _following(self, x: Moving, follow: Sequence[int], by_u: Array | None = None) -> Moving:
        """x with the rates of what follows: K δq = −∂gap, K δv = −δK v; `by_u`: the ways in which q gives way."""
        if not self.kept:
            return x
        K, columns, count = self._rows(x.q), list(follow), len(self.places)
        ways = (np.eye(self.model.nv) if by_u is None else by_u)[:, columns]
        missed = K @ x.dq
        missed[:, missed.shape[1] - count :] += self.by_parameters(lambda kernel: self._gap(kernel, x.q))
        dq = x.dq - ways @ np.linalg.solve(K @ ways, missed)
        moved = Moving(x.q, x.v, dq, np.zeros_like(dq))
        slip, dv = self._changes(moved)[0], x.dv.copy()
        slip[:, slip.shape[1] - count :] += self.by_parameters(
            lambda kernel: (kernel("closure_rows")(x.q) @ x.v)[list(self.kept)]
        )
        dv[columns] -= np.linalg.solve(K[:, columns], K @ dv + slip)
        return Moving(x.q, x.v, dq, dv)

    def _others(self, some: Sequence[int]) -> tuple[int, ...]:
        return tuple(i for i in range(self.model.nv) if i not in some)

    def _rows(self, q: Array) -> Array:
        rows: Array = self.model.kernel("closure_rows")(q)[list(self.kept)]
        return rows

    def _gap(self, kernel: Kernels, q: Array) -> Array:
        gap: Array = kernel("closure_residual")(q)[list(self.kept)]
        return gap

    def _changes(self, x: Moving, a: Array | None = None, wrench: Array | None = None) -> tuple[Array, Array, Array]:
        """Rates of K v at this v and K a + K̇v (kept rows), of Kᵀλ at these λ (nv)."""
        count, nv = 6 * len(self.model.manifest.loops), self.model.nv
        given = np.zeros(nv) if a is None else a, np.zeros(count) if wrench is None else wrench
        found: Array = self.model.kernel("closure_variation")(x.q, x.v, *given, x.dq.T, x.dv.T).T
        kept = list(self.kept)
        return found[:count][kept], found[count : 2 * count][kept], found[2 * count :]

    def _by_parameter(self, place: int, of: Callable[[Array], Array]) -> Array:
        values = self.model.parameter_values()
        h, total = 1e-2 * max(abs(values[place]), 1e-2), np.zeros(1)
        for k, weight in enumerate(WEIGHTS, 1):
            for sign in (1, -1):
                moved = values.copy()
                moved[place] += sign * k * h
                total = total + sign * weight / h * of(moved)
        return total

    def kernels(self, values: Array) -> Kernels:
        """With these values of all parameters."""

        def kernel(name: str) -> Kernel:
            module = self.model.module.having(name)
            return Kernel(module, module.manifest.kernel(name), values)

        return kernel
