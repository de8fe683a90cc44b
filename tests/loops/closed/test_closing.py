"""Straight-line code of a fixed partition beside dense algebra: what closes the loops, and dampers on the diagonal."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.analysis import routes
from kinegen.codegen.analysis.loops.closure import closure_of, scales_of
from kinegen.codegen.analysis.loops.partition import choose_reference
from kinegen.codegen.analysis.plan import plan
from kinegen.codegen.analysis.routes import Closing, closed_route, closing_of, packed_closing
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from kinegen.codegen.symbolic.loops.closed import Partition
from kinegen.codegen.symbolic.loops.closed_functions import ROUTES, derive_closed, derive_closing
from kinegen.codegen.symbolic.loops.seen import derive_seen
from support.mechanisms.closed_mechanisms import five_bar, four_bar
from support.mechanisms.linkages import leaning, parallelograms
from support.mechanisms.over_constrained import Placed, delta, hoberman, random_over_constrained, scissor

MECHANISMS: dict[str, Callable[[], Placed]] = {
    "scissor": lambda: scissor(2, 0.9, 0.6),
    "ring": lambda: hoberman(6, 0.25, 0.35, "revolute"),
    "delta": lambda: delta((0.02, 0.03, -0.2), linear=True),
    **{f"random {seed}": (lambda seed=seed: random_over_constrained(seed)) for seed in range(3)},  # type: ignore[misc]
}


def closing_at(mechanism: kg.Mechanism, partition: Partition) -> Closing:
    scales = scales_of(mechanism)
    route = closed_route(mechanism, partition, False, scales)
    found = closing_of(mechanism, partition, closure_of(mechanism), route, False, scales)
    assert found is not None
    return found


@cache
def chosen(name: str) -> tuple[Placed, Partition, tuple[float, ...]]:
    one = MECHANISMS[name]()
    reference = choose_reference(one.mechanism, (), one.start())
    return one, reference.partition, tuple(reference.start)


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_closes_the_loops(name: str) -> None:
    """Gap, Newton's displacement and H against K and the gap of the plain kernels, on the closure and beside it."""
    one, partition, start = chosen(name)
    mechanism, rng = one.mechanism, np.random.default_rng(1)
    closing = numeric(derive_closing(mechanism, partition, scales_of(mechanism)))
    rows, gap = numeric(derive(mechanism, "closure_rows")), numeric(derive(mechanism, "closure_residual"))
    m, nf = len(partition.dependent), len(partition.independent)
    for size in (0.0, 1e-4, 1e-3):
        given = {"q": (np.array(start) + size * rng.normal(size=len(start))).tolist(), "p": []}
        found = {key: np.array(value) for key, value in closing(given).items()}
        K = np.array(rows(given)["K"]).reshape(-1, mechanism.tree.nv)
        off = np.array(gap(given)["gap"])
        K_S, K_G = (K[np.ix_(partition.rows, columns)] for columns in (partition.dependent, partition.independent))
        np.testing.assert_allclose(found["gap"], off, atol=1e-14)
        np.testing.assert_allclose(found["x"], -np.linalg.solve(K_S, off[list(partition.rows)]), atol=1e-10)
        np.testing.assert_allclose(found["H"].reshape(m, nf), -np.linalg.solve(K_S, K_G), atol=1e-9)
        assert 1e-3 < found["quality"][0] <= 1.0
        assert found["quality"][1] < (1e-9 if size == 0.0 else 0.1)


def test_rows_that_are_left_out_are_seen_on_another_branch() -> None:
    """Code made for a folded scissor knows that the rows that it leaves out hold on the open branch."""
    one = scissor(1, 0.9, 0.6)
    mechanism = one.mechanism
    reference = choose_reference(mechanism, (), {"act": (0.0,), "base": (0.3,)})
    run = numeric(derive_closing(mechanism, reference.partition, scales_of(mechanism)))
    assert run({"q": list(reference.start), "p": []})["quality"][1] < 1e-9
    assert run({"q": one.q().tolist(), "p": []})["quality"][1] > 0.01


