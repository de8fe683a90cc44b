"""What leaves the printing: text to compile, and the manifest that describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kinegen.runtime.abi import Manifest

from ..program.types import Function


@dataclass(frozen=True)
class Sources:
    """A model as C99 text.

    `files` maps file names to text (complete: no dependency but libm; what does not depend on the model stands below
    kinegen/), `cdef` holds the declarations that cffi reads, `flags` maps a file name to the extra compiler flags it
    wants, `warnings` are those that were given on the way. `programs` maps a file name to what kernels in it, by name,
    were printed from.
    """

    manifest: Manifest
    files: Mapping[str, str]
    cdef: str
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    programs: Mapping[str, Mapping[str, Function]] = field(default_factory=dict, repr=False, compare=False)

    def write(self, folder: Path) -> None:
        """Put all files into `folder`, which is made if it is not there."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
