"""A recorded motion, with the look that its model was given, as a page or a video."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ..errors import ModelError
from ..model.model import Model
from ..names.lookup import named_values
from ..visual.look import Look
from .clip import Recorded, clip_of
from .film import film
from .page import TRIANGLES, frame, page, stick_look

NOTEBOOK_FPS, NOTEBOOK_FRAMES, NOTEBOOK_TRIANGLES = 15.0, 300, 20_000
"""Of a page in a notebook, which keeps it with everything else."""


def animation(motion: Recorded, fps: float, look: Look | None = None, triangles: int = TRIANGLES) -> str:
    """The HTML; `look` instead of that of the motion's model. ModelError: see `clip_of`."""
    return page(clip_of(motion, fps), _look(motion) if look is None else look, triangles)


def video(motion: Recorded, path: str | PathLike[str], fps: float) -> Path:
    """A GIF or what ffmpeg makes. ModelError: see `clip_of` and `film`."""
    return film(clip_of(motion, fps), _look(motion), path, fps)


def in_notebook(motion: Recorded) -> str | None:
    """A small page in a frame of its own; None for a motion that has none to show."""
    if motion.model is None or not len(motion.t):
        return None
    duration = float(motion.t[-1] - motion.t[0])
    try:
        fps = min(NOTEBOOK_FPS, NOTEBOOK_FRAMES / duration) if duration > 0.0 else NOTEBOOK_FPS
        return frame(animation(motion, fps, triangles=NOTEBOOK_TRIANGLES))
    except ModelError:  # the text says what it is
        return None


def _look(motion: Recorded) -> Look:
    return Look() if motion.model is None else look_of_model(motion.model)


def look_of_model(model: Model) -> Look:
    """As the mechanism looks that was compiled; of a model that was loaded from a folder, lines between its joints."""
    manifest = model.manifest
    if model.module.look is None:
        return stick_look([(joint.parent, joint.child) for joint in manifest.joints])
    return model.module.look(named_values(manifest, model.parameter_values()))
