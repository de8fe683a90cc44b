"""A mechanism in the browser: posed by sliders, a motion played, a simulation that goes on."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime.arguments import as_count
from kinegen.runtime.model.model import Model
from kinegen.runtime.simulation.simulator import Simulator as ModelSimulator
from kinegen.runtime.simulation.trajectory import Trajectory
from kinegen.runtime.topology.library import Library
from kinegen.runtime.typed import typed
from kinegen.runtime.viewer.live import Live
from kinegen.runtime.viewer.played import Played
from kinegen.runtime.viewer.posed import Posed
from kinegen.runtime.viewer.stage import TRIANGLES
from kinegen.runtime.viewer.viewer import Viewer

from ..compiling import Simulator, compile
from ..scenes.compiled import is_scene, load_scene
from ..topology import TopologyLibrary


@typed
def view(
    what: Mechanism | Model | TopologyLibrary | Library | Simulator | Trajectory | str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = True,
    triangles: int = TRIANGLES,
) -> Viewer:
    """Look at a mechanism in the browser; does not wait. Needs kinegen[view].

    A mechanism, a file of one or a model gets a slider for each freedom, loops follow. A trajectory is played. A
    simulator runs from its present moment, in real time or slower: pull links with the mouse, connect and cut what a
    library can; so does a library, or a scene (.toml), from where a simulator of it would begin. Until the viewer is
    closed, its thread alone steps the simulator.

    `host`: who can reach it, by default this machine alone; whoever can may move and pull, nobody is asked for a
    password. `port`: 0 takes one that is free. `browser`: open it in the browser. `triangles`: visuals are simplified
    to about so many in all. Returns the `Viewer`: `url`, `close()`, `wait()`, `with kg.view(...) as viewer:`.
    ModelError if viser is missing, nothing can listen there, or as `kg.compile`, `kg.Simulator`, `Trajectory.html`.
    """
    viewer = _viewer(what, host, port, as_count("triangles", triangles, least=1))
    if browser:
        webbrowser.open(viewer.url)
    return viewer


def _viewer(what: Any, host: str, port: int, triangles: int) -> Viewer:
    if isinstance(what, Trajectory):
        return Viewer(lambda server, post: Played(server, post, what, triangles), what.name, host, port)
    if isinstance(what, (str, Path)) and is_scene(what):
        what = load_scene(what)
    if isinstance(what, (Library, TopologyLibrary)):
        what = Simulator(what)
    if isinstance(what, ModelSimulator):
        return Viewer(lambda server, post: Live(server, post, what, triangles), what.model.name, host, port)
    model = what if isinstance(what, Model) else compile(what, contacts=False)
    return Viewer(lambda server, post: Posed(server, post, model, triangles), model.name, host, port)
