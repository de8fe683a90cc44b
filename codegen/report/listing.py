"""Generated C, function by function, with its words coloured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CLexer

LONGEST = 140  # lines of one function that are shown


@dataclass(frozen=True)
class Listing:
    """A function's C, highlighted; `lines` it has, of which `shown` are there; `file` it stands in."""

    file: str
    html: Markup
    lines: int
    shown: int


def listing(files: Mapping[str, str], function: str) -> Listing | None:
    """The definition of a C function in the generated files; None if it is printed under another name."""
    for file, text in files.items():
        if f"void {function}(" not in text:
            continue
        lines = text.splitlines()
        for first, line in enumerate(lines):
            if line.startswith(f"void {function}(") and not line.rstrip().endswith(";"):
                body = _body(lines[first:])
                if body:
                    return Listing(file, coloured("\n".join(body[:LONGEST])), len(body), min(len(body), LONGEST))
    return None


def _body(lines: list[str]) -> list[str]:
    """Up to the brace in the first column; nothing if these lines declare without defining."""
    signature = next((line for line in lines if line == "{" or line.endswith(");")), "")
    if signature != "{":
        return []
    for i, line in enumerate(lines):
        if line == "}":
            return lines[: i + 1]
    return []


def coloured(text: str) -> Markup:
    return Markup(highlight(text, CLexer(), HtmlFormatter(nowrap=True)))  # pygments escapes


def colours() -> str:
    """Style rules of the classes that `coloured` uses, light then dark."""
    light = HtmlFormatter(style="friendly").get_style_defs(".code")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".code")
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
