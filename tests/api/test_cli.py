"""The command `kinegen` as its users meet it: what it writes, and one line and exit code 2 where it cannot."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.cli import bench as bench_command
from kinegen.cli.failures import run
from kinegen.runtime.simulation.trajectory import Trajectory
from support.animations import data_of, unpacked

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = [sys.executable, "-c", "from kinegen.cli import main; main()"]
PENDULUM = "double_pendulum.urdf"
NO_INERTIA = """<robot name="m"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>
<child link="b"/></joint></robot>"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Commands run in a folder of their own, which holds the examples."""
    for file in EXAMPLES.glob("*.*"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def text(file: str) -> str:
    return Path(file).read_text(encoding="utf-8")


# ---- What it writes


def test_demo_throws_the_human_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo"]) == 0
    said = capsys.readouterr()
    assert "17 links; joints: 1 free, 12 spherical, 4 revolute" in said.out
    assert "nq = 59, nv = 46, 40 of them actuated" in said.out
    assert re.search(r"momentum drift .* linear \S+e-\d\d, angular \S+e-(0[89]|1\d) of the largest", said.out)
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
    assert written == {*sources.files, "manifest.json"}
    for name, text in sources.files.items():
        assert Path("c", name).read_text() == text
    (command,) = re.findall(r"build it: (cd .*)", capsys.readouterr().out.replace("\n", " "))
    subprocess.run(["bash", "-ec", command], check=True)


def test_generate_writes_reference_kernels_only_when_asked() -> None:
    assert run(["generate", PENDULUM, "-o", "c", "--name", "swing"]) == 0
    assert not Path("c/swing_reference.c").exists() and "_cog(" not in text("c/swing.h")
    assert "swing_simulate(" in text("c/swing.h")


def test_generate_writes_some_kernels_and_what_they_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["generate", PENDULUM, "-o", "c", "--name", "swing", "--kernels", "bias, frame_jacobian"]) == 0
    (command,) = re.findall(r"build it: (cd .*)", capsys.readouterr().out.replace("\n", " "))
    subprocess.run(["bash", "-ec", command], check=True)
    named = re.findall(r"^void swing_(\w+)\(", text("c/swing.h"), re.M)
    assert {name for name in named if not name.endswith("_batch")} == {"bias", "link_poses", "frame_jacobian"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kernels", "mas_matrix"], "no kernel 'mas_matrix'; did you mean 'mass_matrix'"),
        (["--kernels", " , "], "--kernels: give names of kernels"),
        (["--kernels", "bias", "--compile"], "leave out one of them"),
    ],
)
def test_generate_refuses_a_selection_that_means_nothing(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["generate", PENDULUM, "-o", "c", *options]) == 2
    assert said in capsys.readouterr().err
    assert not Path("c").exists()


def test_generate_with_compile_gives_a_folder_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["generate", PENDULUM, "-o", "c", "--compile"]) == 0
    assert kg.Model.load("c").nv == 2
    assert 'kinegen.runtime.load("c")' in capsys.readouterr().out


def test_inspect_shows_pointers_joints_and_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", PENDULUM, "--root", "free"]) == 0
    said = capsys.readouterr()
    for wanted in ("brother", "joints: nq = 9, nv = 8", "root_joint", "0-6", "articulated", "operations"):
        assert wanted in said.out
    assert said.err == ""


def test_inspect_prints_h_w_s_of_loops(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", str(EXAMPLES / "fourbar.toml")]) == 0
    said = capsys.readouterr().out
    assert "independent: drive; dependent: knee, pivot, close; actuated: drive" in said
    assert "q_close = q_pivot - q_drive - q_knee" in said
    (fraction,) = re.findall(r"W = .*?-3⋅sin\(q_knee\) *⎥\n.*?(7⋅sin\(\w+\))", said, re.DOTALL)
    assert fraction == "7⋅sin(q_close)" and "S = [1]" in said


def test_inspect_writes_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", PENDULUM, "--html", "page.html"]) == 0
    assert "page.html: " in capsys.readouterr().out
    assert text("page.html").rstrip().endswith("</html>")
    assert run(["inspect", PENDULUM, "--html", "no/such/folder.html"]) == 2
    assert "cannot be written" in capsys.readouterr().err


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


def test_motions_as_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "double_pendulum.toml", "-o", "run.npz", "--html", "a.html"]) == 0
    assert run(["animate", PENDULUM, "run.npz", "-o", "b.html", "--fps", "20"]) == 0
    assert "b.html: " in capsys.readouterr().out
    t = [unpacked(data_of(text(page))["t"], "<f8", -1) for page in ("a.html", "b.html")]
    assert [len(times) for times in t] == [301, 201] and t[0][-1] == t[1][-1] == pytest.approx(10.0)
    assert run(["animate", PENDULUM, "run.npz", "-o", "b.png"]) == 2
    assert "end its name with .html" in capsys.readouterr().err


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


