"""A walk by structure change [N98]: feet are connections to the ground, made as they come down, cut as they would pull.

    python examples/walking/by_structure.py [biped|talos|figure] [STEPS]

The biped makes six steps that turn, Talos and the human figure the 19 of `walk.py`, or so many of them.

The same pattern, torques and servos with contact instead; the torques that inverse dynamics of the closed mechanism
asks for in every phase. What each view is for stands in docs/walking_robots.md.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from bodies import BODIES
from numpy.typing import NDArray
from replay import walk

import kinegen as kg
from kinegen.script import script
from kinegen.walking.biped import Sole, biped

Array = NDArray[np.float64]
ROBOT = Path(__file__).parent / "biped.toml"
FEET = ("foot_l", "foot_r")
STANDS = ("stand_left", "stand_right")
KP, KD = 5e3, 100.0
"""Of all servos [N m/rad, N m s/rad]."""
WINDOW = 5e-3
"""Seconds from the touch in which the floor's push is a touchdown impulse."""
UNLOADING = 0.05
"""Seconds before the pattern lifts a foot from which on it is let go as soon as the ground would pull at it."""
SWING = 0.1
"""Seconds that a foot was up before what comes is a touchdown."""


@dataclass(frozen=True)
class Touchdown:
    """At t [s] the foot `side` (0 left, 1 right) was connected at q: velocities `before` and `after` (nv), impulse (6)
    [N s; N m s] on the foot at the middle of its sole, world axes."""

    t: float
    side: int
    q: Array
    before: Array
    after: Array
    impulse: Array


@dataclass(frozen=True)
class Walk:
    """`floor` (n, 2, 6) the ground's wrenches [N; N m] on both feet at the times `t` (n): by contact about the world's
    origin, by structure at the middle of each sole."""

    trajectory: kg.Trajectory
    t: Array
    floor: Array
    touchdowns: tuple[Touchdown, ...] = ()


def library(mechanism: kg.Mechanism, soles: Sequence[Sole]) -> kg.TopologyLibrary:
    """Both feet can be fixed to world by the middle of their soles, which are frames "sole_left" and "sole_right"."""
    poses = [kg.Pose(sole.point, rotation=sole.axes) for sole in soles]
    frames = [kg.Frame(f"sole{name[5:]}", s.link, p) for name, s, p in zip(STANDS, soles, poses, strict=True)]
    made = replace(mechanism, frames=(*mechanism.frames, *frames))
    stands = [
        kg.Connection(name, sole.link, "world", kg.fixed(), pose=pose)
        for name, sole, pose in zip(STANDS, soles, poses, strict=True)
    ]
    return kg.TopologyLibrary(made, stands, contacts=False)


def by_structure(
    lib: kg.TopologyLibrary, pattern: kg.WalkingPattern, until: float | None = None, integrator: str = "rk4"
) -> Walk:
    """A swinging foot is connected where its sole comes down, one that is to swing let go as the floor would pull."""
    q, v = pattern.start(lib.model)
    given = {"servos": pattern.servos(KP, KD), "tau": pattern.torques(lib.model), "integrator": integrator}
    sim = kg.Simulator(lib, dt=pattern.dt, q=q, v=v, active=set(STANDS), **given)
    touchdowns: list[Touchdown] = []
    told: dict[float, Array] = {}

    def pulls(sim: kg.Simulator, name: str) -> bool:
        return bool(sim.wrench(name)[2] > 0.0)  # the ground is link_b, which the foot would lift

    def touch(sim: kg.Simulator, side: int) -> None:
        q, before = sim.q, sim.v
        impact = sim.connect(STANDS[side])
        touchdowns.append(Touchdown(sim.t, side, q, before, sim.v, -impact.impulse))

    def tell(sim: kg.Simulator) -> bool:
        told[sim.t] = np.array([-sim.wrench(name) for name in STANDS])
        return False

    for side, lift, land in swings(pattern):
        name = STANDS[side]
        down = kg.relative_position("world", f"sole{name[5:]}", "z") < 0.0
        unloaded, lands = partial(pulls, name=name), partial(touch, side=side)
        sim.at(max(lift - UNLOADING, 0.0), lambda sim, unloaded=unloaded, name=name: sim.when(unloaded, "cut", name))
        sim.at(0.5 * (lift + land), lambda sim, down=down, lands=lands: sim.when(down, lands))
    sim.when(tell, lambda sim: None)
    run = sim.run(pattern.t[-1] if until is None else until)
    return Walk(run, np.array(list(told)), np.array(list(told.values())), tuple(touchdowns))


