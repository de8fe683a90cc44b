"""Rates of functions per number of their arguments, against extrapolated differences of the functions themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.abi import CONFIGURATIONS
from kinegen.runtime.bridges import coordinates, smooth
from kinegen.runtime.bridges.second import second_rates
from support.all_groups import all_groups, unit
from support.mechanisms.closed_mechanisms import four_bar as bars
from support.mechanisms.closed_models import model as closed_model
from support.oracles.numeric import Array, error

FUNCTIONS: dict[str, Callable[[kg.Model], smooth.Smooth]] = {
    **{
        name: getattr(smooth, name)
        for name in ("inverse_dynamics", "forward_dynamics", "bias", "gravity", "mass_matrix", "energy", "com",
                     "integrate", "difference")
    },
    "frame_pose": partial(smooth.frame_pose, frame="c"),
    "frame_velocity": partial(smooth.frame_velocity, frame="c"),
    "semi_implicit": partial(smooth.step, dt=2e-3, integrator="semi_implicit"),
    "rk4": partial(smooth.step, dt=2e-3, integrator="rk4"),
}  # fmt: skip


def four_bar() -> kg.Model:
    return kg.compile(bars(1.0, 2.0, 2.5, 3.0), progress=False)


def state(model: kg.Model) -> dict[str, Array]:
    rng = np.random.default_rng(3)
    q = model.random(rng)
    numbers = {name: rng.normal(size=model.nv) for name in ("v", "a", "tau")}
    u = 0.4 * rng.normal(size=model.nv)
    return {"q": q, "q0": q, "q1": model.integrate(q, u), "v_dt": u, **numbers}


def differences(f: Callable[[Array], Array], x: Array, h: float = 2e-3) -> Array:
    """(..., n): central ones, extrapolated twice."""
    columns = []
    for e in np.eye(x.size):
        c = [(f(x + s * e) - f(x - s * e)) / (2 * s) for s in (h, h / 2, h / 4)]
        once = (4 * c[1] - c[0]) / 3, (4 * c[2] - c[1]) / 3
        columns.append((16 * once[1] - once[0]) / 15)
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rates_are_those_after_numbers_are_brought_to_unit_norm(name: str) -> None:
    at = all_groups()
    function = FUNCTIONS[name](at)
    given = [state(at)[name] for name, _ in function.inputs]

    def moved(place: int, x: Array) -> Array:
        arrays = list(given)
        arrays[place] = unit(at, x) if function.inputs[place][0] in CONFIGURATIONS else x
        return function.value(*arrays)

    found = function.rates(*given)
    wanted = np.concatenate([differences(partial(moved, i), x) for i, x in enumerate(given)], axis=-1)
    assert found.shape == (*function.output, function.width)
    assert error(found, wanted) < 2e-9


def test_rates_take_batches() -> None:
    at = all_groups()
    given = state(at)
    q = at.random(7, size=(2, 3))
    one = smooth.inverse_dynamics(at)
    many = one.rates(q, given["v"][None, None], given["a"][None, None])
    assert many.shape == (2, 3, at.nv, one.width)
    assert error(many[1, 2], one.rates(q[1, 2], given["v"], given["a"])) < 1e-14
    M = smooth.mass_matrix(at)
    assert error(M.rates(q)[1, 2], M.rates(q[1, 2])) < 1e-14


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_rates_of_no_states_are_empty(name: str) -> None:
    for at in (all_groups(), four_bar()):
        if at.manifest.closed and name.startswith("frame"):
            continue
        function = FUNCTIONS[name](at)
        given = [np.zeros((3, 0, size)) for _, size in function.inputs]
        assert function.value(*given).shape == (3, 0, *function.output)
        assert function.rates(*given).shape == (3, 0, *function.output, function.width)


def test_motion_of_q_is_the_inverse_of_its_rates() -> None:
    """E⁺ E = 1, and E⁺ has nothing along a rotation's own numbers."""
    at = all_groups()
    q = at.random(5, size=4)
    E, back = coordinates.rates_of_q(at.manifest, q), coordinates.motion_of_q(at.manifest, q)
    assert error(back @ E, np.broadcast_to(np.eye(at.nv), (4, at.nv, at.nv))) < 1e-14
    assert coordinates.plain(four_bar().manifest) and not coordinates.plain(at.manifest)
    h = 1e-6
    e = np.eye(at.nv)[:, None]
    along = (at.integrate(q, h * e) - at.integrate(q, -h * e)) / (2 * h)
    assert error(np.moveaxis(along, 0, -1), E) < 1e-9


