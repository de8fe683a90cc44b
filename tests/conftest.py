"""One cache of compiled models for all tests, kept between runs with pytest's own (it is addressed by content).

Models are compiled with -O1, in two thirds of the time; `KINEGEN_CFLAGS= pytest` compiles them as users do.
"""

from __future__ import annotations

import os

import pytest


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("KINEGEN_CFLAGS", "-O1")
    folder = config.cache.mkdir("kinegen") if config.cache else None
    if folder and "KINEGEN_CACHE" not in os.environ:
        folder.chmod(0o700)
        os.environ["KINEGEN_CACHE"] = str(folder)
