"""Servos that a file gives to joints, beside the mechanism that is in it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import numpy as np

from kinegen.codegen.mechanism.formats.load import CHOICES, load
from kinegen.codegen.mechanism.formats.mjcf.actuator import read_joint_servos
from kinegen.codegen.mechanism.structure.start import start_configuration
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from kinegen.runtime.errors import ModelError, gathered, shown
from kinegen.runtime.stepping.given.servos import Servo
from kinegen.runtime.typed import typed


@typed
def read_servos(path: str | Path, *, mimic: Literal["exact", "independent"] = "exact") -> dict[str, Servo]:
    """Servos of an MJCF file (.xml, .mjcf) by joint, for `Simulator(servos=...)`: gains times gear², force limits.

    <position>, <velocity> and <general> with such a law; a <motor> has none: it is a torque, whose limit `load` gives
    to the joint. A dampratio ζ becomes kd = 2 ζ √(kp / (M⁻¹)_jj) at the file's configuration, as in MuJoCo since 3.15:
    of the inertia that the joint moves while all others are free. Targets stand where control is zero, or at the bound
    of `ctrlrange` next to it, which bounds no others: `dataclasses.replace(servo, position=q)`, in q of the joint
    (MuJoCo's ctrl over the gear). A warning names each actuator that is no servo of a hinge or slide (with a state of
    its own, as filters and muscles have; on tendons, sites, balls), a second one with a force limit, and limits that
    differ either way, of which the smaller holds. With `mimic` "exact", as for `load`, a servo of a joint that follows
    another is one of its leader, times the ratio; a warning names those with a dampratio, which have none. ModelError
    for another format, and for a dampratio where something moves without inertia.
    """
    file = Path(path)
    if file.suffix.lower() not in (".xml", ".mjcf"):
        raise ModelError(f"read_servos: only MJCF files (.xml, .mjcf) hold servos, got {shown(str(path))}")
    if not isinstance(mimic, str) or mimic not in CHOICES["mimic"]:
        raise ModelError(f"read_servos: mimic must be one of {CHOICES['mimic']}, got {shown(mimic)}")
    found = read_joint_servos(file, mimic)
    inertia = _inertias(file) if any(s.per_root for s in found) else {}
    servos: dict[str, Servo] = {}
    for s in found:
        kd = s.kd + (s.per_root * math.sqrt(inertia[s.joint]) if s.per_root else 0.0)
        servos[s.joint] = Servo(s.kp, kd, s.position, s.push / kd if kd else 0.0, s.limit)
    return servos


def _inertias(file: Path) -> dict[str, float]:
    """1/(M⁻¹)_jj of the tree's joints with one freedom, where the file puts them."""
    with gathered():  # `load` tells it when the mechanism is asked for
        mechanism = load(file, mimic="independent", unphysical="allow")
    q = list(start_configuration(mechanism))
    M = numeric(derive(mechanism, "mass_matrix_composite"))({"q": q, "p": []})["M"]
    M = np.reshape(M, (mechanism.tree.nv, -1))
    if np.linalg.matrix_rank(M, hermitian=True) < len(M):
        raise ModelError(f"{file}: a dampratio needs inertia on all that moves; give kv")
    mobility = np.diag(np.linalg.inv(M)).tolist()
    return {body.joint.name: 1.0 / mobility[body.v_start] for body in mechanism.tree.bodies if body.nv == 1}
