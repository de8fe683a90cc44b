"""What connections carry against Newton's and Euler's equations of the link that they hold."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.kinds import KINDS

AXES = {
    "revolute": {"axis": (0.6, 0, 0.8)},
    "prismatic": {"axis": (0.6, 0, 0.8)},
    "helical": {"axis": (0.6, 0, 0.8), "pitch": 0.2},
    "universal": {"axis": (1, 0, 0), "axis2": (0.3, 1, 0)},
    "cylindrical": {"axis": (0.6, 0, 0.8)},
    "planar": {},
    "spherical": {},
    "free": {},
    "gimbal": {"axes": [(0, 0, 1), (0.2, 1, 0), (1, 0, 0.3)]},
    "cartesian": {"axes": [(1, 0.2, 0), (0, 1, 0.1), (0.3, 0, 1)]},
}
LIKE_OTHERS = ("helical", "cylindrical", "cartesian", "gimbal", "prismatic")
"""Of one axis and more, turning and sliding, as others are: left to the sweep."""
AT = (0.02, 0.1, -0.05)
"""Of the connections' frames in the body."""
DEPTHS = [("ball", 0.5), ("ball", 0.1), ("ball", 4.0), ("weld", 0.5), ("weld", 0.1)]
"""Of connections below a pivot [m]."""


def held(kind: str, **options: object) -> kg.TopologyLibrary:
    """A body that a connection holds; in its own frame that is turned, where the body is at q0."""
    body = kg.Link("body", 2.0, (0.05, -0.03, 0.1), kg.inertia.box(2.0, (0.3, 0.2, 0.1)))
    fly = kg.Joint("fly", "free", "world", "body")
    place = kg.Pose(AT, (0.3, -0.2, 0.5))
    hold = kg.Connection("hold", "world", "body", getattr(kg, kind)(**AXES[kind], **options), place, place)
    return kg.TopologyLibrary(kg.Mechanism(f"held_by_{kind}", [body], [fly]), [hold])


def needed(sim: kg.Simulator, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(6) [force; moment] on the body at the connection's frame, world axes, that gives it the acceleration a."""
    f, R = sim.model.inverse_dynamics(q, v, a), sim.model.frame_pose(q, "body")[:3, :3]
    return np.concatenate([R @ f[:3], R @ (f[3:] - np.cross(AT, f[:3]))])


def middle(sim: kg.Simulator) -> tuple[np.ndarray, np.ndarray]:
    """The wrench told between two steps, and the one that the change of velocity over them needs."""
    before = sim.v.copy()
    sim.step()
    q, v, told = sim.q.copy(), sim.v.copy(), sim.wrench("hold")
    sim.step()
    return told, needed(sim, q, v, (sim.v - before) / (2.0 * sim.dt))


@pytest.mark.parametrize("kind", [pytest.param(k, marks=pytest.mark.sweep if k in LIKE_OTHERS else ()) for k in AXES])
def test_springs_dampers_and_torques_belong_to_it(kind: str) -> None:
    """Of every kind of joint that moves, in motion."""
    rng, n = np.random.default_rng(1), KINDS[kind].nv
    stiffness, damping = rng.uniform(5.0, 20.0, n), rng.uniform(0.5, 2.0, n)
    tau = {"hold": 3.0 * rng.normal(size=n)} if kind != "free" else None
    sim = kg.Simulator(
        held(kind, stiffness=stiffness.tolist(), damping=damping.tolist()),
        active={"hold"}, integrator="rk4", dt=1e-4, tau=tau,
    )  # fmt: skip
    sim.v = sim.model.project(sim.q, rng.normal(size=6))[1]
    sim.step(1000)
    told, wanted = middle(sim)
    assert np.abs(wanted).max() > 1.0
    assert np.abs(told - wanted).max() < 1e-5 * np.abs(wanted).max()


@pytest.mark.parametrize("what", ["stop", pytest.param("friction", marks=pytest.mark.sweep), "servo"])
@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_so_do_stops_friction_and_servos(what: str, integrator: str) -> None:
    """A body that swings on a hinge; on the stop that it comes to rest on the moment is that of its weight."""
    options = {"stop": {"limits": (-0.1, 0.15), "damping": 0.5}, "friction": {"friction": 0.2}, "servo": {}}[what]
    servos = {"hold": kg.Servo(kp=20.0, kd=1.0, position=0.4)} if what == "servo" else {}
    sim = kg.Simulator(held("revolute", **options), active={"hold"}, integrator=integrator, dt=2e-4, servos=servos)
    sim.step(5000 if what == "stop" else 500)
    told, wanted = middle(sim)
    size = np.abs(wanted).max()
    assert np.abs(told - wanted).max() < (2e-2 if integrator == "semi_implicit" else 2e-3) * size
    if what == "stop":
        assert np.abs(sim.v).max() < 1e-6 * size


def test_a_spring_breaks_under_what_hangs_on_it() -> None:
    crate = kg.Link("crate", 10.0, inertia=kg.inertia.sphere(10.0, 0.1))
    spring = kg.Connection("hang", "world", "crate", kg.prismatic(axis=(0, 0, 1), stiffness=5000.0, damping=300.0))
    lib = kg.TopologyLibrary(kg.Mechanism("crate", [crate], [kg.Joint("fly", "free", "world", "crate")]), [spring])
    sim = kg.Simulator(lib, active={"hang"})
    sim.run(1.0)
    assert sim.wrench("hang") == pytest.approx([0, 0, 98.1, 0, 0, 0], abs=1e-6)
    sim = kg.Simulator(lib, active={"hang"})
    sim.when(kg.force("hang") > 50.0, "cut", "hang")
    sim.run(0.2)
    assert [what for _, what, _ in sim.events] == ["cut"]


def dropped() -> kg.TopologyLibrary:
    """Two boxes of 1 kg over a floor; a connection holds one on the other."""
    size = (0.3, 0.2, 0.2)
    boxes = [
        kg.Link("low", 1.0, inertia=kg.inertia.box(1.0, size), shapes=[kg.box(size)]),
        kg.Link("high", 1.0, inertia=kg.inertia.box(1.0, size)),
    ]
    flights = [kg.Joint(f"fly_{link.name}", "free", "world", link.name) for link in boxes]
    mechanism = kg.Mechanism("dropped_boxes", boxes, flights, shapes=[kg.plane(friction=0.5)])
    hold = kg.Connection("hold", "low", "high", kg.fixed(), pose=kg.Pose((0, 0, 0.3)))
    return kg.TopologyLibrary(mechanism, [hold])


def over_the_floor(integrator: str, gap: float, speeds: tuple[float, float], held: bool = True) -> kg.Simulator:
    """Both boxes upright, the lower one `gap` over the floor."""
    q = [0, 0, 0.1 + gap, 0, 0, 0, 1, 0, 0, 0.4 + gap, 0, 0, 0, 1]
    v = [0, 0, speeds[0], 0, 0, 0, 0, 0, speeds[1], 0, 0, 0]
    return kg.Simulator(dropped(), q=q, v=v, active={"hold"} if held else (), integrator=integrator)


BOTH = pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])


