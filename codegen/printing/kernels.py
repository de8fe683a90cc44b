"""The C files of a tree: straight-line kernels by topic, loops where text would grow faster than the tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kinegen.runtime.abi import ArraySpec, KernelSpec

from ..analysis.routes import Route, forward_dynamics_route, mass_matrix_route
from ..mechanism.mechanism import Mechanism
from ..mechanism.structure.topology import Switch
from ..program.types import Function
from ..symbolic.functions import DERIVATIONS, derive
from ..symbolic.symbols import symbols_of
from .environment import render
from .motion import parameter_printer
from .printer import Lines, print_function

PLAIN = ("inverse_dynamics", "bias", "gravity")
CLOSURE = (
    "closure_residual",
    "closure_rows",
    "closure_rows_bias",
    "cut_poses",
    "cut_twists",
    "closure_jacobian",
    "closure_bias",
)
KINEMATIC = (
    "link_poses",
    "cog_bias",
    "com",
    "com_jacobian",
    "energy",
    "momentum",
    "centroidal_momentum_matrix",
)


@dataclass(frozen=True)
class Piece:
    """One printed function: `storage` is "static " for what only its own file calls."""

    spec: KernelSpec
    body: Lines
    title: str
    operations: str
    storage: str = ""


@dataclass(frozen=True)
class CFile:
    """Text of a file, the kernels that it defines with their titles, and the compiler flags it wants.

    `declarations` are those of functions that are no kernels: C calls them, the runtime does not.
    """

    name: str
    text: str
    kernels: tuple[KernelSpec, ...]
    titles: Mapping[str, str]
    flags: tuple[str, ...] = ()
    declarations: str = ""


@dataclass(frozen=True)
class Context:
    """What every file of a model shares; `switches`: loops that can be active or not, each with a flag in p."""

    mechanism: Mechanism
    prefix: str
    advance: Callable[[str], None]
    switches: tuple[Switch, ...] = ()

    @property
    def flags(self) -> list[int]:
        """Place in p of each loop's flag, after the open parameters; -1 for a loop that is always active."""
        first = len(self.mechanism.parameters)
        places = {switch.name: first + k for k, switch in enumerate(self.switches)}
        return [places.get(loop.joint.name, -1) for loop in self.mechanism.virtual_links]

    @property
    def parametric(self) -> bool:
        return bool(self.mechanism.parameters)

    @property
    def paths(self) -> dict[str, object]:
        """The motion axes of the tree as tables: dof, next axis to the root, last axis of each link."""
        dofs: list[int] = []
        above: list[int] = []
        last: list[int] = []
        for body in self.mechanism.tree.bodies:
            tip = last[body.parent] if body.parent >= 0 else -1
            for k in range(body.nv or (1 if body.joint.mimic else 0)):
                dofs.append(body.v_start + k)
                above.append(tip)
                tip = len(dofs) - 1
            last.append(tip)
        return {"dofs": dofs, "above": above, "last": last, "axes": len(dofs), "room_axes": 9 * len(dofs)}

    @property
    def open(self) -> str:
        """What the kernels of the open tree are called in a mechanism with loops."""
        return "_open" if self.mechanism.virtual_links else ""

    def common(self) -> dict[str, object]:
        tree = self.mechanism.tree
        return {
            "title": self.mechanism.name,
            "prefix": self.prefix,
            "guard": self.prefix.upper(),
            "parametric": self.parametric,
            "nv": tree.nv,
            "nq": tree.nq,
            "links": len(tree.bodies),
        }


def tree_files(context: Context) -> list[CFile]:
    """All files of a tree but the motion of its coordinates."""
    mass, forward = mass_matrix_route(context.mechanism), forward_dynamics_route(context.mechanism)
    files = [
        _dynamics(context, mass),
        _forward(context, forward),
        _kinematics(context),
        _reference(context, mass, forward),
    ]
    if context.mechanism.virtual_links and not context.switches:
        pieces = [_piece(context, name) for name in CLOSURE]
        files.append(_file(context, "closure", "closure of the loops", pieces))
    return files


