"""Forward dynamics along clusters of loops beside that by A = W'MW, and what it costs in a row of loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.analysis.loops.closure import joints_of_loops, scales_of
from kinegen.codegen.analysis.loops.partition import column_weights, eliminate
from kinegen.codegen.analysis.sparsity import blocks, damped_step, decomposed
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.program.types import Function
from kinegen.codegen.symbolic.functions import derive
from kinegen.codegen.symbolic.loops.closed import Partition
from kinegen.codegen.symbolic.loops.closed_functions import derive_closed
from support.mechanisms.closed_mechanisms import random_closed
from support.mechanisms.linkages import leaning, parallelograms

Array = np.ndarray


def tailed() -> kg.Mechanism:
    """Two parallelograms on a floating slab, with links of no loop above, beside and in front of them, and a loop in
    which nothing moves."""
    one = parallelograms(2, "free")
    heavy = {"mass": 0.7, "com": (0.1, 0.02, 0.1), "inertia": kg.inertia.box(0.7, (0.1, 0.2, 0.3))}
    links = [kg.Link(name, **heavy) for name in ("hand", "finger", "flag", "hook", "badge")]
    at = kg.Pose((0.05, 0.1, 0.1), rpy=(0.3, -0.2, 0.5))
    joints = [
        kg.Joint("wrist", "universal", "coupler1", "hand", at),
        kg.Joint("slide", "prismatic", "hand", "finger", at, axis=(1, 0, 0), armature=0.2),
        kg.Joint("mast", "spherical", "follower0", "flag", at),
        kg.Joint("hang", "revolute", "slab", "hook", at, axis=(0, 1, 0)),
        kg.Joint("weld", "fixed", "finger", "badge", at),
        kg.Joint("seam", "spherical", "finger", "badge", at),
    ]
    return replace(one, links=(*one.links, *links), joints=(*one.joints, *joints))


def partition_at(mechanism: kg.Mechanism, q: Array) -> Partition:
    K = numeric(derive(mechanism, "closure_rows"))({"q": q.tolist(), "p": []})["K"]
    return eliminate(K, column_weights(mechanism))[2]


def drawn(name: str) -> tuple[kg.Mechanism, Array]:
    if name == "tailed":
        mechanism = tailed()
        q = leaning(mechanism, (0.3, -0.2))
        return mechanism, q
    found = random_closed(int(name), ("spherical", "universal"), bodies=9)
    return found.mechanism, found.q


@pytest.mark.parametrize("name", ["tailed", "3", "14", "23"])
def test_as_by_independent_coordinates(name: str) -> None:
    mechanism, q = drawn(name)
    assert joints_of_loops(mechanism) > 1 and all(body.joint.mimic is None for body in mechanism.tree.bodies)
    partition, rng, nv = partition_at(mechanism, q), np.random.default_rng(4), mechanism.tree.nv
    damped = tuple(range(0, nv, 2))
    given = {key: rng.normal(size=nv).tolist() for key in ("v", "tau")} | {"q": q.tolist(), "p": []}
    given["d"] = rng.uniform(0.1, 1.0, nv).tolist()
    found = {
        route: numeric(derive_closed(mechanism, partition, route, scales_of(mechanism), added=damped))(given)
        for route in ("independent", "clusters")
    }
    dense, along = found["independent"], found["clusters"]
    np.testing.assert_allclose(along["a"], dense["a"], atol=1e-9 * np.abs(dense["a"]).max())
    assert abs(along["quality"][0] / dense["quality"][0] - 1.0) < 1e-6


def operations(n: int) -> int:
    mechanism = parallelograms(n)
    partition = partition_at(mechanism, leaning(mechanism, np.full(n, 0.3)))
    function: Function = derive_closed(mechanism, partition, "clusters", scales_of(mechanism))
    return function.operations.total


def test_a_loop_more_costs_as_much_in_any_row() -> None:
    counts = [operations(n) for n in (4, 6, 8, 10)]
    assert np.abs(np.diff(counts, 2)).max() < 0.01 * counts[0]  # columns of equal pivots are chosen either way


def test_matrices_by_blocks_are_those_of_the_whole() -> None:
    rng = np.random.default_rng(0)
    K = np.zeros((12, 14))
    K[:4, :3], K[4:6, 5:9], K[7:9, 9:11], K[11, [0, 13]] = 1.0, rng.normal(size=(2, 4)), np.eye(2), (2.0, 1.0)
    K = K[rng.permutation(12)][:, rng.permutation(14)]
    parts = blocks(K)
    assert sorted((len(rows), len(columns)) for rows, columns in parts) == [(1, 1), (1, 1), (2, 4), (5, 4)]
    left, sizes, directions = decomposed(K)
    np.testing.assert_allclose(sizes, np.linalg.svd(K)[1], atol=1e-14)
    np.testing.assert_allclose(left * sizes @ directions[:12], K, atol=1e-14)
    np.testing.assert_allclose(directions @ directions.T, np.eye(14), atol=1e-14)
    gap = rng.normal(size=12)
    whole = np.linalg.solve(K.T @ K + 1e-2 * np.eye(14), -K.T @ gap)
    np.testing.assert_allclose(damped_step(K, gap, 1e-2), whole, atol=1e-11)


def test_steps_keep_to_the_straight_line_code_in_a_row_of_loops() -> None:
    """Equal loops have equal pivots, and several columns serve as well as another: a motion goes by those that the code
    is made for, and keeps the loops closed and its energy."""
    mechanism = parallelograms(3)
    model = kg.compile(mechanism)
    assert model.manifest.kernel("forward_dynamics").reason.startswith("clusters")
    simulator = kg.Simulator(model, dt=1e-3, integrator="rk4", q=leaning(mechanism, (0.3, -0.2, 0.4)))
    before = model.energy(simulator.q, simulator.v).sum()
    simulator.step(200)
    np.testing.assert_allclose(
        simulator.q, leaning(mechanism, [simulator.q[model.q_slice(f"shoulder{k}")][0] for k in range(3)]), atol=1e-10
    )
    assert abs(model.energy(simulator.q, simulator.v).sum() - before) < 1e-7
    partition = simulator._motion.stepper._simulation.memory.partition
    leading = {partition.columns[k] for k in range(partition.rank, model.nv)}
    assert leading == set(model.manifest.independent)
