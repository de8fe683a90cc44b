"""Compiled kernels as external functions of CasADi: values, Jacobians, sparsity, an optimiser, refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import casadi
import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.analysis.loops.partition import Reference, choose_reference
from kinegen.codegen.printing import external
from kinegen.runtime.bridges import smooth
from kinegen.runtime.bridges.second import second_rates
from support import all_groups
from support.mechanisms.closed_mechanisms import five_bar
from support.oracles.mechanisms import cart_pole, random_state
from support.oracles.numeric import Array, error
from support.oracles.random_cases import SMALL, random_case


def called(f: Any, *arrays: Array) -> list[Array]:
    found = f(*map(casadi.DM, arrays))
    return [x.full() for x in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_values_jacobians_and_sparsity(function: str) -> None:
    """Of all groups of joints, two bodies apart from the two others; numbers of q off unit norm."""
    at, ours = all_groups.all_groups(), kg.casadi.external(all_groups.mechanism(), function)
    rng = np.random.default_rng(6)
    q, v, x = at.random(rng), *rng.normal(size=(2, at.nv))
    model_function = getattr(smooth, function)(at)
    value, rates = model_function.value(q, v, x), model_function.rates(q, v, x)
    assert error(called(ours, q, v, x)[0].ravel(), value) < 1e-12
    names = ours.name_in()
    assert (names[:2], ours.name_out()) == (["q", "v"], [{"a": "tau", "tau": "a"}[names[2]]])
    jacobian = ours.jacobian()
    found = called(jacobian, q, v, x, value)
    assert error(np.hstack(found), rates) < 1e-12
    for i, block in enumerate(np.split(rates, np.cumsum([at.nq, at.nv]), axis=1)):
        pattern = np.array(casadi.DM(jacobian.sparsity_out(i), 1.0).full(), dtype=bool)
        assert not np.abs(block[~pattern]).any() and pattern.sum() < pattern.size * 0.6
    stretched = q.copy()
    ball = at.q_slice("ball")
    stretched[ball] *= 1.7
    assert error(called(ours, stretched, v, x)[0].ravel(), value) < 1e-12
    by_ball = called(jacobian, stretched, v, x, value)[0][:, ball]
    assert error(by_ball, rates[:, ball] / 1.7) < 1e-12


def test_forward_dynamics_with_loops() -> None:
    """Of a five-bar beside a pendulum: the model's on the closure; off it the program's, and differences."""
    mech = five_bar_and_pendulum()
    at, f = kg.compile(mech, progress=False), kg.casadi.external(mech, "forward_dynamics", name="five_bar_dynamics")
    rng = np.random.default_rng(2)
    q = at.assemble(at.integrate(at.q0, 0.1 * rng.normal(size=at.nv)))
    v, tau = at.W(q) @ rng.normal(size=at.nf), rng.normal(size=at.nv)
    assert error(called(f, q, v, tau)[0].ravel(), at.forward_dynamics(q, v, tau)) < 1e-12
    jacobian = f.jacobian()
    by_q, by_v, by_tau = called(jacobian, q, v, tau, np.zeros(at.nv))
    wanted = at.forward_dynamics_derivatives(q, v, tau)
    assert error(by_q @ wanted.W + by_v @ wanted.dv_dq, wanted.da_dq) < 1e-11
    assert error(by_v @ wanted.W, wanted.da_dv) < 1e-11 and error(by_tau, wanted.da_dtau) < 1e-12
    q, v = q + 0.02 * rng.normal(size=at.nv), v + 0.1 * rng.normal(size=at.nv)
    theirs = kg.derive(mech).program("forward_dynamics_closed").casadi()
    assert error(called(f, q, v, tau)[0].ravel(), called(theirs, q, v, tau)[0].ravel()) < 1e-11
    found = np.hstack(called(jacobian, q, v, tau, np.zeros(at.nv)))
    expected = [
        x.full() for x in theirs.factory("by", ["q", "v", "tau"], ["jac:a:q", "jac:a:v", "jac:a:tau"])(q, v, tau)
    ]
    assert error(found, np.hstack(expected)) < 1e-10
    pattern = np.array(casadi.DM(jacobian.sparsity_out(0), 1.0).full(), dtype=bool)
    apart = at.v_slice("swing").start
    assert pattern[apart].tolist() == pattern[:, apart].tolist() == [i == apart for i in range(at.nv)]


def test_rows_that_hold_too_little_fail_on_the_closure(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a branch of a higher rank than where the rows were chosen: one row less than it takes."""

    def fewer(mechanism: kg.Mechanism, parameters: Sequence[float]) -> Reference:
        found = choose_reference(mechanism, parameters)
        return replace(found, partition=replace(found.partition, rows=found.partition.rows[:-1]))

    monkeypatch.setattr(external, "choose_reference", fewer)
    mech = five_bar()
    at, f = kg.compile(mech, progress=False), kg.casadi.external(mech, "forward_dynamics", name="held_too_little")
    rng = np.random.default_rng(4)
    q = at.assemble(at.integrate(at.q0, 0.1 * rng.normal(size=at.nv)))
    v, tau = at.W(q) @ rng.normal(size=at.nf), rng.normal(size=at.nv)
    with pytest.raises(RuntimeError):
        called(f, q, v, tau)


