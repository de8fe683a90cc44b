"""Replay of a walk by servos of the joints, with and without a stabiliser that minds the ZMP."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bodies import DAMPING, VERTICAL, VERTICAL_DAMPING, Body
from numpy.typing import NDArray

import kinegen as kg

Array = NDArray[np.float64]
LENGTH = [0.15] * 7 + [0.1] * 6 + [-0.1] * 5 + [0.0]
TURN = [0.0] * 4 + [0.1] * 8 + [0.0] * 7
"""19 steps: straight on, round to the left, back."""
FALLEN = 0.75
"""Whose mass centre is below this part of its height has fallen."""


def walk(body: Body, model: kg.Model, steps: int = len(LENGTH)) -> kg.WalkingPattern:
    """The pattern of the first steps, the last of which brings the feet together."""
    lengths = [body.stride * x for x in LENGTH[:steps]]
    turns = TURN[:steps]
    lengths[-1] = turns[-1] = 0.0
    way = kg.footsteps(steps, length=lengths, turn=turns, width=body.width)
    return kg.walking_pattern(model, body.mechanism, body.feet, way)


@dataclass(frozen=True)
class Stabiliser:
    """Ankles turn against the sudden part of what the rubber below them gives way by.

    The rubber tells force and moments of the floor, thus the ZMP. Beyond the target by d it gives a foot with the load
    F the moment F d, which turns the rubber by F d/stiffness. The ankle is turned back by w = gain (x - low pass of x)
    of this, x itself smoothed: a lead, which damps the sway of the body on its springs. Every `PERIOD` samples.
    """

    stiffness: float
    gain: float = 0.6
    slow: float = 0.1
    smooth: float = 0.01


PERIOD = 5


class Control:
    """tau(t, q, v): the pattern's torques, and those by which servos turn the ankles; with a memory, for one walk.

    It answers for `PERIOD` samples, of `parts` steps each.
    """

    def __init__(self, body: Body, pattern: kg.WalkingPattern, model: kg.Model, chosen: Stabiliser, parts: int) -> None:
        self._pattern, self._chosen, self._step, self._parts = pattern, chosen, pattern.dt, parts
        self._tau = pattern.torques(model)
        self._ankles = [[model.v_slice(name).start + entry for name, entry in ankle] for ankle in body.ankles]
        rubber = [[f"{foot}_{axis}" for axis in ("z", "pitch", "roll")] for foot in body.feet]
        self._rubber = [[model.v_slice(name).start for name in names] for names in rubber]
        self._places = [[model.q_slice(name).start for name in names] for names in rubber]
        stiffness = np.array([VERTICAL, chosen.stiffness, chosen.stiffness])
        self._stiffness, self._damping = (
            stiffness,
            np.array([VERTICAL_DAMPING / VERTICAL, DAMPING, DAMPING]) * stiffness,
        )
        self._planned = planned_moments(body, pattern)
        self._kp, self._sudden, self._slow = body.kp, [0.0, 0.0], [0.0, 0.0]
        self._turns = np.zeros((2, 2))

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        at = t / self._step
        k = min(int(at + 1e-6), len(self._tau) - 1)
        if k % PERIOD == 0:
            self._measure(k, q, v)
        tau = self._tau[k : k + PERIOD - k % PERIOD].repeat(self._parts, axis=0)
        tau[:, self._ankles] += self._kp * self._turns
        return tau

    def _measure(self, k: int, q: Array, v: Array) -> None:
        pattern, chosen, dt = self._pattern, self._chosen, PERIOD * self._step
        forces = self._stiffness * q[self._places] + self._damping * v[self._rubber]  # of the rubber: z, pitch, roll
        yaw, load = pattern.soles[k, :, 3].tolist(), float(forces[:, 0].sum())
        about_x, about_y = (-self._planned[k]).tolist()
        for angle, (_, pitch, roll) in zip(yaw, forces.tolist(), strict=True):
            c, s = math.cos(angle), math.sin(angle)
            about_x, about_y = about_x + c * roll - s * pitch, about_y + s * roll + c * pitch
        off = (-about_y / load, about_x / load) if load > 0.0 else (0.0, 0.0)
        wanted = []
        for i in range(2):
            self._sudden[i] += min(1.0, dt / chosen.smooth) * (off[i] - self._sudden[i])
            self._slow[i] += dt / chosen.slow * (self._sudden[i] - self._slow[i])
            wanted.append(chosen.gain / chosen.stiffness * (self._sudden[i] - self._slow[i]))
        for foot, (angle, carried) in enumerate(zip(yaw, pattern.floor[k, :, 2].tolist(), strict=True)):
            c, s = math.cos(angle), math.sin(angle)
            self._turns[foot] = carried * (c * wanted[0] + s * wanted[1]), -carried * (c * wanted[1] - s * wanted[0])


def planned_moments(body: Body, pattern: kg.WalkingPattern) -> Array:
    """(n, 2) [N m] of the floor on both feet, each about its ankle, along x and y of the world."""
    force, moment = pattern.floor[..., :3], pattern.floor[..., 3:]
    ankles = np.stack([pattern.model.frame_pose(pattern.q, foot)[:, :3, 3] for foot in body.feet], axis=1)
    about = moment + np.cross(pattern.soles[..., :3] - ankles, force)
    return np.asarray(about.sum(axis=1)[:, :2])


def simulator(
    body: Body,
    model: kg.Model,
    pattern: kg.WalkingPattern,
    stabiliser: Stabiliser | None = None,
    parts: int = 1,
    told: bool = True,
    **given: Any,
) -> kg.Simulator:
    """At the beginning of the walk, `parts` steps to a sample; `told`: the pattern's torques are given, else there are
    servos alone; `given`: integrator, wrenches and the like."""
    q, v = pattern.start(model)
    servos = {
        name: replace(
            one, position=np.repeat(one.position, parts, axis=0), velocity=np.repeat(one.velocity, parts, axis=0)
        )
        for name, one in pattern.servos(body.kp, body.kd).items()
    }
    tau = np.repeat(pattern.torques(model), parts, axis=0) if told else None
    drive = Control(body, pattern, model, stabiliser, parts) if stabiliser else tau
    return kg.Simulator(model, dt=pattern.dt / parts, q=q, v=v, servos=servos, tau=drive, **given)


@dataclass(frozen=True)
class Account:
    """How a replay went, until the fall if there was one.

    Steps done; time of the fall [s], or None; largest distance of the ZMP from the planned one, while it is [m];
    largest errors of a joint [rad] and of the trunk's place [m] and direction [rad]; largest vertical floor force over
    the weight; largest impulse of a foot's first 20 ms on the floor [N s]; work of the motors, energy gained and lost
    to contacts, springs and dampers [J], by the simulator's own sums; work done and taken back by all motors [J].
    """

    steps: int
    fell: float | None
    zmp: float
    joints: float
    place: float
    turn: float
    peak: float
    touchdown: float
    work: float
    gained: float
    lost: float
    gross: float


def account(body: Body, pattern: kg.WalkingPattern, run: kg.Trajectory) -> Account:
    """Of a trajectory with all states, made with work=True."""
    model = run.model
    assert model is not None and run.contacts is not None
    com = model.com(run.q)
    low = np.flatnonzero(com[:, 2] < FALLEN * pattern.com[0, 2])
    n = int(low[0]) if low.size else len(pattern.t) - 1
    rows = slice(0, n)
    q = np.hstack([run.q[rows, model.q_slice(j.name)] for j in pattern.model.manifest.joints[1:]])
    poses, planned = (m.frame_pose(x[rows], body.trunk) for m, x in ((model, run.q), (pattern.model, pattern.q)))
    relative = np.einsum("nji,njk->nik", planned[:, :3, :3], poses[:, :3, :3])
    turn = np.arccos(np.clip(0.5 * (np.trace(relative, axis1=1, axis2=2) - 1.0), -1.0, 1.0))
    history = run.contacts.window(rows)
    zmp = history.center_of_pressure("world")[:, :2] - pattern.zmp[rows, :2]
    forces = np.stack([history.force(foot)[:, 2] for foot in body.feet], axis=1)
    weight = -model.total_mass() * model.gravity_acceleration()[2]
    settled = slice(50, None)  # the first steps are those of the soles coming to rest on the floor
    part = run[: n + 1]
    work, gross, lost = works(part)
    energy = part.energy.sum(axis=1)
    return Account(
        steps=sum(t <= n * pattern.dt for t in touchdowns(pattern)),
        fell=float(run.t[n]) if low.size else None,
        zmp=float(np.nanmax(np.linalg.norm(zmp[settled], axis=1))),
        joints=float(np.abs(q - pattern.q[rows, 7:]).max()),
        place=float(np.linalg.norm(poses[:, :3, 3] - planned[:, :3, 3], axis=1).max()),
        turn=float(turn.max()),
        peak=float(forces.sum(axis=1)[settled].max() / weight),
        touchdown=touchdown_impulse(pattern, forces),
        work=work,
        gained=float(energy[-1] - energy[0]),
        lost=lost,
        gross=gross,
    )


def touchdowns(pattern: kg.WalkingPattern) -> list[float]:
    """Planned times [s] at which feet come down."""
    height = pattern.soles[..., 2]
    down = (height[:-1] > 0.0) & (height[1:] <= 0.0)
    return sorted(float(pattern.t[i + 1]) for i in np.flatnonzero(down.any(axis=1)))


def touchdown_impulse(pattern: kg.WalkingPattern, forces: Array, window: float = 0.02) -> float:
    """[N s] of the floor on a foot in the first 20 ms after it touched, the largest of all steps."""
    count, largest = round(window / pattern.dt), 0.0
    for foot in forces.T:
        for i in np.flatnonzero((foot[1:] > 0.0) & (foot[:-1] == 0.0)) + 1:
            if i > count and not foot[i - count : i].any():
                largest = max(largest, float(foot[i : i + count].sum() * pattern.dt))
    return largest


def works(run: kg.Trajectory) -> tuple[float, float, float]:
    """[J] of the motors, net and, over joints and steps, gross; and what all else took: contacts, springs, dampers."""
    assert run.work is not None, "make it with work=True"
    steps = np.diff(run.work.motors, axis=0)
    work, whole = float(steps.sum()), float(run.work.total[-1] - run.work.total[0])
    return work, float(np.abs(steps).sum()), work - whole
