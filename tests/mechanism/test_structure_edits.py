"""Connecting and cutting as edits of the graph: the pointer tables of [N98 §4], and what stays as it was."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.codegen.mechanism import Frame, Joint, Link, Mechanism, Mimic, Pose, combine
from kinegen.codegen.mechanism.elements import joint_templates as templates
from kinegen.codegen.mechanism.pose import to_quaternion
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.derivations.closure import CLOSURE
from kinegen.codegen.symbolic.functions import derive
from kinegen.codegen.symbolic.loops.closed_functions import derive_cut_rates
from kinegen.runtime.errors import ModelError
from support.oracles.mechanisms import random_mechanism, random_state
from support.oracles.numeric import Reference


def mechanism(*joints, frames=()):
    """From (parent, child[, kind]); the joint is called PARENT-CHILD."""
    made = [Joint(f"{p}-{c}", *(kind or ["revolute"]), p, c) for p, c, *kind in joints]
    names = dict.fromkeys(name for p, c, *_ in joints for name in (p, c) if name != "world")
    return Mechanism("m", [Link(name, 1.0, inertia=np.eye(3)) for name in names], made, frames=frames)


def table(made):
    return [[x or "-" for x in (r.link, r.parent, r.child, r.brother, r.real)] for r in made.pointers()]


def rows(text):
    return [line.split() for line in text.strip().splitlines()]


# [N98 Fig. 7]: link 1 stands on the base and carries links 2 and 3; link 4 hangs on link 2 and reaches link 3
OPEN = [("world", "link1"), ("link1", "link2"), ("link2", "link4"), ("link1", "link3")]
BEFORE = """
    world  -     link1  -      -
    link1  world link2  -      -
    link2  link1 link4  link3  -
    link4  link2 -      -      -
    link3  link1 -      -      -
"""
AFTER = """
    world    -     link1    -      -
    link1    world link2    -      -
    link2    link1 link4    link3  -
    link4    link2 -        -      -
    link3    link1 link4_v  -      -
    link4_v  link3 -        -      link4
