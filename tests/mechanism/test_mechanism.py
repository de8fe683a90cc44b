"""The spanning tree, mimics, and whether all that can move has inertia."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
import sympy

from kinegen.codegen.mechanism import (
    KINDS,
    Joint,
    Link,
    Mechanism,
    Mimic,
)
from kinegen.codegen.mechanism.elements import joint_templates as templates
from kinegen.runtime.errors import ModelError
from support.mechanisms.small_mechanisms import FOURBAR, chain, link

# spanning tree


def tree_of(mechanism):
    return [(b.link.name, b.joint.name, b.parent, b.q_start, b.v_start, b.nq, b.nv) for b in mechanism.tree.bodies]


def test_depth_first_siblings_in_listed_order():
    mechanism = chain(("c", "b", "c"), ("d", "a", "d"), ("a", "world", "a", {"kind": "free"}), ("b", "a", "b"))
    assert [b.link.name for b in mechanism.tree.bodies] == ["a", "d", "b", "c"]
    assert tree_of(mechanism) == [
        ("a", "a", -1, 0, 0, 7, 6),
        ("d", "d", 0, 7, 6, 1, 1),
        ("b", "b", 0, 8, 7, 1, 1),
        ("c", "c", 2, 9, 8, 1, 1),
    ]
    assert (mechanism.tree.nq, mechanism.tree.nv) == (10, 9)


def test_second_way_to_a_link_closes_a_loop():
    mechanism = chain(*FOURBAR)
    (virtual,) = mechanism.virtual_links
    assert (virtual.name, virtual.real, virtual.joint.name) == ("rocker_v", "rocker", "j4")
    assert (mechanism.tree.nq, mechanism.tree.nv) == (3, 3)


def test_cut_is_made_where_asked():
    joints = [*FOURBAR[:2], (*FOURBAR[2], {"cut": True}), FOURBAR[3]]
    (virtual,) = chain(*joints).virtual_links
    assert virtual.joint.name == "j3"


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::5])
def test_any_order_gives_a_tree_and_one_loop(order):
    tree = chain(*(FOURBAR[i] for i in order)).tree
    assert len(tree.bodies) == 3 and len(tree.virtual_links) == 1
    assert all(body.parent < body.index for body in tree.bodies)


def test_virtual_names_never_collide():
    mechanism = chain(("a", "world", "x"), ("b", "world", "x_v"), ("c", "x_v", "x"), ("d", "world", "x"))
    assert [v.name for v in mechanism.virtual_links] == ["x_v2", "x_v3"]


def test_long_chain_in_reverse_order():
    n = 2000
    names = ["world", *(f"l{i}" for i in range(n))]
    mechanism = Mechanism(
        "long",
        [Link(x, 1) for x in names[1:]],
        [Joint(b, "revolute", a, b) for a, b in itertools.pairwise(names)][::-1],
    )
    assert [b.link.name for b in mechanism.tree.bodies] == names[1:]


# mimics


def test_mimic_has_no_coordinate():
    mechanism = chain(
        ("follower", "world", "b", {"mimic": Mimic("leader", 2.0, 0.5)}),
        ("leader", "b", "a", {}),
        ("last", "a", "c", {}),
    )
    assert tree_of(mechanism)[0] == ("b", "follower", -1, 0, 0, 0, 0)
    assert (mechanism.tree.nq, mechanism.tree.nv) == (2, 2)
    assert not mechanism.joint("follower").actuated


def test_mimic_of_mimic_is_resolved():
    mechanism = chain(
        ("a", "world", "a", {}),
        ("c", "a", "c", {"mimic": Mimic("b", 3.0, 1.0)}),
        ("b", "c", "b", {"mimic": Mimic("a", 2.0, 0.5)}),
    )
    assert mechanism.tree.bodies[1].joint.mimic == Mimic("a", 6.0, 2.5)


def test_leader_feels_what_acts_at_its_follower():
    """Potential and dissipation of leader and follower together equal those of the joint that the tree has."""
    mechanism = chain(
        ("a", "world", "a", {"damping": 1.0, "stiffness": 2.0, "rest": 0.3, "friction": 0.1, "armature": 0.2}),
        ("b", "a", "b", {"damping": 0.5, "stiffness": 4.0, "rest": -0.2, "friction": 0.3, "armature": 0.1,
                         "mimic": Mimic("a", -2.0, 0.7)}),
    )  # fmt: skip
    leader, follower = (body.joint for body in mechanism.tree.bodies)
    assert leader.damping == (1.0 + 4 * 0.5,) and leader.armature == (0.2 + 4 * 0.1,)
    assert leader.friction == (pytest.approx(0.1 + 2 * 0.3),)
    assert follower.damping == follower.stiffness == follower.friction == follower.armature == (0.0,)
    for q in (-1.0, 0.0, 2.0):
        torque = 2.0 * (q - 0.3) + -2.0 * 4.0 * (-2.0 * q + 0.7 + 0.2)
        assert leader.stiffness[0] * (q - leader.rest[0]) == pytest.approx(torque)


# dynamics


def test_check_dynamics_names_the_joint_that_moves_nothing():
    joints = [Joint("a", "revolute", "world", "x"), Joint("b", "revolute", "x", "y")]
    with pytest.raises(ModelError, match="joint 'b'"):
        Mechanism("m", [link("x"), Link("y")], joints).check_dynamics()
    Mechanism("m", [Link("x"), link("y")], joints).check_dynamics()
    Mechanism("m", [link("x"), Link("y")], [joints[0], replace(joints[1], armature=0.1)]).check_dynamics()
    Mechanism("m", [link("x"), Link("y", sympy.Symbol("m"), (1, 0, 0))], joints).check_dynamics()
    with pytest.raises(ModelError, match=r"joint 'b' .* turns 'y' about an axis about which it has no inertia"):
        Mechanism("m", [link("x"), Link("y", 1.0, (0, 0, 1))], joints).check_dynamics()  # a point on the axis
    follower = replace(joints[1], mimic=Mimic("a"))
    Mechanism("m", [Link("x"), link("y")], [joints[0], follower]).check_dynamics()


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "fixed"])
def test_check_dynamics_of_every_kind(kind):
    joint = templates.JointTemplate(kind, (("pitch", 0.1),) if kind == "helical" else ()).joint("j", "world", "a")
    Mechanism("m", [link("a")], [joint]).check_dynamics()
    with pytest.raises(ModelError, match="joint 'j'"):
        Mechanism("m", [Link("a")], [joint]).check_dynamics()
    if kind in ("free", "spherical"):  # a point has no inertia about itself
        with pytest.raises(ModelError, match="singular"):
            Mechanism("m", [Link("a", 1.0)], [joint]).check_dynamics()
