"""Scenes: what they start from, what holds and drives them, and what is said of mistakes in them."""

from __future__ import annotations

import codecs
import os
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.runtime.simulation.trajectory import Trajectory
from kinegen.scenes import scene as scenes
from kinegen.scenes import structure
from kinegen.scenes.compiled import is_scene
from kinegen.scenes.held import Hold
from kinegen.scenes.scene import Scene, read_scene
from kinegen.scenes.simulated import placed, run_scene
from support.mechanisms.closed_mechanisms import four_bar

EXAMPLES = Path(__file__).parents[2] / "examples"
START = 'model = "double_pendulum.urdf"\nduration = 0.5\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(EXAMPLES / "double_pendulum.urdf", tmp_path)
    return tmp_path


def scene_of(folder: Path, text: str) -> Scene:
    file = folder / "scene.toml"
    file.write_text(START + text, encoding="utf-8")
    return read_scene(file)


def moved(scene: Scene) -> Trajectory:
    return run_scene(scene, kg.compile(scene.mechanism(), progress=False))


def test_a_recording_that_no_machine_holds_is_told_by_the_file(folder: Path) -> None:
    file = folder / "scene.toml"
    file.write_text('model = "double_pendulum.urdf"\nduration = 1e12', encoding="utf-8")
    scene = read_scene(file)
    with pytest.raises(kg.ModelError) as caught:
        moved(scene)
    assert str(caught.value).startswith(f"{file}: a recording of 1,000,000,000,000,002 states: takes ")


def test_defaults(folder: Path) -> None:
    scene = scene_of(folder, "")
    assert (scene.root, scene.dt, scene.integrator, scene.every) == ("fixed", 1e-3, "semi_implicit", 1)
    trajectory = moved(scene)
    assert len(trajectory) == 501
    assert np.allclose(trajectory.q, 0.0, atol=1e-12)  # hangs at rest


def test_starts_and_torques_go_to_their_joints(folder: Path) -> None:
    trajectory = moved(
        scene_of(
            folder, "gravity = [0, 0, 0]\n[initial.q]\nelbow = 0.3\n[initial.v]\nshoulder = -2\n[torque]\nelbow = 0.5\n"
        )
    )
    assert trajectory.q[0].tolist() == [0.0, 0.3]
    assert trajectory.v[0].tolist() == [-2.0, 0.0]
    assert trajectory.tau[0].tolist() == [0.0, 0.5]
    assert np.allclose(trajectory.energy[:, 1], trajectory.energy[0, 1])


def test_wrenches_act_on_their_links(folder: Path) -> None:
    """A moment about the axis of both joints loads both."""
    turned = moved(scene_of(folder, "gravity = [0, 0, 0]\n[wrench]\nlower = [0, 0, 0, 0, 0.2, 0]\n"))
    straight = moved(scene_of(folder, "gravity = [0, 0, 0]\n[torque]\nshoulder = 0.2\nelbow = 0.2\n"))
    assert abs(turned.q[-1]).max() > 0.01
    assert np.allclose(turned.q, straight.q, atol=1e-12)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_driven_joints_move_as_told(folder: Path, integrator: str) -> None:
    """As `Simulator(driven=)` has it, with the torque in tau."""
    text = f'integrator = "{integrator}"\n[driven]\nelbow = 0.3\n[driven.shoulder]\n'
    scene = scene_of(folder, text + "at = 0.2\nrate = 1.0\namplitude = 0.1\nfrequency = 2.0\nphase = 0.5\n")
    trajectory = moved(scene)
    t, w = trajectory.t, 4.0 * np.pi
    np.testing.assert_allclose(trajectory.q[:, 0], 0.2 + t + 0.1 * np.sin(w * t + 0.5), atol=1e-12)
    np.testing.assert_allclose(trajectory.v[:, 0], 1.0 + 0.1 * w * np.cos(w * t + 0.5), atol=1e-11)
    np.testing.assert_allclose(trajectory.q[:, 1], 0.3, atol=1e-13)

    def swing(s: float) -> tuple[float, float, float]:
        return 0.2 + s + 0.1 * np.sin(w * s + 0.5), 1 + 0.1 * w * np.cos(w * s + 0.5), -0.1 * w**2 * np.sin(w * s + 0.5)

    model = kg.compile(scene.mechanism(), progress=False)
    told = kg.Simulator(model, integrator=integrator, driven={"elbow": 0.3, "shoulder": swing}).run(0.5)
    np.testing.assert_allclose(trajectory.tau, told.tau, atol=1e-9)
    assert np.abs(trajectory.tau).max() > 1.0


