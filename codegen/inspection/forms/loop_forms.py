"""The equations of closed loops as polynomials, each worked out when it is first needed (§8) [N98 §2]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

import sympy

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS

from ...mechanism.elements.joint import Joint
from ...mechanism.mechanism import Mechanism
from ...program.types import Function
from .closed_form import shortest
from .form import Form
from .linear import ONE, ZERO, Rows, TooCoupled, divides, negative, product, shortened, solve, transposed, weighted
from .polynomial import Atoms, IllegibleError, Key, Terms, TooLarge, divided, plus
from .readable import readable
from .split import Samples, Split, choose_split, samples

HINGES = [name for name, kind in KINDS.items() if kind.one_dof and kind.turns]
ROUNDING = 1e-12


@contextmanager
def legible(mechanism: Mechanism) -> Iterator[None]:
    """Too large to read → ModelError that names the factored forms."""
    try:
        yield
    except (TooLarge, TooCoupled):
        raise IllegibleError(
            f"mechanism '{mechanism.name}': the closed form of its loop equations is too large to read: use "
            "program('closure_jacobian'), program('dependence') and program('forward_dynamics_closed'), the factored "
            "forms"
        ) from None


@dataclass(frozen=True)
class LoopForms:
    """Entries of J_C, H, W, S, A, b as polynomials over the table of atoms that all equations share.

    `routes` gives the factored forms of a quantity by name; `leaders` are the independent entries of v, None for those
    of the compiled model.
    """

    mechanism: Mechanism
    atoms: Atoms
    routes: Callable[[str], list[Function]]
    leaders: tuple[int, ...] | None = None
    _known: dict[str, Rows] = field(default_factory=dict, init=False, compare=False)

    @cached_property
    def samples(self) -> Samples:
        return samples(self.mechanism)

    @cached_property
    def split(self) -> Split:
        """Rows and columns of [J_S J_G]."""
        if not self.mechanism.virtual_links:
            return Split((), (), tuple(range(self.mechanism.tree.nv)))
        return choose_split(self.samples, [sum(map(len, row)) for row in self.J_C()], self.leaders)

    def columns(self) -> int:
        """N_J: dofs of the tree, then of the cut joints."""
        return self.mechanism.tree.nv + sum(self._cut_sizes())

    def _cut_sizes(self) -> list[int]:
        return [virtual.joint.nv for virtual in self.mechanism.virtual_links]

    def actuated(self) -> list[int]:
        """Columns of θ_A in θ_J: actuated joints of the tree, then cut ones."""
        found: list[int] = []
        for body in self.mechanism.tree.bodies:
            if body.joint.actuated and body.nv:
                found += range(body.v_start, body.v_start + body.nv)
        start = self.mechanism.tree.nv
        for virtual, size in zip(self.mechanism.virtual_links, self._cut_sizes(), strict=True):
            if virtual.joint.actuated:
                found += range(start, start + size)
            start += size
        return found

    # ---- Polynomials

    def rows(self, name: str) -> Rows:
        """The only output of a program, as rows."""
        if name not in self._known:
            routes = self.routes(name)
            (output,) = routes[0].outputs
            width = output.shape[1] if len(output.shape) > 1 else 1
            with legible(self.mechanism):
                entries = shortest(routes, self.atoms, slice(None))
            self._known[name] = [entries[i : i + width] for i in range(0, len(entries), width)]
        return self._known[name]

    def J_C(self) -> Rows:
        if not self.mechanism.virtual_links:
            return []
        return self.rows("loop_jacobian")

    @cached_property
    def _solved(self) -> Rows:
        """[H | Ḣθ̇_G] (N_J − nf, nf + 1) = −J_S⁻¹ [J_G | J̇θ̇]."""
        split = self.split
        if not split.rows:
            return []
        J, drift = self.J_C(), self.rows("loop_bias")
        left = [[J[r][c] for c in split.dependent] for r in split.rows]
        right = [[*(negative(J[r][c]) for c in split.independent), negative(drift[r][0])] for r in split.rows]
        with legible(self.mechanism):
            return solve(left, right, self.atoms)

    def cut_angles(self) -> list[sympy.Expr | None]:
        """Per loop: the angle of its cut joint where parallel axes make it a sum of the tree's angles."""
        joints = [virtual.joint for virtual in self.mechanism.virtual_links]
        if not any(joint.kind in HINGES for joint in joints):
            return [None] * len(joints)
        try:
            poses = self.rows("cut_poses")
        except ModelError:  # too large: no such sums
            return [None] * len(joints)
        pairs = zip(joints, poses, strict=True)
        return [self._angle(joint, pose) if joint.kind in HINGES else None for joint, pose in pairs]

    def _angle(self, joint: Joint, pose: list[Terms]) -> sympy.Expr | None:
        """θ of R = rotation about the axis n, from cos θ = (tr R − 1)/2 and sin θ = n · vee(R − Rᵀ)/2."""
        if not all(isinstance(entry, (int, float)) for entry in joint.axis):
            return None
        R = [pose[4 * i : 4 * i + 3] for i in range(3)]
        cosine = weighted([(0.5, R[0][0]), (0.5, R[1][1]), (0.5, R[2][2]), (-0.5, ONE)], self.atoms)
        turns = ((2, 1), (0, 2), (1, 0))
        parts = [(sign * float(n) / 2, R[i][j]) for n, (a, b) in zip(joint.axis, turns, strict=True)
                 for sign, i, j in ((1.0, a, b), (-1.0, b, a))]  # fmt: skip
        sine = weighted(parts, self.atoms)
        if len(cosine) != 1 or len(sine) != 1:
            return None
        ((cos_key, one),), ((sin_key, sign),) = cosine.items(), sine.items()
        turn = self.atoms.turns.get(cos_key[0]) if len(cos_key) == 1 else None
        if turn is None or cos_key != (turn.cos,) or sin_key != (turn.sin,):
            return None
        if abs(one - 1.0) > ROUNDING or abs(abs(sign) - 1.0) > ROUNDING:
            return None
        return turn.angle if sign > 0 else -turn.angle

    def H(self) -> Rows:
        return [row[:-1] for row in self._solved]

    def turning(self) -> Rows:
        """Ḣθ̇_G, a column."""
        return [row[-1:] for row in self._solved]

    def all_rows(self) -> Rows:
        """∂θ_J/∂θ_G (N_J, nf): rows of H and unit rows."""
        split = self.split
        known = dict(zip(split.dependent, self.H(), strict=True))
        return [
            known[j] if j in known else [ONE if k == j else ZERO for k in split.independent]
            for j in range(self.columns())
        ]

    def W(self) -> Rows:
        return self.all_rows()[: self.mechanism.tree.nv]

    def S(self) -> Rows:
        rows = self.all_rows()
        return [rows[j] for j in self.actuated()]

    def A(self) -> Rows:
        """Wᵀ M W, symmetric."""
        W = self.W()
        with legible(self.mechanism):
            A = product(transposed(W), product(self.rows("mass_matrix"), W, self.atoms), self.atoms)
        return [[shortened(A[max(i, k)][min(i, k)], self.atoms) for k in range(len(A))] for i in range(len(A))]

    def b(self) -> Rows:
        """Wᵀ (M [Ḣθ̇_G]_O + h), a column."""
        nv = self.mechanism.tree.nv
        rest = dict(zip(self.split.dependent, self.turning(), strict=True))
        shift = [rest.get(j, [ZERO]) for j in range(nv)]
        with legible(self.mechanism):
            force = product(self.rows("mass_matrix"), shift, self.atoms)
            force = [[plus(self.atoms, f[0], h[0])] for f, h in zip(force, self.rows("bias"), strict=True)]
            return [[shortened(e[0], self.atoms)] for e in product(transposed(self.W()), force, self.atoms)]

    # ---- Forms

    def form(self, rows: Rows, columns: int) -> Form:
        """The same as a SymPy matrix, written as on paper: what has one denominator stands over it."""
        return Form(len(rows), columns, [self._written(entry) for row in rows for entry in row])

    def _written(self, entry: Terms) -> sympy.Expr:
        over: dict[Key, Terms] = {}
        for key, factor in entry.items():
            under = tuple(atom for atom in key if divides(atom, self.atoms))
            over.setdefault(under, {})[divided(key, under)] = factor
        return sympy.Add(
            *(readable(terms, self.atoms, ratio=bool(under)) * self._product(under) for under, terms in over.items())
        )

    def _product(self, key: Key) -> sympy.Expr:
        return sympy.Mul(*(self.atoms.exprs[atom] for atom in key))
