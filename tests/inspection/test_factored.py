"""The factored form at 50 digits against the compiled C, against closed forms, and route against route."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.inspection.factored import Factored
from kinegen.codegen.mechanism import Frame, Joint, Link, Mechanism, Pose, inertia
from support.oracles.mechanisms import (
    Array,
    cart_pole,
    double_pendulum,
    random_mechanism,
    random_state,
    spherical_pendulum,
)
from support.oracles.numeric import Reference, error

TOLERANCE = 1e-12
DIGITS = 50
EXACT = mpmath.mpf("1e-42")
QUANTITIES = (
    "mass_matrix",
    "bias",
    "gravity",
    "inverse_dynamics",
    "forward_dynamics",
    "com",
    "com_jacobian",
    "cog_jacobian",
    "cog_bias",
    "energy",
    "momentum",
    "centroidal_momentum_matrix",
    "link_poses",
)
CLOSED = ("mass_matrix", "bias", "inverse_dynamics", "com", "cog_jacobian", "cog_bias", "energy", "momentum")


def floating_arm() -> Mechanism:
    """A free body with an arm on a universal joint and a ball on a sphere joint; all numbers are symbols."""
    M, m, b, L, r, d, J, g = sympy.symbols("M m b L r d J g", positive=True)
    return Mechanism(
        "symbolic_arm",
        links=[
            Link("body", mass=M, com=(0, r, 0), inertia=inertia.box(M, (L, r, d))),
            Link("arm", mass=m, com=(L / 2, 0, 0), inertia=inertia.rod(m, L)),
            Link("ball", mass=b, com=(0, 0, -r), inertia=inertia.sphere(b, r)),
        ],
        joints=[
            Joint("root", "free", "world", "body"),
            Joint("shoulder", "universal", "body", "arm", origin=Pose((d, 0, r)), armature=J),
            Joint("wrist", "spherical", "arm", "ball", origin=Pose((L, 0, 0), rpy=(0, d, 0))),
        ],
        gravity=(0, 0, -g),
        frames=[Frame("mark", "ball", Pose((0, r, d)))],
    )


def skewed_chain() -> Mechanism:
    """Helical, cylindrical, planar and prismatic joints about odd axes; lengths and masses are symbols."""
    m, n, L, h = sympy.symbols("m n L h", positive=True)
    solid = inertia.box(n, (L, 2 * L, 3 * L))
    return Mechanism(
        "skewed_chain",
        links=[Link(name, mass=m + k * n, com=(L, 0, h), inertia=solid) for k, name in enumerate("abcd")],
        joints=[
            Joint("j1", "helical", "world", "a", axis=(1, 2, 2), pitch=h),
            Joint("j2", "cylindrical", "a", "b", origin=Pose((0, L, 0)), axis=(0, 3, 4)),
            Joint("j3", "planar", "b", "c", origin=Pose((L, 0, h), rpy=(0.3, 0, 0))),
            Joint("j4", "prismatic", "b", "d", axis=(2, -1, 2)),
        ],
        frames=[Frame("mark", "d", Pose((L, 0, 0)))],
    )


SYMBOLIC: Mapping[str, tuple[Mechanism, dict[str, float]]] = {
    "pendulum": (
        double_pendulum(*sympy.symbols("m1 m2 l1 l2", positive=True)),
        {"m1": 1.3, "m2": 0.7, "l1": 0.8, "l2": 1.1},
    ),
    "floating": (
        floating_arm(),
        {"M": 3.1, "m": 0.9, "b": 0.4, "L": 0.7, "r": 0.15, "d": 0.25, "J": 0.05, "g": 9.80665},
    ),
    "skewed": (skewed_chain(), {"m": 1.2, "n": 0.3, "L": 0.4, "h": 0.1}),
}

ALONE = ("planar", "spherical", "cylindrical", "free")
NUMERIC: Mapping[str, Callable[[], Mechanism]] = {
    "cart_pole": cart_pole,
    "spherical_pendulum": spherical_pendulum,
    "double_pendulum": double_pendulum,
    "mimics": lambda: random_mechanism(5, bodies=3, kinds=["revolute", "prismatic", "helical"], mimic=0.9),
    **{kind: lambda kind=kind: random_mechanism(2, bodies=1, root=kind) for kind in ALONE},  # type: ignore[misc]
    "ball_and_plane": lambda: random_mechanism(2, bodies=2, kinds=["planar", "universal"], root="spherical", mimic=0),
    "floating": lambda: random_mechanism(4, bodies=2, kinds=["cylindrical"], root="free", skew=1.0),
}


def state(mechanism: Mechanism, seed: int) -> dict[str, Array]:
    return dict(zip(("q", "v", "a", "tau"), random_state(mechanism, np.random.default_rng(seed)), strict=True))


def evaluate(program: Factored, given: Mapping[str, object], precision: int | None = DIGITS) -> Array:
    names = [each.name for each in program.function.inputs]
    found: Array = program.evaluate(precision=precision, **{name: given[name] for name in names})
    return found


def unit(q: Array, mechanism: Mechanism) -> list[mpmath.mpf]:
    """q with quaternions and [cos sin] of unit norm to 50 digits."""
    with mpmath.workdps(DIGITS):
        exact = [mpmath.mpf(float(x)) for x in q]
        for body in mechanism.tree.bodies:
            size = {"planar": 2, "spherical": 4, "free": 4}.get(body.joint.kind, 0)
            end = body.q_start + body.nq
            norm = mpmath.sqrt(sum(x**2 for x in exact[end - size : end]))
            exact[end - size : end] = [x / norm for x in exact[end - size : end]]
    return exact


@cache
def compiled(name: str) -> kg.Model:
    mechanism, parameters = SYMBOLIC[name]
    return kg.compile(mechanism).with_parameters(parameters)


# ---- 50 digits against C


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("name", SYMBOLIC)
def test_compiled_c_is_the_program_at_50_digits(name: str, quantity: str) -> None:
    mechanism, parameters = SYMBOLIC[name]
    model, program = compiled(name), kg.derive(mechanism).program(quantity)
    takes = [each.name for each in program.function.inputs if each.name != "p"]
    for seed in range(4):
        given = state(mechanism, seed)
        expected = evaluate(program, {**given, "p": parameters})
        found = getattr(model, quantity)(*(given[each] for each in takes))
        scale = np.linalg.cond(model.mass_matrix(given["q"])) if quantity == "forward_dynamics" else 1.0
        assert error(found, expected.astype(float)) < TOLERANCE * scale


@pytest.mark.parametrize("name", ["floating", "skewed"])
def test_compiled_frames_are_the_program_at_50_digits(name: str) -> None:
    mechanism, parameters = SYMBOLIC[name]
    numeric = {symbol: parameters[symbol.name] for symbol in mechanism.parameters}
    eq, model = kg.derive(mechanism), compiled(name)
    for link in (mechanism.links[0].name, mechanism.links[-1].name):
        given = state(mechanism, 5)
        where = {**given, "p": [numeric[symbol] for symbol in eq.parameters]}
        jacobian = evaluate(eq.program("frame_jacobian", frame=link), where).astype(float)
        assert error(model.frame_jacobian(given["q"], link), jacobian) < TOLERANCE
        pose = evaluate(eq.program("frame_pose", frame=link), where).astype(float)
        assert error(model.frame_pose(given["q"], link), pose) < TOLERANCE


@pytest.mark.parametrize("quantity", CLOSED)
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.sweep if n in ("ball_and_plane", "floating") else ()) for n in NUMERIC]
)
def test_closed_forms_lambdified_are_the_compiled_c(name: str, quantity: str) -> None:
    """SymPy's own lambdify of the closed form, at 50 digits; some are forced."""
    mechanism = NUMERIC[name]()
    eq, model, given = kg.derive(mechanism), kg.compile(mechanism), state(mechanism, 1)
    form = sympy.lambdify([list(eq.q), list(eq.v), list(eq.a)], eq.closed_form(quantity, force=True), "mpmath")
    takes = [each.name for each in eq.program(quantity).function.inputs]
    with mpmath.workdps(DIGITS):
        expected = np.array(form(*([mpmath.mpf(x) for x in given[k]] for k in "qva")).tolist(), dtype=float)
    found = getattr(model, quantity)(*(given[each] for each in takes))
    assert error(found, expected.reshape(found.shape)) < TOLERANCE


