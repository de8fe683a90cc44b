"""What the record of every kind promises, and what the options of those with several axes may be."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.mechanism.structure.hang import _rank
from kinegen.codegen.mechanism.structure.reverse import reverse
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.program.types import Function
from kinegen.codegen.symbolic.functions import derive
from kinegen.runtime.errors import InternalError
from kinegen.runtime.kinds import BALL, KINDS, SCREW, SLIDE, TURN, Kind, Motion, X, Y, Z
from support.mechanisms.closed_mechanisms import coordinates_of
from support.oracles.mechanisms import random_options
from support.oracles.numeric import error, inverse, joint_motion

SERIES = [name for name, kind in KINDS.items() if len(kind.axes) == 3]


def joint(name: str, seed: int = 0, **options: object) -> kg.Joint:
    rng = np.random.default_rng(seed)
    return kg.Joint("j", name, "a", "b", **{**random_options(name, rng), **options})


@pytest.mark.parametrize("name", KINDS)
def test_the_record_agrees_with_the_motion(name: str) -> None:
    """nq, nv, neutral, linear velocities, turns and locked rows against the motion subspace itself."""
    kind, made = KINDS[name], joint(name)
    pose, S, _ = joint_motion(made, np.array(kind.neutral), np.zeros(kind.nv))
    assert (made.nq, made.nv, made.rest) == (kind.nq, kind.nv, kind.neutral)
    assert np.array_equal(pose, np.eye(4)) and S.shape == (6, kind.nv)
    pose, S, _ = joint_motion(made, coordinates_of(made, np.random.default_rng(1)), np.zeros(kind.nv))
    assert np.linalg.matrix_rank(S) == kind.nv == 6 - len(kind.locked)
    assert [bool(np.abs(column[3:]).max() < 1e-12) for column in S.T] == list(kind.linear)
    assert len(kind.entries(0)) == len(kind.labelled(0)) == kind.nq
    assert len(kind.entries(1)) == len(kind.labelled(1)) == kind.nv
    assert sum(len(steps) for steps in kind.segments) == len(kind.steps)
    if kind.rotation:
        assert np.linalg.norm(kind.neutral[kind.rotation]) == 1.0


@pytest.mark.parametrize(
    "product",
    [
        ((SLIDE, 0), (SLIDE, 1)),
        ((TURN, 0), (TURN, 1), (TURN, 2), (TURN, 3)),
        ((TURN, 0), (SLIDE, 1)),
        ((TURN, 0), (TURN, 0)),
        ((SCREW, 0), (SLIDE, 0)),
        ((BALL, 0), (SLIDE, 1)),
    ],
)
def test_kinds_of_which_it_is_not_known_what_they_lock_are_refused(product: tuple[tuple[Motion, int], ...]) -> None:
    with pytest.raises(InternalError, match=r"^kind 'odd': what a closure locks of it is not known; a kind is one mot"):
        Kind("odd", "", product, (X, Y, Z, X)[: 1 + max(axis for _, axis in product)])


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_a_template(name: str) -> None:
    template = getattr(kg, name)
    options = random_options(name, np.random.default_rng(2))
    assert template.__doc__ == KINDS[name].about and name in kg.__all__
    assert template(**options).joint("j", "a", "b") == kg.Joint("j", name, "a", "b", **options)


@pytest.mark.parametrize("name", KINDS)
def test_turned_round_it_is_the_inverse_motion(name: str) -> None:
    made = joint(name, 3)
    back = reverse(made)
    q = coordinates_of(made, np.random.default_rng(4))
    kind = KINDS[name]
    if kind.group:
        return  # the quaternion is conjugated, planar and free joints move in other axes: tested with their files
    turned = q[::-1] if len(kind.turns) > 1 else q
    found = joint_motion(back, turned, np.zeros(kind.nv))[0]
    assert error(found, inverse(joint_motion(made, q, np.zeros(kind.nv))[0])) < 1e-14
    assert (back.parent, back.child, reverse(back)) == ("b", "a", made)


@pytest.mark.parametrize("name", KINDS)
def test_saved_it_is_the_same(name: str, tmp_path) -> None:
    kind = KINDS[name]
    limits = [(-1.0, 1.5 + i) for i in range(kind.nq)] if kind.limited and kind.nv else None
    dynamic = {"damping": [0.1 * (i + 1) for i in range(kind.nv)], "stiffness": 2.0} if kind.nv else {}
    made = joint(name, 5, limits=limits, **dynamic)
    links = [kg.Link("a", 1.0, inertia=(1, 0, 0, 1, 0, 1)), kg.Link("b", 1.0, inertia=(1, 0, 0, 1, 0, 1))]
    mechanism = kg.Mechanism("m", links, [kg.Joint("base", "free", "world", "a"), made])
    kg.save(mechanism, tmp_path / "m.toml")
    assert kg.load(tmp_path / "m.toml", merge=False).joints == mechanism.joints


def test_one_axis_joints_hang_links_first() -> None:
    ranks = {name: _rank(joint(name)) for name in KINDS}
    assert {name for name, rank in ranks.items() if rank == 0} == {n for n, kind in KINDS.items() if kind.nv == 1}
    assert ranks["universal"] < ranks["planar"] < ranks["spherical"] < ranks["fixed"] < ranks["free"]


@pytest.mark.parametrize("name", [n for n, kind in KINDS.items() if kind.nv != 1])
def test_only_one_dof_mimics(name: str) -> None:
    with pytest.raises(kg.ModelError, match="only a joint with one degree of freedom can mimic"):
        joint(name, mimic=kg.Mimic("other"))


def test_who_asks_for_a_joint_that_follows_is_told_its_leader() -> None:
    """Wherever a joint is named; that of a follower's follower is the one with a coordinate."""
    links = [kg.Link(name, 1.0, (0.0, 0.1, 0.0), np.diag((0.1, 0.1, 0.1))) for name in "abc"]
    joints = [
        kg.Joint("lead", "revolute", "world", "a"),
        kg.Joint("middle", "revolute", "a", "b", mimic=kg.Mimic("lead", 2.0)),
        kg.Joint("last", "prismatic", "b", "c", mimic=kg.Mimic("middle")),
    ]
    mechanism = kg.Mechanism("fingers", links, joints)
    model = kg.compile(mechanism)
    library = kg.TopologyLibrary(mechanism, connections=[kg.Connection("hold", "c", "world", kg.spherical())])
    assert model.manifest.followers == {"middle": "lead", "last": "lead"}
    run = kg.Simulator(model, dt=1e-3).run(2e-3)
    for ask in (
        lambda: model.v_slice("last"),
        lambda: run.joint("last"),
        lambda: kg.Simulator(model, servos={"last": kg.Servo(1.0)}),
        lambda: kg.Simulator(model, driven={"last": 0.0}),
        lambda: kg.Simulator(model, tau={"last": 0.0}),
        lambda: kg.solve_ik(model, [kg.ComTarget(np.zeros(3))], hold=["last"]),
        lambda: library.state({"last": 0.0}),
        lambda: kg.compile(mechanism, at={"last": 0.0}),
        lambda: kg.derive(mechanism).torque_terms("last"),
    ):
        with pytest.raises(kg.ModelError, match=r"'last'.* follows 'lead'"):
            ask()
    with pytest.raises(kg.ModelError, match="no joint 'lust'; it has: lead"):
        model.v_slice("lust")


