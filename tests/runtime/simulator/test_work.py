"""Work of all sources: beside closed forms and integrals of what the trajectory tells, together the energy gained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.arguments import Array

SOURCES = ("torques", "servos", "springs", "dampers", "wrenches", "motions", "rows")


@pytest.fixture(scope="module")
def arm() -> kg.Model:
    """A slide that is led, an arm of two hinges on it: spring, damper, dry friction, one joint for a servo."""
    rod = kg.inertia.rod(1.0, 1.0)
    links = [kg.Link("cart", 2.0, (0, 0, 0.1), kg.inertia.box(2.0, (0.2, 0.2, 0.2)))]
    links += [kg.Link(name, 1.0, (0.5, 0, 0), rod) for name in ("upper", "lower")]
    slide = kg.Joint("slide", "prismatic", "world", "cart", axis=(1, 0, 0))
    shoulder = kg.Joint("shoulder", "revolute", "cart", "upper", axis=(0, 1, 0), stiffness=(30.0,), damping=(0.5,))
    elbow = kg.Joint(
        "elbow", "revolute", "upper", "lower", kg.Pose((1, 0, 0)), axis=(0, 1, 0), armature=(0.1,), friction=(0.3,)
    )
    return kg.compile(kg.Mechanism("work_arm", links, [slide, shoulder, elbow]))


def moved(model: kg.Model, integrator: str, dt: float) -> kg.Trajectory:
    return kg.Simulator(
        model,
        dt=dt,
        integrator=integrator,
        q=[0.0, 0.4, -0.3],
        v=[0.3, 0.5, 2.0],
        tau={"shoulder": 4.0},
        wrenches={"lower": [3.0, 0.0, -2.0, 0.0, 0.4, 0.0]},
        driven={"slide": lambda t: 0.1 * np.sin(3.0 * t)},
        servos={"elbow": kg.Servo(kp=40.0, kd=3.0, position=-0.8)},
        work=True,
    ).run(0.4)


def missing(run: kg.Trajectory) -> float:
    """Energy that no source explains, over the work of all in both directions."""
    assert run.work is not None
    energy = run.energy.sum(axis=1)
    return float(np.abs(energy - energy[0] - run.work.total).max() / np.abs(np.diff(run.work.table(), axis=0)).sum())


def integral(power: Array, run: kg.Trajectory) -> float:
    """Simpson's rule over an even number of steps."""
    h = run.t[1] - run.t[0]
    return float(h / 3.0 * (power[0] + power[-1] + 4.0 * power[1:-1:2].sum() + 2.0 * power[2:-1:2].sum()))


def test_sources_of_a_tree_beside_other_routes(arm: kg.Model) -> None:
    run = moved(arm, "rk4", 1e-3)
    work, (_, shoulder, elbow) = run.work, run.q.T
    assert work is not None and len(work) == len(run)
    spring = 15.0 * (shoulder[0] ** 2 - shoulder**2)
    np.testing.assert_allclose(work.springs[:, 1], spring, atol=1e-9)
    np.testing.assert_allclose(work.torques[:, 1], 4.0 * (shoulder - shoulder[0]), atol=1e-9)
    assert work.dampers[-1, 1] == pytest.approx(-integral(0.5 * run.v[:, 1] ** 2, run), rel=1e-7)
    servo = (40.0 * (-0.8 - elbow) - 3.0 * run.v[:, 2]) * run.v[:, 2]
    assert work.servos[-1, 2] == pytest.approx(integral(servo, run), rel=1e-5)
    force = np.array([3.0, 0.0, -2.0, 0.0, 0.4, 0.0]) @ arm.frame_jacobian(run.q, "lower")
    assert work.wrenches[-1].sum() == pytest.approx(integral((force * run.v).sum(axis=1), run), rel=1e-5)
    power = run.tau[:, 0] * run.v[:, 0]
    assert work.motions[-1, 0] == pytest.approx(integral(power, run), rel=1e-3)  # the last torque is that of a step
    assert not work.rows.any() and not work.servos[:, :2].any()
    np.testing.assert_allclose(work.motors, work.torques + work.servos + work.motions)


