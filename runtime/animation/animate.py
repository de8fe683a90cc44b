"""A recorded motion, with the look that its model was given, as a page."""

from __future__ import annotations

from .clip import Recorded, clip_of
from .look import Look
from .page import TRIANGLES, page, stick_look


def animation(motion: Recorded, fps: float, look: Look | None = None, triangles: int = TRIANGLES) -> str:
    """The HTML; `look` instead of that of the motion's model. ModelError: see `clip_of`."""
    clip = clip_of(motion, fps)
    return page(clip, _look(motion) if look is None else look, triangles)


def _look(motion: Recorded) -> Look:
    """As the mechanism looks that was compiled; of a model that was loaded from a folder, lines between its joints."""
    model = motion.model
    if model is None:
        return Look()
    manifest = model.manifest
    if model.module.look is None:
        return stick_look([(joint.parent, joint.child) for joint in manifest.joints])
    names = [spec.name for spec in manifest.parameters]
    return model.module.look(dict(zip(names, model.parameter_values().tolist(), strict=True)))
