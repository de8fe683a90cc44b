"""SVG as elements: every text and attribute is escaped by the serialiser, so names may hold anything."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup


def canvas(width: float, height: float, kind: str, label: str) -> Element:
    """An empty picture of that size; `kind` is its CSS class, `label` what a screen reader says."""
    view = f"0 0 {number(width)} {number(height)}"
    return Element(
        "svg",
        {"viewBox": view, "width": number(width), "height": number(height), "class": kind, "role": "img",
         "aria-label": label},
    )  # fmt: skip


def add(parent: Element, tag: str, text: str = "", *, title: str = "", **attributes: object) -> Element:
    """One more element; numbers are shortened, `_` in attribute names stands for `-`, `kind` for `class`."""
    named = {("class" if k == "kind" else k.replace("_", "-")): v for k, v in attributes.items()}
    made = SubElement(parent, tag, {k: number(v) if isinstance(v, float) else str(v) for k, v in named.items()})
    if text:
        made.text = text
    if title:
        SubElement(made, "title").text = title
    return made


def number(value: float) -> str:
    """Two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def markup(picture: Element) -> Markup:
    return Markup(tostring(picture, encoding="unicode"))  # escaped by the serialiser


def clipped(name: str, length: int) -> str:
    """A name that fits a box of so many letters."""
    return name if len(name) <= length else f"{name[: length - 1]}…"
