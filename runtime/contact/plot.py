"""Contact forces of a trajectory as curves over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..arguments import Array
from ..errors import ModelError
from ..plotting.figures import new_figure
from ..plotting.plot import curves, plain
from .contacts import ContactHistory

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_contacts(name: str, t: Array, contacts: ContactHistory | None, links: Sequence[str] | None) -> Figure:
    """Contact force over t (n) on these links and where its centre of pressure is, gaps where nothing presses.

    None: all links that ever touched, but "world". ModelError without contacts, or if matplotlib is missing.
    """
    if contacts is None:
        raise ModelError("contacts: the trajectory was simulated without contacts")
    if links is not None and not len(links):
        raise ModelError("links: no link is named, so that there is nothing to draw")
    if links is None:
        links = [link for link in contacts.links() if link != "world" and contacts.force(link).any()]
    links = list(links)
    if not links:
        raise ModelError("contacts: nothing ever pressed on anything, so that there is nothing to draw")
    figure = new_figure(12.0, 0.6 + 2.4 * len(links))
    grid = figure.subplots(len(links), 2, sharex=True, sharey="col", squeeze=False)
    axes_names = [*enumerate("xyz")]
    for (force, pressure), link in zip(grid, links, strict=True):
        curves(force, t[:-1], contacts.force(link)[:-1], axes_names if link == links[0] else (), axes_names)
        curves(pressure, t[:-1], contacts.center_of_pressure(link)[:-1], (), axes_names)
        force.set_ylabel(plain(link))
    grid[0, 0].set_title(plain(f"{name}: contact force [N]"))
    grid[0, 1].set_title("centre of pressure [m]")
    for axis in grid[-1]:
        axis.set_xlabel("time [s]")
    return figure
