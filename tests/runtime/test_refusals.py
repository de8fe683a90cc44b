"""What cannot be right, or cannot be held, is refused by name before anything happens. Add a row to add a case."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
from support.mechanisms.closed_mechanisms import four_bar

MASS, DAMPING, OFFSET = sympy.Symbol("m", positive=True), sympy.Symbol("d", real=True), sympy.Symbol("x", real=True)


@cache
def model() -> kg.Model:
    """A pendulum with open mass, damping and place of its mass centre."""
    link = kg.Link("rod", MASS, (OFFSET, 0, -1), kg.inertia.sphere(MASS, 0.1))
    joint = kg.Joint("pivot", "revolute", "world", "rod", axis=(0, 1, 0), damping=DAMPING)
    return kg.compile(kg.Mechanism("refusing", [link], [joint])).with_parameters(m=1.0, d=0.1, x=-1.0)


def simulator(**options: Any) -> kg.Simulator:
    return kg.Simulator(model(), **options)


def plate(**other: Any) -> kg.PlateRecord:
    n = np.zeros((20, 3))
    return kg.PlateRecord(
        **{"file": "lab", "name": "p", "t": np.arange(20) / 100, "force": n, "point": n, "moment": n} | other
    )


def markers(count: int = 1, names: tuple[str, ...] = ("a",)) -> kg.Markers:
    return kg.Markers("lab", np.arange(20) / 100, names, np.zeros((20, count, 3)))


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "negative mass": (lambda: model().with_parameters(m=-1), "parameter m: expected a number that is positive, got -1"),
    "no mass": (lambda: model().with_parameters(m=0), "parameter m: expected a number that is positive, got 0"),
    "negative damping": (lambda: model().with_parameters(d=-1), "d: expected a number that is not negative, got -1"),
    "a place far away": (
        lambda: model().with_parameters(x=1e50),
        r"x: expected a number that is at most 1e\+40 in size",
    ),
    "infinitely long": (lambda: simulator().run(1e308), r"duration: 1e\+308 s are more steps of 0.001 s than can be"),
    "too much to record": (
        lambda: simulator().run(1e12, every=2),
        r"a recording of 500,000,\S+ states: takes .* GiB of memory, this machine has .*; record fewer \(every=...\)",
    ),
    "too many steps": (lambda: simulator().step(10**30), "n: expected a whole number of at least 0 and at most 9007"),
    "a long step": (lambda: simulator(dt=10**400), "dt: expected float64 numbers"),
    "a step of many digits": (lambda: simulator(dt=10**5000), "dt: .* got int <too long or too deep to be written>"),
    "fewer than none": (lambda: model().random(size=-1), "size: expected a whole number of at least 0, got -1"),
    "too many": (lambda: model().random(0, size=10**13), "random: takes .* GiB of memory, this machine has"),
    "a size in words": (lambda: model().random(size="a"), "size: expected a whole number"),  # type: ignore[arg-type]
    "no generator": (lambda: model().random("a"), "rng: expected a generator or a whole number from 0 on, got 'a'"),  # type: ignore[arg-type]
    "batches that differ": (
        lambda: model().dependent_motion([0.0], np.zeros((2, 1)), np.zeros((3, 1))),
        r"batch axes do not broadcast: q \(1,\), v \(2, 1\), a \(3, 1\)",
    ),
    "plate of uneven lengths": (
        lambda: plate(force=np.zeros((19, 3))),
        r"lab: plate 'p': force: .* \(20, 3\), got \(19",
    ),
    "plate with a gap": (lambda: plate(point=np.full((20, 3), np.nan)), "lab: plate 'p': point: entry .* is nan"),
    "plate at no time": (lambda: plate().shifted(np.nan), "seconds: expected a number, got nan"),
    "low pass of nothing": (lambda: plate().low_passed(-np.inf), "cutoff must be a positive frequency in Hz, got -inf"),
    "low pass of NaN": (lambda: markers().low_passed(np.nan), "cutoff must be a positive frequency in Hz, got nan"),
    "a state in words": (
        lambda: simulator().run(0.01)["a"],  # type: ignore[index]
        r"trajectory\[...\]: expected a whole number or a slice of them, got 'a'",
    ),
    "contacts of a state in words": (
        lambda: kg.ContactHistory(np.zeros(3, int), np.zeros(0), ())["a"],  # type: ignore[call-overload]
        r"contacts\[...\]: expected a whole number or a slice of them, got 'a'",
    ),
    "a joint that nobody has, held by its actuators": (
        lambda: kg.equilibrium(model(), [0.0], hold=["pivto"]),
        r"model 'refusing': no joint 'pivto' in the tree; it has: pivot",
    ),
    "smoothing in words": (lambda: kg.Smoothing(cutoff="6"), "cutoff must be a positive frequency"),  # type: ignore[arg-type]
    "a wide window": (lambda: kg.Smoothing(window=100_001, degree=4), "window must be odd and at most 501"),
    "markers without names": (
        lambda: markers(3, ()),
        r"0 names of markers need positions \(20, 0, 3\), got \(20, 3, 3\)",
    ),
    "two of a name": (lambda: markers(2, ("a", "a")).of(["a"]), "2 markers are called 'a'; rename them"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused_by_name(case: str) -> None:
    call, words = CASES[case]
    with pytest.raises(kg.ModelError, match=words):
        call()


def test_motion_that_follows_in_a_batch_of_accelerations() -> None:
    v, a = model().dependent_motion([0.0], [1.0], np.arange(3.0)[:, None])
    np.testing.assert_array_equal(v, np.ones((3, 1)))
    np.testing.assert_array_equal(a, np.arange(3.0)[:, None])


def test_properties_that_are_not_there_are_none_for_who_looks_at_all() -> None:
    """Documentation tools, mocks and browsers of objects ask for every attribute; each still tells the remedy."""
    rod = kg.Link("rod", 1.0, (0, 0, -1), kg.inertia.sphere(1.0, 0.1))
    pendulum = kg.Mechanism("looked_at", [rod], [kg.Joint("pivot", "revolute", "world", "rod", axis=(0, 1, 0))])
    for one in (kg.compile(pendulum), kg.compile(pendulum, dtype="float32")):
        assert not hasattr(one, "mass_matrix_pattern") and dict(inspect.getmembers(one))["nv"] == 1
        with pytest.raises(
            kg.ModelError, match=r"has no packed mass matrix: compile it with kg\.compile\(\.\.\., lanes="
        ):
            _ = one.mass_matrix_pattern
    sim = simulator()
    assert dict(inspect.getmembers(sim))["dt"] == sim.dt
    assert not any(hasattr(sim, name) for name in ("active", "contacts", "events", "events_forgotten", "library"))
    with pytest.raises(kg.ModelError, match="contacts: model 'refusing' is simulated without contacts"):
        _ = sim.contacts
    assert not hasattr(kg.derive(four_bar(1.0, 2.0, 2.5, 3.0)), "base_parameters")
