"""A tape with a mechanism on it, on which derivations write what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from threading import Lock

from ..mechanism.mechanism import Mechanism
from ..program.tape import Scalar, Tape
from ..program.types import Function
from ..program.verify import verify
from .limbs import nonzeros_of
from .loops.closure import Loop, loops
from .nonzeros import Nonzeros
from .symbols import Symbols, symbols_of
from .tree import rnea
from .tree.segments import Segment, regrouped, segments
from .vector import Vec, vec


@dataclass(frozen=True)
class Workbench:
    """A tape with the mechanism on it: q, and its segments with `true` inertias.

    Further inputs appear on the tape in the order in which they are first asked for.
    """

    mechanism: Mechanism
    symbols: Symbols
    tape: Tape
    q: list[Scalar]
    true: tuple[Segment, ...]

    @cached_property
    def v(self) -> list[Scalar]:
        return self.tape.input("v", self.symbols.v)

    @cached_property
    def a(self) -> list[Scalar]:
        return self.tape.input("a", self.symbols.a)

    @cached_property
    def tau(self) -> list[Scalar]:
        return self.tape.input("tau", self.symbols.tau)

    @cached_property
    def extra(self) -> list[Scalar]:
        return self.tape.input("d", self.symbols.extra)

    @cached_property
    def extra_cut(self) -> list[Scalar]:
        return self.tape.input("d_cut", self.symbols.extra_cut)

    @cached_property
    def chain(self) -> tuple[Segment, ...]:
        return regrouped(self.true)

    @cached_property
    def gravity(self) -> Vec:
        return vec(self.tape, self.mechanism.gravity)

    @cached_property
    def loops(self) -> list[Loop]:
        return loops(self.mechanism, self.true)

    @property
    def nv(self) -> int:
        return self.mechanism.tree.nv

    @property
    def rest(self) -> list[Scalar]:
        return rnea.still(self.tape, self.nv)


Rows = Sequence[Sequence[Scalar]]


def flat(rows: Rows) -> Iterable[Scalar]:
    """All entries, row by row."""
    return (entry for row in rows for entry in row)


Derivation = tuple[str, Callable[[Workbench], None]]
"""The title of a function and what writes it on a tape."""


def written(mechanism: Mechanism, name: str, title: str, build: Callable[[Workbench], None]) -> Function:
    """What `build` puts on a tape that holds the mechanism, verified; it may be asked again (see Function.evened)."""
    function = _written(mechanism, False, name, title, build)
    if not _prepared(mechanism, False).nonzeros:
        return function
    return replace(function, evened=lambda: _written(mechanism, True, name, title, build))


def _written(mechanism: Mechanism, even: bool, name: str, title: str, build: Callable[[Workbench], None]) -> Function:
    shared = _prepared(mechanism, even)
    if not shared.lock.acquire(blocking=False):  # another function of the same mechanism is being written
        return _Prepared(mechanism, even).written(name, title, build)
    try:
        return shared.written(name, title, build)
    finally:
        shared.lock.release()


class _Prepared:
    """A tape on which all functions of a mechanism begin: with its parameters, q and segments.

    `even`: what is zero in one limb only stands as a small number; `nonzeros`: where that is so.
    """

    def __init__(self, mechanism: Mechanism, even: bool) -> None:
        self.lock = Lock()
        tape, symbols = Tape(mechanism.name), symbols_of(mechanism)
        if symbols.parameters:
            tape.input("p", symbols.parameters)
        q = tape.input("q", symbols.q)
        if even:
            self.nonzeros: Nonzeros = _prepared(mechanism, False).nonzeros
            chain = segments(tape, mechanism, q, self.nonzeros)
        else:
            chain = segments(tape, mechanism, q)
            self.nonzeros = nonzeros_of(mechanism.tree, chain)
        self._parts = mechanism, symbols, tape, q, chain
        self._tape, self._mark = tape, tape.mark()

    def written(self, name: str, title: str, build: Callable[[Workbench], None]) -> Function:
        self._tape.rewind(self._mark, name, title)
        build(Workbench(*self._parts))
        return verify(self._tape.function())


_prepared = lru_cache(maxsize=4)(_Prepared)
