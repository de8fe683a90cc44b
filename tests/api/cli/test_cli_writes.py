"""The command `kinegen` as its users meet it: what it writes."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.cli import bench as bench_command
from kinegen.cli.failures import run
from kinegen.codegen.pipeline import generate
from kinegen.codegen.report.tables import kernels_table
from kinegen.runtime import load
from kinegen.runtime.simulation.trajectory import Trajectory
from support.animations import data_of, unpacked
from support.c.c_driver import STRICT
from support.commands import EXAMPLES, PENDULUM, text


def test_demo_throws_the_human_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo"]) == 0
    said = capsys.readouterr()
    assert "17 links; joints: 1 free, 12 spherical, 4 revolute" in said.out
    assert "nq = 59, nv = 46, 40 of them actuated" in said.out
    assert re.search(r"momentum drift .* linear \S+e-(0[89]|1\d), angular \S+e-(0[89]|1\d) of the largest", said.out)
    assert re.search(r"forward_dynamics +│ +\d+ │ +4 │ articulated", said.out)
    assert said.err == ""  # no bars where there is no terminal
    trajectory = Trajectory.load("kinegen-demo/trajectory.npz")
    assert trajectory.t[-1] == pytest.approx(3.0)
    assert trajectory.q.shape == (601, 59)
    for picture in ("motion.png", "figures.png"):
        assert Path("kinegen-demo", picture).read_bytes().startswith(b"\x89PNG")


def test_demo_of_a_robot_says_so_if_it_comes_from_the_cache(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert run(["demo", PENDULUM, "--root", "fixed", "-o", "out", "--duration", "0.5", "--seed", "3"]) == 0
    said = capsys.readouterr().out
    assert "from cache in" in said and "energy drift" in said and "momentum drift" not in said
    assert {path.name for path in Path("out").iterdir()} == {
        *("trajectory.npz", "motion.png", "figures.png", "motion.html")
    }


def test_demo_counts_joints_that_close_loops(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", str(EXAMPLES / "fourbar.toml"), "--duration", "0.1"]) == 0
    assert "3 links; joints: 4 revolute; 1 loop" in capsys.readouterr().out


def test_demo_floats_a_robot_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    Path("body.urdf").write_text(
        '<robot name="body"><link name="a"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" '
        'iyz="0" izz="0.25"/></inertial></link></robot>'
    )
    assert run(["demo", "body.urdf", "--duration", "0.2"]) == 0
    said = capsys.readouterr()
    assert "1 free" in said.out and "momentum drift" in said.out and said.err == ""


def test_demo_holds_what_has_no_mass_to_float_with(capsys: pytest.CaptureFixture[str]) -> None:
    Path("held.urdf").write_text(
        re.sub('<link name="base">.*?</link>', '<link name="base"/>', text(PENDULUM), flags=re.S)
    )
    assert run(["demo", "held.urdf", "--duration", "0.1"]) == 0
    said = capsys.readouterr()
    assert "joints: 2 continuous" in said.out
    assert said.err == "note: held to world instead of thrown, since: its root link 'base' has no mass\n"


def test_generate_writes_what_is_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["generate", PENDULUM, "-o", "c", "--root", "free", "--name", "swing", "--reference"]) == 0
    sources = kg.generate(kg.load(PENDULUM, root="free", name="swing"))
    written = {path.relative_to("c").as_posix() for path in Path("c").rglob("*") if path.is_file()}
    assert written == {*sources.files, "swing_manifest.json"}
    for name, content in sources.files.items():
        assert text(f"c/{name}") == content
    (command,) = re.findall(r"build it: (cd .*)", capsys.readouterr().out.replace("\n", " "))
    subprocess.run(["bash", "-ec", command], check=True)


def test_generate_writes_reference_kernels_only_when_asked() -> None:
    assert run(["generate", PENDULUM, "-o", "c", "--name", "swing"]) == 0
    assert not Path("c/swing_reference.c").exists() and "_cog(" not in text("c/swing.h")
    assert "swing_simulate(" in text("c/swing.h")


def test_generate_writes_some_kernels_and_what_they_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(
            ["generate", PENDULUM, "-o", "c", "--name", "swing", "--kernels", "forward_dynamics_damped, frame_jacobian"]
        )
        == 0
    )
    (command,) = re.findall(r"build it: (cd .*)", capsys.readouterr().out.replace("\n", " "))
    subprocess.run(["bash", "-ec", command], check=True)
    named = re.findall(r"^void swing_(\w+)\(", text("c/swing.h"), re.M)
    assert {name for name in named if not name.endswith("_batch")} == {
        *("forward_dynamics_damped", "mass_matrix", "bias", "frame_jacobian")
    }


def test_generate_removes_what_it_wrote_before_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["generate", PENDULUM, "-o", "c", "--name", "swing"]
    for options in ([], ["--name", "other"]):
        assert run([*line, *options]) == 0
    for name in ("swing_mine.c", "manifest.json", "strange_manifest.json"):
        Path("c", name).write_text('{"prefix": "swing", "sources": ["../outside.c", "kinegen/../../outside.c"]}')
    Path("outside.c").touch()
    others = {path for path in Path("c").rglob("*") if not path.name.startswith("swing")}
    capsys.readouterr()
    assert run([*line, "--kernels", "bias"]) == 0
    left = {path.name for path in Path("c").glob("swing*")}
    assert left == {"swing.h", "swing_dynamics.c", "swing_manifest.json", "swing_mine.c"}
    assert others <= set(Path("c").rglob("*")) and Path("outside.c").is_file()
    said = " ".join(capsys.readouterr().out.split())
    assert "removed, left by an earlier generation: swing_" in said and "other" not in said.partition("removed")[2]


def test_generate_refuses_to_replace_files_of_another_model(capsys: pytest.CaptureFixture[str]) -> None:
    """Whose public header has the name of this one's internal one, or that has the same prefix."""
    for first, second, said in (
        ("swing_model", "swing", "swing_model.h"),
        ("swing", "swing_model", "swing_model.h"),
        ("swing-up", "Swing up", "swing_up.h"),
    ):
        line = ["generate", PENDULUM, "-o", first, "--name"]
        assert run([*line, first]) == 0
        before = {path: path.read_bytes() for path in Path(first).rglob("*") if path.is_file()}
        assert run([*line, second]) == 2
        told = " ".join(capsys.readouterr().err.split())
        assert f"the files of model '{first}' there would be replaced by those of '{second}' (" in told and said in told
        assert before == {path: path.read_bytes() for path in Path(first).rglob("*") if path.is_file()}
        assert run([*line, first]) == 0


