"""Which program a quantity is read from: the kernels' own, those of frames, and those of closed loops."""

from __future__ import annotations

from dataclasses import replace

from kinegen.runtime.errors import ModelError

from ..analysis.inertia import is_massless
from ..analysis.loops.closure import scales_of
from ..analysis.routes import closed_route, forward_dynamics_route, mass_matrix_route
from ..mechanism.mechanism import Mechanism
from ..program.types import Function
from ..symbolic.derivatives.closure import derive_coordinate_rates
from ..symbolic.functions import DERIVATIONS, derive
from ..symbolic.loops.closed_functions import derive_closed, derive_dependence
from ..symbolic.loops.equations import derive_closure_equations, derive_loop_bias, derive_loop_jacobian
from ..symbolic.motion import NAME, moved, prescribed_motion
from ..symbolic.passive import PASSIVE, derive_passive
from ..symbolic.tree.coriolis import derive_cog_jacobian_rate, derive_coriolis_matrix
from ..symbolic.tree.frames import derive_frame_jacobian, derive_frame_pose
from .forms.split import samples

FRAMES = {"frame_pose": derive_frame_pose, "frame_jacobian": derive_frame_jacobian}
PAPER = {
    "closure_equations": derive_closure_equations,
    "loop_jacobian": derive_loop_jacobian,
    "loop_bias": derive_loop_bias,
}
RATES = {
    "coriolis_matrix": derive_coriolis_matrix,
    "cog_jacobian_rate": derive_cog_jacobian_rate,
    "coordinate_rates": derive_coordinate_rates,
}
CHOSEN = {"mass_matrix": mass_matrix_route, "forward_dynamics": forward_dynamics_route}
REFERENCE = {"mass_matrix": "mass_matrix_composite", "forward_dynamics": "forward_dynamics_articulated"}
PIECES = {  # of loops in the C
    *(
        "motion_columns",
        "composite_columns",
        "world_inertias",
        "armatures",
        "unit_torque",
        "gravity_vector",
        "regressor_parts",
    ),
}
PARTITIONED = ("dependence", "forward_dynamics_closed")  # straight-line for the split that compiling takes
OF_LOOPS = {name for name in DERIVATIONS if name.startswith(("closure", "cut_"))}


def names_of(mechanism: Mechanism) -> tuple[str, ...]:
    """Every name that `program_of` takes for a mechanism, but for pieces of kernels."""
    plain = [name for name in DERIVATIONS if name not in PIECES | OF_LOOPS]
    loops = [*OF_LOOPS, *PAPER, *PARTITIONED] if mechanism.virtual_links else []
    given = [NAME] if moved(mechanism) else []
    return tuple(sorted([*plain, *FRAMES, *CHOSEN, *RATES, *PASSIVE, "coriolis", *loops, *given]))


def program_of(mechanism: Mechanism, name: str, frame: str | None = None) -> Function:
    """The program of a quantity; "mass_matrix" and "forward_dynamics" (of the tree) by the route of compiling."""
    if name not in (known := names_of(mechanism)) and name not in PIECES:
        reason = "; it has no closed loops" if name in {*OF_LOOPS, *PAPER, *PARTITIONED} else ""
        raise ModelError(f"no equations called '{name}'{reason}; there are: {', '.join(known)}")
    if name in FRAMES:
        if frame is None:
            raise ModelError(f"{name}: which link or frame? say frame=...")
        return FRAMES[name](mechanism, frame)
    if frame is not None:
        raise ModelError(f"{name} takes no frame; only {', '.join(FRAMES)} do")
    if name in CHOSEN:
        chosen = CHOSEN[name](mechanism).function
        return chosen if chosen is not None else derive(mechanism, REFERENCE[name])
    if name in PARTITIONED:
        return _partitioned(mechanism, name)
    if name in PAPER or name in RATES:
        return (PAPER | RATES)[name](mechanism)
    if name in PASSIVE:
        return derive_passive(mechanism, name)
    if name == NAME:
        return prescribed_motion(mechanism)
    if name == "coriolis":
        return replace(derive(replace(mechanism, gravity=(0.0, 0.0, 0.0)), "bias"), name=name)
    return derive(mechanism, name)


def _partitioned(mechanism: Mechanism, name: str) -> Function:
    partition, scales = samples(mechanism).partition, scales_of(mechanism)
    if name == "dependence":
        return derive_dependence(mechanism, partition, scales)
    massless = is_massless(mechanism)
    route = closed_route(mechanism, partition, massless, scales)
    return route.function or derive_closed(mechanism, partition, route.name, scales, massless)
