"""A motion as a video or a GIF: triangles from far to near, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import numpy as np

from ..arguments import Array
from ..errors import ModelError
from ..files import written
from ..plotting.figures import new_figure
from ..visual.look import WORLD, Look, Surface, best_kinds
from ..visual.simplify import coarser, share
from .camera import camera_axes
from .clip import Clip, evenly, usual_force

TRIANGLES = 40_000
"""Of all that is drawn in a frame, at most."""
LIGHT = np.array([0.3, 0.8, 0.52])
"""Towards the light, in the picture: right, up, towards the eye."""
FORCE = 0.15
"""Length of the usual large force, as part of the height of the picture."""
GIF_FPS = 50.0
"""Pictures of a GIF that are shorter browsers show for 0.1 s."""
LONGEST = 65535
"""Hundredths of a second for which a GIF can show a picture."""


@dataclass(frozen=True, eq=False)
class _Body:
    """(f, 3, 3) corners of the triangles of a link, -1 for world, in it, and their colours (f, 4)."""

    link: int
    corners: Array
    colours: Array


def film(clip: Clip, look: Look, path: str | PathLike[str], fps: float) -> Path:
    """Write .gif, or what ffmpeg makes of the suffix (.mp4, .webm, ...). Returns the path.

    The motion is as fast as it was: a state is shown until the next one is due, however sparse they are.
    ModelError if the suffix is none, matplotlib or ffmpeg is missing, ffmpeg fails, or the file cannot be written.
    """
    target = Path(path)
    writer = _writer(target, fps)
    bodies, camera = list(_bodies(clip, look)), camera_axes(look.up)
    low, high = _window(clip, bodies, camera)
    figure = new_figure(8.0, 8.0 * float(np.clip((high - low)[1] / (high - low)[0], 0.4, 1.2)))
    figure.set_layout_engine("none")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.set_axis_off()
    axes.add_collection(_grounds(clip, look, camera))
    newton = FORCE * (high - low)[1] / usual_force(clip.contacts)
    with written(target) as draft, _told(target), writer.saving(figure, str(draft), dpi=90):
        for k in evenly(clip.t, fps).tolist():
            drawn: list[Any] = [axes.add_collection(_triangles(bodies, clip.poses[k], camera))]
            drawn += [axes.add_collection(_arrows(clip, k, camera, newton))]
            drawn += [axes.text(0.02, 0.03, f"{clip.t[k]:.2f} s", transform=axes.transAxes, color="#444444")]
            writer.grab_frame()
            for artist in drawn:
                artist.remove()
    return target


def _writer(target: Path, fps: Any) -> Any:
    """Of so many pictures a second, which need not be a whole number, as matplotlib's types say."""
    new_figure(1.0, 1.0)  # says so if matplotlib is missing
    from matplotlib import animation

    if target.suffix.lower() == ".gif":
        return _gif(target, fps)
    if target.suffix.lower() not in (".mp4", ".webm", ".mkv", ".mov", ".avi"):
        raise ModelError(f"{target}: no video of that kind; known: .gif, .mp4, .webm, .mkv, .mov, .avi")
    if not animation.writers.is_available("ffmpeg"):
        raise ModelError(f"{target}: videos need the program ffmpeg, which is not installed; write a .gif instead")
    return animation.FFMpegWriter(fps=fps)


def _gif(target: Path, fps: Any) -> Any:
    """A GIF counts in hundredths of a second: pictures last one more or less, so that all together are right."""
    from matplotlib.animation import PillowWriter

    if fps > GIF_FPS:
        raise ModelError(f"{target}: a .gif shows at most {GIF_FPS:g} pictures a second; give fps={GIF_FPS:g} or less")

    class Gif(PillowWriter):
        def finish(self: Any) -> None:
            pictures = self._frames
            ends = np.round(np.arange(len(pictures) + 1) * 100.0 / fps)
            lengths = (10 * np.minimum(np.diff(ends), LONGEST)).astype(int).tolist()
            pictures[0].save(self.outfile, save_all=True, append_images=pictures[1:], duration=lengths, loop=0)

    return Gif(fps=fps)


@contextmanager
def _told(target: Path) -> Iterator[None]:
    """Where ffmpeg fails a ModelError tells what it said last."""
    try:
        yield
    except CalledProcessError as error:
        said = (error.stderr or "").strip().splitlines() or [f"it ended with code {error.returncode}"]
        raise ModelError(
            f"{target}: ffmpeg cannot write it: {said[-1]}; give a suffix that this ffmpeg can write, or write a .gif"
        ) from None


