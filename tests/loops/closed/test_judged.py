"""Accelerations alone, without a simulation: where they are not those of the closed mechanism, a warning says so."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime import Model, Simulator
from kinegen.runtime.errors import ClosureWarning, ModelError
from kinegen.runtime.model.kernels import METHODS
from support.drawn.random_closed import drawn_closed
from support.drawn.verdict import compiled, judged
from support.mechanisms.closed_mechanisms import five_bar, four_bar
from support.oracles.numeric import Array

MECHANISMS = {
    "parallelogram": lambda: four_bar(1, 2, 1, 2, "parallelogram"),
    "five-bar": lambda: five_bar(0.5, 0.7, 0.4),
}

PENDULUM = Path(__file__).parents[3] / "examples" / "double_pendulum.urdf"

FOR_AN_INSTANT = 0, 18, 22
"""Numbers of platforms on two equal legs with crossed joints at both ends: three freedoms by K, two that move."""


@cache
def model(name: str) -> Model:
    return kg.compile(MECHANISMS[name]())


def leaning(angle: float) -> Array:
    """A parallelogram whose cranks lean by so much from the line in which all its links may lie."""
    return np.array([angle, -angle, angle])


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-9, 1e-7, 1e-6])
@pytest.mark.parametrize("speed", [0.0, 2.0])
def test_beside_a_change_point_it_is_told(angle: float, speed: float) -> None:
    parallelogram = model("parallelogram")
    v = np.array([1.0, -1.0, 1.0]) * speed
    with pytest.warns(ClosureWarning, match=r"loop '\w+' loses its hold on joint '\w+' .* 2 degrees of freedom"):
        a = parallelogram.forward_dynamics(leaning(angle), v, np.zeros(3))
    assert np.isfinite(a).all()
    np.testing.assert_array_equal(a, parallelogram.forward_dynamics(leaning(angle), v, np.zeros(3), method="reduced"))
    with pytest.raises(ModelError, match="nan"):  # what C has in place of a warning
        parallelogram.kernel("forward_dynamics")(leaning(angle), v, np.zeros(3))


def test_one_state_of_many_is_told_and_the_others_are_as_before() -> None:
    parallelogram = model("parallelogram")
    q = np.array([leaning(0.7), leaning(0.0), leaning(-0.4)])
    with pytest.warns(ClosureWarning, match="singular"):
        a = parallelogram.forward_dynamics(q, np.zeros((3, 3)), np.zeros(3))
    alone = parallelogram.forward_dynamics(q[[0, 2]], np.zeros(3), np.zeros(3))
    np.testing.assert_allclose(a[[0, 2]], alone, atol=1e-12 * np.abs(alone).max())


def test_a_singular_state_of_many_is_told_by_its_row() -> None:
    parallelogram = model("parallelogram")
    q = np.array([leaning(angle) for angle in (0.7, 0.6, -0.4, 0.0, 0.5, 0.3)])
    with pytest.warns(ClosureWarning, match=r"^row 3: model 'parallelogram' is at or near a singular configuration"):
        a = parallelogram.forward_dynamics(q, np.zeros(3), np.zeros(3))
    with pytest.warns(ClosureWarning, match=r"^row \(1, 0\): model 'parallelogram' is at or near a singular"):
        shaped = parallelogram.forward_dynamics(q.reshape(2, 3, 3), np.zeros(3), np.zeros(3))
    with pytest.warns(ClosureWarning, match=r"^model 'parallelogram' is at or near a singular"):
        alone = parallelogram.forward_dynamics(q[3], np.zeros(3), np.zeros(3))
    np.testing.assert_array_equal(shaped.reshape(6, 3), a)
    np.testing.assert_array_equal(a[3], alone)


@pytest.mark.parametrize("name", MECHANISMS)
def test_elsewhere_nothing_is_said(name: str) -> None:
    one, rng = model(name), np.random.default_rng(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for q in one.random(rng, size=40):
            v, _ = one.dependent_motion(q, 3 * rng.normal(size=one.nv))
            a = one.forward_dynamics(q, v, rng.normal(size=one.nv))
            rows = one.kernel("closure_rows")(q) @ a + one.kernel("closure_rows_bias")(q, v)
            assert np.abs(rows).max() < 1e-8 * (1 + np.abs(a).max() + np.abs(v).max() ** 2)


def test_a_rank_that_only_rounding_hides_is_told(tmp_path: Path) -> None:
    """A loop that holds a second direction by 4e-11 of the first: the row is dropped, and what v asks of it missed."""
    _, assembly, facts, at = drawn_closed(1, 238)
    assert facts.freedoms == 4 and facts.ratio < 1e-10
    one = compiled(assembly, at, tmp_path)
    v, tau = facts.of(facts.w, one.joint_names), facts.torques(one.joint_names)
    with pytest.warns(ClosureWarning, match="'j4' is missed by a part 0.00"):
        one.forward_dynamics(assembly.q, v, tau)
    with (
        pytest.warns(ClosureWarning, match="starts at a singular configuration: loop 'j4'"),
        pytest.raises(ModelError, match="let joint 'j3' move for an instant only"),
    ):
        Simulator(one, q=assembly.q, v=v)
    assert judged(assembly, facts, at, tmp_path).outcome == "refused"


@pytest.mark.parametrize(
    "number", [FOR_AN_INSTANT[0], *(pytest.param(number, marks=pytest.mark.sweep) for number in FOR_AN_INSTANT[1:])]
)
def test_what_moves_for_an_instant_only_is_refused(number: int, tmp_path: Path) -> None:
    _, assembly, facts, at = drawn_closed(0, number, "copies")
    assert facts.freedoms == 3 and not facts.moves
    one = compiled(assembly, at, tmp_path)
    with pytest.raises(ModelError, match=r"let joint '.+' move for an instant only, wherever they are"):
        Simulator(one, q=assembly.q)


@pytest.mark.parametrize("number", [7, pytest.param(9, marks=pytest.mark.sweep)])
def test_equal_legs_that_move_are_not_refused(number: int, tmp_path: Path) -> None:
    _, assembly, facts, at = drawn_closed(0, number, "copies")
    assert facts.moves
    one = compiled(assembly, at, tmp_path)
    assert one.closure.momentary(assembly.q) is None
    Simulator(one, q=assembly.q).step(10)


def test_at_rest_without_gravity_nothing_is_missed(recwarn: pytest.WarningsRecorder) -> None:
    """By loops that hold nothing: what they could be missed by has no size there."""
    joints = [kg.Joint(name, "prismatic", "world", "l", axis=(1, 0, 0)) for name in "ab"]
    model = kg.compile(kg.Mechanism("twice", [kg.Link("l", 1.0)], joints, gravity=(0, 0, 0)))
    still, q = np.zeros(1), np.array([0.1])
    for found in (model.kernel("forward_dynamics")(q, still, still), model.forward_dynamics(q, still, still)):
        assert found[0] == 0.0
    assert kg.Simulator(model, q=q).run(0.01).q[-1, 0] == 0.1
    assert not recwarn.list


@pytest.mark.parametrize("closed", [False, True], ids=["of trees", "with loops"])
def test_the_docstring_tells_every_method_that_there_is(closed: bool) -> None:
    told = str(Model.forward_dynamics.__doc__).partition("`method`")[2]
    of_trees, _, of_loops = told.partition("with loops")
    one = model("parallelogram") if closed else kg.compile(PENDULUM, contacts=False)
    with pytest.raises(ModelError, match=r"unknown method 'magic'; known: ") as refused:
        one.forward_dynamics(one.q0, np.zeros(one.nv), np.zeros(one.nv), method="magic")
    known = str(refused.value).partition("known: ")[2].split(", ")
    assert sorted(known) == sorted(name for name in METHODS if f'"{name}"' in (of_loops if closed else of_trees))
