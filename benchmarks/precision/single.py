"""Errors of models of floats against those of doubles, in random states.

    python benchmarks/precision/single.py [ROBOT ...] [--states N] [--seed N]

Both are given the same numbers, rounded to floats: configurations within the limits, velocities and accelerations
within 2, torques that would give these. Of each state the largest difference, of the largest number of its result; the
largest of all states, and in brackets the median. The last row has doubles alone, with torques rounded to floats beside
those that are not.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Table

import kinegen as kg

sys.path.insert(0, str(Path(__file__).parents[1]))
from run import ROBOTS, mechanism_of

Array = NDArray[np.floating]

FIGURE = "human_figure"
KNOWN = (*ROBOTS, FIGURE)
METHODS: dict[str, str] = {
    "inverse_dynamics": "q v a",
    "bias": "q v",
    "gravity": "q",
    "mass_matrix": "q",
    "forward_dynamics": "q v tau",
    "link_poses": "q",
    "com": "q",
    "com_jacobian": "q",
    "cog_bias": "q v",
    "energy": "q v",
    "momentum": "q v",
    "centroidal_momentum_matrix": "q",
    "integrate": "q v",
    "difference": "q other",
}
"""Methods, and the arguments that they take."""
ROUNDED = "forward_dynamics of doubles, torques rounded"


def off(found: Array, right: Array) -> Array:
    """(n) the largest difference in each state, of its largest number."""
    axes = tuple(range(1, right.ndim))
    return np.asarray(np.abs(found - right).max(axes) / np.abs(right).max(axes))


def errors(name: str, count: int, seed: int) -> dict[str, Array]:
    """(count) errors by method, and those that rounding of torques alone makes."""
    mechanism = kg.human_figure() if name == FIGURE else mechanism_of(name)
    single = kg.compile(mechanism, dtype="float32", lanes=True)
    double = kg.compile(mechanism, contacts=False)
    rng = np.random.default_rng(seed)
    exact = {"q": double.random(rng, size=count), "other": double.random(rng, size=count)}
    exact |= dict(zip("va", rng.uniform(-2, 2, (2, count, double.nv)), strict=True))
    floats = {key: x.astype(np.float32) for key, x in exact.items()}
    given = {key: x.astype(float) for key, x in floats.items()}
    tau = double.inverse_dynamics(given["q"], given["v"], given["a"])
    floats["tau"] = tau.astype(np.float32)
    given["tau"] = floats["tau"].astype(float)
    found = {
        method: off(
            getattr(single, method)(*(floats[x] for x in arguments.split())),
            getattr(double, method)(*(given[x] for x in arguments.split())),
        )
        for method, arguments in METHODS.items()
    }
    rounded, right = (double.forward_dynamics(given["q"], given["v"], x) for x in (given["tau"], tau))
    return found | {ROUNDED: off(rounded, right)}


def main(
    robots: Annotated[list[str] | None, typer.Argument(help="any of: " + ", ".join(KNOWN))] = None,
    states: Annotated[int, typer.Option(min=1, help="random states of each")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="where they begin")] = 0,
) -> None:
    """Prints a table."""
    chosen = robots or ["panda", "talos_reduced", FIGURE]
    if unknown := [name for name in chosen if name not in KNOWN]:
        raise typer.BadParameter(f"unknown robot {unknown[0]}; known: {', '.join(KNOWN)}")
    console = Console(width=None if sys.stdout.isatty() else 120)
    columns = {name: errors(name, states, seed) for name in chosen}
    table = Table(title=f"floats against doubles, {states} states: largest error (median)", box=box.SIMPLE)
    for column in ("", *columns):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for method in (*METHODS, ROUNDED):
        found = (column[method] for column in columns.values())
        table.add_row(method, *(f"{error.max():.0e} ({np.median(error):.0e})" for error in found))
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
