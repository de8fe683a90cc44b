"""kinegen demo: the whole way of one mechanism on one screen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from rich.markup import escape
from rich.table import Table

from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime.errors import ModelError
from kinegen.runtime.files import make_folder
from kinegen.runtime.stepping.clock import steps_in

from ..drawing.animate import animate
from ..drawing.pictures import energy_and_momentum, stick_figures
from ..models import Root, read_floating, read_model
from ..outputs import check_outputs
from .demonstration import Built, Flight, build_timed, fly, generate_timed
from .kernels import kernel_table
from .terminal import activity, complain, fraction_bar, seconds, show

FILES = {"trajectory": "trajectory.npz", "curves": "motion.png", "figures": "figures.png", "page": "motion.html"}


def run(model: str, root: Root | None, output: Path, duration: float, dt: float, seed: int) -> None:
    """Derive, generate, compile, simulate; tables to stdout, four files into `output`."""
    if not steps_in(duration, dt):
        told = f"{duration:g} s are less than a step of {dt:g} s: shorten --dt, or simulate for longer"
        raise ModelError(f"--duration: {told}")
    mechanism, why_held = (read_model(model, root), "") if root else read_floating(model)
    if why_held:
        complain(f"[yellow]note:[/] held to world instead of thrown, since: {escape(why_held)}")
    mechanism.check_dynamics()
    files = {what: output / name for what, name in FILES.items()}
    check_outputs([model], files)
    make_folder(output)
    with activity("deriving") as advance:
        sources, deriving = generate_timed(mechanism, advance)
    built = build_timed(sources, deriving)
    with fraction_bar("simulating") as report:
        flight = fly(mechanism, built.model, duration, dt, seed, report)
    with activity("drawing"):
        _write(mechanism, flight, files)
    show("", kernel_table(built.model.manifest), "", _summary(mechanism, built, flight), "")
    for what, file in files.items():
        show(f"[green]{what:10}[/]  {escape(str(file))}")


def _write(mechanism: Mechanism, flight: Flight, files: Mapping[str, Path]) -> None:
    trajectory, curves, figures, page = files.values()
    flight.trajectory.save(trajectory)
    energy_and_momentum(flight.trajectory, curves)
    stick_figures(mechanism, flight.trajectory, figures)
    animate(mechanism, flight.trajectory, page)


def _summary(mechanism: Mechanism, built: Built, flight: Flight) -> Table:
    model = built.model
    grid = Table(show_header=False, title=escape(mechanism.name), title_justify="left", border_style="dim")
    grid.title_style = "bold"
    grid.add_column(style="cyan")
    grid.add_column()
    loops = [virtual.joint.described for virtual in mechanism.virtual_links]
    kinds = [*(joint.kind for joint in model.manifest.joints), *loops]
    joints = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    closed = f"; {len(loops)} loop{'s' * (len(loops) > 1)}" if loops else ""
    length = sum(map(len, built.sources.files.values())) / 1e3
    per_step = flight.seconds / flight.steps
    reached = float(flight.trajectory.t[-1])
    grid.add_row("structure", f"{len(model.link_names)} links; joints: {joints}{closed}")
    grid.add_row("size", f"nq = {model.nq}, nv = {model.nv}, {model.nu} of them actuated")
    grid.add_row(
        "derived and printed", f"{seconds(built.deriving)}, {length:.0f} kB of C in {len(built.sources.files)} files"
    )
    grid.add_row("compiled", "from cache in " * built.cached + seconds(built.compiling))
    grid.add_row("simulated", f"{reached:g} s by {flight.integrator}, {flight.steps} steps of {seconds(flight.dt)}")
    grid.add_row("time per step", f"{seconds(per_step)}: {flight.dt / per_step:.0f} × real time")
    for row in _drifts(mechanism, flight):
        grid.add_row(*row)
    return grid


def _drifts(mechanism: Mechanism, flight: Flight) -> list[tuple[str, str]]:
    drift = f"{flight.energy_drift:.1e} of the largest kinetic energy"
    if not flight.conservative:
        drift += " (springs, dampers or friction act)"
    rows = [("energy drift" if flight.conservative else "energy change", drift)]
    numeric = all(isinstance(link.mass, (int, float)) for link in mechanism.links)
    if flight.floating and numeric:
        mass = sum(float(link.mass) for link in mechanism.links)
        linear, angular = flight.momentum_drift(mass, np.array([float(g) for g in mechanism.gravity]))
        rows.append(("momentum drift", f"linear {linear:.1e}, angular {angular:.1e} of the largest"))
    return rows
