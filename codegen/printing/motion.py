"""Motion of the coordinates, passive joint forces and the time step as C99 text (mathematics §1, §10).

Straight-line calls, one a joint, of small functions for the groups that joints move in: SO(3) for spherical, SE(3)
for free, SE(2) for planar joints; all other coordinates add.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy.printing.c import C99CodePrinter

from kinegen.runtime.abi import ArraySpec, KernelSpec
from kinegen.runtime.kinds import KINDS

from ..mechanism.elements.joint import Joint
from ..mechanism.structure.tree import Body, SpanningTree
from ..mechanism.types import ROTATION_PART, Number
from .environment import render

INTEGRATORS = ("semi_implicit", "rk4")
SLIP_SPEED = 1e-3  # rad/s or m/s around which dry friction passes smoothly through zero

GROUP = {name: kind.group for name, kind in KINDS.items() if kind.group}

Printer = Callable[[Number], str]


@dataclass(frozen=True)
class Statements:
    """The C statements that belong to one joint; `start` is the index in q that they concern."""

    label: str
    lines: tuple[str, ...]
    start: int = 0


def motion_source(
    tree: SpanningTree,
    prefix: str,
    parameters: Sequence[sympy.Symbol] = (),
    *,
    title: str | None = None,
    header: str | None = None,
    number: Printer | None = None,
    cut: Sequence[Body] = (),
    flags: Sequence[int] = (),
    touching: bool = False,
) -> str:
    """One C file: integrate, difference, passive_forces (and their batches), checks of arguments, simulate.

    `cut`: the cut joints of a closed mechanism, whose `simulate` stands elsewhere; this file then has its pieces.
    `flags`: for each of them, the place in p that tells whether it is active, -1 if it always is. `touching`: there is
    contact, and `step_pieces` go with it.

    It includes `header` (default PREFIX.h), which must declare what `motion_header` lists and the kernels
    PREFIX_forward_dynamics(q, v, tau, a) and PREFIX_forward_dynamics_damped(q, v, tau, d, a). `number` prints a
    Number as C; by default a parameter is `p[i]`, i its place in `parameters`.
    """
    number = number or parameter_printer(parameters)
    passive = listed(tree, lambda body: _passive(body, number))
    moving = [body for body in tree.bodies if body.nv > 0]
    moved = {GROUP[body.joint.kind] for body in moving if body.joint.kind in GROUP}
    sprung = {GROUP[body.joint.kind] for body in cut if body.joint.kind in GROUP and _is_sprung(body)}
    return render(
        "motion.c.j2",
        title=title or prefix,
        header=header or f"{prefix}.h",
        groups=moved | sprung,
        moved=moved,
        closed=bool(cut),
        integrate=listed(tree, _integrate),
        difference=listed(tree, _difference),
        units=listed(tree, _unit_norm, start=_rotation_start),
        passive=passive,
        implicit=listed(tree, lambda body: implicit(body, number)),
        cut_passive=_present(cut, lambda body: _passive(body, number), flags),
        cut_implicit=_present(cut, lambda body: implicit(body, number), flags),
        advance=listed(tree, advance),
        rates=["for (int i = 0; i < NV; i++)", "    k_out[i] = v[i];", *(line for b in moving for line in _rate(b))],
        unused=_unused(bool(parameters), passive),
        kernels=motion_kernels(tree, prefix, bool(cut)),
        slip=repr(SLIP_SPEED),
        limits=joint_limits(tree),
        cut_limits=False,
        touching=touching,
        **common(tree, prefix, parameters),
    )


@dataclass(frozen=True)
class Limit:
    """A bounded coordinate: places in q and v (past their ends: in the cut coordinates and velocities), bounds as C.

    `flag`: the place in p that tells whether a cut joint is active, -1 if it always is.
    """

    q: int
    v: int
    low: str
    high: str
    flag: int = -1


def joint_limits(tree: SpanningTree, cut: Sequence[Body] = (), flags: Sequence[int] = ()) -> list[Limit]:
    """Bounded coordinates of the tree, then of the cut joints; what bounds a mimic joint bounds its leader."""
    found = []
    for body, q, v, flag in (
        *((body, body.q_start, body.v_start, -1) for body in tree.bodies),
        *((body, tree.nq + body.q_start, tree.nv + body.v_start, flags[body.index] if flags else -1) for body in cut),
    ):
        for i in range(body.nv if body.nq == body.nv else 0):
            low, high = body.joint.limits[i]
            if math.isfinite(low) or math.isfinite(high):
                found.append(Limit(q + i, v + i, _bound(low), _bound(high), flag))
    return found


def _bound(value: float) -> str:
    return repr(value) if math.isfinite(value) else "-INFINITY" if value < 0 else "INFINITY"


def motion_header(
    tree: SpanningTree, prefix: str, parameters: Sequence[sympy.Symbol] = (), *, closed: bool = False
) -> str:
    """C declarations of all that `motion_source` defines, without includes or guards: cffi reads them as well."""
    kernels = motion_kernels(tree, prefix, closed)
    return render("motion.h.j2", kernels=kernels, closed=closed, **common(tree, prefix, parameters))


def motion_kernels(tree: SpanningTree, prefix: str, closed: bool = False) -> tuple[KernelSpec, ...]:
    """Kernels of `motion_source` for the manifest; `simulate` is not among them, it has a signature of its own.

    In a closed mechanism the passive forces of the tree alone are called passive_forces_open.
    """
    q, v = (tree.nq,), (tree.nv,)
    arguments: dict[str, tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]] = {
        "integrate": ({"q": q, "v_dt": v}, {"q_out": q}),
        "difference": ({"q0": q, "q1": q}, {"v_dt": v}),
        f"passive_forces{'_open' if closed else ''}": ({"q": q, "v": v}, {"f": v}),
    }
    return tuple(
        KernelSpec(name, f"{prefix}_{name}", _arrays(inputs), _arrays(outputs))
        for name, (inputs, outputs) in arguments.items()
    )


def _arrays(shapes: dict[str, tuple[int, ...]]) -> tuple[ArraySpec, ...]:
    return tuple(ArraySpec(name, shape) for name, shape in shapes.items())


def parameter_printer(parameters: Sequence[sympy.Symbol]) -> Printer:
    """Prints a Number as a C operand: a constant by `repr`, a parameter as `p[i]`."""
    names = {symbol: f"p[{i}]" for i, symbol in enumerate(parameters)}

    class _Printer(C99CodePrinter):  # type: ignore[misc]
        def _print_Symbol(self, symbol: sympy.Symbol) -> str:
            return names[symbol]

    def number(value: Number) -> str:
        if isinstance(value, sympy.Expr) and value.free_symbols:
            text = str(_Printer().doprint(value))
            return text if value.is_Symbol else f"({text})"
        return repr(float(value)) if value >= 0 else f"({float(value)!r})"

    return number


def common(tree: SpanningTree, prefix: str, parameters: Sequence[sympy.Symbol]) -> dict[str, object]:
    parametric = bool(parameters)
    return {
        "prefix": prefix,
        "nq": tree.nq,
        "nv": tree.nv,
        "parametric": parametric,
        "p": "const double *p, " if parametric else "",
        "pass": "p, " if parametric else "",
    }


def _unused(parametric: bool, passive: Sequence[Statements]) -> dict[str, str]:
    """Lines that keep a strict compiler quiet about arguments a particular model has no use for."""
    p = ["p"] if parametric else []
    passive_text = " ".join(line for joint in passive for line in joint.lines)
    return {
        "integrate": _void(p),
        "difference": _void(p),
        "passive": _void(
            (p if "p[" not in passive_text else [])
            + [name for name in ("q", "v") if f"{name}[" not in passive_text and f"{name} +" not in passive_text]
        ),
    }


def _void(names: Sequence[str]) -> str:
    return f"    {', '.join(f'(void){name}' for name in names)};\n" if names else ""


def listed(
    tree: SpanningTree, lines: Callable[[Body], Iterator[str]], start: Callable[[Body], int] = lambda body: body.q_start
) -> list[Statements]:
    """Statements of every joint that has any, in the order of the tree."""
    found = ((body, tuple(lines(body))) for body in tree.bodies)
    return [Statements(_label(body), text, start(body)) for body, text in found if text]


def _label(body: Body) -> str:
    return f"{body.joint.name} ({body.joint.kind})"


def _present(
    bodies: Sequence[Body], lines: Callable[[Body], Iterator[str]], flags: Sequence[int] = ()
) -> list[Statements]:
    found = ((body, _while_active(tuple(lines(body)), flags[body.index] if flags else -1)) for body in bodies)
    return [Statements(_label(body), text, body.q_start) for body, text in found if text]


def _while_active(lines: tuple[str, ...], flag: int) -> tuple[str, ...]:
    if flag < 0 or not lines:
        return lines
    return (f"if (p[{flag}] != 0.0) {{", *(f"    {line}" for line in lines), "}")


def _is_sprung(body: Body) -> bool:
    return any(k != 0 for k in body.joint.stiffness)


def is_damped(joint: Joint) -> bool:
    """Has dampers or friction."""
    return any(k != 0 for k in (*joint.damping, *joint.friction))


def is_passive(joint: Joint) -> bool:
    """Has springs, dampers or friction."""
    return is_damped(joint) or any(k != 0 for k in joint.stiffness)


def _integrate(body: Body) -> Iterator[str]:
    q, v = body.q_start, body.v_start
    if group := _group(body):
        yield f"{group}_integrate(q + {q}, v_dt + {v}, q_out + {q});"
    else:
        yield from (f"q_out[{q + i}] = q[{q + i}] + v_dt[{v + i}];" for i in range(body.nv))


def _difference(body: Body) -> Iterator[str]:
    q, v = body.q_start, body.v_start
    if group := _group(body):
        yield f"{group}_difference(q0 + {q}, q1 + {q}, v_dt + {v});"
    else:
        yield from (f"v_dt[{v + i}] = q1[{q + i}] - q0[{q + i}];" for i in range(body.nv))


def advance(body: Body) -> Iterator[str]:
    q, v = body.q_start, body.v_start
    if group := _group(body):
        yield f"{group}_advance(dt, a + {v}, q + {q}, v + {v});"
    else:
        for i in range(body.nv):
            yield f"v[{v + i}] += dt*a[{v + i}];"
            yield f"q[{q + i}] += dt*v[{v + i}];"


def _rate(body: Body) -> Iterator[str]:
    if group := _group(body):
        yield f"{group}_rate(u + {body.v_start}, v + {body.v_start}, k_out + {body.v_start});"


def _unit_norm(body: Body) -> Iterator[str]:
    if body.nv and body.joint.kind in ROTATION_PART:
        entries = range(body.q_start, body.q_start + body.nq)[ROTATION_PART[body.joint.kind]]
        yield " + ".join(f"q[{i}]*q[{i}]" for i in entries)


def _rotation_start(body: Body) -> int:
    part = ROTATION_PART.get(body.joint.kind)
    return body.q_start + (part.start if part else 0)


def _passive(body: Body, number: Printer) -> Iterator[str]:
    """f -= damping v + stiffness displacement + friction v/sqrt(v^2 + slip^2); a mimic's are its leader's already."""
    joint, q = body.joint, body.q_start
    dofs = range(body.v_start, body.v_start + body.nv)
    group = _group(body)
    if group and any(k != 0 for k in joint.stiffness):
        rest = ", ".join(number(x) for x in joint.rest)
        yield "{"
        yield f"    const double rest[{body.nq}] = {{{rest}}};"
        yield f"    double x[{body.nv}];"
        yield f"    {group}_difference(rest, q + {q}, x);"
        for i, k in enumerate(joint.stiffness):
            if k != 0:
                yield f"    f[{dofs[i]}] -= {number(k)}*x[{i}];"
        yield "}"
    for i, dof in enumerate(dofs):
        if not group and joint.stiffness[i] != 0:
            rest = number(joint.rest[i])
            displacement = f"q[{q + i}]" if joint.rest[i] == 0 else f"(q[{q + i}] - {rest})"
            yield f"f[{dof}] -= {number(joint.stiffness[i])}*{displacement};"
        if joint.damping[i] != 0:
            yield f"f[{dof}] -= {number(joint.damping[i])}*v[{dof}];"
        if joint.friction[i] != 0:
            yield f"f[{dof}] -= {number(joint.friction[i])}*v[{dof}]/{_smooth_speed(dof)};"


def implicit(body: Body, number: Printer) -> Iterator[str]:
    """d += dt (damping + friction/sqrt(v^2 + slip^2)), the part of the passive forces that acts at the new velocity."""
    for i, dof in enumerate(range(body.v_start, body.v_start + body.nv)):
        if body.joint.damping[i] != 0:
            yield f"d[{dof}] += dt*{number(body.joint.damping[i])};"
        if body.joint.friction[i] != 0:
            yield f"d[{dof}] += dt*{number(body.joint.friction[i])}/{_smooth_speed(dof)};"


def _smooth_speed(dof: int) -> str:
    return f"sqrt(v[{dof}]*v[{dof}] + {SLIP_SPEED**2!r})"


def _group(body: Body) -> str | None:
    return GROUP.get(body.joint.kind)
