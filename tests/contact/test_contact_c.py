"""The C of contact by itself: clean under the sanitizers while every pair of shapes falls on another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.c.c_driver import sanitized
from support.c.c_scenes import catcher_program, heap_program


@pytest.mark.filterwarnings("ignore::kinegen.runtime.errors.ContactWarning")
def test_contact_is_clean_under_the_sanitizers(tmp_path: Path) -> None:
    program = heap_program(tmp_path)
    *moved, most = map(float, sanitized(tmp_path, program.files, program.given).split())
    assert np.isfinite(moved).all() and most >= 15
    assert min(moved[2:63:7]) > 0.0  # nothing fell through


@pytest.mark.sweep  # contact is looked at above, switching in tests/topology
def test_contact_of_a_library_is_clean_under_the_sanitizers(tmp_path: Path) -> None:
    """A hand falls on a bar and the ground while both are held and let go; a condition on its contact is watched."""
    program = catcher_program(tmp_path)
    assert not any("alloc(" in program.sources.files[name] for name in program.files[1:])
    fired, _, *state = map(float, sanitized(tmp_path, program.files).split())
    assert fired >= 1
    manifest = program.sources.manifest
    assert len(state) == manifest.nq + manifest.nv and np.isfinite(state).all()
