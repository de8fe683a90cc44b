"""A mechanism and a motion of it as a page that plays."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime.animation.animate import animation
from kinegen.runtime.animation.page import write_page
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.simulation.trajectory import Trajectory
from kinegen.runtime.typed import typed

from ..visual.look import look_of


@typed
def animate(mechanism: Mechanism, trajectory: Trajectory, path: str | PathLike[str], *, fps: float = 30.0) -> Path:
    """Write `trajectory` as `Trajectory.html` does, with the look of `mechanism`, whose links are found by name.

    For motions of models that were loaded from a folder, or to look otherwise than what was compiled. ModelError if
    they share no link, else as `Trajectory.html`.
    """
    if not isinstance(trajectory, Trajectory):
        raise ModelError(f"animate: expected a Trajectory, got {shown(trajectory)}")
    model = trajectory.model
    if model is None:
        raise ModelError("animate: the trajectory has no model; use Trajectory.load(path, model=model)")
    if not {link.name for link in mechanism.links} & set(model.link_names):
        raise ModelError(f"animate: mechanism '{mechanism.name}' has no link of the model '{model.name}'")
    names = [spec.name for spec in model.manifest.parameters]
    values = dict(zip(names, model.parameter_values().tolist(), strict=True))
    return write_page(path, animation(trajectory, fps, look_of(mechanism, values)))
