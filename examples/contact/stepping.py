"""Talos steps in place [P Fig. 4]: vertical force of the floor on both feet, planned and simulated.

    python examples/contact/stepping.py [FOLDER]          pictures go to FOLDER (examples/out)

The plan: where the pressure is to be, foot to foot; the mass centre that belongs to it, y - (h/g) y'' = p; legs by
inverse kinematics; torques by inverse dynamics with the floor's forces shared between the feet. The robot plays the
torques back with springs and dampers of its motors about the planned angles and nothing else: no balance control.
Needs the package example-robot-data for the robot.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import sympy
import typer
from matplotlib.figure import Figure
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

Array = NDArray[np.float64]
FILE = "share/example-robot-data/robots/talos_data/robots/talos_reduced.urdf"
FEET = ("leg_left_6_link", "leg_right_6_link")
SOLE = ((0.2, 0.12, 0.04), (0.0, 0.0, -0.087))
"""Edges and centre of a foot's box [m]."""
BALLS = {"base_link": 0.14, "torso_2_link": 0.2, "head_2_link": 0.12, "arm_left_7_link": 0.06, "arm_right_7_link": 0.06}
"""Radii of balls [m] about the mass centres of other links, to fall on."""
STIFFNESS, DAMPING, ARMATURE = 3000.0, 60.0, 0.1
BEND = {"3": -0.45, "4": 0.9, "5": -0.45}
"""Hip, knee and ankle of both legs at the start [rad]."""
RUBBER, RUBBER_DAMPING = (1e6, sympy.Symbol("rubber"), sympy.Symbol("rubber")), (2e3, 50.0, 50.0)
"""Of the bushings: vertical [N/m, N s/m], pitch and roll [N m/rad, N m s/rad]."""
FIRM, LIMP = 2500.0, 1500.0
"""Rubber on which he steps, and on which he falls [N m/rad]; under one foot, 750 would not hold him up at rest."""
DT, LIFT = 1e-3, 0.05
STAND, SWING, SHIFT = 1.0, 0.7, 0.5
"""Seconds on both feet first and last, on one foot, and from foot to foot."""


def mechanism() -> kg.Mechanism:
    """Talos on boxes for soles; dampers in its motors."""
    spec = find_spec("cmeel")
    if spec is None or spec.origin is None:
        raise kg.ModelError("stepping.py needs Talos: pip install example-robot-data")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kg.FileWarning)  # of surfaces that touch: others are put in their place
        robot = kg.load(Path(spec.origin).parents[1] / "cmeel.prefix" / FILE, root="free")
    sole = kg.box(SOLE[0], pose=kg.Pose(SOLE[1]), friction=0.8)
    shapes = {name: kg.sphere(radius, pose=kg.Pose(robot.link(name).com)) for name, radius in BALLS.items()}
    shapes |= dict.fromkeys(FEET, sole)
    links = [replace(link, shapes=(shapes[link.name],) if link.name in shapes else ()) for link in robot.links]
    motor: dict[str, Any] = {"damping": (DAMPING,), "friction": (0.0,), "armature": (ARMATURE,)}
    joints = [replace(joint, **motor) if joint.nv == 1 else joint for joint in robot.joints]
    return replace(robot, links=tuple(links), joints=tuple(joints), shapes=(kg.plane(friction=0.8),))


def on_bushings(made: kg.Mechanism) -> kg.Mechanism:
    """With rubber below both ankles [P Fig. 5]: vertical, pitch, roll."""
    for foot in FEET:
        made = kg.bushing(made, foot, stiffness=RUBBER, damping=RUBBER_DAMPING)
    return made


@dataclass(frozen=True)
class Plan:
    """q (n, nq), v (n, nv), tau (n, nv) over time t (n) [s], the floor's forces on both feet (n, 2, 6)."""

    t: Array
    q: Array
    v: Array
    tau: Array
    floor: Array


def start(model: kg.Model) -> Array:
    """Knees bent, soles on the ground, the mass centre between the feet."""
    q = model.neutral()
    for side in ("left", "right"):
        for joint, angle in BEND.items():
            q[model.q_slice(f"leg_{side}_{joint}_joint")] = angle
    q[2] -= model.frame_pose(q, FEET[0])[2, 3] + SOLE[1][2] - SOLE[0][2] / 2
    return q


def timing(steps: int) -> tuple[Array, Array, Array]:
    """t (n) [s], share of the weight on the left foot (n), height of both feet above the ground (n, 2) [m]."""
    t = np.arange(round((2 * STAND + steps * SWING + (steps + 1) * SHIFT) / DT)) * DT
    share, height = np.full(len(t), 0.5), np.zeros((len(t), 2))
    begun, now = STAND, 0.5
    for k in range(steps + 1):
        target = 0.5 if k == steps else float(k % 2)  # the right foot carries first, the left one is lifted
        share = np.where(t >= begun, now + (target - now) * _smooth((t - begun) / SHIFT), share)
        begun, now = begun + SHIFT, target
        if k < steps:
            s = np.clip((t - begun) / SWING, 0.0, 1.0)
            height[:, k % 2] += LIFT * 64.0 * s**3 * (1.0 - s) ** 3
            begun += SWING
    return t, share, height


