"""Closed loops in closed form: textbooks; H, W, S, A, b against the compiled elimination and finite differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.inspection.forms.paper import loop_lines
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose, inertia
from support.mechanisms.closed_mechanisms import four_bar, planar_closed, random_closed
from support.mechanisms.symbolic_loops import closed_states, slider_crank
from support.oracles.numeric import Array, error

a, b, c, d, m, g = sympy.symbols("a b c d m g", positive=True)
TOLERANCE = 1e-12


def same(found: sympy.Expr, expected: sympy.Expr) -> bool:
    return bool(sympy.simplify(found - expected) == 0)


def five_bar(lengths: tuple[sympy.Expr, ...]) -> Mechanism:
    """Two driven cranks, a base apart, whose couplers meet."""
    one, two, three, four, apart = lengths
    rods = zip(("left", "left_fore", "right", "right_fore"), lengths[:4], strict=True)
    return Mechanism(
        "five_bar",
        [Link(name, length, (length / 2, 0, 0), inertia.rod(length, length)) for name, length in rods],
        [
            Joint("left", "revolute", "world", "left"),
            Joint("left_elbow", "revolute", "left", "left_fore", Pose((one, 0, 0)), actuated=False),
            Joint("right", "revolute", "world", "right", Pose((apart, 0, 0))),
            Joint("right_elbow", "revolute", "right", "right_fore", Pose((three, 0, 0)), actuated=False),
            Joint("tip", "revolute", "right_fore", "left_fore", Pose((four, 0, 0)), Pose((two, 0, 0)), actuated=False),
        ],
        gravity=(0, -9.81, 0),
    )


def driven_at_the_cut() -> Mechanism:
    """A four-bar whose cut joint is an actuator too."""
    bar = four_bar(0.4, 0.9, 0.7, 0.8)
    return Mechanism(
        "driven_cut", bar.links, [*bar.joints[:3], Joint("tip", "revolute", "rocker", "coupler", Pose((0.7, 0, 0)),
        Pose((0.9, 0, 0)), cut=True)], gravity=bar.gravity,
    )  # fmt: skip


def carried() -> Mechanism:
    """A four-bar in the xz plane of a link that turns about a slanted axis."""
    bar, tilt = four_bar(0.4, 0.9, 0.7, 0.8), Pose((0.1, 0.2, 0.3))
    axes = {"axis": (0.0, 1.0, 0.0)}
    return Mechanism(
        "carried",
        [Link("turret", 2.0, (0, 0, 0.1), (0.2, 0, 0, 0.2, 0, 0.3)), *bar.links],
        [
            Joint("yaw", "revolute", "world", "turret", axis=(0.0, 0.6, 0.8)),
            Joint("pivot", "revolute", "turret", "crank", tilt, **axes),
            Joint("knee", "revolute", "crank", "coupler", Pose((0.4, 0, 0)), actuated=False, **axes),
            Joint("base", "revolute", "turret", "rocker", tilt * Pose((0.8, 0, 0)), actuated=False, **axes),
            Joint("tip", "revolute", "rocker", "coupler", Pose((0.7, 0, 0)), Pose((0.9, 0, 0)), actuated=False, **axes),
        ],
    )


def cut_at_the_slide() -> Mechanism:
    """A slider-crank that is cut at its prismatic joint, on a slanted rail."""
    return Mechanism(
        "cut_at_the_slide",
        [
            Link("crank", 1.0, (0.15, 0, 0), inertia.rod(1.0, 0.3)),
            Link("rod", 1.0, (0.45, 0, 0), inertia.rod(1.0, 0.9)),
            Link("slider", 0.5, inertia=inertia.sphere(0.5, 0.1)),
        ],
        [
            Joint("crank", "revolute", "world", "crank"),
            Joint("pin", "revolute", "crank", "rod", Pose((0.3, 0, 0)), actuated=False),
            Joint("wrist", "revolute", "rod", "slider", Pose((0.9, 0, 0)), actuated=False),
            Joint("slide", "prismatic", "world", "slider", Pose((0, 0.05, 0), (0, 0, 0.1)), axis=(1, 0, 0), cut=True),
        ],
        gravity=(0, -9.81, 0),
    )  # fmt: skip


# ---- Textbooks


def test_four_bar_is_nortons() -> None:
    """[Norton §4.5, §6.7]: loop equations and velocity ratios in absolute angles.

    ω₃/ω₂ = a sin(θ₄ − θ₂) / (b sin(θ₃ − θ₄)),  ω₄/ω₂ = a sin(θ₂ − θ₃) / (c sin(θ₄ − θ₃)).
    """
    eq = kg.derive(four_bar(a, b, c, d))
    crank, knee, rocker = eq.q
    coupler = crank + knee
    x = a * sympy.cos(crank) + b * sympy.cos(coupler) - c * sympy.cos(rocker) - d
    y = a * sympy.sin(crank) + b * sympy.sin(coupler) - c * sympy.sin(rocker)
    assert list(eq.closure) == [x, y]
    w3 = a * sympy.sin(rocker - crank) / (b * sympy.sin(coupler - rocker))
    w4 = a * sympy.sin(crank - coupler) / (c * sympy.sin(rocker - coupler))
    assert list(eq.v_S) == [*eq.v[1:, :], *eq.v_cut] and list(eq.v_G) == [eq.v[0]]
    assert same(eq.H[0], w3 - 1) and same(eq.H[1], w4) and same(eq.H[2], w3 - w4)


def test_four_bar_is_written_as_on_paper() -> None:
    eq = kg.derive(four_bar(a, b, c, d))
    assert [str(entry) for entry in eq.W] == [
        "1",
        "a*sin(q_base - q_pivot)/(b*sin(-q_base + q_knee + q_pivot)) - 1",
        "a*sin(q_knee)/(c*sin(-q_base + q_knee + q_pivot))",
    ]
    assert str(eq.dJ_theta[0]) == (
        "a*v_pivot**2*cos(q_pivot) + b*(v_knee + v_pivot)**2*cos(q_knee + q_pivot) - c*v_base**2*cos(q_base)"
    )
    assert eq.J_C.shape == (6, 4) and eq.J_S.shape == (3, 3) and eq.J_G.shape == (3, 1)
    assert [str(e) for e in eq.J_S[0, :]] == ["b*sin(q_knee + q_pivot)", "-c*sin(q_base)", "0"]
    numeric = kg.derive(four_bar(0.3, 0.9, 0.7, 0.8))
    assert str(numeric.W[2]) == "3*sin(q_knee)/(7*sin(-q_base + q_knee + q_pivot))"


def test_angles_of_cut_joints_make_the_ratios_short() -> None:
    eq = kg.derive(four_bar(a, b, c, d))
    assert [f"{symbol} = {angle}" for symbol, angle in eq.cut_angles.items()] == ["q_tip = -q_base + q_knee + q_pivot"]
    assert [str(entry) for entry in eq.in_cut_angles(eq.W)] == [
        "1",
        "a*sin(q_base - q_pivot)/(b*sin(q_tip)) - 1",
        "a*sin(q_knee)/(c*sin(q_tip))",
    ]


def test_slider_crank_is_on_one_fraction() -> None:
    """[Norton §6.7], offset 0: ḋ = −a ω₂ sin θ₂ + b ω₃ sin θ₃ in one term, ω₃/ω₂ = a cos θ₂ / (b cos θ₃)."""
    r, length = sympy.symbols("r l", positive=True)
    eq = kg.derive(slider_crank(r, length, m, g))
    assert [str(entry) for entry in eq.W[1:, :]] == [
        "-1 - r*cos(q_crank)/(l*cos(q_crank + q_pin))",
        "r*sin(q_pin)/cos(q_crank + q_pin)",
    ]


def test_cardan_joint() -> None:
    """Hooke's joint between shafts at an angle β: tan θ₂ = cos β tan θ, ω₂/ω₁ = cos β / (1 − sin²β sin²θ).

    H. H. Mabie, C. F. Reinholtz, Mechanisms and Dynamics of Machinery, on universal joints.
    """
    beta, body = 0.5, (0.1, 0, 0, 0.1, 0, 0.1)
    tilted = (0.0, np.sin(beta), np.cos(beta))
    shafts = Mechanism(
        "cardan",
        [Link("drive", 1.0, inertia=body), Link("driven", 1.0, inertia=body)],
        [
            Joint("input", "revolute", "world", "drive"),
            Joint("output", "revolute", "world", "driven", axis=tilted, actuated=False),
            Joint(
                "cross",
                "universal",
                "drive",
                "driven",
                axis=(1, 0, 0),
                axis2=(0, tilted[2], -tilted[1]),
                actuated=False,
            ),
        ],
    )
    eq = kg.derive(shafts)
    for theta in (0.3, 1.0, -0.7):
        follower = np.arctan(np.cos(beta) * np.tan(theta))
        at = {eq.q[0]: theta, eq.q[1]: follower}
        assert [abs(entry.subs(at)) < TOLERANCE for entry in eq.closure] == [True]
        assert abs(eq.W[1].subs(at) - np.cos(beta) / (1 - np.sin(beta) ** 2 * np.sin(theta) ** 2)) < TOLERANCE


def test_the_rocker_may_lead() -> None:
    eq = kg.derive(four_bar(a, b, c, d), independent=["base"])
    assert list(eq.v_G) == [eq.v[2]]
    assert str(eq.W[0]) == "c*sin(-q_base + q_knee + q_pivot)/(a*sin(q_knee))"


def test_loops_without_a_plane() -> None:
    """Rows in the axes of the link that carries the loop: a four-bar on a turning link is a four-bar."""
    eq, bar = kg.derive(carried()), kg.derive(four_bar(0.4, 0.9, 0.7, 0.8))
    assert len(eq.closure) == 2 and eq.J_S.shape == (3, 3)
    assert [str(e) for e in eq.H[:, 0]] == ["0", "0", "0"]
    flipped = {q: -q for q in bar.q}  # about −y instead of z
    assert [same(e, f.subs(flipped)) for e, f in zip(eq.H[:, 1], bar.H, strict=True)] == [True] * 3


# ---- Against numbers

MECHANISMS: Mapping[str, Callable[[], Mechanism]] = {
    "four_bar": lambda: four_bar(0.3, 0.9, 0.7, 0.8),
    "slider_crank": lambda: slider_crank(0.3, 0.9, 0.5, 9.81),
    "five_bar": lambda: five_bar((0.5, 0.8, 0.6, 0.7, 0.4)),
    "driven_at_the_cut": driven_at_the_cut,
    "carried": carried,
    "cut_at_the_slide": cut_at_the_slide,
}
ALIKE = pytest.param("slider_crank", marks=pytest.mark.sweep)
"""Left to the sweep: the one that is cut at the slide stays."""
NAMES = [ALIKE if name == "slider_crank" else name for name in MECHANISMS]


@cache
def compiled(name: str) -> kg.Model:
    return kg.compile(MECHANISMS[name]())


@cache
def lambdified(name: str, quantity: str) -> Callable[..., Array]:
    eq = kg.derive(MECHANISMS[name]())
    return sympy.lambdify([list(eq.q), list(eq.v)], getattr(eq, quantity))  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", NAMES)
def test_h_w_s_are_the_elimination(name: str) -> None:
    model = compiled(name)
    for q, v in closed_states(model, 10):
        for quantity in "HWS":
            found = np.asarray(lambdified(name, quantity)(q, v))
            assert error(found, getattr(model, quantity)(q)) < TOLERANCE


@pytest.mark.parametrize("name", ["four_bar", ALIKE, "five_bar", "driven_at_the_cut", "carried"])
def test_cut_angles_are_the_models(name: str) -> None:
    eq, model = kg.derive(MECHANISMS[name]()), compiled(name)
    ((symbol, angle),) = eq.cut_angles.items()
    for q, _ in closed_states(model, 3):
        found = float(angle.subs(dict(zip(eq.q, q, strict=True))))
        (expected,), _ = model.loop_joint(symbol.name.removeprefix("q_"), q)
        assert abs(np.exp(1j * found) - np.exp(1j * expected)) < 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_h_is_the_derivative_of_assembled_configurations(name: str) -> None:
    model, step = compiled(name), 1e-6
    for q, v in closed_states(model, 4):
        W = np.asarray(lambdified(name, "W")(q, v))
        for k, leader in enumerate(model.independent):
            place = next(j.q_start for j in model.manifest.joints if j.name == leader)
            ends = []
            for sign in (1.0, -1.0):
                moved = q + W[:, k] * sign * step
                moved[place] = q[place] + sign * step
                ends.append(model.assemble(moved, hold=model.independent))
            assert error((ends[0] - ends[1]) / (2 * step), W[:, k]) < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_motion_on_the_closure(name: str) -> None:
    """θ̈ = W θ̈_G + Ḣθ̇_G and A θ̈_G + b = Wᵀτ_O, as compiled."""
    model = compiled(name)
    leaders = list(model.manifest.independent)
    followers = [i for i in range(model.nv) if i not in leaders]
    for q, v in closed_states(model, 5):
        a_G = np.random.default_rng(5).normal(size=model.nv)
        _, rates = model.dependent_motion(q, v, a_G)
        shift = np.asarray(lambdified(name, "dH_theta")(q, v))[: len(followers), 0]
        assert error(model.W(q)[followers] @ a_G[leaders] + shift, rates[followers]) < 1e-11
        A, rest = (np.asarray(lambdified(name, part)(q, v)) for part in "Ab")
        expected = model.W(q).T @ model.inverse_dynamics(q, v, rates)
        assert error(A @ a_G[leaders] + rest[:, 0], expected) < 1e-11


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "driven_at_the_cut", "cut_at_the_slide"])
def test_loop_jacobian_is_the_kernels_on_the_closure(name: str) -> None:
    """Loops through the world: in world axes, as the kernels' J_C and J̇θ̇."""
    model = compiled(name)
    for q, v in closed_states(model, 5):
        assert error(np.asarray(lambdified(name, "J_C")(q, v)), model.closure_jacobian(q)) < TOLERANCE
        assert error(np.asarray(lambdified(name, "dJ_theta")(q, v))[:, 0], model.closure_bias(q, v)) < 1e-11


