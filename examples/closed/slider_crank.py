"""A slider-crank: the torque that turns the crank through one revolution, and the motion that this torque gives.

python examples/closed/slider_crank.py [FOLDER]          pictures go to FOLDER (examples/out)
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from follow import States, angle, follow
from sketch import Curves, picture

import kinegen as kg
from kinegen.script import Folder, script

CRANK, ROD = 0.1, 0.3


def mechanism() -> kg.Mechanism:
    """Crank about z, connecting rod, slider along x; gravity along -y."""
    links = [
        kg.Link("crank", 0.4, (CRANK / 2, 0, 0), kg.inertia.rod(0.4, CRANK)),
        kg.Link("rod", 0.6, (ROD / 2, 0, 0), kg.inertia.rod(0.6, ROD)),
        kg.Link("slider", 1.0, inertia=kg.inertia.box(1.0, (0.06, 0.04, 0.04))),
    ]
    joints = [
        kg.Joint("motor", "revolute", "world", "crank"),
        kg.Joint("pin", "revolute", "crank", "rod", kg.Pose((CRANK, 0, 0)), actuated=False),
        kg.Joint("slide", "prismatic", "world", "slider", axis=(1, 0, 0), actuated=False),
        kg.Joint("wrist", "revolute", "slider", "rod", child_origin=kg.Pose((ROD, 0, 0)), actuated=False),
    ]
    return kg.Mechanism("slider_crank", links, joints, gravity=(0.0, -9.81, 0.0))


def motion(model: kg.Model, steps: int, duration: float = 0.5) -> States:
    """One turn of the crank from rest to rest, of least jerk."""
    t = np.linspace(0.0, duration, steps + 1)
    s, turn = t / duration, 2 * np.pi
    x = turn * s**3 * (10 - 15 * s + 6 * s**2)
    dx = turn * 30 * s**2 * (1 - s) ** 2 / duration
    ddx = turn * 60 * s * (1 - s) * (1 - 2 * s) / duration**2
    start = np.zeros(model.nq)
    start[model.q_slice("slide")] = CRANK + ROD
    return follow(model.with_independent(["motor"]), start, t, {"motor": angle(x, dx, ddx)})


def main(folder: Folder = Path(__file__).parents[1] / "out") -> None:
    made = mechanism()
    model = kg.compile(made).with_independent(["motor"])
    fine = motion(model, 1000)
    torque = model.actuator_torques(fine.q, fine.v, fine.a)
    between = slice(1, None, 2)  # torques in the middle of the steps that hold them
    dt, tau = fine.t[2], np.zeros((500, model.nv))
    tau[:, model.v_slice("motor")] = torque[between]
    trajectory = kg.Simulator(model, dt=dt, integrator="rk4", q=fine.q[0], tau=tau).run(fine.t[-1])
    slide = model.q_slice("slide")
    off = np.abs(trajectory.q[:, slide] - fine.q[::2, slide]).max()
    print(f"one turn in {fine.t[-1]:g} s needs up to {np.abs(torque).max():.3f} N m")
    print(f"driven by these torques, the slider is at most {1e6 * off:.2f} um off its way")
    print(f"largest gap of the loop {trajectory.closure_gap.max():.1g} m")
    curves = [
        Curves("slider", fine.t, np.hstack([fine.q[:, slide], fine.v[:, model.v_slice("slide")]]), ["[m]", "[m/s]"]),
        Curves("torque [N m]", fine.t, torque, ["motor"]),
    ]
    picture(folder / "slider_crank.png", made, model, fine.t, fine.q, curves)


if __name__ == "__main__":
    script(main, __doc__)
