"""Which pairs of shapes never touch, or not just now, because joints hold their links together (§9, §11).

Links that hang together, through joints of the tree and loops, do not touch each other (unless the rules say so), the
two sides of a joint never. A joint that can be cut counts while it is active; a connection keeps only its own two
links from touching.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...mechanism.mechanism import Mechanism
from ...mechanism.structure.topology import Switch
from ...mechanism.types import WORLD
from ..loops.closure import loop_flags
from .collision_pairs import Touching, rigid_body
from .placed import Placed
from .rules import ContactRules


@dataclass(frozen=True)
class Joined:
    """Bodies by number, -1 for the world.

    `piece`: of every body, those with the same number hang together for good; `cuts`: (flag, piece, piece) of joints
    that can be cut; `rigid`: the body that carries each through fixed joints; `loops`: bodies on the two sides of a
    permanent loop joint; `sides`: (flag, body, body) of every joint that comes and goes.
    """

    piece: tuple[int, ...]
    cuts: tuple[tuple[int, int, int], ...]
    rigid: tuple[int, ...]
    loops: frozenset[tuple[int, int]]
    sides: tuple[tuple[int, int, int], ...]
    within: bool

    def never(self, a: Placed, b: Placed) -> bool:
        """Two shapes that hang together for good."""
        if -1 in (a.body, b.body):
            return False
        if not self.within and self.piece[a.body] == self.piece[b.body]:
            return True
        return (self.rigid[a.body], self.rigid[b.body]) in self.loops

    def idle(self, table: Touching) -> list[tuple[int, int]]:
        """(flag, number of the pair) of pairs that do not touch while the flag is set."""
        found = []
        for number, pair in enumerate(table.pairs if self.sides else ()):
            ends = {self._rigid(table.shapes[end].body) for end in (pair.first, pair.second)}
            found += [(flag, number) for flag, *sides in self.sides if set(sides) == ends]
        return found

    def pieces(self, table: Touching) -> list[int]:
        """The piece that carries each shape, -1 for the world."""
        return [self.piece[shape.body] if shape.body >= 0 else -1 for shape in table.shapes]

    def _rigid(self, body: int) -> int:
        return self.rigid[body] if body >= 0 else -1


def joined(mechanism: Mechanism, switches: Sequence[Switch], rules: ContactRules) -> Joined:
    """What holds the links of the mechanism together."""
    tree, named = mechanism.tree, {switch.name: switch for switch in switches}
    number = {WORLD: -1, **{body.link.name: body.index for body in tree.bodies}}
    rigid = tuple(rigid_body(tree, body.index) for body in tree.bodies)
    together = [(body.index, body.parent) for body in tree.bodies]
    loops: list[tuple[int, int]] = []
    cuts: list[tuple[int, int, int]] = []
    sides: list[tuple[int, int, int]] = []
    for loop, flag in zip(mechanism.virtual_links, loop_flags(mechanism, switches), strict=True):
        switch = named.get(loop.joint.name)
        ends = (switch.link_a, switch.link_b) if switch else (loop.joint.parent, loop.real)
        a, b = (number.get(end, -1) for end in ends)
        if switch is None:
            together.append((a, b))
            loops.append((a, b))
        elif switch.active and -1 not in (a, b):
            cuts.append((flag, a, b))
        if switch and not (switch.active and -1 in (a, b)):  # a link and the world touch across their own joint
            sides.append((flag, rigid[a] if a >= 0 else -1, rigid[b] if b >= 0 else -1))
    piece = _pieces(len(tree.bodies), together)
    across = [(rigid[a], rigid[b]) for a, b in loops if -1 not in (a, b)]
    return Joined(
        piece,
        tuple((flag, piece[a], piece[b]) for flag, a, b in cuts),
        rigid,
        frozenset((*across, *((b, a) for a, b in across))),
        tuple(sides),
        rules.within,
    )


def _pieces(count: int, together: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Numbers from 0 on, the same for bodies that these pairs connect; the world connects nothing."""
    piece = list(range(count))
    for a, b in together:
        if a >= 0 and b >= 0:
            piece = [piece[a] if x == piece[b] else x for x in piece]
    order = {x: i for i, x in enumerate(dict.fromkeys(piece))}
    return tuple(order[x] for x in piece)
