"""C text -> module: compilers, targets, the cache and its safety, loading."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kinegen.codegen.build import Toolchain, build, build_with, cache_entries, clear_cache, find_toolchain
from kinegen.codegen.build.cache import cache_path
from kinegen.codegen.build.driver import content_key
from kinegen.codegen.build.toolchain import architecture_flags, find_compiler, python_include
from kinegen.codegen.printing.library import library_of
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.errors import BuildError, InternalError, ModelError
from kinegen.runtime.module.module import load_module
from kinegen.runtime.record import BuildRecord
from support.tiny import HEADER, SOURCE, logging_compiler, python, scale, tiny, without_headers, wrapped_compiler

# --- compile and call


@pytest.mark.parametrize("toolchain", [find_toolchain, without_headers])
def test_compile_and_call(
    toolchain: Callable[[], Toolchain], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    module = load_module(build_with(tiny(), toolchain(), cache=tmp_path))
    assert scale(module, 3.0, 9.0) == [6.0, 3.0]
    assert module.manifest == tiny().manifest
    assert (module.folder / "tiny.c").read_text() == SOURCE
    assert capfd.readouterr() == ("", "")  # neither cffi nor the compiler has anything to say


def test_headers_decide_the_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    api = BuildRecord.read(build(tiny(), cache=tmp_path))
    assert (api.library == "") == (python_include() is not None)
    monkeypatch.setattr("kinegen.codegen.build.toolchain.python_include", lambda: None)
    plain = BuildRecord.read(build(tiny(), cache=tmp_path))
    assert plain.module == "tiny.py"
    assert plain.library.endswith(".so")


def test_both_modes_live_in_one_process(tmp_path: Path) -> None:
    first = load_module(build(tiny(), cache=tmp_path))
    other = load_module(build(tiny(source=SOURCE.replace("2.0", "5.0")), cache=tmp_path))
    plain = load_module(build_with(tiny(), without_headers(), cache=tmp_path))
    assert [scale(m, 1.0, 1.0)[0] for m in (first, other, plain)] == [2.0, 5.0, 2.0]


def test_loading_needs_numpy_and_cffi_only(tmp_path: Path) -> None:
    code = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED or name.startswith("kinegen.codegen"):
            raise ImportError(f"{name} is not installed here")
BLOCKED = "sympy mpmath jinja2 markupsafe lxml pycparser platformdirs filelock typer rich matplotlib setuptools".split()
sys.meta_path.insert(0, Blocker())
import kinegen.runtime
from kinegen.runtime.module.module import load_module
for folder in sys.argv[1:]:
    module = load_module(folder)
    y = module.ffi.new("double[2]")
    module.lib.tiny_scale(module.ffi.new("double[2]", [2.0, 4.0]), y)
    print(list(y))
assert not {name.partition(".")[0] for name in sys.modules} & set(BLOCKED)
"""
    folders = [build(tiny(), cache=tmp_path), build_with(tiny(), without_headers(), cache=tmp_path)]
    assert python(code, *folders) == "[4.0, 2.0]\n" * 2


def test_compiling_needs_no_setuptools(tmp_path: Path) -> None:
    code = f"""
import sys
sys.modules["setuptools"] = sys.modules["distutils"] = None
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from kinegen.codegen.build import build_with, find_toolchain
from kinegen.runtime.module.module import load_module
from support.tiny import scale, tiny, without_headers
for toolchain in (find_toolchain(), without_headers()):
    print(scale(load_module(build_with(tiny(), toolchain, cache=Path(sys.argv[1]))), 1.0, 4.0))
"""
    assert python(code, tmp_path) == "[2.0, 2.0]\n" * 2


# --- cache


def test_second_build_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler, log = logging_compiler(tmp_path)
    monkeypatch.setenv("CC", compiler)
    folder = build(tiny(), cache=tmp_path / "cache")
    calls = log.read_text().splitlines()
    assert any("tiny.c" in call for call in calls)
    assert build(tiny(), cache=tmp_path / "cache") == folder
    assert log.read_text().splitlines() == calls  # not even asked for its version


def test_cache_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINEGEN_CACHE", str(tmp_path / "mine"))
    assert build(tiny()).is_relative_to(tmp_path / "mine")
    assert cache_path(tmp_path) == tmp_path


