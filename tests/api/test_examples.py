"""The example scripts run and come to what they promise."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg

EXAMPLES = Path(__file__).parents[2] / "examples"


def said_by(script: str, capsys: pytest.CaptureFixture[str]) -> str:
    runpy.run_path(str(EXAMPLES / script))
    return capsys.readouterr().out


def test_every_script_is_tested() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert [path.name for path in EXAMPLES.glob("*.py") if path.stem not in tests] == []


def test_computed_torque_follows(capsys: pytest.CaptureFixture[str]) -> None:
    (error,) = re.findall(r"to (\S+) rad off", said_by("computed_torque.py", capsys))
    assert float(error) < 2e-3


def test_identify_arm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another motion is foretold a hundred times better than by the data sheet, friction is what it was."""
    found = runpy.run_path(str(EXAMPLES / "identify_arm.py"))["main"](tmp_path)
    said = re.findall(r"([\d.]+) N m", capsys.readouterr().out)
    assert 100 * float(said[0]) < float(said[1])
    assert found.possible and np.allclose(found.friction, [1.5, 2.0, 0.9], atol=0.1)
    assert (tmp_path / "identify_arm.png").stat().st_size > 5000


def test_batch(capsys: pytest.CaptureFixture[str]) -> None:
    mean, largest = map(float, re.findall(r"([\d.]+) N m", said_by("batch.py", capsys)))
    # arm of 3.5 kg, mass centre at most 0.4 m from the shoulder, hanging, raised or in between
    assert 2.0 < mean < largest < 3.5 * 9.81 * 0.4


def test_swing_up(tmp_path: Path) -> None:
    """The pole stands at the end; the plan by differences costs the same, and its slopes are the exact ones."""
    example = runpy.run_path(str(EXAMPLES / "swing_up.py"))
    model = kg.compile(example["mechanism"]())
    x, u = np.array([0.1, 2.0, -0.5, 3.0]), np.array([1.5])
    for exact, approximate in zip(example["exact"](model, x, u), example["differences"](model, x, u), strict=True):
        assert np.abs(exact - approximate).max() < 1e-8
    plans = example["main"](tmp_path, 12)
    assert plans["exact"].costs[-1] < 0.05 * plans["exact"].costs[0]
    assert plans["differences"].costs == pytest.approx(plans["exact"].costs, rel=1e-4)
    plan = example["swing_up"](model)
    assert np.abs(plan.x[-1] - example["GOAL"]).max() < 0.1 < np.pi == plan.x[0, 1]
    assert (tmp_path / "swing_up.png").stat().st_size > 5000


def test_inverse_kinematics() -> None:
    """Feet stay, the hand comes to the ball and back, the centre of mass down by 25 cm and up again."""
    example = runpy.run_path(str(EXAMPLES / "inverse_kinematics.py"))
    figure = kg.compile(kg.human_figure(), progress=False)
    found, half = example["reach"](figure), example["MOMENTS"] // 2
    assert found.reached.all()
    for foot in example["FEET"]:
        pose = figure.frame_pose(found.q, foot)
        assert np.abs(pose - pose[0]).max() < 5e-5
    assert np.abs(figure.frame_pose(found.q[half], "hand_r")[:3, 3] - example["BALL"]).max() < 2e-5
    height = figure.com(found.q)[:, 2]
    assert height[0] - height[half] == pytest.approx(0.25, abs=2e-5) and height[-1] == pytest.approx(
        height[0], abs=2e-5
    )
