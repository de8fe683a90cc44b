"""The equations of closed loops as polynomials, each worked out when it is first needed (§8) [N98 §2]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

import sympy

from kinegen.runtime.errors import ModelError

from ..mechanism.mechanism import Mechanism
from ..mechanism.types import SIZES
from ..program.types import Function
from .closed_form import shortest
from .form import Form
from .linear import ONE, ZERO, Rows, TooCoupled, divides, negative, product, shortened, solve, transposed
from .polynomial import Atoms, Key, Terms, TooLarge, divided, plus
from .readable import readable
from .split import Samples, Split, choose_split, samples


@contextmanager
def legible(mechanism: Mechanism) -> Iterator[None]:
    """Too large to read → ModelError that names the factored forms."""
    try:
        yield
    except (TooLarge, TooCoupled):
        raise ModelError(
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
        return [SIZES[virtual.joint.kind][1] for virtual in self.mechanism.virtual_links]

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
