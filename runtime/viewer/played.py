"""A recorded motion in a viewer: play, pause, scrub, at any speed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..animation.animate import look_of_model
from ..animation.clip import MOST_FRAMES, Recorded, clip_of, usual_force
from ..errors import ModelError
from .controls import SPEEDS, Message, add_options, choice, told
from .moment import Moments
from .stage import TRIANGLES, Stage
from .viewer import Post

if TYPE_CHECKING:
    from viser import ViserServer

TELLS = 0.1
"""Seconds between two values of the time slider while it plays: a page that is slow must have time for its user."""
PATH = 480
"""Most points of the path of the mass centre."""
FPS = 120.0
"""Frames a second that are kept of a motion, as far as there is room."""


class Played:
    """A show of `motion`, which has a model. It plays from the beginning, over and over."""

    def __init__(self, server: ViserServer, post: Post, motion: Recorded, triangles: int = TRIANGLES) -> None:
        if motion.model is None:
            raise ModelError("view: the trajectory has no model; use Trajectory.load(path, model=model)")
        duration = float(motion.t[-1] - motion.t[0]) if len(motion.t) else 0.0
        clip = clip_of(motion, min(FPS, 0.5 * MOST_FRAMES / duration) if duration > 0.0 else FPS)
        self._moments, self._events = Moments(clip), clip.events
        self.first, self.last = float(clip.t[0]), float(clip.t[-1])
        self.t, self.playing, self._quiet = self.first, True, 0.0
        look = look_of_model(motion.model)
        self.stage = Stage(server, look, clip.links, self._moments.at(self.t), clip.connections, triangles)
        self.stage.usual = usual_force(clip.contacts)
        if clip.com is not None and len(clip.t) > 1:
            self.stage.path(clip.com[:: math.ceil(len(clip.t) / PATH)])
        add_options(server, self.stage, look, post, forces=clip.contacts is not None)
        self._controls(server, post)
        self.message = Message(server)

    def advance(self, seconds: float) -> None:
        self.stage.move(self.playing and self.last > self.first)
        if not self.stage.moving:
            return
        t = self.t + seconds * self._speed()
        if t > self.last:
            t = self.first + (t - self.first) % (self.last - self.first) if self._again.value else self.last
            self.playing = self._again.value
        self._show(t)
        self._quiet += seconds
        if self._quiet > TELLS or not self.playing:
            self._tell()

    def go(self, t: float) -> None:
        """To a time [s]."""
        self._show(t)
        self._tell()

    def _show(self, t: float) -> None:
        self.t = min(max(t, self.first), self.last)
        self.stage.show(self._moments.at(self.t))

    def _tell(self) -> None:
        """Time, button and what happened last."""
        self._quiet = 0.0
        self.slider.value = self.t
        self._button.label = "pause" if self.playing else "play"
        happened = [f"{event[0]:.3f} s: {event[1]} {event[2]}" for event in self._events if event[0] <= self.t]
        self.message.say(happened[-1] if happened else "")

    def fail(self, error: Exception) -> None:
        self.playing = False
        self.message.say(str(error))

    def release(self) -> None:
        """Nothing is borrowed."""

    def _controls(self, server: ViserServer, post: Post) -> None:
        self._button = server.gui.add_button("pause")
        told(self._button, post, self._toggle)
        span = max(self.last - self.first, 1e-3)
        self.slider: Any = server.gui.add_slider("time [s]", self.first, self.first + span, 1e-3, self.first)
        told(self.slider, post, self._scrubbed)
        self._chosen, self._speed = choice(server, "speed", SPEEDS, "1 ×")
        self._again = server.gui.add_checkbox("again and again", True)

    def _toggle(self) -> None:
        self.playing = not self.playing
        self.go(self.first if self.playing and self.t >= self.last else self.t)

    def _scrubbed(self) -> None:
        self.playing = False
        self.go(float(self.slider.value))
        self.slider.value = math.nextafter(self.t, math.inf)  # told again, after what was on its way while it played
