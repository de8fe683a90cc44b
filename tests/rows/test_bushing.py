"""Compliant bushings below a foot [P Fig. 5]."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.runtime.errors import ModelError
from support.contact.contact_scenes import FEET, GRAVITY, shapes, standing_talos, upright

MASS, STIFFNESS, DAMPING = 10.0, 2e4, 200.0
SIZE = (0.2, 0.1, 0.05)


def block(stiffness: Any = STIFFNESS, damping: Any = DAMPING, **options: Any) -> kg.Mechanism:
    """A box that floats, nine tenths of its mass above a bushing."""
    foot = kg.Link("foot", MASS, (0.01, 0, 0.005), kg.inertia.box(MASS, SIZE), shapes=[kg.box(SIZE)])
    joint = kg.Joint("flight", "free", "world", "foot")
    ground = [shapes.plane()]
    made = kg.Mechanism("block", [foot], [joint], shapes=ground)
    return kg.bushing(made, "foot", stiffness=stiffness, damping=damping, above=0.9, **options)


def test_load_deflects_it_by_load_over_stiffness() -> None:
    """Vertical: what lies above; pitch and roll: the moment of its weight about the bushing."""
    model = kg.compile(block([STIFFNESS, 300.0, 500.0], [200.0, 5.0, 5.0]))
    q = model.neutral()
    q[2] = 0.5 * SIZE[2]
    simulator = kg.Simulator(model, q=q)
    simulator.step(2000)
    weight = 0.9 * MASS * GRAVITY
    sag, pitch, roll = (simulator.q[model.q_slice(f"foot_{axis}")][0] for axis in ("z", "pitch", "roll"))
    assert sag == pytest.approx(weight / STIFFNESS, rel=1e-4)  # the foot comes up beside what it carries
    above = simulator.q[model.q_slice("flight")]
    lean = 2.0 * above[4]
    assert lean == pytest.approx(-pitch, abs=2e-5) and abs(roll) < 1e-4
    assert 300.0 * lean == pytest.approx(weight * (0.01 + 0.005 * lean), rel=1e-2)


def test_it_swings_as_the_closed_solution() -> None:
    """m x'' + d x' + k x = 0, the foot on the ground."""
    model, carried = kg.compile(block(axes=["z"])), 0.9 * MASS
    sag = carried * GRAVITY / STIFFNESS
    q = model.neutral()
    q[2], q[model.q_slice("foot_z")] = 0.5 * SIZE[2] - 0.5 * sag, 0.5 * sag
    trajectory = kg.Simulator(model, dt=1e-4, q=q).run(0.3)
    decay = DAMPING / (2 * carried)
    rate = np.sqrt(STIFFNESS / carried - decay**2)
    t, x = trajectory.t, trajectory.q[:, 2] - 0.5 * SIZE[2] + sag
    expected = 0.5 * sag * np.exp(-decay * t) * (np.cos(rate * t) + decay / rate * np.sin(rate * t))
    np.testing.assert_allclose(x, expected, atol=0.005 * sag)
    assert trajectory.contacts is not None
    force = trajectory.contacts.force("foot")[1:-1, 2]
    damper = DAMPING * trajectory.v[1:-1, model.v_slice("foot_z")][:, 0]
    spring = STIFFNESS * trajectory.q[1:-1, model.q_slice("foot_z")][:, 0]
    np.testing.assert_allclose(force, spring + damper + 0.1 * MASS * GRAVITY, rtol=0.01)


