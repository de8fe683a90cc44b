"""The report as a file, read by a parser; what a browser makes of it is tested with `-m browser`."""

from __future__ import annotations

import math
import re
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import sympy
from lxml import etree, html

import kinegen as kg
from kinegen.codegen.mechanism import KINDS
from kinegen.codegen.report.drawing import drawing
from kinegen.codegen.report.geometry import geometry
from kinegen.codegen.report.mathml import display, mathml
from kinegen.codegen.report.page import page
from kinegen.codegen.report.pointer_tree import pointer_tree
from kinegen.runtime.errors import ContactWarning
from support.mechanisms.closed_mechanisms import four_bar
from support.mechanisms.robots import FOLDER
from support.oracles.mechanisms import cart_pole, random_mechanism

EXAMPLES = Path(__file__).parents[2] / "examples"
SECTIONS = ("mechanism", "parameters", "sparsity", "equations", "operations", "code")
HOSTILE = '<script>alert("x")</script>&\'`${{7*7}}'
QUIET = 0.09
"""Seconds of `loop` where a page of panda takes 4.1 s."""
a, b, c, d = sympy.symbols("a b c d", positive=True)


@cache
def text(name: str) -> str:
    return page(MECHANISMS[name]())


@cache
def read(name: str) -> html.HtmlElement:
    return html.document_fromstring(text(name))


def hostile() -> kg.Mechanism:
    """Names that mean something to HTML, JavaScript and templates."""
    links = [kg.Link(f"{HOSTILE}{i}", sympy.Symbol("<b>m</b>", positive=True), (1, 0, 0)) for i in range(2)]
    joints = [
        kg.Joint(f"j{HOSTILE}{i}", "revolute", links[i - 1].name if i else "world", links[i].name, kg.Pose((i, 0, 0)))
        for i in range(2)
    ]
    return kg.Mechanism(f"</title>{HOSTILE}", links, joints)


def truss() -> kg.Mechanism:
    """Two bars on two pivots: nothing can move."""
    links = [kg.Link(name, 1.0, (0.5, 0, 0), kg.inertia.rod(1, 1)) for name in "ab"]
    joints = [
        kg.Joint("left", "revolute", "world", "a"),
        kg.Joint("top", "revolute", "a", "b", kg.Pose((1, 0, 0))),
        kg.Joint("right", "revolute", "world", "b", kg.Pose((1.5, 0, 0)), kg.Pose((1, 0, 0)), cut=True),
    ]
    return kg.Mechanism("truss", links, joints)