PARTS = pytest.mark.parametrize("parts", [(), (0.3,), (1e-4, 0.7)], ids=["whole", "divided", "thrice"])


def divide(sim: kg.Simulator, steps: int, parts: tuple[float, ...]) -> None:
    """Events that do nothing, at these parts of so many steps."""
    for step in range(steps):
        for part in parts:
            sim.at((step + part) * sim.dt, lambda s: None)


@BOTH
@PARTS
def test_impacts_of_contacts_belong_to_the_step(integrator: str, parts: tuple[float, ...]) -> None:
    """What the upper box gets in the step of the impact is its change of momentum, and a condition comes true there;
    none does that asks for more than its whole momentum."""
    sim, most = over_the_floor(integrator, 0.0203, (-1.0, -1.0)), np.zeros(2)
    divide(sim, 60, parts)
    sim.when(kg.force("hold") > 1300.0, "cut", "hold")
    for _ in range(60):
        before = sim.v[8]
        sim.step()
        told, mean = sim.wrench("hold")[2], (sim.v[8] - before) / sim.dt + 9.81
        most = np.maximum(most, [told, mean])
        assert told == pytest.approx(mean, abs=1e-6 * max(1.0, mean))
    assert most.min() > 500.0 and "hold" in sim.active
    sim = over_the_floor(integrator, 0.0203, (-1.0, -1.0))
    divide(sim, 60, parts)
    sim.when(kg.force("hold") > 100.0, "cut", "hold")
    assert [what for _, what, to in sim.run(0.06).events if to == "hold"] == ["cut"]


@BOTH
@PARTS
def test_impacts_of_stops_belong_to_it(integrator: str, parts: tuple[float, ...]) -> None:
    """A slider that can be cut meets its limit and carries a body: both tell what stops what they move."""
    links = [kg.Link(name, 1.0, inertia=kg.inertia.sphere(1.0, 0.1)) for name in ("slider", "load")]
    slide = kg.Joint("slide", "prismatic", "world", "slider", axis=(0, 0, 1), limits=(-0.5, 0.5))
    mechanism = kg.Mechanism("stopped", links, [slide, kg.Joint("fly", "free", "world", "load")], gravity=(0, 0, 0))
    hold = kg.Connection("hold", "slider", "load", kg.fixed(), pose=kg.Pose((0, 0, 0.3)))
    lib = kg.TopologyLibrary(mechanism, [hold], cuts=["slide"])
    q, v = lib.state({"slide": 0.49, "fly": [0, 0, 0.79, 0, 0, 0, 1]}, {"slide": 2.0, "fly": [0, 0, 2.0, 0, 0, 0]})
    sim = kg.Simulator(lib, q=q, v=v, active={"hold", "slide"}, integrator=integrator)
    told = []
    divide(sim, 20, parts)
    sim.when(kg.force("slide") > 4100.0, "cut", "slide")
    for _ in range(20):
        sim.step()
        told.append([sim.wrench("hold")[2], sim.wrench("slide")[2]])
    np.testing.assert_allclose(np.sum(told, axis=0) * sim.dt, [-2.0, -4.0], rtol=1e-6)


