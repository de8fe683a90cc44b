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
