"""Code that another user put into the cache is not run: whoever owns what, may write where, or swaps what when."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kinegen.codegen.build import build, find_toolchain, read_note, write_note
from kinegen.codegen.build.cache import intact
from kinegen.runtime import private
from kinegen.runtime.errors import BuildError, ForeignError, KinegenError
from kinegen.runtime.module import module as loader
from kinegen.runtime.module.module import Module, load_module
from kinegen.runtime.record import BuildRecord, digest
from support.c.tiny import SOURCE, scale, tiny

OTHER = 54321
PLANTED = 666.0
"""What the planted code multiplies by; the model multiplies by two."""

root_only = pytest.mark.root("users")  # only root can give files away


@pytest.fixture(scope="module")
def bomb(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A module like that of `tiny` with other code in it."""
    folder = build(tiny(source=SOURCE.replace("2.0", str(PLANTED))), cache=tmp_path_factory.mktemp("bomb"))
    return (folder / BuildRecord.read(folder).module).read_bytes()


@pytest.fixture(scope="module")
def genuine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("genuine")
    build(tiny(), cache=cache)
    return cache


@pytest.fixture
def cache(genuine: Path, tmp_path: Path) -> Path:
    """A cache with one model."""
    return Path(shutil.copytree(genuine, tmp_path / "cache"))


def entry_of(cache: Path) -> Path:
    (entry,) = (cache / "models").iterdir()
    return entry


def plant(entry: Path, bomb: bytes) -> None:
    """Put other code into an entry, with a record that fits it: all that can be done without the secret."""
    record = json.loads((entry / "record.json").read_text())
    (entry / record["module"]).write_bytes(bomb)
    record["digests"][record["module"]] = digest(bomb)
    (entry / "record.json").write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")


def factor(module: Module) -> float:
    return scale(module, 1.0, 1.0)[0]


def used(cache: Path) -> float:
    """What a user gets: the model compiled or found, and loaded."""
    return factor(load_module(build(tiny(), cache=cache), sealed=True))


def test_the_planted_code_would_run(cache: Path, bomb: bytes) -> None:
    """A folder that is named to the loader is code that the user trusts; the other tests would see it run."""
    plant(entry_of(cache), bomb)
    assert factor(load_module(entry_of(cache))) == PLANTED


def test_a_record_that_fits_is_no_proof(cache: Path, bomb: bytes) -> None:
    plant(entry_of(cache), bomb)
    with pytest.raises(BuildError, match="has no seal of this cache"):
        load_module(entry_of(cache), sealed=True)
    assert used(cache) == 2.0


def test_the_seal_of_another_cache_is_none(cache: Path, bomb: bytes, tmp_path: Path) -> None:
    other = build(tiny(source=SOURCE.replace("2.0", str(PLANTED))), cache=tmp_path / "theirs")
    entry = entry_of(cache)
    shutil.rmtree(entry)
    shutil.copytree(other, entry)
    with pytest.raises(BuildError, match="has no seal of this cache"):
        load_module(entry, sealed=True)
    assert used(cache) == 2.0


def test_the_model_of_another_description_is_none(cache: Path) -> None:
    """All of it sealed by us, but it stands in the wrong place."""
    other = build(tiny(source=SOURCE.replace("2.0", "5.0")), cache=cache)
    mine = next(path for path in (cache / "models").iterdir() if path != other)
    shutil.rmtree(mine)
    other.rename(mine)
    assert used(cache) == 2.0


# --- modes

ROOMS: dict[str, Callable[[Path], Path]] = {"cache": lambda c: c, "models": lambda c: c / "models"}
PARTS: dict[str, Callable[[Path], Path]] = {
    "entry": entry_of,
    "record": lambda c: entry_of(c) / "record.json",
    "seal": lambda c: entry_of(c) / "seal",
    "manifest": lambda c: entry_of(c) / "manifest.json",
    "module": lambda c: next(entry_of(c).glob("tiny.*.so"), entry_of(c) / "tiny.py"),
}


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
@pytest.mark.parametrize("room", ROOMS)
def test_rooms_that_others_can_write_are_refused(room: str, mode: int, cache: Path) -> None:
    ROOMS[room](cache).chmod(mode)
    for attempt in (lambda: build(tiny(), cache=cache), lambda: load_module(entry_of(cache), sealed=True)):
        with pytest.raises(
            ForeignError, match=rf"others can write to {ROOMS[room](cache)}: `chmod go-w.*KINEGEN_CACHE"
        ):
            attempt()


