"""Forward dynamics along clusters of loops: articulated bodies whose joints are whole clusters (§8) [Chignoli23].

Loops that share bodies form a cluster; all of it hangs on one segment. Its velocities are v_c = W_c y_c, and it answers
an acceleration x of that segment as a joint with several axes does: with M_c, F_c, u_c of its open tree,
D = WᵀM_cW,  D ẏ = Wᵀ(u_c − M_c g − F_c x),  v̇_c = W ẏ + g.  That eliminates A = WᵀMW of the whole from its leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...program.tape import Scalar, Tape
from ..tree.articulated import Articulated, Forced, Six, Sweep, arrived, carried
from ..tree.factor import Factor, ascend, descend
from ..tree.mass_matrix import along
from ..tree.rotation import up
from ..tree.segments import Column, Segment
from ..vector import Vec, let_vec, zero
from .closed import Closed, Partition, Rows, dependence, dot, factorised, reduced
from .closure import Loop


@dataclass(frozen=True)
class Cluster:
    """Segments that loops tie together, parents first, and the segment on which they hang (-1: world)."""

    segments: tuple[int, ...]
    parent: int

    def columns(self, chain: Sequence[Segment]) -> list[Column]:
        return [column for i in self.segments for column in chain[i].columns]


def merged(sets: Iterable[set[int]]) -> list[set[int]]:
    """Those that share members are one, also by others between them."""
    found: list[set[int]] = []
    for one in sets:
        met = [other for other in found if other & one]
        found = [other for other in found if not other & one] + [one.union(*met)]
    return found


def clusters_of(chain: Sequence[Segment], loops: Sequence[Loop]) -> list[Cluster]:
    """The clusters of these loops; segments of no loop are in none, nor are those of loops in which nothing moves."""
    found = sorted(map(sorted, merged({*loop.parent_path, *loop.child_path} for loop in loops)))
    clusters = [Cluster(tuple(members), chain[members[0]].parent) for members in found if members]
    return [cluster for cluster in clusters if cluster.columns(chain)]


@dataclass(frozen=True)
class Ties:
    """What the loops make of the velocities: H, Ḣθ̇_G, the pivot quality."""

    partition: Partition
    H: Rows
    shift: Sequence[Scalar]
    quality: Scalar

    def of(self, indices: Sequence[int], tape: Tape) -> tuple[Rows, list[Scalar]]:
        """(W, g) of these velocities: v̇ = W ẏ + g, y the independent ones among them."""
        own = set(indices)
        place = [k for k, j in enumerate(self.partition.independent) if j in own]
        rows = {i: k for k, i in enumerate(self.partition.dependent) if i in own}
        W = []
        for i in indices:
            unit = [tape.one if self.partition.independent[k] == i else tape.zero for k in place]
            W.append([self.H[rows[i]][k] for k in place] if i in rows else unit)
        return W, [self.shift[rows[i]] if i in rows else tape.zero for i in indices]


@dataclass
class _Gathered:
    """What the segments of a cluster, which are left one by one, add up to: M_c (by pairs of indices of v), F_c
    (wrench on its parent per unit of each velocity), u_c, and the articulated body that its parent carries at v̇_c = 0.
    """

    M: dict[tuple[int, int], Scalar] = field(default_factory=dict)
    F: dict[int, Six] = field(default_factory=dict)
    u: dict[int, Scalar] = field(default_factory=dict)
    body: Articulated | None = None
    left: int = 0


@dataclass(frozen=True)
class _Solved:
    """ẏ of a cluster: L ẏ = (y − Y_n·ω̇ − Y_f·a)/D under the acceleration of its parent; v̇ (`indices`) = W ẏ + g."""

    indices: tuple[int, ...]
    W: Rows
    g: Sequence[Scalar]
    factor: Factor
    y: Sequence[Scalar]
    Y: Sequence[Six]

    def rates(self, dw: Vec, a: Vec) -> dict[int, Scalar]:
        """v̇ under the parent's acceleration."""
        tape = dw.x.tape
        right = [tape.let(y - n.dot(dw) - f.dot(a), "y") for y, (n, f) in zip(self.y, self.Y, strict=True)]
        free = ascend(self.factor, right) if right else []
        rows = zip(self.indices, self.W, self.g, strict=True)
        return {i: tape.let(dot(row, free) + g if free else g, "dv") for i, row, g in rows}


def by_clusters(of: Forced, loops: Sequence[Loop], K: Rows, drift: Sequence[Scalar], partition: Partition) -> Closed:
    """Accelerations of the closed mechanism; the chain may carry regrouped inertias. No joint follows another one by a
    mimic."""
    H, shift, quality = dependence(K, drift, partition)
    sweep = _ClusterSweep(of, clusters_of(of.chain, loops), Ties(partition, H, shift, quality))
    return Closed(sweep.accelerations(), quality)


