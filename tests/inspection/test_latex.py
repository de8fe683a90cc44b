"""Equations and programs as LaTeX: symbols typeset as on paper, names from outside escaped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sympy

import kinegen as kg
from kinegen.codegen.inspection.forms.form import Form
from kinegen.codegen.mechanism import Joint, Link, Mechanism
from support.mechanisms.closed_mechanisms import four_bar
from support.oracles.mechanisms import cart_pole, double_pendulum, random_mechanism

m1, m2, l1, l2 = sympy.symbols("m1 m2 l1 l2", positive=True)


def test_matrices_typeset_their_symbols() -> None:
    eq = kg.derive(double_pendulum(m1, m2, l1, l2))
    assert r"\cos{\left(q_{\mathrm{elbow}} \right)}" in eq.M._repr_latex_()
    assert r"\dot{v}_{\mathrm{shoulder}}" in sympy.latex(eq.inverse_dynamics)
    assert sympy.latex(eq.tau[0]) == r"\tau_{\mathrm{shoulder}}"


def test_equation_of_motion_typesets_as_a_whole() -> None:
    eq = kg.derive(cart_pole())
    text = eq.latex()
    assert text.endswith(r"= \left[\begin{matrix}\tau_{\mathrm{rail}}\\\tau_{\mathrm{pivot}}\end{matrix}\right]")
    assert eq._repr_latex_() == rf"$\displaystyle {text}$"
    assert kg.derive(random_mechanism(2, bodies=20))._repr_latex_() is None, "too large to read: its repr is shown"


def hoop() -> Mechanism:
    """It rolls upright, by yaw and spin."""
    links = [Link("carrier"), Link("hoop", 1.0, inertia=kg.inertia.cylinder(1.0, 0.3, 0.0, axis=(0, 1, 0)))]
    turn = Joint("turn", "universal", "carrier", "hoop", axis=(0, 0, 1), axis2=(0, 1, 0))
    return Mechanism(
        "hoop", links, [Joint("at", "cartesian", "world", "carrier"), turn, kg.rolling("hoop", radius=0.3)]
    )


@pytest.mark.parametrize(("mechanism", "felt"), [(four_bar(1, 3, 2, 4), [0, 1]), (hoop(), [0, 1, 2])])
def test_equation_of_motion_has_the_forces_of_loops_and_wheels(mechanism: Mechanism, felt: list[int]) -> None:
    """Those of directions in which nothing can move anyway are left out."""
    eq = kg.derive(mechanism)
    rows, forces = sympy.Matrix(eq.K)[felt, :], sympy.Matrix(eq.multipliers)[felt, :]
    right = f"{eq.tau.latex()} + {Form(rows.T).latex()} {Form(forces).latex()}"
    assert eq.latex().endswith(f" = {right}") and right.count(r"\lambda") == len(felt)


HOSTILE = ('a"; $x$ \\input{/etc/passwd}', "<script>alert(1)</script>", "x_{y}^z%&#~", "膝 ひざ", "\\", "hat bar")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_do_no_harm_in_latex(name: str) -> None:
    links = [Link(name, mass=1.0, com=(0, 0, 0.1), inertia=(0.1, 0, 0, 0.1, 0, 0.1))]
    eq = kg.derive(Mechanism(name, links, [Joint(name, "revolute", "world", name, axis=(1, 0, 0))]))
    for text in (eq.latex(), eq.program("inverse_dynamics").latex(), eq.program("link_poses").latex()):
        assert not re.search(r"\\input|script>|\$|%|#|~", text)
        assert text.replace(r"\{", "").count("{") == text.replace(r"\}", "").count("}")
    assert "\n" in repr(eq)


@pytest.mark.parametrize("name", [*HOSTILE, "m_{\\input{x}}", r"\input", "m}", "{m"])
def test_hostile_symbols_do_no_harm_in_latex(name: str) -> None:
    links = [Link(name.replace("\\", "|"), sympy.Symbol(name, positive=True), (0, 0, -1))]
    eq = kg.derive(Mechanism("p", links, [Joint("j", "revolute", "world", links[0].name, axis=(1, 0, 0))]))
    terms = eq.torque_terms("j")
    for text in (eq.latex(), eq.M._repr_latex_(), eq.program("inverse_dynamics").latex(), terms.latex()):
        plain = text.removeprefix(r"$\displaystyle ").removesuffix("$")
        assert not re.search(r"\\input|script>|(?<!\\)[%#~$]", plain)
        assert text.replace(r"\{", "").count("{") == text.replace(r"\}", "").count("}")


@pytest.mark.parametrize("name", ["m", "m_1", "m_{1}", r"\lambda", "lambda_2", "I_xx", r"\mu_{a, b}^2"])
def test_symbols_as_sympy_writes_them(name: str) -> None:
    symbol = sympy.Symbol(name, positive=True)
    assert Form([[symbol]]).latex() == sympy.latex(sympy.Matrix([[symbol]]))


def test_numbers_have_six_digits_as_in_text() -> None:
    x = sympy.Symbol("x")
    form = Form([[0.000200000000000006 * x + 0.0285833333333333]])
    assert form.latex() == r"\left[\begin{matrix}0.0002 x + 0.0285833\end{matrix}\right]"
    floating = kg.load(Path(__file__).parents[2] / "examples/double_pendulum.urdf", root="free")
    for text in (kg.derive(floating).momentum.latex(), kg.derive(four_bar(0.3, 0.9, 0.7, 0.8)).latex()):
        assert "0." in text and not re.search(r"\.0*[1-9]\d{6}", text)
