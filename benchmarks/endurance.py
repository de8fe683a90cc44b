"""Long runs of closed mechanisms: the gap of every single step, and what becomes of the energy.

    python benchmarks/endurance.py [--steps N]

The largest gap is kept by the step loop itself, in C, over all steps. Jansen's leg is turned by a constant torque
against a damped crank; the man on the bar swings, driven by his hips; the four-bar has neither damper nor drive, its
energy is followed for 100 s of Runge-Kutta steps of 1 ms.
"""

from __future__ import annotations

import sys
import time
from typing import Annotated

import numpy as np
import typer
from common.examples_in_motion import figure_on_bar, strandbeest
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

import kinegen as kg

ALLOWED = 1e-10
CHUNK = 8_800
"""Steps between two looks: four kicks at the pace at which the man swings."""


def leg() -> tuple[kg.Simulator, np.ndarray]:
    """Jansen's leg at a turn a second or so, and torques for CHUNK steps of 1 ms."""
    model = kg.compile(strandbeest.mechanism(damping=0.5))
    tau = np.zeros((CHUNK, model.nv))
    tau[:, model.v_slice("motor")] = 4.0
    return kg.Simulator(model, dt=1e-3, q=strandbeest.start(model)), tau


def man() -> tuple[kg.Simulator, np.ndarray]:
    """The man on the bar, and torques for CHUNK steps of 1 ms: four kicks at his own pace, more with the left leg."""
    model = kg.compile(figure_on_bar.mechanism())
    tau = figure_on_bar.kicks(model, CHUNK, 1e-3, torque=80.0, period=CHUNK * 1e-3 / 4)
    tau[:, model.v_slice("hip_r")] *= 0.5
    return kg.Simulator(model, dt=1e-3, q=figure_on_bar.start(model, figure_on_bar.LEAN)), tau


def kinetic_energy(simulator: kg.Simulator) -> float:
    """Kinetic energy [J]."""
    return float(simulator.model.energy(simulator.q, simulator.v)[0])


def closure(name: str, simulator: kg.Simulator, tau: np.ndarray, steps: int, console: Console) -> list[str]:
    """A row of the table; the kinetic energy is the largest of 100 moments in one more CHUNK."""
    spent = 0.0
    for _ in track(range(-(-steps // CHUNK)), name, transient=True, console=console):
        simulator.tau = tau
        start = time.perf_counter()
        simulator.step(CHUNK)
        spent += time.perf_counter() - start
    done = -(-steps // CHUNK) * CHUNK
    alive = 0.0
    simulator.tau = tau
    for _ in range(100):
        simulator.step(CHUNK // 100)
        alive = max(alive, kinetic_energy(simulator))
    residual = float(np.abs(simulator.model.closure_residual(simulator.q)).max())
    verdict = "closed" if simulator.gap <= ALLOWED else "OPEN"
    figures = [f"{done:,}", f"{simulator.gap:.1e}", f"{residual:.1e}", f"{alive:.1f}", f"{spent / done * 1e6:.1f}"]
    return [name, *figures, verdict]


def energy(console: Console) -> tuple[float, float]:
    """Largest relative change of the energy of an undamped four-bar in 100 s, and the largest gap."""
    model = kg.compile(kg.load(strandbeest.Path(__file__).parents[1] / "examples" / "fourbar.toml"))
    v = model.dependent_motion(model.q0, np.eye(model.nv)[model.v_slice("drive").start] * 6.0)[0]
    simulator = kg.Simulator(model, dt=1e-3, integrator="rk4", v=v)
    first = float(model.energy(simulator.q, simulator.v).sum())
    kinetic = kinetic_energy(simulator)
    worst = 0.0
    for _ in track(range(1000), "four-bar", transient=True, console=console):
        simulator.step(100)
        worst = max(worst, abs(float(model.energy(simulator.q, simulator.v).sum()) - first))
    return worst / kinetic, simulator.gap


def main(steps: Annotated[int, typer.Option(min=1, help="steps of 1 ms of each long run")] = 1_000_000) -> None:
    """Prints one table and a line; exits with 1 if a loop opened or the energy drifted."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    shown = Table(title="closure over a long run", box=box.SIMPLE, pad_edge=False)
    for column in (
        "mechanism",
        "steps",
        "largest gap",
        "gap at the end",
        "kinetic energy at the end ≤ [J]",
        "µs a step",
        "",
    ):
        shown.add_column(column, justify="left" if column in ("mechanism", "") else "right")
    rows = [closure("Jansen's leg", *leg(), steps, console), closure("man on a bar", *man(), steps, console)]
    for row in rows:
        shown.add_row(*row)
    console.print(shown)
    drift, open_by = energy(console)
    console.print(f"four-bar, 100 s of Runge-Kutta steps of 1 ms: energy within {drift:.1e}, largest gap {open_by:.1e}")
    raise typer.Exit(int(any(row[-1] != "closed" for row in rows) or drift > 1e-6))


if __name__ == "__main__":
    typer.run(main)
