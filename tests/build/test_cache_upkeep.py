"""What the cache keeps and removes: its own things only, never under a build, to a limit, and it says what it did."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.codegen.build import build, cache_entries, clear_cache, find_toolchain, upkeep
from kinegen.codegen.build.cache import entry_path
from kinegen.codegen.build.driver import content_key
from kinegen.codegen.build.upkeep import everything, evict, size_limit
from kinegen.codegen.build.work import is_free, workshop
from kinegen.runtime.errors import BuildError, KinegenError
from kinegen.runtime.module.module import load_module
from support.c.tiny import SOURCE, scale, tiny
from support.machine import missing

pytestmark = pytest.mark.usefixtures("headers")

KEY = "0123456789abcdef" * 2


def variant(factor: float) -> object:
    return tiny(source=SOURCE.replace("2.0", str(factor)))


# --- only what is ours


def test_the_folder_is_marked(tmp_path: Path) -> None:
    build(tiny(), cache=tmp_path / "cache")
    tag = (tmp_path / "cache" / "CACHEDIR.TAG").read_text()
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n") and "kinegen" in tag
    assert len((tmp_path / "cache" / "secret").read_bytes()) == 32


def test_a_folder_of_other_things_is_no_cache(tmp_path: Path) -> None:
    """A project with a folder `models`, and one of the caches that other programs mark."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "robot.stl").write_text("mine")
    (tmp_path / "README").write_text("mine")
    for attempt in (lambda: build(tiny(), cache=tmp_path), lambda: clear_cache(tmp_path)):
        with pytest.raises(BuildError, match=r"is no cache of kinegen, it holds 'README': set KINEGEN_CACHE.*kinegen$"):
            attempt()
    (tmp_path / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n# pip\n")
    with pytest.raises(BuildError, match="is no cache of kinegen"):
        clear_cache(tmp_path)
    assert (tmp_path / "models" / "robot.stl").read_text() == "mine"


def test_only_names_of_ours_are_removed(tmp_path: Path) -> None:
    build(tiny(), cache=tmp_path)
    mine = [tmp_path / room / name for room in upkeep.ROOMS for name in ("robot", "notes.txt")]
    for path in mine:
        path.parent.mkdir(exist_ok=True, mode=0o700)
        path.mkdir() if path.name == "robot" and path.parent.name != "work" else path.write_text("mine")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("mine")
    (tmp_path / "models" / f"link-{KEY}").symlink_to(tmp_path / "outside")
    assert clear_cache(tmp_path) > 0
    assert cache_entries(tmp_path) == []
    assert [path for path in mine if not path.exists()] == [path for path in mine if path.parent.name == "work"]
    assert (tmp_path / "outside" / "file").exists()
    assert not (tmp_path / "models" / f"link-{KEY}").is_symlink()


def test_a_room_that_is_a_link_is_left(tmp_path: Path) -> None:
    build(tiny(), cache=tmp_path / "cache")
    shutil.move(tmp_path / "cache" / "models", tmp_path / "mine")
    (tmp_path / "cache" / "models").symlink_to(tmp_path / "mine")
    clear_cache(tmp_path / "cache")
    assert len(list((tmp_path / "mine").iterdir())) == 1


def test_what_could_not_be_removed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mount that cannot be written: nothing is freed, and nothing is said to be."""
    folder = build(tiny(), cache=tmp_path)

    def refuse(self: Path, target: Path) -> None:
        raise OSError(30, "Read-only file system", str(self))

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(BuildError, match=r"cannot remove .* \(Read-only file system\); freed 0\.0 MB"):
        clear_cache(tmp_path)
    assert folder.is_dir()


@pytest.mark.root("mount")
def test_a_cache_on_a_read_only_mount_serves_and_cannot_be_cleared(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    folder = build(tiny(), cache=cache)
    if subprocess.run(["mount", "--bind", cache, cache], capture_output=True).returncode:
        missing("mount --bind")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", cache], check=True)
        assert build(tiny(), cache=cache) == folder
        assert scale(load_module(folder, sealed=True), 1.0, 4.0) == [2.0, 2.0]
        with pytest.raises(BuildError, match=r"cannot write to the cache folder .*KINEGEN_CACHE"):
            build(variant(3.0), cache=cache)  # type: ignore[arg-type]
        with pytest.raises(BuildError, match=r"Read-only file system\); freed 0\.0 MB"):
            clear_cache(cache)
        assert folder.is_dir()
    finally:
        subprocess.run(["umount", "--lazy", cache], check=True)  # this process goes on with what it loaded


# --- builds under way


HOLD = """
import sys, time
from pathlib import Path
from kinegen.codegen.build.work import workshop
with workshop(Path(sys.argv[1]), sys.argv[2]) as work:
    (work / "half.c").write_text("int x;")
    print(work, flush=True)
    time.sleep(600)
"""


def test_a_build_is_left_while_its_process_lives_and_removed_when_it_is_gone(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, tmp_path, KEY], stdout=subprocess.PIPE, text=True) as builder:
        assert builder.stdout is not None
        work = Path(builder.stdout.readline().strip())
        clear_cache(tmp_path)
        build(tiny(), cache=tmp_path)
        assert (work / "half.c").exists()
        assert not is_free(tmp_path / "locks" / f"{KEY}.lock", tmp_path)
        builder.kill()
    build(variant(3.0), cache=tmp_path)  # type: ignore[arg-type]
    assert list((tmp_path / "work").iterdir()) == []


USE = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from kinegen.codegen.build import build
from kinegen.runtime.errors import KinegenError
from kinegen.runtime.module.module import load_module
from support.machine import missing
from support.c.tiny import SOURCE, scale, tiny
for factor in (2.0, 3.0, 4.0, 3.0, 2.0):
    folder = build(tiny(source=SOURCE.replace("2.0", str(factor))), cache=Path(sys.argv[1]))
    try:
        print(scale(load_module(folder, sealed=True), 1.0, 4.0)[0] == factor)
    except KinegenError:
        print("cleared" if not folder.exists() else "broken")
"""


def test_clearing_disturbs_no_build(tmp_path: Path) -> None:
    """Two processes build while another thing clears all the time."""
    command = [sys.executable, "-c", USE, str(tmp_path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    while any(process.poll() is None for process in running):
        clear_cache(tmp_path)
        time.sleep(0.3)
    for process in running:
        said, errors = process.communicate()
        assert not process.returncode, errors
        assert len(said.split()) == 5 and set(said.split()) <= {"True", "cleared"}
    clear_cache(tmp_path)
    assert [list((tmp_path / room).iterdir()) for room in ("models", "work")] == [[], []]


def test_clearing_removes_abandoned_work_and_locks(tmp_path: Path) -> None:
    build(tiny(), cache=tmp_path)
    for name in ("0" * 16, "left-by-an-older-version"):
        (tmp_path / "work" / name).mkdir()
        (tmp_path / "work" / name / "object.o").write_bytes(bytes(1000))
    (tmp_path / "work" / f"{'0' * 16}.lock").touch()
    size = sum(entry.size for entry in everything(tmp_path))
    assert clear_cache(tmp_path) >= size + 2000
    assert [list((tmp_path / room).iterdir()) for room in ("work", "locks")] == [[], []]


def test_a_lock_without_its_folder_is_left_for_a_moment(tmp_path: Path) -> None:
    """Its builder has not made the folder yet."""
    (tmp_path / "work").mkdir()
    locks = [tmp_path / "work" / f"{name * 16}.lock" for name in "ab"]
    for lock in locks:
        lock.touch()
    os.utime(locks[1], (1e9, 1e9))
    with workshop(tmp_path, KEY):
        assert [lock.exists() for lock in locks] == [True, False]


def test_without_locks_work_is_left_for_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object, *args: object, **kwargs: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    with workshop(tmp_path, KEY) as work, workshop(tmp_path, KEY):
        assert work.is_dir()
        os.utime(work, (1e9, 1e9))
        clear_cache(tmp_path)
        assert not work.exists()


def test_a_model_is_compiled_again_if_the_cache_is_cleared_before_it_is_loaded(tmp_path: Path) -> None:
    from kinegen import loading

    calls = []

    def compiled() -> Path:
        folder = build(tiny(), cache=tmp_path)
        calls.append(clear_cache(tmp_path) if not calls else 0)
        return folder

    module = loading.loaded(compiled, lambda module: module)  # type: ignore[arg-type]
    assert scale(module, 1.0, 4.0) == [2.0, 2.0]
    assert len(calls) == 2


# --- limit


def aged(cache: Path, days: float) -> Path:
    """The newest model, as if it had been used that long ago."""
    folder = next(entry.path for entry in cache_entries(cache) if entry.room == "models")
    then = time.time() - 86400 * days
    os.utime(folder / "seal", (then, then))
    return folder


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    folders = {days: (build(variant(days + 1.0), cache=tmp_path), aged(tmp_path, days))[1] for days in (3, 1, 2)}  # type: ignore[arg-type]
    size = max(entry.size for entry in cache_entries(tmp_path))
    evict(tmp_path, 10 * size)
    assert all(folder.exists() for folder in folders.values())
    assert build(variant(4.0), cache=tmp_path) == folders[3]  # type: ignore[arg-type]
    shared = sum(entry.size for entry in everything(tmp_path) if entry.room != "models")  # just used, by all
    evict(tmp_path, 2 * size + shared)
    assert {days: folder.exists() for days, folder in folders.items()} == {3: True, 1: True, 2: False}
    evict(tmp_path, 0)
    assert {days: folder.exists() for days, folder in folders.items()} == {3: True, 1: False, 2: False}  # just used


def test_a_build_keeps_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tiny(), cache=tmp_path)
    old = aged(tmp_path, 1.0)
    monkeypatch.setenv("KINEGEN_CACHE_LIMIT", "1kB")
    new = build(variant(3.0), cache=tmp_path)  # type: ignore[arg-type]
    assert new.exists() and not old.exists()
    for wrong in ("lots", "-1", "1 XB", "nan"):
        monkeypatch.setenv("KINEGEN_CACHE_LIMIT", wrong)
        with pytest.raises(BuildError, match=f"KINEGEN_CACHE_LIMIT is '{wrong}', expected a size such as"):
            build(variant(4.0), cache=tmp_path)  # type: ignore[arg-type]


def test_sizes_are_read_as_people_write_them() -> None:
    sizes = {
        "": 2 * 10**9,
        "0": 0,
        "12": 12,
        "500MB": 5 * 10**8,
        "1.5 GiB": 1.5e9,
        "2g": 2 * 10**9,
        " 3 tb ": 3 * 10**12,
    }
    assert {text: size_limit({"KINEGEN_CACHE_LIMIT": text}) for text in sizes} == sizes


def test_notes_go_with_their_models(tmp_path: Path) -> None:
    link = kg.Link("bob", 1.0, (0, 0, -1), (0.1, 0, 0, 0.1, 0, 0.1))
    swing = [kg.Mechanism(name, [link], [kg.Joint("j", "revolute", "world", "bob")]) for name in ("a", "b")]
    kept = kg.compile(swing[0], cache=tmp_path, progress=False)
    gone = kg.compile(swing[1], cache=tmp_path, progress=False)
    os.utime(gone.module.folder / "seal", (1e9, 1e9))
    evict(tmp_path, 0)
    assert kept.module.folder.exists() and not gone.module.folder.exists()
    (note,) = (tmp_path / "fronts").iterdir()
    assert json.loads(note.read_text())["note"]["entry"] == kept.module.folder.name


def test_locks_that_nobody_holds_go_with_the_models_that_make_room(tmp_path: Path) -> None:
    for days, factor in enumerate((3.0, 4.0, 5.0), start=1):
        build(variant(factor), cache=tmp_path)  # type: ignore[arg-type]
        aged(tmp_path, days)
    with workshop(tmp_path, KEY):
        evict(tmp_path, 10**9)
        assert len(list((tmp_path / "locks").iterdir())) >= 4
        evict(tmp_path, 0)
        assert [path.name for path in (tmp_path / "locks").iterdir()] == [f"{KEY}.lock"]


def test_a_loaded_model_outlives_its_entry(tmp_path: Path) -> None:
    """It computes on; its text is gone, and the message says why; a worker cannot load it again."""
    link = kg.Link("bob", 1.0, (0, 0, -1), (0.1, 0, 0, 0.1, 0, 0.1))
    model = kg.compile(kg.Mechanism("swing", [link], [kg.Joint("j", "revolute", "world", "bob")]), cache=tmp_path)
    before, text = model.inverse_dynamics([0.3], [0.1], [0.2]), model.source
    packed = pickle.dumps(model)
    clear_cache(tmp_path)
    assert model.inverse_dynamics([0.3], [0.1], [0.2]) == before
    kg.Simulator(model).step(10)
    with pytest.raises(KinegenError, match=r"text of model 'swing' cannot be read .* compile it again if the cache"):
        _ = model.source
    with pytest.raises(KinegenError, match=r"is not a compiled model: .* \(if it was in the cache, compile it again\)"):
        pickle.loads(packed)
    again = kg.compile(kg.Mechanism("swing", [link], [kg.Joint("j", "revolute", "world", "bob")]), cache=tmp_path)
    assert model.source == again.source == text and pickle.loads(packed).module.sealed


def test_entries_tell_size_and_last_use(tmp_path: Path) -> None:
    folder = build(tiny(), cache=tmp_path)
    compiled = cache_entries(tmp_path)[0].time
    os.utime(folder / "seal", (1e9, 1e9))
    (entry,) = cache_entries(tmp_path)
    assert (entry.used, entry.room, entry.time) == (1e9, "models", compiled)
    assert entry.size == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    build(tiny(), cache=tmp_path)
    assert time.time() - cache_entries(tmp_path)[0].used < 60
    assert folder == entry_path(tmp_path, "tiny", content_key(tiny(), find_toolchain()))
    size = cache_entries(tmp_path)[0].size - (folder / "seal").stat().st_size
    for damage in (lambda path: path.write_text("x"), Path.unlink, os.mkfifo):
        damage(folder / "seal")
        assert size <= cache_entries(tmp_path)[0].size <= size + 1
