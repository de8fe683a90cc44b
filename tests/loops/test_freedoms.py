"""Freedoms, accelerations and energy of mechanisms with more closure rows than they need, folded starts among them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.analysis.loops.assembly import Assembly
from kinegen.codegen.analysis.loops.closure import scales_of
from kinegen.codegen.analysis.loops.partition import choose_reference
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.loops import closed_functions
from kinegen.codegen.symbolic.loops.closed_functions import ROUTES, derive_closed
from kinegen.codegen.symbolic.loops.left_out import TRUSTED
from support.mechanisms.over_constrained import (
    Placed,
    delta,
    hoberman,
    random_over_constrained,
    scissor,
    scissor_acceleration,
)
from support.oracles.constrained import acceleration, free_directions
from support.oracles.numeric import error

PLACE = (0.03, -0.02, -0.55)
LOW = (0.02, 0.03, -0.2)

SMALL: dict[str, Callable[[], Placed]] = {
    "scissor": lambda: scissor(3, 0.8, 0.7),
    "ring": lambda: hoberman(6, 0.25, 0.35, "revolute"),
    "linear delta": lambda: delta(LOW, linear=True),
    **{f"random {seed}": (lambda seed=seed: random_over_constrained(seed)) for seed in range(4)},  # type: ignore[misc]
}


@cache
def placed(name: str) -> Placed:
    return SMALL[name]()


@cache
def compiled(name: str) -> kg.Model:
    return kg.compile(placed(name).mechanism)


def assert_agrees(model: kg.Model, one: Placed, seed: int = 0) -> None:
    """Freedoms by SVD, accelerations by the default and the pivoting route against dense algebra."""
    q, rng = one.q(), np.random.default_rng(seed)
    N = free_directions(model, q)
    assert np.abs(model.closure_residual(q)).max() < 1e-12
    assert (N.shape[1], model.nv - model.partition(q).rank) == (one.freedoms, one.freedoms)
    for _ in range(3):
        v = (N @ rng.normal(size=N.shape[1]))[: model.nv]
        tau = rng.normal(size=model.nv)
        expected = acceleration(model, q, v, tau)
        for method in (None, "reduced"):
            assert error(model.forward_dynamics(q, v, tau, method=method), expected) < 1e-8, method


def assert_energy_is_kept(model: kg.Model, one: Placed, rate: float = 0.5) -> None:
    """Over 0.1 s without torques, relative to the largest kinetic energy."""
    q = one.q()
    N = free_directions(model, q)
    v = (rate * N @ np.ones(N.shape[1]) / np.sqrt(N.shape[1]))[: model.nv]
    run = kg.Simulator(model, q=q, v=v, integrator="rk4", dt=5e-4).run(0.1)
    total = run.energy.sum(1)
    assert np.abs(total - total[0]).max() < 1e-7 * max(1.0, float(run.energy[:, 0].max()))


MADE = [pytest.param(name, marks=pytest.mark.sweep if name not in ("scissor", "random 2") else ()) for name in SMALL]


@pytest.mark.parametrize("name", MADE)
def test_freedoms_and_accelerations(name: str) -> None:
    assert compiled(name).nf == placed(name).freedoms
    assert_agrees(compiled(name), placed(name))


@pytest.mark.parametrize("name", MADE)
@pytest.mark.filterwarnings("error::kinegen.ClosureWarning")
def test_energy(name: str) -> None:
    assert_energy_is_kept(compiled(name), placed(name))


@pytest.mark.parametrize("angle", [0.3, 0.7, 1.2])
def test_scissor_by_lagrange(angle: float) -> None:
    model, one = compiled("scissor"), scissor(3, 0.8, angle)
    still = np.zeros(model.nv)
    found = model.forward_dynamics(one.q(), still, still)[model.v_slice("act")][0]
    assert abs(found / scissor_acceleration(3, 0.8, angle) - 1.0) < 1e-9


@pytest.mark.sweep  # the legs of a platform lead in closed/test_closed_model.py
def test_motors_lead_a_delta() -> None:
    model, q = compiled("linear delta"), placed("linear delta").q()
    leading = model.with_independent(["m0", "m1", "m2"])
    assert leading.independent == ("m0", "m1", "m2")
    still = np.zeros(model.nv)
    held = leading.actuator_torques(q, still, still)
    tau = np.zeros(model.nv)
    for name, value in zip(leading.actuators, held, strict=True):
        tau[model.v_slice(name)] = value
    assert np.abs(model.forward_dynamics(q, still, tau)).max() < 1e-9


# ---- Folded starts, other branches


def folded() -> kg.Model:
    """One scissor stage compiled where both bars lie on each other: there it has more freedoms than when it is open."""
    return kg.compile(scissor(1, 0.9, 0.6).mechanism, at={"act": 0.0, "base": 0.3})


def test_at_decides_the_branch() -> None:
    model, other = folded(), scissor(1, 0.9, 0.6)
    assert (model.nf, free_directions(model, model.q0).shape[1]) == (2, 2)
    assert model.q0[model.q_slice("act")] == 0.0 and abs(model.q0[model.q_slice("base")][0] - 0.3) < 1e-12
    assert kg.compile(other.mechanism).nf == kg.compile(other.mechanism, at=other.start()).nf == 1


def test_code_made_for_a_fold_is_right_on_the_open_branch() -> None:
    assert_agrees(folded(), scissor(1, 0.9, 0.6))
    still = np.zeros(folded().nv)
    found = folded().forward_dynamics(scissor(1, 0.9, 0.6).q(), still, still)[folded().v_slice("act")][0]
    assert abs(found / scissor_acceleration(1, 0.9, 0.6) - 1.0) < 1e-9


@pytest.mark.parametrize("route", ROUTES)
def test_straight_line_code_knows_where_it_misses_a_row(route: str) -> None:
    """Made for a fold: its pivots are good on the open branch as well, but the rows left out hold there."""
    one = scissor(1, 0.9, 0.6)
    mechanism, nv = one.mechanism, one.mechanism.tree.nv
    reference = choose_reference(mechanism, (), {"act": (0.0,), "base": (0.3,)})
    run = numeric(derive_closed(mechanism, reference.partition, route, scales_of(mechanism)))

    def quality(q: Sequence[float]) -> float:
        return float(run({"q": list(q), "v": [0.0] * nv, "tau": [0.0] * nv, "p": []})["quality"][0])

    assert quality(reference.start) > 10 * TRUSTED
    assert quality(one.q().tolist()) < 1e-3 * TRUSTED


@pytest.mark.parametrize("one", [scissor(2, 0.9, 0.6), delta(LOW, linear=True)], ids=["no rows left out", "some"])
def test_what_the_proof_costs(one: Placed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing where the other rows are zero by structure; a few percent of a delta's code."""
    mechanism = one.mechanism
    partition, scales = choose_reference(mechanism, (), one.start()).partition, scales_of(mechanism)
    proven = derive_closed(mechanism, partition, "independent", scales).operations.total
    monkeypatch.setattr(closed_functions, "left_out", lambda *rows: [])
    without = derive_closed(mechanism, partition, "independent", scales).operations.total
    assert (proven == without) if mechanism.name.startswith("scissor") else (without < proven < 1.05 * without)


