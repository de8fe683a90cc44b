"""Animations in a real browser (`pytest -m browser`, needs Chromium): no request, no complaint; they play and scrub."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from support.browser import Browser, browser
from support.contact.dropped import simulator as dropped
from support.mechanisms.robots import FOLDER

pytestmark = pytest.mark.browser

POSES = "JSON.stringify([...Array(kinegen.clip.links).keys()].map(l => kinegen.clip.pose(l, {}, 0)))"
DRAWN = """(() => { const gl = kinegen.scene.painter.gl, w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
  kinegen.draw(); const p = new Uint8Array(4 * w * h); gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, p);
  let n = 0; for (let i = 3; i < p.length; i += 4) n += p[i] > 0; return n / (w * h); })()"""

TRIANGLES = """(() => { const p = kinegen.scene.painter, show = p.show; let n = 0;
  p.show = function (x) { n += x.count / 3; show.call(this, x); }; kinegen.draw(); p.show = show; return n; })()"""
COUNT = """new Promise(done => { const at = [performance.now()];
  const step = () => { at.push(performance.now());
    if (at.at(-1) - at[0] < 4000) requestAnimationFrame(step);
    else done(Math.max(...at.map(t => at.filter(u => u >= t && u < t + 1000).length))); };
  requestAnimationFrame(step); })"""
"""Frames of the best second out of four."""


def terrain() -> kg.Trajectory:
    x = np.linspace(-1.0, 1.0, 9)
    hills = kg.height_field(0.1 * np.sin(3 * x)[:, None] * np.cos(2 * x), (2.0, 2.0))
    link = kg.Link("<b>box</b>", 1.0, inertia=kg.inertia.box(1.0, (0.2, 0.2, 0.2)), shapes=[kg.box((0.2, 0.2, 0.2))])
    joint = kg.Joint("free", "free", "world", link.name)
    world = kg.Mechanism("<i>terrain</i>", [link], [joint], shapes=[hills])
    return kg.Simulator(world, dt=5e-3, q=[0, 0, 0.5, 0, 0, 0, 1]).run(0.6)


def switching() -> kg.Trajectory:
    simulator = dropped()
    simulator.at(0.05, "connect", "weld")
    return simulator.run(0.2)


def opened(chromium: Browser, path: Path) -> None:
    """Loaded without a request or a complaint but those of a browser that draws in software."""
    page = chromium.open(path.as_uri(), 900, 600)
    assert [url for url in page.requests if not url.startswith("data:")] == [path.as_uri()]
    assert [error for error in page.errors if "GL Driver Message" not in error] == []
    assert chromium.value("document.getElementById('failure').hidden")


@pytest.mark.parametrize("make", [terrain, switching])
def test_plays_and_scrubs(make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    motion = make()
    path = motion.html(tmp_path / "motion.html", fps=50.0)
    with browser(tmp_path / "profile") as chromium:
        opened(chromium, path)
        assert chromium.value("document.getElementById('name').textContent") == motion.name
        assert chromium.value("kinegen.playing")
        times = [chromium.value("new Promise(done => setTimeout(() => done(kinegen.time), 60))") for _ in range(3)]
        assert len(set(times)) > 1
        count = chromium.value("kinegen.clip.t.length")
        for frame in (0, count // 2, count - 1):
            chromium.value(f"kinegen.show({frame})")
            assert not chromium.value("kinegen.playing")
            state = int(np.argmin(np.abs(motion.t - chromium.value("kinegen.time"))))
            found = np.array(json.loads(chromium.value(POSES.format(frame)))).reshape(-1, 4, 4).transpose(0, 2, 1)
            assert found == pytest.approx(motion.model.link_poses(motion.q[state]), abs=1e-4)
            assert 0.005 < chromium.value(DRAWN) < 0.95
        slide = (
            "const s = document.getElementById('time'); s.value = {}; s.dispatchEvent(new Event('input')); kinegen.time"
        )
        middle = float(motion.t[0] + motion.t[-1]) / 2
        assert chromium.value("{" + slide.format(middle) + "}") == pytest.approx(middle)
        for option in ("com", "frames", "follow"):
            chromium.value(f"document.getElementById('{option}').click()")
        for look in ("shape", "stick", "drawn"):
            chromium.value(f"document.getElementById('look').value = '{look}'")
            assert chromium.value(DRAWN) > 0.002
        chromium.picture(tmp_path / "motion.png")
        assert [error for error in chromium.page.errors if "GL Driver Message" not in error] == []
    assert (tmp_path / "motion.png").stat().st_size > 10_000


def test_what_is_connected_is_said(tmp_path: Path) -> None:
    path = switching().html(tmp_path / "motion.html", fps=100.0)
    said = "[...document.querySelectorAll('#connections li.active')].map(e => e.textContent).join()"
    with browser(tmp_path / "profile") as chromium:
        opened(chromium, path)
        found = [chromium.value(f"kinegen.show({frame}); kinegen.draw(); {said}") for frame in (1, 15)]
        assert "weld" not in found[0] and "weld" in found[1]
        assert chromium.value("document.querySelectorAll('#ticks i').length") == 1


def test_talos_has_fewer_triangles_while_he_moves(tmp_path: Path) -> None:
    """Where there is no graphics card; frames a second are printed (-s): they depend on what else the machine does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        talos = kg.load(FOLDER / "talos_data/robots/talos_reduced.urdf", root="free")
        path = kg.tour(kg.compile(talos, contacts=False)).html(tmp_path / "talos.html")
    assert path.stat().st_size < 3_000_000
    with browser(tmp_path / "profile") as chromium:
        opened(chromium, path)
        assert chromium.value("kinegen.scene.painter.slow")
        rate = chromium.value(COUNT)
        size = chromium.value("[kinegen.canvas.width, kinegen.canvas.height]")
        print(f"talos: {rate} frames a second of {size[0]} x {size[1]} pixels")
        assert rate > 5  # a machine with other work to do
        assert 1000 < chromium.value(TRIANGLES) < 7000
        chromium.value("kinegen.pause()")
        chromium.value("new Promise(done => setTimeout(() => done(1), 1500))")
        assert chromium.value(TRIANGLES) > 50_000
        assert chromium.value("[kinegen.canvas.width, kinegen.canvas.height]") == [900, 600]
        chromium.picture(tmp_path / "talos.png")
    assert (tmp_path / "talos.png").stat().st_size > 20_000