MECHANISMS = {
    "truss": truss,
    "fourbar": lambda: four_bar(a, b, c, d),
    "hostile": hostile,
    "tree": lambda: random_mechanism(3, bodies=20, root="free"),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_page_is_complete_and_alone(name: str) -> None:
    root = read(name)
    assert [section.get("id") for section in root.iter("section")] == list(SECTIONS)
    assert {link.get("href") for link in root.iter("a")} == {f"#{section}" for section in SECTIONS}
    assert not list(root.iter("script", "iframe", "object", "img", "form", "base"))
    assert [link.get("href") for link in root.iter("link")] == ["data:,"]
    for element in root.iter(etree.Element):
        for attribute, value in element.attrib.items():
            assert not attribute.startswith("on") and attribute not in ("src", "srcset", "style")
            assert "://" not in value or "xmlns" in attribute or element.tag == "svg"
    (style,) = root.iter("style")
    assert "url(" not in style.text and "@import" not in style.text


def test_every_part_is_there() -> None:
    root = read("fourbar")
    assert (
        len(root.xpath("//svg[contains(@class, 'drawing')]"))
        == len(root.xpath("//svg[contains(@class, 'pointers')]"))
        == 1
    )
    assert len(root.xpath("//svg[@class='sparsity']")) == 3
    named = [element.text for element in root.xpath("//section[@id='equations']//p[@class='says']/b")]
    assert named == ["f", "J_S", "J_G", "H", "W", "S", "A", "b", "M", "C", "g", "c", "G"]
    kernels = [code.text for code in root.xpath("//section[@id='code']//h3/code")]
    assert kernels[:4] == ["mass_matrix", "bias", "gravity", "inverse_dynamics"] and "closure_residual" in kernels
    code = root.xpath("//pre[@class='code']")[0]
    assert code.text_content().startswith("void fourbar_mass_matrix(") and code.xpath(".//span[@class='kt']")
    assert "v_pivot" in root.xpath("//dl[@class='roles']")[0].text_content()


def test_other_files_are_not_written_over(tmp_path: Path) -> None:
    model = tmp_path / "robot.urdf"
    model.write_text("<robot/>")
    with pytest.raises(kg.ModelError, match=r"robot\.urdf: a report is a page; end its name with \.html"):
        kg.report(cart_pole(), model)
    assert model.read_text() == "<robot/>"


def test_names_are_text() -> None:
    """What a name holds is shown and never read as markup, nor by the template."""
    root = read("hostile")
    assert root.xpath("//h1")[0].text == f"</title>{HOSTILE}"
    assert not root.xpath("//b[text()='m']") and root.xpath("//code[text()='<b>m</b>']")
    assert any(HOSTILE in (title.text or "") for title in root.iter("title"))


def test_large_mechanisms_name_their_programs() -> None:
    refusals = [text for text in read("tree").xpath("//p[@class='quiet']/text()") if "too large" in text]
    assert "[link" in read("tree").xpath("//section[@id='equations']//pre[@class='copy']")[0].text
    assert refusals and all(re.search(r"program\('\w+'\) has \d+ assignments", text) for text in refusals)


def test_a_closed_form_of_the_figure_is_refused() -> None:
    eq = kg.derive(kg.human_figure())
    for quantity in ("M", "C", "bias", "gravity", "G"):
        with pytest.raises(kg.ModelError, match=r"too large to read .*program\('"):
            getattr(eq, quantity)


def test_a_refusal_names_what_was_asked_for() -> None:
    """Not the route by which that is computed."""
    with pytest.raises(kg.ModelError, match=r"closed form of mass_matrix is too large .* program\('mass_matrix'\)"):
        _ = kg.derive(kg.human_figure()).M


@pytest.mark.parametrize("name", MECHANISMS)
def test_pages_stay_small(name: str) -> None:
    """Forms that nobody can read are left out."""
    assert len(text(name)) < 1_000_000


def test_the_page_of_a_robot_is_made_in_seconds() -> None:
    """5 s of a processor and 1 MB at most; where others work beside, so much more as a loop takes there."""
    panda = kg.load(FOLDER / "panda_description/urdf/panda.urdf")
    text("fourbar")  # what is imported once
    loops, start, stages = [loop()], time.process_time(), []
    with pytest.warns(ContactWarning, match="as their convex hulls"):
        made = page(panda, advance=stages.append)
    spent = time.process_time() - start
    assert spent <= 5.0 * max(1.0, (loops[0] + loop()) / 2 / QUIET)
    assert len(made.encode()) <= 1_000_000
    assert len(stages) > 40 and {"drawing", "equations: M", "code: bias"} <= set(stages)


def loop() -> float:
    """Processor seconds of two million products."""
    start, x = time.process_time(), 0
    for i in range(2_000_000):
        x += i * i
    return time.process_time() - start


def test_formulas_are_typeset() -> None:
    eq = kg.derive(four_bar(a, b, c, d))
    text = str(display(sympy.Symbol("H"), "=", eq.H))
    etree.fromstring(text)  # well formed
    assert text.count("<mtr>") == 3 and "<mfrac>" in text and '<mi mathvariant="normal">knee</mi>' in text
    assert str(mathml(sympy.Symbol("<i>"))) == "<mi>&lt;i&gt;</mi>"
    assert '<mover accent="true"><mi>v</mi><mo>&#729;</mo></mover>' in str(mathml(eq.a[0]))


def test_what_joints_exert_of_themselves_is_told() -> None:
    own = {"damping": 0.3, "stiffness": 2.0, "friction": 0.4, "armature": 0.05}
    arm = kg.load(EXAMPLES / "double_pendulum.urdf")
    root = html.document_fromstring(page(replace(arm, joints=[replace(j, rest=0.125, **own) for j in arm.joints])))
    assert "damping 0.3; stiffness 2 (slack at 0.125); friction 0.4; armature 0.05" in root.xpath("//td/text()")
    (equation,) = root.xpath("//section[@id='equations']/math")
    assert equation.text_content() == "Mv˙+Cv+g+k+d+s=τ"
    named = root.xpath("//section[@id='equations']//p[@class='says']/b/text()")
    assert named == ["M", "C", "g", "c", "G", "k", "d", "s"]


def test_what_joints_of_loops_exert_of_themselves_is_told_or_refused_by_name() -> None:
    closed = kg.load(EXAMPLES / "fourbar.toml")
    root = html.document_fromstring(page(replace(closed, joints=[replace(j, damping=0.3) for j in closed.joints])))
    equations = root.xpath("//section[@id='equations']")[0].text_content()
    assert "A a + b + Wᵀ d = Sᵀ τ" in equations and "Mv˙+Cv+g+d=τ" in equations
    assert "joint 'close' closes a loop and has damping" in equations
    plain = read("fourbar").xpath("//section[@id='equations']")[0].text_content()
    assert "A a + b = Sᵀ τ" in plain and "Mv˙+Cv+g=τ" in plain


def test_pictures() -> None:
    mechanism = four_bar(0.3, 0.9, 0.7, 0.8)
    scene = geometry(mechanism)
    seen = etree.fromstring(str(drawing(scene, "bar")))
    (cut,) = seen.xpath("//*[@class='joint cut']")
    assert cut.findtext("title") == "tip: revolute, cut, rocker to coupler"
    ends = {joint.joint.name: (joint.on_parent, joint.on_child) for joint in scene.joints}
    assert all(abs(one - other).max() < 1e-9 for one, other in ends.values())
    pointers = etree.fromstring(str(pointer_tree(mechanism)))
    assert pointers.xpath("//*[@class='virtual']/title/text()") == ["coupler_v: virtual, stands for coupler"]
    assert len(pointers.xpath("//*[@class='branch']")) == 4 and len(pointers.xpath("//*[@class='real']")) == 1


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("free", "revolute")])
def test_every_kind_can_be_drawn(kind: str) -> None:
    mechanism = random_mechanism(2, bodies=4, kinds=[kind, "revolute"], root="free")
    assert etree.fromstring(str(drawing(geometry(mechanism), kind))).xpath("//*[contains(@class, 'link')]")


