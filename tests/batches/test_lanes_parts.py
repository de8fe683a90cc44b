"""Kernels by lanes in parts, each of which runs over several blocks; no array is filled beyond its end."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.lanes import files
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.program.parts import parts_of
from support.c.lanes_library import lanes_library
from support.oracles.mechanisms import random_state

GENERATED = Path(__file__).parents[2] / "generated"
KERNELS = ("inverse_dynamics", "bias", "mass_matrix", "forward_dynamics", "mass_matrix_packed")


def two_arms() -> kg.Mechanism:
    """Arms of three hinges, mirrored, on a trunk that floats."""
    links = [kg.Link("trunk", 5.0, (0.0, 0.0, 0.1), kg.inertia.box(5.0, (0.3, 0.4, 0.5)))]
    joints = [kg.Joint("flight", "free", "world", "trunk")]
    for name, side in (("left", 1.0), ("right", -1.0)):
        above = "trunk"
        for i, axis in enumerate([(0, 1, 0), (1, 0, 0), (0, 0.6, 0.8 * side)]):
            link = f"{name}_{i}"
            com, origin = (0.05, 0.1 * side, -0.1), kg.Pose((0.1, 0.2 * side, -0.2))
            links.append(kg.Link(link, 1.0 + i, com, kg.inertia.box(1.0 + i, (0.1, 0.2, 0.3))))
            joints.append(kg.Joint(f"{link}_joint", "revolute", above, link, origin=origin, axis=axis))
            above = link
    return kg.Mechanism("two_arms", links, joints)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_blocks_that_parts_run_over_are_those_of_each_state(
    dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every number of blocks, the last one not full, and with zeros in place of an argument (bias)."""
    monkeypatch.setattr(files, "parts_of", partial(parts_of, length=60))
    mechanism = two_arms()
    made = generate(mechanism, selection=Selection(KERNELS, lanes=True, dtype=dtype))
    text = "".join(made.files[name] for name in made.files if "_lanes_" in name)
    assert all(f"{kernel}_wide_2(" in text for kernel in KERNELS if kernel != "bias")
    own, rng = lanes_library(made, tmp_path, ("gcc",), ("-fPIC", "-march=native")), np.random.default_rng(0)
    rows = [random_state(mechanism, rng) for _ in range(150)]
    given = {key: np.array([row[k] for row in rows], dtype) for k, key in enumerate(("q", "v", "a", "tau"))}
    tolerance = 1e4 * np.finfo(dtype).eps
    for kernel in own.kernels:
        arrays = [given[array.name] for array in kernel.inputs]
        expected = own.by_state(kernel, arrays)
        for count in (1, 7, 8, 9, 17, 31, 32, 33, 65, 127, 150):
            for layout in ("aos", "soa"):
                found, first = own.by_lanes(kernel, [array[:count] for array in arrays], layout)
                assert first == -1
                assert np.abs(found - expected[:count]).max() <= tolerance * np.abs(expected).max(), kernel.name


def test_no_array_by_lanes_is_filled_beyond_its_end() -> None:
    """Declared and filled with as many numbers a block, in every function that fills one by itself."""
    filled = 0
    for path in sorted(GENERATED.glob("*/*_lanes_*.c")):
        for body in re.split(r"\n}\n", path.read_text()):
            sizes = dict(re.findall(r"kg_wide (\w+)\[TOGETHER\*(\d+)\];", body))
            blocks = r"for \(int k = 0; k < kg_blocks\(n, most\)\*(\d+); k\+\+\)\n\s+(\w+)\[k\] = kg_splat"
            for count, name in re.findall(blocks, body):
                assert count == sizes[name], (path.name, name)
                filled += 1
    assert filled
