"""Identifiers from user names: what reaches C is made of letters, digits and underscores, and is unique."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from kinegen.runtime.names.latin import GREEK, latin

C_WORDS = frozenset(
    [
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "asm",
        "typeof",
        "main",
        "errno",
    ]
)
LONGEST = 40

_WORD = re.compile(r"([A-Za-z]+?)(\d*)")


def letters(name: str) -> str:
    """`name` with the Greek letters that its parts name: theta → θ, theta1_l → θ1_l."""
    return "_".join(_letter(part) for part in name.split("_"))


def _letter(part: str) -> str:
    word = _WORD.fullmatch(part)
    return f"{GREEK[word[1]]}{word[2]}" if word and word[1] in GREEK else part


def identifier(name: str) -> str:
    """A C identifier that reads like `name`."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", latin(name)).strip("_")[:LONGEST].strip("_") or "unnamed"
    if plain[0].isdigit():
        plain = f"n{plain}"
    return f"{plain}_" if plain in C_WORDS else plain


def comment(name: str) -> str:
    """`name` unable to end a C comment or to continue a line: all but letters, digits, blanks, _.,:()+- becomes _."""
    return re.sub(r"[^A-Za-z0-9_ .,:()+-]", "_", latin(name))


def identifiers(names: Sequence[str], made: Callable[[int, str], Iterable[str]] = lambda _, name: ()) -> list[str]:
    """Identifiers of all names, made unique in order of appearance; so is all that `made(k, identifier)` gives."""
    result: dict[str, None] = {}
    used: set[str] = set()
    for k, name in enumerate(names):
        base = candidate = identifier(name)
        number = 2
        while candidate in result or not used.isdisjoint(made(k, candidate)):
            candidate, number = f"{base}_{number}", number + 1
        result[candidate] = None
        used.update(made(k, candidate))
    return list(result)
