"""Equations of motion as the books print them, and as sympy.physics.mechanics derives them by Lagrange and Kane."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
import sympy
from sympy import Matrix, Rational, cos, sin, tan
from sympy.physics.mechanics import LagrangesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

import kinegen as kg
from kinegen.codegen.inspection.equations import Equations
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from support.mechanisms.small_mechanisms import SMALL, same
from support.mechanisms.symbolic_loops import closed_states, slider_crank

g, m, r = sympy.symbols("g m r", positive=True)
T = dynamicsymbols._t


# ---- SCARA

l1, l2, r1, r2 = sympy.symbols("l1 l2 r1 r2", positive=True)
m1, m2, m3, m4 = sympy.symbols("m1:5", positive=True)
I1, I2, I3, I4 = sympy.symbols("I1:5", positive=True)


def scara() -> Mechanism:
    """Three turns about z and a lift; I: moments about z at the centres of mass."""
    sizes = (("one", m1, r1, I1), ("two", m2, r2, I2), ("three", m3, 0, I3), ("four", m4, 0, I4))
    return Mechanism(
        "scara",
        [Link(name, mass, (com, 0, 0), (moment, 0, 0, moment, 0, moment)) for name, mass, com, moment in sizes],
        [
            Joint("j1", "revolute", "world", "one"),
            Joint("j2", "revolute", "one", "two", Pose((l1, 0, 0))),
            Joint("j3", "revolute", "two", "three", Pose((l2, 0, 0))),
            Joint("j4", "prismatic", "three", "four"),
        ],
        gravity=(0, 0, -g),
    )


def test_scara_is_murrays() -> None:
    """[Murray94 §4.3], SCARA."""
    eq = kg.derive(scara())
    t2, (w1, w2) = eq.q[1], eq.v[:2]
    alpha = I1 + r1**2 * m1 + l1**2 * (m2 + m3 + m4)
    beta = I2 + I3 + I4 + l2**2 * (m3 + m4) + m2 * r2**2
    gamma = l1 * l2 * (m3 + m4) + l1 * m2 * r2
    delta = I3 + I4
    both = beta + gamma * cos(t2)
    M = [[alpha + beta + 2 * gamma * cos(t2), both, delta, 0], [both, beta, delta, 0], [delta, delta, delta, 0]]
    assert same(eq.M, Matrix([*M, [0, 0, 0, m4]]))
    C = Matrix.zeros(4, 4)
    C[0, 0], C[0, 1], C[1, 0] = -gamma * sin(t2) * w2, -gamma * sin(t2) * (w1 + w2), gamma * sin(t2) * w1
    assert same(eq.C, C)
    assert same(eq.gravity, Matrix([0, 0, 0, m4 * g]))


# ---- C(q, v)


def rate(form: Matrix, eq: Equations) -> Matrix:
    """d/dt where q̇ = v."""
    return sum((form.diff(x) * v for x, v in zip(eq.q, eq.v, strict=True)), sympy.zeros(*form.shape))


@pytest.mark.parametrize("name", ["planar_arm", "cart_pole", "universal_and_slide", "scara"])
def test_coriolis_matrix_is_christoffels(name: str) -> None:
    """C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i) v_k; Ṁ − 2C is skew, C v = c, and Ġ = dG/dt."""
    eq = kg.derive(scara() if name == "scara" else SMALL[name]())
    q, v, M, n = list(eq.q), list(eq.v), eq.M, len(eq.v)

    def christoffel(i: int, j: int) -> sympy.Expr:
        symbols = [M[i, j].diff(q[k]) + M[i, k].diff(q[j]) - M[j, k].diff(q[i]) for k in range(n)]
        return sum(symbol * v[k] for k, symbol in enumerate(symbols)) / 2

    assert same(eq.C, Matrix(n, n, christoffel))
    skew = rate(M, eq) - 2 * eq.C
    assert same(skew, -skew.T)
    assert same(eq.C * eq.v, eq.coriolis)
    assert same(eq.G_dot, rate(eq.G, eq))


def test_coriolis_matrix_of_a_ball() -> None:
    """Quasi-velocities: Ṁ − 2C is skew with q̇ = ½ q ⊗ ω on the unit quaternions."""
    I_xx, I_yy, I_zz = sympy.symbols("I_xx I_yy I_zz", positive=True)
    ball = Link("ball", m, (0, 0, -r), (I_xx, 0, 0, I_yy, 0, I_zz))
    eq = kg.derive(Mechanism("ball", [ball], [Joint("socket", "spherical", "world", "ball")]))
    x, y, z, w = eq.q
    a, b, c = eq.v
    turning = Matrix([w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a, -x * a - y * b - z * c]) / 2
    M_dot = sum((eq.M.diff(k) * turning[i] for i, k in enumerate(eq.q)), sympy.zeros(3, 3))
    skew = M_dot - 2 * eq.C

    def vanishes(expr: sympy.Expr) -> bool:
        return sympy.expand(sympy.rem(sympy.expand(expr), x**2 + y**2 + z**2 + w**2 - 1, w)) == 0

    assert all(vanishes(entry) for entry in skew + skew.T)
    assert all(vanishes(entry) for entry in eq.C * eq.v - eq.coriolis)


# ---- Lagrange by sympy.physics.mechanics


def in_ours(expr: Matrix, q: list[sympy.Expr], eq: Equations) -> Matrix:
    names = {x.diff(T, 2): a for x, a in zip(q, eq.a, strict=True)}
    rates = {x.diff(T): v for x, v in zip(q, eq.v, strict=True)}
    return expr.subs(names).subs(rates).subs(dict(zip(q, eq.q, strict=True)))


def test_two_link_arm_by_lagrange() -> None:
    eq = kg.derive(SMALL["planar_arm"]())
    q = dynamicsymbols("q1 q2")
    masses, lengths = sympy.symbols("m1 m2", positive=True), sympy.symbols("l1 l2", positive=True)
    N = ReferenceFrame("N")
    origin, energy = Point("O"), sympy.S.Zero
    origin.set_vel(N, 0)
    tip = origin
    for i in range(2):
        angle = sum(q[: i + 1])
        tip = tip.locatenew(f"P{i}", lengths[i] * (cos(angle) * N.x + sin(angle) * N.y))
        tip.set_vel(N, tip.pos_from(origin).dt(N))
        particle = Particle(f"p{i}", tip, masses[i])
        energy += particle.kinetic_energy(N) - masses[i] * g * tip.pos_from(origin).dot(N.y)
    tau = LagrangesMethod(energy, q).form_lagranges_equations()
    assert same(in_ours(tau, q, eq), eq.inverse_dynamics)


def closed_by_lagrange(lengths: Mapping[str, float]) -> tuple[LagrangesMethod, list[sympy.Expr]]:
    """Slider-crank with crank and pin angle and slide, rod's moment m l²/12, two closure equations."""
    q = dynamicsymbols("theta phi x")
    theta, phi, x = q
    R, L, mass, weight = (sympy.Float(lengths[k], 40) for k in ("r", "l", "m", "g"))
    elbow = R * Matrix([cos(theta), sin(theta)])
    end = elbow + L * Matrix([cos(theta + phi), sin(theta + phi)])
    centres = [elbow / 2, (elbow + end) / 2, Matrix([x, 0])]
    kinetic = sum((mass * c.diff(T).dot(c.diff(T)) / 2 for c in centres), sympy.S.Zero)
    kinetic += mass * L**2 / 24 * (theta + phi).diff(T) ** 2
    potential = sum((mass * weight * c[1] for c in centres), sympy.S.Zero)
    closure = [end[0] - x, end[1]]
    method = LagrangesMethod(kinetic - potential, q, hol_coneqs=closure)
    method.form_lagranges_equations()
    return method, q


