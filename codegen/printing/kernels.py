"""What the C files of a model are made of: printed functions, and what all files share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kinegen.runtime.abi import ArraySpec, KernelSpec

from ..analysis.loops.closure import loop_flags
from ..mechanism.mechanism import Mechanism
from ..mechanism.structure.topology import Switch
from ..program.copies.rolled import rolled
from ..program.limbs import Limbs
from ..program.packs.packs import packing
from ..program.types import Function
from ..symbolic.limbs import copies_of, limbs_of
from .text.dialects import DOUBLE, EXTREMES, Numbers
from .text.environment import render
from .text.legend import legend, letters
from .text.loops import lines_of
from .text.packed import PackedLines, print_packed
from .text.printer import Blocks, Lines


@dataclass(frozen=True)
class Piece:
    """One printed function and its program: `storage` is "static " for what only its own file calls; `packed`: its body
    with limbs that are alike in lanes; `turned`: it is handed sines and cosines of its angles; `parts`: it calls these,
    between which `held` numbers pass."""

    spec: KernelSpec
    body: Lines
    program: Function
    storage: str = ""
    letters: frozenset[str] = frozenset()
    packed: PackedLines | None = None
    turned: bool = False
    parts: tuple[Piece, ...] = ()
    held: int = 0

    @property
    def title(self) -> str:
        return sentence(self.program.title)

    @property
    def operations(self) -> str:
        return sentence(str(self.program.operations))

    @property
    def bodies(self) -> list[tuple[str, Blocks]]:
        """Its statements, with the directive before them where there are two ways to write them."""
        if self.packed is None:
            return [("", self.body.blocks)]
        return [(f"#if KG_PACK >= {self.packed.width}", self.packed.blocks), ("#else", self.body.blocks)]

    @property
    def extremes(self) -> bool:
        """Calls kg_min or kg_max."""
        return not self.program.called.isdisjoint(EXTREMES)


@dataclass(frozen=True)
class CFile:
    """Text of a file, the kernels that it defines with their titles, and the compiler flags it wants.

    `declarations` are those of functions that are no kernels: C calls them, the runtime does not. `programs`: what
    kernels, by name, were printed from.
    """

    name: str
    text: str
    kernels: tuple[KernelSpec, ...]
    titles: Mapping[str, str]
    flags: tuple[str, ...] = ()
    declarations: str = ""
    programs: Mapping[str, Function] = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """What every file of a model shares; `switches`: loops that can be active or not, each with a flag in p; `numbers`:
    what it computes with."""

    mechanism: Mechanism
    prefix: str
    advance: Callable[[str], None]
    switches: tuple[Switch, ...] = ()
    numbers: Numbers = DOUBLE

    @property
    def flags(self) -> tuple[int, ...]:
        """Place in p of each loop's flag, -1 for a loop that is always active."""
        return loop_flags(self.mechanism, self.switches)

    @property
    def parametric(self) -> bool:
        return bool(self.mechanism.parameters)

    @cached_property
    def limbs(self) -> Limbs:
        """Limbs that are alike."""
        return limbs_of(self.mechanism.tree)

    @cached_property
    def copies(self) -> Limbs:
        """Trees that are alike, of which there are many."""
        return copies_of(self.mechanism.tree)

    @property
    def open(self) -> str:
        """What the kernels of the open tree are called in a mechanism with loops."""
        return "_open" if self.mechanism.virtual_links else ""


def printed(
    context: Context,
    name: str,
    function: Function,
    route: str = "straight",
    reason: str = "",
    storage: str = "",
    *,
    seldom: bool = False,
    rows: Callable[[Function], Lines | None] | None = None,
) -> Piece:
    """A function in C, limbs that are alike side by side where that is worth it; not one that is called `seldom`.

    `rows`: writes what it does with rows of a matrix in vectors, None where that is not worth it.
    """
    context.advance(name)
    dialect = context.numbers.kernel
    by_rows = rows(function) if rows and context.numbers is DOUBLE else None
    loops = rolled(function, context.copies) if by_rows is None else None
    packable = context.numbers is DOUBLE and not seldom and by_rows is None and loops is None
    packs = packing(function, context.limbs) if packable else None
    packed = print_packed(packs, dialect) if packs else None
    function = packs.apart if packs and packed else function
    spec = KernelSpec(
        name,
        f"{context.prefix}_{name}",
        *arrays_of(function),
        function.operations.counts,
        route,
        reason,
    )
    body = by_rows or lines_of(function, loops, dialect)
    return Piece(spec, body, function, storage, letters(function), packed)


