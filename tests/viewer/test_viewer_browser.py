"""The viewer in a real browser (`pytest -m browser`, needs Chromium): no request to others, motion, what is steered."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.viewer.viewer import Viewer
from support.browser import Browser, browser
from support.mechanisms.robots import FOLDER

pytestmark = pytest.mark.browser
EXAMPLES = Path(__file__).parents[2] / "examples"
COUNT = """new Promise(done => { let n = 0, hit = false, start = performance.now(); const seconds = [];
  const P = WebGL2RenderingContext.prototype, draw = P.drawElements;
  P.drawElements = function (...a) { hit = true; return draw.apply(this, a); };
  const step = () => { n += hit; hit = false; const now = performance.now();
    if (now - start >= 1000) { seconds.push(1000 * n / (now - start)); n = 0; start = now; }
    if (seconds.length < 6) requestAnimationFrame(step); else { P.drawElements = draw; done(seconds); } };
  requestAnimationFrame(step); })"""
"""Frames of each of six seconds in which anything was drawn: the page draws when something has changed."""
CHEAP = """new Promise(done => { const P = WebGL2RenderingContext.prototype, use = P.useProgram, seen = [], four = [];
  P.useProgram = function (program) { use.call(this, program); if (!program) return;
    four.push(this.getContextAttributes().antialias);
    seen.push(...this.getAttachedShaders(program).map(shader => this.getShaderSource(shader))); };
  setTimeout(() => { P.useProgram = use;
    done([four.some(x => x), seen.filter(x => x.includes('vec3 facing')).length,
      seen.filter(x => x.includes('material.roughness +=')).length, seen.filter(x => x.includes('depthMap')).length,
      seen.filter(x => x.includes('texture(colorMap')).length]); }, 2000); })"""
"""Whether pixels have four samples; how many shaders of those in use are matt, physical, behind the scene, and dear."""
HAS = "document.body.innerText.includes({!r})"
PRESS = "[...document.querySelectorAll('button')].find(e => e.innerText.trim() === {!r}).click()"
TYPE = """(() => {{ const row = [...document.querySelectorAll('input')].filter(e => e.inputMode === 'decimal')[{}];
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  row.focus(); set.call(row, '{}'); row.dispatchEvent(new Event('input', {{ bubbles: true }})); row.blur(); }})()"""
"""Into the number beside a slider."""


def opened(chromium: Browser, viewer: Viewer, text: str) -> None:
    """Its page is there with a text, without a request to anybody else and without a complaint."""
    page = chromium.open(viewer.url, 1100, 750)
    assert eventually(lambda: chromium.value(HAS.format(text)))
    asked = [url for url in page.requests if not url.startswith(("data:", "blob:"))]
    assert {url.removesuffix("/") for url in asked} == {viewer.url}
    spoken = (
        "console: log",
        "console: warning",
    )  # viser tells how fast it is, three.js what it no longer likes
    assert [error for error in page.errors if "GL Driver Message" not in error and error not in spoken] == []


def eventually(holds: Callable[[], bool], seconds: float = 40.0) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.1)
    return holds()


def mouse(chromium: Browser, kind: str, x: float, y: float) -> None:
    button = {"button": "left", "buttons": int(kind != "Released"), "clickCount": 1}
    chromium._ask("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, **button)


def show_of(viewer: Viewer) -> Any:
    return viewer._show


def test_a_slider_of_a_four_bar_and_what_it_cannot_reach(tmp_path: Path) -> None:
    with kg.view(EXAMPLES / "fourbar.toml", browser=False) as viewer, browser(tmp_path / "profile") as chromium:
        opened(chromium, viewer, "drive")
        show = show_of(viewer)
        chromium.value(TYPE.format(0, 1.25))
        assert eventually(lambda: abs(show.posing.q[0] - 1.25) < 1e-9)
        assert np.abs(show.posing.model.closure_residual(show.posing.q)).max() < 1e-10
        chromium.value(PRESS.format("reset"))
        assert eventually(lambda: np.array_equal(show.posing.q, show.posing.model.q0))
        chromium.picture(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 10_000


def test_the_swing_runs_and_its_hands_let_go(tmp_path: Path) -> None:
    scene = EXAMPLES / "structure" / "swing.toml"
    with kg.view(scene, browser=False) as viewer, browser(tmp_path / "profile") as chromium:
        opened(chromium, viewer, "connections")
        show = show_of(viewer)
        before = show.simulator.t
        assert eventually(lambda: show.simulator.t > before + 0.05)
        chromium.value(PRESS.format("pause"))
        assert eventually(lambda: not show.playing)
        name = sorted(show.simulator.active)[0]
        chromium.value(PRESS.format(f"cut {name}"))
        assert eventually(lambda: name not in show.simulator.active)
        assert eventually(lambda: chromium.value(HAS.format(f"connect {name}")))
        chromium.value(PRESS.format("reset"))
        assert eventually(lambda: name in show.simulator.active and show.simulator.t == 0.0)


def test_the_mouse_pulls_a_ball(tmp_path: Path) -> None:
    """It hangs in nothing in the middle of the picture, and follows to the right."""
    ball = kg.Link("ball", 1.0, inertia=kg.inertia.sphere(1.0, 0.2), shapes=[kg.sphere(0.2)])
    space = kg.Mechanism("space", [ball], [kg.Joint("free", "free", "world", "ball")], gravity=(0, 0, 0))
    simulator = kg.Simulator(space)
    with kg.view(simulator, browser=False) as viewer, browser(tmp_path / "profile") as chromium:
        opened(chromium, viewer, "pull of the mouse")
        show = show_of(viewer)
        time.sleep(2.0)
        mouse(chromium, "Moved", 550, 375)
        mouse(chromium, "Pressed", 550, 375)
        for x in range(560, 660, 10):
            mouse(chromium, "Moved", x, 375)
            time.sleep(0.05)
        assert eventually(lambda: show.pull is not None)
        goal = show.pull.goal
        assert np.linalg.norm(goal) > 0.05
        assert eventually(lambda: np.linalg.norm(show.pull.point(simulator.model, simulator.q) - show.pull.goal) < 0.01)
        chromium.picture(tmp_path / "pull.png")
        mouse(chromium, "Released", 650, 375)
        assert eventually(lambda: show.pull is None)
    assert simulator.wrenches is None and np.linalg.norm(simulator.q[:3]) > 0.02


def test_names_are_text_in_the_page(tmp_path: Path) -> None:
    evil = "<img src=x onerror=window.cracked=1> **b** {window.cracked=1}"
    links = [kg.Link(evil, 1.0, inertia=kg.inertia.sphere(1.0, 0.1))]
    connection = kg.Connection(evil + "c", evil, "world", kg.spherical())
    library = kg.TopologyLibrary(kg.Mechanism(evil, links, [kg.Joint(evil, "free", "world", evil)]), [connection])
    with kg.view(library, browser=False) as viewer, browser(tmp_path / "profile") as chromium:
        opened(chromium, viewer, evil)
        show_of(viewer).message.say(evil + " said")
        assert eventually(lambda: chromium.value(HAS.format(evil + " said")))
        assert chromium.value("window.cracked") is None


def test_talos_plays_and_is_scrubbed(tmp_path: Path) -> None:
    """Frames a second are printed (-s): they depend on the machine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        talos = kg.load(FOLDER / "talos_data/robots/talos_reduced.urdf", root="free")
        motion = kg.tour(kg.compile(talos, contacts=False))
    with kg.view(motion, browser=False) as viewer, browser(tmp_path / "profile") as chromium:
        opened(chromium, viewer, "time [s]")
        show = show_of(viewer)
        assert eventually(lambda: show.t > 0.2)
        rate = chromium.value(COUNT)
        print(f"talos: best second {max(rate):.1f} frames, the middle one {np.median(rate):.1f}")
        assert max(rate) > 0.0
        four, matt, physical, behind, dear = chromium.value(CHEAP)
        assert not four and matt > 0 and physical == 0 and behind > 0 and dear == 0
        chromium.value(PRESS.format("pause"))
        assert eventually(lambda: not show.playing)
        time.sleep(2.0)
        chromium.value(TYPE.format(0, 5))
        assert eventually(lambda: abs(show.t - 5.0) < 1e-9 and not show.playing)
        assert eventually(lambda: chromium.value(HAS.format("move leg_")))
        chromium.picture(tmp_path / "talos.png")
    assert (tmp_path / "talos.png").stat().st_size > 20_000
