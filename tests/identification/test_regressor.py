"""Torques and energies are linear in the links' inertial parameters: Y π, by two routes, and as Pinocchio has it."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import kinegen as kg
from kinegen.codegen.mechanism.mechanism import Mechanism
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from support.mechanisms.closed_mechanisms import five_bar
from support.mechanisms.robots import FOLDER
from support.oracles.mechanisms import random_state
from support.oracles.random_cases import SMALL, random_case


def by_python(mechanism: Mechanism, name: str, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    arrays = {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()}
    return next(iter(numeric(derive(mechanism, name))(arrays).values()))


@pytest.mark.parametrize("name", SMALL)
def test_torques_and_energies_are_linear(name: str) -> None:
    mechanism = random_case(name)
    q, v, a, _ = random_state(mechanism, np.random.default_rng(1))
    pi, rotors, tau, energy, Y, Y_energy = (
        by_python(mechanism, what, q, v, a)
        for what in ("inertial_parameters", "armatures", "inverse_dynamics", "energy", "torque_regressor",
                     "energy_regressor")
    )  # fmt: skip
    assert np.allclose(Y @ pi + rotors * a, tau, rtol=0.0, atol=1e-12 * max(1.0, np.abs(tau).max()))
    spinning = [0.5 * (rotors * v * v).sum(), 0.0]
    assert np.allclose(Y_energy @ pi + spinning, energy, rtol=0.0, atol=1e-12 * max(1.0, np.abs(energy).max()))


@pytest.mark.parametrize("name", ["mimics", "hanging_free"])
def test_the_loop_in_c_is_the_straight_line_program(name: str) -> None:
    mechanism = random_case(name)
    model, rng = kg.compile(mechanism, contacts=False), np.random.default_rng(2)
    states = [random_state(mechanism, rng)[:3] for _ in range(3)]
    q, v, a = (np.array(x) for x in zip(*states, strict=True))
    for found, state in zip(model.torque_regressor(q, v, a), states, strict=True):
        wanted = by_python(mechanism, "torque_regressor", *state)
        assert np.allclose(found, wanted, rtol=0.0, atol=1e-12 * np.abs(wanted).max())
    assert np.allclose(
        np.einsum("nij,j->ni", model.energy_regressor(q, v), model.inertial_parameters())[:, 1],
        model.energy(q, v)[:, 1],
    )
    assert model.rotor_inertias().shape == (model.nv,) and "inverse_derivatives" not in model.source


@pytest.mark.parametrize(
    ("file", "root"), [("ur_description/urdf/ur5_robot.urdf", False), ("talos_data/robots/talos_reduced.urdf", True)]
)
def test_pinocchio_has_the_same(file: str, root: bool) -> None:
    """Its parameters, its order of links and its frames: the numbers can be exchanged as they are."""
    mechanism = kg.load(FOLDER / file, root="free" if root else "fixed")
    theirs = pin.buildModelFromUrdf(str(FOLDER / file), *([pin.JointModelFreeFlyer()] if root else []))
    q, v, a, _ = random_state(mechanism, np.random.default_rng(3))
    wanted = pin.computeJointTorqueRegressor(theirs, theirs.createData(), q, v, a)
    found = by_python(mechanism, "torque_regressor", q, v, a)
    assert found.shape == wanted.shape == (mechanism.tree.nv, 10 * len(mechanism.tree.bodies))
    assert np.allclose(found, wanted, rtol=0.0, atol=1e-11 * np.abs(wanted).max())
    pi = np.concatenate([x.toDynamicParameters() for x in list(theirs.inertias)[1:]])
    assert np.allclose(by_python(mechanism, "inertial_parameters", q, v, a), pi, rtol=0.0, atol=1e-12 * abs(pi).max())


def test_of_a_closed_mechanism_and_symbolically() -> None:
    """Wᵀ Y π = Sᵀ τ_A; and in symbols, for a pendulum, what a textbook has."""
    model = kg.compile(five_bar(), contacts=False)
    rng = np.random.default_rng(4)
    q = model.random(rng)
    v, a = model.dependent_motion(q, *rng.normal(size=(2, model.nv)))
    found = model.W(q).T @ model.torque_regressor(q, v, a) @ model.inertial_parameters()
    assert np.allclose(found, model.S(q).T @ model.actuator_torques(q, v, a), atol=1e-11)
    link = kg.Link("bob", 1.0, (0, 0, -1.0))
    eq = kg.derive(kg.Mechanism("p", [link], [kg.Joint("j", "revolute", "world", "bob", axis=(0, 1, 0))]))
    assert str(eq.regressor) == "Matrix([[0, -9.81*cos(q_j), 0, -9.81*sin(q_j), 0, 0, a_j, 0, 0, 0]])"
    assert [str(x) for x in eq.pi[:2]] == ["m_bob", "mx_bob"]
