"""From markers and a force plate to joint torques, on a motion whose torques are known.

    python examples/measured_motion.py [FOLDER]          files and picture go to FOLDER (examples/out)

The human figure stands with its right foot in a ski boot on a plate; springs and dampers in its joints throw it about.
The simulated motion is written as a laboratory would measure it: four markers a segment (.trc), the plate (.mot), with
noise. Read again, the torques that come out are compared with those of the springs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

Array = NDArray[np.float64]
RATE, DURATION = 400.0, 1.0
EXACT = kg.Smoothing(cutoff=None, window=13, degree=12)
"""Derivatives of polynomials through thirteen frames."""
SPRINGS = {
    "ankle": (250.0, 3.0),
    "knee": (250.0, 3.0),
    "hip": (250.0, 3.0),
    "waist": (120.0, 1.0),
    "chest": (60.0, 0.5),
    "neck": (8.0, 0.05),
    "head": (6.0, 0.03),
    "shoulder": (12.0, 0.3),
    "elbow": (3.0, 0.1),
    "wrist": (0.4, 0.01),
    "hip_l": (50.0, 2.0),
    "knee_l": (12.0, 0.4),
    "ankle_l": (1.0, 0.03),
}
"""Stiffness [N m/rad] and damping [N m s/rad], a tenth of it about the long axes."""
BENT = {"knee_r": 0.2, "knee_l": 0.9, "elbow_r": 0.8, "elbow_l": 0.4}
TURNED = {
    "hip_r": (-0.1, 0.2, -0.1),
    "hip_l": (-0.1, -0.6, 0.0),
    "waist": (0.1, 0.1, 0.2),
    "shoulder_r": (-0.5, -0.8, 0.3),
}
"""Where the springs pull to [rad]; rotation vectors of the child from its parent."""
SHOWN = ("ankle_r", "knee_r", "hip_r", "waist", "shoulder_r")
MARKERS = {"a": (0.06, 0.05, 0.04), "b": (-0.06, 0.05, -0.02), "c": (0.01, -0.07, 0.05), "d": (0.02, 0.03, -0.08)}
"""m from the mass centre, in segment axes."""
NOISE = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Standard deviation of a marker's coordinate [mm]; for 1 mm the plate's force has 1 N, its moment 1 N m."""
TURNED_ROUND = ("ankle_r", "knee_r", "hip_r")


@dataclass(frozen=True)
class Truth:
    """Times (n), poses of the links (n, N, 4, 4), moments of the joints on their child (n, 3) in world axes, and the
    plate's force and moment (n, 3) about the world's origin.
    """

    t: Array
    poses: dict[str, Array]
    moments: dict[str, Array]
    plate: tuple[Array, Array]


def standing_figure() -> kg.Mechanism:
    """The human figure with its right foot welded to world, on which its leg stands."""
    figure = kg.human_figure()
    joints = []
    for joint in figure.joints:
        if joint.kind == "free":
            continue
        stiffness, damping = SPRINGS.get(joint.name) or SPRINGS[joint.name.partition("_")[0]]
        rest = (
            (BENT.get(joint.name, 0.1),) if joint.kind == "revolute" else quaternion(TURNED.get(joint.name, (0, 0, 0)))
        )
        share = np.array([1.0, 1.0, 0.1])[: joint.nv]
        free = replace(from_below(joint) if joint.name in TURNED_ROUND else joint, limits=None)  # stops would push
        sprung = replace(free, stiffness=tuple(stiffness * share), damping=tuple(damping * share), rest=rest)
        joints.append(sprung)
    weld = kg.Joint("stance", "fixed", "world", "foot_r", kg.Pose((0.0, 0.0, 0.067)))
    return kg.Mechanism("standing_figure", figure.links, [weld, *joints])


def from_below(joint: kg.Joint) -> kg.Joint:
    """A ball or hinge with the lower link as its parent: its springs are along axes of the upper one."""
    ends = {"parent": joint.child, "child": joint.parent, "origin": joint.child_origin, "child_origin": joint.origin}
    axes = {} if joint.kind == "spherical" else {"axis": tuple(0.0 - float(x) for x in joint.axis)}
    return replace(joint, **ends, **axes)


