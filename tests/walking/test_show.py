"""The command that shows a walk: a page that plays, footsteps from above."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from support.animations import data_of

SCRIPT = Path(__file__).parents[2] / "examples" / "walking" / "show.py"


def test_a_walk_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two steps; the page has the whole motion, the picture is there, what is said of the walk is so."""
    run = runpy.run_path(str(SCRIPT))["main"](tmp_path, steps=2)
    data = data_of((tmp_path / "walk.html").read_text(encoding="utf-8"))
    assert {"foot_l", "foot_r"} <= set(data["links"])
    assert (tmp_path / "walk_footsteps.png").stat().st_size > 50_000
    assert "2 steps" in capsys.readouterr().out
    contacts = run.contacts
    assert contacts is not None
    support = kg.support_polygon(contacts.points("world")[50:-1])
    margin = support.margin(kg.zero_moment_point(-contacts.wrench("world"))[50:-1])
    assert margin.min() > 0.03  # of what the walk made
    assert np.linalg.norm(run.model.com(run.q[-1])[:2] - contacts.center_of_pressure("world")[-2, :2]) < 0.01
