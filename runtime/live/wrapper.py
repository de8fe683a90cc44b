"""A model as WebAssembly with what calls it from JavaScript, for those who build pages of their own."""

from __future__ import annotations

from ..animation.page import json_of
from ..simulation.simulator import Simulator, motion_of
from .layout import layout_of
from .page import live_file
from .start import start_of

SUFFIXES = ("wasm", "js", "d.ts")
"""Of the files of a module."""
LOADS = "export const load = (code) => Motion.from(code, layout, start);\nexport { Motion };\n"
"""How its JavaScript ends."""


def wrapped_module(simulator: Simulator, code: bytes) -> dict[str, bytes]:
    """File name → content: PREFIX.wasm, the JavaScript module PREFIX.js, and its types for TypeScript, PREFIX.d.ts.

    `load(bytes of PREFIX.wasm)` gives a motion that begins where the simulator is. ModelError as `start_of`.
    """
    manifest = motion_of(simulator).model.manifest
    layout, start = json_of(layout_of(manifest)), json_of(start_of(simulator))
    text = f"{live_file('motion.js')}\nexport const layout = {layout};\nexport const start = {start};\n{LOADS}"
    files = (code, text.encode(), live_file("motion.d.ts").encode())
    return {f"{manifest.prefix}.{suffix}": content for suffix, content in zip(SUFFIXES, files, strict=True)}
