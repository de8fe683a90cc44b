"""The command `kinegen` where it cannot: one line and exit code 2; warnings, bugs and interruptions."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import sympy

import kinegen as kg
from kinegen.cli.failures import run
from support.commands import PENDULUM, text

NO_INERTIA = """<robot name="m"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>
<child link="b"/></joint></robot>"""


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("demo nowhere.urdf", "nowhere.urdf: "),
        ("demo nowhere", "nowhere: there is no such file; give a file (.urdf"),
        ("demo robot.step", "robot.step: no reader for '.step' files"),
        (
            "demo double_pendulum.urdf --duration 0.01 --dt 0.1",
            "--duration: 0.01 s are less than a step of 0.1 s: shorten --dt, or simulate for longer",
        ),
        ("generate . -o c", ".: is a folder; give a file (.urdf"),
        ("inspect .urdf", ""),
        ("inspect folder.urdf", "folder.urdf: "),
        ("inspect broken.urdf", "broken.urdf"),
        ("demo noinertia.urdf --root fixed", "joint 'j'"),
        (
            "generate human_figure -o double_pendulum.urdf",
            "double_pendulum.urdf: is a file, and files are to be written",
        ),
        ("generate double_pendulum.urdf -o double_pendulum.toml/c", "toml/c: this folder cannot be made: Not a dir"),
        ("demo double_pendulum.urdf -o linked.png", "linked.png: is a file, and files are to be written into a folder"),
        (
            "demo double_pendulum.urdf -o /dev/null/x",
            "/dev/null/x: this folder cannot be made: Not a directory; give one",
        ),
        ("simulate nowhere.toml", "nowhere.toml: cannot be read: No such file or directory"),
        ("simulate wrong.toml", "wrong.toml: durations: unknown key; did you mean 'duration'?"),
        (
            "simulate double_pendulum.urdf",
            'double_pendulum.urdf: is a model, no scene; simulate a scene that says model = "double_pendulum.urdf"',
        ),
        ("simulate fourbar.toml", "or see kinegen demo, play or view fourbar.toml"),
        ("simulate human_figure", "human_figure: is a model, no scene; "),
        ("simulate nowhere.urdf", "nowhere.urdf: cannot be read: No such file or directory"),
        ("simulate lost.toml", "lost.urdf: "),
        ("simulate double_pendulum.toml --plot curves.xyz", "curves.xyz: no pictures of that kind; known: "),
        ("simulate double_pendulum.toml --plot a.png --pictures ./a.png", "both plot and pictures would be"),
        ("simulate double_pendulum.toml -o double_pendulum.toml", "double_pendulum.toml: is read here, and trajectory"),
        ("simulate double_pendulum.toml --html ./double_pendulum.urdf", "double_pendulum.urdf: is read here, and html"),
        ("simulate double_pendulum.toml --plot linked.png", "linked.png: is read here, and plot would be written"),
        ("inspect double_pendulum.urdf --html linked.png", "linked.png: is read here"),
        ("inspect double_pendulum.urdf --html page.txt", "page.txt: html goes to a file of its kind; end"),
        ("simulate double_pendulum.toml -o run.toml", "run.toml: trajectory goes to a file of its kind; end its name"),
        ("play double_pendulum.toml -o double_pendulum.toml", "double_pendulum.toml: is read here, and html would"),
        ("view double_pendulum.toml -o double_pendulum.toml", "double_pendulum.toml: is read here, and html would"),
        ("animate double_pendulum.urdf run.npz -o linked.png", "linked.png: is read here, and html would"),
        ("explain double_pendulum.urdf run.npz --joint elbow --plot a", "a: no pictures of that kind; known: "),
        ("inspect double_pendulum.urdf --html double_pendulum.toml/a.html", "a.html: cannot be written: "),
        ("explain double_pendulum.urdf run.npz --joint elbow --plot linked.png", "linked.png: is read here, and plot"),
        (
            "view double_pendulum.toml -o a.html",
            "kinegen simulate double_pendulum.toml --html a.html, one that goes on",
        ),
        ("view double_pendulum.urdf -o a.html --port 80", "-o only writes a page, and --port 80 says how one is"),
        ("view double_pendulum.urdf m.npz -o a.html --host x", "--host x says how one is served: leave out one of"),
        ("animate double_pendulum.toml run.npz -o a.html --root free", "a scene says itself what its root is"),
        ("explain double_pendulum.toml run.npz --joint elbow --root free", "a scene says itself what its root is"),
        ("animate double_pendulum.toml run.npz -o a.html --root fixed", "leave out --root"),
        ("demo --root fixed -o out", "human_figure: it floats and cannot be held to world: leave out root"),
        ("inspect human_figure --root fixed", "human_figure: it floats and cannot be held to world: leave out root"),
        ("simulate held.toml", "held.toml: model: human_figure: it floats and cannot be held to world: leave out root"),
        ("bench human_figure --against pinocchio", "--against pinocchio: needs a URDF file"),
        ("bench double_pendulum.urdf --against pinnochio", "--against: unknown 'pinnochio'; known: pinocchio, mujoco"),
        ("inspect human_figure --latex", "closed form"),
        ("inspect human_figure --latex", "is too large to read: --html FILE writes a page"),
        ("bench weightless.urdf --root free --against mujoco", "--against mujoco: it refuses weightless.urdf: "),
    ],
)
def test_one_line_says_what_is_wrong(line: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.urdf").write_text("<robot name='x'>")
    Path("noinertia.urdf").write_text(NO_INERTIA)
    Path("weightless.urdf").write_text('<robot name="w"><link name="a"/></robot>')
    Path("folder.urdf").mkdir()
    Path("wrong.toml").write_text('model = "double_pendulum.urdf"\nduration = 1\ndurations = 1\n')
    Path("fourbar.toml").write_text('joint = []\nlink = [{name = "crank"}]\n')
    Path("lost.toml").write_text('model = "lost.urdf"\nduration = 1\n')
    Path("held.toml").write_text('model = "human_figure"\nroot = "fixed"\nduration = 1\n')
    Path("linked.png").symlink_to("double_pendulum.urdf")
    before = {name: Path(name).read_bytes() for name in ("double_pendulum.urdf", "double_pendulum.toml")}
    assert run(line.split()) == 2
    said = capsys.readouterr()
    assert before == {name: Path(name).read_bytes() for name in before}
    assert said.out == ""
    assert re.fullmatch(r"error: [^\n]+\n", said.err)
    assert complaint in said.err


@pytest.mark.parametrize(
    "line",
    [
        "generate human_figure -o /dev/null/x",
        f"generate human_figure -o new/{'x' * 300}",
        "demo human_figure -o /dev/null/x",
    ],
)
def test_folders_are_made_before_anything_is_derived(
    line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def derived(*arguments: object, **options: object) -> None:
        raise AssertionError("in vain")

    monkeypatch.setattr("kinegen.cli.demonstration.generate", derived)
    assert run(line.split()) == 2
    assert "this folder cannot be made: " in capsys.readouterr().err
    assert not Path("new").exists()


def test_pages_and_webassembly_say_how_files_give_values(capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is written."""
    Path("open.urdf").write_text(text(PENDULUM))
    mechanism = kg.load("open.urdf")
    kg.save(replace(mechanism, gravity=(0, 0, -sympy.Symbol("g", positive=True))), "open.toml")
    assert run(["generate", "open.toml", "--wasm", "-o", "c"]) == 2
    remedy = "where it is described: kg.parameter('g', 1.0), in TOML parameters = {\"g\" = 1.0}"
    assert remedy in capsys.readouterr().err and not Path("c").exists()
    Path("set.toml").write_text(text("open.toml").replace("gravity", 'parameters = {"g" = 1.0}\ngravity', 1))
    assert kg.Simulator(kg.load("set.toml")).model.parameters == {"g": 1.0}


