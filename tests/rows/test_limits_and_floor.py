"""A floor that nothing touches changes nothing: joints meet their stops as they do without it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinegen as kg
from support.mechanisms.limited import INTEGRATORS

FAR = kg.plane(pose=kg.Pose((0, 0, -50.0)))
AXIS = {"axis": (0, 1, 0)}
KNEE = (-1.2, 0.1)


def bone(name: str, size: float) -> kg.Link:
    """A rod downwards from its joint, with a shape at its end that may touch the floor."""
    tip = kg.sphere(0.05, pose=kg.Pose((0, 0, -size)))
    return kg.Link(name, 1.0, (0, 0, -size / 2), kg.inertia.box(1.0, (0.1, 0.1, size)), shapes=[tip])


@cache
def leg(closed: bool, floor: bool) -> kg.Model:
    """Thigh and shank, their knee limited; closed, a rod from the world to the shank makes it a four-bar."""
    links = [bone("thigh", 0.4), bone("shank", 0.5)]
    joints = [
        kg.Joint("hip", "revolute", "world", "thigh", damping=0.1, **AXIS),
        kg.Joint("knee", "revolute", "thigh", "shank", kg.Pose((0, 0, -0.4)), limits=KNEE, **AXIS),
    ]
    if closed:
        links.append(bone("rod", 0.7))
        joints += [
            kg.Joint("back", "revolute", "world", "rod", kg.Pose((-0.3, 0, 0)), **AXIS),
            kg.Joint("pin", "revolute", "rod", "shank", kg.Pose((0, 0, -0.7)), kg.Pose((0, 0, -0.3)), cut=True, **AXIS),
        ]
    return kg.compile(kg.Mechanism("leg", links, joints, shapes=[FAR] if floor else []), progress=False)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("closed", [False, True], ids=["tree", "closed"])
@pytest.mark.parametrize(
    "side", [pytest.param(-1.0, id="bent", marks=pytest.mark.sweep), pytest.param(1.0, id="stretched")]
)
def test_a_floor_far_below_leaves_a_stop_as_it_was(integrator: str, closed: bool, side: float) -> None:
    """A motor drives the knee against its stop, holds it there and lets it go."""
    models = [leg(closed, floor) for floor in (False, True)]
    assert [bool(model.manifest.touching) for model in models] == [False, True]
    knee = models[0].v_slice("knee").start

    def motor(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        tau = np.zeros(v.size)
        tau[knee] = 10.0 * side if t < 0.6 else -2.0 * side
        return tau

    q = models[0].assemble([0.2, -0.4, 0.1]) if closed else np.array([0.2, -0.4])
    bare, floored = (kg.Simulator(model, q=q, tau=motor, integrator=integrator) for model in models)
    stop, at_stop = KNEE[side > 0], 0
    for _ in range(80):
        for sim in (bare, floored):
            sim.step(10)
        np.testing.assert_allclose(floored.q, bare.q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(floored.v, bare.v, rtol=0, atol=1e-12)
        assert side * (bare.q[knee] - stop) < 1e-3
        at_stop += abs(bare.q[knee] - stop) < 1e-3
    assert at_stop > 10
    assert abs(bare.q[knee] - stop) > 1e-2  # let go
    assert len(floored.contacts) == 0


def jammed(links: int, limit: float) -> kg.Mechanism:
    """A chain on hinges that have limits, whose first links lie in a block of the world from which no angle brings
    them out."""
    long = 0.3
    rod = kg.capsule(0.05, long - 0.1, pose=kg.Pose((0, 0, -long / 2)))
    body = kg.inertia.box(1.0, (0.1, 0.1, long))
    names = [f"link_{k}" for k in range(links)]
    joints = [
        kg.Joint(
            f"joint_{k}", "revolute", ("world", *names)[k], name, kg.Pose((0, 0, -long if k else 0)),
            axis=((1, 0, 0), (0, 1, 0))[k % 2], limits=(-limit, limit), damping=0.2,
        )
        for k, name in enumerate(names)
    ]  # fmt: skip
    block = kg.box((0.3, 0.3, 0.2), pose=kg.Pose((0, 0.02, -long / 2)))
    chain = [kg.Link(name, 1.0, (0, 0, -long / 2), body, shapes=[rod]) for name in names]
    return kg.Mechanism("jammed", chain, joints, shapes=[block])


@pytest.mark.parametrize(("links", "limit"), [(2, 0.1), (3, 0.3), (4, 0.3)])
def test_what_lies_too_deep_pushes_no_joint_beyond_its_limit(links: int, limit: float) -> None:
    """Where both cannot be had the limit is met (it went on to 1.6 rad), and what is too deep stays so."""
    model, rng = kg.compile(jammed(links, limit)), np.random.default_rng(links)
    run = kg.Simulator(model, q=limit * rng.uniform(-1.0, 1.0, links)).run(3.0)
    assert np.abs(run.q).max() < limit + 0.05 and np.abs(run.q[1500:]).max() < limit + 1e-5
    energy = run.energy.sum(axis=1)
    assert run.energy[-1, 0] < 0.02 and np.diff(energy[1500:]).max() < 1e-6