def swings(pattern: kg.WalkingPattern) -> list[tuple[int, float, float]]:
    """(side, lifted at, put down at [s]) of all that the pattern swings."""
    up = pattern.soles[:, :, 2] > 1e-9
    found = []
    for side in range(2):
        changes = np.flatnonzero(np.diff(up[:, side].astype(int)))
        found += [(side, pattern.t[i], pattern.t[j + 1]) for i, j in zip(changes[::2], changes[1::2], strict=True)]
    return sorted(found, key=lambda swing: swing[1])


def by_contact(
    model: kg.Model, pattern: kg.WalkingPattern, feet: Sequence[str] = FEET, until: float | None = None
) -> Walk:
    """The same servos; what the feet stand on are contact points."""
    q, v = pattern.start(model)
    given = {"servos": pattern.servos(KP, KD), "tau": pattern.torques(model), "integrator": "rk4"}
    sim = kg.Simulator(model, dt=pattern.dt, q=q, v=v, **given)
    run = sim.run(pattern.t[-1] if until is None else until)
    contacts = run.contacts
    assert contacts is not None
    return Walk(run, run.t, np.stack([contacts.wrench(foot) for foot in feet], axis=1))


def pattern_torques(lib: kg.TopologyLibrary, pattern: kg.WalkingPattern) -> Array:
    """(n, nu) [N m] that make the pattern, by inverse dynamics of the closed mechanism of each phase; with both feet on
    the ground the least ones."""
    a = np.gradient(pattern.v, pattern.dt, axis=0)
    down = pattern.soles[:, :, 2] < 1e-9
    begins = np.flatnonzero(np.r_[True, (down[1:] != down[:-1]).any(axis=1)])
    parts = []
    for first, last in zip(begins, [*begins[1:], len(down)], strict=True):
        held = {name for side, name in enumerate(STANDS) if down[first, side]}
        model = lib.with_active(held, pattern.q[first]).with_independent([], pattern.q[first])
        parts.append(model.actuator_torques(pattern.q[first:last], pattern.v[first:last], a[first:last]))
    return np.concatenate(parts)


def impulses(walk: Walk, dt: float) -> Array:
    """(k) [N s] that the floor gives a foot upwards in the first `WINDOW` after a swing, the jump included."""
    up = walk.floor[:, :, 2] <= 0.0
    found = []
    for side in range(2):
        begins = np.flatnonzero(~up[1:, side] & up[:-1, side]) + 1
        for i in begins:
            before = walk.t < walk.t[i] - 0.5 * dt
            recent = before & (walk.t > walk.t[i] - SWING)
            if up[recent, side].all() and walk.t[i] > SWING:
                window = (walk.t >= walk.t[i] - 0.5 * dt) & (walk.t < walk.t[i] + WINDOW)
                jumps = [x.impulse[2] for x in walk.touchdowns if x.side == side and abs(x.t - walk.t[i]) < WINDOW]
                found.append(dt * walk.floor[window, side, 2].sum() + sum(jumps))
    return np.array(found)


def time_of_steps(sim: kg.Simulator, n: int = 200) -> float:
    """Least time of a step [s] in ten times n, each from the present moment."""
    state, least = sim.save(), np.inf
    for _ in range(10):
        begun = time.perf_counter()
        sim.step(n)
        least = min(least, (time.perf_counter() - begun) / n)
        sim.restore(state)
    return least


