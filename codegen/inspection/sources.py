"""Which program a quantity is read from: the kernels' own, and those of frames."""

from __future__ import annotations

from kinegen.runtime.errors import ModelError

from ..emission.routes import forward_dynamics_route, mass_matrix_route
from ..mechanism.mechanism import Mechanism
from ..program.types import Function
from ..symbolic.frames import derive_frame_jacobian, derive_frame_pose
from ..symbolic.functions import DERIVATIONS, derive

FRAMES = {"frame_pose": derive_frame_pose, "frame_jacobian": derive_frame_jacobian}
CHOSEN = {"mass_matrix": mass_matrix_route, "forward_dynamics": forward_dynamics_route}
REFERENCE = {"mass_matrix": "mass_matrix_composite", "forward_dynamics": "forward_dynamics_articulated"}


PIECES = {"motion_columns", "composite_columns", "world_inertias", "armatures", "unit_torque"}  # of loops in the C
OF_LOOPS = {"cut_poses", "cut_twists"}


def names_of() -> tuple[str, ...]:
    """Every name that `program_of` takes, but for pieces of kernels."""
    plain = [name for name in DERIVATIONS if name not in PIECES | OF_LOOPS and not name.startswith("closure")]
    return tuple(sorted([*plain, *FRAMES, *CHOSEN, "coriolis"]))


def program_of(mechanism: Mechanism, name: str, frame: str | None = None) -> Function:
    """The program of a quantity; "mass_matrix" and "forward_dynamics" by the route that compiling takes."""
    if name not in names_of() and name not in PIECES:
        raise ModelError(f"no equations called '{name}'; there are: {', '.join(names_of())}")
    if name in FRAMES:
        if frame is None:
            raise ModelError(f"{name}: which link or frame? say frame=...")
        return FRAMES[name](mechanism, frame)
    if frame is not None:
        raise ModelError(f"{name} takes no frame; only {', '.join(FRAMES)} do")
    if name in CHOSEN:
        chosen = CHOSEN[name](mechanism).function
        return chosen if chosen is not None else derive(mechanism, REFERENCE[name])
    if name == "coriolis":
        return derive(_weightless(mechanism), "bias")
    return derive(mechanism, name)


def _weightless(mechanism: Mechanism) -> Mechanism:
    m = mechanism
    return Mechanism(m.name, m.links, m.joints, (0.0, 0.0, 0.0), m.frames, m.shapes, m.unphysical)
