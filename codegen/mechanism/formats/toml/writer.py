"""A mechanism as TOML that `load` reads back."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import sympy
from sympy.printing.str import StrPrinter

from kinegen.runtime.errors import ModelError
from kinegen.runtime.files import writing, written
from kinegen.runtime.typed import typed

from ... import checks
from ...elements.joint import Joint
from ...elements.link import Link
from ...elements.parameter import Parameter
from ...elements.visual import Visual
from ...geometry.meshes import name_from
from ...geometry.shapes import MOST_VERTICES, Shape
from ...mechanism import Mechanism
from ...pose import COINCIDENT, Pose
from ...types import IDENTITY
from ..each_mesh import each_mesh
from ..expression import expression, symbol_name

UNSEEN = ("friction", "restitution", "torsion", "rolling", "combine", "category", "mask", "part", "condim")
ENDS = ("name", "kind", "parent", "child")


@typed
def save(mechanism: Mechanism, path: str | Path) -> None:
    """Writes the mechanism to a .toml file; what has its usual value is left out.

    Symbols are written by name and come back as real ones, with the values that they have by default; constants other
    than pi, such as exp(1), as doubles. ModelError names the place of what the format has no words for: functions of
    symbols other than sqrt, sin, cos and Abs, powers other than numbers from -16 to 16, symbols whose names are not
    made of a-z, A-Z, 0-9 and _, or are pi or like words of Python; and of expressions of more than 500 characters or 40
    parentheses, which `load` refuses, as inertias become where links with many symbols are merged (save before that:
    `kg.load(..., merge=False)`). It also comes if the suffix is another, or if the file cannot be written.
    Meshes are named so that the file finds them where it is written, those in its folder or the one above it by a path
    from there; ModelError for one that lies where `load` would not open it. Names that find no mesh now stay.
    """
    file = Path(path)
    if file.suffix.lower() != ".toml":
        raise ModelError(f"{file}: mechanisms are written as .toml files; choose that suffix")
    with writing(file):
        home = Path(os.path.realpath(os.path.dirname(os.path.realpath(file)), strict=True))
    try:
        text = "\n".join(_lines(each_mesh(mechanism, lambda mesh: replace(mesh, file=name_from(mesh, home))))) + "\n"
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from None
    with written(file) as draft:
        draft.write_text(text, encoding="utf-8")


def _lines(mechanism: Mechanism) -> Iterator[str]:
    head: dict[str, Any] = {"name": mechanism.name}
    if values := {symbol.name: symbol.value for symbol in mechanism.parameters if isinstance(symbol, Parameter)}:
        head["parameters"] = values
    head["gravity"] = mechanism.gravity
    if mechanism.excluded:
        head["excluded"] = mechanism.excluded
    yield from _pairs(head)
    frames = [{"name": frame.name, "link": frame.link, **_pose(frame.pose)} for frame in mechanism.frames]
    yield from _tables("link", map(_link, mechanism.links))
    yield from _tables("joint", map(_joint, mechanism.joints))
    yield from _tables("frame", frames)
    yield from _tables("shape", map(_shape, mechanism.shapes))
    yield from _tables("visual", map(_visual, mechanism.visuals))


def _tables(key: str, tables: Iterable[dict[str, Any]]) -> Iterator[str]:
    for i, table in enumerate(tables, 1):
        what = repr(table["name"]) if "name" in table else i
        yield from ("", f"[[{key}]]", *_pairs(table, f"{key} {what}: "))


def _pairs(table: dict[str, Any], what: str = "") -> Iterator[str]:
    """The lines of a table; `what` stands in front of errors."""
    for key, value in table.items():
        try:
            yield f"{key} = {_value(value)}"
        except ModelError as error:
            raise ModelError(f"{what}{key}: {error}") from None


def _link(link: Link) -> dict[str, Any]:
    table: dict[str, Any] = {"name": link.name, "mass": link.mass, "com": link.com}
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia
    table["inertia"] = (xx, xy, xz, yy, yz, zz)
    return table | ({"shapes": [_shape(shape) for shape in link.shapes]} if link.shapes else {})


def _joint(joint: Joint) -> dict[str, Any]:
    """The ends, and the options that differ from those of a joint of the kind with no options at all; of a mimic
    also whether it is actuated, since what is usual is another thing where mimics are read as independent."""
    plain = Joint(joint.name, joint.kind, "parent", "child", pitch=joint.pitch)
    table: dict[str, Any] = {key: getattr(joint, key) for key in ENDS}
    for option in (field.name for field in fields(Joint)):
        value = getattr(joint, option)
        told = option == "actuated" and joint.mimic is not None
        if option in ENDS or (value == getattr(plain, option) and not told):
            continue
        if isinstance(value, Pose):
            value = _pose(value)
        elif option == "mimic":
            value = {"joint": value.joint, "multiplier": value.multiplier, "offset": value.offset}
        elif option == "wheel":
            value = {"radius": value.radius, "tyre": value.tyre, "axis": value.axis}
        table[option] = value
    if joint.pitch != 0:
        table["pitch"] = joint.pitch
    return table


def _pose(pose: Pose) -> dict[str, Any]:
    turned = {} if pose.rotation == IDENTITY else {"rotation": pose.rotation}
    return {"xyz": pose.xyz, **turned}


_USUAL = {
    "most": MOST_VERTICES,
    "hull": False,
    "category": 1,
    "mask": 1,
    "combine": "geometric",
    "torsion": 0.0,
    "rolling": 0.0,
    "part": "",
    "condim": None,
}


def _shape(shape: Shape) -> dict[str, Any]:
    told = {"plane": True, "mesh": shape.file, "convex": shape.vertices, "height_field": shape.heights}
    size: Any = told.get(shape.kind, shape.size)
    table: dict[str, Any] = {shape.kind: size, "friction": shape.friction, "restitution": shape.restitution}
    if shape.kind in ("mesh", "height_field"):
        table["scale" if shape.kind == "mesh" else "size"] = shape.size
    for key, usual in _USUAL.items():
        if getattr(shape, key) != usual:
            table[key] = getattr(shape, key)
    return table | (_pose(shape.pose) if shape.pose != COINCIDENT else {})


def _visual(visual: Visual) -> dict[str, Any]:
    shape = visual.shape
    solid = {key: value for key, value in _shape(shape).items() if key not in UNSEEN}
    table: dict[str, Any] = {"link": visual.link, **solid}
    table |= {} if visual.colour is None else {"colour": visual.colour}
    return table | ({} if visual.stretch == (1.0, 1.0, 1.0) else {"stretch": visual.stretch})


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case dict():
            return "{" + ", ".join(f"{_key(key)} = {_value(part)}" for key, part in value.items()) + "}"
        case tuple() | list():
            return "[" + ", ".join(_value(part) for part in value) + "]"
        case sympy.Expr():
            return _text(_written(value))
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _text(name)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _written(value: sympy.Expr) -> str:
    """The text of an expression, read back once to be sure that it can be."""
    text: str = _Printer().doprint(value.replace(_nameless, lambda constant: constant.n()))
    try:
        read = expression(text)
        if not _names(read) <= _names(value):  # I, oo and zoo are names there
            raise ModelError(f"{text!r}, which is not a finite real number")
    except ModelError as error:
        raise ModelError(f"a file cannot hold {error}; keep this description in Python") from None
    return text


def _names(value: sympy.Expr) -> set[str]:
    return {symbol.name for symbol in value.free_symbols}


def _nameless(part: sympy.Expr) -> bool:
    """Whether a part is a constant that the format has no words for: e, the golden ratio, log(2)."""
    constant = isinstance(part, (sympy.NumberSymbol, sympy.Function)) and part.is_real and part.is_number
    return constant and part != sympy.pi and not isinstance(part, (sympy.sin, sympy.cos))


class _Printer(StrPrinter):  # type: ignore[misc]
    """SymPy's text, with floats in full and symbols by the names that they are read by."""

    def _print_Float(self, expr: sympy.Float) -> str:
        return repr(checks.constant(expr, str(expr)))

    def _print_Symbol(self, expr: sympy.Symbol) -> str:
        return symbol_name(expr.name)

    _print_Dummy = _print_Symbol

    def _print_Abs(self, expr: sympy.Abs) -> str:
        """As what becomes |x| again when it is read."""
        return f"sqrt(({self._print(expr.args[0])})**2)"
