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

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.files import read_text

from ... import checks
from ...elements import inertia
from ...elements.joint import OPTIONS, Joint
from ...elements.joint_options import Mimic
from ...elements.link import Link
from ...elements.parameter import Parameter, parameter
from ...elements.rolling import Wheel
from ...elements.visual import Visual
from ...geometry.shapes import Shape, ShapeKind
from ...mechanism import Mechanism
from ...pose import Frame, Pose
from ...types import Matrix
from ..expression import expression, symbol_name

T = TypeVar("T")
Table = dict[str, Any]
FILE = ("name", "parameters", "gravity", "excluded", "link", "joint", "frame", "shape", "visual")
LINK = ("name", "mass", "com", "inertia", "shapes")
POSE = ("xyz", "rpy", "rotation")
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
SHAPES: tuple[ShapeKind, ...] = ("sphere", "box", "capsule", "cylinder", "plane", "height_field", "convex", "mesh")
VISUAL = ("link", "colour", "stretch")
SURFACE = ("friction", "restitution", "torsion", "rolling")
PLAIN = ("most", "hull", "category", "mask", "combine", "part", "condim")
SHAPE = (*SHAPES, "scale", "size", *PLAIN, *POSE, *SURFACE)
SIZED = {"height_field": "size", "mesh": "scale"}
"""Shapes that have a key for their size beside their own."""
TEXTS = ("name", "kind", "parent", "child")


@dataclass(frozen=True)
class _Place:
    """Where a table stands: the words for it in messages, how to find its line, and parameters that have values."""

    file: Path
    text: str
    what: str
    name: str = ""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def inside(self, what: str, name: str | None = None) -> _Place:
        return replace(self, what=f"{self.what}{what}", name=self.name if name is None else name)

    def error(self, message: str, key: str = "") -> ModelError:
        said = message.startswith(self.what.removesuffix(": "))  # the message names its place already
        return ModelError(f"{self.file}{self._line(key)}: {'' if said else self.what}{message}")

    def _line(self, key: str) -> str:
        """`:LINE` of the key, or of the table, as far as a search through the text finds them."""
        lines = self.text.splitlines()
        named = re.compile(rf"""\bname\s*=\s*["']{re.escape(self.name)}["']""")
        keyed = re.compile(rf"""(^|[\s{{,.\[])["']?{re.escape(key)}["']?\s*(=|\.|\])""")
        start = next((i for i, line in enumerate(lines) if self.name and named.search(line)), None)
        order = range(len(lines)) if start is None else (*range(start, len(lines)), *range(start - 1, -1, -1))
        found = next((i for i in order if key and keyed.search(lines[i])), start)
        return "" if found is None else f":{found + 1}"


def read_toml(file: Path, *, root: str, mimic: str) -> Mechanism:
    """The mechanism of the file as it is. Links hang as its joints say: `root` must be "fixed", which changes nothing.

    `mimic` "independent" drops mimics.
    """
    text, data = _parse(file)
    at = _Place(file, text, "")
    if isinstance(model := data.get("model"), str):
        raise at.error(f"is a scene, no mechanism: load its model, {shown(model)}, or simulate it", "model")
    _known(data, FILE, at)
    at = replace(at, parameters=_parameters(data.get("parameters", {}), at))
    if root == "free":
        raise at.error("says itself how links hang; give the root a joint of kind 'free' from world, and root='fixed'")
    links = [_link(t, p) for t, p in _tables(data, "link", at)]
    joints = [_joint(t, p, mimic) for t, p in _tables(data, "joint", at)]
    frames = [_frame(t, p) for t, p in _tables(data, "frame", at)]
    shapes = [_shape(t, p) for t, p in _tables(data, "shape", at)]
    visuals = [_visual(t, p) for t, p in _tables(data, "visual", at)]
    gravity = _number(data.get("gravity", [0.0, 0.0, -9.81]), at, "gravity")
    name = data.get("name", file.stem)
    excluded = _pairs(data.get("excluded", []), at)
    made = _made(at, lambda: Mechanism(name, links, joints, gravity, frames, shapes, "allow", excluded, visuals))
    for unused in at.parameters.keys() - {symbol.name for symbol in made.parameters}:
        known = [symbol.name for symbol in made.parameters]
        raise at.error(f"parameters: no number of the mechanism has {unused!r}{checks.nearest(unused, known)}", unused)
    return made


def _parameters(table: Any, at: _Place) -> dict[str, Parameter]:
    """{m = 1.0, l = 0.5}."""
    if not isinstance(table, dict):
        raise at.error(f"parameters must be a table of numbers such as {{m = 1.0}}, got {shown(table)}", "parameters")
    inside = at.inside("parameters: ")
    return {name: _made(inside, partial(_parameter, name, value), name) for name, value in table.items()}


