"""Singular configurations, stood at and passed through: finite, closed, and announced by name."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Mechanism, Pose
from kinegen.runtime import Model, Simulator
from kinegen.runtime.errors import ClosureWarning, ModelError
from support.mechanisms.closed_mechanisms import five_bar, four_bar, rod, slider_crank, stewart
from support.oracles.numeric import Array

PI = np.pi


def stretched(a: float = 1.0, b: float = 1.0, ground: float = 2.0) -> Mechanism:
    """Two rods that just reach from pivot to pivot: closed at one configuration only."""
    joints = [
        Joint("first", "revolute", "world", "left"),
        Joint("last", "revolute", "world", "right", Pose((ground, 0, 0)), actuated=False),
        Joint("middle", "revolute", "left", "right", Pose((a, 0, 0)), Pose((b, 0, 0)), actuated=False),
    ]
    return Mechanism("stretched", [rod("left", a), rod("right", b)], joints, gravity=(0.0, -9.81, 0.0))


def double_parallelogram() -> Mechanism:
    """Three equal cranks carry one coupler: one loop more than the motion needs, singular when flat."""
    links = [rod("a", 1.0), rod("b", 1.0), rod("c", 1.0), rod("coupler", 2.0)]
    joints = [
        Joint("ja", "revolute", "world", "a"),
        Joint("jb", "revolute", "world", "b", Pose((1, 0, 0)), actuated=False),
        Joint("jc", "revolute", "world", "c", Pose((2, 0, 0)), actuated=False),
        Joint("carry", "revolute", "a", "coupler", Pose((1, 0, 0)), actuated=False),
        Joint("hold_b", "revolute", "b", "coupler", Pose((1, 0, 0)), Pose((1, 0, 0)), actuated=False),
        Joint("hold_c", "revolute", "c", "coupler", Pose((1, 0, 0)), Pose((2, 0, 0)), actuated=False),
    ]
    return Mechanism("double_parallelogram", links, joints, gravity=(0.0, -9.81, 0.0))


MECHANISMS = {
    "parallelogram": lambda: four_bar(1, 2, 1, 2, "parallelogram"),
    "rhombus": lambda: four_bar(1, 1, 1, 1, "rhombus"),
    "kite": lambda: four_bar(1, 1, 2, 2, "kite"),
    "change point": lambda: four_bar(1, 3, 2, 2, "change_point"),
    "equal slider-crank": lambda: slider_crank(0.5, 0.5),
    "five-bar": lambda: five_bar(0.5, 0.7, 0.4),
    "stretched": stretched,
    "double parallelogram": double_parallelogram,
    "stewart": stewart,  # turned by a quarter, the legs do not hold the platform any more
}

# name, q (nq) to start from (Stewart: height and yaw), entries of v by index, torque of joint 0
CASES: list[tuple[str, list[float], dict[int, float], float]] = [
    ("parallelogram", [0, 0, 0], {}, 0.0),
    ("parallelogram", [0, 0, 0], {0: 2.0, 1: -2.0, 2: 2.0}, 0.0),
    ("parallelogram", [0.3, -0.3, 0.3], {0: -2.5}, 0.0),
    ("parallelogram", [PI, -PI, PI], {}, 5.0),
    ("rhombus", [0, 0, 0], {}, 0.0),
    ("rhombus", [0, 0, 0], {0: 1.0}, 0.0),
    ("rhombus", [PI, PI, 0], {}, 0.0),
    ("rhombus", [0.4, -0.4, 0.4], {0: 6.0}, 0.0),
    ("kite", [PI, PI, PI], {}, 0.0),
    ("kite", [0, PI, PI], {0: 3.0}, 0.0),
    ("change point", [0, 0, 0], {}, 0.0),
    ("change point", [0, 0, 0], {0: 4.0}, 2.0),
    ("equal slider-crank", [PI / 2, PI, 0], {}, 0.0),
    ("equal slider-crank", [0.8, -1.6, 0.6967], {0: 4.0}, 0.0),
    ("five-bar", [0.0, 0.0, 0.0, 0.0], {}, 0.0),
    ("five-bar", [2.0, 0.0, 1.2, 0.0], {0: 1.0, 2: -1.0}, 0.0),
    ("stretched", [0, PI], {}, 0.0),
    ("stretched", [0, PI], {0: 5.0, 1: -5.0}, 0.0),
    ("double parallelogram", [0, 0, 0, 0], {}, 0.0),
    ("double parallelogram", [0.5, 0.5, 0.5, -0.5], {0: -4.0}, 0.0),
    ("stewart", [1.1, PI / 2], {}, 0.0),
    ("stewart", [1.1, 1.2], {5: 2.0}, 0.0),
    ("stewart by its legs", [1.1, PI / 2], {}, 0.0),
    ("stewart by its legs", [1.1, 1.5], {5: 1.0}, 0.0),
]


@cache
def model(name: str) -> Model:
    if name == "stewart by its legs":
        return model("stewart").with_independent([f"leg{i}" for i in range(6)])
    return kg.compile(MECHANISMS[name]())


def start(name: str, given: list[float], speeds: dict[int, float]) -> tuple[Array, Array]:
    """A closed q near the given one, and v."""
    v = np.zeros(model(name).nv)
    for i, speed in speeds.items():
        v[i] = speed
    if not name.startswith("stewart"):
        return model(name).assemble(given), v
    height, yaw = given
    q = model(name).assemble([0, 0, height, 0, 0, 0, 1, *np.zeros(18)])
    q[2:7] = height, 0, 0, np.sin(yaw / 2), np.cos(yaw / 2)
    q = model(name).assemble(q, hold=["float"])
    return q, model("stewart").dependent_motion(q, v)[0]


@pytest.mark.parametrize(
    ("case", "integrator"),
    [
        pytest.param(case, integrator, marks=pytest.mark.sweep if (case + turn) % 2 else ())
        for case in range(len(CASES))
        for turn, integrator in enumerate(("semi_implicit", "rk4"))
    ],
)
def test_stays_finite_and_closed(case: int, integrator: str) -> None:
    name, given, speeds, torque = CASES[case]
    q, v = start(name, given, speeds)
    tau = np.zeros(model(name).nv)
    tau[0] = torque
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClosureWarning)
        simulator = Simulator(model(name), q=q, v=v, tau=tau, integrator=integrator, dt=1e-3)
        trajectory = simulator.run(3.0)
    assert len(trajectory) == 3001
    assert np.isfinite(trajectory.q).all() and np.isfinite(trajectory.v).all()
    assert trajectory.closure_gap.max() <= 1e-10
    kinetic, total = trajectory.energy[:, 0], trajectory.energy.sum(axis=1)
    if torque == 0.0:  # what is lost in a change of branch is lost; nothing is gained
        settled = slice(10, None)  # a velocity that the rods cannot have dies out first
        scale = max(1.0, float(kinetic[settled].max()))
        assert total[settled].max() - total[0] < (0.1 if integrator == "semi_implicit" else 0.01) * scale


SINGULAR = ("parallelogram", "rhombus", "kite", "double parallelogram", "stretched")


@pytest.mark.parametrize("name", SINGULAR)
def test_singular_configurations_are_announced_by_name(name: str) -> None:
    given = next(q for other, q, speeds, _ in CASES if other == name and not speeds)
    q, v = start(name, given, {})
    with pytest.warns(ClosureWarning, match="singular configuration: loop '.+' loses its hold on joint '.+'"):
        sim = Simulator(model(name), q=q, v=v, dt=1e-3)
        sim.step(200)
    assert sim.gap < 1e-9


def test_passing_through_is_announced() -> None:
    q, _ = start("rhombus", [0.4, -0.4, 0.4], {})
    with pytest.warns(ClosureWarning, match=r"loop 'tip' loses its hold on joint '(knee|base|pivot)'"):
        sim = Simulator(model("rhombus"), q=q, v=[-6.0, 0.0, 0.0], integrator="rk4")
        sim.step(1000)
    assert sim.gap < 1e-9


def test_forward_dynamics_at_a_singular_configuration_is_finite() -> None:
    for name, given, speeds, _ in CASES:
        q, v = start(name, given, speeds)
        for method in (None, "reduced", "unit_vector"):
            assert np.isfinite(model(name).forward_dynamics(q, v, np.ones(v.size), method=method)).all()


def test_rank_falls_at_the_flat_parallelogram() -> None:
    flat = model("parallelogram").partition([0.0, 0.0, 0.0])
    bent = model("parallelogram").partition(model("parallelogram").assemble([0.5, -0.5, 0.5]))
    assert (flat.rank, bent.rank) == (1, 2)
    assert len(flat.independent) == 2


def test_legs_do_not_lead_a_stewart_platform_turned_by_a_quarter() -> None:
    q, v = start("stewart", [1.1, PI / 2], {})
    with pytest.raises(ModelError, match="cannot lead at this q"):
        model("stewart by its legs").W(q)
    assert np.linalg.svd(model("stewart").S(q))[1][-1] < 1e-6
    with pytest.raises(ModelError, match="under-actuated for this motion: 6 actuators"):
        model("stewart").actuator_torques(q, v, model("stewart").forward_dynamics(q, v, np.eye(24)[5]))


def test_legs_that_hardly_hold_a_stewart_platform_are_told_to_be_near_singular() -> None:
    """Short of a quarter turn by 1e-8 they have full rank: no joint more is wanted."""
    q, v = start("stewart", [1.1, PI / 2 - 1e-8], {})
    a = model("stewart").forward_dynamics(q, v, np.eye(24)[5])
    with pytest.raises(ModelError, match=r"near a singular configuration of its actuators: .* keep away from there"):
        model("stewart").actuator_torques(q, v, a)


def test_energy_survives_hundreds_of_passages() -> None:
    q, _ = start("rhombus", [0.4, -0.4, 0.4], {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClosureWarning)
        trajectory = Simulator(model("rhombus"), q=q, v=[8.0, 0.0, 0.0], integrator="rk4").run(60.0, every=10)
    total = trajectory.energy.sum(axis=1)
    assert np.ptp(total) < 1e-3 * total[0]
    assert trajectory.closure_gap.max() <= 1e-10


@pytest.mark.parametrize("angle", [0.3, 0.02, 0.004, 0.0005])
def test_motion_is_led_near_a_change_point_too(angle: float) -> None:
    model = kg.compile(MECHANISMS["parallelogram"]())
    q, v, given = model.assemble([angle, -angle, angle], hold=["pivot"]), np.array([1.5, 0, 0]), np.array([0.7, 0, 0])
    lead, follow = list(model.loops.leaders), [i for i in range(model.nv) if i not in model.loops.leaders]
    v[lead], given[lead] = 1.5, 0.7
    found_v, found_a = model.dependent_motion(q, v, given)
    K = model.kernel("closure_rows")(q)
    wanted = np.linalg.lstsq(K[:, follow], -K[:, lead] @ v[lead], rcond=1e-9)[0]
    assert np.allclose(found_v[follow], wanted, rtol=1e-6) and np.array_equal(found_v[lead], v[lead])
    drift = K[:, lead] @ given[lead] + model.kernel("closure_rows_bias")(q, found_v)
    assert np.allclose(found_a[follow], np.linalg.lstsq(K[:, follow], -drift, rcond=1e-9)[0], rtol=1e-6, atol=1e-6)


def test_leaders_of_what_cannot_move_are_refused_with_the_reason() -> None:
    """A triangle of rods: there is nothing that could lead in place of what was named."""
    truss = stretched(ground=1.2)
    for call in (
        lambda: kg.compile(truss, independent=["first"]),
        lambda: kg.compile(truss).with_independent(["first", "last"]),
    ):
        with pytest.raises(ModelError, match=r"'stretched': nothing can be independent: .* check lengths and axes"):
            call()
