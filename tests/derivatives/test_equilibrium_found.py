"""Rests where joints are soft and stiff, where springs alone bring lengths to 0, and past dead points of what leads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from support.mechanisms.closed_models import model
from support.mechanisms.linkages import QUARTER, DenavitHartenberg

FOUR_BAR = Path(__file__).parents[2] / "examples" / "fourbar.toml"


def fore_arm(first: kg.Joint, gravity: tuple[float, float, float], rest: float = 0.0) -> kg.Model:
    """Two links, the second on a stiff spring."""
    box = kg.inertia.box(1.0, (0.2, 0.3, 0.4))
    links = [kg.Link("upper", 1.0, (0.1, 0.2, 0), box), kg.Link("fore", 2.0, (0.3, 0.1, 0.1), box)]
    at = kg.Pose((0.2, 0, 0))
    stiff = kg.Joint("b", "revolute", "upper", "fore", at, axis=(0, 1, 0), stiffness=500.0, rest=rest)
    return kg.compile(kg.Mechanism("fore_arm", links, [first, stiff], gravity=gravity), contacts=False, progress=False)


@pytest.mark.parametrize("tilt", [1e-6, 1e-5, 1e-4])
def test_what_is_soft_does_not_hold_up_what_is_stiff(tilt: float) -> None:
    """An axis that is nearly plumb: Newton's step would be thousands of turns about it."""
    first = kg.Joint("a", "revolute", "world", "upper", axis=(0, 0, 1))
    at = fore_arm(first, (9.81 * np.sin(tilt), 0.0, -9.81 * np.cos(tilt)))
    for q0 in ([-0.1, 0.0], [0.3, 0.05]):
        rest = kg.equilibrium(at, q0, np.zeros(2))
        b = rest.q[1]
        assert -500.0 * b == pytest.approx(-2.0 * 9.81 * (0.3 * np.cos(b) + 0.1 * np.sin(b)), rel=1e-4)
        x = 0.1 + 2.0 * (0.2 + 0.3 * np.cos(b) + 0.1 * np.sin(b))
        assert rest.q[0] == pytest.approx(-np.arctan2(0.2 + 2.0 * 0.1, x), abs=1e-3)
        again = kg.equilibrium(at, q0, np.zeros(2))
        assert again.q == pytest.approx(rest.q, abs=0.0)


@pytest.mark.parametrize("q0", [[0.3, 0.3], [0.0, 0.2], [0.5, -0.5]])
def test_a_soft_spring_above_a_stiff_one_comes_to_rest_from_afar(q0: list[float]) -> None:
    box = kg.inertia.box(1.0, (0.2, 0.3, 0.4))
    links = [kg.Link("a", 2.0, (0.1, 0.2, -0.3), box), kg.Link("b", 1.0, (0.2, 0.1, -0.2), box)]
    joints = [
        kg.Joint("j", "revolute", "world", "a", axis=(0, 1, 0), stiffness=10.0),
        kg.Joint("k", "revolute", "a", "b", kg.Pose((0, 0, -0.5)), axis=(1, 0, 0), stiffness=1e4),
    ]
    at = kg.compile(kg.Mechanism("unlike", links, joints), contacts=False, progress=False)
    rest = kg.equilibrium(at, q0, np.zeros(2))
    assert rest.q == pytest.approx(kg.equilibrium(at, [0.0, 0.0], np.zeros(2)).q, abs=1e-9)
    assert np.abs(at.passive_forces(rest.q, np.zeros(2)) - at.gravity(rest.q)).max() < 1e-8


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
@pytest.mark.parametrize("gravity", [1e-6, 1e-5])
def test_springs_come_to_rest_where_gravity_is_weak(kind: str, gravity: float) -> None:
    axis = {"axis": (0, 1, 0)} if kind == "revolute" else {}
    at = fore_arm(kg.Joint("a", kind, "world", "upper", **axis), (0.0, 0.0, -gravity), rest=0.2)  # type: ignore[arg-type]
    rest = kg.equilibrium(at, at.neutral(), np.zeros(at.nv))
    force = at.passive_forces(rest.q, np.zeros(at.nv)) - at.gravity(rest.q)
    assert rest.q[-1] == pytest.approx(0.2, abs=1e-7)
    assert np.abs(force[:-1]).max() < 1e-9 * gravity and abs(force[-1]) < 1e-9


