"""Closed mechanisms with run-time parameters: the straight-line code of those without, and as right."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.analysis.loops.closure import scales_of
from support.mechanisms.closed_mechanisms import (
    bar_in_two_hands,
    five_bar,
    four_bar,
    random_closed,
    slider_crank,
    stewart,
)


def drawn(seed: int) -> kg.Mechanism:
    return random_closed(seed, ("revolute", "spherical")).mechanism


MACHINES: dict[str, Callable[[], kg.Mechanism]] = {
    "four-bar": lambda: four_bar(1.0, 2.0, 2.5, 3.0),
    "slider-crank": slider_crank,
    "five-bar": five_bar,
    "stewart": stewart,
    "bar in two hands": bar_in_two_hands,
    **{
        f"random {seed}": lambda seed=seed: random_closed(seed, ("revolute", "spherical")).mechanism
        for seed in range(3)
    },
}

QUICK = ("slider-crank",)


def motion(model: kg.Model, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A moving closed state, and torques."""
    rng = np.random.default_rng(seed)
    q = model.assemble(model.integrate(model.q0, 0.1 * rng.normal(size=model.nv)))
    v, _ = model.dependent_motion(q, *rng.normal(size=(2, model.nv)))
    return q, v, rng.normal(size=model.nv)


def assert_equal(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-8 * max(1.0, np.abs(b).max()))


def route(model: kg.Model) -> str:
    return next(kernel.route for kernel in model.manifest.kernels if kernel.name == "forward_dynamics")


def heavier(mechanism: kg.Mechanism, factors: dict[str, float]) -> kg.Mechanism:
    """Masses by these factors, inertias as they are."""
    links = [replace(link, mass=link.mass * factors.get(link.name, 1.0)) for link in mechanism.links]
    return with_links(mechanism, links)


