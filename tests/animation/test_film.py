"""Videos: a frame of the file for every frame of the clip, each another picture; what is missing is named."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import animation
from PIL import Image

import kinegen as kg
from kinegen.runtime.animation.clip import Clip
from kinegen.runtime.animation.film import film
from kinegen.visual.look import look_of

EXAMPLE = Path(__file__).parents[2] / "examples/double_pendulum.urdf"


def falling_box(frames: int = 4) -> tuple[Clip, kg.Mechanism]:
    """A red box that falls half a metre a frame towards a plane."""
    link = kg.Link("box", 1.0, shapes=[kg.box((1, 1, 1))])
    seen = [kg.Visual("box", kg.box((1, 1, 1)), (1, 0, 0, 1))]
    hung = [kg.Joint("free", "free", "world", "box")]
    mechanism = kg.Mechanism("m", [link], hung, shapes=[kg.plane()], visuals=seen)
    poses = np.tile(np.eye(4), (frames, 1, 1, 1))
    poses[:, 0, 2, 3] = 2.0 - 0.5 * np.arange(frames)
    nothing = np.zeros((frames, 0), dtype=bool)
    return Clip("m", 0.1 * np.arange(frames), ("box",), poses, None, None, (), nothing, ()), mechanism


def red(picture: Image.Image) -> np.ndarray:
    """(n, 2) rows and columns of the red pixels."""
    values = np.asarray(picture.convert("RGB")).astype(int)
    return np.argwhere((values[..., 0] > 100) & (values[..., 1] < 60) & (values[..., 2] < 60))


def test_a_falling_box(tmp_path: Path) -> None:
    clip, mechanism = falling_box()
    path = film(clip, look_of(mechanism, {}), tmp_path / "box.gif", 10.0)
    heights, sizes = [], []
    with Image.open(path) as picture:
        assert picture.n_frames == 4 and picture.info["duration"] == 100
        for k in range(4):
            picture.seek(k)
            pixels = red(picture)
            heights.append(pixels[:, 0].mean())
            sizes.append(len(pixels))
    assert np.diff(heights) == pytest.approx(np.full(3, np.diff(heights)[0]), abs=1.0) and heights[1] > heights[0] + 10
    assert np.ptp(sizes) < 0.05 * sizes[0] > 100  # equal pictures of equal boxes, none cut off


def test_of_a_trajectory(tmp_path: Path) -> None:
    motion = kg.Simulator(EXAMPLE, q=[1.0, 0.5]).run(0.2)
    assert motion.video(tmp_path / "m.gif", fps=10) == tmp_path / "m.gif"
    with Image.open(tmp_path / "m.gif") as picture:
        assert picture.n_frames == 3


def durations(path: Path) -> list[int]:
    """Of the pictures of a GIF [ms]."""
    found = []
    with Image.open(path) as picture:
        for k in range(picture.n_frames):
            picture.seek(k)
            found.append(picture.info["duration"])
    return found


def sparse_motion() -> kg.Trajectory:
    """Two seconds, recorded every 0.1 s."""
    return kg.Simulator(EXAMPLE, q=[1.0, 0.5]).run(2.0, every=100)


@pytest.mark.parametrize("fps", [0.5, 4.0, 25.0, 30.0, 48.0])
def test_a_gif_is_as_fast_as_the_motion(fps: float, tmp_path: Path) -> None:
    """From its first picture until its last one ends, which lasts 1 / fps; whether states are sparse or fps is low."""
    shown = durations(sparse_motion().video(tmp_path / "m.gif", fps=fps))
    assert sum(shown) == pytest.approx(2000.0 + 1000.0 / fps, abs=5.0)
    assert len(shown) == min(21, round(2.0 * fps) + 1)


def test_other_videos_are_as_fast_as_the_motion(tmp_path: Path) -> None:
    """ffmpeg gets a picture for every moment, and how many of them are a second."""
    program, sizes = tmp_path / "ffmpeg", tmp_path / "sizes"
    program.write_text(f'#!/bin/sh\necho "$@" > {sizes}\nwc -c >> {sizes}\nfor last; do :; done\ntouch "$last"\n')
    program.chmod(0o755)
    with mpl.rc_context({"animation.ffmpeg_path": str(program)}):
        sparse_motion().video(tmp_path / "m.mp4", fps=12.5)
    words = sizes.read_text(encoding="utf-8").split()
    width, height = map(int, words[words.index("-s") + 1].split("x"))
    assert words[words.index("-framerate") + 1] == "12.5"
    assert int(words[-1]) == 26 * 4 * width * height  # red, green, blue and opacity of 2 s at 12.5 a second


def test_a_gif_has_pictures_that_browsers_show_in_time(tmp_path: Path) -> None:
    told = r"m\.gif: a \.gif shows at most 50 pictures a second; give fps=50 or less"
    with pytest.raises(kg.ModelError, match=told):
        sparse_motion().video(tmp_path / "m.gif", fps=60)


@pytest.mark.parametrize(
    ("name", "words"),
    [("m.png", "no video of that kind"), ("m.mp4", "ffmpeg"), ("no/where/m.gif", "m.gif: cannot be written: No such")],
)
def test_bad_input(name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip, mechanism = falling_box(1)
    monkeypatch.setattr(animation.writers, "is_available", lambda name: False)
    with pytest.raises(kg.ModelError, match=words):
        film(clip, look_of(mechanism, {}), tmp_path / name, 10.0)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("cat > /dev/null; echo 'Unknown encoder h264' >&2; exit 1", "Unknown encoder h264"),
        ("exec 0<&-; echo 'Unknown encoder h264' >&2; exit 1", "Unknown encoder h264"),
        ("cat > /dev/null; exit 3", "it ended with code 3"),
    ],
)
def test_an_ffmpeg_that_fails_is_told_with_what_it_said(script: str, words: str, tmp_path: Path) -> None:
    clip, mechanism = falling_box(30)
    program = tmp_path / "ffmpeg"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    told = rf"m\.mp4: ffmpeg cannot write it: {words}; give a suffix that this ffmpeg can write, or write a \.gif"
    with mpl.rc_context({"animation.ffmpeg_path": str(program)}), pytest.raises(kg.ModelError, match=told):
        film(clip, look_of(mechanism, {}), tmp_path / "m.mp4", 10.0)
    assert not list(tmp_path.glob("*.mp4"))
