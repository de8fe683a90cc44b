"""Long runs: the gap of every single step, what becomes of the energy, and of memory.

    python benchmarks/endurance.py closure [--steps N]
    python benchmarks/endurance.py soak [--hours 24]

The largest gap is kept by the step loop itself, in C, over all steps. Jansen's leg is turned by a constant torque
against a damped crank; the man on the bar swings, driven by his hips; the four-bar has neither damper nor drive, its
energy is followed for 100 s of Runge-Kutta steps of 1 ms.

The soak swings, holds, lets go, throws and bounces for a day of simulated time with an account of every step
(common/soak.py), in about four minutes.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from common.examples_in_motion import figure_on_bar, strandbeest
from common.memory import resident
from common.soak import BLOCK, Bounce, Swing
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

import kinegen as kg

ALLOWED = 1e-10
MISSING = 1e-6
"""Of the energy turned over, what an account may miss."""
GROWTH = 2048
"""Memory [kB] that a soak may have more at its end than after its first hundredth."""
app = typer.Typer(add_completion=False, help=__doc__)
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
    model = kg.compile(kg.load(Path(__file__).parents[1] / "examples" / "fourbar.toml"))
    v = model.dependent_motion(model.q0, np.eye(model.nv)[model.v_slice("drive").start] * 6.0)[0]
    simulator = kg.Simulator(model, dt=1e-3, integrator="rk4", v=v)
    first = float(model.energy(simulator.q, simulator.v).sum())
    kinetic = kinetic_energy(simulator)
    worst = 0.0
    for _ in track(range(1000), "four-bar", transient=True, console=console):
        simulator.step(100)
        worst = max(worst, abs(float(model.energy(simulator.q, simulator.v).sum()) - first))
    return worst / kinetic, simulator.gap


@app.command(name="closure")
def closures(steps: Annotated[int, typer.Option(min=1, help="steps of 1 ms of each long run")] = 1_000_000) -> None:
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


@app.command()
def soak(hours: Annotated[float, typer.Option(min=0.01, help="simulated hours of each scene")] = 24.0) -> None:
    """Prints one table; exits with 1 if memory grew, a loop opened, an account is open, or a number is none."""
    console = Console(width=None if sys.stdout.isatty() else 130)
    shown = Table(title=f"{hours:g} simulated hours", box=box.SIMPLE, pad_edge=False)
    for column in (
        "scene",
        "steps",
        "largest gap",
        "work in [J]",
        "losses [J]",
        "missing",
        "kB at first",
        "at the end",
    ):
        shown.add_column(column, justify="left" if column == "scene" else "right")
    for column in ("µs a step, looked at", ""):
        shown.add_column(column, justify="right")
    failed = False
    for name, scene in (("swing, servo, grip", Swing()), ("thrown ball", Bounce())):
        blocks, begun = round(3600.0 * hours / BLOCK), time.process_time()
        for k in track(range(blocks), name, transient=True, console=console, disable=not console.is_terminal):
            scene.block()
            if k == blocks // 100:
                memory = resident()
        done, account, end = blocks * round(BLOCK / scene.simulator.dt), scene.account, resident()
        bad = end - memory > GROWTH or account.gap > ALLOWED or not account.finite or account.misfit > MISSING
        failed |= bad
        figures = [f"{done:,}", f"{account.gap:.1e}", f"{account.work:,.1f}", f"{account.loss:,.1f}"]
        figures += [f"{account.misfit:.1e}", f"{memory:,}", f"{end:,}"]
        figures += [f"{(time.process_time() - begun) / done * 1e6:.2f}", "FAILED" if bad else "holds"]
        shown.add_row(name, *figures)
    console.print(shown)
    raise typer.Exit(int(failed))


if __name__ == "__main__":
    app()
