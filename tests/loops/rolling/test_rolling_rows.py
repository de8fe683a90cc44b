"""Rows of what rolls against the slip of its material at the point of contact, told by poses alone."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.analysis.loops.assembly import Assembly
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from support.rolling.mechanisms import ROLLING
from support.rolling.oracle import along, height, slip_rows, state

SEEDS = range(4)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ROLLING)
def test_rows_and_their_rates(name: str, seed: int) -> None:
    mechanism = ROLLING[name]()
    closing = Assembly(mechanism, ())
    q, v = state(closing, seed)
    K, drift = (
        closing.rows(q),
        numeric(derive(mechanism, "closure_rows_bias"))({"q": q.tolist(), "v": v.tolist(), "p": []})["dKv"],
    )
    np.testing.assert_allclose(K[:3], slip_rows(mechanism, q), atol=1e-13)
    np.testing.assert_allclose(drift[:3], along(lambda x: slip_rows(mechanism, x) @ v, closing.moved, q, v), atol=1e-8)
    assert not K[3:].any() and not drift[3:].any()


@pytest.mark.parametrize("name", ROLLING)
def test_the_normal_row_is_the_rate_of_the_height(name: str) -> None:
    """Off the plane too; the tangential rows have no position of their own."""
    mechanism = ROLLING[name]()
    closing, rng = Assembly(mechanism, ()), np.random.default_rng(3)
    q, v = closing.start(rng, 0.6), rng.normal(size=mechanism.tree.nv)
    gap = closing.gap(q)
    assert gap[2] == pytest.approx(height(mechanism, q), abs=1e-14) and not gap[[0, 1, 3, 4, 5]].any()
    rise = along(lambda x: closing.gap(x)[2:3], closing.moved, q, v)
    assert rise == pytest.approx(closing.rows(q)[2] @ v, abs=1e-9)


def hinged() -> kg.Mechanism:
    """A disc by yaw, lean and spin."""
    R, m = sympy.symbols("R m", positive=True)
    wheel = kg.Link("disc", mass=m, inertia=kg.inertia.cylinder(m, R, 0.0, axis=(0, 1, 0)))
    joints = [
        kg.Joint("at", "cartesian", "world", "carrier"),
        kg.Joint("turn", "gimbal", "carrier", "disc", axes=[(0, 0, 1), (1, 0, 0), (0, 1, 0)]),
        kg.rolling("disc", radius=R),
    ]
    return kg.Mechanism("disc", [kg.Link("carrier"), wheel], joints)


def test_the_rows_stand_as_on_paper() -> None:
    """ẋ = R(ψ̇ + φ̇ sin θ) cos φ + ... of the disc in yaw φ, lean θ, spin ψ, for |θ| < π/2."""
    eq = kg.derive(hinged())
    R, _ = eq.parameters
    phi, theta, _ = eq.q[3:]
    lean = sympy.Abs(sympy.cos(theta))
    K = eq.K.subs(lean, sympy.cos(theta)).applyfunc(sympy.simplify)
    c, s = sympy.cos, sympy.sin
    wanted = sympy.Matrix([
        [1, 0, 0, -R * s(theta) * c(phi), -R * s(phi) * c(theta), -R * c(phi)],
        [0, 1, 0, -R * s(theta) * s(phi), R * c(phi) * c(theta), -R * s(phi)],
        [0, 0, 1, 0, R * s(theta), 0],
    ])  # fmt: skip
    assert (K - wanted).applyfunc(sympy.simplify).is_zero_matrix
    assert sympy.simplify(eq.closure[0].subs(lean, c(theta)) - (eq.q[2] - R * c(theta))) == 0
    rate = sum((wanted.diff(q) * v for q, v in zip(eq.q, eq.v, strict=True)), sympy.zeros(3, 6)) * eq.v
    drift = eq.dK_v.subs(lean, c(theta)).subs(1 / lean, 1 / c(theta))
    assert (drift - rate).applyfunc(sympy.simplify).is_zero_matrix
    assert [x.name for x in eq.multipliers] == ["lambda_disc_world_x", "lambda_disc_world_y", "lambda_disc_world_z"]


def test_a_system_of_equations_with_named_multipliers() -> None:
    """M v̇ + bias = τ + Kᵀλ with K v̇ + K̇v = 0: the upright disc rolls straight on with λ = m g along the normal."""
    eq = kg.derive(hinged())
    R, m = eq.parameters
    upright = {**dict.fromkeys(eq.q, 0), eq.q[2]: R, **dict.fromkeys(eq.v, 0), eq.v[0]: 3 * R, eq.v[5]: 3}
    left = eq.M * eq.a + eq.bias - eq.K.T * eq.multipliers
    rows = [*left.subs(upright), *(eq.K * eq.a + eq.dK_v).subs(upright)]
    (found,) = sympy.linsolve(rows, *eq.a, *eq.multipliers)
    assert [sympy.nsimplify(x) for x in found] == [0] * 8 + [sympy.nsimplify(9.81 * m)]
