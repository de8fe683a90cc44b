"""Many simulations at once beside mujoco.rollout, in one run and with as many threads.

    python benchmarks/rollouts.py [--rows N] [--steps N] [--threads N]

An arm that falls (panda, no contact, no limits on both sides), the same with a servo on each joint that brings it to
zero, Talos that falls freely (a floating base, no contact), and Talos that collapses on his soles (contact), from
random velocities, 1 ms, semi-implicit on both sides; every 10th state of ours is recorded, all of MuJoCo's, which
cannot leave any out. Prints microseconds a step, best of three rounds, interleaved.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import contact
import mujoco
import mujoco.rollout
import numpy as np
import typer
from common import peer
from rich.console import Console
from rich.table import Table

import kinegen as kg
from kinegen.cli.peers import _without_meshes
from kinegen.runtime.arguments import Array

PANDA = peer.ROBOTS / "panda_description/urdf/panda.urdf"
ROUNDS = 3
KP, KD = 100.0, 10.0
"""Gains of the servos [N m/rad, N m s/rad]."""
Call = Callable[[], object]


def arm(rows: int, steps: int, threads: int, served: bool = False) -> tuple[Call, Call]:
    """Both sides' calls for an arm that falls, or that servos bring to zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kg.compile(kg.load(PANDA, root="fixed", mimic="independent"), contacts=False)
    spec = mujoco.MjSpec.from_string(_without_meshes(PANDA))
    for joint in spec.joints if served else ():
        servo = spec.add_actuator(target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=KP, kv=KD)
    peers = spec.compile()
    disabled = mujoco.mjtDisableBit
    peers.opt.disableflags |= disabled.mjDSBL_CONSTRAINT | disabled.mjDSBL_CONTACT
    v = np.random.default_rng(0).normal(size=(rows, model.nv))
    servos = {joint.name: kg.Servo(kp=KP, kd=KD) for joint in model.manifest.joints if joint.nv and served}
    own = {"steps": steps, "every": 10, "threads": threads, "limits": False, "servos": servos}
    return lambda: kg.rollout(model, model.q0, v, **own), _theirs(peers, None, v, steps, threads)


def talos(rows: int, steps: int, threads: int, contacts: bool = True) -> tuple[Call, Call]:
    """Both sides' calls for a robot that collapses, or that falls without contact."""
    mechanism = contact.robot(1)
    model = kg.compile(mechanism, contacts=contacts)
    peers = mujoco.MjModel.from_xml_string(contact.mjcf(mechanism, 1, *contact.SOLVERS["Newton, pyramid"]))
    if not contacts:
        peers.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    q, v = contact.start(model), 0.1 * np.random.default_rng(0).normal(size=(rows, model.nv))
    own = {"steps": steps, "every": 10, "threads": threads}
    return lambda: kg.rollout(model, q, v, **own), _theirs(peers, q[2], v, steps, threads)


def _theirs(model: Any, height: float | None, v: Array, steps: int, threads: int) -> Call:
    """mujoco.rollout from these velocities; `height` [m] of a free base."""
    model.opt.timestep = 1e-3
    data = mujoco.MjData(model)
    if height is not None:
        data.qpos[2] = height
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.empty((len(v), mujoco.mj_stateSize(model, kind)))
    for row, velocity in enumerate(v):
        data.qvel[:] = velocity
        mujoco.mj_getState(model, data, start[row], kind)
    pool = [mujoco.MjData(model) for _ in range(threads)]

    def call() -> object:
        with mujoco.rollout.Rollout(nthread=threads) as runner:
            return runner.rollout(model, pool, start, nstep=steps)

    return call


def main(
    rows: Annotated[int, typer.Option(min=1, help="simulations")] = 64,
    steps: Annotated[int, typer.Option(min=1, help="steps of each")] = 500,
    threads: Annotated[int, typer.Option(min=1)] = len(os.sched_getaffinity(0)),
) -> None:
    """Prints one table."""
    shown = Table(title=f"µs a step, {rows} simulations of {steps} steps, {threads} threads")
    for column in ("", "kinegen", "MuJoCo", "ratio"):
        shown.add_column(column, justify="left" if not column else "right")
    cases = {
        "arm": arm,
        "arm, servos": partial(arm, served=True),
        "talos, no contact": partial(talos, contacts=False),
        "talos, contact": talos,
    }
    for name, make in cases.items():
        own, their = make(rows, steps, threads)
        times = np.min([[seconds(own), seconds(their)] for _ in range(ROUNDS)], axis=0) / (rows * steps) * 1e6
        shown.add_row(name, f"{times[0]:.3f}", f"{times[1]:.3f}", f"{times[1] / times[0]:.1f}")
    Console(width=100).print(shown)


def seconds(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    typer.run(main)
