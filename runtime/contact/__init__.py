"""Contact as the runtime sees it. The names that users meet are imported when first used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..names.lazy import lazy

if TYPE_CHECKING:
    from .contacts import ContactHistory, ContactOptions, Contacts
    from .rows import RowForce

__all__ = ["ContactHistory", "ContactOptions", "Contacts", "RowForce"]

__getattr__: Callable[[str], Any]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy(
    __name__, {".contacts": ("ContactHistory", "ContactOptions", "Contacts"), ".rows": ("RowForce",)}
)
