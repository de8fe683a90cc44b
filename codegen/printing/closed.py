"""Generic numerics of closed loops as C99 text: split of the velocities, forward dynamics, closing, time step (§8).

Sizes, scales and preferences are constants of the text; the split itself is data that C finds while it runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kinegen.runtime.abi import ArraySpec, KernelSpec
from kinegen.runtime.kinds import KINDS

from ..analysis.partition import PREFERENCE, SWITCHED, column_weights
from ..analysis.routes import Route
from ..mechanism.elements.joint import Joint
from ..mechanism.mechanism import Mechanism
from ..mechanism.structure.tree import Body
from ..symbolic.loops.closure import LOCKED
from ..symbolic.symbols import symbols_of
from .contact_step import turning
from .cut import ANGLES, QUATERNIONS, Printer, coordinate_lines, upright, velocity_lines
from .environment import render
from .kernels import CFile, Context
from .motion import SLIP_SPEED, Statements, is_damped, is_passive, joint_limits, parameter_printer

TITLES = {
    "forward_dynamics": "acceleration of the closed mechanism",
    "forward_dynamics_reduced": "acceleration by A = W'MW",
    "forward_dynamics_unit_vector": "acceleration by unit vectors",
    "forward_dynamics_damped": "acceleration with (M + diag d) in place of M",
    "passive_forces_open": "forces of springs, dampers and dry friction of the tree's joints",
    "passive_forces": "forces of springs, dampers and dry friction, those of cut joints included",
    "closure_gap": "gap of each loop, upside down counted as open",
    "loop_coordinates": "coordinates of the cut joints",
    "loop_jacobian": "velocities of the cut joints per v",
}


@dataclass(frozen=True)
class _Upright:
    """A loop whose two sides must not stand upside down: C expression of the cosine, first angular row."""

    label: str
    cosine: str
    start: int
    condition: str = ""


def closed_file(context: Context, specialised: Route | None = None, rank: int = 0, touching: bool = False) -> CFile:
    """PREFIX_closed.c with its kernels and the declarations of its other functions.

    `specialised`: the route of the straight-line forward dynamics that goes before pivoting; `rank`: of the closure
    where nothing is singular, 0 if not known; `touching`: PREFIX_contact.c is there.
    """
    straight = specialised if specialised and specialised.function else None
    sizes = {**_sizes(context), "specialised": straight is not None, "touching": touching}
    sizes |= _contact_words(context.prefix) if touching else dict.fromkeys(_contact_words(""), "")
    kernels = closed_kernels(context, straight)
    resting = [line for body in context.mechanism.tree.bodies for line in turning(body)]
    words = {**_numbers(context), **_statements(context), "resting": resting}
    text = render("closed.c.j2", kernels=kernels, rank=rank, **sizes, **words)
    declarations = render("closed.h.j2", **sizes)
    titles = {kernel.name: TITLES[kernel.name] for kernel in kernels}
    return CFile(f"{context.prefix}_closed.c", text, kernels, titles, (), declarations)


def _contact_words(prefix: str) -> dict[str, str]:
    """Last arguments of the functions that make steps, and how they are passed on."""
    return {
        "contact_arguments": (
            f",\n    const {prefix}_contact_options *options, {prefix}_contacts *contacts, {prefix}_contact_room *room,"
            f"\n    long log_every, {prefix}_contact *log, long *log_count"
        ),
        "contact_pass": ", options, contacts, room, 0, 0, 0",
        "contacts_pass": "contacts, ",
    }


def cut_bodies(mechanism: Mechanism) -> tuple[Body, ...]:
    """The cut joints with their places in the arrays of cut coordinates and velocities, in the order of the loops."""
    bodies = []
    q = v = 0
    links = {link.name: link for link in mechanism.links}
    for i, virtual in enumerate(mechanism.virtual_links):
        joint = virtual.joint
        bodies.append(Body(i, links[virtual.real], joint, -1, q, v, joint.nq, joint.nv))
        q, v = q + joint.nq, v + joint.nv
    return tuple(bodies)


def closed_kernels(context: Context, straight: Route | None = None) -> tuple[KernelSpec, ...]:
    """Kernels of `closed_file`."""
    tree, cut = context.mechanism.tree, cut_bodies(context.mechanism)
    q, v = ("q", tree.nq), ("v", tree.nv)
    state = (q, v, ("tau", tree.nv))
    a = ("a", (tree.nv,))
    cut_nq, cut_nv = sum(body.nq for body in cut), sum(body.nv for body in cut)
    default = _spec(context, "forward_dynamics", state, a)
    if straight and straight.function:
        default = replace(default, route="specialised", reason=f"{straight.name}: {straight.reason}")
    specs = [
        default,
        _spec(context, "forward_dynamics_reduced", state, a),
        _spec(context, "forward_dynamics_unit_vector", state, a),
        _spec(context, "forward_dynamics_damped", (*state, ("d", tree.nv)), a),
        _spec(context, "passive_forces", (q, v), ("f", (tree.nv,))),
        _spec(context, "closure_gap", (q,), ("gap", (6 * len(cut),))),
    ]
    if cut_nv:
        specs.append(_spec(context, "loop_coordinates", (q,), ("q_cut", (cut_nq,))))
        specs.append(_spec(context, "loop_jacobian", (q,), ("C", (cut_nv, tree.nv))))
    return tuple(specs)


def _spec(
    context: Context,
    name: str,
    inputs: Sequence[tuple[str, int]],
    output: tuple[str, tuple[int, ...]],
) -> KernelSpec:
    return KernelSpec(
        name,
        f"{context.prefix}_{name}",
        tuple(ArraySpec(array, (size,)) for array, size in inputs),
        (ArraySpec(*output),),
        route="reduced",
        reason="generic elimination with complete pivoting",
    )


def _sizes(context: Context) -> dict[str, object]:
    mechanism = context.mechanism
    cut, rows = cut_bodies(mechanism), _rows(mechanism)
    nv = mechanism.tree.nv
    return {
        **context.common(),
        "p": "const double *p, " if context.parametric else "",
        "pass": "p, " if context.parametric else "",
        "loops": len(cut),
        "rows": rows,
        "side": max(nv, len(rows)) + 1,
        "room": max(1, min(nv, len(rows))),
        "cut_nq": sum(body.nq for body in cut),
        "cut_nv": sum(body.nv for body in cut),
        **_row_words(context),
    }


def _row_words(context: Context) -> dict[str, object]:
    """How the C counts the rows of K: all of them, or those of the loops that are active just now."""
    mechanism, switched = context.mechanism, bool(context.switches)
    cut = cut_bodies(mechanism)
    by_name = {switch.name: switch for switch in context.switches}
    switch_of = [by_name.get(loop.joint.name) for loop in mechanism.virtual_links]
    return {
        "switched": switched,
        "flag_of": [context.flags[row // 6] for row in _rows(context.mechanism)],
        "flags": context.flags,
        "parameters": len(context.mechanism.parameters) + len(context.switches),
        "pose_starts": [mechanism.parameters.index(s.symbols[0]) if s else 0 for s in switch_of],
        "cut_starts": [*(body.q_start for body in cut), sum(body.nq for body in cut)],
        "turned": [int(bool(s and s.turned)) for s in switch_of],
        "n": "rows" if switched else "ROWS",
        "r": "row[i]" if switched else "i",
        "some": "int rows, " if switched else "",
        "all": "rows, " if switched else "",
        "sp": "const double *p, " if switched else "",
        "sw": "p, " if switched else "",
    }


def _rows(mechanism: Mechanism) -> list[int]:
    """Rows of K that can differ from zero; loops that lock nothing keep one, so that no array is empty."""
    rows = [6 * i + slot for i, loop in enumerate(mechanism.virtual_links) for slot in LOCKED[loop.joint.kind]]
    return rows or [0]


def _numbers(context: Context) -> dict[str, object]:
    """Scales that make the rows and columns of K pure numbers, preferences, and which velocities loops have."""
    mechanism, preference = context.mechanism, SWITCHED if context.switches else PREFERENCE
    paths = [_path(mechanism, loop.joint) for loop in mechanism.virtual_links]
    lengths = [_length(path, loop.joint) for path, loop in zip(paths, mechanism.virtual_links, strict=True)]
    unit, in_loop = [1.0] * mechanism.tree.nv, [0.0] * mechanism.tree.nv
    for path, length in zip(paths, lengths, strict=True):
        for body in path:
            for i in range(body.joint.nv if body.joint.mimic is None else 1):
                in_loop[body.v_start + i] = 1.0
                if _is_linear(body.joint, i):
                    unit[body.v_start + i] = length
    scales = [1.0 / lengths[row // 6] if row % 6 < 3 else 1.0 for row in _rows(mechanism)]
    return {
        "row_scale": [repr(scale) for scale in scales],
        "unit": [repr(length) for length in unit],
        "readiness": [repr(float(weight)) for weight in column_weights(mechanism, preference)],
        "in_loop": [repr(flag) for flag in in_loop],
    }


def _path(mechanism: Mechanism, joint: Joint) -> list[Body]:
    """Bodies whose joints move one side of a loop against the other."""
    bodies = mechanism.tree.bodies
    index = {body.link.name: body.index for body in bodies}

    def up(i: int) -> list[int]:
        steps = []
        while i >= 0:
            steps.append(i)
            i = bodies[i].parent
        return steps

    first, second = up(index.get(joint.parent, -1)), up(index.get(joint.child, -1))
    return [bodies[i] for i in (*first, *second) if (i in first) != (i in second)]


def _length(path: Sequence[Body], joint: Joint) -> float:
    """A length of the loop: the largest offset between its joints, 1 where there is none that is known."""
    top = min((body.parent for body in path), default=-1)
    inner = [body.joint.origin.xyz for body in path if body.parent != top]
    inner += [body.joint.child_origin.xyz for body in path] + [joint.origin.xyz, joint.child_origin.xyz]
    outer = [body.joint.origin.xyz for body in path]
    for offsets in (inner, outer):
        known = [math.hypot(*xyz) for xyz in offsets if all(isinstance(x, (int, float)) for x in xyz)]
        if max(known, default=0.0) > 1e-6:
            return max(known)
    return 1.0


def _is_linear(joint: Joint, i: int) -> bool:
    return KINDS[joint.kind].linear[i]


def _statements(context: Context) -> dict[str, object]:
    """Lines of C, joint by joint."""
    mechanism, cut = context.mechanism, cut_bodies(context.mechanism)
    number = parameter_printer(symbols_of(mechanism).parameters)
    coordinates = [_labelled(body, coordinate_lines(body.joint, body.index, body.q_start, number)) for body in cut]
    velocities = [_labelled(body, velocity_lines(body.joint, body.index, body.v_start, number)) for body in cut]
    limits, nq = joint_limits(mechanism.tree, cut, context.flags), mechanism.tree.nq
    angles = [body.q_start + i for body in cut for i in ANGLES.get(body.joint.kind, ())]
    cut_limits, cut_passive = any(limit.q >= nq for limit in limits), any(is_passive(body.joint) for body in cut)
    return {
        "slip": repr(SLIP_SPEED),
        "limits": limits,
        "cut_limits": cut_limits,
        "wound": [replace(limit, q=limit.q - nq) for limit in limits if limit.q - nq in angles],
        "implicit": any(is_damped(body.joint) for body in mechanism.tree.bodies),
        "cut_passive": cut_passive,
        "cut_followed": cut_passive or cut_limits,
        "cut_flags": [context.flags[body.index] for body in cut for _ in range(body.nv)],
        "cut_implicit": any(is_damped(body.joint) for body in cut),
        "coordinates": [joint for joint in coordinates if joint.lines],
        "velocities": [joint for joint in velocities if joint.lines],
        "turning": any(len(KINDS[body.joint.kind].turns) > 1 for body in cut),
        "quaternions": any(body.joint.kind in QUATERNIONS for body in cut),
        "angles": angles,
        "upright": [found for body in cut if (found := _upright(context, body, number)).cosine],
    }


def _labelled(body: Body, lines: Iterator[str]) -> Statements:
    return Statements(f"{body.joint.name} ({body.joint.kind})", tuple(lines), body.q_start)


def _upright(context: Context, body: Body, number: Printer) -> _Upright:
    flag = context.flags[body.index]
    active = f"p[{flag}] != 0.0 && " if flag >= 0 else ""
    return _Upright(body.joint.name, upright(body.joint, body.index, number), 6 * body.index + 3, active)
