"""The equations of closed loops, in closed form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import locked_rows
from kinegen.runtime.typed import typed

from ..mechanism.mechanism import Mechanism
from ..symbolic.symbols import Symbols
from .forms.form import Form
from .forms.linear import Rows
from .forms.loop_forms import LoopForms


@dataclass(frozen=True)
class LoopEquations:
    """Loop Jacobians, H, W, S and the equations of motion in θ_G [N98 §2], in closed form.

    θ_J = [v; velocities of the cut joints]. Closed forms hold on the closure, where q satisfies `closure` = 0. In a
    tree there are no loops, all velocities are independent and W is the unit matrix. `given`: closed forms by name.
    """

    mechanism: Mechanism
    symbols: Symbols
    forms: LoopForms
    given: Callable[[str], Form]

    # ---- Velocities

    @property
    def v_cut(self) -> Form:
        """(N_J − nv) velocities of the cut joints, loop by loop."""
        return column(self.symbols.v_cut)

    @property
    def v_J(self) -> Form:
        """(N_J) θ̇_J: velocities of the tree, then of the cut joints; columns of J_C."""
        return column((*self.symbols.v, *self.symbols.v_cut))

    @property
    def v_S(self) -> Form:
        """(N_J − nf) dependent velocities θ̇_S = H θ̇_G: columns of J_S, rows of H."""
        return Form(len(self.forms.split.dependent), 1, [self.v_J[j] for j in self.forms.split.dependent])

    @property
    def v_G(self) -> Form:
        """(nf) independent velocities θ̇_G: columns of J_G, H, W and S."""
        return Form(len(self.forms.split.independent), 1, [self.v_J[j] for j in self.forms.split.independent])

    @property
    def v_A(self) -> Form:
        """(N_A) velocities of the actuated joints θ̇_A = S θ̇_G."""
        actuated = self.forms.actuated()
        return Form(len(actuated), 1, [self.v_J[j] for j in actuated])

    @cached_property
    def cut_angles(self) -> Mapping[sympy.Symbol, sympy.Expr]:
        """Coordinates of cut joints that parallel axes make sums of the tree's: {q_tip: q_pivot + q_knee − q_base}."""
        found, place = {}, 0
        for virtual, angle in zip(self.mechanism.virtual_links, self.forms.cut_angles(), strict=True):
            if angle is not None:
                found[self.symbols.q_cut[place]] = angle
            place += virtual.joint.nv
        return found

    def in_cut_angles(self, form: Form) -> Form:
        """A form with sines and cosines of `cut_angles` written with the cut joints' own coordinates."""
        if not isinstance(form, sympy.MatrixBase):
            raise ModelError(f"in_cut_angles: expected a form, such as H or W, got {shown(form)}")
        turned = {}
        for wave in form.atoms(sympy.sin, sympy.cos):
            for symbol, angle in self.cut_angles.items():
                if sympy.expand(wave.args[0] - angle) == 0:
                    turned[wave] = wave.func(symbol)
                elif sympy.expand(wave.args[0] + angle) == 0:
                    turned[wave] = wave.func(-symbol)
        return Form(form.xreplace(turned))

    # ---- Closure

    @property
    def closure(self) -> Form:
        """The loops' equations = 0: the gap of each loop, without rows that are zero.

        Linear rows in the axes of J_C if the cut joint locks them all, other rows in the cut joint's frame.
        """
        return _nonzero(self.given("closure_equations")) if self.mechanism.virtual_links else Form(0, 1, [])

    @property
    def J_C(self) -> Form:
        """(6L, N_J) J_C θ̇_J = 0, six rows a loop [linear; angular] [N98 (5)(6)].

        In the axes of the link that the two sides of the loop share: world for a loop through the world. The kernel's,
        program("closure_jacobian"), is in world axes.
        """
        return self._form_of(self.forms.J_C(), self.forms.columns())

    @typed
    def J_L(self, joint: str) -> Form:
        """(6, N_J) the rows of J_C of the loop that is cut at a joint. ModelError for an unknown one."""
        names = [virtual.joint.name for virtual in self.mechanism.virtual_links]
        if joint not in names:
            cut = f"the cut joints are: {', '.join(names)}" if names else "it has no loops"
            raise ModelError(f"mechanism '{self.mechanism.name}' has no loop cut at '{joint}'; {cut}")
        first = 6 * names.index(joint)
        return self._form_of(self.forms.J_C()[first : first + 6], self.forms.columns())

    @property
    def dJ_theta(self) -> Form:
        """(6L) J̇_C θ̇_J: the loops' accelerations at θ̈_J = 0, axes as J_C [N98 (16)]."""
        return self._form_of(self.forms.rows("loop_bias") if self.mechanism.virtual_links else [], 1)

    @property
    def J_S(self) -> Form:
        """(m, m) independent rows of J_C, columns of the dependent velocities `v_S` [N98 (11)]."""
        split = self.forms.split
        J = self.forms.J_C() if split.rows else []
        return self._form_of([[J[r][c] for c in split.dependent] for r in split.rows], len(split.dependent))

    @property
    def J_G(self) -> Form:
        """(m, nf) the same rows, columns of the independent velocities `v_G`."""
        split = self.forms.split
        J = self.forms.J_C() if split.rows else []
        return self._form_of([[J[r][c] for c in split.independent] for r in split.rows], len(split.independent))

    @property
    def H(self) -> Form:
        """(m, nf) θ̇_S = H θ̇_G, H = −J_S⁻¹ J_G [N98 (12)]."""
        return self._form_of(self.forms.H(), self._nf)

    @property
    def dH_theta(self) -> Form:
        """(m) Ḣθ̇_G = −J_S⁻¹ (J̇θ̇): θ̈_S = H θ̈_G + Ḣθ̇_G [N98 (13)]; in all velocities of the tree."""
        return self._form_of(self.forms.turning(), 1)

    @property
    def W(self) -> Form:
        """(nv, nf) ∂θ_O/∂θ_G [N98 (3)]."""
        return self._form_of(self.forms.W(), self._nf)

    @property
    def S(self) -> Form:
        """(N_A, nf) ∂θ_A/∂θ_G [N98 (4)]: rows as `v_A`."""
        return self._form_of(self.forms.S(), self._nf)

    # ---- Constraint forces:  M v̇ + bias = τ + Kᵀ multipliers,  K v = 0,  K v̇ + dK_v = 0

    @property
    def K(self) -> Form:
        """(m, nv) K v = 0: what each cut joint locks, a row each, in the axes of its frame on the parent.

        Of what rolls: the slip of the material at the point of contact, z normal to the plane.
        """
        return self._locked("closure_rows", self.mechanism.tree.nv)

    @property
    def dK_v(self) -> Form:
        """(m) K̇ v: rates of these rows at v̇ = 0."""
        return self._locked("closure_rows_bias", 1)

    @property
    def multipliers(self) -> Form:
        """(m) λ: what the child feels along the rows of K, forces lambda_JOINT_x, _y, _z, moments _rx, _ry, _rz."""
        return column(self.symbols.multipliers)

    def _locked(self, name: str, columns: int) -> Form:
        if not self.mechanism.virtual_links:
            return Form(0, columns, [])
        whole = self.given(name)
        rows = locked_rows(loop.joint.kind for loop in self.mechanism.virtual_links)
        return Form(len(rows), columns, [whole[i, j] for i in rows for j in range(columns)])

    # ---- Dynamics

    @property
    def A(self) -> Form:
        """(nf, nf) mass matrix of the closed mechanism WᵀMW:  A θ̈_G + b = Wᵀτ_O = Sᵀτ_A."""
        return self._form_of(self.forms.A(), self._nf)

    @property
    def b(self) -> Form:
        """(nf) Wᵀ(M [Ḣθ̇_G]_O + bias); in all velocities of the tree."""
        return self._form_of(self.forms.b(), 1)

    @property
    def _nf(self) -> int:
        return len(self.forms.split.independent)

    def _form_of(self, rows: Rows, columns: int) -> Form:
        return self.forms.form(rows, columns)


def column(symbols: tuple[sympy.Symbol, ...]) -> Form:
    return Form(len(symbols), 1, symbols)


def _nonzero(form: Form) -> Form:
    rows = [i for i in range(form.rows) if any(entry != 0 for entry in form[i, :])]  # SymPy's is_zero is slow
    return Form(len(rows), form.cols, [form[i, j] for i in rows for j in range(form.cols)])
