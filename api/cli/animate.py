"""kinegen animate: a recorded motion as a page that plays."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape

from kinegen.runtime.simulation.trajectory import Trajectory

from ..compiling import compile
from ..drawing.animate import animate
from ..models import Root, read_model
from .terminal import activity, show


def run(model: str, motion: Path, output: Path, root: Root, fps: float) -> None:
    """Write the page. ModelError if the motion is not one of that model, or a file cannot be read or written."""
    mechanism = read_model(model, root)
    with activity("writing"):
        trajectory = Trajectory.load(motion, compile(mechanism, contacts=False))
        animate(mechanism, trajectory, output, fps=fps)
    show(f"{escape(str(output))}: {output.stat().st_size / 1024:.0f} kB, open it in a browser")
