"""TOML: every option comes through, symbols stay symbols, what is saved is read back as the same value."""

from __future__ import annotations

import codecs
import math
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest
import sympy

from kinegen.codegen.mechanism import Frame, Joint, Link, Mechanism, Mimic, Pose, inertia, load, save
from kinegen.codegen.mechanism.formats.expression import expression
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.runtime.errors import ModelError
from support.files.toml_texts import EVERYTHING
from support.oracles.mechanisms import random_mechanism

SUFFIX = ".toml"
FOURBAR = Path(__file__).parents[2] / "examples" / "fourbar.toml"


def test_a_fourbar_takes_fifteen_lines():
    assert len(FOURBAR.read_text(encoding="utf-8").splitlines()) <= 15
    made = load(FOURBAR)
    assert [v.joint.name for v in made.virtual_links] == ["close"] and made.tree.nv == 3
    assert [j.name for j in made.joints if j.actuated] == ["drive"]
    assert made.link("crank").inertia[1][1] == pytest.approx(0.3 * 0.3**2 / 12)
    assert made.gravity == (0.0, -9.81, 0.0)


def everything():
    g, m, length, d, r = (sympy.Symbol(name, real=True) for name in "gmldr")
    capsule = shapes.capsule(0.1, 0.5, pose=Pose(rpy=(0, math.pi / 2, 0)), restitution=0.2)
    links = [
        Link("a", m, (length / 2, 0, 0), inertia.rod(m, length), [capsule, shapes.mesh("a.stl", scale=(1, 1, 2))]),
        Link("b", 2, inertia=inertia.cylinder(2, 0.1, 0.4, axis=(1, 0, 0))),
        Link("c", 1, inertia=np.eye(3)),
        Link("d", 1, inertia=np.eye(3)),
    ]
    passive = {"damping": d, "stiffness": 0.5, "rest": 0.1, "friction": 0.2, "armature": 0.3}
    bounds = {"limits": (-1, math.inf), "velocity_limit": 3, "effort_limit": 4}
    quarter = Pose(rotation=((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    joints = [
        Joint("j", "revolute", "world", "a", Pose((0, 0, 1), (0.1, 0.2, 0.3)), axis=(0, 1, 0), **bounds, **passive),
        Joint("k", "prismatic", "a", "b", Pose((length, 0, 0)), mimic=Mimic("j", r, 0.5)),
        Joint(
            "u",
            "universal",
            "b",
            "c",
            axis2=(0, 0.6, 0.8),
            limits=[(-1, 1), (-2, 2)],
            damping=(1, 2),
            actuated=False,
        ),
        Joint("h", "helical", "c", "d", pitch=math.pi / 100),
        Joint("s", "spherical", "world", "d", child_origin=quarter, cut=True),
    ]
    frames = [Frame("tool", "b", Pose((0, 0, 1), (0, 0, math.pi / 2)))]
    world = [shapes.plane(friction=0.3)]
    return Mechanism("all", links, joints, (0, 0, -g), frames, world)


def test_every_option(read):
    made = read(EVERYTHING)
    assert made == everything()
    assert [symbol.name for symbol in made.parameters] == ["d", "g", "l", "m", "r"]
    assert read(EVERYTHING, mimic="independent").joint("k").mimic is None


def assert_alike(found, expected):
    """Equal, floats to the last digit or two: unit vectors are made unit vectors once more."""
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_alike(one, other)
    elif is_dataclass(expected):
        for field in (field for field in fields(expected) if field.compare):
            assert_alike(getattr(found, field.name), getattr(expected, field.name))
    elif isinstance(expected, float):
        assert math.isclose(found, expected, rel_tol=1e-15, abs_tol=4e-16)
    else:
        assert found == expected


def test_saved_and_read_again(tmp_path):
    """Twenty random mechanisms, and the one with everything in it."""
    made = [everything()]
    made += [random_mechanism(seed) for seed in range(20)]
    for mechanism in made:
        save(mechanism, tmp_path / "saved.toml")
        again = load(tmp_path / "saved.toml", merge=False, unphysical="allow")
        for field in ("name", "links", "joints", "frames", "gravity", "shapes", "unphysical"):
            assert_alike(getattr(again, field), getattr(mechanism, field))


@pytest.mark.parametrize("name", ["fourbar.toml", "double_pendulum.urdf"])
def test_files_may_begin_with_a_byte_order_mark(name, tmp_path):
    """As editors under Windows write it."""
    plain = FOURBAR.parent / name
    (tmp_path / name).write_bytes(codecs.BOM_UTF8 + plain.read_bytes())
    assert load(tmp_path / name) == load(plain)


def test_names_are_quoted(tmp_path):
    odd = 'a "b"\\c é 机'
    save(Mechanism(odd, [Link(odd, 1.0)], [Joint(odd, "free", "world", odd)]), tmp_path / "x.toml")
    assert load(tmp_path / "x.toml").links[0].name == odd


X, Y = sympy.symbols("x y", real=True)
EXPRESSIONS = {
    "1": sympy.Integer(1),
    " 1.5e-3 ": sympy.Float(0.0015),
    "x": X,
    "-x + +y": Y - X,
    "x*y/2 - 3": X * Y / 2 - 3,
    "2*(x + y)**2": 2 * (X + Y) ** 2,
    "x**-1": 1 / X,
    "x**(1/2)": sympy.sqrt(X),
    "sqrt(2)*sin(x)*cos(y)": sympy.sqrt(2) * sympy.sin(X) * sympy.cos(Y),
    "pi/6": sympy.pi / 6,
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions(text):
    assert expression(text) == EXPRESSIONS[text]


FORBIDDEN = [
    *("", "x +", "x y", "1 if x else 2", "lambda: 1", "x.real", "x[0]", "[1, 2]", "{1: 2}", "'a'", "f'{x}'", "True"),
    *("None", "x := 1", "x < y", "x and y", "not x", "~x", "x % 2", "x // 2", "x @ y", "1j", "..."),
    *("__import__('os')", "__import__('os').system('true')", "exec('1')", "open('/etc/passwd')", "tan(x)", "sqrt"),
    *("sin(x, y)", "sin()", "sin(x=1)", "sin(*x)", "(lambda: 1)()", "(1).__class__", "x\n+1;y", "µ", "\uff58"),
    *("x**y", "2**100", "10**16**16", "((9**16)**16)**16", "1/((9**16)**16)**16", "1/0", "x/0", "0**-1", "sqrt(-1)"),
    *("(" * 400 + "1", "1" * 600, "9" * 400, "x" + "+x" * 300),
]


@pytest.mark.parametrize("text", FORBIDDEN)
def test_everything_else_is_refused(text):
    with pytest.raises(ModelError):
        expression(text)


def test_saving_is_refused_where_it_cannot_be_done(tmp_path):
    made = everything()
    with pytest.raises(ModelError, match="choose that suffix"):
        save(made, tmp_path / "x.urdf")
    with pytest.raises(ModelError, match="cannot be written"):
        save(made, tmp_path / "none" / "x.toml")
    other = Mechanism("m", [Link("a", sympy.exp(X))], [Joint("j", "free", "world", "a")])
    with pytest.raises(ModelError, match=r"'exp\(x\)': 'exp\(x\)' is not allowed"):
        save(other, tmp_path / "x.toml")


def test_the_readme_shows_the_fourbar():
    readme = (FOURBAR.parents[1] / "README.md").read_text(encoding="utf-8")
    assert f"```toml\n{FOURBAR.read_text(encoding='utf-8')}```" in readme