def test_all_together_are_the_energy_that_a_tree_gains(arm: kg.Model) -> None:
    by_step = [missing(moved(arm, "rk4", dt)) for dt in (8e-3, 4e-3)]
    assert by_step[1] < 1e-6 and by_step[0] > 6.0 * by_step[1]
    by_step = [missing(moved(arm, "semi_implicit", dt)) for dt in (2e-3, 1e-3)]
    assert by_step[1] < 1e-3 and by_step[0] == pytest.approx(2.0 * by_step[1], rel=0.3)


def test_energy_of_a_closed_mechanism() -> None:
    """A parallelogram with a spring and a damper at the joint that is cut."""
    bar = kg.inertia.rod(1.0, 1.0)
    links = [kg.Link(name, 1.0, (0.5, 0, 0), bar) for name in ("crank", "coupler", "rocker")]
    hinge = {"axis": (0, 1, 0), "child_origin": kg.Pose()}
    joints = [
        kg.Joint("a", "revolute", "world", "crank", **hinge),
        kg.Joint("b", "revolute", "crank", "coupler", kg.Pose((1, 0, 0)), **hinge),
        kg.Joint("d", "revolute", "world", "rocker", kg.Pose((1.0, 0, 0.2)), **hinge),
        kg.Joint(
            "c",
            "revolute",
            "coupler",
            "rocker",
            kg.Pose((1, 0, 0)),
            kg.Pose((1, 0, 0)),
            axis=(0, 1, 0),
            cut=True,
            damping=(0.4,),
            stiffness=(2.0,),
        ),
    ]
    model = kg.compile(kg.Mechanism("work_bars", links, joints), at={"a": -1.2})
    servos = {"a": kg.Servo(kp=30.0, kd=2.0, position=-0.9)}
    found = []
    for integrator, dt in (("rk4", 1e-3), ("semi_implicit", 1e-3), ("semi_implicit", 5e-4)):
        run = kg.Simulator(model, dt=dt, integrator=integrator, servos=servos, work=True).run(0.4)
        assert run.work is not None
        assert run.work.dampers[-1].sum() < -0.1 and abs(run.work.servos[-1, 0]) > 0.1
        found.append(missing(run))
    assert found[0] < 1e-9 and found[1] < 1e-2 and found[1] == pytest.approx(2.0 * found[2], rel=0.2)


def test_a_step_that_coasts_has_its_kick_accounted(arm: kg.Model) -> None:
    """Links that turn by more than 0.03 rad a step: no force acts while they coast."""
    found = []
    for dt in (1e-3, 5e-4):
        servos = {"elbow": kg.Servo(kp=40.0, kd=3.0, position=-0.8)}
        found.append(missing(kg.Simulator(arm, dt=dt, v=[0.0, 80.0, 5.0], servos=servos, work=True).run(0.05)))
    assert found[0] < 0.1 and found[1] < 0.7 * found[0]


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_what_a_box_loses_where_it_lands_and_slides(integrator: str) -> None:
    block = kg.Link("block", 2.0, inertia=kg.inertia.box(2.0, (0.2, 0.2, 0.1)), shapes=[kg.box((0.2, 0.2, 0.1))])
    mechanism = kg.Mechanism(
        "work_block", [block], [kg.Joint("base", "free", "world", "block")], shapes=[kg.plane(friction=0.4)]
    )
    start = {"q": [0, 0, 0.06, 0, 0, 0, 1], "v": [1.0, 0, 0, 0, 0, 0]}
    run = kg.Simulator(mechanism, dt=1e-3, integrator=integrator, **start, work=True).run(0.5)
    assert run.work is not None
    assert run.work.rows[-1].sum() == pytest.approx(-1.0 - 2.0 * 9.81 * 0.01, rel=2e-2)  # it comes to rest
    energy = run.energy.sum(axis=1)
    assert np.abs(energy - energy[0] - run.work.total).max() < 2e-2


ROCKING, RATE = 0.1, 6.0