def with_links(mechanism: kg.Mechanism, links: Iterable[kg.Link]) -> kg.Mechanism:
    return kg.Mechanism(mechanism.name, list(links), mechanism.joints, gravity=mechanism.gravity)


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.sweep) for n in MACHINES])
def test_masses_as_parameters_cost_no_route(name: str) -> None:
    """At the values of the file and at others: as the mechanism with these numbers, by the same code of the loops."""
    mechanism = MACHINES[name]()
    made = kg.parametrise(mechanism, "mass of *")
    plain, model = kg.compile(mechanism), kg.compile(made)
    assert route(model) == route(plain) == "specialised"
    assert model.manifest.independent == plain.manifest.independent
    rng = np.random.default_rng(3)
    values = {p.name: p.value * rng.uniform(0.5, 2.0) for p in made.parameters}
    factors = {p.name.removeprefix("mass_"): values[p.name] / p.value for p in made.parameters}
    other = kg.compile(heavier(mechanism, factors))
    for ours, theirs in ((model, plain), (model.with_parameters(values), other)):
        state = motion(theirs)
        a, b = ours.forward_dynamics(*state), theirs.forward_dynamics(*state)
        np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-9 * max(1.0, np.abs(b).max()))
        np.testing.assert_allclose(
            ours.forward_dynamics(*state, method="reduced"), b, rtol=0, atol=1e-8 * np.abs(b).max()
        )


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=() if n in QUICK else pytest.mark.sweep)
        for n in ("four-bar", "slider-crank", "stewart", "bar in two hands")
    ],
)
def test_motions_are_those_of_numbers(name: str, integrator: str) -> None:
    mechanism = MACHINES[name]()
    runs = []
    for each in (mechanism, kg.parametrise(mechanism, "mass, damping of *", "gravity")):
        model = kg.compile(each)
        sim = kg.Simulator(model, dt=1e-3, integrator=integrator, v=motion(model)[1] * 0.2)
        sim.step(100)
        runs.append((sim.q, sim.v, sim.gap))
    np.testing.assert_allclose(runs[0][0], runs[1][0], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(runs[0][1], runs[1][1], rtol=0.0, atol=1e-8)
    assert runs[1][2] < 1e-10


def sized(crank: object, coupler: object) -> kg.Mechanism:
    return four_bar(crank, coupler, 2.5, 3.0)  # type: ignore[arg-type]


def test_lengths_with_values_lead_by_the_linkage_that_they_give() -> None:
    """Other lengths are another linkage of the same kind; one that cannot be closed is refused by its loop."""
    model = kg.compile(sized(kg.parameter("crank", 1.0), kg.parameter("coupler", 2.0)))
    assert route(model) == "specialised"
    for crank, coupler in ((1.0, 2.0), (1.3, 2.6)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            plain, ours = kg.compile(sized(crank, coupler)), model.with_parameters(crank=crank, coupler=coupler)
            state = motion(plain)
            wanted = plain.forward_dynamics(*state)
            np.testing.assert_allclose(
                ours.forward_dynamics(*state), wanted, rtol=0.0, atol=1e-9 * np.abs(wanted).max()
            )
    with pytest.raises(kg.ModelError, match="closed"):
        _ = model.with_parameters(crank=9.0).q0


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_small_and_large_linkages_are_measured_alike(size: float) -> None:
    """What counts as met by rows is told in parts of the linkage, also where its lengths are parameters."""
    lengths = [size * x for x in (1.0, 2.0, 2.5, 3.0)]
    given = [kg.parameter(name, x) for name, x in zip("abcd", lengths, strict=True)]
    assert scales_of(four_bar(*given)) == scales_of(four_bar(*lengths))  # type: ignore[arg-type]


def test_lengths_without_values_and_values_that_do_not_close() -> None:
    """Found when values are there, as it was: by pivots."""
    free = sized(sympy.Symbol("crank", positive=True), 2.0)
    open_ = sized(kg.parameter("crank", 9.0), 2.0)
    plain = kg.compile(sized(1.0, 2.0))
    state = motion(plain)
    for mechanism in (free, open_):
        model = kg.compile(mechanism)
        assert route(model) == "reduced" and not model.manifest.independent
        found = model.with_parameters(crank=1.0).forward_dynamics(*state)
        np.testing.assert_allclose(found, plain.forward_dynamics(*state), rtol=1e-9)


def test_rounded_loops_with_masses_as_parameters_fit() -> None:
    """Dimensions with six digits: the misfit is found with parameters as without."""
    rounded = four_bar(1.0, 2.0, 2.5, 3.0)
    joints = [
        replace(j, origin=kg.Pose(j.origin.xyz, rpy=(1e-6, 0.0, 0.0))) if j.name == "knee" else j
        for j in rounded.joints
    ]
    rounded = kg.Mechanism("rounded", rounded.links, joints, gravity=rounded.gravity)
    with pytest.warns(kg.FitWarning):
        plain = kg.compile(rounded)
    with pytest.warns(kg.FitWarning):
        model = kg.compile(kg.parametrise(rounded, "mass of *"))
    assert model.manifest.misfit == plain.manifest.misfit > 0.0
    state = motion(plain)
    assert_equal(model.forward_dynamics(*state), plain.forward_dynamics(*state))


def test_a_mass_of_nothing_is_as_right_as_a_number() -> None:
    """A coupler that is made massless at run time: M is singular, the closed mechanism is not."""
    mechanism = four_bar(1.0, 2.0, 2.5, 3.0)
    point = tuple(replace(link, inertia=(0.0,) * 6) if link.name == "coupler" else link for link in mechanism.links)
    made = kg.parametrise(with_links(mechanism, point), "mass of coupler")
    model = kg.compile(made).with_parameters({made.parameters[0].name: 0.0})
    exact = kg.compile(with_links(mechanism, (replace(x, mass=0.0) if x.name == "coupler" else x for x in point)))
    state = motion(exact)
    assert_equal(model.forward_dynamics(*state), exact.forward_dynamics(*state))
