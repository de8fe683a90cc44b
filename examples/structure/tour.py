"""Connect, break and cut from Python: a hammer on a rope swings into a block, sticks to it, and the rope breaks.

python examples/structure/tour.py
"""

import numpy as np

import kinegen as kg
from kinegen.script import script


def strike(simulator):
    """The hammer sticks to the block, which leaves its shelf, all in one instant."""
    before = simulator.model.energy(simulator.q, simulator.v)[0]
    impact = simulator.switch(connect=["stick"], cut=["shelf"])
    after = simulator.model.energy(simulator.q, simulator.v)[0]
    push = np.round(impact.impulse[:3], 3)
    print(f"{impact.t:.4f} s: impulse on the block {push} N s, kinetic energy {before:.2f} -> {after:.2f} J")


def main() -> None:
    hammer = kg.Link("hammer", 2.0, inertia=kg.inertia.sphere(2.0, 0.1))
    block = kg.Link("block", 5.0, inertia=kg.inertia.box(5.0, (0.2, 0.2, 0.2)))
    mech = kg.Mechanism(
        "hammer",
        [hammer, block],
        [kg.Joint("hammer_free", "free", "world", "hammer"), kg.Joint("block_free", "free", "world", "block")],
    )
    lib = kg.TopologyLibrary(
        mech,
        [
            kg.Connection("rope", "hammer", "world", kg.spherical(), pose=kg.Pose((0, 0, 1.0))),
            kg.Connection("shelf", "block", "world", kg.fixed()),
            kg.Connection("stick", "hammer", "block", kg.fixed(), pose=kg.Pose((0.1, 0, 0))),
        ],
    ).precompile()

    tilt = np.radians(-60)  # the hammer hangs from (0, 0, 1), drawn aside
    q, v = lib.state(
        {
            "hammer_free": [np.sin(tilt), 0, 1 - np.cos(tilt), 0, -np.sin(tilt / 2), 0, np.cos(tilt / 2)],
            "block_free": [0.25, 0, 0, 0, 0, 0, 1],
        }
    )
    sim = kg.Simulator(lib, q=q, v=v, active={"rope", "shelf"}, integrator="rk4")
    print(f"at rest the rope carries {np.linalg.norm(sim.wrench('rope')[:3]):.2f} N")

    sim.when(kg.distance("hammer", "block") < 0.251, strike)
    sim.when(kg.force("rope") > 72.0, "cut", "rope")
    trajectory = sim.run(1.5, every=10)
    for t, what, name in trajectory.events:
        print(f"{t:.4f} s  {what} {name}")
    print(f"loops were never open by more than {sim.gap:.0e}")


if __name__ == "__main__":
    script(main, __doc__)
