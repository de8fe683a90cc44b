"""PREFIX_live.c: one motion of a model in memory of its own, for WebAssembly."""

from __future__ import annotations

from collections.abc import Mapping

from kinegen.runtime.structs import OPTION_NUMBERS, PAGE_WRENCHES

from .text.environment import render


def live_files(files: Mapping[str, str], prefix: str) -> dict[str, str]:
    """The C of a model (path → text), with what makes it a motion that can be called with numbers only."""
    own = render("step/live.c.j2", prefix=prefix, wrenches=PAGE_WRENCHES, options=OPTION_NUMBERS)
    return dict(sorted({**files, f"{prefix}_live.c": own}.items()))
