"""PREFIX_inverse.c: inverse kinematics (§15), an algorithm of runtime/c on the kernels of the model.

It is compiled when it is first asked for. That of a tree needs poses and Jacobians only; that of loops stands on their
closure, and the step, whose closure it is, goes with it.
"""

from __future__ import annotations

from dataclasses import dataclass

from kinegen.runtime.structs import TARGET

from ..kernels import CFile, Context
from ..structs.declared import declaration
from ..structs.inverse import IK
from ..text.environment import render

DECLARED = """\
/* The searches of s; each row of s->q then holds where one ended. */
void {prefix}_solve_ik(const {prefix}_ik *s);
"""


@dataclass(frozen=True)
class InverseText:
    """What `inverse.c.j2` shows."""

    title: str
    prefix: str


def inverse_file(context: Context) -> CFile:
    """The C of a mechanism that moves."""
    prefix = context.prefix
    text = render("step/inverse.c.j2", inverse=InverseText(context.mechanism.name, prefix))
    declared = "\n".join([*(declaration(struct, prefix) for struct in (TARGET, IK)), DECLARED.format(prefix=prefix)])
    return CFile(f"{prefix}_inverse.c", text, (), {}, (), declared)
