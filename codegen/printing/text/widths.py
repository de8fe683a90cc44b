"""Lines of C that names of the mechanism made too long, broken where a reader would break them."""

from __future__ import annotations

import re
from collections.abc import Iterator

WIDTH = 120

ENTRY = re.compile(r"\S+(, \S+)*: ")
"""What the line of a legend begins with: names and what they are."""


def fitted(text: str) -> str:
    """The same C with no line over `WIDTH`, where there is a place to break it."""
    if all(len(line) <= WIDTH for line in text.splitlines()):
        return text
    lines, made = text.splitlines(), []
    for i, line in enumerate(lines):  # as what the line before left over makes it
        *parts, last = _parts(line)
        if parts and i + 1 < len(lines) and _goes_on(last, lines[i + 1]):
            lines[i + 1] = last + lines[i + 1].strip().removeprefix("*")
            made += parts
        else:
            made += [*parts, last]
    return "".join(f"{line}\n" for line in made)


def _goes_on(last: str, following: str) -> bool:
    """Both are lines of one paragraph in a comment."""
    text = following.lstrip().removeprefix("* ")
    return last.lstrip().startswith("* ") and "*/" not in last and text != following.lstrip() and not ENTRY.match(text)


def _parts(line: str) -> Iterator[str]:
    """A comment goes on after a blank, code after a comma and four blanks further in; macros stay as they are."""
    stripped = line.lstrip()
    indent = line[: len(line) - len(stripped)]
    if stripped.startswith("#"):
        yield line
        return
    comment = stripped.startswith(("/*", "* "))
    further, mark = (indent.removesuffix(" ") + " * ", " ") if comment else (f"{indent}    ", ", ")
    while len(line) > WIDTH:
        cut = line.rfind(mark, len(further), WIDTH)
        if comment and line[cut:].strip() == "*/":  # which a word goes along with
            cut = line.rfind(mark, len(further), cut)
        if cut < 0:
            break
        yield line[:cut] + mark.rstrip()
        line = further + line[cut + len(mark) :]
    yield line