# ---- Routes against each other, where no constant is rounded

ROUTES = {
    "mass_matrix": ("mass_matrix_composite", "mass_matrix_unit_vector", "mass_matrix_cog"),
    "inverse_dynamics": ("inverse_dynamics", "inverse_dynamics_cog"),
    "forward_dynamics": ("forward_dynamics_articulated", "forward_dynamics_ltdl", "forward_dynamics_unit_vector"),
    "damped": ("forward_dynamics_damped_articulated", "forward_dynamics_damped_ltdl"),
}


@pytest.mark.parametrize("routes", ROUTES)
@pytest.mark.parametrize("name", ["pendulum", "floating"])
def test_routes_are_identical(name: str, routes: str) -> None:
    """Without a rounded number in the description, all routes are one function: equal to 42 digits."""
    mechanism, parameters = SYMBOLIC[name]
    eq, given = kg.derive(mechanism), state(mechanism, 2)
    where = {**given, "q": unit(given["q"], mechanism), "p": parameters, "d": np.full(mechanism.tree.nv, 0.3)}
    first, *others = (evaluate(eq.program(route), where) for route in ROUTES[routes])
    for other in others:
        assert np.max(np.abs(first - other)) < EXACT * (1 + np.max(np.abs(first)))


@pytest.mark.parametrize("name", ["pendulum", "floating"])
def test_inverse_and_forward_dynamics_undo_each_other(name: str) -> None:
    mechanism, parameters = SYMBOLIC[name]
    eq, given = kg.derive(mechanism), state(mechanism, 3)
    where = {**given, "q": unit(given["q"], mechanism), "p": parameters}
    tau = evaluate(eq.program("inverse_dynamics"), where)
    back = evaluate(eq.program("forward_dynamics"), {**where, "tau": tau})
    with mpmath.workdps(DIGITS):
        assert max(abs(x - mpmath.mpf(y)) for x, y in zip(back, given["a"], strict=True)) < EXACT * 1000
        mass, bias = (evaluate(eq.program(quantity), where) for quantity in ("mass_matrix", "bias"))
        sums = mass @ np.array([mpmath.mpf(x) for x in given["a"]]) + bias
        assert np.max(np.abs(sums - tau)) < EXACT * 100