def five_bar_and_pendulum() -> kg.Mechanism:
    base = five_bar()
    swing = kg.Joint("swing", "revolute", "world", "bob", axis=(0, 1, 0), origin=kg.Pose((0, 0, 2)))
    bob = kg.Link("bob", mass=1.0, com=(0.3, 0, 0), inertia=kg.inertia.rod(1.0, 0.6))
    return kg.Mechanism("five_bar_and_pendulum", [*base.links, bob], [*base.joints, swing], gravity=base.gravity)


def test_derivatives_by_casadi_itself() -> None:
    """Within an expression, forward and reverse, a map; against the program in SX."""
    ours = kg.casadi.external(cart_pole(), "forward_dynamics", name="pole_dynamics")
    theirs = kg.derive(cart_pole()).program("forward_dynamics").casadi()
    x = casadi.MX.sym("x", 6)

    def loss(f: Any) -> Any:
        return casadi.sumsqr(f(x[:2], x[2:4], casadi.sin(x[4:])))

    at = np.array([0.1, 0.7, 1.1, -2.0, 0.5, 0.2])
    gradients = [casadi.Function("g", [x], [casadi.gradient(loss(f), x)]) for f in (ours, theirs)]
    assert error(*(called(g, at)[0] for g in gradients)) < 1e-12
    forward = [casadi.Function("t", [x], [casadi.jtimes(loss(f), x, casadi.DM(at))]) for f in (ours, theirs)]
    assert error(*(called(g, at)[0] for g in forward)) < 1e-12
    many = np.stack([at, 0.5 * at], axis=1)
    found = ours.map(2)(*map(casadi.DM, (many[:2], many[2:4], many[4:])))
    assert (
        error(found[:, 1].full().ravel(), called(theirs, 0.5 * at[:2], 0.5 * at[2:4], 0.5 * at[4:])[0].ravel()) < 1e-12
    )


MECHANISMS = {
    "all groups": all_groups.mechanism,
    "loops": five_bar,
    "parameter": lambda: cart_pole(cart=sympy.Symbol("M")),
}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "function"),
    [
        ("all groups", "inverse_dynamics"),
        ("all groups", "forward_dynamics"),
        ("loops", "inverse_dynamics"),
        ("loops", "forward_dynamics"),
        ("parameter", "forward_dynamics"),
    ],
)
def test_second_derivatives(kind: str, function: str) -> None:
    """λᵀf has the gradient of the analytic Jacobian, whose differences the Hessian is; q off unit norm, loops open."""
    mech, rng = MECHANISMS[kind](), np.random.default_rng(3)
    given = {"M": 3.0} if kind == "parameter" else None
    f = kg.casadi.external(mech, function, name=f"twice_{kind.replace(' ', '_')}", parameters=given, hessian=True)
    sizes = [f.size1_in(i) for i in range(3)]
    z, weights = casadi.MX.sym("z", sum(sizes)), rng.normal(size=sizes[2])
    parts = casadi.vertsplit(z, [0, sizes[0], sizes[0] + sizes[1], sum(sizes)])
    both = casadi.Function("both", [z], [*casadi.hessian(casadi.dot(weights, f(*parts)), z)])
    at = np.concatenate(
        [kg.compile(mech, progress=False).q0 + 0.05 * rng.normal(size=sizes[0]), rng.normal(size=2 * sizes[1])]
    )

    def slopes(x: Array) -> Array:
        found = called(f.jacobian(), *np.split(x, np.cumsum(sizes)[:-1]), np.zeros(sizes[2]))
        rates: Array = weights @ np.hstack(found)
        return rates

    hessian, gradient = called(both, at)
    assert error(gradient.ravel(), slopes(at)) < 1e-11
    h = 1e-5
    moved = np.stack([(slopes(at + h * way) - slopes(at - h * way)) / (2 * h) for way in np.eye(len(at))])
    assert error(hessian, moved) < 1e-7 and np.array_equal(hessian, hessian.T)


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_second_derivatives_of_trees_are_those_of_the_program(function: str) -> None:
    """In C and in CasADi's expressions, of joints of all groups, numbers of q off unit norm; zeros have no place."""
    mech, rng = all_groups.mechanism(), np.random.default_rng(5)
    manifest = all_groups.all_groups().manifest
    ours = kg.casadi.external(mech, function, name=f"curves_{function}", hessian=True)
    theirs = kg.derive(mech).program(function).casadi()
    sizes = [ours.size1_in(i) for i in range(3)]
    z, weights = casadi.MX.sym("z", sum(sizes)), rng.normal(size=sizes[2])
    q, *rest = casadi.vertsplit(z, [0, sizes[0], sizes[0] + sizes[1], sum(sizes)])
    numbers = casadi.vertsplit(q)
    for start, size in external.rotations_of(manifest):
        length = casadi.norm_2(casadi.vertcat(*numbers[start : start + size]))
        numbers[start : start + size] = [x / length for x in numbers[start : start + size]]
    at = np.concatenate([all_groups.all_groups().q0 + 0.1 * rng.normal(size=sizes[0]), rng.normal(size=2 * sizes[1])])
    found, wanted = (
        casadi.Function("both", [z], [*casadi.hessian(casadi.dot(weights, f(x, *rest)), z)])
        for f, x in ((ours, q), (theirs, casadi.vertcat(*numbers)))
    )
    for x, y in zip(called(found, at), called(wanted, at), strict=True):
        assert error(x, y) < 1e-12
    assert found.nnz_out(0) <= 1.6 * wanted.nnz_out(0)


