"""The equations of a mechanism as the report shows them: name, meaning, typeset form, and what to copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy
from markupsafe import Markup

from kinegen.runtime.errors import ModelError

from ..inspection.equations import Equations
from ..inspection.forms.form import Form
from ..mechanism.mechanism import Mechanism
from .mathml import display

HOPELESS = 500  # operations of a program above which its closed form is not tried: it would be too long to be read
FACTORED = 2000  # operations of a program up to which the page holds it
ENTRIES = 150  # of a matrix that is typeset, at most
LONGEST = 700  # operations of a form up to which it is typeset, and drawn in letters
MOST = 1500  # operations of a form up to which it can be copied
LETTERS = 40_000  # of a text to copy; drawn in letters, a large matrix is mostly blanks


@dataclass(frozen=True)
class Formula:
    """`typeset` is empty where `refusal` says why; `copies` are (name, text) to copy."""

    name: str
    meaning: str
    typeset: Markup
    refusal: str
    copies: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Quantity:
    """Left side of a formula, what it says, how it is asked for, and the program it can also be had from."""

    left: str
    meaning: str
    of: Callable[[Equations], Form]
    program: str


TREE = (
    Quantity("M", "mass matrix", lambda eq: eq.M, "mass_matrix"),
    Quantity("C", "Coriolis and centrifugal torques are C v; Ṁ − 2C is skew", lambda eq: eq.C, "coriolis_matrix"),
    Quantity("g", "torques that hold the mechanism still", lambda eq: eq.gravity, "gravity"),
    Quantity("c", "centre of mass, world axes", lambda eq: eq.com, "com"),
    Quantity("G", "COG Jacobian: velocity of every centre of mass, angular velocity", lambda eq: eq.G, "cog_jacobian"),
)
LOOPS = (
    Quantity("f", "loop equations f = 0, the gap of each loop", lambda eq: eq.closure, "closure_residual"),
    Quantity("J_S", "independent rows, columns of the dependent velocities", lambda eq: eq.J_S, "closure_jacobian"),
    Quantity("J_G", "the same rows, columns of the independent velocities", lambda eq: eq.J_G, "closure_jacobian"),
    Quantity("H", "dependent velocities are H times independent ones", lambda eq: eq.H, "dependence"),
    Quantity("W", "velocities of the tree per independent ones", lambda eq: eq.W, "dependence"),
    Quantity("S", "velocities of the actuated joints per independent ones", lambda eq: eq.S, "dependence"),
    Quantity("A", "mass matrix of the closed mechanism, Wᵀ M W", lambda eq: eq.A, "forward_dynamics_closed"),
)
OWN = {
    "stiffness": Quantity("k", "forces of springs, stiffness (q − rest)", lambda eq: eq.springs, "springs"),
    "damping": Quantity("d", "forces of dampers, damping v", lambda eq: eq.dampers, "dampers"),
    "friction": Quantity("s", "dry friction, smooth around rest", lambda eq: eq.dry_friction, "dry_friction"),
}
"""What joints exert of themselves, by the option of theirs that says so."""


def own_forces(mechanism: Mechanism) -> tuple[Quantity, ...]:
    """Those of OWN that a joint of the tree or a cut one has."""
    joints = [body.joint for body in mechanism.tree.bodies] + [loop.joint for loop in mechanism.virtual_links]
    return tuple(
        quantity for option, quantity in OWN.items() if any(x != 0 for j in joints for x in getattr(j, option))
    )


def closed_bias(own: Sequence[Quantity]) -> Quantity:
    """b of the closed mechanism, with its equation of motion."""
    letters = " + ".join(quantity.left for quantity in own)
    exerted = f" + Wᵀ ({letters})" if len(own) > 1 else f" + Wᵀ {letters}" if own else ""
    meaning = f"its velocity and gravity terms: A a + b{exerted} = Sᵀ τ"
    return Quantity("b", meaning, lambda eq: eq.b, "forward_dynamics_closed")


def formulas(eq: Equations, quantities: Sequence[Quantity], advance: Callable[[str], None]) -> list[Formula]:
    """`advance` is told the name of each."""
    found = []
    for quantity in quantities:
        advance(f"equations: {quantity.left}")
        found.append(formula(eq, quantity))
    return found


def formula(eq: Equations, quantity: Quantity) -> Formula:
    """Typeset if it is small enough to read, and has a form at all."""
    try:
        program = eq.program(quantity.program)
    except ModelError as refused:
        return Formula(quantity.left, quantity.meaning, Markup(), str(refused))
    form = _tried(eq, quantity) if program.operations.total <= HOPELESS else None
    operations = sum(entry.count_ops() for entry in form) if form is not None else 0
    if form is None or operations > MOST:
        refusal = (
            f"too large to read; program('{quantity.program}') has {len(program)} assignments: {program.operations}"
        )
        factored = (("factored form", repr(program)),) if program.operations.total <= FACTORED else ()
        return Formula(quantity.left, quantity.meaning, Markup(), refusal, factored)
    drawn = (("text", form.text()),) if operations <= LONGEST else ()  # larger ones are lines of thousands of letters
    texts = (("LaTeX", form.latex()), *drawn, ("C", form.c(quantity.program)))
    copies = tuple((name, text) for name, text in texts if len(text) <= LETTERS)
    if reason := _untypeset(form, operations):
        return Formula(quantity.left, quantity.meaning, Markup(), reason, copies if len(form) else ())
    return Formula(quantity.left, quantity.meaning, display(sympy.Symbol(quantity.left), "=", form), "", copies)


def _untypeset(form: Form, operations: int) -> str:
    """Why a form is not drawn; empty if it is."""
    if not len(form):
        return "has no entries"
    if len(form) > ENTRIES:
        return f"{form.rows} × {form.cols} entries: see the text forms"
    return f"{operations} operations: see the text forms" if operations > LONGEST else ""


def _tried(eq: Equations, quantity: Quantity) -> Form | None:
    try:
        return eq.in_cut_angles(quantity.of(eq))
    except ModelError:
        return None
