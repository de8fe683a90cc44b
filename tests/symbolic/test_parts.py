"""Long functions in parts: every value computed once, after what it reads, and held where a later part reads it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinegen.codegen.printing.text.dialects import C_LANES
from kinegen.codegen.printing.text.parts import part_lines
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.program.operations import kind_of
from kinegen.codegen.program.parts import Parts, parts_of
from kinegen.codegen.program.types import Function, Input, Output
from kinegen.codegen.symbolic.functions import derive
from support.oracles.mechanisms import random_mechanism

KERNELS = ["inverse_dynamics", "forward_dynamics_articulated", "mass_matrix_composite"]


def made(kernel: str, seed: int = 5, length: int = 150) -> tuple[Function, Parts]:
    function = derive(random_mechanism(seed, bodies=9, root="free"), kernel)
    parts = parts_of(function, length)
    assert parts is not None and len(parts.assignments) > 2
    return function, parts


@pytest.mark.parametrize("kernel", KERNELS)
def test_each_value_is_computed_once_behind_what_it_reads(kernel: str) -> None:
    function, parts = made(kernel)
    in_order = [line for lines in parts.assignments for line in lines]
    assert sorted(in_order, key=function.assignments.index) == [*function.assignments]
    known = {symbol for given in function.inputs for symbol in given.symbols}
    known |= {symbol for angle in function.angles for symbol in (angle.sin, angle.cos)}
    for line in in_order:
        assert line.read <= known
        known.add(line.symbol)


@pytest.mark.parametrize("kernel", KERNELS)
def test_held_is_what_later_parts_read_and_nothing_else(kernel: str) -> None:
    function, parts = made(kernel)
    own = [{line.symbol for line in lines} for lines in parts.assignments]
    read = [set().union(*(line.read for line in lines)) for lines in parts.assignments]
    wanted = set().union(*(own[i] & read[k] for k in range(len(own)) for i in range(k)))
    assert set(parts.held) == wanted
    assert sorted(parts.held.values()) == list(range(len(wanted)))
    assert len(wanted) < len(function.assignments) / 2


def test_a_product_that_one_sum_reads_stands_with_it() -> None:
    function, parts = made("forward_dynamics_articulated")
    part = {line.symbol: k for k, lines in enumerate(parts.assignments) for line in lines}
    readers = {symbol: [line for line in function.assignments if symbol in line.read] for symbol in part}
    entries = {entry for output in function.outputs for entry in output.entries}
    moved = 0
    for line in function.assignments:
        first, *others = readers[line.symbol] or [line]
        is_term = kind_of(first.expr) == "sum" and any(line.symbol in (x, -x) for x in first.expr.args)
        if kind_of(line.expr) == "product" and is_term and not others and line.symbol not in entries:
            assert part[line.symbol] == part[first.symbol]
            moved += 1
    assert moved > 10


@pytest.mark.parametrize("kernel", KERNELS)
def test_parts_one_after_the_other_give_the_values_of_the_whole(kernel: str) -> None:
    """Each part as a function of its own, of inputs, sines, cosines and what stands in other parts."""
    function, parts = made(kernel)
    rng = np.random.default_rng(1)
    arrays = {given.name: rng.normal(size=len(given.symbols)).tolist() for given in function.inputs}
    known = {s: x for given in function.inputs for s, x in zip(given.symbols, arrays[given.name], strict=True)}
    for angle in function.angles:
        turn = float(angle.argument.subs(known))
        known |= {angle.sin: np.sin(turn), angle.cos: np.cos(turn)}
    for lines in parts.assignments:
        found = tuple(line.symbol for line in lines)
        own = Function("part", (Input("x", tuple(known)),), (), lines, (Output("y", (len(found),), found),))
        known |= dict(zip(found, numeric(own)({"x": [*known.values()]})["y"], strict=True))
    whole = numeric(replace(function, outputs=(Output("y", (len(known),), tuple(known)),)))(arrays)["y"]
    assert np.allclose([*known.values()], whole, rtol=1e-12, atol=1e-12)


def test_short_functions_are_one_part_and_long_ones_name_every_argument_that_they_do_not_use() -> None:
    function, parts = made("forward_dynamics_articulated")
    assert parts_of(function, len(function.assignments)) is None
    bodies = [*part_lines(function, parts, C_LANES)]
    for body in bodies:
        text = "\n".join(line for _, lines in body.blocks for line in lines)
        for array in ("q", "v", "tau", "a", "held"):
            assert (f"{array}[" in text) != (array in body.unused)
    stored = [line for body in bodies for _, lines in body.blocks for line in lines if line.startswith("a[")]
    assert len(stored) == len(function.outputs[0].entries)
