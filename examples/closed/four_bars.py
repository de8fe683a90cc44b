"""The two four-bars with links all alike of T. Sonoda, K. Ishii and D. Isobe: target motion in, torques out.

    python examples/closed/four_bars.py [FOLDER]          pictures go to FOLDER (examples/out)

(a) has one actuator, theta3; (b) has a second one, theta1, that is not needed: the torques that give the same motion
are shared so that the sum of their squares is least, and once more with a limit on one motor. Joints are counted round
the loop from the left pivot; lengths, masses and the target are values of ours.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from follow import States, follow, swing
from sketch import Array, Curves, picture

import kinegen as kg
from kinegen.script import Folder, script

LENGTH, MASS, BASE = 0.5, 1.0, 0.7


def mechanism(*actuated: str) -> kg.Mechanism:
    """Three rods alike and the ground; gravity along -y."""
    rods = [kg.Link(f"link{i}", MASS, (LENGTH / 2, 0, 0), kg.inertia.rod(MASS, LENGTH)) for i in (1, 2, 3)]
    end = kg.Pose((LENGTH, 0, 0))
    joints = [
        kg.Joint("theta1", "revolute", "world", "link1", actuated="theta1" in actuated),
        kg.Joint("theta2", "revolute", "link1", "link2", end, actuated="theta2" in actuated),
        kg.Joint("theta3", "revolute", "link2", "link3", end, actuated="theta3" in actuated),
        kg.Joint("theta4", "revolute", "world", "link3", kg.Pose((BASE, 0, 0)), end, actuated="theta4" in actuated),
    ]
    name = f"four_bar_{'_and_'.join(actuated)}"
    return kg.Mechanism(name, rods, joints, gravity=(0.0, -9.81, 0.0))


def motion(model: kg.Model, samples: int = 201) -> States:
    """One swing of theta3 in a second, coupler up."""
    t = np.linspace(0.0, 1.0, samples)
    upright = np.arccos((BASE - LENGTH) / 2 / LENGTH)
    start = np.array([upright, -upright, -upright])
    return follow(model.with_independent(["theta3"]), start, t, {"theta3": swing(t, -1.4, 0.5, 1.0)})


def torques(model: kg.Model, states: States, limits: Array | None = None) -> Array:
    """(n, N_A) torques of the actuators."""
    leading = model.with_independent(["theta3"])
    result: Array = leading.actuator_torques(states.q, states.v, states.a, limits=limits)
    return result


def main(folder: Folder = Path(__file__).parents[1] / "out") -> None:
    single, double = mechanism("theta3"), mechanism("theta1", "theta3")
    one, two = kg.compile(single), kg.compile(double)
    states = motion(one)
    alone, shared = torques(one, states), torques(two, states)
    most = np.abs(shared).max(axis=0)
    limit = np.array([0.8 * most[0], np.inf])
    limited = torques(two, states, limit)
    print(f"one actuator: theta3 needs up to {np.abs(alone).max():.3f} N m")
    print(f"two actuators: theta1 up to {most[0]:.3f}, theta3 up to {most[1]:.3f} N m")
    print(
        f"theta1 held within {limit[0]:.3f} N m: it gives {np.abs(limited[:, 0]).max():.3f}, "
        f"theta3 up to {np.abs(limited[:, 1]).max():.3f} N m"
    )
    S = two.with_independent(["theta3"]).S(states.q)
    balance = np.abs(np.einsum("kij,ki->kj", S, limited) - np.einsum("kij,ki->kj", S, shared)).max()
    print(f"shared and limited torques give the same motion within {balance:.1g} N m")
    curves = [
        Curves("theta3 [rad]", states.t, states.q[:, 2:], ["target"]),
        Curves("(a) torque [N m]", states.t, alone, ["theta3"]),
        Curves(
            "(b) torques [N m]",
            states.t,
            np.hstack([shared, limited]),
            ["theta1", "theta3", "theta1 limited", "theta3"],
        ),
    ]
    picture(folder / "four_bars.png", double, two, states.t, states.q, curves, poses=6)


if __name__ == "__main__":
    script(main, __doc__)
