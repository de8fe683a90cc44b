"""Programs as functions of CasADi: values, derivatives there against ours, sparsity, an optimiser, refusals."""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np
import pytest

import kinegen as kg
from support.mechanisms.closed_models import MECHANISMS, model
from support.mechanisms.robots import FOLDER
from support.oracles.mechanisms import random_mechanism, random_state
from support.oracles.numeric import Array, error


def called(f: Any, *arrays: Array) -> list[Array]:
    """All outputs, dense, for arrays."""
    given = {name: casadi.DM(x) for name, x in zip(f.name_in(), arrays, strict=True)}
    return [x.full() for x in map(f(**given).get, f.name_out())]


def panda() -> kg.Mechanism:
    return kg.load(FOLDER / "panda_description/urdf/panda.urdf", mimic="independent")


def test_values_and_derivatives_of_an_arm() -> None:
    """Forward dynamics and its Jacobians, which CasADi makes of the program, against our recursion."""
    mech = panda()
    at = kg.compile(mech, contacts=False)
    q, v, _, tau = random_state(mech, np.random.default_rng(0))
    f = kg.derive(mech).program("forward_dynamics").casadi()
    assert f.name_in() == ["q", "v", "tau"] and f.name_out() == ["a"]
    assert error(called(f, q, v, tau)[0].ravel(), at.forward_dynamics(q, v, tau)) < 1e-11
    names = [f"jac:a:{x}" for x in ("q", "v", "tau")]
    slopes = called(f.factory("slopes", ["q", "v", "tau"], names), q, v, tau)
    for ours, theirs in zip(at.forward_dynamics_derivatives(q, v, tau), slopes, strict=True):
        assert error(theirs, ours) < 1e-9


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.sweep)])
def test_quaternions_and_rates(seed: int) -> None:
    """∂a/∂q times q̇ of unit velocities is the derivative on the tangent space; joints of all kinds."""
    mech = random_mechanism(seed, bodies=5, kinds=["free", "spherical", "planar", "revolute"], mimic=0)
    at = kg.compile(mech, contacts=False)
    q, v, a, _ = random_state(mech, np.random.default_rng(seed))
    eq = kg.derive(mech)
    tau, rates = eq.program("inverse_dynamics").casadi(), eq.program("coordinate_rates").casadi()
    by_q = called(tau.factory("by_q", ["q", "v", "a"], ["jac:tau:q"]), q, v, a)[0]
    turned = np.column_stack([called(rates, q, e)[0].ravel() for e in np.eye(at.nv)])
    h = 1e-6
    moved = np.column_stack([(at.integrate(q, h * e) - at.integrate(q, -h * e)) / (2 * h) for e in np.eye(at.nv)])
    assert error(turned, moved) < 1e-8
    assert error(by_q @ turned, at.inverse_dynamics_derivatives(q, v, a).dtau_dq) < 1e-10


def test_sparsity_shapes_and_parameters() -> None:
    """Zeros of a matrix have no place; rows as in our arrays; run-time parameters are an input, by which it moves."""
    mech = kg.parametrise(kg.load("examples/double_pendulum.urdf"), "mass of lower")
    eq, at = kg.derive(mech), kg.compile(mech)
    M = eq.program("mass_matrix").casadi("M_of_arm")
    q, p = np.array([0.3, -0.4]), at.parameter_values()
    assert M.name() == "M_of_arm" and M.name_in() == ["p", "q"]
    assert error(called(M, p, q)[0], at.mass_matrix(q)) < 1e-14
    step = 1e-6
    by_mass = called(M.factory("dM", ["p", "q"], ["jac:M:p"]), p, q)[0].reshape(2, 2, order="F")
    more, less = (
        (at.with_parameters({next(iter(at.parameters)): float(p[0] + s)})).mass_matrix(q) for s in (step, -step)
    )
    assert error(by_mass, (more - less) / (2 * step)) < 1e-8
    J = kg.derive(panda()).program("frame_jacobian", frame="panda_link4").casadi()
    place = kg.compile(panda(), contacts=False)
    full = place.frame_jacobian(place.q0, "panda_link4")
    assert error(called(J, place.q0)[0], full) < 1e-12
    assert J.sparsity_out(0).nnz() < np.count_nonzero(full.any(axis=0)) * 6 + 1 < full.size


def test_closed_mechanism() -> None:
    """Straight-line forward dynamics of the closed mechanism: first output, all accelerations."""
    at = model("four-bar")
    q = at.random(1)
    v = at.W(q) @ np.ones(at.nf)
    f = kg.derive(MECHANISMS["four-bar"]()).program("forward_dynamics_closed").casadi()
    tau = np.arange(1.0, at.nv + 1)
    assert error(called(f, q, v, tau)[0].ravel(), at.forward_dynamics(q, v, tau)) < 1e-10


def test_in_an_optimiser() -> None:
    """IPOPT finds the lowest configuration of the double pendulum, by exact second derivatives."""
    eq = kg.derive(kg.load("examples/double_pendulum.urdf"))
    q = casadi.SX.sym("q", 2)
    height = eq.program("energy").casadi()(q, casadi.SX(2, 1))[1]
    solver = casadi.nlpsol("lowest", "ipopt", {"x": q, "f": height}, {"ipopt.print_level": 0, "print_time": False})
    found = solver(x0=[0.4, -0.7])
    assert solver.stats()["success"] and np.abs(np.array(found["x"])).max() < 1e-7


def test_refusals() -> None:
    program = kg.derive(kg.load("examples/double_pendulum.urdf")).program("gravity")
    with pytest.raises(kg.ModelError, match="'two words' is no name of a function there"):
        program.casadi("two words")
