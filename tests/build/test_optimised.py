"""Models as users compile them, optimised and with fused operations, against models without, as tests have them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.mechanism import Mechanism
from support.contact.contact_scenes import at, shapes, solid
from support.mechanisms.closed_mechanisms import four_bar
from support.oracles.mechanisms import Array, random_state
from support.oracles.numeric import error
from support.oracles.random_cases import random_case

pytestmark = pytest.mark.usefixtures("headers")

MECHANISMS: dict[str, Callable[[], Mechanism]] = {
    "tree": lambda: random_case("rotors"),
    "loop": lambda: four_bar(1.0, 2.0, 2.5, 3.0),
    "contact": lambda: Mechanism(
        "tilted",
        [solid("b", shapes.box((0.2, 0.3, 0.1)))],
        [kg.Joint("flight", "free", "world", "b")],
        gravity=(3.0, 1.0, -9.0),
        shapes=[shapes.plane(friction=0.2)],
    ),
}


def states(mechanism: Mechanism, model: kg.Model) -> dict[str, Array]:
    """What kernels take, by the names of their arguments; q and v on the closure."""
    rng = np.random.default_rng(5)
    q, v, a, tau = random_state(mechanism, rng)
    if model.manifest.closed:
        q = model.random(rng)
        v = model.dependent_motion(q, v)[0]
    other = random_state(mechanism, rng)[0]
    place = np.array([len(model.link_names) - 1, 0.1, -0.2, 0.3])
    along = {
        "f": rng.normal(size=6 * len(model.manifest.loops)),
        "dq": rng.normal(size=v.size),
        "dv": a,
        "eq": 0.3 * v,
        "ev": v,
    }
    moved = {"q": q, "q0": q, "q1": other, "v": v, "v_dt": 0.1 * v, "a": a, "tau": tau, "d": np.abs(a)}
    turned = np.array([*place, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    return moved | along | {"frame": place, "placed": turned}


OFTEN = "contact"
"""Has what the others have, and rows."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.sweep if n != OFTEN else ()) for n in MECHANISMS])
def test_kernels_and_steps_are_those_without_optimisation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, models = MECHANISMS[name](), []
    for flags in ("-O0", ""):
        monkeypatch.setenv("KINEGEN_CFLAGS", flags)
        models.append(kg.compile(mechanism))
    plain, optimised = models
    assert plain.module.folder != optimised.module.folder
    given = states(mechanism, plain)
    for spec in plain.manifest.kernels:
        taken = [given[array.name] for array in spec.inputs]
        for found, expected in zip(*(_outputs(model, spec.name, taken) for model in (optimised, plain)), strict=True):
            assert error(found, expected) < 1e-9, spec.name
    start = at((0, 0, 0.05)) if name == "contact" else given["q"]
    fine = kg.ContactOptions(tolerance=1e-12, sweeps=5000) if name == "contact" else None
    for integrator in ("semi_implicit", "rk4"):
        ends = []
        for model in models:
            sim = kg.Simulator(model, q=start, integrator=integrator, contacts=fine)
            sim.step(200)
            ends.append(np.concatenate([sim.q, sim.v]))
        assert error(*ends) < 1e-7
        assert np.abs(ends[0][: plain.nq] - start).max() > 1e-3


def _outputs(model: kg.Model, kernel: str, taken: list[Array]) -> list[Array]:
    found = model.kernel(kernel)(*taken)
    return list(found) if isinstance(found, tuple) else [found]
