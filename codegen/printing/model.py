"""Plan → the text of a model: all its files, and the manifest that describes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice

from ..analysis.plan import Plan
from ..analysis.routes import written_out
from ..program.rounding import bounds
from .headers import header_text, kernel_declarations
from .kernels import CFile, Context
from .lanes.files import lane_file, with_lanes
from .lanes.steps import has_lane_steps, lane_step_file
from .lanes.terms import has_lane_terms, lane_terms_file
from .library import library_flags, library_of
from .manifest import chosen_routes, manifest_of
from .motion.coordinates import coordinates_file
from .motion.files import motion_file
from .prefix import prefix_of
from .selection import ALL, Selection, taken
from .single import in_single
from .sources import Evaluation, Finished, Sources, unheard
from .step.files import step_files
from .step.inverse import inverse_file
from .step.step import model_header
from .structs.model import declarations
from .text.dialects import Numbers
from .text.widths import fitted
from .tree.files import still, tree_files
from .tree.table import Row, tree_table


def printed(
    plan: Plan,
    selection: Selection = ALL,
    advance: Callable[[str], None] = lambda stage: None,
    finished: Finished = unheard,
) -> Sources:
    """The text of what was planned; each straight-line function is derived as it is printed.

    `advance` is told the name of each as that is done, `finished` is given each file of the mechanism but PREFIX.h.
    """
    numbers = selection.numbers
    context = Context(plan.mechanism, prefix_of(plan.mechanism.name), advance, plan.switches, numbers)
    prefix = context.prefix
    table, step, motion = _offered(context, plan, selection)
    if not plan.sizes.nv:
        selection = replace(selection, further=ALL.further)  # nothing is large where nothing moves
    take = taken(selection, table, step, motion, context)
    rows, silent = (take.rows, ()) if plan.sizes.nv else still(context, take.rows)
    inverse = take.inverse and plan.sizes.nv > 0
    pages = _Pages(context, selection.lanes, plan.misfit, finished)
    if take.step or inverse or take.lane_steps or any(row.loop for row in rows):
        pages.put(f"{prefix}_model.h", model_header(context, plan.sizes))
    waiting = tree_files(context, rows)
    tree = pages.add(*islice(waiting, 1))  # soon there, for compilers to begin with
    stepping = pages.add(*(step() if step and take.step else ()))  # among them is what they take long for
    tree += tuple(file for made in waiting for file in pages.add(made))
    further = pages.add(*((inverse_file(context),) if inverse else ()))
    further += pages.add(*((lane_step_file(context, plan),) if take.lane_steps else ()))
    further += pages.add(*((lane_terms_file(context, plan),) if take.lane_terms else ()))
    files, moving = (*tree, *stepping, *further), pages.add(*((motion,) if take.motion else ()))
    lanes, texts = pages.twins_of((*files, *moving)), pages.texts
    declared = declarations(plan.sizes, prefix) if take.step else ""
    declared += kernel_declarations(context, files)
    declared += "".join(file.declarations for file in (*moving, *files, *lanes))
    files = (*files, *moving)
    library = library_of(texts.values())
    texts |= library
    kernels = (*with_lanes([kernel for file in files for kernel in file.kernels], lanes), *silent)
    names = tuple(sorted([*texts, f"{prefix}.h"]))
    steps = step is not None
    lanes_left = (steps and has_lane_steps(plan), steps and selection.lanes and has_lane_terms(plan))
    left = selection.left(table, steps and plan.sizes.nv > 0 and not take.inverse, *lanes_left)
    manifest = manifest_of(plan, prefix, (*kernels, *chosen_routes(kernels)), names, left, take.step, numbers.dtype)
    texts[f"{prefix}.h"] = fitted(header_text(manifest, declared))
    return Sources(
        manifest=manifest,
        files=dict(sorted(texts.items())),
        cdef=declared,
        flags={file.name: file.flags for file in files if file.flags} | library_flags(library),
        warnings=plan.touching.warnings,
        evaluations=tuple(_evaluations(files, numbers)),
    )


def _evaluations(files: Sequence[CFile], numbers: Numbers) -> Iterator[Evaluation]:
    """Of the kernels that are programs."""
    for file in files:
        for name in (kernel.name for kernel in file.kernels if kernel.name in file.programs):
            program = file.programs[name]
            bound = partial(bounds, program, unit=numbers.rounding)
            yield Evaluation(name, file.name, len(program.assignments), bound)


class _Pages:
    """The files of a mechanism, each handed on when it is printed, and twins by lanes of those that have one."""

    def __init__(self, context: Context, lanes: bool, misfit: float, finished: Finished) -> None:
        self._context, self._by_lanes, self._misfit, self._finished = context, lanes, misfit, finished
        self._twins: dict[str, CFile] = {}
        self.texts: dict[str, str] = {}

    def add(self, *files: CFile) -> tuple[CFile, ...]:
        """Files that belong together: a twin may ask for kernels of the others."""
        for file in files:
            self.put(file.name, file.text, file.flags)
            if self._by_lanes and (twin := lane_file(self._context, file, files, self._misfit)):
                self._twins[file.name] = twin
                self.put(twin.name, twin.text)
        return files

    def twins_of(self, files: Sequence[CFile]) -> tuple[CFile, ...]:
        return tuple(self._twins[file.name] for file in files if file.name in self._twins)

    def put(self, name: str, text: str, flags: tuple[str, ...] = ()) -> None:
        self.texts[name] = fitted(text)
        self._finished(name, self.texts[name], flags)


Step = Callable[[], tuple[CFile, ...]]


def _offered(context: Context, plan: Plan, selection: Selection) -> tuple[Sequence[Row], Step | None, CFile]:
    """The functions of the tree, what prints the files of the step, that of motion; of floats what can be had."""
    forward, packed, frames = plan.forward_dynamics, selection.lanes, selection.frames
    if selection.single:
        mass_matrix = written_out(plan.mechanism, plan.mass_matrix)
        return in_single(tree_table(context, mass_matrix, forward, packed, frames)), None, coordinates_file(context)
    table = tree_table(context, plan.mass_matrix, forward, packed, frames)
    return table, cache(lambda: step_files(context, plan)), motion_file(context, plan.spins, plan.turning)
