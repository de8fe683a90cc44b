"""Base parameters as expressions: which groups of inertial parameters the torques of a tree tell."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from kinegen.runtime.abi import INERTIAL

from ..mechanism.mechanism import Mechanism
from ..symbolic.regressor.exact import exact_base
from .forms.form import Form
from .loop_equations import column


def inertial_symbols(mechanism: Mechanism) -> tuple[sympy.Symbol, ...]:
    """π: m_LINK, mx_LINK, ..., Izz_LINK of every link in body order."""
    names = [body.link.name for body in mechanism.tree.bodies]
    return tuple(sympy.Symbol(f"{what}_{name}", real=True) for name in names for what in INERTIAL)


@dataclass(frozen=True)
class BaseForm:
    """π_b = B π (§16): `independent` (n) places in π of what each group is about, `matrix` (n, 10N) B without rounding,
    `groups` (n, 1) the sums B π in the symbols of π.
    """

    independent: tuple[int, ...]
    matrix: Form
    groups: Form

    def __len__(self) -> int:
        return len(self.independent)


def base_form(mechanism: Mechanism) -> BaseForm:
    """ModelError where it is not rational: see `exact_base`."""
    exact = exact_base(mechanism)
    pi = sympy.Matrix(inertial_symbols(mechanism))
    return BaseForm(exact.independent, Form(exact.matrix), column(tuple(exact.matrix * pi)))
