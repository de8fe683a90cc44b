"""In which order the segments of a tree are written: it decides what stays alive in the C and what can overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .segments import Segment

Visit = tuple[int, bool]


def visits(chain: Sequence[Segment]) -> Iterator[Visit]:
    """(i, False) when the walk from the root enters segment i, (i, True) when it leaves it for good.

    What a subtree needs is written and consumed before the next branch begins: few values stay alive in the C.
    """
    open_segments: list[int] = []
    for i, segment in enumerate(chain):
        while open_segments and open_segments[-1] != segment.parent:
            yield open_segments.pop(), True
        open_segments.append(i)
        yield i, False
    while open_segments:
        yield open_segments.pop(), True


def visits_side_by_side(chain: Sequence[Segment]) -> list[Visit]:
    """As `visits`, but two branches of one shape (legs, arms) are walked in step.

    The processor then has independent work while it waits for a result; pays where few values are alive at a time.
    """
    children: dict[int, list[int]] = {i: [] for i in range(-1, len(chain))}
    for i, segment in enumerate(chain):
        children[segment.parent].append(i)
    shapes: dict[int, str] = {}
    walks: dict[int, list[Visit]] = {}
    for i in reversed(range(len(chain))):  # leaves to root
        own = "+".join(motion.name for motion in chain[i].motions)
        shapes[i] = f"{own}({','.join(shapes[k] for k in children[i])})"
        walks[i] = [(i, False), *_paired(children[i], shapes, walks), (i, True)]
    return _paired(children[-1], shapes, walks)


def _paired(branches: Sequence[int], shapes: dict[int, str], walks: dict[int, list[Visit]]) -> list[Visit]:
    """The walks of all branches, those of equal shape merged two by two."""
    walk: list[Visit] = []
    waiting = list(branches)
    while waiting:
        first = waiting.pop(0)
        twin = next((k for k in waiting if shapes[k] == shapes[first]), None)
        if twin is None:
            walk += walks.pop(first)
            continue
        waiting.remove(twin)
        walk += [visit for pair in zip(walks.pop(first), walks.pop(twin), strict=True) for visit in pair]
    return walk
