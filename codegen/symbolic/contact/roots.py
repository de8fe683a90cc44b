"""Trees that hang on nothing, on a ball or in a plane: their motion as one body, which a push must not change (§11)."""

from __future__ import annotations

from kinegen.runtime.kinds import KINDS

from ...mechanism.mechanism import Mechanism
from ...mechanism.structure.tree import Body
from ...program.types import Function
from ..tree.momentum import at_roots
from ..workbench import Workbench, written


def roots_of(mechanism: Mechanism) -> tuple[Body, ...]:
    """The bodies that such trees begin with."""
    bodies = mechanism.tree.bodies
    return tuple(body for body in bodies if body.parent < 0 and body.nv and KINDS[body.joint.kind].group)


def root_terms(mechanism: Mechanism) -> Function:
    """(q, v) → of all roots by turns the rows `h` of M v, and the block `M` of M, row by row."""
    starts = {body.v_start for body in roots_of(mechanism)}

    def build(w: Workbench) -> None:
        roots = [i for i, segment in enumerate(w.chain) if any(column.index in starts for column in segment.columns)]
        rows, blocks = at_roots(w.chain, w.v, roots)
        w.tape.output("h", (len(rows),), rows)
        w.tape.output("M", (len(blocks),), blocks)

    return written(mechanism, "root_terms", "momentum and inertia of each tree as one body, at its root", build)
