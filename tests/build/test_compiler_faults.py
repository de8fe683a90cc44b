"""Compilers that are broken, hang, crash or run out of space: nothing of theirs is used, and nothing stays behind."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.build import build, build_with, cache_entries, find_toolchain, trial
from kinegen.codegen.build.run import run_program, time_limit
from kinegen.codegen.pipeline import compile_mechanism, generate
from kinegen.codegen.printing.selection import CORE, Selection
from kinegen.runtime.errors import BuildError
from kinegen.runtime.module.module import load_module
from support.c.tiny import SOURCE, scale, sharing, tiny, without_headers, wrapped_compiler
from support.machine import missing, runs

pytestmark = pytest.mark.usefixtures("headers")

TESTS = str(Path(__file__).parents[1])

Use = Callable[[str], str]


@pytest.fixture
def use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Use:
    """Compile from now on with a compiler that does something else first; gives its path."""
    usual = os.environ.get("CC", "")

    def chosen(first: str) -> str:
        monkeypatch.setenv("CC", usual)
        compiler = wrapped_compiler(tmp_path, first)
        monkeypatch.setenv("CC", compiler)
        return compiler

    return chosen


def arm() -> kg.Mechanism:
    """Two links with motors in space, and a number to be given."""
    links = [kg.Link(name, 1.5, (0.1, 0.2, -0.5), (0.1, 0.01, 0, 0.1, 0, 0.2)) for name in ("upper", "lower")]
    joints = [
        kg.Joint("shoulder", "spherical", "world", "upper"),
        kg.Joint("elbow", "revolute", "upper", "lower", origin=kg.Pose((0, 0, -1)), axis=(0, 1, 0), damping=0.1),
    ]
    return kg.Mechanism("arm", links, joints)


# --- what is compiled wrongly

# what a broken compiler does to one kind of file, and what is said of its module
CHANGE = 'for a in "$@"; do case "$a" in *arm_{file}.c) sed -i {how} "$a";; esac; done'
WRONG = {
    "another number of floats": (
        CHANGE.format(file="dynamics", how="'s/2\\.25f/2.251f/'"),
        r"computes wrongly: \w+ gives \w+\[",
    ),
    "lanes of floats": (
        CHANGE.format(file="lanes_forward", how="'0,/ - /s// + /'"),
        r"computes wrongly: arm_\w+_lanes gives",
    ),
    "another number": (CHANGE.format(file="dynamics", how="'s/1\\.5/1.50001/'"), r"computes wrongly: \w+ gives \w+\["),
    "another sign": (CHANGE.format(file="kinematics", how="'0,/ - /s// + /'"), r"computes wrongly: \w+ gives \w+\["),
    "forward only": (
        CHANGE.format(file="forward", how="'0,/ - /s// + /'"),
        r"computes wrongly: forward_dynamics gives a",
    ),
    "a crash": (
        CHANGE.format(file="dynamics", how="'s/^{/{ __builtin_trap();/'"),
        r"crashes when it is called \(signal",
    ),
    "a crash at once": (
        CHANGE.format(file="forward", how="'$a __attribute__((constructor)) void a(void) { __builtin_trap(); }'"),
        r"crashes when it is called \(signal",
    ),
    "lanes": (CHANGE.format(file="lanes_forward", how="'0,/ - /s// + /'"), r"computes wrongly: arm_\w+_lanes gives"),
    "not a number": (CHANGE.format(file="kinematics", how="'s/^{/{ q = 0;/; s/0\\.5/(0.0\\/0.0)/'"), "crashes|wrongly"),
}


SELDOM = ("another sign", "a crash at once", "not a number", "another number of floats", "lanes of floats")
"""Left to the sweep: found by the same looks as others here."""


@pytest.mark.parametrize("fault", [pytest.param(f, marks=pytest.mark.sweep if f in SELDOM else ()) for f in WRONG])
def test_what_is_compiled_wrongly_is_refused_and_made_again(
    fault: str, tmp_path: Path, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, message = WRONG[fault]
    monkeypatch.setenv("KINEGEN_CFLAGS", "-O0")
    compiler, cache = use(script), tmp_path / "cache"
    chosen = replace(CORE, lanes="lanes" in fault, dtype="float32" if "floats" in fault else "float64")
    with pytest.raises(BuildError, match=rf"C compiler '{compiler}' made.*{message}"):
        compile_mechanism(arm(), cache=cache, selection=chosen)
    assert cache_entries(cache) == [] and not (cache / "fronts").exists()
    if fault != "another number":
        return
    use("")
    model = kg.compile(arm(), cache=cache, progress=False)
    q, v, a = model.random(1), np.ones(4), np.ones(4)
    np.testing.assert_allclose(model.inverse_dynamics(q, v, a), model.mass_matrix(q) @ a + model.bias(q, v), atol=1e-12)


TINY_FAULTS = {
    "truncated": ('for a in "$@"; do case "$a" in *.so) out=$a;; esac; done; {real} "$@" || exit; [ -z "$out" ] || '
                  'truncate -s 3000 "$out"; exit 0', "crashes when it is called|cannot be loaded"),
    "nothing": ('case "$*" in *--version*|*-dM*) ;; *) exit 0;; esac', r"no error, but made no tiny\.(cffi\.)?o"),
}  # fmt: skip


@pytest.mark.parametrize("fault", TINY_FAULTS)
def test_what_is_cut_short_is_refused_and_made_again(fault: str, tmp_path: Path, use: Use) -> None:
    script, message = TINY_FAULTS[fault]
    real = " ".join(find_toolchain().command)
    use(script.replace("{real}", real))
    with pytest.raises(BuildError, match=message):
        build(tiny(), cache=tmp_path / "cache")
    use("")
    assert scale(load_module(build(tiny(), cache=tmp_path / "cache"), sealed=True), 1.0, 4.0) == [2.0, 2.0]


def test_bad_objects_of_the_library_are_made_again(tmp_path: Path, use: Use) -> None:
    """They are shared by all models: a compiler that once left bad ones would break all from then on."""
    use('case "$*" in *"-c kinegen/"*) for a in "$@"; do last=$a; done; echo bad > "$last"; exit 0;; esac')
    with pytest.raises(BuildError, match=r"failed \(exit code"):
        build(sharing("2.0"), cache=tmp_path / "cache")
    use("")
    assert load_module(build(sharing("2.0"), cache=tmp_path / "cache"), sealed=True).lib.tiny_balls() == 1


def test_plain_libraries_are_tried_as_well(tmp_path: Path) -> None:
    bad = tiny(source=SOURCE + "__attribute__((constructor)) static void f(void) { __builtin_trap(); }\n")
    with pytest.raises(BuildError, match=r"crashes when it is called \(signal"):
        build_with(bad, without_headers(), cache=tmp_path)
    with pytest.raises(BuildError, match=r"'cube' that the C compiler '.*' made cannot be loaded: .*undefined symbol"):
        build_with(
            tiny("cube", SOURCE + "int nowhere(void);\nint f(void);\nint f(void) { return nowhere(); }\n"),
            without_headers(),
            cache=tmp_path,
        )
    assert cache_entries(tmp_path) == []


def test_a_module_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "time_limit", lambda environ: 1.0)
    hanging = tiny(
        source=SOURCE + "__attribute__((constructor)) static void f(void) { volatile int x = 1; while (x) {} }\n"
    )
    with pytest.raises(BuildError, match=r"did not answer when it was called: it is not used"):
        build(hanging, cache=tmp_path)
    assert cache_entries(tmp_path) == []


def test_python_inside_another_program_tries_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(trial, "run_program", None)
    assert scale(load_module(build(tiny(), cache=tmp_path), sealed=True), 1.0, 4.0) == [2.0, 2.0]
    with pytest.raises(BuildError, match=r"cannot be loaded: .*tiny_scale"):
        build(tiny(source="int other;\n"), cache=tmp_path)


@pytest.mark.parametrize(("dtype", "part", "least"), [("float64", 1e-6, 1e-9), ("float32", 1e-3, 2e-5)])
def test_every_number_is_compared(dtype: str, part: float, least: float) -> None:
    """What is off by a millionth, of floats a thousandth, is found in every entry of every kernel that is evaluated."""
    sources = generate(arm(), selection=Selection(dtype=dtype))
    state = trial._state(sources.manifest)
    seen = 0
    for kernel in trial._trials(sources):
        if kernel.evaluation is None:
            continue
        found = kernel.evaluation.bounds(state)
        right = [[value for value, _ in found[array.name]] for array in kernel.kernel.outputs]
        assert trial._wrong(kernel, state, right) == ""
        for a, array in enumerate(right):
            for i, value in enumerate(array):
                other = [list(values) for values in right]
                other[a][i] = value * (1 + part) + math.copysign(least, value)
                assert f"[{i}] =" in trial._wrong(kernel, state, other)
                other[a][i] = float("nan")
                assert f"[{i}] = nan" in trial._wrong(kernel, state, other)
                seen += 1
    assert seen > 50
    assert {one.file for one in sources.evaluations} >= {"arm_dynamics.c", "arm_forward.c", "arm_kinematics.c"}


def test_a_processor_that_is_not_here_is_not_tried(tmp_path: Path) -> None:
    """It would crash; loading it here is refused anyway."""
    other = replace(find_toolchain(), requires=("nothing-has-this",))
    trap = tiny(source=SOURCE + "__attribute__((constructor)) static void at_once(void) { __builtin_trap(); }\n")
    with pytest.raises(BuildError, match="a processor with nothing-has-this"):
        load_module(build_with(trap, other, cache=tmp_path))


# --- time


def test_a_compiler_that_hangs_is_stopped_with_all_it_started(
    tmp_path: Path, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = tmp_path / "pid"
    hang = f'case "$*" in *"-c "*) sleep 300 & echo $! > {pid}; wait;; esac'
    use(hang)
    find_toolchain()
    monkeypatch.setenv("KINEGEN_CC_TIMEOUT", "3")
    start = time.monotonic()
    with pytest.raises(
        BuildError, match=r"compiler' was stopped, it had not finished after 3 s: set KINEGEN_CC_TIMEOUT"
    ):
        build(tiny(), cache=tmp_path / "cache")
    assert time.monotonic() - start < 60
    assert not runs(int(pid.read_text()))


def test_the_first_failure_ends_the_other_calls(tmp_path: Path, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    script = 'case "$*" in *"-c tiny.c "*|*calls.python.c*) echo broken >&2; exit 1;; *"-c "*) sleep 300;; esac'
    use(script)
    monkeypatch.setattr("kinegen.codegen.build.objects.processors", lambda: 2)
    start = time.monotonic()
    with pytest.raises(BuildError, match="broken"):
        build(tiny(), cache=tmp_path / "cache")
    assert time.monotonic() - start < 60


def test_limits_that_are_no_times_are_refused() -> None:
    assert time_limit({"KINEGEN_CC_TIMEOUT": "2.5"}) == 2.5
    assert time_limit({}) == time_limit({"KINEGEN_CC_TIMEOUT": " "}) == 1800.0
    assert time_limit({"KINEGEN_CC_TIMEOUT": "1e300"}) > 1e6
    for wrong in ("0", "-1", "soon", "nan"):
        with pytest.raises(BuildError, match=f"KINEGEN_CC_TIMEOUT is '{wrong}', expected seconds above zero"):
            time_limit({"KINEGEN_CC_TIMEOUT": wrong})


def test_what_programs_are_given_and_write_is_whole() -> None:
    data = bytes(range(256)) * 4000
    done = run_program(
        [sys.executable, "-c", "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"], 60, data=data
    )
    assert (done.code, done.output, done.errors) == (0, data, b"")
    with pytest.raises(TimeoutError):
        run_program(["sleep", "300"], 0.1)


# --- a compiler that is named by where it is


def test_a_compiler_beside_us_is_found_from_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = Path(wrapped_compiler(tmp_path, "")).name
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CC", f"./{name} -DX=1")
    toolchain = find_toolchain()
    assert toolchain.command == (str(tmp_path / name), "-DX=1")
    assert scale(load_module(build(tiny(), cache=tmp_path / "cache"), sealed=True), 1.0, 4.0) == [2.0, 2.0]
    monkeypatch.setenv("CC", name)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    assert find_toolchain().command == (str(tmp_path / name),)


# --- processes that die, disks that are full

BUILD = f"""
import resource, sys
sys.path.insert(0, {TESTS!r})
from pathlib import Path
from kinegen.codegen.build import build
from kinegen.runtime.errors import BuildError
from kinegen.runtime.module.module import load_module
from support.machine import missing
from support.c.tiny import scale, tiny
if len(sys.argv) > 2:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    print(scale(load_module(build(tiny(), cache=Path(sys.argv[1])), sealed=True), 1.0, 4.0))
except BuildError as error:
    print("refused:", str(error).splitlines()[0])
