"""The product of a packed mass matrix as text: long rows add up in vectors of four entries, along the branches (§7).

Y_k = Σ Y_c + M_k x_k over the rows c next below, entry by entry of row k, with which those rows begin. Operations and
their order are those of `packed_product`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...program.types import Function
from ...symbolic.derivations.packed import Pattern, hanging, long_rows
from .dialects import C_DOUBLE
from .packed_rows import HEADER, Packed, filled
from .printer import Lines, pointer, wrapped


def product_lines(function: Function, pattern: Pattern) -> Lines:
    """The body of `function`, the product of a packed matrix of this pattern, some of whose rows are long."""
    return Lines(C_DOUBLE, (), "", tuple(_Product(pattern).blocks()), (), function.unused, HEADER)


class _Product(Packed):
    def __init__(self, pattern: Pattern) -> None:
        super().__init__(pattern)
        self.long, self.below = long_rows(pattern), hanging(pattern)
        self.known: set[str] = set()  # quads of x

    def blocks(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for k in reversed(range(len(self.pattern))):
            yield f"row {k}", tuple(self._long(k) if k in self.long else self._short(k))

    def _long(self, k: int) -> Iterator[str]:
        sources, lines = self.sources(k)
        yield from lines
        yield f"kg_quad Y_{k}[{self.quads[k]}], sum_{k};"
        for part, first, source in sources:
            for e in range(first, first + part):
                x, define = self._x(k, e)
                yield from define
                yield f"kg_{'along' if e else 'begin'}(&sum_{k}, &{x}, {pointer(source, 4 * (e - first))});"
        yield from wrapped(f"y[{k}] = kg_sum(&sum_{k}){self._terms(k, k)};")
        for part, first, source in sources:
            yield from self._carried(k, part, first, f"x[{k}], {source}")

    def _carried(self, k: int, part: int, first: int, product: str) -> Iterator[str]:
        """Quads of Y_k."""
        own, *below = (pointer(f"Y_{c}", first) for c in (k, *self.below[k]))
        for i, one in enumerate(below[1:]):
            yield f"kg_join_{part}({own}, {own if i else below[0]}, {one});"
        if below:
            yield f"kg_onto_{part}({own}, {own if below[1:] else below[0]}, {product});"
        else:
            yield f"kg_scaled_{part}({own}, {product});"

    def _x(self, k: int, e: int) -> tuple[str, list[str]]:
        """The name of a quad of x along row k, and what defines it if it is new; zeros behind the row."""
        places = (*self.pattern[k], k)[4 * e : 4 * e + 4]
        name = "_".join(["x", *map(str, places)])
        if name in self.known:
            return name, []
        self.known.add(name)
        entries = [f"x[{j}]" for j in places] + ["0.0"] * (4 - len(places))
        return name, filled(name, entries)

    def _short(self, k: int) -> Iterator[str]:
        row = (*self.pattern[k], k)
        products = " + ".join(f"M[{self.starts[k] + e}]*x[{j}]" for e, j in enumerate(row))
        yield from wrapped(f"y[{k}] = {products}{self._terms(k, k)};")
        for j in self.pattern[k] if self.below[k] else ():
            yield from wrapped(f"const double Y_{k}_{j} = {self._terms(k, j)[3:]} + {self._product(k, j)};")

    def _terms(self, k: int, j: int) -> str:
        """What rows below row k add up in column j."""
        return "".join(f" + {self._entry(c, j)}" for c in self.below[k])

    def _entry(self, c: int, j: int) -> str:
        """Of Y_c: products where nothing hangs on row c, to be fused with what they are added to."""
        if not self.below[c]:
            return self._product(c, j)
        return f"kg_entry_of(Y_{c}, {self.pattern[c].index(j)})" if c in self.long else f"Y_{c}_{j}"

    def _product(self, k: int, j: int) -> str:
        return f"M[{self.starts[k] + self.pattern[k].index(j)}]*x[{k}]"
