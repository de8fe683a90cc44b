"""What another user owns or swaps is not loaded, whenever that happens; a second user of the machine tries it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kinegen.codegen.build import build
from kinegen.runtime.errors import ForeignError
from kinegen.runtime.module import module as loader
from kinegen.runtime.module.module import load_module
from kinegen.runtime.record import BuildRecord
from kinegen.runtime.trust import private
from support.c.tiny import SOURCE, tiny
from support.planted import OTHER, PARTS, PLANTED, ROOMS, entry_of, factor, plant, root_only, used


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
