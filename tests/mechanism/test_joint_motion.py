"""`Joint(motion=)`: what may be said, where it begins, which loops are cut; its program beside differences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.analysis.plan import plan
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.motion import prescribed_motion
from support.mechanisms.closed_mechanisms import five_bar, four_bar

t = sympy.Symbol("t")
A, w = sympy.symbols("A w")
RAMP = sympy.Piecewise((t**2, t < 1), (2 * t - 1, t <= 2), (3 + sympy.sin(2 * (t - 2)), True))


def sliding(motion: Any, kind: str = "prismatic", **options: Any) -> kg.Mechanism:
    joint = kg.Joint("slide", kind, "world", "mass", motion=motion, **options)
    return kg.Mechanism("moved", [kg.Link("mass", 2.0, inertia=kg.inertia.sphere(1.0, 0.5))], [joint])


def moving(mechanism: kg.Mechanism, **motions: Any) -> kg.Mechanism:
    joints = [replace(j, motion=motions[j.name]) if j.name in motions else j for j in mechanism.joints]
    return replace(mechanism, joints=tuple(joints))


MOTIONS: dict[str, Any] = {
    "held": 0.3,
    "turned": 0.1 + 2 * t,
    "shaken": A * sympy.sin(w * t + sympy.pi / 3),
    "of a size": sympy.Abs(sympy.exp(-t)),
    "of a root": sympy.sqrt(1 + t**2),
    "sine of a sine": sympy.sin(A * sympy.cos(t)),
    "eased": sympy.tanh(t) * sympy.exp(-w * t),
    "in pieces": RAMP,
    "in pieces with a factor": A * RAMP + t,
    "bounded": sympy.Min(t, 1) ** 2 + sympy.Max(t - 2, 0) ** 3,
    "folded": sympy.Abs(t - sympy.Rational(3, 2)),
    "defined later": sympy.Piecewise((0, t < 1), (sympy.sqrt(t - 1 + sympy.Rational(1, 4)) - 0.5, True)),
}


@pytest.mark.parametrize("name", MOTIONS)
def test_value_and_derivatives_are_those_of_differences_at_sixty_digits(name: str) -> None:
    motion = sympy.sympify(MOTIONS[name])
    run, given = numeric(prescribed_motion(sliding(motion))), {A: 0.7, w: 1.3}
    parameters = [given[s] for s in sorted(motion.free_symbols - {t}, key=str)]
    value = sympy.lambdify(t, motion.subs(given), "mpmath")
    for at in (0.2, 0.99, 1.2, 1.7, 2.5, 7.0):
        found = run({"time": [at], "p": parameters})["motion"]
        with mpmath.workdps(60):
            expected = [[float(mpmath.diff(value, at, order))] for order in range(3)]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_at_a_limit_of_pieces_one_of_them_holds() -> None:
    run = numeric(prescribed_motion(sliding(RAMP)))
    for at, ways in ((0.0, {(0.0, 0.0, 2.0)}), (1.0, {(1.0, 2.0, 2.0), (1.0, 2.0, 0.0)}), (2.0, {(3.0, 2.0, 0.0)})):
        assert tuple(run({"time": [at], "p": []})["motion"].ravel().tolist()) in ways


def test_it_is_told_and_can_be_read() -> None:
    made = sliding(A * sympy.sin(w * t))
    assert "prismatic, moved" in str(made)
    program = kg.derive(made).program("prescribed_motion")
    found = np.asarray(program.evaluate(p=[2.0, 0.5], time=[0.0]), dtype=float)
    np.testing.assert_allclose(found.ravel(), [0.0, 1.0, 0.0])
    with pytest.raises(kg.ModelError, match="no equations called 'prescribed_motion'"):
        kg.derive(sliding(None)).program("prescribed_motion")


def test_a_simulation_starts_where_the_motion_begins() -> None:
    assert sliding(0.2 + t).joints[0].begin == (0.2,)
    assert sliding(0.2 + A * t).joints[0].begin == (0.2,)
    assert sliding(A + t, start=0.1).joints[0].begin == (0.1,)
    assert sliding((t, 1.0, sympy.cos(t)), "cartesian").joints[0].begin == (0.0, 1.0, 1.0)
    assert plan(sliding(0.2 + t), contacts=False).start == (0.2,)
    bar = four_bar(0.2, 0.6, 0.5, 0.6)
    decided = plan(moving(bar, pivot=1.1 + 8 * t), contacts=False)
    assert decided.start[0] == pytest.approx(1.1, abs=1e-12)  # closed, with the crank there
    legs, led = five_bar(), []
    for joint in legs.tree.bodies:
        where = plan(moving(legs, **{joint.joint.name: 0.7 + t}), contacts=False).reference
        led.append(where is not None and joint.v_start in where.partition.independent)
    assert all(led)


def test_loops_are_cut_elsewhere() -> None:
    bar = four_bar(0.2, 0.6, 0.5, 0.6)
    assert [loop.joint.name for loop in bar.virtual_links] == ["tip"]
    for made in (bar.in_tree("tip"), moving(bar, tip=-1.1)):
        assert [loop.joint.name for loop in made.virtual_links] == ["knee"]
        assert [body.joint.name for body in made.tree.bodies] == ["pivot", "base", "tip"]
    assert bar.in_tree("pivot") == bar


def test_a_file_holds_the_motion(tmp_path: Path) -> None:
    for motion in (0.3, A * sympy.sin(w * t + 0.5), (0.1, t**2, A * t)):
        made = sliding(motion, "cartesian" if isinstance(motion, tuple) else "prismatic")
        kg.save(made, tmp_path / "moved.toml")
        again = kg.load(tmp_path / "moved.toml")
        names = {symbol: sympy.Symbol(symbol.name, real=True) for symbol in (A, w, t)}
        for mine, read in zip(made.joints[0].motion, again.joints[0].motion, strict=True):
            assert sympy.simplify(sympy.sympify(mine).subs(names) - sympy.sympify(read).subs(names)) == 0
        assert {symbol.name for symbol in again.parameters} == {symbol.name for symbol in made.parameters}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sliding(t, "fixed"), "joint 'slide': motion: a fixed joint does not move"),
        (lambda: sliding([0, 0, 0, 1], "spherical"), r"a spherical joint has no coordinates that add.*kg.gimbal"),
        (lambda: sliding(np.sin), "a function cannot be compiled; give an expression of the symbol t"),
        (lambda: sliding("t"), "motion must be a number or a SymPy expression, got 't'"),
        (lambda: sliding([t, t]), "motion must be 1 number, got 2"),
        (lambda: sliding(sympy.I * t), r"I\*t is not real"),
        (lambda: sliding(t, cut=True), "what has a motion stays in the tree; cut the loop at another joint"),
        (lambda: sliding(t, mimic=kg.Mimic("other")), "it moves by its motion or by mimic"),
        (lambda: sliding(1 + t, start=0.5), r"it starts at \[0.5\], its motion begins at \[1.0\]; leave start out"),
        (lambda: sliding(t, damping=t), "two different symbols are called 't'"),
        (
            lambda: moving(four_bar(0.2, 0.6, 0.5, 0.6), tip=t, knee=t),
            r"joints 'knee' and 'tip' are both to be in the tree, and both end in link 'coupler'.*the other way round",
        ),
        (lambda: four_bar(0.2, 0.6, 0.5, 0.6).in_tree("tipp"), "in_tree: there is no joint 'tipp'; did you mean 'tip'"),
        (
            lambda: kg.Mechanism(
                "round",
                [kg.Link(name, 1.0, inertia=kg.inertia.sphere(1.0, 0.5)) for name in "ab"],
                [
                    kg.Joint("hold", "revolute", "world", "b"),
                    kg.Joint("there", "revolute", "b", "a"),
                    kg.Joint("back", "revolute", "a", "b", motion=t),
                ],
            ),
            "joint 'back' has a motion and so is in the tree, where 'b' would hang on itself; describe .* from 'b' to",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_name(make: Any, message: str) -> None:
    with pytest.raises(kg.ModelError, match=message):
        make()


@pytest.mark.parametrize(
    ("motion", "message"),
    [
        (sympy.gamma(t), r"no function 'gamma'"),
        (sympy.Function("f")(t), r"no function 'f'"),
        (sympy.Mod(t, 0.3), r"no function 'Mod'"),
        (sympy.Abs(t - sympy.cos(t)), r"pieces without end; give it as a function"),
        (sympy.Integral(sympy.sin(A * w), (w, 0, t)), r"SymPy's Integral, .* give what \.doit\(\) makes of it"),
        (sympy.Piecewise((0, t < 1), (sympy.floor(t) - 1, True)), r"no function 'floor'"),
        (sympy.Heaviside(t - 1), r"jumps by 1 at t = 1 s; let its pieces meet"),
        (sympy.Piecewise((0, t < 1), (2, True)), r"jumps by 2 at t = 1 s"),
        (sympy.Piecewise((A * t, t < 1), (A**2, True)), r"jumps by A\*\*2 - A, for some values, at t = 1 s"),
        (sympy.Piecewise((1 / (t - 1), t < 1), (0, True)), r"jumps without bound at t = 1 s"),
        (sympy.Piecewise((t, t < 1)), r"is not told for all t from 0 on; give a last piece \(..., True\)"),
        (sympy.Piecewise((t, t < A), (A, True)), r"must have limits that are numbers of t"),
        (sympy.Max(A, 1) * t, r"must have limits that are numbers of t"),
        (sympy.sign(sympy.Symbol("A", real=True)) * t, r"must have limits that are numbers of t"),
        (sympy.Abs(sympy.sin(t)), r"must have limits that are numbers of t|has pieces without end"),
    ],
)
def test_what_cannot_be_compiled_is_refused_by_name(motion: sympy.Expr, message: str) -> None:
    with pytest.raises(kg.ModelError, match=rf"joint 'slide': motion: .*{message}"):
        prescribed_motion(sliding(motion))
