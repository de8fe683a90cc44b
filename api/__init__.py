"""kinegen: mechanisms to equations of motion, model-specific C and simulation.

    import kinegen as kg
    mech = kg.load("robot.urdf", root="free")
    model = kg.compile(mech)
    tau = model.inverse_dynamics(q, v, a)

Names are handed on when first used (Scientific Python SPEC 1), so that `kinegen.runtime` loads without SymPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kinegen.runtime.kinds import KINDS as _KINDS
from kinegen.runtime.names.lazy import lazy as _lazy

from .homes import HOMES as _HOMES
from .homes import MODULES as _MODULES

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
        ContactWarning,
        ExcitationWarning,
        FileWarning,
        FitWarning,
        InternalError,
        KinegenError,
        ModelError,
        SimulationError,
        StepWarning,
        TopologyWarning,
    )
    from kinegen.runtime.events.conditions import (
        angle,
        contact_force,
        distance,
        force,
        moment,
        relative_angle,
        relative_position,
        speed,
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
    from kinegen.runtime.model.torques.causes import TorqueTerms, Wrench
    from kinegen.runtime.rollouts.rollout import Rollouts
    from kinegen.runtime.simulation.trajectory import Trajectory
    from kinegen.runtime.stepping.given.servos import Servo
    from kinegen.runtime.viewer.viewer import Viewer
    from kinegen.runtime.walking.cone import ContactWrenchCone
    from kinegen.runtime.walking.support import SupportPolygon, support_polygon
    from kinegen.runtime.walking.zmp import capture_point, external_wrench, pendulum_rate, zero_moment_point

    from .body import body_segments
    from .compiling import Simulator, compile, generate, rollout
    from .drawing.animate import animate
    from .drawing.pictures import stick_figures
    from .drawing.play import play
    from .drawing.report import report
    from .drawing.tour import tour
    from .drawing.view import view
    from .figure import human_figure, simple_figure
    from .scenes.compiled import load_scene
    from .topology import TopologyLibrary
    from .walking.footsteps import Footstep, footsteps
    from .walking.pattern import WalkingPattern, walking_pattern
    from .walking.plan import StepTiming

__getattr__: Callable[[str], Any]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = _lazy(__name__, _HOMES, _MODULES)

__version__ = "0.1.0"
__all__ = [
    "BaseParameters",
    "BodySegment",
    "BuildError",
    "ClosureWarning",
    "ContactWarning",
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
    "FileWarning",
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
    "StepWarning",
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
    "load_scene",
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
    "stick_figures",
    "support_polygon",
    "tour",
    "view",
    "walking_pattern",
    "zero_moment_point",
    *_KINDS,
]
