"""Other libraries that compute the same, called from Python: what `kinegen bench --against` times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from kinegen.runtime.errors import ModelError

from ..models import FIGURE, Root

STATES = 256
PEERS = {"pinocchio": "pin", "mujoco": "mujoco"}
"""Module that is imported, and the name under which pip knows it."""

Result = Mapping[str, float]
"""Seconds per call by the name of our kernel that computes the same."""


@dataclass(frozen=True)
class Timings:
    """Calls by the name of our kernel; each call goes through states one after the other."""

    calls: Mapping[str, Callable[[int], Any]]

    def measure(self, best_of: Callable[[Callable[[], Any]], float]) -> Result:
        """Seconds per call, by a function that times a call without arguments."""

        def in_turn(call: Callable[[int], Any]) -> Callable[[], None]:
            def all_states() -> None:
                for k in range(STATES):
                    call(k)

            return all_states

        return {name: best_of(in_turn(call)) / STATES for name, call in self.calls.items()}


def peer_calls(peer: str, model: str, root: Root | None) -> Timings:
    """The calls of a peer on a URDF file. ModelError if it is not installed or there is no file that it reads."""
    if model == FIGURE or Path(model).suffix.lower() != ".urdf":
        raise ModelError(f"--against {peer}: needs a URDF file that both read, got {model}")
    if find_spec(peer) is None:
        raise ModelError(f"--against {peer}: not installed; `pip install {PEERS[peer]}`")
    try:
        return {"pinocchio": _pinocchio, "mujoco": _mujoco}[peer](Path(model), root)
    except ValueError as error:
        raise ModelError(f"--against {peer}: it refuses {model}: {' '.join(str(error).split())}") from error


def _pinocchio(file: Path, root: Root | None) -> Timings:
    pin: Any = import_module("pinocchio")
    given = [pin.JointModelFreeFlyer()] if root == "free" else []
    model = pin.buildModelFromUrdf(str(file), *given)
    data = model.createData()
    model.lowerPositionLimit = np.maximum(model.lowerPositionLimit, -1.0)
    model.upperPositionLimit = np.minimum(model.upperPositionLimit, 1.0)
    q = [pin.randomConfiguration(model) for _ in range(STATES)]
    v, a = np.random.default_rng(0).uniform(-1.0, 1.0, (2, STATES, model.nv))
    return Timings(
        {
            "inverse_dynamics": lambda k: pin.rnea(model, data, q[k], v[k], a[k]),
            "bias": lambda k: pin.nonLinearEffects(model, data, q[k], v[k]),
            "gravity": lambda k: pin.computeGeneralizedGravity(model, data, q[k]),
            "mass_matrix": lambda k: pin.crba(model, data, q[k]),
            "forward_dynamics": lambda k: pin.aba(model, data, q[k], v[k], a[k]),
            "com": lambda k: pin.centerOfMass(model, data, q[k]),
            "com_jacobian": lambda k: pin.jacobianCenterOfMass(model, data, q[k]),
            "momentum": lambda k: pin.computeCentroidalMomentum(model, data, q[k], v[k]),
            "integrate": lambda k: pin.integrate(model, q[k], v[k]),
            "difference": lambda k: pin.difference(model, q[k], q[k - 1]),
        }
    )


def _mujoco(file: Path, root: Root | None) -> Timings:
    mujoco: Any = import_module("mujoco")
    specification = mujoco.MjSpec.from_string(_without_meshes(file))
    if root == "free":
        specification.worldbody.first_body().add_freejoint()
    model = specification.compile()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    q = np.tile(model.qpos0, (STATES, 1))
    v, a = rng.uniform(-1.0, 1.0, (2, STATES, model.nv))
    for k in range(STATES):
        mujoco.mj_integratePos(model, q[k], v[k], 1.0)
    full = np.empty((model.nv, model.nv))
    dense = (full, data.qM) if hasattr(data, "qM") else (data, full)  # MuJoCo 3 and 4

    def place(k: int) -> None:
        data.qpos[:], data.qvel[:] = q[k], v[k]

    def inverse(k: int) -> None:
        place(k)
        data.qacc[:] = a[k]
        mujoco.mj_inverse(model, data)

    def forward(k: int) -> None:
        place(k)
        data.qfrc_applied[:] = a[k]
        mujoco.mj_forward(model, data)

    def mass(k: int) -> None:
        place(k)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        mujoco.mj_fullM(model, *dense)

    return Timings({"inverse_dynamics": inverse, "mass_matrix": mass, "forward_dynamics": forward})


def _without_meshes(file: Path) -> str:
    """The URDF as MuJoCo can read it anywhere: no meshes, static links merged, the root link kept as a body."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    robot = etree.parse(str(file), parser).getroot()
    for element in [*robot.iter("visual"), *robot.iter("collision")]:
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)
    extension = etree.SubElement(robot, "mujoco")
    etree.SubElement(
        extension, "compiler", discardvisual="true", fusestatic="false", balanceinertia="true", boundmass="1e-9"
    )
    return etree.tostring(robot, encoding="unicode")
