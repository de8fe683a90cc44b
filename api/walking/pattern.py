"""Walking patterns: joint motion from footsteps, by preview control of the ZMP [Kajita03] and inverse kinematics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime.analysis.values import by_value
from kinegen.runtime.arguments import Array, as_array, as_count, as_number
from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.model.model import Model
from kinegen.runtime.stepping.given.servos import Servo
from kinegen.runtime.typed import typed

from .biped import Biped, biped, require_room
from .footsteps import Footstep, checked
from .forces import walking_torques
from .motion import JointMotion, OutOfReach, joint_motion, margins, stood
from .plan import StepTiming, plan
from .preview import mass_centre

SLOWEST = 10.0
"""sqrt(height/gravity) [s] of the slowest walk: that of a giant of 1,000 m on the earth."""
CROUCH = 0.95, 0.98, 0.91
"""Heights of the mass centre while walking, as parts of that at the joints' start: the first that is in reach."""
BEND = 0.2
"""Where the search for a stance begins: the legs' joints so far from their start to the middle of their limits."""
FREE = 0.05
"""Part of its range by which a joint that stays as it is stands off its limits, which would have to hold it."""


@by_value
@dataclass(frozen=True)
class WalkingPattern:
    """A walk that a model is to make, on the floor z = 0.

    Over t (n) [s]: q (n, nq), v (n, nv); `zmp` (n, 3) [m] of the whole body's motion and `reference` (n, 2), what it
    was to be; `com` (n, 3) of the mass centre; `margin` (n) [m] of `zmp` to the border of the soles on the floor;
    `soles` (n, 2, 4): x, y, z [m], yaw [rad] of the left and the right one. `tau` (n, nv): the torques that it takes
    beside springs, dampers and friction of the joints, none at the free joint, also where a joint has no actuator
    (`actuated=False`), which then needs one; `floor` (n, 2, 6): [force; moment about the sole's centre] of the floor on
    both feet, world axes. `steps`: where feet are put.
    """

    model: Model
    steps: tuple[Footstep, ...]
    t: Array
    q: Array
    v: Array
    zmp: Array
    reference: Array
    com: Array
    margin: Array
    soles: Array
    tau: Array
    floor: Array

    @property
    def dt(self) -> float:
        """[s] between samples."""
        return float(self.t[1] - self.t[0])

    @typed
    def start(self, model: Model) -> tuple[Array, Array]:
        """q (nq), v (nv) at the beginning, of a model that has these joints; others stand at their start."""
        q, v = model.q0, np.zeros(model.nv)
        for joint in self.model.manifest.joints:
            q[model.q_slice(joint.name)] = self.q[0, self.model.q_slice(joint.name)]
            v[model.v_slice(joint.name)] = self.v[0, self.model.v_slice(joint.name)]
        return q, v

    @typed
    def torques(self, model: Model) -> Array:
        """(n, nv) `tau` for a model that has these joints; none at others."""
        tau = np.zeros((len(self.t), model.nv))
        for joint in self.model.manifest.joints:
            tau[:, model.v_slice(joint.name)] = self.tau[:, self.model.v_slice(joint.name)]
        return tau

    @typed
    def servos(
        self, kp: float | Mapping[str, ArrayLike], kd: float | Mapping[str, ArrayLike], limit: float = np.inf
    ) -> dict[str, Servo]:
        """A servo for every joint but the free one, towards this motion; gains are numbers or given by joint.

        Rows are one per sample, so that the simulation's steps are those of the pattern.
        """
        found = {}
        for joint in self.model.manifest.joints:
            if joint.nv and not KINDS[joint.kind].free:
                gains = [_gain(what, gain, joint.name) for what, gain in (("kp", kp), ("kd", kd))]
                position = self.q[:, joint.q_start : joint.q_start + joint.nq]
                velocity = self.v[:, joint.v_start : joint.v_start + joint.nv]
                found[joint.name] = Servo(gains[0], gains[1], position, velocity, limit)
        return found


