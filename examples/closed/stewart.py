"""A Stewart platform: the platform follows a path in six degrees of freedom, leg forces out.

    python examples/closed/stewart.py [FOLDER]          pictures go to FOLDER (examples/out)

Six legs, universal joints on the ground, spherical ones at the platform: six loops, each cut at its spherical joint.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from follow import States, Target, follow
from sketch import Array, Curves, oblique, picture

import kinegen as kg
from kinegen.script import Folder, script

GROUND, HEAD, SPREAD = 1.0, 0.6, 0.35
"""Radii of the leg ends [m]; half the angle [rad] between neighbours, small on the ground and large above."""
HEIGHT = 1.1
TILT = np.array([0.6, 0.8, 0.0])
"""What the platform turns about."""


def mechanism() -> kg.Mechanism:
    slim = (0.02, 0, 0, 0.02, 0, 0.002)
    links = [kg.Link("platform", 30.0, inertia=kg.inertia.cylinder(30.0, HEAD, 0.1))]
    joints = [kg.Joint("float", "free", "world", "platform")]
    for i in range(6):
        side, third = (1 if i % 2 else -1), 2 * np.pi / 3 * (i // 2)
        foot, head = third + side * SPREAD, third + side * (np.pi / 3 - SPREAD)
        on_ground = kg.Pose((GROUND * np.cos(foot), GROUND * np.sin(foot), 0.0))
        on_platform = kg.Pose((HEAD * np.cos(head), HEAD * np.sin(head), 0.0))
        links += [kg.Link(f"lower{i}", 2.0, (0, 0, 0.2), slim), kg.Link(f"upper{i}", 1.0, (0, 0, -0.2), slim)]
        joints += [
            kg.Joint(f"foot{i}", "universal", "world", f"lower{i}", on_ground, actuated=False),
            kg.Joint(f"leg{i}", "prismatic", f"lower{i}", f"upper{i}", kg.Pose((0, 0, 0.9)), effort_limit=500.0),
            kg.Joint(
                f"head{i}", "spherical", f"upper{i}", "platform", child_origin=on_platform, actuated=False, cut=True
            ),
        ]
    return kg.Mechanism("stewart", links, joints)


def path(t: Array) -> Target:
    """Poses, velocities and accelerations of the free joint: a slanted circle, tilting to and fro, from rest."""
    s, ds, dds = _smooth(t / t[-1])
    s, ds, dds = 2 * np.pi * s, 2 * np.pi * ds / t[-1], 2 * np.pi * dds / t[-1] ** 2
    radii = np.array([0.15, 0.15, 0.08])
    x = radii * np.stack([np.cos(s), np.sin(s), np.sin(s)], axis=1) + [-radii[0], 0.0, HEIGHT]
    along = radii * np.stack([-np.sin(s), np.cos(s), np.cos(s)], axis=1)
    across = -radii * np.stack([np.cos(s), np.sin(s), np.sin(s)], axis=1)
    dx, ddx = along * ds[:, None], along * dds[:, None] + across * ds[:, None] ** 2
    turn = 0.2 * np.sin(s)
    w = 0.2 * np.cos(s) * ds
    dw = 0.2 * (np.cos(s) * dds - np.sin(s) * ds**2)
    q = np.hstack([x, np.sin(turn / 2)[:, None] * TILT, np.cos(turn / 2)[:, None]])
    w, dw = w[:, None] * TILT, dw[:, None] * TILT
    v = _turned(dx, -turn)  # velocities in the axes of the platform
    return Target(q, np.hstack([v, w]), np.hstack([_turned(ddx, -turn) - np.cross(w, v), dw]))


def _turned(x: Array, angle: Array) -> Array:
    """x (n, 3) turned about TILT (Rodrigues)."""
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    return np.asarray(c * x + s * np.cross(TILT, x) + (1 - c) * (x @ TILT)[:, None] * TILT)


def _smooth(s: Array) -> tuple[Array, Array, Array]:
    """From 0 to 1 with least jerk, and its derivatives."""
    return s**3 * (10 - 15 * s + 6 * s**2), 30 * s**2 * (1 - s) ** 2, 60 * s * (1 - s) * (1 - 2 * s)


def motion(model: kg.Model, duration: float = 2.0, steps: int = 400) -> States:
    t = np.linspace(0.0, duration, steps + 1)
    target = path(t)
    start = model.neutral()
    start[model.q_slice("float")] = target.q[0]
    return follow(model, start, t, {"float": target})


def main(folder: Folder = Path(__file__).parents[1] / "out") -> None:
    made = mechanism()
    model = kg.compile(made).with_independent(["float"])
    states = motion(model)
    forces = model.actuator_torques(states.q, states.v, states.a)
    legs = [model.q_slice(f"leg{i}").start for i in range(6)]
    entries = [model.v_slice(f"leg{i}").start for i in range(6)]
    dt = states.t[1]

    def drive(t: float, q: Array, v: Array) -> Array:
        """Forces of the plan, in the middle of the step, and a spring and damper towards it."""
        k = min(round(t / dt), len(states.t) - 2)
        tau = np.zeros(model.nv)
        planned = (forces[k] + forces[k + 1]) / 2
        off, rate = states.q[k, legs] - q[legs], states.v[k, entries] - v[entries]
        tau[entries] = planned + 4e3 * off + 200.0 * rate
        return tau

    trajectory = kg.Simulator(model, dt=dt, integrator="rk4", q=states.q[0], tau=drive).run(states.t[-1])
    platform = model.q_slice("float")
    off = np.linalg.norm((trajectory.q - states.q)[:, platform][:, :3], axis=1).max()
    lengths = 0.9 + states.q[:, legs]
    gap = trajectory.closure_gap.max()
    print(f"degrees of freedom {model.nf}, loops {len(model.manifest.loops)}, largest gap {gap:.1g}")
    print(f"legs of {lengths.min():.3f} to {lengths.max():.3f} m carry {forces.min():.1f} to {forces.max():.1f} N")
    print(f"driven by these forces, the platform is at most {1e3 * off:.3f} mm off its path")
    curves = [
        Curves("leg length [m]", states.t, lengths, [f"leg{i}" for i in range(6)]),
        Curves("leg force [N]", states.t, forces, [f"leg{i}" for i in range(6)]),
    ]
    rods = {f"upper{i}": [(0, 0, -0.9)] for i in range(6)}
    path_of = states.q[:, :3]
    out = folder / "stewart.png"
    picture(out, made, model, states.t, states.q, curves, view=oblique(), poses=5, trace=path_of, points=rods)


if __name__ == "__main__":
    script(main, __doc__)
