"""The MODEL of a command line: a file, or the human figure by its name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from kinegen.codegen.mechanism import Mechanism, load
from kinegen.codegen.mechanism.elements.parametrise import parametrise
from kinegen.codegen.mechanism.formats.load import READERS
from kinegen.runtime.errors import ModelError

from .figure import human_figure

FIGURE = "human_figure"

Root = Literal["fixed", "free"]


def read_model(
    model: str | Path, root: Root | None = None, name: str | None = None, parameters: Sequence[str] = ()
) -> Mechanism:
    """The mechanism in a file, or `human_figure`. ModelError names the file.

    `root`: None for the usual: a file's is fixed, the figure floats, and to hold it is refused. `parameters`: numbers
    that become run-time parameters, as for `parametrise`.
    """
    mechanism = _read(model, root, name)
    return parametrise(mechanism, *parameters) if parameters else mechanism


def _read(model: str | Path, root: Root | None, name: str | None) -> Mechanism:
    if str(model) == FIGURE:
        if root == "fixed":
            raise ModelError(f"{FIGURE}: it floats and cannot be held to world: leave out root")
        return human_figure(name=name or FIGURE)
    path = Path(model)
    if not path.suffix and not path.exists():
        raise ModelError(f"{model}: there is no such file; give a file ({', '.join(READERS)}) or {FIGURE}")
    return load(path, root=root or "fixed", name=name)


def read_floating(model: str | Path) -> tuple[Mechanism, str]:
    """The mechanism on a free root if it can be; the second value says why not, '' if it is."""
    if str(model) != FIGURE and Path(model).exists():
        try:
            mechanism = load(model, root="free")
            mechanism.check_dynamics()
            root = mechanism.tree.bodies[0].link
            if not (root.massless and mechanism.tree.nv > 6):
                return mechanism, ""
            return read_model(model), f"its root link '{root.name}' has no mass"
        except ModelError as error:
            return read_model(model), str(error)
    return read_model(model), ""