def _smooth(s: Array) -> Array:
    s = np.clip(s, 0.0, 1.0)
    return np.asarray(s**3 * (10 - 15 * s + 6 * s**2))


def mass_center(pressure: Array, height: float) -> Array:
    """y (n) with y - (h/g) y'' = pressure (n), above the pressure at both ends: one tridiagonal solve."""
    n, k = len(pressure), height / 9.81 / DT**2
    lower, y = np.empty(n), np.empty(n)
    lower[0], y[0] = 0.0, pressure[0]
    for i in range(1, n - 1):  # Thomas's algorithm
        pivot = 1.0 + 2.0 * k - k * lower[i - 1]
        lower[i], y[i] = k / pivot, (pressure[i] + k * y[i - 1]) / pivot
    y[-1] = pressure[-1]
    for i in range(n - 2, -1, -1):
        y[i] += lower[i] * y[i + 1]
    return y


def plan(model: kg.Model, steps: int) -> Plan:
    t, share, height = timing(steps)
    q0 = start(model)
    feet = [model.frame_pose(q0, foot) for foot in FEET]
    center = np.tile(model.com(q0), (len(t), 1))
    middle = 0.5 * (feet[0][:2, 3] + feet[1][:2, 3])
    across = 0.5 * (feet[0][1, 3] - feet[1][1, 3])
    pressure = middle[1] + (2.0 * share - 1.0) * across
    center[:, 0], center[:, 1] = middle[0], mass_center(pressure, center[0, 2])
    q = np.empty((len(t), model.nq))
    now = _reached(model, q0, center[0], feet, 20)
    for i in range(len(t)):
        goals = [feet[k].copy() for k in range(2)]
        for k in range(2):
            goals[k][2, 3] += height[i, k]
        now = q[i] = _reached(model, now, center[i], goals, 2)
    step = model.difference(q[:-1], q[1:]) / DT
    v = np.vstack([step[:1], 0.5 * (step[:-1] + step[1:]), step[-1:]])
    a = np.gradient(v, DT, axis=0)
    tau, floor = torques(model, q, v, a, share)
    return Plan(t, q, v, tau, floor)


def _reached(model: kg.Model, q: Array, center: Array, feet: Sequence[Array], rounds: int) -> Array:
    """Newton's method: mass centre, trunk upright, both feet, by the base and the legs."""
    legs = [i for side in ("left", "right") for k in range(1, 7) for i in _entries(model, f"leg_{side}_{k}_joint")]
    moved = [*range(6), *legs]
    for _ in range(rounds):
        trunk = model.frame_pose(q, "base_link")[:3, :3]
        rows = [model.com_jacobian(q), model.frame_jacobian(q, "base_link")[3:]]
        errors = [center - model.com(q), -_rotation(trunk)]
        for foot, goal in zip(FEET, feet, strict=True):
            pose = model.frame_pose(q, foot)
            rows.append(model.frame_jacobian(q, foot))
            errors += [goal[:3, 3] - pose[:3, 3], -_rotation(pose[:3, :3] @ goal[:3, :3].T)]
        step = np.zeros(model.nv)
        step[moved] = np.linalg.solve(np.vstack(rows)[:, moved], np.concatenate(errors))
        q = model.integrate(q, step)
    return q


def _entries(model: kg.Model, joint: str, side: int = 1) -> NDArray[np.int64]:
    """Where a joint stands in q (side 0) or in v (side 1)."""
    part = (model.q_slice, model.v_slice)[side](joint)
    return np.arange(part.start, part.stop)


def _rotation(R: Array) -> Array:
    """(3) axis times sine of the angle: zero where R is the identity."""
    return 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])


def torques(model: kg.Model, q: Array, v: Array, a: Array, share: Array) -> tuple[Array, Array]:
    """(n, nv) torques, (n, 2, 6) wrenches of the floor at the feet.

    The base is not driven: its six rows say what the floor gives, least squares weighted by the shares.
    """
    tau = model.inverse_dynamics(q, v, a)
    J = np.stack([model.frame_jacobian(q, foot) for foot in FEET], axis=1)  # (n, 2, 6, nv)
    weight = np.repeat(np.stack([share, 1.0 - share], axis=1), 6, axis=1)  # (n, 12)
    base = J[..., :6].reshape(len(q), 12, 6)
    normal = np.einsum("nki,nk,nkj->nij", base, weight, base)
    floor = weight * np.einsum("nki,ni->nk", base, np.linalg.solve(normal, tau[:, :6, None])[..., 0])
    tau = tau - np.einsum("nkj,nk->nj", J.reshape(len(q), 12, -1), floor)
    return tau, floor.reshape(-1, 2, 6)