def _bodies(clip: Clip, look: Look) -> Iterator[_Body]:
    """What is drawn of each link: its visuals, else its shapes, else its sticks."""
    number = {name: i for i, name in enumerate(clip.links)} | {WORLD: -1}
    best = best_kinds(look.parts)
    shown = [part for part in look.parts if part.link in number and part.kind == best[part.link]]
    most = share([len(look.surfaces[part.surface].triangles) for part in shown], TRIANGLES)
    simple: dict[int, Surface] = {i: coarser(look.surfaces[i], most) for i in {part.surface for part in shown}}
    for part in shown:
        surface = simple[part.surface]
        corners = (surface.vertices @ part.place[:, :3].T + part.place[:, 3])[surface.triangles]
        yield _Body(number[part.link], corners, np.tile(part.colour, (len(corners), 1)))


def _placed(body: _Body, poses: Array) -> Array:
    """(f, 3, 3) corners in world."""
    if body.link < 0:
        return body.corners
    return np.asarray(body.corners @ poses[body.link, :3, :3].T + poses[body.link, :3, 3])


def _window(clip: Clip, bodies: list[_Body], camera: Array) -> tuple[Array, Array]:
    """(2), (2) lowest and highest corner of what some forty of the frames cover, with a margin."""
    some = np.unique(np.linspace(0, len(clip.t) - 1, 40).round().astype(int))
    points = [_placed(body, clip.poses[k]).reshape(-1, 3) for body in bodies for k in some]
    seen = np.concatenate([*points, clip.poses[some, :, :3, 3].reshape(-1, 3)]) @ camera[:2].T
    low, high = seen.min(axis=0), seen.max(axis=0)
    margin = 0.06 * float((high - low).max() or 1.0)
    return low - margin, high + margin


def _grounds(clip: Clip, look: Look, camera: Array) -> Any:
    """The planes of the world as grids of ten cells each way, about where the motion is."""
    from matplotlib.collections import LineCollection

    places = clip.poses[:, :, :3, 3].reshape(-1, 3)
    middle, half = places.mean(axis=0), 0.7 * float(np.ptp(places, axis=0).max() or 1.0)
    lines = []
    for ground in look.grounds:
        if ground.link == WORLD:
            x, y, z, p = ground.place.T
            foot = middle - z * ((middle - p) @ z)
            for s in np.linspace(-half, half, 11):
                lines += [[foot + s * a - half * b, foot + s * a + half * b] for a, b in ((x, y), (y, x))]
    flat = [np.array(line) @ camera[:2].T for line in lines]
    return LineCollection(flat, colors="#d5d8dc", linewidths=0.8, zorder=0)


def _triangles(bodies: list[_Body], poses: Array, camera: Array) -> Any:
    """All that faces the eye, far ones first."""
    from matplotlib.collections import PolyCollection

    corners = np.concatenate([_placed(body, poses) for body in bodies] or [np.zeros((0, 3, 3))])
    colours = np.concatenate([body.colours for body in bodies] or [np.zeros((0, 4))])
    seen = corners @ camera.T
    normal = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])
    size = np.linalg.norm(normal, axis=1)
    front = (normal[:, 2] > 1e-9 * size) & (size > 0.0)
    order = np.flatnonzero(front)[np.argsort(seen[front, :, 2].mean(axis=1), kind="stable")]
    bright = 0.5 + 0.5 * np.clip(normal[order] @ LIGHT / size[order], 0.0, 1.0)
    shade = np.column_stack([np.clip(colours[order, :3] * bright[:, None], 0.0, 1.0), colours[order, 3]])
    return PolyCollection(list(seen[order, :, :2]), facecolors=shade, edgecolors=shade, linewidths=0.3)


def _arrows(clip: Clip, frame: int, camera: Array, newton: float) -> Any:
    """Contact forces as lines from their points, `newton` [m] long for one of them."""
    from matplotlib.collections import LineCollection

    contacts = clip.contacts[frame] if clip.contacts is not None else None
    if contacts is None or not len(contacts):
        return LineCollection([])
    tails = contacts.points @ camera[:2].T
    heads = tails + newton * contacts.forces @ camera[:2].T
    return LineCollection(list(np.stack([tails, heads], axis=1)), colors="#b3261e", linewidths=1.6)
