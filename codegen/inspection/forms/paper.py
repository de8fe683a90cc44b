"""What a closed mechanism comes to on paper: θ_J, the loops' equations, H, W and S, as text."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from kinegen.runtime.errors import ModelError

from ..equations import Equations
from ..text import equation, pretty
from .form import Form

WIDEST = 160  # columns up to which formulas are drawn over several lines


def loop_lines(eq: Equations, *, unicode: bool = True) -> Iterator[str]:
    """Paragraphs for the command line; for a mechanism too large for closed forms, one that says where others are."""
    theta = "θ" if unicode else "theta"
    yield f"{theta}_J: {_names(eq.v)}; cut joints: {_names(eq.v_cut) or 'none that move'}"
    try:
        named = (("H", eq.H), ("W", eq.W), ("S", eq.S))
    except ModelError:
        program = eq.program("dependence")
        yield (
            "the closed form of the loop equations is too large to read: --html FILE writes a page with those that can "
            "be read,\nand Python prints the factored forms, kg.derive(mechanism).program('dependence') for H and its "
            f"rate:\n{len(program)} assignments, {program.operations}"
        )
        return
    yield f"independent: {_names(eq.v_G)}; dependent: {_names(eq.v_S)}; actuated: {_names(eq.v_A) or 'none'}"
    for row in eq.closure:
        yield _fitting(pretty(sympy.Eq(row, 0, evaluate=False), unicode=unicode), f"{row} = 0")
    for symbol, angle in eq.cut_angles.items():
        yield pretty(sympy.Eq(symbol, angle, evaluate=False), unicode=unicode)
    for name, form in named:
        short = eq.in_cut_angles(form)
        yield _fitting(equation(sympy.Symbol(name), short, unicode=unicode), f"{name} = {short}")


def _fitting(picture: str, line: str) -> str:
    """The picture unless it is too wide to look at."""
    return picture if max(map(len, picture.splitlines())) <= WIDEST else line


def _names(velocities: Form) -> str:
    return ", ".join(symbol.name.removeprefix("v_") for symbol in velocities)
