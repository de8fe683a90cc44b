"""Trees that are alike are loops: the numbers of the program that is written out, and text that does not grow."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.codegen.printing.kernels import Context, printed
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from kinegen.codegen.symbolic.limbs import copies_of
from kinegen.runtime.model.model import Model
from support.contact.piles import BALLS, COUNT, pile
from support.oracles.mechanisms import random_state
from support.oracles.numeric import error

PROGRAMS = {
    "inverse_dynamics": "inverse_dynamics",
    "bias": "bias",
    "gravity": "gravity",
    "forward_dynamics": "forward_dynamics_ltdl",
    "mass_matrix": "mass_matrix_composite",
    "link_poses": "link_poses",
    "com": "com",
    "com_jacobian": "com_jacobian",
    "energy": "energy",
    "momentum": "momentum",
    "centroidal_momentum_matrix": "centroidal_momentum_matrix",
    "cog_bias": "cog_bias",
}
"""Kernels, and the programs that they are printed from."""


def lines(mechanism: Mechanism, name: str) -> list[str]:
    piece = printed(Context(mechanism, "m", lambda kernel: None), name, derive(mechanism, PROGRAMS[name]))
    return [line for _, block in piece.body.blocks for line in block]


@cache
def model() -> Model:
    """The arm, boxes whose numbers differ, one of which has a zero, and balls."""
    return Model.load(compile_mechanism(pile(odd=True), selection=Selection((*PROGRAMS, "integrate"))))


def test_families_are_trees_of_the_same_joints() -> None:
    assert copies_of(pile().tree).widths == (COUNT, BALLS)
    assert copies_of(pile(COUNT - 1).tree).widths == (BALLS,)
    assert copies_of(kg.human_figure().tree).widths == ()


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_are_those_of_the_program(name: str) -> None:
    compiled, mechanism = model(), pile(odd=True)
    program, rng = numeric(derive(mechanism, PROGRAMS[name])), np.random.default_rng(1)
    for _ in range(2):
        given = dict(zip(("q", "v", "a", "tau"), random_state(mechanism, rng), strict=True))
        spec = compiled.manifest.kernel(name)
        found = getattr(compiled, name)(*(given[array.name] for array in spec.inputs))
        (expected,) = program(given).values()
        assert error(np.asarray(found).reshape(-1), expected.reshape(-1)) < 1e-13


@pytest.mark.parametrize("name", ["inverse_dynamics", "bias", "forward_dynamics", "link_poses"])
def test_text_does_not_grow(name: str) -> None:
    few, many = lines(pile(), name), lines(pile(2 * COUNT, 3 * BALLS), name)
    assert sum(line.startswith("for (int i = 0; i < ") for line in few) == 2
    tables = sum(line.startswith(("static const double number_", "    ")) and "= {" in line for line in many)
    assert len(many) < len(few) + 8 * max(tables, 1)


def test_what_is_summed_over_all_is_read_by_a_second_loop() -> None:
    found = [line for line in lines(pile(), "centroidal_momentum_matrix") if line.startswith("for (int i = 0; i < ")]
    assert len(found) > 2


def test_links_may_be_called_as_values_of_others_are() -> None:
    """What is kept of all copies of one link is no name that a value of another one has."""
    renamed = {f"box{i}": f"box{i}" for i in range(COUNT)} | {f"lid{i}": f"box{i}_of" for i in range(COUNT)}
    mechanism = pile()
    links = [replace(link, name=renamed.get(link.name, link.name)) for link in mechanism.links]
    joints = [
        replace(j, parent=renamed.get(j.parent, j.parent), child=renamed.get(j.child, j.child))
        for j in mechanism.joints
    ]
    text = lines(replace(mechanism, links=links, joints=joints), "momentum")
    kept = {line.partition("[")[0].rpartition(" ")[2] for line in text if line.startswith("double ")}
    stated = {line.partition(" = ")[0].rpartition(" ")[2] for line in text if line.strip().startswith("const double ")}
    assert kept and kept.isdisjoint(stated)