def _parameter(name: str, value: Any) -> Parameter:
    return parameter(symbol_name(name), value)


def _parse(file: Path) -> tuple[str, Table]:
    text = read_text(file)
    try:
        return text, tomllib.loads(text)
    except RecursionError:
        raise ModelError(f"{file}: not well-formed TOML: nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, or Python's own of a number with thousands of digits
        raise ModelError(f"{file}: not well-formed TOML: {error}") from None


def _tables(data: Table, key: str, at: _Place) -> list[tuple[Table, _Place]]:
    """The tables of an array, each with its place."""
    values = data.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise at.error(f"'{key}' must be tables, written [[{key}]] or {key} = [{{...}}, ...]", key)
    result = []
    for i, value in enumerate(values):
        name = value.get("name")
        shown = f"{key} {name!r}: " if isinstance(name, str) else f"{key} {i + 1}: "
        result.append((value, at.inside(shown, name if isinstance(name, str) else "")))
    return result


def _known(table: Mapping[str, Any], keys: tuple[str, ...], at: _Place) -> None:
    for key in table:
        if key not in keys:
            raise at.error(f"unknown key {key!r}{checks.nearest(key, keys)}", key)


def _need(table: Table, key: str, at: _Place) -> Any:
    if key not in table:
        raise at.error(f"the key '{key}' is missing")
    return table[key]


def _made(at: _Place, make: Callable[[], T], key: str = "") -> T:
    """What `make` makes; a ModelError gets its place in front."""
    try:
        return make()
    except ModelError as error:
        message = str(error)
        raise error if message.startswith(str(at.file)) else at.error(message, key) from None


def _number(value: Any, at: _Place, key: str) -> Any:
    """Numbers as they are, texts as expressions, arrays entry by entry."""
    if isinstance(value, list):
        return [_number(part, at, key) for part in value]
    if isinstance(value, str):
        try:
            return expression(value, at.parameters)
        except ModelError as error:
            raise at.error(f"{key}: {error}", key) from None
    return value


def _link(table: Table, at: _Place) -> Link:
    _known(table, LINK, at)
    name = _need(table, "name", at)
    numbers = {key: _number(table[key], at, key) for key in ("mass", "com") if key in table}
    shapes = [_shape(t, p) for t, p in _tables({"shape": table.get("shapes", [])}, "shape", at)]
    moments = _inertia(table.get("inertia", [0.0] * 6), at)
    return _made(at, lambda: Link(name, **numbers, inertia=moments, shapes=shapes))


def _inertia(value: Any, at: _Place) -> Any:
    """Six numbers, nine, or a solid: {rod = [mass, length], axis = [0, 0, 1]}."""
    if not isinstance(value, dict):
        return _number(value, at, "inertia")
    inner = at.inside("inertia: ")
    _known(value, (*SOLIDS, "axis"), inner)
    solids = [key for key in value if key != "axis"]
    if len(solids) != 1:
        raise inner.error(f"give one of {', '.join(SOLIDS)}", "inertia")
    arguments = _number(value[solids[0]], inner, solids[0])
    if not isinstance(arguments, list):
        raise inner.error(f"{solids[0]} must be an array of mass and sizes, got {shown(arguments)}", solids[0])
    options = {"axis": _number(value["axis"], inner, "axis")} if "axis" in value else {}
    try:
        return _made(inner, lambda: SOLIDS[solids[0]](*arguments, **options))
    except TypeError:
        raise inner.error(f"{solids[0]} does not take {value}; see kinegen.inertia", solids[0]) from None


def _joint(table: Table, at: _Place, mimic: str) -> Joint:
    _known(table, OPTIONS, at)
    for key in TEXTS:
        _need(table, key, at)
    options = {key: value for key, value in table.items() if key in (*TEXTS, "actuated", "cut")}
    for key in ("actuated", "cut"):
        if not isinstance(table.get(key, True), bool):
            raise at.error(f"{key} must be true or false, got {table[key]!r}", key)
    for key, value in table.items():
        if key in ("origin", "child_origin"):
            options[key] = _pose(value, at.inside(f"{key}: "))
        elif key == "mimic":
            if mimic == "exact":
                options[key] = _mimic(value, at.inside("mimic: "))
        elif key == "wheel":
            options[key] = _wheel(value, at.inside("wheel: "))
        elif key not in options:
            options[key] = _number(value, at, key)
    return _made(at, lambda: Joint(**options))


def _wheel(value: Any, at: _Place) -> Wheel:
    if not isinstance(value, dict):
        raise at.error(f"must be {{radius = ..., tyre = ..., axis = ...}}, got {shown(value)}", "wheel")
    _known(value, WHEEL, at)
    return _made(at, lambda: Wheel(**{key: _number(part, at, key) for key, part in value.items()}))


def _mimic(value: Any, at: _Place) -> Mimic:
    if not isinstance(value, dict):
        raise at.error(f"must be {{joint = ..., multiplier = ..., offset = ...}}, got {shown(value)}", "mimic")
    _known(value, MIMIC, at)
    leader = _need(value, "joint", at)
    numbers = {key: _number(value[key], at, key) for key in MIMIC[1:] if key in value}
    return _made(at, lambda: Mimic(leader, **numbers))


def _pose(value: Any, at: _Place) -> Pose:
    """[x, y, z], or {xyz = ..., rpy = ...}, or {xyz = ..., rotation = [[...], [...], [...]]}."""
    if isinstance(value, list):
        return _made(at, lambda: Pose(_number(value, at, "xyz")))
    if not isinstance(value, dict):
        raise at.error(f"must be [x, y, z] or {{xyz = ..., rpy = ...}}, got {shown(value)}")
    _known(value, POSE, at)
    numbers = {key: _number(part, at, key) for key, part in value.items()}
    return _made(at, lambda: Pose(**numbers))


def _frame(table: Table, at: _Place) -> Frame:
    _known(table, FRAME, at)
    name, link = _need(table, "name", at), _need(table, "link", at)
    pose = _pose({key: table[key] for key in POSE if key in table}, at)
    return _made(at, lambda: Frame(name, link, pose))


def _pairs(value: Any, at: _Place) -> list[tuple[str, str]]:
    """[["link", "link"], ...]."""
    rows = value if isinstance(value, list) else [value]
    for row in rows:
        if not isinstance(row, list) or len(row) != 2 or not all(isinstance(name, str) for name in row):
            raise at.error(f"excluded: must be pairs of links such as [['a', 'b']], got {shown(value)}", "excluded")
    return [(a, b) for a, b in rows]


def _visual(table: Table, at: _Place) -> Visual:
    """{link = "arm", mesh = "arm.stl", colour = [1, 0.5, 0, 1], stretch = [1, 1, 2]}, its shape and pose as below."""
    link = _need(table, "link", at)
    shape = _shape({key: value for key, value in table.items() if key not in VISUAL}, at)
    numbers: Table = {key: _number(table[key], at, key) for key in VISUAL[1:] if key in table}
    return _made(at, lambda: Visual(link, shape, **numbers))


def _shape(table: Table, at: _Place) -> Shape:
    """{sphere = radius}, {box = [x, y, z]}, {capsule = [radius, length]}, {plane = true},
    {convex = [[x, y, z], ...]}, {height_field = [[z, ...], ...], size = [x, y]}, {mesh = "file"}; a pose."""
    _known(table, SHAPE, at)
    kinds: list[ShapeKind] = [key for key in SHAPES if key in table]
    if len(kinds) != 1:
        raise at.error(f"give one of {', '.join(SHAPES)}")
    kind = kinds[0]
    for owner, key in SIZED.items():
        if key in table and kind != owner:
            raise at.error(f"{key} is of a {owner}, a {kind} has none; leave it out", key)
    value = table[kind]
    file = value if kind == "mesh" else ""
    given = value if isinstance(value, list) else [value]
    sizes_of = {"plane": [], "convex": [], "height_field": table.get("size", [])}
    size = (sizes_of | {"mesh": table.get("scale", [1.0, 1.0, 1.0])}).get(kind, given)
    numbers: Table = {key: _number(table[key], at, key) for key in SURFACE if key in table}
    pose = _pose({key: table[key] for key in POSE if key in table}, at)
    if not isinstance(size, list):  # one number of a kind is a list of it already
        key, example = ("scale", "three numbers, [x, y, z]") if kind == "mesh" else ("size", "two numbers, [x, y]")
        raise at.error(f"{key} must be {example}, got {shown(size)}", key)
    sizes = tuple(_number(size, at, kind))
    if kind == "mesh" and not isinstance(file, str):
        raise at.error(f"mesh must be the name of a file, got {file!r}", "mesh")
    if kind == "plane" and value is not True:
        raise at.error(f"plane must be true, got {shown(value)}; its pose says where it is", "plane")
    if kind in ("convex", "height_field"):
        numbers["vertices" if kind == "convex" else "heights"] = value
    numbers |= {key: table[key] for key in PLAIN if key in table}
    return _made(at, lambda: Shape(kind, sizes, pose, file=file, **numbers))
