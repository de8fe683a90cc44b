"""Small linear algebra of the C library, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from support.c.c_library import Library


def spd(rng: np.random.Generator, n: int) -> np.ndarray:
    B = rng.normal(size=(n, n + 3))
    return B @ B.T


@pytest.mark.parametrize("n", [1, 2, 7, 23])
@pytest.mark.parametrize("apart", [False, True])
def test_factors_solve(c: Library, n: int, apart: bool) -> None:
    rng = np.random.default_rng(n)
    A, b = spd(rng, n), rng.normal(size=n)
    if apart and n > 2:  # two parts that nothing connects
        A[: n // 2, n // 2 :] = A[n // 2 :, : n // 2] = 0.0
    L, inverse, work, x = np.tril(A), np.zeros(n), np.zeros(2 * n), b.copy()
    c.lib.factor(n, c.doubles(L), c.doubles(inverse), c.doubles(work))
    lower = np.tril(L, -1) + np.eye(n)
    np.testing.assert_allclose(lower.T / inverse @ lower, A, atol=1e-12)
    c.lib.solve_factored(n, c.doubles(L), c.doubles(inverse), c.doubles(x))
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e-9)
    L, x, work = np.tril(A), b.copy(), np.zeros(3 * n)
    c.lib.solve_symmetric(n, c.doubles(L), c.doubles(x), c.doubles(work))
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e-9)


@pytest.mark.parametrize(("n", "m"), [(1, 0), (3, 2), (9, 9), (14, 5)])
def test_saddles(c: Library, n: int, m: int) -> None:
    """M a - K'y = f, K a = g; rows that depend on each other are told."""
    rng = np.random.default_rng(n)
    M, K, f, g = spd(rng, n), rng.normal(size=(m, n)), rng.normal(size=n), rng.normal(size=m)
    whole = np.block([[M, -K.T], [K, np.zeros((m, m))]])
    expected = np.linalg.solve(whole, np.concatenate([f, g]))
    work = np.zeros(3 * (n + m) ** 2 + 9)
    kept = np.tril(M), K, f, g
    arrays = [c.doubles(x) for x in (*kept, work)]
    assert c.lib.solve_saddle(n, m, *arrays)
    np.testing.assert_allclose(np.concatenate([f, g]), expected, rtol=1e-8, atol=1e-10)
    if m > 1:
        again, twice = np.tril(M), np.array([*K[:-1], K[0]])
        assert not c.lib.solve_saddle(n, m, c.doubles(again), c.doubles(twice), *arrays[2:])


@pytest.mark.parametrize("n", [0, 1, 3, 4, 7, 8, 11, 12, 15, 16, 33])
def test_sums_of_rows_stay_within_their_length(c: Library, n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n + 9))
    before = y.copy()
    c.lib.axpy(n, -1.5, c.doubles(x), c.doubles(y))
    np.testing.assert_allclose(y[:n], before[:n] - 1.5 * x[:n], rtol=1e-15, atol=1e-15)
    np.testing.assert_array_equal(y[n:], before[n:])
    assert c.lib.dot(n, c.doubles(x), c.doubles(y)) == pytest.approx(float(x[:n] @ y[:n]), rel=1e-14, abs=1e-14)


def test_what_is_not_finite_is_seen_at_every_place(c: Library) -> None:
    for n in (0, 1, 3, 8, 13, 24):
        x = np.full(n, -1.7e308)
        assert c.lib.all_finite(n, c.doubles(x)) == 1
        for i in range(n):
            for strange in (np.nan, np.inf, -np.inf):
                x[i] = strange
                assert c.lib.all_finite(n, c.doubles(x)) == 0
            x[i] = 5e-324


def test_a_direction_without_inertia_does_not_accelerate(c: Library) -> None:
    A, b, work = np.diag([2.0, 0.0, 4.0]), np.array([1.0, 5.0, 1.0]), np.zeros(9)
    c.lib.solve_symmetric(3, c.doubles(A), c.doubles(b), c.doubles(work))
    assert b.tolist() == [0.5, 0.0, 0.25]


@pytest.mark.parametrize("parents", [(-1,), (-1, 0, 1, 2, 3), (-1, 0, 0, 1, 1, 2), (-1, -1, 1, 0, 3, 3, 2, 6)])
def test_branches_of_a_tree_fill_in_nothing(c: Library, parents: tuple[int, ...]) -> None:
    """L'DL of a matrix that couples only what lies on one path: no entry is needed where M has none."""
    rng, n = np.random.default_rng(len(parents)), len(parents)
    paths: list[list[int]] = []
    for k, parent in enumerate(parents):
        paths.append([*(paths[parent] if parent >= 0 else []), k])
    J = np.zeros((n, n))
    for k, path in enumerate(paths):
        J[k, path] = rng.normal(size=len(path)) + 2.0
    M, b = J.T @ J, rng.normal(size=n)
    row = np.cumsum([0, *(len(path) - 1 for path in paths)]).astype(np.int32)
    column = np.array([j for path in paths for j in path[:-1]] or [0], dtype=np.int32)
    rest, iD, L, x = np.tril(M), np.zeros(n), np.zeros(len(column)), b.copy()
    tables = (c.ffi.cast("int *", table.ctypes.data) for table in (row, column))
    c.lib.solve_branches(n, *tables, *map(c.doubles, (rest, iD, L, x)))
    np.testing.assert_allclose(x, np.linalg.solve(M, b), rtol=1e-9)
    full = np.eye(n)
    for k, path in enumerate(paths):
        full[k, path[:-1]] = L[row[k] : row[k + 1]]
    np.testing.assert_allclose(full.T / iD @ full, M, atol=1e-12)


