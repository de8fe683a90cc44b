"""Linear models and equilibria: differences of the whole motion, textbook values, refusals."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.analysis.loops.assembly import Assembly
from support.mechanisms.closed_models import hinged, model
from support.oracles.mechanisms import cart_pole
from support.oracles.numeric import Array, error
from support.rolling.mechanisms import disc
from support.rolling.oracle import state

H = 1e-4


def sprung(name: str = "sprung") -> kg.Mechanism:
    """A planar body on a slide with spring and damper, below it a ball joint with springs, then a damped hinge."""
    box = {"mass": 1.3, "com": (0.05, 0.1, -0.4), "inertia": (0.1, 0.01, 0.0, 0.12, 0.02, 0.09)}
    return kg.Mechanism(
        name,
        [kg.Link("a", **box), kg.Link("b", **box), kg.Link("c", **box)],
        [
            kg.Joint("slide", "prismatic", "world", "a", axis=(1, 0, 0), stiffness=40.0, damping=0.7),
            kg.Joint("ball", "spherical", "a", "b", kg.Pose((0, 0, -0.3)), stiffness=9.0, damping=0.2),
            kg.Joint("hinge", "revolute", "b", "c", kg.Pose((0, 0, -0.5)), axis=(0, 1, 0), friction=0.3, damping=0.1),
        ],
    )


def test_springs_dampers_and_ball() -> None:
    """A of the accelerations by differences; of the displacements by the motion of two states over a short time."""
    at, rng = kg.compile(sprung()), np.random.default_rng(1)
    q, v, tau = at.integrate(at.neutral(), 0.3 * rng.normal(size=at.nv)), rng.normal(size=at.nv), rng.normal(size=at.nv)
    found = kg.linearize(at, q, v, tau)
    n = at.nv
    for j in range(2 * n):
        e = np.eye(2 * n)[j]

        def moved(s: float, e: Array = e) -> Array:
            beside, speed = at.integrate(q, s * e[:n]), v + s * e[n:]
            return at.forward_dynamics(beside, speed, tau + at.passive_forces(beside, speed))

        column = (8 * (moved(H) - moved(-H)) - (moved(2 * H) - moved(-2 * H))) / (12 * H)
        assert np.abs(found.A[n:, j] - column).max() < 1e-6 * max(1.0, np.abs(column).max())
        d, t = 1e-5, 1e-4  # displacement between two states after time t, over d: 1 + t A
        ends = [at.integrate(at.integrate(q, s * d * e[:n]), t * (v + s * d * e[n:])) for s in (1, -1)]
        gone = (at.difference(ends[1], ends[0]) / (2 * d) - e[:n]) / t
        assert np.abs(gone - found.A[:n, j]).max() < 2e-3
    assert error(found.B[n:], np.linalg.inv(at.mass_matrix(q))) < 1e-10
    assert found.states[0] == "slide" and found.states[-1] == "d hinge" and found.inputs == at.actuators


@pytest.mark.parametrize("x", [(0.0, 0.0), (0.3, -0.2)])
def test_the_affine_step_of_a_moving_mass_on_a_spring_is_exact(x: tuple[float, float]) -> None:
    """x is what the state is beyond (q, v), wherever that moves: drift [v; a], and its hold over a second."""
    joint = kg.Joint("j", "prismatic", "world", "a", axis=(1, 0, 0), stiffness=4.0)
    at = kg.compile(kg.Mechanism("mass_on_spring", [kg.Link("a", 1.0)], [joint], gravity=(0, 0, 0)))
    q, v, force, dt = 0.2, 1.3, 0.7, 1.0
    assert kg.linearize(at, [q], [v], [force]).drift == pytest.approx([v, force - 4.0 * q])
    found = kg.linearize(at, [q], [v], [force], dt=dt)
    c, s = np.cos(2.0 * dt), np.sin(2.0 * dt)
    off, speed = q + x[0] - force / 4.0, v + x[1]  # from where the force holds it
    ends = force / 4.0 + c * off + s / 2.0 * speed, c * speed - 2.0 * s * off
    assert found.A @ x + found.drift == pytest.approx([ends[0] - q, ends[1] - v], rel=1e-12)


def moving(name: str) -> tuple[kg.Model, Array, Array]:
    """A closed mechanism, one with a ball, a body that floats and one that rolls: all of them move and turn."""
    rng = np.random.default_rng(7)
    if name == "four-bar":
        at = model(name)
        q = at.random(2)
        return at, q, at.W(q) @ np.full(at.nf, 1.5)
    if name == "disc":
        at = kg.compile(disc())
        return at, *at.project(*state(Assembly(disc(), ()), 3))
    body = kg.Link("body", 1.0, (0.1, 0.2, -0.1), kg.inertia.box(1.0, (0.1, 0.4, 0.8)))
    floating = kg.Mechanism("thrown", [body], [kg.Joint("float", "free", "world", "body", stiffness=2.0)])
    at = kg.compile(floating if name == "thrown" else sprung())
    return at, at.integrate(at.neutral(), 0.3 * rng.normal(size=at.nv)), rng.normal(size=at.nv)


@pytest.mark.parametrize("name", ["four-bar", "thrown", "sprung", "disc"])
def test_drift_of_a_moving_state_is_what_the_simulation_does(name: str) -> None:
    """Its step to the second order in dt; what begins beside it goes along axes that turn, by x + A x dt."""
    at, q, v = moving(name)
    found, leaders = kg.linearize(at, q, v), list(at.loops.leaders)
    along = at.forward_dynamics_derivatives(q, v, np.zeros(at.nv))
    places, T = (list(along.positions), along.T) if at.manifest.closed else (leaders, np.eye(at.nv))
    n = len(places)
    a = at.forward_dynamics(q, v, at.passive_forces(q, v))
    np.testing.assert_allclose(found.drift, [*v[places], *a[leaders]], rtol=1e-12, atol=1e-12)

    def stepped(x: Array, dt: float) -> Array:
        near = at.assemble(at.integrate(q, T @ x[:n]), hold=at.independent) if x[:n].any() else q
        speed = at.W(near) @ (v[leaders] + x[n:])
        sim = kg.Simulator(at, dt=dt / 2, integrator="rk4", q=near, v=speed)
        sim.step(2)
        carried = at.difference(at.integrate(q, dt * v), sim.q) + dt * v
        return np.concatenate([carried[places], (sim.v - v)[leaders]])

    for dt in (1e-3, 5e-4):
        held, size = kg.linearize(at, q, v, dt=dt), float(np.abs([*found.A.ravel(), *found.drift]).max())
        assert np.abs(stepped(np.zeros(len(found.A)), dt) - held.drift).max() < dt**3 * size**3
        for k in range(len(found.A)):
            x = 1e-4 * np.eye(len(found.A))[k]
            went = (stepped(x, dt) - stepped(-x, dt)) / 2e-4
            assert np.abs(went - held.A[:, k]).max() < dt**2 * size**2


def test_cart_pole_textbook() -> None:
    """A and B of the cart-pole upright, poles, the discrete model, and outputs of a frame."""
    cart, m, length, inertia = 2.0, 0.5, 0.6, 0.03
    at = kg.compile(cart_pole(cart, m, length, inertia))
    found = kg.linearize(at, np.zeros(2))
    M = np.array([[cart + m, m * length], [m * length, inertia + m * length**2]])
    G = np.array([[0.0, 0.0], [0.0, m * 9.81 * length]])
    assert error(found.A, np.block([[np.zeros((2, 2)), np.eye(2)], [np.linalg.solve(M, G), np.zeros((2, 2))]])) < 1e-12
    assert error(found.B[2:], np.linalg.inv(M)) < 1e-12
    grows = np.sqrt((cart + m) * m * 9.81 * length / np.linalg.det(M))
    assert np.abs(np.sort(found.poles.real) - [-grows, 0.0, 0.0, grows]).max() < 1e-6
    step = kg.linearize(at, np.zeros(2), dt=0.05)
    assert np.abs(np.sort(step.poles.real) - np.exp(0.05 * np.array([-grows, 0, 0, grows]))).max() < 1e-7
    seen = kg.linearize(at, np.zeros(2), frames=["pole"])
    assert seen.outputs[0] == "pole.x" and error(seen.C[:, :2], at.frame_jacobian(np.zeros(2), "pole")) < 1e-12


@pytest.mark.parametrize(
    "stiffness,damping,dt,part", [(1e8, 1e4, 10.0, 1e-10), (1e10, 1e6, 1e-3, 1e-7), (0.0, 0.0, 0.3, 1e-14)]
)
def test_a_long_step_of_a_stiff_mechanism_keeps_what_is_slow(
    stiffness: float, damping: float, dt: float, part: float
) -> None:
    """Against the exponential in sixty digits."""
    stiff = kg.Joint("j", "revolute", "world", "a", axis=(0, 1, 0), stiffness=stiffness, damping=damping)
    loose = kg.Joint("k", "revolute", "a", "b", kg.Pose((0, 0, -1.0)), axis=(0, 1, 0))
    at = kg.compile(kg.Mechanism("stiff", [kg.Link(name, 1.0, (0, 0, -0.5)) for name in "ab"], [stiff, loose]))
    slow, held = kg.linearize(at, np.zeros(2)), kg.linearize(at, np.zeros(2), dt=dt)
    n, m = slow.B.shape
    with mpmath.workdps(60):
        whole = mpmath.matrix(np.vstack([np.hstack([slow.A, slow.B]), np.zeros((m, n + m))]).tolist())
        exact = np.array(mpmath.expm(whole * dt).tolist(), dtype=float)
    assert np.abs(held.A - exact[:n, :n]).max() < part * np.abs(exact[:n, :n]).max()
    assert np.abs(held.B - exact[:n, n:]).max() < part * np.abs(exact[:n, n:]).max()
    assert np.abs(held.poles).max() < 1.0 + 1e-12


@pytest.mark.parametrize("dt", [1e6, 1e306, 1e308])
def test_a_step_in_which_what_is_unstable_outgrows_numbers_is_refused(dt: float) -> None:
    at = kg.compile(cart_pole())
    assert np.isfinite(kg.linearize(at, np.zeros(2), dt=50.0).A).all()
    with pytest.raises(kg.ModelError, match=r"dt is too long: in a step of 1e\+\d+ s .* take a smaller dt"):
        kg.linearize(at, np.zeros(2), dt=dt)


def test_closed_modes_and_equilibria() -> None:
    """The four-bar hangs where its energy is least; its frequency is that of small swings in the simulation."""
    at = model("four-bar")
    rest = kg.equilibrium(at, at.random(3), np.zeros(at.nv))
    assert rest.residual < 1e-9 and np.abs(at.closure_residual(rest.q)).max() < 1e-9
    found = kg.linearize(at, rest.q, tau=rest.tau)
    mode = found.modes()[0]
    push = at.W(rest.q)[:, 0]
    heights = [at.energy(at.assemble(at.integrate(rest.q, s * push), hold=at.independent), np.zeros(at.nv))[1]
               for s in (-1e-3, 0.0, 1e-3)]  # fmt: skip
    stiff = (heights[0] - 2 * heights[1] + heights[2]) / 1e-6
    mass = push @ at.mass_matrix(rest.q) @ push
    assert mode.pole**2 == pytest.approx(-stiff / mass, rel=1e-4)
    held = kg.equilibrium(at, at.random(5))
    assert np.abs(at.forward_dynamics(held.q, np.zeros(at.nv), held.tau)).max() < 1e-8


def test_holding_and_refusals() -> None:
    at = kg.compile(cart_pole())
    leaning = kg.equilibrium(at, [0.2, 3.0], np.zeros(2), hold=["rail"])
    assert leaning.q == pytest.approx([0.2, np.pi]) and leaning.tau == pytest.approx([0.0, 0.0])
    body = kg.compile(kg.Mechanism("drop", [kg.Link("a", mass=1.0, inertia=(1, 0, 0, 1, 0, 1))],
                                   [kg.Joint("float", "free", "world", "a")]))  # fmt: skip
    with pytest.raises(kg.ModelError, match=r"no rest was found .* 9\.81"):
        kg.equilibrium(body, body.neutral(), np.zeros(6))
    with pytest.raises(kg.ModelError, match=r"no torques of its actuators \(none\) hold it"):
        kg.equilibrium(body, body.neutral())
    with pytest.raises(kg.ModelError, match="dt"):
        kg.linearize(at, np.zeros(2), dt=0.0)


def swinging(**options: object) -> kg.Model:
    """A rod on a hinge under gravity, level at q = 0."""
    rod = kg.Link("rod", 1.0, (0.5, 0, 0), kg.inertia.rod(1.0, 1.0))
    hinge = kg.Joint("a", "revolute", "world", "rod", **options)  # type: ignore[arg-type]
    return kg.compile(kg.Mechanism("swinging", [rod], [hinge], gravity=(0, -9.81, 0)), progress=False)


def test_rests_are_near() -> None:
    """Newton's step from nearly level would be many turns, from level its slope is zero; springs pull to the next."""
    at = swinging(limits=((-2.0, 1.0),))
    for q0, rest in ((-0.01, -np.pi / 2), (0.0, -np.pi / 2), (-1.9, -np.pi / 2)):
        assert kg.equilibrium(at, [q0], [0.0]).q == pytest.approx([rest])
    with pytest.raises(kg.ModelError, match=r"joint 'a' would rest at 1\.5708, beyond its limits -2 and 1"):
        kg.equilibrium(at, [0.1], [0.0])
    over = kg.equilibrium(at, [0.1], [0.0], limits=False)
    assert over.q == pytest.approx([np.pi / 2]) and kg.linearize(at, over.q).poles.real.max() > 1.0
    on_its_stop = kg.equilibrium(at, [1.0], [0.0], hold=["a"])
    assert on_its_stop.tau == pytest.approx([0.5 * 9.81 * np.cos(1.0)])
    sprung_rod = swinging(stiffness=0.5)
    for q0 in (-0.01, 0.1):
        assert kg.equilibrium(sprung_rod, [q0], [0.0]).q == pytest.approx([-1.4250187])


