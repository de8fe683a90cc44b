"""Many states in one call: layouts, results handed in, threads, broadcasting, rows that are wrong; packed matrices."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray

import kinegen as kg
from kinegen.runtime.arguments import as_array
from kinegen.runtime.model.model import Model
from kinegen.runtime.module.shared_work import shared
from kinegen.runtime.module.states import given_states
from support.oracles.mechanisms import random_mechanism, random_state

Array = NDArray[np.float64]

COUNT = 37
METHODS = {
    "inverse_dynamics": ("q", "v", "a"),
    "mass_matrix": ("q",),
    "forward_dynamics": ("q", "v", "tau"),
    "link_poses": ("q",),
    "cog_jacobian": ("q",),
    "integrate": ("q", "v"),
    "difference": ("q", "q"),
    "energy": ("q", "v"),
}


@cache
def model(lanes: bool) -> Model:
    tree = random_mechanism(4, bodies=4, kinds=["revolute", "fixed"], root="free")
    return kg.compile(tree, lanes=lanes)


@cache
def states(count: int = COUNT) -> dict[str, Array]:
    tree, rng = random_mechanism(4, bodies=4, kinds=["revolute", "fixed"], root="free"), np.random.default_rng(3)
    rows = [random_state(tree, rng) for _ in range(count)]
    return {key: np.array([row[k] for row in rows]) for k, key in enumerate(("q", "v", "a", "tau"))}


def soa(array: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(array, 0, -1))


def unaligned(array: Array) -> Array:
    """The same numbers, each half a number off its place, as behind a header of a file."""
    found = np.frombuffer(bytearray(array.nbytes + 4), array.dtype, array.size, 4).reshape(array.shape)
    found[...] = array
    return found


@pytest.mark.parametrize("lanes", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_every_way_gives_the_same(method: str, lanes: bool) -> None:
    call: Any = getattr(model(lanes), method)
    given = [states()[name] for name in METHODS[method]]
    expected = np.array([call(*(x[i] for x in given)) for i in range(COUNT)])
    turned = [soa(x) for x in given]
    assert np.array_equal(call(*given), expected)
    assert np.array_equal(call(*given, threads=3), expected)
    assert np.array_equal(call(*turned, layout="soa"), soa(expected))
    assert np.array_equal(call(*turned, layout="soa", threads=2), soa(expected))
    out, turned_out = np.full_like(expected, 7.0), np.full_like(soa(expected), 7.0)
    assert call(*given, out=out) is out and np.array_equal(out, expected)
    assert call(*turned, layout="soa", out=turned_out) is turned_out and np.array_equal(turned_out, soa(expected))
    wide = [np.repeat(x, 2, axis=0)[::2] for x in given]
    assert not wide[0].flags.c_contiguous and np.array_equal(call(*wide), expected)
    assert np.array_equal(
        call(*(x[:36].reshape(4, 9, -1) for x in given)).reshape(36, *expected.shape[1:]), expected[:36]
    )
    first = [given[0], *(x[0] for x in given[1:])]
    assert np.array_equal(call(*first), np.array([call(q, *first[1:]) for q in given[0]]))
    assert call(*(x[:0] for x in given)).shape == (0, *expected.shape[1:])


def test_axes_broadcast_in_both_layouts() -> None:
    q, v = states()["q"][:6].reshape(2, 3, -1), states()["v"][:3]
    expected = model(False).bias(q, v)
    assert np.array_equal(model(True).bias(q, v), expected)
    turned = model(True).bias(np.moveaxis(q, -1, 0), v.T, layout="soa")
    assert np.array_equal(turned, np.moveaxis(expected, -1, 0))
    for places in (q, q[0, 0]):
        dv_dq, dv_dv = model(False).com_velocity_derivatives(places, v)
        assert dv_dv.shape == dv_dq.shape
        assert np.array_equal(dv_dv, np.broadcast_to(model(False).com_jacobian(places), dv_dv.shape))


@pytest.mark.parametrize("lanes", [True, False])
@pytest.mark.parametrize("layout", ["aos", "soa"])
def test_a_wrong_row_is_named_and_harms_no_other(lanes: bool, layout: str) -> None:
    own, given = model(lanes), {name: array.copy() for name, array in states(1000).items()}
    turned = soa if layout == "soa" else lambda x: x
    v, q = given["v"].copy(), given["q"].copy()
    v[713, 2], q[713, 5:9] = np.nan, 1.001 * q[713, 5:9]
    out = turned(np.empty_like(v))
    with pytest.raises(kg.ModelError, match=r"v: entry \(713, 2\) is nan"):
        own.inverse_dynamics(turned(given["q"]), turned(v), turned(given["a"]), layout=layout, out=out)
    if lanes:
        rest = np.arange(1000) != 713
        found = out if layout == "aos" else out.T
        assert np.array_equal(found[rest], own.inverse_dynamics(given["q"], given["v"], given["a"])[rest])
    with pytest.raises(kg.ModelError, match=r"q, row 713: the quaternion .* has norm 1\.001"):
        own.inverse_dynamics(turned(q), turned(given["v"]), turned(given["a"]), layout=layout)
    given["v"][713, 1] = 1e200
    with pytest.raises(kg.ModelError, match=r"forward_dynamics: entry \(713, .*v has numbers of 1e\+200"):
        own.forward_dynamics(turned(given["q"]), turned(given["v"]), turned(given["a"]), layout=layout)


def test_large_numbers_that_do_no_harm_are_no_error() -> None:
    a = states()["a"].copy()
    a[5] = 1e45
    q, v = states()["q"], states()["v"]
    assert np.array_equal(model(True).inverse_dynamics(q, v, a), model(False).inverse_dynamics(q, v, a))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"out": np.empty((2, 3))}, r"out: expected a float64 array of shape \(37, 8\)"),
        ({"out": np.empty((37, 8), np.float32)}, "got float32"),
        ({"out": np.empty((37, 16))[:, ::2]}, "C order"),
        ({"out": unaligned(np.empty((37, 8)))}, "out: expected an aligned array in C order"),
        ({"out": [1.0]}, "out: expected a float64 array"),
        ({"layout": "fortran"}, "layout: expected 'aos' or 'soa', got 'fortran'"),
        ({"layout": "soa"}, r"q: expected shape \(9, \.\.\.\), got \(37, 9\)"),
        ({"threads": 0}, "threads: expected a whole number of at least 1"),
        ({"threads": 1.5}, "threads"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    assert (model(True).nq, model(True).nv) == (9, 8)
    with pytest.raises(kg.ModelError, match=message):
        model(True).bias(states()["q"], states()["v"], **options)


def test_states_within_a_buffer_are_copied_where_they_stand_off_their_alignment() -> None:
    q, v = unaligned(states()["q"]), unaligned(states()["v"])
    assert not q.flags.aligned and q.flags.c_contiguous
    given = given_states(next(k for k in model(True).manifest.kernels if k.name == "bias"), (q, v), "aos")
    taken = [*given.arrays, as_array("q", q, (9,)), as_array("q", q[0], (9,), batch=False)]
    assert all(array.flags.aligned for array in taken)
    assert np.array_equal(model(True).bias(q, v), model(True).bias(q.copy(), v.copy()))


def test_a_result_must_not_overlap_an_argument() -> None:
    v = states()["v"].copy()
    with pytest.raises(kg.ModelError, match="out: overlaps an argument"):
        model(True).bias(states()["q"], v, out=v)


def test_pieces_of_work() -> None:
    """Every state once, whole vectors but for the last; the first that is wrong is told."""
    for count in (1, 7, 8, 9, 100):
        for threads in (1, 2, 3, 200):
            seen = np.zeros(count, int)

            def work(start: int, number: int, seen: NDArray[np.int_] = seen) -> int:
                seen[start : start + number] += 1
                assert start % 8 == 0
                return start + number - 1 if start else -1

            first = shared(count, threads, count, work)
            assert (seen == 1).all() and first == (-1 if count <= 8 or threads == 1 else first)


@pytest.mark.parametrize("threads", [1, 2])
def test_long_work_is_done_in_pieces_so_that_it_can_be_interrupted_between_them(threads: int) -> None:
    begun: list[tuple[int, int]] = []

    def work(start: int, number: int) -> int:
        begun.append((start, number))
        if start >= 500:
            raise KeyboardInterrupt
        return -1

    with pytest.raises(KeyboardInterrupt):
        shared(10_000, threads, 100, work)
    assert max(number for _, number in begun) <= 112  # whole vectors
    assert max(start for start, _ in begun) < 1000


@pytest.mark.parametrize("lanes", [False, True])
@pytest.mark.parametrize("layout", ["aos", "soa"])
def test_kernels_give_their_many_states_in_pieces(lanes: bool, layout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    q = np.array(np.moveaxis(states()["q"], 0, 0 if layout == "aos" else -1))
    whole = model(lanes).mass_matrix(q, layout=layout, threads=1)
    pieces: list[int] = []

    def counted(count: int, threads: int, most: int, work: Callable[[int, int], int]) -> int:
        def noted(start: int, number: int) -> int:
            pieces.append(number)
            return work(start, number)

        return shared(count, threads, most, noted)

    monkeypatch.setattr("kinegen.runtime.module.kernel.shared", counted)
    monkeypatch.setattr("kinegen.runtime.module.shared_work.NUMBERS_AT_ONCE", 16 * 8 * 8)
    again = kg.compile(random_mechanism(4, bodies=4, kinds=["revolute", "fixed"], root="free"), lanes=lanes)
    assert np.array_equal(again.mass_matrix(q, layout=layout, threads=1), whole)
    assert pieces == [16, 16, 5]


def test_packed_matrices() -> None:
    own, q, x = model(True), states()["q"], states()["v"]
    pattern, M = own.mass_matrix_pattern, own.mass_matrix(q)
    packed = own.mass_matrix(q, packed=True)
    assert packed.shape == (COUNT, pattern.size) and pattern.size < own.nv**2
    assert np.array_equal(pattern.full(packed), M) and np.array_equal(pattern.pack(M), packed)
    assert (M[:, pattern.index < 0] == 0.0).all() and (pattern.columns <= pattern.rows).all()
    product = np.einsum("bij,bj->bi", M, x)
    assert np.abs(own.mass_matrix_product(packed, x) - product).max() < 1e-13 * np.abs(product).max()
    solved = np.linalg.solve(M, x[..., None])[..., 0]
    assert np.abs(own.mass_matrix_solve(packed, x) - solved).max() < 1e-10 * np.abs(solved).max()
    assert np.array_equal(own.mass_matrix(q[3], packed=True), packed[3])
    assert pattern == own.mass_matrix_pattern and hash(pattern) == hash(own.mass_matrix_pattern)
    with pytest.raises(kg.ModelError, match=r"compile it with kg.compile\(..., lanes=True\)"):
        model(False).mass_matrix(q, packed=True)


@pytest.mark.parametrize("method", ["composite", "xx", 3])
def test_packed_matrices_take_no_method(method: Any) -> None:
    """It would be passed over in silence, a wrong one too."""
    with pytest.raises(kg.ModelError, match=r"mass_matrix: packed=True has one method of its own; leave out method="):
        model(True).mass_matrix(states()["q"], packed=True, method=method)


def test_the_short_way_is_the_general_one() -> None:
    """For every kernel of one state; numbers that are none and rotations that are off are told by both alike."""
    tried = model(True)
    rng, q = np.random.default_rng(5), states()["q"][0]
    for spec in tried.manifest.kernels:
        if not spec.function:
            continue
        kernel = tried.kernel(spec.name)
        given = [q.copy() if x.name in ("q", "q0", "q1") else rng.uniform(0.5, 1.0, x.shape) for x in spec.inputs]
        given = [np.zeros(x.shape) if x.name == "frame" else g for x, g in zip(spec.inputs, given, strict=True)]
        assert np.array_equal(kernel(*given), kernel.general(*given)), spec.name
        for i, x in enumerate(given):
            wrong = [g.copy() for g in given]
            wrong[i].flat[-1:] = np.nan
            if x.size:
                with pytest.raises(kg.ModelError, match=spec.inputs[i].name):
                    kernel(*wrong)
    off = q.copy()
    off[5:9] *= 1.1
    with pytest.raises(kg.ModelError, match=r"quaternion .* has norm 1\.1"):
        tried.difference(q, off)


def functions_of_python(call: Callable[[], object]) -> int:
    """How many functions of Python a call enters, itself aside."""
    seen = []
    sys.setprofile(lambda frame, event, argument: seen.append(frame) if event == "call" else None)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(seen) - 1


REST = [pytest.param(*given, marks=pytest.mark.sweep) for given in ((None, True), (2.0, False))]


@pytest.mark.parametrize(("mass", "lanes"), [(None, False), (2.0, True), *REST])
def test_many_states_are_one_call_in_c(headers: None, mass: float | None, lanes: bool) -> None:
    """For every kernel, with and without run-time parameters and lanes, into a new array and into one that is there."""
    tree = random_mechanism(4, bodies=4, kinds=["revolute", "fixed"], root="free")
    if mass is not None:
        heavy = replace(tree.links[0], mass=sympy.Symbol("m", positive=True))
        tree = replace(tree, links=[heavy, *tree.links[1:]])
    rng, q = np.random.default_rng(5), states()["q"][:6].reshape(2, 3, -1)
    tried = kg.compile(tree, lanes=lanes).with_parameters({} if mass is None else {"m": mass})
    for spec in tried.manifest.kernels:
        if not spec.function or len(spec.inputs) > 3 + (not spec.lanes):
            continue
        kernel = tried.kernel(spec.name)
        given = [q if x.name in ("q", "q0", "q1") else rng.uniform(0.5, 1.0, (2, 3, *x.shape)) for x in spec.inputs]
        given = [np.zeros(x.shape) if x.name == "frame" else g for x, g in zip(spec.inputs, given, strict=True)]
        wanted = kernel.general(*given)
        out = np.full_like(wanted, 7.0)
        assert functions_of_python(lambda: kernel.batched(*given, out=out)) == 0, spec.name  # noqa: B023 -- now
        assert np.array_equal(out, wanted) and np.array_equal(kernel.batched(*given), wanted)
        one = [g[1, 2] if g.ndim > len(x.shape) else g for x, g in zip(spec.inputs, given, strict=True)]
        assert np.array_equal(kernel.batched(*one, out=out[0, 0]), wanted[1, 2])
