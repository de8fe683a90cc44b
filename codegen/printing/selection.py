"""Which kernels are wanted: some by name with all that they call, with the reference kernels or without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kinegen.runtime.errors import ModelError, shown

from ..mechanism.checks import meant
from ..symbolic.motion import NAME, moved
from .kernels import CFile, Context
from .text.dialects import DOUBLE, NUMBERS, SINGLE, Numbers
from .tree.files import wanted
from .tree.table import FURTHER, Row, group_of

INVERSE = "solve_ik"
LANE_STEPS = "lane_steps"
"""The group of steps by lanes: compiled when a rollout asks for it."""
LANE_TERMS = "lane_terms"
"""That of what steps with rows begin with, by lanes: the same."""
INVERSE_NEEDS = ("link_poses", "frame_jacobian", "com", "com_jacobian")


@dataclass(frozen=True)
class Selection:
    """`kernels`: names, None for all of what follows.

    `core`: what most ask for, the time step with it; `further`: groups of what few do, of FURTHER; `lanes`: also what
    computes several states at a time, and the packed mass matrix; `frames`: links and frames that get kernels of their
    own beside all these. `dtype`: what is computed with, one of NUMBERS; floats have fewer kernels (`single`).
    ModelError for another one.
    """

    kernels: tuple[str, ...] | None = None
    core: bool = True
    further: tuple[str, ...] = tuple(FURTHER)
    lanes: bool = False
    frames: tuple[str, ...] = ()
    dtype: str = DOUBLE.dtype

    def __post_init__(self) -> None:
        if self.dtype not in NUMBERS:
            known = " or ".join(map(repr, NUMBERS))
            raise ModelError(f"dtype: expected {known}, got {shown(self.dtype)}")

    @property
    def numbers(self) -> Numbers:
        return NUMBERS[self.dtype]

    @property
    def single(self) -> bool:
        """Floats are asked for."""
        return self.numbers is SINGLE

    @property
    def touching(self) -> bool:
        """What may touch matters."""
        return self.core or LANE_TERMS in self.further

    def offers(self, row: Row) -> bool:
        """Whether a row is one of those that are not asked for by name."""
        group = group_of(row)
        return self.core if group is None else group in self.further

    def left(self, rows: Sequence[Row], inverse: bool, lane_steps: bool, lane_terms: bool) -> dict[str, str]:
        """Kernel → group, of what a model with the core can get when it is asked for it; `inverse`: its inverse
        kinematics among that, `lane_steps`: steps by lanes, `lane_terms`: what steps with rows begin with, which no
        model has at once."""
        if self.kernels is not None or not self.core:
            return {}
        groups = [(row.name, group_of(row)) for row in rows if row.public]
        groups += [(INVERSE, "inverse_kinematics")] if inverse else []
        groups += [("simulate_lanes", LANE_STEPS)] if lane_steps else []
        groups += [("contact_terms_lanes", LANE_TERMS)] if lane_terms else []
        return {name: group for name, group in groups if group and group not in self.further}


ALL = Selection()
LEAN = Selection(further=tuple(group for group in FURTHER if group != "reference"))
CORE = Selection(further=())


@dataclass(frozen=True)
class Taken:
    """What a selection takes: rows of the tree, whether the files of the step, which belong together, of motion,
    inverse kinematics, steps by lanes, and what steps with rows begin with, by lanes."""

    rows: tuple[Row, ...]
    step: bool
    motion: bool
    inverse: bool
    lane_steps: bool = False
    lane_terms: bool = False


def taken(
    selection: Selection,
    rows: Sequence[Row],
    step: Callable[[], Sequence[CFile]] | None,
    motion: CFile,
    context: Context,
) -> Taken:
    """The rows wanted and what they need; `step`: prints the files of loops, constraint rows and the step, None where
    there are none.

    ModelError for a name that is no kernel, with the nearest one.
    """
    closed = bool(context.mechanism.virtual_links)
    if selection.kernels is None:
        offered = [row.name for row in rows if row.public and selection.offers(row)]
        inverse = step is not None and "inverse_kinematics" in selection.further
        steps = step is not None and (selection.core or (inverse and closed))
        needs = (*(step_needs(context, rows) if steps else ()), *(INVERSE_NEEDS if inverse else ()))
        lanes = (step is not None and group in selection.further for group in (LANE_STEPS, LANE_TERMS))
        return Taken(wanted(rows, [*offered, *needs]), steps, True, inverse, *lanes)
    stepping = {kernel.name for file in step() for kernel in file.kernels} | {"simulate"} if step else set()
    moving = {kernel.name for kernel in motion.kernels}
    known = [*(row.name for row in rows if row.public), *sorted(stepping | moving | ({INVERSE} if step else set()))]
    of = " of float32" if selection.single else ""
    for name in selection.kernels:
        if name not in known:
            raise ModelError(f"no kernel {name!r}{of}{meant(name, known)}; there are: {', '.join(known)}")
    inverse = INVERSE in selection.kernels
    steps = not stepping.isdisjoint(selection.kernels) or (inverse and closed)
    needs = (*(step_needs(context, rows) if steps else ()), *(INVERSE_NEEDS if inverse else ()))
    needs = (*needs, *(row.name for row in rows if row.frame))
    moves = steps or inverse or not moving.isdisjoint(selection.kernels)
    return Taken(wanted(rows, [*selection.kernels, *needs]), steps, moves, inverse)


def step_needs(context: Context, rows: Sequence[Row]) -> tuple[str, ...]:
    """The kernels that the files of the step call: loops, constraint rows and the step."""
    forward = f"forward_dynamics{context.open}"
    kinematics = ("link_poses", "frame_jacobian")
    given = (NAME,) if moved(context.mechanism) else ()
    dynamics = ("inverse_dynamics", "mass_matrix", "bias", "gravity", *kinematics, *given)
    if not context.mechanism.virtual_links or context.switches:
        return (*dynamics, forward, f"{forward}_damped")
    return (*dynamics, *(row.name for row in rows if row.file == "closure"))