def rocked(loops: bool) -> tuple[kg.Model, tuple[float, float]]:
    """A foot of three balls and a body that rocks on it, on one hinge or two legs side by side; the inertia that the
    led hinge feels where the foot stands, and its torque of gravity per sine of the angle."""
    balls = [kg.sphere(0.02, pose=kg.Pose((x, y, -0.02))) for x, y in ((0.2, 0.0), (-0.2, 0.2), (-0.2, -0.2))]
    foot = kg.Link("foot", 1.0, inertia=kg.inertia.box(1.0, (0.4, 0.3, 0.05)), shapes=balls)
    stands, turns, top = kg.Joint("stand", "free", "world", "foot"), (0.0, 1.0, 0.0), kg.Pose((0, 0, 0.5))
    block = kg.inertia.box(10.0, (0.2, 0.2, 0.8))
    if not loops:
        links = [foot, kg.Link("body", 10.0, (0, 0, 0.5), block)]
        joints = [stands, kg.Joint("led", "revolute", "foot", "body", axis=turns)]
        felt = (block[1][1] + 10.0 * 0.5**2, 10.0 * 9.81 * 0.5)
    else:
        legs = [kg.Link(name, 0.8, (0, 0, 0.25), kg.inertia.rod(0.8, 0.5, (0, 0, 1))) for name in ("front", "back")]
        links = [foot, *legs, kg.Link("body", 10.0, (0.1, 0, 0.3), block)]
        joints = [stands, kg.Joint("led", "revolute", "foot", "front", axis=turns)]
        joints.append(kg.Joint("hind", "revolute", "foot", "back", kg.Pose((-0.2, 0, 0)), axis=turns))
        joints.append(kg.Joint("hip", "revolute", "front", "body", top, kg.Pose((0.2, 0, 0)), axis=turns))
        joints.append(kg.Joint("rear", "revolute", "back", "body", top, axis=turns))
        felt = (10.0 * 0.5**2 + 2 * 0.8 * 0.5**2 / 3, (10.0 + 0.8) * 9.81 * 0.5)
    return kg.compile(kg.Mechanism(f"rocked {loops}", links, joints, shapes=[kg.plane(friction=1.0)])), felt


@pytest.mark.parametrize("loops", [False, True])
def test_what_is_led_works_against_the_rows_to_the_end_of_each_step(loops: bool) -> None:
    """A body that rocks on a foot that stands: with the energy that it gains, and beside a closed form."""
    model, (inertia, weight) = rocked(loops)
    q, v = model.q0, np.zeros(model.nv)
    q[2] = 0.04
    v[model.v_slice("led")] = ROCKING * RATE
    v = model.dependent_motion(q, v)[0] if loops else v

    def course(t: float) -> tuple[float, float, float]:
        s, c = ROCKING * np.sin(RATE * t), ROCKING * np.cos(RATE * t)
        return s, RATE * c, -(RATE**2) * s

    def run(dt: float, **more: Any) -> kg.Trajectory:
        return kg.Simulator(model, dt=dt, integrator="rk4", q=q, v=v, driven={"led": course}, work=True, **more).run(
            0.4
        )

    rough, fine = run(1e-3), run(2.5e-4, contacts=kg.ContactOptions(tolerance=1e-10))
    assert missing(rough) < 1e-6 and missing(fine) < 1e-8
    angle, _, acceleration = course(fine.t[:-1] + 0.5 * 2.5e-4)
    expected = inertia * acceleration - weight * np.sin(angle)
    assert np.abs(fine.joint("led")[2][:-1, 0] - expected).max() < (3.2e-3 if loops else 2e-4)
    assert np.abs(fine.v[:, :6]).max() < 1e-4  # the foot stands


