"""Parameters of an arm identified from noisy torques: what the data sheet says is wrong, the links and the friction in
the joints are found from five seconds of motion, and another motion is foretold.

python examples/identify_arm.py [FOLDER]          the picture goes to FOLDER (examples/out)
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

Array = NDArray[np.float64]
DT, NOISE = 0.005, 0.3
NAMES = ("turret", "upper", "lower")


def described() -> kg.Mechanism:
    """The arm as its data sheet has it: a turret, an upper and a lower arm as slender rods."""
    links = [
        kg.Link("turret", 8.0, (0, 0, 0.1), (0.06, 0, 0, 0.06, 0, 0.04)),
        kg.Link("upper", 5.0, (0.22, 0, 0), (0.01, 0, 0, 0.09, 0, 0.09)),
        kg.Link("lower", 3.0, (0.18, 0, 0), (0.005, 0, 0, 0.04, 0, 0.04)),
    ]
    joints = [
        kg.Joint("waist", "revolute", "world", "turret"),
        kg.Joint("shoulder", "revolute", "turret", "upper", kg.Pose((0, 0, 0.3)), axis=(0, 1, 0)),
        kg.Joint("elbow", "revolute", "upper", "lower", kg.Pose((0.45, 0, 0)), axis=(0, 1, 0)),
    ]
    return kg.parametrise(kg.Mechanism("arm", links, joints), "mass, com, inertia of *", "damping, friction of *")


def real(model: kg.Model) -> kg.Model:
    """The arm as it is: heavier at the end, cables beside the axes, friction in its gears."""
    return model.with_parameters(
        mass_upper=6.1, com_upper_z=0.03, mass_lower=4.3, com_lower_x=0.24, com_lower_y=0.02, inertia_lower_zz=0.062,
        inertia_lower_yy=0.06, inertia_turret_zz=0.09, damping_waist=0.8, damping_shoulder=1.1, damping_elbow=0.5,
        friction_waist=1.5, friction_shoulder=2.0, friction_elbow=0.9,
    )  # fmt: skip


def motion(seconds: float, seed: int) -> tuple[Array, Array, Array, Array]:
    """t (n), q, v, a (n, 3): sums of five sines a joint."""
    rng, t = np.random.default_rng(seed), np.arange(0.0, seconds, DT)
    w, size = 2 * np.pi * np.array([0.2, 0.4, 0.8, 1.0, 1.6]), rng.normal(0.0, 0.35, (3, 5))
    phase = rng.uniform(0.0, 2 * np.pi, (3, 5))
    angle = w * t[:, None, None] + phase
    q, v, a = ((size * wave).sum(-1) for wave in (np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle)))
    return t, q, v, a


def torques(model: kg.Model, q: Array, v: Array, a: Array) -> Array:
    """What the motors exert: against inertia and weight, and against the friction of the joints."""
    return model.inverse_dynamics(q, v, a) - model.passive_forces(q, v)


def main(folder: Folder = Path(__file__).parent / "out") -> kg.Identification:
    model = kg.compile(described())
    arm, rng = real(model), np.random.default_rng(0)
    _, q, v, a = motion(5.0, seed=1)
    measured = torques(arm, q, v, a) + NOISE * rng.normal(size=q.shape)
    found = kg.identify(model, kg.TorqueRecord(q, v, a, measured))
    print(f"{len(found.base)} base parameters, condition {found.condition:.0f}")
    wanted = found.base.values(arm.inertial_parameters())
    for name, x, spread, truth in zip(
        found.base.groups(), found.base.values(found.parameters), found.deviations, wanted, strict=True
    ):
        print(f"{x:8.4f} ± {spread:.4f}  ({truth:8.4f})  {name}")
    print("every link is a body that can be" if found.possible else "no body can be like this")
    draw(folder, model, arm, found)
    return found


def draw(folder: Path, model: kg.Model, arm: kg.Model, found: kg.Identification) -> None:
    """Another motion: the torques that are measured, and those of the data sheet and of what was found."""
    import matplotlib.pyplot as plt

    t, q, v, a = motion(3.0, seed=5)
    true = torques(arm, q, v, a)
    noisy = true + NOISE * np.random.default_rng(2).normal(size=true.shape)
    figure, axes = plt.subplots(3, 1, figsize=(8, 7), sharex=True, constrained_layout=True)
    for k, axis in enumerate(axes):
        axis.plot(t, noisy[:, k], ".", color="0.75", ms=2, label="measured")
        axis.plot(t, torques(model, q, v, a)[:, k], "--", color="tab:red", lw=1, label="data sheet")
        axis.plot(t, torques(found.of(model), q, v, a)[:, k], color="tab:blue", lw=1.2, label="identified")
        axis.set_ylabel(f"{model.joint_names[k]} [N m]")
    axes[0].legend(ncols=3, fontsize=8)
    axes[-1].set_xlabel("t [s], a motion that was not used")
    off = np.sqrt(((torques(found.of(model), q, v, a) - true) ** 2).mean())
    wrong = np.sqrt(((torques(model, q, v, a) - true) ** 2).mean())
    print(f"another motion: {off:.3f} N m off, the data sheet {wrong:.2f} N m")
    figure.savefig(folder / "identify_arm.png", dpi=80)
    plt.close(figure)


if __name__ == "__main__":
    script(main, __doc__)
