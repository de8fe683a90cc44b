"""Three-vectors and 3x3 matrices of tape scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..program.tape import Scalar, Tape

AXES = "xyz"


@dataclass(slots=True)
class Vec:
    """Column of three scalars; nobody changes one, but to freeze each takes a tenth of the time of a derivation."""

    x: Scalar
    y: Scalar
    z: Scalar

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __getitem__(self, index: int) -> Scalar:
        return (self.x, self.y, self.z)[index]

    def __add__(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec) -> Vec:
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec:
        return Vec(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Scalar | float) -> Vec:
        return Vec(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other: Vec) -> Scalar:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vec) -> Vec:
        return Vec(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    @property
    def is_zero(self) -> bool:
        return self.x.is_zero and self.y.is_zero and self.z.is_zero


@dataclass(slots=True)
class Mat:
    """3x3 matrix, rows of scalars."""

    rows: tuple[Vec, Vec, Vec]

    def __getitem__(self, index: tuple[int, int]) -> Scalar:
        return self.rows[index[0]][index[1]]

    def __iter__(self) -> Iterator[Scalar]:
        return (entry for row in self.rows for entry in row)

    def __add__(self, other: Mat) -> Mat:
        return Mat(_three(lambda i: self.rows[i] + other.rows[i]))

    def __sub__(self, other: Mat) -> Mat:
        return Mat(_three(lambda i: self.rows[i] - other.rows[i]))

    def __mul__(self, factor: Scalar | float) -> Mat:
        return Mat(_three(lambda i: self.rows[i] * factor))

    def __matmul__(self, other: Mat) -> Mat:
        x, y, z = other.T.rows
        a, b, c = (Vec(row.dot(x), row.dot(y), row.dot(z)) for row in self.rows)
        return Mat((a, b, c))

    def apply(self, vector: Vec) -> Vec:
        x, y, z = self.rows
        return Vec(x.dot(vector), y.dot(vector), z.dot(vector))

    @property
    def T(self) -> Mat:
        a, b, c = self.rows
        return Mat((Vec(a.x, b.x, c.x), Vec(a.y, b.y, c.y), Vec(a.z, b.z, c.z)))

    def column(self, index: int) -> Vec:
        return Vec(*(row[index] for row in self.rows))


def _three(make: Callable[[int], Vec]) -> tuple[Vec, Vec, Vec]:
    return make(0), make(1), make(2)


def zero(tape: Tape) -> Vec:
    return Vec(tape.zero, tape.zero, tape.zero)


def unit(tape: Tape, axis: int) -> Vec:
    return Vec(*(tape.one if axis == i else tape.zero for i in range(3)))


def zeros(tape: Tape) -> Mat:
    return Mat(_three(lambda i: zero(tape)))


def identity(tape: Tape) -> Mat:
    return Mat(_three(lambda i: unit(tape, i)))


def diagonal(value: Scalar) -> Mat:
    tape = value.tape
    return Mat(_three(lambda i: unit(tape, i) * value))


def skew(v: Vec) -> Mat:
    """[v]ₓ."""
    o = v.x.tape.zero
    return Mat((Vec(o, -v.z, v.y), Vec(v.z, o, -v.x), Vec(-v.y, v.x, o)))


def outer(a: Vec, b: Vec) -> Mat:
    """a bᵀ."""
    return Mat(_three(lambda i: b * a[i]))


def vec(tape: Tape, values: Sequence[object]) -> Vec:
    """Numbers or SymPy expressions onto the tape."""
    return Vec(*(tape.number(value) for value in values))


def mat(tape: Tape, rows: Sequence[Sequence[object]]) -> Mat:
    return Mat(_three(lambda i: vec(tape, rows[i])))


def let_vec(v: Vec, hint: str) -> Vec:
    """Name the three entries hint_x, hint_y, hint_z."""
    let = v.x.tape.let
    return Vec(let(v.x, f"{hint}_x"), let(v.y, f"{hint}_y"), let(v.z, f"{hint}_z"))


def let_mat(m: Mat, hint: str) -> Mat:
    """Name the nine entries hint_xx ... hint_zz."""
    tape = m[0, 0].tape
    return Mat(_three(lambda i: Vec(*(tape.let(m[i, j], f"{hint}_{AXES[i]}{AXES[j]}") for j in range(3)))))


def let_sym(m: Mat, hint: str) -> Mat:
    """Name the six entries of a symmetric matrix; the lower triangle is the upper one."""
    named = {(i, j): m[i, j].tape.let(m[i, j], f"{hint}_{AXES[i]}{AXES[j]}") for i in range(3) for j in range(i, 3)}
    return Mat(_three(lambda i: Vec(*(named[min(i, j), max(i, j)] for j in range(3)))))
