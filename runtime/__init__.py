"""Compiled models run: needs numpy and cffi's backend, neither SymPy nor a compiler.

`kinegen.runtime.load(folder)` gives a `Model`; names are imported when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import warn

if TYPE_CHECKING:
    from .contact.contacts import ContactOptions, Contacts
    from .model.model import Model, load
    from .model.single import SingleModel
    from .rollouts.rollout import Rollouts, rollout
    from .simulation.simulator import Simulator
    from .simulation.trajectory import SimulationError, Trajectory
    from .topology.library import Library

__all__ = [
    "ContactOptions",
    "Contacts",
    "Library",
    "Model",
    "Rollouts",
    "SimulationError",
    "Simulator",
    "SingleModel",
    "Trajectory",
    "layouts",
    "load",
    "rollout",
]

_HOME = {
    "ContactOptions": "contact.contacts",
    "Contacts": "contact.contacts",
    "Library": "topology.library",
    "Model": "model.model",
    "SingleModel": "model.single",
    "load": "model.model",
    "Rollouts": "rollouts.rollout",
    "rollout": "rollouts.rollout",
    "Simulator": "simulation.simulator",
    "SimulationError": "simulation.trajectory",
    "Trajectory": "simulation.trajectory",
}


def __getattr__(name: str) -> Any:
    if name == "layouts":
        return import_module(".model.layouts", __name__)
    if name == "TopologySimulator":
        warn(
            "kinegen.runtime.TopologySimulator is Simulator now, which takes a Library too; use Simulator",
            DeprecationWarning,
        )
        name = "Simulator"
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
