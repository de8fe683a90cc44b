"""Terms of a joint over time as stacked areas: what adds to the torque above zero, what takes from it below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..abi import CAUSES
from ..arguments import Array
from ..errors import ModelError
from .figures import new_figure
from .plot import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOTIONS = ("#4c6a92", "#d9822b", "#9aa0a8")
"""Colours: of CAUSES, which every motion has, then of wrenches, links and what is left."""
WRENCHES = ("#4f9d69", "#b3475a", "#c9a227", "#2f9fa8", "#8a5a83")
LINKS = ("#3f5f8a", "#e0a458", "#7b6fb0", "#5fa8a3", "#c46a6a", "#7a8f3c", "#a67db8", "#5b7fb5", "#b08968", "#6b7280")
REST = "#d5d8dc"
INNER = len(CAUSES)
"""Causes that are no wrenches."""


@dataclass(frozen=True)
class Terms:
    """`values` (n, dofs, links, causes) over t (n), and the names of its axes; see `TorqueTerms`. `measures`: what each
    dof's are, and its unit."""

    t: Array
    values: Array
    dofs: Sequence[str]
    links: Sequence[str]
    causes: Sequence[str]
    quantity: str
    measures: Sequence[tuple[str, str]]


def plot_joint(terms: Terms, title: str, most: int) -> Figure:
    """One row per dof: by cause, by link. ModelError if matplotlib is missing."""
    rows, t = len(terms.dofs), terms.t
    if not rows:
        raise ModelError("names: no joint or dof is named, so that there is nothing to draw")
    figure = new_figure(12.0, 0.6 + 3.0 * rows)
    panels = figure.subplots(rows, 2, sharex=True, sharey="row", squeeze=False)
    moved, names, colours = _by_link(terms, most)
    causes, total = terms.values.sum(axis=-2), terms.values.sum(axis=(-1, -2))
    static = terms.values[..., INNER:].sum(axis=(-1, -2))
    felt = [c for c in range(len(terms.causes)) if c < INNER or causes[..., c].any()]
    outer = [c for c in felt if c >= INNER]
    pushed = [WRENCHES[(c - INNER) % len(WRENCHES)] for c in outer]
    for k, name in enumerate(terms.dofs):
        left, right = panels[k]
        stack(left, t, causes[:, k, felt], [terms.causes[c] for c in felt], [*MOTIONS, *pushed])
        together = np.concatenate([moved[:, k], causes[:, k, outer]], axis=1)
        stack(right, t, together, [*names, *(terms.causes[c] for c in outer)], [*colours, *pushed])
        for axes in (left, right):
            axes.plot(t, total[:, k], color="black", linewidth=1.4, label="sum")
        if terms.quantity == "torque" and outer:
            left.plot(t, static[:, k], color="black", linewidth=1.0, linestyle="--", label="static approximation")
        left.set_ylabel(plain("{}\n{} [{}]".format(name, *terms.measures[k])))
    panels[0, 0].set_title("by cause")
    panels[0, 1].set_title("by link (motion and weight) and wrench")
    for axes in panels[-1]:
        axes.set_xlabel("time [s]")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), fontsize="small", ncols=4, frameon=False)
    figure.suptitle(plain(title))
    return figure


def stack(axes: Axes, t: Array, values: Array, names: Sequence[str], colours: Sequence[str]) -> None:
    """Areas of values (n, names) over t, positive parts stacked upwards and negative ones downwards."""
    for sign in (1.0, -1.0):
        low = np.zeros(len(t))
        for k, name in enumerate(names):
            high = low + sign * np.maximum(sign * values[:, k], 0.0)
            label = plain(name) if sign > 0.0 else None
            axes.fill_between(t, low, high, color=colours[k], alpha=0.85, linewidth=0.0, label=label)
            low = high
    axes.axhline(0.0, color="black", linewidth=0.5)
    axes.margins(x=0.0)
    axes.grid(alpha=0.25)


def _by_link(terms: Terms, most: int) -> tuple[Array, list[str], list[str]]:
    """(n, dofs, names) what the motion and weight of the largest links ask for and, if others add to any dof, the sum
    of these; names and colours."""
    own = np.asarray(terms.values[..., :INNER].sum(axis=-1))
    shown = _largest(own, most)
    rest = [i for i in range(len(terms.links)) if i not in shown and own[..., i].any()]
    names, colours = [terms.links[i] for i in shown], [LINKS[k % len(LINKS)] for k in range(len(shown))]
    if not rest:
        return own[..., shown], names, colours
    others = own[..., rest].sum(axis=-1, keepdims=True)
    return np.concatenate([own[..., shown], others], axis=-1), [*names, f"other {len(rest)}"], [*colours, REST]


def _largest(values: Array, most: int) -> list[int]:
    """Links with the largest mean contribution to any dof, in their own order; links that add nothing are left out."""
    size = np.abs(values).mean(axis=0).max(axis=0)
    order = [int(i) for i in np.argsort(-size) if size[i] > 1e-9 * max(size.max(), 1e-300)]
    return sorted(order[:most])