@pytest.mark.parametrize("names", [("swing", "swing_q"), ("swing_q", "swing")])
def test_generate_refuses_names_in_c_that_a_model_there_has(
    names: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """SWING_Q_NQ: where joint nq of swing stands in q, and how many q swing_q has."""
    Path("nq.urdf").write_text(text(PENDULUM).replace('name="elbow"', 'name="nq"'))
    line = ["generate", "nq.urdf", "-o", "c", "--kernels", "bias", "--name"]
    assert run([*line, names[0]]) == 0 == run([*line, "swing_qq"])
    before = {path: path.read_bytes() for path in Path("c").rglob("*") if path.is_file()}
    assert run([*line, names[1]]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert f"model '{names[0]}' there and '{names[1]}' would have the same names in C (SWING_Q_NQ); give" in told
    assert before == {path: path.read_bytes() for path in Path("c").rglob("*") if path.is_file()}


def test_generate_sees_the_compiled_model_in_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    """Another model takes none of its files and none of its names in C, and it is replaced by a compiled one."""
    line = ["generate", PENDULUM, "-o", "c", "--name"]
    assert run([*line, "swing-up", "--compile"]) == 0
    before = {path: path.read_bytes() for path in Path("c").rglob("*") if path.is_file()}
    assert run([*line, "Swing up"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "the files of model 'swing-up' there would be replaced by those of 'Swing up' (swing_up.h" in told
    assert run([*line, "swing_up_momentum"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "model 'swing-up' there and 'swing_up_momentum' would have the same names in C (" in told
    assert before == {path: path.read_bytes() for path in Path("c").rglob("*") if path.is_file()}
    assert run([*line, "Swing up", "--compile"]) == 0
    assert load("c").module.manifest.name == "Swing up"


def test_generate_leaves_nothing_of_a_model_that_was_there_compiled_or_not(capsys: pytest.CaptureFixture[str]) -> None:
    """What was compiled from the C of an earlier generation does not stay beside that of this one."""
    line = ["generate", PENDULUM, "--name", "swing", "-o"]
    assert run([*line, "c", "--compile"]) == 0 == run([*line, "plain"])
    compiled = {path.relative_to("c") for path in Path("c").rglob("*")}
    Path("c/mine.so").touch()
    capsys.readouterr()
    assert run([*line, "c"]) == 0
    assert "removed, left by an earlier generation: _swing" in " ".join(capsys.readouterr().out.split())
    plain = {path.relative_to("plain") for path in Path("plain").rglob("*") if path.is_file()}
    assert {path.relative_to("c") for path in Path("c").rglob("*") if path.is_file()} == {*plain, Path("mine.so")}
    assert run([*line, "c", "--compile"]) == 0
    assert {path.relative_to("c") for path in Path("c").rglob("*")} == {*compiled, Path("mine.so")}


def test_generate_removes_the_webassembly_of_an_earlier_generation(capsys: pytest.CaptureFixture[str]) -> None:
    """A module of the former model does not stay beside the C of this one; files of others that are called so do."""
    line = ["generate", PENDULUM, "-o", "c", "--name", "swing", "--kernels", "bias"]
    module = {Path("c", f"swing.{suffix}") for suffix in ("wasm", "js", "d.ts")}
    assert run([*line, "--wasm"]) == 0 and module <= set(Path("c").iterdir())
    Path("c/other.js").write_bytes(Path("c/swing.js").read_bytes())
    capsys.readouterr()
    assert run(line) == 0 and module.isdisjoint(Path("c").iterdir()) and Path("c/other.js").exists()
    said = " ".join(capsys.readouterr().out.split())
    assert "removed, left by an earlier generation: swing.d.ts, swing.js, swing.wasm build it" in said
    for path in module:
        path.write_text("export const mine = 1;\n")
    assert run(line) == 0 and module <= set(Path("c").iterdir())
    assert run([*line, "--wasm"]) == 0 and module <= set(Path("c").iterdir())


def test_the_line_that_builds_and_the_one_that_loads_take_any_folder(capsys: pytest.CaptureFixture[str]) -> None:
    folder = 'it\'s a "dir"'
    line = ["generate", PENDULUM, "-o", folder, "--name", "swing"]
    assert run([*line, "--kernels", "bias"]) == 0
    (command,) = re.findall(r"build it: (cd .*)", capsys.readouterr().out.replace("\n", " "))
    subprocess.run(["bash", "-ec", command], check=True)
    assert Path(folder, "swing_dynamics.o").is_file()
    assert run([*line, "--compile"]) == 0
    (argument,) = re.findall(r"kinegen\.runtime\.load\((.*)\)$", capsys.readouterr().out, re.M)
    assert ast.literal_eval(argument) == folder


def test_two_models_with_contact_in_one_folder_make_one_program() -> None:
    """They share the library below kinegen/."""
    ball = kg.Link("ball", 1.0, inertia=kg.inertia.sphere(1.0, 0.1), shapes=[kg.sphere(0.1)])
    for name in ("first_globe", "second_globe"):
        kg.save(
            kg.Mechanism(name, [ball], [kg.Joint("free", "free", "world", "ball")], shapes=[kg.plane()]), f"{name}.toml"
        )
        assert run(["generate", f"{name}.toml", "-o", "c", "--kernels", "simulate"]) == 0
    main = "int main(void) { return first_globe_contact_usual.sweeps != second_globe_contact_usual.sweeps; }\n"
    Path("c/main.c").write_text(f'#include "first_globe.h"\n#include "second_globe.h"\n{main}')
    subprocess.run("cc -std=c99 -O0 *.c kinegen/*/*.c -lm -o both && ./both", shell=True, cwd="c", check=True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kernels", "mas_matrix"], "no kernel 'mas_matrix'; did you mean 'mass_matrix'"),
        (["--kernels", " , "], "--kernels: give names of kernels"),
        (["--kernels", "bias", "--compile"], "leave out one of them"),
        (["--kernels", "bias", "--reference"], "name those of --reference among them, such as mass_matrix_cog"),
        (["--dtype", "float32", "--reference"], "computes with doubles: leave out one of --reference and --dtype"),
        (["--target", "pentium99"], "--target pentium99 says what --compile compiles for: add --compile"),
    ],
)
def test_generate_refuses_a_selection_that_means_nothing(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["generate", PENDULUM, "-o", "c", *options]) == 2
    assert said in capsys.readouterr().err
    assert not Path("c").exists()


def test_generate_leaves_processes_alone_that_have_loaded_what_it_replaces() -> None:
    """Its library in place of the other one, in which the first goes on. A folder holds one compiled model."""
    line = ["generate", "swing.urdf", "--compile", "-o", "c"]
    Path("swing.urdf").write_text(text(PENDULUM))
    Path("c").mkdir()
    Path("c/old_step.c").touch()
    Path("c/manifest.json").write_text('{"prefix": "old", "sources": ["old_step.c"]}')
    assert run(line) == 0
    assert not Path("c/old_step.c").exists()
    libraries = {path: path.read_bytes() for path in Path("c").glob("*.so")}
    kept = {path: path.open("rb") for path in libraries}
    Path("swing.urdf").write_text(re.sub(r'mass value="[^"]*"', 'mass value="3"', text(PENDULUM)))
    assert run(line) == 0
    for path, content in libraries.items():
        with kept[path] as file:
            assert file.read() == content != path.read_bytes()
    model = load("c")
    assert model.total_mass() == pytest.approx(6.0)  # two links that move
    assert not [path for path in Path("c").rglob("*") if path.name.startswith(".")]


def test_generate_writes_c_of_floats(capsys: pytest.CaptureFixture[str]) -> None:
    """Which no compiler finds a double in; a microcontroller needs no more than the C99 of its compiler."""
    assert run(["generate", PENDULUM, "-o", "c", "--root", "free", "--name", "swing", "--dtype", "float32"]) == 0
    assert "All numbers are floats" in text("c/swing.h") and "double" not in text("c/swing.h")
    assert "void swing_integrate(const float *q, const float *v_dt, float *q_out);" in text("c/swing.h")
    (command,) = re.findall(r"build it: (cd .*)", capsys.readouterr().out.replace("\n", " "))
    strict = " ".join((*STRICT, "-Wfloat-conversion"))
    subprocess.run(["bash", "-ec", command.replace("-std=c99", strict)], check=True)
    objects = [str(path) for path in Path("c").glob("*.o")]
    undefined = subprocess.run(["nm", "-u", *objects], capture_output=True, text=True, check=True).stdout.split()
    assert {"sinf", "cosf"} <= set(undefined) and {"sin", "cos", "sqrt"}.isdisjoint(undefined)


def test_generate_of_floats_with_compile_and_what_it_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    single = ["generate", PENDULUM, "--dtype", "float32"]
    assert run([*single, "-o", "c", "--compile", "--lanes"]) == 0
    assert kg.SingleModel.load("c").com([0.0, 0.0]).dtype == "float32"
    assert 'kinegen.runtime.SingleModel.load("c")' in capsys.readouterr().out
    assert run([*single, "-o", "other", "--wasm"]) == 2
    assert "computes with doubles: leave out one of --wasm and --dtype" in capsys.readouterr().err
    assert run([*single, "-o", "other", "--kernels", "simulate"]) == 2
    assert "no kernel 'simulate' of float32" in capsys.readouterr().err
    assert run(["generate", str(EXAMPLES / "fourbar.toml"), "-o", "other", "--dtype", "float32"]) == 2
    assert "closes a loop" in capsys.readouterr().err and not Path("other").exists()


def test_generate_with_compile_gives_a_folder_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """All C in it is the model's: who compiles it needs no Python.h. The next compiled model takes its place."""
    assert run(["generate", PENDULUM, "-o", "c", "--compile"]) == 0
    model = kg.Model.load("c")
    assert model.nv == 2
    assert 'kinegen.runtime.load("c")' in capsys.readouterr().out
    written = {path.relative_to("c").as_posix() for path in Path("c").rglob("*.c")}
    assert written == {name for name in model.module.manifest.sources if name.endswith(".c")}
    (library,) = Path("c").glob("*.so")
    record = json.loads(text("c/record.json"))
    Path("c/record.json").write_text(json.dumps({**record, "module": "old.so", "digests": {"old.so": "", "a.py": ""}}))
    for name in ("old.so", "mine.so"):
        Path("c", name).touch()
    assert run(["generate", PENDULUM, "-o", "c", "--compile"]) == 0
    assert not Path("c/old.so").exists() and Path("c/mine.so").exists() and library.exists()
    assert "removed, left by an earlier generation: old.so" in capsys.readouterr().out


def test_inspect_shows_pointers_joints_and_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", PENDULUM, "--root", "free"]) == 0
    said = capsys.readouterr()
    for wanted in ("brother", "joints: nq = 9, nv = 8", "root_joint", "0-6", "articulated", "operations"):
        assert wanted in said.out
    assert said.err == ""


def test_kernels_that_are_loops_show_no_operations(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the straight-line code ahead of a loop stood there as if they were all."""
    manifest = generate(kg.load(PENDULUM)).manifest
    loops = [kernel.name for kernel in manifest.kernels if kernel.route.endswith("loop")]
    assert {"inverse_derivatives", "frame_pose", "torque_terms"} <= set(loops)
    shown = {row[0]: row for row in kernels_table(manifest).rows}
    assert run(["inspect", PENDULUM]) == 0
    lines = {line.split()[1]: line for line in capsys.readouterr().out.splitlines() if line.startswith("│ ")}
    for name in loops:
        assert not any(shown[name][1:7]), name
        assert re.match(rf"│ {name} +│ +│ +│ loop", lines[name]), name
    assert shown["inverse_dynamics"][1] and re.match(r"│ inverse_dynamics +│ +\d+ │", lines["inverse_dynamics"])


def test_only_kernels_that_eliminate_say_so() -> None:
    kernels = generate(kg.load(EXAMPLES / "fourbar.toml")).manifest.kernels
    said = {kernel.name: (kernel.route, kernel.reason) for kernel in kernels}
    for name in ("passive_forces", "closure_gap", "closure_offsets", "loop_coordinates", "loop_jacobian"):
        assert said[name] == ("", "read from poses and velocities of the two sides of the cut joints")
    assert said["forward_dynamics_reduced"] == ("reduced", "generic elimination with complete pivoting")


def test_inspect_prints_h_w_s_of_loops(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", str(EXAMPLES / "fourbar.toml")]) == 0
    said = capsys.readouterr().out
    assert "independent: drive; dependent: knee, pivot, close; actuated: drive" in said
    assert "q_close = q_pivot - q_drive - q_knee" in said
    (fraction,) = re.findall(r"W = .*?-3⋅sin\(q_knee\) *⎥\n.*?(7⋅sin\(\w+\))", said, re.DOTALL)
    assert fraction == "7⋅sin(q_close)" and "S = [1]" in said


def test_inspect_writes_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", PENDULUM, "--html", "a/new/page.html"]) == 0
    assert "page.html: " in capsys.readouterr().out
    assert text("a/new/page.html").rstrip().endswith("</html>")


def test_inspect_latex(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", PENDULUM, "--latex"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(r"\left[\begin{matrix}") and r"\cos" in said and said.count("\n") == 1


def test_simulate_writes_what_the_scene_and_the_line_ask_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "double_pendulum.toml", "-o", "mine/run.npz"]) == 0
    assert Trajectory.load("mine/run.npz").t[-1] == pytest.approx(10.0)
    assert not Path("out/double_pendulum.npz").exists()  # the line goes before the scene
    assert Path("out/double_pendulum.png").is_file() and Path("out/double_pendulum_figures.png").is_file()
    said = capsys.readouterr()
    assert "10000 steps of 1 ms by rk4" in said.out and said.err == ""


def test_simulate_tells_the_time_that_was_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    Path("short.toml").write_text('model = "double_pendulum.urdf"\nduration = 0.0105\n')
    assert run(["simulate", "short.toml"]) == 0
    assert re.search(r"double_pendulum: 0\.01 s in .*, 10 steps of 1 ms", capsys.readouterr().out)


def test_motions_as_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "double_pendulum.toml", "-o", "run.npz", "--html", "a.html"]) == 0
    assert run(["animate", PENDULUM, "run.npz", "-o", "new/b.html", "--fps", "20"]) == 0
    assert "b.html: " in capsys.readouterr().out
    t = [unpacked(data_of(text(page))["t"], "<f8", -1) for page in ("a.html", "new/b.html")]
    assert [len(times) for times in t] == [301, 201] and t[0][-1] == t[1][-1] == pytest.approx(10.0)
    assert run(["animate", PENDULUM, "run.npz", "-o", "b.png"]) == 2
    assert "end its name with .html" in capsys.readouterr().err
    assert run(["view", PENDULUM, "run.npz", "-o", "c.html"]) == 0
    assert len(unpacked(data_of(text("c.html"))["t"], "<f8", -1)) == 301
    fourbar = str(EXAMPLES / "fourbar.toml")
    for command in (["animate", fourbar, "run.npz", "-o", "d.html"], ["view", fourbar, "run.npz", "-o", "d.html"]):
        assert run(command) == 2
        assert "is a motion of 'double_pendulum' with joints shoulder, elbow" in capsys.readouterr().err
    assert run(["view", PENDULUM, "no.npz", "-o", "d.html"]) == 2
    assert not Path("d.html").exists()


HELD = """model = "double_pendulum.urdf"
duration = 0.1
gravity = [0, 0, -1.62]
initial.q.shoulder = 1.0
hold.elbow.damping = 0.1
"""
CAUGHT = """
[[connection]]
name = "catch"
between = ["lower", "world"]
kind = "revolute"
axis = [0, 1, 0]
[[event]]
at = 0.05
connect = ["catch"]
"""


def test_motions_of_scenes(capsys: pytest.CaptureFixture[str]) -> None:
    """What a scene adds to its model is in its motions, gravity and connections, which the model alone has not."""
    Path("held.toml").write_text(HELD)
    Path("caught.toml").write_text(HELD + CAUGHT)
    assert run(["simulate", "held.toml", "-o", "held.npz"]) == 0
    assert run(["simulate", "caught.toml", "-o", "caught.npz", "--html", "a.html"]) == 0
    for command, page in (("animate", "b.html"), ("view", "c.html")):
        assert run([command, "caught.toml", "caught.npz", "-o", page]) == 0
        assert text(page) == text("a.html")
    explained = ["explain", "held.toml", "held.npz", "--joint", "shoulder"]
    capsys.readouterr()
    largest = []
    for model in ("held.toml", PENDULUM):
        explained[1] = model
        assert run(explained) == 0
        (found,) = re.findall(r"gravity +│ +\S+ │ +(\S+)", capsys.readouterr().out)
        largest.append(float(found))
    assert largest[0] == pytest.approx(largest[1] * 1.62 / 9.81, rel=1e-3)
    for line, complaint in (
        (f"animate {PENDULUM} caught.npz -o d.html", "and model 'double_pendulum' has 0: give what moved"),
        (f"explain {PENDULUM} caught.npz --joint elbow", "and model 'double_pendulum' has 0: give what moved"),
        ("explain caught.toml caught.npz --joint elbow", "forces of connections that come and go are not explained"),
    ):
        assert run(line.split()) == 2
        assert complaint in capsys.readouterr().err


def test_bench_beside_others(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_command, "ENOUGH", 1e-4)
    monkeypatch.setattr(bench_command, "ROUNDS", 1)
    assert run(["bench", PENDULUM, "--root", "free", "--against", "pinocchio, mujoco"]) == 0
    (row,) = re.findall(r"│ (forward_dynamics +│.*)│", capsys.readouterr().out)
    figures = [float(cell) for cell in row.split("│")[1:]]
    assert len(figures) == 8 and min(figures) > 0.0


def test_cache(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KINEGEN_CACHE", str(tmp_path / "cache"))
    assert run(["cache"]) == 0
    assert "0 models" in capsys.readouterr().out
    kg.compile(kg.load(PENDULUM), progress=False)
    assert run(["cache", "list"]) == 0
    assert "1 models" in capsys.readouterr().out
    assert run(["cache", "clear"]) == 0
    assert run(["cache"]) == 0
    assert "freed" in (said := capsys.readouterr().out) and "0 models" in said


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"kinegen {kg.__version__}\n"
    assert run(["--help"]) == 0
    said = capsys.readouterr().out
    for command in ("demo", "generate", "inspect", "simulate", "bench", "cache"):
        assert command in said
        assert run([command, "--help"]) == 0