@pytest.mark.parametrize(
    ("seed", "bodies"), [(12, 3), *(pytest.param(seed, 6, marks=pytest.mark.sweep) for seed in (3, 8))]
)
def test_every_derivation_of_a_random_mechanism(seed: int, bodies: int) -> None:
    """All kinds of joints, skewed: every route in doubles and at 50 digits against the dense reference."""
    mechanism = random_mechanism(seed, bodies=bodies, mimic=0.1)
    eq, given = kg.derive(mechanism), state(mechanism, seed)
    reference = Reference(mechanism, given["q"], given["v"])
    damping = np.linspace(0.1, 1.0, mechanism.tree.nv)
    expected = {
        **{route: reference.mass_matrix() for route in ROUTES["mass_matrix"]},
        **{route: reference.inverse_dynamics(given["a"]) for route in ROUTES["inverse_dynamics"]},
        **{name: getattr(reference, name)() for name in QUANTITIES if "dynamics" not in name},
        "coriolis": reference.bias() - reference.gravity(),
    }
    mimics = any(body.joint.mimic for body in mechanism.tree.bodies)
    for route in (*ROUTES["forward_dynamics"], *ROUTES["damped"]):
        if not (mimics and "articulated" in route):
            extra = damping if "damped" in route else None
            expected[route] = reference.forward_dynamics(given["tau"], extra)
    for name, wanted in expected.items():
        program = eq.program(name)
        where = {**given, "d": damping}
        scale = np.linalg.cond(reference.mass_matrix()) if "forward" in name else 10.0
        for precision in (None, 30):
            found = np.asarray(evaluate(program, where, precision), dtype=float)
            assert error(found, np.asarray(wanted).reshape(found.shape)) < TOLERANCE * scale, name