def test_a_model_moves_its_joints_unless_the_scene_does(tmp_path: Path) -> None:
    """A crank that the model turns; a joint of the loop that the scene moves, and so the loop is cut elsewhere."""
    bar, t = four_bar(0.2, 0.6, 0.5, 0.6), sympy.Symbol("t")
    kg.save(bar, tmp_path / "bar.toml")
    joints = [replace(j, motion=0.4 + 3 * t) if j.name == "pivot" else j for j in bar.joints]
    kg.save(replace(bar, joints=tuple(joints)), tmp_path / "turned.toml")
    start = 'duration = 0.2\nmodel = "{}.toml"\n'
    scene = tmp_path / "scene.toml"

    def run(model: str, text: str = "") -> Trajectory:
        scene.write_text(start.format(model) + text, encoding="utf-8")
        return moved(read_scene(scene))

    turned = run("turned")
    np.testing.assert_allclose(turned.joint("pivot")[0][:, 0], 0.4 + 3 * turned.t, atol=1e-14)
    np.testing.assert_allclose(run("bar", "[driven.pivot]\nat = 0.4\nrate = 3.0\n").tau, turned.tau, atol=1e-6)
    held = run("turned", "[driven]\npivot = 0.4\n")
    np.testing.assert_array_equal(held.q[:, 0], np.full(len(held), 0.4))
    tip = run("bar", "[initial.q]\npivot = 1.3\nbase = 1.6\n[driven]\ntip = { at = -1.1, rate = 0.5 }\n")
    np.testing.assert_allclose(tip.joint("tip")[0][:, 0], -1.1 + 0.5 * tip.t, atol=1e-14)
    with pytest.raises(kg.ModelError, match=r"scene.toml: driven: joints 'knee' and 'tip' are both to be in the tree"):
        run("bar", "[driven]\ntip = 0\nknee = 0\n")


def test_servos_go_where_they_are_told(folder: Path) -> None:
    """As `Simulator(servos=)` has it."""
    text = "[servo.elbow]\nkp = 300\nkd = 20\nlimit = 9\nat = 0.3\n"
    scene = scene_of(folder, text + "[servo.shoulder]\nkp = 200\nkd = 30\namplitude = 0.2\nfrequency = 1.0\n")
    model, w = kg.compile(scene.mechanism(), progress=False), 2.0 * np.pi
    swing = kg.Servo(200, 30, lambda t: 0.2 * np.sin(w * t), lambda t: 0.2 * w * np.cos(w * t))
    told = kg.Simulator(model, servos={"elbow": kg.Servo(300, 20, 0.3, limit=9), "shoulder": swing}).run(0.5)
    trajectory = moved(scene)
    np.testing.assert_allclose(trajectory.q, told.q, atol=1e-12)
    np.testing.assert_allclose(trajectory.tau, told.tau, atol=1e-9)
    assert np.abs(trajectory.tau[:, 1]).max() == 9.0


