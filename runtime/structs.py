"""The C structs that Python reads and writes entry by entry: declared once, C text and numpy dtypes come from here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import BuildError

_SCALARS = {"double": np.float64, "long long": np.int64, "long": np.int64, "int": np.intc}
_SCALARS_32 = {**_SCALARS, "long": np.int32}


@dataclass(frozen=True)
class Field:
    """One member: a C type (or the name of another struct), its name, what it is, and the shape of an array."""

    type: str
    name: str
    about: str
    shape: tuple[int, ...] = ()


def numbered(titles: Iterable[str]) -> str:
    """What the numbers of an enum mean, in the words of a comment."""
    return ", ".join(f"{number} {title}" for number, title in enumerate(titles))


@dataclass(frozen=True)
class Struct:
    """A struct PREFIX_name; `text` says what it is."""

    name: str
    text: str
    fields: tuple[Field, ...]

    @property
    def dtype(self) -> np.dtype[np.void]:
        """The same as a numpy dtype, for structs of plain numbers."""
        return np.dtype([(field.name, _SCALARS[field.type], field.shape) for field in self.fields], align=True)

    @property
    def dtype_32(self) -> np.dtype[np.void]:
        """The same as it is laid out where a long has 32 bits, as in WebAssembly."""
        return np.dtype([(field.name, _SCALARS_32[field.type], field.shape) for field in self.fields], align=True)

    def check(self, ffi: Any, prefix: str) -> None:
        """BuildError if the compiled struct is laid out in another way, or is not there."""
        try:
            there = ffi.typeof(f"{prefix}_{self.name}")
        except ffi.error as error:
            raise BuildError(
                f"the compiled model has no struct {prefix}_{self.name}: compile the model again"
            ) from error
        size, places = ffi.sizeof(there), {name: field.offset for name, field in there.fields}
        if size != self.dtype.itemsize:
            raise BuildError(
                f"struct {prefix}_{self.name} has {size} bytes, expected {self.dtype.itemsize}: compile the model again"
            )
        if places != {name: field[1] for name, field in (self.dtype.fields or {}).items()}:
            raise BuildError(
                f"struct {prefix}_{self.name} has other members, or in another order: {', '.join(places)}; compile the "
                "model again"
            )


CONTACT = Struct(
    "contact",
    "One point of contact between the shapes of a collision pair.",
    (
        Field(
            "long",
            "pair",
            "its number. Those after the pairs of shapes are joints at their limits, then moments (as force) of the "
            "pairs that have them, then other rows",
        ),
        Field("long long", "feature", "what of the shapes touches: corner, edge or face"),
        Field("double", "gap", "distance of the shapes [m]; negative: how deep they overlap"),
        Field("double", "point", "where, world axes [m]", (3,)),
        Field("double", "normal", "from the pair's first shape to its second", (3,)),
        Field("double", "force", "on the second shape, world axes [N]", (3,)),
        Field("double", "moment", "of torsional and rolling friction on the second shape [N m]", (3,)),
    ),
)


@dataclass(frozen=True)
class UsualOptions:
    """Numbers by which contact is solved, explained at `ContactOptions`: those that C takes where it is given none."""

    tolerance: float = 1e-5
    sweeps: int = 120
    depth: float = 1e-4
    recovery: float = 0.2
    recovery_speed: float = 0.5
    bounce: float = 0.05


OPTION_NUMBERS = ("tolerance", "depth", "recovery", "recovery_speed", "bounce", "sweeps")
"""Those numbers in the order of the C struct."""

QUANTITIES = (
    *("distance", "position", "turn", "coordinate", "velocity", "loop_coordinate", "loop_velocity"),
    *("force", "moment", "contact_force"),
)
"""What a condition may be about, in the order of the C enum."""

MOST_CONDITIONS = 64
"""Conditions that C takes at once."""

GOAL = 9
"""Numbers of a goal of inverse kinematics."""

LANE_RUNS = 64
"""Simulations that one C call makes by lanes at most: those that turn as fast share vectors."""

CONE_ROWS = ("no", "normal", "tangent", "held", "bounded", "about", "across")
"""What a row of the contact problem is (see `ConeProblem.kind`), in the order of the C enum."""

PAGE_WRENCHES = 16
"""External wrenches that the C of a motion in a page has room for, that of the mouse among them."""

CONDITION = Struct(
    "condition",
    "A condition: it holds where sign (value - threshold) > 0. The value, of `first` and `second`, by its kind: "
    "DISTANCE, POSITION, TURN: of two links (-1: the world), with points fixed to them, from the first to the second, "
    "POSITION: along axis 0, 1, 2 of the first; COORDINATE, VELOCITY: place in q, in v; LOOP_COORDINATE, "
    "LOOP_VELOCITY: place among those of cut joints, and the loop that must be active for it to have a value (-1: "
    "none); FORCE, MOMENT: number of the loop; CONTACT_FORCE: link on which it acts and link that exerts it (-1: the "
    "world, -2: all).",
    (
        Field("long", "kind", "what the value is"),
        Field("double", "sign", "1 or -1"),
        Field("double", "threshold", "in the unit of the value"),
        Field("long", "first", "what the value is of, by its kind"),
        Field("double", "first_offset", "point fixed to the first link [m]", (3,)),
        Field("long", "second", "likewise"),
        Field("double", "second_offset", "point fixed to the second link [m]", (3,)),
        Field("long", "axis", "of POSITION: 0, 1, 2 of the first link"),
        Field("long", "armed", "1: it has not held since it fired last"),
        Field("long", "fired", "1: it has come true just now"),
        Field("double", "margin", "sign (value - threshold) of the last state"),
        Field("double", "passed", "what earlier parts of the step add to the mean force of contact [N]", (3,)),
    ),
)


SOURCES = ("torques", "servos", "springs", "dampers", "wrenches", "motions", "rows")
"""What does work on a mechanism, in the order of the C enum."""

TARGETS = {
    "position": "position",
    "orientation": "orientation",
    "look_at": "look-at",
    "direction": "direction",
    "centre": "centre of mass",
}
"""What a target of inverse kinematics may be about, and what that is called, in the order of the C enum."""

TARGET = Struct(
    "target",
    "A target of inverse kinematics.",
    (
        Field("long", "kind", numbered(TARGETS.values())),
        Field("double", "place", "[link, x, y, z] of a point of it [m]", (4,)),
        Field("double", "axis", "unit vector in the link's axes", (3,)),
        Field("double", "weight", "of the three residuals, world axes", (3,)),
    ),
)

ENDED = {
    "reached": "reached",
    "stationary": "nothing better near",
    "out_of_passes": "out of passes",
    "out_of_bounds": "out of limits",
}
"""How a search for a configuration ended, and what that is called, in the order of the C enum."""


def check_structs(ffi: Any, prefix: str, *, contact: bool, conditions: bool) -> None:
    """The structs that Python shares with a compiled model are laid out as declared here."""
    for struct, wanted in ((CONTACT, contact), (CONDITION, conditions)):
        if wanted:
            struct.check(ffi, prefix)
