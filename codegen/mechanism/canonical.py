"""A description as text that holds all of it: equal text, equal mechanism, in every process.

Numbers are written so that they read back as the same double, symbols with their assumptions, meshes with a digest of
their files. What is only drawn is left out. Nothing depends on hash seeds, on the identity of objects or on what was
computed from the description.
"""

from __future__ import annotations

import hashlib
import numbers
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from typing import Any

import sympy

from kinegen.runtime.errors import ModelError

from .geometry.meshes import find_mesh
from .geometry.shapes import Shape

LINKED = (".gltf", ".glb")  # files that may refer to others by "uri"


class NoCanonicalText(TypeError):
    """A value whose text would not tell all of it: a class of the user's own, a mesh that refers to other files."""


def canonical(value: object) -> str:
    """The text of a mechanism, of anything in it, or of a tuple of such; NoCanonicalText if there is none."""
    if value is None or isinstance(value, (bool, int, str)):
        return repr(value) if type(value) in _PLAIN else repr(_plain(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, sympy.Basic):
        return _expression(value)
    if isinstance(value, (tuple, list)):
        return f"({','.join(map(canonical, value))})"
    if isinstance(value, Mapping):
        return f"{{{','.join(f'{canonical(key)}:{canonical(entry)}' for key, entry in value.items())}}}"
    kind = type(value)
    if is_dataclass(kind) and kind.__module__.startswith("kinegen."):
        own = ",".join(f"{field.name}={canonical(getattr(value, field.name))}" for field in _moving(kind))
        mesh = _mesh(value) if isinstance(value, Shape) and value.kind == "mesh" else ""
        return f"{kind.__qualname__}({own}){mesh}"
    raise NoCanonicalText(f"no canonical text of {kind.__module__}.{kind.__qualname__}")


def _moving(kind: type[Any]) -> list[Field[Any]]:
    """The fields on which the motion may depend."""
    return [field for field in fields(kind) if not field.metadata.get("drawn")]


_PLAIN = (bool, int, str, type(None))


def _plain(value: object) -> object:
    """The number or string in a subclass of int or str, whose own repr may say anything."""
    return str.__str__(value) if isinstance(value, str) else int(value)  # type: ignore[call-overload]


def _expression(expr: sympy.Basic) -> str:
    """Arguments in the order in which they stand: the printed sums follow it."""
    if expr.args:
        return f"{type(expr).__name__}({','.join(map(_expression, expr.args))})"
    if isinstance(expr, sympy.Dummy):  # its number differs in every process
        raise NoCanonicalText(f"no canonical text of the dummy symbol {expr}")
    return str(sympy.srepr(expr))


def _mesh(shape: Shape) -> str:
    """Digest of the file; where there is none, the reason, so that the text changes when the file comes."""
    try:
        file = find_mesh(shape)
        data = file.read_bytes()
    except (ModelError, OSError) as error:
        return f"<{error}>"
    if file.suffix.lower() in LINKED and b'"uri"' in data:
        raise NoCanonicalText(f"mesh '{file}' may refer to other files")
    return f"<{file.suffix.lower()} {hashlib.sha256(data).hexdigest()}>"