def test_a_rest_of_a_loop_past_where_accelerations_are_least() -> None:
    """From where Newton's method ends without one the four-bar falls on, and not many turns."""
    at = hinged(3.1315)
    rest = kg.equilibrium(at, at.q0, np.zeros(3))
    assert np.abs(rest.q - at.q0).max() < 1.5 * np.pi and rest.residual < 1e-9
    assert np.abs(at.closure_residual(rest.q)).max() < 1e-9


def test_a_motor_that_closes_the_loop_holds_joints_of_the_tree() -> None:
    """Their torques are the motor's through its own motion, which `actuator_torques` tells alone."""
    links = [kg.Link(n, 1.0, (x / 2, 0, 0), kg.inertia.rod(1.0, x)) for n, x in (("a", 0.3), ("b", 0.9), ("c", 0.7))]
    joints = [
        kg.Joint("a", "revolute", "world", "a", actuated=False, stiffness=0.5),
        kg.Joint("b", "revolute", "a", "b", kg.Pose((0.3, 0, 0)), actuated=False),
        kg.Joint("c", "revolute", "world", "c", kg.Pose((0.8, 0, 0)), actuated=False),
        kg.Joint("t", "revolute", "b", "c", kg.Pose((0.9, 0, 0)), kg.Pose((0.7, 0, 0)), cut=True),
    ]
    mechanism = kg.Mechanism("held_by_its_cut", links, joints, gravity=(0, -9.81, 0))
    at = kg.compile(mechanism, progress=False, at={"a": 1.2, "b": -0.9})
    rest, still = kg.equilibrium(at, at.q0), np.zeros(at.nv)
    motor = at.actuator_torques(rest.q, still, still, passive=True)
    assert at.actuators == ("t",) and rest.residual < 1e-9
    assert error(rest.tau, at.kernel("loop_jacobian")(rest.q).T @ motor) < 1e-10
    assert rest.tau == pytest.approx(motor[0] * np.array([-1.0, -1.0, 1.0]))


