"""Closed forms as on paper: textbook equations, identities between them, symbols, and what is refused."""

from __future__ import annotations

from itertools import product

import pytest
import sympy

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from support.mechanisms.small_mechanisms import SMALL, g, l1, l2, m1, m2, planar_arm, same, symbolic_cart_pole
from support.oracles.mechanisms import double_pendulum, free_body, random_mechanism

# ---- Textbooks


def test_two_link_arm_is_craigs() -> None:
    """[Craig05 §6.7]: M, V and G of the two-link planar manipulator."""
    eq = kg.derive(planar_arm())
    (q1, q2), (v1, v2) = eq.q, eq.v
    c1, c2, s2, c12 = sympy.cos(q1), sympy.cos(q2), sympy.sin(q2), sympy.cos(q1 + q2)
    corner = l2**2 * m2 + l1 * l2 * m2 * c2
    mass = [[l2**2 * m2 + 2 * l1 * l2 * m2 * c2 + l1**2 * (m1 + m2), corner], [corner, l2**2 * m2]]
    coriolis = [-m2 * l1 * l2 * s2 * v2**2 - 2 * m2 * l1 * l2 * s2 * v1 * v2, m2 * l1 * l2 * s2 * v1**2]
    gravity = [m2 * l2 * g * c12 + (m1 + m2) * l1 * g * c1, m2 * l2 * g * c12]
    assert same(eq.M, sympy.Matrix(mass))
    assert same(eq.coriolis, sympy.Matrix(coriolis))
    assert same(eq.gravity, sympy.Matrix(gravity))
    assert same(eq.bias, sympy.Matrix(coriolis) + sympy.Matrix(gravity))
    assert same(eq.inverse_dynamics, eq.M * eq.a + eq.bias)


def test_cart_pole_is_florians() -> None:
    """[Florian07], without friction.

    (4/3 − m_p cos²θ / (m_c + m_p)) l θ̈ = g sin θ + cos θ (−F − m_p l θ̇² sin θ) / (m_c + m_p)
    """
    eq = kg.derive(symbolic_cart_pole())
    theta, rate, force = eq.q[1], eq.v[1], eq.tau[0]
    acceleration = eq.M.inv() * (sympy.Matrix([force, 0]) - eq.bias)
    total = m1 + m2
    left = l1 * (sympy.Rational(4, 3) - m2 * sympy.cos(theta) ** 2 / total)
    right = g * sympy.sin(theta) + sympy.cos(theta) * (-force - m2 * l1 * rate**2 * sympy.sin(theta)) / total
    assert same(acceleration[1] * left, right)


def test_closed_forms_are_as_short_as_on_paper() -> None:
    eq = kg.derive(planar_arm())
    assert str(eq.M[0, 0]) == "l1**2*(m1 + m2) + 2*l1*l2*m2*cos(q_j2) + l2**2*m2"
    assert str(eq.coriolis[0]) == "-l1*l2*m2*v_j2*(2*v_j1 + v_j2)*sin(q_j2)"
    assert str(eq.gravity[1]) == "g*l2*m2*cos(q_j1 + q_j2)"
    assert str(eq.com_jacobian[1, 1]) == "l2*m2*cos(q_j1 + q_j2)/(m1 + m2)"
    assert str(eq.momentum[5]) == "l2**2*m1*m2*(v_j1 + v_j2)/(m1 + m2)"
    assert str(eq.G_dot_v[6]) == "-l1*v_j1**2*cos(q_j1) - l2*(v_j1 + v_j2)**2*cos(q_j1 + q_j2)"
    assert eq.link_pose("two")[0, 0] == sympy.cos(eq.q[0] + eq.q[1])


def test_anthropomorphic_arm_is_as_on_paper() -> None:
    """Yaw, pitch, pitch: the inertia about the yaw axis is Σ m (distance from it)²."""
    links = [Link(k, mass, (length, 0, 0)) for k, mass, length in (("upper", m1, l1), ("fore", m2, l2))]
    joints = [
        Joint("yaw", "revolute", "world", "base"),
        Joint("pitch", "revolute", "base", "upper", axis=(0, -1, 0)),
        Joint("elbow", "revolute", "upper", "fore", origin=Pose((l1, 0, 0)), axis=(0, -1, 0)),
    ]
    eq = kg.derive(Mechanism("arm", [Link("base"), *links], joints, gravity=(0, 0, -g)))
    assert str(eq.M[0, 0]) == (
        "l1**2*(m1 + m2)*cos(q_pitch)**2 + 2*l1*l2*m2*cos(q_pitch)*cos(q_elbow + q_pitch) "
        "+ l2**2*m2*cos(q_elbow + q_pitch)**2"
    )
    assert eq.M[0, 1] == eq.M[0, 2] == 0
    assert str(eq.gravity[1]) == "g*(l1*(m1 + m2)*cos(q_pitch) + l2*m2*cos(q_elbow + q_pitch))"


