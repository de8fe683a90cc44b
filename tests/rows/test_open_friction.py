"""Friction of shapes as a run-time parameter: the same motion as with numbers, in trees, loops and libraries."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
from support.contact.closed_contact import standing, walker

MU = kg.parameter("mu", 0.5)
LIES = [0, 0, 0.1, 0, 0, 0, 1]
SLIDES = [1.0, 0.3, 0, 0, 0, 0.5]


def sliding(friction: Any, floor: Any = None, combine: Any = "geometric") -> kg.Mechanism:
    """A box on a floor, which has the same friction if nothing is said."""
    shape = replace(kg.box((0.2, 0.2, 0.2), friction=friction), combine=combine)
    box = kg.Link("box", 1.0, inertia=kg.inertia.box(1.0, (0.2, 0.2, 0.2)), shapes=[shape])
    ground = kg.plane(friction=friction if floor is None else floor)
    return kg.Mechanism("sliding", [box], [kg.Joint("flight", "free", "world", "box")], shapes=[ground])


@cache
def opened() -> kg.Model:
    return kg.compile(sliding(MU))


def end(model: Any, **options: Any) -> np.ndarray:
    return kg.Simulator(model, q=LIES, v=SLIDES, **options).run(0.2).q[-1]


def test_the_motion_is_that_of_numbers() -> None:
    assert dict(opened().parameters) == {"mu": 0.5}
    ends = [end(opened().with_parameters(mu=value)) for value in (0.1, 0.5)]
    assert np.array_equal(ends[1], end(opened())) and np.array_equal(ends[1], end(kg.compile(sliding(0.5))))
    assert ends[0][0] > ends[1][0] + 0.03
    frictionless = end(opened().with_parameters(mu=0.0))
    assert np.isclose(frictionless[0], 0.2, atol=1e-12) and np.isclose(frictionless[1], 0.06, atol=1e-12)


SELDOM = [pytest.param(*given, marks=pytest.mark.sweep) for given in (("max", 0.8), ("min", 0.2), ("product", 0.16))]


@pytest.mark.parametrize(("combine", "value"), [("geometric", 0.4), *SELDOM])
def test_two_surfaces_combine_as_numbers_do(combine: str, value: float) -> None:
    """Two symbols in one pair, and one beside a number."""
    other = sympy.Symbol("nu")
    both = kg.compile(sliding(MU, other, combine)).with_parameters(mu=0.2, nu=0.8)
    expected = end(opened().with_parameters(mu=value))
    assert np.allclose(end(both), expected, rtol=0, atol=1e-12)
    one = kg.compile(sliding(0.8, MU, combine)).with_parameters(mu=0.2)
    assert np.allclose(end(one), expected, rtol=0, atol=1e-12)


def test_each_row_of_a_rollout_has_its_own() -> None:
    values = np.array([0.05, 0.3, 0.9])
    found = kg.rollout(opened(), LIES, SLIDES, steps=200, parameters={"mu": values}, threads=2)
    for row, value in enumerate(values):
        assert np.array_equal(found.q[row, -1], end(opened().with_parameters(mu=value)))


@pytest.mark.sweep
def test_feet_of_closed_mechanisms_and_of_libraries() -> None:
    made = [kg.compile(kg.parametrise(walker(), "friction of shank_*")), kg.compile(walker())]
    assert dict(made[0].parameters) == {"friction_shank_l": 0.8, "friction_shank_r": 0.8}
    q, v = standing(made[1]), 0.5 * np.eye(made[1].nv)[1]
    icy = made[0].with_parameters(friction_shank_l=0.1, friction_shank_r=0.1)
    runs = [kg.Simulator(model, q=q, v=v).run(0.1).q for model in (*made, icy)]
    assert np.allclose(runs[0], runs[1], rtol=0, atol=1e-9) and np.abs(runs[0] - runs[2]).max() > 1e-3
    held = kg.Connection("rope", "box", "world", kg.spherical())
    library = kg.TopologyLibrary(sliding(MU), [held])
    simulator = kg.Simulator(library, q=LIES, v=SLIDES)
    simulator.set_parameters({"mu": 0.1})
    simulator.step(200)
    assert np.allclose(simulator.q[:2], end(opened().with_parameters(mu=0.1))[:2], atol=1e-6)


def test_it_is_named_kept_and_read_again(tmp_path: Path) -> None:
    both = kg.parametrise(sliding(0.5), "friction of box", "friction of world")
    assert [p.name for p in both.parameters] == ["friction_box", "friction_world"]
    two = replace(both.links[0], shapes=(kg.sphere(0.1), kg.sphere(0.2)))
    assert [p.name for p in kg.parametrise(replace(both, links=(two,)), "friction of box").parameters] == [
        "friction_box_0",
        "friction_box_1",
        "friction_world",
    ]
    kg.save(both, tmp_path / "box.toml")
    assert kg.load(tmp_path / "box.toml").all_shapes == both.all_shapes


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: kg.plane(friction=2 * MU), "plane: friction must be a number or one symbol, got 2.mu"),
        (lambda: kg.plane(friction=sympy.Symbol("mu", negative=True)), "must not be negative"),
        (lambda: kg.plane(restitution=MU), "restitution must be a constant, got the symbolic mu"),
        (lambda: kg.Surface(friction=MU), "surface: friction must be a constant"),
        (lambda: opened().with_parameters(mu=-0.1), "parameter mu: expected a number that is not negative, got -0.1"),
        (lambda: kg.Simulator(kg.compile(sliding(sympy.Symbol("mu")))), "mu"),
        (lambda: kg.parametrise(sliding(0.5), "friction of bax"), "there is no such joint"),
    ],
)
def test_refused_by_name(wrong: Any, said: str) -> None:
    with pytest.raises(kg.ModelError, match=said):
        wrong()
