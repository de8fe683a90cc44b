"""Derivatives of a step against extrapolated differences of the real step; refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.runtime.abi import INTEGRATORS
from kinegen.runtime.derivatives.steps.step import REASONS, WAYS
from support.mechanisms.robots import FOLDER
from support.oracles.mechanisms import cart_pole, random_mechanism
from support.oracles.numeric import Array, error

DT = 2e-3
BOX = {"mass": 1.3, "com": (0.05, 0.1, -0.4), "inertia": (0.1, 0.01, 0.0, 0.12, 0.02, 0.09)}


def sprung(first: str = "free") -> kg.Mechanism:
    """A floating or planar body, a ball joint with springs and dampers, hinges with dry friction and with a spring."""
    k, m = sympy.symbols("k m")
    return kg.Mechanism(
        f"sprung_{first}",
        [kg.Link("a", **BOX), kg.Link("b", **BOX), kg.Link("c", **{**BOX, "mass": m}), kg.Link("d", **BOX)],
        [
            kg.Joint("base", first, "world", "a"),
            kg.Joint("ball", "spherical", "a", "b", kg.Pose((0, 0, -0.3)), stiffness=9.0, damping=0.2),
            kg.Joint("dry", "revolute", "b", "c", kg.Pose((0, 0, -0.5)), axis=(0, 1, 0), friction=0.3, damping=0.1),
            kg.Joint("soft", "revolute", "a", "d", kg.Pose((0, 0.2, 0)), axis=(1, 0, 0), stiffness=k, rest=0.3),
        ],
    )


Step = Callable[[Array, Array, Array, Mapping[str, kg.Servo] | None, Mapping[str, float]], tuple[Array, Array]]


def differences(at: kg.Model, step: Step, given: Sequence[Array], h: float, names: Sequence[str] = ()) -> Array:
    """(2 nv, columns): of the state after a step per q, v, tau, servo targets and parameters, extrapolated twice."""
    q, v, tau = given[:3]
    end_q, _ = step(q, v, tau, None, {})
    sizes = (at.nv, at.nv, at.nv, len(names))

    def moved(part: int, j: int, s: float) -> Array:
        e = s * np.eye(max(sizes))[j]
        at_q = at.integrate(q, e[: at.nv]) if part == 0 else q
        more = {names[j]: s} if part == 3 else {}
        x = step(at_q, v + e[: at.nv] * (part == 1), tau + e[: at.nv] * (part == 2), None, more)
        return np.concatenate([at.difference(end_q, x[0]), x[1]])

    columns = []
    for part, size in enumerate(sizes):
        for j in range(size):
            c = [(moved(part, j, s) - moved(part, j, -s)) / (2 * s) for s in (h, h / 2, h / 4)]
            once = (4 * c[1] - c[0]) / 3, (4 * c[2] - c[1]) / 3
            columns.append((16 * once[1] - once[0]) / 15)
    return np.array(columns).T


def stepped(at: kg.Model, integrator: str, servos: Mapping[str, kg.Servo] | None = None) -> Step:
    known = {name: value or 0.0 for name, value in at.parameters.items()}

    def step(q: Array, v: Array, tau: Array, other: object, more: Mapping[str, float]) -> tuple[Array, Array]:
        model = at.with_parameters({name: known[name] + by for name, by in more.items()}) if more else at
        sim = kg.Simulator(model, dt=DT, integrator=integrator, q=q, v=v, tau=tau, servos=servos)
        sim.step()
        return sim.q, sim.v

    return step


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("first", ["free", "planar"])
def test_springs_dampers_friction_and_parameters(first: str, integrator: str) -> None:
    at = kg.compile(sprung(first)).with_parameters(k=12.0, m=1.1)
    rng = np.random.default_rng(2)
    q = at.integrate(at.neutral(), 0.4 * rng.normal(size=at.nv))
    v, tau = 0.6 * rng.normal(size=at.nv), rng.normal(size=at.nv)
    found = kg.step_derivatives(at, q, v, tau, dt=DT, integrator=integrator, parameters=("k", "m"))
    expected = differences(at, stepped(at, integrator), (q, v, tau), 2e-3, ("k", "m"))
    got = np.hstack([found.A, found.B, found.by_parameter])
    dry = at.nv + at.v_slice("dry").start  # friction bends within 0.001 rad/s: smaller steps
    fine = differences(at, stepped(at, integrator), (q, v, tau), 2e-5, ("k", "m"))
    smooth = np.arange(got.shape[1]) != dry
    assert error(got[:, smooth], expected[:, smooth]) < 1e-8
    assert error(got, fine) < 1e-7
    end = stepped(at, integrator)(q, v, tau, None, {})
    assert error(found.q, end[0]) < 1e-12 and error(found.v, end[1]) < 1e-11 and found.at_limit == ()


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_servos(integrator: str) -> None:
    """Implicit gains, one servo at its limit, targets; a servo that only just reaches its limit is a kink."""
    at = kg.compile(kg.load(FOLDER / "panda_description/urdf/panda.urdf", mimic="independent"), contacts=False)
    rng = np.random.default_rng(3)
    q, v, tau = (
        np.array([0.1, 0.2, -0.1, -1.5, 0.2, 1.4, 0.3, 0.02, 0.02]),
        0.1 * rng.normal(size=at.nv),
        rng.normal(size=at.nv),
    )
    one, two = at.joint_names[1], at.joint_names[3]
    servos = {
        one: kg.Servo(kp=3000.0, kd=40.0, position=0.4, velocity=0.2),
        two: kg.Servo(kp=900.0, position=2.0, limit=5.0),
    }
    found = kg.step_derivatives(at, q, v, tau, dt=DT, integrator=integrator, servos=servos)
    assert found.at_limit == (two,)
    expected = differences(at, stepped(at, integrator, servos), (q, v, tau), 1e-3)
    assert error(np.hstack([found.A, found.B]), expected) < 1e-7
    for column, part in enumerate(("position", "velocity")):

        def moved(s: float, part: str = part) -> Array:
            others = {**servos, one: replace(servos[one], **{part: getattr(servos[one], part) + s})}
            return np.concatenate(stepped(at, integrator, others)(q, v, tau, None, {}))

        assert error(found.targets[:, 2 * column], (moved(1e-3) - moved(-1e-3)) / 2e-3) < 1e-7
        assert not found.targets[:, 2 * column + 1].any()
    still, rest = np.zeros(at.nv), {one: kg.Servo(kp=100.0, position=q[1] + 0.05, limit=5.0)}
    if integrator == "rk4":
        with pytest.raises(kg.ModelError, match=f"servo of joint '{one}' just reaches its limit: .* a kink"):
            kg.step_derivatives(at, q, still, dt=DT, integrator=integrator, servos=rest)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("first", ["free", "planar"])
def test_servos_where_coordinates_do_not_add(first: str, integrator: str) -> None:
    """By the state and along the tangent at the targets, one entry at its limit; half a turn off is a kink."""
    at = kg.compile(sprung(first)).with_parameters(k=12.0, m=1.1)
    rng = np.random.default_rng(2)
    q = at.integrate(at.neutral(), 0.4 * rng.normal(size=at.nv))
    goal, v, tau = at.integrate(q, 0.8 * rng.normal(size=at.nv)), 0.6 * rng.normal(size=at.nv), rng.normal(size=at.nv)
    base, ball, n = at.q_slice("base"), at.q_slice("ball"), at.v_slice("base").stop
    servos = {
        "base": kg.Servo(900.0, 40.0, goal[base], 0.3, limit=[np.inf, 5.0, *[np.inf] * (n - 2)]),
        "ball": kg.Servo(300.0, [1.0, 2.0, 3.0], goal[ball]),
    }
    found = kg.step_derivatives(at, q, v, tau, dt=DT, integrator=integrator, servos=servos)
    expected = differences(at, stepped(at, integrator, servos), (q, v, tau), 2e-4)
    smooth = np.arange(3 * at.nv) != at.nv + at.v_slice("dry").start
    assert error(np.hstack([found.A, found.B])[:, smooth], expected[:, smooth]) < 1e-8 and found.at_limit == ("base",)

    def moved(way: Array) -> Array:
        target = at.integrate(goal, way)
        others = {"base": replace(servos["base"], position=target[base]),
                  "ball": replace(servos["ball"], position=target[ball])}  # fmt: skip
        end = stepped(at, integrator, others)(q, v, tau, None, {})
        return np.concatenate([at.difference(found.q, end[0]), end[1]])

    ways = 1e-5 * np.eye(at.nv)[: n + 3]
    by_target = np.array([(moved(way) - moved(-way)) / 2e-5 for way in ways]).T
    assert error(found.targets[:, : n + 3], by_target) < 1e-7 and np.abs(by_target).max() > 0.1
    half = at.integrate(q, np.pi * np.eye(at.nv)[at.v_slice("ball").start])
    with pytest.raises(kg.ModelError, match="servo of joint 'ball' is half a turn off its target: there the step has"):
        kg.step_derivatives(at, q, v, dt=DT, integrator=integrator, servos={"ball": kg.Servo(1.0, 0.0, half[ball])})


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.sweep) for seed in (1, 2, 3))])
def test_random_trees(seed: int) -> None:
    """All kinds of joints, mimics and rotors among them; slow enough for the semi-implicit step to stay simple."""
    at = kg.compile(random_mechanism(seed, bodies=4 + seed), contacts=False)
    rng = np.random.default_rng(seed)
    q = at.integrate(at.neutral(), 0.5 * rng.normal(size=at.nv))
    v, tau = 0.2 * rng.normal(size=at.nv), rng.normal(size=at.nv)
    for integrator in ("semi_implicit", "rk4"):
        found = kg.step_derivatives(at, q, v, tau, dt=DT, integrator=integrator)
        expected = differences(at, stepped(at, integrator), (q, v, tau), 1e-3)
        assert error(np.hstack([found.A, found.B]), expected) < 1e-7


def test_refusals() -> None:
    at = kg.compile(cart_pole())
    with pytest.raises(kg.ModelError, match=r"links turn by more than 0\.03 rad"):
        kg.step_derivatives(at, [0.0, 0.3], [0.0, 40.0], dt=1e-3)
    assert kg.step_derivatives(at, [0.0, 0.3], [0.0, 40.0], dt=1e-3, integrator="rk4").A.shape == (4, 4)
    with pytest.raises(kg.ModelError, match="has no parameter 'mass'"):
        kg.step_derivatives(at, [0.0, 0.3], [0.0, 0.0], parameters=("mass",))
    box = kg.Link("box", mass=1.0, inertia=(1, 0, 0, 1, 0, 1), shapes=[kg.box((0.2, 0.2, 0.2))])
    drop = kg.Mechanism("drop", [box], [kg.Joint("float", "free", "world", "box")], shapes=[kg.plane()])
    touching = kg.compile(drop)
    q = touching.neutral()
    q[2] = 0.0999
    for integrator in ("semi_implicit", "rk4"):
        found = kg.step_derivatives(touching, q + 1e-5 * np.eye(7)[2], np.zeros(6), integrator=integrator)
        assert {point.mode for point in found.points} == {"sticks"}
    assert kg.step_derivatives(touching, q, np.zeros(6), contacts=False, integrator="rk4").v[2] < 0.0
    bounded = kg.compile(
        kg.Mechanism("door", [kg.Link("a", **BOX)], [kg.Joint("hinge", "revolute", "world", "a", limits=(-1.0, 0.5))])
    )
    for integrator in ("semi_implicit", "rk4"):
        stopped = kg.step_derivatives(bounded, [0.5], [3.0], [1.0], integrator=integrator)
        assert stopped.points[0].mode == "presses" and stopped.points[0].bends and abs(stopped.v[0]) < 1e-12


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("off", [0.0, *(10.0**-k for k in range(9, 16))])
def test_a_gimbal_at_its_lock_is_refused(off: float, integrator: str) -> None:
    """Where rounding leaves no inverse of the inertia, and where it leaves one that is nothing but rounding."""
    body = kg.Link("a", 1.0, (0.1, 0.2, 0.3), kg.inertia.box(1.0, (0.1, 0.2, 0.3)))
    at = kg.compile(kg.Mechanism("ring", [body], [kg.Joint("j", "gimbal", "world", "a")]))
    told = r"inertia is singular: j\[0\], j\[2\] can move there|has no derivatives here|stops being finite"
    with pytest.raises(kg.ModelError, match=told):
        kg.step_derivatives(at, [0.1, np.pi / 2 + off, 0.2], [0.0, 0.0, 0.0], integrator=integrator)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kp", [1e8, 1e12, 1e100])
def test_stages_beyond_all_numbers_are_refused_by_an_error_alone(kp: float) -> None:
    """A servo so stiff that a stage turns a ball joint very far: no warning comes with the error."""
    link = kg.Link("b", 1.0, (0.3, 0.1, 0), kg.inertia.sphere(1.0, 0.1))
    hinge = kg.Joint("hinge", "revolute", "b", "c", kg.Pose((0.5, 0, 0)), axis=(0, 1, 0))
    chain = kg.Mechanism("far", [link, replace(link, name="c")], [kg.Joint("ball", "spherical", "world", "b"), hinge])
    at = kg.compile(chain)
    servos = {"hinge": kg.Servo(kp, kp / 100.0, 0.1)}
    with pytest.raises(kg.ModelError, match=r"take a (shorter|smaller) dt"):
        kg.step_derivatives(at, at.neutral(), np.zeros(4), integrator="rk4", servos=servos)


def test_every_integrator_has_formulas_of_its_own() -> None:
    assert WAYS.keys() == REASONS.keys() == INTEGRATORS.keys()
    assert len(set(WAYS.values())) == len(INTEGRATORS)
