"""A mechanism shown: every freedom goes through its range and comes home, loops stay closed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli.failures import run
from kinegen.drawing.tour import STEPS, TURN
from support.animations import data_of

FOURBAR = Path(__file__).parents[2] / "examples/fourbar.toml"


def test_limits_are_reached_one_after_the_other() -> None:
    rod = kg.inertia.rod(1.0, 1.0)
    links = [kg.Link(name, 1.0, (0.5, 0, 0), rod) for name in ("a", "b", "c")]
    joints = [
        kg.Joint("base", "free", "world", "a"),
        kg.Joint("slide", "prismatic", "a", "b", axis=(0, 1, 0), limits=(-0.2, 0.5)),
        kg.Joint("turn", "continuous", "b", "c", axis=(0, 0, 1)),
    ]
    model = kg.compile(kg.Mechanism("m", links, joints))
    motion = kg.tour(model)
    slide, turn = (motion.q[:, model.q_slice(name)][:, 0] for name in ("slide", "turn"))
    assert [event[2] for event in motion.events] == ["slide", "turn"]
    assert (slide.min(), slide.max()) == pytest.approx((-0.2, 0.5)) and abs(turn).max() == pytest.approx(TURN)
    assert not (slide.astype(bool) & turn.astype(bool)).any() and len(motion) == 1 + 2 * 4 * STEPS
    assert np.array_equal(motion.q[-1], motion.q[0]) and (motion.q[:, :7] == motion.q[0, :7]).all()


def test_loops_follow() -> None:
    motion = kg.tour(kg.compile(FOURBAR))
    assert motion.closure_gap.max() < 1e-9
    assert np.ptp(motion.q[:, 0]) > TURN and np.ptp(motion.q[:, 1]) > 0.1


def test_pages(tmp_path: Path) -> None:
    page = kg.tour(FOURBAR).html(tmp_path / "a.html")
    assert run(["view", str(FOURBAR), "-o", str(tmp_path / "b.html")]) == 0
    assert page.read_bytes() == (tmp_path / "b.html").read_bytes()
    assert data_of((tmp_path / "b.html").read_text())["events"][0][1] == "move"
    with pytest.raises(kg.ModelError, match="tour: what: expected Mechanism"):
        kg.tour(3)  # type: ignore[arg-type]