def _dynamics(context: Context, mass: Route) -> CFile:
    pieces = [_piece(context, name) for name in PLAIN]
    if mass.function is not None:
        pieces.append(printed(context, "mass_matrix", mass.function, mass.name, mass.reason))
        return _file(context, "dynamics", "inverse dynamics and mass matrix", pieces)
    internal = [_piece(context, name, "static ") for name in ("composite_columns", "armatures")]
    spec = _spec(context, "mass_matrix", [("q", context.mechanism.tree.nq)], [("M", _square(context))])
    spec = _routed(spec, mass, internal[0])
    paths = render("paths.c.j2", use_dof=True, use_last=False, **context.paths)
    loops = paths + render("loops_mass_matrix.c.j2", **context.common(), **context.paths)
    titles = {"mass_matrix": DERIVATIONS["mass_matrix_composite"][0]}
    return _file(context, "dynamics", "inverse dynamics and mass matrix", [*pieces, *internal], loops, (spec,), titles)


def _forward(context: Context, forward: Route) -> CFile:
    pieces, name = [], f"forward_dynamics{context.open}"
    if forward.function is not None:
        pieces.append(printed(context, name, forward.function, forward.name, forward.reason))
    if _damped(context.mechanism):
        function = derive(context.mechanism, f"forward_dynamics_damped_{forward.name}")
        pieces.append(printed(context, f"{name}_damped", function, forward.name, "as forward_dynamics"))
    return _file(context, "forward", "forward dynamics", pieces)


def _kinematics(context: Context) -> CFile:
    tree = context.mechanism.tree
    pieces = [_piece(context, name) for name in KINEMATIC]
    pieces.append(_piece(context, "motion_columns", "static "))
    q, n = ("q", tree.nq), len(tree.bodies)
    specs = (
        _spec(context, "cog_jacobian", [q], [("G", (6 * n, tree.nv))]),
        _spec(context, "frame_jacobian", [q, ("frame", 4)], [("J", (6, tree.nv))]),
    )
    titles = {
        "cog_jacobian": DERIVATIONS["cog_jacobian"][0],
        "frame_jacobian": "Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]",
    }
    paths = render("paths.c.j2", use_dof=True, use_last=True, **context.paths)
    loops = paths + render("loops_kinematics.c.j2", **context.common(), **context.paths)
    return _file(context, "kinematics", "poses, Jacobians, energy and momentum", pieces, loops, specs, titles)


def _reference(context: Context, mass: Route, forward: Route) -> CFile:
    """The routes that were not chosen and those by definition: compiled with little effort, called in comparisons."""
    internal = [
        _piece(context, name, "static ") for name in ("motion_columns", "world_inertias", "armatures", "unit_torque")
    ]
    pieces = []
    name = f"forward_dynamics{context.open}"
    solvers = [(f"{name}_unit_vector", "mass_matrix_unit_vector")]
    if forward.name != "ltdl":
        solvers.append((f"{name}_ltdl", "mass_matrix"))
    elif not any(body.joint.mimic for body in context.mechanism.tree.bodies):
        function = derive(context.mechanism, "forward_dynamics_articulated")
        pieces.append(printed(context, f"{name}_articulated", function))
    if mass.name == "unit_vector":
        pieces.append(_piece(context, "mass_matrix_composite"))
    nq, nv = context.mechanism.tree.nq, context.mechanism.tree.nv
    state = [("q", nq), ("v", nv)]
    specs = [
        _spec(context, "mass_matrix_cog", [("q", nq)], [("M", _square(context))]),
        _spec(context, "mass_matrix_unit_vector", [("q", nq)], [("M", _square(context))]),
        _spec(context, "inverse_dynamics_cog", [*state, ("a", nv)], [("tau", (nv,))]),
        *(_spec(context, name, [*state, ("tau", nv)], [("a", (nv,))]) for name, _ in solvers),
    ]
    damped = not _damped(context.mechanism)
    if damped:
        inputs = [*state, ("tau", nv), ("d", nv)]
        specs.append(_spec(context, f"forward_dynamics{context.open}_damped", inputs, [("a", (nv,))]))
    number = parameter_printer(symbols_of(context.mechanism).parameters)
    paths = render("paths.c.j2", use_dof=True, use_last=True, **context.paths)
    gravity = [number(g) for g in context.mechanism.gravity]
    loops = paths + render(
        "loops_reference.c.j2",
        solvers=solvers,
        damped=damped,
        open=context.open,
        gravity=gravity,
        **context.common(),
        **context.paths,
    )
    titles = {
        s.name: DERIVATIONS.get(s.name.replace("_open", ""), ("acceleration a of (M + diag d) a = tau - h",))[0]
        for s in specs
    }
    return _file(
        context,
        "reference",
        "slower routes to compare with",
        [*pieces, *internal],
        loops,
        tuple(specs),
        titles,
        ("-O1",),
    )