class _ClusterSweep(Sweep):
    """Segments of a cluster are gathered as they are left, and solved together."""

    def __init__(self, of: Forced, clusters: Sequence[Cluster], ties: Ties) -> None:
        super().__init__(of)
        self.ties = ties
        self.owner = {i: cluster for cluster in clusters for i in cluster.segments}
        self.drifting: dict[int, Six] = {}  # (ω̇, a) of a segment where nothing of its cluster accelerates
        self.gathered = {cluster: _Gathered() for cluster in clusters}
        self.solved: dict[Cluster, _Solved] = {}

    def enter(self, i: int) -> None:
        super().enter(i)
        if cluster := self.owner.get(i):
            segment = self.chain[i]
            inner = segment.parent != cluster.parent
            start = self.drifting[segment.parent] if inner else (zero(self.tape), zero(self.tape))
            self.drifting[i] = arrived(segment, self.motion[i], *start)

    def leave(self, i: int) -> None:
        if i in self.owner:
            self._gather(i)
        else:
            super().leave(i)

    def accelerate(self, i: int, dw: Vec, a: Vec, result: list[Scalar]) -> Six:
        cluster, segment = self.owner.get(i), self.chain[i]
        if cluster is None:
            return super().accelerate(i, dw, a, result)
        if i == cluster.segments[0]:
            for index, rate in self.solved[cluster].rates(dw, a).items():
                result[index] = rate
        dw, a = arrived(segment, self.motion[i], dw, a)
        for column in segment.columns:
            dw, a = column.moved(dw, a, result[column.index], segment.name)
        return dw, a

    def _gather(self, i: int) -> None:
        """A segment of a cluster: rows of M_c, F_c and u_c for its axes; what it carries goes on as it is."""
        segment, cluster, body = self.chain[i], self.owner[i], self.bodies.pop(i)
        gathered, name = self.gathered[cluster], segment.name
        for k, column in enumerate(segment.columns):
            n, f = body.response(column, name)
            own = along(column, f, n) + column.armature + self.extra.get(column.index, self.tape.zero)
            self._entry(gathered, column, column, own)
            for other in segment.columns[:k]:
                self._entry(gathered, column, other, along(other, f, n))
            drift = along(column, body.p_f, body.p_n) + n.dot(self.drifting[i][0]) + f.dot(self.drifting[i][1])
            gathered.u[column.index] = self.tape.let(self.tau[column.index] - drift, f"u_{name}")
            gathered.F[column.index] = self._carried_up(i, column, n, f)
        inner = segment.parent != cluster.parent
        if segment.parent >= 0:
            moved = carried(segment, body, self.motion[i])
            if inner:
                self.add(segment.parent, moved)
            else:
                gathered.body = moved if gathered.body is None else gathered.body + moved
        gathered.left += 1
        if gathered.left == len(cluster.segments):
            rest = self._solve(cluster, gathered)
            if rest is not None:
                self.add(cluster.parent, rest)

    def _entry(self, gathered: _Gathered, a: Column, b: Column, value: Scalar) -> None:
        value = self.tape.let(value, "M")
        gathered.M[a.index, b.index] = gathered.M[b.index, a.index] = value

    def _carried_up(self, i: int, column: Column, n: Vec, f: Vec) -> Six:
        """Entries of M_c for the ancestors of segment i in its cluster; the wrench that is left on its parent."""
        cluster = self.owner[i]
        while i != cluster.parent:
            segment = self.chain[i]
            f = up(segment, f, f"f_{segment.name}")
            n = let_vec(segment.R.apply(n) + segment.p.cross(f), f"n_{segment.name}")
            i = segment.parent
            for other in self.chain[i].columns if i != cluster.parent else ():
                self._entry(self.gathered[cluster], column, other, along(other, f, n))
        return n, f

    def _solve(self, cluster: Cluster, gathered: _Gathered) -> Articulated | None:
        """The cluster's axes are solved; what its parent carries then, None for world."""
        tape, o = self.tape, self.tape.zero
        indices = tuple(column.index for column in cluster.columns(self.chain))
        W, g = self.ties.of(indices, tape)
        M = [[gathered.M.get((i, j), o) for j in indices] for i in indices]
        tape.section(f"{self.chain[cluster.segments[0]].name}, cluster")
        A, right = reduced(M, W, g, [gathered.u[i] for i in indices])
        factor = factorised(A)
        parts = [[gathered.F[i][k][axis] for i in indices] for k in range(2) for axis in range(3)]
        U = [[tape.let(dot([w[k] for w in W], part), "U") for k in range(len(A))] for part in parts]
        Y = [descend(factor, column) if A else [] for column in U]
        wrenches = [(Vec(*(row[k] for row in Y[:3])), Vec(*(row[k] for row in Y[3:]))) for k in range(len(A))]
        y = descend(factor, right) if A else []
        self.solved[cluster] = _Solved(indices, W, g, factor, y, wrenches)
        if gathered.body is None:
            return None
        body = gathered.body
        for i, rate in zip(indices, g, strict=True):
            n, f = gathered.F[i]
            body = Articulated(body.I, body.H, body.M, body.p_n + n * rate, body.p_f + f * rate)
        for (n, f), value, inverse in zip(wrenches, y, factor.inverse_D, strict=True):
            body = body.less((n, f), (let_vec(n * inverse, "Vn"), let_vec(f * inverse, "Vf")), value)
        return body
