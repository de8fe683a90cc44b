"""Products of packed mass matrices by rows of vectors: entry by entry to the last bit, for trees of all shapes."""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinegen.runtime
from kinegen.codegen.build.toolchain import FLAGS, GCC_FLAGS
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.printing.text.packed_product import product_lines
from kinegen.codegen.printing.text.printer import Blocks, print_function
from kinegen.codegen.symbolic.derivations.packed import Pattern, branches, long_rows, packed_product
from support.oracles.mechanisms import random_mechanism

PATTERNS = 12


@cache
def pattern(number: int) -> Pattern:
    """Some trees of a few dozen rows, one of which hangs on any before it, more often on the last."""
    rng, rows = np.random.default_rng(number), list[tuple[int, ...]]()
    for k in range(int(rng.integers(9, 40))):
        above = k - 1 if rng.random() < 0.8 else int(rng.integers(-1, k))
        rows.append((*rows[above], above) if above >= 0 else ())
    return tuple(rows)


def written(name: str, blocks: Blocks) -> str:
    lines = "\n".join(line for _, statements in blocks for line in statements)
    return f"void {name}(const double *restrict M, const double *restrict x, double *restrict y)\n{{\n{lines}\n}}\n"


@pytest.fixture(scope="module", params=["native", "x86-64-v2"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder, mechanism = tmp_path_factory.mktemp("packed"), random_mechanism(1, bodies=1)
    text = '#include "linear/packed_rows.h"\n'
    for number in range(PATTERNS):
        text += both(number, mechanism)
    (folder / "packed.c").write_text(text)
    include = Path(kinegen.runtime.__file__).parent / "c"
    command = ["gcc", "-std=c99", *FLAGS, *GCC_FLAGS, f"-march={request.param}", f"-I{include}", "-shared"]
    subprocess.run([*command, "packed.c", "-o", "packed.so"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "packed.so"))


def both(number: int, mechanism: Mechanism) -> str:
    function = packed_product(mechanism, pattern(number))
    rows, entries = product_lines(function, pattern(number)), print_function(function)
    return written(f"rows_{number}", rows.blocks) + written(f"entries_{number}", entries.blocks)


@pytest.mark.parametrize("number", range(PATTERNS))
def test_rows_are_the_entries_to_the_last_bit(number: int, library: ctypes.CDLL) -> None:
    own, rng = pattern(number), np.random.default_rng(number)
    assert branches(own)
    n, size = len(own), sum(len(row) + 1 for row in own)
    M, x = rng.normal(size=size), rng.normal(size=n)
    full, place = np.zeros((n, n)), 0
    for k, row in enumerate(own):
        for j in (*row, k):
            full[k, j] = full[j, k] = M[place]
            place += 1
    found = np.empty((2, n))
    for name, y in zip(("rows", "entries"), found, strict=True):
        getattr(library, f"{name}_{number}")(*(ctypes.c_void_p(array.ctypes.data) for array in (M, x, y)))
    assert np.array_equal(*found)
    np.testing.assert_allclose(found[0], full @ x, rtol=0, atol=1e-14 * np.abs(full).sum(axis=1).max())


def test_patterns_have_long_rows_of_all_kinds() -> None:
    """Most have some; rows on which nothing hangs are long, or short with eight entries."""
    ends = [(number, k) for number in range(PATTERNS) for k in set(range(len(pattern(number)))) - above(number)]
    long = [k in long_rows(pattern(number)) for number, k in ends if len(pattern(number)[k]) >= 7]
    assert sum(bool(long_rows(pattern(number))) for number in range(PATTERNS)) > PATTERNS // 2
    assert True in long and False in long


def above(number: int) -> set[int]:
    return {row[-1] for row in pattern(number) if row}
