"""Computed torque: the double pendulum follows a sine, its own inverse dynamics in the loop.

python examples/computed_torque.py
"""

from pathlib import Path

import numpy as np

import kinegen as kg
from kinegen.script import script

AMPLITUDE, RATE = np.array([0.8, -0.5]), 3.0


def wanted(t):
    """Where the joints should be, how fast, and how they should accelerate."""
    s, c = np.sin(RATE * t), np.cos(RATE * t)
    return AMPLITUDE * s, AMPLITUDE * RATE * c, -AMPLITUDE * RATE**2 * s


def main() -> None:
    model = kg.compile(kg.load(Path(__file__).with_name("double_pendulum.urdf")))

    def control(t, q, v):
        q_d, v_d, a_d = wanted(t)
        return model.inverse_dynamics(q, v, a_d + 400.0 * (q_d - q) + 40.0 * (v_d - v))

    simulator = kg.Simulator(model, q=[0.3, 0.3], v=wanted(0.0)[1], tau=control)
    trajectory = simulator.run(3.0)
    error = np.abs(trajectory.q[-1] - wanted(3.0)[0]).max()
    print(f"from {np.abs(trajectory.q[0]).max():.1f} rad off to {error:.1e} rad off after 3 s")


if __name__ == "__main__":
    script(main, __doc__)