@pytest.mark.parametrize("mode", [0o777, 0o620])
@pytest.mark.parametrize("part", PARTS)
def test_entries_that_others_can_write_are_made_again(part: str, mode: int, cache: Path) -> None:
    entry, path = entry_of(cache), PARTS[part](cache)
    path.chmod(mode | 0o100 * (part == "entry"))
    before = (entry / "record.json").stat().st_ino
    with pytest.raises(BuildError, match=r"others can write to it|cannot be read"):
        load_module(entry, sealed=True)
    assert used(cache) == 2.0
    assert (entry / "record.json").stat().st_ino != before
    assert not PARTS[part](cache).stat().st_mode & 0o022


def test_other_rooms_that_others_can_write_are_refused(cache: Path) -> None:
    """Notes lead to models and hold flags of the compiler."""
    for room in ("compilers", "work", "locks"):
        (cache / room).chmod(0o777)
        with pytest.raises(ForeignError, match=f"others can write to .*{room}"):
            build(tiny("other"), cache=cache)
        (cache / room).chmod(0o700)


def test_a_secret_that_others_can_read_is_none(cache: Path) -> None:
    (cache / "secret").chmod(0o644)
    with pytest.raises(ForeignError, match=r"secret cannot serve \(others can read it\): remove it"):
        build(tiny(), cache=cache)
    (cache / "secret").unlink()
    assert used(cache) == 2.0
    assert (cache / "secret").stat().st_mode & 0o777 == 0o600


# --- links


@pytest.mark.parametrize("part", ["entry", "module", "record", "seal"])
def test_links_in_entries_are_not_followed(part: str, cache: Path, bomb: bytes, tmp_path: Path) -> None:
    theirs = Path(shutil.copytree(entry_of(cache), tmp_path / "theirs"))
    plant(theirs, bomb)
    path = PARTS[part](cache)
    target = theirs if part == "entry" else theirs / path.name
    shutil.rmtree(path) if part == "entry" else path.unlink()
    path.symlink_to(target)
    with pytest.raises(KinegenError):
        load_module(entry_of(cache), sealed=True)
    assert used(cache) == 2.0
    assert not PARTS[part](cache).is_symlink()


def test_a_room_that_is_a_link_is_refused(cache: Path, tmp_path: Path) -> None:
    (cache / "models").rename(tmp_path / "theirs")
    (cache / "models").symlink_to(tmp_path / "theirs")
    with pytest.raises(ForeignError, match="models is a link: remove it"):
        build(tiny(), cache=cache)


def test_the_cache_itself_may_be_a_link_to_a_folder_of_ours(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(cache)
    assert used(tmp_path / "link") == 2.0
    cache.chmod(0o777)
    with pytest.raises(ForeignError):
        build(tiny(), cache=tmp_path / "link")


# --- owners


@root_only
@pytest.mark.parametrize("part", [*ROOMS, *PARTS])
def test_what_belongs_to_another_user_is_refused(part: str, cache: Path) -> None:
    path = (ROOMS | PARTS)[part](cache)
    os.chown(path, OTHER, OTHER)
    for attempt in (lambda: build(tiny(), cache=cache), lambda: load_module(entry_of(cache), sealed=True)):
        with pytest.raises(ForeignError, match=rf"{path.name} belongs to another user \(uid {OTHER}\).*KINEGEN_CACHE"):
            attempt()


@root_only
def test_notes_and_secret_of_another_user_are_refused(cache: Path) -> None:
    for path in (cache / "secret", next((cache / "compilers").iterdir())):
        os.chown(path, OTHER, OTHER)
        with pytest.raises(ForeignError, match=r"belongs to another user"):
            build(tiny(), cache=cache)
        os.chown(path, 0, 0)


@pytest.fixture
def shared(genuine: Path) -> Iterator[Path]:
    """A folder that everybody can write to, with a cache in it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o777)
        shutil.copytree(genuine, Path(name) / "cache")
        yield Path(name)


def as_other_user(act: Callable[[], object]) -> bool:
    """Do it as another user of this machine; whether it could be done."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(OTHER)
            os.setuid(OTHER)
            act()
        except OSError:
            os._exit(1)
        except BaseException:
            os._exit(2)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 1)
    return code == 0


@root_only
def test_another_user_plants_while_the_folder_is_open_and_the_owner_then_closes_it(shared: Path, bomb: bytes) -> None:
    """The story of the report: `models` was open, a module was put there, the owner did what the message says."""
    cache = shared / "cache"
    entry, parts = entry_of(cache), {path.name: path.read_bytes() for path in entry_of(cache).iterdir()}
    for path in (cache, cache / "models"):
        path.chmod(0o777)

    def attack() -> None:
        os.rename(entry, f"{entry}.away")
        os.mkdir(entry, 0o755)
        for name, data in parts.items():
            (entry / name).write_bytes(data)
        plant(entry, bomb)

    assert as_other_user(attack) and entry.stat().st_uid == OTHER
    with pytest.raises(ForeignError, match="others can write"):
        build(tiny(), cache=cache)
    for path in (cache, cache / "models"):
        path.chmod(0o700)
    with pytest.raises(ForeignError, match=rf"belongs to another user \(uid {OTHER}\)"):
        build(tiny(), cache=cache)
    shutil.rmtree(entry)
    assert used(cache) == 2.0


