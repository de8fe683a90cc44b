"""A bicycle that rides by itself: the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007), its eigenvalues.

python examples/bicycle.py [FOLDER]          the pictures go to FOLDER (examples/out)
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

Array = NDArray[np.float64]
BASE, TRAIL, TILT = 1.02, 0.08, math.pi / 10  # wheel base, trail, tilt of the steer axis
REAR, FRONT = 0.3, 0.35  # radii of the wheels
LEADERS = ("base[3]", "steer", "base[0]")  # lean, steer, speed


def mechanism() -> kg.Mechanism:
    """Rear frame with its rider, fork with handlebar, and two wheels; x forward, y left, z up.

    The rear wheel touches the origin. Lean and steer to the right are positive. In the publication y is to the right
    and z down, so that the products of inertia I_xz change sign.
    """
    foot = kg.Pose((BASE + TRAIL, 0, 0))  # where the steer axis meets the ground
    links = [
        kg.Link("frame", 85.0, (0.3, 0, 0.9), (9.2, 0, -2.4, 11.0, 0, 2.8)),
        kg.Link("fork", 4.0, (0.9, 0, 0.7), (0.05892, 0, 0.00756, 0.06, 0, 0.00708)),
        kg.Link("rear", 2.0, inertia=(0.0603, 0, 0, 0.12, 0, 0.0603)),
        kg.Link("front", 3.0, inertia=(0.1405, 0, 0, 0.28, 0, 0.1405)),
    ]
    joints = [
        kg.Joint("base", "free", "world", "frame"),
        kg.Joint("steer", "continuous", "frame", "fork", foot, foot, axis=(math.sin(TILT), 0, -math.cos(TILT))),
        kg.Joint("rear_axle", "continuous", "frame", "rear", kg.Pose((0, 0, REAR)), axis=(0, 1, 0), actuated=False),
        kg.Joint(
            "front_axle", "continuous", "fork", "front", kg.Pose((BASE, 0, FRONT)), axis=(0, 1, 0), actuated=False
        ),
        kg.rolling("rear", radius=REAR),
        kg.rolling("front", radius=FRONT),
    ]
    return kg.Mechanism("bicycle", links, joints)


def straight_on(model: kg.Model, speed: float) -> tuple[Array, Array]:
    """(q, v) of upright riding."""
    return model.q0, model.project(model.q0, [speed, *np.zeros(model.nv - 1)])[1]


def poles(model: kg.Model, speed: float) -> NDArray[np.complex128]:
    """(4) castering, weave twice, capsize, in the order of their size: lean and steer without the other coordinates,
    of which they know nothing."""
    linear = kg.linearize(model, *straight_on(model, speed))
    kept = [linear.states.index(name) for name in ("base[3]", "steer", "d base[3]", "d steer")]
    found = np.linalg.eigvals(linear.A[np.ix_(kept, kept)])
    return np.asarray(found[np.argsort(-np.abs(found))], dtype=np.complex128)


def coast(model: kg.Model, speed: float, push: float, duration: float) -> kg.Trajectory:
    """Riding without hands after a push that makes it lean at `push` [rad/s]."""
    q, v = straight_on(model, speed)
    v[3] += push
    return kg.Simulator(model, dt=2e-3, integrator="rk4", q=q, v=model.project(q, v)[1]).run(duration, every=5)


def draw(model: kg.Model, folder: Path) -> None:
    import matplotlib.pyplot as plt

    speeds = np.linspace(0.0, 10.0, 201)
    found = np.array([poles(model, speed) for speed in speeds])
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    shaking = np.abs(found.imag) > 1e-9
    wide = np.repeat(speeds[:, None], 4, axis=1)
    left.plot(wide[~shaking], found.real[~shaking], ".", ms=3, color="tab:blue", label="real: capsize, castering")
    left.plot(wide[shaking], found.real[shaking], ".", ms=3, color="tab:red", label="weave, real part")
    left.plot(wide[shaking], np.abs(found.imag[shaking]), ".", ms=2, color="tab:gray", label="weave, imaginary part")
    left.axvspan(4.2924, 6.0243, color="tab:green", alpha=0.2, lw=0, label="stable by itself")
    left.set(xlabel="speed [m/s]", ylabel="eigenvalue [1/s]", ylim=(-10, 10), title="Eigenvalues of lean and steer")
    left.legend(fontsize="small", loc="lower right")
    for speed in (3.8, 4.6):
        ride = coast(model, speed, 0.2, 6.0)
        right.plot(ride.t, np.degrees(ride.q[:, model.q_slice("steer")]), label=f"steer at {speed} m/s")
    right.set(xlabel="time [s]", ylabel="angle [°]", title="After a push", ylim=(-30, 30))
    right.legend(fontsize="small")
    figure.savefig(folder / "bicycle.png", dpi=80)
    plt.close(figure)


def main(folder: Folder = Path(__file__).parent / "out") -> None:
    model = kg.compile(mechanism()).with_independent(LEADERS)
    for speed in (4.0, 5.0, 6.5):
        print(f"{speed} m/s:", ", ".join(f"{pole:.6f}" for pole in poles(model, speed)))
    draw(model, folder)


if __name__ == "__main__":
    script(main, __doc__)
