"""A cache with one model in it, and a module with other code."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinegen.codegen.build import build
from kinegen.runtime.record import BuildRecord
from support.c.tiny import SOURCE, tiny
from support.planted import PLANTED


@pytest.fixture(scope="module")
def bomb(headers: None, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A module like that of `tiny` with other code in it."""
    folder = build(tiny(source=SOURCE.replace("2.0", str(PLANTED))), cache=tmp_path_factory.mktemp("bomb"))
    return (folder / BuildRecord.read(folder).module).read_bytes()


@pytest.fixture(scope="module")
def genuine(headers: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("genuine")
    build(tiny(), cache=cache)
    return cache


@pytest.fixture
def cache(genuine: Path, tmp_path: Path) -> Path:
    """A cache with one model."""
    return Path(shutil.copytree(genuine, tmp_path / "cache"))


@pytest.fixture
def shared(genuine: Path) -> Iterator[Path]:
    """A folder that everybody can write to, with a cache in it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o777)
        shutil.copytree(genuine, Path(name) / "cache")
        yield Path(name)