@root_only
def test_another_user_writes_into_a_file_of_the_owner(shared: Path, bomb: bytes) -> None:
    """Owners and modes are right again afterwards; what is in the file is not."""
    cache = shared / "cache"
    entry = entry_of(cache)
    for path in (cache, cache / "models", entry):
        path.chmod(0o755)
    for path in entry.iterdir():
        path.chmod(0o666)
    assert as_other_user(lambda: plant(entry, bomb))
    for path in entry.iterdir():
        path.chmod(0o600)
    assert not as_other_user(lambda: (cache / "secret").read_bytes())
    assert factor(load_module(entry)) == PLANTED
    assert used(cache) == 2.0


# --- between check and load


def swapped(act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """`act` after everything was checked, and before the module is opened."""

    def late(descriptor: int, path: Path) -> str:
        act()
        return private.lasting_name(descriptor, path)

    monkeypatch.setattr(loader, "lasting_name", late)


def swap(shared: Path) -> None:
    os.rename(shared / "cache", shared / "away")
    os.rename(shared / "theirs", shared / "cache")


@root_only
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux names descriptors")
def test_a_cache_swapped_after_the_check_is_not_loaded(
    shared: Path, bomb: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = entry_of(shared / "cache")
    shutil.copytree(shared / "cache", shared / "theirs")
    plant(entry_of(shared / "theirs"), bomb)
    for path in (shared / "theirs", *(shared / "theirs").rglob("*")):
        os.chown(path, OTHER, OTHER)
    swapped(lambda: as_other_user(lambda: swap(shared)), monkeypatch)
    assert factor(load_module(entry, sealed=True)) == 2.0
    assert not (shared / "theirs").exists() and factor(load_module(entry)) == PLANTED  # it was swapped


def test_without_names_of_descriptors_such_a_cache_is_refused(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS."""
    monkeypatch.setattr(private, "DESCRIPTORS", "/nowhere")
    with pytest.raises(ForeignError, match="others can rename folders above"):
        load_module(entry_of(shared / "cache"), sealed=True)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux names descriptors")
def test_models_loaded_through_descriptors_are_kept_apart(shared: Path) -> None:
    """The descriptors have the same number one after the other, and so would the names."""
    factors = (2.0, 3.0, 4.0)
    folders = [build(tiny(source=SOURCE.replace("2.0", str(f))), cache=shared / "cache") for f in factors]
    with open("/proc/self/maps") as maps:
        assert str(shared) not in maps.read()
    modules = [load_module(folder, sealed=True) for folder in folders]
    assert [factor(module) for module in (*modules, load_module(folders[0], sealed=True))] == [*factors, 2.0]


def test_a_private_place_is_loaded_by_its_own_name(cache: Path) -> None:
    """Which debuggers need."""
    entry = entry_of(cache)
    path = entry / BuildRecord.read(entry).module
    with private.opened(entry) as at, private.opened_file(at, path.name, own=True) as file:
        assert private.lasting_name(file, path) == os.path.realpath(path)


# --- notes


def test_forged_notes_are_no_notes(cache: Path) -> None:
    name = "0" * 32
    write_note(cache, "fronts", name, {"a": [1, "x"]})
    assert read_note(cache, "fronts", name) == {"a": [1, "x"]}
    path = cache / "fronts" / f"{name}.json"
    told = json.loads(path.read_text())
    for forged in (told | {"note": {"a": [2, "x"]}}, told | {"seal": "é"}, told | {"seal": 3}, [], {"note": 1}):
        path.write_text(json.dumps(forged))
        assert read_note(cache, "fronts", name) is None
    path.write_text(json.dumps(told))
    path.rename(cache / "fronts" / f"{'1' * 32}.json")
    assert read_note(cache, "fronts", "1" * 32) is None  # of something else
    path.write_text("[" * 100_000)
    assert read_note(cache, "fronts", name) is None


def test_forged_flags_of_the_compiler_are_not_used(cache: Path) -> None:
    (note,) = (cache / "compilers").iterdir()
    told = json.loads(note.read_text())
    told["note"]["tuning"] = ["-fplugin=/tmp/theirs.so"]
    note.write_text(json.dumps(told))
    assert "-fplugin=/tmp/theirs.so" not in find_toolchain("native", cache).tuning


def test_whole_is_only_what_is_ours(cache: Path) -> None:
    entry = entry_of(cache)
    key = BuildRecord.read(entry).key
    assert intact(entry, key) and not intact(entry, key[::-1])
