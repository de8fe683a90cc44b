"""The examples of contact: what they say of themselves, on short runs."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import kinegen as kg
from kinegen.scenes.scene import read_scene
from kinegen.scenes.simulated import run_scene

FOLDER = Path(__file__).parents[2] / "examples" / "contact"
NUMBER = r"(-?\d+(?:\.\d+)?(?:e[-+]\d+)?)"
SCRIPTS = ("arch", "boxes_on_slope", "leg_by_rows", "pushed_crate", "stepping")


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    for name in (*SCRIPTS, "strandbeest", "sketch", "follow"):
        sys.modules.pop(name, None)


def script(name: str) -> ModuleType:
    return importlib.import_module(name)


def test_every_script_is_tested() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == set(SCRIPTS)


def test_the_page_on_contact() -> None:
    """Its paths are there, its scripts are those of the folder, its defaults are the options'."""
    root = FOLDER.parents[1]
    page = (root / "docs" / "contact.md").read_text(encoding="utf-8")
    for path in (
        *re.findall(r"`(?:python )?((?:examples|benchmarks)/[\w/]+\.\w+)", page),
        *(f"docs/{p}" for p in re.findall(r"\]\((.*?)\)", page)),
    ):
        assert (root / path).is_file(), path
    assert set(re.findall(r"examples/contact/(\w+)\.py", page)) == set(SCRIPTS)
    options = kg.ContactOptions()
    assert (options.tolerance, options.sweeps, options.depth) == (1e-5, 120, 1e-4)
    assert (options.recovery, options.recovery_speed, options.bounce) == (0.2, 0.5, 0.05)


def test_an_arch_stands_as_thin_as_statics_allows_and_no_thinner() -> None:
    """The least thickness of nine stones by linear programming: between 0.10 and 0.11 m."""
    arch = script("arch")
    for outer, stands in ((1.12, True), (1.09, False)):
        allowed, model = arch.bounds(outer), kg.compile(arch.mechanism(outer))
        assert (allowed is not None) == stands
        q = arch.start(model)
        simulator = kg.Simulator(model, q=q)
        simulator.step(2000)
        sunk = model.com(q)[2] - model.com(simulator.q)[2]
        if not stands:
            assert sunk > 0.3
            continue
        assert np.abs(simulator.q - q).max() < 1e-4 and abs(sunk) < 1e-5
        push, line = arch.thrust(simulator.contacts)
        assert allowed[0] - 10.0 < push < allowed[1] + 10.0
        radii = np.linalg.norm(line, axis=1)
        assert arch.INNER - 1e-3 < radii.min() < radii.max() < outer + 1e-3
        weight = 9.81 * arch.STONES * arch.stone(outer)[1]
        assert simulator.contacts.wrench("world")[2] == pytest.approx(-weight, rel=2e-3)


def test_stones_weigh_what_their_corners_say() -> None:
    """Against tetrahedra from the axis of the arch, which lies outside."""
    arch = script("arch")
    shape, mass, center, inertia = arch.stone()
    hull = ConvexHull(shape.vertices)
    total, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for corners, plane in zip(hull.points[hull.simplices], hull.equations, strict=True):
        volume = abs(float(np.linalg.det(corners))) / 6 * np.sign(-plane[3])  # inwards of the axis or beyond it
        total += volume
        first += volume * corners.sum(axis=0) / 4
        summed = corners.sum(axis=0)
        second += volume * (corners.T @ corners + np.outer(summed, summed)) / 20
    assert arch.DENSITY * total == pytest.approx(mass)
    np.testing.assert_allclose(first / total, center, atol=1e-12)
    about = second - np.outer(first, first) / total
    np.testing.assert_allclose(arch.DENSITY * (np.trace(about) * np.eye(3) - about), inertia, atol=1e-9 * mass)


@pytest.mark.sweep
def test_leg_by_rows_kicks_as_by_the_closure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script("leg_by_rows").main(tmp_path, duration=0.5)
    assert (tmp_path / "leg_by_rows.png").stat().st_size > 10_000
    off, apart, held, exact = map(float, re.findall(NUMBER + " (?:um|mm|m)(?:;|,| |$)", capsys.readouterr().out, re.M))
    assert off < 5.0 and apart < 5.0
    assert held > 0.2 and held == pytest.approx(exact, abs=0.005)


@pytest.mark.sweep  # the next one runs the same from a file
def test_boxes_on_slope(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script("boxes_on_slope").main(tmp_path)
    text = capsys.readouterr().out
    assert (tmp_path / "boxes_on_slope.png").stat().st_size > 10_000
    rough, smooth = map(int, re.findall(r"(\d+) (?:rough|smooth)", text))
    assert rough >= 6 and smooth == 0
    speed, force, weight, depth, rest, rise = map(float, re.findall(NUMBER + r" (?:m/s|N|mm|J)\b", text))
    assert speed < 1e-6 and force == pytest.approx(weight, rel=1e-6) and rest < 0.2 and rise < 1e-6
    assert depth < 1.0


def test_boxes_from_a_file_are_those_of_the_script() -> None:
    scene, example = read_scene(FOLDER / "boxes.toml"), script("boxes_on_slope")
    made = example.mechanism()
    model = kg.compile(scene.mechanism())
    assert [link.shapes for link in scene.mechanism().links] == [link.shapes for link in made.links]
    trajectory = run_scene(scene, model)
    np.testing.assert_allclose(trajectory.q[0], example.start(model), atol=1e-5)
    assert trajectory.contacts is not None and len(trajectory.contacts[-2]) > 40


@pytest.mark.sweep  # Talos walks in tests/walking
def test_talos_steps_in_place() -> None:
    stepping = script("stepping")
    made = stepping.mechanism()
    model = kg.compile(made)
    planned = stepping.plan(model, 1)
    trajectory = stepping.simulate(model, planned, model, 5)
    contacts = trajectory.contacts
    assert contacts is not None
    n = len(trajectory) - 1
    for k, foot in enumerate(stepping.FEET):
        force, wanted = contacts.force(foot)[:n, 2], planned.floor[: 5 * n : 5, k, 2]
        np.testing.assert_allclose(force[force > 0.0], wanted[force > 0.0], atol=10.0)  # a touch of the sole's edge
        assert np.abs(force - wanted).mean() < 1.0
    lifted = model.frame_pose(trajectory.q, stepping.FEET[0])[:, 2, 3]
    assert np.ptp(lifted) == pytest.approx(stepping.LIFT, abs=1e-3)
    off = model.com(trajectory.q[:n]) - model.com(planned.q[: 5 * n : 5])
    assert np.abs(off).max() < 1e-3
    assert max(-c.gaps.min() for c in contacts if len(c)) < 2e-4  # type: ignore[attr-defined]


def test_a_push_and_the_friction_are_found_from_two_markers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four rounds of long steps, through slip and stop, from a guess that is off by 2.5 rad/s and 0.3 m/s."""
    crate = script("pushed_crate")
    monkeypatch.setattr(crate, "DT", 0.06)
    monkeypatch.setattr(crate, "STEPS", 9)
    pushes, slides = crate.main(tmp_path, 4)
    assert slides[-1].slipping[0] == 3 and slides[-1].slipping[-1] == 0
    assert np.abs(pushes[-1] - crate.PUSH).max() < 0.01
    assert (tmp_path / "pushed_crate.png").stat().st_size > 5000
