"""Functions of a model in JAX: its transformations against automatic derivatives of programs and ours; refusals."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kinegen as kg
from support.all_groups import all_groups
from support.oracles.mechanisms import cart_pole
from support.oracles.numeric import error

Q, V, TAU = np.array([0.2, 0.7]), np.array([1.1, -2.0]), np.array([3.0, 0.5])


@pytest.fixture(autouse=True)
def float64() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="module")
def pole() -> kg.Model:
    return kg.compile(cart_pole(), progress=False)


def program(name: str) -> Callable[..., Any]:
    """The program itself in JAX, which differentiates it."""
    made = kg.derive(cart_pole()).program(name).lambdify("jax")
    return lambda *arrays: jnp.array(made(*arrays))


ASKED = pytest.mark.parametrize("name", [pytest.param("inverse_dynamics", marks=pytest.mark.sweep), "forward_dynamics"])


@ASKED
def test_derivatives_are_those_that_jax_finds_of_the_program(pole: kg.Model, name: str) -> None:
    ours, theirs = getattr(kg.jax.functions(pole), name), program(name)
    given = [jnp.array(x) for x in (Q, V, TAU)]
    assert error(np.asarray(ours(*given)), np.asarray(theirs(*given))) < 1e-13
    for mode in (jax.jacfwd, jax.jacrev):
        found, wanted = (jax.jit(mode(f, argnums=(0, 1, 2)))(*given) for f in (ours, theirs))
        for one, other in zip(found, wanted, strict=True):
            assert error(np.asarray(one), np.asarray(other)) < 1e-12


@pytest.mark.sweep
@ASKED
def test_second_derivatives_are_those_of_the_program(pole: kg.Model, name: str) -> None:
    """Whole ones, and a Hessian times a vector by reverse over reverse; a batch."""
    ours, theirs = getattr(kg.jax.functions(pole), name), program(name)
    whole = jnp.concatenate([Q, V, TAU])

    def weighed(f: Callable[..., Any]) -> Callable[[Any], Any]:
        return lambda x: f(*jnp.split(x, 3)) @ jnp.array([0.7, -1.3])

    found, wanted = (np.asarray(jax.jit(jax.hessian(weighed(f)))(whole)) for f in (ours, theirs))
    assert error(found, wanted) < 1e-10
    product = jax.grad(lambda x: jax.grad(weighed(ours))(x) @ whole)(whole)
    assert error(np.asarray(product), wanted @ np.asarray(whole)) < 1e-10
    many = jnp.stack([whole, 0.5 * whole])
    batch = jax.vmap(jax.hessian(weighed(ours)))(many)
    assert error(np.asarray(batch[0]), wanted) < 1e-10


def test_jit_and_vmap(pole: kg.Model) -> None:
    """A batch within a batch, with arguments that are not mapped, and gradients of it; one call of C for all."""
    functions = kg.jax.functions(pole)
    q = np.linspace(-1, 1, 12).reshape(2, 3, 2)
    inner = jax.vmap(functions.forward_dynamics, in_axes=(0, None, None))
    both = jax.jit(jax.vmap(inner, in_axes=(0, None, 0)))
    tau = np.array([[1.0, 0.0], [0.0, 2.0]])
    found = both(q, V, tau)
    assert error(np.asarray(found), pole.forward_dynamics(q, V, tau[:, None])) < 1e-14
    slope = jax.jit(jax.vmap(jax.grad(lambda q: functions.energy(q, V)[0])))(q[0])
    h = 1e-6 * np.eye(2)[:, None]
    wanted = (pole.energy(q[0] + h, V) - pole.energy(q[0] - h, V))[..., 0].T / 2e-6
    assert error(np.asarray(slope), wanted) < 1e-8


def test_gradient_through_a_motion(pole: kg.Model) -> None:
    """Of `scan` over steps, per the force; the same motion by JAX alone."""

    def end(dynamics: Callable[..., Any], force: Any) -> Any:
        def step(x: Any, _: Any) -> Any:
            q, v = x
            v = v + 0.01 * dynamics(q, v, jnp.stack([force, 0.0]))
            return (q + 0.01 * v, v), None

        (q, v), _ = jax.lax.scan(step, (jnp.array(Q), jnp.array(V)), None, length=20)
        return (q**2).sum() + (v**2).sum()

    ours, theirs = kg.jax.functions(pole).forward_dynamics, program("forward_dynamics")
    found, wanted = (jax.jit(jax.grad(lambda f, d=d: end(d, f)))(1.5) for d in (ours, theirs))
    assert abs(found - wanted) < 1e-11 * abs(wanted)


def test_gradients_by_quaternions_stand_on_the_tangent_space() -> None:
    """By u of integrate(q, u) they are the model's; by q they have no part along a quaternion."""
    at = all_groups()
    functions = kg.jax.functions(at)
    rng = np.random.default_rng(4)
    q, v, a, weight = at.random(rng), *rng.normal(size=(3, at.nv))

    def weighed(q: Any) -> Any:
        return functions.inverse_dynamics(q, v, a) @ weight

    by_u = jax.jit(jax.grad(lambda u: weighed(functions.integrate(q, u))))(jnp.zeros(at.nv))
    assert error(np.asarray(by_u), weight @ at.inverse_dynamics_derivatives(q, v, a).dtau_dq) < 1e-13
    by_q = np.asarray(jax.jit(jax.grad(weighed))(q))
    ball = at.q_slice("ball")
    assert abs(by_q[ball] @ q[ball]) < 1e-13 * np.abs(by_q).max() < np.abs(by_q[ball]).max()


