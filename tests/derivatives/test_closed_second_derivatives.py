"""Second derivatives of closed mechanisms: differences of the first ones along the closure, weights, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.derivatives.differences import differences
from support.mechanisms.closed_mechanisms import closed_by
from support.mechanisms.closed_models import model
from support.oracles.mechanisms import random_mechanism, random_state
from support.oracles.numeric import Array, error

SHIFT = 2e-3


def beside(at: kg.Model, q: Array, dy: Array) -> Array:
    """The closed configuration whose independent coordinates are those of q moved by dy (nf)."""
    step = np.zeros(at.nv)
    step[list(at.loops.leaders)] = dy
    return at.assemble(at.integrate(q, step), hold=at.independent)


def of_first(at: kg.Model, q: Array, rate: Array, tau: Array) -> list[Array]:
    """By differences of order eight of da_dq, da_dv and da_dtau at other closed states."""

    def first(part: int, near: Array, rates: Array) -> Array:
        return np.asarray(at.forward_dynamics_derivatives(near, at.W(near) @ rates, tau)[part])

    def by_y(part: int) -> Array:
        given = first(part, q, rate).shape
        moved = differences(
            lambda e: np.array([first(part, beside(at, q, dy), rate).ravel() for dy in e]), at.nf, SHIFT
        )
        return moved.reshape(*given, at.nf)

    def by_rate(part: int) -> Array:
        moved = differences(lambda e: np.array([first(part, q, rate + dy).ravel() for dy in e]), at.nf, SHIFT)
        return moved.reshape(at.nv, at.nf, at.nf)

    return [by_y(0), by_rate(0), by_rate(1), by_y(2)]


def assert_agree(at: kg.Model, q: Array, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rate, tau, weights = 0.5 * rng.normal(size=at.nf), rng.normal(size=at.nv), rng.normal(size=at.nv)
    v = at.W(q) @ rate
    found = at.forward_dynamics_second_derivatives(q, v, tau)
    assert found.independent == at.loops.leaders
    for ours, wanted in zip(found, of_first(at, q, rate, tau), strict=False):
        assert error(ours, wanted) < 1e-8
    weighed = at.forward_dynamics_second_derivatives(q, v, tau, weights=weights)
    for one, all_of in zip(weighed[:4], found[:4], strict=True):
        assert error(one, np.einsum("i,ijk->jk", weights, all_of)) < 1e-12
    assert error(found.d2a_dvdv, np.swapaxes(found.d2a_dvdv, -1, -2)) < 1e-12


SELDOM = [
    pytest.param(name, marks=pytest.mark.sweep) for name in ("four-bar", "slider-crank", "stewart", "bar in two hands")
]


@pytest.mark.parametrize("name", ["five-bar", *SELDOM])
def test_rates_of_the_first(name: str) -> None:
    """Loops in a plane, whose rows are redundant, and through a floating bar."""
    at, rng = model(name), np.random.default_rng(3)
    assert_agree(at, beside(at, at.q0, 0.1 * rng.normal(size=at.nf)), 3)


@pytest.mark.parametrize(
    "kind",
    ["spherical", pytest.param("universal", marks=pytest.mark.sweep), pytest.param("planar", marks=pytest.mark.sweep)],
)
def test_loops_in_space(kind: str) -> None:
    """Axes askew; ball joints in the tree and in the loop, whose axes do not commute."""
    rng = np.random.default_rng([7, 1])
    kinds = ("revolute", "spherical", "prismatic", "universal")
    tree = random_mechanism(1, bodies=5, branching=0.2, kinds=kinds, massless=0.0, mimic=0.0, root="revolute")
    closed = closed_by(tree, random_state(tree, rng)[0], rng, (kind,), f"twice_closed_by_{kind}")
    assert_agree(kg.compile(closed.mechanism, progress=False), closed.q, 5)


def test_batches_and_refusals() -> None:
    at, rng = model("five-bar"), np.random.default_rng(4)
    q = np.array([beside(at, at.q0, 0.1 * rng.normal(size=at.nf)) for _ in range(3)])
    v = (at.W(q) @ rng.normal(size=at.nf)[:, None])[..., 0]
    many = at.forward_dynamics_second_derivatives(q, v, np.zeros(at.nv), weights=np.ones((2, 1, at.nv)))
    one = at.forward_dynamics_second_derivatives(q[1], v[1], np.zeros(at.nv), weights=np.ones(at.nv))
    for all_of, alone in zip(many[:4], one[:4], strict=True):
        assert all_of.shape == (2, 3, *alone.shape) and np.array_equal(all_of[1, 1], alone)
    with pytest.raises(kg.ModelError, match=r"q misses the closure, loop '.*' is open by .* model\.project\(q, v\)"):
        at.forward_dynamics_second_derivatives(at.q0 + 0.1 * np.eye(at.nq)[0], v[0], np.zeros(at.nv))
    with pytest.raises(kg.ModelError, match="velocities v miss the closure"):
        at.forward_dynamics_second_derivatives(at.q0, np.ones(at.nv), np.zeros(at.nv))
    with pytest.raises(kg.ModelError, match="weights"):
        at.forward_dynamics_second_derivatives(at.q0, np.zeros(at.nv), np.zeros(at.nv), weights=np.ones(2))


def test_loops_that_let_nothing_move_have_no_coordinates_to_differentiate_by() -> None:
    link = kg.Link("post", 1.0, inertia=kg.inertia.box(1.0, (0.1, 0.2, 0.3)))
    joints = [kg.Joint("turn", "revolute", "world", "post"), kg.Joint("weld", "fixed", "world", "post")]
    at, still = kg.compile(kg.Mechanism("welded_post", [link], joints), progress=False), np.zeros(1)
    first = at.forward_dynamics_second_derivatives(still, still, still)[:4]
    assert [part.shape for part in first] == [(1, 0, 0), (1, 0, 0), (1, 0, 0), (1, 1, 0)]
    weighed = at.forward_dynamics_second_derivatives(np.zeros((3, 1)), still, still, weights=still)[:4]
    assert [part.shape for part in weighed] == [(3, 0, 0), (3, 0, 0), (3, 0, 0), (3, 1, 0)]
