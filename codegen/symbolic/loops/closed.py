"""Forward dynamics of a mechanism with permanent loops, straight-line for a fixed choice of rows and columns (§8).

The choice (`Partition`) is made numerically at a reference configuration. Each route also gives its pivot quality,
which tells a caller when the choice has become a bad one: the smallest pivot of K_S over the largest, or what
elimination leaves of the rows of K M⁻¹ Kᵀ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...program.tape import Scalar, Tape
from ..tree.factor import Factor, ascend, descend, factorise, solve, triangle

Rows = list[list[Scalar]]
NO_FACTOR = Factor((), ())
Pulled = tuple[Scalar, Sequence[Scalar]]
"""What a velocity C v of a cut joint adds to M per CᵀC, and its row C."""


@dataclass(frozen=True)
class Partition:
    """Independent rows of K, and the dependent coordinates that they determine, in order of elimination."""

    rows: tuple[int, ...]
    dependent: tuple[int, ...]
    independent: tuple[int, ...]


@dataclass(frozen=True)
class Closed:
    """Accelerations (nv) of the tree and the pivot quality of the route; of independent coordinates also H and the
    factor of A = WᵀMW."""

    a: list[Scalar]
    quality: Scalar
    H: Rows = field(default_factory=list)
    factor: Factor = NO_FACTOR


def by_multipliers(M: Rows, K: Rows, drift: Sequence[Scalar], force: Sequence[Scalar]) -> Closed:
    """a of  M a = force − Kᵀλ,  K a + drift = 0,  through the factor of M.

    With Lᵀ y_r = K_rᵀ:  (Σ y_r y_s/D) λ = Σ y_r y/D + drift,  then  L a = (y − Σ y_r λ_r)/D.
    """
    tape = force[0].tape
    factor = factorise(triangle(M))
    y = descend(factor, force)
    columns = [descend(factor, row) for row in K]
    scaled = [[tape.let(e * d, "z") for e, d in zip(c, factor.inverse_D, strict=True)] for c in columns]
    gram = [[tape.let(dot(scaled[r], columns[s]), f"G_{r}_{s}") for s in range(r + 1)] for r in range(len(K))]
    right = [tape.let(dot(z, y) + b, "rhs") for z, b in zip(scaled, drift, strict=True)]
    tape.section("multipliers")
    closing = factorise([dict(enumerate(row)) for row in gram])
    multipliers = solve(closing, right)
    tape.section("accelerations")
    for column, value in zip(columns, multipliers, strict=True):
        y = [e - c * value if not c.is_zero else e for e, c in zip(y, column, strict=True)]
    return Closed(ascend(factor, [tape.let(e, "y") for e in y]), independence(closing, [row[-1] for row in gram]))


def by_independent(
    M: Rows,
    K: Rows,
    drift: Sequence[Scalar],
    force: Sequence[Scalar],
    partition: Partition,
    massless: bool = False,
    pulled: Sequence[Pulled] = (),
    limbs: Sequence[Sequence[int]] = (),
) -> Closed:
    """a of  WᵀMW a_G = Wᵀ(force − M [Ḣθ̇_G]_O),  a_S = H a_G + Ḣθ̇_G  [N98 (13)(17)].

    `massless`: pivots of A = WᵀMW beside its diagonal count in the quality, for where M is singular A may be too.
    `pulled`: M + Σ d CᵀC stands in place of M; `limbs`: see `reduced`.
    """
    tape = force[0].tape
    H, shift, pivot_quality = dependence(K, drift, partition)
    known: dict[int, tuple[Sequence[Scalar], Scalar]] = dict(
        zip(partition.dependent, zip(H, shift, strict=True), strict=True)
    )
    nf = len(partition.independent)
    W: Rows = []
    for i in range(len(force)):
        unit = [tape.one if partition.independent[k] == i else tape.zero for k in range(nf)] if i not in known else []
        W.append(list(known[i][0]) if i in known else unit)
    rest = [known[i][1] if i in known else tape.zero for i in range(len(force))]
    tape.section("reduced mass matrix")
    A, right = reduced(M, W, rest, force, limbs)
    for d, row in pulled:
        pull(A, right, d, [tape.let(dot(row, [w[k] for w in W]), "CW") for k in range(nf)], dot(row, rest))
    factor = factorised(A)
    free = solve(factor, right) if nf else []
    if massless:
        for k, inverse in enumerate(factor.inverse_D):
            left = tape.reciprocal(tape.let(A[k][k] * inverse, "left"), "left")
            pivot_quality = tape.call("fmin", pivot_quality, left, hint="least")
    tape.section("accelerations")
    result = [tape.zero] * len(force)
    for k, i in enumerate(partition.independent):
        result[i] = free[k]
    for i, (row, shift_i) in known.items():
        result[i] = tape.let(dot(row, free) + shift_i if nf else shift_i, "a")
    return Closed(result, pivot_quality, H, factor)


def pull(A: Rows, right: list[Scalar], d: Scalar, row: Sequence[Scalar], rest: Scalar) -> None:
    """A += d rowᵀrow, right −= d rowᵀ rest, in place: dampers of a velocity row ẏ + rest."""
    tape = d.tape
    for a, x in enumerate(row):
        if x.is_zero:
            continue
        scaled = tape.let(d * x, "dCW")
        right[a] = tape.let(right[a] - scaled * rest, "b")
        for b in range(a + 1):
            if not row[b].is_zero:
                A[a][b] = A[b][a] = tape.let(A[a][b] + scaled * row[b], f"A_{a}_{b}")


def reduced(
    M: Rows, W: Rows, rest: Sequence[Scalar], force: Sequence[Scalar], limbs: Sequence[Sequence[int]] = ()
) -> tuple[Rows, list[Scalar]]:
    """(A, b) of A ẏ = b, for accelerations W ẏ + rest: A = WᵀMW, b = Wᵀ(force − M rest).

    `limbs`: rows whose part of a sum is summed apart: what limbs that are alike give can so stand side by side.
    """
    tape, nf = force[0].tape, len(W[0])
    MW = [[tape.let(dot(row, [W[j][k] for j in range(len(row))]), "MW") for k in range(nf)] for row in M]
    remaining = [tape.let(f - dot(row, rest), "f") for f, row in zip(force, M, strict=True)]
    columns = [[w[k] for w in W] for k in range(nf)]
    A = [[tape.zero] * nf for _ in range(nf)]
    for a in range(nf):
        image = [row[a] for row in MW]
        for b in range(a + 1):
            A[a][b] = A[b][a] = tape.let(_summed(columns[b], image, limbs), f"A_{a}_{b}")
    return A, [tape.let(_summed(columns[k], remaining, limbs), f"b_{k}") for k in range(nf)]


def _summed(a: Sequence[Scalar], b: Sequence[Scalar], limbs: Sequence[Sequence[int]]) -> Scalar:
    """Their dot product, the part of each of the limbs apart."""
    others = sorted(set(range(len(a))).difference(*limbs))
    total = dot([a[i] for i in others], [b[i] for i in others]) if others else a[0].tape.zero
    for limb in limbs:
        total = total + a[0].tape.let(dot([a[i] for i in limb], [b[i] for i in limb]), "WMW")
    return total


def factorised(A: Rows) -> Factor:
    """The factor of A; of nothing where a mechanism is locked."""
    return factorise(triangle(A)) if A else NO_FACTOR


@dataclass(frozen=True)
class Eliminated:
    """K_S⁻¹ of the rows of a partition, applied: H = −K_S⁻¹K_G, shift = −K_S⁻¹ right, the pivots in their order, and
    what is left of the columns K_G of `others`, rows that are not the partition's: zero where they follow from them."""

    H: Rows
    shift: list[Scalar]
    pivots: list[Scalar]
    left: Rows