def simulate(model: kg.Model, planned: Plan, rigid: kg.Model, every: int = 5) -> kg.Trajectory:
    """The plan played back by the motors of a model that has all joints of the one that it was made for."""
    names = [joint.name for joint in rigid.manifest.joints]
    to_q, to_v = (np.concatenate([_entries(model, name, side) for name in names]) for side in (0, 1))
    q, v = model.neutral(), np.zeros(model.nv)
    q[to_q], v[to_v] = planned.q[0], planned.v[0]

    def motors(t: float, q: Array, v: Array) -> Array:
        k = min(round(t / DT), len(planned.t) - 1)
        tau = np.zeros(model.nv)
        springs = STIFFNESS * (planned.q[k, 7:] - q[to_q[7:]])
        tau[to_v[6:]] = planned.tau[k, 6:] + springs + DAMPING * planned.v[k, 6:]
        return tau

    return kg.Simulator(model, dt=DT, q=q, v=v, tau=motors).run(planned.t[-1], every=every)


def told(trajectory: kg.Trajectory, planned: Plan, every: int) -> tuple[Array, Array]:
    """Vertical force of the floor on both feet, and the planned one (n, 2) [N]; prints how far the motion is off."""
    contacts, model = trajectory.contacts, trajectory.model
    assert contacts is not None and model is not None
    n = len(trajectory) - 1
    forces = np.stack([contacts.force(foot)[:n, 2] for foot in FEET], axis=1)
    wanted = planned.floor[: n * every : every, :, 2]
    tilt = np.arccos(np.clip(model.frame_pose(trajectory.q, "base_link")[:, 2, 2], -1.0, 1.0)).max()
    off = np.abs(trajectory.q[:n, :3] - planned.q[: n * every : every, :3]).max()
    weight = 9.81 * float(model.mass_matrix(trajectory.q[0])[0, 0])
    print(f"  pelvis within {1e3 * off:.1f} mm of the plan, upright within {np.degrees(tilt):.2f} degrees")
    print(f"  force on both feet: mean {forces.sum(axis=1).mean():.1f} N, weight {weight:.1f} N")
    print(f"  mean difference from the planned force of a foot {np.abs(forces - wanted).mean():.1f} N")
    print(f"  deepest point {1e3 * max(-c.gaps.min() for c in contacts if len(c)):.3f} mm")
    return forces, wanted


def main(
    folder: Folder = Path(__file__).parents[1] / "out", steps: Annotated[int, typer.Option(min=1, help="How many.")] = 4
) -> None:
    made, every = mechanism(), 5
    rigid, soft = kg.compile(made), kg.compile(on_bushings(made))
    planned = plan(rigid, steps)
    print(f"{steps} steps in {planned.t[-1]:.1f} s, feet lifted by {1e3 * LIFT:.0f} mm")
    trajectory = simulate(rigid, planned, rigid, every)
    forces, wanted = told(trajectory, planned, every)
    print("with bushings below the ankles")
    softened, _ = told(simulate(soft.with_parameters(rubber=FIRM), planned, rigid, every), planned, every)
    print("with bushings that are too soft for a robot that does not mind its balance [P Fig. 6]")
    fallen = simulate(soft.with_parameters(rubber=LIMP), planned, rigid, every)
    told(fallen, planned, every)
    contacts = trajectory.contacts
    assert contacts is not None
    t = trajectory.t[: len(forces)]
    pressure = contacts.center_of_pressure("world")[: len(forces), 1]
    curves(t, forces, wanted, softened, pressure, folder / "stepping.png")
    kg.stick_figures(made, trajectory, folder / "stepping_poses.png", poses=6)
    kg.stick_figures(on_bushings(made), fallen, folder / "stepping_fallen.png", poses=6)


def curves(t: Array, forces: Array, wanted: Array, softened: Array, pressure: Array, path: Path) -> None:
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True)
    for k, side in enumerate(("left", "right")):
        axes[k].plot(t[: len(softened)], softened[:, k], linewidth=0.9, color="#d9822b", label="with bushings")
        axes[k].plot(t, forces[:, k], linewidth=1.2, color="#4c6a92", label="simulated")
        axes[k].plot(t, wanted[:, k], "--", linewidth=1.0, color="#1f2933", label="planned")
        axes[k].set_ylabel(f"{side} foot [N]")
        axes[k].legend(loc="upper right", fontsize="x-small")
    axes[2].plot(t, pressure, linewidth=1.0)
    axes[2].set_ylabel("centre of pressure y [m]")
    axes[0].set_title("vertical force of the floor")
    axes[2].set_xlabel("time [s]")
    for axis in axes:
        axis.grid(alpha=0.3)
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    script(main, __doc__)
