"""Coordinates and velocities of cut joints as C statements: read from the pose and twist of their two sides (§8).

X is the pose [R | p] (rows of 4) of the joint's frame on the child in its frame on the parent, T the twist of the
former in its own axes, per unit of v.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..mechanism.elements.joint import Joint
from ..mechanism.types import Number

Printer = Callable[[Number], str]

ANGLES: dict[str, tuple[int, ...]] = {"revolute": (0,), "continuous": (0,), "cylindrical": (0,), "universal": (0, 1)}
"""Coordinates that are angles and may wind up; a helical joint's follows from its shift."""

QUATERNIONS = ("spherical", "free")


def coordinate_lines(joint: Joint, loop: int, start: int, number: Printer) -> Iterator[str]:
    """q_cut[start ...] from X, in the layout of mathematics §1."""
    X = _Pose(loop)
    a = [number(x) for x in joint.axis]
    kind, q = joint.kind, f"q_cut[{start}]"
    if kind in ("revolute", "continuous", "cylindrical"):
        yield f"{q} = {_angle(X, a)};"
    if kind == "cylindrical":
        yield f"q_cut[{start + 1}] = {_dot(a, X.p)};"
    if kind == "prismatic":
        yield f"{q} = {_dot(a, X.p)};"
    if kind == "helical":
        yield f"{q} = {_angle(X, a)};"
        turns = f"(({_dot(a, X.p)})/{number(joint.pitch)} - {q})*0.15915494309189535"
        yield f"{q} += 6.283185307179586*rint({turns});"
    if kind == "universal":
        yield from _universal(X, a, [number(x) for x in joint.axis2], start)
    if kind == "planar":
        c, s = f"({X.R(0, 0)} + {X.R(1, 1)})", f"({X.R(1, 0)} - {X.R(0, 1)})"
        yield f"{q} = {X.p[0]};"
        yield f"q_cut[{start + 1}] = {X.p[1]};"
        yield f"q_cut[{start + 2}] = {c}/hypot({c}, {s});"
        yield f"q_cut[{start + 3}] = {s}/hypot({c}, {s});"
    if kind == "free":
        yield from (f"q_cut[{start + i}] = {X.p[i]};" for i in range(3))
    if kind in QUATERNIONS:
        yield f"quaternion(X + {12 * loop}, q_cut + {start + (3 if kind == 'free' else 0)});"


def velocity_lines(joint: Joint, loop: int, start: int, number: Printer) -> Iterator[str]:
    """Entries j of the rows C[start ...] from T (and X, for universal joints)."""
    linear = [f"T[{6 * loop + i}*NV + j]" for i in range(3)]
    angular = [f"T[{6 * loop + i}*NV + j]" for i in range(3, 6)]
    a = [number(x) for x in joint.axis]
    if joint.kind in ("revolute", "continuous", "cylindrical", "helical"):
        yield _row(start, _dot(a, angular))
    if joint.kind == "cylindrical":
        yield _row(start + 1, _dot(a, linear))
    if joint.kind == "prismatic":
        yield _row(start, _dot(a, linear))
    if joint.kind == "universal":
        b = [number(x) for x in joint.axis2]
        X = _Pose(loop)
        first = " + ".join(f"({_dot(a, [X.R(i, k) for i in range(3)])})*{angular[k]}" for k in range(3))
        yield f"const double g = {_dot(a, b)}, x = {first}, y = {_dot(b, angular)};"
        yield _row(start, "(x - g*y)/(1.0 - g*g)")
        yield _row(start + 1, "(y - g*x)/(1.0 - g*g)")
    if joint.kind == "planar":
        yield from (_row(start + i, entry) for i, entry in enumerate((*linear[:2], angular[2])))
    if joint.kind == "spherical":
        yield from (_row(start + i, entry) for i, entry in enumerate(angular))
    if joint.kind == "free":
        yield from (_row(start + i, entry) for i, entry in enumerate((*linear, *angular)))


def upright(joint: Joint, loop: int, number: Printer) -> str:
    """C expression that is negative where the two sides of the joint are more than a quarter turn apart; "" if any
    attitude serves."""
    X = _Pose(loop)
    if joint.kind in ("fixed", "prismatic"):
        return f"{X.R(0, 0)} + {X.R(1, 1)} + {X.R(2, 2)} - 1.0"
    if joint.kind in ("revolute", "continuous", "cylindrical", "helical", "planar"):
        a = [number(x) for x in joint.axis]
        return _dot(a, [f"({_dot(a, [X.R(i, k) for k in range(3)])})" for i in range(3)])
    return ""


class _Pose:
    """C names of the entries of one loop's X."""

    def __init__(self, loop: int) -> None:
        self._start = 12 * loop
        self.p = [f"X[{self._start + 4 * i + 3}]" for i in range(3)]

    def R(self, row: int, column: int) -> str:
        return f"X[{self._start + 4 * row + column}]"


def _angle(X: _Pose, a: Sequence[str]) -> str:
    """Angle of a rotation about a: atan2(2 sin, 2 cos)."""
    turn = [f"({X.R(2, 1)} - {X.R(1, 2)})", f"({X.R(0, 2)} - {X.R(2, 0)})", f"({X.R(1, 0)} - {X.R(0, 1)})"]
    return f"atan2({_dot(a, turn)}, {X.R(0, 0)} + {X.R(1, 1)} + {X.R(2, 2)} - 1.0)"


def _universal(X: _Pose, a: Sequence[str], b: Sequence[str], start: int) -> Iterator[str]:
    """R = R(a, q0) R(b, q1): R b is b turned about a by q0, R'a is a turned about b by -q1."""
    Rb = [f"({_dot(b, [X.R(i, k) for k in range(3)])})" for i in range(3)]
    Ra = [f"({_dot(a, [X.R(k, i) for k in range(3)])})" for i in range(3)]
    yield f"q_cut[{start}] = {_turn(a, b, Rb)};"
    yield f"q_cut[{start + 1}] = -{_turn(b, a, Ra)};"


def _turn(axis: Sequence[str], u: Sequence[str], w: Sequence[str]) -> str:
    """Angle about axis from u to w."""
    across = [f"({u[(i + 1) % 3]}*{w[(i + 2) % 3]} - {u[(i + 2) % 3]}*{w[(i + 1) % 3]})" for i in range(3)]
    return f"atan2({_dot(axis, across)}, {_dot(u, w)} - ({_dot(axis, u)})*({_dot(axis, w)}))"


def _row(dof: int, entry: str) -> str:
    return f"C[{dof}*NV + j] = {entry};"


def _dot(a: Sequence[str], b: Sequence[str]) -> str:
    terms = [y if x == "1.0" else f"{x}*{y}" for x, y in zip(a, b, strict=True) if x not in ("0.0", "-0.0")]
    return " + ".join(term for term in terms if not term.endswith("*0.0")) or "0.0"
