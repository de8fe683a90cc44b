"""Trees drawn by number: every route of every quantity; thousands, and larger ones: tests/random_mechanisms.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinegen.codegen.mechanism import Joint, Link, Mechanism
from kinegen.codegen.symbolic.symbols import symbols_of
from support.drawn import random_trees
from support.drawn.random_trees import agreeing, drawn_tree, tree_verdict
from support.drawn.verdict import Verdict

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


def test_joints_whose_names_run_into_entries_of_others() -> None:
    """Pairs that would have q_leg_1, v_hip_x, lambda_cut_x and the like twice."""
    kinds = {"leg": "universal", "leg_1": "revolute", "leg 2": "prismatic", "hip_x": "revolute", "hip": "planar"}
    kinds |= {"arm": "spherical", "arm_qx": "revolute", "arm_wx": "revolute", "base": "free", "base_wy": "prismatic"}
    links = [Link(f"l{i}", 1.0, (0.1, 0.02 * i, 0.0), np.diag([0.02, 0.03, 0.04])) for i in range(len(kinds))]
    above = ["world", "l0", "world", "l2", "world", "world", "l5", "world", "world", "l8"]
    joints = [Joint(name, kind, above[i], f"l{i}") for i, (name, kind) in enumerate(kinds.items())]
    tree = Mechanism("names", links, joints)
    assert agreeing(tree, state(0), None) == Verdict("agreed")
    cuts = {"leg_2": "universal", "cut": "gimbal", "cut_1": "universal"}
    loops = [Joint(name, kind, "world", f"l{i}", cut=True) for i, (name, kind) in enumerate(cuts.items(), 1)]
    found = symbols_of(replace(tree, joints=(*joints, *loops)))
    for families in (("q",), ("v", "v_cut"), ("a",), ("tau",), ("extra", "extra_cut"), ("multipliers",)):
        names = [symbol.name for family in families for symbol in getattr(found, family)]
        assert len({*names}) == len(names) > 5
    assert [symbol.name for symbol in found.q[:4]] == ["q_leg_1", "q_leg_2", "q_leg_1_2", "q_leg_2_2"]


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