def test_slider_crank_by_lagrange() -> None:
    """A θ̈ + b against Lagrange's equations with multipliers, at random states of the closure."""
    sizes = {"r": 0.3, "l": 0.9, "m": 0.5, "g": 9.81}
    method, q = closed_by_lagrange(sizes)
    mechanism = slider_crank(*sizes.values())
    eq, model = kg.derive(mechanism), kg.compile(mechanism)
    symbols = sympy.symbols("u:6")
    given = dict(zip((*(x.diff(T) for x in q), *q), symbols, strict=True))
    size = len(q)
    system = [method.mass_matrix_full[size:, size:], method.forcing_full[size:, 0]]
    full = sympy.lambdify([symbols], [part.subs(given) for part in system])
    reduced = sympy.lambdify([list(eq.q), list(eq.v)], [eq.A, eq.b])
    for at, v in closed_states(model, 5):
        M, forcing = full([*v, *at])
        torque = 1.7
        right = np.asarray(forcing, dtype=float).ravel() + np.array([torque, 0, 0, 0, 0])
        expected = np.linalg.solve(np.asarray(M, dtype=float), right)[0]
        A, b = reduced(at, v)
        assert abs((torque - b.item()) / A.item() - expected) < 1e-9 * max(1.0, abs(expected))


# ---- Rolling disc


