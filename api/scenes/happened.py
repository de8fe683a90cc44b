"""What happened in a scene, and what did not, a line each."""

from __future__ import annotations

from collections.abc import Sequence

from kinegen.runtime.events.agenda import Event

from .scene import Scene

MOST_EVENTS = 12
"""Events that are told one by one."""


def happened(scene: Scene, events: Sequence[Event]) -> list[str]:
    """A line for each event of the scene that happened: when, which, by which condition, and what it did."""
    known = dict(scene.structure.named_events())
    lines: list[tuple[str, list[str]]] = []
    for t, what, to in events:
        if what in known:
            why = "" if to == "at" else f" ({to})"
            lines.append((f"{t:.6g} s  {what}{why}", [f"target of {joint}" for joint in known[what].target]))
        elif lines:
            lines[-1][1].append(f"{what} {to}")
    told = [f"{head}: {', '.join(did) or 'nothing, it was so already'}" for head, did in lines[:MOST_EVENTS]]
    rest = len(lines) - len(told)
    return [*told, f"... and {rest} more, see the events of the trajectory"] if rest > 0 else told


def missed(scene: Scene, events: Sequence[Event]) -> list[str]:
    """A line for each event that waited for its condition in vain."""
    came = {what for _, what, _ in events}
    waited = [(name, event.when) for name, event in scene.structure.named_events() if name not in came]
    return [f"{name} did not happen: {when}" for name, when in waited if when is not None]
