"""Plan → the text of a model: all its files, and the manifest that describes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from ..analysis.plan import Plan
from ..analysis.routes import written_out
from ..program.rounding import bounds
from ..symbolic.names import identifier
from .headers import header_text, kernel_declarations
from .kernels import CFile, Context
from .lanes.files import lane_files, with_lanes
from .lanes.steps import has_lane_steps, lane_step_file
from .library import library_flags, library_of
from .manifest import chosen_routes, manifest_of
from .motion.coordinates import coordinates_file
from .motion.files import motion_file
from .selection import ALL, Selection, taken
from .single import in_single
from .sources import Evaluation, Sources
from .step.files import step_files
from .step.inverse import inverse_file
from .step.step import model_header
from .structs.model import declarations
from .text.widths import fitted
from .tree.files import still, tree_files
from .tree.table import Row, tree_table


def printed(plan: Plan, selection: Selection = ALL, advance: Callable[[str], None] = lambda stage: None) -> Sources:
    """The text of what was planned; each straight-line function is derived as it is printed."""
    numbers = selection.numbers
    context = Context(plan.mechanism, identifier(plan.mechanism.name).lower(), advance, plan.switches, numbers)
    prefix = context.prefix
    table, step, motion = _offered(context, plan, selection)
    if not plan.sizes.nv:
        selection = replace(selection, further=ALL.further)  # nothing is large where nothing moves
    take = taken(selection, table, step, motion, context)
    inverse = (inverse_file(context),) if take.inverse and plan.sizes.nv else ()
    rows, silent = (take.rows, ()) if plan.sizes.nv else still(context, take.rows)
    stepped = (lane_step_file(context, plan),) if take.lane_steps else ()
    files = (*tree_files(context, rows), *(step if take.step else ()), *inverse, *stepped)
    moving = (motion,) if take.motion else ()
    lanes = lane_files(context, (*files, *moving), plan.misfit) if selection.lanes else ()
    declared = declarations(plan.sizes, prefix) if take.step else ""
    declared += kernel_declarations(context, files)
    declared += "".join(file.declarations for file in (*moving, *files, *lanes))
    files = (*files, *moving)
    texts = {file.name: file.text for file in (*files, *lanes)}
    if take.step or inverse or stepped or any(row.loop for row in rows):
        texts[f"{prefix}_model.h"] = model_header(context, plan.sizes)
    texts = {name: fitted(text) for name, text in texts.items()}
    library = library_of(texts.values())
    texts |= library
    kernels = (*with_lanes([kernel for file in files for kernel in file.kernels], lanes), *silent)
    names = tuple(sorted([*texts, f"{prefix}.h"]))
    stepping = bool(step)
    left = selection.left(table, stepping and plan.sizes.nv > 0 and not take.inverse, stepping and has_lane_steps(plan))
    manifest = manifest_of(plan, prefix, (*kernels, *chosen_routes(kernels)), names, left, take.step, numbers.dtype)
    texts[f"{prefix}.h"] = fitted(header_text(manifest, declared))
    return Sources(
        manifest=manifest,
        files=dict(sorted(texts.items())),
        cdef=declared,
        flags={file.name: file.flags for file in files if file.flags} | library_flags(library),
        warnings=plan.touching.warnings,
        evaluations=tuple(
            Evaluation(
                name,
                file.name,
                len(file.programs[name].assignments),
                partial(bounds, file.programs[name], unit=numbers.rounding),
            )
            for file in files
            for name in (kernel.name for kernel in file.kernels if kernel.name in file.programs)
        ),
    )


def _offered(context: Context, plan: Plan, selection: Selection) -> tuple[Sequence[Row], Sequence[CFile], CFile]:
    """The functions of the tree, the files of the step, that of motion; of floats what can be had as such."""
    forward, packed = plan.forward_dynamics, selection.lanes
    if selection.single:
        mass_matrix = written_out(plan.mechanism, plan.mass_matrix)
        return in_single(tree_table(context, mass_matrix, forward, packed)), (), coordinates_file(context)
    table = tree_table(context, plan.mass_matrix, forward, packed)
    return table, step_files(context, plan), motion_file(context, plan.spins, plan.turning)
