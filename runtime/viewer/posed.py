"""A model in a viewer: a slider for each freedom, loops follow."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from ..animation.animate import look_of_model
from ..errors import ModelError
from ..model.model import Model
from .controls import Message, add_options, told
from .freedoms import Freedom
from .moment import moment_of
from .posing import Posing
from .stage import TRIANGLES, Stage
from .viewer import Post

if TYPE_CHECKING:
    from viser import ViserServer

CALM = 0.5
"""Seconds after the last move of a slider at which nothing moves any more."""
DIGITS = 4
"""Decimals of the ends of sliders."""


class Posed:
    """A show of `model`."""

    def __init__(self, server: ViserServer, post: Post, model: Model, triangles: int = TRIANGLES) -> None:
        self.posing, self._post, self._quiet = Posing(model), post, CALM
        look = look_of_model(model)
        self.stage = Stage(server, look, model.link_names, moment_of(model, self.posing.q), (), triangles)
        add_options(server, self.stage, look, post, forces=False)
        self.message = Message(server)
        told(server.gui.add_button("reset"), post, self._reset)
        self.sliders: list[Any] = [None] * len(self.posing.freedoms)
        for title, free in (("joints", False), ("where it floats", True)):
            chosen = [number for number, freedom in enumerate(self.posing.freedoms) if freedom.free == free]
            if chosen:
                with server.gui.add_folder(title, expand_by_default=not free):
                    for number in chosen:
                        self.sliders[number] = self._slider(server, number, self.posing.freedoms[number])

    def advance(self, seconds: float) -> None:
        """Nothing moves by itself."""
        self._quiet += seconds
        self.stage.move(self._quiet < CALM)

    def fail(self, error: Exception) -> None:
        self.message.say(str(error))

    def release(self) -> None:
        """Nothing is borrowed."""

    def move(self, number: int, value: float) -> None:
        """A freedom goes to a value, as if by its slider; what is out of reach is said, and the last pose stays."""
        try:
            self.posing.move(number, value)
            self.message.say("")
        except ModelError as error:
            self.message.say(str(error))
        self._refresh()

    def _slider(self, server: ViserServer, number: int, freedom: Freedom) -> Any:
        value = freedom.value(self.posing.model, self.posing.q)
        low, high = freedom.reach(self.posing.q, math.pi, 0.5 * self.stage.size)
        step = 10.0 ** math.floor(math.log10((high - low) / 500.0)) if high > low else 1.0
        low, high = round(value + low, DIGITS), round(value + max(high, low + step), DIGITS)
        slider = server.gui.add_slider(freedom.name, low, high, step, min(max(value, low), high))
        told(slider, self._post, partial(self._slid, number))
        return slider

    def _slid(self, number: int) -> None:
        self._quiet = 0.0
        self.move(number, float(self.sliders[number].value))

    def _reset(self) -> None:
        self.posing.reset()
        self.message.say("")
        self._refresh()

    def _refresh(self) -> None:
        self.stage.show(moment_of(self.posing.model, self.posing.q))
        for slider, value in zip(self.sliders, self.posing.values(), strict=True):
            slider.value = float(value)
