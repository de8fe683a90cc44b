"""Torque by cause: terms add up to the torque; each alone is the torque where only it acts; wrenches; labels."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.mechanism import KINDS, Link, Mechanism
from kinegen.runtime.abi import CAUSES
from kinegen.runtime.model.torques.causes import TorqueTerms, Wrench
from support.oracles.mechanisms import Array, double_pendulum, random_mechanism, random_state
from support.oracles.numeric import Reference
from support.oracles.random_cases import LONGER, SMALL, marked, random_case

STATES = 1000
FIGURE = "human_figure"


def mechanism_of(name: str) -> Mechanism:
    return kg.human_figure() if name == FIGURE else random_case(name)


def states(mechanism: Mechanism, count: int) -> tuple[Array, Array, Array]:
    """q, v, a of many random states."""
    rng = np.random.default_rng(3)
    found = [random_state(mechanism, rng) for _ in range(count)]
    q, v, a = (np.array([state[k] for state in found]) for k in range(3))
    return q, v, a


def dense_torque(mechanism: Mechanism, q: Array, v: Array, a: Array) -> Array:
    """(n, nv) inverse dynamics of each state by the dense reference."""
    each = zip(q, v, a, strict=True)
    return np.array([Reference(mechanism, *state).inverse_dynamics(wanted) for *state, wanted in each])


SUMMED = [*marked(SMALL), FIGURE]


def test_there_are_ten_thousand_states() -> None:
    assert len({*SMALL, FIGURE} - {*LONGER}) * STATES >= 10_000


@pytest.mark.parametrize("name", SUMMED)
def test_terms_add_up_to_the_torque(name: str) -> None:
    mechanism = mechanism_of(name)
    model = kg.compile(mechanism, complete=name != FIGURE)  # as other tests have it
    q, v, a = states(mechanism, STATES)
    terms = model.torque_terms(q, v, a)
    tau = model.inverse_dynamics(q, v, a)
    size = np.abs(tau).max(axis=1, keepdims=True)
    assert terms.values.shape == (STATES, model.nv, len(model.link_names), 3)
    assert (np.abs(terms.total - tau) / size).max() < 1e-12
    assert np.allclose(terms.by_cause.sum(-1), tau, rtol=1e-9, atol=1e-9)
    assert np.allclose(terms.by_link.sum(-1), tau, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["mimics", "rotors", "floating", pytest.param("mixed9", marks=pytest.mark.sweep)])
def test_each_cause_is_the_torque_where_only_it_acts(name: str) -> None:
    mechanism = mechanism_of(name)
    model, weightless = kg.compile(mechanism, complete=True), replace(mechanism, gravity=(0, 0, 0))
    q, v, a = states(mechanism, 20)
    rest = np.zeros_like(v)
    acceleration, centrifugal, gravity = np.moveaxis(model.torque_terms(q, v, a).by_cause, -1, 0)
    for found, expected in (
        (acceleration, dense_torque(weightless, q, rest, a)),
        (centrifugal, dense_torque(weightless, q, v, rest)),
        (gravity, model.inverse_dynamics(q, rest, rest)),
    ):
        assert np.abs(found - expected).max() < 1e-12 * max(np.abs(expected).max(), 1.0)


@pytest.mark.parametrize("name", ["floating", pytest.param("mixed6", marks=pytest.mark.sweep)])
def test_simulated_where_one_cause_acts_its_term_alone_rules_the_motion(name: str) -> None:
    """Gravity's terms hold the mechanism at rest, the centrifugal ones keep v̇ = 0, the others give v̇ = a."""
    mechanism = mechanism_of(name)
    model, weightless = kg.compile(mechanism, complete=True), kg.compile(replace(mechanism, gravity=(0, 0, 0)))
    q, v, a = (x[0] for x in states(mechanism, 1))
    rest = np.zeros_like(v)

    def cause(index: int) -> Any:
        return lambda t, q, v: model.torque_terms(q, v, a).by_cause[:, index]

    undamped = model.passive_forces(q, v)
    assert not undamped.any()
    held = kg.Simulator(model, dt=1e-3, integrator="rk4", q=q, v=rest, tau=cause(2)).run(0.02)
    assert np.abs(held.v).max() < 1e-9
    coasting = kg.Simulator(weightless, dt=1e-4, integrator="rk4", q=q, v=0.1 * v, tau=cause(1)).run(0.002)
    assert np.abs(coasting.v - 0.1 * v).max() < 1e-6
    pushed = weightless.forward_dynamics(q, rest, cause(0)(0.0, q, rest))
    assert np.abs(pushed - a).max() < 1e-8 * np.abs(a).max()