def test_long_planar_chains_stay_short() -> None:
    """Seven parallel axes: sums of angles are seen while the equations are derived, so nothing grows like 2ⁿ."""
    links = [Link(f"l{i}", mass=m1, com=(l1, 0, 0)) for i in range(7)]
    joints = [
        Joint(f"j{i}", "revolute", f"l{i - 1}" if i else "world", f"l{i}", origin=Pose((l1 if i else 0, 0, 0)))
        for i in range(7)
    ]
    eq = kg.derive(Mechanism("chain", links, joints, gravity=(0, -g, 0)))
    assert str(eq.gravity[6]) == f"g*l1*m1*cos({' + '.join(f'q_j{i}' for i in range(7))})"
    assert eq.gravity[0].count_ops() < 80
    assert eq.M[6, 6] == l1**2 * m1


def test_numbers_are_shown_short() -> None:
    assert str(kg.derive(double_pendulum()).M) == (
        "Matrix([\n[1.232*cos(q_elbow) + 2.127, 0.616*cos(q_elbow) + 0.847],\n"
        "[0.616*cos(q_elbow) + 0.847,                      0.847]])"
    )
    assert str(kg.derive(double_pendulum(1.0, 2.0, 1.0, 3.0)).M[1, 1]) == "18"


def test_free_body_is_newton_and_euler() -> None:
    """m (v̇ + ω × v) − m Rᵀg and I ω̇ + ω × I ω, body axes."""
    eq = kg.derive(free_body(2.0, (0.25, 0.5, 0.625)))
    velocity, omega = eq.v[:3, :], eq.v[3:, :]
    spin = sympy.diag(sympy.Rational(1, 4), sympy.Rational(1, 2), sympy.Rational(5, 8))
    down = eq.link_pose("body")[:3, :3].T * sympy.Matrix([0, 0, sympy.Rational("-9.81")])
    assert same(eq.M, sympy.diag(2 * sympy.eye(3), spin))
    assert same(eq.coriolis[:3, :], 2 * omega.cross(velocity))
    assert same(eq.coriolis[3:, :], omega.cross(spin * omega))
    assert same(eq.gravity[:3, :], -2 * down)


# ---- Identities


@pytest.mark.parametrize("name", SMALL)
def test_lagrange(name: str) -> None:
    """Energies and torques, derived apart, fit: M = ∂²T/∂v², c = Ṁv − ∂T/∂q, g = ∂V/∂q (q̇ = v)."""
    eq = kg.derive(SMALL[name]())
    q, v = list(eq.q), list(eq.v)
    assert same(sympy.hessian(eq.kinetic_energy, v), eq.M)
    momentum = sympy.Matrix([eq.kinetic_energy.diff(rate) for rate in v])
    expected = momentum.jacobian(q) * eq.v - sympy.Matrix([eq.kinetic_energy.diff(x) for x in q])
    assert same(eq.coriolis, expected)
    assert same(eq.gravity, sympy.Matrix([eq.potential_energy.diff(x) for x in q]))


@pytest.mark.parametrize("name", SMALL)
def test_kinematics(name: str) -> None:
    """J = ∂p/∂q of the centre of mass and of the links; G_dot_v = d(G v)/dt at v̇ = 0; p = m J v."""
    mechanism = SMALL[name]()
    eq = kg.derive(mechanism)
    q = list(eq.q)
    assert same(eq.com_jacobian, eq.com.jacobian(q))
    for frame in [*(link.name for link in mechanism.links), *(frame.name for frame in mechanism.frames)]:
        assert same(eq.frame_jacobian(frame)[:3, :], eq.link_pose(frame)[:3, 3].jacobian(q))
    assert same(eq.G_dot_v, (eq.G * eq.v).jacobian(q) * eq.v)
    mass = sum(link.mass for link in mechanism.links)
    assert same(eq.momentum[:3, :], mass * eq.com_jacobian * eq.v)


def test_every_route_has_the_same_closed_form() -> None:
    eq = kg.derive(SMALL["universal_and_slide"]())
    for name in ("mass_matrix_cog", "mass_matrix_unit_vector", "mass_matrix_composite"):
        assert same(eq.closed_form(name), eq.M)
    assert same(eq.closed_form("inverse_dynamics_cog"), eq.inverse_dynamics)


def test_quaternions_are_taken_for_unit() -> None:
    """The rotation of a spherical joint is orthogonal as it stands: RᵀR = E after x² + y² + z² + w² = 1."""
    eq = kg.derive(Mechanism("s", [Link("b", 1.0, (0, 0, 1))], [Joint("j", "spherical", "world", "b")]))
    x, y, z, w = eq.q
    R = eq.link_pose("b")[:3, :3]
    for i, j in product(range(3), repeat=2):
        rest = sympy.rem(sympy.expand((R.T * R)[i, j] - int(i == j)), x**2 + y**2 + z**2 + w**2 - 1, w)
        assert sympy.expand(rest) == 0


