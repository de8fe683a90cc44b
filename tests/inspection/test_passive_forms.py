"""Springs, dampers, dry friction, rotors and motors in the equations: M v̇ + c + g + k + d + s = B u."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

import kinegen as kg

K, D, REST = sympy.symbols("K D x_0", real=True)
KINDS = ("revolute", "prismatic", "helical", "universal", "cylindrical", "gimbal", "cartesian")


def chain(*kinds: str, **own: object) -> kg.Mechanism:
    """Links one below the other, each by a joint of its kind."""
    names = ["world", *(f"link{i}" for i in range(len(kinds)))]
    links = [kg.Link(name, 1.0, (0.1, 0.0, -0.3), kg.inertia.box(1.0, (0.2, 0.1, 0.3))) for name in names[1:]]
    joints = [
        kg.Joint(f"j{i}", kind, names[i], names[i + 1], **own, **({"pitch": 0.1} if kind == "helical" else {}))
        for i, kind in enumerate(kinds)
    ]
    return kg.Mechanism("chain", links, joints)


def values(form: sympy.Matrix, eq: kg.Equations, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.asarray(form.lambdify(eq.q, eq.v)(q, v), dtype=float).ravel()


@pytest.mark.parametrize("kind", KINDS)
def test_forces_of_joints_are_those_of_the_kernel(kind: str) -> None:
    mechanism = chain("revolute", kind, stiffness=3.0, damping=0.7, friction=0.4)
    placed = [replace(joint, rest=tuple(0.2 + 0.1 * i for i in range(joint.nv))) for joint in mechanism.joints]
    mechanism = replace(mechanism, joints=placed)
    model, eq = kg.compile(mechanism), kg.derive(mechanism)
    rng = np.random.default_rng(len(kind))
    for q, v in zip(rng.normal(size=(5, model.nq)), 0.01 * rng.normal(size=(5, model.nv)), strict=True):
        found = sum(values(form, eq, q, v) for form in (eq.springs, eq.dampers, eq.dry_friction))
        np.testing.assert_allclose(found, -model.passive_forces(q, v), rtol=1e-12, atol=1e-13)
        steps = 1e-6 * np.eye(model.nv)
        energy = [sympy.lambdify([list(eq.q)], eq.spring_energy)(list(q + step)) for step in (*steps, *-steps)]
        slope = (np.array(energy[: model.nv]) - energy[model.nv :]) / 2e-6
        np.testing.assert_allclose(slope, values(eq.springs, eq, q, v), atol=1e-7)


def test_symbols_stand_where_the_description_has_them() -> None:
    link = kg.Link("cart", sympy.Symbol("m", positive=True))
    slide = kg.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), stiffness=K, damping=D, rest=REST)
    eq = kg.derive(kg.Mechanism("oscillator", [link], [slide]))
    (q,), (v,) = eq.q, eq.v
    assert sympy.expand(eq.springs[0] - K * (q - REST)) == 0 and eq.dampers[0] == D * v
    assert eq.dry_friction.is_zero_matrix
    assert sympy.simplify(eq.spring_energy - K * (q - REST) ** 2 / 2) == 0
    assert all(part in eq.latex() for part in ("K", "D", "m"))


def test_a_root_is_a_root_among_plain_numbers() -> None:
    """It was a power of 0.5, which reads and computes otherwise."""
    eq = kg.derive(chain("revolute", friction=0.4))
    (v,) = eq.v
    assert str(eq.dry_friction[0]).startswith("0.4*v_j0/sqrt(")
    assert r"\sqrt{" in eq.latex() and "0.5" not in eq.dry_friction.text()
    assert eq.dry_friction[0].subs(v, 0.001) == pytest.approx(0.4 / np.sqrt(2), rel=1e-14)


def test_mass_spring_and_damper_as_in_the_textbook() -> None:
    """x = x₀ e^(−ζωt) (cos ω_d t + ζω/ω_d sin ω_d t), and the poles −ζω ± i ω_d."""
    m, k, d, start = 2.0, 50.0, 4.0, 0.3
    slide = kg.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), stiffness=k, damping=d)
    model = kg.compile(kg.Mechanism("oscillator", [kg.Link("cart", m)], [slide]))
    decay, damped = d / (2 * m), np.sqrt(k / m - (d / (2 * m)) ** 2)
    t = np.linspace(0.0, 3.0, 301)
    wanted = start * np.exp(-decay * t) * (np.cos(damped * t) + decay / damped * np.sin(damped * t))
    motion = kg.Simulator(model, dt=1e-3, integrator="rk4", q=[start]).run(3.0, every=10)
    np.testing.assert_allclose(motion.q[:, 0], wanted, atol=1e-11)
    poles = kg.linearize(model, [0.0]).poles
    np.testing.assert_allclose(sorted(poles, key=lambda s: s.imag), [-decay - 1j * damped, -decay + 1j * damped])


def test_rotors_are_a_part_of_the_mass_matrix() -> None:
    heavy, light = (kg.derive(chain("revolute", "prismatic", armature=a)) for a in (0.3, 0.0))
    np.testing.assert_allclose(
        np.array(heavy.M - light.M, dtype=float), np.array(heavy.rotors, dtype=float), atol=1e-15
    )
    assert heavy.rotors == sympy.diag(0.3, 0.3) and light.rotors.is_zero_matrix


def test_motors_drive_what_is_actuated() -> None:
    mechanism = chain("revolute", "universal", "prismatic", actuated=True)
    passive = mechanism.joints[0].name
    first = kg.Joint(passive, "revolute", "world", "link0", actuated=False)
    eq = kg.derive(kg.Mechanism("chain", mechanism.links, (first, *mechanism.joints[1:])))
    assert eq.actuation == sympy.Matrix(4, 3, lambda i, j: int(i == j + 1))


def test_what_has_no_form_of_its_own_is_refused_by_name() -> None:
    ball = kg.derive(chain("spherical", stiffness=2.0, damping=0.1))
    with pytest.raises(kg.ModelError, match=r"joint 'j0' \(spherical\) has a spring.*passive_forces"):
        _ = ball.springs
    assert [float(x) for x in ball.dampers.subs(dict.fromkeys(ball.v, 1))] == [0.1] * 3
    fourbar = kg.load("examples/fourbar.toml")
    closing = kg.Joint("close", "revolute", "coupler", "rocker", **_poses(fourbar), damping=0.2)
    closed = kg.Mechanism("fourbar", fourbar.links, (*fourbar.joints[:3], closing), fourbar.gravity)
    with pytest.raises(kg.ModelError, match="joint 'close' closes a loop and has damping"):
        _ = kg.derive(closed).dampers
    assert kg.derive(closed).springs.is_zero_matrix


def _poses(mechanism: kg.Mechanism) -> dict[str, kg.Pose]:
    joint = mechanism.joint("close")
    return {"origin": joint.origin, "child_origin": joint.child_origin}
