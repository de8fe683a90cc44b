"""kinegen cache: what has been compiled, and getting rid of it."""

from __future__ import annotations

import os
from datetime import datetime

from rich.markup import escape

from kinegen.codegen.build import cache_entries, clear_cache
from kinegen.codegen.build.cache import cache_path
from kinegen.codegen.build.upkeep import everything, size_limit
from kinegen.runtime.errors import BuildError, ModelError
from kinegen.runtime.files import check_folder

from .terminal import show, table


def run(action: str) -> None:
    """list: a table of models; clear: remove them."""
    directory = cache_path()
    try:
        check_folder(directory)
    except ModelError as error:
        raise BuildError(f"the cache (KINEGEN_CACHE): {error}") from error
    if action == "clear":
        show(f"freed {clear_cache() / 1e6:.1f} MB in {escape(str(directory))}")
        return
    entries = cache_entries()
    listed = table(
        f"compiled models in {escape(str(directory))}", "model", "compiled", "last used", "MB", "folder", right=("MB",)
    )
    for entry in entries:
        size = f"{entry.size / 1e6:.2f}"
        listed.add_row(escape(entry.name), _when(entry.time), _when(entry.used), size, escape(entry.path.name))
    total, limit = sum(entry.size for entry in everything(directory)), size_limit(os.environ)
    beside = total - sum(entry.size for entry in entries)
    show(
        listed,
        f"{len(entries)} models, {total / 1e6:.1f} MB ({beside / 1e6:.1f} MB of it is the C library and C that did not "
        f"compile) of at most {limit / 1e6:.0f} MB",
    )


def _when(time: float) -> str:
    return datetime.fromtimestamp(time).strftime("%Y-%m-%d %H:%M")
