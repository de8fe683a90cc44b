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


@pytest.mark.parametrize("com", [(0, 0, 0), (0.1, 0.05, -0.03)])
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
