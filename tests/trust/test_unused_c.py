"""No function of the C is there for nothing: what no kind of model calls is removed.

A compiler leaves a static inline function out of the object if nothing that is called from outside reaches it.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.codegen.analysis.contact.rules import ContactRules
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import ALL
from kinegen.codegen.printing.sources import Sources
from support.c.c_library import c_files
from support.c.generated_samples import sprung_loops
from support.contact.catching import catcher
from support.contact.closed_contact import walker
from support.contact.touching_samples import heap, rough
from support.mechanisms.closed_mechanisms import four_bar

ROOT = Path(__file__).parents[2] / "runtime" / "c"
ALWAYS = "__attribute__((always_inline)) "
STATIC = re.compile(r"^static [^;{}=]*?(?:\b(?:MODEL|KERNEL)\((\w+)\)|\b(\w+))\([^;{]*\{", re.MULTILINE)


def rolling_library() -> Sources:
    plain = catcher()
    topologies = kg.TopologyLibrary(rough(plain.mechanism), plain.connections).topologies
    return generate(topologies.mechanism, switches=topologies.switches)


def massless() -> Sources:
    """A four-bar whose coupler has no mass."""
    bars = four_bar(1.0, 2.0, 2.5, 3.0)
    links = [replace(link, mass=0.0, inertia=(0.0,) * 6) if link.name == "coupler" else link for link in bars.links]
    return generate(replace(bars, links=tuple(links)))


def samples() -> list[Sources]:
    """Few that need much: together they call everything."""
    by_rows = kg.generate(walker(), rows=kg.RowRules(loops=True))
    return [
        *(rolling_library(), by_rows, massless(), generate(sprung_loops())),
        generate(heap(), contacts=ContactRules(within=True)),
        generate(walker(), selection=replace(ALL, lanes=True)),
    ]


def defined(texts: Iterable[str]) -> set[str]:
    """Names of static functions."""
    return {kernel or name for text in texts for kernel, name in STATIC.findall(text.replace(ALWAYS, ""))}


def reached(folder: Path, texts: Mapping[str, str]) -> set[str]:
    """Names of functions that objects hold, with all that may be left when a prefix is taken away."""
    for file, text in texts.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        plain = text.replace(ALWAYS, "")
        (folder / file).write_text(STATIC.sub(lambda found: "static inline " + found[0].removeprefix("static "), plain))
    sources = sorted(file for file in texts if file.endswith(".c"))
    subprocess.run(["cc", "-w", "-std=c99", "-O0", "-I.", "-c", *sources], cwd=folder, check=True)
    objects = sorted(path.name for path in folder.glob("*.o"))
    told = subprocess.run(["nm", *objects], cwd=folder, capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in told.splitlines() if re.search(r" [tT] ", line)]
    return {"_".join(name.split("_")[k:]) for name in names for k in range(name.count("_") + 1)}


@pytest.mark.filterwarnings("ignore::kinegen.runtime.errors.ContactWarning")
@pytest.mark.sweep
def test_every_function_is_called_by_some_model(tmp_path: Path) -> None:
    used, printed = set(), set()
    for i, made in enumerate(samples()):
        used |= reached(tmp_path / str(i), made.files)
        own = [text for file, text in made.files.items() if not file.startswith("kinegen/")]
        prefix = f"{made.manifest.prefix}_"
        printed |= {name.removeprefix(prefix) for name in defined(own)}
    written = {str(path.relative_to(ROOT)): path.read_text() for path in sorted(ROOT.rglob("*.[ch]"))}
    alone = {str(path.relative_to(ROOT)) for path in c_files()}
    geometry = {file: text for file, text in written.items() if file.endswith(".h") or file in alone}
    used |= reached(tmp_path / "geometry", geometry)
    known = defined(written.values())
    assert len(known) > 300
    assert known - used == set()
    assert printed - used == set()


def test_what_is_called_by_nothing_is_found(tmp_path: Path) -> None:
    """Also where only a function that nothing calls calls it."""
    text = "static int b(void) { return 1; }\nstatic inline int a(void) { return b(); }\nint c(void) { return 2; }\n"
    assert defined([text]) == {"a", "b"}
    assert reached(tmp_path, {"x.c": text}) == {"c"}
