"""Closed forms of small machines, derived apart from kinegen, equal the compiled C to 1e-12."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
import scipy.special
import sympy
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

import kinegen as kg
from kinegen.codegen.mechanism import Mechanism
from support.oracles.mechanisms import Array, cart_pole, double_pendulum, free_body, spherical_pendulum
from support.oracles.numeric import error, quaternion_matrix

TOLERANCE = 1e-12
G = 9.81
T = dynamicsymbols._t


@dataclass(frozen=True)
class ClosedForm:
    """M (n, n) and bias (n) of a Lagrangian as functions of q, q̇ and parameters, evaluated to 30 digits."""

    coordinates: Sequence[sympy.Expr]
    mass: sympy.Matrix
    bias: sympy.Matrix

    @staticmethod
    def of(kinetic: sympy.Expr, potential: sympy.Expr, coordinates: Sequence[sympy.Expr]) -> ClosedForm:
        method = LagrangesMethod(kinetic - potential, coordinates)
        method.form_lagranges_equations()
        return ClosedForm(coordinates, method.mass_matrix, -method.forcing)

    def at(self, q: Array, v: Array, parameters: dict[sympy.Symbol, float] | None = None) -> tuple[Array, Array]:
        speeds = [c.diff(T) for c in self.coordinates]
        values = {**dict(zip(speeds, v, strict=True)), **dict(zip(self.coordinates, q, strict=True))}
        exact = {key: sympy.Rational(float(value)) for key, value in {**values, **(parameters or {})}.items()}
        mass, bias = (m.subs(exact).evalf(30) for m in (self.mass, self.bias))
        return np.array(mass, dtype=float), np.array(bias, dtype=float).ravel()


def assert_agrees(mechanism: Mechanism, form: ClosedForm, parameters: dict[sympy.Symbol, float] | None = None) -> None:
    """M, bias, inverse and forward dynamics of the C against the closed form at random states."""
    model, rng = kg.compile(mechanism), np.random.default_rng(3)
    if parameters:
        model = model.with_parameters({symbol.name: value for symbol, value in parameters.items()})
    for _ in range(6):
        q, v, a = rng.uniform(-1.4, 1.4, model.nv), *rng.uniform(-3, 3, (2, model.nv))
        mass, bias = form.at(q, v, parameters)
        tau = mass @ a + bias
        assert error(model.mass_matrix(q), mass) < TOLERANCE
        assert error(model.bias(q, v), bias) < TOLERANCE
        assert error(model.inverse_dynamics(q, v, a), tau) < TOLERANCE
        assert error(model.forward_dynamics(q, v, tau), a) < TOLERANCE * np.linalg.cond(mass)


def double_pendulum_form(m1: sympy.Expr, m2: sympy.Expr, l1: sympy.Expr, l2: sympy.Expr) -> ClosedForm:
    """[Landau §5 problem 1], in angles φ₁ = q₁, φ₂ = q₁ + q₂ from the downward vertical."""
    q1, q2 = dynamicsymbols("q1 q2")
    phi1, phi2 = q1, q1 + q2
    w1, w2 = phi1.diff(T), phi2.diff(T)
    kinetic = (m1 + m2) * l1**2 * w1**2 / 2 + m2 * l2**2 * w2**2 / 2 + m2 * l1 * l2 * w1 * w2 * sympy.cos(phi1 - phi2)
    potential = -(m1 + m2) * G_EXACT * l1 * sympy.cos(phi1) - m2 * G_EXACT * l2 * sympy.cos(phi2)
    return ClosedForm.of(kinetic, potential, [q1, q2])


G_EXACT = sympy.Rational(G)


def test_double_pendulum() -> None:
    sizes = (1.3, 0.7, 0.8, 1.1)
    assert_agrees(double_pendulum(*sizes), double_pendulum_form(*map(sympy.Rational, sizes)))


def test_double_pendulum_with_run_time_parameters() -> None:
    symbols = sympy.symbols("m1 m2 l1 l2", positive=True)
    for sizes in ((1.3, 0.7, 0.8, 1.1), (0.2, 2.0, 0.4, 0.3)):
        assert_agrees(double_pendulum(*symbols), double_pendulum_form(*symbols), dict(zip(symbols, sizes, strict=True)))


def test_double_pendulum_textbook_accelerations() -> None:
    """Landau and Lifshitz' Lagrangian gives, for equal masses and lengths and δ = φ₁ − φ₂,

    φ̈₁ = −[ 2 (g/l) sin φ₁ − (g/l) sin φ₂ cos δ + (φ̇₂² + φ̇₁² cos δ) sin δ ] / (2 − cos² δ).
    """
    length, rng = 0.6, np.random.default_rng(5)
    model = kg.compile(double_pendulum(1.0, 1.0, length, length))
    for _ in range(20):
        q, v = rng.uniform(-3, 3, (2, 2))
        phi1, phi2, w1, w2 = q[0], q.sum(), v[0], v.sum()
        delta, ratio = phi1 - phi2, G / length
        falling = 2 * ratio * np.sin(phi1) - ratio * np.sin(phi2) * np.cos(delta)
        expected = -(falling + (w2**2 + w1**2 * np.cos(delta)) * np.sin(delta)) / (2 - np.cos(delta) ** 2)
        found = model.forward_dynamics(q, v, np.zeros(2))
        assert error(found[:1], np.array([expected])) < TOLERANCE


def test_cart_pole() -> None:
    """[Florian07], without friction."""
    cart, mass, length, inertia = 2.0, 0.5, 0.6, 0.03
    x, theta = dynamicsymbols("x theta")
    m, half, moment = map(sympy.Rational, (mass, length, inertia))
    vx, w = x.diff(T), theta.diff(T)
    kinetic = (sympy.Rational(cart) + m) * vx**2 / 2 + m * half * vx * w * sympy.cos(theta)
    kinetic += (moment + m * half**2) * w**2 / 2
    form = ClosedForm.of(kinetic, m * G_EXACT * half * sympy.cos(theta), [x, theta])
    assert_agrees(cart_pole(cart, mass, length, inertia), form)


def test_momentum_beside_one_known_mass_is_in_decimals_and_lowest_terms() -> None:
    """(m + 0.7 - m) / (m + 0.7) is 0.7 / (m + 0.7), and no decimal stands as a factor within."""
    m, length = sympy.symbols("m l", positive=True)
    links = [kg.Link("cart", 0.7), kg.Link("pole", m, (length, 0, 0))]
    slide = kg.Joint("slide", "prismatic", "world", "cart", axis=(1, 0, 0))
    hinge = kg.Joint("hinge", "revolute", "cart", "pole", axis=(0, 0, 1))
    eq = kg.derive(Mechanism("cart_and_pole", links, [slide, hinge]))
    assert str(eq.momentum[5]) == "0.7*l**2*m*v_hinge/(m + 0.7)"
    state = {"q": [0.3, -0.4], "v": [1.2, 0.7], "p": [0.9, 1.3]}
    found = eq.momentum.lambdify(eq.q, eq.v, eq.parameters)(*(state[name] for name in "qvp"))
    assert error(found.ravel(), eq.program("momentum").evaluate(**state)) < TOLERANCE


def test_spherical_pendulum() -> None:
    """The bob at l (−sin q₂, sin q₁ cos q₂, −cos q₁ cos q₂), q₁ about x, then q₂ about y."""
    mass, length = 0.9, 0.75
    alpha, beta = dynamicsymbols("alpha beta")
    place = sympy.Matrix(
        [-sympy.sin(beta), sympy.sin(alpha) * sympy.cos(beta), -sympy.cos(alpha) * sympy.cos(beta)]
    ) * sympy.Rational(length)
    speed = place.diff(T)
    m = sympy.Rational(mass)
    form = ClosedForm.of(m * speed.dot(speed) / 2, m * G_EXACT * place[2], [alpha, beta])
    assert_agrees(spherical_pendulum(mass, length), form)


def test_free_body_obeys_newton_and_euler() -> None:
    """m (v̇ + ω × v) = f + m Rᵀg,  I ω̇ + ω × I ω = n, all in body axes (COM at the origin)."""
    mass, moments = 1.7, np.array([0.02, 0.05, 0.06])
    model, rng = kg.compile(free_body(mass, tuple(moments))), np.random.default_rng(11)
    for _ in range(20):
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        q, v, tau = np.r_[rng.normal(size=3), quaternion], rng.normal(size=6), rng.normal(size=6)
        linear, omega = v[:3], v[3:]
        gravity = quaternion_matrix(quaternion).T @ [0, 0, -G]
        expected = np.r_[
            tau[:3] / mass + gravity - np.cross(omega, linear),
            (tau[3:] - np.cross(omega, moments * omega)) / moments,
        ]
        assert error(model.forward_dynamics(q, v, tau), expected) < TOLERANCE


def euler_solution(moments: Array, energy: float, momentum2: float, t: float) -> Array:
    """ω(t) of a body without torque, ω₂(0) = 0, for L² > 2 E I₂ [Landau §37]."""
    i1, i2, i3 = moments
    low, high = 2 * energy * i3 - momentum2, momentum2 - 2 * energy * i1
    tau = t * np.sqrt((i3 - i2) * high / (i1 * i2 * i3))
    sn, cn, dn, _ = scipy.special.ellipj(tau, (i2 - i1) * low / ((i3 - i2) * high))
    return np.array(
        [
            np.sqrt(low / (i1 * (i3 - i1))) * cn,
            np.sqrt(low / (i2 * (i3 - i2))) * sn,
            np.sqrt(high / (i3 * (i3 - i1))) * dn,
        ]
    )


@pytest.fixture(scope="module")
def tumbling() -> tuple[Mechanism, Array, float, float]:
    """A free body without gravity, its moments, energy and squared momentum, for ω(0) = (1.2, 0, 2) rad/s."""
    moments, omega = np.array([0.02, 0.05, 0.06]), np.array([1.2, 0.0, 2.0])
    mechanism = free_body(1.0, tuple(moments), gravity=(0, 0, 0))
    return mechanism, moments, float(moments @ omega**2 / 2), float(np.sum((moments * omega) ** 2))


def test_tumbling_body_has_the_closed_solutions_derivative(tumbling: tuple[Mechanism, Array, float, float]) -> None:
    mechanism, moments, energy, momentum2 = tumbling
    model, step = kg.compile(mechanism), 1e-3
    assert momentum2 > 2 * energy * moments[1]
    for t in np.linspace(0, 5, 11):
        samples = {k: euler_solution(moments, energy, momentum2, t + k * step) for k in (-3, -2, -1, 0, 1, 2, 3)}
        rate = sum(w * (samples[k] - samples[-k]) for k, w in {1: 0.75, 2: -0.15, 3: 1 / 60}.items()) / step
        found = model.forward_dynamics(model.neutral(), np.r_[0, 0, 0, samples[0]], np.zeros(6))
        assert error(found[3:], rate) < 1e-11


def test_simulated_tumbling_converges_to_the_closed_solution(tumbling: tuple[Mechanism, Array, float, float]) -> None:
    """RK4: the error falls by 2⁴ when the step is halved."""
    mechanism, moments, energy, momentum2 = tumbling
    model, errors = kg.compile(mechanism), []
    for dt in (0.02, 0.01, 0.005):
        start = np.r_[0, 0, 0, euler_solution(moments, energy, momentum2, 0.0)]
        simulator = kg.Simulator(model, dt=dt, integrator="rk4", q=model.neutral(), v=start)
        simulator.step(round(4.0 / dt))
        errors.append(np.max(np.abs(simulator.v[3:] - euler_solution(moments, energy, momentum2, 4.0))))
    assert errors[-1] < 1e-7
    assert all(3.7 < np.log2(a / b) < 4.3 for a, b in pairwise(errors))
