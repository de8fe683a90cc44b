"""Acceleration in a step with contact, and its rates by the implicit function theorem (mathematics §14).

    A a = F + Kᵀλ + Jᵀ f/dt,    K a + K̇v = 0,    f = Π(f − v),    v = J (v₀ + dt a) − v*

K: rows that close loops, with forces λ, none in a tree; f: impulses along the rows J, Π: projection on their cones, v*:
what they are left with, A: M and what acts at the end of the step. Where v is met, J of points on links of closed
mechanisms is J W, in the columns of the velocities that lead (§11). Where no row is at a kink Π has a derivative S, and
(1 − S (1 − N)) δf = −S δv at constant f + δΠ at constant f − v, N: v per f.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import numpy.typing as npt

from ...arguments import Array
from ...contact.cones import ABOUT, ACROSS, BOUNDED, NORMAL, TANGENT, ConeProblem
from ...contact.newton import projection, units
from ...errors import ModelError
from ..linear import resting
from ..rows import Moving, Rows
from .points import Rates

SINGULAR = 1e-9
"""Singular value, over the largest, below which impulses are redundant."""

LEFT = 1e-6
"""Part of a velocity that redundant impulses may change, and of their rates that may stay unmet."""

SHARED = 1e-3, 1e-5, 1e-7
"""Parts by which redundant impulses are changed, to see whether anything follows: the largest by which what slips or
sticks goes on to do so."""

UNSEEN = 1e-11
"""Part of a velocity that is rounding."""

WAYS = 12
"""Ways in which they are, until what sticks does so still: impulses near their limits go on in some only."""


@dataclass(frozen=True)
class Touch:
    """k blocks of rows that exert something: `J` (3k, nv) as they meet velocities, by those that lead alone, `pull`
    (3k, nv) as they pull, `impulse` (3k); `problem`: their kinds and bounds; `target` (3k) v*; of it `by_gap` (k) per
    gap, `by_speed` (k) per velocity along the normal before the step; `rates`: of J, gaps and bounds by independent
    coordinates and by parameters; `names`."""

    J: Array
    pull: Array
    impulse: Array
    problem: ConeProblem
    target: Array
    by_gap: Array
    by_speed: Array
    rates: Rates
    names: tuple[str, ...]

    def push(self, x: Moving, impulse: Array) -> Array:
        """(nv, columns) rates of Jᵀ impulse at constant impulse, as rows pull."""
        return self.rates.along(np.einsum("mij,m->ij", self.rates.pulls, impulse), x)

    def slip(self, x: Moving, w: Array) -> Array:
        """(3k, columns) rates of J w − v* at constant w; x: what v* depends on."""
        rows = self.rates.rows
        speed = self.rates.along(np.einsum("mij,i->mj", rows[0::3], x.v), x) + self.J[0::3] @ x.dv
        found = self.rates.along(np.einsum("mij,i->mj", rows, w), x)
        found[0::3] -= self.by_gap[:, None] * self.rates.along(self.rates.gaps, x) + self.by_speed[:, None] * speed
        return found

    def beside(self, rows: Sequence[int], speed: float) -> Touch:
        """As if these rows slipped by so much more, against their friction: beside a kink."""
        f, target = self.impulse, self.target.copy()
        for i in rows:
            for part in (slice(3 * i, 3 * i + 1), slice(3 * i + 1, 3 * i + 3)):
                if self.problem.kind[part.start] != NORMAL and f[part].any():
                    target[part] += speed * f[part] / np.linalg.norm(f[part])
        return replace(self, target=target)

    def met(
        self, model: str, x: Moving, response: Array, w: Array, still: Callable[[Array], Array], dt: float
    ) -> tuple[Array, Array]:
        """Rates of the impulses (3k, columns) and of the velocity w (nv, columns) that they leave.

        `response` (nv, nv): w per joint impulse; `still`: rates of w while impulses are constant. ModelError where the
        way in which redundant points share their load decides.
        """
        K, v, slip = self.J @ response @ self.pull.T, self.J @ w - self.target, self.slip(x, w)
        bounds = np.stack([self.rates.along(part, x) for part in self.rates.bounds])

        def under(impulse: Array) -> tuple[Array, Array]:
            free = still(impulse)
            solve = Implicit(model, replace(self, impulse=impulse), K, v)
            rates = solve.impulses(self.J @ free + slip, bounds)
            return rates, free + response @ self.pull.T @ rates

        found, here = under(self.impulse), Implicit(model, self, K, v)
        if not here.redundant.any():
            return found
        for share, way in product(SHARED, here.redundant):
            impulse = self.impulse + share * np.abs(self.impulse).max() * way
            if here.goes_on(Implicit(model, replace(self, impulse=impulse), K, v)):
                break
        least = max(LEFT * share, UNSEEN) * (dt + np.abs(found[1]).max())
        if np.abs(under(impulse)[1] - found[1]).max() > least:
            raise undetermined(model, self, way)
        return found


@dataclass(frozen=True, kw_only=True)
class Touching(Rows):
    """What holds a mechanism in a semi-implicit step of dt, with contact."""

    touch: Touch
    dt: float

    def answer(self, x: Moving, M: Array, force: Array) -> tuple[Array, Callable[[Array], Array]]:
        touch, dt = self.touch, self.dt

        def pressed(impulse: Array) -> tuple[Array, Callable[[Array], Array]]:
            return super(Touching, self).answer(x, M, force + touch.pull.T @ impulse / dt)

        a, _ = pressed(touch.impulse)
        response = self.response(x.q, M)
        speed, by_v = resting(self.model, dt, x.v)

        def rates(change: Array) -> Array:
            def still(impulse: Array) -> Array:
                found: Array = by_v @ x.dv + dt * pressed(impulse)[1](change + touch.push(x, impulse) / dt)
                return found

            _, faster = touch.met(self.model.name, x, response, speed + dt * a, still, dt)
            found: Array = (faster - by_v @ x.dv) / dt
            return found

        return a, rates


class Implicit:
    """Rates of the impulses, by those of the velocities v that the rows would have with the impulses as they are."""

    def __init__(self, name: str, touch: Touch, K: Array, v: Array) -> None:
        problem = ConeProblem(
            K,
            v - K @ touch.impulse,
            touch.impulse,
            np.zeros(len(v)),
            touch.problem.bound,
            _kinds(touch.problem),
            touch.problem.torsion,
            touch.problem.point,
        )
        self._touch, self._name, self._unit = touch, name, units(problem)
        x, speed = touch.impulse / self._unit, self._unit * v
        self._value, self._slope = projection(problem, x, speed, self._unit)
        scaled = self._unit[:, None] * K * self._unit
        self._matrix = np.eye(len(x)) - self._slope @ (np.eye(len(x)) - scaled)
        self.redundant = self._redundant(scaled)

    def goes_on(self, other: Implicit) -> bool:
        """What parts, slips and sticks here does so there."""
        return all(
            self._at_limit(i, rows) == other._at_limit(i, rows)
            for i in range(len(self._touch.problem.bound))
            for rows in (slice(3 * i, 3 * i + 1), slice(3 * i + 1, 3 * i + 3))
        )

    def impulses(self, moved: Array, bounds: Array) -> Array:
        """(3k, columns); bounds (2, k, columns): rates of friction, and of torsion or nothing."""
        wanted = -self._slope @ (self._unit[:, None] * moved) + self._widened(bounds)
        found = np.linalg.lstsq(self._matrix, wanted, rcond=SINGULAR)[0]
        left = np.abs(self._matrix @ found - wanted)
        if left.max(initial=0.0) > LEFT * (np.abs(wanted).max(initial=0.0) + 1e-12):
            row = int(left.max(axis=1).argmax()) // 3
            raise self._refused(
                f"{self._touch.names[row]} and other points cannot all go on as they do beside this state"
            )
        rates: Array = self._unit[:, None] * found
        return rates

    def _widened(self, bounds: Array) -> Array:
        """Rates of Π as bounds change: what slips is in proportion to them."""
        problem, found = self._touch.problem, np.zeros((len(self._value), bounds.shape[2]))
        for i, (friction, torsion) in enumerate(zip(problem.bound, problem.torsion, strict=True)):
            if not bounds[:, i].any():
                continue
            moments = problem.point[i] >= 0
            for rows, bound, rate in (
                (slice(3 * i, 3 * i + 1), torsion if moments else friction, bounds[int(moments), i]),
                (slice(3 * i + 1, 3 * i + 3), friction, bounds[0, i]),
            ):
                if not rate.any() or (problem.kind[rows.start] in (1, 0) and rows.start % 3 == 0):
                    continue
                if bound == 0.0:
                    raise self._refused(f"friction of {self._touch.names[i]} is 0, below which there is none")
                if self._at_limit(i, rows):
                    found[rows] = np.outer(self._value[rows] / bound, rate)
        return found

    def _at_limit(self, i: int, rows: slice) -> bool:
        """What the rows exert does not follow their own velocity alone."""
        if self._touch.problem.kind[3 * i] == BOUNDED or rows.stop - rows.start == 1:
            return not self._slope[rows.start, rows.start]
        return not np.array_equal(self._slope[rows, rows], np.eye(2))

    def _redundant(self, K: Array) -> Array:
        """(WAYS, 3k) some impulses, at most 1, that change no velocity; zero where none are redundant. ModelError where
        impulses that are redundant among each other would change the velocities."""
        _, sizes, ways = np.linalg.svd(self._matrix)
        null = ways[sizes <= SINGULAR * sizes.max(initial=1.0)]
        found: Array = self._unit * (np.random.default_rng(0).normal(size=(WAYS, len(null))) @ null)
        if np.abs(K @ null.T).max(initial=0.0) > LEFT * np.abs(K).max(initial=1.0):
            raise undetermined(self._name, self._touch, found[0])
        found /= np.maximum(np.abs(found).max(axis=1, initial=0.0), 1e-300)[:, None]
        return found

    def _refused(self, why: str) -> ModelError:
        return ModelError(f"model '{self._name}': this step has no derivatives here: {why}")


def undetermined(name: str, touch: Touch, redundant: Array) -> ModelError:
    """The error where the way in which redundant points share the load tells how the motion goes on."""
    row = int(np.abs(redundant).argmax()) // 3
    return ModelError(
        f"model '{name}': this step has no derivatives here: how redundant points share the load decides how it goes "
        f"on, among them {touch.names[row]}; let fewer points touch, as of a foot with three balls"
    )


def _kinds(problem: ConeProblem) -> npt.NDArray[np.intc]:
    """(3k) kinds of rows; none where friction is 0. Tangents here are not those of C: if one moves, both may."""
    found = problem.kind.reshape(-1, 3).copy()
    for kind in (TANGENT, ACROSS):
        across = (found[:, 1:] == kind).any(axis=1)
        found[across, 1:] = kind
    friction, torsion = (problem.bound == 0.0)[:, None], (problem.torsion == 0.0)[:, None]
    found[((found == TANGENT) | (found == ACROSS) | (found == BOUNDED)) & friction] = 0
    found[(found == ABOUT) & torsion] = 0
    return found.ravel()
