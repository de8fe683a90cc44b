"""Names that are markup, code or line ends in every language that names are written in: text everywhere, or refused."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from py_mini_racer import MiniRacer

import kinegen as kg
from kinegen.runtime.animation.animate import animation
from kinegen.runtime.live.page import live_page
from kinegen.runtime.live.wrapper import wrapped_module
from support.animations import Elements, data_of

MARKUP = "</script><script>alert(1)</script><!-- --></style></title>]]>"
CODE = "*/ int x; /* \"'`${1+1}{{7*7}} \\ ??/ %s //\\input{x} $_^&#~ __proto__ ../../x"
ENDS = ("a\nb", "a\r", "a\u2028b", "a\u2029", "a\0", "\x1b[2J", "\u202eabc", "\ud800", "", " ")
"""Line ends and what changes how a text is read."""
BALL = kg.inertia.sphere(1.0, 0.1)


def mechanism(name: str) -> kg.Mechanism:
    """Everything that can have a name has this one."""
    mass = sympy.Symbol(f"{name} m", positive=True)
    link = kg.Link(f"{name} l", mass, (0, 0, -0.5), BALL, shapes=[kg.sphere(0.1)])
    joint = kg.Joint(f"{name} j", "revolute", "world", link.name, axis=(0, 1, 0))
    return kg.Mechanism(name, [link], [joint], frames=[kg.Frame(f"{name} f", link.name)])


@cache
def simulator() -> kg.Simulator:
    """With a connection, a servo, and something still to happen, all called by both."""
    name = MARKUP + CODE
    hold = kg.Connection(f"{name} c", f"{name} l", "world", kg.spherical())
    library = kg.TopologyLibrary(mechanism(name), [hold])
    model = library.model.with_parameters({f"{name} m": 1.0})
    made = kg.Simulator(kg.runtime.Library(model), q=[0.5], servos={f"{name} j": kg.Servo(1.0, 1.0)})
    made.when(kg.angle(f"{name} j") < -3.0, "connect", f"{name} c")
    made.at(0.5, "connect", f"{name} c")
    return made


def test_live_pages() -> None:
    name, text = MARKUP + CODE, live_page(simulator(), b"")
    assert text.count("</script>") == 2 and "alert" not in text.replace(data_text(text), "").replace(title(text), "")
    page, data = Elements(text), data_of(text)
    assert page.tags.count("script") == 2 and page.texts["title"] == name
    layout, start = data["layout"], data["start"]
    assert [layout["name"], layout["links"], layout["joints"][0]["name"]] == [name, [f"{name} l"], f"{name} j"]
    assert [layout["parameters"][0]["name"], layout["switches"][0]["name"]] == [f"{name} m", f"{name} c"]
    assert start["timed"][0]["connect"] == start["watches"][0]["connect"] == [f"{name} c"]


def data_text(page: str) -> str:
    return re.findall(r'id="data">(.*?)</script>', page, re.DOTALL)[0]


def title(page: str) -> str:
    return re.findall(r"<title>(.*?)</title>", page, re.DOTALL)[0]


def test_javascript_and_types() -> None:
    """As module that may stand in a page as well; file names are made of what C allows."""
    name, files = MARKUP + CODE, wrapped_module(simulator(), b"")
    assert all(re.fullmatch(r"\w+\.(wasm|js|d\.ts)", file, re.ASCII) for file in files)
    script, types = (next(text for file, text in files.items() if file.endswith(end)) for end in (".js", ".d.ts"))
    text = script.decode("ascii")
    assert "</script" not in text and "<!--" not in text and b"alert" not in types
    with closing(MiniRacer()) as context:
        context.eval(
            re.sub(r"^export (const|\{ Motion \};)", r"globalThis.unused = 0; var", text, flags=re.MULTILINE).replace(
                "var\n", "\n"
            )
        )
        told: Any = context.eval("JSON.stringify([layout.name, layout.parameters[0].name, start.timed[0].connect[0]])")
    assert json.loads(told) == [name, f"{name} m", f"{name} c"]


@pytest.mark.parametrize("name", [MARKUP, CODE])
def test_c_and_the_report(name: str, tmp_path: Path) -> None:
    made = kg.generate(mechanism(name))
    text = "".join(made.files.values())
    assert not re.search(r"</|<!--|int x;|\?\?/|\\input|\$\{|[^\x00-\x7f]", text)
    assert all(re.fullmatch(r"[\w/]+\.[ch]", file, re.ASCII) for file in made.files)
    assert made.manifest.parameters[0].name == f"{name} m"
    kg.report(mechanism(name), tmp_path / "report.html")
    page = Elements((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "script" not in page.tags and name in page.texts["title"]


@pytest.mark.parametrize("name", ["a\nb</script><b>", "a\u2028b\u2029\x00", "<img src=x onerror=alert(1)>"])
def test_recorded_motions_may_be_of_strangers(name: str, tmp_path: Path) -> None:
    """A file of a motion tells names itself, which no mechanism has looked at."""
    own = simulator().run(0.01)
    joints = tuple(replace(joint, name=name) for joint in own.joints)
    kept = kg.Trajectory(own.t, own.q, own.v, own.tau, name=name, joints=joints, events=[(0.0, name, name)])
    read = kg.Trajectory.load(kept.save(tmp_path / "motion.npz") or tmp_path / "motion.npz")
    assert (read.name, read.joints[0].name, list(read.events)) == (name, name, [(0.0, name, name)])
    assert np.array_equal(read.joint(name)[0], own.q)
    text = animation(replace_model(read, own), 30.0)
    assert "<b>" not in text and "<img" not in text and text.count("</script>") == 2
    assert data_text(text).isascii() and title(text) == html.escape(name)


def replace_model(read: kg.Trajectory, own: kg.Trajectory) -> kg.Trajectory:
    """With a model, which pages need and files do not hold."""
    return kg.Trajectory(
        read.t, read.q, read.v, read.tau, name=read.name, joints=own.joints, events=read.events, model=own.model
    )


MADE: dict[str, Callable[[str], object]] = {
    "link": lambda name: kg.Link(name, 1.0, (0, 0, 0), BALL),
    "joint": lambda name: kg.Joint(name, "revolute", "world", "a"),
    "parent": lambda name: kg.Joint("j", "revolute", name, "a"),
    "frame": lambda name: kg.Frame(name, "a"),
    "rows": lambda name: kg.Rows(name, "world", "a"),
    "connection": lambda name: kg.Connection(name, "a", "world", kg.spherical()),
    "mechanism": lambda name: kg.Mechanism(name, [kg.Link("a")], [kg.Joint("j", "fixed", "world", "a")]),
    "parameter": lambda name: kg.parameter(name, 1.0),
    "symbol": lambda name: kg.Link("a", 2 * sympy.Symbol(name, positive=True)),
    "symbol of a direction": lambda name: kg.Joint("j", "revolute", "world", "a", kg.Pose((sympy.Symbol(name), 0, 0))),
    "name of a symbol": lambda name: kg.derive(mechanism("m"), names={"q_m_j": name}),
}


@pytest.mark.parametrize("what", MADE)
def test_what_ends_a_line_is_no_name(what: str) -> None:
    for name in ENDS:
        with pytest.raises(kg.ModelError, match=r"printable name|must become a name"):
            MADE[what](name)
