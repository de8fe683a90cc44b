"""A page about a mechanism, drawn as it stands in one configuration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from kinegen.codegen.mechanism import KINDS, Mechanism
from kinegen.codegen.report.page import write_report
from kinegen.runtime.abi import PRECISIONS
from kinegen.runtime.arguments import Array, as_array, off_unit_message
from kinegen.runtime.errors import ModelError
from kinegen.runtime.typed import typed


@typed
def report(
    mechanism: Mechanism,
    path: str | Path,
    *,
    q: Sequence[float] | None = None,
    advance: Callable[[str], None] = lambda stage: None,
) -> Path:
    """Writes a page about the mechanism: drawing, pointers, parameters, sparsity, equations, operations, C.

    The page needs nothing but itself and a browser. `q` (nq): the configuration to draw, the neutral one or a closed
    one near it if not given; `advance` is told each stage. Returns the path. ModelError for a suffix that is not a
    page's, for q that a compiled model would refuse (quaternions off unit norm are), if the mechanism cannot be
    compiled, or the file cannot be written.
    """
    return write_report(mechanism, path, None if q is None else _configuration(mechanism, q), advance)


def _configuration(mechanism: Mechanism, q: Sequence[float]) -> Array:
    """(nq) as an array; ModelError, as a model raises it, if it is none of this mechanism."""
    array = as_array("q", q, (mechanism.tree.nq,), batch=False)
    for body in mechanism.tree.bodies:
        part = KINDS[body.joint.kind].rotation
        if part and body.nq:
            at = body.q_start + part.start
            rotation = array[at : body.q_start + part.stop]
            if abs(rotation @ rotation - 1.0) > PRECISIONS["float64"].unit:
                raise ModelError(off_unit_message("q", body.joint.name, at, rotation))
    return array
