"""Tables of contact that grow with the model: many pairs, large solids."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.analysis.contact import runs
from kinegen.codegen.analysis.contact.broad_phase import broad_phase
from kinegen.codegen.analysis.contact.collision_pairs import Pair, Touching, touching
from kinegen.codegen.analysis.contact.placed import Placed
from kinegen.codegen.analysis.contact.rules import ContactRules
from kinegen.codegen.analysis.contact.runs import LISTED, Run, runs_of
from kinegen.codegen.analysis.contact.solids import solids_of
from kinegen.codegen.mechanism import Joint, Link, Mechanism
from kinegen.codegen.pipeline import generate
from kinegen.runtime.errors import InternalError, ModelError
from support.contact.contact_scenes import shapes

BALL = shapes.sphere(0.1)


def heap(count: int) -> Mechanism:
    """Free boxes over a floor."""
    box = shapes.box((0.1, 0.1, 0.1))
    links = [Link(f"b{i}", 1.0, inertia=(0.01, 0, 0, 0.01, 0, 0.01), shapes=[box]) for i in range(count)]
    joints = [Joint(f"j{i}", "free", "world", f"b{i}") for i in range(count)]
    return Mechanism("boxes", links, joints, shapes=[shapes.plane()])


def _pairs_of(run: Run) -> list[tuple[int, int]]:
    others = range(run.later, run.later + run.count)
    return [(other, run.shape) if run.turned else (run.shape, other) for other in others]


def rows_hold(table: Touching) -> int:
    """Every pair stands in the runs of its earlier shape, in the order of the later; gives their number."""
    pairs = runs_of(table)
    found = broad_phase(table, pairs, [0.1] * len(table.shapes))
    assert found
    starts = found.starts
    assert starts[0] == 0 and starts[-1] == len(pairs.runs) and len(starts) == len(table.shapes) + 1
    for shape, (first, last) in enumerate(pairwise(starts)):
        row = [pair for run in pairs.runs[first:last] for pair in _pairs_of(run)]
        start = pairs.runs[first].start if row else 0
        assert row == [(pair.first, pair.second) for pair in table.pairs[start : start + len(row)]]
        later = [max(pair) for pair in row]
        assert all(min(pair) == shape for pair in row)
        assert later == sorted({*later})
    return len(table.pairs)


def test_pairs_of_300_free_bodies() -> None:
    """44850 pairs, more than a short can number."""
    placed = tuple(Placed(BALL, f"b{i}", i) for i in range(300))
    pairs = tuple(Pair(i, k, 0.5, 0.0, 1) for i, k in combinations(range(300), 2))
    assert rows_hold(Touching(placed, pairs)) == 44850 > 2**15


def test_pairs_of_a_mechanism_are_in_that_order() -> None:
    """Kinds mixed, so that the simpler one of a pair, which is its first, is often the later one."""
    rng = np.random.default_rng(0)
    kinds = [BALL, shapes.box((0.1, 0.1, 0.1)), shapes.capsule(0.05, 0.1), shapes.cylinder(0.05, 0.1)]
    links = [
        Link(f"l{i}", 1.0, inertia=(1, 0, 0, 1, 0, 1), shapes=[kinds[rng.integers(4)] for _ in range(1 + i % 3)])
        for i in range(14)
    ]
    joints = [Joint(f"j{i}", "free", "world", f"l{i}") for i in range(14)]
    mechanism = Mechanism("heap", links, joints, shapes=[shapes.plane()])
    table = touching(mechanism, ContactRules(exclude=[("l1", "l2"), ("l3", "l9")]))
    assert any(pair.first > pair.second for pair in table.pairs)
    assert rows_hold(table) > 64


def test_links_of_pairs_are_told_by_runs() -> None:
    boxes = heap(9)
    table = touching(boxes, ContactRules(exclude=[("b1", "b4")]))
    expected = [(table.shapes[pair.first].link, table.shapes[pair.second].link) for pair in table.pairs]
    pairs = generate(boxes, contacts=ContactRules(exclude=[("b1", "b4")])).manifest.touching
    assert len(pairs.runs) < len(pairs) / 2
    assert list(pairs) == [pairs[k] for k in range(len(pairs))] == expected
    assert pairs[-1] == expected[-1] and pairs[3:7] == tuple(expected[3:7])
    assert list(pairs + pairs) == expected + expected
    with pytest.raises(IndexError):
        pairs[len(pairs)]


def test_pairs_move_alike_whether_listed_or_told_by_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many bodies there is no table of pairs; a few that fall together have both forms."""
    boxes = heap(12)
    moved = []
    for listed in (LISTED, 0):
        monkeypatch.setattr(runs, "LISTED", listed)
        model = kg.compile(boxes, cache=tmp_path / str(listed))
        assert ("PAIR[PAIRS] = {" in model.source) == (listed > 0)
        q = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], (12, 1))
        q[:, :3] = [(0.08 * (k % 2), 0.06 * (k % 3), 0.06 + 0.11 * k) for k in range(12)]
        moved.append(kg.Simulator(model, dt=2e-3, q=q.ravel()).run(0.3))
    assert len(moved[0].contacts.records) > 100
    assert np.array_equal(moved[0].q, moved[1].q) and np.array_equal(moved[0].v, moved[1].v)
    assert np.array_equal(moved[0].contacts.records, moved[1].contacts.records)


def test_pairs_in_another_order_are_an_error() -> None:
    placed = tuple(Placed(BALL, f"b{i}", i) for i in range(13))
    pairs = [Pair(i, k, 0.5, 0.0, 1) for i, k in combinations(range(13), 2)]
    with pytest.raises(InternalError, match="not in that order"):
        runs_of(Touching(placed, tuple(reversed(pairs))))


def test_a_solid_too_large_for_the_c_is_refused() -> None:
    angles = np.linspace(0, 2 * np.pi, 130, endpoint=False)
    disc = shapes.convex([(np.cos(a), np.sin(a), z) for a in angles for z in (0.0, 0.1)], most=300)
    link = Link("wheel", 1.0, inertia=(1, 0, 0, 1, 0, 1), shapes=[disc])
    mechanism = Mechanism("disc", [link], [Joint("j", "free", "world", "wheel")], shapes=[shapes.plane()])
    with pytest.raises(ModelError, match=r"link 'wheel': its convex has 132 faces of up to 130 corners; .* `most`"):
        solids_of(touching(mechanism, ContactRules()))
