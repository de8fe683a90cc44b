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
    head = "/* " + "\n * ".join(textwrap.wrap(struct.text, WIDTH, break_on_hyphens=False)) + " */"
    body = "\n".join(f"    {_member(field, prefix)};" for field in struct.fields)
    return f"{head}\ntypedef struct {{\n{body}\n}} {prefix}_{struct.name};\n"


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
