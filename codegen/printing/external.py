"""Kernels by CasADi's interface of external functions: one C file more beside those of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kinegen.runtime.abi import Manifest
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import KINDS

from ..analysis.partition import choose_reference
from ..analysis.sparsity import factor_pattern
from ..mechanism.mechanism import Mechanism
from ..mechanism.structure.tree import SpanningTree
from ..symbolic.functions import derive
from .library import library_of
from .sources import Sources
from .text.environment import render

Mask = NDArray[np.bool_]

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

ARGUMENTS = {"inverse_dynamics": ("q", "v", "a", "tau"), "forward_dynamics": ("q", "v", "tau", "a")}


def with_external(
    sources: Sources, mechanism: Mechanism, function: str, name: str, parameters: Sequence[float]
) -> Sources:
    """The sources with NAME_casadi.c, which holds NAME and jac_NAME; `parameters`: values of the run-time ones.

    Patterns of Jacobians are those of the tree: torques meet along a path, accelerations within what shares a joint.
    """
    manifest = sources.manifest
    nq, nv = manifest.nq, manifest.nv
    loops = _held(mechanism, parameters) if function == "forward_dynamics" and mechanism.virtual_links else None
    joints = _joints(manifest)
    rotations = rotations_of(manifest)
    mask = _met(mechanism.tree, function, loops)
    by_q = _in_numbers(mask, joints, nq)
    sizes = (nq, nv, nv, nv)
    shared = nq + 2 * nv + len(rotations)
    room = _room(nv, loops) if loops else 0
    inputs = [{"name": each} for each in ARGUMENTS[function][:3]]
    ways = [
        {"name": name, "inputs": inputs, "outputs": [3], "memory": shared + nv + room},
        {
            "name": f"jac_{name}",
            "inputs": [*inputs, {"name": ARGUMENTS[function][3]}],
            "outputs": [4, 5, 6],
            "memory": shared + 3 * nv * nv + nv * nq + room,
        },
    ]
    result = ARGUMENTS[function][3]
    text = render(
        "bridges/casadi.c.j2",
        function=function,
        derivatives=DERIVATIVES[function],
        loops=loops,
        given="parameters, " if parameters else "",
        mechanism=manifest.prefix,
        prefix=manifest.prefix,
        name=name,
        nq=nq,
        nv=nv,
        inputs=inputs,
        joints=joints,
        rotations=rotations,
        parameters=list(parameters),
        names=[*ARGUMENTS[function], *(f"jac_{result}_{each['name']}" for each in inputs)],
        patterns=[_pattern(x) for x in (*(np.ones((size, 1), dtype=bool) for size in sizes), by_q, mask, mask)],
        ways=ways,
    )
    files = {**library_of([text]), **sources.files, f"{name}_casadi.c": text}
    return replace(sources, files=dict(sorted(files.items())))


def kernels_of(mechanism: Mechanism, function: str) -> tuple[str, ...]:
    """The kernels that an external function calls."""
    if function == "forward_dynamics" and mechanism.virtual_links:
        return HELD
    return function, DERIVATIVES[function]


def require_external(function: str) -> None:
    """ModelError for what is no such function."""
    if not isinstance(function, str) or function not in DERIVATIVES:
        raise ModelError(f"external: expected one of {', '.join(DERIVATIVES)}, got {shown(function)}")


@dataclass(frozen=True)
class Held:
    """Of loops: the rows of K (of `rows` in all) that hold them, and the velocities (nv) that they touch."""

    kept: tuple[int, ...]
    rows: int
    touched: Mask


def _held(mechanism: Mechanism, parameters: Sequence[float]) -> Held:
    """The rows of the partition that compiling takes, at the configuration where it takes it."""
    rows = next(output for output in derive(mechanism, "closure_rows").outputs if output.name == "K")
    count, nv = rows.shape
    touched: Mask = np.zeros(nv, dtype=bool)
    touched[[place % nv for place in rows.places]] = True  # wherever the mechanism is, not where it is looked at
    return Held(choose_reference(mechanism, parameters).partition.rows, count, touched)


def _room(nv: int, loops: Held) -> int:
    """Numbers that the equations of motion with loops are solved in."""
    held, rows = len(loops.kept), loops.rows
    saddle = rows * nv + 2 * rows + nv + held + nv * nv + nv + 2 * held * nv + held * held + held
    return nv + held + saddle + 3 * nv * nv + 2 * rows + nv + rows + 2 * nv + nv + held


def rotations_of(manifest: Manifest) -> list[tuple[int, int]]:
    """Where numbers of q begin that are brought to unit norm together, and how many these are."""
    turning = [(joint, KINDS[joint.kind].rotation) for joint in manifest.joints if joint.nv]
    return [(joint.q_start + part.start, part.stop - part.start) for joint, part in turning if part]


def _joints(manifest: Manifest) -> list[dict[str, object]]:
    """What the template asks of each joint; `rotation`: the number of its norm, `rotates`: where it stands in q."""
    found: list[dict[str, object]] = []
    count = 0
    for joint in manifest.joints:
        if not joint.nv:
            continue
        kind = KINDS[joint.kind]
        part = kind.rotation
        rotates = (joint.q_start + part.start, part.stop - part.start) if part else ()
        found.append(
            {"group": kind.group, "q": joint.q_start, "nq": joint.nq, "v": joint.v_start, "nv": joint.nv}
            | {"rotates": rotates, "rotation": count}
        )
        count += bool(rotates)
    return found


def _met(tree: SpanningTree, function: str, loops: Held | None) -> Mask:
    """(nv, nv) which entries depend on each other."""
    mask: Mask = np.eye(tree.nv, dtype=bool)
    for k, columns in enumerate(factor_pattern(tree)):
        mask[k, list(columns)] = mask[list(columns), k] = True
    if loops:  # what loops touch counts as one
        mask |= np.outer(loops.touched, loops.touched)
    if function == "forward_dynamics":  # M⁻¹ is full within what hangs together
        for _ in range(tree.nv.bit_length()):
            mask = mask @ mask
    return mask


def _in_numbers(mask: Mask, joints: Sequence[dict[str, object]], nq: int) -> Mask:
    """(nv, nq): numbers of q of one joint go together where they are of a group."""
    found: Mask = np.zeros((len(mask), nq), dtype=bool)
    for joint in joints:
        q, v, nv, size = (int(str(joint[key])) for key in ("q", "v", "nv", "nq"))
        own = mask[:, v : v + nv]
        found[:, q : q + size] = own.any(axis=1, keepdims=True) if joint["group"] else own
    return found


def _pattern(mask: Mask) -> list[str]:
    """Lines of a pattern as CasADi has it: rows, columns, starts of columns, rows of entries."""
    starts = np.concatenate([[0], np.cumsum(mask.sum(axis=0))])
    rows = np.nonzero(mask.T)[1]
    numbers = [*mask.shape, *starts.tolist(), *rows.tolist()]
    return [", ".join(map(str, numbers[i : i + 20])) for i in range(0, len(numbers), 20)]