"""


def test_a_killed_build_leaves_nothing_and_stops_nobody(tmp_path: Path, use: Use) -> None:
    marker, cache = tmp_path / "compiling", tmp_path / "cache"
    compiler = use(f'case "$*" in *"-c tiny.c "*) touch {marker}; sleep 3;; esac')
    with subprocess.Popen([sys.executable, "-c", BUILD, cache], env={**os.environ, "CC": compiler}) as builder:
        while not marker.exists():
            time.sleep(0.02)
        builder.kill()
    assert len(list((cache / "work").iterdir())) == 2  # its folder and its lock
    use("")
    done = subprocess.run(
        [sys.executable, "-c", BUILD, cache], env={**os.environ, "CC": compiler}, capture_output=True, text=True
    )
    assert done.stdout == "[2.0, 2.0]\n", done.stderr
    assert list((cache / "work").iterdir()) == []


@pytest.mark.parametrize("limit", [20, pytest.param(500, marks=pytest.mark.sweep), 5000])
def test_files_that_cannot_grow_are_refused(limit: int, tmp_path: Path) -> None:
    """As on a full disk: of files of any size, those of the cache itself among them."""
    command = [sys.executable, "-c", BUILD, str(tmp_path / "cache")]
    done = subprocess.run([*command, str(limit)], capture_output=True, text=True)
    assert done.stdout.startswith("refused: ") and not done.returncode, done.stderr
    assert cache_entries(tmp_path / "cache") == []
    assert scale(load_module(build(tiny(), cache=tmp_path / "cache"), sealed=True), 1.0, 4.0) == [2.0, 2.0]


@pytest.mark.parametrize("words", ["tiny.o: No space left on device", "Disk quota exceeded", "error: NoSpaceLeft"])
def test_a_disk_that_is_full_while_compilers_run_is_not_filled_further(words: str, tmp_path: Path, use: Use) -> None:
    """The half-made build is no C that did not compile: kept, it would keep the disk full."""
    use(f'case "$*" in *"-c tiny.c "*) echo "{words}" >&2; exit 1;; esac')
    with pytest.raises(
        BuildError, match=rf"(?s){words}.*\nset KINEGEN_CACHE to a folder where there is room, or TMPDIR"
    ):
        build(tiny(), cache=tmp_path / "cache")
    assert not [*(tmp_path / "cache").glob("failed/*")] and not [*(tmp_path / "cache" / "work").iterdir()]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40k", "none", disk]).returncode:
        missing("mount -t tmpfs")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


@pytest.mark.root("mount")
def test_a_full_disk_is_refused_until_there_is_room(small_disk: Path) -> None:
    with pytest.raises(BuildError, match=r"No space left on device"):
        build(tiny(), cache=small_disk / "cache")
    assert cache_entries(small_disk / "cache") == []
    subprocess.run(["mount", "-o", "remount,size=40m", small_disk], check=True)
    assert scale(load_module(build(tiny(), cache=small_disk / "cache"), sealed=True), 1.0, 4.0) == [2.0, 2.0]
    assert list((small_disk / "cache" / "work").iterdir()) == []
