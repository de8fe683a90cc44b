"""Identifiers from user names: what reaches C is made of letters, digits and underscores, and is unique."""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def identifier(name: str) -> str:
    """A C identifier that reads like `name`."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:LONGEST].strip("_") or "unnamed"
    if plain[0].isdigit():
        plain = f"n{plain}"
    return f"{plain}_" if plain in C_WORDS else plain


def identifiers(names: Sequence[str]) -> list[str]:
    """Identifiers of all names, made unique in order of appearance."""
    used: set[str] = set()
    result = []
    for name in names:
        base = candidate = identifier(name)
        number = 2
        while candidate in used:
            candidate, number = f"{base}_{number}", number + 1
        used.add(candidate)
        result.append(candidate)
    return result
