"""All stages on one screen: Mechanism → Plan → programs → C text → module.

describe      Mechanism                      (mechanism/)
plan          Mechanism, options → Plan      (analysis/plan)
derive        Mechanism, name → Function     (symbolic/, program/)
print         Plan → Sources                 (printing/, templates/)
build         Sources → folder with module   (build/)
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kinegen.runtime.errors import ContactWarning, shown, warn
from kinegen.runtime.typed import typed

from .analysis.contact.rules import ContactRules
from .analysis.loops.fit import FIT
from .analysis.plan import plan
from .build import Site, Toolchain, find_toolchain, front_key, open_cache, recall, remember
from .mechanism import checks
from .mechanism.canonical import NoCanonicalText, canonical
from .mechanism.elements.rows import NO_ROWS, RowRules
from .mechanism.mechanism import Mechanism, require_mechanism
from .mechanism.structure.start import Start, start_of
from .mechanism.structure.topology import Switch
from .mechanism.types import WORLD
from .printing.model import printed
from .printing.selection import ALL, Selection
from .printing.single import require_open
from .printing.sources import Sources, unheard

COLLECTED = (100_000, 50, 100)
"""Thresholds of Python's collector while text is made and tried: nearly all of its millions of small objects stay, and
looking through them as often as by default is a fifth of the work."""


_at_work: list[tuple[int, int, int]] = []
"""The collector's own thresholds, once for each thread that makes a model now: they are of the whole process."""
_counting = threading.Lock()


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Python's collector at these thresholds, or at its own where they are higher, until the last thread is done."""
    with _counting:
        before = _at_work[0] if _at_work else gc.get_threshold()
        _at_work.append(before)
        if before[0]:  # 0: nothing is collected anyway
            gc.set_threshold(*map(max, zip(before, COLLECTED, strict=True)))
    try:
        yield
    finally:
        with _counting:
            _at_work.pop()
            if not _at_work:
                gc.set_threshold(*before)


@typed
def generate(
    mechanism: Mechanism,
    *,
    switches: Sequence[Switch] = (),
    contacts: bool | ContactRules = True,
    rows: RowRules = NO_ROWS,
    at: Start | None = None,
    fit: float = FIT,
    selection: Selection = ALL,
    advance: Callable[[str], None] = lambda stage: None,
    finished: Callable[[str, str, tuple[str, ...]], None] = unheard,
) -> Sources:
    """C99 text and manifest of a mechanism; the same mechanism always gives the same bytes.

    `switches`: loops of it that can be active or not; `topologies` of a TopologyLibrary has `mechanism` and `switches`.
    `contacts`: False leaves contact out, rules say which shapes may touch; it is there only if some may. `rows`: what
    its solver holds beside.
    `at`: coordinates of joints by name at which a motion starts, and on whose branch a closed mechanism is led.
    `fit`: gap [m, rad] that rounded dimensions may leave in loops, 0: none; always 0 with switches, and with parameters
    on which the shape of loops depends.
    `selection`: which kernels, by default all. `advance` is told the name of each kernel as it is printed, `finished`
    is given each file of the mechanism but PREFIX.h: name, text, compiler flags. Raises ModelError if a loop cannot be
    closed, or a kernel or a joint of `at` is not known.
    """
    if selection.single:
        require_open(mechanism)
        contacts = False  # what simulations alone ask for
    with _seldom_collected():
        return printed(plan(mechanism, tuple(switches), contacts, rows, at, fit), selection, advance, finished)


def compile_mechanism(
    mechanism: Mechanism,
    *,
    switches: Sequence[Switch] = (),
    contacts: bool | ContactRules = True,
    rows: RowRules = NO_ROWS,
    at: Start | None = None,
    fit: float = FIT,
    selection: Selection = ALL,
    target: str = "native",
    cache: Path | None = None,
    progress: bool = False,
) -> Path:
    """Folder with the compiled module of a mechanism, from the cache if it was built before.

    What was built of the same description with the same options,
    generator and toolchain is found by the front key; only otherwise anything is derived.
    """
    require_mechanism(mechanism, "compile")
    directory = open_cache(cache)
    toolchain = find_toolchain(target, directory)
    fitted = checks.constant(fit, f"fit={shown(fit)}, between 0 and 0.0001,")
    asked = (mechanism, tuple(switches), contacts, rows, start_of(mechanism, at), fitted, selection)
    front = _front_key(asked, toolchain)
    if front and (note := recall(directory, front)):
        for text in note.warnings:
            warn(text, ContactWarning)
        return note.entry
    with _seldom_collected(), Site(toolchain, directory, front) as site:
        site.begin(selection.numbers, selection.touching and _may_touch(mechanism, contacts))
        sources = generate(
            mechanism,
            switches=switches,
            contacts=contacts,
            rows=rows,
            at=at,
            fit=fit,
            selection=selection,
            finished=site.take,  # compiled while others are still being printed
        )
        entry = site.finish(sources, progress)
    if front and front == _front_key(asked, toolchain):  # no mesh was changed meanwhile
        remember(directory, front, entry, sources.warnings)
    return entry


def _may_touch(mechanism: Mechanism, contacts: bool | ContactRules) -> bool:
    """Whether any shapes may, as far as can be told at once: with the world, of two trees, or by rules within one."""
    trees = sum(joint.parent == WORLD for joint in mechanism.joints)
    beside = bool(mechanism.shapes) or trees > 1 or (isinstance(contacts, ContactRules) and contacts.within)
    return bool(contacts) and beside and any(link.shapes for link in mechanism.links)


def _front_key(asked: object, toolchain: Toolchain) -> str | None:
    """None if the description holds what no text tells in full."""
    try:
        return front_key(canonical(asked), toolchain)
    except NoCanonicalText:
        return None
