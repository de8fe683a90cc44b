"""TOML: every option comes through, symbols stay symbols, what is saved is read back as the same value."""

from __future__ import annotations

import codecs
import math
import re
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import sympy

from kinegen.codegen.mechanism import Frame, Joint, Link, Mechanism, Mimic, Pose, inertia, load, save
from kinegen.codegen.mechanism.elements.joint_templates import spherical
from kinegen.codegen.mechanism.elements.parameter import parameter
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
    """Twenty random mechanisms, the one with everything in it, and one whose loop ends in world."""
    made = [everything()]
    made += [random_mechanism(seed) for seed in range(20)]
    made.append(made[-1].connect(made[-1].links[-1].name, "world", spherical(damping=0.1)))
    for mechanism in made:
        save(mechanism, tmp_path / "saved.toml")
        again = load(tmp_path / "saved.toml", merge=False, unphysical="allow")
        for field in ("name", "links", "joints", "frames", "gravity", "shapes", "unphysical"):
            assert_alike(getattr(again, field), getattr(mechanism, field))


def test_directions_and_quaternions_that_are_saved_are_read_again_to_the_last_digit(tmp_path):
    rng = np.random.default_rng(0)
    made = []
    for i in range(60):
        turn = rng.normal(size=4)
        given = {"axes": rng.normal(size=(3, 3))} if i % 2 else {"rest": [0, 0, 0, *turn / np.linalg.norm(turn)]}
        made.append(Joint(f"j{i}", "gimbal" if i % 2 else "free", "world", f"l{i}", **given))
    mechanism = Mechanism("m", [Link(joint.child, 1.0) for joint in made], made)
    save(mechanism, tmp_path / "m.toml")
    assert load(tmp_path / "m.toml", merge=False, unphysical="allow") == mechanism


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("actuated", [None, True, False])
def test_mimics_keep_their_actuators(kind, actuated, tmp_path):
    """Also where the file is read without mimics."""
    lead = Joint("lead", "revolute", "world", "a", actuated=actuated)
    follow = Joint("follow", kind, "a", "b", mimic=Mimic("lead", 2.0), actuated=actuated)
    made = Mechanism("m", [Link("a", 1.0), Link("b", 1.0)], [lead, follow])
    save(made, tmp_path / "m.toml")
    assert load(tmp_path / "m.toml", unphysical="allow").joints == made.joints
    independent = load(tmp_path / "m.toml", unphysical="allow", mimic="independent").joint("follow")
    assert (independent.mimic, independent.actuated) == (None, follow.actuated)


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


def slide(mass=1.0, **options):
    return Mechanism("m", [Link("a", mass)], [Joint("j", "prismatic", "world", "a", **options)])


T = sympy.Symbol("t", real=True)
IN_PYTHON = {
    "link 'a': mass": slide(sympy.exp(X)),
    "joint 'j': motion": slide(motion=sympy.Piecewise((T**2, T < 1), (2 * T - 1, True))),
    "joint 'j': origin": slide(origin=Pose((0, sympy.tan(X), 0))),
    "frame 'f': xyz": replace(slide(), frames=[Frame("f", "a", Pose((sympy.atan2(X, Y), 0, 0)))]),
    "gravity": replace(slide(), gravity=(0.0, 0.0, sympy.log(X))),
}


@pytest.mark.parametrize("place", IN_PYTHON)
def test_saving_tells_the_place_of_what_a_file_cannot_hold(place, tmp_path):
    file = tmp_path / "x.toml"
    words = (
        rf"^{re.escape(str(file))}: {place}: a file cannot hold '.*is not allowed; .* keep this description in Python"
    )
    with pytest.raises(ModelError, match=words):
        save(IN_PYTHON[place], file)
    assert not file.exists()


@pytest.mark.parametrize(
    ("mass", "words"),
    [
        (
            sum(sympy.symbols("a:200", real=True)),
            r"'.*'\.\.\.: the expression has 1287 characters; 500 are allowed; keep",
        ),
        (
            sum(sympy.sin(x) for x in sympy.symbols("a:41", real=True)),
            r"'.*'\.\.\.: the expression has more than 40 parentheses; keep",
        ),
        (1 + X**20, r"'x\*\*20 \+ 1': powers must be numbers from -16 to 16, got 20; keep this description in Python"),
        (1 + X**Y, r"'x\*\*y \+ 1': powers must be numbers from -16 to 16, got y; keep"),
    ],
)
def test_saving_tells_of_expressions_that_are_too_large_for_a_file(mass, words, tmp_path):
    with pytest.raises(ModelError, match=rf"x\.toml: link 'a': mass: a file cannot hold {words}"):
        save(slide(mass), tmp_path / "x.toml")


@pytest.mark.parametrize("name", ["pi", "sin", "lambda", "None", "β", "x-y", "a b", "2"])
def test_symbols_whose_names_mean_something_else_are_not_saved(name, tmp_path):
    """Read back they would be numbers, or two symbols; they work in Python."""
    for symbol in (sympy.Symbol(name, real=True), parameter(name, 2.0)):
        with pytest.raises(ModelError, match=rf"x\.toml: link 'a': mass: '{name}' .*rename the symbol"):
            save(slide(3 * symbol), tmp_path / "x.toml")


def test_what_turns_out_not_to_be_real_is_not_saved():
    """SymPy finds it when constants are doubles; I would come back as a symbol. It is refused where it is described."""
    with pytest.raises(ModelError, match=r"link 'a': mass: sqrt\(.*\) is not real"):
        slide(X * sympy.sqrt(sympy.sin(sympy.E) - sympy.GoldenRatio))


COMING_BACK = [
    sympy.E * sympy.Symbol("E", real=True),
    sympy.GoldenRatio * X - sympy.Catalan * sympy.pi,
    sympy.exp(2) * X + sympy.log(2) * sympy.sin(sympy.E * Y) ** 2,
    sympy.sqrt(X**2) * abs(X - Y) ** 3,
    sympy.factor(2 * X + 2 * Y) ** sympy.Rational(-1, 3),
    sympy.Float("0.1", 40) * X / sympy.Float(-1e-7),
    sympy.Dummy("x", real=True) + 1,
]


@pytest.mark.parametrize("written", COMING_BACK, ids=str)
def test_expressions_come_back_with_their_symbols_and_values(written, tmp_path):
    save(slide(written), tmp_path / "x.toml")
    read = load(tmp_path / "x.toml").links[0].mass
    names = sorted(symbol.name for symbol in written.free_symbols)
    assert sorted(symbol.name for symbol in read.free_symbols) == names
    for at in ({"x": 0.7, "y": 1.9, "E": 3.0}, {"x": 2.1, "y": 0.4, "E": -1.0}):
        one, other = (e.subs({symbol: at[symbol.name] for symbol in e.free_symbols}).n() for e in (read, written))
        assert abs(one - other) <= 1e-15 * abs(other)


def test_the_readme_shows_the_fourbar():
    readme = (FOURBAR.parents[1] / "README.md").read_text(encoding="utf-8")
    assert f"```toml\n{FOURBAR.read_text(encoding='utf-8')}```" in readme
