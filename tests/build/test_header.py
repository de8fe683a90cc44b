"""What a stranger reads: places by name in the header, a comment for every function, a legend of the letters."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import asdict
from pathlib import Path

import cffi
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.mechanism import Frame, Joint, Link, Mechanism
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.live import live_files
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.printing.text.legend import KNOWN
from kinegen.codegen.printing.text.widths import fitted
from kinegen.codegen.reference import FOLDER, MECHANISMS
from kinegen.runtime.abi import INTEGRATORS
from kinegen.runtime.contact.contacts import ContactOptions
from kinegen.runtime.errors import BuildError
from kinegen.runtime.live import start
from kinegen.runtime.structs import MOST_CONDITIONS, QUANTITIES, SOURCES, TARGETS, Field, Struct
from kinegen.runtime.thresholds import LEADING, LOOPS, PINNED

HOSTILE = ("*/ int x;", "x\\", "a??/", "{{ 7 * 7 }}", "膝 ひざ", "int", "9lives", "n" * 300)
ROOT = Path(__file__).resolve().parents[2]
GENERATED = ROOT / FOLDER  # which test_generated.py holds to the generator
FILES = {
    path.relative_to(GENERATED).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(GENERATED.rglob("*"))
    if path.suffix in (".c", ".h", ".json")
}
HINGE = Joint("j", "revolute", "world", "a", axis=(0, 1, 0))
HEADERS = [f"{name}/{name}.h" for name in MECHANISMS]


@pytest.mark.parametrize("name", HEADERS)
def test_every_function_has_a_comment(name: str) -> None:
    groups = re.findall(r"(/\*(?:[^*]|\*(?!/))*\*/\n)?((?:(?:void|int|long|double) \w+\([^;]*\);\n)+)", FILES[name])
    assert len(groups) > 20
    assert all(comment for comment, _ in groups), [text for comment, text in groups if not comment]


@pytest.mark.parametrize("name", HEADERS)
def test_every_member_has_a_comment(name: str) -> None:
    """Beside it, or where that is too long on lines of its own above."""
    for body in re.findall(r"^typedef struct \{\n(.*?)^\}", FILES[name], re.DOTALL | re.MULTILINE):
        lines = body.splitlines()
        for before, line in zip(["", *lines], lines, strict=False):
            if re.match(r" {4}\w", line):
                above = re.match(r"    /\* | {5}\* ", before) and before.endswith(" */")
                assert re.search(r"; /\* \S.* \*/$", line) or above, line


@pytest.mark.parametrize("name", HEADERS)
def test_comments_begin_as_sentences_with_symbols_as_they_are(name: str) -> None:
    titles = re.findall(r"^/\* ([^:\n]+): [\w, ]* ->", FILES[name], re.MULTILINE)
    assert len(titles) > 20
    assert [title for title in titles if re.match(r"[a-z]{2}|X of", title)] == []
    assert [title for title in titles if re.search(r"\bj_c\b|\bRows k\b|\[r \| p\]|dk/dt", title)] == []


def test_functions_that_only_the_step_calls_tell_sizes_as_kernels_do() -> None:
    """And what of it no other kernel has: the diagonal d, the quality of a partition."""
    header = " ".join(FILES["four_bar/four_bar.h"].replace("\n *", "").split())
    for told in (
        "by A = W'MW: q[3], v[3], tau[3], d[3] -> a[3], quality[1]; d: added to the diagonal of M; quality: smallest",
        "what is seen on the way: q[3] -> gap[6], x[2], H[2][1], quality[2], seen[16]; quality: smallest pivot of",
        "has seen: q[3], v[3], tau[3], d[3], seen[16] -> a[3], quality[1]; d: added",
        "Momenta h = M v: q[3], v[3] -> h[3] */",
        "---- Pieces of a step, which calls them: of the tree's joints q has nq numbers, all else nv ---- */",
        "*h); /* ---- The time step, and what prepares for it ---- */ /* Of mechanisms with loops",
    ):
        assert told in header
    for name in HEADERS:
        for comment in re.findall(
            r"/\*((?:[^*]|\*(?!/))*)\*/\nvoid \w+_(?:momenta|closing|loop\d_\w+|contact_terms)\(", FILES[name]
        ):
            assert re.search(r": q\[\d+\].* -> \w+\[\d+\]", " ".join(comment.split())), comment


def test_the_header_tells_of_parameters_where_kernels_take_them() -> None:
    arms = (
        Mechanism("arm", [Link("a", mass, (0.1, 0, 0))], [HINGE]) for mass in (sympy.Symbol("m", positive=True), 1.0)
    )
    with_p, without = (generate(arm).files["arm.h"] for arm in arms)
    assert "p, the run-time parameters, comes first in every kernel; in a _batch it has no stride" in with_p
    assert ": p, q -> M[1][1] */" in with_p
    assert "run-time parameters, comes" not in without and ": p, q" not in without


def test_the_header_tells_the_order_of_indices_and_of_states() -> None:
    header = " ".join(FILES["double_pendulum/double_pendulum.h"].replace("\n *", "").split())
    assert "Second derivatives of tau, its entries first: by q and q" in header
    assert "with every > 0 the states after every, 2 every, ... steps go to the dense arrays q_log, v_log" in header


def test_names_that_are_alike_in_c_are_told_apart() -> None:
    links = [Link(name, 1.0, (0.1, 0, 0)) for name in ("left-hip", "left_hip", "Left_hip", "\N{GREEK SMALL LETTER XI}")]
    parents = ("world", *(link.name for link in links))
    joints = [Joint(link.name, "revolute", parent, link.name) for link, parent in zip(links, parents, strict=False)]
    frames = [Frame(name, "left_hip") for name in ("tool-1", "tool_1", "tool 1")]
    chosen = Selection(("bias",), frames=tuple(frame.name for frame in frames))
    header = generate(Mechanism("arm", links, joints, frames=frames), selection=chosen).files["arm.h"]
    for k, end in enumerate(("", "_2", "_3")):
        (title,) = re.findall(rf"/\* (.*)\nvoid arm_jacobian_of_tool_1{end}\(", header)
        assert title.startswith(f"Velocity [linear; angular] of {frames[k].name} per v")
        assert f"ARM_LINK_LEFT_HIP{end} = {k}, /* {links[k].name} */" in header
        assert f"ARM_Q_LEFT_HIP{end} = {k}, /* {links[k].name}, revolute */" in header
    assert "ARM_LINK_XI = 3,\n" in header


def test_every_letter_is_in_the_legend() -> None:
    for file, text in FILES.items():
        if "Straight-line code, one value" in text:
            head, _, body = text.partition("*/")
            outputs = set(re.findall(r"double \*restrict (\w+)", body))
            for name in re.findall(r"^    const double (?:neg_)?(\w+) = ", body, re.MULTILINE):
                letters = name.partition("_")[0]
                known = letters in KNOWN and re.search(rf"\b{letters}\b", head)
                assert known or name.rpartition("_")[0] in outputs, f"{file}: {name}"


def test_the_legend_tells_which_axes_names_speak_of() -> None:
    """The z of links is the axis of their joints: of the pendulum that turns about y, w_lower_z is its speed."""
    head, _, body = FILES["double_pendulum/double_pendulum_dynamics.c"].partition("*/")
    told = " ".join(head.replace("\n *", "").split())
    assert "axes of the link that are turned so that its joint, if it has one degree of freedom, turns about" in told
    assert "_2, _3: another or a later one of that name" in told and "w_lower_z = v[0] + v[1]" in body
    loops = generate(kg.load(ROOT / "examples/fourbar.toml")).files["fourbar_closure.c"].partition("*/")
    assert (
        "R_crank_up_xy" in loops[2]
        and "* R_.._up, p_.._up: in a loop: pose of what the link hangs on" in loops[0]
        and "_up" not in head
    )


@pytest.mark.parametrize("file", sorted(FILES))
def test_lines_fit(file: str) -> None:
    if not file.endswith(".json"):
        assert max(map(len, FILES[file].splitlines())) <= 120


def test_long_lines_are_broken_where_a_reader_would() -> None:
    call, remark = f"f({', '.join(['argument'] * 30)});\n", f"/* {'word ' * 50}*/\n"
    assert fitted(call + remark).replace("\n    ", " ").replace("\n * ", " ") == call + remark
    assert fitted("#define X " + "y " * 100) == "#define X " + "y " * 100 + "\n"


def test_what_a_broken_line_of_a_comment_leaves_over_begins_the_next() -> None:
    long = "word " * 23 + "end"
    assert fitted(f"/* First\n * {long}\n * of it. */\n") == f"/* First\n * {long[:-4]}\n * end of it. */\n"
    for other in (" * R, p: pose", " *", "int x;"):
        assert fitted(f"/* First\n * {long}\n{other}\n") == f"/* First\n * {long[:-4]}\n * end\n{other}\n"


@pytest.mark.parametrize("name", HOSTILE)
def test_places_of_hostile_names_compile_as_c_and_as_cpp(name: str, tmp_path: Path) -> None:
    """Two links, and joints that are called as they are; the names differ only in case or in what cannot stand in C."""
    names = (name, f"{name.upper()}-" if name.upper() == name else name.upper())
    links = [Link(link, mass=1.0, com=(0, 0, 0.1), inertia=(0.1, 0, 0, 0.1, 0, 0.1)) for link in names]
    joints = [Joint(link, "revolute", parent, link) for link, parent in zip(names, ("world", name), strict=True)]
    made = generate(Mechanism(name, links, joints))
    made.write(tmp_path)
    prefix = made.manifest.prefix
    found = re.findall(r"^    (\w+) = \d+,", made.files[f"{prefix}.h"], re.MULTILINE)
    assert len(found) == len(set(found)) == 6 + 2 + 2 + 2  # sizes, q, v, links
    for command in (["gcc", "-std=c99", "-x", "c"], ["g++", "-std=c++98", "-x", "c++"]):
        given = [*command, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(tmp_path / f"{prefix}.h")]
        subprocess.run(given, check=True)


@pytest.mark.parametrize("name", [name for name in MECHANISMS if json.loads(FILES[f"{name}/manifest.json"])["loops"]])
def test_cut_joints_have_places_by_name(name: str) -> None:
    """Those of q_cut and of the rows of loop_jacobian; a prefix of their own keeps them from joints of the tree."""
    for joint in json.loads(FILES[f"{name}/manifest.json"])["loops"]:
        for letter in "qv":
            place = f"{name}_CUT_{letter}_{joint['name']}".upper()
            found = re.findall(rf"^    {place} = (\d+),", FILES[f"{name}/{name}.h"], re.MULTILINE)
            assert found == [str(joint[f"{letter}_start"])]


@pytest.mark.parametrize("name", [name for name in MECHANISMS if json.loads(FILES[f"{name}/manifest.json"])["loops"]])
def test_loops_are_numbered_as_declared_and_tell_which_link_is_the_child(name: str) -> None:
    loops, header = json.loads(FILES[f"{name}/manifest.json"])["loops"], FILES[f"{name}/{name}.h"]
    assert f"    {name.upper()}_NLOOPS = {len(loops)}," in header
    for number, loop in enumerate(loops):
        told = f"{loop['kind']}, from {loop['parent']} to {loop['child']}"
        assert f"    {name}_LOOP_{loop['name']} = {number}, ".upper() + f"/* {told} */" in header


def test_loops_without_coordinates_have_numbers_too() -> None:
    links = [Link(name, 1.0, inertia=(0.1, 0, 0, 0.1, 0, 0.1)) for name in "ab"]
    joints = [Joint("fly", "free", "world", "a"), Joint("turn", "revolute", "a", "b")]
    loops = [Joint("weld", "fixed", "b", "world", cut=True), Joint("pin", "revolute", "world", "a", cut=True)]
    header = generate(Mechanism("welded", links, [*joints, *loops])).files["welded.h"]
    assert "WELDED_LOOP_WELD = 0, /* fixed, from b to world */" in header
    assert "WELDED_LOOP_PIN = 1, /* revolute, from world to a */" in header and "WELDED_CUT_Q_WELD" not in header


@pytest.mark.parametrize("name", MECHANISMS)
def test_sizes_tell_how_many_torques_a_step_reads(name: str) -> None:
    """Those of cut joints stand behind those of the tree."""
    told, header = json.loads(FILES[f"{name}/manifest.json"]), FILES[f"{name}/{name}.h"]
    torques = told["nv"] + sum(joint["nv"] for joint in told["loops"])
    assert f"    {name.upper()}_NTAU = {torques}," in header
    assert f"driven by the {torques} numbers at tau" in re.sub(r"\s*\n \* ", " ", header)


def test_usual_options_of_contact_are_those_of_python() -> None:
    usual = asdict(ContactOptions())
    assert usual.pop("solver") == "sweeps"
    text = FILES["box_on_plane/box_on_plane_contact.c"].partition("box_on_plane_contact_usual = {")[2].partition("}")[0]
    assert {name: float(x) for name, x in re.findall(r"\.(\w+) = ([^,]+),", text)} == usual
    for name, x in usual.items():
        line = rf"^    (double|long) {name}; /\* \({x:g}\) "
        assert re.search(line, FILES["box_on_plane/box_on_plane.h"], re.MULTILINE)


@pytest.mark.parametrize("name", HEADERS)
def test_a_header_tells_that_the_stack_is_what_it_needs(name: str) -> None:
    told = re.sub(r"\s*\n \* ", " ", FILES[name].partition("*/")[0])
    assert "what it works with stands on the stack, how much of it gcc -fstack-usage tells." in told


def test_a_condition_tells_what_its_places_are_for_each_kind_of_value() -> None:
    (told,) = re.findall(r"/\* (A condition: (?:[^*]|\*(?!/))*)\*/", FILES["two_holds/two_holds.h"])
    told = re.sub(r"\s*\n \* ", " ", told)
    for kind in QUANTITIES:
        assert re.search(rf"\b{kind.upper()}\b[A-Z_, ]*: ", told), kind
    assert "CONTACT_FORCE: link on which it acts and link that exerts it (-1: the world, -2: all)." in told


def test_c_has_sources_of_work_and_targets_in_the_order_of_python() -> None:
    for name in MECHANISMS:
        enums = re.findall(r"^enum \{ (.*) \};", FILES[f"{name}/{name}_model.h"], re.MULTILINE)
        listed = [enum.lower().split(", ") for enum in enums]
        assert [*(f"by_{source}" for source in SOURCES), "sources"] in listed and list(TARGETS) in listed
    told = FILES["double_pendulum/double_pendulum_inverse.c"] + FILES["double_pendulum/double_pendulum.h"]
    numbers = "0 position, 1 orientation, 2 look-at, 3 direction, 4 centre of mass"
    assert numbers == ", ".join(f"{k} {title}" for k, title in enumerate(TARGETS.values()))
    assert numbers in " ".join(told.replace("\n *", "").split())


def test_c_judges_loops_by_the_numbers_of_python() -> None:
    """Told where there are loops, and defined nowhere else."""
    assert 0.0 < LEADING < PINNED
    assert f"at most {LEADING:.0e}".replace("e-0", "e-") in " ".join(FILES["four_bar/four_bar.h"].split())
    for name in MECHANISMS:
        text = FILES[f"{name}/{name}_model.h"]
        found = dict(re.findall(r"^#define (\w+) ([\d.e-]+)$", text.partition("By which loops are")[2], re.MULTILINE))
        closed = bool(json.loads(FILES[f"{name}/manifest.json"])["loops"])
        assert {told: float(number) for told, number in found.items()} == (LOOPS if closed else {})
    for path in (ROOT / "runtime" / "c").rglob("*.h"):
        assert not re.search(rf"#define ({'|'.join(LOOPS)})\b", path.read_text(encoding="utf-8")), path.name


def test_c_has_as_much_room_for_conditions_and_wrenches_as_python_gives() -> None:
    assert f"    MOST_CONDITIONS = {MOST_CONDITIONS},\n" in FILES["two_holds/two_holds_model.h"]
    page = live_files({}, "arm")["arm_live.c"]
    assert f"#define MOST_WRENCHES {start.MOST_WRENCHES + 1}\n" in page and "#define MOST_CONDITIONS" not in page


def test_c_has_integrators_in_the_order_of_the_manifest_and_asks_for_them_by_name() -> None:
    """A third one, a number in C, would be taken for another."""
    for name in MECHANISMS:
        (listed,) = re.findall(r"^enum \{ (SEMI_IMPLICIT.*) \};", FILES[f"{name}/{name}_model.h"], re.MULTILINE)
        manifest = json.loads(FILES[f"{name}/manifest.json"])
        assert listed.lower().split(", ") == manifest["integrators"] == list(INTEGRATORS)
    for path in sorted((ROOT / "runtime" / "c").rglob("*.h")):
        asked = re.findall(r"->integrator [!=<>]=? *\w+", path.read_text(encoding="utf-8"))
        assert {found.split()[-1] for found in asked} <= {"SEMI_IMPLICIT", "RK4", "0", "known"}, path.name
        assert not re.search(r"integrator [!=]= \d", path.read_text(encoding="utf-8")), path.name


def test_without_loops_there_are_no_places_of_cut_joints() -> None:
    assert not {"_CUT_", "LOOP"} & set(re.findall("_CUT_|LOOP", FILES["double_pendulum/double_pendulum.h"]))


DONE = """
#include "double_pendulum.h"
#include <stdio.h>
int main(void)
{
    double q[8] = {0.3, -0.2, 0.3, -0.2, 0.3, -0.2, 0.3, -0.2}, v[8] = {0}, tau[2] = {0};
    long done[4] = {-7, 0, 11, 10};
    double_pendulum_simulation s = {0};
    double_pendulum_simulations all = {0};
    s.steps = 10, s.dt = 1e-3, s.q = q, s.v = v, s.tau = tau;
    all.count = 4, all.fresh = 1, all.done = done;
    const long made = double_pendulum_simulate_all(&s, &all);
    printf("%ld: %ld %ld %ld %ld, %d %d %d %d", made, done[0], done[1], done[2], done[3], q[0] != 0.3, q[2] != 0.3,
        q[4] != 0.3, q[6] != 0.3);
    s.steps = -3;
    printf(", %ld", double_pendulum_simulate(&s));
    return 0;
}
"""


def test_simulations_of_impossible_steps_before_make_none(tmp_path: Path) -> None:
    """What `done` holds before the call is read, as the header says."""
    header = re.sub(r"\s*\n {5}\* ", " ", FILES["double_pendulum/double_pendulum.h"])
    assert "steps makes no step and is then -1 */ long *done;" in re.sub(r"\s+", " ", header)
    assert "/* (count) steps that each has made, read and written: 0 for one that starts." in header
    model = MECHANISMS["double_pendulum"]()
    assert isinstance(model, Mechanism)
    generate(model).write(tmp_path)
    (tmp_path / "main.c").write_text(DONE)
    sources = map(str, sorted(tmp_path.rglob("*.c")))
    subprocess.run(["gcc", "-std=c99", "-I", str(tmp_path), *sources, "-lm", "-o", str(tmp_path / "main")], check=True)
    told = subprocess.run([str(tmp_path / "main")], check=True, capture_output=True, text=True).stdout
    assert told == "4: -1 10 -1 10, 0 1 0 0, 0"


def test_a_struct_whose_members_stand_in_another_order_is_refused() -> None:
    ffi = cffi.FFI()
    ffi.cdef("typedef struct { long pair, feature; double gap; } m_told; typedef struct { long a; } m_short;")
    fields = tuple(Field(type_, name, "") for type_, name in (("long", "feature"), ("long", "pair"), ("double", "gap")))
    with pytest.raises(BuildError, match="m_told has other members, or in another order: pair, feature, gap"):
        Struct("told", "", fields).check(ffi, "m")
    with pytest.raises(BuildError, match="m_short has 8 bytes, expected 24"):
        Struct("short", "", fields).check(ffi, "m")
    Struct("told", "", (fields[1], fields[0], fields[2])).check(ffi, "m")
    assert ffi.sizeof("m_told") == Struct("told", "", fields).dtype.itemsize
