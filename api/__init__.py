"""kinegen: mechanisms to equations of motion, model-specific C and simulation.

    import kinegen as kg
    mech = kg.load("robot.urdf", root="free")
    model = kg.compile(mech)
    tau = model.inverse_dynamics(q, v, a)

Names are handed on when first used (Scientific Python SPEC 1), so that `kinegen.runtime` loads without SymPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kinegen.runtime.kinds import KINDS as _KINDS

if TYPE_CHECKING:
    from kinegen.actuators import read_servos
    from kinegen.codegen.analysis.contact.rules import ContactRules, Surface
    from kinegen.codegen.inspection.equations import Equations, derive
    from kinegen.codegen.mechanism import inertia
    from kinegen.codegen.mechanism.elements.bushing import bushing
    from kinegen.codegen.mechanism.elements.joint import Joint
    from kinegen.codegen.mechanism.elements.joint_options import Mimic
    from kinegen.codegen.mechanism.elements.joint_templates import (  # noqa: F401 - __all__ has the kinds by their records
        JointTemplate,
        cartesian,
        continuous,
        cylindrical,
        fixed,
        free,
        gimbal,
        helical,
        planar,
        prismatic,
        revolute,
        rolling,
        spherical,
        universal,
    )
    from kinegen.codegen.mechanism.elements.link import Link
    from kinegen.codegen.mechanism.elements.parameter import parameter
    from kinegen.codegen.mechanism.elements.parametrise import parametrise
    from kinegen.codegen.mechanism.elements.rows import RowRules, Rows
    from kinegen.codegen.mechanism.elements.visual import Visual
    from kinegen.codegen.mechanism.formats.load import load
    from kinegen.codegen.mechanism.formats.toml.writer import save
    from kinegen.codegen.mechanism.geometry.shapes import (
        Shape,
        box,
        capsule,
        convex,
        cylinder,
        height_field,
        mesh,
        plane,
        sphere,
    )
    from kinegen.codegen.mechanism.mechanism import Mechanism, combine
    from kinegen.codegen.mechanism.pose import Frame, Pose
    from kinegen.codegen.mechanism.structure.merge import merge_fixed
    from kinegen.codegen.mechanism.structure.topology import Connection
    from kinegen.codegen.report.page import report
    from kinegen.runtime.analysis.causes import TorqueTerms, Wrench
    from kinegen.runtime.analysis.smoothing import Smoothing
    from kinegen.runtime.analysis.work import Work
    from kinegen.runtime.contact.contacts import ContactHistory, ContactOptions, Contacts
    from kinegen.runtime.contact.rows import RowForce
    from kinegen.runtime.derivatives.equilibrium import Equilibrium, equilibrium
    from kinegen.runtime.derivatives.linear import Linearization, linearize
    from kinegen.runtime.derivatives.steps.step import StepDerivatives, step_derivatives
    from kinegen.runtime.derivatives.touching.seen import PointMode
    from kinegen.runtime.errors import (
        BuildError,
        ClosureWarning,
        ExcitationWarning,
        FitWarning,
        InternalError,
        KinegenError,
        ModelError,
    )
    from kinegen.runtime.identification.base import BaseParameters, base_parameters
    from kinegen.runtime.identification.identify import Identification, identify
    from kinegen.runtime.identification.records import TorqueRecord
    from kinegen.runtime.inverse.solution import IKError, IKSolution
    from kinegen.runtime.inverse.solve import solve_ik
    from kinegen.runtime.inverse.targets import ComTarget, DirectionTarget, FrameTarget, LookAtTarget
    from kinegen.runtime.measured.c3d import read_c3d
    from kinegen.runtime.measured.dynamics import inverse_dynamics_from_motion
    from kinegen.runtime.measured.loads import JointLoads
    from kinegen.runtime.measured.markers import Markers, fit_cluster, read_trc
    from kinegen.runtime.measured.motion import BodySegment, Motion, SegmentMotion, motion_from_imu
    from kinegen.runtime.measured.plates import PlateRecord, read_forces
    from kinegen.runtime.measured.table import read_table
    from kinegen.runtime.model.model import Model
    from kinegen.runtime.model.single import SingleModel
    from kinegen.runtime.rollouts.rollout import Rollouts
    from kinegen.runtime.simulation.given.servos import Servo
    from kinegen.runtime.simulation.trajectory import SimulationError, Trajectory
    from kinegen.runtime.topology.conditions import (
        angle,
        contact_force,
        distance,
        force,
        moment,
        relative_angle,
        relative_position,
        speed,
    )
    from kinegen.runtime.topology.library import TopologyWarning
    from kinegen.runtime.viewer.viewer import Viewer
    from kinegen.runtime.walking.cone import ContactWrenchCone
    from kinegen.runtime.walking.support import SupportPolygon, support_polygon
    from kinegen.runtime.walking.zmp import capture_point, external_wrench, pendulum_rate, zero_moment_point

    from .body import body_segments
    from .compiling import Simulator, compile, generate, rollout
    from .drawing.animate import animate
    from .drawing.play import play
    from .drawing.tour import tour
    from .drawing.view import view
    from .figure import human_figure, simple_figure
    from .topology import TopologyLibrary
    from .walking.footsteps import Footstep, footsteps
    from .walking.pattern import WalkingPattern, walking_pattern
    from .walking.plan import StepTiming

_HOME = {
    "Equations": "kinegen.codegen.inspection.equations",
    "derive": "kinegen.codegen.inspection.equations",
    "inertia": "kinegen.codegen.mechanism.elements.inertia:",
    "layouts": "kinegen.runtime.model.layouts:",
    "casadi": "kinegen.casadi:",
    "jax": "kinegen.runtime.bridges.jax:",
    "torch": "kinegen.runtime.bridges.torch:",
    "Joint": "kinegen.codegen.mechanism.elements.joint",
    "Link": "kinegen.codegen.mechanism.elements.link",
    "load": "kinegen.codegen.mechanism.formats.load",
    "Mechanism": "kinegen.codegen.mechanism.mechanism",
    "combine": "kinegen.codegen.mechanism.mechanism",
    "Frame": "kinegen.codegen.mechanism.pose",
    "Pose": "kinegen.codegen.mechanism.pose",
    "BuildError": "kinegen.runtime.errors",
    "InternalError": "kinegen.runtime.errors",
    "KinegenError": "kinegen.runtime.errors",
    "ClosureWarning": "kinegen.runtime.errors",
    "FitWarning": "kinegen.runtime.errors",
    "ModelError": "kinegen.runtime.errors",
    "ExcitationWarning": "kinegen.runtime.errors",
    "BaseParameters": "kinegen.runtime.identification.base",
    "base_parameters": "kinegen.runtime.identification.base",
    "Identification": "kinegen.runtime.identification.identify",
    "identify": "kinegen.runtime.identification.identify",
    "TorqueRecord": "kinegen.runtime.identification.records",
    "Model": "kinegen.runtime.model.model",
    "SingleModel": "kinegen.runtime.model.single",
    "Linearization": "kinegen.runtime.derivatives.linear",
    "linearize": "kinegen.runtime.derivatives.linear",
    **dict.fromkeys(("StepDerivatives", "step_derivatives"), "kinegen.runtime.derivatives.steps.step"),
    "PointMode": "kinegen.runtime.derivatives.touching.seen",
    "Equilibrium": "kinegen.runtime.derivatives.equilibrium",
    "equilibrium": "kinegen.runtime.derivatives.equilibrium",
    "solve_ik": "kinegen.runtime.inverse.solve",
    **dict.fromkeys(("IKError", "IKSolution"), "kinegen.runtime.inverse.solution"),
    **dict.fromkeys(("ComTarget", "DirectionTarget", "FrameTarget", "LookAtTarget"), "kinegen.runtime.inverse.targets"),
    "SimulationError": "kinegen.runtime.simulation.trajectory",
    "Trajectory": "kinegen.runtime.simulation.trajectory",
    "Work": "kinegen.runtime.analysis.work",
    "Mimic": "kinegen.codegen.mechanism.elements.joint_options",
    "Wheel": "kinegen.codegen.mechanism.elements.rolling",
    "merge_fixed": "kinegen.codegen.mechanism.structure.merge",
    **dict.fromkeys(("JointTemplate", "rolling", *_KINDS), "kinegen.codegen.mechanism.elements.joint_templates"),
    "sphere": "kinegen.codegen.mechanism.geometry.shapes",
    "box": "kinegen.codegen.mechanism.geometry.shapes",
    "capsule": "kinegen.codegen.mechanism.geometry.shapes",
    "convex": "kinegen.codegen.mechanism.geometry.shapes",
    "cylinder": "kinegen.codegen.mechanism.geometry.shapes",
    "plane": "kinegen.codegen.mechanism.geometry.shapes",
    "height_field": "kinegen.codegen.mechanism.geometry.shapes",
    "mesh": "kinegen.codegen.mechanism.geometry.shapes",
    "Shape": "kinegen.codegen.mechanism.geometry.shapes",
    "Visual": "kinegen.codegen.mechanism.elements.visual",
    "parameter": "kinegen.codegen.mechanism.elements.parameter",
    "parametrise": "kinegen.codegen.mechanism.elements.parametrise",
    "save": "kinegen.codegen.mechanism.formats.toml.writer",
    "bushing": "kinegen.codegen.mechanism.elements.bushing",
    "inverse_dynamics_from_motion": "kinegen.runtime.measured.dynamics",
    "JointLoads": "kinegen.runtime.measured.loads",
    "BodySegment": "kinegen.runtime.measured.motion",
    "Motion": "kinegen.runtime.measured.motion",
    "SegmentMotion": "kinegen.runtime.measured.motion",
    "motion_from_imu": "kinegen.runtime.measured.motion",
    "Markers": "kinegen.runtime.measured.markers",
    "read_trc": "kinegen.runtime.measured.markers",
    "fit_cluster": "kinegen.runtime.measured.markers",
    "PlateRecord": "kinegen.runtime.measured.plates",
    "read_forces": "kinegen.runtime.measured.plates",
    "read_c3d": "kinegen.runtime.measured.c3d",
    "read_table": "kinegen.runtime.measured.table",
    "Smoothing": "kinegen.runtime.analysis.smoothing",
    "Wrench": "kinegen.runtime.analysis.causes",
    "TorqueTerms": "kinegen.runtime.analysis.causes",
    "body_segments": "kinegen.body",
    "read_servos": "kinegen.actuators",
    "Connection": "kinegen.codegen.mechanism.structure.topology",
    **dict.fromkeys(("ContactRules", "Surface"), "kinegen.codegen.analysis.contact.rules"),
    "RowRules": "kinegen.codegen.mechanism.elements.rows",
    "Rows": "kinegen.codegen.mechanism.elements.rows",
    "RowForce": "kinegen.runtime.contact.rows",
    **dict.fromkeys(("ContactHistory", "ContactOptions", "Contacts"), "kinegen.runtime.contact.contacts"),
    "TopologyLibrary": "kinegen.topology",
    "TopologyWarning": "kinegen.runtime.topology.library",
    **dict.fromkeys(
        ("angle", "contact_force", "distance", "force", "moment", "relative_angle", "relative_position", "speed"),
        "kinegen.runtime.topology.conditions",
    ),
    "Viewer": "kinegen.runtime.viewer.viewer",
    "ContactWrenchCone": "kinegen.runtime.walking.cone",
    **dict.fromkeys(("SupportPolygon", "support_polygon"), "kinegen.runtime.walking.support"),
    **dict.fromkeys(
        ("capture_point", "external_wrench", "pendulum_rate", "zero_moment_point"), "kinegen.runtime.walking.zmp"
    ),
    "Servo": "kinegen.runtime.simulation.given.servos",
    "Simulator": "kinegen.compiling",
    "rollout": "kinegen.compiling",
    "Rollouts": "kinegen.runtime.rollouts.rollout",
    "compile": "kinegen.compiling",
    "generate": "kinegen.compiling",
    "report": "kinegen.codegen.report.page",
    "animate": "kinegen.drawing.animate",
    "play": "kinegen.drawing.play",
    "tour": "kinegen.drawing.tour",
    "view": "kinegen.drawing.view",
    "human_figure": "kinegen.figure",
    "simple_figure": "kinegen.figure",
    **dict.fromkeys(("Footstep", "footsteps"), "kinegen.walking.footsteps"),
    "StepTiming": "kinegen.walking.plan",
    **dict.fromkeys(("WalkingPattern", "walking_pattern"), "kinegen.walking.pattern"),
}

__version__ = "0.1.0"
__all__ = [
    "BaseParameters",
    "BodySegment",
    "BuildError",
    "ClosureWarning",
    "ComTarget",
    "Connection",
    "ContactHistory",
    "ContactOptions",
    "ContactRules",
    "ContactWrenchCone",
    "Contacts",
    "DirectionTarget",
    "Equations",
    "Equilibrium",
    "ExcitationWarning",
    "FitWarning",
    "Footstep",
    "Frame",
    "FrameTarget",
    "IKError",
    "IKSolution",
    "Identification",
    "InternalError",
    "Joint",
    "JointLoads",
    "JointTemplate",
    "KinegenError",
    "Linearization",
    "Link",
    "LookAtTarget",
    "Markers",
    "Mechanism",
    "Mimic",
    "Model",
    "ModelError",
    "Motion",
    "PlateRecord",
    "PointMode",
    "Pose",
    "Rollouts",
    "RowForce",
    "RowRules",
    "Rows",
    "SegmentMotion",
    "Servo",
    "Shape",
    "SimulationError",
    "Simulator",
    "SingleModel",
    "Smoothing",
    "StepDerivatives",
    "StepTiming",
    "SupportPolygon",
    "Surface",
    "TopologyLibrary",
    "TopologyWarning",
    "TorqueRecord",
    "TorqueTerms",
    "Trajectory",
    "Viewer",
    "Visual",
    "WalkingPattern",
    "Wheel",
    "Work",
    "Wrench",
    "angle",
    "animate",
    "base_parameters",
    "body_segments",
    "box",
    "bushing",
    "capsule",
    "capture_point",
    "combine",
    "compile",
    "contact_force",
    "convex",
    "cylinder",
    "derive",
    "distance",
    "equilibrium",
    "external_wrench",
    "fit_cluster",
    "footsteps",
    "force",
    "generate",
    "height_field",
    "human_figure",
    "identify",
    "inertia",
    "inverse_dynamics_from_motion",
    "linearize",
    "load",
    "merge_fixed",
    "mesh",
    "moment",
    "motion_from_imu",
    "parameter",
    "parametrise",
    "pendulum_rate",
    "plane",
    "play",
    "read_c3d",
    "read_forces",
    "read_servos",
    "read_table",
    "read_trc",
    "relative_angle",
    "relative_position",
    "report",
    "rolling",
    "rollout",
    "save",
    "simple_figure",
    "solve_ik",
    "speed",
    "sphere",
    "step_derivatives",
    "support_polygon",
    "tour",
    "view",
    "walking_pattern",
    "zero_moment_point",
    *_KINDS,
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'kinegen' has no attribute {name!r}")
    module, is_module, _ = home.partition(":")
    found = import_module(module)
    globals()[name] = found if is_module else getattr(found, name)  # not asked for again
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
