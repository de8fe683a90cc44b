"""A mechanism's links as body segments, for measured motion."""

from __future__ import annotations

from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.measured.motion import BodySegment
from kinegen.runtime.typed import typed


@typed
def body_segments(mechanism: Mechanism) -> tuple[BodySegment, ...]:
    """Links of the tree with their true inertial data, joints named as in the mechanism, centres at the joint's frame
    on the child; segment axes are link axes (`Model.link_poses`). A link on a free joint floats; one on another joint
    to world has the parent "world": unmeasured=["world"]. ModelError for numbers that are symbols.
    """
    bodies = mechanism.tree.bodies
    found = []
    for body in bodies:
        link, joint = body.link, body.joint
        numbers = [link.mass, *link.com, *(x for row in link.inertia for x in row), *joint.child_origin.xyz]
        if not all(isinstance(x, (int, float)) for x in numbers):
            raise ModelError(f"link '{link.name}': mass, com, inertia and joint place must be numbers, not symbols")
        mass, *values = (float(x) for x in numbers)
        free = body.parent < 0 and KINDS[joint.kind].free
        parent = None if free else "world" if body.parent < 0 else bodies[body.parent].link.name
        inertia = [values[3:6], values[6:9], values[9:12]]
        found.append(BodySegment(link.name, mass, inertia, parent, joint.name, values[:3], values[12:15]))
    return tuple(found)
