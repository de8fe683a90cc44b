"""Sliders, buttons and texts that every show has. Names are text in them, never markup."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..visual.look import Look
from .stage import Stage
from .viewer import Post

if TYPE_CHECKING:
    from viser import ViserServer

LOOKS = {"as drawn": "drawn", "collision shapes": "shape", "sticks": "stick"}
SPEEDS = {"1/50": 0.02, "1/20": 0.05, "1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1 ×": 1.0, "2 ×": 2.0, "4 ×": 4.0}


def told(control: Any, post: Post, act: Callable[[], None]) -> None:
    """Act when somebody changes a control in a browser, not when we do."""

    async def changed(event: Any) -> None:  # in order, on the server's own thread
        if event.client is not None:
            post(act)

    (control.on_update if hasattr(control, "on_update") else control.on_click)(changed)


class Message:
    """A line of text; what it says is never markup."""

    def __init__(self, server: ViserServer) -> None:
        self._html = server.gui.add_html("", visible=False)
        self.text = ""

    def say(self, text: str) -> None:
        """Another text; none hides it."""
        if text != self.text:
            self.text = text
            self._html.content = f'<p style="margin: 0.3em 1em; overflow-wrap: anywhere">{html.escape(text)}</p>'
            self._html.visible = bool(text)


def choice(server: ViserServer, label: str, values: Mapping[str, Any], first: str) -> tuple[Any, Callable[[], Any]]:
    """A list to choose from, and what gives the value that is chosen; that of `first` for a word that it has not, which
    programs other than the page may send."""
    control = server.gui.add_dropdown(label, tuple(values), initial_value=first)
    return control, lambda: values.get(control.value, values[first])


def add_options(server: ViserServer, stage: Stage, look: Look, post: Post, forces: bool) -> None:
    """How things look; `forces`: there may be contact."""
    with server.gui.add_folder("look", expand_by_default=False):
        control, chosen = choice(server, "links", LOOKS, "as drawn")
        told(control, post, lambda: stage.look(chosen()))
        switches = [("mass centre", stage.com, False), ("frames", stage.frames, False)]
        few = [("few triangles while it moves", stage.spare, True)] if stage.rough else []
        for label, act, first in [*([("contact forces", stage.forces, True)] if forces else []), *switches, *few]:
            _switch(server, label, act, first, post)
        notes(server, look.notes)


def _switch(server: ViserServer, label: str, act: Callable[[bool], None], first: bool, post: Post) -> None:
    box = server.gui.add_checkbox(label, first)
    told(box, post, lambda: act(box.value))


def notes(server: ViserServer, texts: Iterable[str]) -> None:
    """What could not be drawn, and why."""
    items = "".join(f"<li>{html.escape(text)}</li>" for text in texts)
    if items:
        server.gui.add_html(f'<p style="margin: 0.3em 1em">not drawn:</p><ul style="font-size: 80%">{items}</ul>')
