"""PREFIX_step.c and PREFIX_model.h: the tables of the closure and of the step, around the C of runtime/c (§8, §10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kinegen.runtime.abi import ArraySpec, KernelSpec
from kinegen.runtime.kinds import KINDS

from ..analysis.limits import Limit, joint_limits
from ..analysis.loops import Closure
from ..analysis.routes import Route
from ..analysis.sizes import LoopSizes, RowSizes, Sizes
from ..mechanism.structure.tree import Body
from ..symbolic.symbols import symbols_of
from .cut import ANGLES, QUATERNIONS, Printer, coordinate_lines, upright, velocity_lines
from .environment import bound, render
from .kernels import CFile, Context
from .motion import Statements, is_damped, is_passive, parameter_printer

TITLES = {
    "forward_dynamics": "acceleration of the closed mechanism",
    "forward_dynamics_reduced": "acceleration by A = W'MW",
    "forward_dynamics_unit_vector": "acceleration by unit vectors",
    "forward_dynamics_damped": "acceleration with (M + diag d) in place of M",
    "passive_forces": "forces of springs, dampers and dry friction, those of cut joints included",
    "closure_gap": "gap of each loop, upside down counted as open",
    "loop_coordinates": "coordinates of the cut joints",
    "loop_jacobian": "velocities of the cut joints per v",
}


@dataclass(frozen=True)
class _Upright:
    """A loop whose two sides must not stand upside down: C expression of the cosine between them."""

    label: str
    loop: int
    cosine: str


def sizes_of(
    context: Context, closure: Closure | None, rows: RowSizes | None, specialised: bool = False, rank: int = 0
) -> Sizes:
    """Sizes and features of a model; `rank`: of the closure where nothing is singular, 0 if not known."""
    mechanism = context.mechanism
    joints = [body.joint for body in mechanism.tree.bodies]
    return Sizes(
        nq=mechanism.tree.nq,
        nv=mechanism.tree.nv,
        bodies=len(mechanism.tree.bodies),
        parameters=len(mechanism.parameters) + len(context.switches),
        parametric=context.parametric,
        passive=any(map(is_passive, joints)),
        damping=any(map(is_damped, joints)),
        loops=_loop_sizes(context, closure, specialised, rank) if closure else None,
        rows=rows,
    )


def _loop_sizes(context: Context, closure: Closure, specialised: bool, rank: int) -> LoopSizes:
    limits, cut = _limits(context, closure), [body.joint for body in closure.cut]
    return LoopSizes(
        loops=len(closure.cut),
        rows=len(closure.rows),
        cut_q=closure.cut_nq,
        cut_v=closure.cut_nv,
        cut_angles=len(_angles(closure)),
        cut_bounds=len(_wound(context, closure)),
        rank=rank,
        switched=bool(context.switches),
        specialised=specialised,
        cut_forces=any(map(is_passive, cut)),
        cut_damping=any(map(is_damped, cut)),
        cut_limits=any(limit.q >= context.mechanism.tree.nq for limit in limits),
    )


def model_header(context: Context, sizes: Sizes) -> str:
    """PREFIX_model.h: what the C of runtime/c is told of the model."""
    return render("model.h.j2", constants=sizes.constants(), features=sizes.features(), **context.common())


def step_file(context: Context, sizes: Sizes, closure: Closure | None, specialised: Route | None = None) -> CFile:
    """PREFIX_step.c with the kernels of loops, and the declarations of its other functions.

    `specialised`: the route of the straight-line forward dynamics that goes before pivoting.
    """
    kernels = closed_kernels(context, closure, specialised) if closure else ()
    words = _closure_words(context, closure) if closure else {}
    text = render(
        "step.c.j2",
        loops=closure,
        kernels=kernels,
        switched=sizes.switched,
        rows=bool(sizes.rows),
        roots=_roots(context),
        p="const double *p, " if context.parametric else "",
        given="p" if context.parametric else "0",
        **{"pass": "p, " if context.parametric else ""},
        **words,
        **context.common(),
    )
    declarations = render(
        "step.h.j2", loops=bool(closure), switched=sizes.switched, rows=bool(sizes.rows), **context.common()
    )
    titles = {kernel.name: TITLES[kernel.name] for kernel in kernels}
    return CFile(f"{context.prefix}_step.c", text, kernels, titles, (), declarations)


def _roots(context: Context) -> list[tuple[str, int, int]]:
    """Joints on world whose bodies keep momentum by themselves, with their places in q and v."""
    names = {"se3": "FREE_ROOT", "se2": "PLANAR_ROOT", "so3": "BALL_ROOT"}
    bodies = [body for body in context.mechanism.tree.bodies if body.parent < 0 and body.nv]
    groups = [(KINDS[body.joint.kind].group, body) for body in bodies]
    return [(names[group], body.q_start, body.v_start) for group, body in groups if group]


def closed_kernels(context: Context, closure: Closure, straight: Route | None = None) -> tuple[KernelSpec, ...]:
    """Kernels of `step_file` in a mechanism with loops."""
    tree = context.mechanism.tree
    q, v = ("q", tree.nq), ("v", tree.nv)
    state = (q, v, ("tau", tree.nv))
    a = ("a", (tree.nv,))
    default = _spec(context, "forward_dynamics", state, a)
    if straight:
        default = replace(default, route="specialised", reason=f"{straight.name}: {straight.reason}")
    specs = [
        default,
        _spec(context, "forward_dynamics_reduced", state, a),
        _spec(context, "forward_dynamics_unit_vector", state, a),
        _spec(context, "forward_dynamics_damped", (*state, ("d", tree.nv)), a),
        _spec(context, "passive_forces", (q, v), ("f", (tree.nv,))),
        _spec(context, "closure_gap", (q,), ("gap", (6 * len(closure.cut),))),
        _spec(context, "loop_coordinates", (q,), ("q_cut", (closure.cut_nq,))),
        _spec(context, "loop_jacobian", (q,), ("C", (closure.cut_nv, tree.nv))),
    ]
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


def _closure_words(context: Context, closure: Closure) -> dict[str, object]:
    """Tables and lines of C, joint by joint."""
    mechanism, cut = context.mechanism, closure.cut
    number = parameter_printer(symbols_of(mechanism).parameters)
    by_name = {switch.name: switch for switch in context.switches}
    switch_of = [by_name.get(loop.joint.name) for loop in mechanism.virtual_links]
    coordinates = [_labelled(body, coordinate_lines(body.joint, body.index, body.q_start, number)) for body in cut]
    velocities = [_labelled(body, velocity_lines(body.joint, body.index, body.v_start, number)) for body in cut]
    return {
        "cut_loop": [body.index for body in cut for _ in range(body.nv)] or [0],
        "cut_angle": _angles(closure) or [0],
        "cut_bounds": [f"{x.q}, {bound(x.low)}, {bound(x.high)}" for x in _wound(context, closure)] or ["0"],
        "pose_starts": [mechanism.parameters.index(s.symbols[0]) if s else 0 for s in switch_of],
        "turned": [int(bool(s and s.turned)) for s in switch_of],
        "cut_starts": [*(body.q_start for body in cut), closure.cut_nq],
        "coordinates": [joint for joint in coordinates if joint.lines],
        "velocities": [joint for joint in velocities if joint.lines],
        "turning": any(len(KINDS[body.joint.kind].turns) > 1 for body in cut),
        "quaternions": any(body.joint.kind in QUATERNIONS for body in cut),
        "upright": [found for body in cut if (found := _upright(body, number)).cosine],
    }


def _limits(context: Context, closure: Closure) -> tuple[Limit, ...]:
    return joint_limits(context.mechanism.tree, closure.cut, closure.flags)


def _angles(closure: Closure) -> list[int]:
    """Cut coordinates that are angles."""
    return [body.q_start + i for body in closure.cut for i in ANGLES.get(body.joint.kind, ())]


def _wound(context: Context, closure: Closure) -> list[Limit]:
    """Bounds of such angles, with their places among the cut coordinates."""
    nq, angles = context.mechanism.tree.nq, _angles(closure)
    return [replace(limit, q=limit.q - nq) for limit in _limits(context, closure) if limit.q - nq in angles]


def _labelled(body: Body, lines: Iterator[str]) -> Statements:
    return Statements(f"{body.joint.name} ({body.joint.kind})", tuple(lines), body.q_start)


def _upright(body: Body, number: Printer) -> _Upright:
    return _Upright(body.joint.name, body.index, upright(body.joint, body.index, number))
