"""A trajectory as curves over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..abi import JointSpec
from ..arguments import Array
from ..kinds import KINDS
from .figures import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEGEND_ROWS = 18
FEW = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf")
DASHES = ("-", "--", "-.", ":")


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


def _figure(name: str, t: Array, panels: Sequence[tuple[str, Array, Sequence[tuple[int, str]]]]) -> Figure:
    """A panel for each (title, values (n, k), curves)."""
    figure = new_figure(9.0, 3.2 * len(panels))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (title, values, labels) in zip(axes, panels, strict=True):
        curves(axis, t, values, labels, labels)
        axis.set_ylabel(plain(title))
    axes[0].set_title(plain(name))
    axes[-1].set_xlabel("time [s]")
    return figure


def curves(
    axis: Axes, t: Array, values: Array, named: Sequence[tuple[int, str]], drawn: Sequence[tuple[int, str]]
) -> None:
    """Columns of values over t, each in a style of its own; a legend of those `named`."""
    for (at, label), style in zip(drawn, styles(len(drawn)), strict=True):
        axis.plot(t, values[:, at], label=plain(label), linewidth=1.0, **style)
    axis.grid(alpha=0.3)
    if named:
        columns = -(-len(named) // LEGEND_ROWS)
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="x-small", ncols=columns)


def styles(count: int) -> list[dict[str, Any]]:
    """Colour and dashes of so many curves, no two with the same colour: ten that are told apart, else a spectrum."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    if count <= len(FEW):
        return [{"color": colour} for colour in FEW[:count]]
    spectrum = colormaps["turbo"]
    return [
        {"color": to_hex(spectrum(0.04 + 0.92 * i / (count - 1))), "linestyle": DASHES[i % len(DASHES)]}
        for i in range(count)
    ]


def plain(text: str) -> str:
    """A name as matplotlib prints it letter by letter: $ opens no formula."""
    return text.replace("$", r"\$")


def entry_labels(joints: Sequence[JointSpec], side: int) -> list[tuple[int, str]]:
    """(index in q for side 0 or in v for side 1, joint's name and entry) of every entry of the joints."""
    labels = []
    for joint in joints:
        start = (joint.q_start, joint.v_start)[side]
        entries = KINDS[joint.kind].labelled(side)
        labels += [(start + i, f"{joint.name} {entry}".strip()) for i, entry in enumerate(entries)]
    return labels
