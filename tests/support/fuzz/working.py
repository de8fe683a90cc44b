"""Arguments that work: by the type and the name of a parameter, and for a few functions by a table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import kinegen as kg

from . import receivers as made
from .public import Public, kinds_in, parsed
from .seeds import EXAMPLES

Work = dict[str, Callable[[], Any]]
ZEROS = np.zeros(2)
TEXT = {
    "joint": "elbow",
    "link": "lower",
    "link_a": "upper",
    "link_b": "world",
    "a": "upper",
    "b": "lower",
    "frame": "lower",
    "connection": "hold",
    "axis": "x",
    "parent": "upper",
    "child": "lower",
    "segment": "lower",
}
"""A text by the name of its parameter."""
ARRAYS = {"t": made.T, "axis": (0, 0, 1), "inertia": np.eye(3)}
"""An array by the name of its parameter; else (2) zeros, a state of the double pendulum."""
GOOD: dict[str, Callable[[], Any]] = {
    **dict.fromkeys(("float", "Number"), lambda: 1.0),
    "int": lambda: 1,
    **dict.fromkeys(("VectorLike", "Vector"), lambda: (0.1, 0.2, 1.0)),
    "slice": lambda: slice(2, 9),
    "Sequence": lambda: (1.0, 2.0, 3.0),
    "Mapping": dict,
}
"""A good value by the name of a type."""
CLOSED = ("loop_joint", "actuator_torques", "with_independent", "H", "W", "S", "partition", "assemble", "closure_bias")
PACKED = ("mass_matrix_product", "mass_matrix_solve")
SELF: dict[str, Callable[[], Any]] = {
    **{f"Model.{name}": made.bars for name in CLOSED},
    **{f"Model.{name}": made.packed for name in PACKED},
}
"""Receivers of methods that mean something only there."""
ROUND: Work = {"radius": lambda: 0.3}
BELOW: Work = {"point": lambda: (0.0, 0.0, -5.0)}
BARS: Work = {"q": lambda: made.bars().q0, "v": lambda: np.zeros(3), "a": lambda: np.zeros(3)}
SEGMENTS: Work = {"segments": made.segments}
WORKS: dict[str, Work] = {
    **{f"Model.{name}": BARS for name in CLOSED},
    **{
        f"{kind}.{name}": {"packed": lambda: np.array((1.0, 0.0, 1.0))}
        for name in PACKED
        for kind in ("Model", "SingleModel")
    },
    **{f"Simulator.{name} =": {"value": lambda: None} for name in ("tau", "wrenches", "driven", "servos")},
    "Simulator.q =": {"value": lambda: made.swing().q},
    "Simulator.v =": {"value": lambda: made.swing().v},
    "Factored.evaluate": {"arrays": lambda: {"q": np.zeros(3), "v": np.zeros(3)}},
    "ImmutableDenseMatrix.lambdify": {"arguments": lambda: (made.equations().q,)},
    "Kernel.__call__": {"arguments": lambda: (ZEROS, ZEROS)},
    "PackedPattern.full": {"packed": lambda: np.array((1.0, 0.0, 1.0))},
    "PackedPattern.pack": {"matrix": lambda: np.eye(2)},
    "Pointers.__getitem__": {"link": lambda: "lower"},
    "Sources.write": {"folder": lambda: made.folder() / "written"},
    "casadi.external": {"function": lambda: "inverse_dynamics"},
    "Table.column": {"name": lambda: "a"},
    "Table.vectors": {"names": lambda: ("a", "b")},
    "TorqueTable.term": {"link": lambda: "crank", "cause": lambda: "gravity"},
    "layouts.from_pinocchio": {"q": lambda: np.array((1.0, 0.0, 1.0, 0.0))},
    "runtime.Simulator": {"active": lambda: None, "contacts": lambda: None, "model": made.model},
    "BaseParameters.values": {"pi": lambda: np.ones(20)},
    "BodySegment": {"parent": lambda: None},
    "ContactHistory.from_arrays": {"arrays": lambda: made.history().arrays()},
    "Identification.link": {"name": lambda: "lower"},
    "identify": {"records": made.torques},
    "ContactRules": {"groups": dict, "pairs": dict},
    "Equations.J_L": {"joint": lambda: "close"},
    "Equations.closed_form": {"name": lambda: "mass_matrix"},
    "Equations.contact_rows": {"link": lambda: "crank"},
    "Equations.frame_jacobian": {"name": lambda: "crank"},
    "Equations.in_cut_angles": {"form": lambda: made.equations().H},
    "Equations.link_pose": {"name": lambda: "crank"},
    "Equations.program": {"name": lambda: "bias"},
    "Equations.torque_terms": {"joint": lambda: "knee"},
    "JointLoads.plot": {"names": lambda: "elbow"},
    "Markers.of": {"names": lambda: ("a", "b")},
    "Mechanism.joint": {"name": lambda: "elbow"},
    "Mechanism.link": {"name": lambda: "lower"},
    "Model.kernel": {"name": lambda: "bias"},
    "Model.load": {"folder": made.folder_of_a_model},
    "SingleModel.kernel": {"name": lambda: "bias"},
    "SingleModel.load": {"folder": lambda: made.folder_of_a_model("float32")},
    "Model.loop_joint": BARS | {"name": lambda: "close"},
    "Model.with_independent": {"names": lambda: ("drive",)},
    "Motion.from_kinematics": {"segments": lambda: made.motion().segments},
    "Motion.from_markers": SEGMENTS | {"clusters": lambda: {"upper": made.CLUSTER, "lower": made.CLUSTER}},
    "Motion.from_poses": SEGMENTS | {"poses": made.poses},
    **dict.fromkeys(("capture_point", "pendulum_rate"), BELOW),
    "ContactWrenchCone": {"rows": lambda: np.eye(6), "center": lambda: np.eye(6)[2]},
    "ContactWrenchCone.margin": {"wrench": lambda: np.eye(6)[2]},
    "ContactWrenchCone.of_points": {"points": lambda: np.eye(4)[:, :3]},
    "SupportPolygon.margin": {"points": lambda: np.zeros(3)},
    "support_polygon": {"points": lambda: np.eye(3)},
    "zero_moment_point": {"wrench": lambda: np.eye(6)[2]},
    "parametrise": {"patterns": lambda: ("mass of *",)},
    "read_servos": {"path": lambda: made.file_of("xml")},
    "SegmentMotion.checked": {"n": lambda: len(made.T)},
    "Simulator": {"contacts": lambda: None, "model": made.library},
    "Simulator.at": {"what": lambda: "cut", "names": lambda: ("elbow",)},
    "Simulator.connect": {"connections": lambda: ("hold",)},
    "Simulator.cut": {"names": lambda: ("elbow",)},
    "Simulator.restore": {"state": lambda: made.swing().save()},
    "Simulator.when": {
        "condition": lambda: kg.distance("upper", "lower") < 1,
        "what": lambda: "cut",
        "names": lambda: ("elbow",),
    },
    "Simulator.wrench": {"name": lambda: "hold"},
    "TopologyLibrary.with_active": {"active": lambda: ("elbow",)},
    "TorqueTerms.cause": {"cause": lambda: "gravity"},
    "TorqueTerms.of": {"names": lambda: made.loads().terms.dofs[0]},
    "TorqueTerms.power": {"v": lambda: np.zeros((len(made.T), 6))},
    "TorqueTerms.work": {"v": lambda: np.zeros((len(made.T), 6))},
    "TorqueTerms.plot": {"names": lambda: made.loads().terms.dofs[0]},
    "Trajectory.joint": {"name": lambda: "elbow"},
    "Trajectory.load": {"path": lambda: made.file_of("npz")},
    "Trajectory.html": {"path": lambda: made.folder() / "made.html"},
    "Trajectory.save": {"path": lambda: made.folder() / "made.npz"},
    "Trajectory.to_csv": {"path": lambda: made.folder() / "made.csv"},
    "Trajectory.video": {"path": lambda: made.folder() / "made.gif"},
    "animate": {"path": lambda: made.folder() / "made.html"},
    "play": {"path": lambda: made.folder() / "made.html"},
    "report": {"path": lambda: made.folder() / "made.html"},
    "combine": {"mechanisms": lambda: (made.pendulum(),)},
    "convex": {"vertices": lambda: np.eye(4)[:, :3]},
    "fit_cluster": {"places": lambda: made.CLUSTER},
    "height_field": {"heights": lambda: np.zeros((3, 3)), "size": lambda: (1.0, 1.0)},
    "helical": {"options": lambda: {"axis": (0, 0, 1), "pitch": 0.1}},
    "inverse_dynamics_from_motion": SEGMENTS | {"unmeasured": lambda: ("world",)},
    "load": {"path": lambda: EXAMPLES / "double_pendulum.urdf"},
    "load_scene": {"path": lambda: EXAMPLES / "double_pendulum.toml"},
    "stick_figures": {"mechanism": made.ball, "path": lambda: made.folder() / "made.png"},
    "motion_from_imu": {"rotation": lambda: made.motion().segments["lower"].rotation}
    | {name: lambda: np.zeros((len(made.T), 3)) for name in ("com", "rates", "specific_force")},
    "read_c3d": {"path": lambda: made.file_of("c3d")},
    "read_forces": {"path": made.forces},
    "read_table": {"path": lambda: made.file_of("mot")},
    "read_trc": {"path": lambda: made.file_of("trc")},
    **dict.fromkeys(("Wheel", "rolling"), ROUND),
    "relative_position": {"axis": lambda: "x"},
    "save": {"path": lambda: "made.toml"},
    "solve_ik": {"targets": lambda: [kg.FrameTarget("lower", (0.1, 0.0, -0.9))], "check": lambda: False},
    "footsteps": {"count": lambda: 2, "width": lambda: 0.2},
    "Work.of_table": {"table": lambda: made.work().table(), "n": lambda: 31, "nv": lambda: 6},
    "WalkingPattern.start": {"model": made.walker},
    "WalkingPattern.torques": {"model": made.walker},
    "WalkingPattern.servos": {"kp": lambda: 100.0, "kd": lambda: 1.0},
    "walking_pattern": {
        "model": made.walker,
        "mechanism": made.biped,
        "feet": lambda: ("foot_l", "foot_r"),
        "steps": lambda: made.walk().steps,
        "dt": lambda: 0.02,
        "passes": lambda: 0,
    },
}
"""Arguments that their annotation does not tell, by function and parameter; options without which it does nothing."""


@cache
def parts() -> dict[str, Any]:
    """A good object of every class, by name."""
    return {name: make() for name, make in made.RECEIVERS.items()}


def receiver(public: Public) -> Any:
    """What the method is called on: simulators anew each time, as they change."""
    return SELF.get(public.name, made.RECEIVERS.get(public.owner, lambda: None))()


def good(public: Public, parameter: inspect.Parameter) -> Any:
    """What works for a required parameter."""
    name = parameter.name
    if name in told(public.name):
        return told(public.name)[name]()
    if public.name in made.RECEIVERS and hasattr(parts()[public.name], name):
        return getattr(parts()[public.name], name)
    for kind in kinds_in(parsed(parameter.annotation)):
        if kind == "str":
            return TEXT.get(name, "a")
        if kind in ("ArrayLike", "Array"):
            return ARRAYS.get(name, ZEROS)
        if kind in made.RECEIVERS:
            return made.RECEIVERS[kind]()
        if kind in GOOD:
            return GOOD[kind]()
    raise LookupError(f"{public.name}: no good value is known for {name}: {parameter.annotation}")


def told(name: str) -> Work:
    """Arguments in the table."""
    return WORKS.get(name, {})
