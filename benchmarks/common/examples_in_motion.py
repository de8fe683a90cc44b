"""The closed examples as mechanisms and where each starts, for the benchmarks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "closed"))
import cassie
import delta
import figure_on_bar
import five_bar
import four_bars
import slider_crank
import stewart
import strandbeest

import kinegen as kg


@dataclass(frozen=True)
class Example:
    mechanism: Callable[[], kg.Mechanism]
    start: Callable[[kg.Model], np.ndarray]


EXAMPLES = {
    "four-bar": Example(lambda: four_bars.mechanism("theta3"), lambda model: four_bars.motion(model, 2).q[0]),
    "slider-crank": Example(slider_crank.mechanism, lambda model: slider_crank.motion(model, 10).q[3]),
    "five-bar": Example(
        five_bar.mechanism, lambda model: five_bar.motion(model.with_independent(five_bar.MOTORS), samples=2).q[0]
    ),
    "stewart": Example(
        stewart.mechanism, lambda model: stewart.motion(model.with_independent(["float"]), steps=1).q[0]
    ),
    "delta": Example(delta.mechanism, delta.start),
    "strandbeest": Example(strandbeest.mechanism, strandbeest.start),
    "cassie": Example(cassie.mechanism, cassie.start),
    "figure on the bar": Example(figure_on_bar.mechanism, lambda model: figure_on_bar.start(model, figure_on_bar.LEAN)),
}
