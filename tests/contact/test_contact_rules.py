"""Who may touch whom, and with which friction: groups, exclusions, pairs of links, combining rules, SDF's bits."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen import compile
from kinegen.codegen.analysis.contact.collision_pairs import touching
from kinegen.codegen.analysis.contact.rules import ContactRules, Surface
from kinegen.codegen.mechanism import Joint, Link, Mechanism, load
from kinegen.codegen.mechanism.formats.toml.writer import save
from kinegen.codegen.mechanism.structure.merge import merge_fixed
from kinegen.runtime import Simulator
from kinegen.runtime.errors import ModelError
from support.contact.contact_scenes import at, shapes, solid


def boxes(*frictions: float) -> Mechanism:
    links = [solid(f"b{i}", shapes.box((0.1, 0.1, 0.1), friction=mu)) for i, mu in enumerate(frictions)]
    joints = [Joint(f"f{i}", "free", "world", f"b{i}") for i in range(len(links))]
    return Mechanism("boxes", links, joints, shapes=[shapes.plane(friction=0.9, restitution=0.1)])


@pytest.mark.parametrize(("combine", "expected"), [("geometric", 0.6), ("min", 0.4), ("max", 0.9), ("product", 0.36)])
def test_friction_of_two_surfaces(combine: str, expected: float) -> None:
    table = touching(boxes(0.4), ContactRules(combine=combine))  # type: ignore[arg-type]
    assert [pair.friction for pair in table.pairs] == pytest.approx([expected])
    assert [pair.restitution for pair in table.pairs] == [0.1]


def test_a_pair_of_links_has_a_surface_of_its_own() -> None:
    """Two boxes on one slope: one slides, one sticks."""
    both = {("b1", "world"): Surface(friction=0.1), ("world", "b1"): Surface(friction=0.1)}
    rules = ContactRules(pairs={**both, ("b0", "b1"): Surface(restitution=0.7)})
    table = touching(boxes(0.9, 0.9), rules)
    found = {(table.shapes[p.first].link, table.shapes[p.second].link): p for p in table.pairs}
    assert found["world", "b0"].friction == pytest.approx(0.9)
    assert (found["world", "b1"].friction, found["world", "b1"].restitution) == (0.1, 0.1)
    assert (found["b0", "b1"].friction, found["b0", "b1"].restitution) == (pytest.approx(0.9), 0.7)
    leaning = replace(boxes(0.9, 0.9), gravity=(9.81 * np.sin(0.3), 0.0, -9.81 * np.cos(0.3)))
    sim = Simulator(kg.compile(leaning, contacts=rules), q=at((0, 0, 0.05), (0, 1, 0.05)))
    sim.step(500)
    assert abs(sim.q[0]) < 1e-3 and sim.q[7] > 0.2


def test_rules_are_those_of_what_is_compiled() -> None:
    """Also where kernels that are not of the step are compiled later."""
    rules = ContactRules(exclude=[("b0", "b1")])
    model = compile(boxes(0.9, 0.9), contacts=rules)
    assert set(model.manifest.touching) == {("world", "b0"), ("world", "b1")}
    ends = Simulator(model, q=at((0, 0, 0.05), (0, 0, 0.1)), contacts=True)  # one within the other
    ends.step(5)
    assert set(ends.contacts.links) <= {("world", "b0"), ("world", "b1")}


def test_links_that_never_touch_stay_so_when_merged_and_saved(tmp_path: Path) -> None:
    plain = boxes(0.5, 0.5, 0.5)
    cap = Link("cap", 0.1, (0, 0, 0), (1e-4, 0, 0, 1e-4, 0, 1e-4), shapes=[shapes.sphere(0.05)])
    mechanism = replace(
        plain,
        links=(*plain.links, cap),
        joints=(*plain.joints, Joint("glue", "fixed", "b0", "cap")),
        excluded=(("cap", "b1"), ("world", "b2"), ("b0", "cap")),
    )
    merged = merge_fixed(mechanism)
    assert merged.excluded == (("cap", "b1"), ("world", "b2"))
    save(merged, tmp_path / "m.toml")
    read = load(tmp_path / "m.toml")
    assert read.excluded == merged.excluded
    unmet = {frozenset(("cap", "b1")), frozenset(("world", "b2"))}
    pairs = {frozenset(p) for p in combinations(("world", "b0", "cap", "b1", "b2"), 2)} - {frozenset(("b0", "cap"))}
    assert _parts(read) == pairs - unmet
    others = merge_fixed(replace(mechanism, excluded=[("b0", "b1"), ("b0", "world")]))
    assert frozenset(("cap", "b1")) in _parts(others)
    with pytest.raises(ModelError, match="excluded 'b9' is no link"):
        replace(plain, excluded=(("b9", "b1"),))
    (tmp_path / "bad.toml").write_text((tmp_path / "m.toml").read_text().replace('["cap", "b1"]', '"b0"'))
    with pytest.raises(ModelError, match="excluded: must be pairs of links"):
        load(tmp_path / "bad.toml")


def test_a_body_that_mjcf_excludes_from_itself_is_read_as_what_never_touches_anyway(tmp_path: Path) -> None:
    bodies = "".join(f"<body name='{name}'><freejoint/><geom size='.1'/></body>" for name in "bc")
    pairs = "".join(f"<exclude body1='b' body2='{name}'/>" for name in "bc")
    (tmp_path / "m.xml").write_text(f"<mujoco><worldbody>{bodies}</worldbody><contact>{pairs}</contact></mujoco>")
    assert load(tmp_path / "m.xml").excluded == (("b", "c"),)


def test_rules_may_name_what_became_a_part(tmp_path: Path) -> None:
    """A table that a file fixes to world is no link any more; the rest of the world is touched as before."""
    ball = "<body name='{0}' pos='0 {1} 1'><freejoint/><geom size='.1'/></body>"
    (tmp_path / "m.xml").write_text(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='table' pos='0 0 .4'>"
        "<geom type='box' size='.5 1 .1' friction='.3'/></body>"
        f"{ball.format('b', 0)}{ball.format('c', 0.6)}</worldbody>"
        "<contact><exclude body1='table' body2='b'/></contact></mujoco>"
    )
    read = load(tmp_path / "m.xml")
    lone = {frozenset(pair) for pair in (("world", "b"), ("world", "c"), ("table", "c"), ("b", "c"))}
    assert _parts(read) == lone
    both = ContactRules(exclude=[("c", "table")], pairs={("c", "world"): Surface(friction=0.1)})
    assert _parts(read, both) == lone - {frozenset(("table", "c"))}
    assert _parts(read, ContactRules(groups={"table": (2, 2)})) == lone - {frozenset(("table", "c"))}
    assert _parts(read, ContactRules(exclude=[("c", "world")])) == {frozenset("bc"), frozenset(("world", "b"))}
    table = touching(read, ContactRules(pairs={("table", "c"): Surface(friction=0.1)}))
    assert sorted(pair.friction for pair in table.pairs) == [0.1, 1.0, 1.0, 1.0]
    with pytest.raises(ModelError, match="exclude: mechanism 'm' has no link 'tabel'"):
        touching(read, ContactRules(exclude=[("tabel", "c")]))


def _parts(mechanism: Mechanism, rules: ContactRules | None = None) -> set[frozenset[str]]:
    """Pairs that may touch, by the names that links had before they were merged."""
    table = touching(mechanism, rules or ContactRules())
    names = [placed.shape.part or placed.link for placed in table.shapes]
    return {frozenset((names[pair.first], names[pair.second])) for pair in table.pairs}


def _links(mechanism: Mechanism) -> list[tuple[str, str]]:
    table = touching(mechanism, ContactRules())
    return [(table.shapes[p.first].link, table.shapes[p.second].link) for p in table.pairs]


def test_bits_of_sdf(tmp_path: Path) -> None:
    ball = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
    surface = "<surface><contact><collide_bitmask>{}</collide_bitmask></contact></surface>"
    models = "".join(
        f"<model name='m{i}'><link name='l'><collision name='c'>{ball}{bits and surface.format(bits)}</collision>"
        "</link></model>"
        for i, bits in enumerate(("0x01", "0x02", "0x03", ""))
    )
    (tmp_path / "w.sdf").write_text(f"<sdf version='1.9'><world name='w'>{models}</world></sdf>")
    found = {tuple(name[1] for name in pair) for pair in _links(load(tmp_path / "w.sdf", root="free"))}
    assert found == {("0", "2"), ("0", "3"), ("1", "2"), ("1", "3"), ("2", "3")}
    (tmp_path / "bad.sdf").write_text((tmp_path / "w.sdf").read_text().replace("0x01", "many"))
    with pytest.raises(ModelError, match="collide_bitmask must be a whole number"):
        load(tmp_path / "bad.sdf")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"combine": "mean"}, "combine: unknown rule 'mean'"),
        ({"combine": ["min"]}, r"combine: unknown rule \['min'\]"),
        ({"within": "yes"}, "within must be True or False, got 'yes'"),
        ({"exclude": "ab"}, r"exclude: expected pairs of link names such as \('hand', 'table'\), got 'ab'"),
        ({"exclude": 3}, "exclude: expected pairs of link names .*, got 3"),
        ({"exclude": [("b0", 1)]}, r"exclude: expected pairs of link names .*, got \('b0', 1\)"),
        (
            {"exclude": [("b0", "b0")]},
            r"exclude: a link does not touch itself, got \('b0', 'b0'\); name another link or 'world'",
        ),
        ({"pairs": {("b0", "b1"): 0.3}}, r"pairs: expected a Surface for \('b0', 'b1'\), got 0.3"),
        ({"pairs": {"b0": Surface(friction=0.3)}}, "pairs: expected pairs of link names .*, got 'b0'"),
        ({"pairs": [("b0", "b1")]}, r"pairs: expected what holds for links, by their names, got \[\("),
        (
            {"pairs": {("b0", "world"): Surface(friction=0.1), ("world", "b0"): Surface(friction=0.9)}},
            r"pairs: \('b0', 'world'\) and \('world', 'b0'\) are one pair, with two surfaces; leave out one of them",
        ),
        ({"pairs": {("b0", "b0"): Surface(friction=0.1)}}, r"pairs: a link does not touch itself, got \('b0', 'b0'\)"),
        ({"pairs": {("b0", "b7"): Surface(friction=0.3)}}, "pairs: mechanism 'boxes' has no link 'b7'"),
        ({"groups": {"b0": 3}}, r"groups: expected \(category, mask\) of link 'b0', got 3"),
        ({"groups": {"b0": (1, -1)}}, "whole number of 32 bits"),
        ({"groups": {"b5": (1, 1)}}, "groups: mechanism 'boxes' has no link 'b5'"),
    ],
)
def test_rules_that_make_no_sense(options: dict[str, object], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        touching(boxes(0.5, 0.5), ContactRules(**options))  # type: ignore[arg-type]


def test_surfaces_that_no_matter_has() -> None:
    for options, said in (({"friction": -0.1}, "negative"), ({"restitution": 1.5}, "between 0 and 1")):
        with pytest.raises(ModelError, match=said):
            Surface(**options)