@BOTH
def test_nothing_is_told_of_a_step_without_the_connection(integrator: str) -> None:
    """The lower box strikes the floor alone; then it is connected with the upper one, which flies up with both."""
    sim = over_the_floor(integrator, 0.0203, (-1.0, 3.0), held=False)
    while not sim.contacts.wrench("low")[2] > 500.0:
        sim.step()
    contacts = sim.contacts
    sim.connect("hold")
    assert np.abs(sim.wrench("hold")).max() < 1e-9
    again = over_the_floor(integrator, 0.0203, (-1.0, 3.0), held=False)
    again.restore(sim.save())
    assert np.abs(again.wrench("hold")).max() < 1e-9
    np.testing.assert_array_equal(sim.contacts.forces, contacts.forces)  # of the last step still
    sim = over_the_floor(integrator, 0.0203, (-1.0, 3.0), held=False)
    sim.when(kg.contact_force("low") > 500.0, "connect", "hold")
    sim.when(kg.force("hold") > 50.0, "cut", "hold")
    assert [what for _, what, _ in sim.run(0.1).events] == ["connect"]


@BOTH
def test_contacts_press_right_after_a_change(integrator: str) -> None:
    """Of what rests, as before it; and asking changes nothing of the motion."""
    sim = over_the_floor(integrator, 0.0, (0.0, 0.0))
    assert sim.wrench("hold")[2] == pytest.approx(9.81, rel=1e-3)  # before any step
    sim.run(0.2)
    silent = over_the_floor(integrator, 0.0, (0.0, 0.0))
    silent.run(0.2)
    for one in (sim, silent):
        one.cut("hold")
        one.connect("hold")
    for _ in range(2):
        assert sim.wrench("hold") == pytest.approx([0, 0, 9.81, 0, 0, 0], abs=2e-2)
    sim.step(20)
    silent.step(20)
    np.testing.assert_array_equal(sim.v, silent.v)
    told: list[float] = []
    for part in (1e-4, 0.6, 0.999):  # within a step too
        sim.at(sim.t + part * sim.dt, lambda s: told.append(s.wrench("hold")[2]))
    sim.step()
    assert told == pytest.approx([9.81] * 3, abs=2e-2)


@pytest.mark.parametrize("angle", [0.1, 1e-3, 1e-4])
def test_what_rods_that_are_nearly_in_line_press_with(angle: float) -> None:
    """Two rods between two pins, a three-hinged arch: the thrust of weights W is W/(2 tan angle)."""
    rods = [kg.Link(name, 1.0, (0.5, 0, 0), kg.inertia.box(1.0, (1.0, 0.05, 0.05))) for name in ("near", "far")]
    joints = [
        kg.Joint("shoulder", "revolute", "world", "near", axis=(0, 1, 0)),
        kg.Joint("elbow", "revolute", "near", "far", origin=kg.Pose((1, 0, 0)), axis=(0, 1, 0)),
    ]
    pin = kg.Connection("pin", "far", "world", kg.spherical(), pose=kg.Pose((1, 0, 0)))
    toggle = kg.TopologyLibrary(kg.Mechanism("toggle", rods, joints), [pin])
    sim = kg.Simulator(toggle, q=[-angle, 2 * angle], active={"pin"})
    thrust = 9.81 / (2 * np.tan(angle))
    assert np.abs(sim.wrench("pin")[:3]) == pytest.approx([thrust, 0, 9.81], rel=1e-10, abs=1e-9)


@pytest.fixture(scope="module")
def shared() -> kg.TopologyLibrary:
    """A rod that hangs on another by balls or welds in its line, with frames 0.1 m to 4 m from the rods' own."""
    box, y, kinds = kg.inertia.box(1.0, (0.05, 0.05, 0.5)), (0, 1, 0), {"ball": kg.spherical(), "weld": kg.fixed()}
    rods = [kg.Link("up", 1.0, (0, 0, -0.25), box), kg.Link("down", 1.0, (0.1, 0, -0.25), box)]
    joints = [kg.Joint("pivot", "revolute", "world", "up", axis=y), kg.Joint("fly", "free", "world", "down")]
    made = [
        kg.Connection(f"{kind}{z}", "up", "down", kinds[kind], kg.Pose((0, 0, -z)), kg.Pose((0, 0, 0.5 - z)))
        for kind, z in DEPTHS
    ]
    return kg.TopologyLibrary(kg.Mechanism("shared", rods, joints), made)


