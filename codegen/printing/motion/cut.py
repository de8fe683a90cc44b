"""Coordinates and velocities of cut joints as C statements: read from the pose and twist of their two sides (§8).

X is the pose [R | p] (rows of 4) of the joint's frame on the child in its frame on the parent, T the twist of the
former in its own axes, per unit of v.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kinegen.runtime.kinds import KINDS, SCREW, SLIDE, TURN

from ...mechanism.elements.joint import Joint
from ...mechanism.types import Number
from ...symbolic.loops.cut_joint import LOCK, dual_direction

Printer = Callable[[Number], str]

QUATERNIONS = tuple(name for name, kind in KINDS.items() if kind.group in ("so3", "se3"))


def coordinate_lines(joint: Joint, loop: int, start: int, number: Printer) -> Iterator[str]:
    """q_cut[start ...] from X, in the layout of mathematics §1."""
    X, kind = _Pose(loop), KINDS[joint.kind]
    axes = [[number(x) for x in axis] for axis in joint.directions]
    if len(kind.turns) > 1:
        yield from (_universal if len(kind.turns) == 2 else _gimbal)(X, axes, start)
    for step in kind.steps:
        q = f"q_cut[{start + step.q}]"
        if step.motion == TURN and len(kind.turns) == 1:
            yield f"{q} = {_angle(X, axes[step.axis])};"
        if step.motion == SLIDE:
            yield f"{q} = {_dot(_along(joint, step.axis, number), X.p)};"
        if step.motion == SCREW:
            yield f"{q} = {_angle(X, axes[0])};"
            turns = f"(({_dot(axes[0], X.p)})/{number(joint.pitch)} - {q})*0.15915494309189535"
            yield f"{q} += 6.283185307179586*rint({turns});"
    at = [f"q_cut[{start + i}]" for i in range(kind.nq)]
    if kind.group == "se2":
        c, s = f"({X.R(0, 0)} + {X.R(1, 1)})", f"({X.R(1, 0)} - {X.R(0, 1)})"
        yield f"{at[0]} = {X.p[0]};"
        yield f"{at[1]} = {X.p[1]};"
        yield f"{at[2]} = {c}/hypot({c}, {s});"
        yield f"{at[3]} = {s}/hypot({c}, {s});"
    if kind.group == "se3":
        yield from (f"{at[i]} = {X.p[i]};" for i in range(3))
    if joint.kind in QUATERNIONS:
        yield f"kg_so3_of_pose(X + {12 * loop}, q_cut + {start + (3 if kind.group == 'se3' else 0)});"


def velocity_lines(joint: Joint, loop: int, start: int, number: Printer) -> Iterator[str]:
    """Entries j of the rows C[start ...] from T (and X, where a joint turns about several axes)."""
    linear = [f"T[{6 * loop + i}*NV + j]" for i in range(3)]
    angular = [f"T[{6 * loop + i}*NV + j]" for i in range(3, 6)]
    kind, axes = KINDS[joint.kind], [[number(x) for x in axis] for axis in joint.directions]
    if len(kind.turns) > 1:
        rates = _universal_rates if len(kind.turns) == 2 else _gimbal_rates
        yield from rates(_Pose(loop), axes, angular, start)
    for step in kind.steps:
        if step.motion == SCREW or (step.motion == TURN and len(kind.turns) == 1):
            yield _row(start + step.v, _dot(axes[step.axis], angular))
        if step.motion == SLIDE:
            yield _row(start + step.v, _dot(_along(joint, step.axis, number), linear))
    entries = {"": [], "se2": [*linear[:2], angular[2]], "so3": angular, "se3": [*linear, *angular]}[kind.group]
    yield from (_row(start + i, entry) for i, entry in enumerate(entries))


def upright(joint: Joint, loop: int, number: Printer) -> str:
    """C expression that is negative where the two sides of the joint are more than a quarter turn apart; "" if any
    attitude serves."""
    X, locked = _Pose(loop), KINDS[joint.kind].locked
    if {3, 4, 5} <= set(locked):
        return f"{X.R(0, 0)} + {X.R(1, 1)} + {X.R(2, 2)} - 1.0"
    if {3, 4} <= set(locked):
        a = [number(x) for x in joint.axis]
        return _dot(a, [f"({_dot(a, X.row(i))})" for i in range(3)])
    return ""


def angle_lines(joint: Joint, loop: int, number: Printer) -> Iterator[str]:
    """angle[loop] [rad] from X: by how much the two sides of the joint are turned against each other beyond what it
    lets turn; nothing where any attitude serves."""
    X, kind = _Pose(loop), KINDS[joint.kind]
    cosine = upright(joint, loop, number)
    if not cosine and not kind.crossed:
        return
    if {3, 4, 5} <= set(kind.locked):
        yield f"angle[{loop}] = {_between(X.turn, cosine)};"  # 2 sin, 2 cos
        return
    first, last = (joint.directions[0], joint.directions[1]) if kind.crossed else (joint.axis, joint.axis)
    fixed, moved = [number(x) for x in first], [number(x) for x in last]
    a, b, c = ([f"{name}[{i}]" for i in range(3)] for name in "abc")
    yield "{"
    yield f"    const double a[3] = {{{', '.join(fixed)}}}, b[3] = {{{', '.join(moved)}}};"
    yield f"    const double c[3] = {{{', '.join(_dot(b, X.row(i)) for i in range(3))}}};"
    is_between, meant = (_between(_cross(a, x), _dot(a, x)) for x in (c, b))
    yield f"    angle[{loop}] = {f'fabs({is_between} - {meant})' if kind.crossed else is_between};"
    yield "}"


def _between(sine: Sequence[str], cosine: str) -> str:
    """The angle of a sine that is given as a vector, and of a cosine of the same scale."""
    x, y, z = sine
    return f"atan2(hypot(hypot({x}, {y}), {z}), {cosine})"


class _Pose:
    """C names of the entries of one loop's X."""

    def __init__(self, loop: int) -> None:
        self._start = 12 * loop
        self.p = [f"X[{self._start + 4 * i + 3}]" for i in range(3)]
        R = self.R
        self.turn = [f"({R(k, j)} - {R(j, k)})" for j, k in ((1, 2), (2, 0), (0, 1))]

    def R(self, row: int, column: int) -> str:
        return f"X[{self._start + 4 * row + column}]"

    def row(self, i: int) -> list[str]:
        return [self.R(i, k) for k in range(3)]

    def column(self, k: int) -> list[str]:
        return [self.R(i, k) for i in range(3)]


