"""The C of contact by itself: clean under the sanitizers while every pair of shapes falls on another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinegen.codegen.analysis.contact.rules import ContactRules
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model, Simulator
from support.c.c_driver import sanitized
from support.c.c_scenes import catcher_program, heap_program
from support.contact.touching_samples import heap, heaped


@pytest.mark.filterwarnings("ignore::kinegen.runtime.errors.ContactWarning")
def test_contact_is_clean_under_the_sanitizers(tmp_path: Path) -> None:
    program = heap_program(tmp_path)
    *moved, most = map(float, sanitized(tmp_path, program.files, program.given).split())
    assert np.isfinite(moved).all() and most >= 15
    model = Model.load(compile_mechanism(heap(), contacts=ContactRules(within=True))).with_parameters(m=0.7)
    sim = Simulator(model, q=heaped(model.manifest), dt=2e-3)
    sim.step(100)
    heights = sim.q[2:63:7]
    assert (heights > 0.0).all()


def test_contact_of_a_library_is_clean_under_the_sanitizers(tmp_path: Path) -> None:
    """A hand falls on a bar and the ground while both are held and let go; a condition on its contact is watched."""
    program = catcher_program(tmp_path)
    assert not any("alloc(" in program.sources.files[name] for name in program.files[1:])
    fired, _, *state = map(float, sanitized(tmp_path, program.files).split())
    assert fired >= 1
    manifest = program.sources.manifest
    assert len(state) == manifest.nq + manifest.nv and np.isfinite(state).all()
