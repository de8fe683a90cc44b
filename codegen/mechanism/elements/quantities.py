"""Which numbers of links and joints can be run-time parameters: a record each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from kinegen.runtime.kinds import FIXED, KINDS

from ..geometry.shapes import Shape
from ..types import ROTATION_PART, Number
from .joint import Joint
from .link import Link

Owner = TypeVar("Owner", Link, Joint)
XYZ, SYMMETRIC = ("x", "y", "z"), ("xx", "xy", "xz", "yy", "yz", "zz")


@dataclass(frozen=True)
class Quantity(Generic[Owner]):
    """Numbers of a link or joint. `labels` stand behind the name of each symbol; `read` gives the numbers, `write` the
    same link or joint with others; `usual`: whether a wildcard takes it; `lacking`: why it has none, "" if it has."""

    labels: Callable[[Owner], Sequence[str]]
    read: Callable[[Owner], Sequence[Number]]
    write: Callable[[Owner, tuple[Number, ...]], Owner]
    usual: Callable[[Owner], bool] = lambda owner: True
    lacking: Callable[[Owner], str] = lambda owner: ""


def _six(link: Link) -> tuple[Number, ...]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia
    return xx, xy, xz, yy, yz, zz


def _with_six(link: Link, values: tuple[Number, ...]) -> Link:
    xx, xy, xz, yy, yz, zz = values
    return replace(link, inertia=((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def _with_com(link: Link, values: tuple[Number, ...]) -> Link:
    x, y, z = values
    return replace(link, com=(x, y, z))


def _heavy(link: Link) -> bool:
    return not link.massless


def shape_labels(shapes: Sequence[Shape]) -> Sequence[str]:
    """One for each, "" for a single one."""
    return [str(k) for k in range(len(shapes))] if len(shapes) > 1 else [""]


def with_frictions(shapes: Sequence[Shape], values: Sequence[Number]) -> tuple[Shape, ...]:
    """The shapes, each with the friction given for it."""
    return tuple(replace(shape, friction=value) for shape, value in zip(shapes, values, strict=True))


OF_LINKS: dict[str, Quantity[Link]] = {
    "mass": Quantity(lambda _: ("",), lambda x: (x.mass,), lambda x, new: replace(x, mass=new[0]), _heavy),
    "com": Quantity(lambda _: XYZ, lambda x: x.com, _with_com, _heavy),
    "inertia": Quantity(lambda _: SYMMETRIC, _six, _with_six, _heavy),
    "friction": Quantity(
        lambda x: shape_labels(x.shapes),
        lambda x: tuple(shape.friction for shape in x.shapes),
        lambda x, new: replace(x, shapes=with_frictions(x.shapes, new)),
        lambda x: bool(x.shapes),
        lambda x: "" if x.shapes else "it has no shapes",
    ),
}


def _moves(joint: Joint) -> bool:
    return not KINDS[joint.kind].free and joint.kind != FIXED.name


def _freedom(joint: Joint) -> str:
    return "a fixed joint does not move" if joint.kind == FIXED.name else ""


def _per_dof(field: str) -> Quantity[Joint]:
    return Quantity(
        lambda x: KINDS[x.kind].entries(1),
        lambda x: getattr(x, field),
        lambda x, new: replace(x, **{field: new}),  # type: ignore[arg-type]  # of that field
        _moves,
        _freedom,
    )


def _turned(joint: Joint) -> str:
    return "it holds a rotation of unit length" if joint.kind in ROTATION_PART else _freedom(joint)


def _place(field: str) -> Quantity[Joint]:
    return Quantity(
        lambda _: XYZ,
        lambda x: getattr(x, field).xyz,
        lambda x, new: replace(x, **{field: replace(getattr(x, field), xyz=new)}),
    )


def _mimic(field: str) -> Quantity[Joint]:
    return Quantity(
        lambda _: ("",),
        lambda x: (getattr(x.mimic, field),),
        lambda x, new: replace(x, mimic=x.mimic and replace(x.mimic, **{field: new[0]})),  # type: ignore[arg-type]
        lambda x: x.mimic is not None,
        lambda x: "" if x.mimic else "it follows no joint",
    )


OF_JOINTS: dict[str, Quantity[Joint]] = {
    **{field: _per_dof(field) for field in ("damping", "stiffness", "friction", "armature")},
    "rest": Quantity(
        lambda x: KINDS[x.kind].entries(0),
        lambda x: x.rest,
        lambda x, new: replace(x, rest=new),
        lambda x: _moves(x) and not _turned(x),
        _turned,
    ),
    "pitch": Quantity(
        lambda _: ("",),
        lambda x: (x.pitch,),
        lambda x, new: replace(x, pitch=new[0]),
        lambda x: KINDS[x.kind].screws,
        lambda x: "" if KINDS[x.kind].screws else "only a helical joint has one",
    ),
    "origin": _place("origin"),
    "child_origin": _place("child_origin"),
    "multiplier": _mimic("multiplier"),
    "offset": _mimic("offset"),
}

NOT_YET = {
    "limits": "stops of joints are numbers in the compiled tables; compile once for each",
    "velocity_limit": "it is a number of the manifest; compile once for each",
    "effort_limit": "it is a number of the manifest; compile once for each",
    "start": "it is where a motion starts; give q to the simulator",
    "motion": "it is an expression of time; give symbols in Joint(motion=...)",
    "axis": "directions decide how a joint is compiled; give symbols in Joint(axis=...)",
    "axis2": "directions decide how a joint is compiled; give symbols in Joint(axis2=...)",
    "axes": "directions decide how a joint is compiled; give symbols in Joint(axes=...)",
    "rotation": "rotations decide how a joint is compiled; give symbols in Joint(origin=Pose(xyz, rpy=...))",
    "rpy": "rotations decide how a joint is compiled; give symbols in Joint(origin=Pose(xyz, rpy=...))",
    "restitution": "surfaces of shapes are numbers in the compiled tables; compile once for each",
    "size": "shapes are numbers in the compiled tables; compile once for each",
    "shapes": "shapes are numbers in the compiled tables; compile once for each",
}
"""What no run-time parameter can stand for, and what to do instead."""
