"""All structs of a model that has a time step."""

from __future__ import annotations

from collections.abc import Iterator

from kinegen.runtime.structs import CONDITION, QUANTITIES, Struct

from ...analysis.sizes import Sizes
from .closure import memory, partition
from .declared import declaration
from .motion import EXTERNAL, SERVOS, driving, ledger, simulation, simulations
from .rows import row_structs


def declarations(sizes: Sizes, prefix: str) -> str:
    """All structs of a model, each before those that hold it, as cffi and C read them."""
    text = []
    if sizes.switched:
        names = ", ".join(f"{prefix}_{name.upper()}" for name in QUANTITIES)
        text.append(f"/* What the value of a condition is. */\nenum {{ {names} }};\n")
    return "\n".join([*text, *(declaration(struct, prefix) for struct in structs(sizes))])


def structs(sizes: Sizes) -> Iterator[Struct]:
    """In the order of their declaration."""
    if sizes.loops:
        yield partition(sizes, sizes.loops)
        yield memory(sizes, sizes.loops)
    if sizes.rows:
        yield from row_structs(sizes, sizes.rows)
    if sizes.switched:
        yield CONDITION
    yield EXTERNAL
    yield driving(sizes)
    yield SERVOS
    yield ledger(sizes)
    yield simulation(sizes)
    if sizes.many:
        yield simulations(sizes)
