"""kinegen's own format: a mechanism in TOML, word for word the options of Link, Joint and Pose.

    name = "fourbar"
    link = [
      {name = "crank", mass = 1.0, com = [0.5, 0, 0], inertia = {rod = [1.0, 1.0]}},
      ...
    ]
    joint = [
      {name = "pivot", kind = "revolute", parent = "world", child = "crank", axis = [0, 0, 1]},
      ...
    ]

A number may be text: an expression of numbers and symbols ("m*l**2/12"); symbols stay parameters of the model. Values
that they have unless a model is told otherwise: parameters = {m = 1.0, l = 0.5}.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kinegen.runtime.errors import of_file, shown
from kinegen.runtime.files import read_text

from ... import checks
from ...elements import inertia
from ...elements.joint import OPTIONS, Joint
from ...elements.joint_options import Mimic
from ...elements.link import Link
from ...elements.parameter import Parameter, parameter
from ...elements.rolling import Wheel
from ...mechanism import Mechanism
from ...pose import Frame
from ...types import Matrix
from ..expression import symbol_name
from .place import Place, Table, made, needed, number, require_known, tables
from .shapes import POSE, read_pose, read_shape, read_visual

FILE = ("name", "parameters", "gravity", "excluded", "link", "joint", "frame", "shape", "visual")
LINK = ("name", "mass", "com", "inertia", "shapes")
FRAME = ("name", "link", *POSE)
MIMIC = ("joint", "multiplier", "offset")
WHEEL = ("radius", "tyre", "axis")
SOLIDS: dict[str, Callable[..., Matrix]] = {
    "box": inertia.box,
    "sphere": inertia.sphere,
    "cylinder": inertia.cylinder,
    "capsule": inertia.capsule,
    "rod": inertia.rod,
}
TEXTS = ("name", "kind", "parent", "child")


def read_toml(file: Path, *, root: str, mimic: str) -> Mechanism:
    """The mechanism of the file as it is. Links hang as its joints say: `root` must be "fixed", which changes nothing.

    `mimic` "independent" drops mimics.
    """
    text, data = _parse(file)
    at = Place(file, text, "")
    if isinstance(model := data.get("model"), str):
        raise at.error(f"is a scene, no mechanism: load its model, {shown(model)}, or simulate it", "model")
    require_known(data, FILE, at)
    at = replace(at, parameters=_parameters(data.get("parameters", {}), at))
    if root == "free":
        raise at.error("says itself how links hang; give the root a joint of kind 'free' from world, and root='fixed'")
    links = [_link(t, p) for t, p in tables(data, "link", at)]
    joints = [_joint(t, p, mimic) for t, p in tables(data, "joint", at)]
    frames = [_frame(t, p) for t, p in tables(data, "frame", at)]
    shapes = [read_shape(t, p) for t, p in tables(data, "shape", at)]
    visuals = [read_visual(t, p) for t, p in tables(data, "visual", at)]
    gravity = number(data.get("gravity", [0.0, 0.0, -9.81]), at, "gravity")
    name = data.get("name", file.stem)
    excluded = _pairs(data.get("excluded", []), at)
    mechanism = made(at, lambda: Mechanism(name, links, joints, gravity, frames, shapes, "allow", excluded, visuals))
    for unused in at.parameters.keys() - {symbol.name for symbol in mechanism.parameters}:
        known = [symbol.name for symbol in mechanism.parameters]
        raise at.error(f"parameters: no number of the mechanism has {unused!r}{checks.nearest(unused, known)}", unused)
    return mechanism


def _parameters(table: Any, at: Place) -> dict[str, Parameter]:
    """{m = 1.0, l = 0.5}."""
    if not isinstance(table, dict):
        raise at.error(f"parameters must be a table of numbers such as {{m = 1.0}}, got {shown(table)}", "parameters")
    inside = at.inside("parameters: ")
    return {name: made(inside, partial(_parameter, name, value), name) for name, value in table.items()}


def _parameter(name: str, value: Any) -> Parameter:
    return parameter(symbol_name(name), value)


def _parse(file: Path) -> tuple[str, Table]:
    text = read_text(file)
    try:
        return text, tomllib.loads(text)
    except RecursionError:
        raise of_file(file, "not well-formed TOML: nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, or Python's own of a number with thousands of digits
        raise of_file(file, f"not well-formed TOML: {error}") from None


def _link(table: Table, at: Place) -> Link:
    require_known(table, LINK, at)
    name = needed(table, "name", at)
    numbers = {key: number(table[key], at, key) for key in ("mass", "com") if key in table}
    shapes = [read_shape(t, p) for t, p in tables({"shape": table.get("shapes", [])}, "shape", at)]
    moments = _inertia(table.get("inertia", [0.0] * 6), at)
    return made(at, lambda: Link(name, **numbers, inertia=moments, shapes=shapes))


def _inertia(value: Any, at: Place) -> Any:
    """Six numbers, nine, or a solid: {rod = [mass, length], axis = [0, 0, 1]}."""
    if not isinstance(value, dict):
        return number(value, at, "inertia")
    inner = at.inside("inertia: ")
    require_known(value, (*SOLIDS, "axis"), inner)
    solids = [key for key in value if key != "axis"]
    if len(solids) != 1:
        raise inner.error(f"give one of {', '.join(SOLIDS)}", "inertia")
    arguments = number(value[solids[0]], inner, solids[0])
    if not isinstance(arguments, list):
        raise inner.error(f"{solids[0]} must be an array of mass and sizes, got {shown(arguments)}", solids[0])
    options = {"axis": number(value["axis"], inner, "axis")} if "axis" in value else {}
    try:
        return made(inner, lambda: SOLIDS[solids[0]](*arguments, **options))
    except TypeError:
        raise inner.error(f"{solids[0]} does not take {value}; see kinegen.inertia", solids[0]) from None


def _joint(table: Table, at: Place, mimic: str) -> Joint:
    require_known(table, OPTIONS, at)
    for key in TEXTS:
        needed(table, key, at)
    options = {key: value for key, value in table.items() if key in (*TEXTS, "actuated", "cut")}
    for key in ("actuated", "cut"):
        if not isinstance(table.get(key, True), bool):
            raise at.error(f"{key} must be true or false, got {table[key]!r}", key)
    for key, value in table.items():
        if key in ("origin", "child_origin"):
            options[key] = read_pose(value, at.inside(f"{key}: "))
        elif key == "mimic":
            if mimic == "exact":
                options[key] = _mimic(value, at.inside("mimic: "))
        elif key == "wheel":
            options[key] = _wheel(value, at.inside("wheel: "))
        elif key not in options:
            options[key] = number(value, at, key)
    return made(at, lambda: Joint(**options))


def _wheel(value: Any, at: Place) -> Wheel:
    if not isinstance(value, dict):
        raise at.error(f"must be {{radius = ..., tyre = ..., axis = ...}}, got {shown(value)}", "wheel")
    require_known(value, WHEEL, at)
    return made(at, lambda: Wheel(**{key: number(part, at, key) for key, part in value.items()}))


def _mimic(value: Any, at: Place) -> Mimic:
    if not isinstance(value, dict):
        raise at.error(f"must be {{joint = ..., multiplier = ..., offset = ...}}, got {shown(value)}", "mimic")
    require_known(value, MIMIC, at)
    leader = needed(value, "joint", at)
    numbers = {key: number(value[key], at, key) for key in MIMIC[1:] if key in value}
    return made(at, lambda: Mimic(leader, **numbers))


def _frame(table: Table, at: Place) -> Frame:
    require_known(table, FRAME, at)
    name, link = needed(table, "name", at), needed(table, "link", at)
    pose = read_pose({key: table[key] for key in POSE if key in table}, at)
    return made(at, lambda: Frame(name, link, pose))


def _pairs(value: Any, at: Place) -> list[tuple[str, str]]:
    """[["link", "link"], ...]."""
    rows = value if isinstance(value, list) else [value]
    for row in rows:
        if not isinstance(row, list) or len(row) != 2 or not all(isinstance(name, str) for name in row):
            raise at.error(f"excluded: must be pairs of links such as [['a', 'b']], got {shown(value)}", "excluded")
    return [(a, b) for a, b in rows]