def slides() -> kg.Mechanism:
    """One slide on another, across."""
    joints = [
        kg.Joint("a", "prismatic", "world", "first", axis=(1, 0, 0), stiffness=300.0),
        kg.Joint("b", "prismatic", "first", "second", axis=(0.6, 0.8, 0), stiffness=100.0, actuated=False),
    ]
    return kg.Mechanism("slides", [kg.Link("first", 1.0), kg.Link("second", 2.0)], joints, gravity=(0, 0, 0))


def ball_and_slides() -> kg.Mechanism:
    box = {"mass": 1.3, "com": (0.05, 0.1, -0.4), "inertia": (0.1, 0.01, 0.0, 0.12, 0.02, 0.09)}
    joints = [
        kg.Joint("a", "spherical", "world", "first", stiffness=5300.0),
        kg.Joint("b", "planar", "first", "second", kg.Pose((0.3, 0.1, 0)), stiffness=1500.0),
        kg.Joint("c", "prismatic", "second", "third", axis=(0.6, 0, 0.8), stiffness=1.3),
    ]
    links = [kg.Link(n, **box) for n in ("first", "second", "third")]
    return kg.Mechanism("ball_and_slides", links, joints, gravity=(0, 0, 0))


@pytest.mark.parametrize("mechanism", [slides, ball_and_slides])
@pytest.mark.parametrize("far", [1e-9, 1e-3, 0.1, 0.3])
def test_springs_bring_lengths_to_0_without_gravity(mechanism: Callable[[], kg.Mechanism], far: float) -> None:
    """No weight meets the springs' forces, which fall with the lengths; at 0 none is left."""
    at = kg.compile(mechanism(), contacts=False, progress=False)
    start = at.integrate(at.neutral(), far * np.random.default_rng(1).normal(size=at.nv))
    rest = kg.equilibrium(at, start, np.zeros(at.nv))
    assert at.difference(at.neutral(), rest.q) == pytest.approx(0.0, abs=1e-15)
    assert kg.equilibrium(at, rest.q, np.zeros(at.nv)).q == pytest.approx(rest.q, abs=0.0)


@pytest.mark.parametrize("off", [1e-3, 1e-30])
def test_a_slide_that_its_spring_pulls_is_no_rest_however_near_to_0(off: float) -> None:
    at = kg.compile(slides(), contacts=False, progress=False)
    with pytest.raises(kg.ModelError, match=r"\(a\) hold it at this q"):
        kg.equilibrium(at, [0.1, off])
    assert kg.equilibrium(at, [0.1, 0.0]).tau == pytest.approx([30.0, 0.0])


def ring(com: tuple[float, float, float], mass: float, sides: tuple[float, float, float]) -> kg.Model:
    """A box on a gimbal."""
    body, joint = kg.Link("a", mass, com, kg.inertia.box(mass, sides)), kg.Joint("j", "gimbal", "world", "a")
    return kg.compile(kg.Mechanism("ring", [body], [joint]), progress=False)


def test_the_lock_of_a_gimbal_is_refused_by_name() -> None:
    at = ring((0.0, 0.0, 0.0), 6.0, (1.0, 1.0, 1.0))
    with pytest.raises(kg.ModelError, match=r"inertia is singular: j\[0\], j\[2\] .* start elsewhere"):
        kg.equilibrium(at, [0.1, np.pi / 2, 0.2], [0.1, 0.0, 0.0])


@pytest.mark.parametrize("off", [sign * 10.0**-k for k in range(7, 11) for sign in (1, -1)])
def test_next_to_the_lock_of_a_gimbal_there_is_a_rest_or_a_refusal(off: float) -> None:
    at = ring((0.1, 0.2, 0.3), 1.0, (0.1, 0.2, 0.3))
    for turn in (0.1, 0.3, 0.5):
        try:
            found = kg.equilibrium(at, [turn, np.pi / 2 + off, 0.7 - 2.0 * turn], np.zeros(3))
        except kg.ModelError as error:
            assert "inertia" in str(error) or "no rest was found" in str(error)
        else:
            assert found.residual < 1e-6


