"""Ten thousand random poses of the human figure at once: how heavy its left arm is to hold.

python examples/batch.py
"""

import time

import numpy as np

import kinegen as kg
from kinegen.script import script


def main() -> None:
    model = kg.compile(kg.human_figure(mass=70, height=1.75))
    q = model.random(0, size=10_000)
    q[:, :7] = model.q0[:7]  # upright: only the limbs are random

    start = time.perf_counter()
    torque = model.gravity(q)[:, model.v_slice("shoulder_l")]
    spent = time.perf_counter() - start

    size = np.linalg.norm(torque, axis=1)
    print(f"torque at the left shoulder: mean {size.mean():.1f} N m, largest {size.max():.1f} N m")
    print(f"{len(q)} poses in {1e3 * spent:.1f} ms")


if __name__ == "__main__":
    script(main, __doc__)