def test_entries_of_H_that_can_differ_from_zero() -> None:
    """In a chain of loops each velocity depends on its own loop's alone: those entries are given, all others are 0."""
    mechanism = parallelograms(4)
    partition = choose_reference(mechanism).partition
    full = closing_at(mechanism, partition)
    packed = packed_closing(full, None)
    given = {"q": leaning(mechanism, [0.3, -0.2, 0.4, 0.1]).tolist(), "p": []}
    H = np.array(numeric(full.function)(given)["H"]).ravel()
    entries = numeric(packed.function)(given)["H"]
    rebuilt = np.zeros(len(H))
    rebuilt[list(packed.places)] = entries
    np.testing.assert_array_equal(rebuilt, H)
    assert 0 < np.count_nonzero(H) <= len(packed.places) < len(H) / 2
    m, nf = len(partition.dependent), len(partition.independent)
    for k in range(m):
        mine = slice(packed.firsts[k], packed.firsts[k + 1])
        assert {place // nf for place in packed.places[mine]} <= {k}
        assert [partition.independent[place % nf] for place in packed.places[mine]] == list(packed.leads[mine])
    assert packed.firsts[m] == len(packed.places)


def test_an_H_without_zeros_is_given_whole() -> None:
    one, partition, _ = chosen("delta")
    full = closing_at(one.mechanism, partition)
    assert packed_closing(full, None) is full


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_forward_dynamics_goes_on_from_what_a_look_has_seen(name: str, route: str) -> None:
    """Both parts of a program beside the programs that stand alone; what limbs have seen stands side by side."""
    one, partition, start = chosen(name)
    mechanism, rng = one.mechanism, np.random.default_rng(3)
    nv, scales = mechanism.tree.nv, scales_of(mechanism)
    look, after = derive_seen(mechanism, partition, route, (scales, scales), added=range(nv))
    assert after.operations.total < derive_closed(mechanism, partition, route, scales).operations.total
    v, tau, d = rng.normal(size=(3, nv))
    given = {"q": list(start), "p": [], "v": v.tolist(), "tau": tau.tolist(), "d": np.abs(d).tolist()}
    seen = numeric(look)({"q": list(start), "p": []})
    found = numeric(after)({**given, "seen": seen.pop("seen").tolist()})
    for function, part in (
        (derive_closing(mechanism, partition, scales), seen),
        (derive_closed(mechanism, partition, route, scales, added=range(nv)), found),
    ):
        for key, value in numeric(function)(given).items():
            np.testing.assert_allclose(part[key], value, rtol=1e-9, atol=1e-9 * (1.0 + np.abs(value).max()))


@pytest.mark.parametrize("route", ROUTES)
def test_dampers_on_the_diagonal(route: str) -> None:
    """(M + diag d) a + h + K'λ = tau, K a + K̇v = 0 by dense algebra, with d at some velocities."""
    one, partition, start = chosen("delta")
    mechanism, rng = one.mechanism, np.random.default_rng(2)
    nv, scales = mechanism.tree.nv, scales_of(mechanism)
    damped = tuple(range(0, nv, 3))
    run = numeric(derive_closed(mechanism, partition, route, scales, added=damped))
    d = np.where(np.isin(np.arange(nv), damped), rng.uniform(0.1, 2.0, nv), 0.0)
    given = {"q": list(start), "p": [], "tau": rng.normal(size=nv).tolist(), "d": d.tolist()}
    K = np.array(numeric(derive(mechanism, "closure_rows"))(given)["K"]).reshape(-1, nv)
    K_S, K_G = (K[np.ix_(partition.rows, columns)] for columns in (partition.dependent, partition.independent))
    W = np.zeros((nv, len(partition.independent)))
    W[list(partition.dependent)] = -np.linalg.solve(K_S, K_G)
    W[list(partition.independent), range(W.shape[1])] = 1.0
    given["v"] = (W @ rng.normal(size=W.shape[1])).tolist()
    found = run(given)
    M = np.array(numeric(derive(mechanism, "mass_matrix_composite"))(given)["M"]).reshape(nv, nv) + np.diag(d)
    h = np.array(numeric(derive(mechanism, "bias"))(given)["h"])
    turning = np.array(numeric(derive(mechanism, "closure_rows_bias"))(given)["dKv"])
    a = np.array(found["a"])
    size = np.abs(a).max()
    assert found["quality"][0] > 1e-3
    assert np.abs(K @ a + turning).max() < 1e-9 * size
    assert np.abs(W.T @ (M @ a + h - np.array(given["tau"]))).max() < 1e-9 * np.abs(M @ a).max()


def test_the_diagonal_is_taken_as_a_servo_may_act_on_any_joint() -> None:
    """The straight-line code of hinges and of balls takes d, whether they are damped or not."""
    links = [kg.Link(name, 1.0, com, (0.1, 0, 0, 0.1, 0, 0.1)) for name, com in (("a", (0, 0, -1)), ("b", (1, 0, 0)))]
    above = kg.Joint("above", "spherical", "world", "a")
    between = kg.Joint("between", "spherical", "a", "b", kg.Pose((0, 0, -1)))
    end = kg.Joint("end", "spherical", "world", "b", kg.Pose((1, 0, -1)), kg.Pose((1, 0, 0)))
    for mechanism in (five_bar(), kg.Mechanism("hung", links, [above, between, end])):
        made = plan(mechanism)
        assert made.straight.closed is not None and made.straight.closed.function is not None
        assert "d" in [array.name for array in made.straight.closed.function.inputs]


def test_steps_go_by_the_plain_code_where_going_on_from_a_look_saves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = []
    for saving in (routes.SAVING, 0.0):
        monkeypatch.setattr(routes, "SAVING", saving)
        model = kg.compile(four_bar(1.0, 2.0, 2.5, 3.0), cache=tmp_path / str(saving), progress=False)
        assert any("forward_dynamics_seen(" in text for text in model.sources.values()) == (saving > 0.0)
        sim = kg.Simulator(model, dt=1e-3, tau=np.linspace(-0.2, 0.3, model.nv))
        sim.step(200)
        ends.append(np.concatenate([sim.q, sim.v]))
    assert np.abs(ends[0] - ends[1]).max() < 1e-10 < np.abs(ends[0]).max()
