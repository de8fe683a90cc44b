"""kinegen animate and kinegen view: a recorded motion, or a mechanism that is moved, as a page that plays."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape

from kinegen.runtime.simulation.trajectory import Trajectory

from ..compiling import compile
from ..drawing.animate import animate
from ..drawing.view import view
from ..models import Root, read_model
from .terminal import activity, show


def run(model: str, motion: Path, output: Path, root: Root, fps: float) -> None:
    """Write the page. ModelError if the motion is not one of that model, or a file cannot be read or written."""
    mechanism = read_model(model, root)
    with activity("writing"):
        trajectory = Trajectory.load(motion, compile(mechanism, contacts=False))
        animate(mechanism, trajectory, output, fps=fps)
    _tell(output)


def run_view(model: str, output: Path | None, root: Root) -> None:
    """Open the page in the browser, or write it only. ModelError if the model or the file cannot be had."""
    mechanism = read_model(model, root)
    with activity("writing"):
        page = view(mechanism, output)
    _tell(page)


def _tell(page: Path) -> None:
    show(f"{escape(str(page))}: {page.stat().st_size / 1024:.0f} kB, open it in a browser")
