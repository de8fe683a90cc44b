"""The example scripts run and come to what they promise."""

from __future__ import annotations

import ast
import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from support.mechanisms.robots import FOLDER

EXAMPLES = Path(__file__).parents[2] / "examples"


def said_by(script: str, capsys: pytest.CaptureFixture[str]) -> str:
    runpy.run_path(str(EXAMPLES / script))["main"]()
    return capsys.readouterr().out


SCRIPTS = [path for path in sorted(EXAMPLES.rglob("*.py")) if "__main__" in path.read_text(encoding="utf-8")]


@pytest.fixture
def as_command(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., int]]:
    """Runs a script as Python does with these arguments, gives its exit code."""
    before = set(sys.modules)

    def run(path: Path, *arguments: str) -> int:
        monkeypatch.setattr(sys, "path", [str(path.parent), *sys.path])
        monkeypatch.setattr(sys, "argv", [str(path), *arguments])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(path), run_name="__main__")
        return int(ended.value.code or 0)

    yield run
    for name in {path.stem for path in EXAMPLES.rglob("*.py")} & (set(sys.modules) - before):
        del sys.modules[name]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_are_commands(path: Path, as_command: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    """--help tells what the file does; what cannot be is refused before anything is computed."""
    about, usage = str(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))).split("\n\n")[:2]
    assert as_command(path, "--help") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert " ".join(about.split()) in said and f"Usage: {path.name}" in said
    assert f"python {path.relative_to(EXAMPLES.parent)}" in usage and ("FOLDER" in usage) == ("it is made" in said)
    assert as_command(path, "--hlep") == 2
    assert "No such option" in capsys.readouterr().err
    if "FOLDER" in usage:
        assert as_command(path, "/dev/null/x") == 2
        assert re.fullmatch(r"error: /dev/null/x: this folder cannot be made: [^\n]+\n", capsys.readouterr().err)


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


def test_bicycle(tmp_path: Path) -> None:
    """It weaves at 4 m/s, rides by itself at 5 m/s, and falls slowly at 6.5 m/s; pushed, it rights itself."""
    example = runpy.run_path(str(EXAMPLES / "bicycle.py"))
    model = kg.compile(example["mechanism"]()).with_independent(example["LEADERS"])
    slow, steady, fast = (example["poles"](model, speed) for speed in (4.0, 5.0, 6.5))
    assert slow[1].real > 0.1 and abs(slow[1].imag) > 1 and steady.real.max() < -0.1
    assert fast[3].imag == 0 < fast[3].real and fast[:3].real.max() < 0
    ride = example["coast"](model, 4.6, 0.2, 8.0)
    steer = np.abs(ride.q[:, model.q_slice("steer")])
    assert steer[-50:].max() < 0.1 * steer.max()
    example["draw"](model, tmp_path)
    assert (tmp_path / "bicycle.png").stat().st_size > 5000


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


def test_held_figure(tmp_path: Path) -> None:
    """Arms go round twice, the body leans back by a ninth of a turn and hardly spins; the rest stays as it is held."""
    example = runpy.run_path(str(EXAMPLES / "held_figure.py"))
    model, run = example["main"](tmp_path)
    assert -0.9 < example["pitch"](model, run)[-1] < -0.5
    assert np.abs(example["spin"](model, run)).max() < 0.15  # of what arms of 3.5 kg carry at 17 rad/s
    off = np.abs(model.difference(run.q[-1], model.neutral()))[6:]
    assert off.max() < 0.05
    speed = run.joint("shoulder_l")[1]
    assert np.abs(speed[:, 1]).max() == pytest.approx(2.0 * 2.0 * np.pi * 2.0 / 1.5, rel=0.05)
    assert (tmp_path / "held_figure.png").stat().st_size > 5000


def test_optimal_reach(tmp_path: Path) -> None:
    """Panda from rest to rest: torques are those of the motion, limits hold, each plan is best in what it is for."""
    example = runpy.run_path(str(EXAMPLES / "optimal_reach.py"))
    panda = kg.load(FOLDER / "panda_description/urdf/panda.urdf", mimic="independent")
    start = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8, 0.02, 0.02])
    goal = np.array([1.0, 0.5, 0.3, -1.2, 0.4, 2.0, 0.2, 0.02, 0.02])
    plans = example["planned"](panda, start, goal, tmp_path, 15)
    model = kg.compile(panda, contacts=False)
    limit, speed = example["bounds"](model, "effort"), example["bounds"](model, "velocity")
    for name in ("least effort", "least time"):
        plan = plans[name]
        h = plan.t[1]
        middle = plan.q[:-1] + h / 2 * plan.v[:-1] + h * h / 8 * plan.a
        assert np.abs(model.inverse_dynamics(middle, plan.v[:-1] + h / 2 * plan.a, plan.a) - plan.tau).max() < 1e-8
        assert (np.abs(plan.tau[:, :7]) <= limit[:7] * (1 + 1e-6)).all()
        assert (np.abs(plan.v) <= speed * (1 + 1e-6)).all()
        assert np.abs(plan.q[-1] - goal).max() < 1e-6 and np.abs(plan.v[-1]).max() < 1e-6
    assert plans["least effort"].t[-1] == plans["least jerk"].t[-1] > plans["least time"].t[-1]
    weighed = {name: np.sum((plan.tau[:, :7] / limit[:7]) ** 2) for name, plan in plans.items()}
    assert weighed["least effort"] < 0.95 * weighed["least jerk"]
    busy = np.maximum(
        (np.abs(plans["least time"].tau) / limit)[:, :7].max(axis=1),
        (np.abs(plans["least time"].v[1:]) / speed)[:, :7].max(axis=1),
    )
    assert np.mean(busy > 0.99) > 0.7  # in the least time some motor is always at a limit of torque or speed
    assert (tmp_path / "optimal_reach.png").stat().st_size > 5000