def test_symbolic_lengths_are_numbers_put_in() -> None:
    sizes = {a: 0.3, b: 0.9, c: 0.7, d: 0.8}
    open_form, fixed = kg.derive(four_bar(a, b, c, d)), kg.derive(four_bar(0.3, 0.9, 0.7, 0.8))
    for name in ("H", "A", "b", "dH_theta"):
        for one, other in zip(getattr(open_form, name), getattr(fixed, name), strict=True):
            difference = one.subs(sizes) - other
            at = {symbol: 0.3 + 0.2 * i for i, symbol in enumerate((*fixed.q, *fixed.v))}
            assert abs(difference.subs(at)) < TOLERANCE


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.sweep) for seed in range(1, 5))])
@pytest.mark.parametrize("loops", [1, 2])
def test_random_planar_loops(seed: int, loops: int) -> None:
    """Open chains that loops of odd lengths close; two loops may be too much to read, and then say so."""
    closed = planar_closed(seed, loops)
    eq, model = kg.derive(closed.mechanism), kg.compile(closed.mechanism)
    try:
        W = eq.W
    except kg.ModelError as refusal:
        assert loops == 2 and "too large to read" in str(refusal)
        return
    q = model.assemble(closed.q)
    assert error(np.asarray(W.lambdify(eq.q)(q)), model.W(q)) < 1e-11


