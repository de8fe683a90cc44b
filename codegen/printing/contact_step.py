"""What a time step with contact needs of the motion of the coordinates, as C99 text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy

from ..mechanism.structure.tree import Body, SpanningTree
from .environment import render
from .motion import GROUP, SLIP_SPEED, advance, common, implicit, listed, parameter_printer


def step_pieces(
    tree: SpanningTree, prefix: str, parameters: Sequence[sympy.Symbol] = (), *, closed: bool = False
) -> str:
    """To be appended to `motion_source`: PREFIX_held_forces, and unless `closed` (where they are there) PREFIX_advance
    and, with dampers or friction, PREFIX_damping.
    """
    number = parameter_printer(parameters)
    held = render(
        "contact_held.c.j2",
        groups={GROUP[body.joint.kind] for body in tree.bodies if body.nv and body.joint.kind in GROUP},
        resting=listed(tree, _resting),
        **common(tree, prefix, parameters),
    )
    if closed:
        return held
    return held + render(
        "contact_motion.c.j2",
        implicit=listed(tree, lambda body: implicit(body, number)),
        advance=listed(tree, advance),
        slip=repr(SLIP_SPEED),
        **common(tree, prefix, parameters),
    )


def turning(body: Body) -> Iterator[str]:
    """v_flat += dt c: what turning axes add to the velocity that is advanced along resting ones."""
    k = body.v_start
    group = GROUP.get(body.joint.kind)
    if body.nv and group == "se3":
        for i in range(3):
            j, m = (i + 1) % 3, (i + 2) % 3
            yield f"v_flat[{k + i}] += dt*(v[{k + 3 + j}]*v[{k + m}] - v[{k + 3 + m}]*v[{k + j}]);"
    if body.nv and group == "se2":
        yield f"v_flat[{k}] -= dt*v[{k + 2}]*v[{k + 1}];"
        yield f"v_flat[{k + 1}] += dt*v[{k + 2}]*v[{k}];"


def _resting(body: Body) -> Iterator[str]:
    """f += what a force that rests in the world gains in the child's axes, which turn."""
    q, v, group = body.q_start, body.v_start, GROUP.get(body.joint.kind)
    if body.nv and group in ("se3", "so3"):
        turned = q + 3 if group == "se3" else q
        for i in range(v, v + body.nv, 3):
            yield f"rest_along(q0 + {turned}, q + {turned}, held + {i}, f + {i});"
    if body.nv and group == "se2":
        yield f"rest_in_plane(q0 + {q}, q + {q}, held + {v}, f + {v});"
