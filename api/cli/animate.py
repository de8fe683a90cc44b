"""kinegen animate, kinegen view, kinegen play: a motion that was recorded, that shows freedoms, or that goes on."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from rich.markup import escape

from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime.errors import ModelError
from kinegen.runtime.simulation.trajectory import Trajectory

from ..compiling import compile
from ..drawing.play import play
from ..drawing.tour import tour
from ..drawing.view import view
from ..models import Root, read_model
from ..outputs import check_outputs, make_folder_of
from ..scenes.compiled import is_scene, load_scene
from .terminal import activity, show


def run(model: str, motion: Path, output: Path, root: Root | None, fps: float) -> None:
    """Write the page of a motion of a model or a scene. ModelError if it is not one of that, or a file cannot be read
    or written."""
    check_outputs((model, motion), {"html": output})
    with activity("writing"):
        recorded = _recorded(model, motion, root)
        make_folder_of(output)
        page = recorded.html(output, fps=fps)
    _tell(page)


def require_effect(output: Path | None, host: str, port: int) -> None:
    """ModelError for a host or a port of a page that is only written."""
    for option, given, default in (("--host", host, "127.0.0.1"), ("--port", port, 0)):
        if output is not None and given != default:
            raise ModelError(
                f"-o only writes a page, and {option} {given} says how one is served: leave out one of them"
            )


def run_view(model: str, motion: Path | None, root: Root | None, host: str, port: int, browser: bool) -> None:
    """Serve a model, a scene or a motion of one until Ctrl-C. ModelError as `kg.view`."""
    if motion is None and Path(model).suffix.lower() == ".npz":
        raise ModelError(f"{model}: a motion does not hold its mechanism; write kinegen view MODEL {model}")
    with activity("preparing"):
        viewer = view(_subject(model, motion, root), host=host, port=port, browser=browser)
    with viewer, suppress(KeyboardInterrupt):
        show(f"{viewer.url}: open it in a browser; Ctrl-C ends it")
        viewer.wait()


def run_tour(model: str, output: Path, root: Root | None) -> None:
    """Write a page that moves the freedoms of a model in turn. ModelError if it cannot be had or written."""
    check_outputs([model], {"html": output})
    if is_scene(model):
        raise ModelError(
            f"{model}: a page of a scene is written by kinegen simulate {model} --html {output}, one that goes on "
            f"simulating by kinegen play {model} -o {output}"
        )
    mechanism = read_model(model, root)
    make_folder_of(output)
    with activity("writing"):
        page = tour(mechanism).html(output)
    _tell(page)


def _subject(model: str, motion: Path | None, root: Root | None) -> Path | Mechanism | Trajectory:
    """What is to be seen: a motion of a model or scene, a scene, a mechanism."""
    if motion is not None:
        return _recorded(model, motion, root)
    return Path(model) if told_by_scene(model, root) else read_model(model, root)


def _recorded(model: str, motion: Path, root: Root | None) -> Trajectory:
    """A motion of a model or of a scene, with the look of that."""
    scene = told_by_scene(model, root)
    known = load_scene(model).model if scene else compile(read_model(model, root), contacts=False)
    return Trajectory.load(motion, known)


def told_by_scene(model: str, root: Root | None) -> bool:
    """Whether it is a scene, which says itself what its root is. ModelError if --root says it too."""
    scene = is_scene(model)
    if scene and root:
        raise ModelError(f"{model}: a scene says itself what its root is; leave out --root")
    return scene


def run_play(model: str, output: Path, root: Root | None, parameters: tuple[str, ...]) -> None:
    """Write the page of a scene or a model. ModelError and BuildError as `kg.play`."""
    check_outputs([model], {"html": output})
    if is_scene(model):
        if parameters or root:
            raise ModelError(
                f"{model}: a scene says itself what its root and its parameters are; leave out --root, --parameter"
            )
        what: Path | Mechanism = Path(model)
    else:
        what = read_model(model, root, None, parameters)
    make_folder_of(output)
    with activity("compiling"):
        page = play(what, output)
    _tell(page)


def _tell(page: Path) -> None:
    show(f"{escape(str(page))}: {page.stat().st_size / 1024:.0f} kB, open it in a browser")