@pytest.mark.parametrize("speed", [0.0, -1.0], ids=["carried", "connected"])
@pytest.mark.parametrize("kind", ["ball", "weld"])
def test_connections_share_a_load_whatever_their_lengths(shared: kg.TopologyLibrary, kind: str, speed: float) -> None:
    """As equal supports do: of all forces and moments that give the sum, the smallest, moments over 4 m."""
    names, held = [f"{k}{z}" for k, z in DEPTHS if k == kind], {"ball": 3, "weld": 6}[kind]
    q, v = shared.state({"fly": (0, 0, -0.5, 0, 0, 0, 1)}, {"fly": (0, 0, speed, 0, 0, 0)})
    sim = kg.Simulator(shared, q=q, v=v, active=set() if speed else set(names))
    told = list(sim.connect(*names).impulses.values()) if speed else [sim.wrench(name) for name in names]
    size = np.diag([1.0] * 3 + [4.0] * 3)[:, :held]
    sums = np.eye(6) + np.zeros((len(names), 6, 6))
    sums[:, 4, 0], sums[:, 3, 1] = [-z for k, z in DEPTHS if k == kind], [z for k, z in DEPTHS if k == kind]
    X = np.hstack([one @ size for one in sums])
    f = np.concatenate([wrench[:held] / size.sum(axis=0) for wrench in told])
    np.testing.assert_allclose(np.linalg.pinv(X) @ X @ f, f, rtol=0, atol=1e-9)
    np.testing.assert_allclose([wrench[2] for wrench in told], told[0][2], rtol=1e-9)


ENDS = {
    "helical": (kg.helical(axis=(0, 0.6, 0.8), pitch=0.3), [0.4]),
    "universal": (kg.universal(axis=(1, 0, 0), axis2=(0, 1, 0), damping=(0.5, 0.01)), [0.3, -0.1]),
    "spherical": (kg.spherical(damping=(0.5, 0.01, 0.01)), [0.3, 0.0, 0.0, 0.91**0.5]),
    "planar": (kg.planar(damping=(3.0, 0.01, 0.01), stiffness=(2.0, 5.0, 1.0)), [0.1, 0.2, 0.8, 0.6]),
}
"""Connections whose entries are not the same from the other side, and a position of each."""


@pytest.fixture(scope="module")
def ends() -> kg.TopologyLibrary:
    """A ball that flies and a post that is held, each of ENDS from the ball to the post and to world."""
    links = [kg.Link("ball", 0.5, (0.1, 0.05, 0), np.diag([0.02, 0.03, 0.015])), kg.Link("post", 1.0)]
    joints = [kg.Joint("fly", "free", "world", "ball"), kg.Joint("rise", "prismatic", "world", "post", axis=(0, 0, 1))]
    place = kg.Pose((0.1, 0.2, 0.3), (0.3, 0.2, 0.1))
    made = [kg.Connection(f"{kind}_{b}", "ball", b, ENDS[kind][0], place) for kind in ENDS for b in ("post", "world")]
    return kg.TopologyLibrary(kg.Mechanism("ends", links, joints, gravity=(0, 0, 0)), made)


@pytest.mark.parametrize("kind", ENDS)
def test_world_is_like_a_link_at_rest(ends: kg.TopologyLibrary, kind: str) -> None:
    """Motion, coordinates, velocities, impulse, wrench and events, whichever of the two is `link_b`."""
    found = []
    for name in (f"{kind}_post", f"{kind}_world"):
        servo = kg.Servo(5.0, 0.5, position=ENDS[kind][1])
        q, v = [0.3, 0.1, 0.2, 0, 0, 0, 1, 0], [0.5, -0.3, 0.4, 1.0, -2.0, 0.7, 0]
        sim = kg.Simulator(ends, q=q, v=v, driven={"rise": 0.0}, servos={name: servo})
        impact = sim.connect(name)
        sim.when(kg.moment(name) > 0.3, lambda _: None)
        run = sim.run(0.3)
        joint = np.concatenate([*run.joint(name)], axis=1)
        own = sim.model.loop_joint(name, sim.q, sim.v)[0]
        found.append((run.q[:, :7], joint, own, impact.impulse, sim.wrench(name), [t for t, *_ in run.events]))
    for world, post in zip(found[1], found[0], strict=True):
        np.testing.assert_allclose(world, post, rtol=0, atol=1e-9)
