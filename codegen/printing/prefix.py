"""The prefix of a mechanism's C: what all its own names begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..symbolic.names import identifier
from .library import whole_library
from .text.environment import template_texts

APART = "mechanism_"
"""Goes before a name that serves no prefix; nothing else in C begins so."""


def prefix_of(name: str) -> str:
    """The prefix for a mechanism's name: its identifier in small letters, after `mechanism_` where that is taken.

    It is taken where an identifier of what C does not depend on the mechanism begins with it, as `turn_momentum` does
    with that of a mechanism called turn, or where PREFIX.h would be a header of the C library.
    """
    prefix = identifier(name).lower()
    return f"{APART}{prefix}" if _taken(prefix) else prefix


def _taken(prefix: str) -> bool:
    words = f"{prefix}_", f"{prefix.upper()}_", f"<{prefix}.h>"
    begins = re.compile("|".join(rf"(?<!\w){word}" for word in words))
    return any(any(word in text for word in words) and begins.search(text) for text in _texts())


def _texts() -> Iterator[str]:
    """What C has its names from, beside the mechanism: the C library and the templates."""
    yield from whole_library().values()
    yield from template_texts()
