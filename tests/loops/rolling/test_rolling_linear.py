"""Linear models of what rolls: more positions than velocities, against differences of accelerations and flows."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.analysis.loops.assembly import Assembly
from support.rolling.mechanisms import ROLLING
from support.rolling.oracle import state


@pytest.mark.parametrize("name", ROLLING)
def test_against_differences(name: str) -> None:
    model, mechanism = kg.compile(ROLLING[name]()), ROLLING[name]()
    q, v = model.project(*state(Assembly(mechanism, ()), 3))
    tau = 0.3 * np.random.default_rng(1).normal(size=model.nv)
    found = model.forward_dynamics_derivatives(q, v, tau)
    linear = kg.linearize(model, q, v, tau, passive=False)
    leaders, places = list(found.independent), list(found.positions)
    assert (len(places), len(leaders)) == (model.nv - 1, model.nf) and len(linear.states) == len(places) + len(leaders)
    rng = np.random.default_rng(2)
    for _ in range(3):
        dx, dy = rng.normal(size=len(places)), rng.normal(size=len(leaders))

        h = 1e-5
        ahead, behind = (model.assemble(model.integrate(q, e * found.T @ dx)) for e in (h, -h))
        fast, slow = (model.W(at) @ (v[leaders] + e * dy) for at, e in ((ahead, h), (behind, -h)))
        a = (model.forward_dynamics(ahead, fast, tau) - model.forward_dynamics(behind, slow, tau)) / (2 * h)
        scale = max(1.0, float(np.abs(a).max()))
        np.testing.assert_allclose(found.da_dq @ dx + found.da_dv @ dy, a, atol=2e-6 * scale)
        s = 1e-4  # d/dt of the displacement δ = q' ⊖ q along both motions
        moved = [
            (model.difference(model.integrate(q, t * v), model.integrate(ahead, t * fast))
             - model.difference(model.integrate(q, t * v), model.integrate(behind, t * slow))) / (2 * h)
            for t in (s, -s)
        ]  # fmt: skip
        rate = (moved[0] - moved[1])[places] / (2 * s)
        expected = linear.A[: len(places)] @ np.r_[dx, dy]
        np.testing.assert_allclose(expected, rate, atol=2e-5 * max(1.0, float(np.abs(rate).max())))


@pytest.mark.parametrize("omega", [3.0, 3.6, 10.0])  # [rad/s]; it falls below 3.30
def test_poles_of_an_upright_disc_whose_spin_is_an_angle_of_its_own_are_those_of_the_textbook(omega: float) -> None:
    """λ² = (g R − 3 R² ω²)/(5/4 R²); A is the same a short way on, where the poles of a disc on a free joint tell
    nothing, for that A goes round with the disc."""
    R = 0.3
    disc = kg.Link("disc", 1.0, inertia=kg.inertia.cylinder(1.0, R, 0.0, axis=(0, 1, 0)))
    axes = [(0, 0, 1), (1, 0, 0), (0, 1, 0)]
    own = [
        kg.Joint("at", "cartesian", "world", "carrier", start=(0, 0, R)),
        kg.Joint("turn", "gimbal", "carrier", "disc", axes=axes),
    ]
    free = [kg.Joint("base", "free", "world", "disc", start=(0, 0, R, 0, 0, 0, 1))]
    for links, joints, spin in (([kg.Link("carrier"), disc], own, 5), ([disc], free, 4)):
        model = kg.compile(kg.Mechanism("upright disc", links, [*joints, kg.rolling("disc", radius=R)]))
        q, v = model.project(model.q0, omega * np.eye(model.nv)[spin])
        run = kg.Simulator(model, dt=1e-3, integrator="rk4", q=q, v=v).run(0.1)
        linear, later = kg.linearize(model, q, v), kg.linearize(model, run.q[-1], run.v[-1])
        rests = bool(np.allclose(linear.A, later.A, atol=1e-9))
        assert rests == (spin == 5)
        if rests:
            square = (9.81 * R - 3 * R**2 * omega**2) / (1.25 * R**2)
            assert (linear.poles[-2:] ** 2).real == pytest.approx([square, square], rel=1e-9)
            assert linear.poles[:-2] == pytest.approx(0.0, abs=1e-4)  # several in one
