"""Kernels by lanes against the same kernels state by state, of doubles and of floats: equal to the last bit, every
width, count and layout."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.abi import KernelSpec
from kinegen.runtime.kinds import KINDS
from support.c.generated_samples import PARAMETERS, parametric
from support.c.lanes_library import LanesLibrary, lanes_library
from support.contact.piles import pile
from support.mechanisms.closed_mechanisms import four_bar, random_closed
from support.oracles.mechanisms import random_mechanism, random_state
from support.processors import targets

Array = NDArray[Any]

DYNAMICS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
PACKED = ("mass_matrix_packed", "mass_matrix_product", "mass_matrix_solve")
MOVES = ("integrate", "difference")
KINEMATICS = ("link_poses", "com", "com_jacobian", "momentum", "centroidal_momentum_matrix", "energy", "cog_bias")
MECHANISMS: dict[str, tuple[Callable[[], Mechanism], tuple[str, ...]]] = {
    "every kind": (lambda: random_mechanism(165, bodies=9, mimic=0), ("inverse_dynamics", "link_poses", *MOVES)),
    "mimics": (
        lambda: random_mechanism(5, bodies=5, kinds=["revolute", "prismatic", "helical"], mimic=0.8),
        (*PACKED, "forward_dynamics"),
    ),
    "free": (
        lambda: random_mechanism(4, bodies=4, kinds=["revolute", "fixed"], root="free"),
        (*DYNAMICS, "gravity", *MOVES),
    ),
    "branches": (
        lambda: random_mechanism(
            3, bodies=15, branching=0.2, kinds=["revolute", "prismatic", "spherical"], mimic=0, root="free"
        ),
        PACKED,
    ),
    "parameters": (parametric, (*DYNAMICS, *PACKED, *KINEMATICS, *MOVES)),
    "trees that are alike": (pile, ("inverse_dynamics", "com_jacobian", "momentum")),
    "damped at its ends": (
        lambda: random_closed(38, ("planar", "cylindrical"), bodies=5).mechanism,
        ("forward_dynamics",),
    ),
    "closed": (lambda: four_bar(1.0, 2.0, 2.5, 3.0), ("forward_dynamics", "inverse_dynamics")),
}
Library = Callable[..., LanesLibrary]
CLANG = (sys.executable, "-m", "ziglang", "cc")


OFTEN, RARE = ("mimics", "parameters"), ("damped at its ends", "trees that are alike")
CASES = [*((name, "float64") for name in MECHANISMS if name not in RARE), *((name, "float32") for name in OFTEN)]
SELDOM = [
    pytest.param(name, dtype, marks=pytest.mark.sweep)
    for name, dtype in (
        *((name, "float64") for name in RARE),
        *((name, "float32") for name in ("every kind", "branches", "free", "trees that are alike")),
    )
]
DTYPES = pytest.mark.parametrize("dtype", ["float64", "float32"])
DOUBLE = pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.sweep)])


@cache
def sources(name: str, dtype: str) -> Sources:
    make, kernels = MECHANISMS[name]
    made = make()
    frames = tuple(link.name for link in made.links[-1:]) if name in OFTEN else ()
    return generate(made, selection=Selection(kernels, lanes=True, frames=frames, dtype=dtype))


def widest(dtype: str) -> int:
    """Numbers in the widest vector of this processor."""
    return targets()[-1][1] * 8 // np.dtype(dtype).itemsize


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Kernels of a mechanism compiled for a processor, by default the one with the widest vectors, once."""

    @cache
    def made(
        name: str, dtype: str = "float64", target: str = "", flag: str = "", compiler: tuple[str, ...] = ("gcc",)
    ) -> LanesLibrary:
        own = sources(name, dtype)
        values = np.array([PARAMETERS[spec.name] for spec in own.manifest.parameters])
        flags = ("-fPIC", f"-march={target or targets()[-1][0]}", *([flag] if flag else []))
        return lanes_library(own, tmp_path_factory.mktemp("lanes"), compiler, flags, values)

    return made