@pytest.mark.parametrize("kind", ["revolute", "fixed"])
def test_mass_and_inertia_stay(kind: str) -> None:
    """At rest it is the mechanism without: mass, mass centre, mass matrix; also for a fixed joint that it replaces."""
    inertia = (0.02, 0.001, 0, 0.03, 0, 0.04)
    links = [kg.Link("leg", 2.0, (0, 0, -0.1), inertia), kg.Link("foot", 1.5, (0.05, 0.01, -0.03), inertia)]
    places = {"origin": kg.Pose((0.1, 0, -0.3), (0.1, 0.2, 0.3)), "child_origin": kg.Pose((0.02, 0, 0.05), (0, 0.3, 0))}
    joints = [kg.Joint("hip", "free", "world", "leg"), kg.Joint("ankle", kind, "leg", "foot", **places)]
    plain = kg.Mechanism("limb", links, joints)
    soft = kg.bushing(plain, "ankle", stiffness=1e4, damping=10.0, axes=("x", "yaw"), pose=kg.Pose((0, 0.1, 0)))
    assert sum(link.mass for link in soft.links) == pytest.approx(3.5)
    a, b = kg.compile(plain), kg.compile(soft)
    np.testing.assert_allclose(b.com(b.neutral()), a.com(a.neutral()), atol=1e-14)
    np.testing.assert_allclose(b.frame_pose(b.neutral(), "foot"), a.frame_pose(a.neutral(), "foot"), atol=1e-14)
    own = [*range(6), *([6] if kind == "revolute" else [])]
    np.testing.assert_allclose(b.mass_matrix(b.neutral())[np.ix_(own, own)], a.mass_matrix(a.neutral()), atol=1e-13)
    assert np.linalg.eigvalsh(b.mass_matrix(b.random(np.random.default_rng(1)))).min() > 1e-4


def test_numbers_may_be_parameters() -> None:
    k = sympy.Symbol("k", positive=True)
    made = block(stiffness=k)
    assert k in made.parameters and made.joint("foot_pitch").stiffness == (k,)


@pytest.mark.sweep
def test_a_robot_stands_on_bushings() -> None:
    """The three joints of [P Fig. 5] below both ankles."""
    made = standing_talos()
    for foot in FEET:
        made = kg.bushing(made, foot, stiffness=[3e5, 3e3, 3e3], damping=[1e3, 20.0, 20.0])
    model = kg.compile(made)
    q = upright(model)
    simulator = kg.Simulator(model, q=q)
    simulator.step(3000)
    weight = 9.81 * float(model.mass_matrix(q)[0, 0])
    np.testing.assert_allclose(simulator.contacts.wrench("world")[:3], [0, 0, -weight], atol=0.01 * weight)
    sag = [float(simulator.q[model.q_slice(f"{foot}_z")][0]) for foot in FEET]
    np.testing.assert_allclose(sum(sag), (weight - 2 * 0.75 * 1.60457 * 9.81) / 3e5, rtol=0.02)
    assert np.abs(simulator.v).max() < 0.05 and simulator.contacts.gaps.min() > -2e-4


@pytest.mark.parametrize(
    "options, message",
    [
        ({"axes": ["z", "z"]}, "each once"),
        ({"axes": ["up"]}, "some of x, y, z, roll"),
        ({"stiffness": [1.0, 2.0]}, "stiffness must be 3 numbers, got 2"),
        ({"damping": -1.0}, r"damping\[0\]"),
        ({"above": 1.0}, "above must lie between 0 and 1"),
        ({"pose": (0, 0, 0)}, "pose must be a Pose, got"),
        ({"axes": "xy"}, "each once, got 'xy'"),
        ({"link": 3}, "no link or joint 3; there is: 'foot', 'flight'"),
        ({"link": "foott"}, "no link or joint 'foott'.*foot"),
    ],
)
def test_bad_use_is_refused(options: dict[str, Any], message: str) -> None:
    foot = kg.Link("foot", MASS, inertia=kg.inertia.box(MASS, SIZE))
    made = kg.Mechanism("block", [foot], [kg.Joint("flight", "free", "world", "foot")])
    given = {"link": "foot", "stiffness": 1.0, "damping": 1.0, **options}
    with pytest.raises(ModelError, match=message):
        kg.bushing(made, given.pop("link"), **given)


@pytest.mark.parametrize("axes", [("z", "pitch", "roll"), ("x",)])
def test_a_second_bushing_of_a_link_is_refused_by_what_it_is(axes: tuple[str, ...]) -> None:
    refused = r"bushing of link 'foot': there is 'foot_mount' already; .* give all axes at once, as axes="
    with pytest.raises(ModelError, match=refused):
        kg.bushing(block(), "foot", stiffness=1.0, damping=1.0, axes=axes)
