"""Compiled models run: needs numpy and cffi's backend, neither SymPy nor a compiler.

`kinegen.runtime.load(folder)` gives a `Model`; names are imported when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .contact import ContactOptions, Contacts
    from .library import Library
    from .model import Model, load
    from .simulator import Simulator
    from .switching import TopologySimulator
    from .trajectory import SimulationError, Trajectory

__all__ = [
    "ContactOptions",
    "Contacts",
    "Library",
    "Model",
    "SimulationError",
    "Simulator",
    "TopologySimulator",
    "Trajectory",
    "layouts",
    "load",
]

_HOME = {
    "ContactOptions": "contact",
    "Contacts": "contact",
    "Library": "library",
    "TopologySimulator": "switching",
    "Model": "model",
    "load": "model",
    "Simulator": "simulator",
    "SimulationError": "trajectory",
    "Trajectory": "trajectory",
}


def __getattr__(name: str) -> Any:
    if name == "layouts":
        return import_module(".layouts", __name__)
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
