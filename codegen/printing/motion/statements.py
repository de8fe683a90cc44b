"""What moves and drives the coordinates of each joint, as C statements (mathematics §1, §10).

Calls of small functions for the groups that joints move in: SO(3) for spherical, SE(3) for free, SE(2) for planar
joints; all other coordinates add.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import sympy
from sympy.printing.c import C99CodePrinter

from kinegen.runtime.kinds import KINDS

from ...analysis.motion.spin import Spin
from ...analysis.motion.turning import Turning
from ...mechanism.structure.tree import Body, SpanningTree
from ...mechanism.types import ROTATION_PART, Number
from ...symbolic.limbs import MANY, corresponding

GROUP = {name: f"kg_{kind.group}" for name, kind in KINDS.items() if kind.group}
"""Functions of runtime/c/joints of the kinds that do not just add."""

Printer = Callable[[Number], str]


@dataclass(frozen=True)
class Statements:
    """The C statements that belong to one joint; `start` is the index in q that they concern; `count`: of joints that
    are alike, to which they belong one after the other (see `Along`)."""

    label: str
    each: tuple[str, ...]
    start: int = 0
    count: int = 1

    @property
    def lines(self) -> tuple[str, ...]:
        if self.count == 1:
            return self.each
        return (f"for (int k = 0; k < {self.count}; k++) {{", *(f"    {line}" for line in self.each), "}")


class Along(int):
    """A place of the first of joints that are alike; that of number k in C."""

    stride: int

    def __new__(cls, first: int, stride: int) -> Self:
        place = super().__new__(cls, first)
        place.stride = stride
        return place

    def __add__(self, more: int) -> Along:
        return Along(int(self) + more, self.stride)

    def __format__(self, spec: str) -> str:
        return f"{self.stride}*k + {int(self)}" if self else f"{self.stride}*k"

    __str__ = __repr__ = lambda self: format(self)


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


def spin(body: Body, spins: Mapping[int, Spin], number: Printer) -> Iterator[str]:
    """f += what the forces of a body's spin change by when they act in the middle of the step; `spins` by body."""
    if found := spins.get(body.index):
        entries = ", ".join(map(number, (found.mass, *found.centre, *found.inertia)))
        yield "{"
        yield f"    const double body[10] = {{{entries}}};"
        yield f"    kg_se3_spin(dt, body, v + {body.v_start}, f + {body.v_start});"
        yield "}"


def centre(body: Body, spins: Mapping[int, Spin], number: Printer) -> Iterator[str]:
    """a of a body whose mass centre moves by itself, unless that is the origin; `spins` by body."""
    found = spins.get(body.index)
    if found and any(entry != 0 for entry in found.centre):
        yield "{"
        yield f"    const double c[3] = {{{', '.join(map(number, found.centre))}}};"
        yield f"    kg_se3_centre(dt, c, v + {body.v_start}, a + {body.v_start});"
        yield "}"


def turns(turning: Turning, number: Printer, lanes: bool = False) -> Iterator[str]:
    """most = the largest sum of angular speeds along a path of joints; of links that fly by themselves if `alone`.

    `lanes`: in each lane of vectors.
    """
    scalar, size = ("kg_wide", "kg_wide_fabs") if lanes else ("double", "fabs")
    above: dict[int, str] = {-1: ""}
    last = {body.index for body in turning.bodies} - {body.parent for body in turning.bodies}
    for body, places in zip(turning.bodies, turning.counted, strict=True):
        times = f"{number(body.joint.mimic.multiplier)}*" if body.joint.mimic else ""
        speeds = [f"{size}({times}v[{place}])" for place in places]
        terms = [above[body.parent]] * bool(above[body.parent]) + speeds
        above[body.index] = f"w{body.index}" if speeds else above[body.parent]
        if speeds:
            yield f"const {scalar} w{body.index} = {' + '.join(terms)};"
        if body.index in last and terms and lanes:
            alone = "if (alone) " * (body.index in turning.alone)
            yield f"{alone}most = kg_wide_max({above[body.index]}, most);"
        elif body.index in last and terms:
            yield f"if ({'alone && ' * (body.index in turning.alone)}{above[body.index]} > most)"
            yield f"    most = {above[body.index]};"


def listed(
    tree: SpanningTree, lines: Callable[[Body], Iterator[str]], start: Callable[[Body], int] = lambda body: body.q_start
) -> tuple[Statements, ...]:
    """Statements of every joint that has any, in the order of the tree; those of trees that are alike once."""
    firsts = {own[0].index: own for row in corresponding(tree) for own in _alike(row, lines)}
    repeated = {body.index for own in firsts.values() for body in own[1:]}
    found = []
    for body in tree.bodies:
        own = firsts.get(body.index, (body,))
        at = body if len(own) == 1 else replace(body, q_start=_along(own, "q_start"), v_start=_along(own, "v_start"))
        if body.index not in repeated and (text := tuple(lines(at))):
            found.append(Statements(_label(body, len(own)), text, start(at), len(own)))
    return tuple(found)


