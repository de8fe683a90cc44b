"""What leaves the printing: text to compile, and the manifest that describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kinegen.runtime.abi import Manifest


@dataclass(frozen=True)
class Sources:
    """A model as C99 text.

    `files` maps file names to text (complete: no dependency but libm), `cdef` holds the declarations that cffi reads,
    `flags` maps a file name to the extra compiler flags it wants, `warnings` are those that were given on the way.
    """

    manifest: Manifest
    files: Mapping[str, str]
    cdef: str
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