def test_servos_of_balls_have_gains_and_limits_by_axis(tmp_path: Path) -> None:
    ball = kg.Mechanism(
        "ball",
        [kg.Link("a", 1.0, (0, 0, -0.2), (0.02, 0, 0, 0.02, 0, 0.01))],
        [kg.Joint("one", "spherical", "world", "a")],
    )
    kg.save(ball, tmp_path / "ball.toml")
    file, text = tmp_path / "scene.toml", 'model = "ball.toml"\nduration = 0.1\n[servo.one]\nat = [0, -0.6, 0, 0.8]\n'
    file.write_text(text + "kp = [90, 60, 30]\nkd = 3\nlimit = [9, 4, inf]\n")
    servo = kg.Servo([90, 60, 30], 3, [0, -0.6, 0, 0.8], limit=[9, 4, np.inf])
    told = kg.Simulator(kg.compile(ball, progress=False), servos={"one": servo}).run(0.1)
    np.testing.assert_allclose(moved(read_scene(file)).tau, told.tau, atol=1e-9)
    assert np.abs(told.tau[:, 1]).max() == 4.0
    for gains, complaint in (
        ("kp = [1, 2]", r"servos: joint 'one': kp: expected shape \(3,\), got \(2,\)"),
        ("kd = [1, -2, 3]", r"\[servo.one\] kd: expected numbers of at least 0, got \[1, -2, 3\]"),
        ("limit = -1", r"\[servo.one\] limit: expected a number of at least 0, got -1"),
        ("kp = [inf, 1, 1]", r"\[servo.one\] kp: expected finite numbers, got \[inf, 1, 1\]"),
        ("kp = ['stiff']", r"\[servo.one\] kp: expected a number or a list of numbers, got \['stiff'\]"),
    ):
        file.write_text(text + gains)
        with pytest.raises(kg.ModelError, match=complaint):
            moved(read_scene(file))


def test_servos_of_balls_are_held_at_a_place(tmp_path: Path) -> None:
    """By quaternions that may be rounded, where the joint is neutral if none is given; as `Simulator(servos=)`."""
    links = [kg.Link(n, 1.0, (0, 0, -0.2), (0.02, 0, 0, 0.02, 0, 0.01)) for n in "ab"]
    joints = [kg.Joint("one", "spherical", "world", "a"), kg.Joint("two", "spherical", "a", "b", kg.Pose((0, 0, -0.4)))]
    kg.save(kg.Mechanism("balls", links, joints), tmp_path / "balls.toml")
    text = 'model = "balls.toml"\nduration = 0.2\n[servo.two]\nkp = 30\nkd = 1\n[servo.one]\nkp = 90\nkd = 3\n'
    file = tmp_path / "scene.toml"
    file.write_text(text + "limit = 9\nat = [0, -0.64, 0, 0.77]\n")
    scene = read_scene(file)
    goal = np.array([0, -0.64, 0, 0.77]) / np.linalg.norm([0.64, 0.77])
    model = kg.compile(scene.mechanism(), progress=False)
    servos = {"two": kg.Servo(30, 1), "one": kg.Servo(90, 3, goal, limit=9)}
    told = kg.Simulator(model, servos=servos).run(0.2)
    np.testing.assert_allclose(moved(scene).q, told.q, atol=1e-12)
    assert np.abs(told.tau[:, 1]).max() == 9.0
    for more, words in (
        ("rate = 1", "do not add, .* held `at` a place"),
        ("at = 0.3", "q of joint 'one': expected 4 numbers, got 1"),
        ("at = 0", "q of joint 'one': expected 4 numbers, got 1"),
    ):
        file.write_text(text + more)
        with pytest.raises(kg.ModelError, match=words):
            moved(read_scene(file))


def test_gravity_and_integrator(folder: Path) -> None:
    scene = scene_of(
        folder, 'integrator = "rk4"\ngravity = [9.81, 0, 0]\n[initial.q]\nshoulder = -1.5707963267948966\n'
    )
    trajectory = moved(scene)
    assert np.allclose(trajectory.q, trajectory.q[0], atol=1e-9)  # gravity along x: it hangs along x
    assert scene.mechanism().gravity == (9.81, 0.0, 0.0)


def test_a_held_joint_follows_spring_and_damper(folder: Path) -> None:
    """The shoulder does what a simulation with the same controller, asked before every step, does as dt → 0."""
    text = "dt = 1e-4\n[initial.q]\nshoulder = 0.4\n[hold.shoulder]\nstiffness = 30\ndamping = 3\ntarget = 0.9\n"
    scene = scene_of(folder, text)
    held = moved(scene)
    model = kg.compile(kg.load(folder / "double_pendulum.urdf"), progress=False)
    simulator = kg.Simulator(
        model, dt=1e-4, q=[0.4, 0.0], tau=lambda t, q, v: np.array([30 * (0.9 - q[0]) - 3 * v[0], 0.0])
    )
    assert np.allclose(held.q[-1], simulator.run(0.5).q[-1], atol=2e-3)


