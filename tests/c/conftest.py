"""The C library, compiled once for the tests of this folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.c.c_library import COMPILERS, Library, compiled


@pytest.fixture(scope="session")
def c(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Compiled here, or the one that KINEGEN_C_LIBRARY names."""
    given = os.environ.get("KINEGEN_C_LIBRARY")
    return Library(Path(given) if given else compiled(tmp_path_factory.mktemp("c"), COMPILERS["gcc"], ["-O2"]))
