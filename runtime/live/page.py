"""A motion that goes on, as one HTML file: its model as WebAssembly, a simulator at the present moment, a viewer."""

from __future__ import annotations

from importlib.resources import files

from ..animation.animate import look_of_model
from ..animation.page import drawn, filled, page_file
from ..simulation.simulator import Simulator, motion_of
from ..visual.packing import packed_bytes
from .layout import layout_of
from .start import start_of

VIEWER = ("maths.js", "clip.js", "software.js", "painter.js", "camera.js", "scene.js")
SCRIPTS = ("motion.js", "panel.js", "pull.js", "live.js")
TRIANGLES = 60_000
"""Most triangles of all surfaces together: about 0.7 MB."""


def live_page(simulator: Simulator, code: bytes) -> str:
    """The HTML; `code`: the model as WebAssembly. Names are JSON in it, without markup. Same input, same text.

    ModelError for what a page cannot go on with: see `start_of`.
    """
    model = motion_of(simulator).model
    data = {
        "layout": layout_of(model.manifest),
        "start": start_of(simulator),
        "look": drawn(look_of_model(model), model.link_names, TRIANGLES),
        "code": packed_bytes(code),
    }
    script = "\n".join([*map(page_file, VIEWER), *map(live_file, SCRIPTS)])
    style = page_file("style.css") + live_file("live.css")
    return filled(live_file("live.html"), model.name, style, data, script)


def live_file(name: str) -> str:
    """A text that live pages are made of."""
    return (files("kinegen.runtime.live") / "page" / name).read_text(encoding="utf-8")
