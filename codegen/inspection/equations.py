"""What `kg.derive(mechanism)` returns: the equations of motion to look at, nothing computed before it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from kinegen.runtime.errors import ModelError
from kinegen.runtime.parts import PartMethod, PartProperty
from kinegen.runtime.typed import typed

from ..mechanism.mechanism import Mechanism
from ..symbolic.tree.causes import torque_terms
from .base_parameters import BaseForm, base_form, inertial_symbols
from .causes import TorqueTable, torque_table
from .derived import Derived
from .factored import Factored
from .forms.form import Form
from .kinematics import Kinematics
from .latex import latex
from .linear_equations import LinearEquations, linear_equations
from .loop_equations import LoopEquations, column
from .renamed import renamed
from .sources import names_of


@dataclass(frozen=True, repr=False)
class Equations:
    """M(q) v̇ + c(q, v) + g(q) = τ of a mechanism, in closed form (SymPy) and in factored form (`program`).

    Of a mechanism with closed loops they hold with Kᵀλ beside τ (`multipliers`); A θ̈_G + b = Sᵀτ_A are its own.

    q, v as in mathematics §1 (Pinocchio's layout; quaternions x y z w of unit norm; velocities in the child's frame);
    world axes unless said otherwise. Closed forms are for small mechanisms: a large one raises ModelError, which names
    the way out. A closed form equals the factored form for unit quaternions and up to rounding of its numbers.
    """

    mechanism: Mechanism
    independent: tuple[str, ...] = ()
    names: tuple[tuple[str, str | sympy.Symbol], ...] = ()

    @cached_property
    def _derived(self) -> Derived:
        return Derived(self.mechanism, self.independent, dict(self.names))

    # ---- Symbols

    @property
    def q(self) -> Form:
        """(nq) coordinates, a column of symbols."""
        return column(self._derived.symbols.q)

    @property
    def v(self) -> Form:
        """(nv) velocities."""
        return column(self._derived.symbols.v)

    @property
    def a(self) -> Form:
        """(nv) accelerations v̇."""
        return column(self._derived.symbols.a)

    @property
    def tau(self) -> Form:
        """(nv) joint torques and forces."""
        return column(self._derived.symbols.tau)

    @property
    def parameters(self) -> tuple[sympy.Symbol, ...]:
        """The symbols that the description leaves open, sorted by name."""
        return self._derived.symbols.parameters

    # ---- Dynamics

    @property
    def M(self) -> Form:
        """(nv, nv) mass matrix."""
        return self.closed_form("mass_matrix")

    @property
    def bias(self) -> Form:
        """(nv) c(q, v) + g(q): torques at v̇ = 0."""
        return self.closed_form("bias")

    @property
    def coriolis(self) -> Form:
        """(nv) c(q, v): Coriolis and centrifugal torques, bias − gravity."""
        return self.closed_form("coriolis")

    @property
    def C(self) -> Form:
        """(nv, nv) C(q, v) with C v = coriolis for which Ṁ − 2C is skew; Christoffel's where q̇ = v."""
        return self.closed_form("coriolis_matrix")

    @property
    def gravity(self) -> Form:
        """(nv) g(q): torques that hold the mechanism still."""
        return self.closed_form("gravity")

    @property
    def inverse_dynamics(self) -> Form:
        """(nv) τ = M v̇ + bias."""
        return self.closed_form("inverse_dynamics")

    @property
    def rotors(self) -> Form:
        """(nv, nv) the part of M that the joints' armatures are."""
        return Form(sympy.diag(*self.closed_form("armatures")))

    # ---- Forces of the joints themselves: M v̇ + c + g + springs + dampers + dry_friction = τ

    @property
    def springs(self) -> Form:
        """(nv) stiffness (q − rest). ModelError for springs of rotations and of joints that close loops."""
        return self.closed_form("springs")

    @property
    def dampers(self) -> Form:
        """(nv) damping v."""
        return self.closed_form("dampers")

    @property
    def dry_friction(self) -> Form:
        """(nv) friction v/√(v² + 0.001²)."""
        return self.closed_form("dry_friction")

    @property
    def actuation(self) -> Form:
        """(nv, N) B: τ = B u, where u are the torques of the actuated joints of the tree, in the order of v."""
        driven = [i for b in self.mechanism.tree.bodies if b.joint.actuated for i in range(b.v_start, b.v_start + b.nv)]
        return column(()) if not driven else Form(self.mechanism.tree.nv, len(driven), lambda i, j: int(i == driven[j]))

    @property
    def spring_energy(self) -> sympy.Expr:
        """Σ ½ stiffness (q − rest)²."""
        return self.closed_form("spring_energy")[0]

    @typed
    def torque_terms(self, joint: str, *, force: bool = False) -> TorqueTable:
        """The torque of a joint as a table: link × cause (acceleration, centrifugal, gravity) → expression [B].

        Of a closed mechanism that of its tree, cut open; Wᵀ of all joints' terms are those of the `independent` ones.
        ModelError if it is too large to read; `force=True` gives it all the same, by plain substitution.
        """
        function = renamed(torque_terms(self.mechanism, joint), self._derived.renaming)
        return torque_table(self.mechanism, joint, function, self._derived.atoms, force=force)

    @property
    def kinetic_energy(self) -> sympy.Expr:
        """½ vᵀ M v."""
        return self._derived.form("energy", part=slice(0, 1))[0]

    @property
    def potential_energy(self) -> sympy.Expr:
        """Energy in the field of gravity, zero at the height of the world's origin."""
        return self._derived.form("energy", part=slice(1, 2))[0]

    @property
    def momentum(self) -> Form:
        """(6) [linear; angular about the centre of mass], world axes."""
        return self.closed_form("momentum")

    @typed
    def linearize(
        self,
        q: Sequence[Any] | None = None,
        v: Sequence[Any] | None = None,
        a: Sequence[Any] | None = None,
        *,
        tau: Sequence[Any] | None = None,
    ) -> LinearEquations:
        """ẋ = A x + B u about q (nq; symbols if not given), of numbers or expressions, with springs, dampers, friction.

        `v`, `a` (nf): independent velocities and accelerations there, zero if not given, so that q is an equilibrium
        under the torques that hold it (`forces`); `kg.linearize` takes zero torques unless it is given others. `tau`
        (N_A) of the actuated joints, where these do not follow from the state. Closed mechanisms in their independent
        coordinates; q must close the loops. ModelError for joints whose coordinates do not add, for what is too large
        to read, and at a singular configuration.
        """
        return linear_equations(self, q, v, a, tau)

    # ---- Inertial parameters

    @property
    def pi(self) -> Form:
        """(10N) inertial parameters of the links: m, m c, I about the origin of each one's frame, in its axes.

        Links in the order of the tree, depth first, as in `model.link_names`.
        """
        return column(inertial_symbols(self.mechanism))

    @property
    def regressor(self) -> Form:
        """(nv, 10N) Y(q, v, v̇): inverse_dynamics = Y pi, and rotors times v̇."""
        return self.closed_form("torque_regressor")

    @cached_property
    def base_parameters(self) -> BaseForm:
        """The groups of `pi` that torques tell, exactly, lengths that are open as symbols (§16).

        ModelError for loops, followers and oblique axes: `kg.base_parameters(model)` finds them in numbers.
        """
        return base_form(self.mechanism)

    # ---- Kinematics

    @cached_property
    def _kinematics(self) -> Kinematics:
        return Kinematics(self._derived)

    G = PartProperty("_kinematics", Kinematics.G)
    G_dot = PartProperty("_kinematics", Kinematics.G_dot)
    G_dot_v = PartProperty("_kinematics", Kinematics.G_dot_v)
    com = PartProperty("_kinematics", Kinematics.com)
    com_jacobian = PartProperty("_kinematics", Kinematics.com_jacobian)
    link_pose = PartMethod("_kinematics", Kinematics.link_pose)
    frame_jacobian = PartMethod("_kinematics", Kinematics.frame_jacobian)
    contact_rows = PartMethod("_kinematics", Kinematics.contact_rows)

    # ---- Closed loops: what `loops` tells, by its promised names

    @cached_property
    def loops(self) -> LoopEquations:
        """The equations of closed loops."""
        return LoopEquations(self.mechanism, self._derived.symbols, self._derived.loops, self._derived.form)

    v_cut = PartProperty("loops", LoopEquations.v_cut)
    v_J = PartProperty("loops", LoopEquations.v_J)
    v_S = PartProperty("loops", LoopEquations.v_S)
    v_G = PartProperty("loops", LoopEquations.v_G)
    v_A = PartProperty("loops", LoopEquations.v_A)
    cut_angles = PartProperty("loops", LoopEquations.cut_angles)
    in_cut_angles = PartMethod("loops", LoopEquations.in_cut_angles)
    closure = PartProperty("loops", LoopEquations.closure)
    J_C = PartProperty("loops", LoopEquations.J_C)
    J_L = PartMethod("loops", LoopEquations.J_L)
    dJ_theta = PartProperty("loops", LoopEquations.dJ_theta)
    J_S = PartProperty("loops", LoopEquations.J_S)
    J_G = PartProperty("loops", LoopEquations.J_G)
    H = PartProperty("loops", LoopEquations.H)
    dH_theta = PartProperty("loops", LoopEquations.dH_theta)
    K = PartProperty("loops", LoopEquations.K)
    dK_v = PartProperty("loops", LoopEquations.dK_v)
    multipliers = PartProperty("loops", LoopEquations.multipliers)
    W = PartProperty("loops", LoopEquations.W)
    S = PartProperty("loops", LoopEquations.S)
    A = PartProperty("loops", LoopEquations.A)
    b = PartProperty("loops", LoopEquations.b)

    # ---- Forms

    @typed
    def program(self, name: str, *, frame: str | None = None) -> Factored:
        """The factored form of a quantity, of any size: the assignments from which C is printed.

        `name` as the kernels are called ("inverse_dynamics", "mass_matrix", ...); `frame`: link or frame of
        "frame_pose" and "frame_jacobian". ModelError lists the names for an unknown one.
        """
        return Factored(self._derived.function(name, frame))

    @typed
    def closed_form(self, name: str, *, frame: str | None = None, force: bool = False) -> Form:
        """A quantity in closed form; vectors are columns, arrays of matrices are stacked.

        ModelError if it is too large to read; `force=True` gives it all the same, by plain substitution.
        """
        return self._derived.form(name, frame, force=force)

    def latex(self) -> str:
        """M(q) v̇ + c(q, v) + g(q) = τ with its matrices written out, springs, dampers and dry friction where there are
        any. Of a mechanism with closed loops Kᵀλ comes beside τ, without rows of K that are zero; motors of cut joints
        are counted in τ. ModelError if they are too large to read.
        """
        forces = (self.coriolis, self.gravity, self.springs, self.dampers, self.dry_friction)
        left = [f"{latex(self.M)} {latex(self.a)}"]
        left += [latex(force) for force in forces if not force.is_zero_matrix]
        felt = [i for i in range(self.K.rows) if not self.K[i, :].is_zero_matrix]
        right = [latex(self.tau)]
        if felt:
            K, multipliers = (form.extract(felt, list(range(form.cols))) for form in (self.K, self.multipliers))
            right.append(f"{latex(K.T)} {latex(multipliers)}")
        return f"{' + '.join(left)} = {' + '.join(right)}"

    def _repr_latex_(self) -> str | None:
        try:
            return rf"$\displaystyle {self.latex()}$"
        except ModelError:
            return None

    def __repr__(self) -> str:
        tree = self.mechanism.tree
        names = ", ".join(symbol.name for symbol in self.parameters) or "none"
        rows = ".closure .K .dK_v .multipliers .J_C .J_L(name) .dJ_theta .J_S .J_G .H .dH_theta .W .S .A .b"
        loops = f", of closed loops {rows}"
        return (
            f"Equations of '{self.mechanism.name}': nq = {tree.nq}, nv = {tree.nv}, {len(tree.bodies)} links, "
            f"parameters: {names}\n"
            "closed forms: .M .rotors .bias .coriolis .C .gravity .springs .dampers .dry_friction .actuation "
            ".linearize(q) "
            ".inverse_dynamics .torque_terms(joint) .kinetic_energy .potential_energy .spring_energy .momentum "
            ".regressor .base_parameters .G .G_dot .G_dot_v .com .com_jacobian .link_pose(name) .frame_jacobian(name) "
            ".contact_rows(link)"
            f"{loops if self.mechanism.virtual_links else ''}\n"
            f"factored forms: .program(name) with {', '.join(names_of(self.mechanism))}"
        )


@typed
def derive(
    mechanism: Mechanism, *, independent: Sequence[str] = (), names: Mapping[str, Any] | None = None
) -> Equations:
    """The equations of motion of a mechanism, each derived when it is asked for.

    `independent`: joints whose velocities lead a mechanism with closed loops ("ball[2]": one entry of three), as many
    as it has degrees of freedom; by default those of the compiled model, if loops have no open lengths. `names`: other
    names of symbols, or SymPy symbols in place of them: {"q_knee": "theta_2", "v_knee": "omega_2"}, of coordinates,
    velocities, accelerations, torques, multipliers and parameters. Raises ModelError if nothing moves, and for names
    that do not fit.
    """
    if mechanism.tree.nv == 0:
        raise ModelError(f"mechanism '{mechanism.name}' has no joint that moves: it has no equations of motion")
    found = Equations(mechanism, tuple(independent), tuple((names or {}).items()))
    _ = found.q  # names are looked at here
    return found
