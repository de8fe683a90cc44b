"""The scenes of the papers and their relatives: they run, change as they say, stay closed, and beat the clock."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli.failures import run
from kinegen.runtime.simulation.simulator import motion_of
from kinegen.scenes.compiled import load_scene
from kinegen.scenes.scene import read_scene

FOLDER = Path(__file__).parents[2] / "examples" / "structure"
CHANGES = {
    "high_bar": ["cut grip_r"],
    "catch_bar": ["connect catch"],
    "swing": ["cut hinge_l", "cut seat_l", "cut seat_r"],
    "walk": ["cut stand_r", "connect stand_l", "cut stand_l", "connect stand_r"],
    "modules": ["connect ring", "cut j6", "connect j6", "cut ring"],
    "ring_of_eight": ["connect left", "connect right", "cut left"],
    "tower": ["cut joint6", "cut joint5", "cut joint4", "cut joint3", "cut joint2"],
    "touch": ["connect grip", "cut grip"],
    "hand_over": ["cut shelf", "connect grip_a", "cut grip_a", "connect grip_b", "cut grip_b", "connect shelf"],
}
"""What happens in each scene, in this order, at first."""

SECONDS = {"modules": 4.0, "walk": 1.8}
"""How much of a long scene is run here."""

OPTIMISED = ("swing", "walk", "high_bar")
"""The largest, left to the sweep: they beat the clock when they are compiled with optimisation; others do without."""

ALIKE = ("ring_of_eight", "catch_bar", "tower", "touch")
"""Left to the sweep too: longer than the other ring, of modules; what is caught or touched, as in hand_over; what is
only cut."""

MADE = [
    *((name, False) for name in CHANGES if name not in (*OPTIMISED, *ALIKE)),
    *(pytest.param(name, False, marks=pytest.mark.sweep) for name in ALIKE),
    *(pytest.param(name, True, marks=pytest.mark.sweep) for name in OPTIMISED),
]


@pytest.fixture(scope="module")
def moved():
    return runpy.run_path(str(FOLDER / "scenes.py"))["moved"]


@pytest.mark.parametrize(("name", "optimised"), MADE)
def test_scene(name, optimised, moved, monkeypatch):
    if optimised:
        monkeypatch.setenv("KINEGEN_CFLAGS", "-O1")
    simulator, trajectory, factor = moved(name, SECONDS.get(name))
    assert np.isfinite(trajectory.q).all()
    assert simulator.gap <= 1e-10
    assert factor > 1.0
    found = [f"{what} {to}" for _, what, to in trajectory.events if what in ("connect", "cut")]
    assert found[: len(CHANGES[name])] == CHANGES[name] or set(found[: len(CHANGES[name])]) == set(CHANGES[name])


@pytest.mark.sweep
def test_the_tower_loses_one_hinge_by_overload_and_the_others_by_time(moved):
    _, trajectory, _ = moved("tower", None)
    happened = [(what, to) for _, what, to in trajectory.events if what.startswith("event")]
    assert happened == [("event 1", "force(joint6) > 40"), *((f"event {number}", "at") for number in range(2, 6))]


def test_the_script_tells_the_gap_of_the_whole_motion(capsys):
    """Of what was connected before a target was set as well."""
    runpy.run_path(str(FOLDER / "scenes.py"))["main"](["hand_over"])
    gap = float(re.search(r"largest gap (\S+) m or rad in 401 states", capsys.readouterr().out)[1])
    assert 1e-17 < gap < 1e-10


def test_every_scene_is_tested():
    assert {file.stem for file in FOLDER.glob("*.toml")} == set(CHANGES)


def test_a_hand_that_lets_go_leaves_the_other():
    """On the bar: energy goes on falling by the joints' dampers alone, the left hand stays where it was."""
    scene = read_scene(FOLDER / "high_bar.toml")
    assert scene.structure.active == ("grip_l", "grip_r")
    assert [event.cut for event in scene.structure.events] == [("grip_r",)]
    assert scene.topologies().mechanism.tree.nv == 22


def test_forty_changes_in_twenty_seconds():
    scene = read_scene(FOLDER / "modules.toml")
    changes = [event for event in scene.structure.events if event.connect or event.cut]
    assert len(changes) == 40
    assert scene.duration == 20.0


