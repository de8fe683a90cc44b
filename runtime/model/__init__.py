"""A compiled model: its kernels, loops, actuators and layouts. `Model` and `load` are imported when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model import Model, load

__all__ = ["Model", "load"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(".model", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
