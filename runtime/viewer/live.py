"""A simulator in a viewer: it runs in real time or slower, is pulled with the mouse, connected and cut."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..animation.animate import look_of_model
from ..animation.clip import connections_of
from ..arguments import Array
from ..errors import ModelError
from ..rotations import rotated
from ..simulation.simulator import Simulator, motion_of
from ..visual.look import WORLD
from .controls import SPEEDS, Message, add_options, choice, told
from .moment import Moment, moment_of
from .pull import STIFF, Pull, as_wrenches, felt_mass
from .stage import TRIANGLES, Stage
from .steering import Energy, Parameters, Torques
from .viewer import Post

if TYPE_CHECKING:
    from viser import ViserServer

BUSY = 0.02
"""Seconds of a tick that steps may take."""
LATE = 0.1
"""Longest time [s] that is made up for."""
FADES = 0.995
"""How fast the usual large force forgets, in a tick."""


class Live:
    """A show of `simulator`, from its present moment, to which reset returns."""

    def __init__(self, server: ViserServer, post: Post, simulator: Simulator, triangles: int = TRIANGLES) -> None:
        self.simulator, self._post = simulator, post
        self.playing, self._owed, self._pace = True, 0.0, 1.0
        self._start, self._given, self._served = simulator.save(), simulator.wrenches, simulator.servos
        self.pull: Pull | None = None
        motion = motion_of(simulator)
        model = motion.model
        self._links = model.link_names
        self._touches = bool(motion.stepper.contact_state and motion.stepper.contact_state.shapes)
        self._switched = connections_of(model) if motion.structure else ()
        look = look_of_model(model)
        self.stage = Stage(server, look, self._links, self.moment(), self._switched, triangles)
        self._controls(server)
        self._buttons = self._connections(server)
        add_options(server, self.stage, look, post, forces=self._touches)
        self.message = Message(server)
        self.torques = Torques(server, post, simulator)
        self.parameters = Parameters(server, post, simulator, self.message)
        self.energy = Energy(server)
        for mesh, handle in (*self.stage.meshes, *self.stage.rough):
            if mesh.link != WORLD:
                handle.on_drag("left")(self._dragged(mesh.link))
        self.refresh()

    def moment(self) -> Moment:
        """What is to be seen now."""
        simulator = self.simulator
        active = simulator.active if self._switched else frozenset()
        holds = tuple(connection.name in active for connection in self._switched)
        return moment_of(simulator.model, simulator.q, simulator.contacts if self._touches else None, holds)

    # ---- Time

    def advance(self, seconds: float) -> None:
        if self.playing:
            self._steps(min(seconds, LATE) * self._speed() / self.simulator.dt)
        self.refresh()
        self.energy.note(self.simulator, seconds)

    def refresh(self) -> None:
        """Show where the simulator is."""
        moment, simulator = self.moment(), self.simulator
        self.stage.move(self.playing)
        hardest = float(np.linalg.norm(moment.forces, axis=1).max(initial=0.0))
        self.stage.usual = max(hardest, FADES * self.stage.usual)
        self.stage.show(moment)
        pull = self.pull
        self.stage.line((pull.point(simulator.model, simulator.q), pull.goal) if pull else None)
        slow = f", {100 * self._pace:.0f} % of the speed" if self.playing and self._pace < 0.9 else ""
        digits = 1 if self.playing and self._speed() > 0.2 else 3  # a page that is slow must have time for its user
        self._clock.say(f"t = {simulator.t:.{digits}f} s{slow}")
        self._button.label = "pause" if self.playing else "play"
        for button, connection, holds in zip(self._buttons, self._switched, moment.active, strict=True):
            button.label = f"{'cut' if holds else 'connect'} {connection.name}"

    def fail(self, error: Exception) -> None:
        self.playing = False
        self.message.say(f"stopped at t = {self.simulator.t:.3f} s: {error}")

    def reset(self) -> None:
        """Back to where it began, and on."""
        self.drop()
        self.parameters.reset()
        self.simulator.restore(self._start)
        self.simulator.servos = self._served
        self.torques.reset()
        self.energy.clear()
        self._owed, self._pace = 0.0, 1.0
        self.message.say("")

    def release(self) -> None:
        self.drop()
        self.parameters.release()
        self.torques.release()

    def _steps(self, wanted: float) -> None:
        """As many steps as real time asks for, as far as there is time for them."""
        self._owed += wanted
        whole = math.floor(self._owed)
        left, end = whole, time.perf_counter() + BUSY
        while left > 0 and time.perf_counter() < end:
            n = min(left, max(1, math.ceil(whole / 16)))
            self.simulator.step(n)
            left -= n
        self._owed = 0.0 if left > 0 else self._owed - whole
        if whole:
            self._pace += 0.05 * ((whole - left) / whole - self._pace)

    def _step(self) -> None:
        self.playing = False
        self.simulator.step()

    def _toggle(self) -> None:
        self.playing, self._owed, self._pace = not self.playing, 0.0, 1.0

    # ---- The mouse

    def take(self, link: str, point: Array) -> None:
        """Grasp a point (3) [m] of world on a link; says so where it cannot be pulled."""
        simulator, moment = self.simulator, self.moment()
        i = self._links.index(link)
        back = moment.turns[i] * np.array([-1.0, -1.0, -1.0, 1.0])
        local = rotated(back, np.asarray(point) - moment.places[i])
        try:
            as_wrenches(self._given, simulator.model, simulator.t, simulator.q, simulator.v)
            mass = felt_mass(simulator.model, simulator.q, link, local)
        except ModelError as error:
            self.message.say(str(error))
            return
        if mass > 0.0:
            self.pull = Pull(link, local, np.asarray(point, dtype=np.float64), mass)
            simulator.wrenches = self._wrenches

    def aim(self, goal: Array) -> None:
        """The cursor is at a point (3) [m] of world."""
        if self.pull:
            self.pull.goal, self.pull.stiff = np.asarray(goal, dtype=np.float64), STIFF * float(self._strength.value)

    def drop(self) -> None:
        """Let go."""
        if self.pull:
            self.pull = None
            self.simulator.wrenches = self._given

    def _wrenches(self, t: float, q: Array, v: Array) -> list[Any]:
        model = self.simulator.model
        assert self.pull is not None
        return [*as_wrenches(self._given, model, t, q, v), self.pull.wrench(model, q, v)]

    def _dragged(self, link: str) -> Any:
        async def dragged(event: Any) -> None:
            if event.phase == "start":
                self._post(partial(self.take, link, np.array(event.start_position)))
            elif event.phase == "end":
                self._post(self.drop)
            if event.phase != "end":
                self._post(partial(self.aim, np.array(event.end_position)))

        return dragged

    # ---- Buttons

    def _controls(self, server: ViserServer) -> None:
        self._clock = Message(server)
        self._button = server.gui.add_button("pause")
        told(self._button, self._post, self._toggle)
        told(server.gui.add_button("reset"), self._post, self.reset)
        told(server.gui.add_button("one step"), self._post, self._step)
        self._chosen, self._speed = choice(server, "speed", SPEEDS, "1 ×")
        self._strength = server.gui.add_slider("pull of the mouse", 0.2, 3.0, 0.1, 1.0)

    def _connections(self, server: ViserServer) -> list[Any]:
        """A button for each connection."""
        if not self._switched:
            return []
        buttons = []
        with server.gui.add_folder("connections"):
            for connection in self._switched:
                buttons.append(server.gui.add_button(f"connect {connection.name}"))
                told(buttons[-1], self._post, partial(self.switch, connection.name))
        return buttons

    def switch(self, name: str) -> None:
        """Cut a connection that holds, else make it; says so where it cannot be made."""
        simulator = self.simulator
        try:
            if name in simulator.active:
                simulator.cut(name)
                self.message.say(f"{simulator.t:.3f} s: cut {name}")
            else:
                impulse = float(np.linalg.norm(simulator.connect(name).impulse[..., :3]))
                self.message.say(f"{simulator.t:.3f} s: connect {name}, {impulse:.3g} N s")
        except ModelError as error:
            self.message.say(str(error))
