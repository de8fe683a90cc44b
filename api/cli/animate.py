"""kinegen animate, kinegen view, kinegen play: a motion that was recorded, that shows freedoms, or that goes on."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape

from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime.errors import ModelError
from kinegen.runtime.simulation.trajectory import Trajectory

from ..compiling import compile
from ..drawing.animate import animate
from ..drawing.play import play
from ..drawing.view import view
from ..models import Root, read_model
from ..scenes.compiled import is_scene
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


def run_play(model: str, output: Path, root: Root, parameters: tuple[str, ...]) -> None:
    """Write the page of a scene or a model. ModelError and BuildError as `kg.play`."""
    if is_scene(model):
        if parameters or root == "free":
            raise ModelError(
                f"{model}: a scene says itself what its root and its parameters are; leave out --root, --parameter"
            )
        what: Path | Mechanism = Path(model)
    else:
        what = read_model(model, root, None, parameters)
    with activity("compiling"):
        page = play(what, output)
    _tell(page)


def _tell(page: Path) -> None:
    show(f"{escape(str(page))}: {page.stat().st_size / 1024:.0f} kB, open it in a browser")