def test_rates_of_a_closed_mechanism_along_its_motions() -> None:
    """a(y, ẏ, τ) of a four-bar: q and v follow from the independent entries."""
    at = four_bar()
    function = smooth.forward_dynamics(at)
    q, ydot = at.assemble(at.q0 + 0.3), np.full(at.nf, 1.3)
    tau = np.linspace(-1, 1, at.nv)

    def closed(s: Array) -> tuple[Array, Array]:
        beside = at.project(at.integrate(q, at.W(q) @ s[: at.nf]), np.zeros(at.nv))[0]
        return beside, at.W(beside) @ (ydot + s[at.nf :])

    def acceleration(s: Array) -> Array:
        return at.forward_dynamics(*closed(s), tau)

    s = np.zeros(2 * at.nf)
    rates = function.rates(q, closed(s)[1], tau)
    by_q, by_v, _ = np.split(rates, 3, axis=-1)
    dq = differences(lambda s: closed(s)[0], s)
    dv = differences(lambda s: closed(s)[1], s)
    assert error(by_q @ dq + by_v @ dv, differences(acceleration, s)) < 1e-7
    assert np.count_nonzero(np.abs(by_q).sum(axis=0)) == at.nf  # the others are zero


EXACT = ("inverse_dynamics", "forward_dynamics", "bias", "gravity")


@pytest.mark.parametrize("name", [*EXACT, "energy", "frame_pose", "integrate"])
def test_second_rates(name: str) -> None:
    """Rates of rates as numbers leave unit norm; symmetric, for they are derivatives by numbers twice."""
    at = all_groups()
    function = FUNCTIONS[name](at)
    given = [state(at)[name] for name, _ in function.inputs]
    found = second_rates(function, *given)
    assert error(found, np.swapaxes(found, -1, -2)) < (1e-12 if name in EXACT else 1e-9)
    assert error(found, second_rates(replace(function, curve=None), *given)) < 1e-9
    rng, sizes = np.random.default_rng(8), np.cumsum([size for _, size in function.inputs])[:-1]
    way = np.split(rng.normal(size=function.width), sizes)

    def value(s: float) -> Array:
        moved = [x + s * d for x, d in zip(given, way, strict=True)]
        pairs = zip(function.inputs, moved, strict=True)
        return function.value(*(unit(at, x) if known in CONFIGURATIONS else x for (known, _), x in pairs))

    h = 2e-3
    bent = [(value(s) - 2 * value(0.0) + value(-s)) / s**2 for s in (h, h / 2)]
    along = np.concatenate(way)
    assert error(found @ along @ along, (4 * bent[1] - bent[0]) / 3) < 1e-6


def led_by_one_arm() -> kg.Model:
    """A bar in two hands: the figure floats, and the other arm, with a ball joint, follows."""
    at = closed_model("bar in two hands")
    return at.with_independent(("float", "left_shoulder", "left_elbow", "left_hand"))


