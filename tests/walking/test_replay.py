"""Talos replays a walk: on stiff ankles beside MuJoCo, on rubber he falls, unless the stabiliser minds the ZMP."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

import kinegen as kg
from support.oracles.mujoco_oracle import mjcf

FOLDER = Path(__file__).parents[2] / "examples" / "walking"
SCRIPTS = ("bodies", "replay", "walk", "pushes")
STEPS = 6


@pytest.fixture(scope="module")
def scripts() -> Iterator[dict[str, ModuleType]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield {name: __import__(name) for name in SCRIPTS}
        for name in SCRIPTS:
            sys.modules.pop(name, None)


def in_mujoco(body: object, pattern: kg.WalkingPattern, gains: tuple[float, float]) -> NDArray[np.float64]:
    """q (nq) at the end of the same replay: torques of the pattern, springs and dampers of the joints."""
    mechanism: kg.Mechanism = body.mechanism  # type: ignore[attr-defined]
    spec = mujoco.MjSpec.from_string(mjcf(mechanism))
    spec.option.timestep, spec.option.integrator = pattern.dt, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    floor.friction[0] = 0.8
    for foot in body.feet:  # type: ignore[attr-defined]
        (shape,) = mechanism.link(foot).shapes
        geom = spec.body(foot).add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[x / 2 for x in shape.size])
        geom.pos, geom.friction[0] = shape.pose.xyz, shape.friction
    for joint in mechanism.joints:
        if joint.nv == 1:
            own = spec.joint(f"{joint.name}.0")
            own.armature, own.damping[0] = joint.armature[0], gains[1]
    for one in spec.geoms:  # only feet and floor
        for other in spec.geoms:
            if one is not floor and other is not floor and one.name < other.name:
                spec.add_exclude(bodyname1=one.parent.name, bodyname2=other.parent.name)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = [*pattern.q[0, :3], *pattern.q[0, [6, 3, 4, 5]], *pattern.q[0, 7:]]
    torques = pattern.tau[:, 6:] + gains[1] * pattern.v[:, 6:]
    for k in range(len(pattern.t) - 1):
        data.qfrc_applied[6:] = torques[k] + gains[0] * (pattern.q[k, 7:] - data.qpos[7:])
        mujoco.mj_step(model, data)
    return np.array([*data.qpos[:3], *data.qpos[4:7], data.qpos[3], *data.qpos[7:]])


def momentum_unaccounted(run: kg.Trajectory) -> tuple[float, float]:
    """What the floor and gravity leave unexplained of the momentum and of its moment about the world's origin, over all
    that they give. The floor's wrench about the root is held through a step, in which root and mass centre move."""
    model, contacts = run.model, run.contacts
    assert model is not None and contacts is not None
    com, momentum, dt = model.com(run.q), model.momentum(run.q, run.v), float(run.t[1] - run.t[0])
    weight = model.total_mass() * model.gravity_acceleration()
    about_origin = momentum[:, 3:] + np.cross(com, momentum[:, :3])
    wrench = -contacts.wrench("world", about=run.q[:, :3])[:-1]
    root, centre = (0.5 * (x[:-1] + x[1:]) for x in (run.q[:, :3], com))
    moment = wrench[:, 3:] + np.cross(root, wrench[:, :3]) + np.cross(centre, weight)
    given = dt * np.hstack([wrench[:, :3] + weight, moment])
    changes = np.diff(np.hstack([momentum[:, :3], about_origin]), axis=0)
    missing, whole = np.abs((changes - given).sum(axis=0)), np.abs(given).sum(axis=0)
    return float(missing[:3].max() / whole[:3].max()), float(missing[3:].max() / whole[3:].max())


@pytest.mark.sweep
def test_talos_walks_on_stiff_ankles(scripts: dict[str, ModuleType]) -> None:
    replay, body = scripts["replay"], scripts["bodies"].talos()
    model = kg.compile(body.mechanism)
    pattern = replay.walk(body, model, STEPS)
    pushed = replay.simulator(body, model, pattern, integrator="rk4", work=True).run(pattern.t[-1])
    found = replay.account(body, pattern, pushed)
    assert found.fell is None and found.steps == STEPS
    assert found.place < 0.01 and found.turn < np.radians(1.0)
    assert found.peak < 1.1  # the floor does not chatter
    assert abs(found.work - found.gained - found.lost) < 1e-3 * found.gross
    assert max(momentum_unaccounted(pushed)) < 1e-3
    euler = replay.simulator(body, model, pattern, integrator="semi_implicit").run(pattern.t[-1], every=1000)
    other = in_mujoco(body, pattern, (body.kp, body.kd))
    for end in (pushed.q[-1], euler.q[-1]):
        apart = model.difference(end, other)
        assert np.linalg.norm(apart[:3]) < 0.05 and np.linalg.norm(apart[3:6]) < np.radians(3.0)


@pytest.mark.sweep
def test_talos_falls_on_rubber(scripts: dict[str, ModuleType]) -> None:
    replay, body = scripts["replay"], scripts["bodies"].talos()
    pattern = replay.walk(body, kg.compile(body.mechanism), STEPS)
    soft = kg.compile(body.on_rubber()).with_parameters(rubber=500.0)
    fell = replay.account(body, pattern, replay.simulator(body, soft, pattern, work=True).run(7.0)).fell
    assert fell is not None and 3.0 < fell < 7.0


@pytest.mark.sweep
def test_talos_walks_on_stiff_rubber(scripts: dict[str, ModuleType]) -> None:
    replay, body = scripts["replay"], scripts["bodies"].talos()
    pattern = replay.walk(body, kg.compile(body.mechanism), STEPS)
    stiff = kg.compile(body.on_rubber()).with_parameters(rubber=5000.0)
    found = replay.account(body, pattern, replay.simulator(body, stiff, pattern, work=True).run(pattern.t[-1]))
    assert found.fell is None and found.steps == STEPS and found.peak < 2.0
