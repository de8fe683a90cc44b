"""Code that another user put into the cache is not run: a seal tells what this cache made, notes have seals too."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kinegen.codegen.build import build, find_toolchain, read_note, write_note
from kinegen.codegen.build.cache import intact
from kinegen.runtime.errors import BuildError
from kinegen.runtime.module.module import load_module
from kinegen.runtime.record import BuildRecord
from support.c.tiny import SOURCE, tiny
from support.planted import PLANTED, entry_of, factor, plant, used


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