def test_key_depends_on_all_that_is_compiled(tmp_path: Path) -> None:
    toolchain = find_toolchain()
    base = tiny()
    others = [
        tiny(source=SOURCE + "\n"),
        tiny(name="other"),
        tiny(flags={"tiny.c": ("-O1",)}),
        replace(base, cdef=HEADER + "\n"),
    ]
    toolchains = [
        replace(toolchain, identity="another version, or another processor"),
        replace(toolchain, command=("other-cc",)),
        replace(toolchain, include=None if toolchain.include else "/usr/include"),
        replace(toolchain, architecture=("-march=x86-64",)),
    ]
    keys = [content_key(s, toolchain) for s in (base, *others)] + [content_key(base, t) for t in toolchains]
    assert len(set(keys)) == len(keys)


def test_key_is_the_same_in_every_process(tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from kinegen.codegen.build import build
from support.tiny import tiny
from pathlib import Path
print(build(tiny(), cache=Path(sys.argv[1])).name)
"""
    names = {python(code, tmp_path, PYTHONHASHSEED=seed) for seed in ("0", "1", "2")}
    assert len(names) == 1


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _edit(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))


def _empty(folder: Path) -> None:
    for path in list(folder.iterdir()):
        path.unlink()


def _replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path, BuildRecord], object]] = {
    "no manifest": lambda f, r: (f / "manifest.json").unlink(),
    "broken manifest": lambda f, r: (f / "manifest.json").write_text("{"),
    "no record": lambda f, r: (f / "record.json").unlink(),
    "broken record": lambda f, r: (f / "record.json").write_text("[1, 2"),
    "empty record": lambda f, r: (f / "record.json").write_text("{}"),
    "wrong types in the record": lambda f, r: (f / "record.json").write_text(
        json.dumps({**json.loads((f / "record.json").read_text()), "digests": 3})
    ),
    "no module": lambda f, r: (f / r.module).unlink(),
    "truncated module": lambda f, r: _truncate(f / r.module),
    "edited module": lambda f, r: _edit(f / r.module),
    "empty module": lambda f, r: (f / r.module).write_bytes(b""),
    "folder for module": lambda f, r: _replace_by_folder(f / r.module),
    "edited source": lambda f, r: _edit(f / "tiny.c"),
    "entry emptied": lambda f, r: _empty(f),
    "file for entry": lambda f, r: (f.rename(f.with_name("x")), f.write_text("")),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_entry_is_rebuilt(damage: str, tmp_path: Path) -> None:
    folder = build(tiny(), cache=tmp_path)
    DAMAGES[damage](folder, BuildRecord.read(folder))
    if damage != "edited source":  # which running the model does without
        with pytest.raises((BuildError, ModelError), match=r"compile the model again|is not a compiled model"):
            load_module(folder)
    assert build(tiny(), cache=tmp_path) == folder
    assert scale(load_module(folder), 1.0, 4.0) == [2.0, 2.0]
    assert list((tmp_path / "work").iterdir()) == []


def test_truncated_library_is_rebuilt(tmp_path: Path) -> None:
    folder = build_with(tiny(), without_headers(), cache=tmp_path)
    _truncate(folder / BuildRecord.read(folder).library)
    assert build_with(tiny(), without_headers(), cache=tmp_path) == folder
    assert scale(load_module(folder), 1.0, 4.0) == [2.0, 2.0]


def test_damaged_memory_of_the_compiler_is_renewed(tmp_path: Path) -> None:
    folder = build(tiny(), cache=tmp_path)
    for note in (tmp_path / "compilers").iterdir():
        note.write_text("{")
    assert build(tiny(), cache=tmp_path) == folder
    assert all(json.loads(note.read_text())["identity"] for note in (tmp_path / "compilers").iterdir())


@pytest.mark.parametrize("processes", [2, 8])
def test_racing_processes_compile_once(processes: int, tmp_path: Path) -> None:
    compiler, log = logging_compiler(tmp_path)
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from kinegen.codegen.build import build
from kinegen.runtime.module.module import load_module
from support.tiny import scale, tiny
from pathlib import Path
print(scale(load_module(build(tiny(), cache=Path(sys.argv[1]))), 1.0, 4.0))
"""
    command = [sys.executable, "-c", code, str(tmp_path / "cache")]
    running = [
        subprocess.Popen(command, env={**os.environ, "CC": compiler}, stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    assert [process.communicate(timeout=120)[0] for process in running] == ["[2.0, 2.0]\n"] * processes
    assert sum("-c tiny.c -o" in call for call in log.read_text().splitlines()) == 1
    assert len(cache_entries(tmp_path / "cache")) == 1
    assert list((tmp_path / "cache" / "work").iterdir()) == []


def test_a_lock_that_nobody_releases_only_costs_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import filelock

    monkeypatch.setattr("kinegen.codegen.build.cache.LOCK_SECONDS", 0.2)
    key = content_key(tiny(), find_toolchain())
    (tmp_path / "locks").mkdir()
    with filelock.FileLock(tmp_path / "locks" / f"{key[:32]}.lock"):
        assert scale(load_module(build(tiny(), cache=tmp_path)), 1.0, 4.0) == [2.0, 2.0]


def test_racing_threads_without_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many builds at once on a file system without locks: one is published, the others delete theirs."""

    def refuse(self: object, *args: object, **kwargs: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    folders: list[Path] = []
    threads = [threading.Thread(target=lambda: folders.append(build(tiny(), cache=tmp_path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(folders) == 4
    assert len(set(folders)) == 1
    assert scale(load_module(folders[0]), 1.0, 4.0) == [2.0, 2.0]
    assert list((tmp_path / "work").iterdir()) == []


# --- who may write to the cache


def test_cache_is_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        folder = build(tiny(), cache=tmp_path / "new" / "cache")
    finally:
        os.umask(old)
    for path in (tmp_path / "new" / "cache", folder, folder.parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o720])
def test_cache_that_others_can_write_is_refused(mode: int, tmp_path: Path) -> None:
    cache = tmp_path / "open"
    cache.mkdir()
    cache.chmod(mode)
    with pytest.raises(BuildError, match=r"others can write.*chmod go-w.*KINEGEN_CACHE"):
        build(tiny(), cache=cache)


def test_cache_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(BuildError, match=r"belongs to another user.*KINEGEN_CACHE"):
        build(tiny(), cache=tmp_path)


def test_cache_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for cache in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(BuildError, match=r"cannot make the cache folder.*KINEGEN_CACHE"):
            build(tiny(), cache=cache)


def test_user_without_a_home_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINEGEN_CACHE", "~no-such-user/cache")
    with pytest.raises(BuildError, match="set KINEGEN_CACHE to a folder of your own"):
        build(tiny())


@pytest.mark.parametrize("part", ["models", "work", "locks"])
def test_cache_that_cannot_be_written_is_refused(part: str, tmp_path: Path) -> None:
    (tmp_path / part).write_text("a file where a folder should be stops root as well")
    with pytest.raises(BuildError, match=r"cannot write to the cache folder.*KINEGEN_CACHE"):
        build(tiny(), cache=tmp_path)


def test_cache_that_cannot_be_written_still_serves(tmp_path: Path) -> None:
    folder = build(tiny(), cache=tmp_path)
    (tmp_path / "work").rmdir()
    (tmp_path / "work").write_text("")
    assert build(tiny(), cache=tmp_path) == folder


def test_entries_and_clear(tmp_path: Path) -> None:
    assert cache_entries(tmp_path / "none") == []
    assert clear_cache(tmp_path / "none") == 0
    assert not (tmp_path / "none").exists()
    folder = build(tiny(), cache=tmp_path)
    (tmp_path / "note.txt").write_text("not ours")
    (entry,) = cache_entries(tmp_path)
    assert (entry.name, entry.path) == ("tiny", folder)
    assert entry.size == sum(path.stat().st_size for path in folder.iterdir())
    assert clear_cache(tmp_path) >= entry.size
    assert cache_entries(tmp_path) == []
    assert (tmp_path / "note.txt").exists()
    assert scale(load_module(build(tiny(), cache=tmp_path)), 1.0, 1.0) == [2.0, 1.0]


def test_abandoned_work_is_swept(tmp_path: Path) -> None:
    for name, age in (("old", 2 * 86400), ("young", 0)):
        (tmp_path / "work" / name).mkdir(parents=True)
        then = (tmp_path / "work" / name).stat().st_mtime - age
        os.utime(tmp_path / "work" / name, (then, then))
    build(tiny(), cache=tmp_path)
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["young"]


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
    folder = build(tiny(source="int unrelated;\n"), cache=tmp_path)
    with pytest.raises(BuildError, match="cannot load the compiled model"):
        load_module(folder)


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


def sharing(factor: str) -> Sources:
    """A model whose kernel calls a function of the library."""
    source = SOURCE.replace("2.0", factor) + '\n#include "kinegen/geometry/geometry.h"\n'
    source += "long tiny_balls(void);\nlong tiny_balls(void)\n{\n"
    source += "    const double r = 1.0, p[3] = {0.0}, R[9] = {0.0};\n    kg_placed a = {KG_SPHERE, &r, R, p, 0, 0};\n"
    source += "    kg_touch t[KG_MOST_POINTS];\n    return kg_meet(&a, &a, 1.0, t);\n}\n"
    made, library = tiny(source=source), library_of([source])
    return replace(made, files={**made.files, **library}, cdef=f"{made.cdef}long tiny_balls(void);\n")


def test_the_library_is_compiled_once_and_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler, log = logging_compiler(tmp_path)
    monkeypatch.setenv("CC", compiler)
    cache = tmp_path / "cache"
    first = load_module(build(sharing("2.0"), cache=cache))
    assert first.lib.tiny_balls() == 1
    assert (first.folder / "kinegen/geometry/meet.c").is_file()
    assert sum("-c kinegen/geometry/meet.c" in call for call in log.read_text().splitlines()) == 1
    other = load_module(build(sharing("3.0"), cache=cache))
    assert (other.lib.tiny_balls(), scale(other, 1.0, 1.0)[0]) == (1, 3.0)
    assert sum("-c kinegen/geometry/meet.c" in call for call in log.read_text().splitlines()) == 1
    (entry,) = (cache / "objects").iterdir()
    assert clear_cache(cache) > 0 and not entry.exists()


def test_damaged_objects_are_made_again(tmp_path: Path) -> None:
    build(sharing("2.0"), cache=tmp_path)
    (entry,) = (tmp_path / "objects").iterdir()
    for harm in (lambda path: path.write_bytes(b"x"), Path.unlink):
        harm(entry / "kinegen/geometry/meet.o")
        clear = next((tmp_path / "models").iterdir())
        shutil.rmtree(clear)
        assert load_module(build(sharing("2.0"), cache=tmp_path)).lib.tiny_balls() == 1
    assert [path.name for path in (tmp_path / "objects").iterdir()] == [entry.name]


def test_the_library_works_in_plain_libraries_too(tmp_path: Path) -> None:
    module = load_module(build_with(sharing("2.0"), without_headers(), cache=tmp_path))
    assert module.lib.tiny_balls() == 1


# --- loading what does not fit


def _rewrite(folder: Path, **changes: object) -> None:
    record = folder / "record.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), **changes}))


def test_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(ModelError, match="is not a compiled model"):
            load_module(folder)


def test_other_python_is_refused(tmp_path: Path) -> None:
    folder = build(tiny(), cache=tmp_path)
    _rewrite(folder, tag="cpython-27-vax")
    with pytest.raises(BuildError, match=r"compiled for cpython-27-vax, this is .*; compile the model again"):
        load_module(folder)


def test_other_processor_is_refused_and_rebuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinegen.runtime.record.processor_features", lambda: frozenset({"sse2", "avx"}))
    folder = build(tiny(), cache=tmp_path)
    _rewrite(folder, requires=["avx", "avx9000"])
    with pytest.raises(BuildError, match="a processor with avx9000, which this one lacks; compile the model again"):
        load_module(folder)


def test_other_abi_is_refused(tmp_path: Path) -> None:
    folder = build(replace(tiny(), manifest=replace(tiny().manifest, abi=99)), cache=tmp_path)
    with pytest.raises(ModelError, match=r"ABI 99.*compile the model again"):
        load_module(folder)


def test_record_cannot_name_files_elsewhere(tmp_path: Path) -> None:
    folder = build(tiny(), cache=tmp_path)
    digests = json.loads((folder / "record.json").read_text())["digests"]
    for changes in ({"module": "../x.so"}, {"digests": {**digests, "kinegen/../../x.c": ""}}):
        _rewrite(folder, **changes)
        with pytest.raises(BuildError, match="names files outside its folder"):
            load_module(folder)


def test_compiled_model_can_be_moved(tmp_path: Path) -> None:
    folder = build(tiny(), cache=tmp_path / "cache")
    moved = folder.rename(tmp_path / "elsewhere")
    assert scale(load_module(moved), 1.0, 4.0) == [2.0, 2.0]
    assert scale(load_module(str(moved)), 2.0, 4.0) == [4.0, 2.0]
