"""Sliders for the torques and run-time parameters of a simulator in a viewer, and its energy over time."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import Array
from ..errors import ModelError
from ..live.layout import parameters_of
from ..live.start import torque_range
from ..simulation.simulator import Simulator, motion_of
from ..stepping.given.drive import torque_entries
from .controls import Message, told
from .viewer import Post

if TYPE_CHECKING:
    from viser import ViserServer

FEW = 12
"""Most sliders of a folder that is open at first."""
SPAN, TOLD = 10.0, 0.25
"""Seconds of a motion that are drawn, and between two drawings."""
MOST = 400
"""Moments that are drawn."""
CURVES = {"kinetic": "#3b6fb6", "potential": "#c4761f", "sum": "#1d2430"}


class Torques:
    """A slider for the torque of each entry of each joint, those that close loops too; what was given is given back.

    None where a function or a row per step tells the torques: the message says so.
    """

    def __init__(self, server: ViserServer, post: Post, simulator: Simulator) -> None:
        self._simulator, self._given = simulator, simulator.tau
        motion = motion_of(simulator)
        self.sliders: dict[tuple[str, int], Any] = {}
        constant = motion.drives.tau.constant
        if constant is None:
            return
        self._start = constant.copy()
        self._entries = torque_entries(simulator.model.manifest)
        far, given = torque_range(motion), set(motion.drives.driven.names)
        at = [(name, i) for name, part in self._entries.items() if name not in given for i in range(_count(part))]
        if not at:
            return
        with server.gui.add_folder("torques", expand_by_default=len(at) <= FEW):
            for name, i in at:
                place = self._entries[name].start + i
                most, value = far[place] or 1.0, float(self._start[place])
                label = name if _count(self._entries[name]) == 1 else f"{name} {i + 1}"
                low, high = min(-most, value), max(most, value)
                slider = server.gui.add_slider(label, low, high, (high - low) / 1000.0, value)
                told(slider, post, self._act)
                self.sliders[name, i] = slider

    def release(self) -> None:
        """As it was given."""
        if self.sliders:
            self._simulator.tau = self._given

    def reset(self) -> None:
        """As it was given, with the sliders there."""
        self.release()
        for (name, i), slider in self.sliders.items():
            slider.value = float(self._start[self._entries[name].start + i])

    def _act(self) -> None:
        tau: dict[str, Array] = {}
        for (name, i), slider in self.sliders.items():
            tau.setdefault(name, np.zeros(_count(self._entries[name])))[i] = slider.value
        self._simulator.tau = tau


class Parameters:
    """A slider for each run-time parameter; the model goes on with the values, and gets its own back."""

    def __init__(self, server: ViserServer, post: Post, simulator: Simulator, message: Message) -> None:
        self._simulator, self._message = simulator, message
        manifest = simulator.model.manifest
        values = motion_of(simulator).stepper.values
        self._start = {told["name"]: float(values[told["place"]]) for told in parameters_of(manifest)}
        self.sliders: dict[str, Any] = {}
        if not self._start:
            return
        with server.gui.add_folder("parameters", expand_by_default=len(self._start) <= FEW):
            for spec in parameters_of(manifest):
                name, value = spec["name"], self._start[spec["name"]]
                low, high = _reach(value, spec["sign"])
                self.sliders[name] = server.gui.add_slider(name, low, high, (high - low) / 1000.0, value)
                told(self.sliders[name], post, partial(self._act, name))

    def release(self) -> None:
        """The values with which it came."""
        if any(slider.value != self._start[name] for name, slider in self.sliders.items()):
            motion_of(self._simulator).set_values(self._start)

    def reset(self) -> None:
        """The values with which it came, with the sliders there."""
        self.release()
        for name, slider in self.sliders.items():
            slider.value = self._start[name]

    def _act(self, name: str) -> None:
        try:
            motion_of(self._simulator).set_values({name: float(self.sliders[name].value)})
        except ModelError as error:
            self._message.say(str(error))


class Energy:
    """Kinetic and potential energy and their sum [J] over the last seconds."""

    def __init__(self, server: ViserServer) -> None:
        from viser import uplot

        self._moments: deque[tuple[float, float, float, float]] = deque(maxlen=MOST)
        self._quiet = TOLD
        with server.gui.add_folder("energy [J]", expand_by_default=False):
            series = [uplot.Series(label="t [s]"), *(uplot.Series(label=k, stroke=c) for k, c in CURVES.items())]
            scales = {"x": uplot.Scale(time=False)}
            self.plot = server.gui.add_uplot(self._data(), tuple(series), scales=scales, height=180)

    def clear(self) -> None:
        self._moments.clear()

    def note(self, simulator: Simulator, seconds: float) -> None:
        """Draw where it is, some times a second; `seconds` of real time have passed."""
        self._quiet += seconds
        if self._quiet < TOLD or (self._moments and self._moments[-1][0] == simulator.t):
            return
        self._quiet = 0.0
        kinetic, potential = (float(x) for x in simulator.model.energy(simulator.q, simulator.v))
        self._moments.append((simulator.t, kinetic, potential, kinetic + potential))
        while self._moments[0][0] < simulator.t - SPAN:
            self._moments.popleft()
        self.plot.data = self._data()

    def _data(self) -> tuple[Array, ...]:
        rows = np.array(self._moments or [(0.0,) * 4], dtype=np.float64)
        return tuple(np.ascontiguousarray(column) for column in rows.T)


def _count(part: slice) -> int:
    return int(part.stop - part.start)


def _reach(value: float, sign: str) -> tuple[float, float]:
    """From where to where a parameter is set."""
    wide = 2.0 * abs(value) or 10.0
    low, high = value - wide, value + wide
    if sign in ("positive", "not negative"):
        low = 0.05 * value if sign == "positive" else 0.0
    elif sign in ("negative", "not positive"):
        high = 0.05 * value if sign == "negative" else 0.0
    return low, high