def arrays_of(function: Function) -> tuple[tuple[ArraySpec, ...], tuple[ArraySpec, ...]]:
    """What a kernel takes, parameters aside, and what it gives."""
    inputs = tuple(ArraySpec(i.name, (len(i.symbols),)) for i in function.inputs if i.name != "p")
    return inputs, tuple(ArraySpec(o.name, o.shape) for o in function.outputs)


def sentence(text: str) -> str:
    """A title as it begins a comment; a symbol that it begins with, of a letter or with others than small ones, stays
    as it is."""
    word = text.split(maxsplit=1)[0].rstrip(",:;")
    return text[0].upper() + text[1:] if len(word) > 1 and word.isalpha() and word.islower() else text


@dataclass(frozen=True)
class KernelsFile:
    """What `kernels.c.j2` shows: straight-line `pieces`, then `loops`; `batches` over n states of what is public.

    `model`: the loops stand in runtime/c, which reads PREFIX_model.h; `called`: kernels of other files that they call.
    """

    title: str
    prefix: str
    parametric: bool
    subject: str
    pieces: Sequence[Piece]
    loops: str = ""
    loop_kernels: Sequence[KernelSpec] = ()
    batches: bool = True
    model: bool = False
    called: Sequence[KernelSpec] = ()
    numbers: Numbers = DOUBLE

    @property
    def declared(self) -> list[KernelSpec]:
        """Public ones, and those of other files: what a compiler must know of PREFIX.h, which tells of all files."""
        return [*self._straight, *self.loop_kernels, *self.called]

    @property
    def batched(self) -> list[KernelSpec]:
        """Those that also go over n states."""
        return [*(self._straight if self.batches else ()), *self.loop_kernels]

    @property
    def _straight(self) -> list[KernelSpec]:
        return [piece.spec for piece in self.pieces if not piece.storage]

    @property
    def legend(self) -> list[str]:
        """What the letters in it stand for."""
        return legend(frozenset().union(*(piece.letters for piece in self.pieces)))

    @property
    def angles(self) -> bool:
        """Calls kg_sincos."""
        return any(piece.body.angles for piece in self.pieces)

    @property
    def extremes(self) -> bool:
        """Calls kg_min or kg_max."""
        return any(piece.extremes for piece in self.pieces)

    @property
    def headers(self) -> list[str]:
        """Those of functions that pieces call."""
        return sorted({piece.body.header for piece in self.pieces if piece.body.header})

    @property
    def rolled(self) -> bool:
        """Has loops over trees that are alike."""
        return any(piece.body.rolled for piece in self.pieces)

    @property
    def packs(self) -> bool:
        """Has limbs in lanes."""
        return any(piece.packed for piece in self.pieces)


def kernels_text(
    context: Context,
    subject: str,
    pieces: Sequence[Piece],
    loops: str = "",
    loop_kernels: Sequence[KernelSpec] = (),
    *,
    batches: bool = True,
    model: bool = False,
    called: Sequence[KernelSpec] = (),
) -> str:
    """The text of a file of kernels, which includes no header that depends on other files."""
    title, prefix, numbers = context.mechanism.name, context.prefix, context.numbers
    file = KernelsFile(
        title, prefix, context.parametric, subject, pieces, loops, loop_kernels, batches, model, called, numbers
    )
    return render("tree/kernels.c.j2", file=file)


@dataclass(frozen=True)
class InternalDeclarations:
    """What `internal.h.j2` shows."""

    pieces: Sequence[Piece]
    parametric: bool


def internal_declarations(context: Context, pieces: Sequence[Piece]) -> str:
    """Declarations of functions that are no kernels."""
    return render("tree/internal.h.j2", declared=InternalDeclarations(pieces, context.parametric))


def internal_file(context: Context, name: str, subject: str, pieces: Sequence[Piece]) -> CFile:
    """PREFIX_NAME.c with functions that C calls and the runtime does not."""
    programs = {piece.spec.name: piece.program for piece in pieces}
    text = kernels_text(context, subject, pieces, batches=False)
    return CFile(f"{context.prefix}_{name}.c", text, (), {}, (), internal_declarations(context, pieces), programs)
