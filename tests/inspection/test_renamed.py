"""Symbols of equations by other names: the same equations, in closed and in factored form."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy

import kinegen as kg

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = {
    "q_shoulder": "theta_1",
    "q_elbow": "theta_2",
    "v_shoulder": "omega_1",
    "v_elbow": "omega_2",
    "a_shoulder": "alpha",
    "tau_elbow": "u",
}
m = sympy.Symbol("m", positive=True)


def pendulum() -> kg.Mechanism:
    return kg.load(EXAMPLES / "double_pendulum.urdf")


def test_every_form_has_them() -> None:
    """What comes out is what replacing the symbols of the plain equations gives."""
    plain, eq = kg.derive(pendulum()), kg.derive(pendulum(), names=NAMES)
    old = {s.name: s for column in (plain.q, plain.v, plain.a, plain.tau) for s in column}
    table = {old[name]: sympy.Symbol(new, real=True) for name, new in NAMES.items()}
    for name in ("q", "v", "a", "tau", "M", "bias", "C", "gravity", "inverse_dynamics", "G", "com", "momentum"):
        assert (getattr(eq, name) - getattr(plain, name).xreplace(table)).applyfunc(sympy.expand).is_zero_matrix, name
    assert sympy.expand(eq.kinetic_energy - plain.kinetic_energy.xreplace(table)) == 0
    told = {s.name for s in eq.torque_terms("elbow").total().free_symbols}
    assert {"theta_1", "theta_2", "alpha"} <= told <= {*NAMES.values(), "a_elbow"}
    rows = eq.contact_rows("lower", (0, 0, -1))
    assert (rows - plain.contact_rows("lower", (0, 0, -1)).xreplace(table)).applyfunc(sympy.expand).is_zero_matrix
    assert r"\theta_{1}" in eq.M.latex() + eq.gravity.latex()


def test_programs_have_them_and_compute_the_same() -> None:
    plain, eq = (kg.derive(pendulum(), names=names).program("inverse_dynamics") for names in (None, NAMES))
    assert "theta_1" in str(eq) and "q_shoulder" not in str(eq)
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 2))
    np.testing.assert_array_equal(*(program.lambdify()(q, v, a) for program in (plain, eq)))


def test_loops_parameters_and_symbols_of_ones_own() -> None:
    mech = kg.parametrise(kg.load(EXAMPLES / "fourbar.toml"), "mass of crank")
    plain = kg.derive(mech)
    drive = plain.q[0]
    own = sympy.Symbol("phi", real=True)
    eq = kg.derive(mech, names={drive.name: own, plain.parameters[0].name: m})
    assert own in eq.H.free_symbols and drive not in eq.H.free_symbols and eq.parameters == (m,)
    assert (eq.H - plain.H.xreplace({drive: own})).applyfunc(sympy.simplify).is_zero_matrix
    assert m in eq.M.free_symbols and own in eq.closure.free_symbols


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"q_sholder": "x"}, "no symbol 'q_sholder'; did you mean 'q_shoulder'"),
        ({"q_shoulder": "q_elbow"}, "two symbols would be called 'q_elbow'"),
        ({"q_shoulder": ""}, "must become a name or a SymPy symbol"),
        ({"q_shoulder": 3}, "must become a name or a SymPy symbol"),
    ],
)
def test_names_that_do_not_fit(names: dict[str, object], message: str) -> None:
    with pytest.raises(kg.ModelError, match=message):
        kg.derive(pendulum(), names=names)


def test_a_name_that_an_intermediate_has_is_refused_where_it_matters() -> None:
    """Names within a program are its own; none is taken over silently."""
    inner = str(kg.derive(pendulum()).program("inverse_dynamics")).split("neg_a_lower_y")[0]
    assert "s_lower" in inner
    eq = kg.derive(pendulum(), names={"q_shoulder": "s_lower"})
    with pytest.raises(kg.ModelError, match="has an intermediate called 's_lower'; choose another name"):
        eq.program("inverse_dynamics")


def test_coordinates_and_velocities_of_cut_joints_are_renamed_too() -> None:
    eq = kg.derive(kg.load(EXAMPLES / "fourbar.toml"), names={"v_close": "w", "q_close": "phi"})
    assert [symbol.name for symbol in eq.v_cut] == ["w"]
    assert [symbol.name for symbol in eq.cut_angles] == ["phi"]
    assert "phi" in {symbol.name for symbol in eq.in_cut_angles(eq.H).free_symbols}


def test_nothing_else_is_called_as_the_coordinate_of_a_cut_joint() -> None:
    """Forms held two symbols of one name, so that their text was that of another function."""
    four_bar = kg.load(EXAMPLES / "fourbar.toml")
    for name in ("q_close", "v_close"):
        with pytest.raises(kg.ModelError, match=f"names: two symbols would be called '{name}'"):
            kg.derive(four_bar, names={"q_drive": name})
        heavy = [replace(link, mass=sympy.Symbol(name, positive=True)) for link in four_bar.links[:1]]
        with pytest.raises(kg.ModelError, match=f"parameter '{name}' has the name of a coordinate"):
            kg.derive(replace(four_bar, links=[*heavy, *four_bar.links[1:]]))
