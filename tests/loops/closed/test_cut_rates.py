"""Velocities of cut joints by places on either side of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinegen.codegen.analysis.plan import plan
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.loops.closed_functions import derive_cut_rates
from kinegen.codegen.symbolic.loops.cut_joint import cut_twist, twist_in_child
from kinegen.codegen.symbolic.workbench import Workbench, written
from support.mechanisms.closed_models import model
from support.oracles.numeric import error

BENT = Pose((0.1, -0.2, 0.3), (0.4, -0.7, 0.2))
TURNED = Pose((-0.3, 0.1, 0.2), (-0.5, 0.3, 1.1))


def two_arms(kind: str) -> Mechanism:
    """An arm of two turns and a slide, and a body that flies, joined by a cut joint in skew frames."""
    links = [Link(name, 1.0, (0.1, 0.0, 0.2), (0.1, 0, 0, 0.1, 0, 0.1)) for name in ("base", "upper", "lower", "body")]
    skew = (0.48, 0.6, 0.64)
    axis = {} if kind in ("spherical", "free", "planar", "fixed") else {"axis": skew}
    return Mechanism(
        "two_arms",
        links,
        [
            Joint("turn", "revolute", "world", "base", BENT, axis=(0, 1, 0)),
            Joint("shoulder", "revolute", "base", "upper", TURNED, axis=skew),
            Joint("slide", "prismatic", "upper", "lower", BENT, axis=(1, 0, 0)),
            Joint("flight", "free", "world", "body"),
            Joint("grip", kind, "lower", "body", TURNED, BENT, cut=True, **axis),
        ],
    )


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "planar", "spherical", "free"])
@pytest.mark.parametrize("reversed_", [False, True])
def test_the_twist_is_the_same_by_both_sides(kind: str, reversed_: bool) -> None:
    mechanism = two_arms(kind)
    if reversed_:
        *joints, grip = mechanism.joints
        swapped = Joint("grip", kind, "body", "lower", grip.origin, grip.child_origin, cut=True, axis=grip.axis)
        mechanism = Mechanism("two_arms", mechanism.links, [*joints, swapped])

    def build(w: Workbench) -> None:
        for name, way in (("F", cut_twist), ("C", twist_in_child)):
            rows = [row for loop in w.loops for row in way(w.true, loop, w.nv)]
            w.tape.output(name, (len(rows), w.nv), [entry for row in rows for entry in row])

    function = written(mechanism, "twists", "both", build)
    rng = np.random.default_rng(0)
    for _ in range(3):
        q = rng.uniform(-1, 1, 10)
        q[-4:] /= np.linalg.norm(q[-4:])
        found = numeric(function)({"q": q})
        assert np.abs(found["F"]).max() > 0.1 and error(found["C"], found["F"]) < 1e-13


def test_what_moves_the_child_alone_is_constant() -> None:
    """The platform turns its balls as it turns itself: entries of a unit matrix, which take no operations."""
    own = model("stewart")
    q = own.random(np.random.default_rng(0))
    H = own.H(q)
    for ball in range(6):
        row = [own.dependent.index(f"head{ball}[{i}]") for i in range(3)]
        leg = own.loop_joint(f"head{ball}", q, own.W(q).T)[1]
        assert error(H[row], leg.T) < 1e-12
    assert derive_cut_rates(two_arms("spherical")).operations.total < 200


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_dampers_of_cut_joints_act_as_their_torques(kind: str) -> None:
    """M a + C'DC a = f: the acceleration that the torques f - C'DC a make."""
    mechanism = two_arms(kind)
    *joints, grip = mechanism.joints
    straight = plan(Mechanism("two_arms", mechanism.links, [*joints, replace(grip, damping=0.3)])).straight
    closing, closed = straight.closing, straight.closed
    assert closing is not None and closing.pulled and closed is not None and closed.function is not None
    functions = derive_cut_rates(mechanism), closing.function, closing.after, closed.function
    rates, look, pulled, plain = map(numeric, functions)
    rng = np.random.default_rng(0)
    for _ in range(3):
        q, v, tau, d = (rng.uniform(-1, 1, n) for n in (10, 9, 9, 9))
        q[-4:] /= np.linalg.norm(q[-4:])
        C = rates({"q": q})["C"]
        d_cut = rng.uniform(1, 10, len(C))
        state = {"q": q, "v": v, "d": d + 1.0}
        a = pulled({**state, "tau": tau, "d_cut": d_cut, "seen": look({"q": q})["seen"].tolist()})["a"]
        assert error(plain({**state, "tau": tau - C.T @ (d_cut * (C @ a))})["a"], a) < 1e-10
        assert error(plain({**state, "tau": tau})["a"], a) > 1e-3
