"""PREFIX_inverse.c: inverse kinematics (§15), an algorithm of runtime/c on the kernels of the model."""

from __future__ import annotations

from dataclasses import dataclass

from ..kernels import CFile, Context
from ..text.environment import render


@dataclass(frozen=True)
class InverseText:
    """What `inverse.c.j2` shows."""

    title: str
    prefix: str


def inverse_file(context: Context) -> CFile:
    """The C of a mechanism that moves; its function is declared with those of the step."""
    text = render("step/inverse.c.j2", inverse=InverseText(context.mechanism.name, context.prefix))
    return CFile(f"{context.prefix}_inverse.c", text, (), {})
