"""Derivatives along the closure: differences of assembled states, Pinocchio's constrained dynamics, refusals."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import kinegen as kg
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model
from support.mechanisms.closed_mechanisms import closed_by, four_bar
from support.mechanisms.closed_models import model
from support.oracles.mechanisms import random_mechanism, random_state
from support.oracles.numeric import Array, error
from support.oracles.pinocchio_constraints import constrained

H = 2e-4


def beside(at: Model, q: Array, step: Array) -> Array:
    """The closed configuration whose independent coordinates are those of q moved by the step."""
    return at.assemble(at.integrate(q, step), hold=at.independent)


def along(at: Model, q: Array, dy: Array, rate: Array, tau: Array) -> Array:
    """Acceleration at independent coordinates beside q and independent velocities `rate`."""
    W = at.W(q)
    moved = beside(at, q, W @ dy)
    return at.forward_dynamics(moved, at.W(moved) @ rate, tau)


def differences(at: Model, q: Array, rate: Array, tau: Array) -> tuple[Array, Array]:
    """(nv, nf) each, of fourth order."""
    nf = rate.size
    by = np.empty((2, at.nv, nf))
    for j in range(nf):
        e = np.eye(nf)[j]
        for part, f in enumerate((lambda s, e=e: along(at, q, s * e, rate, tau),
                                  lambda s, e=e: along(at, q, 0 * e, rate + s * e, tau))):  # fmt: skip
            by[part, :, j] = (8 * (f(H) - f(-H)) - (f(2 * H) - f(-2 * H))) / (12 * H)
    return by[0], by[1]


@pytest.mark.parametrize(
    "name",
    [
        *("four-bar", "slider-crank", "five-bar"),
        *(pytest.param(name, marks=pytest.mark.sweep) for name in ("stewart", "bar in two hands")),
    ],
)
def test_differences(name: str) -> None:
    at, rng = model(name), np.random.default_rng(4)
    for _ in range(2):
        q = at.assemble(at.integrate(at.q0, 0.2 * rng.normal(size=at.nv)))
        rate, tau = rng.normal(size=at.nf), rng.normal(size=at.nv)
        found = at.forward_dynamics_derivatives(q, at.W(q) @ rate, tau)
        by_q, by_v = differences(at, q, rate, tau)
        assert error(found.da_dq, by_q) < 2e-7
        assert error(found.da_dv, by_v) < 1e-7
        step = rng.normal(size=at.nv)
        linear = at.forward_dynamics(q, at.W(q) @ rate, tau + step) - at.forward_dynamics(q, at.W(q) @ rate, tau)
        assert error(found.da_dtau @ step, linear) < 1e-9


@pytest.mark.parametrize("kind", ["fixed", pytest.param("spherical", marks=pytest.mark.sweep)])
def test_pinocchio(kind: str) -> None:
    """Its derivatives by all of q and v, taken along the closure; by q of welds alone: of a ball in a loop it gives
    another one than the differences that ours are held against above."""
    rng = np.random.default_rng(4)
    tree = random_mechanism(11, bodies=5, kinds=["revolute", "spherical"], branching=0.0, mimic=0, massless=0)
    closed = closed_by(tree, random_state(tree, rng)[0], rng, [kind], f"closed_{kind}")
    at, q = Model.load(compile_mechanism(closed.mechanism, contacts=False)), closed.q
    v, tau = at.W(q) @ rng.normal(size=at.nf), rng.normal(size=at.nv)
    found = at.forward_dynamics_derivatives(q, v, tau)
    oracle, models, data = constrained(closed.mechanism)
    settings = pin.ProximalSettings(1e-14, 1e-6, 1000)  # its derivatives divide by the second
    a = pin.constraintDynamics(oracle.model, oracle.data, oracle.q(q), v, tau, models, data, settings)
    assert error(at.forward_dynamics(q, v, tau), a) < 1e-10
    by_q, by_v, by_tau, *_ = pin.computeConstraintDynamicsDerivatives(oracle.model, oracle.data, models, data, settings)
    assert error(found.da_dv, by_v @ found.W) < 1e-10
    assert error(found.da_dtau, by_tau) < 1e-10
    if kind == "fixed":
        assert error(found.da_dq, by_q @ found.W + by_v @ found.dv_dq) < 1e-10


def test_refusals() -> None:
    at = model("four-bar")
    q = at.random(1)
    with pytest.raises(kg.ModelError, match="velocities v miss the closure"):
        at.forward_dynamics_derivatives(q, np.ones(at.nv), np.zeros(at.nv))
    with pytest.raises(kg.ModelError, match="q misses the closure"):
        at.forward_dynamics_derivatives(q + 0.3, np.zeros(at.nv), np.zeros(at.nv))
    flat = kg.compile(four_bar(1.0, 2.0, 1.0, 2.0, "flat"))
    with pytest.raises(kg.ModelError, match=r"loop 'tip'"):
        flat.forward_dynamics_derivatives(flat.assemble(np.zeros(flat.nv)), np.zeros(flat.nv), np.zeros(flat.nv))


def test_a_configuration_that_is_closed_to_single_precision_is_told_how_to_close_it() -> None:
    at = model("four-bar")
    q, v, tau = at.random(1).astype(np.float32), np.zeros(at.nv), np.ones(at.nv)
    told = r"q misses the closure, loop '.*' is open by .*e-0[678] m or rad: .* by model\.project\(q, v\)$"
    with pytest.raises(kg.ModelError, match=told):
        at.forward_dynamics_derivatives(q, v, tau)
    with pytest.raises(kg.ModelError, match=told):
        at.com_velocity_derivatives(q, v)
    closed, still = at.project(q, v)
    assert np.abs(closed - q).max() < 1e-5 and not still.any()
    assert at.forward_dynamics_derivatives(closed, still, tau).da_dtau.any()


def test_two_bars_in_one_line_have_no_derivatives() -> None:
    """Between pins at the distance of their lengths: rows of rank one, and yet nothing can move."""
    bars = [kg.Link(name, 1.0, (0.5, 0, 0), kg.inertia.box(1.0, (1.0, 0.1, 0.1))) for name in "ab"]
    joints = [
        kg.Joint("p", "revolute", "world", "a", axis=(0, 1, 0)),
        kg.Joint("e", "revolute", "a", "b", axis=(0, 1, 0), origin=kg.Pose((1, 0, 0))),
        kg.Joint(
            "z", "revolute", "world", "b", axis=(0, 1, 0), origin=kg.Pose((2, 0, 0)), child_origin=kg.Pose((1, 0, 0))
        ),
    ]
    at = kg.compile(kg.Mechanism("bars", bars, joints))
    still, rate = np.zeros(2), at.W(at.q0)[:, 0]
    for v, why in ((still, "loops that should follow are missed"), (rate, "no acceleration keeps its loops closed")):
        for derivatives in (at.forward_dynamics_derivatives, at.forward_dynamics_second_derivatives):
            with pytest.raises(kg.ModelError, match=rf"'bars' is at a singular configuration.*\({why}.*beside it"):
                derivatives(at.q0, v, still)


def at_the_lock(at: Model, off: float) -> str:
    """What is told of derivatives where the coordinates 2 to 4 are those of a gimbal at its lock."""
    q = at.q0.copy()
    q[2:5] = 0.1, np.pi / 2 + off, 0.2
    try:
        return str(at.forward_dynamics_derivatives(q, np.zeros(6), np.zeros(6)))
    except kg.ModelError as error:
        return str(error)


def test_a_gimbal_at_its_lock_beside_a_loop_is_refused_by_name() -> None:
    """Nearly everywhere there; elsewhere rounding leaves an inverse of the inertia, or forces that are told first."""
    body = kg.inertia.box(1.0, (0.1, 0.2, 0.3))
    links = [kg.Link(name, 1.0, (0.1, 0.2, 0.3), body) for name in ("crank", "rod", "slider", "body")]
    joints = [
        kg.Joint("c", "revolute", "world", "crank"),
        kg.Joint("r", "revolute", "crank", "rod", kg.Pose((0.1, 0, 0))),
        kg.Joint("s", "prismatic", "world", "slider", axis=(1, 0, 0)),
        kg.Joint("p", "revolute", "rod", "slider", kg.Pose((0.3, 0, 0)), cut=True),
        kg.Joint("j", "gimbal", "crank", "body"),
    ]
    at = kg.compile(kg.Mechanism("ring", links, joints))
    told = [at_the_lock(at, sign * 10.0**-k) for k in range(9, 16) for sign in (1, -1)]
    assert any("inertia is singular: j[0], j[2] can move there" in one for one in told)