@pytest.mark.parametrize("made", [four_bar, pytest.param(led_by_one_arm, marks=pytest.mark.sweep)])
def test_second_rates_along_loops(made: Callable[[], kg.Model]) -> None:
    """Of a(y, ẏ, τ), against differences of it as numbers of y leave unit norm; at the independent entries."""
    at, rng = made(), np.random.default_rng(8)
    function, tau = smooth.forward_dynamics(at), rng.normal(size=at.nv)
    own = list(at.loops.leaders)
    numbers = sorted({j.q_start + k for j in at.manifest.joints for k in range(j.nq) if j.nv and j.v_start in own})
    q, rate = at.assemble(at.integrate(at.q0, 0.4 * rng.normal(size=at.nv))), 0.5 * rng.normal(size=at.nf)
    dq, dv, dtau = np.zeros(at.nq), rng.normal(size=at.nf), rng.normal(size=at.nv)
    dq[numbers] = rng.normal(size=len(numbers))

    def closed(s: float) -> tuple[Array, Array, Array]:
        beside = at.assemble(unit(at, q + s * dq), hold=at.independent)
        return beside, at.W(beside) @ (rate + s * dv), tau + s * dtau

    along = np.concatenate([dq, np.zeros(at.nv), dtau])
    along[at.nq + np.array(own)] = dv
    found = second_rates(function, *closed(0.0))
    assert function.twice and error(found, np.swapaxes(found, -1, -2)) < 1e-10
    h = 2e-3
    c = [at.forward_dynamics(*closed(s)) for s in (-h, -h / 2, 0.0, h / 2, h)]
    bent = [(c[0] - 2 * c[2] + c[4]) / h**2, (c[1] - 2 * c[2] + c[3]) / (h / 2) ** 2]
    assert error(found @ along @ along, (4 * bent[1] - bent[0]) / 3) < 1e-5
    many = second_rates(function, *(np.stack([x, x]) for x in closed(0.0)))
    assert np.array_equal(many[1], found)


def test_ball_joints_that_follow_in_part_have_no_second_rates() -> None:
    function = smooth.forward_dynamics(closed_model("bar in two hands"))
    assert not function.twice and function.curve is None


@pytest.mark.parametrize("name", EXACT)
def test_second_rates_take_batches(name: str) -> None:
    for at in (all_groups(), kg.compile(kg.load("examples/double_pendulum.urdf"), progress=False)):
        function = FUNCTIONS[name](at)
        given = [state(at)[name] for name, _ in function.inputs]
        many = second_rates(function, at.random(5, size=(2, 3)), *(x[None, None] for x in given[1:]))
        assert many.shape == (2, 3, at.nv, function.width, function.width)
        assert error(many[1, 2], second_rates(function, at.random(5, size=(2, 3))[1, 2], *given[1:])) < 1e-13


@pytest.mark.parametrize("left", [0.09, 0.03, 1e-3])
def test_second_rates_of_a_difference_do_not_reach_beyond_half_a_turn(left: float) -> None:
    """The joint's number u, by which q1 is behind q0, jumps there by a whole turn."""
    at = all_groups()
    function, q0 = smooth.difference(at), at.random(np.random.default_rng(3))
    u = np.zeros(at.nv)
    ball, planar, free = (
        next(j for j in at.manifest.joints if j.kind == kind) for kind in ("spherical", "planar", "free")
    )
    u[ball.v_start : ball.v_start + 3] = (np.pi - left) * np.array((0.6, 0.0, 0.8))
    u[planar.v_start + 2] = left - np.pi
    u[free.v_start + 3 : free.v_start + 6] = (np.pi - left) * np.array((0.0, -0.8, 0.6))
    q1 = at.integrate(q0, u)
    found, h = second_rates(function, q0, q1), 1e-3 * left
    beside = differences(lambda x: function.rates(q0, unit(at, x)), q1, h)
    along = at.nq + np.arange(at.nq)
    within = np.abs(found[..., along] @ tangent(at, q1) - beside @ tangent(at, q1)).max()
    assert within < 1e-6 * np.abs(found).max()
    there = at.integrate(q0, u * np.pi / (np.pi - left))
    assert np.isnan(second_rates(function, q0, there)).all()


def tangent(model: kg.Model, q: Array) -> Array:
    """(nq, nv): numbers of q by its motion."""
    return coordinates.rates_of_q(model.manifest, q)
