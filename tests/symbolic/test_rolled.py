"""Trees that are alike are loops: the numbers of the program that is written out, and text that does not grow."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.build.toolchain import find_toolchain
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.codegen.printing.kernels import Context, printed
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.program.tape import Tape
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
    further = ("integrate", "difference", "frame_pose")
    return Model.load(compile_mechanism(pile(odd=True), selection=Selection((*PROGRAMS, *further))))


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


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "mass_matrix"])
def test_text_does_not_grow(name: str) -> None:
    few, many = lines(pile(), name), lines(pile(2 * COUNT, 3 * BALLS), name)
    assert sum(line.startswith("for (int i = ") for line in few) >= 2
    tables = sum(line.startswith(("static const double number_", "    ")) and "= {" in line for line in many)
    assert len(many) < len(few) + 8 * max(tables, 1)


def test_what_is_summed_over_all_is_read_by_a_second_loop() -> None:
    found = [line for line in lines(pile(), "centroidal_momentum_matrix") if line.startswith("for (int i = 0; i < ")]
    assert len(found) > 2


def test_a_reciprocal_may_be_of_a_value_whose_sign_differs(tmp_path: Path) -> None:
    """1/(q - 2) of some, 1/(q + 2) of others: of q - 2 the negative has the name, the sign is a number of each copy."""
    links = [kg.Link(f"bob{i}", 1.0, (0.0, 0.0, -1.0)) for i in range(COUNT)]
    joints = [kg.Joint(f"pin{i}", "revolute", "world", f"bob{i}", axis=(0.0, 1.0, 0.0)) for i in range(COUNT)]
    tape, q = Tape("f"), np.linspace(0.1, 0.9, COUNT)
    own = [2.0 if i % 3 else -2.0 for i in range(COUNT)]
    values = [entry + number for entry, number in zip(tape.input("q", sympy.symbols(f"q:{COUNT}")), own, strict=True)]
    tape.output("y", (COUNT,), [tape.reciprocal(value, f"iD_bob{i}") for i, value in enumerate(values)])
    piece = printed(Context(kg.Mechanism("bobs", links, joints), "m", lambda kernel: None), "f", tape.function())
    assert piece.body.rolled
    body = "\n".join(line for _, block in piece.body.blocks for line in block)
    (tmp_path / "f.c").write_text(f"void f(const double *q, double *y)\n{{\n{body}\n}}\n")
    command = [*find_toolchain().command, "-std=c99", "-shared", "-fPIC", "-o", "f.so", "f.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    y = (ctypes.c_double * COUNT)()
    ctypes.CDLL(str(tmp_path / "f.so")).f((ctypes.c_double * COUNT)(*q), y)
    np.testing.assert_allclose(y[:], 1.0 / (q + own), rtol=1e-14)


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


def test_links_of_copies_are_where_those_of_the_tree_are() -> None:
    compiled, mechanism = model(), pile(odd=True)
    q = random_state(mechanism, np.random.default_rng(2))[0]
    for body, pose in zip(mechanism.tree.bodies, compiled.link_poses(q), strict=True):
        assert error(np.asarray(compiled.frame_pose(q, body.link.name)), np.asarray(pose)) < 1e-13


def test_coordinates_of_copies_move() -> None:
    compiled, mechanism = model(), pile(odd=True)
    q, v, *_ = random_state(mechanism, np.random.default_rng(3))
    assert error(np.asarray(compiled.difference(q, compiled.integrate(q, 0.1 * v))), 0.1 * v) < 1e-12


def balls(count: int) -> kg.Mechanism:
    links = [kg.Link(f"ball{i}", 0.5, inertia=0.01 * np.eye(3)) for i in range(count)]
    return kg.Mechanism("balls", links, [kg.Joint(f"throw{i}", "free", "world", f"ball{i}") for i in range(count)])


@pytest.mark.parametrize("file", ["motion", "kinematics", "dynamics"])
def test_files_do_not_grow(file: str) -> None:
    """Motion joint by joint, steps from link to link, numbers of M: one statement for all balls."""
    few, many = (kg.generate(balls(count)).files[f"balls_{file}.c"].count(";\n") for count in (COUNT, COUNT + 2))
    assert many <= few
