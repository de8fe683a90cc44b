"""The four pointers of [N98 §3]: tables of open, closed and pseudo-closed structures, and walks over random ones."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.codegen.mechanism import Joint, Link, Mechanism
from kinegen.runtime.errors import ModelError


def mechanism(*joints):
    """From (parent, child[, kind])."""
    made = [Joint(f"j{i}", *(kind or ["revolute"]), p, c) for i, (p, c, *kind) in enumerate(joints)]
    names = dict.fromkeys(name for p, c, *_ in joints for name in (p, c) if name != "world")
    return Mechanism("m", [Link(name, 1.0) for name in names], made)


TABLES = {
    # [N98 Fig. 4]: a base with a child, whose siblings hang on brother pointers
    "open": (
        [("world", "base"), ("base", "link1"), ("base", "link2"), ("link1", "link3"), ("base", "link4")],
        """
        world  -     base   -      -
        base   world link1  -      -
        link1  base  link3  link2  -
        link3  link1 -      -      -
        link2  base  -      link4  -
        link4  base  -      -      -
        """,
    ),
    # [N98 Figs 5, 6]: a loop is cut, the virtual link ends one side and its real pointer names the other
    "closed": (
        [("world", "base"), ("base", "link1"), ("link1", "link2"), ("base", "link3"), ("link3", "link2")],
        """
        world    -     base     -     -
        base     world link1    -     -
        link1    base  link2    link3 -
        link2    link1 -        -     -
        link3    base  link2_v  -     -
        link2_v  link3 -        -     link2
        """,
    ),
    # [N98 Figs 7, 8]: links 2 and 3 on link 1, link 4 on link 2; connected, link 4v is the child of link 3
    "connected": (
        [
            ("world", "link1"),
            ("link1", "link2"),
            ("link2", "link4"),
            ("link1", "link3"),
            ("link3", "link4"),
        ],
        """
        world    -     link1    -     -
        link1    world link2    -     -
        link2    link1 link4    link3 -
        link4    link2 -        -     -
        link3    link1 link4_v  -     -
        link4_v  link3 -        -     link4
        """,
    ),
    # [N98 Fig. 12]: link 3, cut from link 1, hangs on the base by a free joint; the chain 2-4-3 stays
    "cut": (
        [
            ("world", "link1"),
            ("link1", "link2"),
            ("link2", "link4"),
            ("world", "link3", "free"),
            ("link3", "link4"),
        ],
        """
        world    -     link1    -     -
        link1    world link2    link3 -
        link2    link1 link4    -     -
        link4    link2 -        -     -
        link3    world link4_v  -     -
        link4_v  link3 -        -     link4
        """,
    ),
    # [N98 Fig. 11]: a floating chain grips the ground; a pseudo-closed loop through the free joint
    "pseudo-closed": (
        [("world", "base", "free"), ("base", "link1"), ("world", "link1")],
        """
        world    -     base  -        -
        base     world link1 link1_v  -
        link1    base  -     -        -
        link1_v  world -     -        link1
        """,
    ),
    "two loops on one link": (
        [("world", "a"), ("world", "b"), ("b", "a"), ("world", "a", "fixed")],
        """
        world  -     a     -     -
        a      world -     b     -
        b      world a_v   a_v2  -
        a_v    b     -     -     a
        a_v2   world -     -     a
        """,
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables(name):
    joints, table = TABLES[name]
    found = mechanism(*joints).pointers()
    expected = [line.split() for line in table.strip().splitlines()]
    assert [[x or "-" for x in (r.link, r.parent, r.child, r.brother, r.real)] for r in found] == expected
    assert [line.split() for line in str(found).splitlines()[2:]] == expected


def test_prints_as_a_table():
    pointers = mechanism(("world", "base"), ("base", "arm")).pointers()
    assert str(pointers) == repr(pointers)
    assert str(pointers).splitlines() == [
        "link   parent  child  brother  real",
        "-----------------------------------",
        "world  -       base   -        -",
        "base   world   arm    -        -",
        "arm    base    -      -        -",
    ]
    assert pointers["arm"].parent == "base" and len(pointers) == 3
    with pytest.raises(ModelError, match="did you mean 'base'"):
        pointers["bas"]


def random_mechanism(seed):
    """A tree of 1-30 links in shuffled order, and up to 5 more joints that close loops."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 31))
    names = ["world", *(f"l{i}" for i in rng.permutation(n))]
    joints = [Joint(f"j{i}", "revolute", names[rng.integers(0, i)], names[i]) for i in range(1, n + 1)]
    for i in range(rng.integers(0, 6) if n > 1 else 0):
        child, parent = rng.choice(names[1:], 2, replace=False)
        joints.append(Joint(f"loop{i}", "revolute", str(parent), str(child)))
    order = rng.permutation(len(joints))
    return Mechanism("m", [Link(x, 1.0) for x in sorted(names[1:])], [joints[i] for i in order])


@pytest.mark.parametrize("seed", range(40))
def test_walking_the_pointers_meets_every_link_once(seed):
    made = random_mechanism(seed)
    pointers, tree = made.pointers(), made.tree
    met, stack = [], ["world"]
    while stack:  # down the child first, then along the brothers [N98 §3.1]
        row = pointers[stack.pop()]
        met.append(row.link)
        stack += [link for link in (row.brother, row.child) if link is not None]
    virtual = {v.name: v for v in tree.virtual_links}
    assert sorted(met) == sorted(["world", *(b.link.name for b in tree.bodies), *virtual])
    assert [link for link in met[1:] if link not in virtual] == [b.link.name for b in tree.bodies]
    assert len(made.joints) == len(tree.bodies) + len(virtual)
    for row in pointers:
        assert (row.real is None) == (row.link not in virtual)
        if row.real is not None:
            assert row.child is None and row.real == virtual[row.link].joint.child
            assert row.parent == virtual[row.link].joint.parent
        if row.brother is not None:
            assert pointers[row.brother].parent == row.parent
        if row.child is not None:
            assert pointers[row.child].parent == row.link
