"""Colours of links in every kind of picture."""

from __future__ import annotations

from itertools import count

from kinegen.codegen.mechanism import Mechanism

Colour = tuple[float, float, float]

COLOURS = ("#4c6a92", "#6c8ebf", "#d9822b", "#c0563b", "#7b6fb0", "#4f9d69", "#2f7f86", "#a8832f", "#8a5a83", "#6b7280")
GROUND: Colour = (0.87, 0.87, 0.85)
METAL: Colour = (0.72, 0.74, 0.78)
"""Of visuals whose file gives no colour."""


def link_colours(mechanism: Mechanism) -> dict[str, Colour]:
    """By link: a colour goes on along a chain until it branches, every second link paler."""
    bodies, fresh = mechanism.tree.bodies, count()
    children = [sum(body.parent == i for body in bodies) for i in range(len(bodies))]
    chain: list[int] = []
    odd: list[bool] = []
    for body in bodies:
        alone = body.parent >= 0 and children[body.parent] == 1
        chain.append(chain[body.parent] if alone else next(fresh))
        odd.append(alone and not odd[body.parent])
    return {body.link.name: _shade(chain[i], 0.25 * odd[i]) for i, body in enumerate(bodies)}


def _shade(number: int, pale: float) -> Colour:
    code = COLOURS[number % len(COLOURS)]
    red, green, blue = (int(code[i : i + 2], 16) / 255.0 for i in (1, 3, 5))
    return red + pale * (1 - red), green + pale * (1 - green), blue + pale * (1 - blue)