def states(name: str, count: int, dtype: str = "float64") -> dict[str, Array]:
    return states_of(MECHANISMS[name][0](), count, dtype)


def states_of(mechanism: Mechanism, count: int, dtype: str = "float64") -> dict[str, Array]:
    rng = np.random.default_rng(0)
    rows = [random_state(mechanism, rng) for _ in range(count)]
    found = {key: np.array([row[k] for row in rows], dtype) for k, key in enumerate(("q", "v", "a", "tau"))}
    speeds = np.array([(1.0, 1e-9, 1e-2, 3.0)[k % 4] for k in range(count)], dtype)[:, None]  # turns near 0 and far
    moved = {"v_dt": speeds * found["v"], "q0": found["q"], "q1": np.roll(found["q"], 1, axis=0)}
    return found | moved | {"x": found["v"], "b": found["tau"]}


def arrays(library: LanesLibrary, kernel: KernelSpec, given: dict[str, Array]) -> list[Array]:
    """Of a packed M that of the states."""
    packed = [k for k in library.kernels if k.name == "mass_matrix_packed"]
    M = library.by_state(packed[0], [given["q"]]) if any(a.name == "M" for a in kernel.inputs) else np.empty((0, 0))
    return [M if array.name == "M" else given[array.name] for array in kernel.inputs]


SUMMED = ("H", "dependent_motion", "actuator_torques")
"""What sums over entries in loops, whose products compilers fuse otherwise where they are vectors (docs/batches.md)."""


def same(left: Array, right: Array) -> bool:
    """To the last bit, signs of zeros and numbers that are none included."""
    bits = f"i{left.itemsize}"
    return bool((left.view(bits) == right.view(bits)).all())


@pytest.mark.parametrize(("name", "dtype"), [*CASES, *SELDOM])
def test_equal_to_the_last_bit(name: str, dtype: str, library: Library) -> None:
    """Every kernel, on the widest vectors, with every remainder."""
    width = widest(dtype)
    own = library(name, dtype)
    given = states(name, 5 * width + 1, dtype)
    given = {key: np.resize(array, (17 * width + 1, *array.shape[1:])) for key, array in given.items()}
    assert len(own.kernels) >= len(MECHANISMS[name][1])
    for kernel in own.kernels:
        every = arrays(own, kernel, given)
        expected = own.by_state(kernel, every)
        assert np.isfinite(expected).all()
        for count in (*range(1, 2 * width + 2), 3 * width, 5 * width + 1, 8 * width - 1, 8 * width, 17 * width + 1):
            for layout in ("aos", "soa"):
                found, first = own.by_lanes(kernel, [array[:count] for array in every], layout)
                assert first == -1
                near = np.abs(found - expected[:count]).max() <= 1e-12 * np.abs(expected).max()
                assert same(found, expected[:count]) or (kernel.name in SUMMED and near), (kernel.name, count, layout)


@DTYPES
@pytest.mark.parametrize("beyond", [0, 3])
def test_arrays_larger_than_the_cache(beyond: int, dtype: str, library: Library) -> None:
    """Written past it, in whole lines, where that is known to win."""
    own, few = library("free", dtype), states("free", 41, dtype)
    kernel = next(kernel for kernel in own.kernels if kernel.name == "mass_matrix")
    once = own.by_state(kernel, [few["q"]])
    count = (30 << 20) // (8 * once[0].nbytes) * 8 + beyond
    expected = np.resize(once, (count, *once.shape[1:]))
    for layout in ("aos", "soa"):
        found, first = own.by_lanes(kernel, [np.resize(few["q"], (count, few["q"].shape[1]))], layout)
        assert first == -1 and same(found, expected), layout


@DOUBLE
@pytest.mark.parametrize(("target", "width"), targets()[:-1])
def test_every_width(target: str, width: int, dtype: str, library: Library) -> None:
    own = library("free", dtype, target)
    given = states("free", 4 * width + 1, dtype)
    for kernel in own.kernels:
        every = arrays(own, kernel, given)
        expected = own.by_state(kernel, every)
        for layout in ("aos", "soa"):
            assert same(own.by_lanes(kernel, every, layout)[0], expected), (kernel.name, layout)


