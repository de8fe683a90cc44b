"""Trees drawn by number: every route of every quantity; thousands, and larger ones: tests/random_mechanisms.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.drawn import random_trees
from support.drawn.random_trees import agreeing, drawn_tree, tree_verdict

BATCHES = 10
ENOUGH = 2
"""The rest of them in the sweep."""


def state(number: int) -> np.random.Generator:
    return np.random.default_rng([1, number])


@pytest.mark.parametrize(
    "batch", [b if b < ENOUGH else pytest.param(b, marks=pytest.mark.sweep) for b in range(BATCHES)]
)
def test_all_routes_agree(batch: int) -> None:
    for number in range(10 * batch, 10 * batch + 10):
        _, tree = drawn_tree(1, number if number != 99 else 100, most=3)
        verdict = agreeing(tree, state(number), None)
        assert verdict.outcome in ("agreed", "refused"), (number, verdict)


def test_compiled_kernels_agree(tmp_path: Path) -> None:
    _, tree = drawn_tree(1, 5, most=3)
    assert agreeing(tree, state(5), tmp_path).outcome == "agreed"


@pytest.mark.sweep
@pytest.mark.parametrize("number", [9, 99])
def test_larger_ones_compiled(number: int, tmp_path: Path) -> None:
    assert tree_verdict(1, number, tmp_path)[1].outcome == "agreed"


def test_a_wrong_route_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference of a tree with one link heavier: every dynamic route is off, and nothing else."""
    _, tree = drawn_tree(1, 5, most=3)
    heavier = tuple(replace(link, mass=1.0001 * link.mass) for link in tree.links)
    exact = random_trees._expected

    def expected(reference: random_trees.Reference, *given: random_trees.Array) -> dict[str, random_trees.Array]:
        return exact(replace(reference, mechanism=replace(tree, links=heavier)), *given)

    monkeypatch.setattr(random_trees, "_expected", expected)
    verdict = agreeing(tree, state(5), None)
    assert verdict.outcome == "silent"
    off = {text.split(" off by")[0] for text in verdict.what}
    assert {"mass_matrix_cog", "mass_matrix_composite", "inverse_dynamics", "forward_dynamics_ltdl", "energy"} <= off
    assert off.isdisjoint({"com", "cog_jacobian", "cog_bias"})