def simulate() -> Truth:
    """The motion, the springs' moments, and what the plate must have pushed: Σ m (p̈ − g) and its moment."""
    mechanism = standing_figure()
    model = kg.compile(mechanism)
    every = 25
    q, v = model.q0, np.random.default_rng(1).normal(size=model.nv)
    for joint in model.manifest.joints:
        q[model.q_slice(joint.name)] = mechanism.joint(joint.name).rest
    run = kg.Simulator(model, dt=1.0 / (every * RATE), integrator="rk4", q=q, v=v).run(DURATION, every=every)
    tau = model.passive_forces(run.q, run.v)
    a = model.forward_dynamics(run.q, run.v, tau)
    poses = model.link_poses(run.q)
    by_name = {name: poses[:, i] for i, name in enumerate(model.link_names)}
    moments = {}
    for joint in model.manifest.joints:
        part, sign = tau[:, joint.v_start : joint.v_start + joint.nv], -1.0 if joint.name in TURNED_ROUND else 1.0
        axis = np.array(mechanism.joint(joint.name).axis, dtype=float)
        local = part * axis if joint.nv == 1 else part
        moments[joint.name] = sign * np.einsum("kij,kj->ki", by_name[joint.child][:, :3, :3], local)
    return Truth(run.t, by_name, moments, _plate(mechanism, model, run.q, run.v, a, poses))


def _plate(mechanism: kg.Mechanism, model: kg.Model, q: Array, v: Array, a: Array, poses: Array) -> tuple[Array, Array]:
    """Force and moment about the world's origin, from the motion of all mass centres."""
    moved = (np.einsum("kij,kj->ki", model.cog_jacobian(q), a) + model.cog_bias(q, v)).reshape(len(q), -1, 6)
    spin = np.einsum("kij,kj->ki", model.cog_jacobian(q), v).reshape(len(q), -1, 6)[:, :, 3:]
    force, moment = np.zeros((len(q), 3)), np.zeros((len(q), 3))
    for body in mechanism.tree.bodies:
        R = poses[:, body.index, :3, :3]
        center = poses[:, body.index, :3, 3] + R @ np.array(body.link.com, dtype=float)
        inertia = R @ np.array(body.link.inertia, dtype=float) @ R.transpose(0, 2, 1)
        push = float(body.link.mass) * (moved[:, body.index, :3] - np.array([0.0, 0.0, -9.81]))
        w = spin[:, body.index]
        turn = np.einsum("kij,kj->ki", inertia, moved[:, body.index, 3:])
        force += push
        moment += turn + np.cross(w, np.einsum("kij,kj->ki", inertia, w)) + np.cross(center, push)
    return force, moment


def clusters(segments: Sequence[kg.BodySegment]) -> dict[str, dict[str, Array]]:
    """Segment → marker → place in segment axes."""
    return {s.name: {f"{s.name}.{mark}": s.com + np.array(at) for mark, at in MARKERS.items()} for s in segments}


def write_measured(truth: Truth, folder: Path, noise: float, seed: int = 0) -> tuple[Path, Path]:
    """stand.trc and stand.mot, with noise [mm]."""
    rng = np.random.default_rng(seed)
    places = {marker: (name, at) for name, marks in clusters(segments()).items() for marker, at in marks.items()}
    seen = [truth.poses[name][:, :3, :3] @ at + truth.poses[name][:, :3, 3] for name, at in places.values()]
    markers = np.stack(seen, axis=1) * 1e3
    markers = markers + noise * rng.normal(size=markers.shape)
    force, moment = (part + noise * rng.normal(size=part.shape) for part in truth.plate)
    trc, mot = folder / "stand.trc", folder / "stand.mot"
    n = len(truth.t)
    names = "\t".join(f"{name}\t\t" for name in places)
    axes = "\t".join(f"{axis}{k}" for k in range(1, len(places) + 1) for axis in "XYZ")
    head = "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames"
    with open(trc, "w", encoding="utf-8") as file:
        file.write(
            f"PathFileType\t4\t(X/Y/Z)\tstand.trc\n{head}\n{RATE}\t{RATE}\t{n}\t{len(places)}\tmm\t{RATE}\t1\t{n}\n"
        )
        file.write(f"Frame#\tTime\t{names}\n\t\t{axes}\n\n")
        for k, row in enumerate(markers.reshape(n, -1)):
            file.write("\t".join([str(k + 1), repr(float(truth.t[k])), *(repr(float(x)) for x in row)]) + "\n")
    parts = {"ground_force_v": force, "ground_force_p": np.zeros_like(force), "ground_torque_": moment}
    columns = ["time", *(f"{part}{axis}" for part in parts for axis in "xyz")]
    rows = np.concatenate([truth.t[:, None], *parts.values()], axis=1)
    with open(mot, "w", encoding="utf-8") as file:
        file.write(f"stand.mot\nversion=1\nnRows={n}\nnColumns={len(columns)}\ninDegrees=yes\nendheader\n")
        file.write("\t".join(columns) + "\n")
        for row in rows:
            file.write("\t".join(repr(float(x)) for x in row) + "\n")
    return trc, mot


