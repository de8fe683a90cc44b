"""A thousand mutants of files: read, or refused by a KinegenError that names the file; nothing else comes out."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fuzz.run import run
from support.fuzz.seeds import READERS

FOUND = {"scene.toml": [3_000_120, 3_002_280, 12_000_490]}
"""Mutants that were read wrongly once: a place of 1e300 m was refused without the name of the file, an empty list was
taken for an option of a joint."""
COUNT = {
    "urdf": 120,
    "sdf": 120,
    "xml": 150,
    "toml": 150,
    "scene.toml": 60,
    "mot": 100,
    "trc": 100,
    "npz": 100,
    "c3d": 150,
}


@pytest.mark.parametrize("kind", READERS)
def test_no_file_is_a_crash(tmp_path: Path, kind: str) -> None:
    outcome = run(kind, range(COUNT[kind]), tmp_path)
    assert outcome.findings == ()
    assert outcome.read > 0 and outcome.refused > 0


@pytest.mark.parametrize("kind", FOUND)
def test_what_was_found_stays_mended(tmp_path: Path, kind: str) -> None:
    for seed in FOUND[kind]:
        assert run(kind, range(seed, seed + 1), tmp_path).findings == ()
