"""Rates of a Runge-Kutta step with contact (§14): impacts before it, forces through it, and what these still lack.

    v₁ = v + R Jᵀf₀,    a from v₁ under g = Jᵀf₁/dt,    stages under g along axes that rest: the way u, the velocity v₂
    v' = v₂ + R Jᵀ(f₂ − f₁),    u' = u + dt R Jᵀ(f₃ − f₂)

R: velocities per joint impulse where the step begins, and J the rows there, along whose axes all of it is; of each f
the projection on its cones says how it follows (see rates.py). f₀ meets v, f₁ what the velocity would be under a, f₂
the one that the stages end with, f₃ that by which the way differs from the mean of v₁ and v'.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arguments import Array
from ...model.model import Model
from ..cut import Kernels
from ..differences import SHIFT, differences
from ..linear import axes, crossed, resting, turned
from ..rows import Acting, Forces, Load, Moving, Rows, Way
from .kinks import STILL, kink
from .rates import Touch

BENT = 1e-9
"""Part of a way that may bend where friction, at the end of a step, is all there is and nothing slips."""

BESIDE = 100.0 * STILL
"""Velocity [m/s, rad/s] by which what slips or sticks there is looked at to either side."""


@dataclass(frozen=True)
class Meetings:
    """The problems of a step, all of the same rows. `strike`: of impacts, None if nothing strikes; `press`: of what
    acts through the stages; `end` and `stay`: where they end, None if no contact presses; `bent`: rows that are
    near a kink in `stay`, unless nothing moves them there; `just`: those that are at one, unless either side of it is
    one; `cut`: limits of joints that close loops (see `Points.cut`)."""

    strike: Touch | None
    press: Touch
    end: Touch | None = None
    stay: Touch | None = None
    bent: tuple[int, ...] = ()
    just: tuple[int, ...] = ()
    cut: tuple[tuple[int, int, float], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Stages(Rows):
    """What holds a mechanism in a Runge-Kutta step of dt, with contact."""

    meetings: Meetings
    dt: float

    def act(self, law: Forces, x: Moving) -> tuple[Moving, Acting]:
        """Impacts, then forces for the acceleration that the step begins with."""
        model, dt, press = self.model, self.dt, self.meetings.press
        if self.meetings.strike:
            v, dv, _ = Pressing(self, x, self.meetings.strike).met(law, x.v, x.dv)
            x = Moving(x.q, v, x.dq, dv)
        response, (speed, by_v) = self.response(x.q, model.mass_matrix(x.q)), resting(model, dt, x.v)

        def under(impulse: Array) -> tuple[Array, Array]:
            a, da, _ = law.accelerated(x, 0.0, Load(press.pull.T @ impulse / dt, press.push(x, impulse) / dt))
            return speed + dt * a, by_v @ x.dv + dt * da

        df, _ = press.met(model.name, x, response, under(press.impulse)[0], lambda f: under(f)[1], dt)
        return x, Pressing(self, x, press, df)


@dataclass(frozen=True)
class Pressing(Acting):
    """The impulses `touch` with rates df (3k, columns; None: of impacts, which begin with none), at x."""

    rows: Stages
    x: Moving
    touch: Touch
    df: Array | None = None

    def load(self, way: Way, at: Moving) -> Load:
        """Torques of the tree as they are, along axes that rest; those of joints that close loops act on these."""
        model, dt, touch = self.rows.model, self.rows.dt, self.touch
        assert self.df is not None
        impulse, df = touch.impulse.copy(), self.df.copy()
        cut = [3 * e for e, _, _ in self.rows.meetings.cut]
        impulse[cut] = df[cut] = 0.0
        push, force = touch.push(self.x, impulse), touch.pull.T @ impulse
        held, rate = _along(model, way, force / dt, (push + touch.pull.T @ df) / dt, to_end=True)
        if cut:
            through = self._through_cut(at)
            held, rate = held + through.force, rate + through.rate
        return Load(held, rate)

    def _through_cut(self, at: Moving) -> Load:
        """Torques of limits of joints that close loops, per dt constant along their coordinates."""
        rows, dt = self.rows, self.rows.dt
        places, dofs, ways = (list(x) for x in zip(*rows.meetings.cut, strict=True))
        normals = [3 * e for e in places]
        assert self.df is not None
        torque, rate = (np.array(ways) * x[normals].T / dt for x in (self.touch.impulse, self.df))

        def pulled(kernel: Kernels, q: Array) -> Array:
            found: Array = np.einsum("...ij,i->...j", kernel("loop_jacobian")(q)[..., dofs, :], torque)
            return found

        moved = differences(lambda u: pulled(rows.model.kernel, rows.model.integrate(at.q, u)), rows.model.nv, SHIFT)
        change = moved @ at.dq + (rate @ rows.model.kernel("loop_jacobian")(at.q)[dofs]).T
        change[:, change.shape[1] - len(rows.places) :] += rows.by_parameters(lambda kernel: pulled(kernel, at.q))
        return Load(pulled(rows.model.kernel, at.q), change)

    def meet(self, law: Forces, way: Way) -> Way:
        meetings, model, x, dt = self.rows.meetings, self.rows.model, self.x, self.rows.dt
        if not meetings.end or not meetings.stay:
            return way
        before = _along(model, way, way.v, way.dv, to_end=False)
        v, dv, df = Pressing(self.rows, x, meetings.end).met(law, *before, self)
        ended = Pressing(self.rows, x, meetings.end, df)
        gone, by_u = resting(model, 0.5, way.u)
        off, doff = gone / dt - 0.5 * (x.v + v), by_u @ way.du / dt - 0.5 * (x.dv + dv)
        staying = Pressing(self.rows, x, meetings.stay)
        least = BENT * (1.0 + np.abs(way.du).max(axis=0))
        if meetings.bent and staying.is_straight(off, doff, least):
            left, dleft = staying.changed(law, off, ended), doff
        else:
            left, dleft = staying.met_on_either_side(law, off, doff, ended, least)
        found = Way(way.u + dt * (left - off), v, way.du + dt * (dleft - doff), dv)
        v, dv = _along(model, found, v, dv, to_end=True)
        return Way(found.u, v, found.du, dv)

    def met(self, law: Forces, v: Array, dv: Array, before: Pressing | None = None) -> tuple[Array, Array, Array]:
        """The velocity v (nv) with the change of the impulses from those of `before`; rates of both, and of them."""
        x, touch = self.x, self.touch
        response = self.rows.response(x.q, self.rows.model.mass_matrix(x.q))

        def change(impulse: Array) -> tuple[Array, Array]:
            gained = impulse - before.touch.impulse if before else impulse
            rate = touch.push(x, gained)
            if before and before.df is not None:
                rate -= touch.pull.T @ before.df
            return law.jump(x, Load(touch.pull.T @ gained, rate))

        w = self.changed(law, v, before)
        df, dw = touch.met(self.rows.model.name, x, response, w, lambda f: dv + change(f)[1], self.rows.dt)
        return w, dw, df

    def changed(self, law: Forces, v: Array, before: Pressing | None) -> Array:
        """The velocity alone."""
        gained = self.touch.impulse - (before.touch.impulse if before else 0.0)
        found: Array = v + law.jump(self.x, Load(self.touch.pull.T @ gained, np.zeros_like(self.x.dv)))[0]
        return found

    def is_straight(self, off: Array, doff: Array, least: Array) -> bool:
        """Nothing moves the rows, by rates of what the way is off, nor bends the way by more than `least`."""
        moved = np.abs(self.touch.J @ doff + self.touch.slip(self.x, off))[self.touch.problem.kind > 0]
        return bool((self.rows.dt * moved <= least).all())

    def met_on_either_side(
        self, law: Forces, off: Array, doff: Array, before: Pressing, least: Array
    ) -> tuple[Array, Array]:
        """As `met`, of what a way is `off`. ModelError where rows are just at a kink whose sides differ, by more than
        `least` of the way: where other rows do what these no longer do, they do not."""
        just = self.rows.meetings.just
        sides = [self.touch.beside(just, speed) for speed in ((-BESIDE, BESIDE) if just else (0.0,))]
        found = [replace(self, touch=side).met(law, off, doff, before) for side in sides]
        if (self.rows.dt * np.abs(found[0][1] - found[-1][1]) > least).any():
            raise kink(self.rows.model.name, f"{self.touch.names[just[0]]} just begins to slip")
        return found[0][:2]


def _along(model: Model, way: Way, x: Array, dx: Array, *, to_end: bool) -> tuple[Array, Array]:
    """Vectors x (nv) of the joints, with their rates, along the axes where `way` ends, of what they are along those
    where it begins, or back."""
    T, turn = axes(model, way.u), turned(model, way.u)[1] @ way.du
    if to_end:
        found: Array = T.T @ x
        return found, T.T @ dx - crossed(model, turn, found[:, None])
    return T @ x, T @ (dx + crossed(model, turn, x[:, None]))
