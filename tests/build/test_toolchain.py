"""Compilers, targets and the objects that models share."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kinegen.codegen.build import build, build_with, cache_entries, clear_cache, find_toolchain
from kinegen.codegen.build.toolchain import architecture_flags, find_compiler
from kinegen.runtime.errors import BuildError, InternalError, ModelError
from kinegen.runtime.module.module import load_module
from support.c.tiny import logging_compiler, scale, sharing, tiny, without_headers, wrapped_compiler

pytestmark = pytest.mark.usefixtures("headers")

# --- progress


@pytest.mark.parametrize(("terminal", "progress"), [(True, True), (True, False), (False, True)])
def test_bar_at_a_terminal_only(
    terminal: bool,
    progress: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CC", wrapped_compiler(tmp_path, "sleep 0.1"))
    monkeypatch.setattr("kinegen.codegen.build.objects.PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setenv("TERM", "xterm")
    build(tiny(), cache=tmp_path / "cache", progress=progress)
    out, err = capsys.readouterr()
    assert out == ""
    assert ("compiling tiny" in err) == (terminal and progress)


# --- compilers and targets


# a plain and a wide target of this machine's family, and what the wide one requires
TARGETS = {
    "x86_64": ("x86-64", "x86-64-v3", {"avx2", "fma", "bmi2"}),
    "aarch64": ("armv8-a", "armv8.2-a+sve", {"sve"}),
}


def test_target_is_honoured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler, log = logging_compiler(tmp_path)
    monkeypatch.setenv("CC", compiler)
    plain, wide, features = TARGETS[os.uname().machine]
    for target in (plain, wide):
        build(tiny(), target=target, cache=tmp_path / "cache")
    calls = [call for call in log.read_text().splitlines() if "-c tiny.c -o" in call]
    flags = [*architecture_flags((compiler,), plain), *architecture_flags((compiler,), wide)]
    assert [f"{flag} " in call for flag, call in zip(flags, calls, strict=True)] == [True, True]
    assert find_toolchain(plain).requires == ()
    assert features <= set(find_toolchain(wide).requires)


def test_flags_of_the_user_come_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They win over the optimisation that is usual, and decide about the place in the cache."""
    compiler, log = logging_compiler(tmp_path)
    monkeypatch.setenv("CC", compiler)
    folders = set()
    for flags in ("", "-O0 -g", "-DNAME='a b'"):
        monkeypatch.setenv("KINEGEN_CFLAGS", flags)
        folders.add(build(tiny(), cache=tmp_path / "cache"))
    calls = [call for call in log.read_text().splitlines() if "-c tiny.c -o" in call]
    assert len(folders) == len(calls) == 3
    found = [[flag for flag in call.split() if flag.startswith(("-O", "-g"))] for call in calls]
    assert found == [["-O2"], ["-O2", "-O0", "-g"], ["-O2"]]
    assert "-DNAME=a b" in calls[2]
    monkeypatch.setenv("KINEGEN_CFLAGS", "'-O0")
    with pytest.raises(BuildError, match="KINEGEN_CFLAGS is"):
        build(tiny(), cache=tmp_path / "cache")


def test_flags_that_a_version_of_gcc_has_not_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, other = find_toolchain(), tmp_path / "gcc-of-another-year"
    missing = {"-frename-registers", "--param=max-combine-insns=2"}
    assert missing <= set(real.tuning)
    refused = "|".join(f"*{flag}*" for flag in sorted(missing))
    other.write_text(f'#!/bin/sh\ncase "$*" in {refused}) echo "unrecognized" >&2; exit 1;; esac\nexec gcc "$@"\n')
    other.chmod(0o755)
    monkeypatch.setenv("CC", str(other))
    assert find_toolchain().tuning == tuple(x for x in real.tuning if x not in missing)
    assert build(tiny(), cache=tmp_path / "cache").is_dir()


def test_zig_spells_processors_its_own_way() -> None:
    assert architecture_flags(("gcc",), "x86-64-v3") == ("-march=x86-64-v3",)
    assert architecture_flags((sys.executable, "-m", "ziglang", "cc"), "x86-64-v3") == ("-mcpu=x86_64_v3",)
    assert architecture_flags(("/opt/zig/zig", "cc"), "native") == ("-mcpu=native",)


@pytest.mark.parametrize("target", ["", "-O3", "native; rm x", "a b", "../x"])
def test_target_that_is_no_name_is_refused(target: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="target must be 'native' or"):
        build(tiny(), target=target, cache=tmp_path)


def test_unknown_target_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"target 'pdp-11' cannot be compiled for"):
        build(tiny(), target="pdp-11", cache=tmp_path)


