"""The tables of the report: links, joints, parameters, kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy

from kinegen.runtime.abi import KernelSpec, Manifest
from kinegen.runtime.kinds import KINDS

from ..mechanism.elements.joint import Joint
from ..mechanism.elements.joint_options import UNLIMITED
from ..mechanism.mechanism import Mechanism
from ..mechanism.types import Number
from ..program.types import WEIGHTS, Operations


@dataclass(frozen=True)
class Table:
    """Column heads, rows of cells, and which columns hold numbers."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()


def links_table(mechanism: Mechanism) -> Table:
    """Inertia about the centre of mass in link axes."""
    rows = []
    for link in mechanism.links:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia
        rows.append((link.name, short(link.mass), listed(link.com), listed((xx, yy, zz)), listed((xy, xz, yz))))
    heads = ("link", "mass [kg]", "centre of mass [m]", "Ixx, Iyy, Izz [kg m²]", "Ixy, Ixz, Iyz")
    return Table(heads, tuple(rows), frozenset({1}))


def joints_table(mechanism: Mechanism) -> Table:
    """Joints of the tree in the order of q, then cut ones."""
    rows = [
        (*_joint(body.joint), span(body.q_start, body.nq), span(body.v_start, body.nv), *_passive(body.joint))
        for body in mechanism.tree.bodies
    ]
    rows += [
        (*_joint(virtual.joint, " (cut)"), "–", "–", *_passive(virtual.joint)) for virtual in mechanism.virtual_links
    ]
    heads = ("joint", "kind", "parent", "child", "at [m]", "axis", "q", "v", "actuated", "limits", "of its own")
    return Table(heads, tuple(rows))


def _joint(joint: Joint, note: str = "") -> tuple[str, ...]:
    axes = [listed(axis) for axis in joint.directions] if KINDS[joint.kind].options else []
    axes += [listed(joint.wheel.axis)] if joint.wheel else []
    axis = "; ".join(axes) or "–"
    return joint.name, joint.described + note, joint.parent, joint.child, listed(joint.origin.xyz), axis


def _passive(joint: Joint) -> tuple[str, ...]:
    bounds = [f"{low:.4g} … {high:.4g}" for low, high in joint.limits if (low, high) != UNLIMITED]
    return ("yes" if joint.actuated else "no", ", ".join(bounds) or "–", "; ".join(_own(joint)) or "–")


def _own(joint: Joint) -> Iterator[str]:
    """Springs with where they are slack, dampers, dry friction and rotors, those that are not zero."""
    for option in ("damping", "stiffness", "friction", "armature"):
        if any(value != 0 for value in getattr(joint, option)):
            rest = f" (slack at {listed(joint.rest)})" if option == "stiffness" else ""
            yield f"{option} {listed(getattr(joint, option))}{rest}"


def kernels_table(manifest: Manifest) -> Table:
    """Counted operations, their weighted sum, the route and why."""
    rows = []
    for kernel in manifest.kernels:
        counts = [str(kernel.counted[part]) if kernel.counted else "" for part in WEIGHTS]
        rows.append((kernel.name, *counts, str(weight(kernel) or ""), kernel.route, kernel.reason))
    heads = ("kernel", "×", "+", "÷", "calls", "sin cos", "weighted", "route", "why")
    return Table(heads, tuple(rows), frozenset(range(1, 7)))


def weight(kernel: KernelSpec) -> int:
    """Operations of one call, divisions and calls by their cost; 0 where loops count at run time."""
    return Operations(**kernel.counted).total if kernel.counted else 0


def span(start: int, count: int) -> str:
    return "–" if count == 0 else str(start) if count == 1 else f"{start}–{start + count - 1}"


def short(value: Number) -> str:
    """A number of four digits, or the expression."""
    if isinstance(value, sympy.Basic) and value.free_symbols:
        return str(value)
    text = f"{float(value):.4g}"
    return "0" if text in ("0", "-0") else text


def listed(values: Sequence[Number]) -> str:
    return ", ".join(map(short, values))
