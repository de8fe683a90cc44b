"""Malformed TOML: every case with words that its error must contain. Add a row to add a case."""

from __future__ import annotations

import pytest

from kinegen.codegen.mechanism import load
from kinegen.runtime.errors import ModelError
from support.files.refusing import assert_refused
from support.files.toml_texts import TOML


def toml(old, new):
    assert old in TOML
    return TOML.replace(old, new, 1)


def in_joint(text):
    return TOML + text


TOMLS = {
    "empty": ("", "has no links"),
    "cut off": ("name = ", "not well-formed TOML: Invalid value"),
    "key twice": (TOML + 'kind = "fixed"', "not well-formed TOML"),
    "nested deeply": ("x = " + "[" * 5000, "not well-formed TOML"),
    "unknown key of the file": (toml("gravity", "gravitiy"), r":2: unknown key 'gravitiy'; did you mean 'gravity'"),
    "unknown key of a link": (toml("mass", "mas"), r":5: link 'a': unknown key 'mas'; did you mean 'mass'"),
    "unknown key of a joint": (in_joint("dampin = 1"), r":13: joint 'j': unknown key 'dampin'; did you mean 'damping'"),
    "unknown key of a pose": (toml("xyz", "xzy"), r":12: joint 'j': origin: unknown key 'xzy'; did you mean 'xyz'"),
    "unknown key of a mimic": (in_joint('mimic = {joint = "k", factor = 2}'), r":13: .*mimic: unknown key 'factor'"),
    "a scene": ('model = "robot.urdf"', r":1: is a scene, no mechanism: load its model, 'robot.urdf'"),
    "links as a table": ("[link]\nname = 'a'", r":1: 'link' must be tables, written \[\[link\]\]"),
    "links as texts": ("link = ['a']", "'link' must be tables"),
    "nameless link": (toml('name = "a"', ""), "link 1: the key 'name' is missing"),
    "joint without a kind": (toml('kind = "revolute"', ""), r":8: joint 'j': the key 'kind' is missing"),
    "name that is no text": (toml('name = "a"', "name = 3"), "name must be a string, got 3"),
    "kind that is no text": (toml('"revolute"', "3"), "unknown kind 3"),
    "unknown kind": (toml("revolute", "hinge"), r":8: joint 'j': unknown kind 'hinge'"),
    "parent that is no text": (toml('"world"', "[1]"), "parent: the name must be a string"),
    "unknown parent": (toml("world", "wrold"), "'wrold' is no link; did you mean 'world'"),
    "link on nothing": (TOML + '[[link]]\nname = "b"', "link 'b' has no joint to a parent; .* add"),
    "mass as truth": (toml("mass = 1", "mass = true"), r":4: link 'a': mass must be a number"),
    "mass as a date": (toml("mass = 1", "mass = 2020-01-01"), "mass must be a number"),
    "NaN mass": (toml("mass = 1", "mass = nan"), r":4: link 'a': mass must be finite"),
    "negative mass": (toml("mass = 1", "mass = -1"), "mass must not be negative"),
    "mass in words": (toml("mass = 1", 'mass = "very heavy"'), r":5: link 'a': mass: 'very heavy' is no expression"),
    "mass that runs": (toml("mass = 1", "mass = \"__import__('os')\""), r":5: link 'a': mass: .* is not allowed"),
    "infinite mass": (toml("mass = 1", 'mass = "m/0"'), "is not a finite real number"),
    **{
        f"mass {text[:30]}": (toml("mass = 1", f'mass = "{text}"'), words)
        for text, words in {
            "0.0/0.0": "is not a finite real number",
            "2**(0/0)": "is not a finite real number",
            "sqrt(-1)**2": "is not a finite real number",
            "(-8)**(1/3)": "is not a finite real number",
            "m*-1e400": "is not a finite real number",
            "cos(sin(sqrt(-1e300)))": "1e±300 are not allowed",
            "1e-200*1e-200": "1e±300 are not allowed",
            "m*1e50": r"a number in it is larger than 1e\+40",
            "sin(" * 50 + "m" + ")" * 50: "has more than 40 parentheses",
        }.items()
    },
    "pi as a parameter": ("parameters = {pi = 2}\n" + TOML, r":1: parameters: 'pi' has another meaning in expressions"),
    "gravity of many digits": (toml("-9.81", "9" * 5000), "not well-formed TOML: .*digits"),
    "mass too large": (toml("mass = 1", f"mass = 1{'0' * 400}"), "mass must be finite"),
    "gravity of two": (toml("[0, 0, -9.81]", "[0, 0]"), r":1: gravity must be 3 numbers|gravity must be 3 numbers"),
    "gravity as a number": (toml("[0, 0, -9.81]", "9.81"), "gravity must be 3 numbers"),
    "inertia of four": (toml("{box = [1, [1, 1, 1]]}", "[1, 1, 1, 1]"), "3x3, or the six numbers"),
    "unknown solid": (toml("{box", "{cone"), r":6: link 'a': inertia: unknown key 'cone'"),
    "two solids": (toml("{box", "{rod = [1, 1], box"), r":6: link 'a': inertia: give one of box"),
    "solid without sizes": (toml("[1, [1, 1, 1]]", "1"), "box must be an array of mass and sizes"),
    **{
        f"{key} that is {value}": (TOML + f'\n[[visual]]\nlink = "a"\n{shape}\n{key} = {value}', words)
        for key, shape, values, words in (
            ("scale", 'mesh = "arm.stl"', ("0.001", '"l"', "true"), r":17: .*scale must be three numbers, \["),
            ("size", "height_field = [[0, 1], [1, 0]]", ("1", "2020-01-01"), r":17: .*size must be two numbers, \[x"),
        )
        for value in values
    },
    "too many sizes": (toml("[1, [1, 1, 1]]", "[1, 1, 1, 1]"), "box does not take"),
    "axis of a box": (toml("{box = [1, [1, 1, 1]]", "{box = [1, [1, 1, 1]], axis = [1, 0, 0]"), "box does not take"),
    "impossible inertia": (toml("{box = [1, [1, 1, 1]]}", "[-1, 0, 0, 1, 0, 1]"), "'a' cannot exist"),
    "pose as a text": (toml("{xyz = [0, 0, 1]}", '"up"'), r"origin: must be \[x, y, z\]"),
    "pose of two": (toml("{xyz = [0, 0, 1]}", "[0, 1]"), r":8: joint 'j': origin: .*xyz must be 3 numbers"),
    "cut as a text": (in_joint('cut = "yes"'), r":13: joint 'j': cut must be true or false"),
    "actuated as a number": (in_joint("actuated = 1"), "actuated must be true or false"),
    "zero axis": (in_joint("axis = [0, 0, 0]"), r":8: joint 'j' \(revolute\): axis is zero"),
    "limits crossed": (in_joint("limits = [1, -1]"), "lower 1.0 is greater than upper -1.0"),
    "symbolic limit": (in_joint('limits = ["-a", "a"]'), "must be a constant"),
    "mimic as a text": (in_joint('mimic = "k"'), "mimic: must be {joint"),
    "mimic without a joint": (in_joint("mimic = {multiplier = 2}"), "mimic: the key 'joint' is missing"),
    "mimic of the unknown": (in_joint('mimic = {joint = "k"}'), "mimics the unknown joint 'k'"),
    "unknown shape": (TOML + "[[shape]]\ncone = 1", r":14: shape 1: unknown key 'cone'"),
    "shapeless shape": (TOML + "[[shape]]\nfriction = 1", "shape 1: give one of sphere"),
    "two shapes in one": (TOML + "[[shape]]\nsphere = 1\nplane = true", "give one of sphere"),
    "negative radius": (TOML + "[[shape]]\nsphere = -1", "radius must be positive"),
    "no plane": (TOML + "[[shape]]\nplane = false", r":14: shape 1: plane must be true, got False; its pose says"),
    "plane as a normal": (TOML + "[[shape]]\nplane = [0, 0, 1]", r"plane must be true, got \[0, 0, 1\]"),
    "size of a sphere": (
        TOML + "[[shape]]\nsphere = 1\nsize = [2, 3]",
        r":15: shape 1: size is of a height_field, a sphere has none; leave it out",
    ),
    "size of a mesh": (TOML + '[[shape]]\nmesh = "m.stl"\nsize = [2, 3]', "size is of a height_field, a mesh has none"),
    "scale of a box": (
        TOML + '[[visual]]\nlink = "a"\nbox = [1, 1, 1]\nscale = [2, 2, 2]',
        r":16: visual 1: scale is of a mesh, a box has none; leave it out",
    ),
    "mesh as a number": (TOML + "[[shape]]\nmesh = 1", "mesh must be the name of a file"),
    "shapes of a link": (toml("mass = 1", "mass = 1\nshapes = [1]"), "link 'a': 'shape' must be tables"),
    "excluded from itself": (
        'excluded = [["a", "a"]]\n' + TOML,
        r"excluded: a link does not touch itself, got \('a', 'a'\); name another link or 'world'",
    ),
    "frame on nothing": (TOML + '[[frame]]\nname = "f"\nlink = "b"', "frame 'f': 'b' is no link"),
    "held and free": (TOML, "says itself how links hang"),
}


@pytest.mark.parametrize("case", TOMLS)
def test_bad_toml(tmp_path, case):
    assert_refused(tmp_path / "bad.toml", *TOMLS[case], root="free" if case == "held and free" else "fixed")


def test_toml_that_is_no_text(tmp_path):
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelError, match="is not UTF-8 text but UTF-16; save it as UTF-8"):
        load(tmp_path / "bad.toml")
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        (tmp_path / "bad.toml").write_text(TOML, encoding=encoding)
        with pytest.raises(ModelError, match=f"is not UTF-8 text but {encoding[:6].upper()}; save it as UTF-8"):
            load(tmp_path / "bad.toml")
    (tmp_path / "bad.toml").write_text("# ä" + TOML, encoding="latin-1")
    with pytest.raises(ModelError, match="is not UTF-8 text: byte 2 is 0xe4; save it as UTF-8"):
        load(tmp_path / "bad.toml")
    with pytest.raises(ModelError, match="cannot be read"):
        load(tmp_path / "none.toml")


def test_the_good_file_is_good(tmp_path):
    (tmp_path / "good.TOML").write_text(TOML, encoding="utf-8")
    assert load(tmp_path / "good.TOML").tree.nv == 1
