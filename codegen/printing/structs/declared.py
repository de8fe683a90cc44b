"""A struct as cffi and C read it, with the names of a model."""

from __future__ import annotations

import textwrap

from kinegen.runtime.structs import Field, Struct

from ..text.printer import WIDTH

_OWN = (
    "partition",
    "memory",
    "contact",
    "contacts",
    "contact_row",
    "begun",
    "contact_workspace",
    "contact_options",
    "condition",
    "external",
    "driving",
    "servos",
    "ledger",
    "target",
)


def declaration(struct: Struct, prefix: str) -> str:
    """Its comment, and a comment for every member: beside it where that fits on a line, else above."""
    body = "\n".join(_line(field, prefix) for field in struct.fields)
    return f"{_comment(struct.text)}\ntypedef struct {{\n{body}\n}} {prefix}_{struct.name};\n"


def _line(field: Field, prefix: str) -> str:
    member = f"    {_member(field, prefix)};"
    beside = f"{member} /* {field.about} */"
    return beside if len(beside) <= WIDTH else f"{_comment(field.about, '    ')}\n{member}"


def _comment(text: str, indent: str = "") -> str:
    lines = textwrap.wrap(text, WIDTH - len(indent), break_on_hyphens=False)
    return f"{indent}/* " + f"\n{indent} * ".join(lines) + " */"


def _member(field: Field, prefix: str) -> str:
    if "(*)" in field.type:
        result, _, arguments = field.type.partition("(*)")
        return f"{result}(*{field.name}){_prefixed(arguments, prefix)}"
    kind = _prefixed(field.type, prefix)
    return f"{kind}{'' if kind.endswith('*') else ' '}{field.name}{''.join(f'[{n}]' for n in field.shape)}"


def _prefixed(text: str, prefix: str) -> str:
    """Names of structs with the model's prefix."""
    words = text.replace("(", "( ").split(" ")
    return " ".join(f"{prefix}_{word}" if word in _OWN else word for word in words).replace("( ", "(")
