"""Scenes whose structure changes: connections, cuts and events of a TOML file, and their motion.

cuts = ["elbow"]              # joints of the model that may be cut; connected from the beginning
active = ["grip_l"]           # connections that hold from the beginning

[[connection]]
name = "grip_l"
between = ["hand_l", "bar"]   # links or frames, or "world"
kind = "revolute"             # and its options: axis, axis2, pitch, damping, stiffness, friction
axis = [0, 1, 0]
pose = {xyz = [0, 0, -0.1]}   # of the joint in the first; rpy too
pose_b = {xyz = [0, 0.2, 0]}  # in the second; left out: wherever it is when they are connected

[[event]]                     # of a scene that has connections or cuts
at = 0.8                      # or: when = "distance(hand_l, bar) < 0.02", with repeat = true for every time
cut = ["grip_l"]              # and, or:
connect = ["grip_r"]          # another connection
tolerance = 0.01              # gap at a declared pose that is closed [m, rad]
target = {knee = 1.2}         # new targets of joints that are held, or have servos with a kp
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kinegen.codegen.mechanism import Mechanism, Pose
from kinegen.codegen.mechanism.elements.joint_templates import JointTemplate
from kinegen.codegen.mechanism.structure.topology import Connection
from kinegen.runtime.errors import ModelError
from kinegen.runtime.events import conditions
from kinegen.runtime.events.agenda import Alteration
from kinegen.runtime.events.conditions import Condition, Quantity
from kinegen.runtime.simulation.simulator import Simulator
from kinegen.runtime.stepping.given.servos import Servo, joints_by_name
from kinegen.runtime.topology.library import Library
from kinegen.runtime.topology.structure import TOLERANCE

from .given import coordinates
from .toml_table import Table

WHEN = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*([<>]=?)\s*([-+.\deE]+)\s*")
COMPARISONS = {"<": Quantity.__lt__, "<=": Quantity.__le__, ">": Quantity.__gt__, ">=": Quantity.__ge__}
QUANTITIES: dict[str, Callable[..., Quantity]] = {
    "distance": conditions.distance,
    "relative_position": conditions.relative_position,
    "relative_angle": conditions.relative_angle,
    "angle": conditions.angle,
    "speed": conditions.speed,
    "force": conditions.force,
    "contact_force": conditions.contact_force,
    "moment": conditions.moment,
}
NUMBERED = ("angle", "speed")
"""Those whose second argument is the number of an entry; all others are names, of which "1" is one too."""

REMEDY = {
    "event": "; new targets need one too: cuts = ['JOINT'] lets a joint be cut, and leaves it connected",
    "active": "",
}


@dataclass(frozen=True)
class SceneEvent:
    """What happens at a time, or when a condition comes true; targets by joint."""

    at: float | None
    when: Condition | None
    connect: tuple[str, ...]
    cut: tuple[str, ...]
    target: Mapping[str, tuple[float, ...]]
    repeat: bool
    tolerance: float


@dataclass(frozen=True)
class Structure:
    """What may be connected and cut, what holds from the beginning, and what happens."""

    connections: tuple[Connection, ...] = ()
    cuts: tuple[str, ...] = ()
    active: tuple[str, ...] = ()
    events: tuple[SceneEvent, ...] = ()

    @property
    def changes(self) -> bool:
        return bool(self.connections or self.cuts)

    def named_events(self) -> list[tuple[str, SceneEvent]]:
        """Events with what they are called in messages and in what happened."""
        return [(f"event {number}", event) for number, event in enumerate(self.events, 1)]


def read_structure(top: Table) -> Structure:
    """The tables of a scene that tell of its structure. ModelError names file, table and key."""
    structure = Structure(
        connections=tuple(_connection(table) for table in top.tables("connection")),
        cuts=top.texts("cuts"),
        active=top.texts("active"),
        events=tuple(_event(table) for table in top.tables("event")),
    )
    for key, given in (("event", structure.events), ("active", structure.active)):
        if given and not structure.changes:
            raise top.error(key, f"nothing can change: the scene has neither connections nor cuts{REMEDY[key]}")
    return structure


def resolved(connection: Connection, mechanism: Mechanism) -> Connection:
    """The connection between links, where its ends are frames."""
    frames = {frame.name: frame for frame in mechanism.frames}
    ends = [connection.link_a, connection.link_b]
    poses: list[Any] = [connection.pose, connection.pose_b]
    for i, end in enumerate(ends):
        if end in frames:
            ends[i] = frames[end].link
            poses[i] = frames[end].pose * poses[i] if poses[i] is not None else None
    return Connection(connection.name, ends[0], ends[1], connection.joint, *poses)


def planned(
    simulator: Simulator, structure: Structure, aimed: Callable[[str, tuple[float, ...]], Servo | dict[str, float]]
) -> None:
    """The events of the scene, called by their numbers; `aimed` turns a joint and its new target into its new servo, or
    into values of the model's parameters. ModelError names the event."""
    for called, event in structure.named_events():
        try:
            _plan(simulator, event, called, aimed)
        except ModelError as error:
            raise ModelError(f"{called}: {error}") from error