@pytest.mark.parametrize(
    "line",
    [
        ["inspect", ""],
        ["generate", PENDULUM, "-o", ""],
        ["generate", PENDULUM, "--output="],
        ["simulate", "double_pendulum.toml", "--html", ""],
    ],
)
def test_empty_arguments_are_refused(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(Path().iterdir())
    assert run(line) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("error: an argument is empty, as from a shell variable")
    assert sorted(Path().iterdir()) == before


def test_pages_and_formulas_are_asked_for_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", PENDULUM, "--latex", "--html", "page.html"]) == 2
    assert "--latex and --html: each shows something else" in capsys.readouterr().err
    assert not Path("page.html").exists()


@pytest.mark.parametrize("action", ["list", "clear"])
def test_a_cache_that_cannot_be_is_told(
    action: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, told in ((PENDULUM, "is a file"), ("/dev/null/x", "this folder cannot be made: Not a directory")):
        monkeypatch.setenv("KINEGEN_CACHE", folder)
        assert run(["cache", action]) == 2
        assert re.match(rf"error: the cache \(KINEGEN_CACHE\): .*{told}", capsys.readouterr().err)


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
    assert capsys.readouterr().err.splitlines()[-1] == "interrupted"


def test_warnings_take_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    odd = text(PENDULUM).replace('izz="0.0002"', 'izz="9"', 1)
    Path("odd.urdf").write_text(odd)
    assert run(["inspect", "odd.urdf"]) == 0
    assert re.fullmatch(
        r"warning: odd\.urdf: links with inertias that no body can have[^\n]*\n", capsys.readouterr().err
    )


def test_inspect_tells_the_unit_of_masses_and_the_symbol_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", PENDULUM]) == 0
    assert "mass [kg]" in capsys.readouterr().out


def test_formulas_that_are_refused_tell_their_own_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It was said of all that they are too large."""
    joint = kg.Joint("ball", "spherical", "world", "l", stiffness=1.0)
    kg.save(kg.Mechanism("sprung", [kg.Link("l", 1.0, (0, 0, -1))], [joint]), tmp_path / "sprung.toml")
    assert run(["inspect", str(tmp_path / "sprung.toml"), "--latex"]) == 2
    said = capsys.readouterr().err
    assert "too large" not in said
    assert "joint 'ball' (spherical) has a spring" in said
