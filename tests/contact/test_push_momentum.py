"""What is pushed out of a depth gains no momentum: bodies, plates in a plane, trees; flying and spinning."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen import Joint, Link, Pose


def plank(com: tuple[float, float, float]) -> Link:
    foot = kg.sphere(0.02, pose=Pose((-0.5, 0, 0)), friction=0)
    return Link("p", 1.3, com, kg.inertia.box(1.3, (1.0, 0.2, 0.05)), shapes=[foot])


def model(com: tuple[float, float, float], arms: bool) -> kg.Model:
    """A plank with one end in a frictionless floor, its centre of mass where it is said; with two arms, or none."""
    links, joints = [plank(com)], [Joint("f", "free", "world", "p")]
    if arms:
        links += [Link(n, 0.6, (0.2, 0.02, 0.03), kg.inertia.box(0.6, (0.4, 0.1, 0.05))) for n in ("upper", "lower")]
        joints.append(Joint("ball", "spherical", "p", "upper", origin=Pose((0.5, 0, 0))))
        joints.append(Joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), origin=Pose((0.4, 0, 0))))
    return kg.compile(kg.Mechanism("pushed", links, joints, gravity=(0, 0, 0), shapes=[kg.plane(friction=0)]))


@pytest.mark.parametrize("com", [pytest.param((0, 0, 0), marks=pytest.mark.sweep), (0.1, 0.05, -0.03)])
@pytest.mark.parametrize("arms", [False, True])
def test_a_push_gives_no_momentum(com: tuple[float, float, float], arms: bool) -> None:
    """Runge-Kutta keeps the momentum of free flight to rounding; so must a step with a push."""
    of = model(com, arms)
    q, v = of.neutral(), np.zeros(of.nv)
    v[:6] = [7.0, 2.0, 0.5, 0.1, 0.3, 0.4]
    v[6:] = [0.3, -0.2, 0.1, 0.5][: v.size - 6]
    sim = kg.Simulator(of, q=q, v=v, integrator="rk4")
    trajectory = sim.run(0.02)
    assert trajectory.contacts is not None
    force = trajectory.contacts.force("p")
    assert np.abs(force).max() == 0.0  # it leaves by itself: all of the depth is pushes
    assert np.abs(sim.q[2] - q[2] - 0.02 * 0.5) > 1e-3
    scale = np.abs(trajectory.momentum[0]).max()
    np.testing.assert_allclose(trajectory.momentum, np.tile(trajectory.momentum[0], (21, 1)), atol=1e-13 * scale)


@pytest.mark.parametrize("kind", ["planar", "spherical"])
def test_of_what_cannot_fly(kind: str) -> None:
    """A plate keeps its momentum in its plane, a pendulum on a ball joint that about its pivot; each has an arm."""
    links = [plank((0.1, 0.0, -0.03)), Link("arm", 0.6, (0.2, 0, 0.03), kg.inertia.box(0.6, (0.4, 0.1, 0.05)))]
    elbow = Joint("elbow", "revolute", "p", "arm", axis=(0, 0, 1), origin=Pose((0.5, 0, 0)))
    wall = kg.plane(pose=Pose((0, 0, 0), (-np.pi / 2, 0, 0)), friction=0)  # its normal is y
    joints = [Joint("f", kind, "world", "p"), elbow]
    of = kg.compile(kg.Mechanism("pushed", links, joints, gravity=(0, 0, 0), shapes=[wall]))
    v = np.array([0.2, 0.6, 0.4, 0.4] if kind == "planar" else [0.3, 0.2, -0.6, 0.4])  # what touches leaves by itself
    sim = kg.Simulator(of, v=v, integrator="rk4")

    def kept() -> np.ndarray:
        """Momentum of the tree at its root, along axes that rest."""
        own = (of.mass_matrix(sim.q) @ sim.v)[:3]
        momentum = of.momentum(sim.q, sim.v)[[0, 1, 5]]
        return momentum if kind == "planar" else of.link_poses(sim.q)[0, :3, :3] @ own

    before, place = kept(), sim.q.copy()
    for _ in range(20):
        sim.step()
        assert sim.contacts is not None
        assert np.abs(sim.contacts.forces).max(initial=0.0) == 0.0
    free = kg.Simulator(of, q=place, v=v, integrator="rk4", contacts=False)
    free.step(20)
    assert np.abs(free.q - sim.q).max() > 1e-4  # it was pushed
    np.testing.assert_allclose(kept(), before, atol=1e-13 * np.abs(before).max())


def test_joints_keep_their_rates() -> None:
    """A push leaves no change of speed in the joints; that of a ball joint stays along axes that rest."""
    of = model((0.1, 0.05, -0.03), True)
    v = np.array([7.0, 2.0, 0.5, 0.1, 0.3, 0.4, 0.3, -0.2, 0.1, 0.5])
    pushed, free = (kg.Simulator(of, v=v, contacts=touching) for touching in (True, False))
    pushed.step()
    free.step()
    assert np.abs(pushed.q - free.q).max() > 1e-4
    assert np.abs(pushed.v[:6] - free.v[:6]).max() > 1e-6
    np.testing.assert_allclose(pushed.v[9], free.v[9], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(pushed.v[6:9]), np.linalg.norm(free.v[6:9]), atol=1e-12)


Y = (0, 1, 0)


def rod(name: str, length: float, touches: float | None = None) -> Link:
    """A rod of 1 kg/m along x; `touches`: where on it there is a ball of 5 cm."""
    shapes = [] if touches is None else [kg.sphere(0.05, pose=Pose((touches, 0, 0)), friction=0)]
    return Link(name, length, (length / 2, 0, 0), kg.inertia.rod(length, length), shapes=shapes)


def four_bar(sizes: tuple[float, float, float, float], ball: float | None, **pivot: tuple[float, float]) -> kg.Model:
    """Crank, coupler, rocker and ground of these lengths over a floor, where nothing pulls; `pivot`: its options."""
    crank, coupler, rocker, ground = sizes
    close = Pose((coupler, 0, 0)), Pose((rocker, 0, 0))
    return kg.compile(
        kg.Mechanism(
            "bar",
            [rod("crank", crank), rod("coupler", coupler, ball), rod("rocker", rocker)],
            [
                Joint("drive", "revolute", "world", "crank", axis=Y),
                Joint("knee", "revolute", "crank", "coupler", Pose((crank, 0, 0)), axis=Y),
                Joint("pivot", "revolute", "world", "rocker", Pose((ground, 0, 0)), axis=Y, **pivot),
                Joint("close", "revolute", "coupler", "rocker", *close, axis=Y, cut=True),
            ],
            gravity=(0, 0, 0),
            shapes=[kg.plane(friction=0)],
        )
    )


@pytest.mark.parametrize("off", [1e-2, 1e-3, 1e-4])
def test_where_hardly_any_motion_leads_out_a_push_turns_nothing_far(off: float) -> None:
    """The tip of a rod at its lowest, 5 cm deep: once turned by 16 rad in a step of 1 ms."""
    hung = Joint("j", "revolute", "world", "rod", Pose((0, 0, 0.3)), axis=Y)
    mechanism = kg.Mechanism("one", [rod("rod", 0.3, 0.3)], [hung], gravity=(0, 0, 0), shapes=[kg.plane(friction=0)])
    sim = kg.Simulator(kg.compile(mechanism), q=[np.pi / 2 - off])
    sim.step()
    assert 0.0 < np.pi / 2 - off - sim.q[0] <= 0.1 + 1e-12
    sim.step(1000)
    assert 0.3 * np.sin(sim.q[0]) < 0.2502  # it came out
    np.testing.assert_array_equal(sim.v, 0.0)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("drive", [-2.0, -1.5])
def test_loops_at_rest_stay_so_while_they_are_pushed(integrator: str, drive: float) -> None:
    """Once 2e5 J at a place where the height of the ball is at an extremum."""
    model = four_bar((0.3, 0.9, 0.7, 0.8), 0.45)
    q = model.assemble([drive, 2.9, 2.3], hold=["drive"])
    trajectory = kg.Simulator(model, q=q, integrator=integrator).run(1.0)
    assert np.abs(np.diff(trajectory.q, axis=0)).max() < 0.11
    assert np.abs(trajectory.q[-1] - q).max() > 0.01
    assert trajectory.energy[:, 0].max() == 0.0


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_a_limit_that_a_loop_cannot_meet_moves_nothing_far(integrator: str) -> None:
    """The rocker never comes below 1.29 rad on this branch: the crank goes about the dead point, by 0.1 rad a step."""
    model = four_bar((0.3, 0.9, 0.7, 0.8), None, limits=(-3.0, 1.25))
    for drive in (2.2, 1.8, -2.9, -2.2):
        q = model.assemble([drive, 3.0, 2.0], hold=["drive"])
        trajectory = kg.Simulator(model, q=q, integrator=integrator, dt=0.01).run(3.0)
        assert np.abs(np.diff(trajectory.q[:, 0])).max() <= 0.1 + 1e-9
        assert trajectory.energy[:, 0].max() == 0.0


@pytest.mark.filterwarnings("ignore::kinegen.ClosureWarning")  # some pass their change points
@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize(
    "sizes", [(0.2386, 0.2386, 0.6, 0.6), (0.3, 0.6, 0.3, 0.6), (0.3, 0.6, 0.6, 0.3), (0.1887, 0.4529, 0.5135, 0.6243)]
)
def test_loops_gain_no_kinetic_energy_by_pushes(integrator: str, sizes: tuple[float, float, float, float]) -> None:
    """Kite, parallelogram, deltoid, any: nothing pulls, nothing rubs, so that contact can only take energy. The
    inertia that the crank turns changes on the way out, once with the velocity of what leads kept: up to 4 times."""
    model, rng, pushed = four_bar(sizes, 0.3), np.random.default_rng(5), 0
    for _ in range(6):
        q = model.assemble(rng.uniform(-3, 3, 3))
        q, v = model.project(q, 0.3 * rng.normal(size=3))
        kinetic = kg.Simulator(model, q=q, v=v, integrator=integrator).run(0.4).energy[:, 0]
        free = kg.Simulator(model, q=q, v=v, integrator=integrator, contacts=False).run(0.4).energy[:, 0]
        allowed = 1.02 if integrator == "semi_implicit" else 1.0 + 1e-6
        assert kinetic.max() < allowed * max(kinetic[0], free.max())
        pushed += int(np.abs(kinetic - free).max() > 1e-6 * kinetic[0])
    assert pushed >= 3
