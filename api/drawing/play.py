"""A mechanism that moves in a page: its C as WebAssembly, in one file that needs nothing but a browser."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from kinegen.codegen.build import build_wasm
from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime.animation.page import write_page
from kinegen.runtime.live.page import live_page
from kinegen.runtime.model.model import Model
from kinegen.runtime.simulation.simulator import Simulator as ModelSimulator
from kinegen.runtime.topology.library import Library
from kinegen.runtime.typed import typed

from ..compiling import Simulator
from ..scenes.compiled import is_scene, load_scene
from ..topology import TopologyLibrary


@typed
def play(
    what: Mechanism | Model | TopologyLibrary | Library | Simulator | str | Path, path: str | PathLike[str]
) -> Path:
    """Write a page that simulates by itself, offline, in any browser: one file, to be opened or sent.

    `what`: a simulator, which goes on from its present moment with its torques, wrenches, servos, contact and events;
    or a mechanism, a file of one or of a scene, a model or a library, which starts where a simulator would. In the
    page links are pulled with the mouse; torques, servos, run-time parameters (`kg.parametrise`, gravity too) and
    connections are changed. Motions are those of `Simulator` but for rounding. Returns the path.

    ModelError for what a page cannot go on with (functions of Python, rows per step, motions that are given, the exact
    solver), or a file that is no .html or cannot be written; BuildError without a compiler that makes WebAssembly,
    which kinegen[cc] brings.
    """
    simulator = what if isinstance(what, ModelSimulator) else _simulator(what)
    return write_page(path, live_page(simulator, wasm_of(simulator.model)))


def wasm_of(model: Model) -> bytes:
    """The WebAssembly of a compiled model, from the C that lies beside it. BuildError if it cannot be made."""
    texts = {name: model.module.text(name) for name in model.manifest.sources}
    return build_wasm(texts, model.manifest.prefix, progress=True)


def _simulator(what: Mechanism | Model | TopologyLibrary | Library | str | Path) -> ModelSimulator:
    if isinstance(what, (str, Path)) and is_scene(what):
        return load_scene(what)
    return Simulator(what)
