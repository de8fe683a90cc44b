"""runtime/c as C: strict with two compilers, clean under the sanitizers, formatted, within what it says of itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kinegen.codegen.analysis.contact.collision_pairs import KINDS
from kinegen.codegen.analysis.contact.solids import MOST_CORNERS, MOST_FACES
from kinegen.codegen.build.toolchain import FLAGS
from kinegen.codegen.printing.library import library_of
from support.c.c_library import COMPILERS, ROOT, SANITIZE, STRICT, Library, c_files, compiled

TEXTS = sorted(path for path in ROOT.rglob("*") if path.suffix in (".c", ".h"))


@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.sweep)])
def test_strict_c99(compiler: str, tmp_path: Path) -> None:
    assert Library(compiled(tmp_path, COMPILERS[compiler], ["-O2"])).lib.kg_meet
    folders = ("linear", "joints", "geometry", "terrain")
    headers = [path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).glob("*.h")]
    assert len(headers) > 10
    for header in headers:  # each by itself
        (tmp_path / "one.c").write_text(f'#include "{header}"\nint one(void);\nint one(void) {{ return 1; }}\n')
        command = [*COMPILERS[compiler], *STRICT, "-I", str(ROOT), "-c", "one.c", "-o", "one.o"]
        subprocess.run(command, cwd=tmp_path, check=True)


UNSAFE = ("-ffast-math", "-Ofast", "-ffinite-math-only", "-funsafe-math-optimizations")


@pytest.mark.parametrize("flag", UNSAFE)
def test_flags_that_would_compute_wrongly_are_refused(flag: str, tmp_path: Path) -> None:
    """Sums in another order would make every sine 0; those that only fuse or take no account of errno are ours."""
    (tmp_path / "one.c").write_text('#include "linear/real.h"\n')
    command = ["gcc", "-std=c99", "-O2", "-I", str(ROOT), "-fsyntax-only", "one.c"]
    done = subprocess.run([*command, flag], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode and re.search(
        r"#error this C computes wrongly with -ffast-math.*leave them out", done.stderr
    )
    subprocess.run([*command, *FLAGS, "-freciprocal-math"], cwd=tmp_path, check=True)


def test_the_x87_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text('#include "linear/real.h"\n')
    as_there = ["-U__FLT_EVAL_METHOD__", "-D__FLT_EVAL_METHOD__=2"]
    command = ["gcc", "-std=c99", "-I", str(ROOT), "-fsyntax-only", *as_there, "one.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode and "compile with -msse2 -mfpmath=sse" in done.stderr


def test_constants_that_are_made_floats_are_refused(tmp_path: Path) -> None:
    """Of which no macro tells; floats stay as they are."""
    (tmp_path / "one.c").write_text('#include "linear/real.h"\n')
    command = ["gcc", "-std=c99", "-I", str(ROOT), "-fsyntax-only", "-fsingle-precision-constant", "one.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode and "leave_out_fsingle_precision_constant" in done.stderr
    subprocess.run([*command, "-DKG_SINGLE"], cwd=tmp_path, check=True)


def test_vectors_in_memory_are_aligned_as_doubles(tmp_path: Path) -> None:
    """As in structures: on 32-bit x86 they begin at any multiple of four, which a sanitizer holds vectors to."""
    vectors = ("kg_lanes", "kg_quad", "kg_piece", "kg_pair", "kg_xyz", "kg_half", "kg_line_2")
    heads = ("linear/lanes.h", "linear/lane_vectors.h", "linear/packs.h", "linear/packed_rows.h", "frames/xyz.h")
    checks = [
        f"char {x}_[_Alignof({x}) <= __builtin_offsetof(struct {{char c; double x;}}, x) ? 1 : -1];" for x in vectors
    ]
    (tmp_path / "one.c").write_text("\n".join([*(f'#include "{head}"' for head in heads), *checks, ""]))
    zig = [sys.executable, "-m", "ziglang", "cc", "-target"]
    for target in ("x86-linux-musl", "x86_64-linux-musl"):
        flags = ["-std=c11", "-I", str(ROOT), "-c", "one.c", "-o", "one.o"]
        done = subprocess.run([*zig, target, *flags], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


SINE = """
#include "linear/sincos.h"
int main(int count, char **texts)
{
    double x[] = {0.5 * count, 30.0}, s[8], c[8]; /* count is 1 */
    (void)texts;
    kg_sincos(2, x, s, c);
    return !(fabs(s[0] - sin(x[0])) < 3e-16 && fabs(s[1] - sin(x[1])) < 3e-16);
}
"""


def test_sums_stay_in_order_where_the_compiler_does_not_tell_that_it_would_change_it(tmp_path: Path) -> None:
    """A sine is right by Clang with -funsafe-math-optimizations, of which no macro tells."""
    (tmp_path / "one.c").write_text(SINE)
    flags = ["-O2", "-funsafe-math-optimizations", "-I", str(ROOT)]
    subprocess.run([*COMPILERS["clang"], *flags, "one.c", "-o", "one", "-lm"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "one"], check=False).returncode == 0


def test_the_same_tests_pass_under_the_sanitizers(tmp_path: Path) -> None:
    library = compiled(tmp_path, COMPILERS["gcc"], ["-O0", *SANITIZE])
    asan = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout
    here = Path(__file__).parent
    files = [str(here / f"test_c_{topic}.py") for topic in ("groups", "linear", "geometry")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", *files],
        env={
            **os.environ,
            "LD_PRELOAD": asan.strip(),
            "ASAN_OPTIONS": "detect_leaks=0",
            "KINEGEN_C_LIBRARY": str(library),
        },
        cwd=here.parents[1],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def test_formatted() -> None:
    command = [
        str(Path(sys.executable).with_name("clang-format")),
        "--dry-run",
        "-Werror",
        *map(
            str,
            [
                *TEXTS,
                *(
                    ROOT.parent / "module" / name
                    for name in ("answer.h", "arguments.h", "call.h", "calls.c", "parts.h", "states.h")
                ),
            ],
        ),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"run: clang-format -i runtime/c/*/*.[ch]\n{done.stderr[:2000]}"


def test_no_heap_no_globals_and_names_of_its_own(tmp_path: Path) -> None:
    for path in TEXTS:
        text = path.read_text()
        assert not re.search(r"\b(malloc|calloc|realloc|free|printf|exit|abort)\s*\(", text), path
        assert not re.search(r"^(static\s+)?(?!const)(double|int|long)\s+\w+(\[[^\]]*\])?\s*(=|;)", text, re.M), path
        assert max(map(len, text.splitlines())) <= 120 and text.count("\n") < 300, path
    for path in c_files():
        subprocess.run(["gcc", "-std=c99", "-c", str(path), "-o", "x.o"], cwd=tmp_path, check=True)
        names = subprocess.run(
            ["nm", "-g", "--defined-only", "x.o"], cwd=tmp_path, capture_output=True, text=True
        ).stdout
        assert names and all(line.split()[-1].startswith("kg_") for line in names.splitlines())


def test_capacities_are_those_that_the_generator_checks() -> None:
    text = (ROOT / "geometry" / "geometry.h").read_text()
    found = {name: int(value) for name, value in re.findall(r"#define KG_(MOST_\w+) (\d+)", text)}
    assert found == {"MOST_FACES": MOST_FACES, "MOST_CORNERS": MOST_CORNERS, "MOST_POINTS": 8}


def test_kinds_of_shapes_are_in_the_order_of_the_generator() -> None:
    """Both sides take the first of two shapes for the simpler one by it."""
    named = re.search(r"enum \{ (.*) \} kg_shape_kind;", (ROOT / "geometry" / "geometry.h").read_text(encoding="utf-8"))
    assert named and named[1].split(", ") == [f"KG_{kind.upper()}" for kind in KINDS]


def test_all_of_it_is_installed() -> None:
    every = [f'#include "kinegen/{path.relative_to(ROOT).as_posix()}"' for path in TEXTS if path.suffix == ".h"]
    assert library_of(every) == {f"kinegen/{path.relative_to(ROOT).as_posix()}": path.read_text() for path in TEXTS}