def _plan(
    simulator: Simulator,
    event: SceneEvent,
    called: str,
    aimed: Callable[[str, tuple[float, ...]], Servo | dict[str, float]],
) -> None:
    servos: dict[str, Servo] = {}
    values: dict[str, float] = {}
    for joint, target in event.target.items():
        new = aimed(joint, target)
        if isinstance(new, Servo):
            servos[joint] = new
        else:
            values |= new
    happen = Alteration(event.connect, event.cut, values, event.tolerance, servos, called)
    simulator.library.checked("connect", event.connect)
    simulator.library.checked("cut", event.cut)
    if event.at is not None:
        simulator.at(event.at, happen)
    elif event.when is not None:
        simulator.when(event.when, happen, repeat=event.repeat)


def start(library: Library, q: Mapping[str, tuple[float, ...]], v: Mapping[str, tuple[float, ...]]) -> tuple[Any, Any]:
    """(nq), (nv) of a scene's initial values; rotations that were rounded are made unit again. ModelError as for a
    scene whose structure stays."""
    known = joints_by_name(library.model.manifest)
    return library.state({name: coordinates(known[name], x) if name in known else x for name, x in q.items()}, v)


def _connection(table: Table) -> Connection:
    name, kind = table.text("name"), table.text("kind")
    a, b = _pair(table)
    poses = {key: _pose(table, key) for key in ("pose", "pose_b")}
    options = {key: value for key in table.unread() if (value := _option(table, key)) is not None}
    table.done()
    try:
        joint = JointTemplate(kind, tuple(options.items()))
        return Connection(name, a, b, joint, poses["pose"] or Pose(), poses["pose_b"])
    except ModelError as error:
        raise table.error("name", f"{name!r}: {error}") from error


def _pair(table: Table) -> tuple[str, str]:
    ends = table.texts("between")
    if len(ends) != 2:
        raise table.error("between", f"expected two links, got {len(ends)}")
    return ends[0], ends[1]


def _pose(table: Table, key: str) -> Pose | None:
    if key not in table.unread():
        return None
    inner = table.table(key)
    xyz, rpy = inner.optional_numbers("xyz", 3) or (0, 0, 0), inner.optional_numbers("rpy", 3) or (0, 0, 0)
    inner.done()
    try:
        return Pose(xyz, rpy)
    except ModelError as error:
        raise table.error(key, str(error)) from error


def _option(table: Table, key: str) -> Any:
    numbers = table.numbers(key)
    return numbers if len(numbers) > 1 else numbers[0]


def _event(table: Table) -> SceneEvent:
    at = table.optional_numbers("at", 1)
    text = table.optional_text("when")
    if (at is None) == (text is None):
        raise table.error("at", "give either at = SECONDS or when = 'CONDITION'")
    target = table.table("target")
    widened = "tolerance" in table.unread()
    event = SceneEvent(
        at=at[0] if at else None,
        when=_condition(table, text) if text else None,
        connect=table.texts("connect"),
        cut=table.texts("cut"),
        target={joint: target.numbers(joint) for joint in target.unread()},
        repeat=table.flag("repeat"),
        tolerance=table.number("tolerance", TOLERANCE, least=0.0),
    )
    table.done()
    _check_event(table, event, widened)
    return event


def _check_event(table: Table, event: SceneEvent, widened: bool) -> None:
    """ModelError for what contradicts itself or has no effect; `widened`: a tolerance is told."""
    if not (event.connect or event.cut or event.target):
        raise table.error("connect", "nothing is to happen: give connect, cut or target")
    for name in event.connect:
        if name in event.cut:
            raise table.error("connect", f"'{name}' is both connected and cut; write an event for each")
    if event.repeat and event.at is not None:
        raise table.error("repeat", "a time comes once; leave it out, or write when = 'CONDITION'")
    if widened and not event.connect:
        raise table.error(
            "tolerance", "it is a gap that is closed by connecting, and nothing is connected; leave it out"
        )


def _condition(table: Table, text: str) -> Condition:
    match = WHEN.fullmatch(text)
    if match is None or match[1] not in QUANTITIES:
        known = ", ".join(QUANTITIES)
        raise table.error("when", f"expected something like 'distance(a, b) < 0.1', got {text!r}; there is: {known}")
    given: list[Any] = [part.strip() for part in match[2].split(",")]
    if match[1] in NUMBERED and len(given) == 2 and given[1].isdecimal() and len(given[1]) < 10:
        given[1] = int(given[1])
    try:
        quantity = QUANTITIES[match[1]](*given)
        return COMPARISONS[match[3]](quantity, float(match[4]))
    except (TypeError, ValueError, ModelError) as error:
        raise table.error("when", f"{text!r}: {error}") from error
