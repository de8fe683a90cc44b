"""Derivatives of steps with contact, limits and dry friction against differences of the exactly solved step; kinks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.runtime.derivatives.touching.solved import Contacts, solved, swept
from support.contact.step_differences import DT, FIRST, INTEGRATORS, Case, assert_agree
from support.mechanisms.robots import FOLDER
from support.oracles.numeric import Array

BODY = {"mass": 1.3, "com": (0.01, 0.02, -0.01), "inertia": (1.1e-2, 1e-3, 0, 1.2e-2, 0, 0.9e-2)}


def body(name: str, *shapes: object) -> kg.Link:
    return kg.Link(name, **BODY, shapes=list(shapes))


def flying(name: str, *bodies: kg.Link, ground: kg.Shape | None = None) -> kg.Mechanism:
    joints = [kg.Joint(f"float_{link.name}", "free", "world", link.name) for link in bodies]
    return kg.Mechanism(name, list(bodies), joints, shapes=[ground or kg.plane(friction=0.5)])


def moving(at: kg.Model, q: Array, *world: float) -> Array:
    """(nv) velocities of free bodies, by those of their origins and angular ones in world axes."""
    v = np.array(world, dtype=float).reshape(-1, 2, 3)
    turns = at.link_poses(q)[:, :3, :3]
    return np.concatenate([np.concatenate([R.T @ part[0], R.T @ part[1]]) for R, part in zip(turns, v, strict=True)])


def turned(at: kg.Model, height: float) -> Array:
    q = at.integrate(at.neutral(), np.array([0, 0, 0, 0.3, -0.7, 0.4]))
    q[2] = height
    return q


def test_ball_and_its_friction() -> None:
    """Rolls, slips, bounces, comes, flies; by its friction as well."""
    ball = flying("ball", body("b", kg.sphere(0.1, friction=sympy.Symbol("mu"), restitution=0.5)))
    at = kg.compile(ball).with_parameters(mu=0.5)
    q, coming = turned(at, 0.09995), turned(at, 0.1002)
    assert_agree(at, Case(q, moving(at, q, 0.05, 0.02, 0, -0.2, 0.5, 0.1), ("sticks",), parameters=["mu"]))
    assert_agree(at, Case(q, moving(at, q, 1.0, 0.5, -0.01, 0, 0.3, 0.2), ("slips",), parameters=["mu"]))
    found = assert_agree(at, Case(q, moving(at, q, 2.0, -1.6, -1.2, 2.0, 1.0, 0.5), ("slips",)))
    assert at.frame_velocity(found.q, found.v, "b")[2] > 0.5
    assert_agree(at, Case(coming, moving(at, q, 0.01, 0.01, -0.4, 0, 0, 2.0), ("sticks",)))
    assert_agree(at, Case(coming, moving(at, q, 0.3, 0.1, 0.2, 1, 0, 2.0), ("parts",)))


def test_a_mass_centre_that_is_a_parameter() -> None:
    """Of a body that spins while it strikes the ground, by the place of its mass centre."""
    link = replace(body("b", kg.sphere(0.1, friction=0.5)), com=(sympy.Symbol("x"), 0.02, -0.01))
    at = kg.compile(flying("eccentric", link)).with_parameters(x=0.03)
    q = turned(at, 0.09995)
    assert_agree(at, Case(q, moving(at, q, 20.0, -16.0, -1.2, 5.0, 9.0, 7.0), ("slips",), parameters=["x"]))


def test_a_bar_that_a_servo_of_a_ball_joint_presses_down() -> None:
    shape = kg.sphere(0.05, pose=kg.Pose((0.5, 0, 0)), friction=0.4)
    bar = kg.Link("bar", 1.0, (0.25, 0, 0), (0.01, 0, 0, 0.02, 0, 0.02), shapes=[shape])
    joint = kg.Joint("ball", "spherical", "world", "bar", kg.Pose((0, 0, 0.05)))
    at = kg.compile(kg.Mechanism("pressed_bar", [bar], [joint], shapes=[kg.plane(friction=0.4)]))
    q = at.integrate(at.integrate(at.neutral(), [0, 8e-5, 0]), [0.1, 0, 0])
    servos = {"ball": kg.Servo(100.0, 5.0, [0.0, 0.15, 0.0, np.sqrt(1 - 0.15**2)])}
    assert_agree(at, Case(q, np.zeros(3), ("sticks",), servos=servos))
    assert_agree(at, Case(q, np.array([0.1, 0.03, 0.4]), ("slips",), servos=servos))


def test_moments_of_a_point() -> None:
    """Torsional and rolling friction: spins while it rolls, and is held."""
    soft = {"friction": 0.5, "torsion": 0.02, "rolling": 0.05}
    at = kg.compile(flying("soft", body("b", kg.sphere(0.1, **soft)), ground=kg.plane(**soft)))
    q = turned(at, 0.09995)
    assert_agree(at, Case(q, moving(at, q, 0.1, 0.02, 0, -0.2, 1.0, 3.0), ("sticks", "slips")))
    assert_agree(at, Case(q, np.zeros(6), ("sticks", "sticks")))


@pytest.mark.sweep
def test_three_feet_at_random() -> None:
    """A body on three balls, which stick, slip and part."""
    places = ((0.1, 0, -0.08), (-0.05, 0.1, -0.08), (-0.05, -0.1, -0.08))
    at = kg.compile(flying("tripod", body("b", *(kg.sphere(0.02, pose=kg.Pose(p), friction=0.2) for p in places))))
    rng, q = np.random.default_rng(2), at.neutral()
    q[2] = 0.09996
    assert_agree(at, Case(q, np.zeros(6), ("sticks",) * 3))
    assert_agree(at, Case(q, np.array([0.2, 0.1, -0.02, 0, 0, 1.5]), ("slips",) * 3))
    assert_agree(at, Case(q, np.array([1.0, 0.3, 0, 0, 0, 0.4]), ("slips", "slips", "parts"), tau=rng.normal(size=6)))


@FIRST
def test_two_bodies_touch_each_other(integrator: str) -> None:
    """A ball on a ball, which slips on it and rolls on the ground."""
    at = kg.compile(flying("two", body("a", kg.sphere(0.1, friction=0.4)), body("b", kg.sphere(0.08, friction=0.7))))
    q = at.neutral()
    q[2], q[7:10] = 0.09998, [0.1, 0.05, np.sqrt(0.18**2 - 0.1**2 - 0.05**2) + 0.09994]
    v = np.array([0.1, 0, 0, 1, 1, 0, 0.2, 0.1, -1, 0, 0, 3])
    assert_agree(at, Case(q, v, ("sticks", "sticks")), bound=1e-7, integrators=[integrator])


def test_pendulum_that_hits_a_wall() -> None:
    """With restitution and a damper; by its mass, which rebounds do not feel and rest does."""
    m = sympy.Symbol("m")
    ball = kg.sphere(0.05, pose=kg.Pose((0, 0, -0.5)), friction=0.5, restitution=0.6)
    rod = kg.Link("rod", mass=m, com=(0, 0, -0.3), inertia=(0.03, 0, 0, 0.03, 0, 0.001), shapes=[ball])
    hinge = kg.Joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0), damping=0.1)
    wall = kg.plane(pose=kg.Pose((-0.3, 0, 0), rpy=(0, np.pi / 2, 0)), friction=0.5)
    at = kg.compile(kg.Mechanism("wall", [rod], [hinge], shapes=[wall])).with_parameters(m=1.2)
    q = np.array([np.pi / 6 + 1e-4])
    found = assert_agree(at, Case(q, np.array([1.0]), ("slips",), parameters=["m"]))
    assert found.v[0] == pytest.approx(-0.6)
    assert_agree(at, Case(q, np.array([0.02]), ("sticks",), parameters=["m"]))
    assert_agree(at, Case(q, np.array([-0.02]), ("parts",), np.array([0.2]), parameters=["m"]))


def test_limits_and_dry_friction() -> None:
    """A joint that comes to its stop beside one that friction holds, or does not, under a servo."""
    links = [kg.Link(n, mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0, 0, 0.02, 0, 0.01)) for n in "ab"]
    first = kg.Joint("first", "revolute", "world", "a", axis=(0, 1, 0), limits=(-1, 0.5))
    second = kg.Joint("second", "revolute", "a", "b", kg.Pose((0, 0, -0.4)), axis=(0, 1, 0), friction=0.3)
    at = kg.compile(kg.Mechanism("stops", links, [first, second], gravity=(0, 0, 0)), rows=kg.RowRules(friction=True))
    servos = {"second": kg.Servo(kp=100.0, kd=4.0, position=0.31)}
    q, tau = np.array([0.4998, 0.3]), np.array([6.0, 0.2])
    found = assert_agree(at, Case(q, np.array([0.9, 0.2]), ("presses", "slips"), tau, servos))
    assert found.points[0].name == "the limit of joint 'first'"
    assert found.points[1].name == "dry friction of joint 'second'"
    assert_agree(at, Case(q, np.array([0.1, 0.0]), ("parts", "sticks"), np.array([-0.1, 0.2])))
    assert_agree(at, Case(q, np.array([-1.0, 0.0]), ("parts", "slips"), tau))


def test_leg_whose_foot_slides() -> None:
    """A double pendulum on a ceiling, its foot on the ground, under servos; with its targets."""
    links = [kg.Link("a", **BODY), body("b", kg.sphere(0.04, pose=kg.Pose((0, 0, -0.5)), friction=0.6))]
    joints = [
        kg.Joint("hip", "universal", "world", "a", axis=(1, 0, 0), axis2=(0, 1, 0)),
        kg.Joint("knee", "revolute", "a", "b", kg.Pose((0, 0, -0.5)), axis=(0, 1, 0)),
    ]
    ground = kg.plane(pose=kg.Pose((0, 0, -0.9)), friction=0.6)
    at = kg.compile(kg.Mechanism("leg", links, joints, shapes=[ground]))
    servos = {"knee": kg.Servo(kp=300.0, kd=5.0, position=0.9), "hip": kg.Servo(kp=50.0, kd=1.0, position=(0.1, 0.2))}
    one = {"knee": replace(servos["knee"], velocity=0.3)}
    low, high = np.array([0.2, -0.35, 0.4]), np.array([0.2, -0.35, 1.2])
    for _ in range(60):  # until the foot is 3e-5 m deep
        q = 0.5 * (low + high)
        height = (at.frame_pose(q, "b") @ np.array([0, 0, -0.5, 1.0]))[2] + 0.86 + 3e-5
        low, high = (q, high) if height < 0.0 else (low, q)
    assert_agree(at, Case(q, np.zeros(3), ("sticks",), servos=servos))
    assert_agree(at, Case(q, np.array([0.6, 0.4, -0.3]), ("slips",), servos=one), targets=True)


@pytest.mark.parametrize(
    "axis", [*(pytest.param(axis, marks=pytest.mark.sweep) for axis in ((0, 1, 0), (1, 0, 0))), (1, 2, 0)]
)
def test_leg_in_a_plane(axis: tuple[float, float, float]) -> None:
    """Nothing moves across it, whichever way the tangents of its foot point: it sticks and slips."""
    links = [kg.Link("a", **BODY), body("b", kg.sphere(0.04, pose=kg.Pose((0, 0, -0.5)), friction=0.6))]
    hip = kg.Joint("hip", "revolute", "world", "a", axis=axis)
    knee = kg.Joint("knee", "revolute", "a", "b", kg.Pose((0, 0, -0.5)), axis=axis)
    ground = kg.plane(pose=kg.Pose((0, 0, -0.5 * np.cos(0.3) - 0.5 * np.cos(0.5) - 0.04 + 3e-5)), friction=0.6)
    at = kg.compile(kg.Mechanism("flat_leg", links, [hip, knee], shapes=[ground]))
    q, tau = np.array([0.3, -0.8]), np.array([0.0, 4.0])
    assert_agree(at, Case(q, np.zeros(2), ("sticks",), tau))
    assert_agree(at, Case(q, np.array([0.6, 0.2]), ("slips",), tau))


def boxes() -> kg.Model:
    lower, upper = body("a", kg.box((0.3, 0.3, 0.2), friction=0.5)), body("b", kg.box((0.1, 0.12, 0.1), friction=0.5))
    return kg.compile(flying("boxes", lower, upper))


def stacked(at: kg.Model) -> Array:
    q = at.neutral()
    q[2], q[7:10] = 0.09998, [0.02, 0.03, 0.09998 + 0.15 - 2e-5]
    return q


@FIRST
def test_box_on_box(integrator: str) -> None:
    """Eight points, more than there are velocities: forces are many, the motion is one."""
    at = boxes()
    case = Case(stacked(at), np.zeros(12), ("sticks",) * 8, h=2e-6)
    assert_agree(at, case, bound=1e-7, integrators=[integrator])


def test_capsule_on_a_height_field() -> None:
    heights = [[0.02 * np.sin(1.3 * i) * np.cos(0.9 * j) for j in range(8)] for i in range(8)]
    ground = kg.height_field(heights, (1.4, 1.4), friction=0.6)
    at = kg.compile(flying("field", body("b", kg.capsule(0.1, 0.3, friction=0.5)), ground=ground))
    q = at.integrate(at.neutral(), np.array([0.05, 0.03, 0.0, 0.02, 1.5, 0.4]))
    for height in (0.2, 0.15, 0.12):
        q[2] = height
        sim = kg.Simulator(at, dt=DT, q=q, v=np.array([0, 0, 0, 0, 0, 300.0]))
        sim.step()
        if len(sim.contacts):
            q[2] -= (min(sim.contacts.gaps) + 5e-5) / sim.contacts.normals[np.argmin(sim.contacts.gaps), 2]
            break
    found = assert_agree(at, Case(q, moving(at, q, 0.3, 0.1, 0, 0.1, 0.2, 0.1), ("slips", "parts")))
    assert found.points[0].gap == pytest.approx(-5e-5, abs=2e-5)


@pytest.mark.sweep
def test_go2_stands() -> None:
    """A robot on its feet under servos, after it has come to rest."""
    go2 = kg.load(FOLDER / "go2_description/urdf/go2.urdf", root="free")
    at = kg.compile(replace(go2, shapes=[kg.plane(friction=0.8)]))
    q = at.q0.copy()
    q[2], q[7:] = 0.32, [0.02, 0.8, -1.5] * 4
    servos = {name: kg.Servo(kp=100.0, kd=3.0, position=q[at.q_slice(name)][0]) for name in at.joint_names[1:]}
    sim = kg.Simulator(at, dt=DT, q=q, servos=servos)
    sim.step(1500)
    q = sim.q.copy()
    q[2] -= 1e-6  # where no foot is just on the ground
    assert_agree(at, Case(q, sim.v, ("sticks", "parts") * 4, servos=servos, h=1e-7), bound=1e-7)


def assert_refused(at: kg.Model, message: str, q: Array, v: Array | None = None, **more: object) -> None:
    with pytest.raises(kg.ModelError, match=message):
        kg.step_derivatives(at, q, np.zeros(at.nv) if v is None else v, dt=DT, **more)  # type: ignore[arg-type]


def test_kinks_are_told() -> None:
    """Just touching, just slipping, just bouncing, an edge of a shape, too deep, and loads that nothing tells."""
    at = kg.compile(
        kg.Mechanism(
            "kinks",
            [kg.Link("b", mass=1.0, inertia=(0.01, 0, 0, 0.01, 0, 0.01), shapes=[kg.sphere(0.1, restitution=0.5)])],
            [kg.Joint("float", "cartesian", "world", "b")],
            gravity=(0, 0, 0),
            shapes=[kg.plane(friction=0.5)],
        )
    )
    q, point = np.array([0, 0, 0.09995]), "the point between 'world' and 'b' at .*"
    assert_refused(at, point + "just touches", q)
    assert_refused(at, point + "just begins to slip", q, tau=np.array([-1.0, 0, -2.0]))
    assert_refused(at, point + "as fast as from where on it would bounce", q, np.array([0.1, 0, -0.05]))
    assert_refused(
        at, point + "lies 0.001 deep, more than may stay", np.array([0, 0, 0.099]), tau=np.array([0, 0, -1.0])
    )
    deep = kg.ContactOptions(depth=2e-3)
    found = kg.step_derivatives(at, [0, 0, 0.099], np.zeros(3), [0, 0, -1.0], dt=DT, contacts=deep)
    assert found.points[0].mode == "sticks" and found.A[2, 2] == pytest.approx(1.0) and np.allclose(found.A[3:], 0.0)
    surface = kg.step_derivatives(at, [0, 0, 0.1], np.zeros(3), [0, 0, -1.0], dt=DT)
    assert surface.points[0].bends and not found.points[0].bends and np.allclose(surface.A, found.A)
    box, flat = boxes(), np.zeros(12)
    q = stacked(box)
    q[7] = 0.1  # a side of the upper box above a side of the lower one
    assert_refused(box, "jumps to another place of the shapes|comes, goes", q, flat)
    flat[0:2] = 1.0, 0.4
    assert_refused(box, "how redundant points share the load decides", stacked(box), flat)


def sliding() -> kg.Model:
    """A ball that does not turn, on rails, on the ground."""
    ball = kg.Link("b", mass=1.0, inertia=(0.01, 0, 0, 0.01, 0, 0.01), shapes=[kg.sphere(0.1, friction=0.5)])
    rails = kg.Joint("rails", "cartesian", "world", "b")
    return kg.compile(kg.Mechanism("slide", [ball], [rails], shapes=[kg.plane(friction=0.5)]))


@pytest.mark.sweep
def test_what_slides_evenly_by_runge_kutta() -> None:
    """Its way is dt times the mean of its velocities: friction, once more, finds nothing to do. Where a servo keeps it
    so in this state alone, there is a kink."""
    at, q = sliding(), np.array([0, 0, 0.09995])
    assert_agree(at, Case(q, np.array([1.0, 0.3, 0.0]), ("slips",)))
    places = ((0.1, 0, -0.08), (-0.05, 0.1, -0.08), (-0.05, -0.1, -0.08))
    feet = [kg.sphere(0.02, pose=kg.Pose(place), friction=0.3) for place in places]
    crate = kg.Link("b", mass=2.0, inertia=(0.01, 0, 0, 0.01, 0, 0.01), shapes=feet)
    still = np.array([0, 0, 0.1 - 3e-5, 0, 0, 0, 1.0])
    assert_agree(
        kg.compile(flying("crate", crate)), Case(still, np.array([1.0, 0.3, 0, 0, 0, 0]), ("slips",) * 3, h=2e-6)
    )
    kp, kd, speed = 1e4, 10.0, 0.01
    a = -kp * speed / kd  # what the servo gives changes at the rate -(kp v + kd a)
    off = (a + 0.5 * 9.81 + kd * speed) / kp
    servos = {"rails": kg.Servo(kp=[kp, 0.0, 0.0], kd=[kd, 0.0, 0.0], position=[off, 0.0, 0.0])}
    assert_refused(at, "just begins to slip", q, np.array([speed, 0, 0]), servos=servos, integrator="rk4")
    assert_agree(at, Case(q, np.array([speed + 2e-3, 0, 0]), ("slips",), servos=servos, h=1e-6))


def test_what_slides_and_turns_by_runge_kutta() -> None:
    """Friction has to correct its way by little more than nothing: that is no kink, also where two feet share it and
    one of them has all it may have."""
    feet = [kg.sphere(0.03, pose=kg.Pose(p)) for p in ((0.1, 0, -0.1), (-0.1, 0.1, -0.1), (-0.1, -0.1, -0.1))]
    at = kg.compile(flying("feet", kg.Link("b", 2.0, inertia=kg.inertia.box(2.0, (0.3, 0.3, 0.1)), shapes=feet)))
    q = np.array([0, 0, 0.13 - 2e-5, 0, 0, 0, 1.0])
    for v, modes in (
        ((0.06286511, -0.06605243, 0, 0, 0, 0.32021133), ("slips", "parts", "slips")),
        ((0.65200002, 0.47354048, 0, 0, 0, -0.35186762), ("slips", "slips", "parts")),
        ((-0.02918569, 0.92666285, 0, 0, 0, 1.07999023), ("slips", "slips", "parts")),
    ):
        assert_agree(at, Case(q, np.array(v), modes, h=1e-6), integrators=["rk4"])


def test_a_way_that_just_begins_to_be_corrected_is_a_kink() -> None:
    """Where the way of a slide is exactly its mean velocity while a servo pulls; beside it either side has its own."""
    at, q, v = sliding(), np.array([0, 0, 0.09995]), np.array([1.0, 0, 0])

    def servos(target: float) -> dict[str, kg.Servo]:
        return {"rails": kg.Servo(kp=[100.0, 0, 0], kd=[100.0, 0, 0], position=[target, 0, 0])}

    def off(target: float) -> float:
        tau = np.array([-0.5 * 9.81, 0, 9.81])  # what the ground does
        sim = kg.Simulator(at, dt=DT, q=q, v=v, tau=tau, servos=servos(target), integrator="rk4", contacts=False)
        sim.step()
        return float(sim.q[0] / DT - 0.5 * (v[0] + sim.v[0]))

    just = off(0.0) / (off(0.0) - off(1.0))
    assert_refused(at, "just begins to slip", q, v, servos=servos(just), integrator="rk4")
    near, far = (
        [kg.step_derivatives(at, q, v, dt=DT, servos=servos(just + x), integrator="rk4").A[0, 3] for x in (-by, by)]
        for by in (1e-6, 0.1)
    )
    assert near == pytest.approx(far, abs=1e-12) and near[0] - near[1] > 5e-7


def test_kinks_of_runge_kutta() -> None:
    """Whether something strikes: contacts from the tolerance on, joints from rest on; what comes out of a depth."""
    at, q = sliding(), np.array([0, 0, 0.09995])
    strikes = "the point between 'world' and 'b' at .* comes as fast as from where on it strikes"
    assert_refused(at, strikes, q, np.array([0, 0, -1e-5]), integrator="rk4")
    slower, faster = (kg.step_derivatives(at, q, [1.0, 0, x], dt=DT, integrator="rk4").A for x in (0.0, -1e-4))
    assert slower[2, 5] == pytest.approx(0.5 * DT) and abs(faster[2, 5]) < 1e-12  # the mean of before and after; after
    assert_refused(at, "lies 0.0002 deep, more than may stay", np.array([0, 0, 0.0998]), integrator="rk4")
    link = kg.Link("a", mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0, 0, 0.02, 0, 0.01))
    stop = kg.Joint("hinge", "revolute", "world", "a", axis=(0, 1, 0), limits=(-1.0, 0.5))
    door = kg.compile(kg.Mechanism("door", [link], [stop], gravity=(0, 0, 0)))
    resting = {"q": np.array([0.5]), "tau": np.array([1.0]), "integrator": "rk4"}
    assert_refused(door, "the limit of joint 'hinge' comes as fast as from where on it strikes", **resting)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_what_leaves_a_limit_bends_and_what_leaves_a_surface_does_not(integrator: str) -> None:
    """Beyond its limit a joint is pushed back, whatever its velocity; within the depth that may stay a shape is not."""
    swing = kg.Joint("swing", "revolute", "world", "a", axis=(0, 1, 0), limits=(-1.0, 1.0))
    door = kg.compile(kg.Mechanism("leaving", [kg.Link("a", **BODY)], [swing]))
    found = [kg.step_derivatives(door, [q], [-1.0], dt=DT, integrator=integrator).points[0] for q in (1.0, 1.0 - 1e-5)]
    assert [(point.mode, point.bends) for point in found] == [("parts", True), ("parts", False)]
    lifted = kg.step_derivatives(sliding(), [0, 0, 0.1], [0, 0, 0.1], dt=DT, integrator=integrator)
    assert [(point.mode, point.bends) for point in lifted.points] == [("parts", False)]


@pytest.mark.parametrize("contacts", [None, kg.ContactOptions(depth=1.0)])
def test_a_joint_beyond_its_limit_is_told_as_such(contacts: kg.ContactOptions | None) -> None:
    """Not as a shape that lies too deep: a depth that may stay is of shapes alone."""
    swing = kg.Joint("swing", "revolute", "world", "a", axis=(0, 1, 0), limits=(-1.0, 1.0))
    door = kg.compile(kg.Mechanism("beyond", [kg.Link("a", **BODY)], [swing]))
    told = r"the limit of joint 'swing' is exceeded by 0\.1 \(rad or m\).*: start within .*limits=False"
    assert_refused(door, told, np.array([1.1]), contacts=contacts)
    assert kg.step_derivatives(door, [1.1], [0.0], dt=DT, limits=False).points == ()


def test_weakened_rebounds_are_refused() -> None:
    """A rod that strikes the ground aslant would gain energy by its friction, were its rebound not weakened."""
    ends = kg.capsule(0.02, 0.6, friction=0.6, restitution=0.9)
    rod = kg.Link("b", mass=1.0, inertia=(0.02, 0, 0, 0.02, 0, 0.001), shapes=[ends])
    at = kg.compile(flying("rod", rod, ground=kg.plane(friction=0.6)))
    q = np.array([0, 0, 0.23036135, 0.38647693, 0, 0.06197649, 0.92021437])
    q[3:] /= np.linalg.norm(q[3:])
    v = np.array([0.70982083, -1.17121934, -0.28653001, -1.38997242, 3.68926143, -3.31610132])
    for integrator in INTEGRATORS:
        assert_refused(at, "its rebounds are made weaker", q, v, integrator=integrator)


def test_what_else_is_refused() -> None:
    """Rows that lock, a motion that is given, and sweeps that go another way than the exact solution."""
    ball = body("b", kg.sphere(0.1, friction=0.5))
    rail = kg.RowRules(between=[kg.Rows("rail", "world", "b", axes="y")])
    locked = kg.compile(flying("locked", ball), rows=rail)
    q = locked.neutral()
    q[2] = 0.09995
    assert_refused(locked, "rows that lock links together", q)
    t = sympy.Symbol("t")
    led = kg.Joint("led", "prismatic", "world", "b", axis=(0, 0, 1), motion=0.1 * sympy.sin(t))
    assert_refused(kg.compile(kg.Mechanism("led", [ball], [led])), "the motion of joint 'led' is given", np.zeros(1))

    def pulled(force: float) -> Callable[[Contacts], kg.Simulator]:
        return lambda given: kg.Simulator(locked, dt=DT, q=q, tau=[force, 0, 0, 0, 0, 0], contacts=given)

    with pytest.raises(kg.ModelError, match="Coulomb's law has several solutions in this step"):
        solved(pulled(0.0), None, swept(pulled(30.0), None), False)
