"""One cache of compiled models for all tests, kept between runs with pytest's own (it is addressed by content).

Models are compiled with -O0, in a third of the time, so that the whole is faster though they run more slowly, and as
plain libraries, which need no headers of Python, in half of that; `KINEGEN_CFLAGS= pytest` compiles them as users do.
So do files that use `headers`, and other processes; tests/build/test_optimised.py holds both against each other.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

from kinegen.codegen.build import toolchain
from support.machine import placed

FAST = "-O0"
with_headers = toolchain.python_include


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.setdefault("KINEGEN_CFLAGS", FAST) == FAST:
        toolchain.python_include = lambda: None
    cache = getattr(config, "cache", None)  # -p no:cacheprovider
    folder = cache.mkdir("kinegen") if cache else None
    if folder and "KINEGEN_CACHE" not in os.environ:
        folder.chmod(0o700)
        os.environ["KINEGEN_CACHE"] = str(folder)


def pytest_collection_finish() -> None:
    """What all tests share is left alone by the garbage collector, the rest is looked at less often: a tenth less."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need root get it, or a namespace in which they are root."""
    items[:] = [placed(item) for item in items]


@pytest.fixture(scope="module")
def headers() -> Iterator[None]:
    """Models of the file are compiled with Python's headers, as users have them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toolchain, "python_include", with_headers)
        yield
