"""Long runs of contact: what stands stays, what falls gains no energy, piles stay in their box, memory stays as it is.

    python benchmarks/contact_endurance.py [standing|ratios|rods|drops|pile] [OPTIONS]

Each command prints one table and exits with 1 if something it looks at is not as it should be. Without a command: all
of them, at their full lengths, in about ten minutes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import typer
from common import contact_bodies as bodies
from common.memory import resident
from contact import robot, start
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

import kinegen as kg
from kinegen.runtime.arguments import Array

DEPTH = 2e-4
"""Depth that a standing scene may have [m]."""
CONSOLE = Console(width=None if sys.stdout.isatty() else 130)
app = typer.Typer(add_completion=False, help=__doc__, invoke_without_command=True)


def _bar(numbers: Iterable[int], what: str) -> Iterable[int]:
    """A progress bar at a terminal."""
    return track(numbers, what, transient=True, console=CONSOLE) if CONSOLE.is_terminal else numbers


def _table(title: str, *columns: str) -> Table:
    made = Table(title=title, box=box.SIMPLE, pad_edge=False)
    for i, column in enumerate(columns):
        made.add_column(column, justify="left" if i == 0 or not column else "right")
    return made


def _show(table: Table, failed: bool) -> None:
    CONSOLE.print(table)
    if failed:
        raise typer.Exit(1)


@dataclass(frozen=True)
class Stood:
    """What a scene did: points at the end, largest depth [m], sweeps at the end, largest shift of a touching link [m]
    from a second on, seconds a step.
    """

    points: int
    depth: float
    sweeps: int
    creep: float
    step: float


def stood(model: kg.Model, q: Array, duration: float, what: str) -> Stood:
    """Defaults, 1 ms; looks at every tenth step."""
    simulator = kg.Simulator(model, q=q)
    depth, settled, creep, spent = 0.0, model.q0, 0.0, 0.0
    touching = sorted(
        {model.link_names.index(name) for pair in model.manifest.touching for name in pair if name != "world"}
    )
    for second in _bar(range(round(duration)), what):
        begun = time.perf_counter()
        trajectory = simulator.run(1.0, every=10)
        spent += time.perf_counter() - begun
        assert trajectory.contacts is not None
        gaps = trajectory.contacts.records["gap"]
        depth = max(depth, -float(gaps.min(initial=0.0)))
        places = model.link_poses(trajectory.q)[:, :, :3, 3][:, touching]
        settled = places[-1] if second == 0 else settled
        creep = max(creep, float(np.linalg.norm((places - settled)[-1 if second == 0 else 0 :], axis=-1).max()))
    contacts = simulator.contacts
    return Stood(len(contacts), depth, contacts.sweeps, creep, spent / (round(duration) * 1000))


def talos() -> tuple[kg.Model, Array]:
    """The robot of benchmarks/contact.py, its joints held by springs and dampers."""
    made = robot(1)
    held = [replace(j, stiffness=(3000.0,), damping=(60.0,)) if j.nv == 1 else j for j in made.joints]
    model = kg.compile(replace(made, joints=tuple(held)))
    return model, start(model)


@app.command()
def standing(duration: Annotated[float, typer.Option(help="simulated seconds of each scene")] = 60.0) -> None:
    """Scenes that stand: depth, creep, sweeps, time of a step."""
    shown = _table(
        f"standing for {duration:g} s, 1 ms, defaults",
        "scene",
        "points",
        "depth [mm]",
        "creep [mm]",
        "sweeps at the end",
        "us a step",
        "",
    )
    scenes = {
        "ten boxes": bodies.stack([1.0] * 10),
        "wall of 15 bricks": bodies.wall(),
        "table on 40 points": bodies.table(),
        "box on a slope, 97 % of friction": bodies.on_slope(),
        "arch of nine stones": bodies.arch(),
        "talos on two feet": talos(),
    }
    failed = False
    for name, (model, q) in scenes.items():
        done = stood(model, q, duration, name)
        bad = done.depth > DEPTH or done.creep > 1e-3
        failed |= bad
        figures = f"{1e3 * done.depth:.4f}", f"{1e3 * done.creep:.4f}", str(done.sweeps), f"{1e6 * done.step:.1f}"
        shown.add_row(name, str(done.points), *figures, "NOT AS IT SHOULD" if bad else "stands")
    _show(shown, failed)


@app.command()
def ratios(duration: Annotated[float, typer.Option(help="simulated seconds of each stack")] = 10.0) -> None:
    """Stacks of unequal masses, reported as they are."""
    shown = _table("cubes of 0.1 m on each other", "masses from below [kg]", "depth [mm]", "creep [mm]", "sweeps")
    for masses in ([1000.0, 1.0], [1.0, 10.0], [1.0, 100.0], [1.0, 1000.0], [1.0, 10.0, 100.0], [1.0, 30.0, 1000.0]):
        done = stood(*bodies.stack(masses), duration, str(masses))
        text = ", ".join(f"{m:g}" for m in masses)
        shown.add_row(text, f"{1e3 * done.depth:.4f}", f"{1e3 * done.creep:.3f}", str(done.sweeps))
    CONSOLE.print(shown)


def fall(model: kg.Model, simulator: kg.Simulator, bare: kg.Simulator, rng: Any) -> tuple[float, float, float]:
    """Over the energy at the start: largest kinetic energy that contact ever gave in a step, largest energy above that
    at the start, and the same in as long a fall through the ground: Euler's steps do not keep the energy of a spin.
    """
    q = model.random(rng)
    q[:3] = [0, 0, 0.5]
    simulator.q, simulator.v = q, np.array([*rng.normal(size=3), *(5.0 * rng.normal(size=3))])
    bare.q, bare.v = simulator.q, simulator.v
    through = bare.run(0.6, every=10).energy.sum(axis=1)
    trajectory = simulator.run(0.6)
    energy = trajectory.energy
    given = 0.0
    assert trajectory.contacts is not None
    for i in np.flatnonzero(np.diff(trajectory.contacts.starts)):
        bare.q, bare.v = trajectory.q[i], trajectory.v[i]
        bare.step()
        given = max(given, float(energy[i + 1, 0] - model.energy(bare.q, bare.v)[0]))
    total = energy.sum(axis=1)
    return given / total[0], float(total.max() - total[0]) / total[0], float(through.max() - total[0]) / total[0]


@app.command()
def drops(
    count: Annotated[int, typer.Option(help="drops in all")] = 10_000,
    shapes: Annotated[int, typer.Option(help="different bodies")] = 50,
) -> None:
    """Random drops of polyhedra with restitution from 0 to 1: contact never gives energy."""
    shown = _table(
        f"{count} drops of {shapes} bodies, spinning, 1 ms",
        "restitution",
        "drops",
        "energy given by contact in a step / energy",
        "largest energy above the start / energy",
        "the same without ground",
    )
    found: list[tuple[float, ...]] = []
    for seed in _bar(range(shapes), "drops"):
        model, restitution = bodies.polyhedron(seed)
        simulator, bare = kg.Simulator(model), kg.Simulator(model, contacts=False)
        rng = np.random.default_rng(seed)
        for _ in range(count // shapes):
            found.append((restitution, *fall(model, simulator, bare, rng)))
    failed = False
    for low in np.arange(0.0, 1.0, 0.2):
        rows = np.array([row for row in found if low <= row[0] < low + 0.2 or row[0] == low + 0.2 == 1.0])
        if len(rows):
            given, above, through = rows[:, 1:].max(axis=0)
            failed |= given > 1e-12 or above > 5e-3
            figures = f"{given:.1e}", f"{above:.1e}", f"{through:.1e}"
            shown.add_row(f"{low:.1f} to {low + 0.2:.1f}", str(len(rows)), *figures)
    _show(shown, bool(failed))


@app.command()
def pile(
    steps: Annotated[int, typer.Option(help="steps of 1 ms")] = 1_000_000,
    count: Annotated[int, typer.Option(help="boxes")] = 30,
    kick: Annotated[float, typer.Option(help="speed of the kicks [m/s]")] = 3.0,
    pause: Annotated[int, typer.Option(help="steps from kick to kick")] = 10_000,
) -> None:
    """A pile of boxes between walls, kicked at random again and again: finite, nothing leaves, memory as it was."""
    model, q = bodies.pile(count)
    simulator, rng = kg.Simulator(model, q=q), np.random.default_rng(0)
    simulator.step(pause)
    spent, depth, points, outside, memory = 0.0, 0.0, 0, 0, 0
    for k in _bar(range(steps // pause), "pile"):
        v = simulator.v.reshape(count, 6)
        v[:, :3] += kick * rng.normal(size=(count, 3))
        simulator.v = v.ravel()
        begun = time.perf_counter()
        simulator.step(pause)
        spent += time.perf_counter() - begun
        places = simulator.q.reshape(count, 7)[:, :3]
        outside += int((np.abs(places[:, :2]) > bodies.WALLS).sum() + (places[:, 2] < 0.0).sum())
        contacts = simulator.contacts
        depth, points = max(depth, -float(contacts.gaps.min(initial=0.0))), max(points, len(contacts))
        if k == min(4, steps // pause - 1):
            memory = resident()
    grown = resident() - memory
    finite = bool(np.isfinite(simulator.q).all() and np.isfinite(simulator.v).all())
    shown = _table(
        f"pile of {count} boxes, kicks of {kick:g} m/s every {pause} steps", "steps", "points", "depth at rest [mm]"
    )
    for column in ("outside", "memory grown [kB]", "us a step", "finite"):
        shown.add_column(column, justify="right")
    done = steps // pause * pause
    cells = f"{done:,}", str(points), f"{1e3 * depth:.3f}", str(outside), str(grown), f"{1e6 * spent / done:.0f}"
    shown.add_row(*cells, str(finite))
    _show(shown, not finite or outside > 0 or grown > 4096)


@app.command()
def rods() -> None:
    """Painleve's rod slides on its tip, either way round, above and below the friction of the paradox (4/3)."""
    shown = _table(
        "rod on its tip, 5 m/s", "friction", "angle [deg]", "leans", "energy rises by [J]", "depth [mm]", "force [N]"
    )
    failed = False
    for friction in (0.5, 1.2, 1.6, 2.5):
        for angle in (30, 45, 60, 75):
            for way in (1, -1):
                model, q, v = bodies.rod(friction, np.radians(angle))
                if way < 0:
                    v = v * [-1, 1, -1, 1, 1, 1]
                trajectory = kg.Simulator(model, q=q, v=v).run(2.0)
                assert trajectory.contacts is not None
                rise = float(np.diff(trajectory.energy.sum(axis=1)).max())
                depth = -float(trajectory.contacts.records["gap"].min(initial=0.0))
                force = float(np.abs(trajectory.contacts.force("rod")).max())
                failed |= rise > 1e-6 or depth > DEPTH
                figures = f"{rise:.1e}", f"{1e3 * depth:.4f}", f"{force:.0f}"
                shown.add_row(f"{friction}", str(angle), "forward" if way > 0 else "back", *figures)
    _show(shown, failed)


@app.callback()
def everything(context: typer.Context) -> None:
    """All of them if none is named."""
    if context.invoked_subcommand is None:
        failed = False
        for command in (standing, ratios, rods, drops, pile):
            try:
                command()
            except typer.Exit:
                failed = True
        raise typer.Exit(int(failed))


if __name__ == "__main__":
    app()
