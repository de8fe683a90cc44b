"""The headers of a model: what its files share, each from a context of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kinegen.runtime.abi import KernelSpec, Manifest

from .kernels import CFile, Context, sentence
from .places import Enumeration, Place, enumerations, sizes
from .text.environment import render

NUMBERS_TOLD = {"float64": "", "float32": "All numbers are floats, of single precision."}


@dataclass(frozen=True)
class Declarations:
    """What `declarations.h.j2` shows: kernels under their titles."""

    kernels: Sequence[KernelSpec]
    titles: Mapping[str, str]
    parametric: bool
    scalar: str


@dataclass(frozen=True)
class Header:
    """What `header.h.j2` shows: the declarations of a model, its sizes and the places of its names.

    `numbers`: what they are, where not doubles; `parametric`: kernels take parameters.
    """

    title: str
    guard: str
    nq: int
    nv: int
    links: int
    sizes: Sequence[Place]
    enumerations: Sequence[Enumeration]
    declarations: str
    numbers: str
    parametric: bool


def kernel_declarations(context: Context, files: Sequence[CFile]) -> str:
    """Every kernel of the files, with its batch."""
    kernels = [kernel for file in files for kernel in file.kernels]
    titles = {name: sentence(title) for file in files for name, title in file.titles.items()}
    return render("declarations.h.j2", header=Declarations(kernels, titles, context.parametric, context.numbers.scalar))


def header_text(manifest: Manifest, declarations: str) -> str:
    """PREFIX.h: what cffi reads, between guards, after sizes and enumerations."""
    header = Header(
        title=manifest.name,
        guard=manifest.prefix.upper(),
        nq=manifest.nq,
        nv=manifest.nv,
        links=len(manifest.links),
        sizes=sizes(manifest),
        enumerations=enumerations(manifest),
        declarations=declarations,
        numbers=NUMBERS_TOLD[manifest.dtype],
        parametric=bool(manifest.parameters),
    )
    return render("header.h.j2", header=header)