def segments() -> tuple[kg.BodySegment, ...]:
    return kg.body_segments(kg.human_figure())


def recover(trc: Path, mot: Path, smoothing: kg.Smoothing) -> kg.JointLoads:
    """What a user writes: files in, joint loads out."""
    body = segments()
    motion = kg.Motion.from_markers(kg.read_trc(trc), clusters(body), body, smoothing)
    plate = kg.read_forces(mot, "plate")
    if smoothing.cutoff is not None:
        plate = plate.low_passed(smoothing.cutoff)
    return kg.inverse_dynamics_from_motion(body, motion, [plate.on("foot_r", motion.t)])


def errors(truth: Truth, loads: kg.JointLoads) -> Mapping[str, float]:
    """rms error of the moment of every joint [N m]: about the axis for knees and elbows, whole otherwise. Five frames
    at either end are left out, where derivatives are one-sided.
    """
    found = {}
    for joint, moment in truth.moments.items():
        off = loads.moment_of(joint) - moment
        if joint.startswith(("knee", "elbow")):
            axis = moment / np.maximum(np.linalg.norm(moment, axis=1, keepdims=True), 1e-12)
            off = np.einsum("ki,ki->k", off, axis)[:, None]
        found[joint] = float(np.sqrt((off[5:-5] ** 2).sum(axis=1).mean()))
    return found


def quaternion(vector: Sequence[float]) -> tuple[float, float, float, float]:
    """x y z w of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    x, y, z = (np.sinc(angle / (2 * np.pi)) / 2 * np.array(vector, dtype=float)).tolist()
    return x, y, z, float(np.cos(angle / 2))


def draw(path: Path, table: Mapping[float, Mapping[str, float]], exact: Mapping[str, float]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.5), layout="constrained")
    axes = figure.subplots()
    for joint in SHOWN:
        axes.plot(list(table), [row[joint] for row in table.values()], marker="o", label=joint)
    axes.set_xlabel("noise of a marker's coordinate [mm]")
    axes.set_ylabel("rms error of the torque [N m]")
    axes.set_title(f"Low-pass at 10 Hz. Without noise and without filter: at most {max(exact.values()):.0e} N m")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=110)


def main(folder: Folder = Path(__file__).parent / "out") -> None:
    truth = simulate()
    exact = errors(truth, recover(*write_measured(truth, folder, 0.0), EXACT))
    print("rms error of the torque [N m]", *(f"{joint:>11}" for joint in SHOWN))
    print(f"{'no noise, no filter':29}", *(f"{exact[joint]:11.2e}" for joint in SHOWN))
    table = {}
    for noise in NOISE:
        table[noise] = errors(truth, recover(*write_measured(truth, folder, noise), kg.Smoothing(cutoff=10.0)))
        print(f"{f'{noise:g} mm, low-pass at 10 Hz':29}", *(f"{table[noise][joint]:11.3f}" for joint in SHOWN))
    draw(folder / "measured_noise.png", table, exact)


if __name__ == "__main__":
    script(main, __doc__)