def chain(size: float, mass: float, time: float, stiffness: float = 3.0, gravity: float = 9.81) -> kg.Model:
    """A double pendulum with a motor and a spring above, a spring alone below, in any units."""
    bar = kg.inertia.rod(mass, size, axis=(0, 0, 1))
    links = [kg.Link(name, mass, (0, 0, -size / 2), bar) for name in ("upper", "lower")]
    k = stiffness * mass * size**2 / time**2
    at = kg.Pose((0, 0, -size))
    joints = [
        kg.Joint("a", "revolute", "world", "upper", axis=(0, 1, 0), stiffness=k, rest=0.31),
        kg.Joint("b", "revolute", "upper", "lower", at, axis=(0, 1, 0), stiffness=k / 3, rest=-0.17, actuated=False),
    ]
    pull = (0, 0, -gravity * size / time**2)
    return kg.compile(kg.Mechanism("chain", links, joints, gravity=pull), contacts=False, progress=False)


@pytest.mark.parametrize("mass", [1.0, 1e3, 1e8])
def test_what_swings_is_no_rest_however_heavy(mass: float) -> None:
    """A load that hangs off plumb from a hoist swings with g sin(θ) / length; in plumb it rests."""
    links = [kg.Link("trolley", 0.2 * mass), kg.Link("load", mass, (0, 0, -10.0))]
    joints = [
        kg.Joint("hoist", "prismatic", "world", "trolley", axis=(0, 0, 1)),
        kg.Joint("swing", "revolute", "trolley", "load", axis=(0, 1, 0), actuated=False),
    ]
    at = kg.compile(kg.Mechanism("crane", links, joints), contacts=False, progress=False)
    with pytest.raises(kg.ModelError, match=r"accelerations of 9\.81e-07 m/s² or rad/s² stay"):
        kg.equilibrium(at, [0.0, 1e-6])
    with pytest.raises(kg.ModelError, match="hold it at this q"):
        kg.equilibrium(at, [0.0, 0.3])
    for plumb in (0.0, np.pi):
        assert kg.equilibrium(at, [2.0, plumb]).tau == pytest.approx([1.2 * mass * 9.81, 0.0])


