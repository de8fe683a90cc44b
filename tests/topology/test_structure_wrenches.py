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
AT = (0.02, 0.1, -0.05)
"""Of the connections' frames in the body."""


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


@pytest.mark.parametrize("kind", AXES)
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


@pytest.mark.parametrize("what", ["stop", "friction", "servo"])
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
