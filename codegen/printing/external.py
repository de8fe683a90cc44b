"""Kernels by CasADi's interface of external functions: one C file more beside those of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinegen.runtime.abi import Manifest
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import KINDS

from ..analysis.loops.partition import choose_reference
from ..analysis.sparsity import Mask
from ..mechanism.mechanism import Mechanism
from ..symbolic.functions import derive
from .library import library_of
from .sources import Sources
from .text.environment import render
from .ways import ARGUMENTS, Held, ways_of

DERIVATIVES = {"inverse_dynamics": "inverse_derivatives", "forward_dynamics": "forward_derivatives"}
"""Kernels that can be had, and those of their derivatives (3, nv, nv)."""

HELD = (
    "mass_matrix",
    "bias",
    "closure_residual",
    "closure_rows",
    "closure_rows_bias",
    "inverse_derivatives",
    "closure_variation",
)
"""What forward dynamics with loops and its derivatives are solved from."""


def with_external(
    sources: Sources,
    mechanism: Mechanism,
    function: str,
    name: str,
    parameters: Sequence[float],
    *,
    second: bool = False,
) -> Sources:
    """The sources with NAME_casadi.c, which holds NAME and jac_NAME; `parameters`: values of the run-time ones.

    `second`, of trees: adj1_NAME and jac_adj1_NAME as well, λᵀ ∂f and derivatives of that.
    """
    manifest = sources.manifest
    loops = _held(mechanism, parameters) if has_loops(mechanism, function) else None
    rotations, ways = rotations_of(manifest), ways_of(mechanism, function, name, loops, second)
    entries = {way.name: [*map(_pattern, (*way.arguments.values(), *way.results.values()))] for way in ways}
    patterns = list(dict.fromkeys(pattern for found in entries.values() for pattern in found))
    shared = manifest.nq + 2 * manifest.nv + len(rotations)
    text = render(
        "bridges/casadi.c.j2",
        function=function,
        derivatives=DERIVATIVES[function],
        loops=loops,
        second=second,
        given="parameters, " if parameters else "",
        mechanism=manifest.prefix,
        prefix=manifest.prefix,
        name=name,
        nq=manifest.nq,
        nv=manifest.nv,
        inputs=ARGUMENTS[function][:3],
        result=ARGUMENTS[function][3],
        joints=_joints(manifest),
        rotations=rotations,
        parameters=list(parameters),
        patterns=patterns,
        ways=[
            {
                "name": way.name,
                "what": way.what,
                "names": [*way.arguments, *way.results],
                "arguments": len(way.arguments),
                "results": len(way.results),
                "patterns": [patterns.index(pattern) for pattern in entries[way.name]],
                "memory": shared + way.room,
            }
            for way in ways
        ],
    )
    files = {**library_of([text]), **sources.files, f"{name}_casadi.c": text}
    return replace(sources, files=dict(sorted(files.items())))


def has_loops(mechanism: Mechanism, function: str) -> bool:
    """Whether loops have a part in it: torques of inverse dynamics are those of the tree."""
    return function == "forward_dynamics" and bool(mechanism.virtual_links)


def kernels_of(mechanism: Mechanism, function: str, *, second: bool = False) -> tuple[str, ...]:
    """The kernels that an external function calls."""
    if has_loops(mechanism, function):
        return HELD
    return function, DERIVATIVES[function], *(("inverse_weighed_derivatives",) if second else ())


def require_external(function: str) -> None:
    """ModelError for what is no such function."""
    if not isinstance(function, str) or function not in DERIVATIVES:
        raise ModelError(f"external: expected one of {', '.join(DERIVATIVES)}, got {shown(function)}")


def _held(mechanism: Mechanism, parameters: Sequence[float]) -> Held:
    """The rows of the partition that compiling takes, at the configuration where it takes it."""
    rows = next(output for output in derive(mechanism, "closure_rows").outputs if output.name == "K")
    count, nv = rows.shape
    touched: Mask = np.zeros(nv, dtype=bool)
    touched[[place % nv for place in rows.places]] = True  # wherever the mechanism is, not where it is looked at
    return Held(choose_reference(mechanism, parameters).partition.rows, count, touched)


def rotations_of(manifest: Manifest) -> list[tuple[int, int]]:
    """Where numbers of q begin that are brought to unit norm together, and how many these are."""
    turning = [(joint, KINDS[joint.kind].rotation) for joint in manifest.joints if joint.nv]
    return [(joint.q_start + part.start, part.stop - part.start) for joint, part in turning if part]


def _joints(manifest: Manifest) -> list[dict[str, object]]:
    """What the template asks of each joint; `rotation`: the number of its norm."""
    found: list[dict[str, object]] = []
    count = 0
    for joint in manifest.joints:
        if joint.nv:
            kind = KINDS[joint.kind]
            found.append(
                {"group": kind.group, "q": joint.q_start, "v": joint.v_start, "nv": joint.nv, "rotation": count}
            )
            count += kind.rotation is not None
    return found


def _pattern(mask: Mask) -> tuple[str, ...]:
    """Lines of a pattern as CasADi has it: rows, columns, starts of columns, rows of entries."""
    starts = np.concatenate([[0], np.cumsum(mask.sum(axis=0))])
    rows = np.nonzero(mask.T)[1]
    numbers = [*mask.shape, *starts.tolist(), *rows.tolist()]
    return tuple(", ".join(map(str, numbers[i : i + 20])) for i in range(0, len(numbers), 20))
