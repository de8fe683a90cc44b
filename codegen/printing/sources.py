"""What leaves the printing: text to compile, and the manifest that describes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kinegen.runtime.abi import Manifest
from kinegen.runtime.files import make_folder, write_together
from kinegen.runtime.typed import typed

Arrays = Mapping[str, Sequence[float]]

Finished = Callable[[str, str, tuple[str, ...]], None]
"""Is given each file of a model as soon as it is printed: name, text, the extra compiler flags it wants."""


def unheard(name: str, text: str, flags: tuple[str, ...]) -> None:
    """Nobody waits for single files."""


@dataclass(frozen=True)
class Evaluation:
    """A kernel in a C file that Python can evaluate as well, in so many `steps`.

    `bounds`: arrays by name → outputs by name, each entry a value and how far rounding may take another evaluation from
    it. ArithmeticError or ValueError where the kernel is not defined.
    """

    kernel: str
    file: str
    steps: int
    bounds: Callable[[Arrays], Mapping[str, Sequence[tuple[float, float]]]]


@dataclass(frozen=True)
class Sources:
    """A model as C99 text.

    `files` maps file names to text (complete: no dependency but libm; what does not depend on the model stands below
    kinegen/), `cdef` holds the declarations that cffi reads, `flags` maps a file name to the extra compiler flags it
    wants, `warnings` are those that were given on the way. `evaluations` are a second way to some of its kernels.
    """

    manifest: Manifest
    files: Mapping[str, str]
    cdef: str
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    evaluations: tuple[Evaluation, ...] = field(default=(), repr=False, compare=False)

    @typed
    def write(self, folder: str | Path) -> None:
        """Put all files into `folder`, which is made if it is not there. ModelError if it cannot be written."""
        make_folder(folder)
        write_together(Path(folder), {name: text.encode() for name, text in self.files.items()})


def write_texts(texts: Mapping[str, str], folder: Path) -> None:
    """Put texts into `folder`, by their paths in it."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
