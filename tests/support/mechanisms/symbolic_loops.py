"""Loops with symbols for their numbers, and closed states of them."""

from __future__ import annotations

import numpy as np
import sympy

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose, inertia
from support.oracles.numeric import Array


def slider_crank(r: sympy.Expr, length: sympy.Expr, mass: sympy.Expr, weight: sympy.Expr) -> Mechanism:
    """Crank r and rod with their mass halfway, a slider along x that the rod is pinned to; gravity along −y."""
    return Mechanism(
        "slider_crank",
        [
            Link("crank", mass, (r / 2, 0, 0)),
            Link("rod", mass, (length / 2, 0, 0), inertia.rod(mass, length)),
            Link("slider", mass),
        ],
        [
            Joint("crank", "revolute", "world", "crank"),
            Joint("pin", "revolute", "crank", "rod", Pose((r, 0, 0)), actuated=False),
            Joint("slide", "prismatic", "world", "slider", axis=(1, 0, 0), actuated=False),
            Joint("wrist", "revolute", "slider", "rod", Pose(), Pose((length, 0, 0)), actuated=False),
        ],
        gravity=(0, -weight, 0),
    )


def closed_states(model: kg.Model, count: int) -> list[tuple[Array, Array]]:
    """Random closed configurations away from singular ones, with velocities on the closure."""
    rng, found = np.random.default_rng(3), []
    while len(found) < count:
        try:
            q = model.assemble(rng.uniform(-1.5, 1.5, model.nq))
        except kg.ModelError:
            continue
        q -= np.linalg.lstsq(model.kernel("closure_rows")(q), model.closure_residual(q), rcond=1e-10)[0]  # to rounding
        v = model.dependent_motion(q, rng.normal(size=model.nv))[0]
        if np.abs(model.W(q)).max() < 20:
            found.append((q, v))
    return found