@pytest.mark.parametrize("loops", [False, True])
def test_what_is_led_works_against_a_blow_with_the_velocity_at_which_it_falls(loops: bool) -> None:
    """A rod, or a parallelogram, on a cart that is led strikes its limit while the cart speeds up: of what is led the
    velocity at the blow counts, not the mean of the step."""
    bar, turns, start = kg.inertia.rod(1.0, 1.0), {"axis": (0, 1, 0)}, {"rod": 0.3}
    links = [kg.Link("cart", 1.0), kg.Link("rod", 1.0, (0.5, 0, 0), bar)]
    joints = [kg.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0))]
    joints.append(kg.Joint("rod", "revolute", "cart", "rod", limits=(-2.0, 0.5), **turns))
    if loops:
        links += [kg.Link(name, 1.0, (0.5, 0, 0), bar) for name in ("coupler", "rocker")]
        joints.append(kg.Joint("coupler", "revolute", "rod", "coupler", kg.Pose((1, 0, 0)), **turns))
        joints.append(kg.Joint("rocker", "revolute", "cart", "rocker", kg.Pose((1.0, 0, 0.2)), **turns))
        ends = kg.Pose((1, 0, 0))
        joints.append(kg.Joint("close", "revolute", "coupler", "rocker", ends, ends, cut=True, **turns))
    model = kg.compile(kg.Mechanism(f"struck {loops}", links, joints), at=start)
    run = kg.Simulator(
        model,
        dt=1e-3,
        integrator="rk4",
        tau={"rod": 5.0},
        driven={"x": lambda t: 0.3 * np.sin(5.0 * t)},
        work=True,
    ).run(0.5)
    assert run.work is not None and run.q[:, 1].max() > 0.499 and run.work.rows[-1].sum() < -0.1
    assert missing(run) < 1e-7


def test_parts_and_files_of_a_trajectory_keep_it(arm: kg.Model, tmp_path: Path) -> None:
    sim = kg.Simulator(arm, servos={"elbow": kg.Servo(kp=40.0, kd=3.0)}, q=[0, 0.3, 0.3], work=True)
    run = sim.run(0.05, every=5)
    assert run.work is not None and run.work.table().shape == (11, len(SOURCES), arm.nv)
    np.testing.assert_array_equal(run.work.table()[0], 0.0)
    part = run[3:5].work
    assert part is not None
    np.testing.assert_array_equal(part.table(), run.work.table()[3:5])
    run.save(tmp_path / "run.npz")
    again = kg.Trajectory.load(tmp_path / "run.npz", arm).work
    assert again is not None
    np.testing.assert_array_equal(again.table(), run.work.table())
    later = sim.run(0.01).work  # another run, another account
    assert later is not None and not later.table()[0].any()
    assert kg.Simulator(arm).run(0.002).work is None


def test_the_motion_is_the_same_with_it(arm: kg.Model) -> None:
    for integrator in ("rk4", "semi_implicit"):
        ends = []
        for work in (False, True):
            sim = kg.Simulator(arm, integrator=integrator, q=[0, 0.3, 0.3], v=[0.1, 1, 1], work=work)
            sim.step(20)
            ends.append(np.concatenate([sim.q, sim.v]))
        np.testing.assert_array_equal(*ends)


def test_what_is_refused(arm: kg.Model) -> None:
    library = kg.TopologyLibrary(arm_mechanism(), cuts=["two"])
    with pytest.raises(kg.ModelError, match="work: it is summed up for a model of one structure"):
        kg.Simulator(library, work=True)
    with pytest.raises(kg.ModelError, match="work"):
        kg.Simulator(arm, work="yes")  # type: ignore[arg-type]
    with pytest.raises(kg.ModelError, match="work: expected shape"):
        kg.Trajectory([0.0], [[]], [[]], [[]], work=np.zeros((2, 7, 0)))


def arm_mechanism() -> kg.Mechanism:
    """Two links that could be parted."""
    links = [kg.Link(name, 1.0, (0.5, 0, 0), kg.inertia.box(1.0, (1.0, 0.1, 0.1))) for name in ("a", "b")]
    joints = [
        kg.Joint("one", "revolute", "world", "a", axis=(0, 1, 0)),
        kg.Joint("two", "revolute", "a", "b", kg.Pose((1, 0, 0)), axis=(0, 1, 0)),
    ]
    return kg.Mechanism("work_library", links, joints)


@pytest.mark.parametrize(
    ("n", "nv", "told"), [(np.ones(2), 3, "n: expected a whole number"), (1, -1, "nv: expected"), (2, 3, "shape")]
)
def test_tables_of_work_are_looked_at(n: Any, nv: Any, told: str) -> None:
    table = np.arange(21.0).reshape(1, 7, 3)
    np.testing.assert_array_equal(kg.Work.of_table(table, 1, 3).table(), table)
    with pytest.raises(kg.ModelError, match=told):
        kg.Work.of_table(table, n, nv)
