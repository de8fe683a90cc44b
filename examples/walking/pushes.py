"""How many of 100 walks on rubber end in a fall, with and without the stabiliser: random pushes, friction and mass.

    python examples/walking/pushes.py [--walks 100] [--processes 2] [--steps 6] [FOLDER]

Talos is pushed every two seconds at the trunk, for 0.1 s, from any side, with 20 to 100 N; friction is 0.4, 0.6, 0.8
or 1, all masses are up to 10 % more or less than the pattern and its torques know of.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from bodies import Body, loaded, talos
from matplotlib.figure import Figure
from numpy.typing import NDArray
from replay import FALLEN, Stabiliser, simulator, walk

import kinegen as kg

RUBBER = 2500.0
"""[N m/rad]: undisturbed he walks on it without a stabiliser."""
FRICTIONS = (0.4, 0.6, 0.8, 1.0)
EVERY, LASTS, LEAST, MOST = 2.0, 0.1, 20.0, 100.0
"""Of pushes [s, s, N, N]."""


@dataclass(frozen=True)
class Walk:
    """Number of its random numbers, friction, part of the mass, largest push [N s]; time of the fall [s] or None
    without and with the stabiliser."""

    number: int
    friction: float
    load: float
    push: float
    fell: tuple[float | None, float | None]


@cache
def made(friction: float, steps: int) -> tuple[Body, kg.Model, kg.WalkingPattern]:
    body = talos(friction)
    return body, kg.compile(loaded(body.on_rubber())), walk(body, kg.compile(talos().mechanism), steps)


def pushes(rng: np.random.Generator, pattern: kg.WalkingPattern) -> NDArray[np.float64]:
    """(n, 6) wrench on the trunk in each step."""
    wrench = np.zeros((len(pattern.t), 6))
    for begun in np.arange(EVERY, pattern.t[-1] - EVERY, EVERY):
        begun += rng.uniform(-0.5, 0.5)
        angle, size = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(LEAST, MOST)
        now = (pattern.t >= begun) & (pattern.t < begun + LASTS)
        wrench[now, :2] = size * np.cos(angle), size * np.sin(angle)
    return wrench


def one(job: tuple[int, int]) -> Walk:
    number, steps = job
    rng = np.random.default_rng(number)
    friction, load = FRICTIONS[number % len(FRICTIONS)], float(rng.uniform(0.9, 1.1))
    body, soft, pattern = made(friction, steps)
    model = soft.with_parameters(rubber=RUBBER, load=load)
    wrench = pushes(rng, pattern)
    fell: list[float | None] = []
    for stabiliser in (None, Stabiliser(RUBBER)):
        run = simulator(body, model, pattern, stabiliser, wrenches={body.trunk: wrench}).run(pattern.t[-1], every=20)
        low = np.flatnonzero(model.com(run.q)[:, 2] < FALLEN * pattern.com[0, 2])
        fell.append(float(run.t[low[0]]) if low.size else None)
    largest = float(np.linalg.norm(wrench[:, :2], axis=1).max()) * LASTS
    return Walk(number, friction, load, largest, (fell[0], fell[1]))


def picture(walks: Sequence[Walk], path: Path) -> None:
    figure = Figure(figsize=(9.0, 4.0), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for k, title in enumerate(("without stabiliser", "with stabiliser")):
        for fallen, mark, colour in ((False, "o", "#4c6a92"), (True, "x", "#b3261e")):
            chosen = [w for w in walks if (w.fell[k] is not None) == fallen]
            spread = [w.friction + 0.12 * (w.load - 1.0) / 0.1 * 0.5 for w in chosen]
            axes[k].scatter(
                spread, [w.push for w in chosen], marker=mark, s=22, color=colour, label="falls" if fallen else "walks"
            )
        axes[k].set_title(f"{title}: {sum(w.fell[k] is not None for w in walks)} of {len(walks)} fall")
        axes[k].set_xlabel("friction; within each column mass from -10 % to +10 %")
        axes[k].set_xticks(FRICTIONS)
        axes[k].grid(alpha=0.3)
        axes[k].legend(fontsize="x-small")
    axes[0].set_ylabel("largest push [N s]")
    figure.savefig(path, dpi=90)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="walks with random pushes")
    parser.add_argument("--walks", type=int, default=100)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[1] / "out")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    for friction in FRICTIONS:
        made(friction, given.steps)  # compiled once, found in the cache by the others
    with get_context("spawn").Pool(given.processes) as pool:
        walks = pool.map(one, [(number, given.steps) for number in range(given.walks)], chunksize=4)
    for k, what in enumerate(("without", "with")):
        counts = {mu: sum(w.fell[k] is not None for w in walks if w.friction == mu) for mu in FRICTIONS}
        print(f"{what} stabiliser: {sum(counts.values())} of {len(walks)} fall; by friction {counts}")
    picture(walks, given.folder / "walk_pushes.png")


if __name__ == "__main__":
    main()
