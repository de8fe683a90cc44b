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
