"""kinegen cache: what has been compiled, and getting rid of it."""

from __future__ import annotations

from datetime import datetime

from rich.markup import escape

from kinegen.codegen.build import cache_entries, clear_cache
from kinegen.codegen.build.cache import cache_path

from .terminal import show, table


def run(action: str) -> None:
    """list: a table of models; clear: remove them."""
    if action == "clear":
        show(f"freed {clear_cache() / 1e6:.1f} MB in {escape(str(cache_path()))}")
        return
    entries = cache_entries()
    listed = table(
        f"compiled models in {escape(str(cache_path()))}", "model", "compiled", "MB", "folder", right=("MB",)
    )
    for entry in entries:
        when = datetime.fromtimestamp(entry.time).strftime("%Y-%m-%d %H:%M")
        listed.add_row(escape(entry.name), when, f"{entry.size / 1e6:.2f}", escape(entry.path.name))
    show(listed, f"{len(entries)} models, {sum(entry.size for entry in entries) / 1e6:.1f} MB")
