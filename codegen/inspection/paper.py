"""What a closed mechanism comes to on paper: θ_J, the loops' equations, H, W and S, as text."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from kinegen.runtime.errors import ModelError

from .equations import Equations
from .form import Form
from .text import equation, pretty


def loop_lines(eq: Equations, *, unicode: bool = True) -> Iterator[str]:
    """Paragraphs; for a mechanism too large for closed forms, one that says where the factored forms are."""
    theta = "θ" if unicode else "theta"
    yield f"{theta}_J: {_names(eq.v)}; cut joints: {_names(eq.v_cut) or 'none that move'}"
    try:
        yield f"independent: {_names(eq.v_G)}; dependent: {_names(eq.v_S)}; actuated: {_names(eq.v_A) or 'none'}"
        for row in eq.closure:
            yield pretty(sympy.Eq(row, 0, evaluate=False), unicode=unicode)
        for name, form in (("H", eq.H), ("W", eq.W), ("S", eq.S)):
            yield equation(sympy.Symbol(name), form, unicode=unicode)
    except ModelError as refusal:
        program = eq.program("dependence")
        yield f"{refusal}\nprogram('dependence'), H and its rate: {len(program)} assignments, {program.operations}"


def _names(velocities: Form) -> str:
    return ", ".join(symbol.name.removeprefix("v_") for symbol in velocities)
