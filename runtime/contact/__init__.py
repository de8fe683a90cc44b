"""Contact as the runtime sees it. The names that users meet are imported when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .contacts import ContactHistory, ContactOptions, Contacts
    from .rows import RowForce

__all__ = ["ContactHistory", "ContactOptions", "Contacts", "RowForce"]

_HOME = {"ContactHistory": "contacts", "ContactOptions": "contacts", "Contacts": "contacts", "RowForce": "rows"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