def test_models_are_what_their_script_builds(tmp_path):
    built = runpy.run_path(str(FOLDER / "models.py"))["models"]()
    assert {file.stem for file in (FOLDER / "models").glob("*.toml")} == set(built)
    for name, mechanism in built.items():
        kg.save(mechanism, tmp_path / f"{name}.toml")
        written = (FOLDER / "models" / f"{name}.toml").read_text(encoding="utf-8")
        assert (tmp_path / f"{name}.toml").read_text(encoding="utf-8") == written


def test_simple_figure_is_the_figure_of_the_paper():
    """16 dof in arms and legs, the whole man's mass, names with a prefix."""
    man = kg.simple_figure(mass=80.0)
    assert man.tree.nv == 16 + 6
    assert sum(link.mass for link in man.links) == pytest.approx(80.0)
    assert {frame.name for frame in man.frames} >= {"hand_l", "hand_r", "foot_l", "foot_r", "head"}
    assert all(link.name.startswith("x_") for link in kg.simple_figure(prefix="x_").links)


def test_the_swing_has_the_joints_of_the_paper():
    """Man 16, rods 2·3, hands 2·3, thighs 2·1 are its 30; ours holds the board besides, and has what floats."""
    mechanism = read_scene(FOLDER / "swing.toml").topologies().mechanism
    sizes = {joint.name: joint.nv for joint in mechanism.joints}
    floating = {name: sizes.pop(name) for name in ("root_joint", "free_board")}
    assert (sizes.pop("hinge_l"), sizes.pop("hinge_r")) == (1, 3)
    assert sum(sizes.values()) == 30
    paper = ("top_l", "top_r", "hand_on_l", "hand_on_r", "seat_l", "seat_r")
    assert [sizes[name] for name in paper] == [3, 3, 3, 3, 1, 1]
    assert mechanism.tree.nv == 16 + 2 * 3 + sum(floating.values()) == 34


def test_tour(capsys):
    runpy.run_path(str(FOLDER / "tour.py"))["main"]()
    said = capsys.readouterr().out
    assert "connect stick" in said
    assert "cut rope" in said