def step_times(lib: kg.TopologyLibrary, model: kg.Model, pattern: kg.WalkingPattern) -> Array:
    """(2, 2) [s] by contact and by structure, on both feet and on one."""
    down = pattern.soles[:, :, 2] < 1e-9
    lone = int(np.argmax(~down.all(axis=1)))
    lone += (int(np.argmax(down[lone:].all(axis=1))) - 200) // 2
    found = np.empty((2, 2))
    for k, sample in enumerate((0, lone)):
        q, v = pattern.q[sample], pattern.v[sample]
        held = {name for side, name in enumerate(STANDS) if down[sample, side]}
        moved = replace(pattern, t=pattern.t[sample:], q=pattern.q[sample:], v=pattern.v[sample:])
        common = {"dt": pattern.dt, "q": q, "v": v, "servos": moved.servos(KP, KD), "integrator": "rk4"}
        found[0, k] = time_of_steps(kg.Simulator(model, **common))
        found[1, k] = time_of_steps(kg.Simulator(lib, active=held, **common))
    return found


def row(walk: Walk, pattern: kg.WalkingPattern, weight: float, steps: int) -> list[float]:
    """Off the pattern [mm], root mean square and peak torque [N m], work a step [J], floor force, impulses [N s]."""
    run, dt = walk.trajectory, pattern.dt
    n = min(len(run), len(pattern.t))
    off = np.linalg.norm(run.q[:n, :3] - pattern.q[:n, :3], axis=1).max()
    work = np.abs(run.tau * run.v).sum() * dt / steps
    pushes = impulses(walk, dt)
    peak = walk.floor[:, :, 2].sum(axis=1).max() / weight
    torque = np.sqrt(np.mean(run.tau[:, 6:] ** 2))
    return [1e3 * off, torque, np.abs(run.tau).max(), work, peak, len(pushes), pushes.mean(), pushes.max()]


TITLES = ("trunk off the pattern, mm", "torque, rms, N m", "torque, peak, N m", "work of the motors a step, J")
TITLES += ("peak force of the floor / weight", "touchdowns", "push of the first 5 ms, mean, N s", "push, largest, N s")


def planned(name: str, steps: int | None) -> tuple[kg.Mechanism, Sequence[str], kg.Model, kg.WalkingPattern]:
    """Who walks, his feet, and the pattern of so many steps."""
    if name in BODIES:
        body = BODIES[name]()
        model = kg.compile(body.mechanism)
        return body.mechanism, body.feet, model, walk(body, model, *([] if steps is None else [steps]))
    robot = kg.load(ROBOT)
    model, way = kg.compile(robot), kg.footsteps(steps or 6, length=0.1, width=0.2, turn=0.1)
    return robot, FEET, model, kg.walking_pattern(model, robot, FEET, way)


Walker = StrEnum("Walker", ["biped", *BODIES])


def main(
    who: Annotated[Walker, typer.Argument(help="Who walks.")] = Walker.biped,
    asked: Annotated[int | None, typer.Argument(metavar="STEPS", min=1, help="How many.", show_default=False)] = None,
) -> None:
    robot, feet, model, pattern = planned(who, asked)
    steps = len(swings(pattern))
    lib = library(robot, biped(model, robot, feet).soles).precompile()
    weight = 9.81 * model.total_mass()
    walks = [by_contact(model, pattern, feet), by_structure(lib, pattern)]
    rows = zip(TITLES, *(row(walk, pattern, weight, steps) for walk in walks), strict=True)
    print(f"{steps} steps in {pattern.t[-1]:.1f} s   by contact   by structure")
    for title, contact, structure in rows:
        print(f"{title:36} {contact:10.3f} {structure:10.3f}")
    torques = pattern_torques(lib, pattern)
    rms, peak = np.sqrt(np.mean(torques**2)), np.abs(torques).max()
    print(f"torque that the pattern asks for: rms {rms:.3f}, peak {peak:.3f} N m")
    both, one = 1e6 * step_times(lib, model, pattern).T
    print(f"{'time of a step on both feet, µs':36} {both[0]:10.1f} {both[1]:10.1f}")
    print(f"{'time of a step on one foot, µs':36} {one[0]:10.1f} {one[1]:10.1f}")
    for touch in walks[1].touchdowns:
        push = ", ".join(f"{x:.3f}" for x in touch.impulse[:3])
        print(f"  {touch.t:7.4f} s {('left', 'right')[touch.side]:5} foot: impulse {push} N s")


if __name__ == "__main__":
    script(main, __doc__)
