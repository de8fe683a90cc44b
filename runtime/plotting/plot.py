"""A trajectory as curves over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..abi import JointSpec
from ..arguments import Array
from ..contact.contacts import ContactHistory
from ..errors import ModelError
from ..kinds import KINDS
from .figures import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEGEND_ROWS = 18


def plot_motion(name: str, t: Array, q: Array, v: Array, tau: Array, joints: Sequence[JointSpec]) -> Figure:
    """Coordinates, velocities and, if any are applied, torques of these joints over t (n), below each other.

    ModelError if matplotlib is missing.
    """
    panels = [
        ("q [rad, m]", q, entry_labels(joints, 0)),
        ("v [rad/s, m/s]", v, entry_labels(joints, 1)),
    ]
    if tau.any():
        panels.append(("tau [N m, N]", tau, entry_labels(joints, 1)))
    return _figure(name, t, panels)


def plot_contacts(name: str, t: Array, contacts: ContactHistory | None, links: Sequence[str] | None) -> Figure:
    """Contact force over t (n) on these links and where its centre of pressure is, gaps where nothing presses.

    None: all links that ever touched, but "world". ModelError without contacts, or if matplotlib is missing.
    """
    if contacts is None:
        raise ModelError("contacts: the trajectory was simulated without contacts")
    if links is None:
        links = [link for link in contacts.links() if link != "world" and contacts.force(link).any()]
    links = list(links)
    if not links:
        raise ModelError("contacts: nothing ever pressed on anything, so that there is nothing to draw")
    panels = []
    for link in links:
        panels.append((f"force on {link} [N]", contacts.force(link)[:-1], [*enumerate("xyz")]))
        panels.append((f"pressure on {link}\nat [m]", contacts.center_of_pressure(link)[:-1], [*enumerate("xyz")]))
    return _figure(name, t[:-1], panels)


def _figure(name: str, t: Array, panels: Sequence[tuple[str, Array, Sequence[tuple[int, str]]]]) -> Figure:
    """A panel for each (title, values (n, k), curves)."""
    figure = new_figure(9.0, 3.2 * len(panels))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (title, values, labels) in zip(axes, panels, strict=True):
        _curves(axis, t, values, labels)
        axis.set_ylabel(title.replace("$", r"\$"))
    axes[0].set_title(name.replace("$", r"\$"))
    axes[-1].set_xlabel("time [s]")
    return figure


def _curves(axis: Axes, t: Array, values: Array, labels: Sequence[tuple[int, str]]) -> None:
    for at, label in labels:
        axis.plot(t, values[:, at], label=label.replace("$", r"\$"), linewidth=1.0)
    axis.grid(alpha=0.3)
    if labels:
        columns = -(-len(labels) // LEGEND_ROWS)
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="x-small", ncols=columns)


def entry_labels(joints: Sequence[JointSpec], side: int) -> list[tuple[int, str]]:
    """(index in q for side 0 or in v for side 1, joint's name and entry) of every entry of the joints."""
    labels = []
    for joint in joints:
        start = (joint.q_start, joint.v_start)[side]
        entries = KINDS[joint.kind].labelled(side)
        labels += [(start + i, f"{joint.name} {entry}".strip()) for i, entry in enumerate(entries)]
    return labels