def rolling_disc() -> Mechanism:
    """A uniform thin disc of radius r: its centre anywhere, then yaw about z, lean about x, spin about y."""
    disc = (m * r**2 / 4, 0, 0, m * r**2 / 2, 0, m * r**2 / 4)
    links = [Link(name) for name in ("x", "y", "z", "yaw", "lean")]
    chain = ("world", "x", "y", "z", "yaw", "lean", "disc")
    kinds = ["prismatic"] * 3 + ["revolute"] * 3
    axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1), (1, 0, 0), (0, 1, 0)]
    joints = [
        Joint(child, kind, parent, child, axis=axis)
        for kind, parent, child, axis in zip(kinds, chain[:-1], chain[1:], axes, strict=True)
    ]
    return Mechanism("rolling_disc", [*links, Link("disc", m, inertia=disc)], joints, gravity=(0, 0, -g))


def test_rolling_disc_is_kanes() -> None:
    """[Kane85], the rolling disc; also in SymPy's manual.

    With lean φ and u = angular velocity in the axes of yaw and lean:  u̇₁ = (4 g sin φ + 6 r u₂u₃ − r u₃² tan φ)/(5 r),
    u̇₂ = −⅔ u₁u₃,  u̇₃ = −2 u₁u₂ + u₁u₃ tan φ.
    """
    eq = kg.derive(rolling_disc())
    lean = eq.q[4]
    turns = list(eq.v[3:, :])
    frame = eq.link_pose("lean")[:3, :3]
    omega = eq.G[-3:, 3:] * Matrix(turns)
    centre = omega.cross(frame * Matrix([0, 0, r]))  # the material point at the ground rests
    W = Matrix.vstack(centre.jacobian(turns), sympy.eye(3))
    v = W * Matrix(turns)
    follow = dict(zip(eq.v[:3, :], v[:3, :], strict=True))
    W_dot = sum((W.diff(x) * rate for x, rate in zip(eq.q, v, strict=True)), sympy.zeros(6, 3))
    A = (W.T * eq.M * W).applyfunc(sympy.simplify)
    b = W.T * (eq.M * W_dot * Matrix(turns) + eq.bias.subs(follow))
    yaw, tilt, spin = turns
    u = Matrix([tilt, spin + yaw * sin(lean), yaw * cos(lean)])
    expected = Matrix(
        [
            (4 * g * sin(lean) + 6 * r * u[1] * u[2] - r * u[2] ** 2 * tan(lean)) / (5 * r),
            -Rational(2, 3) * u[0] * u[2],
            -2 * u[0] * u[1] + u[0] * u[2] * tan(lean),
        ]
    )
    per_turn = u.jacobian(turns)
    turning = per_turn.diff(lean) * tilt * Matrix(turns)
    assert same(b + A * per_turn.inv() * (expected - turning), sympy.zeros(3, 1))


def test_contact_rows_are_the_material_point() -> None:
    """A wheel's lowest point: nothing along the normal z; along the ground ẋ − r θ̇, which rolling makes zero."""
    wheel = Mechanism(
        "wheel",
        [Link("axle"), Link("wheel", m)],
        [
            Joint("travel", "prismatic", "world", "axle", axis=(1, 0, 0)),
            Joint("spin", "revolute", "axle", "wheel", axis=(0, 1, 0)),
        ],
    )
    eq = kg.derive(wheel)
    rows = eq.contact_rows("wheel", (0, 0, -r))
    assert rows.subs(eq.q[1], 0) == Matrix([[0, 0], [1, -r], [0, 0]])
    assert same(eq.contact_rows("wheel", (0, 0, -r), (1, 0, 0))[0, :], rows[1, :])
