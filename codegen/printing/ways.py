"""Functions by CasADi's interface: arguments and results, and which of their entries can differ from zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinegen.runtime.kinds import KINDS

from ..analysis.sparsity import Mask, factor_pattern, of_gravity_alone
from ..mechanism.mechanism import Mechanism

ARGUMENTS = {"inverse_dynamics": ("q", "v", "a", "tau"), "forward_dynamics": ("q", "v", "tau", "a")}
"""Names of the three arguments, and of the result."""


@dataclass(frozen=True)
class Held:
    """Of loops: the rows of K (of `rows` in all) that hold them, and the velocities (nv) that they touch."""

    kept: tuple[int, ...]
    rows: int
    touched: Mask


@dataclass(frozen=True)
class Way:
    """One function by CasADi's interface; masks of entries by their names; numbers of `room` beside the arguments.

    `what`: "value", "jacobian", or "gradient" and "curves" of the result weighed by a vector.
    """

    name: str
    what: str
    arguments: Mapping[str, Mask]
    results: Mapping[str, Mask]
    room: int


def ways_of(mechanism: Mechanism, function: str, name: str, loops: Held | None, second: bool) -> list[Way]:
    """NAME and jac_NAME; `second`: adj1_NAME and jac_adj1_NAME too, of a tree, in the order of CasADi's own."""
    tree, (a, b, c, result) = mechanism.tree, ARGUMENTS[function]
    nq, nv, met = tree.nq, tree.nv, _met(mechanism, function, loops)
    weightless = not any(mechanism.gravity)
    turned, none = np.zeros((2, nv), dtype=bool) if loops else of_gravity_alone(tree, weightless)
    by_q, met_q = _in_numbers(mechanism, met & ~none), _in_numbers(mechanism, met & ~turned)
    given = {a: _full(nq), b: _full(nv), c: _full(nv)}
    value, unread = {result: _full(nv)}, {f"out_{result}": ~_full(nv)}
    jacobian = {f"jac_{result}_{each}": mask for each, mask in zip((a, b, c), (by_q, met, met), strict=True)}
    ways = [
        Way(name, "value", given, value, nv),
        Way(f"jac_{name}", "jacobian", {**given, **value}, jacobian, 3 * nv * nv + nv * nq),
    ]
    if not second:
        return ways
    weighed = {**given, **unread, f"adj_{result}": _full(nv)}
    gradient = {f"adj_{each}": mask for each, mask in given.items()}
    q_q = _in_numbers(mechanism, _in_numbers(mechanism, met & ~none & ~none[:, None]).T)
    zero = np.zeros_like(met)
    rows = (
        (q_q, met_q.T, met_q.T, np.zeros((nq, nv), dtype=bool), by_q.T),
        (met_q, met, zero, zero, met),
        (met_q, zero, zero, zero, met),
    )
    curves = {
        f"jac_{each}_{other}": mask
        for each, row in zip(gradient, rows, strict=True)
        for other, mask in zip(weighed, row, strict=True)
    }
    room = nv + 3 * nv * nv
    more = 5 * nv * nv + max(2 * nv * nv + 2 * nv, 3 * nv + 5 * nv * nq + nq * nq)
    nowhere = {f"out_{each}": ~mask for each, mask in gradient.items()}
    return [
        *ways,
        Way(f"adj1_{name}", "gradient", weighed, gradient, room + 3 * nv),
        Way(f"jac_adj1_{name}", "curves", {**weighed, **nowhere}, curves, room + more),
    ]


def _full(size: int) -> Mask:
    return np.ones((size, 1), dtype=bool)


def _met(mechanism: Mechanism, function: str, loops: Held | None) -> Mask:
    """(nv, nv) which entries depend on each other: torques along a path, accelerations in what shares a joint."""
    tree = mechanism.tree
    mask: Mask = np.eye(tree.nv, dtype=bool)
    for k, columns in enumerate(factor_pattern(tree)):
        mask[k, list(columns)] = mask[list(columns), k] = True
    if loops:  # what loops touch counts as one
        mask |= np.outer(loops.touched, loops.touched)
    if function == "forward_dynamics":  # M⁻¹ is full within what hangs together
        for _ in range(tree.nv.bit_length()):
            mask = mask @ mask
    return mask


def _in_numbers(mechanism: Mechanism, mask: Mask) -> Mask:
    """(rows, nq) of (rows, nv): numbers of a place go with its velocities, those of a rotation with what turns it."""
    found: Mask = np.zeros((len(mask), mechanism.tree.nq), dtype=bool)
    for body in mechanism.tree.bodies:
        for step in KINDS[body.joint.kind].steps if body.nv else ():
            q, v = body.q_start + step.q, body.v_start + step.v
            own, turn = mask[:, v : v + step.motion.nv], step.motion.rotation
            linear = np.array(step.motion.linear)
            if not turn:
                found[:, q : q + step.motion.nq] = own
                continue
            found[:, q : q + step.motion.nq] = own[:, linear].any(axis=1, keepdims=True)
            found[:, q + turn[0] : q + turn[1]] = own[:, ~linear].any(axis=1, keepdims=True)
    return found
