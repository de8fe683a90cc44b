"""MJCF files as one tree: included files in place, default classes written out, compiler settings read."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kinegen.runtime.errors import shown

from ... import checks
from ..xml_input import ORIGIN, Node, parse_xml
from .shortcut import ATTRIBUTES, LAW, SHORT, Law, law_of

# attributes of which an element may give the first numbers: the others stay those of its default
PARTIAL = ("size", "friction", "gear", "solref", "solimp")
ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
DEFAULTED = (
    *("default", "mesh", "texture", "material", "joint", "geom", "site", "camera", "light", "pair", "equality"),
    *("tendon", *ATTRIBUTES),
)
MAIN = "main"
MOST_INCLUDED = 100
COMPILER = (
    *("angle", "eulerseq", "autolimits", "inertiafromgeom", "inertiagrouprange", "boundmass", "boundinertia"),
    *("balanceinertia", "settotalmass", "coordinate", "alignfree", "meshdir", "assetdir"),
    # what moves nothing, or nothing that counts here
    *("lengthrange", "strippath", "texturedir", "discardvisual", "usethread", "fusestatic", "fitaabb", "convexhull"),
    *("exactmeshinertia", "saveinertial", "savecompiled", "savecanonical", "passthrough", "conflict"),
)


@dataclass(frozen=True)
class Compiler:
    """What <compiler> settles for the whole file."""

    degree: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertiafromgeom: str = "auto"
    groups: tuple[float, float] = (0.0, 5.0)
    boundmass: float = 0.0
    boundinertia: float = 0.0
    balanceinertia: bool = False
    settotalmass: float = -1.0
    meshdir: str = ""

    @property
    def unit(self) -> float:
        """Radians of one unit of angle in the file."""
        return math.pi / 180.0 if self.degree else 1.0


def parse_mjcf(file: Path) -> Node:
    """The root element, with <include>s replaced by what they name and defaults written into what they are for."""
    root = parse_xml(file)
    if root.tag != "mujoco":
        raise root.error("is not MJCF, whose root element is <mujoco>")
    _include(root, file.resolve().parent, {file.resolve()})
    defaults = _Defaults()
    for node in root.children("default"):
        defaults.read(node, None)
    for section in root.children("worldbody"):
        defaults.write(section, MAIN)
    for tag in ("asset", "tendon", "equality", "actuator"):
        for section in root.children(tag):
            for node in section.elements():
                defaults.fill(node, node.tag if tag == "asset" else tag, MAIN)
    for tag in ("equality", "actuator"):
        _named_apart(root, tag)
    return root


def _named_apart(root: Node, tag: str) -> None:
    """ModelError for two elements of one name in the sections of a tag, of whatever kind they are."""
    names: set[str] = set()
    for node in [node for section in root.children(tag) for node in section.elements()]:
        name = node.text("name", "")
        if name and name in names:
            raise node.error(f"<{tag}> has another element of that name; rename it")
        names.add(name)


def compiler(root: Node) -> Compiler:
    """The settings of all <compiler> elements, later ones over earlier ones."""
    found: dict[str, Node] = {}
    for node in root.children("compiler"):
        node.only("lengthrange")
        node.only_attributes(*COMPILER)
        found |= {str(key): node for key in node.element.attrib}

    def text(key: str, default: str, *choices: str) -> str:
        node = found.get(key)
        value = default if node is None else node.text(key)
        if node is not None and choices and value not in choices:
            raise node.error(f"'{key}' must be one of {choices}, got {shown(value)}")
        return value

    def number(key: str, default: float) -> float:
        return default if key not in found else found[key].number(key)

    text("coordinate", "local", "local")
    text("alignfree", "false", "false")
    folder = text("meshdir", text("assetdir", ""))
    groups = found["inertiagrouprange"].numbers("inertiagrouprange", (2,)) if "inertiagrouprange" in found else None
    order = text("eulerseq", "xyz")
    if len(order) != 3 or set(order.lower()) - set("xyz"):
        raise found["eulerseq"].error(f"'eulerseq' must be three letters of xyzXYZ, got {order!r}")
    return Compiler(
        text("angle", "degree", "degree", "radian") == "degree",
        order,
        text("autolimits", "true", "true", "false") == "true",
        text("inertiafromgeom", "auto", "auto", "true", "false"),
        (0.0, 5.0) if groups is None else (groups[0], groups[1]),
        number("boundmass", 0.0),
        number("boundinertia", 0.0),
        text("balanceinertia", "false", "true", "false") == "true",
        number("settotalmass", -1.0),
        folder and folder.rstrip("/") + "/",
    )


def _include(node: Node, folder: Path, files: set[Path]) -> None:
    """Puts the children of included files in the place of <include>; files must lie in the folder, each only once."""
    for child in node.elements():
        if child.tag.startswith("{"):
            raise child.error("is of another name space, of which MJCF knows none; remove it")
        if child.tag != "include":
            _include(child, folder, files)
            continue
        child.only_attributes("file")
        name = child.text("file")
        target = _resolved(child, folder / name)
        if not target.is_relative_to(folder):
            raise child.error(f"{name!r} lies outside the folder of the model; only files in it are included")
        if target in files:
            raise child.error(f"{name!r} is included twice")
        if len(files) > MOST_INCLUDED:
            raise child.error(f"{name!r}: more than {MOST_INCLUDED} files are included")
        files.add(target)
        with child.located():
            inner = parse_xml(target)
        if inner.tag not in ("mujoco", "mujocoinclude"):
            raise inner.error("is no part of an MJCF model: its root must be <mujoco> or <mujocoinclude>")
        _include(inner, folder, files)
        place = node.element.index(child.element)
        parts = list(inner.element.iterchildren("*"))
        for part in parts:
            if part.get(ORIGIN) is None:
                part.set(ORIGIN, str(inner.file))
        node.element[place : place + 1] = parts


def _resolved(node: Node, path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError) as error:  # names that no file can have, links in a ring
        raise node.error(f"{shown(str(path))} cannot be read: {error}") from None


@dataclass(frozen=True)
class _Defaults:
    """class -> tag -> attribute -> value; a class begins as a copy of the one around it.

    `laws`: of its actuators, and of those of the classes around it.
    """

    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {MAIN: {}})
    laws: dict[str, tuple[Law, ...]] = field(default_factory=lambda: {MAIN: ()})

    def read(self, node: Node, outer: str | None) -> None:
        name = node.text("class", MAIN if outer is None else None)
        if outer is None and name != MAIN:
            raise node.error(f"the outermost default class is called '{MAIN}'; put <default class={name!r}> inside it")
        if outer is not None and name in self.classes:
            raise node.error(f"a second default class {name!r}")
        node.only(*DEFAULTED)
        mine = self.classes.setdefault(name, {})
        for tag, values in self.classes[outer].items() if outer is not None else ():
            mine[tag] = dict(values)
        around = self.laws[outer] if outer is not None else ()
        own = self.laws.get(name, ())[: 1 if outer is None else 0]
        for part in node.elements():
            if part.tag in ATTRIBUTES:
                own = (law_of(part, own + around),)
                _merge(mine.setdefault("actuator", {}), part, without=(*LAW, *SHORT))
            elif part.tag != "default":
                _merge(mine.setdefault(part.tag, {}), part)
        self.laws[name] = own + around
        for part in node.children("default"):
            self.read(part, name)

    def write(self, node: Node, around: str) -> None:
        """Into the elements of a body, of its frames and of the bodies in it."""
        for part in node.elements():
            if part.tag in ("body", "frame"):
                inner = part.text("childclass", around)
                self._known(part, inner)
                self.write(part, inner)
            elif part.tag in ("joint", "geom", "site"):
                self.fill(part, part.tag, around)

    def fill(self, node: Node, tag: str, around: str) -> None:
        name = node.text("class", around)
        self._known(node, name)
        if tag == "actuator":  # before other defaults are written, which are not its own words
            law = law_of(node, self.laws[name]).values
            for attribute in (*LAW, *SHORT):
                node.element.attrib.pop(attribute, "")
            for attribute, value in law.items():
                node.element.set(attribute, value)
        values = dict(self.classes[name].get(tag, {}))
        for attribute in _replaced(node):
            values.pop(attribute, None)
        for attribute, value in values.items():
            node.element.set(attribute, _completed(attribute, node.element.get(attribute), value))

    def _known(self, node: Node, name: str) -> None:
        if name not in self.classes:
            raise node.error(f"there is no default class {name!r}{checks.nearest(name, [*self.classes])}")


def _merge(values: dict[str, str], node: Node, without: Sequence[str] = ()) -> None:
    for attribute in _replaced(node):
        values.pop(attribute, None)
    said = {str(k): str(v) for k, v in node.element.attrib.items() if k not in ("class", "name", ORIGIN, *without)}
    values |= {attribute: _completed(attribute, value, values.get(attribute, "")) for attribute, value in said.items()}


def _completed(attribute: str, said: str | None, default: str) -> str:
    """What an element says, with the rest of its default where it gives the first numbers of several."""
    if said is None:
        return default
    words = said.split()
    return " ".join([*words, *default.split()[len(words) :]]) if attribute in PARTIAL else said


def _replaced(node: Node) -> Iterator[str]:
    """Attributes of a default that what the element says stands for: orientations exclude each other."""
    if any(node.element.get(name) is not None for name in ORIENTATIONS):
        yield from ORIENTATIONS


def choice(node: Node, attribute: str, default: str, *choices: str) -> str:
    """A word out of a few."""
    value = node.text(attribute, default)
    if value not in choices:
        raise node.error(f"'{attribute}' must be one of {choices}, got {shown(value)}")
    return value


def alone(node: Node, name: str, others: Collection[str]) -> str:
    """The name of an element, which no other of its kind may have; many may have none."""
    if name and name in others:
        raise node.error(f"a second <{node.tag}> of the name {name!r}; rename it")
    return name


def whole(node: Node, attribute: str, default: int | None = None) -> int:
    """A whole number that 32 bits hold; the default if the attribute is missing."""
    value = float(node.number(attribute, default))
    if not value.is_integer() or abs(value) >= 2.0**32:
        raise node.error(f"'{attribute}' must be a whole number, got {shown(node.text(attribute))}")
    return int(value)


def linear(node: Node, attribute: str) -> float:
    """The coefficient of a force that MuJoCo takes as a polynomial, of which no more than that may be; 0 if missing."""
    first, *higher = node.numbers(attribute, (1, 2, 3)) or (0.0,)
    if any(higher):
        raise node.error(f"polynomials such as {attribute}={node.text(attribute)!r} are not supported; give one number")
    return first


def limited(node: Node, switch: str, values: str, settings: Compiler) -> tuple[float, float] | None:
    """A range, if it holds: said so, or given while ranges speak for themselves (autolimits), else it must be said."""
    bounds = node.numbers(values, (2,))
    said = choice(node, switch, "auto", "true", "false", "auto")
    if said == "false" or (said == "auto" and not any(bounds or ())):
        return None
    if said == "auto" and not settings.autolimits:
        raise node.error(f"'{values}' without '{switch}' says nothing while autolimits is false; give '{switch}' too")
    if bounds is None or bounds[0] >= bounds[1]:
        if said == "auto":  # as in MuJoCo, where 0 0 is none either
            return None
        raise node.error(f"'{values}' must be two growing numbers, got {node.element.get(values)!r}")
    return bounds[0], bounds[1]