# ---- Factored forms and what is refused


def test_spatial_loops_have_factored_forms() -> None:
    eq = kg.derive(random_closed(3, ["spherical", "revolute"], bodies=10).mechanism)
    with pytest.raises(kg.ModelError, match=r"too large to read.*program\('dependence'\)"):
        _ = eq.H
    assert eq.program("dependence").function.outputs[0].name == "H"
    assert len(eq.program("closure_jacobian")) and len(eq.program("forward_dynamics_closed"))
    assert "--html FILE" in [*loop_lines(eq)][-1]  # on the command line


def test_what_stands_under_a_root_counts() -> None:
    """A skew loop cut at a gimbal, whose rates are over the cosine of its own middle angle: 625 terms of the tree's."""
    skew = [Pose((0.2, 0.3, -0.1), (0.4, -0.5, 0.3)), Pose((-0.1, 0.2, 0.3), (0.2, 0.7, -0.4))]
    ends = {"origin": Pose((0.3, 0.2, 0.1), (-0.6, 0.1, 0.5)), "child_origin": Pose((0.1, -0.1, 0.2), (0.3, 0.4, -0.7))}
    mech = Mechanism(
        "skew",
        [Link(name, 1.0) for name in "xyz"],
        [
            Joint("j0", "revolute", "world", "x", skew[0]),
            Joint("j1", "revolute", "x", "y", skew[1]),
            Joint("j2", "universal", "y", "z", skew[0]),
            Joint("tip", "gimbal", "world", "z", cut=True, **ends),
        ],
    )
    for name in ("J_C", "dJ_theta", "H", "W", "b"):
        with pytest.raises(kg.ModelError, match=r"loop equations is too large to read"):
            getattr(kg.derive(mech), name)