def dependence(K: Rows, drift: Sequence[Scalar], partition: Partition) -> tuple[Rows, list[Scalar], Scalar]:
    """(H, Ḣθ̇_G, quality): the dependent columns eliminated."""
    found = eliminated(K, drift, partition)
    return found.H, found.shift, smallest_over_largest(drift[0].tape, found.pivots)


def eliminated(K: Rows, right: Sequence[Scalar], partition: Partition, others: Sequence[int] = ()) -> Eliminated:
    """Gauss–Jordan elimination of the dependent columns in the order of the partition."""
    tape, m = right[0].tape, len(partition.rows)
    rows = [dict(_sparse(K[r])) for r in (*partition.rows, *others)]
    shift = [right[r] for r in partition.rows]
    pivots = []
    tape.section("elimination")
    for step, column in enumerate(partition.dependent):
        pivot = rows[step][column]
        pivots.append(pivot)
        inverse = tape.reciprocal(pivot, f"ip_{step}")
        rows[step] = {j: tape.let(e * inverse, "k") for j, e in rows[step].items() if j != column}
        shift[step] = tape.let(shift[step] * inverse, "k")
        for other in range(len(rows)):
            factor = rows[other].pop(column, None) if other != step else None
            if factor is None or factor.is_zero:
                continue
            for j, e in rows[step].items():
                rows[other][j] = tape.let(rows[other].get(j, tape.zero) - factor * e, "k")
            if other < m:
                shift[other] = tape.let(shift[other] - factor * shift[step], "k")
    H = [[-row.get(j, tape.zero) for j in partition.independent] for row in rows[:m]]
    left = [[row.get(j, tape.zero) for j in partition.independent] for row in rows[m:]]
    return Eliminated(H, [-s for s in shift], pivots, left)


def independence(factor: Factor, diagonal: Sequence[Scalar]) -> Scalar:
    """min D/G over the rows of a positive definite G: what elimination leaves of a row, 0 where it follows from others.

    A pure number, whatever the units of the rows and the inertias behind them.
    """
    tape = diagonal[0].tape
    lost = [tape.let(g * inverse, "lost") for g, inverse in zip(diagonal, factor.inverse_D, strict=True)]
    return tape.reciprocal(extremes(tape, lost)[1], "k")


def smallest_over_largest(tape: Tape, values: Sequence[Scalar]) -> Scalar:
    """min |x| / max |x|."""
    least, most = extremes(tape, values)
    return least * tape.reciprocal(most, "k")


def extremes(tape: Tape, values: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
    """min |x| and max |x|."""
    sizes = [tape.call("Abs", value, hint="size") for value in values]
    return _paired(tape, "fmin", sizes, "least"), _paired(tape, "fmax", sizes, "most")


def _paired(tape: Tape, name: str, values: Sequence[Scalar], hint: str) -> Scalar:
    """The function of all values two by two, so that few of its calls wait for each other."""
    while len(values) > 1:
        pairs = [tape.call(name, a, b, hint=hint) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = [*pairs, *values[len(values) - len(values) % 2 :]]
    return values[0]


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total = a[0].tape.zero
    for x, y in zip(a, b, strict=True):
        if not (x.is_zero or y.is_zero):
            total = total + x * y
    return total


def _sparse(row: Sequence[Scalar]) -> list[tuple[int, Scalar]]:
    return [(j, entry) for j, entry in enumerate(row) if not entry.is_zero]
