"""Kernels that are compiled when they are first asked for."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.build import cache_entries
from support.mechanisms.closed_mechanisms import four_bar

QUESTIONS = {
    "inverse_derivatives": lambda model, *state: model.inverse_dynamics_derivatives(*state).dtau_dq,
    "torque_terms": lambda model, *state: model.torque_terms(*state).total,
    "mass_matrix_cog": lambda model, q, v, a: model.mass_matrix(q, method="cog"),
}


def arm() -> kg.Mechanism:
    return kg.load("examples/double_pendulum.urdf")


def state(model: kg.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    q = model.random(rng)
    return (q, *model.dependent_motion(q, *rng.normal(size=(2, model.nv))))


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(arm, id="arm"),
        pytest.param(lambda: four_bar(1.0, 2.0, 2.5, 3.0), id="four-bar", marks=pytest.mark.sweep),
    ],
)
def test_what_was_not_compiled_is_compiled_when_asked_for(make: Callable[[], kg.Mechanism], tmp_path: Path) -> None:
    mechanism = make()
    model, complete = kg.compile(mechanism, cache=tmp_path), kg.compile(mechanism, complete=True)
    given, found = state(model), {}
    assert set(complete.manifest.further) <= {"simulate_lanes"}  # no model has steps by lanes at once
    for count, (kernel, ask) in enumerate(QUESTIONS.items(), 2):
        assert kernel in model.manifest.further and kernel not in [k.name for k in model.manifest.kernels]
        assert kernel in [k.name for k in complete.manifest.kernels]
        found[kernel] = ask(model, *given)
        np.testing.assert_array_equal(found[kernel], ask(complete, *given))
        assert len(list(cache_entries(tmp_path))) == count
    made = {entry.path for entry in cache_entries(tmp_path)}
    again = kg.compile(mechanism, cache=tmp_path)
    for kernel, ask in QUESTIONS.items():
        np.testing.assert_array_equal(ask(again, *given), found[kernel])
    assert {entry.path for entry in cache_entries(tmp_path)} == made


@pytest.mark.parametrize("make", [arm, lambda: four_bar(1.0, 2.0, 2.5, 3.0)], ids=["tree", "loop"])
def test_inverse_kinematics_is_compiled_when_asked_for(make: Callable[[], kg.Mechanism], tmp_path: Path) -> None:
    """That of a loop brings the closure that it stands on."""
    model, complete = kg.compile(make(), cache=tmp_path), kg.compile(make(), complete=True)
    assert "solve_ik" in model.manifest.further and "solve_ik" not in complete.manifest.further
    near = (
        model.assemble(model.integrate(model.q0, np.full(model.nv, 0.05))) if model.manifest.loops else model.q0 + 0.3
    )
    goal = [kg.ComTarget(model.com(near))]
    found = [kg.solve_ik(at, goal, tolerance=1e-12) for at in (model, complete)]
    np.testing.assert_array_equal(found[0].q, found[1].q)
    np.testing.assert_allclose(model.com(found[0].q), model.com(near), atol=1e-12)
    with pytest.raises(kg.ModelError, match=r"compiled without 'solve_ik'.*complete=True"):
        kg.solve_ik(kg.Model.load(model.module.folder), goal)


def test_a_loaded_model_names_the_way_to_what_it_has_not() -> None:
    model = kg.compile(arm())
    loaded, given = kg.Model.load(model.module.folder), state(model)
    for ask in QUESTIONS.values():
        with pytest.raises(kg.ModelError, match=r"compiled without .*complete=True"):
            ask(loaded, *given)
    whole = kg.Model.load(kg.compile(arm(), complete=True).module.folder)
    for ask in QUESTIONS.values():
        np.testing.assert_array_equal(ask(whole, *given), ask(model, *given))


def test_a_copy_in_another_process_has_what_was_asked_for_before() -> None:
    model = kg.compile(arm())
    given = state(model)
    wanted = model.inverse_dynamics_derivatives(*given)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.inverse_dynamics_derivatives(*given).M, wanted.M)
    with pytest.raises(kg.ModelError, match=r"'torque_terms'.*complete=True"):
        copy.torque_terms(*given)


def test_parameters_and_values_stay_together(tmp_path: Path) -> None:
    """A group compiled for one model serves all that have other values of the parameters."""
    import sympy

    m = sympy.Symbol("m", positive=True)
    rod = kg.Mechanism(
        "rod", [kg.Link("rod", m, (0, 0, -1))], [kg.Joint("pin", "revolute", "world", "rod", axis=(0, 1, 0))]
    )
    model = kg.compile(rod, cache=tmp_path)
    rates = [model.with_parameters(m=x).inverse_dynamics_derivatives([0.3], [0], [0]).dtau_dq for x in (1.0, 3.0)]
    np.testing.assert_allclose(rates[1], 3.0 * rates[0])
    np.testing.assert_allclose(rates[0], 9.81 * np.cos(0.3), rtol=1e-4)
    with pytest.raises(kg.ModelError, match="no value for parameter m"):
        model.inverse_dynamics_derivatives([0.3], [0], [0])


def test_without_a_compiler_the_model_itself_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = kg.compile(arm(), cache=tmp_path)
    given = state(model)
    monkeypatch.setenv("CC", str(tmp_path / "nobody"))
    with pytest.raises(kg.BuildError, match="nobody"):
        model.inverse_dynamics_derivatives(*given)
    assert np.isfinite(model.inverse_dynamics(*given)).all()
    monkeypatch.delenv("CC")
    assert np.isfinite(model.inverse_dynamics_derivatives(*given).M).all()


def test_a_library_has_them_too() -> None:
    bar = kg.Mechanism(
        "bar", [kg.Link("bar", 1.0, (0, 0, -1))], [kg.Joint("pin", "revolute", "world", "bar", axis=(0, 1, 0))]
    )
    hold = kg.Connection("hold", "bar", "world", kg.spherical(), kg.Pose((0, 0, -2)))
    model = kg.TopologyLibrary(bar, [hold]).model
    np.testing.assert_allclose(model.torque_terms([0.3], [0], [0]).total, model.gravity([0.3]), atol=1e-12)
