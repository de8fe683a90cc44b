"""A planar five-bar: two motors on the ground draw a circle with the tip of both forearms.

python examples/closed/five_bar.py [FOLDER]          pictures go to FOLDER (examples/out)
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from follow import States
from sketch import Array, Curves, picture

import kinegen as kg
from kinegen.script import Folder, script

ARM, FOREARM, WIDTH = 0.3, 0.45, 0.25
MOTORS = ("left_motor", "right_motor")


def mechanism() -> kg.Mechanism:
    """Two arms in the xy plane, their forearms joined at the tip; gravity along -y."""
    elbow, tip = kg.Pose((ARM, 0, 0)), kg.Pose((FOREARM, 0, 0))
    links, joints = [], []
    for side, x in (("left", 0.0), ("right", WIDTH)):
        links.append(kg.Link(side, 0.5, (ARM / 2, 0, 0), kg.inertia.rod(0.5, ARM)))
        links.append(kg.Link(f"{side}_forearm", 0.4, (FOREARM / 2, 0, 0), kg.inertia.rod(0.4, FOREARM)))
        joints.append(kg.Joint(f"{side}_motor", "revolute", "world", side, kg.Pose((x, 0, 0)), effort_limit=10.0))
        joints.append(kg.Joint(f"{side}_elbow", "revolute", side, f"{side}_forearm", elbow, actuated=False))
    joints.append(kg.Joint("tip", "revolute", "left_forearm", "right_forearm", tip, tip, actuated=False))
    frames = (kg.Frame("pen", "left_forearm", tip),)
    return kg.Mechanism("five_bar", links, joints, gravity=(0.0, -9.81, 0.0), frames=frames)


def reach(point: Array, base: float, bend: float) -> tuple[float, float]:
    """Motor and elbow angle that bring a forearm's end to `point` (2); bend +1 or -1."""
    x, y = point[0] - base, point[1]
    cosine = (x * x + y * y - ARM**2 - FOREARM**2) / (2 * ARM * FOREARM)
    elbow = bend * np.arccos(cosine)
    return np.arctan2(y, x) - np.arctan2(FOREARM * np.sin(elbow), ARM + FOREARM * np.cos(elbow)), elbow


def motion(model: kg.Model, duration: float = 1.0, samples: int = 201) -> States:
    """The tip once round a circle: joint angles from the triangle, motor rates from the tip's by its Jacobian."""
    t = np.linspace(0.0, duration, samples)
    s, ds, dds = _once_round(t / duration)
    ds, dds = ds / duration, dds / duration**2
    middle, radius = np.array([WIDTH / 2, 0.5]), 0.1
    along = np.stack([-np.sin(s), np.cos(s)], axis=1)
    towards = -np.stack([np.cos(s), np.sin(s)], axis=1)
    points = middle - radius * towards
    velocity = radius * along * ds[:, None]
    acceleration = radius * (along * dds[:, None] + towards * ds[:, None] ** 2)
    q, v = np.zeros((2, samples, model.nv))
    for k, point in enumerate(points):
        for side, base, bend in (("left", 0.0, -1.0), ("right", WIDTH, 1.0)):
            at = (model.q_slice(f"{side}_motor").start, model.q_slice(f"{side}_elbow").start)
            q[k, at[0]], q[k, at[1]] = reach(point, base, bend)
    motors = [model.v_slice(motor).start for motor in MOTORS]
    J = pen(model, q) @ model.W(q)  # pen per motor
    v[:, motors] = np.linalg.solve(J, velocity[:, :, None])[..., 0]
    v, still = model.dependent_motion(q, v)
    step = 1e-6
    turning = (pen(model, model.integrate(q, step * v)) - pen(model, model.integrate(q, -step * v))) / (2 * step)
    left = acceleration - np.einsum("kij,kj->ki", turning, v) - np.einsum("kij,kj->ki", pen(model, q), still)
    a = np.zeros_like(v)
    a[:, motors] = np.linalg.solve(J, left[:, :, None])[..., 0]
    return States(t, q, *model.dependent_motion(q, v, a))


def pen(model: kg.Model, q: Array) -> Array:
    """(n, 2, nv) velocity of the tip in the plane per v."""
    return model.frame_jacobian(q, "pen")[:, :2]


def _once_round(s: Array) -> tuple[Array, Array, Array]:
    """From 0 to 2π with least jerk, and its derivatives."""
    turn = 2 * np.pi
    return (
        turn * s**3 * (10 - 15 * s + 6 * s**2),
        turn * 30 * s**2 * (1 - s) ** 2,
        turn * 60 * s * (1 - s) * (1 - 2 * s),
    )


def main(folder: Folder = Path(__file__).parents[1] / "out") -> None:
    made = mechanism()
    model = kg.compile(made).with_independent(MOTORS)
    states = motion(model)
    torque = model.actuator_torques(states.q, states.v, states.a, limits=True)
    tip = model.frame_pose(states.q, "pen")[:, :3, 3]
    round_off = np.abs(np.linalg.norm(tip[:, :2] - [WIDTH / 2, 0.5], axis=1) - 0.1).max()
    worst = max(model.partition(q).condition for q in states.q[::10])
    gap = np.abs(model.closure_residual(states.q)).max()
    print(f"the tip's circle is round within {round_off:.1g} m, largest gap {gap:.1g}")
    print(f"the motors need up to {np.abs(torque).max(axis=0)[0]:.3f} and {np.abs(torque).max(axis=0)[1]:.3f} N m")
    print(f"worst condition of the closure on the way {worst:.2f}")
    curves = [
        Curves(
            "motor [rad]",
            states.t,
            states.q[:, [model.q_slice(motor).start for motor in MOTORS]],
            ["left", "right"],
        ),
        Curves("torque [N m]", states.t, torque, ["left", "right"]),
    ]
    picture(folder / "five_bar.png", made, model, states.t, states.q, curves, trace=tip)


if __name__ == "__main__":
    script(main, __doc__)