def test_compiler_is_looked_for_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BuildError, match=r"no C compiler found.*pip install 'kinegen\[cc\]'.*apt install gcc"):
        find_compiler({"PATH": str(tmp_path)})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert find_compiler({"PATH": str(tmp_path)}) == (sys.executable, "-m", "ziglang", "cc")
    for name in ("clang", "gcc", "cc"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        assert find_compiler({"PATH": str(tmp_path)}) == (name,)
    assert find_compiler({"PATH": str(tmp_path), "CC": "gcc -m64 '-DX=a b'"}) == ("gcc", "-m64", "-DX=a b")
    assert find_compiler({"PATH": str(tmp_path), "CC": " "}) == ("cc",)


def test_missing_cc_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -O9")
    with pytest.raises(BuildError, match=r"CC is 'no-such-compiler -O9'.*no program 'no-such-compiler'"):
        build(tiny(), cache=tmp_path)


def test_cc_that_cannot_be_parsed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc 'unclosed")
    with pytest.raises(BuildError, match=r"CC is \"?gcc 'unclosed"):
        build(tiny(), cache=tmp_path)


def test_broken_cc_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho 'licence expired' >&2\nexit 7\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    with pytest.raises(BuildError, match=r"(?s)broken' failed \(exit code 7\):.*licence expired"):
        build(tiny(), cache=tmp_path / "cache")
    broken.write_text("no program at all")
    with pytest.raises(BuildError, match=r"cannot run the C compiler.*set CC"):
        build(tiny(), cache=tmp_path / "cache")


def test_without_path_compilers_find_their_own_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Supervisors start programs so: what is found where the system looks by itself looks there too."""
    monkeypatch.delenv("PATH")
    assert scale(load_module(build(tiny(), cache=tmp_path), sealed=True), 1.0, 4.0) == [2.0, 2.0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "echo 'a program, free software'; exit 1",
            r"failed \(exit code 1\):\nit does not say why: set CC to a C compiler$",
        ),
        ("echo 'a program, free software'", r"program' is no C compiler: it does not define __STDC__; set CC to one$"),
    ],
    ids=["fails", "ends well"],
)
def test_a_program_that_is_no_compiler_is_named(
    text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it says of itself is not taken for a complaint."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    monkeypatch.setenv("CC", str(program))
    with pytest.raises(BuildError, match=told):
        build(tiny(), cache=tmp_path / "cache")


def test_a_compiler_of_cpp_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "g++")
    with pytest.raises(BuildError, match=r"^'g\+\+' is no C compiler: it takes C for C\+\+; set CC to one$"):
        build(tiny(), cache=tmp_path)


def test_error_in_the_c_is_shown_and_the_c_kept(tmp_path: Path) -> None:
    bad = tiny(source="void tiny_scale(const double *q, double *y) { y[0] = nonsense; }\n")
    with pytest.raises(BuildError, match="nonsense") as caught:
        build(bad, cache=tmp_path)
    kept = Path(str(caught.value).rpartition("The C is kept in ")[2])
    assert (kept / "tiny.c").read_text() == bad.files["tiny.c"]
    assert cache_entries(tmp_path) == []
    assert clear_cache(tmp_path) > 0
    assert not kept.exists()


def test_undefined_symbol_is_no_segfault(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"that the C compiler '.*' made cannot be loaded: .*tiny_scale"):
        build(tiny(source="int unrelated;\n"), cache=tmp_path)
    assert cache_entries(tmp_path) == []


OUTSIDE = ("../../x", "a/b.c", ".hidden", "kinegen/../x.c", "kinegen/a/b/c.h", "/kinegen/a/b.h", "kinegen/x.c")


@pytest.mark.parametrize("name", [*OUTSIDE, "manifest.json", "a b.c", ""])
def test_file_names_cannot_leave_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="cannot name a file"):
        build(replace(tiny(), files={**tiny().files, name: ""}), cache=tmp_path)


def test_names_cannot_leave_the_cache(tmp_path: Path) -> None:
    manifest = replace(tiny().manifest, prefix="../../x")
    with pytest.raises(InternalError, match="cannot name a module"):
        build(replace(tiny(), manifest=manifest), cache=tmp_path)
    with pytest.raises(InternalError, match=r"flags for files that are not there: other\.c"):
        build(tiny(flags={"other.c": ("-O1",)}), cache=tmp_path)


# --- what models share


def test_the_library_is_compiled_once_and_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler, log = logging_compiler(tmp_path)
    monkeypatch.setenv("CC", compiler)
    cache = tmp_path / "cache"
    first = load_module(build(sharing("2.0"), cache=cache))
    assert first.lib.tiny_balls() == 1
    assert (first.folder / "kinegen/geometry/pairs.c").is_file()
    assert sum("-c kinegen/geometry/pairs.c" in call for call in log.read_text().splitlines()) == 1
    other = load_module(build(sharing("3.0"), cache=cache))
    assert (other.lib.tiny_balls(), scale(other, 1.0, 1.0)[0]) == (1, 3.0)
    assert sum("-c kinegen/geometry/pairs.c" in call for call in log.read_text().splitlines()) == 1
    (entry,) = _with_geometry(cache)
    assert clear_cache(cache) > 0 and not entry.exists()


def test_damaged_objects_are_made_again(tmp_path: Path) -> None:
    build(sharing("2.0"), cache=tmp_path)
    (entry,) = _with_geometry(tmp_path)
    for harm in (lambda path: path.write_bytes(b"x"), Path.unlink):
        harm(entry / "kinegen/geometry/pairs.o")
        clear = next((tmp_path / "models").iterdir())
        shutil.rmtree(clear)
        assert load_module(build(sharing("2.0"), cache=tmp_path)).lib.tiny_balls() == 1
    assert _with_geometry(tmp_path) == [entry]


def _with_geometry(cache: Path) -> list[Path]:
    """What is kept of the library; the calls for Python stand beside it."""
    return [entry for entry in (cache / "objects").iterdir() if (entry / "kinegen/geometry").is_dir()]


def test_the_library_works_in_plain_libraries_too(tmp_path: Path) -> None:
    module = load_module(build_with(sharing("2.0"), without_headers(), cache=tmp_path))
    assert module.lib.tiny_balls() == 1
