"""Loops of micrometres and of kilometres are closed, told and refused as loops of a metre are."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg
from kinegen import FitWarning, Mechanism, ModelError, Pose
from kinegen.codegen.analysis.loops.fit import fitted
from kinegen.codegen.analysis.loops.lengths import CLOSED, is_closed
from kinegen.codegen.analysis.loops.partition import choose_reference
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from support.mechanisms.closed_mechanisms import four_bar, slider_crank
from support.mechanisms.closed_models import model


def sized(mechanism: Mechanism, size: float) -> Mechanism:
    """The same with all lengths, and gravity, times `size`."""

    def longer(xyz: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(size * x for x in xyz)

    def moved(pose: Pose) -> Pose:
        return replace(pose, xyz=longer(pose.xyz))

    links = [
        replace(link, com=longer(link.com), inertia=[longer(longer(row)) for row in link.inertia])
        for link in mechanism.links
    ]
    joints = [replace(j, origin=moved(j.origin), child_origin=moved(j.child_origin)) for j in mechanism.joints]
    return replace(mechanism, links=links, joints=joints, gravity=longer(mechanism.gravity))


@pytest.mark.parametrize("size", [2.0**-30, 2.0**-20, 2.0**17])
def test_loops_of_any_size_are_found_in_the_same_pose(size: float) -> None:
    """To the last bit, for powers of two; slides times the size."""
    for mechanism in (four_bar(0.3, 0.9, 0.7, 0.8), slider_crank()):
        slides = [size if body.joint.kind == "prismatic" else 1.0 for body in mechanism.tree.bodies]
        expected, found = choose_reference(mechanism), fitted(sized(mechanism, size), 2e-5)
        assert found.reference and found.misfit == 0.0
        assert found.reference.q == tuple(x * y for x, y in zip(expected.q, slides, strict=True))
        assert found.reference.partition == expected.partition


@pytest.mark.parametrize("size", [2.3e3, 5e3, 1e4, 3e4])
def test_loops_of_kilometres_close_to_rounding(size: float) -> None:
    mechanism = sized(four_bar(0.3, 0.9, 0.7, 0.8), size)
    gap = numeric(derive(mechanism, "closure_residual"))({"q": choose_reference(mechanism).q})["gap"]
    assert np.abs(gap).max() < 1e-13 * size


def test_what_is_open_by_a_part_of_its_size_is_no_rounding() -> None:
    """Though `fit` is 66 times as much: a rocker whose plane is beside that of the crank, of a loop of nine µm."""
    size, flat = 1e-5, sized(four_bar(0.3, 0.9, 0.7, 0.8), 1e-5)

    def aside(part: float) -> Mechanism:
        base = replace(flat.joint("base"), origin=Pose((0.8 * size, 0, part * size)))
        return replace(flat, joints=[base if joint.name == "base" else joint for joint in flat.joints])

    assert fitted(aside(0.003), 2e-5).misfit == pytest.approx(0.003 * size)
    with pytest.raises(ModelError, match=r"'tip' cannot be closed: its ends stay 3e-07 "):
        fitted(aside(0.03), 2e-5)


def test_a_tiny_machine_moves_as_a_large_one() -> None:
    large, size = model("four-bar"), 2.0**-20
    with warnings.catch_warnings():
        warnings.simplefilter("error", FitWarning)
        tiny = kg.compile(sized(four_bar(1.0, 2.0, 2.5, 3.0), size))
    q = large.assemble(large.q0 + 0.3, hold=["pivot"])
    np.testing.assert_array_equal(tiny.q0, large.q0)
    np.testing.assert_array_equal(tiny.assemble(large.q0 + 0.3, hold=["pivot"]), q)
    runs = [kg.Simulator(m, q=q).run(0.2) for m in (tiny, large)]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    with pytest.raises(ModelError, match=r"cannot be closed from here with pivot, knee held: a gap of .*e-07 m or rad"):
        tiny.assemble(np.full(3, np.pi), hold=["pivot", "knee"])


def test_a_loop_is_open_by_the_worst_of_its_gaps() -> None:
    """One bound for all or one for each; up to the bound it is closed; what is no number is no closed loop."""
    gap = np.array([0.0, CLOSED, -CLOSED])
    assert is_closed(gap) and not is_closed(gap, CLOSED / 2)
    assert is_closed(gap, np.array([0.0, 1.0, 1.0])) and not is_closed(gap, np.array([1.0, 1.0, 0.0]))
    assert not is_closed(np.array([0.0, np.nan]))
