"""Servos that a file gives to joints, beside the mechanism that is in it."""

from __future__ import annotations

from pathlib import Path

from kinegen.codegen.mechanism.formats.mjcf.actuator import read_joint_servos
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.simulation.given.servos import Servo
from kinegen.runtime.typed import typed


@typed
def read_servos(path: str | Path) -> dict[str, Servo]:
    """Servos of an MJCF file (.xml, .mjcf) by joint, for `Simulator(servos=...)`: gains times gear², force limits.

    <position>, <velocity> and <general> with such a law; a <motor> has none: it is a torque, whose limit `load` gives
    to the joint. Targets stand where control is zero: `dataclasses.replace(servo, position=q)`, in q of the joint
    (MuJoCo's ctrl over the gear); `ctrlrange` does not bound them. A warning names each actuator that is no servo of a
    hinge or slide (with a state of its own, as filters and muscles have; on tendons, sites, balls; with a dampratio), a
    second one with a force limit, and limits that differ either way, of which the smaller holds. ModelError for another
    format.
    """
    file = Path(path)
    if file.suffix.lower() not in (".xml", ".mjcf"):
        raise ModelError(f"read_servos: only MJCF files (.xml, .mjcf) hold servos, got {shown(str(path))}")
    return {s.joint: Servo(s.kp, s.kd, s.position, s.velocity, s.limit) for s in read_joint_servos(file)}