# ---- What it cannot do


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("demo nowhere.urdf", "nowhere.urdf: "),
        ("demo nowhere", "nowhere: there is no such file; give a file (.urdf"),
        ("demo robot.step", "robot.step: no reader for '.step' files"),
        ("inspect .urdf", ""),
        ("inspect folder.urdf", "folder.urdf: "),
        ("inspect broken.urdf", "broken.urdf"),
        ("demo noinertia.urdf --root fixed", "joint 'j'"),
        ("generate human_figure -o double_pendulum.urdf", "double_pendulum.urdf: File exists"),
        ("simulate nowhere.toml", "nowhere.toml: cannot be read: No such file or directory"),
        ("simulate wrong.toml", "wrong.toml: durations: unknown key; did you mean 'duration'?"),
        ("simulate double_pendulum.urdf", "double_pendulum.urdf: not valid TOML"),
        ("simulate lost.toml", "lost.urdf: "),
        ("simulate double_pendulum.toml --plot curves.xyz", "curves.xyz: no pictures of that kind; known: "),
        ("bench human_figure --against pinocchio", "--against pinocchio: needs a URDF file"),
        ("bench double_pendulum.urdf --against pinnochio", "--against: unknown 'pinnochio'; known: pinocchio, mujoco"),
        ("inspect human_figure --latex", "closed form"),
        ("bench weightless.urdf --root free --against mujoco", "--against mujoco: it refuses weightless.urdf: "),
    ],
)
def test_one_line_says_what_is_wrong(line: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.urdf").write_text("<robot name='x'>")
    Path("noinertia.urdf").write_text(NO_INERTIA)
    Path("weightless.urdf").write_text('<robot name="w"><link name="a"/></robot>')
    Path("folder.urdf").mkdir()
    Path("wrong.toml").write_text('model = "double_pendulum.urdf"\nduration = 1\ndurations = 1\n')
    Path("lost.toml").write_text('model = "lost.urdf"\nduration = 1\n')
    assert run(line.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(r"error: [^\n]+\n", said.err)
    assert complaint in said.err


@pytest.mark.parametrize(
    "line", ["", "dmeo", "demo --dt soon", "demo --dt -1", "generate", "cache destroy", "demo --rot free"]
)
def test_wrong_usage_is_exit_code_2(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line.split()) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_names_that_look_like_markup_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    Path("[bold]x.urdf").write_text("<robot name='[red]evil[/]'><link name='[/red]'/></robot>")
    assert run(["inspect", "[bold]x.urdf"]) == 0
    said = capsys.readouterr().out
    assert "[red]evil[/]" in said and "[/red]" in said
    Path("[bold]y.urdf").write_text("<robot name='[red]evil[/]'><link name='[/red]'/>")
    assert run(["inspect", "[bold]y.urdf"]) == 2
    assert "[bold]y.urdf" in capsys.readouterr().err


def test_debug_shows_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", "nowhere.urdf", "--debug"]) == 2
    said = capsys.readouterr().err
    assert "Traceback" in said and said.splitlines()[-1].startswith("error: nowhere.urdf")


def test_a_bug_of_ours_is_called_one(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise kg.InternalError("an invariant")

    monkeypatch.setattr("kinegen.cli.cache.run", broken)
    assert run(["cache"]) == 1
    assert capsys.readouterr().err == "bug in kinegen: InternalError: an invariant; --debug shows where\n"


def test_interrupted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kinegen.cli.cache.run", interrupted)
    assert run(["cache"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_warnings_take_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    odd = text(PENDULUM).replace('izz="0.0002"', 'izz="9"', 1)
    Path("odd.urdf").write_text(odd)
    assert run(["inspect", "odd.urdf"]) == 0
    assert re.fullmatch(
        r"warning: odd\.urdf: links with inertias that no body can have[^\n]*\n", capsys.readouterr().err
    )


# ---- As a process


def test_a_reader_that_leaves_early_is_no_error() -> None:
    line = f'{" ".join(map(repr, COMMAND[:2]))} "{COMMAND[2]}" inspect {PENDULUM} | head -1'
    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert done.stdout.startswith("links of double_pendulum")


def test_bars_at_a_terminal(tmp_path: Path) -> None:
    """At a terminal long stages show progress, and leave nothing of it on the screen."""
    environment = {**os.environ, "KINEGEN_CACHE": str(tmp_path / "cache"), "TERM": "xterm", "COLUMNS": "120"}
    command = [*COMMAND, "demo", PENDULUM, "--duration", "0.1"]
    keeper, terminal = pty.openpty()
    done = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal, stdin=terminal, env=environment)
    os.close(terminal)
    shown = b""
    while done.poll() is None or shown == b"":
        try:
            shown += os.read(keeper, 65536)
        except OSError:  # the terminal is closed: Linux says so by an input/output error
            break
    os.close(keeper)
    assert done.wait(60) == 0
    assert b"deriving" in shown and b"simulating" in shown


KINEGEN = f"{sys.executable} -c 'from kinegen.cli import main; main()'"
OUTPUTS = {
    "letters that it lacks": ("PYTHONIOENCODING=ascii {} inspect double_pendulum.urdf", "0", r"\xd7"),
    "closed": ("{} cache list >&-", "0", ""),
    "both closed": ("{} inspect nothing.urdf >&- 2>&-", "2", ""),
    "full": ("{} cache list > /dev/full", "2", "error: No space left on device"),
    "a reader that goes": ("{} inspect double_pendulum.urdf | head -1", "0", "links of double_pendulum"),
    "help for nobody": ("{} --help | true", "0", ""),
    "no such window": ("MPLBACKEND=zzz {} simulate double_pendulum.toml --plot a.png", "0", "plot  a.png"),
}


@pytest.mark.parametrize("case", OUTPUTS)
def test_any_output_will_do(case: str) -> None:
    """No output, and no setting of where pictures are shown, is a bug of ours."""
    line, code, words = OUTPUTS[case]
    script = f"{line.format(KINEGEN)}; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == code, done
    assert words in done.stdout + done.stderr
    assert "bug" not in done.stderr and "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
