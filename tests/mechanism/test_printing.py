"""A mechanism prints as a short table."""

from __future__ import annotations

import kinegen as kg
from support.mechanisms.closed_mechanisms import four_bar


def test_a_small_one() -> None:
    mechanism = four_bar(0.3, 0.9, 0.7, 0.8)
    first, blank, head, _, *rows = str(mechanism).splitlines()
    assert first == "fourbar: 3 links, 4 joints, 1 loop, nq = 3, nv = 3" and blank == ""
    assert head.split()[:6] == ["joint", "kind", "parent", "child", "q", "v"]
    assert [row.split()[0] for row in rows] == [joint.name for joint in mechanism.joints]
    assert "cut" in rows[-1] and rows[0].split()[4:6] == ["0", "0"]
    assert repr(mechanism) == "Mechanism('fourbar', 3 links, 4 joints, 1 loop, nq = 3, nv = 3)"


def test_a_large_one_is_cut_short() -> None:
    links = [kg.Link(f"l{i}", 1.0) for i in range(30)]
    joints = [kg.Joint(f"j{i}", "free", "world", f"l{i}") for i in range(30)]
    lines = str(kg.Mechanism("many", links, joints)).splitlines()
    assert len(lines) == 29 and lines[-1] == "... and 6 more" and lines[4].split()[4:] == ["0:7", "0:6", "1"]


def test_followers_tell_by_how_much_they_follow() -> None:
    """All of them read as if they turned by the same angle."""
    links = [kg.Link(name, 1.0, (0.0, 0.0, -1.0)) for name in "abc"]
    joints = [
        kg.Joint("k", "revolute", "world", "a", axis=(0, 1, 0)),
        kg.Joint("f", "continuous", "a", "b", axis=(0, 1, 0), mimic=kg.Mimic("k", -2, 0.1)),
        kg.Joint("g", "continuous", "a", "c", axis=(0, 1, 0), mimic=kg.Mimic("k")),
    ]
    told = str(kg.Mechanism("followers", links, joints))
    assert "continuous = -2 k + 0.1  a" in told
    assert "continuous = k           a" in told
