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

if TYPE_CHECKING:
    from kinegen.codegen.inspection.equations import Equations, derive
    from kinegen.codegen.mechanism import inertia
    from kinegen.codegen.mechanism.joint import Joint
    from kinegen.codegen.mechanism.link import Link
    from kinegen.codegen.mechanism.load import load
    from kinegen.codegen.mechanism.mechanism import Mechanism
    from kinegen.codegen.mechanism.pose import Frame, Pose
    from kinegen.runtime.errors import BuildError, InternalError, KinegenError, ModelError
    from kinegen.runtime.model import Model
    from kinegen.runtime.trajectory import Trajectory

    from .compiling import Simulator, compile, generate
    from .figure import human_figure

_HOME = {
    "Equations": "kinegen.codegen.inspection.equations",
    "derive": "kinegen.codegen.inspection.equations",
    "inertia": "kinegen.codegen.mechanism.inertia:",
    "layouts": "kinegen.runtime.layouts:",
    "Joint": "kinegen.codegen.mechanism.joint",
    "Link": "kinegen.codegen.mechanism.link",
    "load": "kinegen.codegen.mechanism.load",
    "Mechanism": "kinegen.codegen.mechanism.mechanism",
    "Frame": "kinegen.codegen.mechanism.pose",
    "Pose": "kinegen.codegen.mechanism.pose",
    "BuildError": "kinegen.runtime.errors",
    "InternalError": "kinegen.runtime.errors",
    "KinegenError": "kinegen.runtime.errors",
    "ModelError": "kinegen.runtime.errors",
    "Model": "kinegen.runtime.model",
    "Trajectory": "kinegen.runtime.trajectory",
    "Simulator": "kinegen.compiling",
    "compile": "kinegen.compiling",
    "generate": "kinegen.compiling",
    "human_figure": "kinegen.figure",
}

__version__ = "0.1.0"
__all__ = [
    "BuildError",
    "Equations",
    "Frame",
    "InternalError",
    "Joint",
    "KinegenError",
    "Link",
    "Mechanism",
    "Model",
    "ModelError",
    "Pose",
    "Simulator",
    "Trajectory",
    "compile",
    "derive",
    "generate",
    "human_figure",
    "inertia",
    "load",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'kinegen' has no attribute {name!r}")
    module, is_module, _ = home.partition(":")
    found = import_module(module)
    return found if is_module else getattr(found, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
