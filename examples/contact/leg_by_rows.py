"""Jansen's leg kicks a ball, its loops held by two axes of each pin in the contact solver [P Fig. 3].

    python examples/contact/leg_by_rows.py [FOLDER]          pictures go to FOLDER (examples/out)

The model of the leg is an open tree; three connections of two axes close it. Over the same motion with the joints that
close the loops given as such, and put back on the closure after each step, the two are compared.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

sys.path.insert(0, str(Path(__file__).parents[1] / "closed"))
import strandbeest
from sketch import Curves, picture

Array = NDArray[np.float64]
TORQUE, DAMPING = 4.0, 0.5
"""Of the crank [N m, N m s]: half a turn a second or so."""
BALL, AHEAD, GROUND = 0.06, -0.1, -0.98
DT = 2e-4
"""Radius of the ball, where it lies, height of the ground [m]; gravity is along -y."""


def closed() -> kg.Mechanism:
    """The leg with a ball for a toe, a ball on the ground."""
    leg = strandbeest.mechanism(damping=DAMPING)
    toe = kg.sphere(0.015, pose=kg.Pose(strandbeest.FOOT), friction=0.6)
    links = [replace(link, shapes=(toe,)) if link.name == "foot" else link for link in leg.links]
    inertia = kg.inertia.sphere(0.3, BALL)
    links.append(kg.Link("ball", 0.3, inertia=inertia, shapes=[kg.sphere(BALL, friction=0.6, restitution=0.5)]))
    joints = [*leg.joints, kg.Joint("flight", "free", "world", "ball")]
    up = kg.Pose((0, GROUND, 0), (-np.pi / 2, 0, 0))
    return replace(leg, links=tuple(links), joints=tuple(joints), shapes=(kg.plane(pose=up, friction=0.6),))


def opened(made: kg.Mechanism) -> tuple[kg.Mechanism, list[kg.Rows]]:
    """The tree without the joints that close its loops, and two rows across each of their axes."""
    loops = {virtual.joint.name for virtual in made.virtual_links}
    pins = [joint for joint in made.joints if joint.name in loops]
    held = [
        kg.Rows(pin.name, pin.parent, pin.child, axes="xy", origin=pin.origin, child_origin=pin.child_origin)
        for pin in pins
    ]
    return replace(made, joints=tuple(joint for joint in made.joints if joint.name not in loops)), held


def models() -> tuple[kg.Model, kg.Model]:
    """By the closure; by rows. Both have the same q and v."""
    made = closed()
    tree, held = opened(made)
    return kg.compile(made).with_independent(["motor", "flight"]), kg.compile(tree, rows=kg.RowRules(between=held))


def start(by_closure: kg.Model) -> Array:
    """The crank to the right, the ball at rest on the ground."""
    q = by_closure.neutral()
    leg = kg.compile(strandbeest.mechanism(damping=DAMPING))
    for joint in leg.manifest.joints:
        q[by_closure.q_slice(joint.name)] = strandbeest.start(leg)[leg.q_slice(joint.name)]
    q[by_closure.q_slice("flight")] = [AHEAD, GROUND + BALL, 0, 0, 0, 0, 1]
    return q


def simulate(model: kg.Model, q: Array, duration: float, dt: float, every: int) -> tuple[kg.Trajectory, float]:
    """The motion under a constant torque, and how far the rows were off at most [m] at the end of each tenth."""
    tau = np.zeros(model.nv)
    tau[model.v_slice("motor")] = TORQUE
    simulator = kg.Simulator(model, q=q, tau=tau, dt=dt)
    off, parts = 0.0, []
    for _ in range(10):
        parts.append(simulator.run(duration / 10, every=every))
        off = max([off, *(row.off for row in simulator.rows)])
    t, states, v = (np.concatenate([getattr(part, name)[:-1] for part in parts]) for name in "tqv")
    tau = np.tile(tau, (len(t), 1))
    return kg.Trajectory(t, states, v, tau, joints=model.manifest.joints, model=model), off


def main(
    folder: Folder = Path(__file__).parents[1] / "out",
    duration: Annotated[float, typer.Option(min=0.1, help="Seconds.")] = 2.0,
) -> None:
    by_closure, by_rows = models()
    q = start(by_closure)
    every = round(0.005 / DT)
    exact, _ = simulate(by_closure, q, duration, DT, every)
    held, off = simulate(by_rows, q, duration, DT, every)
    tips = [model.frame_pose(run.q, "tip")[:, :3, 3] for model, run in ((by_closure, exact), (by_rows, held))]
    balls = [run.q[:, run.model.q_slice("flight")][:, :3] for run in (exact, held)]
    turned = held.q[-1, by_rows.q_slice("motor")][0] / (2 * np.pi)
    print(f"{turned:.1f} turns of the crank; rows are off by at most {1e6 * off:.1f} um")
    print(f"the foot is at most {1e3 * np.abs(tips[0] - tips[1]).max():.2f} mm from where the closure has it")
    print(f"the ball has rolled {balls[1][-1, 0] - AHEAD:.3f} m, by the closure {balls[0][-1, 0] - AHEAD:.3f} m")
    curves = [
        Curves(
            "foot [m]", held.t, np.column_stack([tips[1][:, :2], tips[0][:, :2]]), ["x", "y", "x closure", "y closure"]
        ),
        Curves("ball x [m]", held.t, np.column_stack([balls[1][:, 0], balls[0][:, 0]]), ["rows", "closure"]),
    ]
    points = {
        "upper": [strandbeest.PLATE],
        "foot": [strandbeest.FOOT],
        "ball": [(BALL, 0, 0), (0, BALL, 0), (-BALL, 0, 0), (0, -BALL, 0)],
    }
    early = held.t < 0.45
    picture(
        folder / "leg_by_rows.png", closed(), by_closure, held.t[early], held.q[early], curves, poses=5, points=points
    )


if __name__ == "__main__":
    script(main, __doc__)