@DOUBLE
def test_clang_contracts_otherwise(dtype: str, library: Library) -> None:
    """It fuses other products with sums where vectors are wider: the last bits differ, no more."""
    own = library("free", dtype, targets()[-1][0].replace("-", "_"), compiler=CLANG)
    given, rounding = states("free", 36, dtype), np.finfo(dtype).eps
    for kernel in own.kernels:
        every = arrays(own, kernel, given)
        expected = own.by_state(kernel, every)
        for layout in ("aos", "soa"):
            found, _ = own.by_lanes(kernel, every, layout)
            assert np.abs(found - expected).max() <= 45 * rounding * np.abs(expected).max(), (kernel.name, layout)


@pytest.mark.parametrize(("width", "dtype"), [(1, "float64"), pytest.param(2, "float32", marks=pytest.mark.sweep)])
def test_a_width_of_ones_own(width: int, dtype: str, library: Library) -> None:
    """One of one is plain C99."""
    own = library("parameters", dtype, flag=f"-DKG_WIDTH={width}")
    given = states("parameters", 3, dtype)
    for kernel in own.kernels:
        every = arrays(own, kernel, given)
        for layout in ("aos", "soa"):
            assert same(own.by_lanes(kernel, every, layout)[0], own.by_state(kernel, every))


@pytest.mark.parametrize("name", ["mimics", pytest.param("branches", marks=pytest.mark.sweep)])
def test_rows_of_packed_matrices_without_vectors(name: str, tmp_path: Path, library: Library) -> None:
    """What compilers without them read."""
    (tmp_path / "plain.h").write_text("#include <math.h>\n#include <string.h>\n#undef __GNUC__\n")
    flags = ("-fPIC", "-DKG_WIDTH=1", "-include", str(tmp_path / "plain.h"))
    plain, own = lanes_library(sources(name, "float64"), tmp_path, ("gcc",), flags), library(name)
    given = states(name, 3)
    for kernel in own.kernels:
        every = arrays(own, kernel, given)
        expected = own.by_state(kernel, every)
        assert np.abs(plain.by_state(kernel, every) - expected).max() <= 1e-13 * np.abs(expected).max(), kernel.name


@DTYPES
def test_far_angles_and_numbers_that_are_none_stay_in_their_lane(dtype: str, library: Library) -> None:
    width = widest(dtype)
    own = library("parameters", dtype)
    given = states("parameters", 3 * width, dtype)
    clean = {kernel.name: own.by_state(kernel, arrays(own, kernel, given)) for kernel in own.kernels}
    far, none = width + 1, width + 2
    given["q"][far, 1] = 3e5
    for name in ("q", "v", "a", "tau", "x", "b", "v_dt", "q0", "q1"):
        given[name][none, 0] = np.nan
    for kernel in own.kernels:
        every = arrays(own, kernel, given)
        expected = own.by_state(kernel, every)
        found, first = own.by_lanes(kernel, every, "aos")
        rest = [i for i in range(3 * width) if i not in (far, none)]
        assert first == none
        assert same(found[far], expected[far]) and same(found[rest], clean[kernel.name][rest])


FLOATS = pytest.param(-np.inf, "float32", marks=pytest.mark.sweep)


@pytest.mark.parametrize(("wrong", "dtype"), [(np.inf, "float64"), (np.nan, "float64"), FLOATS])
def test_no_joint_hides_a_coordinate_that_is_no_number(wrong: float, dtype: str, library: Library) -> None:
    """Each entry of each argument of what moves coordinates, of joints of all kinds."""
    own, at = library("every kind", dtype), widest(dtype) + 1
    given = states("every kind", 2 * widest(dtype), dtype)
    for kernel in own.kernels:
        for name, size in ((array.name, array.shape[0]) for array in kernel.inputs if kernel.name in MOVES):
            for entry in range(size):
                spoilt = given | {name: given[name].copy()}
                spoilt[name][at, entry] = wrong
                found, first = own.by_lanes(kernel, arrays(own, kernel, spoilt), "aos")
                clean = own.by_state(kernel, arrays(own, kernel, given))
                assert first == at and same(np.delete(found, at, 0), np.delete(clean, at, 0)), (name, entry)