HEAD = 'model = "models/figure_and_bar.toml"\nduration = 1.0\n'
GRIP = '[[connection]]\nname = "grip"\nbetween = ["hand_l", "bar"]\nkind = "revolute"\naxis = [0, 1, 0]\n'
BAD = {
    "nothing is active": (HEAD + 'active = ["x"]\n', "active: nothing can change"),
    "nothing can change": (HEAD + '[[event]]\nat = 1\ncut = ["x"]\n', "neither connections nor cuts"),
    "a target alone": (HEAD + "[[event]]\nat = 1\ntarget = {knee_l = 1}\n", r"new targets need one too: cuts = \['J"),
    "no kind": (HEAD + '[[connection]]\nname = "x"\nbetween = ["hand_l", "bar"]\n', "kind: is missing"),
    "one end": (HEAD + '[[connection]]\nname = "x"\nkind = "fixed"\nbetween = ["bar"]\n', "expected two links, got 1"),
    "unknown kind": (HEAD + GRIP.replace("revolute", "hinge"), "unknown kind 'hinge'"),
    "when and at": (HEAD + GRIP + '[[event]]\nat = 1\nwhen = "force(grip) > 1"\n', "either at = SECONDS or when"),
    "no condition": (HEAD + GRIP + '[[event]]\nwhen = "grip > 1"\n', "something like 'distance"),
    "arguments": (HEAD + GRIP + '[[event]]\nwhen = "distance(bar) > 1"\n', "distance"),
    "repeat": (HEAD + GRIP + '[[event]]\nat = 1\nrepeat = "yes"\n', "expected true or false"),
    "names": (HEAD + GRIP + '[[event]]\nat = 1\ncut = "grip"\n', "expected a list of names"),
    "both": (
        HEAD + GRIP + '[[event]]\nat = 1\nconnect = ["grip"]\ncut = ["grip"]\n',
        r"\[event 1\] connect: 'grip' is both",
    ),
    "nothing happens": (HEAD + GRIP + "[[event]]\nat = 1\n", r"\[event 1\] connect: nothing is to happen"),
    "again": (HEAD + GRIP + '[[event]]\nat = 1\nrepeat = true\ncut = ["grip"]\n', "repeat: a time comes once"),
    "no gap": (
        HEAD + GRIP + '[[event]]\nat = 1\ntolerance = 1\ncut = ["grip"]\n',
        "tolerance: .* nothing is connected",
    ),
    "no tolerance": (
        HEAD + GRIP + '[[event]]\nat = 1\ntolerance = -1\nconnect = ["grip"]\n',
        "tolerance: expected a number of at least 0, got -1",
    ),
    "nan": (HEAD + GRIP + '[[event]]\nat = nan\ncut = ["grip"]\n', "at: expected a finite number, got nan"),
    "no table": ("event = 3\n" + HEAD + GRIP, "expected tables, written"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_scene_is_named(case, tmp_path):
    text, words = BAD[case]
    file = tmp_path / "scene.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(kg.ModelError, match=words) as caught:
        read_scene(file)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("when", "meant"),
    [
        ("distance(1, 2) < 0.1", kg.distance("1", "2") < 0.1),
        ("relative_angle(01, hand) >= 0.1", kg.relative_angle("01", "hand") >= 0.1),
        ("relative_position(1, 2, z) <= -1e-3", kg.relative_position("1", "2", "z") <= -1e-3),
        ("contact_force(1, 2) > 5", kg.contact_force("1", "2") > 5.0),
        ("speed(3) > 1", kg.speed("3") > 1.0),
        ("angle(3, 1) > 1", kg.angle("3", 1) > 1.0),
    ],
)
def test_conditions_of_scenes_are_those_of_python(when, meant, tmp_path):
    """Also where links have numbers for names, and with <= and >=; a gap of 0 is a tolerance."""
    file = tmp_path / "scene.toml"
    file.write_text(f'{HEAD}{GRIP}[[event]]\nwhen = "{when}"\nconnect = ["grip"]\ntolerance = 0\n', encoding="utf-8")
    (event,) = read_scene(file).structure.events
    assert event.when == meant and event.tolerance == 0.0


SERVED = """model = "double_pendulum.urdf"
duration = 1.0
cuts = ["elbow"]
[servo.shoulder]
kp = 400
kd = 60
rate = 0.2
[servo.elbow]
kp = 100
kd = 15
[[event]]
at = 0.2
target = {shoulder = 0.5, elbow = -0.3}
"""


def served(folder, old="", new=""):
    """The scene at its start, with something in place of something else."""
    shutil.copy(FOLDER.parent / "double_pendulum.urdf", folder)
    file = folder / "scene.toml"
    file.write_text(SERVED.replace(old, new) if old else SERVED, encoding="utf-8")
    return load_scene(file)


def test_an_event_gives_servos_new_targets(tmp_path):
    """Of joints of the tree and of cut ones, in place of the motion that they followed; as other servos do."""
    sim = served(tmp_path)
    assert sim.servos["shoulder"].velocity(0.0) == pytest.approx(0.2)
    before = sim.run(0.2)
    told = kg.Simulator(sim.library, q=before.q[-1], v=before.v[-1], servos={
        "shoulder": kg.Servo(400, 60, 0.5), "elbow": kg.Servo(100, 15, -0.3),
    })  # fmt: skip
    sim.run(0.8)
    told.run(0.8)
    np.testing.assert_allclose(sim.q, told.q, atol=1e-9)
    assert np.abs(sim.v).max() < 0.1


def test_an_event_that_is_refused_does_nothing(tmp_path):
    """Its connection cannot be made, a meter off: its target stays away too, and it waits, to be refused again."""
    sim = served(tmp_path, "elbow = -0.3}\n", 'elbow = -0.3}\nconnect = ["far"]\n' + FAR)
    targets = {name: servo.position for name, servo in sim.servos.items()}
    states = []
    for _ in range(2):
        with pytest.raises(kg.SimulationError, match="connection 'far': its frames are"):
            sim.run(0.5)
        states.append((sim.t, *sim.q, *sim.v))
        assert {name: servo.position for name, servo in sim.servos.items()} == targets and sim.events == ()
    assert states[0] == states[1] and sim.t == pytest.approx(0.2)


FAR = """[[connection]]
name = "far"
kind = "fixed"
between = ["world", "lower"]
pose = {xyz = [9, 0, 0]}
pose_b = {xyz = [0, 0, 0]}
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("kp = 100\n", "", "target of joint 'elbow': its servo has kp = 0, so that it goes nowhere"),
        ("elbow = -0.3", "elbow = [1, 2]", "servo: joint 'elbow': at: expected 1 number, got 2"),
        ("elbow = -0.3", "wrist = 1", r"nothing goes there; add \[hold.wrist\] or \[servo.wrist\]"),
    ],
)
def test_bad_targets_are_named(old, new, words, tmp_path):
    with pytest.raises(kg.ModelError, match=words):
        served(tmp_path, old, new)


FLYING = """model = "double_pendulum.urdf"
duration = 0.1
root = "free"
gravity = [0, 0, 0]
cuts = ["elbow"]
[initial.q]
root_joint = [0, 0, 0, 0, 0, 0.7071, 0.7071]
[hold.root_joint]
stiffness = 100
target = [0, 0, 0, 0, 0, 0.7071, 0.7071]
[hold.shoulder]
target = 0.1
[[event]]
at = 0.05
target = {root_joint = [0, 0, 0, 0.7071, 0, 0, 0.7071], shoulder = 0.2}
"""


def flying(folder, text=FLYING):
    shutil.copy(FOLDER.parent / "double_pendulum.urdf", folder)
    (folder / "scene.toml").write_text(text, encoding="utf-8")
    return load_scene(folder / "scene.toml")


def test_rounded_rotations_of_targets_are_made_unit(tmp_path):
    """Where a joint starts is what holds it, to all digits; a new target of an event is a unit quaternion too."""
    sim = flying(tmp_path)
    values = sim.model.parameters
    rest = [values[f"hold_0_rest_{i}"] for i in range(7)]
    assert rest == sim.q[:7].tolist() and np.linalg.norm(rest) == pytest.approx(1.0, abs=1e-15)
    sim.run(0.1)
    values = sim.model.parameters
    assert [values[f"hold_0_rest_{i}"] for i in range(7)] == pytest.approx(
        [0, 0, 0, 0.5**0.5, 0, 0, 0.5**0.5], abs=1e-15
    )


def test_targets_of_held_joints_stay_where_their_event_is_refused(tmp_path):
    """They are parameters, of the model and of its C."""
    sim = flying(tmp_path, FLYING + 'connect = ["far"]\n' + FAR)
    before = sim.model.parameters, motion_of(sim).stepper.values.tolist()
    for _ in range(2):
        with pytest.raises(kg.SimulationError, match="connection 'far': its frames are"):
            sim.run(0.1)
        assert sim.t == pytest.approx(0.05) and sim.events == ()
        assert (sim.model.parameters, motion_of(sim).stepper.values.tolist()) == before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("\ntarget = [0, 0, 0, 0, 0, 0.7071, 0.7071]", "\ntarget = [0.5, 1]", "expected 7 numbers, got 2"),
        (
            "0.7071, 0.7071]\n[hold.s",
            "0, 0]\n[hold.s",
            r"toml: q of joint 'root_joint': \[qx qy qz qw\] has norm 0, exp",
        ),
        ("\ntarget = 0.1", "\ntarget = [0, 1]", "toml: q of joint 'shoulder': expected 1 number, got 2"),
        ("shoulder = 0.2", "shoulder = [1, 2]", "event 1: q of joint 'shoulder': expected 1 number, got 2"),
        ("{root_joint = [0, 0, 0, 0.7071, 0, 0, 0.7071]", "{root_joint = [1]", "event 1: .* expected 7 numbers, got 1"),
        (
            "[0, 0, 0, 0.7071, 0, 0, 0.7071]",
            "[0, 0, 0, 0, 0, 0, 2]",
            "event 1: .* norm 2, expected 1; divide it by its",
        ),
        (
            "root_joint = [0, 0, 0, 0, 0, 0.7071",
            "root_joint = [0, 0, 0, 0, 0, 1",
            "q of joint 'root_joint': .* norm 1.22",
        ),
    ],
)
def test_targets_of_held_joints_that_do_not_fit_are_named_before_the_start(old, new, words, tmp_path):
    assert FLYING.count(old) == 1
    with pytest.raises(kg.ModelError, match=words):
        flying(tmp_path, FLYING.replace(old, new))


BAR = """model = "fourbar.toml"
duration = 0.5
gravity = [0, 0, 0]
{cuts}
[initial.q]
drive = 1.0
knee = -0.3
pivot = 1.0
[hold.{joint}]
stiffness = 20
damping = 1
{target}
"""


def held_bar(folder, cuts, joint, target=""):
    """The four-bar at the start of a scene that holds one of its joints, from a place where it is not quite closed."""
    shutil.copy(FOLDER.parent / "fourbar.toml", folder)
    file = folder / "scene.toml"
    file.write_text(BAR.format(cuts=cuts, joint=joint, target=target), encoding="utf-8")
    with pytest.warns(kg.ClosureWarning, match=r"'close' of (model|library) 'fourbar' was open by"):
        return load_scene(file)


def angle(sim, joint):
    if joint == "close":
        return sim.model.loop_joint("close", sim.q)[0].item()
    return sim.q[sim.model.q_slice(joint)].item()


@pytest.mark.parametrize("cuts", ["", 'cuts = ["close"]'])
@pytest.mark.parametrize("joint", ["drive", "knee", "close"])
def test_joints_of_loops_are_held_where_the_closed_motion_starts(joint, cuts, tmp_path):
    """Nothing moves, whether the joint is in the tree or closes the loop, and whether or not the loop may be cut."""
    sim = held_bar(tmp_path, cuts, joint)
    start = sim.q
    assert abs(start[0] - 1.0) > 0.1
    sim.run(0.5)
    np.testing.assert_allclose(sim.q, start, atol=1e-12)
    assert np.abs(sim.v).max() < 1e-11


@pytest.mark.parametrize("cuts", ["", 'cuts = ["close"]'])
@pytest.mark.parametrize("joint", ["drive", "knee", "close"])
def test_joints_of_loops_go_to_their_targets(joint, cuts, tmp_path):
    sim = held_bar(tmp_path, cuts, joint, "target = 0.7")
    before = abs(angle(sim, joint) - 0.7)
    sim.run(3.0)
    assert before > 0.05
    assert abs(angle(sim, joint) - 0.7) < 1e-3


CUT = 'model = "double_pendulum.urdf"\nduration = 0.4\ncuts = ["elbow"]\n[[event]]\nat = 0.1\ncut = ["elbow"]\n'


def simulated(folder, capsys, text, *options):
    """Exit code of the command for a scene, and what it says, without colours and line breaks."""
    shutil.copy(FOLDER.parent / "double_pendulum.urdf", folder)
    (folder / "scene.toml").write_text(text, encoding="utf-8")
    code = run(["simulate", str(folder / "scene.toml"), *options])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_scene_that_stops_leaves_its_motion_so_far(tmp_path, capsys):
    """The error names the file, the event and the time, and says what a scene can say against it."""
    text = CUT + '[[event]]\nat = 0.3\nconnect = ["elbow"]\n[output]\ntrajectory = "run.npz"\n'
    code, out, err = simulated(tmp_path, capsys, text)
    assert code == 2 and "double_pendulum: stopped at 0.3 s\n" in out
    assert err.startswith(f"error: {tmp_path / 'scene.toml'}: event 2, t = 0.3 s: connection 'elbow': its frames are ")
    assert "give the event a larger tolerance" in err and "pose_b=" not in err
    left = kg.Trajectory.load(tmp_path / "run.npz")
    assert left.t[-1] == pytest.approx(0.3)
    assert [event[1:] for event in left.events] == [("event 1", "at"), ("cut", "elbow")]


def test_the_command_tells_what_happened_and_what_did_not(tmp_path, capsys):
    """Each event by its number, time and condition; what comes too late is warned of, what never came true is named."""
    more = "[[event]]\nwhen = 'angle(shoulder) > {}'\ncut = ['elbow']\n"
    text = CUT + more.format("-0.5") + more.format("9") + '[[event]]\nat = 3\nconnect = ["elbow"]\n'
    code, out, err = simulated(tmp_path, capsys, text)
    told = ["0 s  event 2 (angle(shoulder) > -0.5): cut elbow", "0.1 s  event 1: nothing, it was so already"]
    lines = out.splitlines()
    assert code == 0 and lines[-3:-1] == told
    assert lines[-1] == "event 3 did not happen: angle(shoulder) > 9"
    assert (
        err
        == f"warning: {tmp_path / 'scene.toml'}: event 4 (at 3 s): after the end, 0.4 s, so that it will not happen\n"
    )