@pytest.mark.parametrize("name", ["mimics", *(pytest.param(x, marks=pytest.mark.sweep) for x in SMALL)])
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_no_entry_of_a_tree_is_missing(name: str, function: str) -> None:
    """First and second derivatives of random trees, beside the bridges' full arrays; some follow others."""
    mech, rng = random_case(name), np.random.default_rng(1)
    f = kg.casadi.external(mech, function, name=f"full_{name}_{function}", hessian=True)
    rates = getattr(smooth, function)(kg.compile(mech, progress=False))
    q, v, a, _ = random_state(mech, rng)
    z, weights = casadi.MX.sym("z", rates.width), rng.normal(size=v.size)
    parts = casadi.vertsplit(z, [0, q.size, q.size + v.size, rates.width])
    first = casadi.jacobian(f(*parts), z)
    second = casadi.hessian(casadi.dot(weights, f(*parts)), z)[0]
    found = called(casadi.Function("both", [z], [first, second]), np.concatenate([q, v, a]))
    assert error(found[0], rates.rates(q, v, a)) < 1e-11
    assert error(found[1], np.einsum("i,ijk->jk", weights, second_rates(rates, q, v, a))) < 1e-11


def test_parameters_are_compiled_in() -> None:
    mech = cart_pole(cart=sympy.Symbol("M"))  # type: ignore[arg-type]
    at = kg.compile(mech, progress=False).with_parameters(M=3.0)
    q, v, tau = np.array([0.2, 0.7]), np.array([1.1, -2.0]), np.array([3.0, 0.5])
    f = kg.casadi.external(mech, "forward_dynamics", name="heavy", parameters={"M": 3.0})
    assert error(called(f, q, v, tau)[0].ravel(), at.forward_dynamics(q, v, tau)) < 1e-13
    with pytest.raises(kg.ModelError, match=r"external: no value for parameter M: parameters={'M': 1\.0}"):
        kg.casadi.external(mech, "forward_dynamics")


def test_ipopt_swings_a_pole_up() -> None:
    """Least effort from hanging to upright, implicit midpoint steps by the compiled C; the motion obeys the model."""
    f = kg.casadi.external(cart_pole(), "forward_dynamics", name="swing_dynamics")
    at, n, h = kg.compile(cart_pole(), progress=False), 30, 0.06
    problem = casadi.Opti()
    x, u = problem.variable(4, n + 1), problem.variable(1, n)
    for k in range(n):
        middle = (x[:, k] + x[:, k + 1]) / 2
        a = f(middle[:2], middle[2:], casadi.vertcat(u[k], 0))
        problem.subject_to(x[:, k + 1] == x[:, k] + h * casadi.vertcat(middle[2:], a))
    problem.subject_to(x[:, 0] == casadi.DM([0, np.pi, 0, 0]))
    problem.subject_to(x[:, n] == 0)
    problem.minimize(casadi.sumsqr(u))
    problem.set_initial(x, np.linspace([0, np.pi, 0, 0], [0, 0, 0, 0], n + 1).T)
    options = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"}
    problem.solver("ipopt", {**options, "ipopt.hessian_approximation": "limited-memory", "ipopt.max_iter": 500})
    found = problem.solve()
    states, force = found.value(x).T, np.atleast_1d(found.value(u))
    middle = (states[1:] + states[:-1]) / 2
    a = at.forward_dynamics(middle[:, :2], middle[:, 2:], np.stack([force, 0 * force], axis=-1))
    assert found.stats()["success"] and error(np.diff(states[:, 2:], axis=0) / h, a) < 1e-6


def test_what_is_refused() -> None:
    for wrong, message in [
        (lambda: kg.casadi.external(cart_pole(), "bias"), "external: expected one of inverse_dynamics, forward_dyn"),
        (lambda: kg.casadi.external(cart_pole(), "inverse_dynamics", name="a b"), "external: 'a b' is no name"),
    ]:
        with pytest.raises(kg.ModelError, match=message):
            wrong()
