"""Servos that a file gives to joints, beside the mechanism that is in it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from kinegen.codegen.analysis.plan import start_configuration
from kinegen.codegen.mechanism.formats.load import load
from kinegen.codegen.mechanism.formats.mjcf.actuator import read_joint_servos
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.simulation.given.servos import Servo
from kinegen.runtime.typed import typed


@typed
def read_servos(path: str | Path) -> dict[str, Servo]:
    """Servos of an MJCF file (.xml, .mjcf) by joint, for `Simulator(servos=...)`: gains times gear², force limits.

    <position>, <velocity> and <general> with such a law; a <motor> has none: it is a torque, whose limit `load` gives
    to the joint. A dampratio ζ becomes kd = 2 ζ √(kp / (M⁻¹)_jj) at the file's configuration, as in MuJoCo since 3.15:
    of the inertia that the joint moves while all others are free. Targets stand where control is zero, or at the bound
    of `ctrlrange` next to it, which bounds no others: `dataclasses.replace(servo, position=q)`, in q of the joint
    (MuJoCo's ctrl over the gear). A warning names each actuator that is no servo of a hinge or slide (with a state of
    its own, as filters and muscles have; on tendons, sites, balls), a second one with a force limit, and limits that
    differ either way, of which the smaller holds. ModelError for another format, and for a dampratio where something
    moves without inertia.
    """
    file = Path(path)
    if file.suffix.lower() not in (".xml", ".mjcf"):
        raise ModelError(f"read_servos: only MJCF files (.xml, .mjcf) hold servos, got {shown(str(path))}")
    found = read_joint_servos(file)
    inertia = _inertias(file) if any(s.per_root for s in found) else {}
    return {
        s.joint: Servo(s.kp, s.kd + s.per_root * math.sqrt(inertia.get(s.joint, 0.0)), s.position, s.velocity, s.limit)
        for s in found
    }


def _inertias(file: Path) -> dict[str, float]:
    """1/(M⁻¹)_jj of the tree's joints with one freedom, where the file puts them."""
    mechanism = load(file, mimic="independent", unphysical="allow")
    q = list(start_configuration(mechanism))
    M = numeric(derive(mechanism, "mass_matrix_composite"))({"q": q, "p": []})["M"]
    try:
        mobility = np.diag(np.linalg.inv(np.reshape(M, (mechanism.tree.nv, -1)))).tolist()
    except np.linalg.LinAlgError:
        raise ModelError(f"{shown(str(file))}: a dampratio needs inertia on all that moves; give kv") from None
    return {body.joint.name: 1.0 / mobility[body.v_start] for body in mechanism.tree.bodies if body.nv == 1}
