"""Closed loops: forward dynamics beside Pinocchio's, and a time step of every example, in one run on one core.

    python benchmarks/closed.py [--rounds N]

C calls on 256 states on the closure, best of 7 blocks of calls in each of N interleaved rounds. Talos stands with bent
knees, both feet locked to the ground by `fixed` joints; Pinocchio's `constraintDynamics` has the same two constraints,
and the accelerations of both sides are compared. Needs Eigen's headers and the `test` extra.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import pinocchio as pin
import typer
from common import c_clock, examples_in_motion, peer
from common.ours import STATES
from rich import box
from rich.console import Console
from rich.table import Table
from run import ROBOTS, mechanism_of

import kinegen as kg

HERE = Path(__file__).parent
FEET = ("leg_left_6_joint", "leg_right_6_joint")
KNEES = {"3_joint": -0.4, "4_joint": 0.8, "5_joint": -0.4}


@dataclass(frozen=True)
class States:
    """q (n, nq), v (n, nv) on the closure and tau (n, nv)."""

    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray

    def write(self, path: Path) -> Path:
        path.write_bytes(b"".join(x.tobytes() for x in (self.q, self.v, self.tau)))
        return path


def talos() -> tuple[kg.Mechanism, np.ndarray, list[int]]:
    """Talos with both feet locked where they are, that configuration, and the feet's joints counted from 0."""
    model = pin.buildModelFromUrdf(str(peer.ROBOTS / ROBOTS["talos_reduced"].file), pin.JointModelFreeFlyer())
    data, q = model.createData(), pin.neutral(model)
    for side in ("left", "right"):
        for joint, angle in KNEES.items():
            q[model.joints[model.getJointId(f"leg_{side}_{joint}")].idx_q] = angle
    pin.forwardKinematics(model, data, q)
    tree = mechanism_of("talos_reduced")
    locks, numbers = [], []
    for name in FEET:
        number = model.getJointId(name)
        place = data.oMi[number]
        pose = kg.Pose(tuple(place.translation.tolist()), rotation=place.rotation.tolist())
        locks.append(kg.Joint(f"lock_{name}", "fixed", "world", tree.joint(name).child, pose, cut=True))
        numbers.append(number - 1)
    return kg.Mechanism("talos_locked", tree.links, (*tree.joints, *locks)), q, numbers


def states_near(model: kg.Model, q: np.ndarray, spread: float = 0.1) -> States:
    """Different closed configurations around q, with velocities on the closure."""
    rng = np.random.default_rng(0)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    while len(found) < STATES:
        moved = model.assemble(model.integrate(q, spread * rng.uniform(-1, 1, model.nv)))
        found.append(model.project(moved, rng.uniform(-1, 1, model.nv)))
    qs, vs = (np.ascontiguousarray(x) for x in zip(*found, strict=True))
    return States(qs, vs, rng.uniform(-1, 1, vs.shape))


def from_python(model: kg.Model, states: States) -> float:
    """Microseconds of a checked call from Python, best of 7."""

    def once() -> float:
        start = time.perf_counter()
        for i in range(STATES):
            model.forward_dynamics(states.q[i], states.v[i], states.tau[i])
        return (time.perf_counter() - start) / STATES

    return min(once() for _ in range(7)) * 1e6


