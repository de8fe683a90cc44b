"""A leg of Theo Jansen's strandbeest, driven by its crank: the foot's path and the crank's torque.

    python examples/closed/strandbeest.py [FOLDER]          pictures go to FOLDER (examples/out)

Lengths are Jansen's "holy numbers" [Jansen07], one unit taken as a centimetre; tubes weigh 0.2 kg a metre,
plates as much as their edges. Seven links, ten hinges, three loops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from follow import States, angle, follow
from sketch import Array, Curves, picture

import kinegen as kg
from kinegen.script import Folder, script

A, B, C, D, E, F, G = 0.38, 0.415, 0.393, 0.401, 0.558, 0.394, 0.367
H, I, J, K, L, M = 0.657, 0.49, 0.5, 0.619, 0.078, 0.15  # noqa: E741
WEIGHT = 0.2
"""kg per metre of tube."""


def corner(along: float, reach: float, opposite: float) -> tuple[float, float, float]:
    """Third corner of a plate: one at the origin, one at x = `along`, the third at `reach` and `opposite` from them."""
    cosine = (along**2 + reach**2 - opposite**2) / (2 * along * reach)
    return reach * cosine, reach * float(np.sqrt(1 - cosine**2)), 0.0


PLATE, FOOT = corner(B, D, E), corner(G, I, H)
"""The upper plate's corner to the left, and the foot's tip, in axes of their links."""


def tube(name: str, length: float) -> kg.Link:
    mass = WEIGHT * length
    return kg.Link(name, mass, (length / 2, 0, 0), kg.inertia.rod(mass, length))


def plate(name: str, along: float, tip: tuple[float, float, float], edges: Sequence[float]) -> kg.Link:
    """A uniform triangle with corners at the origin, at x = `along` and at `tip`."""
    corners = np.array([(0.0, 0.0, 0.0), (along, 0.0, 0.0), tip])
    mass, com = WEIGHT * math.fsum(edges), corners.mean(axis=0)
    spread = mass / 12 * (corners - com).T @ (corners - com)
    return kg.Link(name, mass, tuple(com.tolist()), (np.trace(spread) * np.eye(3) - spread).tolist())


def mechanism(damping: float = 0.0) -> kg.Mechanism:
    """The leg in the xy plane, crank shaft at the origin; gravity along -y. `damping` [N m s] of the crank."""
    links = [tube("crank", M), plate("upper", B, PLATE, (B, D, E)), tube("lower", C)]
    links += [tube("push", J), tube("pull", K), tube("link", F), plate("foot", G, FOOT, (G, H, I))]
    ends = {name: kg.Pose((length, 0, 0)) for name, length in zip("bcfgjkm", (B, C, F, G, J, K, M), strict=True)}
    ground, left = kg.Pose((-A, -L, 0)), kg.Pose(PLATE)
    joints = [
        kg.Joint("motor", "revolute", "world", "crank", damping=damping),
        kg.Joint("pivot", "revolute", "world", "upper", ground, actuated=False),
        kg.Joint("hip", "revolute", "world", "lower", ground, actuated=False),
        kg.Joint("pin", "revolute", "crank", "push", ends["m"], actuated=False),
        kg.Joint("pin2", "revolute", "crank", "pull", ends["m"], actuated=False),
        kg.Joint("corner", "revolute", "upper", "link", left, actuated=False),
        kg.Joint("ankle", "revolute", "lower", "foot", ends["c"], actuated=False),
        kg.Joint("top", "revolute", "upper", "push", ends["b"], ends["j"], actuated=False),
        kg.Joint("bottom", "revolute", "lower", "pull", ends["c"], ends["k"], actuated=False),
        kg.Joint("knee", "revolute", "link", "foot", ends["f"], ends["g"], actuated=False),
    ]
    return kg.Mechanism(
        "strandbeest", links, joints, gravity=(0.0, -9.81, 0.0), frames=[kg.Frame("tip", "foot", kg.Pose(FOOT))]
    )


def meet(p: Array, reach_p: float, q: Array, reach_q: float) -> Array:
    """Point at `reach_p` from p and `reach_q` from q, to the left of the way from p to q."""
    way = q - p
    d = float(np.hypot(*way))
    along = (d * d + reach_p**2 - reach_q**2) / (2 * d)
    left = np.array([-way[1], way[0]]) / d
    return np.asarray(p + along * way / d + np.sqrt(reach_p**2 - along**2) * left)


def start(model: kg.Model) -> Array:
    """(nq) closed, crank to the right."""
    pin, hip = np.array([M, 0.0]), np.array([-A, -L])
    top, bottom = meet(hip, B, pin, J), meet(pin, K, hip, C)
    up = _direction(hip, top)
    left = hip + _turned(np.array(PLATE[:2]), up)
    knee = meet(bottom, G, left, F)
    headings = {
        "motor": 0.0,
        "pivot": up,
        "hip": _direction(hip, bottom),
        "pin": _direction(pin, top),
        "pin2": _direction(pin, bottom),
        "corner": _direction(left, knee) - up,
        "ankle": _direction(bottom, knee) - _direction(hip, bottom),
    }
    q = model.neutral()
    for name, heading in headings.items():
        q[model.q_slice(name)] = heading
    return model.assemble(q, hold=["motor"])


def _direction(p: Array, q: Array) -> float:
    return float(np.arctan2(q[1] - p[1], q[0] - p[0]))


def _turned(x: Array, by: float) -> Array:
    c, s = np.cos(by), np.sin(by)
    return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])


def motion(model: kg.Model, period: float = 1.0, samples: int = 241) -> States:
    """One turn of the crank at constant speed."""
    t = np.linspace(0.0, period, samples)
    rate = 2 * np.pi / period
    turning = angle(rate * t, np.full_like(t, rate), np.zeros_like(t))
    return follow(model.with_independent(["motor"]), start(model), t, {"motor": turning})


def main(folder: Folder = Path(__file__).parents[1] / "out") -> None:
    made = mechanism()
    model = kg.compile(made).with_independent(["motor"])
    states = motion(model)
    torque = model.actuator_torques(states.q, states.v, states.a)
    tip = model.frame_pose(states.q, "tip")[:, :3, 3]
    low = tip[:, 1].min()
    down = tip[tip[:, 1] < low + 0.02]
    worst = max(model.partition(q).condition for q in states.q[::10])
    print(f"degrees of freedom {model.nf}, loops {len(model.manifest.loops)}, worst condition {worst:.1f}")
    print(f"the foot's path is {np.ptp(tip[:, 0]):.3f} m long and {np.ptp(tip[:, 1]):.3f} m high")
    print(
        f"within 2 cm of the ground for {100 * len(down) / len(tip):.0f} % of the turn, over {np.ptp(down[:, 0]):.3f} m"
    )
    print(f"the crank needs {torque.min():.3f} to {torque.max():.3f} N m at a turn a second")
    curves = [
        Curves("foot [m]", states.t, tip[:, :2], ["x", "y"]),
        Curves("torque [N m]", states.t, torque, ["motor"]),
    ]
    points = {"foot": [FOOT]}
    picture(folder / "strandbeest.png", made, model, states.t, states.q, curves, trace=tip, points=points)


if __name__ == "__main__":
    script(main, __doc__)
