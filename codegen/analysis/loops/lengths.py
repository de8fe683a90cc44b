"""Lengths of closed loops: what their rows are scaled by, how large they are, and what gaps are measured in (§8)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...mechanism.elements.joint import Joint
from ...mechanism.elements.parameter import value_of
from ...mechanism.mechanism import Mechanism
from ...mechanism.structure.tree import Body

Array = npt.NDArray[np.float64]

ORDINARY = 1e-3, 1e2
"""Sizes of loops [m] whose gaps are measured in metres."""

CLOSED = 1e-9
"""Gap, in units of the assembly, up to which a configuration counts as closed where nothing is rounded."""


def is_closed(gap: Array, most: float | Array = CLOSED) -> bool:
    """No loop misses by more than it may; one whose gap is no number is open."""
    return bool((np.abs(gap) <= most).all())


def path_of(mechanism: Mechanism, joint: Joint) -> list[Body]:
    """Bodies whose joints move one side of a loop against the other."""
    bodies = mechanism.tree.bodies
    index = {body.link.name: body.index for body in bodies}

    def up(i: int) -> list[int]:
        steps = []
        while i >= 0:
            steps.append(i)
            i = bodies[i].parent
        return steps

    first, second = up(index.get(joint.parent, -1)), up(index.get(joint.child, -1))
    return [bodies[i] for i in (*first, *second) if (i in first) != (i in second)]


def own(body: Body) -> int:
    """Velocities by which its joint moves; one that follows another has that one's."""
    return body.joint.nv if body.joint.mimic is None else 1


def length_of(mechanism: Mechanism, path: Sequence[Body], joint: Joint) -> float:
    """A length of the loop: the largest offset between its joints, 1 where there is none that is known. Parameters
    count as they are by default."""
    top = _top(path)
    inner = [body.joint.origin.xyz for body in path if body.parent != top]
    inner += [body.joint.child_origin.xyz for body in path] + [joint.origin.xyz, joint.child_origin.xyz]
    inner += [(joint.wheel.radius, joint.wheel.tyre, 0.0)] if joint.wheel else []
    outer = [body.joint.origin.xyz for body in path]
    for offsets in (inner, outer):
        known = [size for size in map(_size, offsets) if size is not None]
        if max(known, default=0.0) > _rounding(mechanism):
            return max(known)
    return 1.0


def spans(mechanism: Mechanism) -> list[float]:
    """How large each loop is [m]: as `length_of`, but of what is fixed to the link that both its sides begin at, the
    distance; inf where one of these is not known or all are zero, so that nothing is small beside it."""
    return [_span(path_of(mechanism, loop.joint), loop.joint, _rounding(mechanism)) for loop in mechanism.virtual_links]


def unit_length(mechanism: Mechanism) -> float:
    """What lengths of gaps are measured in: metres, but a power of two of them, which rounds nothing, next to the
    size of the largest loop if that is far from a metre. Rounding goes by the size, and what it hides does too."""
    largest = max(spans(mechanism), default=1.0)
    if not ORDINARY[0] > largest and not ORDINARY[1] < largest < math.inf:
        return 1.0
    return 2.0 ** round(math.log2(largest))


def _span(path: Sequence[Body], joint: Joint, rounding: float) -> float:
    top, inside = _top(path), {body.link.name for body in path}
    ends = (joint.parent, joint.origin.xyz), (joint.child, joint.child_origin.xyz)
    moving = [xyz for link, xyz in ends if link in inside] + [body.joint.child_origin.xyz for body in path]
    moving += [body.joint.origin.xyz for body in path if body.parent != top]
    moving += [(joint.wheel.radius, joint.wheel.tyre, 0.0)] if joint.wheel else []
    fixed = [xyz for link, xyz in ends if link not in inside]
    fixed += [body.joint.origin.xyz for body in path if body.parent == top]
    apart = [[x - y for x, y in zip(fixed[0], xyz, strict=True)] for xyz in fixed[1:]]
    sizes = [_size(xyz) for xyz in (*moving, *apart)]
    largest = max((size for size in sizes if size is not None), default=0.0)
    return largest if None not in sizes and largest > rounding else math.inf


def _top(path: Sequence[Body]) -> int:
    return min((body.parent for body in path), default=-1)


def _size(xyz: Sequence[object]) -> float | None:
    known = [value_of(x) for x in xyz]
    return None if None in known else math.hypot(*(x for x in known if x is not None))


def _rounding(mechanism: Mechanism) -> float:
    """Offsets up to this [m] are none: a millionth of the largest of the mechanism, if that is not over a metre."""
    places = [joint.origin.xyz for joint in mechanism.joints] + [joint.child_origin.xyz for joint in mechanism.joints]
    places += [link.com for link in mechanism.links]
    return 1e-6 * min(1.0, max((_size(xyz) or 0.0 for xyz in places), default=0.0))
