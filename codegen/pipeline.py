"""All stages on one screen: Mechanism → tree → programs → C text → module.

describe      Mechanism                      (mechanism/)
derive        Mechanism, name → Function     (symbolic/, program/)
choose        Mechanism → Route              (analysis/routes)
print         Function → C text              (printing/printer, templates/)
generate      Mechanism → Sources            (here)
build         Sources → folder with module   (build)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from kinegen.runtime.errors import ContactWarning, ModelError

from .analysis.constraint_rows import with_rows
from .analysis.contact_rules import ContactRules
from .analysis.partition import choose_partition
from .build import Toolchain, build_with, find_toolchain, front_key, open_cache, recall, remember
from .mechanism.canonical import NoCanonicalText, canonical
from .mechanism.elements.rows import NO_ROWS, RowRules
from .mechanism.mechanism import Mechanism
from .mechanism.structure.topology import Switch
from .printing.closed import closed_file, cut_bodies
from .printing.contact import contact_files, contact_of
from .printing.contact_step import step_pieces
from .printing.headers import header_text, kernel_declarations, math_text
from .printing.kernels import CFile, Context
from .printing.manifest import chosen_routes, manifest_of
from .printing.motion import motion_header, motion_kernels, motion_source
from .printing.selection import ALL, Selection, taken
from .printing.sources import Sources
from .printing.specialised import specialised_file
from .printing.switched import switched_files
from .printing.table import tree_table
from .printing.tree import tree_files
from .symbolic.loops.closed import Partition
from .symbolic.names import identifier
from .symbolic.symbols import symbols_of

MOTION_TITLES = {
    "integrate": "q moved by v_dt",
    "difference": "the motion from q0 to q1",
    "passive_forces": "forces of springs, dampers and dry friction",
    "passive_forces_open": "forces of springs, dampers and dry friction of the tree's joints",
}


def generate(
    mechanism: Mechanism,
    *,
    switches: Sequence[Switch] = (),
    contacts: bool | ContactRules = True,
    rows: RowRules = NO_ROWS,
    selection: Selection = ALL,
    advance: Callable[[str], None] = lambda stage: None,
) -> Sources:
    """C99 text and manifest of a mechanism; the same mechanism always gives the same bytes.

    `switches`: loops of it that can be active or not (`topologies` gives both). `contacts`: False leaves contact out,
    rules say which shapes may touch; it is there only if some may. `rows`: what its solver holds beside.
    `selection`: which kernels, by default all. `advance` is told the name of each kernel as it is printed. Raises
    ModelError if a loop cannot be closed, nothing moves, or a kernel is not known.
    """
    mechanism, held = with_rows(mechanism, rows)
    _check(mechanism)
    prefix = identifier(mechanism.name).lower()
    context = Context(mechanism, prefix, advance, tuple(switches))
    partition = _partition(mechanism)
    table = contact_of(context, contacts, held)
    touching = contact_files(context, table, contacts) if table else []
    closed = _closed(context, partition, bool(touching))
    motion = _motion(context, bool(touching))
    take = taken(selection, tree_table(context), [*touching, *closed, motion], context)
    files = [*tree_files(context, take.rows), *((*touching, *closed) if take.step else ())]
    declarations = kernel_declarations(context, files)
    if take.step:
        files.append(motion)
        declarations += motion_header(mechanism.tree, prefix, symbols_of(mechanism).parameters, closed=bool(closed))
    declarations += "".join(file.declarations for file in files)
    kernels = tuple(kernel for file in files for kernel in file.kernels)
    texts = {file.name: file.text for file in files}
    texts[f"{prefix}.h"] = header_text(context, declarations)
    texts[f"{prefix}_math.h"] = math_text(context)
    return Sources(
        manifest=manifest_of(
            mechanism,
            prefix,
            (*kernels, *chosen_routes(kernels)),
            tuple(sorted(texts)),
            partition.independent if partition else (),
            switches,
            table if take.step else None,
        ),
        files=dict(sorted(texts.items())),
        cdef=declarations,
        flags={file.name: file.flags for file in files if file.flags},
        warnings=table.warnings,
    )


def compile_mechanism(
    mechanism: Mechanism,
    *,
    switches: Sequence[Switch] = (),
    contacts: bool | ContactRules = True,
    rows: RowRules = NO_ROWS,
    target: str = "native",
    cache: Path | None = None,
    progress: bool = False,
) -> Path:
    """Folder with the compiled module of a mechanism, from the cache if it was built before.

    What was built of the same description with the same options, generator and toolchain is found by the front key;
    only otherwise anything is derived.
    """
    directory = open_cache(cache)
    toolchain = find_toolchain(target, directory / "compilers")
    asked = (mechanism, tuple(switches), contacts, rows)
    front = _front_key(asked, toolchain)
    if front and (note := recall(directory, front)):
        for text in note.warnings:
            warnings.warn(text, ContactWarning, stacklevel=3)
        return note.entry
    sources = generate(mechanism, switches=switches, contacts=contacts, rows=rows)
    entry = build_with(sources, toolchain, cache=directory, progress=progress)
    if front and front == _front_key(asked, toolchain):  # no mesh was changed meanwhile
        remember(directory, front, entry, sources.warnings)
    return entry


def _front_key(asked: object, toolchain: Toolchain) -> str | None:
    """None if the description holds what no text tells in full."""
    try:
        return front_key(canonical(asked), toolchain)
    except NoCanonicalText:
        return None


def _motion(context: Context, touching: bool) -> CFile:
    tree = context.mechanism.tree
    parameters = symbols_of(context.mechanism).parameters
    cut = cut_bodies(context.mechanism)
    text = motion_source(
        tree,
        context.prefix,
        parameters,
        title=context.mechanism.name,
        cut=cut,
        flags=context.flags if context.switches else (),
        touching=touching,
    )
    if touching:
        text += step_pieces(tree, context.prefix, parameters, closed=bool(cut))
    return CFile(f"{context.prefix}_motion.c", text, motion_kernels(tree, context.prefix, bool(cut)), MOTION_TITLES)


def _closed(context: Context, partition: Partition | None, touching: bool) -> list[CFile]:
    """The files of loops: straight-line code for a known partition, and what pivots."""
    if not context.mechanism.virtual_links:
        return []
    if context.switches:
        return [*switched_files(context), closed_file(context, touching=touching)]
    if partition is None or not partition.independent or not partition.dependent:  # nothing to print straight-line
        return [closed_file(context, touching=touching)]
    specialised = specialised_file(context, partition)
    return [specialised.file, closed_file(context, specialised.route, len(partition.dependent), touching)]


def _partition(mechanism: Mechanism) -> Partition | None:
    """Which coordinates lead a closed mechanism; with open parameters that is found when they have values."""
    if not mechanism.virtual_links or mechanism.parameters:
        return None
    return choose_partition(mechanism)


def _check(mechanism: Mechanism) -> None:
    if mechanism.tree.nv == 0:
        raise ModelError(f"mechanism '{mechanism.name}' has no joint that moves: there is nothing to compile")
    mechanism.check_dynamics()
