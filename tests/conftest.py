"""One cache of compiled models for all tests, kept between runs with pytest's own (it is addressed by content).

Models are compiled with -O0, in a third of the time, so that the whole is faster though they run more slowly;
`KINEGEN_CFLAGS= pytest` compiles them as users do, and tests/build/test_optimised.py holds both against each other.
"""

from __future__ import annotations

import os

import pytest

from support.machine import placed


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("KINEGEN_CFLAGS", "-O0")
    cache = getattr(config, "cache", None)  # -p no:cacheprovider
    folder = cache.mkdir("kinegen") if cache else None
    if folder and "KINEGEN_CACHE" not in os.environ:
        folder.chmod(0o700)
        os.environ["KINEGEN_CACHE"] = str(folder)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need root get it, or a namespace in which they are root."""
    items[:] = [placed(item) for item in items]
