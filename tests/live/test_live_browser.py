"""Live pages in a real browser (`pytest -m browser`, needs Chromium): no request, no complaint, the motion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from support.browser import Browser, browser
from support.live_scenes import PENDULUM, bars, boxes, caught, jansens_leg, pendulum, swing, talos

pytestmark = pytest.mark.browser


def opened(chromium: Browser, path: Path) -> None:
    page = chromium.open(path.as_uri(), 900, 600)
    assert [url for url in page.requests if not url.startswith("data:")] == [path.as_uri()]
    assert [error for error in page.errors if "GL Driver Message" not in error] == []
    assert chromium.value("document.getElementById('failure').hidden")


@pytest.mark.parametrize("make", [pendulum, bars, jansens_leg, caught, swing, talos])
def test_a_second_in_the_page_is_that_of_the_simulator(make: Callable[[], kg.Simulator], tmp_path: Path) -> None:
    simulator = make()
    path = kg.play(simulator, tmp_path / "page.html")
    assert path.stat().st_size < 3_000_000
    with browser(tmp_path / "profile") as chromium:
        opened(chromium, path)
        first = chromium.value("kinegen.motion.t")
        assert chromium.value("new Promise(done => setTimeout(() => done(kinegen.motion.t), 300))") > first
        chromium.value("kinegen.pause(); kinegen.reset()")
        assert chromium.value("kinegen.motion.t") == 0.0
        simulator.step(1000)
        assert chromium.value("kinegen.steps(1000)")
        np.testing.assert_allclose(chromium.value("[...kinegen.motion.q]"), simulator.q, rtol=0, atol=1e-9)
        np.testing.assert_allclose(chromium.value("[...kinegen.motion.v]"), simulator.v, rtol=0, atol=1e-9)
        assert [error for error in chromium.page.errors if "GL Driver Message" not in error] == []


def mouse(chromium: Browser, kind: str, x: float, y: float) -> None:
    chromium._ask(
        "Input.dispatchMouseEvent",
        type=f"mouse{kind}",
        x=x,
        y=y,
        button="left",
        buttons=int(kind != "Released"),
        clickCount=1,
    )


def test_the_mouse_pulls_a_link(tmp_path: Path) -> None:
    """A ball that hangs in a balance of nothing follows the cursor, and is let go again."""
    ball = kg.Link("ball", 1.0, inertia=kg.inertia.sphere(1.0, 0.2), shapes=[kg.sphere(0.2)])
    mechanism = kg.Mechanism("space", [ball], [kg.Joint("free", "free", "world", "ball")], gravity=(0, 0, 0))
    with browser(tmp_path / "profile") as chromium:
        opened(chromium, kg.play(mechanism, tmp_path / "page.html"))
        chromium.value("kinegen.pause(); kinegen.reset()")
        mouse(chromium, "Pressed", 450, 300)
        assert chromium.value("kinegen.pull.held.link") == 0
        x = np.array(chromium.value("kinegen.pull.held.local"))
        least = 1.0 + (x @ x - x**2).max() / (0.4 * 0.2**2)  # 1/m + r²/I, r the distance of the force
        assert chromium.value("kinegen.pull.held.mass") == pytest.approx(1.0 / least, rel=1e-3)
        mouse(chromium, "Moved", 520, 300)
        assert chromium.value("kinegen.steps(1500)")
        goal = np.array(chromium.value("kinegen.pull.held.goal"))
        point = chromium.value("kinegen.pull.point()")
        np.testing.assert_allclose(point, goal, atol=5e-3)
        assert np.linalg.norm(chromium.value("[...kinegen.motion.q].slice(0, 3)")) > 0.01
        mouse(chromium, "Released", 520, 300)
        assert chromium.value("kinegen.pull.held") is None
        assert chromium.value("kinegen.motion.wrenches") == 0
        mouse(chromium, "Pressed", 880, 500)  # beside the ball: the view turns
        assert chromium.value("kinegen.pull.held") is None
        before = chromium.value("kinegen.camera.turn")
        mouse(chromium, "Moved", 840, 500)
        assert chromium.value("kinegen.camera.turn") != before


@pytest.mark.parametrize(
    ("what", "below"),
    [(bars, -1), (jansens_leg, 1), pytest.param(swing, -1, marks=pytest.mark.sweep), (talos, 1)],
    ids=["four-bar", "jansen", "swing", "talos"],
)
def test_what_is_pulled_comes(what: Callable[[], kg.Simulator], below: int, tmp_path: Path) -> None:
    """What is met first from above (1) or below (-1) is nearer to the cursor than if it were let go."""
    path = kg.play(what(), tmp_path / "page.html")
    assert path.stat().st_size < 3_000_000
    met = """(() => { for (let y = 0.8; y > -0.8; y -= 0.02) for (let x = -0.5; x < 0.5; x += 0.02)
      if (kinegen.pull.nearest(...kinegen.pull.ray(x, SIGN * y))) return [x, SIGN * y]; })()""".replace(
        "SIGN", str(below)
    )
    off = "[...kinegen.pull.point(), ...kinegen.pull.held.goal]"
    with browser(tmp_path / "profile") as chromium:
        opened(chromium, path)
        chromium.value("kinegen.pause(); kinegen.reset()")
        x, y = chromium.value(met)
        assert chromium.value(f"kinegen.pull.take({x}, {y})")
        chromium.value(f"kinegen.pull.move({x + 0.2}, {y})")
        assert chromium.value("kinegen.steps(150)")
        pulled = np.array(chromium.value(off))
        chromium.value("window.held = kinegen.pull.held; kinegen.reset()")
        chromium.value("kinegen.steps(150); kinegen.pull.held = window.held")
        free = np.array(chromium.value(off))
    np.testing.assert_array_equal(pulled[3:], free[3:])
    assert np.linalg.norm(pulled[:3] - pulled[3:]) < np.linalg.norm(free[:3] - free[3:]) - 1e-3


def test_torque_of_a_joint_that_closes_a_loop(tmp_path: Path) -> None:
    simulator = bars()
    (cut,) = simulator.model.manifest.loops
    slide = """(() => { const rows = [...document.querySelectorAll('#joints .row')];
      const i = rows.find(row => row.textContent.startsWith('NAME')).querySelector('input[type=range]');
      i.value = 0.3 * i.max; i.dispatchEvent(new Event('input')); })()"""
    with browser(tmp_path / "profile") as chromium:
        opened(chromium, kg.play(simulator, tmp_path / "page.html"))
        chromium.value("kinegen.pause(); kinegen.reset()")
        chromium.value(slide.replace("NAME", cut.name))
        torque = chromium.value(f"kinegen.motion.tau[{simulator.model.nv}]")
        assert torque > 0.0
        chromium.value("kinegen.steps(300)")
        simulator.tau = {cut.name: torque}
        simulator.step(300)
        np.testing.assert_allclose(chromium.value("[...kinegen.motion.q]"), simulator.q, rtol=0, atol=1e-9)


def test_sliders_servos_and_parameters(tmp_path: Path) -> None:
    arm = kg.parametrise(kg.load(PENDULUM), "gravity")
    simulator = kg.Simulator(arm, q=[0.4, 0.1])
    slide = """(() => {{ const i = document.querySelectorAll('#{} input[type=range]')[{}];
      i.value = {}; i.dispatchEvent(new Event('input')); }})()"""
    with browser(tmp_path / "profile") as chromium:
        opened(chromium, kg.play(simulator, tmp_path / "page.html"))
        chromium.value("kinegen.pause(); kinegen.reset()")
        chromium.value(slide.format("joints", 1, 2.0))
        chromium.value(slide.format("parameters", 2, -3.0))
        torque, gravity = chromium.value("kinegen.motion.tau[1]"), chromium.value("kinegen.motion.p[2]")
        assert (torque, gravity) == (pytest.approx(2.0, abs=0.1), pytest.approx(-3.0, abs=0.1))
        chromium.value("kinegen.steps(500)")
        model = kg.compile(arm).with_parameters({"gravity_z": gravity})
        twin = kg.Simulator(model, q=[0.4, 0.1], tau=[0.0, torque])
        twin.step(500)
        np.testing.assert_allclose(chromium.value("[...kinegen.motion.q]"), twin.q, rtol=0, atol=1e-9)
        chromium.value("kinegen.reset()")
        assert chromium.value("[kinegen.motion.tau[1], kinegen.motion.p[2]]") == [0.0, -9.81]
        for held in (0, 1):
            chromium.value(f"document.querySelectorAll('#joints input[type=checkbox]')[{held}].click()")
        chromium.value("kinegen.steps(3000)")
        np.testing.assert_allclose(chromium.value("[...kinegen.motion.q]"), [0.4, 0.1], atol=0.1)
        assert np.abs(chromium.value("[...kinegen.motion.v]")).max() < 1e-3


def test_buttons_connect_and_cut(tmp_path: Path) -> None:
    names = "[...document.querySelectorAll('#connections button.active')].map(e => e.textContent)"
    click = "[...document.querySelectorAll('#connections button')].find(e => e.textContent === '{}').click()"
    with browser(tmp_path / "profile") as chromium:
        opened(chromium, kg.play(caught(), tmp_path / "page.html"))
        chromium.value("kinegen.pause(); kinegen.reset()")
        assert chromium.value(names) == ["pivot"]
        chromium.value(click.format("rope"))
        assert chromium.value(names) == ["pivot", "rope"]
        before = np.array(chromium.value("[...kinegen.motion.q].slice(0, 3)"))
        chromium.value("kinegen.steps(50)")
        np.testing.assert_allclose(chromium.value("[...kinegen.motion.q].slice(0, 3)"), before, atol=1e-6)
        chromium.value(click.format("pivot"))
        assert chromium.value(names) == ["rope"]
        chromium.value(click.format("hook"))
        assert "cannot be connected" in chromium.value("document.getElementById('event').textContent")


COUNT = """new Promise(done => { const seconds = []; let n = 0, start = performance.now(), t = kinegen.motion.t;
  const step = () => { n++; const now = performance.now();
    if (now - start >= 1000) {
      const took = (now - start) / 1000;
      seconds.push([n / took, (kinegen.motion.t - t) / took]); n = 0; start = now; t = kinegen.motion.t; }
    seconds.length < 6 ? requestAnimationFrame(step) : done(seconds); };
  requestAnimationFrame(step); })"""
"""Of six seconds: frames a second, and seconds of motion a second."""


@pytest.mark.parametrize(
    "what",
    [bars, jansens_leg, swing, talos, boxes],
    ids=["four-bar", "jansen", "swing", "talos", "boxes"],
)
def test_frames_a_second_and_a_picture(
    what: Callable[[], kg.Simulator], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """With steps of a millisecond, drawn in software; printed (-s), since other work of the machine takes of it."""
    path = kg.play(what(), tmp_path / "page.html")
    with browser(tmp_path / "profile") as chromium:
        opened(chromium, path)
        assert chromium.value("kinegen.motion.dt") == 1e-3
        rate, speed = np.array(chromium.value(COUNT)).T
        told = (
            f"best second {rate.max():.0f} frames, the middle one {np.median(rate):.0f}; {speed.max():.2f} of real time"
        )
        print(f"{request.node.callspec.id}: {told}; {path.stat().st_size / 1e6:.2f} MB")
        assert rate.max() > 5 and speed.max() > 0.2  # a machine with other work to do
        chromium.picture(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 10_000
