"""What contact costs where loops are held by W: a walker whose legs are four-bars, and a library of the same.

    python benchmarks/contacts/closed_legs.py [--steps N]

Prints the median microseconds of a step of 1 ms, in C, standing on two feet (8 points), and in the air: without contact
at all, and with contacts looked for.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

import kinegen as kg
from kinegen.runtime.arguments import Array
from kinegen.runtime.simulation.simulator import motion_of

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from support.contact.closed_contact import ACROSS, bar

HOLD = 300.0, 3.0  # N m/rad, N m s/rad of hips and knees
CASES: tuple[tuple[str, float, bool | None], ...] = (
    ("without contact", 1e3, False),
    ("in the air", 1e3, None),
    ("standing", 0.0, None),
)


def walker() -> kg.Mechanism:
    """A floating trunk on two legs whose thigh and rod carry the shank; springs hold hips and knees."""
    links = [kg.Link("trunk", 5.0, inertia=kg.inertia.box(5.0, (0.3, 0.3, 0.2)))]
    joints = [kg.Joint("float", "free", "world", "trunk")]
    held: dict[str, Any] = {"axis": ACROSS, "stiffness": HOLD[0], "damping": HOLD[1]}
    for side, y in (("l", 0.15), ("r", -0.15)):
        foot = kg.box((0.3, 0.12, 0.04), pose=kg.Pose((0.02, 0, -0.4)), friction=0.8)
        links += [bar(f"thigh_{side}", 0.3, 1.0), bar(f"rod_{side}", 0.3, 0.3), bar(f"shank_{side}", 0.4, 1.0, foot)]
        joints += [
            kg.Joint(f"hip_{side}", "revolute", "trunk", f"thigh_{side}", kg.Pose((0, y, -0.1)), **held),
            kg.Joint(f"top_{side}", "revolute", "trunk", f"rod_{side}", kg.Pose((0.1, y, -0.1)), axis=ACROSS),
            kg.Joint(f"knee_{side}", "revolute", f"thigh_{side}", f"shank_{side}", kg.Pose((0, 0, -0.3)), **held),
            kg.Joint(
                f"pin_{side}", "revolute", f"rod_{side}", f"shank_{side}", kg.Pose((0, 0, -0.3)), kg.Pose((0.1, 0, 0)),
                axis=ACROSS, cut=True, actuated=False,
            ),
        ]  # fmt: skip
    return kg.Mechanism("walker", links, joints, shapes=[kg.plane(friction=0.8)])


def time_of(model: Any, steps: int, **options: Any) -> tuple[float, int, float]:
    """Median µs of a step over calls of ten, points at the end, mean sweeps."""
    simulator = kg.Simulator(model, **options)
    stepper, spent, sweeps = motion_of(simulator).stepper, [], []
    q, v, tau = simulator.q.copy(), simulator.v.copy(), np.zeros(motion_of(simulator).drives.tau._width)
    for _ in range(steps // 10):
        begun = time.perf_counter()
        stepper.advance(q, v, tau, 10)
        spent.append(time.perf_counter() - begun)
        sweeps.append(stepper.contacts().sweeps if options.get("contacts") is not False else 0)
    points = len(stepper.contacts()) if options.get("contacts") is not False else 0
    return 1e5 * float(np.median(spent)), points, float(np.mean(sweeps))


def standing(model: kg.Model, height: float) -> Array:
    q = model.q0.copy()
    foot = model.link_poses(q)[model.link_names.index("shank_l"), 2, 3]
    q[2] += 0.42 + height - foot
    return q


def main(steps: Annotated[int, typer.Option(help="steps of a millisecond in each run")] = 2000) -> None:
    """Prints one table."""
    closed = kg.compile(walker())
    library = kg.TopologyLibrary(walker(), [kg.Connection("glue", "shank_l", "world", kg.fixed())], ["hip_l"])
    start = standing(closed, 0.0)
    hung = library.state({j.name: start[closed.q_slice(j.name)] for j in closed.manifest.joints})[0]
    table = Table("", "µs a step", "points", "mean sweeps", title="walker on four-bars: median of a step of 1 ms")
    for name, model, q in (("closed mechanism", closed, start), ("library, a hip that can be cut", library, hung)):
        for integrator in ("semi_implicit", "rk4"):
            for what, height, contacts in CASES:
                at = q.copy()
                at[2] += height
                if name.startswith("library"):
                    at[hung_at(library)] += height
                found = time_of(model, steps, q=at, integrator=integrator, contacts=contacts)
                table.add_row(f"{name}, {integrator}, {what}", f"{found[0]:.2f}", str(found[1]), f"{found[2]:.1f}")
    Console().print(table)


def hung_at(library: kg.TopologyLibrary) -> int:
    """Place in q of the height of the subtree that can be cut off."""
    model = library.model
    return int(model.q_slice("free_thigh_l").start) + 2


if __name__ == "__main__":
    typer.run(main)
