"""The examples of closed mechanisms: what they say of themselves, on short runs."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import kinegen as kg

FOLDER = Path(__file__).parents[2] / "examples" / "closed"
NUMBER = r"(-?\d+(?:\.\d+)?(?:e[-+]\d+)?)"
SCRIPTS = ("four_bars", "slider_crank", "five_bar", "stewart", "delta", "strandbeest", "cassie", "figure_on_bar")


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    for name in (*SCRIPTS, "sketch", "follow"):
        sys.modules.pop(name, None)


def script(name: str) -> ModuleType:
    return importlib.import_module(name)


def said(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    script(name).main(folder)
    assert (folder / f"{name}.png").stat().st_size > 10_000
    return capsys.readouterr().out


def test_every_script_is_tested() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == {*SCRIPTS, "sketch", "follow"}


def test_the_page_on_closed_loops(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    root = FOLDER.parents[1]
    page = (root / "docs" / "closed_loops.md").read_text(encoding="utf-8")
    for path in (
        *re.findall(r"`(examples/[\w/]+\.\w+)`", page),
        *(f"docs/{p}" for p in re.findall(r"\]\((.*?)\)", page)),
    ):
        assert (root / path).is_file(), path
    assert set(re.findall(r"examples/closed/(\w+)\.py", page)) == set(SCRIPTS)
    monkeypatch.chdir(root)
    for block in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(compile(block, "closed_loops.md", "exec"), {})
    first, branches = capsys.readouterr().out.split("\n[2.0", 1)
    assert len(re.findall(r"-?\d+\.\d+", first)) == 4  # H of three joints that follow, one torque
    assert branches == ", -1.52, 1.75]\n[2.0, -3.05, -2.33]\n"


def test_four_bars(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said("four_bars", tmp_path, capsys)
    alone, first, second, limit, held, rest = map(float, re.findall(NUMBER + r"(?: N m|, theta3)", text)[:6])
    assert max(first, second) < alone and held == limit < first and rest > second


def test_slider_crank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (off,) = re.findall(NUMBER + " um", said("slider_crank", tmp_path, capsys))
    assert float(off) < 5.0


def test_five_bar(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (off,) = re.findall(f"within {NUMBER} m", said("five_bar", tmp_path, capsys))
    assert float(off) < 1e-12


def test_five_bar_pen_moves_as_it_was_told() -> None:
    five_bar = script("five_bar")
    model = kg.compile(five_bar.mechanism()).with_independent(["left_motor", "right_motor"])
    states = five_bar.motion(model, samples=2001)
    x = model.frame_pose(states.q, "pen")[:, :2, 3]
    turned = np.einsum("kij,kj->ki", five_bar.pen(model, states.q), states.v)
    np.testing.assert_allclose(np.gradient(x, states.t, axis=0, edge_order=2), turned, atol=2e-5)
    rate = np.gradient(states.v, states.t, axis=0, edge_order=2)
    np.testing.assert_allclose(rate, states.a, atol=2e-4 * np.abs(states.a).max())


def test_stewart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said("stewart", tmp_path, capsys)
    (off,) = re.findall(NUMBER + " mm", text)
    assert float(off) < 0.1 and "degrees of freedom 6, loops 6" in text


def test_stewart_path_is_consistent() -> None:
    stewart = script("stewart")
    model = kg.compile(stewart.mechanism()).with_independent(["float"])
    states = stewart.motion(model, duration=2.0, steps=2000)
    dt, forth = states.t[1], model.difference(states.q[:-2], states.q[2:])
    middle = np.abs(forth / (2 * dt) - states.v[1:-1])
    # a body-frame velocity against a difference over two steps: the axes turn in between
    assert middle.max() < 1e-3 * np.abs(states.v).max()
    rate = np.gradient(states.v, states.t, axis=0, edge_order=2)
    np.testing.assert_allclose(rate, states.a, atol=1e-4 * np.abs(states.a).max())


def test_delta(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said("delta", tmp_path, capsys)
    assert "degrees of freedom 3, loops 6" in text
    (turned,) = re.findall(f"no more than {NUMBER} rad", text)
    assert float(turned) < 1e-10


def test_strandbeest_walks_as_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Stride and lift of the foot with these lengths, in units of a centimetre: about 68 and 22."""
    text = said("strandbeest", tmp_path, capsys)
    length, height = map(float, re.findall(NUMBER + " m (?:long|high)", text))
    assert length == pytest.approx(0.68, abs=0.01) and height == pytest.approx(0.22, abs=0.01)
    assert "degrees of freedom 1, loops 3" in text


@pytest.mark.sweep
def test_cassie() -> None:
    cassie = script("cassie")
    model = kg.compile(cassie.mechanism())
    q = cassie.start(model)
    assert (len(model.manifest.loops), model.nf, len(model.actuators)) == (4, 14, 10)
    assert model.partition(q).condition < 20.0
    trajectory = kg.Simulator(model, q=q).run(0.3, every=10)
    assert trajectory.closure_gap.max() < 1e-10 and np.isfinite(trajectory.v).all()


@pytest.mark.sweep  # the scene high_bar has the same figure
def test_figure_on_bar() -> None:
    example = script("figure_on_bar")
    model = kg.compile(example.mechanism())
    q = example.start(model, 0.7)
    assert (model.nv, model.nf, len(model.manifest.loops)) == (46, 36, 2)
    steps, dt = 400, 2e-3
    tau = example.kicks(model, steps, dt)
    trajectory = kg.Simulator(model, dt=dt, q=q, tau=tau).run(steps * dt, every=20)
    assert trajectory.closure_gap.max() < 1e-10
    left, right = (model.loop_joint(f"grip_{side}", trajectory.q)[0] for side in "lr")
    np.testing.assert_allclose(left, right, atol=1e-10)
    assert trajectory.q[-1, 0] > trajectory.q[0, 0] + 0.3