def test_without_a_target_a_joint_is_held_where_it_starts(folder: Path) -> None:
    text = "duration = 3.0\n[initial.q]\nelbow = 0.7\n[hold.elbow]\nstiffness = 500\ndamping = 50\n"
    file = folder / "scene.toml"
    file.write_text('model = "double_pendulum.urdf"\n' + text, encoding="utf-8")
    trajectory = moved(read_scene(file))
    assert np.abs(trajectory.joint("elbow")[0] - 0.7).max() < 0.05


def test_one_compiled_model_serves_all_numbers_of_a_hold(folder: Path) -> None:
    one = kg.generate(scene_of(folder, "[hold.elbow]\nstiffness = 1\n").mechanism())
    two = kg.generate(scene_of(folder, "[hold.elbow]\nstiffness = 20\ndamping = 3\ntarget = 1\n").mechanism())
    assert one.files == two.files


def test_rounded_rotations_are_made_unit() -> None:
    model = kg.compile(kg.human_figure(), progress=False)
    q = placed(model, {"hip_l": (0.0, -0.707, 0.0, 0.707), "knee_l": (0.5,)})
    assert np.linalg.norm(q[model.q_slice("hip_l")]) == pytest.approx(1.0, abs=1e-15)
    assert q[model.q_slice("knee_l")] == 0.5


def test_contact_is_tuned_by_the_scene(tmp_path: Path) -> None:
    crate = kg.Link("crate", 1.0, inertia=kg.inertia.box(1.0, (0.2, 0.2, 0.2)), shapes=[kg.box((0.2, 0.2, 0.2))])
    drop = kg.Mechanism("drop", [crate], [kg.Joint("fly", "free", "world", "crate")], shapes=[kg.plane()])
    kg.save(drop, tmp_path / "drop.toml")
    low = "[initial.q]\nfly = [0, 0, 0.095, 0, 0, 0, 1]\n"  # 5 mm deep

    def depth(options: str) -> float:
        (tmp_path / "scene.toml").write_text(f'model = "drop.toml"\nduration = 1.0\n{low}{options}')
        return 0.1 - float(moved(read_scene(tmp_path / "scene.toml")).q[-1, 2])

    assert depth("") < 2e-4
    assert 9e-4 < depth("[contacts]\ndepth = 0.001\n") < 1.1e-3


