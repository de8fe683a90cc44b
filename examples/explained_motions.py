"""A squat, a throw and a kick of the human figure: which segment, by which cause, loads which joint.

    python examples/explained_motions.py [FOLDER]          pictures and motions go to FOLDER (examples/out)
    kinegen explain human_figure examples/out/squat.npz --joint knee_r --forces examples/out/squat_floor.mot:r_=foot_r

The motions are made up: smooth steps of joint angles, one foot held where it stands. What the floor must exert follows
from them. In the squat it pushes within the soles; throw and kick are not balanced that well: there the floor would
have to hold the feet as a boot holds a skier's, but the joints that are looked at do not feel it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kinegen as kg
from kinegen.runtime.measured.states import States, states_of
from kinegen.script import Folder, script

Array = NDArray[np.float64]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
FORWARD, BACKWARD = (0.0, -1.0, 0.0), (0.0, 1.0, 0.0)  # what turning a hanging limb about these axes does to it
ALWAYS = -1.0
RATE = 200.0


@dataclass(frozen=True)
class Move:
    """A joint turns by `degrees` about an axis of its child, smoothly from `start` to `end` [s]; moves of one joint
    follow one another. A move that ends before the motion begins is a posture.
    """

    joint: str
    axis: tuple[float, float, float]
    degrees: float
    start: float = ALWAYS
    end: float = ALWAYS


@dataclass(frozen=True)
class Scene:
    """Moves over `duration` [s]; the first of `feet` is held, all of them carry; `joints` are the ones to look at."""

    name: str
    duration: float
    feet: tuple[str, ...]
    joints: tuple[str, ...]
    moves: tuple[Move, ...]


def both(joint: str, *what: object) -> tuple[Move, Move]:
    """The same move of left and right."""
    return Move(f"{joint}_l", *what), Move(f"{joint}_r", *what)  # type: ignore[arg-type]  # the fields of Move


def squat() -> Scene:
    down, up = (0.2, 1.6), (1.8, 3.2)
    moves: list[Move] = [Move("waist", BACKWARD, 30, *down), Move("waist", BACKWARD, -30, *up)]
    for degrees, span in ((1, down), (-1, up)):
        moves += both("hip", FORWARD, 100 * degrees, *span)
        moves += both("knee", BACKWARD, 100 * degrees, *span)
        moves += both("ankle", FORWARD, 30 * degrees, *span)
        moves += both("shoulder", FORWARD, 90 * degrees, *span)
    return Scene("squat", 3.4, ("foot_r", "foot_l"), ("knee_r", "hip_r wy"), tuple(moves))


def throw() -> Scene:
    stand = (*both("knee", BACKWARD, 25), *both("hip", FORWARD, 20), *both("ankle", FORWARD, 12))
    wind_up = (
        Move("waist", Z, -30, 0.1, 0.7),
        Move("chest", Z, -30, 0.1, 0.7),
        Move("shoulder_r", X, -90, 0.1, 0.6),
        Move("elbow_r", FORWARD, 90, 0.1, 0.6),
        Move("shoulder_r", Z, -110, 0.3, 0.8),
    )
    release = (
        Move("waist", Z, 55, 0.75, 1.05),
        Move("chest", Z, 55, 0.82, 1.10),
        Move("waist", BACKWARD, 15, 0.85, 1.15),
        Move("shoulder_r", Z, 150, 0.95, 1.20),
        Move("elbow_r", FORWARD, -70, 0.95, 1.15),
        Move("wrist_r", FORWARD, 40, 1.02, 1.18),
    )
    return Scene("throw", 1.6, ("foot_l", "foot_r"), ("elbow_r", "shoulder_r wz"), (*stand, *wind_up, *release))


def kick() -> Scene:
    lean = 6
    stand = (
        Move("ankle_l", X, -lean),
        Move("hip_l", X, lean),
        Move("knee_l", BACKWARD, 15),
        Move("hip_l", FORWARD, 10),
        Move("ankle_l", FORWARD, 5),
        Move("shoulder_l", X, 35),
        Move("shoulder_r", X, -35),
    )
    back = (Move("hip_r", FORWARD, -30, 0.1, 0.6), Move("knee_r", BACKWARD, 95, 0.15, 0.65))
    forth = (
        Move("hip_r", FORWARD, 95, 0.6, 0.95),
        Move("knee_r", BACKWARD, -90, 0.68, 0.95),
        Move("shoulder_l", FORWARD, 40, 0.6, 0.95),
        Move("shoulder_r", FORWARD, -40, 0.6, 0.95),
    )
    return Scene("kick", 1.4, ("foot_l",), ("knee_r", "hip_r wy"), (*stand, *back, *forth))


SCENES = (squat, throw, kick)


@cache
def figure() -> tuple[kg.Mechanism, kg.Model]:
    mechanism = kg.human_figure()
    return mechanism, kg.compile(mechanism)


def motion(model: kg.Model, scene: Scene) -> States:
    """States of the moves at RATE, the first foot where it stands."""
    t = np.arange(round(scene.duration * RATE) + 1) / RATE
    q = np.tile(model.neutral(), (len(t), 1))
    kinds = {joint.name: joint.kind for joint in model.manifest.joints}
    for move in scene.moves:
        part, angle = model.q_slice(move.joint), np.radians(move.degrees) * smooth_step(t, move.start, move.end)
        if kinds[move.joint] == "revolute":
            q[:, part.start] += angle
        else:
            turn = np.concatenate([np.sin(angle / 2)[:, None] * move.axis, np.cos(angle / 2)[:, None]], axis=1)
            q[:, part] = quaternion_product(q[:, part], turn)
    foot = model.link_names.index(scene.feet[0])
    stands = model.link_poses(model.neutral())[foot]
    root = stands @ np.linalg.inv(model.link_poses(q)[:, foot])
    q[:, model.q_slice("root_joint")] = np.array([[*pose[:3, 3], *quaternion(pose[:3, :3])] for pose in root])
    return states_of(model, t, q)


def floor(model: kg.Model, scene: Scene, states: States) -> list[kg.Wrench]:
    """What the floor exerts on the feet, so that nothing has to hold the root: shared evenly, as forces at the ankles
    and moments about them.
    """
    root = model.torque_terms(states.q, states.v, states.a).of("root_joint").total
    pose = model.link_poses(states.q)
    pelvis, feet = pose[:, 0], [pose[:, model.link_names.index(foot), :3, 3] for foot in scene.feet]
    force = np.einsum("kij,kj->ki", pelvis[:, :3, :3], root[:, :3])
    middle = np.mean(feet, axis=0)
    moment = np.einsum("kij,kj->ki", pelvis[:, :3, :3], root[:, 3:]) + np.cross(pelvis[:, :3, 3] - middle, force)
    share = 1.0 / len(feet)
    return [
        kg.Wrench(f"floor_{foot[-1]}", foot, share * force, point, share * moment)
        for foot, point in zip(scene.feet, feet, strict=True)
    ]


def centre_of_pressure(wrench: kg.Wrench, height: float) -> Array:
    """(n, 2) x, y from the ankle [m] where the floor, `height` [m] below it, pushes."""
    F, M = wrench.force, wrench.moment
    return np.asarray(np.stack([-M[:, 1] - height * F[:, 0], M[:, 0] - height * F[:, 1]], axis=1) / F[:, 2:])


def write_forces(path: Path, t: Array, wrenches: Sequence[kg.Wrench]) -> None:
    """A .mot file as OpenSim writes them, columns "r_ground_force_vx" and so on."""
    parts = {"ground_force_v": "force", "ground_force_p": "point", "ground_torque_": "moment"}
    names = [f"{w.name[-1]}_{part}{axis}" for w in wrenches for part in parts for axis in "xyz"]
    columns = [np.broadcast_to(getattr(w, what), (len(t), 3)) for w in wrenches for what in parts.values()]
    rows = np.concatenate([t[:, None], *columns], axis=1)
    head = f"{path.name}\nversion=1\nnRows={len(t)}\nnColumns={len(names) + 1}\ninDegrees=no\nendheader\n"
    body = "".join("\t".join(repr(float(x)) for x in row) + "\n" for row in rows)
    path.write_text(head + "\t".join(["time", *names]) + "\n" + body, encoding="utf-8")


def smooth_step(t: Array, start: float, end: float) -> Array:
    """0 before start, 1 after end; between them of least jerk [Flash85]."""
    if end <= start:
        return np.ones_like(t)
    u = np.clip((t - start) / (end - start), 0.0, 1.0)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u**2))


def quaternion_product(p: Array, q: Array) -> Array:
    """(n, 4) p q, x y z w."""
    vector = p[:, 3:] * q[:, :3] + q[:, 3:] * p[:, :3] + np.cross(p[:, :3], q[:, :3])
    scalar = p[:, 3] * q[:, 3] - np.einsum("ki,ki->k", p[:, :3], q[:, :3])
    return np.concatenate([vector, scalar[:, None]], axis=1)


def quaternion(R: Array) -> Array:
    """(4) x y z w of a rotation by less than half a turn."""
    w = 0.5 * np.sqrt(1.0 + np.trace(R))
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 4.0 * w * w]) / (4.0 * w)


def main(folder: Folder = Path(__file__).parent / "out") -> None:
    mechanism, model = figure()
    for make in SCENES:
        scene = make()
        states = motion(model, scene)
        wrenches = floor(model, scene, states)
        terms = model.torque_terms(states.q, states.v, states.a, wrenches)
        title = f"{scene.name.capitalize()}: {' and '.join(scene.joints)} by cause"
        terms.plot(states.t, scene.joints, folder / f"{scene.name}_causes.png", title=title)
        tau = terms.total
        trajectory = kg.Trajectory(
            states.t, states.q, states.v, tau, name=scene.name, joints=model.manifest.joints, model=model
        )
        trajectory.save(folder / f"{scene.name}.npz")
        write_forces(folder / f"{scene.name}_floor.mot", states.t, wrenches)
        kg.stick_figures(mechanism, trajectory, folder / f"{scene.name}.png")
        root = np.abs(terms.of("root_joint").total).max()
        print(f"{scene.name}: largest force or moment left at the root {root:.2g}")
        for joint in scene.joints:
            part = terms.of(joint)
            k = int(np.argmax(np.abs(part.total[:, 0])))
            causes = ", ".join(f"{c} {x:.3g}" for c, x in zip(part.causes, part.by_cause[k, 0], strict=True))
            print(f"  {joint}: {part.total[k, 0]:.3g} N m at {states.t[k]:.2f} s = {causes}")


if __name__ == "__main__":
    script(main, __doc__)
