"""XML files from strangers: parsed without DTDs, entities or network; every complaint names file, line and element."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from kinegen.runtime.abi import LARGE
from kinegen.runtime.errors import FileWarning, ModelError, of_file, shown, warn
from kinegen.runtime.files import number_in, read_bytes

from .. import checks
from ..types import Vector

# on an element that was included from another file: that file, so that complaints name it
ORIGIN = "{included}file"
XACRO = "this is a xacro macro file; expand it first: xacro FILE.xacro > FILE.urdf, or .sdf"

XINCLUDE = "{http://www.w3.org/2001/XInclude}include"


@dataclass(frozen=True)
class Node:
    """An element of a file, with the questions that readers ask."""

    element: etree._Element
    file: Path

    @property
    def tag(self) -> str:
        return str(self.element.tag)

    @property
    def line(self) -> int:
        line = self.element.sourceline
        return line if isinstance(line, int) else 0

    @property
    def where(self) -> str:
        """`FILE:LINE: <tag name='...'>`."""
        name, prefix = self.element.get("name"), self.element.prefix
        tag = self.tag if prefix is None else f"{prefix}:{etree.QName(self.element).localname}"
        return f"{self.file}:{self.line}: <{tag}{'' if name is None else f' name={name!r}'}>"

    def error(self, message: str) -> ModelError:
        return of_file(self.file, message, self.where)

    def tell(self, message: str) -> None:
        """A warning that names this element."""
        warn(f"{self.where}: {message}", FileWarning)

    @contextmanager
    def located(self, link: str = "") -> Iterator[None]:
        """Puts this element in front of every ModelError that does not name its place yet, and the link behind it."""
        try:
            yield
        except ModelError as error:
            owner = f" (link '{link}')" if link else ""
            raise error if error.file == str(self.file) else self.error(f"{error}{owner}") from None

    def children(self, tag: str) -> list[Node]:
        return [self._below(child) for child in self.element.iterchildren(tag)]

    def child(self, tag: str) -> Node | None:
        """The child of that tag, None if there is none; an error if there are several."""
        found = self.children(tag)
        if len(found) > 1:
            raise found[1].error(f"a second <{tag}> in {self.where}; keep one")
        return found[0] if found else None

    def need(self, tag: str) -> Node:
        """The child of that tag, which must be there."""
        found = self.child(tag)
        if found is None:
            raise self.error(f"<{tag}> is missing")
        return found

    def elements(self) -> list[Node]:
        """The children that are elements (no comments)."""
        return [self._below(child) for child in self.element.iterchildren("*")]

    def _below(self, child: etree._Element) -> Node:
        return Node(child, Path(child.get(ORIGIN, self.file)))

    def text(self, attribute: str, default: str | None = None) -> str:
        value = self.element.get(attribute, default)
        if value is None:
            raise self.error(f"the attribute '{attribute}' is missing")
        return value

    def number(self, attribute: str, default: float | None = None, *, infinite: bool = False) -> float:
        """A finite number (or an infinite one where that is allowed); the default if the attribute is missing."""
        if default is not None and self.element.get(attribute) is None:
            return default
        value = self._float(f"'{attribute}'", self.text(attribute))
        if not (infinite or checks.usual(value)) or math.isnan(value):
            raise self.error(f"'{attribute}' must be finite, and at most {LARGE:g} in size, got {value}")
        return value

    def vector(self, attribute: str, default: Vector) -> Vector:
        """Three finite numbers parted by blanks; the default if the attribute is missing."""
        text = self.element.get(attribute)
        return default if text is None else self._triple(text, f"'{attribute}'")

    def numbers(self, attribute: str, counts: Iterable[int]) -> list[float] | None:
        """Finite numbers parted by blanks, as many as one of `counts`; None if the attribute is missing."""
        text = self.element.get(attribute)
        return None if text is None else self._list(text, f"'{attribute}'", tuple(counts))

    @property
    def words(self) -> str:
        """All text in the element and in those inside it."""
        return " ".join(map(str, self.element.itertext("*")))

    def content(self, default: str | None = None) -> str:
        """The text in the element, without comments and the blanks around it; the default if there is none."""
        text = "".join([self.element.text or "", *(child.tail or "" for child in self.element)]).strip()
        if not text and default is None:
            raise self.error("is empty")
        return text or default or ""

    def word(self, tag: str, default: str | None = None) -> str:
        """The text of the child of that tag; the default if there is none."""
        child = self.child(tag) if default is not None else self.need(tag)
        return default or "" if child is None else child.content()

    def value(self, tag: str, default: float | None = None, *, infinite: bool = False) -> float:
        """The number in the child of that tag; the default if there is none."""
        child = self.child(tag) if default is not None else self.need(tag)
        if child is None:
            return default or 0.0
        number = child._float("the text", child.content())
        if not (infinite or checks.usual(number)) or math.isnan(number):
            raise child.error(f"the text must be finite, and at most {LARGE:g} in size, got {number}")
        return number

    def triple(self, tag: str, default: Vector) -> Vector:
        """The three numbers in the child of that tag; the default if there is none."""
        child = self.child(tag)
        return default if child is None else child._triple(child.content(), "the text")

    def values(self, counts: Iterable[int]) -> list[float]:
        """The finite numbers in the text of this element, as many as one of `counts`."""
        return self._list(self.content(), "the text", tuple(counts))

    def only(self, *known: str) -> None:
        """ModelError names the first child element whose tag is not known; those of other name spaces may stand."""
        for node in self.elements():
            if node.tag not in known and not node.tag.startswith("{"):
                raise node.error(f"is not supported in <{self.tag}>{checks.nearest(node.tag, known)}")

    def only_attributes(self, *known: str) -> None:
        """ModelError names the first attribute that is not known."""
        for attribute in map(str, self.element.attrib):
            if attribute not in known and attribute != ORIGIN:
                raise self.error(f"the attribute '{attribute}' is not supported{checks.nearest(attribute, known)}")

    def _triple(self, text: str, what: str) -> Vector:
        x, y, z = self._list(text, what, (3,))
        return x, y, z

    def _list(self, text: str, what: str, counts: tuple[int, ...]) -> list[float]:
        words = text.split()
        if len(words) not in counts:
            raise self.error(f"{what} must be {' or '.join(map(str, counts))} numbers, got {_shown(text)}")
        result = [self._float(what, word) for word in words]
        if not all(map(checks.usual, result)):
            raise self.error(f"{what} must be finite, and at most {LARGE:g} in size, got {shown(text)}")
        return result

    def _float(self, what: str, text: str) -> float:
        try:
            return number_in(text)
        except ValueError:
            raise self.error(f"{what} must be a number, got {_shown(text)}") from None


def _shown(text: str) -> str:
    """What stands where numbers should, with the remedy where xacro would have put them."""
    return f"{shown(text)}; {XACRO}" if _expands(text) else shown(text)


def _expands(text: str) -> bool:
    """Whether xacro puts something else in the place of the text, or of a part of it."""
    return "${" in text or "$(" in text


def parse_xml(file: Path) -> Node:
    """The root element. ModelError if the file cannot be read, is not well formed, declares a document type, calls
    xacro or includes by XInclude, anywhere."""
    data = read_bytes(file)
    told = re.sub(rb"<!--.*?-->", b"", data, flags=re.DOTALL)
    if b"<!DOCTYPE" in told or b"<!ENTITY" in told:
        raise of_file(file, "document type declarations and entities are refused; remove <!DOCTYPE ...>")
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, dtd_validation=False
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        raise of_file(file, f"not well-formed XML (column {column}): {error.msg}", f"{file}:{line}") from None
    if root.getroottree().docinfo.internalDTD is not None:  # the words above in another encoding
        raise of_file(file, "document type declarations and entities are refused; remove <!DOCTYPE ...>")
    for element in root.iter("*"):
        if "xacro" in str(element.tag) or (element.tag in ("link", "joint") and _expands(element.get("name", ""))):
            raise Node(element, file).error(XACRO)
        if element.tag == XINCLUDE:
            raise Node(element, file).error("is not followed; put it in place first: xmllint --xinclude FILE > NEW")
    return Node(root, file)
