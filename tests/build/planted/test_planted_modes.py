"""What others can write to, or links lead to, is not loaded: refused by name, or made again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kinegen.codegen.build import build
from kinegen.runtime.errors import BuildError, ForeignError, KinegenError
from kinegen.runtime.module.module import load_module
from support.c.tiny import tiny
from support.planted import PARTS, ROOMS, entry_of, plant, used


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
