"""Links that fixed joints hold together become one."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.mechanism import (
    Frame,
    Joint,
    Link,
    Mechanism,
    Pose,
    inertia,
    merge_fixed,
)
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.codegen.mechanism.structure.rigid import rigid_inertia
from support.mechanisms.small_mechanisms import BOX, FOURBAR, chain, link


def cloud(rng, n=6):
    return rng.uniform(0.1, 1, n), rng.normal(size=(n, 3))


def link_of(name, masses, points):
    com = masses @ points / masses.sum()
    d = points - com
    moments = np.einsum("i,ij,ij->", masses, d, d) * np.eye(3) - np.einsum("i,ij,ik->jk", masses, d, d)
    return Link(name, masses.sum(), com, moments)


def test_merged_links_are_the_union_of_their_points():
    rng = np.random.default_rng(1)
    (m1, p1), (m2, p2), (m3, p3) = cloud(rng), cloud(rng), cloud(rng)
    one, two = Pose((1, 2, 3), (0.3, 0.2, 0.1)), Pose((0, -1, 0.5), (1, 0, -1))
    mechanism = Mechanism(
        "m",
        [link_of("a", m1, p1), link_of("b", m2, p2), link_of("c", m3, p3), Link("end", 1, (0, 0, 0), BOX)],
        [
            Joint("r", "free", "world", "a"),
            Joint("f", "fixed", "a", "b", origin=one),
            Joint("g", "fixed", "b", "c", origin=two, child_origin=one),
            Joint("h", "revolute", "c", "end", origin=two),
        ],
        frames=[Frame("tip", "c", two)],
    )
    merged = merge_fixed(mechanism)
    pose_c = one * two * one.inverse()
    world = [p @ np.array(pose.rotation).T + pose.xyz for p, pose in ((p1, Pose()), (p2, one), (p3, pose_c))]
    expected = link_of("a", np.concatenate([m1, m2, m3]), np.concatenate(world))
    found = merged.link("a")
    assert found.mass == pytest.approx(expected.mass)
    np.testing.assert_allclose(found.com, expected.com, atol=1e-14)
    np.testing.assert_allclose(found.inertia, expected.inertia, atol=1e-12)
    with pytest.raises(kg.ModelError, match="'m' has no link 'tip': it is a frame of link 'a'"):
        merged.link("tip")
    frames = {frame.name: frame for frame in merged.frames}
    assert set(frames) == {"b", "c", "tip"} and all(frame.link == "a" for frame in frames.values())
    np.testing.assert_allclose(frames["tip"].pose.xyz, (pose_c * two).xyz, atol=1e-14)
    np.testing.assert_allclose(merged.joint("h").origin.xyz, (pose_c * two).xyz, atol=1e-14)
    assert [joint.name for joint in merged.joints] == ["r", "h"]


def test_merge_with_symbols_equals_merge_of_numbers():
    m, x = sympy.symbols("m x", positive=True)
    parts = lambda m, x: [  # noqa: E731
        (Link("a", m, (x, 0, 0), inertia.rod(m, x)), Pose()),
        (Link("b", 2.0, (0, 0.1, 0), BOX), Pose((0, x, 0), (0.1, 0.2, 0.3))),
    ]
    symbolic, numeric = rigid_inertia(parts(m, x)), rigid_inertia(parts(0.7, 0.4))
    at = {m: 0.7, x: 0.4}
    assert float(symbolic[0].subs(at)) == pytest.approx(numeric[0])
    np.testing.assert_allclose(np.array(sympy.Matrix(symbolic[1]).subs(at), float).ravel(), numeric[1], atol=1e-15)
    np.testing.assert_allclose(np.array(sympy.Matrix(symbolic[2]).subs(at), float), numeric[2], atol=1e-14)


def test_links_with_symbols_merge_whatever_turns_them(tmp_path):
    """To rounding the halves of a turned inertia differ, which symbols hide; the saved mechanism reads as well."""
    m, moment = sympy.symbols("m moment", positive=True)
    rng, at = np.random.default_rng(0), {"m": 0.7, "moment": 0.03}
    for _ in range(5):
        com, place, turn = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)

        def made(m, moment, com=com, place=place, turn=turn):
            links = [Link("a", m, com, (moment, 0.001, 0.002, 0.03, 0.003, 0.025)), Link("b", 1.9, place, BOX)]
            weld = Joint("weld", "fixed", "a", "b", Pose(place, turn), Pose(com, com))
            return Mechanism("welded", links, [Joint("base", "free", "world", "a"), weld])

        kg.save(made(m, moment), tmp_path / "welded.toml")
        wanted = merge_fixed(made(0.7, 0.03)).link("a")
        for mechanism in (merge_fixed(made(m, moment)), kg.load(tmp_path / "welded.toml")):
            whole = mechanism.link("a")
            found = sympy.Matrix(whole.inertia).subs({symbol: at[symbol.name] for symbol in whole.free_symbols})
            np.testing.assert_allclose(np.array(found, float), wanted.inertia, atol=1e-13)


def test_links_fixed_to_world_become_frames_of_world():
    mechanism = chain(("f", "world", "base", {"kind": "fixed", "origin": Pose((0, 0, 1))}), ("j", "base", "arm"))
    merged = merge_fixed(mechanism)
    assert [x.name for x in merged.links] == ["arm"]
    assert merged.frames == (Frame("base", "world", Pose((0, 0, 1))),)
    assert merged.joint("j").parent == "world" and merged.joint("j").origin.xyz == (0.0, 0.0, 1.0)
    assert merge_fixed(merged) == merged


def test_shapes_move_with_their_links():
    ball = shapes.sphere(0.1)
    mechanism = Mechanism(
        "m",
        [Link("base", shapes=[ball]), link("arm"), Link("tool", shapes=[ball])],
        [
            Joint("f", "fixed", "world", "base", Pose((0, 0, 1))),
            Joint("j", "revolute", "base", "arm"),
            Joint("g", "fixed", "arm", "tool", Pose((1, 0, 0))),
        ],
        shapes=[shapes.plane()],
    )
    merged = merge_fixed(mechanism)
    assert [s.kind for s in merged.shapes] == ["plane", "sphere"] and merged.shapes[1].pose.xyz == (0.0, 0.0, 1.0)
    assert merged.link("arm").shapes[0].pose.xyz == (1.0, 0.0, 0.0)
    assert merged.link("arm").mass == 1.0 and merged.link("arm").inertia == link("arm").inertia


def test_loops_stay_where_they_were_cut():
    joints = [(n, p.replace("world", "ground"), c) for n, p, c in FOURBAR]
    mechanism = chain(*joints, ("weld", "world", "ground", {"kind": "fixed"}))
    merged = merge_fixed(mechanism)
    assert [v.joint.name for v in merged.virtual_links] == ["j4"]
    assert [v.joint.parent for v in merged.virtual_links] == ["world"]
    to_ground = chain(*joints[:3], ("j4", "rocker", "ground"), ("weld", "world", "ground", {"kind": "fixed"}))
    kept = merge_fixed(to_ground)
    assert [b.link.name for b in kept.tree.bodies] == ["ground", "crank", "coupler", "rocker"]
