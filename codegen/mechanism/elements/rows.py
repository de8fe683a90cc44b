"""Connections that the contact solver holds row by row, beside contacts: some axes, whole loops, stiction [P §2]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.typed import is_series

from .. import checks
from ..pose import COINCIDENT, Pose


@dataclass(frozen=True, init=False)
class Rows:
    """Locks some axes of a frame on `parent` against a frame on `child`; the links may hang anywhere, or be "world".

    `origin`: the frame in the parent, whose axes are meant; `child_origin`: in the child. `axes`: those of "xyz" along
    which the frames' origins stay together. `turns`: those about which the frames do not turn against each other: all
    three; two, and the third axis is free to turn and stays the same on both sides; or one, as a universal joint about
    the two that follow it in the order x, y, z, x: "y" keeps z of the parent's frame and x of the child's at right
    angles, as `universal(axis=z, axis2=x)` does. The force that holds them acts at the child's origin.
    """

    name: str
    parent: str
    child: str
    origin: Pose
    child_origin: Pose
    axes: str
    turns: str

    def __init__(
        self,
        name: str,
        parent: str,
        child: str,
        *,
        axes: str = "xyz",
        turns: str = "",
        origin: Pose = COINCIDENT,
        child_origin: Pose = COINCIDENT,
    ) -> None:
        what = f"rows '{checks.name(name, 'rows')}'"
        checks.name(parent, f"{what}: parent")
        checks.name(child, f"{what}: child")
        if parent == child:
            raise ModelError(f"{what}: both ends are '{parent}'; give two links")
        for label, pose in (("origin", origin), ("child_origin", child_origin)):
            if not isinstance(pose, Pose):
                raise ModelError(f"{what}: {label} must be a Pose, got {shown(pose)}")
            if not pose.numeric:
                raise ModelError(f"{what}: {label} has open symbols; rows need numbers")
        values = {
            "name": name,
            "parent": parent,
            "child": child,
            "origin": origin,
            "child_origin": child_origin,
            "axes": _letters(axes, f"{what}: axes"),
            "turns": _letters(turns, f"{what}: turns"),
        }
        if not values["axes"] and not values["turns"]:
            raise ModelError(f"{what}: they lock nothing; give axes='x' or turns='xy', for instance")
        for key, value in values.items():
            object.__setattr__(self, key, value)


@dataclass(frozen=True, init=False)
class RowRules:
    """What the contact solver holds beside contacts.

    `loops`: the joints that close loops, instead of the closure by W. `friction`: dry friction of the joints, exactly
    (they stick), instead of smoothly. `between`: further connections of some axes.
    """

    loops: bool
    friction: bool
    between: tuple[Rows, ...]

    def __init__(self, *, loops: bool = False, friction: bool = False, between: Iterable[Rows] = ()) -> None:
        single = isinstance(between, Rows) or not is_series(between)
        found: tuple[Any, ...] = (between,) if single else tuple(between)
        for value in found:
            if not isinstance(value, Rows):
                raise ModelError(f"between: expected Rows, got {shown(value)}")
        names = [value.name for value in found]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(f"between: two rows are called {name!r}; names must differ")
        object.__setattr__(self, "loops", checks.flag(loops, "loops"))
        object.__setattr__(self, "friction", checks.flag(friction, "friction"))
        object.__setattr__(self, "between", found)


NO_ROWS = RowRules()


def _letters(value: Any, what: str) -> str:
    if not isinstance(value, str) or len(set(value)) != len(value) or not set(value) <= set("xyz"):
        raise ModelError(f"{what}: expected letters of 'xyz', each once, got {shown(value)}")
    return "".join(sorted(value))
