"""C text -> compiled model in a content-addressed cache."""

from .cache import open_cache
from .driver import Site, build, build_with
from .front import front_key, recall, remember
from .notes import read_note, write_note
from .toolchain import Toolchain, find_toolchain
from .upkeep import CacheEntry, cache_entries, clear_cache
from .wasm import build_wasm

__all__ = [
    "CacheEntry",
    "Site",
    "Toolchain",
    "build",
    "build_wasm",
    "build_with",
    "cache_entries",
    "clear_cache",
    "find_toolchain",
    "front_key",
    "open_cache",
    "read_note",
    "recall",
    "remember",
    "write_note",
]