def _angle(X: _Pose, a: Sequence[str]) -> str:
    """Angle of a rotation about a: atan2(2 sin, 2 cos)."""
    return f"atan2({_dot(a, X.turn)}, {X.R(0, 0)} + {X.R(1, 1)} + {X.R(2, 2)} - 1.0)"


def _along(joint: Joint, axis: int, number: Printer) -> list[str]:
    return [number(x) for x in dual_direction(joint, axis)]


def _universal(X: _Pose, axes: Sequence[Sequence[str]], start: int) -> Iterator[str]:
    """R = R(a, q0) R(b, q1): R b is b turned about a by q0, R'a is a turned about b by -q1."""
    a, b = axes
    Rb = [f"({_dot(b, X.row(i))})" for i in range(3)]
    Ra = [f"({_dot(a, X.column(i))})" for i in range(3)]
    yield f"q_cut[{start}] = {_turn(a, b, Rb)};"
    yield f"q_cut[{start + 1}] = -{_turn(b, a, Ra)};"


def _universal_rates(X: _Pose, axes: Sequence[Sequence[str]], angular: Sequence[str], start: int) -> Iterator[str]:
    a, b = axes
    first = " + ".join(f"({_dot(a, X.column(k))})*{angular[k]}" for k in range(3))
    yield f"const double g = {_dot(a, b)}, x = {first}, y = {_dot(b, angular)};"
    yield _row(start, "(x - g*y)/(1.0 - g*g)")
    yield _row(start + 1, "(y - g*x)/(1.0 - g*g)")


