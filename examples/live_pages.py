"""Mechanisms as pages that simulate, each one file: a four-bar, Jansen's leg, a man on a swing, a biped on the floor.

    python examples/live_pages.py [FOLDER]          pages go to FOLDER (examples/out)

They need a compiler that makes WebAssembly: pip install 'kinegen[cc]'.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import kinegen as kg
from kinegen.script import Folder, script

sys.path.insert(0, str(Path(__file__).parent / "closed"))
import strandbeest

HERE = Path(__file__).parent


def four_bar() -> kg.Simulator:
    """Turning by itself; gravity and the mass of the coupler can be set."""
    described = kg.parametrise(kg.load(HERE / "fourbar.toml"), "gravity", "mass of coupler")
    model = kg.compile(described).with_independent(["drive"])
    return kg.Simulator(model, v=model.dependent_motion(model.q0, np.array([4.0, 0.0, 0.0]))[0])


def jansens_leg() -> kg.Simulator:
    """Driven by a torque of the crank against friction."""
    model = kg.compile(strandbeest.mechanism(damping=0.2)).with_independent(["motor"])
    return kg.Simulator(model, q=strandbeest.start(model), tau={"motor": 1.0})


def biped() -> kg.Simulator:
    """Standing with bent knees, each joint held by a servo: push it, or turn a servo's slider."""
    model = kg.compile(kg.load(HERE / "walking/biped.toml"))
    q, bent = model.q0, 0.4
    q[2] = 0.8 * np.cos(bent / 2) + 0.08  # two halves of the leg, and the foot
    for side in "lr":
        q[model.q_slice(f"hip_{side}")][1] = -bent / 2
        q[model.q_slice(f"knee_{side}")] = bent
        q[model.q_slice(f"ankle_{side}")][0] = -bent / 2
    joints = [joint.name for joint in model.manifest.joints if joint.name != "flight"]
    servos = {name: kg.Servo(kp=2000.0, kd=60.0, position=q[model.q_slice(name)]) for name in joints}
    return kg.Simulator(model, q=q, servos=servos)


PAGES: dict[str, Callable[[], kg.Simulator | Path]] = {
    "fourbar": four_bar,
    "jansen": jansens_leg,
    "swing": lambda: HERE / "structure/swing.toml",
    "biped": biped,
}


def main(folder: Folder = HERE / "out") -> None:
    for name, make in PAGES.items():
        print(kg.play(make(), folder / f"{name}.html"))


if __name__ == "__main__":
    script(main, __doc__)