@typed
def walking_pattern(
    model: Model,
    mechanism: Mechanism,
    feet: Sequence[str],
    steps: Sequence[Footstep],
    *,
    timing: StepTiming | None = None,
    height: float | None = None,
    q0: ArrayLike | None = None,
    hold: Sequence[str] = (),
    dt: float = 1e-3,
    passes: int = 2,
) -> WalkingPattern:
    """A walk over `steps` (see `footsteps`) on the floor z = 0.

    `model`: the compiled `mechanism`, the robot alone, which stands upright, looking along x, where its joints are at
    their start. `feet`: its links of the left and the right foot, whose shapes' lowest corners are the soles. `height`
    [m] of the mass centre, by default 95 % of that of the start, or 98 or 91 % where legs reach no better. Joints of
    the trunk and the arms, and those in `hold` (or entries, as in `solve_ik`), stay as they are in `q0` (nq): by
    default the start, legs a little bent, all others at least 5 % of their range off their limits. `passes`: how often
    the ZMP of the whole body's motion is brought to the reference, again by preview control. `dt` [s] between samples.
    Where the robot as a whole stands in q0 does not matter.
    ModelError, with the step and the time, where a step cannot be reached and where the ZMP leaves the soles; with the
    step, where legs would cross or feet stand in each other; and where gravity does not pull along -z.
    """
    way, times = checked(steps), StepTiming() if timing is None else timing
    dt, passes = as_number("dt", dt, positive=True), as_count("passes", passes, least=0)
    robot = biped(model, mechanism, feet)
    require_room(robot, way)
    start = _bent(model, robot) if q0 is None else as_array("q0", q0, (model.nq,), batch=False).copy()
    wanted, gravity = plan(robot, way, times, dt), _pull(model)
    start = stood(model, robot, wanted, start)
    fade = _fade(len(wanted.zmp), max(round(0.5 * times.stand / dt), 1))

    def moved_at(high: float) -> tuple[Array, JointMotion]:
        _require_swing(high, gravity, dt)
        com = np.column_stack([mass_centre(wanted.zmp, high, gravity, dt), np.full(len(wanted.zmp), high)])
        moved = joint_motion(model, robot, wanted, com, start, hold)
        for _ in range(passes):
            com[:, :2] += mass_centre(fade * (wanted.zmp - moved.zmp[:, :2]), high, gravity, dt)
            moved = joint_motion(model, robot, wanted, com, start, hold)
        return com, moved

    if height is None:
        com, moved = _first_in_reach(moved_at, [part * _level(model, robot) for part in CROUCH])
    else:
        com, moved = moved_at(as_number("height", height, positive=True))
    margin = margins(wanted, moved.zmp)
    t = dt * np.arange(float(len(com)))
    made = way, t, moved.q, moved.v, moved.zmp, wanted.zmp, com, margin, wanted.soles
    return WalkingPattern(model, *made, *walking_torques(model, robot, wanted, moved))


def _first_in_reach(
    made: Callable[[float], tuple[Array, JointMotion]], heights: Sequence[float]
) -> tuple[Array, JointMotion]:
    """What is made of the first height that is in reach; OutOfReach, of the first, if none is."""
    errors = []
    for height in heights:
        try:
            return made(height)
        except OutOfReach as error:
            errors.append(error)
    raise errors[0]


def _require_swing(height: float, gravity: float, dt: float) -> None:
    """ModelError where samples do not resolve sqrt(height/gravity), or where it is longer than any walk."""
    period = math.sqrt(height / gravity)
    if not dt <= period <= SLOWEST:
        raise ModelError(
            f"height, dt: a mass centre {height:g} m high under gravity of {gravity:g} m/s² tips within "
            f"sqrt(height/g) = {period:g} s, which is to lie between dt = {dt:g} s and {SLOWEST:g} s"
        )


def _pull(model: Model) -> float:
    """[m/s²] of gravity downwards. ModelError if it does not pull onto the floor z = 0."""
    gravity = model.gravity_acceleration()
    if not gravity[2] < 0.0 or np.abs(gravity[:2]).max() > 1e-9 * -gravity[2]:
        raise ModelError(
            f"walking pattern: gravity of model '{model.name}' is {gravity.tolist()}; a walk on the floor z = 0 needs "
            "one along -z, such as gravity=(0, 0, -9.81)"
        )
    return float(-gravity[2])


def _bent(model: Model, robot: Biped) -> Array:
    """Legs a little bent, others off their limits: joints with limits move towards their middle."""
    q = model.q0
    for joint in model.manifest.joints:
        if joint.name == robot.root or len(joint.lower) != joint.nq:
            continue
        lower, upper = np.array(joint.lower), np.array(joint.upper)
        part, bounded = slice(joint.q_start, joint.q_start + joint.nq), np.isfinite(lower) & np.isfinite(upper)
        low, high = np.where(bounded, lower, q[part]), np.where(bounded, upper, q[part])
        if joint.name in robot.still:
            q[part] = np.clip(q[part], low + FREE * (high - low), high - FREE * (high - low))
        else:
            q[part] += BEND * (0.5 * (low + high) - q[part])
    return q


def _level(model: Model, robot: Biped) -> float:
    """Height of the mass centre above the soles at the joints' start."""
    q = model.q0
    sole = robot.soles[0]
    pose = model.frame_pose(q, sole.link)
    return float(model.com(q)[2] - (pose[:3, 3] + pose[:3, :3] @ sole.point)[2])


def _fade(count: int, rise: int) -> Array:
    """(count, 1) from 0 to 1 and back within `rise` samples at both ends, where the body is at rest."""
    s = np.clip(np.minimum(np.arange(count), np.arange(count)[::-1]) / rise, 0.0, 1.0)[:, None]
    return np.asarray(s * s * (3.0 - 2.0 * s))


def _gain(what: str, given: float | Mapping[str, ArrayLike], joint: str) -> ArrayLike:
    if not isinstance(given, Mapping):
        return given
    if joint not in given:
        raise ModelError(f"servos: {what} has no gain of joint '{joint}'; give all of them or a number")
    return given[joint]
