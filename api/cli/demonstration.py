"""A mechanism's whole way: derived, printed, compiled, thrown or let swing; every stage timed, the motion judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinegen.codegen.build import build
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.mechanism.structure.topology import Switch
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import ALL, Selection
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.model.model import Model
from kinegen.runtime.simulation.simulator import Simulator
from kinegen.runtime.simulation.trajectory import Trajectory
from kinegen.runtime.stepping.clock import steps_in

from ..loading import loaded

SPIN = (0.6, 3.0, 1.5)
"""rad/s about world's x y z, of a mechanism that is thrown."""
RECORDS_PER_SECOND = 200
GENTLE = 1.0
"""Largest decay per time step that Runge-Kutta 4 is left with; it is stable to 2.7."""


@dataclass(frozen=True)
class Built:
    """A model, the C it was compiled from, its folder, and the seconds that took; `cached`: it was compiled before."""

    sources: Sources
    model: Model
    folder: Path
    deriving: float
    compiling: float
    cached: bool


@dataclass(frozen=True)
class Flight:
    """A simulated motion and what it says of the integration.

    `seconds`: computing time; `conservative`: no joint has springs, dampers or friction, so that energy should stay;
    `floating`: only gravity acts from outside, so that momentum is known.
    """

    trajectory: Trajectory
    integrator: str
    dt: float
    steps: int
    seconds: float
    conservative: bool
    floating: bool

    @property
    def energy_drift(self) -> float:
        """Largest change of the energy, relative to the largest kinetic energy."""
        energy = self.trajectory.energy
        total = energy.sum(axis=1)
        return float(np.abs(total - total[0]).max() / max(energy[:, 0].max(), 1e-300))

    def momentum_drift(self, mass: float, gravity: Array) -> tuple[float, float]:
        """Largest error of the linear momentum (it grows by m g t) and of the angular one about the mass centre,
        each relative to the largest momentum of its sort.
        """
        momentum, t = self.trajectory.momentum, self.trajectory.t
        wanted = np.tile(momentum[0], (len(t), 1))
        wanted[:, :3] += mass * t[:, None] * gravity
        sizes = [np.linalg.norm(momentum[:, part], axis=1).max() for part in (slice(0, 3), slice(3, 6))]
        errors = [np.linalg.norm((momentum - wanted)[:, part], axis=1).max() for part in (slice(0, 3), slice(3, 6))]
        return (float(errors[0] / max(sizes[0], 1e-300)), float(errors[1] / max(sizes[1], 1e-300)))


def generate_timed(
    mechanism: Mechanism,
    advance: Callable[[str], None],
    switches: Sequence[Switch] = (),
    *,
    contacts: bool = True,
    selection: Selection = ALL,
) -> tuple[Sources, float]:
    """C of a mechanism, with the `switches` that its structure changes by, and the seconds it took.

    `advance` is told the name of each kernel as it is derived.
    """
    start = time.perf_counter()
    sources = generate(mechanism, switches=switches, contacts=contacts, selection=selection, advance=advance)
    return sources, time.perf_counter() - start


def build_timed(sources: Sources, deriving: float = 0.0, *, target: str = "native") -> Built:
    """The compiled model, from the cache if it stands there, with a bar at a terminal if that takes long."""
    start, since = time.perf_counter(), time.time()
    model = loaded(lambda: build(sources, target=target, progress=True), Model)
    compiling = time.perf_counter() - start
    folder = model.module.folder
    cached = (folder / "manifest.json").stat().st_mtime < since
    return Built(sources, model, folder, deriving, compiling, cached)


def fly(
    mechanism: Mechanism, model: Model, duration: float, dt: float, seed: int, report: Callable[[float], None] | None
) -> Flight:
    """A floating mechanism is thrown up with a spin and falls back in `duration` [s]; a held one swings from a random
    pose (`seed`). Runge-Kutta 4 unless dampers, springs or dry friction in the joints are too stiff for it.
    """
    floating = _root(model) is not None
    q, v = _throw(mechanism, model, duration, seed) if floating else (model.random(seed), np.zeros(model.nv))
    damping, stiffness, friction = _passive(mechanism, model)
    conservative = not (damping.any() or stiffness.any() or friction.any())
    rates = np.linalg.eigvals(np.linalg.pinv(model.mass_matrix(q)) @ np.diag(damping + dt * stiffness))
    fastest = np.abs(rates).max()
    integrator = "rk4" if dt * fastest < GENTLE and not friction.any() else "semi_implicit"
    simulator = Simulator(model, dt=dt, integrator=integrator, q=q, v=v, limits=False)
    every = max(1, round(1.0 / (RECORDS_PER_SECOND * dt)))
    start = time.perf_counter()
    trajectory = simulator.run(duration, progress=report or False, every=every)
    seconds = time.perf_counter() - start
    return Flight(trajectory, integrator, dt, steps_in(duration, dt), seconds, conservative, floating)


def _passive(mechanism: Mechanism, model: Model) -> tuple[Array, Array, Array]:
    """(nv) each: damping, stiffness and dry friction of the joints. ModelError if one is a symbol."""
    found = np.zeros((3, model.nv))
    for body in mechanism.tree.bodies:
        part, joint = slice(body.v_start, body.v_start + body.nv), body.joint
        for row, values in zip(found, (joint.damping, joint.stiffness, joint.friction), strict=True):
            if body.nv:
                row[part] = [_number(value, joint.name) for value in values]
    damping, stiffness, friction = found
    return damping, stiffness, friction


def _number(value: object, joint: str) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    raise ModelError(f"joint '{joint}': {value} is a symbol, but what is simulated here needs numbers")


def _root(model: Model) -> str | None:
    """The free joint on world, if the mechanism floats as one piece."""
    roots = [joint for joint in model.manifest.joints if joint.parent == "world"]
    return roots[0].name if len(roots) == 1 and KINDS[roots[0].kind].free else None


def _throw(mechanism: Mechanism, model: Model, duration: float, seed: int) -> tuple[Array, Array]:
    """q0 as it is; v of a rigid spin about the mass centre, which goes up so that it is back after `duration`.

    A seed other than 0 turns the spin's axis at random.
    """
    q, v = model.q0, np.zeros(model.nv)
    root = model.v_slice(str(_root(model)))
    spin = np.array(SPIN)
    if seed:
        axis = np.random.default_rng(seed).normal(size=3)
        spin = np.linalg.norm(spin) * axis / np.linalg.norm(axis)
    upwards = -np.array([float(g) for g in mechanism.gravity]) * duration / 2
    base = model.link_poses(q)[0]
    arm = model.com(q) - base[:3, 3]
    v[root] = np.concatenate([base[:3, :3].T @ (upwards - np.cross(spin, arm)), base[:3, :3].T @ spin])
    return q, v
