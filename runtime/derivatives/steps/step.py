"""Derivatives of one step of a simulation on the tangent space: the chain rule through what it computes (§14)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ...abi import RK4, SEMI_IMPLICIT
from ...analysis.values import by_value
from ...arguments import Array, as_array, as_number
from ...contact.contacts import ContactOptions
from ...errors import ModelError, shown
from ...model.closed.leaders import require_holonomic
from ...model.model import Model
from ...names.lookup import near
from ...simulation.simulator import Simulator, motion_of
from ...stepping.given.servos import Servo, Servos
from ...typed import typed
from ..rows import Partitions, Rows
from ..touching.seen import PointMode, Step
from ..touching.step import touched
from .law import Law
from .ways import Ends, runge_kutta, semi_implicit

SAME = 1e-9
"""Part by which the formulas and the step itself may differ."""

WAYS = {SEMI_IMPLICIT: semi_implicit, RK4: runge_kutta}
"""The formulas of a step, by integrator."""

REASONS = {
    SEMI_IMPLICIT: "a cylinder rolls on its rim, or links turn by more than 0.03 rad in it: take a shorter dt, or rk4",
    RK4: "its stages go another way than the formulas: take a shorter dt",
}
"""What a step may consist of besides, by integrator."""

OF_LOOPS = "; or the loops are near a singular configuration, where a step goes another way"
"""The same where there are loops."""


@by_value
@dataclass(frozen=True)
class StepDerivatives:
    """State after one step, per what it began with; n = 2 nf: [y; ẏ], independent coordinates on the tangent space at
    either end and velocities; in a tree all of them, [q; v].

    `A` (n, n) by the state; `B` (n, nv) by the torques tau; `targets` (n, 2 k) by positions, then velocities that the
    servos go for, where coordinates do not add along the tangent at the target; `by_parameter` (n, number) by run-time
    parameters. `q` (nq), `v` (nv): the state after the step.
    `points`: what every point of contact, limit and row of friction near does in the step.
    `at_limit`: joints whose servos give their limit, and so do not feel small changes.
    `independent`: places of y in v; `tree` (2 nv, n): q and v of the whole tree after the step per [y; ẏ] there, so
    that `tree @ A` is by the state what the tree does.
    """

    A: Array
    B: Array
    targets: Array
    by_parameter: Array
    q: Array
    v: Array
    at_limit: tuple[str, ...]
    independent: tuple[int, ...]
    tree: Array
    points: tuple[PointMode, ...] = ()


@typed
def step_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    dt: float = 1e-3,
    integrator: str = "semi_implicit",
    servos: Mapping[str, Servo] | None = None,
    parameters: Sequence[str] = (),
    contacts: bool | ContactOptions | None = None,
    limits: bool = True,
) -> StepDerivatives:
    """Of the step that `Simulator(model, dt=..., q=q, v=v, tau=tau, servos=servos, ...)` makes first, at t = 0.

    q (nq), v (nv), tau (nv; zero if not given). Springs, dampers, friction and servos act as they do in the step: by
    semi-implicit Euler dampers and servos at its end. A column of q' or q: the rate along `integrate`.

    Angles of joints that close loops begin where a simulator begins with them, within half a turn of 0 or within their
    limits, not with turns that one has counted so far; through the step turns count, and springs do not jump.

    Of mechanisms with loops, from a closed state, in independent coordinates: what follows moves as the loops demand,
    before and after the step, which ends on the closure; so it is for parameters, by which the rest of q and v moves.

    Of a library, the model in one structure: `lib.with_active(names, q)`, or `sim.model` of its simulator. Where a
    connection was made stays as it is, and does not go with q.

    Contact, limits and dry friction are solved to rounding (the sweeps of a simulator end at their tolerance, 1e-5 m/s
    by default) and differentiated by the implicit function theorem: points that press, stick or slip go on doing so. By
    Runge-Kutta impacts before the step, forces through it, and what they still lack at its end are each solved so. A
    point exactly in the surface `bends` the map: the derivative is that of points that lie in it, within the depth that
    may stay.

    ModelError, with the reason, where the step has a kink: where a point or limit just touches, just begins to slip, or
    just bounces, by Runge-Kutta just strikes (contacts from `ContactOptions.tolerance` on, joints at their limit from
    rest on), where points come, go or jump along the shapes beside the state, where a servo just reaches its limit,
    and half a turn off the rest of a spring that turns a pose.
    Where redundant points could share their load in several ways that the motion feels, where something is pushed out
    of a depth or back within a limit, where rebounds are weakened, and where Coulomb's law has several solutions. Where
    the step is more than smooth parts: for rows that lock links together, joints whose motion is given, links that turn
    by more than 0.03 rad in a semi-implicit step, and rolling joints; and at a state that is open or singular.
    """
    places = _places(model, servos, parameters)
    step, start = as_number("dt", dt, positive=True), _start(model, q, v, tau)
    setting = _Setting(start, step, integrator, servos, limits)
    made = _made(model, setting, contacts, places)
    law, found = _same(model, setting, made)
    return replace(_gathered(model, law, found), points=made.points)


@dataclass(frozen=True)
class _Setting:
    """What a simulator begins with: q, v and tau, length of a step, servos, whether joints stop at their limits."""

    start: tuple[Array, Array, Array]
    dt: float
    integrator: str
    servos: Mapping[str, Servo] | None
    limits: bool

    def begin(self, model: Model, contacts: bool | ContactOptions | None, q: Array) -> Simulator:
        """At q."""
        return Simulator(
            model,
            dt=self.dt,
            integrator=self.integrator,
            q=q,
            v=self.start[1],
            tau=self.start[2],
            servos=self.servos,
            contacts=contacts,
            limits=self.limits,
        )


@dataclass(frozen=True)
class _Made:
    """A step that was made, and the rows by which its stages may have gone, the likeliest first."""

    simulator: Simulator
    rows: Iterable[Rows]
    points: tuple[PointMode, ...] = ()


def _start(model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None) -> tuple[Array, Array, Array]:
    """As arrays. ModelError for a state that has no derivatives."""
    start = (
        as_array("q", q, (model.nq,), batch=False),
        as_array("v", v, (model.nv,), batch=False),
        np.zeros(model.nv) if tau is None else as_array("tau", tau, (model.nv,), batch=False),
    )
    if model.manifest.moved:
        raise ModelError(f"the motion of joint '{model.manifest.moved[0]}' is given: its step has no derivatives")
    if model.manifest.closed:
        require_holonomic(model.manifest, "derivatives of a step")
        model.forward_dynamics_derivatives(*start)
    return start


def _made(model: Model, setting: _Setting, contacts: bool | ContactOptions | None, places: tuple[int, ...]) -> _Made:
    """The step, contact in it solved to rounding; a `Simulator` tells of what it cannot take."""
    if not model.manifest.contact_capacity:
        return _Made(*_stepped(model, setting.begin(model, contacts, setting.start[0]), places))
    setting.begin(model, contacts, setting.start[0])
    found = touched(Step(model, setting.begin, contacts, places, setting.start[0]), setting.integrator == RK4)
    return _Made(found.simulator, found.rows, found.points)


def _stepped(model: Model, simulator: Simulator, places: tuple[int, ...]) -> tuple[Simulator, list[Rows]]:
    """The step is made; rows by which its stages may have gone: those that it ended with, and began with."""
    partitions = Partitions()
    partitions.note(simulator)
    simulator.step()
    partitions.note(simulator)
    return simulator, [
        Rows(model, kept, follow, places, closing_stages)
        for closing_stages in (False, True)
        for kept, follow in partitions.found
    ]


def _same(model: Model, setting: _Setting, made: _Made) -> tuple[Law, Ends]:
    """The formulas by the rows by which they give what the step gave. ModelError, with the reason, if none do."""
    (q, v, tau), servos = setting.start, Servos(model, setting.servos, 0)
    closing = motion_of(made.simulator).stepper.closing
    cut = closing.cut_coordinates if closing else np.zeros(0)
    way = WAYS[setting.integrator]
    for rows in made.rows:
        law = Law(model, tau, servos, rows, model.loops.leaders, setting.dt, cut)
        with np.errstate(over="ignore", invalid="ignore"):  # what is beyond all numbers is not the same
            found = way(law, q, v)
        if _is_same(model, made.simulator, found):
            return law, found
    reason = REASONS[setting.integrator] + OF_LOOPS * model.manifest.closed
    raise ModelError(f"model '{model.name}': this step has no derivatives here: {reason}")


def _gathered(model: Model, law: Law, found: Ends) -> StepDerivatives:
    leaders, n, width = list(law.leaders), len(law.leaders), 2 * law.servos.width
    by = np.vstack([found.dq[leaders], found.dv[leaders]])
    A, B, targets, by_parameter = np.split(by, np.cumsum([2 * n, model.nv, width]), axis=1)
    names = [part.spec.name for part in law.servos.parts for _ in range(part.spec.nv)]
    at_limit = dict.fromkeys(name for name, mode in zip(names, found.modes, strict=True) if mode)
    end = law.rows.begin(found.q, found.v, leaders, 2 * n + len(law.rows.places))
    tree = np.vstack([end.dq, end.dv])[:, : 2 * n]
    return StepDerivatives(A, B, targets, by_parameter, found.q, found.v, tuple(at_limit), law.leaders, tree)


def _places(model: Model, servos: Mapping[str, Servo] | None, names: Sequence[str]) -> tuple[int, ...]:
    """Of parameters among the model's. ModelError for one that there is not, and for one that is a servo's gain."""
    known = list(model.parameters)
    gains = [x for one in (servos or {}).values() for x in (one.kp, one.kd, one.limit) if isinstance(x, str)]
    flags = [known[switch.flag] for switch in model.manifest.switches]
    for name in names:
        if name in flags:
            raise ModelError(f"parameters: {shown(name)} tells what is connected, by which nothing is differentiated")
        if name not in known:
            raise ModelError(f"parameters: model '{model.name}' has no parameter {shown(name)}{near(name, known)}")
        if name in gains:
            raise ModelError(
                f"parameters: {shown(name)} is a servo's gain or limit, by which nothing is differentiated"
            )
    return tuple(known.index(name) for name in names)


def _is_same(model: Model, real: Simulator, found: Ends) -> bool:
    missed = max(
        np.abs(model.difference(real.q, found.q)).max(initial=0.0),
        np.abs(real.v - found.v).max(initial=0.0) / (1.0 + np.abs(found.v).max(initial=0.0)),
    )
    return bool(missed <= SAME)