"""


def test_fig_6_a_closed_mechanism_is_an_open_one_connected():
    """Two legs of a base that meet: the last link of one is real, the other ends in its virtual link."""
    legs = mechanism(("world", "base"), ("base", "link1"), ("link1", "link2"), ("base", "link3"))
    expected = """
        world    -     base     -     -
        base     world link1    -     -
        link1    base  link2    link3 -
        link2    link1 -        -     -
        link3    base  link2_v  -     -
        link2_v  link3 -        -     link2
    """
    assert table(legs.connect("link3", "link2", templates.revolute())) == rows(expected)


def test_fig_8_connecting_adds_a_virtual_link():
    before = mechanism(*OPEN)
    after = before.connect("link3", "link4", templates.revolute(axis=(0, 1, 0)), name="grip")
    assert table(before) == rows(BEFORE) and table(after) == rows(AFTER)
    joint = after.joint("grip")
    assert (joint.kind, joint.axis, joint.cut, joint.actuated) == ("revolute", (0, 1, 0), True, False)
    assert after.cut("grip") == before and before.tree.virtual_links == ()


def test_fig_11_a_floating_chain_grips_the_ground():
    """Base and link 1 do not change places: the loop goes through the free joint (pseudo-closed)."""
    floating = mechanism(("world", "base", "free"), ("base", "link1"))
    gripped = floating.connect("world", "link1", templates.revolute())
    expected = """
        world    -     base  -        -
        base     world link1 link1_v  -
        link1    base  -     -        -
        link1_v  world -     -        link1
    """
    assert table(gripped) == rows(expected)
    assert gripped.tree.bodies == floating.tree.bodies
    other = floating.connect("link1", "world", templates.revolute())  # the ground's virtual link hangs on the chain
    assert table(other)[-1] == ["world_v", "link1", "-", "-", "world"] and other.tree.bodies == floating.tree.bodies


def test_fig_12_cutting_a_joint_of_the_tree():
    """Link 3 leaves link 1 and floats; link 4 still reaches it through its virtual link."""
    connected = mechanism(*OPEN).connect("link3", "link4", templates.revolute())
    after = connected.cut("link1-link3")
    expected = """
        world    -     link1    -     -
        link1    world link2    link3 -
        link2    link1 link4    -     -
        link4    link2 -        -     -
        link3    world link4_v  -     -
        link4_v  link3 -        -     link4
    """
    assert table(after) == rows(expected)
    assert after.joint("free_link3").kind == "free" and after.joint("free_link3").parent == "world"


def test_a_loop_that_would_hang_what_was_cut_stays_a_loop():
    """Without the mark, the joint that closed the loop would become part of the tree."""
    ring = mechanism(("world", "a"), ("a", "b"), ("b", "c"), ("a", "c"))
    assert [v.joint.name for v in ring.virtual_links] == ["a-c"]
    after = ring.cut("b-c")
    assert [v.joint.name for v in after.virtual_links] == ["a-c"]
    assert [(b.link.name, b.joint.name) for b in after.tree.bodies] == [
        ("a", "world-a"),
        ("b", "a-b"),
        ("c", "free_c"),
    ]


def test_subtrees_hang_together_after_a_cut_and_names_give_way():
    arm = mechanism(("world", "a"), ("a", "b"), ("b", "c"), ("b", "d"))
    assert [b.joint.name for b in arm.cut("a-b").tree.bodies] == ["world-a", "free_b", "b-c", "b-d"]
    again = arm.cut("a-b").connect("a", "b", templates.fixed(), name="a-b")
    assert [v.real for v in again.virtual_links] == ["b"] and len(again.tree.bodies) == 4
    taken = mechanism(("world", "a"), ("a", "b")).connect("world", "b", templates.fixed(), name="free_b")
    assert [b.joint.name for b in taken.cut("a-b").tree.bodies] == ["world-a", "free_b_"]


def test_world_as_the_second_end_is_like_a_link_at_rest():
    """Gap, rows, poses and twists of the cut joint, and the equations of the paper, of joints of one turn and more."""
    rng = np.random.default_rng(3)
    made = mechanism(("world", "a", "free"), ("a", "b"), ("world", "post", "fixed"))
    poses = {"pose": Pose((1, 2, 3), (0.1, 0.2, 0.3)), "pose_b": Pose((0.3, 0.2, 0.1), (0.4, 0, 0.5))}
    q, v = rng.uniform(-1, 1, 8), rng.uniform(-1, 1, 7)
    q[3:7] /= np.linalg.norm(q[3:7])
    for template in (
        templates.helical(axis=(0, 0.6, 0.8), pitch=0.3),
        templates.universal(axis=(1, 0, 0), axis2=(0.3, 1, 0)),
        templates.gimbal(),
        templates.planar(),
        templates.spherical(),
    ):
        post, world = (made.connect("b", end, template, name="x", **poses) for end in ("post", "world"))
        assert (world.joint("x").parent, world.joint("x").child) == ("b", "world")
        for name in CLOSURE:
            given, expected = (numeric(derive(m, name))({"q": q, "v": v}) for m in (world, post))
            for key, value in expected.items():
                np.testing.assert_allclose(given[key], value, atol=1e-14, err_msg=f"{template.kind} {name}")
        np.testing.assert_allclose(*(numeric(derive_cut_rates(m))({"q": q})["C"] for m in (world, post)), atol=1e-14)


def test_what_ends_in_world_stays_a_loop():
    made = mechanism(("world", "a", "free"), ("a", "b")).connect("b", "world", templates.revolute(), name="hold")
    with pytest.raises(ModelError, match="'hold' ends in 'world'; describe it from 'world' to 'b'"):
        made.in_tree("hold")
    with pytest.raises(ModelError, match="'world' cannot be a child"):
        templates.rolling("world", "b", radius=0.2)
    assert made.cut("hold").virtual_links == () and made.connect("a", "world", templates.planar()).virtual_links[1:]


def test_frames_are_ends_too():
    tool = Frame("tool", "b", Pose((0, 0, 1), (0, 0, math.pi / 2)))
    made = mechanism(("world", "a"), ("a", "b"), ("world", "c", "free"), frames=[tool])
    joint = made.connect("tool", "c", templates.fixed(), pose=Pose((1, 0, 0)), pose_b=Pose((0, 0, 2))).joint("tool_c")
    assert (joint.parent, joint.child, joint.child_origin.xyz) == ("b", "c", (0, 0, 2))
    np.testing.assert_allclose(joint.origin.xyz, (0, 1, 1), atol=1e-15)


def test_two_mechanisms_are_branches_of_one_world():
    one = mechanism(("world", "a", "free"), ("a", "b"))
    other = Mechanism("o", [Link("bar", 1.0)], [Joint("bar_joint", "free", "world", "bar")])
    both = combine("both", one, other)
    assert [b.link.name for b in both.tree.bodies] == ["a", "b", "bar"]
    assert [v.real for v in both.connect("b", "bar", templates.spherical()).virtual_links] == ["bar"]
    with pytest.raises(ModelError, match="two links are called 'a'"):
        combine("both", one, one)
    with pytest.raises(ModelError, match="give both the same"):
        combine("both", one, Mechanism("m", other.links, other.joints, gravity=(0, 0, 0)))
    with pytest.raises(ModelError, match="give the mechanisms"):
        combine("none")


@pytest.mark.parametrize("seed", range(20))
def test_any_sequence_of_edits_keeps_the_rest(seed):
    """Ten edits: bodies keep their joints and order but for what is cut; undone connections leave no trace."""
    rng = np.random.default_rng(seed)
    made = random_mechanism(seed, mimic=0.0)
    made_links = {link.name for link in made.links}
    for step in range(10):
        before = made
        joints = [j.name for j in made.joints if j.kind != "free" or j.parent != "world"]
        if rng.random() < 0.5 or not joints:
            a, b = rng.choice(["world", *sorted(made_links)], 2, replace=False)
            made = made.connect(str(a), str(b), templates.spherical(), name=f"edit{step}")
            assert made.tree.bodies == before.tree.bodies and made.cut(f"edit{step}") == before
            assert len(made.virtual_links) == len(before.virtual_links) + 1
        else:
            name = str(rng.choice(joints))
            made = made.cut(name)
            was = {b.link.name: b.joint.name for b in before.tree.bodies}
            now = {b.link.name: b.joint.name for b in made.tree.bodies}
            changed = {link for link in was if was[link] != now[link]}
            if name in was.values():
                assert changed == {before.joint(name).child}
                assert {v.joint.name for v in made.virtual_links} == {v.joint.name for v in before.virtual_links}
            else:
                assert not changed and len(made.virtual_links) == len(before.virtual_links) - 1
        assert {link.name for link in made.links} == made_links


def test_a_cut_changes_no_pose():
    """The poses of all links are those before, with the free joint at the pose of the link that was cut off."""
    made = random_mechanism(5, mimic=0.0)
    q = random_state(made, np.random.default_rng(5))[0]
    found = Reference(made, q, np.zeros(made.tree.nv)).link_poses()
    poses = {b.link.name: pose for b, pose in zip(made.tree.bodies, found, strict=True)}
    body = next(b for b in made.tree.bodies if b.parent >= 0)
    after = made.cut(body.joint.name)
    places = {b.joint.name: q[b.q_start : b.q_start + b.nq] for b in made.tree.bodies}
    pose = poses[body.link.name]
    places[f"free_{body.link.name}"] = np.array([*pose[:3, 3], *to_quaternion(pose[:3, :3])])
    q_after = np.concatenate([places[b.joint.name] for b in after.tree.bodies])
    for other, pose in zip(
        after.tree.bodies, Reference(after, q_after, np.zeros(after.tree.nv)).link_poses(), strict=True
    ):
        np.testing.assert_allclose(pose, poses[other.link.name], atol=1e-12)


MADE = mechanism(("world", "a", "free"), ("a", "b"), ("b", "c"))
FOLLOWED = Mechanism(
    "m",
    [Link("a", 1.0), Link("b", 1.0)],
    [Joint("j", "revolute", "world", "a"), Joint("k", "revolute", "a", "b", mimic=Mimic("j"))],
)
REVOLUTE = templates.revolute()
BAD = {
    "itself": (lambda: MADE.connect("a", "a", REVOLUTE), "on the same link 'a'; give two links"),
    "unknown link": (lambda: MADE.connect("a", "d", REVOLUTE), "there is no link or frame 'd'; there is: 'a'"),
    "end that is no name": (lambda: MADE.connect("a", 3, REVOLUTE), "there is no link or frame 3"),
    "name twice": (lambda: MADE.connect("a", "c", REVOLUTE, name="a-b"), "there is a joint 'a-b' already"),
    "empty name": (lambda: MADE.connect("a", "c", REVOLUTE, name=""), "is empty"),
    "joint as text": (lambda: MADE.connect("a", "c", "revolute"), "must be a template such as revolute"),
    "template with an origin": (
        lambda: MADE.connect("a", "c", templates.revolute(origin=Pose())),
        "takes no origin; give pose and pose_b",
    ),
    "template with a motion": (lambda: MADE.connect("a", "c", templates.revolute(motion=0.1)), "takes no motion; only"),
    "template with a rotor": (
        lambda: MADE.connect("a", "c", templates.revolute(armature=[0.1])),
        "takes no armature; only joints of the tree",
    ),
    "pose as numbers": (lambda: MADE.connect("a", "c", REVOLUTE, pose=(0, 0, 1)), "pose and pose_b must be Poses"),
    "cut of nothing": (lambda: MADE.cut("b-d"), "there is no joint 'b-d'; did you mean"),
    "cut of the free": (lambda: MADE.cut("world-a"), "is free already: 'a' hangs on nothing"),
    "cut of a leader": (lambda: FOLLOWED.cut("j"), "joint 'k' mimics 'j', which would be gone; cut 'k' first"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_edits(case):
    call, words = BAD[case]
    with pytest.raises(ModelError, match=words):
        call()