def test_step(pole: kg.Model) -> None:
    functions = kg.jax.functions(pole)
    found = jax.jacrev(lambda v: jnp.concatenate(functions.step(Q, v, TAU, dt=1e-3)))(V)
    sim = kg.Simulator(pole, dt=1e-3, q=Q, v=V, tau=TAU)
    sim.step()
    q, v = functions.step(Q, V, TAU, dt=1e-3)
    assert error(np.asarray(q), sim.q) < 1e-14 and error(np.asarray(v), sim.v) < 1e-14
    assert error(np.asarray(found), kg.step_derivatives(pole, Q, V, TAU, dt=1e-3).A[:, 2:]) < 1e-15


def test_pickles_and_copies_are_the_same_functions(pole: kg.Model) -> None:
    """Processes that take part in a computation get them so."""
    functions = kg.jax.functions(pole)
    wanted = functions.forward_dynamics(Q, V, TAU)
    for again in (pickle.loads(pickle.dumps(functions)), copy.deepcopy(functions)):
        assert jnp.array_equal(again.forward_dynamics(Q, V, TAU), wanted)


def test_what_is_refused(pole: kg.Model) -> None:
    functions = kg.jax.functions(pole)
    for wrong, message in [
        (lambda: functions.gravity(jnp.zeros(2, jnp.float32)), r"q: expected float64, got float32; write q\.astype"),
        (lambda: functions.gravity(jnp.zeros(2, jnp.int64)), "q: expected float64, got int64"),
        (lambda: functions.gravity(np.zeros(3)), r"q: expected shape \(\.\.\., 2\), got \(3,\)"),
        (lambda: functions.bias(np.zeros((2, 2)), np.zeros((3, 2))), "bias: batch axes do not broadcast"),
        (lambda: functions.frame_pose(Q, "pol"), "has no frame 'pol'"),
        (lambda: functions.step(Q, V, TAU, dt=1e-3, integrator="euler"), "integrator: expected one of semi_implicit"),
        (lambda: jax.hessian(lambda v: functions.step(Q, v, TAU, dt=1e-3)[1][0])(V), "step: its gradient has no grad"),
        (lambda: jax.jacfwd(jax.hessian(functions.gravity))(Q), "gravity: it can be differentiated twice here"),
    ]:
        with pytest.raises(kg.ModelError, match=message):
            wrong()
    with jax.enable_x64(False), pytest.raises(kg.ModelError, match="JAX is set to single precision"):
        functions.gravity(Q)


def test_an_error_inside_a_compiled_function_tells_the_reason(pole: kg.Model) -> None:
    functions = kg.jax.functions(pole)
    gravity = jax.jit(functions.gravity)
    with pytest.raises(jax.errors.JaxRuntimeError, match="ModelError: q: entry 1 is nan, expected a number"):
        gravity(jnp.array([0.0, np.nan])).block_until_ready()
    assert error(np.asarray(gravity(Q)), pole.gravity(Q)) < 1e-15