def test_outputs_stand_beside_the_scene(folder: Path) -> None:
    scene = scene_of(folder, '[output]\nplot = "out/curves.png"\n')
    assert scene.outputs == {"plot": folder / "out/curves.png"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("durations = 1", "durations: unknown key; did you mean 'duration'?"),
        ("dt = 0", "dt: expected a number above 0, got 0"),
        ('dt = "small"', "dt: expected a number above 0, got 'small'"),
        ("dt = inf", "dt: expected a finite number above 0, got inf"),
        (f"dt = {'9' * 400}", f"dt: expected a finite number above 0, got {'9' * 77}..."),
        (f"[torque]\nelbow = {'9' * 400}", f"[torque] elbow: expected a finite number, got {'9' * 77}..."),
        (f"[servo.elbow]\nlimit = -{'9' * 400}", f"[servo.elbow] limit: expected a finite number, got -{'9' * 76}..."),
        ("every = 0", "every: expected a whole number of at least 1, got 0"),
        ("dt = 1", "duration: 0.5 s are less than a step of 1 s: shorten dt, or simulate for longer"),
        ("dt = 1e-300", "duration: 0.5 s are more steps of 1e-300 s than can be counted"),
        ("every = true", "every: expected a whole number of at least 1, got True"),
        (f"every = {'9' * 20}", f"every: expected a whole number of at least 1 and at most {2**53}, got {'9' * 20}"),
        (
            f"[contacts]\nsweeps = {'9' * 20}",
            f"[contacts] sweeps: expected a whole number of at least 1 and at most {2**53}, got {'9' * 20}",
        ),
        ('root = "float"', "root: unknown 'float'; there is: 'fixed', 'free'"),
        ('integrator = "rk5"', "integrator: unknown 'rk5'; did you mean 'rk4'?"),
        ("gravity = 9.81", "gravity: expected 3 numbers, got 9.81"),
        ("gravity = [0, nan, 0]", "gravity: expected finite numbers, got [0, nan, 0]"),
        ("initial = 3", "initial: expected a table, got 3"),
        ("[initial]\nw = 1", "[initial] w: unknown key; there is: 'q', 'v'"),
        ("[initial.q]\nelbow = [true]", "[initial.q] elbow: expected a number or a list of numbers, got [True]"),
        ("[initial.q]\nelbow = []", "[initial.q] elbow: expected a number or a list of numbers, got []"),
        ("[initial.q]\nelbow = 1\n[driven]\nelbow = 0", "[initial.q] elbow: [driven] says where joint 'elbow' is"),
        ("[initial.v]\nelbow = 1\n[driven.elbow]\nrate = 2", "[initial.v] elbow: [driven] says where joint 'elbow' is"),
        ("[hold.elbow]\nstifness = 1", "[hold.elbow] stifness: unknown key; did you mean 'stiffness'?"),
        ("[hold.elbow]\ndamping = -1", "[hold.elbow] damping: expected a number of at least 0, got -1"),
        ("[hold]\nelbow = 1", "[hold] elbow: expected a table, got 1"),
        ("[contacts]\nsweps = 3", "[contacts] sweps: unknown key; did you mean 'sweeps'?"),
        ("[contacts]\ndepth = -1", "[contacts] depth: expected a number of at least 0, got -1"),
        ("[contacts]\nrecovery = 2", "[contacts] recovery: expected a part between 0 and 1, got 2"),
        ("[output]\nplots = 'a.png'", "[output] plots: unknown key; did you mean 'plot'?"),
        ("[output]\nplot = 1", "[output] plot: expected a text, got 1"),
        (f"x = {'[' * 3000}{']' * 3000}", "not valid TOML: nested too deeply"),
        ("[output", "not valid TOML: Expected ']'"),
        ("duration = 3", "not valid TOML: Cannot overwrite a value"),
    ],
)
def test_mistakes_are_named(folder: Path, text: str, complaint: str) -> None:
    with pytest.raises(kg.ModelError) as caught:
        scene_of(folder, text)
    assert str(caught.value).startswith(f"{folder / 'scene.toml'}: {complaint}")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("duration = 1", "model: is missing"),
        ('model = "x.urdf"', "duration: is missing"),
        ('modle = "x.urdf"', "model: is missing; is 'modle' meant to be it?"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "scene.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(kg.ModelError) as caught:
        read_scene(file)
    assert str(caught.value) == f"{file}: {complaint}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[initial.q]\nelbo = 1", "has no joint 'elbo'"),
        ("[initial.q]\nelbow = [1, 2]", "q of joint 'elbow': expected 1 number, got 2"),
        ("[initial.v]\nelbow = [1, 2]", "initial.v of joint 'elbow': expected 1 number, got 2"),
        ("[torque]\nknee = 1", "has no joint 'knee'"),
        ("[wrench]\nfoot = [1, 0, 0, 0, 0, 0]", "has no link or frame 'foot'"),
        ("[wrench]\nlower = [1, 0, 0]", "expected 6 numbers"),
        ("[driven]\nfoot = 1", "has no joint 'foot'"),
        ("[servo.foot]\nkp = 1", "has no joint 'foot'"),
        ("[servo.elbow]\nkp = -1", "kp: expected"),
        ("[driven]\nelbow = [1, 2]", "driven: joint 'elbow': at: expected 1 number, got 2"),
        (
            "[driven.elbow]\nat = 0\nspeed = 1",
            "[driven.elbow] speed: unknown key; there is: 'at', 'rate', 'amplitude', 'frequency', 'phase'",
        ),
        ("[driven.elbow]\nrate = 'fast'", "[driven.elbow] rate: expected a number or a list of numbers, got 'fast'"),
        ("[hold.elbow]\ntarget = [1, 2]", "q of joint 'elbow': expected 1 number, got 2"),
        (
            "root = 'free'\n[hold.root_joint]\ntarget = [0, 0, 0, 0.6, 0, 0, 1.9]",
            "q of joint 'root_joint': [qx qy qz qw] has norm 1.99",
        ),
        ("[hold.elbo]\nstiffness = 1", "has no joint 'elbo'"),
    ],
)
def test_joints_that_do_not_fit_are_named(folder: Path, text: str, complaint: str) -> None:
    with pytest.raises(kg.ModelError) as caught:
        moved(scene_of(folder, text))
    assert str(caught.value).startswith(f"{folder / 'scene.toml'}: ")
    assert complaint in str(caught.value)


