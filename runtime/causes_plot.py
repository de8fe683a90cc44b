"""Terms of a joint over time as stacked areas: what adds to the torque above zero, what takes from it below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .arguments import Array
from .errors import ModelError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .causes import TorqueTerms

COLOURS = (
    "#4c6a92",
    "#d9822b",
    "#8a8f98",
    "#4f9d69",
    "#b3475a",
    "#7b6fb0",
    "#2f9fa8",
    "#c9a227",
    "#8a5a83",
    "#5b8c3a",
)
REST = "#d5d8dc"
INNER = 3
"""Causes that are no wrenches."""


def plot_joint(terms: TorqueTerms, t: Array, title: str, most: int) -> Figure:
    """One row per dof of `terms` (n, dofs, links, causes): by cause, by link. ModelError if matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ModelError("plots need the package 'matplotlib'; install it") from error
    rows = len(terms.dofs)
    figure = Figure(figsize=(12.0, 0.6 + 3.0 * rows), layout="constrained")
    panels = figure.subplots(rows, 2, sharex=True, sharey="row", squeeze=False)
    own = np.asarray(terms.values[..., :INNER].sum(axis=-1))
    shown = _largest(own, most)
    for k, name in enumerate(terms.dofs):
        left, right = panels[k]
        causes = terms.by_cause
        felt = [c for c in range(len(terms.causes)) if c < INNER or causes[..., c].any()]
        stack(left, t, causes[:, k, felt], [terms.causes[c] for c in felt])
        columns, names = _gathered(own[:, k], terms.links, shown)
        wrenches = [c for c in felt if c >= INNER]
        together = np.concatenate([columns, causes[:, k, wrenches]], axis=1)
        stack(right, t, together, [*names, *(terms.causes[c] for c in wrenches)])
        for axes in (left, right):
            axes.plot(t, terms.total[:, k], color="black", linewidth=1.4, label="sum")
        if terms.quantity == "torque" and len(terms.causes) > 3:
            left.plot(t, terms.static[:, k], color="black", linewidth=1.0, linestyle="--", label="static approximation")
        left.set_ylabel(f"{name}\n{terms.quantity} [{terms.unit}]".replace("$", r"\$"))
    panels[0, 0].set_title("by cause")
    panels[0, 1].set_title("by link (motion and weight) and wrench")
    for axes in panels[0]:
        axes.legend(loc="best", fontsize="x-small", ncols=2, framealpha=0.7)
    for axes in panels[-1]:
        axes.set_xlabel("time [s]")
    figure.suptitle(title.replace("$", r"\$"))
    return figure


def stack(axes: Axes, t: Array, values: Array, names: Sequence[str]) -> None:
    """Areas of values (n, names) over t, positive parts stacked upwards and negative ones downwards."""
    for sign in (1.0, -1.0):
        low = np.zeros(len(t))
        for k, name in enumerate(names):
            high = low + sign * np.maximum(sign * values[:, k], 0.0)
            colour = REST if name.startswith("other ") else COLOURS[k % len(COLOURS)]
            label = name.replace("$", r"\$") if sign > 0.0 else None
            axes.fill_between(t, low, high, color=colour, alpha=0.85, linewidth=0.0, label=label)
            low = high
    axes.axhline(0.0, color="black", linewidth=0.5)
    axes.margins(x=0.0)
    axes.grid(alpha=0.25)


def _largest(values: Array, most: int) -> list[int]:
    """Links with the largest mean contribution to any dof, in their own order; links that add nothing are left out."""
    size = np.abs(values).mean(axis=0).max(axis=0)
    order = [int(i) for i in np.argsort(-size) if size[i] > 1e-9 * max(size.max(), 1e-300)]
    return sorted(order[:most])


def _gathered(values: Array, links: Sequence[str], shown: list[int]) -> tuple[Array, list[str]]:
    """Columns of the links shown and, if there are more, the sum of the others."""
    rest = [i for i in range(len(links)) if i not in shown and np.abs(values[:, i]).max() > 0.0]
    columns, names = [values[:, i] for i in shown], [links[i] for i in shown]
    if rest:
        columns.append(values[:, rest].sum(axis=1))
        names.append(f"other {len(rest)}")
    return np.array(columns).reshape(-1, len(values)).T, names
