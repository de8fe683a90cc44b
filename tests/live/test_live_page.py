"""Live pages as text: no name is markup, nothing is asked for, the same simulator gives the same bytes."""

from __future__ import annotations

import base64
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from py_mini_racer import MiniRacer

import kinegen as kg
from kinegen.cli.failures import run
from kinegen.codegen.build.toolchain import find_wasm_toolchain
from kinegen.drawing.play import wasm_of
from kinegen.runtime.live.page import SCRIPTS, live_file
from support.animations import Elements, data_of
from support.contact.dropped import simulator as dropped
from support.live import LiveMotion
from support.live_scenes import parametric_four_bar

NAME = "</script><!-- <b>&amp;\"'θ"
EXAMPLES = Path(__file__).parents[2] / "examples"


def named() -> kg.Simulator:
    """Links, joints, parameters and connections with names that would be markup."""
    links = [kg.Link(f"{NAME}{i}", 1.0, (0, 0, -0.5), kg.inertia.sphere(1.0, 0.1)) for i in range(2)]
    joints = [
        kg.Joint(f"{NAME}one", "revolute", "world", links[0].name, axis=(0, 1, 0), damping=0.1),
        kg.Joint(f"{NAME}two", "revolute", links[0].name, links[1].name, axis=(0, 1, 0)),
    ]
    mechanism = kg.Mechanism(NAME, links, joints)
    library = kg.TopologyLibrary(mechanism, [kg.Connection(f"{NAME}hold", links[1].name, "world", kg.spherical())])
    simulator = kg.Simulator(library, q=[0.5, 0.2])
    simulator.when(kg.angle(f"{NAME}one") < 0.1, "connect", f"{NAME}hold")
    return simulator


def test_names_are_text(tmp_path: Path) -> None:
    text = kg.play(named(), tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count("</script>") == 2 and "<b>" not in text and "<!--" not in text
    page = Elements(text)
    assert page.tags.count("script") == 2 and "b" not in page.tags
    assert page.texts["title"] == NAME
    data = data_of(text)
    assert data["layout"]["name"] == NAME
    assert [joint["name"] for joint in data["layout"]["joints"]] == [f"{NAME}one", f"{NAME}two"]
    assert data["layout"]["switches"][0]["name"] == f"{NAME}hold"
    assert NAME in data["start"]["watches"][0]["text"]


def test_names_are_never_read_as_markup() -> None:
    """The scripts put names into elements as text alone."""
    texts = [live_file(name) for name in SCRIPTS]
    assert len(texts) >= 4
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|fetch\(|XMLHttp|import\(", "".join(texts)
    )


def test_a_page_asks_for_nothing_and_is_the_same_again(tmp_path: Path) -> None:
    simulator = kg.Simulator(kg.load(EXAMPLES / "double_pendulum.urdf"), q=[1.0, 0.2])
    first, second = (kg.play(simulator, tmp_path / f"{name}.html").read_bytes() for name in "ab")
    assert first == second
    assert len(first) < 200_000
    text = first.decode()
    assert "default-src 'none'" in text and "http" not in text.replace("http-equiv", "")
    assert base64.b64decode(data_of(text)["code"]) == wasm_of(simulator.model)


def test_what_may_be_played(tmp_path: Path) -> None:
    mechanism = kg.load(EXAMPLES / "double_pendulum.urdf")
    model = kg.compile(mechanism)
    made = [mechanism, str(EXAMPLES / "double_pendulum.urdf"), EXAMPLES / "double_pendulum.urdf", model]
    pages = [kg.play(what, tmp_path / "page.html").read_text(encoding="utf-8") for what in made]
    assert len({str(data_of(page)["start"]) for page in pages}) == 1
    later = kg.Simulator(model, q=[1.0, 0.2], tau={"elbow": 0.5})
    later.step(100)
    start = data_of(kg.play(later, tmp_path / "page.html").read_text(encoding="utf-8"))["start"]
    assert (start["q"], start["v"], start["steps"]) == (later.q.tolist(), later.v.tolist(), 100)
    assert start["tau"] == [0.0, 0.5]
    scene = data_of(kg.play(EXAMPLES / "double_pendulum.toml", tmp_path / "page.html").read_text(encoding="utf-8"))
    assert scene["layout"]["nv"] == 2


def test_joints_that_close_loops_have_torques(tmp_path: Path) -> None:
    """Behind those of the tree, each with a range of its own."""
    simulator = parametric_four_bar()
    data = data_of(kg.play(simulator, tmp_path / "page.html").read_text(encoding="utf-8"))
    name, nv = simulator.model.manifest.loops[0].name, simulator.model.nv
    (cut,) = data["layout"]["cut"]
    assert (cut["name"], cut["q"], cut["v"], cut["nv"]) == (name, simulator.model.nq, nv, 1)
    assert data["start"]["tau"] == [0.0] * nv + [0.4]
    ranges = data["start"]["torque_range"]
    assert len(ranges) == nv + 1 and min(ranges) > 0.0 and ranges[nv] in sorted(ranges[:nv])


def test_the_commands(tmp_path: Path) -> None:
    page, folder, file = tmp_path / "new" / "page.html", tmp_path / "c", str(EXAMPLES / "double_pendulum.urdf")
    assert run(["play", file, "-o", str(page), "--parameter", "gravity"]) == 0
    data = data_of(page.read_text(encoding="utf-8"))
    assert [parameter["name"] for parameter in data["layout"]["parameters"]] == ["gravity_x", "gravity_y", "gravity_z"]
    assert run(["generate", file, "-o", str(folder), "--wasm"]) == 0
    text, types = ((folder / f"double_pendulum.{suffix}").read_text() for suffix in ("js", "d.ts"))
    assert len(re.findall(r"^export ", text, re.MULTILINE)) == 4 and "export declare function load" in types
    script = text.replace("export const", "const").replace("export { Motion };", "")
    code = list((folder / "double_pendulum.wasm").read_bytes())
    with closing(MiniRacer()) as context:
        context.eval(script)
        context.eval(f"const instance = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array({code})))")
        context.eval("const motion = new Motion(instance, layout, start)")
        context.eval("motion.q.set([0.3, -0.2]); motion.begin(); motion.tau[1] = 0.5; motion.advance(1000)")
        found: Any = context.eval("motion.q.join(' ')")
    simulator = kg.Simulator(kg.load(file), q=[0.3, -0.2], tau=[0.0, 0.5])
    simulator.step(1000)
    np.testing.assert_allclose([float(x) for x in found.split()], simulator.q, rtol=0, atol=1e-9)


def test_a_scene_says_itself_what_its_parameters_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = str(EXAMPLES / "double_pendulum.toml")
    assert run(["play", scene, "-o", str(tmp_path / "page.html"), "--parameter", "gravity"]) == 2
    assert "a scene says itself" in capsys.readouterr().err


def test_the_layout_of_shared_structs_is_that_of_the_module() -> None:
    """The motion compares the sizes itself, and refuses another."""
    with closing(LiveMotion(dropped())) as live:
        assert live.value("motion.run.condition_size()") == live.value("motion.layout.condition.size") == 136
        with pytest.raises(Exception, match="has another layout"):
            live.value(
                "new Motion(new WebAssembly.Instance(module), {...motion.layout, condition: {size: 8}}, motion.start)"
            )


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *rest: None)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(kg.BuildError, match=r"makes WebAssembly .*pip install 'kinegen\[cc\]'"):
        find_wasm_toolchain()
