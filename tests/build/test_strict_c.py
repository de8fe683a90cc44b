"""Generated C is strict C99 for two compilers: trees, loops, contact, rows, libraries, parts of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import sympy
import ziglang

import kinegen as kg
from kinegen.codegen.analysis.contact.rules import ContactRules
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import LEAN, Selection
from kinegen.codegen.printing.sources import Sources
from support.c.c_driver import STRICT
from support.c.generated_samples import MECHANISMS, parametric
from support.c.generated_samples import sources as plain
from support.contact.catching import catcher
from support.contact.closed_contact import walker
from support.contact.dropped import drop, limited
from support.contact.piles import pile
from support.contact.touching_samples import heap, held, rough, ties
from support.mechanisms import unit_mass
from support.mechanisms.closed_mechanisms import four_bar

INCLUDE = Path(ziglang.__file__).parent / "lib" / "include"
COMPILERS = {"gcc": ("gcc",), "clang": (sys.executable, "-m", "ziglang", "clang", "-isystem", str(INCLUDE))}


def still() -> Mechanism:
    """Nothing moves: arrays without entries."""
    height = sympy.Symbol("height", real=True)
    welds = [kg.Joint("a", "fixed", "world", "foot", kg.Pose((0, 0, height))), kg.Joint("b", "fixed", "foot", "top")]
    return Mechanism("still", [kg.Link("foot", 1.0), kg.Link("top", 2.0, com=(0.1, 0, 0))], welds)


def long_arm() -> Mechanism:
    """Long enough that its mass matrix is factored by loops."""
    return unit_mass.chain(("revolute",) * 34, damping=0.1)


def motion_of(*kinds: str, damped: bool = False) -> Sources:
    """The time step alone: files that need fewer functions must not define more."""
    options = {"damping": sympy.Symbol("c"), "friction": 0.1, "stiffness": 2.0} if damped else {}
    return unit_mass.sources(unit_mass.chain(kinds, **options))


def library(topologies: kg.TopologyLibrary | object, **options: object) -> Sources:
    return generate(topologies.mechanism, switches=topologies.switches, **options)  # type: ignore[attr-defined]


def rolling_catcher() -> object:
    plain = catcher()
    return kg.TopologyLibrary(rough(plain.mechanism), plain.connections).topologies


SOME = Selection(("forward_dynamics", "gravity", "com"))
SAMPLES: dict[str, Callable[[], Sources]] = {
    **{name: lambda name=name: plain(name) for name in MECHANISMS},
    "parameters": lambda: generate(parametric()),
    "trees that are alike": lambda: generate(pile(), selection=Selection(("forward_dynamics", "momentum"), lanes=True)),
    "nothing moves": lambda: generate(still()),
    "long arm": lambda: generate(long_arm()),
    "some kernels": lambda: generate(four_bar(1.0, 2.0, 2.5, 3.0), selection=SOME),
    "no reference": lambda: generate(long_arm(), selection=LEAN),
    "contact": lambda: generate(heap(), contacts=ContactRules(within=True)),
    "rolling": lambda: generate(rough(heap())),
    "rolling and loops": lambda: generate(rough(walker(1.0))),
    "rolling and rows": lambda: kg.generate(rough(held(True)), rows=ties()),
    "rolling in a library": lambda: library(rolling_catcher()),
    "contact and loops": lambda: generate(walker(1.0)),
    "rows": lambda: kg.generate(held(False), rows=ties()),
    "rows and contact": lambda: kg.generate(held(True), rows=ties()),
    "loops by rows": lambda: kg.generate(walker(), rows=kg.RowRules(loops=True)),
    "library": lambda: library(drop().topologies),
    "library with limits": lambda: library(limited()),
    "library with contact": lambda: library(catcher().topologies),
    "library, some kernels": lambda: library(drop().topologies, selection=SOME),
    "step, few kinds": lambda: motion_of("fixed", "revolute"),
    "step, planar": lambda: motion_of("planar", damped=True),
    "step, spherical": lambda: motion_of("spherical"),
    "step, every kind": lambda: motion_of(*unit_mass.ALL_KINDS, damped=True),
}


MORE = (
    *("pendulum", "floating", "four-bar", "two loops", "mimics", "sprung loops", "no reference"),
    *("contact", "contact and loops", "rolling", "rolling and rows", "rows", "library", "library with contact"),
    *(
        "step, few kinds",
        "step, spherical",
        "step, every kind",
        "loops by rows",
        "rolling in a library",
        "library with limits",
    ),
)
"""What the others have too."""


@cache
def sources(name: str) -> Sources:
    return SAMPLES[name]()


@pytest.mark.filterwarnings("ignore::kinegen.runtime.errors.ContactWarning")
@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.sweep if n in MORE else ()) for n in SAMPLES])
def test_strict_c99(name: str, tmp_path: Path) -> None:
    """Each file by itself; then what it says of its functions beside what the header says of them."""
    sources(name).write(tmp_path)
    files = sorted(file for file in sources(name).files if file.endswith(".c"))
    assert files
    header = ("-include", f"{sources(name).manifest.prefix}.h")
    for compiler, first in zip(COMPILERS.values(), ((), header), strict=True):
        done = subprocess.run(
            [*compiler, *STRICT, "-Wmissing-prototypes", *first, "-fsyntax-only", *files],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (compiler, done.stderr[:4000])


def test_small_sizes_raise_no_false_alarm_where_loops_are_unrolled(tmp_path: Path) -> None:
    """With -O2, GCC 12 sees reads beyond arrays of one entry, in turns of loops that it takes away afterwards."""
    bone = kg.Link("bone", 1.0, (0, 0, -0.3), (0.02, 0, 0, 0.03, 0, 0.01))
    hinge = kg.Joint("hinge", "revolute", "world", "bone", axis=(0, 1, 0), limits=(-1, 1))
    small = generate(Mechanism("hinged", [bone], [hinge]))
    small.write(tmp_path)
    files = sorted(name for name in small.files if name.endswith(".c"))
    done = subprocess.run(
        ["gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-march=native", "-c", *files],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[:4000]
