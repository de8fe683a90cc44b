"""A compiled model: its kernels, loops, actuators and layouts. `Model` and `load` are imported when first used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..names.lazy import lazy

if TYPE_CHECKING:
    from .model import Model, load

__all__ = ["Model", "load"]

__getattr__: Callable[[str], Any]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy(__name__, {".model": __all__})
