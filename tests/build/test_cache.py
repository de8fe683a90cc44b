"""The cache of compiled models: what finds an entry, damage, races, who may write."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kinegen.codegen.build import build, build_wasm, build_with, cache_entries, clear_cache, find_toolchain
from kinegen.codegen.build.cache import cache_path, open_cache
from kinegen.codegen.build.driver import content_key
from kinegen.runtime.errors import BuildError, ModelError
from kinegen.runtime.module.module import load_module
from kinegen.runtime.record import BuildRecord
from support.c.tiny import HEADER, SOURCE, logging_compiler, python, scale, tiny, without_headers

pytestmark = pytest.mark.usefixtures("headers")

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
from kinegen.codegen.build import find_toolchain
from kinegen.codegen.build.driver import content_key
from support.c.tiny import tiny
print(content_key(tiny(), find_toolchain()))
"""
    assert python(code, tmp_path, PYTHONHASHSEED="1").strip() == content_key(tiny(), find_toolchain())


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
    assert all(json.loads(note.read_text())["note"]["identity"] for note in (tmp_path / "compilers").iterdir())


@pytest.mark.parametrize("processes", [3, *(pytest.param(n, marks=pytest.mark.sweep) for n in (6, 16))])
def test_racing_processes_compile_once(processes: int, tmp_path: Path) -> None:
    compiler, log = logging_compiler(tmp_path)
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from kinegen.codegen.build import build
from kinegen.runtime.module.module import load_module
from support.c.tiny import scale, tiny
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

    monkeypatch.setattr("kinegen.codegen.build.work.LOCK_SECONDS", 0.2)
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


def test_a_part_of_the_cache_that_is_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir(mode=0o700)
    with pytest.raises(BuildError, match=r"cache folder .*secret: it is no file"):
        build(tiny(), cache=tmp_path)


def test_relative_folders_in_a_working_directory_that_was_removed_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setenv("KINEGEN_CACHE", "mine")
    with pytest.raises(BuildError, match=r"'mine' in the working directory, which is not there .*: set KINEGEN_CACHE"):
        build(tiny())
    with pytest.raises(ModelError, match=r"models/here: no compiled model, for the working directory is not there"):
        load_module("models/here")


def test_user_without_a_home_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINEGEN_CACHE", "~no-such-user/cache")
    with pytest.raises(BuildError, match="set KINEGEN_CACHE to a folder of your own"):
        build(tiny())


@pytest.mark.parametrize("part", ["models", "work", "locks"])
def test_cache_that_cannot_be_written_is_refused(part: str, tmp_path: Path) -> None:
    (tmp_path / part).write_text("a file where a folder should be stops root as well")
    with pytest.raises(BuildError, match=r"cannot write to the cache folder.*KINEGEN_CACHE"):
        build(tiny(), cache=tmp_path)


def test_a_cache_that_is_full_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where its folders can be made and the first file finds no room."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("kinegen.codegen.build.driver.write_texts", full)
    with pytest.raises(BuildError, match=r"cache folder .* \(No space left on device\): set KINEGEN_CACHE to a folder"):
        build(tiny(), cache=tmp_path)


def test_a_cache_that_is_full_names_the_remedy_for_webassembly_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("kinegen.codegen.build.wasm.write_texts", full)
    with pytest.raises(BuildError, match=r"cache folder .* \(No space left on device\): set KINEGEN_CACHE to a folder"):
        build_wasm({}, "tiny", cache=tmp_path)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_cache_of_an_impossible_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"no folder has such a name; set KINEGEN_CACHE"):
        open_cache(tmp_path / name)


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
