"""Linear models in symbols: textbooks, and the numeric models of the compiled mechanism."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.inspection.forms.rational import Singular, solved
from support.mechanisms.closed_models import MECHANISMS, model
from support.oracles.numeric import Array, error


def cart_pole() -> kg.Mechanism:
    M, m, L, c = sympy.symbols("M m L c", positive=True)
    return kg.Mechanism(
        "cart_pole",
        [kg.Link("cart", mass=M), kg.Link("pole", mass=m, com=(0, 0, L))],
        [
            kg.Joint("rail", "prismatic", "world", "cart", axis=(1, 0, 0), damping=c),
            kg.Joint("pivot", "revolute", "cart", "pole", axis=(0, 1, 0), actuated=False),
        ],
    )


def test_cart_pole_of_the_textbook() -> None:
    """Upright, in symbols: a point mass on a massless rod, a damped cart."""
    found = kg.derive(cart_pole()).linearize([0, 0])
    M, m, L, c = sympy.symbols("M m L c", positive=True)
    g = sympy.Rational(981, 100)
    A = sympy.Matrix([
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        [0, -m * g / M, -c / M, 0],
        [0, (M + m) * g / (M * L), c / (M * L), 0],
    ])  # fmt: skip
    B = sympy.Matrix([0, 0, 1 / M, -1 / (M * L)])
    numbers = {M: 2.0, m: 0.3, L: 0.7, c: 0.4}
    for ours, theirs in ((found.A, A), (found.B, B)):
        assert np.abs(np.array((ours - theirs).subs(numbers), dtype=float)).max() < 1e-13
    assert found.A[2, 1].free_symbols == {M, m}
    assert (found.states, found.inputs) == (("rail", "pivot", "d rail", "d pivot"), ("rail",))
    assert found.forces.is_zero_matrix and "inputs: rail" in str(found)


def test_sprung_tree_in_motion() -> None:
    """Springs, dampers, friction, two joints of two axes, moving and accelerating, against `kg.linearize`."""
    box = {"mass": 1.3, "com": (0.05, 0.1, -0.4), "inertia": (0.1, 0.01, 0.0, 0.12, 0.02, 0.09)}
    mech = kg.Mechanism(
        "sprung",
        [kg.Link("a", **box), kg.Link("b", **box)],
        [
            kg.Joint("slide", "prismatic", "world", "a", axis=(1, 0, 0), stiffness=40.0, damping=0.7, friction=0.2),
            kg.Joint("turn", "universal", "a", "b", kg.Pose((0, 0, -0.3)), stiffness=9.0, damping=0.2),
        ],
    )
    eq, at, rng = kg.derive(mech), kg.compile(mech), np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, at.nv))
    found = eq.linearize(q, v, a)
    tau = at.inverse_dynamics(q, v, a) - at.passive_forces(q, v)
    expected = kg.linearize(at, q, v, tau)
    assert error(np.array(found.forces, dtype=float).ravel(), tau) < 1e-12
    assert error(np.array(found.A, dtype=float), expected.A) < 1e-8
    assert error(np.array(found.B, dtype=float), expected.B) < 1e-11
    assert error(np.array(found.drift, dtype=float).ravel(), expected.drift) < 1e-11
    assert (found.states, found.inputs, found.outputs) == (expected.states, expected.inputs, expected.outputs)


def closed_case(name: str, seed: int) -> tuple[kg.Equations, kg.Model, Array]:
    eq, at = kg.derive(MECHANISMS[name]()), model(name)
    assert tuple(str(x).replace("v_", "", 1) for x in eq.v_G) == at.independent
    return eq, at, at.random(seed)


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", pytest.param("five-bar", marks=pytest.mark.sweep)])
def test_closed(name: str) -> None:
    """At rest under the torques that hold it, and in motion, in independent coordinates."""
    eq, at, q = closed_case(name, 2)
    for moving in (0.0, 1.0):
        rng = np.random.default_rng(5)
        v, wanted = moving * rng.normal(size=at.nf), moving * rng.normal(size=at.nf)
        found = eq.linearize(q, v, wanted)
        speed, bias = at.dependent_motion(q, at.W(q) @ v, np.zeros(at.nv))
        leaders = list(at.loops.leaders)
        a = bias + at.W(q) @ (wanted - bias[leaders])
        force = at.W(q).T @ (at.inverse_dynamics(q, speed, a) - at.passive_forces(q, speed))
        assert error(np.array(found.forces, dtype=float).ravel(), force) < 1e-9
        tau = np.zeros(at.nv)
        tau[leaders] = force
        expected = kg.linearize(at, q, speed, tau)
        assert error(np.array(found.A, dtype=float), expected.A) < 1e-7
        assert error(np.array(found.B, dtype=float), expected.B) < 1e-9
        assert (found.states, found.inputs) == (expected.states, expected.inputs)


def test_a_dependent_motor_shares_the_load() -> None:
    """A motor on a joint that follows: S moves with q, and its torque is in A."""
    base = MECHANISMS["four-bar"]()
    joints = [replace(j, actuated=j.name == "base") for j in base.joints]
    mech = replace(base, joints=tuple(joints))
    at, eq = kg.compile(mech).with_independent(["pivot"]), kg.derive(mech, independent=["pivot"])
    q = at.random(4)
    found = eq.linearize(q)
    hold = kg.equilibrium(at, q)
    expected = kg.linearize(at, q, tau=hold.tau)
    assert error(np.array(found.A, dtype=float), expected.A) < 1e-7
    assert error(np.array(found.B, dtype=float), expected.B) < 1e-9
    assert found.inputs == ("base",)


def pendulum(count: int) -> kg.Mechanism:
    """Links that hang from each other, all masses, lengths, centres and moments of inertia symbols."""
    m, length, c, J = (sympy.symbols(f"{name}1:{count + 1}", positive=True) for name in "mlcJ")
    parents = ["world", *(f"b{i}" for i in range(count))]
    places = [(0, 0, 0), *((0, 0, -one) for one in length)]
    return kg.Mechanism(
        "pendulum",
        [kg.Link(f"b{i}", m[i], (0, 0, -c[i]), (J[i], 0, 0, J[i], 0, 0)) for i in range(count)],
        [kg.Joint(f"j{i}", "revolute", parents[i], f"b{i}", kg.Pose(places[i]), axis=(0, 1, 0)) for i in range(count)],
        unphysical="allow",
    )


def screwed() -> kg.Mechanism:
    m, n, a, b, length, p, J = sympy.symbols("m n a b l p J", positive=True)
    return kg.Mechanism(
        "screwed",
        [kg.Link("h", m, (a, 0, 0), (0, 0, 0, 0, 0, J)), kg.Link("c", n, (b, 0, 0), (0, 0, 0, 0, 0, J))],
        [
            kg.Joint("h", "helical", "world", "h", pitch=p),
            kg.Joint("c", "cylindrical", "h", "c", kg.Pose((length, 0, 0))),
        ],
        gravity=(0, -9.81, 0),
        unphysical="allow",
    )


@pytest.mark.parametrize("mech, at", [(pendulum(3), 0), (screwed(), 0.3)], ids=["triple pendulum", "screwed"])
def test_all_symbols(mech: kg.Mechanism, at: float) -> None:
    """Every entry a fraction that is read, equal to M⁻¹ [−∂g/∂q, 1] at random values of the parameters."""
    eq, rng = kg.derive(mech), np.random.default_rng(4)
    found = eq.linearize([at] * 3)
    assert max(entry.count_ops() for entry in (*found.A, *found.B)) < 400
    values = {symbol: rng.uniform(0.5, 1.5) for symbol in eq.parameters}
    state = {**values, **dict.fromkeys(eq.q, at)}
    M, stiffness, A, B = (
        np.array(sympy.Matrix(form).subs(state), dtype=float)
        for form in (eq.M, sympy.Matrix(eq.gravity).jacobian(list(eq.q)), found.A, found.B)
    )
    assert error(A[3:], np.hstack([-np.linalg.solve(M, stiffness), np.zeros((3, 3))])) < 1e-11
    assert error(B[3:], np.linalg.inv(M)) < 1e-11


def test_pendulums_have_one_in_all_symbols_as_the_documents_say() -> None:
    """Of four links about a given q, of three about any."""
    assert kg.derive(pendulum(4)).linearize([0] * 4).A.shape == (8, 8)
    assert kg.derive(pendulum(3)).linearize().A.shape == (6, 6)
    with pytest.raises(kg.ModelError, match=r"its linear model is too large to read there"):
        kg.derive(pendulum(4)).linearize()


def test_fractions_are_in_lowest_terms() -> None:
    """Roots, sines and floats in them; what no solution has is singular."""
    x, y = sympy.symbols("x y")
    wave = sympy.sin(x) * (y + sympy.sqrt(2))
    A = sympy.Matrix([[wave, 0], [1 / (1 + y), 2 * wave]])
    found = solved(A, sympy.Matrix([wave**2, wave / (1 + y)]))
    assert sympy.expand(found[0] - wave) == 0 and found[1] == 0
    assert solved(sympy.Matrix([[0.4 * y]]), sympy.Matrix([0.12 * x * y])) == sympy.Matrix([0.3 * x])
    with pytest.raises(Singular):
        solved(sympy.Matrix([[x, y], [2 * x, 2 * y]]), sympy.Matrix([1, 1]))


def test_loops_that_let_nothing_move_have_an_empty_linear_model() -> None:
    """As in numbers."""
    link = kg.Link("post", 1.0, inertia=kg.inertia.box(1.0, (0.1, 0.2, 0.3)))
    joints = [kg.Joint("turn", "revolute", "world", "post"), kg.Joint("weld", "fixed", "world", "post")]
    mech = kg.Mechanism("welded_post", [link], joints)
    found, expected = kg.derive(mech).linearize([0]), kg.linearize(kg.compile(mech, progress=False), [0.0])
    for name in "ABCD":
        assert getattr(found, name).shape == getattr(expected, name).shape
    assert found.drift.shape == (0, 1) and expected.drift.shape == (0,)
    assert (found.states, found.inputs, found.outputs) == (expected.states, expected.inputs, expected.outputs)
    assert kg.derive(mech).linearize([0], tau=[2]).forces.shape == (0, 1)


def test_refusals() -> None:
    ball = kg.Mechanism("m", [kg.Link("a", mass=1.0)], [kg.Joint("ball", "spherical", "world", "a")])
    with pytest.raises(kg.ModelError, match=r"joint 'ball' \(spherical\) has no coordinates that add"):
        kg.derive(ball).linearize()
    wheel = kg.Mechanism(
        "wheel",
        [kg.Link("carriage", mass=1.0), kg.Link("disc", mass=1.0, inertia=(1, 0, 0, 1, 0, 1))],
        [
            kg.Joint("slide", "prismatic", "world", "carriage", kg.Pose((0, 0, 0.3)), axis=(1, 0, 0)),
            kg.Joint("axle", "revolute", "carriage", "disc", axis=(0, 1, 0)),
            kg.rolling("disc", radius=0.3),
        ],
    )
    with pytest.raises(kg.ModelError, match="joint 'disc_world' rolls"):
        kg.derive(wheel).linearize()
    with pytest.raises(kg.ModelError, match="'pendulum': its linear model is too large to read there: give numbers"):
        kg.derive(pendulum(5)).linearize([0] * 5)
    eq = kg.derive(cart_pole())
    with pytest.raises(kg.ModelError, match="q: expected 2 entries, got 3"):
        eq.linearize([0, 0, 0])
    base = MECHANISMS["four-bar"]()
    both = replace(base, joints=tuple(replace(j, actuated=j.name in ("base", "knee")) for j in base.joints))
    with pytest.raises(kg.ModelError, match=r"2 actuated and 1 independent velocities, .*: give tau"):
        kg.derive(both, independent=["pivot"]).linearize(model("four-bar").random(4))


@pytest.mark.parametrize("value", [sympy.oo, float("-inf"), float("nan"), sympy.zoo, sympy.oo * sympy.Symbol("x"), 1j])
def test_states_that_are_not_finite_are_refused(value: object) -> None:
    eq = kg.derive(cart_pole())
    for wrong in ({"q": [0, value]}, {"v": [0, value]}, {"a": [0, value]}, {"tau": [value]}):
        (name,) = wrong
        with pytest.raises(kg.ModelError, match=rf"^linearize: {name}: expected finite real numbers or symbols, got"):
            eq.linearize(**{"q": [0, 0], **wrong})