@pytest.mark.parametrize("turn", [0.65, 1.25, 1.9, 4.0])
def test_a_four_bar_comes_to_the_same_rest_whatever_leads(turn: float) -> None:
    """The rocker's acceleration vanishes at its dead point too, where the mechanism does not rest."""
    at = kg.compile(kg.parametrise(kg.load(FOUR_BAR), "gravity"), progress=False).with_parameters(
        gravity_x=9.81 * np.cos(turn), gravity_y=9.81 * np.sin(turn), gravity_z=0.0
    )
    by_crank, by_rocker = (kg.equilibrium(led, at.q0, np.zeros(3)) for led in (at, at.with_independent(["pivot"])))
    assert by_rocker.q == pytest.approx(by_crank.q, abs=1e-9) and by_rocker.residual < 1e-8
    assert np.abs(at.W(by_rocker.q).T @ at.gravity(by_rocker.q)).max() < 1e-9


def test_bricards_linkage_comes_to_rest_past_dead_points_of_each_joint() -> None:
    linkage = DenavitHartenberg([1.0] * 6, [QUARTER, -QUARTER] * 3, [0.0] * 6, [2.2] * 6).mechanism("bricard")
    start = {joint.name: 2.2 for joint in linkage.joints[:-1]}
    at = kg.compile(linkage, at=start, contacts=False, progress=False)
    for led in (at, *(at.with_independent([joint.name]) for joint in at.manifest.joints)):
        rest = kg.equilibrium(led, at.q0, np.zeros(at.nv))
        assert np.abs(at.forward_dynamics(rest.q, np.zeros(at.nv), np.zeros(at.nv))).max() < 1e-9


@pytest.mark.parametrize("led", [["left_motor", "right_elbow"], ["right_motor", "right_elbow"]])
def test_what_is_held_stays_while_others_come_to_lead(led: list[str]) -> None:
    at = model("five-bar").with_independent(led)
    for seed in range(12):
        for name in led:
            q = at.random(seed)
            rest = kg.equilibrium(at, q, np.zeros(4), hold=[name])
            place = [joint.name for joint in at.manifest.joints].index(name)
            assert rest.q[place] == q[place] and (np.delete(rest.tau, place) == 0.0).all()
            assert np.abs(at.forward_dynamics(rest.q, np.zeros(4), rest.tau)).max() < 1e-6


def test_a_search_that_goes_away_along_a_slide_names_it() -> None:
    """Where the slide is far out all accelerations are next to nothing, and the inertia is singular for rounding."""
    box = kg.inertia.box(1.0, (0.2, 0.3, 0.4))
    links = [kg.Link(name, 1.0, (0, 0.1, -0.2), box) for name in "abcd"]
    turns = [
        kg.Joint("p", "revolute", "world", "a", axis=(0, 1, 0)),
        kg.Joint("r", "universal", "a", "b", kg.Pose((0, 0, -0.5))),
        kg.Joint("t", "revolute", "b", "c", kg.Pose((0, 0, -0.5)), axis=(0, 1, 0)),
    ]

    def hung(count: int) -> kg.Model:
        slide = kg.Joint("slide", "prismatic", links[count - 1].name, links[count].name, axis=(0, 0, -1))
        mechanism = kg.Mechanism(f"slid_{count}", links[: count + 1], [*turns[:count], slide])
        return kg.compile(mechanism, contacts=False, progress=False)

    told = r"no rest was found .*: the search went away along slide, without end; start elsewhere"
    for at in (hung(1), hung(3)):
        q0 = np.array([0.3, 0.2, -0.2, 0.4, 0.2])[-at.nq :]
        with pytest.raises(kg.ModelError, match=told):
            kg.equilibrium(at, q0, np.zeros(at.nv))
    at = hung(1)
    rest = kg.equilibrium(at, [1.5, -0.3], np.zeros(2))
    assert np.abs(at.gravity(rest.q)).max() < 1e-9


ARM_AT_REST = [-0.32085335, 2.78714567, -0.84639945]
"""By scipy's BFGS on the potential."""


