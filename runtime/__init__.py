"""Compiled models run: needs numpy and cffi's backend, neither SymPy nor a compiler.

`kinegen.runtime.load(folder)` gives a `Model`; names are imported when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import warn
from .names.lazy import lazy

if TYPE_CHECKING:
    from .contact.contacts import ContactOptions, Contacts
    from .errors import SimulationError
    from .model.model import Model, load
    from .model.single import SingleModel
    from .rollouts.rollout import Rollouts, rollout
    from .simulation.simulator import Simulator
    from .simulation.trajectory import Trajectory
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

_found, __dir__ = lazy(
    __name__,
    {
        ".contact.contacts": ("ContactOptions", "Contacts"),
        ".errors": ("SimulationError",),
        ".model.model": ("Model", "load"),
        ".model.single": ("SingleModel",),
        ".rollouts.rollout": ("Rollouts", "rollout"),
        ".simulation.simulator": ("Simulator",),
        ".simulation.trajectory": ("Trajectory",),
        ".topology.library": ("Library",),
    },
    {"layouts": ".model.layouts"},
)


def __getattr__(name: str) -> Any:
    if name == "TopologySimulator":
        warn(
            "kinegen.runtime.TopologySimulator is Simulator now, which takes a Library too; use Simulator",
            DeprecationWarning,
        )
        name = "Simulator"
    return _found(name)