def test_each_link_counts_as_if_it_alone_had_mass() -> None:
    numeric = random_mechanism(5, bodies=6, armature=0, massless=0)
    whole = kg.compile(numeric)
    q, v, a = states(numeric, 5)
    terms = whole.torque_terms(q, v, a)
    for i, name in enumerate(whole.link_names):
        links = tuple(link if link.name == name else Link(link.name) for link in numeric.links)
        expected = dense_torque(replace(numeric, links=links), q, v, a)
        assert np.abs(terms.by_link[:, :, i] - expected).max() < 1e-10 * max(np.abs(expected).max(), 1.0)


def test_links_above_a_joint_add_nothing_to_it() -> None:
    model = kg.compile(double_pendulum())
    terms = model.torque_terms([0.3, -0.4], [1.0, 2.0], [0.5, -0.5])
    elbow = terms.of("elbow").values[0]
    assert not elbow[model.link_names.index("upper")].any()
    assert elbow[model.link_names.index("lower")].all()


def test_double_pendulum_terms_are_those_of_the_textbook() -> None:
    """Link 2 at the shoulder [Craig05 §6.7], point masses, axes turned to ours."""
    m1, m2, l1, l2, g = 1.3, 0.7, 0.8, 1.1, 9.81
    q, v, a = np.array([0.4, -0.9]), np.array([1.2, 0.7]), np.array([-0.6, 2.1])
    terms = kg.compile(double_pendulum(m1, m2, l1, l2)).torque_terms(q, v, a)
    c2, s2, s1, s12 = np.cos(q[1]), np.sin(q[1]), np.sin(q[0]), np.sin(q.sum())
    both = a.sum()
    expected = [
        m2 * (l1**2 * a[0] + l2**2 * both + l1 * l2 * c2 * (2 * a[0] + a[1])),
        -m2 * l1 * l2 * s2 * v[1] ** 2 - 2 * m2 * l1 * l2 * s2 * v[0] * v[1],
        m2 * g * (l1 * s1 + l2 * s12),
    ]
    assert np.allclose(terms.of("shoulder").values[0, 1], expected, rtol=1e-12)
    assert np.allclose(terms.of("shoulder").values[0, 0], [m1 * l1**2 * a[0], 0.0, m1 * g * l1 * s1], rtol=1e-12)


@cache
def pushed_figure() -> tuple[kg.Model, Array, Array, Array, list[Wrench]]:
    mechanism = kg.human_figure()
    q, v, a = states(mechanism, 4)
    rng = np.random.default_rng(0)
    sole = Wrench("floor", "foot_r", rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), rng.normal(size=3))
    return kg.compile(mechanism), q, v, a, [sole, Wrench("rope", "hand_l", (1.0, 2.0, 3.0), (0.1, 0.2, 0.3))]


def test_wrenches_are_columns_of_their_own() -> None:
    model, q, v, a, wrenches = pushed_figure()
    mechanism = kg.human_figure()
    terms = model.torque_terms(q, v, a, wrenches)
    assert terms.causes == (*CAUSES, "floor", "rope")
    assert np.allclose(terms.total, model.inverse_dynamics(q, v, a) + terms.static, rtol=1e-9, atol=1e-9)
    for k in range(4):
        reference = Reference(mechanism, q[k], v[k])
        for wrench in wrenches:
            link = model.link_names.index(wrench.link)
            force, point = (np.broadcast_to(x, (4, 3))[k] for x in (wrench.force, wrench.point))
            moment = np.broadcast_to(wrench.moment, (4, 3))[k]
            pose = reference.link_poses()[link]
            jacobian = reference.frame_jacobian(link, pose[:3, :3].T @ (point - pose[:3, 3]))
            expected = -jacobian.T @ np.r_[force, moment]
            assert np.allclose(terms.cause(wrench.name)[k, :, link], expected, atol=1e-10)
            others = np.delete(terms.cause(wrench.name)[k], link, axis=1)
            assert not others.any()