def dynamics(rounds: int) -> Table:
    """Forward dynamics of four-bar, Stewart platform and Talos on both feet."""
    binary = peer.build("pinocchio_closed")
    robot, bent, feet = talos()
    dumped = peer.dump(peer.ROBOTS / ROBOTS["talos_reduced"].file, floating=True)
    four_bar = kg.load(HERE.parent / "examples" / "fourbar.toml")
    stewart = examples_in_motion.EXAMPLES["stewart"].mechanism()
    title = f"forward dynamics, µs per call in C over {STATES} states on the closure; ratio = Pinocchio / kinegen"
    shown = Table(title=title, box=box.SIMPLE, pad_edge=False)
    for column in ("mechanism", "nv", "free", "kinegen", "pivoting", "Pinocchio", "ratio", "from Python", "difference"):
        shown.add_column(column, justify="left" if column == "mechanism" else "right", no_wrap=True)
    for mechanism, q in ((four_bar, None), (stewart, None), (robot, bent)):
        model = kg.compile(mechanism)
        states = states_near(model, model.q0 if q is None else q)
        kernels = ("forward_dynamics", "forward_dynamics_reduced")
        own, other, difference = [np.inf, np.inf], np.inf, np.nan
        for _ in range(rounds):
            given = states.q, states.v, states.tau
            own = [min(x, c_clock.microseconds(model, kernel, given)) for x, kernel in zip(own, kernels, strict=True)]
            if mechanism is robot:
                path = states.write(peer.OUT / "states.bin")
                spent, theirs = peer.measure_locked(binary, dumped, path, feet)
                other = min(other, spent)
                ours = model.forward_dynamics(states.q, states.v, states.tau)
                difference = np.abs(ours.ravel() - theirs).max() / np.abs(theirs).max()
        known = np.isfinite(other)
        shown.add_row(
            model.name,
            f"{model.nv}",
            f"{model.nf}",
            f"{own[0]:.3f}",
            f"{own[1]:.2f}",
            f"{other:.2f}" if known else "",
            f"{other / own[0]:.1f}" if known else "",
            f"{from_python(model, states):.2f}",
            f"{difference:.0e}" if known else "",
        )
    return shown


def moving(model: kg.Model, start: np.ndarray, integrator: str) -> tuple[States, float]:
    """256 states of the first 1,024 steps of a motion, and microseconds a step of these: by what 960 steps more take
    than 64, so that calls from Python do not count; best of 12."""
    simulator = kg.Simulator(model, dt=2e-4, integrator=integrator, q=start)
    simulator.step(50)
    begun, best, met = simulator.save(), {64: np.inf, 4 * STATES: np.inf}, []
    for _ in range(12):
        for n in best:
            simulator.restore(begun)
            begin = time.perf_counter()
            simulator.step(n)
            best[n] = min(best[n], time.perf_counter() - begin)
    simulator.restore(begun)
    for _ in range(STATES):
        met.append((simulator.q, simulator.v))
        simulator.step(4)
    q, v = (np.array(x) for x in zip(*met, strict=True))
    return States(q, v, np.zeros(v.shape)), (best[4 * STATES] - best[64]) / (4 * STATES - 64) * 1e6


def steps() -> Table:
    """A time step of every example, and what it takes of its own forward dynamics."""
    title = "µs per simulated step, one core, and per call of forward dynamics in C on the states of the same motion"
    shown = Table(title=title, box=box.SIMPLE, pad_edge=False)
    columns = ("example", "nv", "loops", "free", "semi-implicit", "forward dynamics", "ratio", "Runge-Kutta 4")
    for column in columns:
        shown.add_column(column, justify="left" if column == "example" else "right", no_wrap=True)
    for name, example in examples_in_motion.EXAMPLES.items():
        model = kg.compile(example.mechanism())
        states, step = moving(model, example.start(model), "semi_implicit")
        given = states.q, states.v, states.tau
        once = min(c_clock.microseconds(model, "forward_dynamics", given) for _ in range(3))
        _, long = moving(model, example.start(model), "rk4")
        sizes = f"{model.nv}", f"{len(model.manifest.loops)}", f"{model.nf}"
        shown.add_row(name, *sizes, f"{step:.2f}", f"{once:.3f}", f"{step / once:.2f}", f"{long:.2f}")
    return shown


def main(rounds: Annotated[int, typer.Option(min=1, help="interleaved runs of each side")] = 5) -> None:
    """Prints two tables."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(dynamics(rounds))
    console.print(steps())


if __name__ == "__main__":
    typer.run(main)