def sprung_arm() -> kg.Model:
    """Three links on springs, about axes askew."""
    sizes = [("a", 1.75, 0.4), ("b", 0.53, 0.67), ("c", 1.71, 0.48)]
    links = [kg.Link(name, m, (length / 2, 0, 0), kg.inertia.rod(m, length)) for name, m, length in sizes]
    joints = [
        kg.Joint("j", "revolute", "world", "a", axis=(0.400, 0.654, -0.642), stiffness=20.0, rest=-0.29),
        kg.Joint(
            "k", "revolute", "a", "b", kg.Pose((0.4, 0, 0)), axis=(-0.385, -0.094, 0.918), stiffness=3.0, rest=1.93
        ),
        kg.Joint(
            "l", "revolute", "b", "c", kg.Pose((0.67, 0, 0)), axis=(-0.977, -0.080, 0.195), stiffness=3.0, rest=-0.76
        ),
    ]
    return kg.compile(kg.Mechanism("sprung_arm", links, joints), contacts=False, progress=False)


def test_an_arm_on_springs_comes_to_rest_past_where_accelerations_are_least() -> None:
    at = sprung_arm()
    drawn = np.random.default_rng(0).uniform(-2.0, 2.0, (10, 3))
    for q0 in ([0.0, 0.0, 0.0], [-0.29, 1.93, -0.76], [-0.25, 0.9, 0.15], *drawn):
        assert kg.equilibrium(at, q0, np.zeros(3)).q == pytest.approx(ARM_AT_REST, abs=1e-7)


def test_what_is_held_stays_on_the_way_down_the_potential() -> None:
    at = sprung_arm()
    for q0 in np.random.default_rng(1).uniform(-2.0, 2.0, (6, 3)):
        rest = kg.equilibrium(at, q0, np.zeros(3), hold=["k"])
        assert rest.q[1] == q0[1] and rest.tau[0] == rest.tau[2] == 0.0
        left = at.passive_forces(rest.q, np.zeros(3)) - at.gravity(rest.q) + rest.tau
        assert np.abs(left).max() < 1e-9


def test_a_torque_that_no_weight_meets_has_no_rest_however_far_down() -> None:
    at = fore_arm(kg.Joint("a", "revolute", "world", "upper", axis=(0, 1, 0)), (0.0, 0.0, -9.81))
    with pytest.raises(
        kg.ModelError, match=r"no rest was found near this q0 .*: accelerations of .* stay; start elsewhere"
    ):
        kg.equilibrium(at, [0.3, 0.0], [40.0, 0.0])


@pytest.mark.parametrize("seed", [0, 11, 13, 16])
def test_a_loop_on_springs_comes_to_rest_past_dead_points_of_what_leads(seed: int) -> None:
    """Three links, whose end slides on a spring; where j1 and j2 lead no more, others are tried."""
    sizes = [0.4, 0.5, 0.4]
    links = [kg.Link(f"l{i}", 1.0, (x / 2, 0, 0), kg.inertia.rod(1.0, x)) for i, x in enumerate(sizes)]
    chain = zip([("world", "l0"), ("l0", "l1"), ("l1", "l2")], [0.0, *sizes], [1.0, -1.5, 0.5], strict=False)
    joints = [
        kg.Joint(f"j{i}", "revolute", *ends, kg.Pose((x, 0, 0)), axis=(0, 1, 0), stiffness=5.0, rest=rest)
        for i, (ends, x, rest) in enumerate(chain)
    ]
    rail = kg.Joint("rail", "prismatic", "world", "anchor", kg.Pose((0.5, 0, 0.1)), axis=(1, 0, 0), stiffness=50.0)
    end = kg.Joint("c", "revolute", "l2", "anchor", kg.Pose((0.4, 0, 0)), axis=(0, 1, 0), actuated=False)
    links.append(kg.Link("anchor", 1.0, (0, 0, 0), kg.inertia.sphere(1.0, 0.1)))
    at = kg.compile(kg.Mechanism("railed", links, [*joints, rail, end]), contacts=False, progress=False)
    rest = kg.equilibrium(at, at.random(seed), np.zeros(4))
    assert np.abs(at.closure_residual(rest.q)).max() < 1e-10
    assert np.abs(at.W(rest.q).T @ (at.passive_forces(rest.q, np.zeros(4)) - at.gravity(rest.q))).max() < 1e-9