@DTYPES
def test_rotations_off_unit_norm_are_seen(dtype: str, library: Library) -> None:
    """Each of each argument, in both layouts; the results of all other states are as they were."""
    own, width = library("every kind", dtype), widest(dtype)
    at, given = 9 * width + 1, states("every kind", 11 * width, dtype)
    joints = sources("every kind", dtype).manifest.joints
    parts = [range(j.q_start, j.q_start + j.nq)[part] for j in joints if (part := KINDS[j.kind].rotation)]
    assert {len(part) for part in parts} == {2, 4}
    for kernel in own.kernels:
        clean = own.by_state(kernel, arrays(own, kernel, given))
        for name in {array.name for array in kernel.inputs} & {"q", "q0", "q1"}:
            for part in parts:
                spoilt = given | {name: given[name].copy()}
                spoilt[name][at, part] *= 1.00003
                for layout in ("aos", "soa"):
                    found, first = own.by_lanes(kernel, arrays(own, kernel, spoilt), layout)
                    assert first == at and same(np.delete(found, at, 0), np.delete(clean, at, 0)), (kernel.name, name)


def test_closed_lanes_whose_proof_fails_are_redone_alone(library: Library) -> None:
    _, width = targets()[-1]
    own = library("closed")
    given = states("closed", 2 * width)
    folded = [1, width + 2, width + 3]
    given["q"][folded] = 0.0  # all links in one line: the partition is singular
    (kernel,) = [kernel for kernel in own.kernels if kernel.name == "forward_dynamics"]
    every = arrays(own, kernel, given)
    quality = np.empty((2 * width, 1))
    for row, (q, v, tau) in enumerate(zip(*every, strict=True)):
        a, added = np.empty(len(v)), np.zeros(len(v))
        pointers = [own.ffi.from_buffer("double[]", np.ascontiguousarray(x)) for x in (q, v, tau, added)]
        outs = [own.ffi.from_buffer("double[]", x) for x in (a, quality[row])]
        getattr(own.lib, f"{own.sources.manifest.prefix}_forward_dynamics_specialised")(*pointers, *outs)
    assert not (quality[folded] > 1e-3).any() and (quality > 1e-3).sum() >= width
    assert same(own.by_lanes(kernel, every, "aos")[0], own.by_state(kernel, every))


def drawn(number: int) -> tuple[Mechanism, tuple[str, ...]]:
    """Trees of all kinds of joints, with roots and followers, and every fourth time closed loops of two kinds."""
    if number % 4:
        return random_mechanism(number, bodies=4 + number % 9, massless=0.0, root="free" if number % 3 else None), (
            *DYNAMICS,
            *KINEMATICS,
        )
    kinds = (("spherical", "universal"), ("revolute", "spherical"), ("planar", "cylindrical"))[number // 4 % 3]
    return random_closed(30 + number, kinds, bodies=5).mechanism, ("forward_dynamics", "inverse_dynamics")


@pytest.mark.sweep
@pytest.mark.parametrize("number", range(24))
def test_drawn_mechanisms(number: int, tmp_path: Path) -> None:
    mechanism, kernels = drawn(number)
    made = generate(mechanism, selection=Selection(kernels, lanes=True))
    given = states_of(mechanism, 101)
    for target, _ in targets():
        own = lanes_library(made, tmp_path / target, ("gcc",), ("-fPIC", f"-march={target}"))
        assert own.kernels
        for kernel in own.kernels:
            every = [given[array.name] for array in kernel.inputs]
            expected = own.by_state(kernel, every)
            for layout in ("aos", "soa"):
                assert same(own.by_lanes(kernel, every, layout)[0], expected), (kernel.name, target, layout)