def test_stiff_mechanisms_come_to_rest() -> None:
    """The next number beside q changes accelerations by more than 1e-9 rad/s²; bent by weights over stiffness."""
    at = chain(0.06, 0.05, 1.0, stiffness=1e7 / (0.05 * 0.06**2), gravity=9.81 / 0.06)
    rest = kg.equilibrium(at, [0.3, 0.1], np.zeros(2))
    assert rest.q - [0.31, -0.17] == pytest.approx(-at.gravity([0.31, -0.17]) / [1e7, 1e7 / 3], rel=1e-5)
    assert kg.equilibrium(at, rest.q).q == pytest.approx(rest.q, abs=0.0)


@pytest.mark.parametrize("units", [(1.0, 1.0, 1.0), (1e-6, 1e-15, 1e-4), (1e6, 1e6, 1e6), (1e-6, 1e12, 1e3)])
def test_units_do_not_decide_what_rests(units: tuple[float, float, float]) -> None:
    """The same mechanism in other units of length, mass and time."""
    at = chain(*units)
    rest = kg.equilibrium(at, [0.3, 0.1], np.zeros(2))
    a, b = rest.q
    lower = 9.81 * 0.5 * np.sin(a + b)
    assert 3.0 * (a - 0.31) + 9.81 * 1.5 * np.sin(a) + lower == pytest.approx(0.0, abs=1e-10)
    assert b + 0.17 + lower == pytest.approx(0.0, abs=1e-10)
    assert kg.equilibrium(at, rest.q).q == pytest.approx(rest.q, abs=0.0)
    with pytest.raises(kg.ModelError, match=r"\(a\) hold it at this q"):
        kg.equilibrium(at, at.integrate(rest.q, [0.0, 1e-9]))
