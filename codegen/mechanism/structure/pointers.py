"""The four pointers that describe any structure: parent, child, brother, real [N98 §3, Figs 4-6]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from kinegen.runtime.errors import ModelError, shown

from .. import checks
from ..types import WORLD
from .table import text_table
from .tree import SpanningTree


@dataclass(frozen=True)
class Pointer:
    """Parent, first child and next sibling of one link, and `real` of a virtual one; None points nowhere."""

    link: str
    parent: str | None = None
    child: str | None = None
    brother: str | None = None
    real: str | None = None


@dataclass(frozen=True)
class Pointers:
    """World, then the links in tree order, then the virtual links; prints as a table."""

    rows: tuple[Pointer, ...]

    def __iter__(self) -> Iterator[Pointer]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, link: str) -> Pointer:
        for row in self.rows:
            if row.link == link:
                return row
        raise ModelError(f"there is no link {shown(link)}{checks.nearest(link, [row.link for row in self.rows])}")

    def __str__(self) -> str:
        head = ("link", "parent", "child", "brother", "real")
        rows = [(r.link, *(v or "-" for v in (r.parent, r.child, r.brother, r.real))) for r in self.rows]
        return text_table(head, rows)

    __repr__ = __str__


def pointers(tree: SpanningTree) -> Pointers:
    """The pointers of a tree; virtual links come after the real children, so connecting changes one pointer only."""
    names = [body.link.name for body in tree.bodies]
    parent = {body.link.name: names[body.parent] if body.parent >= 0 else WORLD for body in tree.bodies}
    parent |= {virtual.name: virtual.joint.parent for virtual in tree.virtual_links}
    real = {virtual.name: virtual.real for virtual in tree.virtual_links}
    children: dict[str, list[str]] = {}
    for name, above in parent.items():
        children.setdefault(above, []).append(name)
    brother = {a: b for siblings in children.values() for a, b in pairwise(siblings)}
    first = {above: siblings[0] for above, siblings in children.items()}
    order = (WORLD, *parent)
    return Pointers(tuple(Pointer(n, parent.get(n), first.get(n), brother.get(n), real.get(n)) for n in order))