def test_another_branch_is_told_once_and_followed() -> None:
    model, one = folded(), scissor(1, 0.9, 0.6)
    said = "branch with 1 degrees of freedom, and was compiled for one with 2"
    with pytest.warns(kg.ClosureWarning, match=said) as told:
        assert_energy_is_kept(model, one)
    assert len([w for w in told if issubclass(w.category, kg.ClosureWarning)]) == 1


def test_leaders_are_judged_at_the_given_q() -> None:
    model, one = folded(), scissor(1, 0.9, 0.6)
    assert model.with_independent(["act"], q=one.q()).nf == 1
    with pytest.raises(kg.ModelError, match=r"act follows from the others.*give the q at which they lead"):
        model.with_independent(["act"])


def test_a_singular_configuration_is_told_where_no_choice_leads() -> None:
    """Flat, both bars may turn together about the same joints: more freedoms than when it is open."""
    model = kg.compile(scissor(1, 0.9, 0.6).mechanism)
    with pytest.raises(kg.ModelError, match=r"q is singular, or of a branch with more .* kg\.compile\(\.\.\., at=\{"):
        model.W(folded().q0)


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ({"bse": 0.1}, "at: joint 'bse' is unknown; did you mean 'base'"),
        ({"middle0": 0.1}, "at: joint 'middle0' closes a loop and has no coordinate"),
        ({"base": [0.1, 0.2]}, "at: joint 'base' must be 1 number"),
        ({"base": float("nan")}, "at: joint 'base' must be finite"),
    ],
)
def test_bad_starts(at: dict[str, float], message: str) -> None:
    with pytest.raises(kg.ModelError, match=message):
        kg.compile(scissor(1, 0.9, 0.6).mechanism, at=at)


@pytest.mark.parametrize("seed", range(4, 12))
def test_freedoms_of_random_mechanisms(seed: int) -> None:
    one = random_over_constrained(seed)
    found = [choose_reference(one.mechanism), choose_reference(one.mechanism, (), one.start())]
    assert [len(reference.partition.independent) for reference in found] == [one.freedoms] * 2


