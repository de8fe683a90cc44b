"""The C of a library by itself: no allocation, clean under the sanitizers while its structure changes."""

from __future__ import annotations

import numpy as np
import pytest

from support.c.c_driver import sanitized
from support.c.c_scenes import drop_program


@pytest.fixture(scope="module", params=[pytest.param("drop", marks=pytest.mark.sweep), "limited"])
def program(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("drop")
    return folder, drop_program(folder, stops=request.param == "limited")


def test_it_allocates_nothing(program):
    _, made = program
    files = [made.sources.files[name] for name in made.files[1:]]
    assert files and not any("alloc(" in text for text in files)


def test_it_is_clean_under_the_sanitizers(program):
    folder, made = program
    _, *state = map(float, sanitized(folder, made.files).split())
    assert len(state) > 20 and np.isfinite(state).all()