def _gimbal_axes(X: _Pose, axes: Sequence[Sequence[str]]) -> Iterator[str]:
    """C of the last axis c1 = R c and the second n, parent's axes: n·a = a·b, n·c1 = b·c, |n| = 1, by w = a × c1.

    n = fa a + fc c1 + fw w, fw with the sign of b·(a × c): the second angle lies between the two positions at which
    the three axes lie in one plane. Where a is parallel to c1, n is 0, and so are the first and the last angle.
    """
    a, b, c = axes
    c1 = [f"c1[{i}]" for i in range(3)]
    yield f"const double c1[3] = {{{', '.join(_dot(c, X.row(i)) for i in range(3))}}};"
    yield f"const double w[3] = {{{', '.join(_cross(a, c1))}}};"
    yield f"const double ab = {_dot(a, b)}, bc = {_dot(b, c)}, ac = {_dot(a, c1)}, hand = {_dot(b, _cross(a, c))};"
    yield f"const double scale = 1.0/kg_max(w[0]*w[0] + w[1]*w[1] + w[2]*w[2], {LOCK**2!r});"
    yield "const double fa = (ab - bc*ac)*scale, fc = (bc - ab*ac)*scale;"
    yield "const double fw = copysign(sqrt(kg_max((1.0 - fa*ab - fc*bc)*scale, 0.0)), hand);"
    yield f"const double n[3] = {{{', '.join(f'fa*{a[i]} + fc*c1[{i}] + fw*w[{i}]' for i in range(3))}}};"


def _gimbal(X: _Pose, axes: Sequence[Sequence[str]], start: int) -> Iterator[str]:
    """R = R(a, q0) R(b, q1) R(c, q2): n is b turned about a by q0, R'n is b turned about c by -q2."""
    a, b, c = axes
    n, c1 = [f"n[{i}]" for i in range(3)], [f"c1[{i}]" for i in range(3)]
    Rn = [f"({_dot(n, X.column(i))})" for i in range(3)]
    yield "{"
    yield from (f"    {line}" for line in _gimbal_axes(X, axes))
    yield f"    q_cut[{start}] = {_turn(a, b, n)};"
    yield f"    q_cut[{start + 1}] = {_turn(n, a, c1)} - {_turn(b, a, c)};"
    yield f"    q_cut[{start + 2}] = -{_turn(c, b, Rn)};"
    yield "}"


def _gimbal_rates(X: _Pose, axes: Sequence[Sequence[str]], angular: Sequence[str], start: int) -> Iterator[str]:
    """Of R ω = a q0' + n q1' + c1 q2'; where the axes lie in one plane the rates are large and finite."""
    a = axes[0]
    n, c1 = [f"n[{i}]" for i in range(3)], [f"c1[{i}]" for i in range(3)]
    yield from _gimbal_axes(X, axes)
    turned = (" + ".join(f"{r}*{x}" for r, x in zip(X.row(i), angular, strict=True)) for i in range(3))
    yield f"const double u[3] = {{{', '.join(turned)}}};"
    yield f"const double det = copysign(kg_max(fabs(n[0]*w[0] + n[1]*w[1] + n[2]*w[2]), {LOCK!r}), -hand);"
    u = [f"u[{i}]" for i in range(3)]
    yield _row(start, f"({_dot(u, _cross(n, c1))})/det")
    yield _row(start + 1, "-(u[0]*w[0] + u[1]*w[1] + u[2]*w[2])/det")
    yield _row(start + 2, f"({_dot(u, _cross(a, n))})/det")


def _cross(a: Sequence[str], b: Sequence[str]) -> list[str]:
    return [f"({a[(i + 1) % 3]}*{b[(i + 2) % 3]} - {a[(i + 2) % 3]}*{b[(i + 1) % 3]})" for i in range(3)]


def _turn(axis: Sequence[str], u: Sequence[str], w: Sequence[str]) -> str:
    """Angle about axis from u to w."""
    return f"atan2({_dot(axis, _cross(u, w))}, {_dot(u, w)} - ({_dot(axis, u)})*({_dot(axis, w)}))"


def _row(dof: int, entry: str) -> str:
    return f"C[{dof}*NV + j] = {entry};"


def _dot(a: Sequence[str], b: Sequence[str]) -> str:
    terms = [y if x == "1.0" else f"{x}*{y}" for x, y in zip(a, b, strict=True) if x not in ("0.0", "-0.0")]
    return " + ".join(term for term in terms if not term.endswith("*0.0")) or "0.0"