def _damped(mechanism: Mechanism) -> bool:
    joints = [body.joint for body in mechanism.tree.bodies]
    return any(value != 0 for joint in joints for value in (*joint.damping, *joint.friction))


def _square(context: Context) -> tuple[int, int]:
    nv = context.mechanism.tree.nv
    return nv, nv


def _spec(
    context: Context, name: str, inputs: Sequence[tuple[str, int]], outputs: Sequence[tuple[str, tuple[int, ...]]]
) -> KernelSpec:
    return KernelSpec(
        name,
        f"{context.prefix}_{name}",
        tuple(ArraySpec(array, (size,)) for array, size in inputs),
        tuple(ArraySpec(array, shape) for array, shape in outputs),
        route="loop",
        reason="a loop over the paths of the tree",
    )


def _routed(spec: KernelSpec, route: Route, piece: Piece) -> KernelSpec:
    return KernelSpec(
        spec.name, spec.function, spec.inputs, spec.outputs, dict(piece.spec.operations), route.name, route.reason
    )


def _piece(context: Context, name: str, storage: str = "") -> Piece:
    return printed(context, name, derive(context.mechanism, name), storage=storage)


def printed(
    context: Context, name: str, function: Function, route: str = "straight", reason: str = "", storage: str = ""
) -> Piece:
    context.advance(name)
    operations = function.operations
    counts = {k: getattr(operations, k) for k in ("mul", "add", "div", "call", "sincos")}
    spec = KernelSpec(
        name,
        name if storage else f"{context.prefix}_{name}",
        tuple(ArraySpec(i.name, (len(i.symbols),)) for i in function.inputs if i.name != "p"),
        tuple(ArraySpec(o.name, o.shape) for o in function.outputs),
        counts,
        route,
        reason,
    )
    body = print_function(function)
    return Piece(spec, body, _sentence(function.title), str(operations), storage)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _file(
    context: Context,
    topic: str,
    subject: str,
    pieces: Sequence[Piece],
    loops: str = "",
    loop_kernels: tuple[KernelSpec, ...] = (),
    titles: Mapping[str, str] | None = None,
    flags: tuple[str, ...] = (),
) -> CFile:
    public = [piece for piece in pieces if not piece.storage]
    text = render(
        "kernels.c.j2",
        subject=subject,
        pieces=pieces,
        loops=loops,
        loop_kernels=loop_kernels,
        batches=True,
        **context.common(),
    )
    return CFile(
        f"{context.prefix}_{topic}.c",
        text,
        (*(piece.spec for piece in public), *loop_kernels),
        {
            **{piece.spec.name: piece.title for piece in public},
            **{name: _sentence(title) for name, title in (titles or {}).items()},
        },
        flags,
    )