@pytest.mark.parametrize("parent", ["world", "a"])
@pytest.mark.parametrize(("multiplier", "offset"), [("r/2", "0"), ("-1/r", "l**2"), ("l*r", "asin(l)"), ("-r", "l")])
def test_followers_by_expressions_of_parameters(multiplier: str, offset: str, parent: str) -> None:
    """As of gears whose radii are given."""
    values, inertia = {"r": 1.4, "l": 0.3}, kg.inertia.box(1.0, (0.1, 0.2, 0.3))
    by_name = [sympy.sympify(text) for text in (multiplier, offset)]

    def geared(ratio: float | sympy.Expr, shift: float | sympy.Expr) -> Function:
        links = [kg.Link("a", 1.0, (0.1, 0, 0.2), inertia), kg.Link("b", 1.0, (0, 0, 0.1), inertia)]
        lead = kg.Joint("lead", "revolute", "world", "a", axis=(0, 1, 0))
        follow = kg.Joint("follow", "revolute", parent, "b", axis=(0, 1, 0), mimic=kg.Mimic("lead", ratio, shift))
        return derive(kg.Mechanism("geared", links, [lead, follow]), "forward_dynamics_ltdl")

    given = {"q": [0.4], "v": [2.0], "tau": [1.0]}
    names = sorted({symbol.name for expr in by_name for symbol in expr.free_symbols})
    own = numeric(geared(*by_name))({**given, "p": [values[name] for name in names]})
    plain = numeric(geared(*(float(expr.subs(values)) for expr in by_name)))(given)
    np.testing.assert_allclose(own["a"], plain["a"], rtol=1e-12)


@pytest.mark.parametrize("name", SERIES)
def test_bad_axes(name: str) -> None:
    for axes, message in (
        ([(0, 0, 1), (0, 1, 0)], "axes must be 3 directions"),
        ("xyz", "axes must be 3 directions"),
        ([(0, 0, 1), (0, 1, 0), (0, 1, 1)], "lie in one plane"),
        ([(0, 0, 1), (0, 0, 0), (1, 0, 0)], r"axes\[1\] is zero"),
        ([(0, 0, 1), (0, 0), (1, 0, 0)], r"axes\[1\]"),
    ):
        with pytest.raises(kg.ModelError, match=message):
            kg.Joint("j", name, "a", "b", axes=axes)
    with pytest.raises(kg.ModelError, match="axis is for kinds with one; give axes"):
        kg.Joint("j", name, "a", "b", axis=(1, 0, 0))
    with pytest.raises(kg.ModelError, match="this kind takes no axes"):
        kg.Joint("j", "revolute", "a", "b", axes=[(0, 0, 1)])


def test_axes_have_their_defaults() -> None:
    assert kg.Joint("j", "gimbal", "a", "b").axes == ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    assert kg.Joint("j", "cartesian", "a", "b").axes == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert kg.Joint("j", "gimbal", "a", "b", axes=[(0, 0, 2), (0, 3, 0), (-1, 0, 1e-14)]).axes[2] == (-1.0, 0.0, 0.0)