def test_a_floor_that_carries_the_figure_leaves_no_residual_force_at_the_root() -> None:
    model = kg.compile(kg.human_figure())
    q, rest = model.q0, np.zeros(model.nv)
    floor = Wrench("floor", "foot_r", (0, 0, 70 * 9.81), model.com(q) * [1, 1, 0])
    terms = model.torque_terms(q, rest, rest, [floor])
    assert np.abs(terms.of("root_joint").total).max() < 1e-9
    assert np.abs(terms.static - terms.cause("floor").sum(-1)).max() == 0.0


def test_power_and_work() -> None:
    model = kg.compile(replace(double_pendulum(), gravity=(0, 0, 0)))
    t = np.linspace(0.0, 1.0, 2001)
    q, v = np.array([np.sin(t), t**2]).T, np.array([np.cos(t), 2 * t]).T
    a = np.array([-np.sin(t), np.full_like(t, 2.0)]).T
    terms = model.torque_terms(q, v, a)
    power = terms.power(v)
    assert power.unit == "W"
    assert np.allclose(power.total, model.inverse_dynamics(q, v, a) * v)
    work = terms.work(v, t)
    energy = model.energy(q, v).sum(axis=1)
    assert (work.quantity, work.values.shape) == ("work", (2, 2, 3))
    assert work.total.sum() == pytest.approx(energy[-1] - energy[0], rel=1e-6)


def test_xarray_carries_every_label() -> None:
    model, q, v, a, wrenches = pushed_figure()
    terms = model.torque_terms(q, v, a, wrenches)
    data = terms.to_xarray(t=[0.0, 0.1, 0.2, 0.3])
    chosen = data["terms"].sel(time=0.2, dof="knee_r", link="foot_r", cause="floor")
    assert float(chosen) == terms.of("knee_r").values[2, 0, model.link_names.index("foot_r"), 3]
    assert np.array_equal(data["total"], terms.total)
    assert np.array_equal(data["static"], terms.static)
    assert data["terms"].where(data.joint == "hip_l", drop=True).sizes["dof"] == 3
    assert "batch_0" in terms.to_xarray().dims
    assert data.attrs == {"quantity": "torque", "unit": "N m"}


def test_plot_has_one_row_per_dof(tmp_path: Any) -> None:
    model, q, v, a, wrenches = pushed_figure()
    terms = model.torque_terms(q, v, a, wrenches)
    figure = terms.plot(np.arange(4.0), "hip_r", tmp_path / "hip.png")
    assert (tmp_path / "hip.png").stat().st_size > 10_000
    assert len(figure.axes) == 6
    names = [text.get_text() for text in figure.axes[4].get_legend().get_texts()]
    assert names[:3] == list(CAUSES)
    assert {"floor", "sum", "static approximation"} <= set(names)
    assert "rope" not in names  # it pulls at a hand, which does not hang on the hip


def test_the_legend_of_a_plot_counts_the_other_links_of_all_rows() -> None:
    model, q, v, a, _ = pushed_figure()
    terms = model.torque_terms(q, v, a)
    for names, links in (("waist", "head"), 10), (("waist", "hip_r"), 13), (("head",), 1):
        assert terms.of(names).values.any(axis=(0, 1, 3)).sum() == links
        for most in (0, 1, 3):
            legend = terms.plot(np.arange(4.0), names, most=most).axes[-1].get_legend().get_texts()
            others = [text.get_text() for text in legend if text.get_text().startswith("other")]
            assert others == ([f"other {links - most}"] if links > most else [])


