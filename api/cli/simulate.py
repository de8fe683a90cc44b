"""kinegen simulate: a scene from its file to a trajectory, curves and pictures."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from rich.markup import escape

from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime.errors import SimulationError
from kinegen.runtime.simulation.trajectory import Trajectory
from kinegen.runtime.stepping.clock import steps_in

from ..drawing.animate import animate
from ..drawing.pictures import stick_figures
from ..outputs import check_outputs, make_folder_of
from ..scenes.happened import happened, missed
from ..scenes.scene import read_scene
from ..scenes.simulated import run_scene
from .demonstration import build_timed, generate_timed
from .terminal import activity, complain, fraction_bar, seconds, show


def run(file: Path, output: Path | None, plot: Path | None, pictures: Path | None, html: Path | None) -> None:
    """Simulate, write what is asked for here or in the scene, print a summary; of a motion that stops, what it has."""
    scene = read_scene(file)
    steps = steps_in(scene.duration, scene.dt)
    here = {"trajectory": output, "plot": plot, "pictures": pictures, "html": html}
    files = {**scene.outputs, **{what: path for what, path in here.items() if path}}
    check_outputs((file, file.parent / scene.model), files)
    expanded = scene.topologies()
    mechanism = expanded.mechanism
    mechanism.check_dynamics()
    with activity("deriving") as advance:
        sources, deriving = generate_timed(mechanism, advance, expanded.switches)
    built = build_timed(sources, deriving)
    try:
        with fraction_bar("simulating") as report:
            start = time.perf_counter()
            trajectory = run_scene(scene, built.model, report)
            spent = time.perf_counter() - start
    except SimulationError as error:
        if error.trajectory is not None and len(error.trajectory) > 1:
            _keep(mechanism, error.trajectory, files)
            show(*map(escape, happened(scene, error.trajectory.events)))
        raise
    _write(mechanism, trajectory, files)
    energy = trajectory.energy.sum(axis=1)
    show(
        f"[bold]{escape(mechanism.name)}[/]: {steps * scene.dt:g} s in {seconds(spent)}, "
        f"{steps} steps of {seconds(scene.dt)} by {scene.integrator}",
        f"energy {energy[0]:.6g} J at the start, {energy[-1]:.6g} J at the end",
        *map(escape, happened(scene, trajectory.events)),
        *(f"[yellow]{escape(line)}[/]" for line in missed(scene, trajectory.events)),
        *_written(files),
    )


def _write(mechanism: Mechanism, trajectory: Trajectory, files: Mapping[str, Path]) -> None:
    for what, path in files.items():
        make_folder_of(path)
        _WRITERS[what](mechanism, trajectory, path)


def _keep(mechanism: Mechanism, trajectory: Trajectory, files: Mapping[str, Path]) -> None:
    """What moved until it stopped; of a motion that grew without bound not all can be written, which is told."""
    show(f"[bold]{escape(mechanism.name)}[/]: stopped at {trajectory.t[-1]:.6g} s")
    for what, path in files.items():
        try:
            _write(mechanism, trajectory, {what: path})
        except (ValueError, ArithmeticError) as error:
            complain(f"[yellow]{what} is not written:[/] {escape(str(error))}")
        else:
            show(*_written({what: path}))


def _written(files: Mapping[str, Path]) -> list[str]:
    return [f"[green]{what}[/]  {escape(str(path))}" for what, path in files.items()]


def _save(mechanism: Mechanism, trajectory: Trajectory, path: Path) -> None:
    trajectory.save(path)


def _plot(mechanism: Mechanism, trajectory: Trajectory, path: Path) -> None:
    trajectory.plot(path)


def _pictures(mechanism: Mechanism, trajectory: Trajectory, path: Path) -> None:
    stick_figures(mechanism, trajectory, path)


def _html(mechanism: Mechanism, trajectory: Trajectory, path: Path) -> None:
    animate(mechanism, trajectory, path)


_WRITERS = {"trajectory": _save, "plot": _plot, "pictures": _pictures, "html": _html}
