"""Springs of spherical, planar and free joints: slopes of a potential, whose energy a motion keeps."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Link, Mechanism
from support.oracles.numeric import Array

STIFFNESS = {"spherical": (7.0, 7.0, 7.0), "planar": (30.0, 30.0, 5.0), "free": (30.0, 30.0, 30.0, 5.0, 5.0, 5.0)}
REST = Rotation.from_rotvec([0.2, -0.3, 0.5])


def rest_of(kind: str) -> list[float]:
    turned = REST.as_quat().tolist()
    return {"spherical": turned, "planar": [0.1, -0.2, np.cos(0.4), np.sin(0.4)], "free": [0.1, -0.2, 0.3, *turned]}[
        kind
    ]


@cache
def sprung(kind: str) -> kg.Model:
    body = Link("body", 1.5, (0.02, -0.03, 0.05), kg.inertia.box(1.5, (0.3, 0.2, 0.1)))
    joint = Joint("spring", kind, "world", "body", stiffness=STIFFNESS[kind], rest=rest_of(kind))
    return kg.compile(Mechanism("sprung", [body], [joint], gravity=(0, 0, 0)))


def potential(kind: str, q: Array) -> float:
    """Of place and turn, each by itself."""
    rest = np.array(rest_of(kind))
    if kind == "planar":
        turn = np.arctan2(q[3], q[2]) - 0.4
        off = np.array([*(q[:2] - rest[:2]), (turn + np.pi) % (2 * np.pi) - np.pi])
    else:
        off = np.concatenate([q[:-4] - rest[:-4], (Rotation.from_quat(q[-4:]) * REST.inv()).as_rotvec()])
    return 0.5 * float(np.dot(STIFFNESS[kind], off**2))


@pytest.mark.parametrize("kind", STIFFNESS)
def test_force_is_the_slope_of_the_potential(kind: str) -> None:
    model, rng = sprung(kind), np.random.default_rng(3)
    for q in model.random(rng, size=20):
        force, h = model.passive_forces(q, np.zeros(model.nv)), 1e-5
        for i, unit in enumerate(np.eye(model.nv)):
            ahead, behind = (potential(kind, model.integrate(q, sign * h * unit)) for sign in (1, -1))
            assert abs(force[i] + (ahead - behind) / (2 * h)) < 1e-7


@pytest.mark.parametrize("kind", STIFFNESS)
def test_energy_stays(kind: str) -> None:
    model, rng = sprung(kind), np.random.default_rng(4)
    q = model.random(rng)
    sim = kg.Simulator(model, dt=5e-4, integrator="rk4", q=q, v=rng.normal(size=model.nv))
    before = model.energy(sim.q, sim.v)[0] + potential(kind, sim.q)
    for _ in range(10):
        sim.step(400)
        assert abs(model.energy(sim.q, sim.v)[0] + potential(kind, sim.q) - before) < 1e-4 * before
