"""A delta robot: three arms on the base carry a platform that never turns; pick and place, motor torques out.

    python examples/closed/delta.py [FOLDER]          pictures go to FOLDER (examples/out)

Each arm holds the platform by two rods side by side, with a universal joint at the arm and a ball at the platform: six
loops, nine bodies that move in space, three degrees of freedom left.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from follow import States, Target, follow
from sketch import Array, Curves, oblique, picture

import kinegen as kg
from kinegen.script import Folder, script

BASE, PLATFORM, ARM, ROD, HALF = 0.2, 0.05, 0.3, 0.7, 0.04
"""Radii of base and platform, lengths of arms and rods, half the distance between the rods of a pair [m]."""
DEPTH = 0.7


def mechanism() -> kg.Mechanism:
    links = [kg.Link("platform", 0.4, inertia=kg.inertia.cylinder(0.4, PLATFORM, 0.02))]
    joints = [kg.Joint("float", "free", "world", "platform")]
    for i, turn in enumerate(2 * np.pi / 3 * np.arange(3)):
        c, s = np.cos(turn), np.sin(turn)
        links.append(kg.Link(f"arm{i}", 0.6, (ARM / 2, 0, 0), kg.inertia.cylinder(0.6, 0.02, ARM, (1, 0, 0))))
        shoulder = kg.Pose((BASE * c, BASE * s, 0), (0, 0, turn))
        joints.append(
            kg.Joint(f"motor{i}", "revolute", "world", f"arm{i}", shoulder, axis=(0, 1, 0), effort_limit=30.0)
        )
        for side, y in (("a", -HALF), ("b", HALF)):
            rod, ball = f"rod{i}{side}", (PLATFORM * c - y * s, PLATFORM * s + y * c, 0.0)
            links.append(kg.Link(rod, 0.1, (0, 0, -ROD / 2), kg.inertia.cylinder(0.1, 0.008, ROD)))
            elbow, end = kg.Pose((ARM, y, 0)), kg.Pose((0, 0, -ROD))
            joints.append(kg.Joint(f"elbow{i}{side}", "universal", f"arm{i}", rod, elbow, actuated=False))
            joints.append(
                kg.Joint(f"ball{i}{side}", "spherical", rod, "platform", end, kg.Pose(ball), actuated=False, cut=True)
            )
    return kg.Mechanism("delta", links, joints)


def start(model: kg.Model) -> Array:
    """Near the closure: platform below the middle, arms out, rods leaning inwards."""
    q = model.neutral()
    q[model.q_slice("float")] = [0, 0, -DEPTH, 0, 0, 0, 1]
    for i in range(3):
        for side in "ab":
            q[model.q_slice(f"elbow{i}{side}")] = [0.0, 0.6]
    return model.assemble(q, hold=["float"])


def pick_and_place(t: Array) -> Target:
    """Up, across and down between two places on the table, and back, over half an ellipse."""
    s = t / t[-1]
    half = 2 * np.pi * (s**3 * (10 - 15 * s + 6 * s**2))
    rate = 2 * np.pi * 30 * s**2 * (1 - s) ** 2 / t[-1]
    growth = 2 * np.pi * 60 * s * (1 - s) * (1 - 2 * s) / t[-1] ** 2
    across, up = 0.2, 0.1
    zero, one = np.zeros_like(t), np.ones_like(t)
    x = [-across * np.cos(half), zero, up * np.sin(half) ** 2 - DEPTH]
    dx = [across * np.sin(half) * rate, zero, up * np.sin(2 * half) * rate]
    ddx = [
        across * (np.cos(half) * rate**2 + np.sin(half) * growth),
        zero,
        up * (2 * np.cos(2 * half) * rate**2 + np.sin(2 * half) * growth),
    ]
    still = [zero, zero, zero]
    return Target(*(np.stack(rows, axis=1) for rows in ([*x, *still, one], [*dx, *still], [*ddx, *still])))


def motion(model: kg.Model, duration: float = 0.8, samples: int = 201) -> States:
    t = np.linspace(0.0, duration, samples)
    return follow(model, start(model), t, {"float": pick_and_place(t)})


def main(folder: Folder = Path(__file__).parents[1] / "out") -> None:
    made = mechanism()
    model = kg.compile(made).with_independent([f"float[{i}]" for i in range(3)])
    states = motion(model)
    torque = model.actuator_torques(states.q, states.v, states.a, limits=True)
    gap = np.abs(model.closure_residual(states.q)).max()
    speed = np.linalg.norm(states.v[:, model.v_slice("float")], axis=1).max()
    acceleration = np.linalg.norm(states.a[:, model.v_slice("float")], axis=1).max()
    print(f"degrees of freedom {model.nf}, loops {len(model.manifest.loops)}, largest gap {gap:.1g}")
    print(f"there and back in {states.t[-1]:g} s: {speed:.2f} m/s, {acceleration:.1f} m/s² at most")
    print(f"the motors need up to {', '.join(f'{x:.2f}' for x in np.abs(torque).max(axis=0))} N m")
    trajectory = kg.Simulator(model, q=states.q[0]).run(0.1)
    fall = states.q[0, 2] - trajectory.q[-1, 2]
    kept = np.abs(trajectory.q[:, 3:6]).max()
    print(f"let go, the platform falls {fall:.3f} m in 0.1 s and turns by no more than {2 * kept:.1g} rad")
    motors = [model.q_slice(f"motor{i}").start for i in range(3)]
    curves = [
        Curves("motor [rad]", states.t, states.q[:, motors], model.actuators),
        Curves("torque [N m]", states.t, torque, model.actuators),
    ]
    picture(
        folder / "delta.png", made, model, states.t, states.q, curves, view=oblique(), poses=5, trace=states.q[:, :3]
    )


if __name__ == "__main__":
    script(main, __doc__)
