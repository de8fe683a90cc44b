"""A motion as WebAssembly in V8, driven by the JavaScript that pages use."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
from py_mini_racer import MiniRacer

import kinegen as kg
from kinegen.drawing.play import wasm_of
from kinegen.runtime.live.layout import layout_of
from kinegen.runtime.live.start import start_of

Array = npt.NDArray[np.float64]


class LiveMotion:
    """The twin of a simulator, from its present moment on."""

    def __init__(self, simulator: kg.Simulator) -> None:
        self._context = MiniRacer()
        model = simulator._motion.model
        text = (files("kinegen.runtime.live") / "page" / "motion.js").read_text(encoding="utf-8")
        self._context.eval(text)
        code, layout, start = (
            list(wasm_of(model)),
            json.dumps(layout_of(model.manifest)),
            json.dumps(start_of(simulator)),
        )
        self._context.eval(f"const module = new WebAssembly.Module(new Uint8Array({code}))")
        self.imports: int = self._context.eval("WebAssembly.Module.imports(module).length")
        self._context.eval(f"globalThis.motion = new Motion(new WebAssembly.Instance(module), {layout}, {start})")

    def close(self) -> None:
        """V8 has threads, which end with it."""
        self._context.close()

    def evaluate(self, statements: str) -> None:
        self._context.eval(statements)

    def value(self, expression: str) -> Any:
        """The value of an expression of JavaScript, in which the motion is `motion`."""
        return json.loads(self._context.eval(f"JSON.stringify({expression})"))

    def array(self, name: str) -> Array:
        return np.array(self.value(f"[...motion.{name}]"), dtype=np.float64)