def test_closure_of_a_screw_counts_turns() -> None:
    """A shaft that turns and slides freely, held by a screw: z = pitch angle on every turn."""
    shaft = Joint("shaft", "cylindrical", "world", "rod")
    mech = Mechanism("screw", [Link("rod", 1.0)], [shaft, Joint("nut", "helical", "world", "rod", cut=True, pitch=0.1)])
    eq = kg.derive(mech)
    closure = eq.closure.lambdify(eq.q)
    for angle in (0.3, -44.0, 190.0):
        assert closure([angle, 0.1 * angle]) == pytest.approx(0.0, abs=1e-12)
        assert closure([angle, 0.1 * angle + 0.05]) == pytest.approx(0.05, abs=1e-12)


def test_trees_have_no_loops() -> None:
    eq = kg.derive(
        Mechanism(
            "pendulum", [Link("bob", m, (0, 0, -a))], [Joint("hinge", "revolute", "world", "bob", axis=(0, 1, 0))]
        )
    )
    assert sympy.eye(1) == eq.W and eq.H.shape == (0, 1) and eq.J_C.shape == (0, 1) and eq.closure.shape == (0, 1)
    assert eq.dJ_theta.shape == eq.dH_theta.shape == eq.dK_v.shape == (0, 1)
    assert eq.A == eq.M
    with pytest.raises(kg.ModelError, match="no equations called 'dependence'; it has no closed loops"):
        eq.program("dependence")


REFUSED: Mapping[str, Callable[[], object]] = {
    r"no loop cut at 'knee'; the cut joints are: tip": lambda: kg.derive(four_bar(a, b, c, d)).J_L("knee"),
    r"no joint 'crank' in its tree; there are: pivot, knee, base": lambda: (
        kg.derive(four_bar(a, b, c, d), independent=["crank"]).H
    ),
    r"these 2 velocities do not lead the mechanism, which has 1": lambda: (
        kg.derive(four_bar(a, b, c, d), independent=["base", "knee"]).H
    ),
    r"loop closed by joint 'tip' cannot be closed": lambda: kg.derive(four_bar(0.1, 0.2, 0.1, 3.0)).H,
}


@pytest.mark.parametrize("complaint", REFUSED)
def test_wrong_questions_are_refused(complaint: str) -> None:
    with pytest.raises(kg.ModelError, match=complaint):
        REFUSED[complaint]()
