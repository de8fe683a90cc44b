"""Lines of C that names of the mechanism made too long, broken where a reader would break them."""

from __future__ import annotations

from collections.abc import Iterator

WIDTH = 120


def fitted(text: str) -> str:
    """The same C with no line over `WIDTH`, where there is a place to break it."""
    if all(len(line) <= WIDTH for line in text.splitlines()):
        return text
    return "".join(f"{part}\n" for line in text.splitlines() for part in _parts(line))


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
        if cut < 0:
            break
        yield line[:cut] + mark.rstrip()
        line = further + line[cut + len(mark) :]
    yield line