def test_the_given_configuration_is_drawn() -> None:
    mechanism = random_mechanism(1, bodies=4, kinds=["revolute"])
    q = [0.3, -0.4, 0.5, 0.6][: mechanism.tree.nq]
    scene = geometry(mechanism, q)
    poses = kg.compile(mechanism).link_poses(q)
    assert scene.told == "the given configuration"
    for body in mechanism.tree.bodies:
        assert abs(scene.poses[body.link.name] - poses[body.index]).max() < 1e-12


def test_single_links_can_be_drawn() -> None:
    """All points in one place, or in one line along gravity."""
    for com in ((0, 0, 0), (0, 0, -1), (1, 0, 0)):
        single = kg.Mechanism(
            "one", [kg.Link("a", 1.0, com, (1, 0, 0, 1, 0, 1))], [kg.Joint("j", "revolute", "world", "a")]
        )
        text = str(drawing(geometry(single), "one"))
        assert "nan" not in text and etree.fromstring(text) is not None


def test_writing(tmp_path: Path) -> None:
    path = kg.report(four_bar(0.3, 0.9, 0.7, 0.8), str(tmp_path / "bar.html"))
    assert path == tmp_path / "bar.html" and path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(kg.ModelError, match=r"missing.* cannot be written: No such file"):
        kg.report(cart_pole(), tmp_path / "missing" / "cart.html")
    with pytest.raises(kg.ModelError, match=r"report: mechanism: expected Mechanism, got 'robot\.urdf'"):
        kg.report("robot.urdf", tmp_path / "x.html")  # type: ignore[arg-type]
    with pytest.raises(kg.ModelError, match="'tip' cannot be closed"):
        kg.report(four_bar(0.1, 0.2, 0.1, 3.0), tmp_path / "x.html")


@pytest.mark.parametrize(
    ("q", "said"),
    [
        ([0.1, 0.2], r"q: expected shape \(11,\), got \(2,\)"),
        ([0, 0, 0, 0, 0, 0, 1, math.nan, 0, 1, 0], r"q: entry 7 is nan, expected a number"),
        (["a"] * 11, "q: expected"),
        ([0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0], r"the quaternion \[x y z w\] of joint 'root', entries 3 to 6, has norm 2,"),
        ([0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], r"the \[cos sin\] pair of joint 'slide', entries 9 to 10, has norm 0,"),
    ],
)
def test_what_is_no_configuration_is_refused_as_by_a_model(q: list[float], said: str, tmp_path: Path) -> None:
    links = [kg.Link(name, 1.0, inertia=kg.inertia.sphere(1.0, 0.1)) for name in "ab"]
    joints = [kg.Joint("root", "free", "world", "a"), kg.Joint("slide", "planar", "a", "b")]
    with pytest.raises(kg.ModelError, match=said):
        kg.report(kg.Mechanism("two", links, joints), tmp_path / "x.html", q=q)
    assert not (tmp_path / "x.html").exists()
