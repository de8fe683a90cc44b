"""19 steps in 20 s, replayed by the joints' servos: on stiff ankles, on rubber, on rubber with a stabiliser [P Fig. 6].

    python examples/walking/walk.py [FOLDER] [talos|figure ...]     a table, pictures go to FOLDER (examples/out)

Both are stepped by Runge-Kutta's method [P §4], rubber in parts of a millisecond, as its dampers want, and by
semi-implicit Euler, in which they are implicit. Talos needs the package example-robot-data.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from bodies import BODIES, Body, Who
from matplotlib.figure import Figure
from replay import Account, Stabiliser, account, simulator, walk

import kinegen as kg
from kinegen.script import Folder, script

TURNS = 3
"""Runs of which the fastest is told."""
ALONE = 20.0, 4.5
"""Times stiffness and damping of servos that know no torques."""


@dataclass(frozen=True)
class Case:
    """On rubber or not; integrator; whether the pattern's torques are told, else servos alone, as stiff as those of a
    robot that is told positions; stabiliser."""

    rubber: bool
    integrator: str
    told: bool = True
    minded: bool = False


CASES = {
    "stiff, rk4": Case(False, "rk4"),
    "stiff": Case(False, "semi_implicit"),
    "stiff, servos alone": Case(False, "semi_implicit", told=False),
    "rubber, rk4": Case(True, "rk4"),
    "rubber": Case(True, "semi_implicit"),
    "rubber, stabiliser, rk4": Case(True, "rk4", minded=True),
    "rubber, stabiliser": Case(True, "semi_implicit", minded=True),
}


SHOWN = "stiff, rk4", "rubber, rk4", "rubber, stabiliser, rk4"
"""Of which the picture tells the forces of the floor."""


def cost(simulators: Sequence[kg.Simulator], steps: int) -> float:
    """[s] of the processor for a step, the least of several runs."""
    taken = []
    for one in simulators:
        begun = time.process_time()
        one.step(steps)
        taken.append((time.process_time() - begun) / steps)
    return min(taken)


def row(name: str, found: Account, seconds: float, dt: float) -> str:
    fell = "" if found.fell is None else f", falls at {found.fell:.1f} s"
    cells = (
        f"{found.steps}{fell}",
        f"{1e3 * found.zmp:.0f}",
        f"{np.degrees(found.joints):.2f}",
        f"{1e3 * found.place:.0f} mm, {np.degrees(found.turn):.1f}°",
        f"{found.peak:.2f}",
        f"{found.touchdown:.1f}",
        f"{abs(found.work - found.gained - found.lost) / found.gross:.1e}",
        f"{1e6 * seconds:.0f}",
        f"{dt / seconds:.0f}",
    )
    return f"| {name} | {' | '.join(cells)} |"


HEAD = (
    "| case | steps done | ZMP off [mm] | joints off [°] | trunk off | peak force / weight | touchdown [N s] "
    "| energy unaccounted / work of motors | time of a step [µs] | × real time |\n|" + 10 * "---|"
)


def told(name: str, body: Body, folder: Path) -> None:
    """Rows of the table, and pictures."""
    rigid, soft = kg.compile(body.mechanism), kg.compile(body.on_rubber()).with_parameters(rubber=body.rubber)
    pattern = walk(body, rigid)
    steps, runs = len(pattern.t) - 1, {}
    for title, case in CASES.items():
        model, stabiliser = (soft if case.rubber else rigid), (Stabiliser(body.rubber) if case.minded else None)
        parts = body.parts if case.rubber and case.integrator == "rk4" else 1
        given = (
            body if case.told else replace(body, kp=ALONE[0] * body.kp, kd=ALONE[1] * body.kd),
            model,
            pattern,
            stabiliser,
            parts,
            case.told,
        )
        run = simulator(*given, integrator=case.integrator, work=True).run(pattern.t[-1], every=parts)
        found = account(body, pattern, run)
        runs[title] = run if found.fell is None else run[: round(found.fell / pattern.dt)]
        many = 1 if stabiliser else TURNS
        again = [simulator(*given, integrator=case.integrator) for _ in range(many)]
        seconds = cost(again, steps if stabiliser is None else steps // 5)
        print(row(f"{name}, {title}", found, seconds, pattern.dt / parts), flush=True)
    forces(body, pattern, {title: runs[title] for title in SHOWN}, folder / f"walk_{name}_forces.png")
    kg.stick_figures(body.mechanism, runs["stiff"], folder / f"walk_{name}.png", poses=8)
    kg.stick_figures(body.on_rubber(), runs["rubber"], folder / f"walk_{name}_rubber.png", poses=8)


def forces(body: Body, pattern: kg.WalkingPattern, runs: dict[str, kg.Trajectory], path: Path) -> None:
    """Vertical force of the floor on the left foot [P Fig. 4], and how far the ZMP is from the planned one."""
    figure = Figure(figsize=(10.0, 3.0 * len(runs) + 2.0), layout="constrained")
    axes = figure.subplots(len(runs) + 1, 1, sharex=True)
    for axis, (case, run) in zip(axes, runs.items(), strict=False):
        assert run.contacts is not None
        axis.plot(
            run.t[:-1], run.contacts.force(body.feet[0])[:-1, 2], linewidth=0.7, color="#4c6a92", label="simulated"
        )
        axis.plot(pattern.t, pattern.floor[:, 0, 2], "--", linewidth=0.9, color="#1f2933", label="planned")
        axis.set_ylim(0.0, 2.0 * pattern.floor[..., 2].max())
        axis.set_ylabel(f"{case}\nleft foot [N]")
        axis.legend(loc="upper right", fontsize="x-small")
        off = run.contacts.center_of_pressure("world")[:-1, :2] - pattern.zmp[: len(run) - 1, :2]
        axes[-1].plot(run.t[:-1], 1e3 * np.linalg.norm(off, axis=1), linewidth=0.7, label=case)
    axes[-1].set_ylabel("ZMP off [mm]")
    axes[-1].set_ylim(0.0, 250.0)
    axes[-1].legend(loc="upper left", fontsize="x-small")
    axes[-1].set_xlabel("time [s]")
    for axis in axes:
        axis.grid(alpha=0.3)
    figure.savefig(path, dpi=80)


def main(
    folder: Folder = Path(__file__).parents[1] / "out",
    who: Annotated[list[Who] | None, typer.Argument(help="Both by default.", show_default=False)] = None,
) -> None:
    print(HEAD)
    for name in who or BODIES:
        told(name, BODIES[name](), folder)


if __name__ == "__main__":
    script(main, __doc__)
