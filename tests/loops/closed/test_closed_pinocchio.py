"""Closed forward dynamics against Pinocchio's constrained dynamics, for the loops that it knows: welds and balls."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from kinegen.codegen.mechanism import Joint, Mechanism
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model
from support.mechanisms.closed_families import FAMILIES
from support.mechanisms.closed_mechanisms import Closed, stewart
from support.oracles.numeric import Array, error, matrix
from support.oracles.pinocchio_oracle import PinocchioOracle, se3, to_pinocchio

CONTACT = {"fixed": pin.ContactType.CONTACT_6D, "spherical": pin.ContactType.CONTACT_3D}


def constraint(oracle: PinocchioOracle, joint: Joint) -> pin.RigidConstraintModel:
    """The cut joint as Pinocchio describes it: two joints and a frame on each."""
    index = {body.link.name: body.index for body in oracle.mechanism.tree.bodies}
    ends = []
    for link, pose in ((joint.parent, joint.origin), (joint.child, joint.child_origin)):
        placed = oracle.links[index[link]] if link in index else None
        ends += [placed.joint if placed else 0, se3((placed.pose if placed else np.eye(4)) @ matrix(pose))]
    return pin.RigidConstraintModel(CONTACT[joint.kind], oracle.model, *ends, pin.ReferenceFrame.LOCAL)


def pinocchio_acceleration(mechanism: Mechanism, q: Array, v: Array, tau: Array) -> Array:
    oracle = to_pinocchio(mechanism)
    models, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for virtual in mechanism.virtual_links:
        models.append(constraint(oracle, virtual.joint))
        data.append(models[-1].createData())
    pin.initConstraintDynamics(oracle.model, oracle.data, models, data)
    settings = pin.ProximalSettings(1e-13, 1e-12, 100)
    return np.asarray(
        pin.constraintDynamics(oracle.model, oracle.data, oracle.q(q), v, tau, models, data, settings)
    ).copy()


def check(closed: Closed, model: Model, seed: int) -> None:
    rng = np.random.default_rng(seed)
    split = model.closure.split(closed.q)
    v = split.W() @ rng.normal(size=len(split.independent))
    tau = rng.normal(size=model.nv)
    expected = pinocchio_acceleration(closed.mechanism, closed.q, v, tau)
    assert error(model.forward_dynamics(closed.q, v, tau), expected) < 1e-9


@pytest.mark.parametrize("name", ["weld", "ball"])
def test_families(name: str) -> None:
    family = next(f for f in FAMILIES if f.name == name)
    model = Model.load(compile_mechanism(family.symbolic()))
    for seed in range(20):
        closed, values = family.drawn(seed)
        check(closed, model.with_parameters(values), seed)


def test_stewart_platform() -> None:
    mechanism = stewart()
    model = Model.load(compile_mechanism(mechanism))
    for seed, q in enumerate(model.random(0, size=5)):
        check(Closed(mechanism, q), model, seed)
