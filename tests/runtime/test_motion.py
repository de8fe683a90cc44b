"""integrate, difference, passive_forces, simulate in C: against Pinocchio, group laws and exact motions."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
import sympy
from scipy.spatial.transform import Rotation

from kinegen.codegen.mechanism import KINDS, Joint, Link, Mechanism, Mimic
from kinegen.runtime.model.model import Model
from support.mechanisms import unit_mass

GROUPS = {
    "free": pin.JointModelFreeFlyer,
    "spherical": pin.JointModelSpherical,
    "planar": pin.JointModelPlanar,
    "revolute": pin.JointModelRZ,
}


@pytest.fixture(scope="module")
def everything() -> Model:
    """A chain with one joint of every kind."""
    return Model.load(unit_mass.compiled(unit_mass.chain()))


def pinocchio_chain(kinds: tuple[str, ...]) -> pin.Model:
    model = pin.Model()
    for i, kind in enumerate(kinds):
        model.addJoint(i, GROUPS[kind](), pin.SE3.Identity(), f"j{i}")
    return model


def states(model: Model, count: int, reach: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return model.random(rng, size=count), reach * rng.uniform(-1.0, 1.0, (count, model.nv))


@pytest.mark.parametrize("reach", [1e-12, 1e-7, 1e-4, 0.05, 0.5, 0.99, 2.5, 6.0])
def test_integrate_equals_pinocchio(reach: float) -> None:
    kinds = tuple(GROUPS)
    model, reference = Model.load(unit_mass.compiled(unit_mass.chain(kinds))), pinocchio_chain(kinds)
    q, v = states(model, 50, reach)
    expected = np.array([pin.integrate(reference, *pair) for pair in zip(q, v, strict=True)])
    np.testing.assert_allclose(model.integrate(q, v), expected, rtol=0, atol=2e-12)


@pytest.mark.parametrize("reach", [1e-12, 1e-7, 1e-4, 0.05, 0.5, 0.99, 1.7])
def test_difference_equals_pinocchio(reach: float) -> None:
    kinds = tuple(GROUPS)
    model, reference = Model.load(unit_mass.compiled(unit_mass.chain(kinds))), pinocchio_chain(kinds)
    q, v = states(model, 50, reach)
    q1 = np.array([pin.integrate(reference, *pair) for pair in zip(q, v, strict=True)])
    expected = np.array([pin.difference(reference, *pair) for pair in zip(q, q1, strict=True)])
    # Pinocchio's logarithm of SE(2) loses up to half its digits at small angles: test below
    tolerance = np.full(model.nv, 1e-12)
    tolerance[model.v_slice("j2")] = 2e-8
    assert (np.abs(model.difference(q, q1) - expected) <= tolerance).all()


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-9, 1e-5, 1e-3, 0.1, 1.0, 2.0, 3.0, 3.1415, np.pi - 1e-9, np.pi])
@pytest.mark.parametrize("kind", ["free", "spherical", "planar"])
def test_difference_inverts_integrate_up_to_pi(kind: str, angle: float) -> None:
    model = Model.load(unit_mass.compiled(unit_mass.chain((kind,))))
    rng = np.random.default_rng(1)
    q = model.random(rng)
    v = rng.normal(size=model.nv)
    turning = slice(2, 3) if kind == "planar" else slice(model.nv - 3, model.nv)
    v[turning] *= angle / np.linalg.norm(v[turning])
    back = model.difference(q, model.integrate(q, v))
    if angle == np.pi and back[turning] @ v[turning] < 0.0:  # at exactly pi both directions are right
        assert np.linalg.norm(back[turning]) == pytest.approx(np.pi, abs=1e-12)
    else:
        np.testing.assert_allclose(back, v, rtol=0, atol=1e-12 * max(1.0, angle))


def test_tiny_motions_keep_their_relative_accuracy(everything: Model) -> None:
    v = 1e-9 * np.random.default_rng(2).normal(size=everything.nv)
    back = everything.difference(everything.neutral(), everything.integrate(everything.neutral(), v))
    np.testing.assert_allclose(back, v, rtol=1e-12)


def test_opposite_quaternions_are_one_rotation() -> None:
    model = Model.load(unit_mass.compiled(unit_mass.chain(("spherical",))))
    q = model.random(3)
    np.testing.assert_allclose(model.difference(q, -q), 0.0, atol=1e-15)


def test_a_million_small_turns_keep_unit_norm(everything: Model) -> None:
    q, v = everything.random(4), np.full(everything.nv, 1e-3)
    for _ in range(20_000):
        q = everything.integrate(q, v)
    for joint in everything.manifest.joints:
        part = KINDS[joint.kind].rotation
        if part:
            assert np.linalg.norm(q[everything.q_slice(joint.name)][part]) == pytest.approx(1.0, abs=4e-16)


def test_checks_of_arguments_in_c(everything: Model) -> None:
    lib, ffi = everything.module.lib, everything.module.ffi
    q = np.tile(everything.neutral(), (3, 1))
    assert lib.unit_first_off_unit(3, 1e-6, ffi.from_buffer("double[]", q)) == -1
    plane = everything.q_slice(f"j{unit_mass.ALL_KINDS.index('planar')}")
    q[1, plane][2:] = 0.6, 0.7
    assert lib.unit_first_off_unit(3, 1e-6, ffi.from_buffer("double[]", q)) == everything.nq + plane.start + 2
    assert lib.unit_first_non_finite(q.size, ffi.from_buffer("double[]", q)) == -1
    q[2, 0] = np.inf
    assert lib.unit_first_non_finite(q.size, ffi.from_buffer("double[]", q)) == 2 * everything.nq


def test_passive_forces_are_the_stated_formula() -> None:
    options = {"damping": 0.7, "stiffness": 3.0, "friction": 0.2}
    model = Model.load(unit_mass.compiled(unit_mass.chain(**options)))
    rng = np.random.default_rng(5)
    q, v = model.random(rng), rng.normal(size=model.nv)
    x = model.difference(model.neutral(), q)
    for joint in model.manifest.joints:  # place and turn each by itself, not the logarithm of the whole pose
        own = q[joint.q_start : joint.q_start + joint.nq]
        if joint.kind == "free":
            x[joint.v_start :][:3] = Rotation.from_quat(own[3:]).inv().apply(own[:3])
        if joint.kind == "planar":
            x[joint.v_start :][:2] = np.array([[own[2], own[3]], [-own[3], own[2]]]) @ own[:2]
    expected = -0.7 * v - 3.0 * x - 0.2 * v / np.sqrt(v * v + 1e-6)
    np.testing.assert_allclose(model.passive_forces(q, v), expected, rtol=1e-13, atol=1e-13)


def test_rest_of_springs() -> None:
    links = [Link("a", 1.0, inertia=(1, 0, 0, 1, 0, 1)), Link("b", 1.0, inertia=(1, 0, 0, 1, 0, 1))]
    rest = (0.6, 0.0, 0.0, 0.8)
    joints = [
        Joint("hinge", "revolute", "world", "a", stiffness=2.0, rest=0.3),
        Joint("ball", "spherical", "a", "b", stiffness=(1.0, 0.0, 4.0), rest=rest),
    ]
    model = Model.load(unit_mass.compiled(Mechanism("springs", links, joints)))
    q = model.random(6)
    still = np.zeros(model.nv)
    away = model.difference(np.array([0.3, *rest]), q)
    np.testing.assert_allclose(model.passive_forces(q, still), -np.array([2.0, 1.0, 0.0, 4.0]) * away, rtol=1e-13)
    np.testing.assert_allclose(model.passive_forces([0.3, *rest], still), 0.0, atol=1e-15)


def test_a_mimic_joint_passes_its_passive_force_on() -> None:
    links = [Link("a", 1.0, inertia=(1, 0, 0, 1, 0, 1)), Link("b", 1.0, inertia=(1, 0, 0, 1, 0, 1))]
    joints = [
        Joint("lead", "revolute", "world", "a"),
        Joint(
            "follow",
            "revolute",
            "a",
            "b",
            damping=0.5,
            stiffness=2.0,
            rest=0.1,
            friction=0.3,
            mimic=Mimic("lead", -1.5, 0.4),
        ),
    ]
    model = Model.load(unit_mass.compiled(Mechanism("mimic", links, joints)))
    q, v = 0.7, -0.2
    force = -0.5 * (-1.5 * v) - 2.0 * (-1.5 * q + 0.4 - 0.1)
    friction = -1.5 * 0.3 * v / np.sqrt(v * v + 1e-6)
    np.testing.assert_allclose(model.passive_forces([q], [v]), [-1.5 * force + friction], rtol=1e-13)


def test_symbolic_passive_data_are_parameters() -> None:
    c, k, x0 = sympy.symbols("c k x0")
    mechanism = unit_mass.chain(("prismatic",), damping=c, stiffness=k * 2, rest=x0)
    model = Model.load(unit_mass.compiled(mechanism)).with_parameters(c=0.5, k=3.0, x0=0.2)
    np.testing.assert_allclose(model.passive_forces([0.7], [2.0]), [-0.5 * 2.0 - 6.0 * 0.5], rtol=1e-14)


def test_names_cannot_leave_their_comments() -> None:
    mechanism = Mechanism(
        'a*/ "x',
        [Link("l", 1.0, inertia=(1, 0, 0, 1, 0, 1))],
        [Joint('j */ system("x"); //\\', "revolute", "world", "l", damping=1.0)],
    )
    text = unit_mass.sources(mechanism).files["unit.c"]
    assert "system(" in text
    assert '"x"' not in text and "j */" not in text and "\\" not in text


def test_text_has_the_same_bytes_every_time() -> None:
    first, second = (unit_mass.sources(unit_mass.chain(damping=0.1, friction=0.2)).files for _ in range(2))
    assert first == second