def _alike(row: Sequence[Body], lines: Callable[[Body], Iterator[str]]) -> Iterator[Sequence[Body]]:
    """Of bodies that correspond, those with the same statements, which stand at one distance."""
    alike: dict[tuple[str, ...], list[Body]] = {}
    for body in row:
        alike.setdefault(tuple(lines(replace(body, q_start=0, v_start=0))), []).append(body)
    for own in alike.values():
        steps = {(b.q_start - a.q_start, b.v_start - a.v_start) for a, b in pairwise(own)}
        if len(own) >= MANY and len(steps) == 1:
            yield own


def _along(bodies: Sequence[Body], start: str) -> Along:
    first, second = (getattr(body, start) for body in bodies[:2])
    return Along(first, second - first)


def _label(body: Body, count: int = 1) -> str:
    more = f", and {count - 1} that are alike" if count > 1 else ""
    return f"{body.joint.name} ({body.joint.kind}){more}"


def present(
    bodies: Sequence[Body], lines: Callable[[Body], Iterator[str]], flags: Sequence[int] = ()
) -> tuple[Statements, ...]:
    """The same of cut joints, each only while its flag in p is set (-1: always)."""
    found = ((body, _while_active(tuple(lines(body)), flags[body.index] if flags else -1)) for body in bodies)
    return tuple(Statements(_label(body), text, body.q_start) for body, text in found if text)


def _while_active(lines: tuple[str, ...], flag: int) -> tuple[str, ...]:
    if flag < 0 or not lines:
        return lines
    return (f"if (p[{flag}] != 0.0) {{", *(f"    {line}" for line in lines), "}")


def integrate(body: Body) -> Iterator[str]:
    q, v = body.q_start, body.v_start
    if group := group_of(body):
        yield f"{group}_integrate(q + {q}, v_dt + {v}, q_out + {q});"
    else:
        yield from (f"q_out[{q + i}] = q[{q + i}] + v_dt[{v + i}];" for i in range(body.nv))


def difference(body: Body) -> Iterator[str]:
    q, v = body.q_start, body.v_start
    if group := group_of(body):
        yield f"{group}_difference(q0 + {q}, q1 + {q}, v_dt + {v});"
    else:
        yield from (f"v_dt[{v + i}] = q1[{q + i}] - q0[{q + i}];" for i in range(body.nv))


def offset(body: Body) -> Iterator[str]:
    if body.nv and (group := group_of(body)):
        yield f"{group}_offset(q0 + {body.q_start}, q1 + {body.q_start}, x + {body.v_start});"


def advance(body: Body) -> Iterator[str]:
    q, v = body.q_start, body.v_start
    if group := group_of(body):
        yield f"{group}_advance(dt, a + {v}, q + {q}, v + {v});"
    else:
        for i in range(body.nv):
            yield f"v[{v + i}] += dt*a[{v + i}];"
            yield f"q[{q + i}] += dt*v[{v + i}];"


def displace(body: Body) -> Iterator[str]:
    """q moved by u; the velocity of what turns is kept along axes that rest."""
    q, v = body.q_start, body.v_start
    if group := group_of(body):
        yield f"{group}_displace(u + {v}, q + {q}, v + {v});"
    else:
        yield from (f"q[{q + i}] += u[{v + i}];" for i in range(body.nv))


def turning(body: Body) -> Iterator[str]:
    """u += dt c: what turning axes add to the velocity that is advanced along resting ones."""
    k, group = body.v_start, KINDS[body.joint.kind].group
    if body.nv and group == "se3":
        for i in range(3):
            j, m = (i + 1) % 3, (i + 2) % 3
            yield f"u[{k + i}] += dt*(v[{k + 3 + j}]*v[{k + m}] - v[{k + 3 + m}]*v[{k + j}]);"
    if body.nv and group == "se2":
        yield f"u[{k}] -= dt*v[{k + 2}]*v[{k + 1}];"
        yield f"u[{k + 1}] += dt*v[{k + 2}]*v[{k}];"


def resting(body: Body) -> Iterator[str]:
    """f += what a force that rests in the world gains in the child's axes, which turn."""
    q, v, group = body.q_start, body.v_start, KINDS[body.joint.kind].group
    if body.nv and group in ("se3", "so3"):
        turned = q + 3 if group == "se3" else q
        for i in range(0, body.nv, 3):
            yield f"kg_so3_rest(q0 + {turned}, q + {turned}, held + {v + i}, f + {v + i});"
    if body.nv and group == "se2":
        yield f"kg_se2_rest(q0 + {q}, q + {q}, held + {v}, f + {v});"


def rate(body: Body) -> Iterator[str]:
    if body.nv and (group := group_of(body)):
        yield f"{group}_rate(u + {body.v_start}, v + {body.v_start}, k_out + {body.v_start});"


def unit_norm(body: Body) -> Iterator[str]:
    if body.nv and body.joint.kind in ROTATION_PART:
        entries = range(body.nq)[ROTATION_PART[body.joint.kind]]
        yield " + ".join(f"q[{body.q_start + i}]*q[{body.q_start + i}]" for i in entries)


def rotation_start(body: Body) -> int:
    part = ROTATION_PART.get(body.joint.kind)
    return body.q_start + (part.start if part else 0)


def group_of(body: Body) -> str | None:
    return GROUP.get(body.joint.kind)
