"""Cut joints as Pinocchio's constraints, for the loops that it knows: welds and balls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from kinegen.codegen.mechanism import Joint, Mechanism
from support.oracles.numeric import matrix
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


def constrained(mechanism: Mechanism) -> tuple[PinocchioOracle, Any, Any]:
    """The tree in Pinocchio, its constraints and their data, initialised."""
    oracle = to_pinocchio(mechanism)
    models, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for virtual in mechanism.virtual_links:
        models.append(constraint(oracle, virtual.joint))
        data.append(models[-1].createData())
    pin.initConstraintDynamics(oracle.model, oracle.data, models, data)
    return oracle, models, data
