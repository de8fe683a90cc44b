"""What is derived of a mechanism, in symbols of the caller's names: each program and closed form once, then kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import sympy

from ..mechanism.mechanism import Mechanism
from ..program.types import Function
from ..symbolic.symbols import Symbols, symbols_of
from .forms.closed_form import closed_form, new_atoms
from .forms.form import Form
from .forms.loop_forms import LoopForms
from .forms.polynomial import Atoms
from .forms.split import entries_named
from .renamed import Table, renamed, renamed_symbols, renaming
from .sources import program_of

ALTERNATIVES = {"mass_matrix": ("mass_matrix_cog",)}  # routes whose closed form may be shorter


@dataclass(frozen=True)
class Derived:
    """`independent`: joints that lead its loops, () for those of the compiled model; `names`: of symbols."""

    mechanism: Mechanism
    independent: tuple[str, ...]
    names: Mapping[str, str | sympy.Symbol]
    functions: dict[str, Function] = field(default_factory=dict, init=False)
    forms: dict[tuple[str, int, int], Form] = field(default_factory=dict, init=False)

    @cached_property
    def symbols(self) -> Symbols:
        return renamed_symbols(symbols_of(self.mechanism), self.renaming)

    @cached_property
    def renaming(self) -> Table:
        return renaming(symbols_of(self.mechanism), self.names)

    @cached_property
    def atoms(self) -> Atoms:
        return new_atoms(self.mechanism, self.symbols)

    @cached_property
    def loops(self) -> LoopForms:
        leaders = entries_named(self.mechanism, self.independent) if self.independent else None
        return LoopForms(self.mechanism, self.atoms, self.routes, leaders)

    def function(self, name: str, frame: str | None = None) -> Function:
        """The program of a quantity."""
        key = f"{name} {frame}"
        if key not in self.functions:
            self.functions[key] = renamed(program_of(self.mechanism, name, frame), self.renaming)
        return self.functions[key]

    def routes(self, name: str, frame: str | None = None) -> list[Function]:
        """All programs of a quantity that its closed form may be read from."""
        return [self.function(route, frame) for route in (name, *ALTERNATIVES.get(name, ()))]

    def form(self, name: str, frame: str | None = None, part: slice = slice(None), *, force: bool = False) -> Form:
        """A quantity, or a part of its entries, in closed form."""
        key = (f"{name} {frame} {force}", part.start or 0, part.stop or 0)
        if key not in self.forms:
            self.forms[key] = closed_form(self.routes(name, frame), self.atoms, part, force=force, name=name)
        return self.forms[key]