def test_a_joint_with_a_spring_or_a_leader_cannot_be_held(folder: Path) -> None:
    text = (folder / "double_pendulum.urdf").read_text(encoding="utf-8")
    follower = '<axis xyz="0 1 0"/>\n    <mimic joint="shoulder"/>\n  </joint>\n</robot>'
    head, _, _ = text.rpartition('<axis xyz="0 1 0"/>')
    (folder / "double_pendulum.urdf").write_text(head + follower, encoding="utf-8")
    with pytest.raises(kg.ModelError, match="'elbow' does not move by itself"):
        scene_of(folder, "[hold.elbow]\nstiffness = 1").mechanism()


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "scene.toml"
    file.write_bytes(b'model = "\xff"')
    with pytest.raises(kg.ModelError, match="is not UTF-8 text: byte 9 is 0xff; save it as UTF-8"):
        read_scene(file)


def test_a_scene_with_a_byte_order_mark(folder: Path) -> None:
    plain = scene_of(folder, "")
    plain.file.write_bytes(codecs.BOM_UTF8 + plain.file.read_bytes())
    assert read_scene(plain.file) == plain and is_scene(plain.file)


def test_a_pipe_is_no_scene(tmp_path: Path) -> None:
    """Nobody waits for what may never come."""
    os.mkfifo(tmp_path / "scene.toml")
    assert not is_scene(tmp_path / "scene.toml")
    with pytest.raises(kg.ModelError, match="it is no regular file"):
        kg.play(tmp_path / "scene.toml", tmp_path / "page.html")


SCENES = [path for path in sorted(EXAMPLES.glob("*.toml")) if "model" in tomllib.loads(path.read_text())]


@pytest.mark.parametrize("example", SCENES, ids=lambda path: path.stem)
def test_examples_can_be_read(example: Path) -> None:
    scene = read_scene(example)
    assert scene.mechanism().tree.nv > 0
    assert all(path.parent.name == "out" for path in scene.outputs.values())


def test_the_documented_tables_and_keys_can_be_read(tmp_path: Path) -> None:
    """All at once, those of structure too; joints and links are looked up later."""
    plain, changing = (str(module.__doc__).split("\n\n", 1)[1] for module in (scenes, structure))
    plain = plain.split("\nConnections, cuts and events")[0]
    head, tables = plain.split("[parameters]")
    names, events = changing.split("[[connection]]")
    file = tmp_path / "scene.toml"
    file.write_text(f"{head}{names}[parameters]{tables}[[connection]]{events}", encoding="utf-8")
    scene = read_scene(file)
    assert scene.hold == {"knee": Hold(50.0, 2.0, (0.6,))} and scene.servo["knee"].limit == 80.0
    assert [event.cut for event in scene.structure.events] == [("grip_l",)]


def test_a_model_that_is_not_there_is_told_with_its_scene(tmp_path: Path) -> None:
    file = tmp_path / "scene.toml"
    file.write_text('model = "/nowhere/x.urdf"\nduration = 1.0\n')
    with pytest.raises(kg.ModelError, match=r"scene\.toml: model: /nowhere/x\.urdf: cannot be read"):
        read_scene(file).mechanism()