# ---- Symbols


def test_symbols_follow_the_layout() -> None:
    mechanism = Mechanism(
        "layout",
        [Link("base", mass=m1, inertia=(1, 0, 0, 1, 0, 1)), Link("leg", mass=m2, com=(0, 0, l2))],
        [Joint("root", "free", "world", "base"), Joint("left knee", "revolute", "base", "leg")],
    )
    eq = kg.derive(mechanism)
    assert [s.name for s in eq.q] == [f"q_root_{k}" for k in ("x", "y", "z", "qx", "qy", "qz", "qw")] + ["q_left_knee"]
    assert [s.name for s in eq.v] == [f"v_root_{k}" for k in ("x", "y", "z", "wx", "wy", "wz")] + ["v_left_knee"]
    assert len(eq.a) == len(eq.tau) == 7
    assert eq.parameters == (l2, m1, m2)


def test_matrices_are_sympys_own() -> None:
    eq = kg.derive(double_pendulum(m1, m2, l1, l2))
    assert isinstance(eq.M, sympy.ImmutableMatrix)
    assert sympy.Matrix(eq.M) == eq.M and eq.M.T == eq.M
    assert eq.M.subs({m1: 1, m2: 1, l1: 1, l2: 1, eq.q[1]: 0}) == sympy.Matrix([[5, 2], [2, 1]])
    assert sympy.lambdify([eq.q, (m1, m2, l1, l2)], eq.M)([0.0, 0.0], (1, 1, 1, 1)).tolist() == [[5, 2], [2, 1]]


def test_nothing_is_derived_before_it_is_asked_for() -> None:
    eq = kg.derive(random_mechanism(1, bodies=40, root="free"))
    assert not eq._derived.functions and not eq._derived.forms
    assert eq.program("com").function is eq.program("com").function


# ---- What is refused


def test_large_closed_forms_name_the_way_out() -> None:
    eq = kg.derive(random_mechanism(7, bodies=12, kinds=["revolute"], skew=1.0, mimic=0))
    with pytest.raises(kg.ModelError, match=r"too large to read .* use program\('bias'\).* or .*force=True"):
        _ = eq.bias
    with pytest.raises(kg.ModelError, match=r"form of coriolis is too large to read .* use program\('coriolis'\)"):
        _ = eq.coriolis
    forced = eq.closed_form("bias", force=True)
    assert forced.shape == (12, 1)


def test_parts_of_a_large_mechanism_have_closed_forms() -> None:
    """Only what an entry depends on is expanded."""
    eq = kg.derive(random_mechanism(1, bodies=40, root="free", branching=1.0))
    assert eq.link_pose("link0").shape == (4, 4)


def test_links_are_stacked_depth_first() -> None:
    """As docs/inspection.md says, also those that a fixed joint holds."""
    links = [Link(name, mass=1.0, com=(k, 0, 0)) for k, name in enumerate("abcd", start=1)]
    ends = (("world", "a", "revolute"), ("world", "b", "revolute"), ("a", "c", "revolute"), ("a", "d", "fixed"))
    joints = [Joint(f"to_{child}", kind, parent, child, axis=(0, 0, 1)) for parent, child, kind in ends]
    mechanism = Mechanism("tree", links, joints)
    eq, model = kg.derive(mechanism), kg.compile(mechanism, progress=False)
    assert model.link_names == ("a", "c", "d", "b")
    assert [entry.name for entry in eq.pi[::10]] == [f"m_{name}" for name in model.link_names]
    assert eq.G.rows == 6 * len(model.link_names)
    reach = [eq.G[6 * i + 1, 0].subs(dict.fromkeys(eq.q, 0)) for i in range(len(model.link_names))]
    assert reach == [{"a": 1, "b": 0, "c": 3, "d": 4}[name] for name in model.link_names]


REFUSED = {
    "no equations called 'inertia'; there are: .*bias.*mass_matrix": lambda eq: eq.program("inertia"),
    "no link or frame 'tipp'.*two, world, tip": lambda eq: eq.link_pose("tipp"),
    "frame_jacobian: which link or frame": lambda eq: eq.closed_form("frame_jacobian"),
    "bias takes no frame": lambda eq: eq.program("bias", frame="tip"),
    "derive: mechanism: expected Mechanism, got 'robot.urdf'; kg.load": lambda eq: kg.derive("robot.urdf"),
}


@pytest.mark.parametrize("complaint", REFUSED)
def test_wrong_questions_are_refused(complaint: str) -> None:
    with pytest.raises(kg.ModelError, match=complaint):
        REFUSED[complaint](kg.derive(planar_arm()))


def test_stiff_mechanisms_are_refused() -> None:
    link = Link("a", 1.0, (0, 0, 1), (1, 0, 0, 1, 0, 1))
    with pytest.raises(kg.ModelError, match="no joint that moves"):
        kg.derive(Mechanism("stiff", [link], [Joint("weld", "fixed", "world", "a")]))
