"""A scene → its model, compiled, and the simulator that runs it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from kinegen.codegen.pipeline import compile_mechanism
from kinegen.codegen.printing.selection import Selection
from kinegen.runtime.errors import ModelError
from kinegen.runtime.files import read_text
from kinegen.runtime.model.model import Model

from ..compiling import Simulator
from ..loading import compiled_model
from ..visual.look import looking
from .scene import read_scene
from .simulated import simulator_of


def is_scene(path: str | Path) -> bool:
    """Whether a file is a scene, which names a model: TOML files may also be mechanisms."""
    file = Path(path)
    if file.suffix.lower() != ".toml":
        return False
    try:
        return "model" in tomllib.loads(read_text(file))
    except (ModelError, ValueError, RecursionError):  # whoever reads it says what is wrong
        return False


def load_scene(path: str | Path) -> Simulator:
    """The simulator of a scene (docs: scenes) at its start, with all that drives it and its events.

    `path`: a TOML file that names a model. Its `duration` and `every` are for `run`. ModelError names file, table and
    key of what is wrong.
    """
    scene = read_scene(path)
    expanded = scene.topologies()
    expanded.mechanism.check_dynamics()

    def compiled(selection: Selection) -> Path:
        return compile_mechanism(
            expanded.mechanism, switches=expanded.switches, contacts=selection.core, selection=selection, progress=True
        )

    model = compiled_model(compiled, looking(expanded.mechanism), Model)
    return simulator_of(scene, model)