# ---- The object itself


def test_program_reads_as_numbered_assignments() -> None:
    program = kg.derive(double_pendulum()).program("gravity")
    text = str(program)
    assert text.splitlines()[0] == "gravity(q[2]): gravity g(q): tau at rest"
    assert text.splitlines()[1] == str(program.operations)
    assert "s_upper, c_upper = sin, cos(q_shoulder)" in text and "[lower, back]" in text
    assert f"{len(program):5} " in text and "g[0] = " in text
    assert repr(program) == text


def test_long_programs_are_cut_in_the_interpreter_only() -> None:
    program = kg.derive(random_mechanism(1, bodies=20)).program("inverse_dynamics")
    assert repr(program).splitlines()[-1].endswith("assignments in all: print(program) shows them")
    assert len(repr(program).splitlines()) < 130 < len(str(program).splitlines())
    assert program._repr_latex_() is None
    assert program.latex().count("&") >= len(program)


def test_batches_broadcast() -> None:
    mechanism = random_mechanism(3, bodies=4, mimic=0)
    model, program, given = kg.compile(mechanism), kg.derive(mechanism).program("bias"), state(mechanism, 1)
    q, v = np.stack([given["q"]] * 3), np.linspace(1, 2, 2)[:, None, None] * given["v"]
    found = program.evaluate(q=q, v=v)
    assert found.shape == (2, 3, mechanism.tree.nv)
    assert error(found, model.bias(q, v)) < TOLERANCE
    assert kg.derive(mechanism).program("mass_matrix").evaluate(q=q).shape == (3, *[mechanism.tree.nv] * 2)


def test_lambdify_gives_plain_functions() -> None:
    program = kg.derive(double_pendulum()).program("gravity")
    assert program.lambdify("math")([0.0, 0.0]) == [0, 0]
    with mpmath.workdps(DIGITS):
        exact = program.lambdify("mpmath")([mpmath.mpf(1), mpmath.mpf(2)])
    assert error(program.lambdify()([1.0, 2.0]), np.array(exact, dtype=float)) < TOLERANCE


REFUSED = {
    "gravity: input 'v' is unknown; the inputs are: p, q": {"q": [0, 0], "p": [1, 1, 1, 1], "v": [0, 0]},
    "gravity: input 'p' is missing": {"q": [0, 0]},
    r"input 'q': expected \(..., 2\), got \(3,\)": {"q": [0, 0, 0], "p": [1, 1, 1, 1]},
    "input 'p': no value for 'm2'": {"q": [0, 0], "p": {"m1": 1.0, "l1": 1.0, "l2": 1.0}},
    "input 'p': unknown 'mass'": {"q": [0, 0], "p": {"m1": 1.0, "m2": 1.0, "l1": 1.0, "l2": 1.0, "mass": 1.0}},
    "batch axes do not broadcast": {"q": np.zeros((2, 2)), "p": np.ones((3, 4))},
    "input 'q': expected 2 numbers, got 1": {"q": [0], "p": [1, 1, 1, 1], "precision": 20},
    "input 'q': expected numbers": {"q": ["a", "b"], "p": [1, 1, 1, 1]},
    r"input 'q': expected numbers, got 0\.3": {"q": 0.3, "p": [1, 1, 1, 1], "precision": 20},
    "input 'q': expected numbers, got None": {"q": None, "p": [1, 1, 1, 1], "precision": 20},
}


@pytest.mark.parametrize("complaint", REFUSED)
def test_wrong_arguments_are_refused(complaint: str) -> None:
    program = kg.derive(SYMBOLIC["pendulum"][0]).program("gravity")
    with pytest.raises(kg.ModelError, match=complaint):
        program.evaluate(**REFUSED[complaint])
