"""How many of 100 walks on rubber end in a fall, with and without the stabiliser: random pushes, friction and mass.

    python examples/walking/pushes.py [--walks 100] [--threads 2] [--steps 6] [FOLDER]

Talos is pushed every two seconds at the trunk, for 0.1 s, from any side, with 20 to 100 N; friction is 0.4 to 1, all
masses are up to 10 % more or less than the pattern and its torques know of. One compiled model, friction and masses
being its parameters; all walks are one rollout without and one with the stabiliser.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from bodies import loaded, talos
from matplotlib.figure import Figure
from numpy.typing import NDArray
from replay import FALLEN, Control, Stabiliser, walk

import kinegen as kg
from kinegen.script import Folder, script

Array = NDArray[np.float64]
RUBBER = 2500.0
"""[N m/rad]: undisturbed he walks on it without a stabiliser."""
FRICTION, LOAD = (0.4, 1.0), (0.9, 1.1)
EVERY, LASTS, LEAST, MOST = 2.0, 0.1, 20.0, 100.0
"""Of pushes [s, s, N, N]."""
RECORDED = 20


@dataclass(frozen=True)
class Walks:
    """Of B walks: friction, part of the mass, wrench on the trunk in each step (B, n, 6); states that fell (2, B),
    without and with the stabiliser."""

    friction: Array
    load: Array
    wrench: Array
    fell: NDArray[np.bool_]

    @property
    def push(self) -> Array:
        """(B) [N s] the largest of each walk."""
        return np.asarray(np.linalg.norm(self.wrench[..., :2], axis=-1).max(axis=1) * LASTS)


def pushes(rng: np.random.Generator, pattern: kg.WalkingPattern) -> Array:
    """(n, 6) wrench on the trunk in each step."""
    wrench = np.zeros((len(pattern.t) - 1, 6))
    for begun in np.arange(EVERY, pattern.t[-1] - EVERY, EVERY):
        begun += rng.uniform(-0.5, 0.5)
        angle, size = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(LEAST, MOST)
        now = (pattern.t[:-1] >= begun) & (pattern.t[:-1] < begun + LASTS)
        wrench[now, :2] = size * np.cos(angle), size * np.sin(angle)
    return wrench


def walked(count: int, steps: int, threads: int | None = None) -> Walks:
    """`count` walks of so many steps."""
    body = talos(friction=kg.parameter("friction", 0.8))
    pattern, model = walk(body, kg.compile(talos().mechanism), steps), kg.compile(loaded(body.on_rubber()))
    rng = np.random.default_rng(0)
    friction, load = rng.uniform(*FRICTION, count), rng.uniform(*LOAD, count)
    wrench = np.stack([pushes(rng, pattern) for _ in range(count)])
    fell = []
    for stabiliser in (None, Stabiliser(RUBBER)):
        found = kg.rollout(
            model,
            *pattern.start(model),
            steps=len(pattern.t) - 1,
            dt=pattern.dt,
            tau=[Control(body, pattern, model, stabiliser, 1) for _ in range(count)]
            if stabiliser
            else told(pattern, model),
            servos=pattern.servos(body.kp, body.kd),
            wrenches={body.trunk: wrench},
            parameters={"rubber": RUBBER, "load": load, "friction": friction},
            every=RECORDED,
            threads=threads,
        )
        fell.append(fallen(found, model, pattern))
    return Walks(friction, load, wrench, np.array(fell))


def told(pattern: kg.WalkingPattern, model: kg.Model) -> Array:
    """(1, n, nv) the pattern's torques, the same for all walks."""
    return pattern.torques(model)[None, :-1]


def fallen(found: kg.Rollouts, model: kg.Model, pattern: kg.WalkingPattern) -> NDArray[np.bool_]:
    """(B) whose mass centre came too low, or whose motion ended."""
    heavy = model.with_parameters(rubber=RUBBER)  # all masses are changed alike, which leaves their centre
    return np.array(
        [
            row in found.errors or bool((heavy.com(q)[:, 2] < FALLEN * pattern.com[0, 2]).any())
            for row, q in enumerate(found.q)
        ]
    )


def picture(walks: Walks, path: Path) -> None:
    """Largest push over friction, the mass as the colour; crosses fall."""
    figure = Figure(figsize=(9.5, 4.0), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for axis, fell, title in zip(axes, walks.fell, ("without stabiliser", "with stabiliser"), strict=True):
        for chosen, mark, label in ((~fell, "o", "walks"), (fell, "x", "falls")):
            points = axis.scatter(
                walks.friction[chosen],
                walks.push[chosen],
                c=100.0 * (walks.load[chosen] - 1.0),
                marker=mark,
                s=30,
                cmap="coolwarm",
                vmin=-10.0,
                vmax=10.0,
                label=label,
            )
        axis.set_title(f"{title}: {fell.sum()} of {fell.size} fall")
        axis.set_xlabel("friction")
        axis.grid(alpha=0.3)
        axis.legend(fontsize="small", ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False)
    figure.colorbar(points, ax=axes, label="mass off the pattern's [%]")
    axes[0].set_ylabel("largest push [N s]")
    figure.savefig(path, dpi=90)


def main(
    folder: Folder = Path(__file__).parents[1] / "out",
    walks: Annotated[int, typer.Option(min=1, help="How many.")] = 100,
    threads: Annotated[int | None, typer.Option(min=1, help="All cores by default.", show_default=False)] = None,
    steps: Annotated[int, typer.Option(min=1, help="Of each walk.")] = 6,
) -> None:
    found = walked(walks, steps, threads)
    thirds = np.digitize(found.friction, [0.6, 0.8])
    for what, fell in zip(("without", "with"), found.fell, strict=True):
        parts = ", ".join(
            f"{fell[thirds == k].sum()} of {(thirds == k).sum()} on {name}"
            for k, name in enumerate(("0.4-0.6", "0.6-0.8", "0.8-1"))
        )
        print(f"{what} stabiliser: {fell.sum()} of {fell.size} fall; by friction {parts}")
    picture(found, folder / "walk_pushes.png")


if __name__ == "__main__":
    script(main, __doc__)
