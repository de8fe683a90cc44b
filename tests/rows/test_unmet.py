"""Rows that nothing can meet together: driven joints that press bodies against what does not give way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import kinegen as kg

Motions = dict[str, Callable[[float], float]]
CRATE = kg.Link("crate", 1.0, inertia=kg.inertia.box(1.0, (0.2, 0.2, 0.2)), shapes=[kg.box((0.2, 0.2, 0.2))])


def press() -> tuple[kg.Model, Motions]:
    """A plate goes a millimetre too low onto a crate on the floor, and stays there."""
    ram = kg.Link("ram", 1.0, shapes=[kg.box((0.4, 0.4, 0.1))])
    joints = [
        kg.Joint("ram", "prismatic", "world", "ram", kg.Pose((0, 0, 0.2501)), axis=(0, 0, 1)),
        kg.Joint("free", "free", "world", "crate", start=(0.03, 0.01, 0.1, 0, 0, 0, 1)),
    ]
    model = kg.compile(kg.Mechanism("press", [ram, CRATE], joints, shapes=[kg.plane()]))
    return model, {"ram": lambda t: -0.1 * min(t, 0.01)}


def fingers() -> tuple[kg.Model, Motions]:
    """Two fingers close on a crate, each a millimetre too far, and lift it."""
    links = [kg.Link(name, 0.1, shapes=[kg.box((0.02, 0.05, 0.05))]) for name in ("left", "right")]
    joints = [
        kg.Joint("lift", "prismatic", "world", "lift", axis=(0, 0, 1)),
        kg.Joint("left", "prismatic", "lift", "left", kg.Pose((-0.111, 0, 0.1)), axis=(1, 0, 0)),
        kg.Joint("right", "prismatic", "lift", "right", kg.Pose((0.111, 0, 0.1)), axis=(-1, 0, 0)),
        kg.Joint("free", "free", "world", "crate", start=(0, 0, 0.1, 0, 0, 0, 1)),
    ]
    mechanism = kg.Mechanism("fingers", [kg.Link("lift", 0.1), *links, CRATE], joints, shapes=[kg.plane()])

    def close(t: float) -> float:
        return 0.01 * min(t, 0.2)

    return kg.compile(mechanism), {"left": close, "right": close, "lift": lambda t: 0.05 * max(0.0, t - 0.3)}


def foot() -> tuple[kg.Model, Motions]:
    """A ball on a guide that friction jams, as it is steeper than the guide, pressed on the floor by a ram."""
    links = [kg.Link("ram", 1.0), kg.Link("foot", 1.0, shapes=[kg.sphere(0.05, friction=0.5)])]
    joints = [
        kg.Joint("ram", "prismatic", "world", "ram", kg.Pose((0, 0, 0.0501)), axis=(0, 0, 1)),
        kg.Joint("guide", "prismatic", "ram", "foot", axis=(1, 0, 0.2)),
    ]
    model = kg.compile(kg.Mechanism("foot", links, joints, shapes=[kg.plane(friction=0.5)]))
    return model, {"ram": lambda t: -0.1 * min(t, 0.01)}


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("make", [press, fingers, foot])
def test_what_is_squeezed_stays_where_it_is(make: Callable[[], tuple[kg.Model, Motions]], integrator: str) -> None:
    """By the last step's forces and means beyond them it left by 1e9 m/s and more."""
    model, driven = make()
    sim = kg.Simulator(model, driven=driven, integrator=integrator)
    start, speeds, forces = sim.q, [0.0], [0.0]
    for _ in range(800):
        sim.step()
        speeds.append(float(abs(sim.v).max()))
        forces.append(float(abs(sim.contacts.forces).max(initial=0.0)))
    moved = (sim.q - start)[len(driven) :]
    assert max(speeds) < 2.0
    assert max(forces) < 1e8  # finite; 1e14 and more before
    assert abs(moved[:2]).max() < 0.012
    assert make is foot or abs(moved[2] - (0.025 if make is fingers else 0.0)) < 0.002


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("beyond", [1e-4, 1e-3])
def test_fingers_do_not_shoot_what_they_take(beyond: float, integrator: str) -> None:
    """A cube beside their middle: its faces are not quite along theirs, and pushes out of the depth drove it away."""
    cube = kg.Link("cube", 0.2, inertia=kg.inertia.box(0.2, (0.05,) * 3), shapes=[kg.box((0.05,) * 3)])
    links = [kg.Link(name, 1.0, shapes=[kg.box((0.02, 0.04, 0.04))]) for name in ("left", "right")]
    joints = [
        kg.Joint(link.name, "prismatic", "world", link.name, kg.Pose((-side * 0.045, 0, 0.025)), axis=(side, 0, 0))
        for link, side in zip(links, (1, -1), strict=True)
    ]
    joints.append(kg.Joint("free", "free", "world", "cube", start=(0, 0.003, 0.025, 0, 0, 0, 1)))
    model = kg.compile(kg.Mechanism("pinch", [*links, cube], joints, shapes=[kg.plane()]))

    def close(t: float) -> float:
        return min(0.1 * t, 0.01 + beyond)

    sim = kg.Simulator(model, driven={"left": close, "right": close}, integrator=integrator)
    start = sim.q
    sim.step(500)
    assert abs(sim.q - start)[2:5].max() < 0.005


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("gap", [0.19, 0.1])
def test_depth_that_cannot_be_left_moves_nothing_far(gap: float, integrator: str) -> None:
    """A crate between walls that are nearer than it is wide: by up to 1e9 m in a step, where 0.5 mm are allowed."""
    walls = [kg.box((0.1, 1, 1), pose=kg.Pose((x, 0, 0.5))) for x in (-0.05 - gap / 2, 0.05 + gap / 2)]
    joints = [kg.Joint("free", "free", "world", "crate", start=(0, 0.02, 0.1, 0, 0, 0, 1))]
    model = kg.compile(kg.Mechanism("slot", [CRATE], joints, shapes=[*walls, kg.plane()]))
    sim, steps, speeds = kg.Simulator(model, integrator=integrator), [0.0], [0.0]
    for _ in range(600):
        before = sim.q
        sim.step()
        steps.append(float(abs(sim.q - before)[:3].max()))
        speeds.append(float(abs(sim.v[:3]).max()))
    assert max(steps) < 0.0011 + 0.001 * max(speeds)
    assert max(speeds) < 2.0


def test_what_gives_way_is_not_taken_for_it() -> None:
    """A tall pile by few sweeps, which never reach the tolerance: impulses of the step before are kept."""
    box = kg.box((0.1, 0.1, 0.1), friction=0.6)
    links = [kg.Link(f"b{k}", 1.0, inertia=kg.inertia.box(1.0, (0.1, 0.1, 0.1)), shapes=[box]) for k in range(12)]
    joints = [kg.Joint(f"f{k}", "free", "world", f"b{k}", start=(0, 0, 0.05 + 0.1 * k, 0, 0, 0, 1)) for k in range(12)]
    model = kg.compile(kg.Mechanism("pile", links, joints, shapes=[kg.plane(friction=0.6)]))
    sim = kg.Simulator(model, contacts=kg.ContactOptions(sweeps=6, tolerance=1e-9))
    sim.step(1500)
    assert abs(sim.q.reshape(12, 7)[:, :3] - model.q0.reshape(12, 7)[:, :3]).max() < 2e-3
    assert abs(sim.v).max() < 1e-2
