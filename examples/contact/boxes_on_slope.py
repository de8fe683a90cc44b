"""Twenty boxes fall on a ramp [P Fig. 2]: the rough ones stay on it, the smooth ones slide down to the floor.

    python examples/contact/boxes_on_slope.py [FOLDER]          pictures go to FOLDER (examples/out)

The same scene from a file: kinegen simulate examples/contact/boxes.toml
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

Array = NDArray[np.float64]
ANGLE = np.radians(22.0)
ROUGH, SMOOTH = 0.9, 0.1
"""Friction of the boxes; with the ramp's 0.5 it makes 0.67 and 0.22, on either side of tan 22° = 0.40."""
COUNT = 20
RAMP = (3.0, 2.4, 0.2)


def mechanism(seed: int = 1) -> kg.Mechanism:
    """Boxes of random sizes, every second one smooth, a ramp that leans towards -y, a floor."""
    rng = np.random.default_rng(seed)
    links = []
    for i in range(COUNT):
        size = [round(float(x), 3) for x in rng.uniform(0.12, 0.3, 3)]
        mass = round(400.0 * float(np.prod(size)), 3)
        shape = kg.box(size, friction=SMOOTH if i % 2 else ROUGH)
        links.append(kg.Link(f"box{i}", mass, inertia=kg.inertia.box(mass, size), shapes=[shape]))
    joints = [kg.Joint(f"flight{i}", "free", "world", f"box{i}") for i in range(COUNT)]
    ramp = kg.box(RAMP, pose=kg.Pose((0, 0, 0.45), (round(float(ANGLE), 6), 0, 0)), friction=0.5)
    return kg.Mechanism("boxes", links, joints, shapes=[kg.plane(friction=0.5), ramp])


def start(model: kg.Model, seed: int = 1) -> Array:
    """(nq) the boxes in five rows above the ramp, turned at random."""
    rng = np.random.default_rng(seed)
    q = model.neutral()
    for i in range(COUNT):
        across, along = 0.6 * (i % 4) - 0.9, 0.42 * (i // 4) - 0.84
        turn = rng.normal(size=4)
        above = 0.45 + np.tan(ANGLE) * along + 0.5 + 0.1 * (i % 3)
        q[7 * i : 7 * i + 7] = [across, along, above, *(turn / np.linalg.norm(turn))]
    return q


def simulate(duration: float = 3.0, every: int = 20) -> tuple[kg.Mechanism, kg.Trajectory, float]:
    """The mechanism, its motion, and the mean time of a step [s]."""
    made = mechanism()
    model = kg.compile(made)
    simulator = kg.Simulator(model, q=start(model))
    begun = time.perf_counter()
    trajectory = simulator.run(duration, every=every)
    return made, trajectory, (time.perf_counter() - begun) * simulator.dt / duration


def main(folder: Folder = Path(__file__).parents[1] / "out") -> None:
    made, trajectory, step = simulate()
    contacts = trajectory.contacts
    assert contacts is not None
    heights = trajectory.q[-1].reshape(COUNT, 7)[:, 2]
    speeds = np.linalg.norm(trajectory.v[-1].reshape(COUNT, 6)[:, :3], axis=1)
    on_ramp = [i for i in range(COUNT) if heights[i] > 0.32]
    energy = trajectory.energy.sum(axis=1)
    print(f"on the ramp: {sum(i % 2 == 0 for i in on_ramp)} rough boxes, {sum(i % 2 for i in on_ramp)} smooth ones")
    print(f"fastest at the end {speeds.max():.1e} m/s, points of contact up to {max(map(len, contacts))}")
    weight = 9.81 * sum(float(link.mass) for link in made.links)
    print(f"force on the ground at the end {-contacts.force('world')[-2, 2]:.2f} N, weight {weight:.2f} N")
    deepest, last = max(-c.gaps.min() for c in contacts if len(c)), -contacts[-2].gaps.min()
    print(f"deepest point of all impacts {1e3 * deepest:.2f} mm, at rest {1e3 * last:.2f} mm")
    print(
        f"energy rises by at most {max(np.diff(energy).max(), 0.0):.1e} J between pictures, {1e6 * step:.0f} us a step"
    )
    kg.stick_figures(made, trajectory, folder / "boxes_on_slope.png", poses=6, columns=3)


if __name__ == "__main__":
    script(main, __doc__)