def three_legs() -> kg.Mechanism:
    """A platform on three arms of a revolute, a universal and a spherical joint."""
    links, joints = [kg.Link("platform", 1.0)], []
    for i, angle in enumerate(2.0 * np.pi * np.arange(3) / 3):
        at = [kg.Pose((r * np.cos(angle), r * np.sin(angle), 0), (0, 0, angle)) for r in (0.2, 0.15)]
        links += [kg.Link(f"u{i}", 0.5, (0.1, 0, 0)), kg.Link(f"d{i}", 0.4, (0.15, 0, 0))]
        joints += [
            kg.Joint(f"r{i}", "revolute", "world", f"u{i}", at[0], axis=(0, 1, 0)),
            kg.Joint(f"k{i}", "universal", f"u{i}", f"d{i}", kg.Pose((0.2, 0, 0)), axis=(0, 1, 0), axis2=(0, 0, 1)),
        ]
    joints += [kg.Joint(f"b{i}", "spherical", f"d{i}", "platform", kg.Pose((0.3, 0, 0)),
                        kg.Pose((0.15 * np.cos(a), 0.15 * np.sin(a), 0), (0, 0, a)))
               for i, a in enumerate(2.0 * np.pi * np.arange(3) / 3)]  # fmt: skip
    return kg.Mechanism("three_legs", links, joints)


def test_what_leads_leads_at_the_start_too() -> None:
    """The best partition of all configurations that are tried is that of another one, where the start's would do."""
    mechanism = three_legs()
    closure = Assembly(mechanism, ())
    start, gap = next(iter(closure.tries()))
    assert np.abs(gap).max() < 1e-9
    K, partition = closure.rows(start), choose_reference(mechanism).partition
    assert len(partition.independent) == 6
    values = np.linalg.svd(K[:, partition.dependent], compute_uv=False)
    assert values[-1] > 1e-3 * values[0]


@pytest.mark.parametrize(("stages", "pairs"), [(1, 6), (5, 8)])
def test_freedoms_from_folded_assemblies(stages: int, pairs: int) -> None:
    """Neutral is folded flat, and so are most random assemblies; nothing else is given."""
    assert len(choose_reference(scissor(stages, 1.1, 0.6).mechanism).partition.independent) == 1
    assert len(choose_reference(hoberman(pairs, 0.3, 0.4).mechanism).partition.independent) == 7


# ---- Sweeps


def assert_whole(one: Placed, *, at: bool = False) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", kg.ClosureWarning)
        model = kg.compile(one.mechanism, at=one.start() if at else None)
        assert model.nf == one.freedoms
        assert_agrees(model, one)
        assert_energy_is_kept(model, one)


@pytest.mark.sweep
@pytest.mark.parametrize("stages", range(1, 13))
def test_every_scissor(stages: int) -> None:
    rng = np.random.default_rng(stages)
    length, angle = float(rng.uniform(0.5, 1.5)), float(rng.uniform(0.3, 1.2))
    one = scissor(stages, length, angle)
    assert_whole(one)
    model = kg.compile(one.mechanism)
    still = np.zeros(model.nv)
    found = model.forward_dynamics(one.q(), still, still)[model.v_slice("act")][0]
    assert abs(found / scissor_acceleration(stages, length, angle) - 1.0) < 1e-8


@pytest.mark.sweep
@pytest.mark.parametrize("pairs", range(6, 21))
def test_every_ring(pairs: int) -> None:
    rng = np.random.default_rng(pairs)
    assert_whole(hoberman(pairs, float(rng.uniform(0.1, 0.5)), float(rng.uniform(0.2, 0.5))), at=pairs > 10)


@pytest.mark.sweep
@pytest.mark.parametrize("pairs", range(11, 15))
def test_rings_of_which_no_start_is_given(pairs: int) -> None:
    """Random assemblies of large rings are folded somewhere: that is told where the ring starts, and all holds."""
    rng = np.random.default_rng(pairs)
    one = hoberman(pairs, float(rng.uniform(0.1, 0.5)), float(rng.uniform(0.2, 0.5)))
    model = kg.compile(one.mechanism)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", kg.ClosureWarning)
        kg.Simulator(model, q=one.q())
    told = any(f"starts on a branch with {one.freedoms} degrees" in str(warning.message) for warning in caught)
    assert told == (model.nf != one.freedoms)
    assert_agrees(model, one)
    assert_energy_is_kept(model, one)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(8))
def test_every_delta(seed: int) -> None:
    rng = np.random.default_rng(seed)
    linear = bool(seed % 2)
    assert_whole(delta(np.array(LOW if linear else PLACE) + rng.uniform(-0.05, 0.05, 3), linear=linear))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(300))
def test_every_random_mechanism(seed: int) -> None:
    assert_whole(random_over_constrained(seed))