def test_rows_are_added(c: Library) -> None:
    rng = np.random.default_rng(0)
    for width, name in ((8, "add_rows"), (4, "add_short_rows")):
        y, x, w = rng.normal(size=width), rng.normal(size=(5, width)), rng.normal(size=5)
        wanted = y + w @ x
        getattr(c.lib, name)(c.doubles(y), 5, c.doubles(x, f"double (*)[{width}]"), c.doubles(w))
        np.testing.assert_allclose(y, wanted, atol=1e-14)
    y, x = rng.normal(size=8), rng.normal(size=8)
    wanted = y - 2.0 * x
    c.lib.add_scaled(c.doubles(y), -2.0, c.doubles(x))
    np.testing.assert_allclose(y, wanted, atol=1e-14)


def test_products_of_rows_of_four(c: Library) -> None:
    rng = np.random.default_rng(1)
    x, m, w = rng.normal(size=(6, 4)), rng.normal(size=(6, 8)), rng.normal(size=3)
    rows, blocks = rng.normal(size=(6, 4)), rng.normal(size=(3, 8))
    wanted = rows + np.append(w, 0.0) * x
    c.lib.add_products(6, c.doubles(x, "double (*)[4]"), c.doubles(w), c.doubles(rows, "double (*)[4]"))
    np.testing.assert_allclose(rows, wanted, atol=1e-14)
    for more in (1, 0):
        wanted = more * blocks + x[:, :3].T @ m
        given = c.doubles(x, "double (*)[4]"), c.doubles(m, "double (*)[8]"), more, c.doubles(blocks, "double (*)[8]")
        c.lib.add_product(6, *given)
        np.testing.assert_allclose(blocks, wanted, atol=1e-14)
    for n in (5, 6):
        along, factors = np.empty(3), rng.normal(size=6)
        c.lib.along_rows(n, c.doubles(x, "double (*)[4]"), c.doubles(factors), c.doubles(along))
        np.testing.assert_allclose(along, factors[:n] @ x[:n, :3], atol=1e-14)
    d, arm = rng.normal(size=(3, 3)), rng.normal(size=3)
    c.lib.set_short_rows(-2.0, c.doubles(d, "double (*)[3]"), c.doubles(arm), c.doubles(rows, "double (*)[4]"))
    wanted = np.vstack([-2.0 * d.T, -2.0 * np.cross(arm, d).T])
    np.testing.assert_allclose(rows, np.pad(wanted, ((0, 0), (0, 1))), atol=1e-14)


@pytest.mark.parametrize("n", [1, 7, 8, 17])
def test_sine_and_cosine_of_many_angles(c: Library, n: int) -> None:
    """Within an ulp or so of libm, however many there are and however far out one is."""
    rng = np.random.default_rng(n)
    for angles in (rng.uniform(-4.0, 4.0, n), rng.uniform(-9e4, 9e4, n), np.append(rng.uniform(-1e3, 1e3, n - 1), 1e9)):
        sine, cosine = np.zeros((n + 7) // 8 * 8), np.zeros((n + 7) // 8 * 8)
        c.lib.sincos_of(n, c.doubles(angles), c.doubles(sine), c.doubles(cosine))
        np.testing.assert_allclose(sine[:n], np.sin(angles), rtol=0, atol=3e-16)
        np.testing.assert_allclose(cosine[:n], np.cos(angles), rtol=0, atol=3e-16)
        apart = np.zeros_like(sine), np.zeros_like(cosine)
        c.lib.sincos_apart(n, c.doubles(angles), *map(c.doubles, apart))
        np.testing.assert_array_equal(apart, (sine, cosine))


@pytest.mark.parametrize("by", ["invert_six", "invert_six_by_pivots"])
def test_six_by_six_is_inverted(c: Library, by: str) -> None:
    """Of any scale; also where all pivots as they stand are zero or small; numbers beside the six columns stay."""
    rng = np.random.default_rng(0)
    for seed in range(60):
        A = np.zeros((6, 8))
        A[:, :6] = rng.normal(size=(6, 6)) * 10.0 ** rng.integers(-8, 9) + np.eye(6)
        if seed % 3 == 1:
            A[:, :6] = np.eye(6)[rng.permutation(6)] * rng.uniform(1.0, 2.0, 6)
        if seed % 3 == 2:
            A[:, :6] = spd(rng, 6) * np.outer(10.0 ** rng.integers(-3, 4, 6), np.ones(6))
        inverse = A.copy()
        assert getattr(c.lib, by)(c.doubles(inverse, "double (*)[8]"))
        expected = np.linalg.inv(A[:, :6])
        np.testing.assert_allclose(inverse[:, :6], expected, rtol=0.0, atol=1e-15 * np.linalg.cond(A[:, :6]) ** 2 * 1e3)
        assert abs(A[:, :6] @ inverse[:, :6] - np.eye(6)).max() < 1e-13 * np.linalg.cond(A[:, :6])
        np.testing.assert_array_equal(inverse[:, 6:], 0.0)


@pytest.mark.parametrize("by", ["invert_six", "invert_six_by_pivots"])
@pytest.mark.parametrize("wrong", [0.0, np.nan])
def test_six_by_six_without_an_inverse_is_told(c: Library, by: str, wrong: float) -> None:
    A = np.zeros((6, 8))
    A[:, :6] = np.eye(6) + 0.1
    A[2, :6] = wrong
    A[:, 2] = wrong
    assert not getattr(c.lib, by)(c.doubles(A, "double (*)[8]"))