def test_torques_of_dofs_that_slide_are_told_as_forces() -> None:
    model, q, v, a, _ = pushed_figure()
    terms = model.torque_terms(q, v, a)
    assert terms.sliding == ("root_joint vx", "root_joint vy", "root_joint vz")
    figure = terms.plot(np.arange(4.0), "root_joint")
    assert figure.axes[0].get_ylabel() == "root_joint vx\nforce [N]"
    assert figure.axes[6].get_ylabel() == "root_joint wx\ntorque [N m]"
    assert figure.get_suptitle() == "Force and torque of root_joint by cause"
    assert terms.of("knee_r").sliding == ()
    assert terms.power(v).plot(np.arange(4.0), "root_joint vx").axes[0].get_ylabel() == "root_joint vx\npower [W]"
    assert terms.to_xarray()["unit"].sel(dof=["root_joint vz", "knee_r"]).values.tolist() == ["N", "N m"]


def pushes(name: str, count: int) -> Wrench:
    return Wrench(name, "head", np.ones((count, 3)), (0, 0, 0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, s: m.torque_terms(*s, [Wrench("w", "foot", (0, 0, 1), (0, 0, 0))]), "no link 'foot'.*foot_"),
        (lambda m, s: Wrench("w", "foot_r", (0, 1), (0, 0, 0)), "wrench 'w': force: expected shape"),
        (lambda m, s: Wrench("w", "foot_r", (0, 0, np.nan), (0, 0, 0)), "wrench 'w': force: entry 2 is nan"),
        (lambda m, s: Wrench("gravity", "foot_r", (0, 0, 1), (0, 0, 0)), "a cause already"),
        (lambda m, s: m.torque_terms(*s, [Wrench("w", "head", (0, 0, 1), (0, 0, 0))] * 2), "two wrenches"),
        (lambda m, s: m.torque_terms(*s, [Wrench("w", "head", np.ones((5, 3)), (0, 0, 0))]), "do not fit"),
        (lambda m, s: m.torque_terms(*s).of("knee"), "no joint or dof 'knee'.*knee_"),
        (lambda m, s: m.torque_terms(*s).cause("friction"), "no cause 'friction'"),
        (lambda m, s: m.torque_terms(*(x[0] for x in s)).plot([0.0], "knee_r"), "terms over time"),
        (lambda m, s: m.torque_terms(*(x[0] for x in s)).to_xarray([0.0]), "one state only"),
        (lambda m, s: m.torque_terms(*(x[0] for x in s)).work(s[1][0], [0.0]), "work: needs terms over time .n, dofs"),
        (lambda m, s: m.torque_terms(*(x[0] for x in s)).work(s[1][0], np.arange(m.nv)), "work: needs terms over time"),
        (lambda m, s: m.torque_terms(*(x[0] for x in s)).work(s[1], np.arange(4.0)), "work: needs terms over time"),
        (lambda m, s: m.torque_terms(*s).work(s[1], [0.3, 0.2, 0.1, 0.0]), "t: must increase, but frame 2 at 0.2 s"),
        (lambda m, s: m.torque_terms(*s).work(s[1], [0.0, 0.1, 0.1, 0.2]), "t: must increase, but frame 3 at 0.1 s"),
        (lambda m, s: m.torque_terms(*s).plot([0.0, 0.2, 0.1, 0.3], "knee_r"), "t: must increase, but frame 3 at 0.1"),
        (lambda m, s: m.torque_terms(*s).to_xarray([0.0, 0.1, 0.3, 0.2]), "t: must increase, but frame 4 at 0.2 s"),
        (
            lambda m, s: m.torque_terms(*s).power(s[1][:3]),
            r"power: batch axes do not broadcast: terms \(4,\), v \(3,\)",
        ),
        (lambda m, s: m.torque_terms(*s).work(s[1][:3], np.arange(4.0)), r"not broadcast: terms \(4,\), v \(3,\)"),
        (
            lambda m, s: m.torque_terms(*(x[0] for x in s), [pushes("w", 4), pushes("u", 5)]),
            r"torque_terms: batch axes do not broadcast: state \(\), wrench 'w' \(4,\), wrench 'u' \(5,\)",
        ),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    model, q, v, a, _ = pushed_figure()
    with pytest.raises(kg.ModelError, match=message):
        call(model, (q, v, a))


def test_wrenches_on_what_is_fixed_to_the_world_are_told_to_do_nothing() -> None:
    model = kg.compile(kg.load("examples/double_pendulum.urdf"))
    for link in ("base", "world"):
        with pytest.raises(kg.ModelError, match=rf"wrench 'push': '{link}' is the world or fixed to it: a wrench does"):
            model.torque_terms([0.1, 0.2], [0, 0], [0, 0], [Wrench("push", link, (0, 0, 1), (0, 0, 0))])
    with pytest.raises(kg.ModelError, match=r"has no link 'based'; it has: upper, lower$"):
        model.torque_terms([0.1, 0.2], [0, 0], [0, 0], [Wrench("push", "based", (0, 0, 1), (0, 0, 0))])


def test_terms_without_time_keep_their_labels() -> None:
    model, q, v, a, wrenches = pushed_figure()
    knee = model.torque_terms(q[0], v[0], a[0], wrenches[1:]).of("knee_r")
    assert isinstance(knee, TorqueTerms)
    assert (knee.dofs, knee.owners, knee.values.shape) == (("knee_r",), ("knee_r",), (1, 17, 4))


def test_symbolic_table_is_the_textbook_of_the_double_pendulum() -> None:
    """[Craig05 §6.7]; one term per link and cause."""
    m1, m2, l1, l2 = sympy.symbols("m1 m2 l1 l2", positive=True)
    equations = kg.derive(double_pendulum(m1, m2, l1, l2))
    (_, q2), (v1, v2), (a1, a2) = equations.q, equations.v, equations.a
    table = equations.torque_terms("shoulder")
    assert table.links == ("upper", "lower")
    expected = {
        ("upper", "acceleration"): m1 * l1**2 * a1,
        ("upper", "centrifugal"): 0,
        ("lower", "acceleration"): m2 * (l1**2 * a1 + l2**2 * (a1 + a2) + l1 * l2 * sympy.cos(q2) * (2 * a1 + a2)),
        ("lower", "centrifugal"): -m2 * l1 * l2 * sympy.sin(q2) * (v2**2 + 2 * v1 * v2),
    }
    for (link, cause), textbook in expected.items():
        assert sympy.simplify(table.term(link, cause) - textbook) == 0
    assert sympy.simplify(table.total() - equations.inverse_dynamics[0]) == 0
    assert equations.torque_terms("elbow").links == ("lower",)
    assert r"\mathrm{lower}" in table._repr_latex_() and "lower, gravity: " in repr(table)


def test_the_rotor_of_a_joint_that_follows_counts_with_the_link_that_this_joint_moves() -> None:
    rod = kg.inertia.rod(1.0, 1.0, axis=(0, 0, 1))
    k, i, j = sympy.symbols("k i j", positive=True)

    def two(own: Any, led: Any, factor: Any) -> Mechanism:
        joints = [
            kg.Joint("a", "revolute", "world", "upper", axis=(0, 1, 0), armature=own),
            kg.Joint("b", "revolute", "upper", "lower", kg.Pose((0, 0, -1)), axis=(0, 1, 0), armature=led,
                     mimic=kg.Mimic("a", factor, 0.3)),
        ]  # fmt: skip
        return Mechanism("two", [Link(name, 1.0, (0, 0, -0.5), rod) for name in ("upper", "lower")], joints)

    with_rotors, without = two(0.03, 0.05, -2.0), two(0.0, 0.0, -2.0)
    heavy, light = (kg.compile(m).torque_terms([0.1], [0.2], [1.5]) for m in (with_rotors, without))
    added = heavy.cause("acceleration") - light.cause("acceleration")
    assert heavy.links == ("upper", "lower")
    assert np.allclose(added, [[0.03 * 1.5, 0.05 * 4.0 * 1.5]], rtol=1e-12)
    equations, plain = kg.derive(two(i, j, k)), kg.derive(two(0.0, 0.0, k))
    (a,) = equations.a
    for link, expected in ("upper", i * a), ("lower", j * k**2 * a):
        terms = (each.torque_terms("a", force=True).term(link, "acceleration") for each in (equations, plain))
        assert sympy.simplify(next(terms) - next(terms) - expected) == 0


SEVERAL = [name for name, kind in KINDS.items() if not kind.group and (kind.nv > 1 or kind.screws)]


@pytest.mark.parametrize(
    "kind", ["spherical", *(pytest.param(k, marks=pytest.mark.sweep if k == "gimbal" else ()) for k in SEVERAL)]
)
def test_symbolic_table_has_the_values_of_the_compiled_terms(kind: str) -> None:
    mechanism = random_mechanism(7, bodies=1, kinds=[kind], skew=0, armature=1)
    model, equations = kg.compile(mechanism), kg.derive(mechanism)
    q, v, a = (x[0] for x in states(mechanism, 1))
    terms = model.torque_terms(q, v, a)
    symbols, values = [*equations.q, *equations.v, *equations.a], [*q, *v, *a]
    for joint in model.joint_names:
        table, part = equations.torque_terms(joint, force=True), terms.of(joint)
        for dof in range(len(part.dofs)):
            for i, link in enumerate(part.links):
                for c, cause in enumerate(CAUSES):
                    found = sympy.lambdify(symbols, table.term(link, cause, dof))(*values)
                    assert found == pytest.approx(part.values[dof, i, c], rel=1e-9, abs=1e-9)


def test_symbolic_table_of_a_large_mechanism_is_refused_with_a_way_out() -> None:
    equations = kg.derive(kg.human_figure())
    with pytest.raises(
        kg.ModelError, match=r"joint 'hip_l' are too large to read .*torque_terms\('hip_l', force=True\)"
    ):
        equations.torque_terms("hip_l")
    with pytest.raises(kg.ModelError, match="no joint 'hip' that moves by itself; it has: root_joint"):
        equations.torque_terms("hip")
    with pytest.raises(kg.ModelError, match="has 1 dofs and causes acceleration"):
        kg.derive(double_pendulum()).torque_terms("elbow").term("lower", "friction")


def test_run_time_parameters_have_terms_too() -> None:
    g, m = sympy.symbols("g m", positive=True)
    pendulum = replace(double_pendulum(m1=m), gravity=(0, 0, -g))
    model = kg.compile(pendulum).with_parameters(g=1.62, m=2.0)
    q, v, a = np.array([0.3, 0.4]), np.array([1.0, -2.0]), np.array([3.0, 0.5])
    assert np.allclose(model.torque_terms(q, v, a).total, model.inverse_dynamics(q, v, a), rtol=1e-13)


def test_terms_of_a_closed_mechanism_are_those_of_what_leads() -> None:
    """Along a joint that alone acts: the sum is what its motor exerts, whose power goes into the whole mechanism."""
    bars = kg.compile(kg.load("examples/fourbar.toml")).with_independent(["drive"])
    q = bars.assemble(bars.q0, hold=["drive"])
    v, a = bars.dependent_motion(q, np.full(3, 2.0), np.full(3, 5.0))
    terms = bars.torque_terms(np.stack([q, q]), v, a, [Wrench("push", "coupler", (1.0, 2.0, 0.0), (0.1, 0.3, 0.0))])
    assert (terms.dofs, terms.owners, terms.values.shape) == (("drive",), ("drive",), (2, 1, 3, 4))
    assert np.allclose(terms.total - terms.static, bars.actuator_torques(q, v, a), rtol=1e-12)
    assert np.allclose(bars.torque_terms(q, v, a).total, bars.actuator_torques(q, v, a), rtol=1e-12)
    at, twist = bars.frame_pose(q, "coupler")[:3, 3], bars.frame_velocity(q, v, "coupler")
    pushed = np.array([1.0, 2.0, 0.0]) @ (twist[:3] + np.cross(twist[3:], [0.1, 0.3, 0.0] - at))
    assert np.allclose(terms.static[:, 0] * v[0], -pushed, rtol=1e-12)
    led = bars.with_independent(["pivot"]).torque_terms(q, v, a)
    assert np.allclose(led.of("pivot").by_cause[0] * v[2], terms.by_cause[0, 0, :3] * v[0], rtol=1e-9)
    with pytest.raises(kg.ModelError, match="no joint or dof 'pivot'; it has: drive"):
        terms.of("pivot")
