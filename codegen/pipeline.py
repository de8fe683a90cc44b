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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kinegen.runtime.errors import ContactWarning, ModelError

from .analysis.constraint_rows import with_rows
from .analysis.contact_rules import ContactRules
from .analysis.loops import closure_of, cut_bodies
from .analysis.partition import Reference, choose_reference
from .analysis.sizes import RowSizes, Sizes
from .build import Toolchain, build_with, find_toolchain, front_key, open_cache, recall, remember
from .mechanism.canonical import NoCanonicalText, canonical
from .mechanism.elements.rows import NO_ROWS, RowRules
from .mechanism.mechanism import Mechanism
from .mechanism.structure.start import Start, start_of
from .mechanism.structure.topology import Switch
from .printing import structs
from .printing.contact import contact_files, contact_of
from .printing.headers import header_text, kernel_declarations
from .printing.kernels import CFile, Context
from .printing.library import library_flags, library_of
from .printing.manifest import chosen_routes, manifest_of, start_configuration
from .printing.motion import TITLES, Motion, motion_header, motion_kernels, motion_source
from .printing.selection import ALL, Selection, taken
from .printing.sources import Sources
from .printing.specialised import closed_route, specialised_file
from .printing.step import model_header, sizes_of, step_file
from .printing.switched import switched_files
from .printing.table import tree_table
from .printing.tree import tree_files
from .printing.widths import fitted
from .symbolic.loops.closed import Partition
from .symbolic.names import identifier
from .symbolic.symbols import symbols_of


def generate(
    mechanism: Mechanism,
    *,
    switches: Sequence[Switch] = (),
    contacts: bool | ContactRules = True,
    rows: RowRules = NO_ROWS,
    at: Start | None = None,
    selection: Selection = ALL,
    advance: Callable[[str], None] = lambda stage: None,
) -> Sources:
    """C99 text and manifest of a mechanism; the same mechanism always gives the same bytes.

    `switches`: loops of it that can be active or not (`topologies` gives both). `contacts`: False leaves contact out,
    rules say which shapes may touch; it is there only if some may. `rows`: what its solver holds beside.
    `at`: coordinates of joints by name at which a motion starts, and on whose branch a closed mechanism is led.
    `selection`: which kernels, by default all. `advance` is told the name of each kernel as it is printed. Raises
    ModelError if a loop cannot be closed, nothing moves, or a kernel or a joint of `at` is not known.
    """
    mechanism, held = with_rows(mechanism, rows)
    _check(mechanism)
    given = start_of(mechanism, at)
    prefix = identifier(mechanism.name).lower()
    context = Context(mechanism, prefix, advance, tuple(switches))
    reference = _reference(mechanism, given)
    partition = reference.partition if reference else None
    table = contact_of(context, contacts, held)
    touching = contact_files(context, table, contacts)
    motion = _motion_file(_motion(context))
    stepping = _step(context, partition, touching.sizes if touching else None)
    step = [*(touching.files if touching else ()), *stepping.files]
    take = taken(selection, tree_table(context), step, motion, context)
    files = [*tree_files(context, take.rows), *(step if take.step else ())]
    declarations = structs.declarations(stepping.sizes, prefix) if take.step else ""
    declarations += kernel_declarations(context, files)
    if take.motion:
        files.append(motion)
        declarations += motion_header(_motion(context))
    declarations += "".join(file.declarations for file in files)
    kernels = tuple(kernel for file in files for kernel in file.kernels)
    texts = {file.name: file.text for file in files}
    if take.step:
        texts[f"{prefix}_model.h"] = model_header(context, stepping.sizes)
    texts = {name: fitted(text) for name, text in texts.items()}
    library = library_of(texts.values())
    texts |= library
    manifest = manifest_of(
        mechanism,
        prefix,
        (*kernels, *chosen_routes(kernels)),
        tuple(sorted([*texts, f"{prefix}.h"])),
        partition.independent if partition else (),
        switches,
        table if take.step else None,
        _start(mechanism, given, reference),
        reference.q if reference else (),
    )
    texts[f"{prefix}.h"] = fitted(header_text(manifest, declarations))
    return Sources(
        manifest=manifest,
        files=dict(sorted(texts.items())),
        cdef=declarations,
        flags={file.name: file.flags for file in files if file.flags} | library_flags(library),
        warnings=table.warnings,
    )


def compile_mechanism(
    mechanism: Mechanism,
    *,
    switches: Sequence[Switch] = (),
    contacts: bool | ContactRules = True,
    rows: RowRules = NO_ROWS,
    at: Start | None = None,
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
    asked = (mechanism, tuple(switches), contacts, rows, start_of(mechanism, at))
    front = _front_key(asked, toolchain)
    if front and (note := recall(directory, front)):
        for text in note.warnings:
            warnings.warn(text, ContactWarning, stacklevel=3)
        return note.entry
    sources = generate(mechanism, switches=switches, contacts=contacts, rows=rows, at=at)
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


def _motion(context: Context) -> Motion:
    return Motion(
        context.mechanism.tree,
        context.prefix,
        symbols_of(context.mechanism).parameters,
        context.mechanism.name,
        cut_bodies(context.mechanism),
        context.flags if context.switches else (),
    )


def _motion_file(motion: Motion) -> CFile:
    kernels = motion_kernels(motion.tree, motion.prefix, bool(motion.cut))
    return CFile(f"{motion.prefix}_motion.c", motion_source(motion), kernels, TITLES)


@dataclass(frozen=True)
class _Step:
    """The files of the time step, those of loops among them, and the sizes of the model."""

    files: tuple[CFile, ...]
    sizes: Sizes


def _step(context: Context, partition: Partition | None, rows: RowSizes | None) -> _Step:
    """Straight-line code for a known partition of loops, what pivots, and the time step."""
    if not context.mechanism.virtual_links:
        sizes = sizes_of(context, None, rows)
        return _Step((step_file(context, sizes, None),), sizes)
    closure = closure_of(context.mechanism, context.switches)
    before, route, rank = [], None, 0
    if context.switches:
        before = switched_files(context)
    elif partition and partition.independent and partition.dependent:  # else there is nothing to print straight-line
        rank, found = len(partition.dependent), closed_route(context, partition)
        if found.function is not None:
            before, route = [specialised_file(context, found, found.function)], found
    sizes = sizes_of(context, closure, rows, route is not None, rank)
    return _Step((*before, step_file(context, sizes, closure, route)), sizes)


def _reference(mechanism: Mechanism, at: Mapping[str, Sequence[float]]) -> Reference | None:
    """Which coordinates lead a closed mechanism; with open parameters that is found when they have values."""
    if not mechanism.virtual_links or mechanism.parameters:
        return None
    return choose_reference(mechanism, (), at)


def _start(mechanism: Mechanism, at: Mapping[str, Sequence[float]], reference: Reference | None) -> tuple[float, ...]:
    """q where a motion starts: on the closure where that is known to have been asked for."""
    return reference.start if reference and reference.start else start_configuration(mechanism, at)


def _check(mechanism: Mechanism) -> None:
    if mechanism.tree.nv == 0:
        raise ModelError(f"mechanism '{mechanism.name}' has no joint that moves: there is nothing to compile")
    mechanism.check_dynamics()
