"""Springs, dampers and friction of cut joints: where a loop is cut changes nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.mechanism import KINDS, Joint, Link, Mechanism, Pose
from kinegen.runtime import Model, Simulator
from kinegen.runtime.errors import ClosureWarning
from support.oracles.numeric import Array, error

RINGS = tuple(name for name, kind in KINDS.items() if kind.screws or 1 < kind.nv < 6)
SOME = ("helical", "spherical")
OTHERS = tuple(kind for kind in RINGS if kind not in SOME)
each_half = pytest.mark.parametrize(
    "kinds", [pytest.param(SOME, id="some"), pytest.param(OTHERS, id="others", marks=pytest.mark.sweep)]
)
MOMENTS = (0.11, 0.01, -0.02, 0.13, 0.015, 0.08)


def ring(kind: str, cut: str) -> tuple[list[Link], list[Joint]]:
    """world - universal - A - KIND - D and world - spherical - C - hinge - D: joints end_KIND and hinge_KIND of D, one
    of them cut; both have springs, dampers and friction."""
    options: dict[str, object] = {"axis": (0.0, 0.6, 0.8), "pitch": 0.2} if kind == "helical" else {}
    passive = {"damping": 0.7, "stiffness": 3.0, "friction": 0.05}
    links = [
        Link(f"{name}_{kind}", mass, (0.05, -0.1, 0.1), MOMENTS) for name, mass in (("A", 1.0), ("C", 1.5), ("D", 2.0))
    ]
    a, c, d = (link.name for link in links)
    joints = [
        Joint(f"base_{kind}", "universal", "world", a, Pose((0.1, 0.0, 0.0)), damping=0.2),
        Joint(f"ball_{kind}", "spherical", "world", c, Pose((0.6, 0.2, 0.0)), stiffness=0.5),
        Joint(f"end_{kind}", kind, a, d, Pose((0.3, 0.1, 0.2), (0.2, 0.1, 0.4)), Pose((0.1, 0.0, 0.0)),
              cut=cut == "end", **options, **passive),
        Joint(f"hinge_{kind}", "revolute", c, d, Pose((-0.2, 0.1, 0.3)), Pose((0.0, 0.2, -0.1)), axis=(1, 0, 0),
              cut=cut == "hinge", **passive, rest=0.3),
    ]  # fmt: skip
    return links, joints


@cache
def model(cut: str, kinds: tuple[str, ...]) -> Model:
    """Rings in one mechanism, cut at the joints `end` or at the joints `hinge`; an open parameter saves time."""
    rings = [ring(kind, cut) for kind in kinds]
    links, joints = ([x for part in parts for x in part] for parts in zip(*rings, strict=True))
    links[0] = Link(links[0].name, sympy.Symbol("mass"), links[0].com, links[0].inertia)
    return kg.compile(Mechanism(f"rings_{cut}", links, joints)).with_parameters(mass=1.0)


def start(seed: int, kinds: tuple[str, ...]) -> tuple[Array, Array, Array, Array]:
    """The same state of both models: q, v cut at the hinges, q, v cut at the ends; springs are within half a turn."""
    hinge, end = model("hinge", kinds), model("end", kinds)
    rng = np.random.default_rng(seed)
    bounds = np.full(hinge.nq, np.inf)
    for kind in kinds:
        part = bounds[hinge.q_slice(f"end_{kind}")]
        part[list(KINDS[kind].angles)] = 2.5
        if len(KINDS[kind].turns) == 3:  # the middle angle is read between the two positions in which axes meet
            part[1] = 1.0
    q = hinge.random(rng)
    while (np.abs(q) > bounds).any():
        q = hinge.random(rng)
    split = hinge.closure.split(q)
    v = 0.5 * split.W() @ rng.normal(size=len(split.independent))
    q_end, v_end = end.neutral(), np.zeros(end.nv)
    for joint in end.manifest.joints:
        if joint.name.startswith("hinge"):
            q_end[end.q_slice(joint.name)], v_end[end.v_slice(joint.name)] = hinge.loop_joint(joint.name, q, v)
        else:
            q_end[end.q_slice(joint.name)] = q[hinge.q_slice(joint.name)]
            v_end[end.v_slice(joint.name)] = v[hinge.v_slice(joint.name)]
    return q, v, q_end, v_end


def common(values: Array, of: Model, where: str) -> Array:
    """Entries of the joints that both models have in their trees."""
    names = [j.name for j in of.manifest.joints if j.name.startswith(("base", "ball"))]
    return np.concatenate([values[getattr(of, where)(name)] for name in names])


@each_half
def test_states_are_the_same(kinds: tuple[str, ...]) -> None:
    q, v, q_end, v_end = start(0, kinds)
    end = model("end", kinds)
    assert np.abs(end.closure_residual(q_end)).max() < 1e-9
    assert np.abs(end.kernel("closure_rows")(q_end) @ v_end).max() < 1e-9
    for kind in kinds:
        at, rate = end.loop_joint(f"end_{kind}", q_end, v_end)
        there = q[model("hinge", kinds).q_slice(f"end_{kind}")]
        if kind == "spherical" and at @ there < 0.0:
            at = -at
        assert error(at, there) < 1e-9, kind
        assert error(rate, v[model("hinge", kinds).v_slice(f"end_{kind}")]) < 1e-9, kind


@each_half
@pytest.mark.parametrize("seed", range(5))
def test_accelerations_do_not_depend_on_the_cut(seed: int, kinds: tuple[str, ...]) -> None:
    q, v, q_end, v_end = start(seed, kinds)
    hinge, end = model("hinge", kinds), model("end", kinds)
    found = end.forward_dynamics(q_end, v_end, end.passive_forces(q_end, v_end))
    expected = hinge.forward_dynamics(q, v, hinge.passive_forces(q, v))
    assert error(common(found, end, "v_slice"), common(expected, hinge, "v_slice")) < 1e-8


@each_half
@pytest.mark.parametrize(("integrator", "dt", "tolerance"), [("rk4", 1e-3, 1e-6), ("semi_implicit", 2e-4, 2e-3)])
def test_motions_do_not_depend_on_the_cut(integrator: str, dt: float, tolerance: float, kinds: tuple[str, ...]) -> None:
    q, v, q_end, v_end = start(1, kinds)
    ends = []
    for cut, at, rate in (("hinge", q, v), ("end", q_end, v_end)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ClosureWarning)
            trajectory = Simulator(model(cut, kinds), q=at, v=rate, integrator=integrator, dt=dt).run(0.2)
        assert trajectory.closure_gap.max() <= 1e-10
        ends.append(common(trajectory.q[-1], model(cut, kinds), "q_slice"))
    assert error(ends[1], ends[0]) < tolerance


def test_stiff_dampers_of_cut_joints_take_energy_at_any_step() -> None:
    """The damper acts at the new velocity: 1e6 N m s/rad at a millisecond neither explodes nor moves."""
    links = [
        Link("crank", 1.0, (0.5, 0, 0), MOMENTS),
        Link("coupler", 1.0, (1.0, 0, 0), MOMENTS),
        Link("rocker", 1.0, (1.2, 0, 0), MOMENTS),
    ]
    joints = [
        Joint("pivot", "revolute", "world", "crank"),
        Joint("knee", "revolute", "crank", "coupler", Pose((1.0, 0, 0))),
        Joint("base", "revolute", "world", "rocker", Pose((3.0, 0, 0))),
        Joint("tip", "revolute", "rocker", "coupler", Pose((2.5, 0, 0)), Pose((2.0, 0, 0)), damping=1e6, friction=10.0),
    ]
    stiff = kg.compile(Mechanism("stiff", links, joints, gravity=(0.0, -9.81, 0.0)))
    simulator = Simulator(stiff, v=[2.0, 0.0, 0.0])
    before = simulator.q
    trajectory = simulator.run(1.0)
    assert np.abs(trajectory.v[2:]).max() < 1e-3
    assert np.abs(simulator.q - before).max() < 1e-2


@cache
def wound() -> Model:
    """Two wheels with a weak spring in the joint between them, which is cut, and a third one by itself."""
    links = [Link(name, 1.0, inertia=(1, 0, 0, 1, 0, 1)) for name in "abc"]
    joints = [
        Joint("one", "revolute", "world", "a"),
        Joint("two", "revolute", "world", "b"),
        Joint("apart", "revolute", "world", "c"),
        Joint("coupling", "cylindrical", "a", "b", cut=True, stiffness=(0.1, 0.0)),
    ]
    return kg.compile(Mechanism("wound", links, joints, gravity=(0.0, 0.0, 0.0)))


def give_velocities(simulator: Simulator) -> None:
    simulator.v = simulator.v


def drive_another(simulator: Simulator) -> None:
    simulator.driven = {"apart": 1.0}


def drive_nothing(simulator: Simulator) -> None:
    simulator.driven = None


@pytest.mark.parametrize("change", [None, give_velocities, drive_another, drive_nothing])
def test_springs_of_cut_joints_count_their_turns(change: Callable[[Simulator], None] | None) -> None:
    """The spring is wound up over several turns: its torque keeps growing, also across C calls, and where something
    that does not turn the wheels is given in between."""
    simulator = Simulator(wound(), v=[0.0, 10.0, 0.0], integrator="rk4")
    simulator.step(1000)
    if change:
        change(simulator)
    trajectory = simulator.run(1.0)
    # relative angle x: x'' = -0.2 x, 10 rad/s at 0
    rate = np.sqrt(0.2)
    expected = 10.0 / rate * np.sin(rate * trajectory.t)
    assert error(trajectory.q[:, 1] - trajectory.q[:, 0], expected) < 1e-6
    assert expected[0] > 2 * np.pi
