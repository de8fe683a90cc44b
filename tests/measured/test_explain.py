"""A recorded motion explained: states from files, the command, the examples' squat, throw and kick."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli import main
from kinegen.runtime.measured.states import coordinate_names, read_states, states_of
from support.files.measured_truth import script
from support.rolling.mechanisms import disc

MODEL = "examples/double_pendulum.urdf"
ROOT = Path(__file__).parents[2]


def pendulum() -> kg.Model:
    return kg.compile(kg.load(ROOT / MODEL))


def swinging() -> tuple[np.ndarray, ...]:
    t = np.arange(201) / 100.0
    q = np.array([np.sin(2 * t), 0.5 * np.cos(3 * t)]).T
    v = np.array([2 * np.cos(2 * t), -1.5 * np.sin(3 * t)]).T
    a = np.array([-4 * np.sin(2 * t), -4.5 * np.cos(3 * t)]).T
    return t, q, v, a


def table(path: Path, model: kg.Model, header: str = "", factor: float = 1.0) -> Path:
    t, q, _, _ = swinging()
    columns = ["time", *coordinate_names(model)]
    separator = "," if path.suffix == ".csv" else "\t"
    rows = [separator.join(repr(float(x)) for x in (now, *(factor * at))) for now, at in zip(t, q, strict=True)]
    path.write_text(header + separator.join(columns) + "\n" + "\n".join(rows) + "\n")
    return path


def test_states_of_a_table_are_its_derivatives(tmp_path: Path) -> None:
    model = pendulum()
    t, q, v, a = swinging()
    degrees = "x\nversion=1\ninDegrees=yes\nendheader\n"
    for path in (
        table(tmp_path / "a.csv", model),
        table(tmp_path / "a.mot", model, degrees, 180.0 / np.pi),
    ):
        states = read_states(model, path)
        for found, expected in ((states.t, t), (states.q, q), (states.v, v), (states.a, a)):
            assert np.allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize(
    ("kind", "options", "entries"),
    [
        ("revolute", {}, {"": True}),
        ("helical", {"pitch": 0.1}, {"": True}),
        ("cylindrical", {}, {" angle": True, " shift": False}),
        ("universal", {}, {" first": True, " second": True}),
        ("prismatic", {}, {"": False}),
        ("cartesian", {}, {" x": False, " y": False, " z": False}),
    ],
)
def test_degrees_of_a_table_are_those_of_its_angles_and_not_of_its_lengths(
    tmp_path: Path, kind: str, options: dict[str, Any], entries: dict[str, bool]
) -> None:
    inertia = kg.inertia.box(1.0, (0.1, 0.2, 0.3))
    body = kg.Link("body", 1.0, (0.1, 0.2, 0.3), inertia)
    model = kg.compile(kg.Mechanism("one", [body], [kg.Joint("j", kind, "world", "body", **options)]), progress=False)
    rows = [[0.01 * k, *(30.0 * np.sin(0.03 * k + i) for i in range(len(entries)))] for k in range(20)]
    columns = "\t".join(["time", *(f"j{name}" for name in entries)])
    lines = "\n".join("\t".join(map(repr, map(float, row))) for row in rows)
    (tmp_path / "a.mot").write_text(f"x\ninDegrees=yes\nendheader\n{columns}\n{lines}\n")
    unit = np.where([*entries.values()], np.pi / 180.0, 1.0)
    assert np.allclose(read_states(model, tmp_path / "a.mot").q, np.array(rows)[:, 1:] * unit, rtol=1e-12)


def test_an_angle_beside_a_shift_that_leaps_is_taken_for_degrees(tmp_path: Path) -> None:
    body = kg.Link("body", 1.0, (0.1, 0.2, 0.3), kg.inertia.box(1.0, (0.1, 0.2, 0.3)))
    model = kg.compile(kg.Mechanism("one", [body], [kg.Joint("j", "cylindrical", "world", "body")]), progress=False)
    for name in ("angle", "shift"):
        rows = "\n".join(f"{0.01 * k},{40.0 * (name == 'angle') * (k > 6)},{40.0 * (k > 6)}" for k in range(20))
        (tmp_path / f"{name}.csv").write_text(f"time,j angle,j shift\n{rows}\n")
    assert read_states(model, tmp_path / "shift.csv").q[-1, 1] == 40.0
    with pytest.raises(kg.ModelError, match=r"'j angle' turns by more than half a turn before frame 8: is it in"):
        read_states(model, tmp_path / "angle.csv")


def test_states_on_rotations_are_quasi_velocities() -> None:
    """A free body with constant v in its own axes: states find v where it was, and no acceleration."""
    model = kg.compile(kg.human_figure())
    v = np.random.default_rng(0).normal(size=model.nv)
    t = np.arange(40) / 100.0
    q = model.integrate(model.q0, t[:, None] * v)
    states = states_of(model, t, q)
    assert np.abs(states.v - v).max() < 1e-8
    assert np.abs(states.a)[5:-5].max() < 1e-6


def test_states_of_a_trajectory_file(tmp_path: Path) -> None:
    model = pendulum()
    trajectory = kg.Simulator(model, dt=1e-3, integrator="rk4", q=[0.5, 0.2]).run(0.5, every=5)
    trajectory.save(tmp_path / "run.npz")
    states = read_states(model, tmp_path / "run.npz")
    expected = model.forward_dynamics(trajectory.q, trajectory.v, model.passive_forces(trajectory.q, trajectory.v))
    assert np.allclose(states.a, expected, atol=1e-5)
    smooth = read_states(model, tmp_path / "run.npz", kg.Smoothing(cutoff=20.0))
    assert np.abs(smooth.a - expected)[10:-10].max() < 0.2 * np.abs(expected).max()


def test_joints_without_columns_rest(tmp_path: Path) -> None:
    model = kg.compile(kg.human_figure())
    rows = "\n".join(f"{0.01 * k},{0.3 + 0.01 * k}" for k in range(20))
    (tmp_path / "knee.csv").write_text(f"time,knee_r\n{rows}\n")
    states = read_states(model, tmp_path / "knee.csv")
    others = np.delete(states.v, model.v_slice("knee_r").start, axis=1)
    assert not others.any()
    assert np.allclose(states.v[:, model.v_slice("knee_r")], 1.0)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as done:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return int(done.value.code or 0), out, err


def test_the_command_prints_causes_links_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = pendulum()
    motion, picture = table(tmp_path / "a.csv", model), tmp_path / "pictures" / "a.png"
    joint = model.joint_names[0]
    code, out, _ = run(capsys, "explain", ROOT / MODEL, motion, "--joint", joint, "--plot", picture)
    assert code == 0
    assert all(word in out for word in ("acceleration", "centrifugal", "gravity", "sum", "by link [N m]", "work [J]"))
    assert all(name in out for name in model.link_names)
    assert picture.stat().st_size > 10_000
    t, q, v, a = swinging()
    work = model.torque_terms(q, v, a).work(v, t)
    assert f"{work.total[0]:.3g}"[:4] in out


def test_tables_of_what_slides_are_in_newtons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rail.csv").write_text("time,rail\n" + "\n".join(f"{0.01 * k},{0.01 * k}" for k in range(12)))
    body = kg.Link("body", 1.0)
    kg.save(kg.Mechanism("one", [body], [kg.Joint("rail", "prismatic", "world", "body")]), tmp_path / "one.toml")
    code, out, _ = run(capsys, "explain", tmp_path / "one.toml", tmp_path / "rail.csv", "--joint", "rail")
    assert code == 0
    assert "rail by cause [N]" in out and "rail by link [N]" in out


@pytest.mark.parametrize(
    ("text", "joint", "message"),
    [
        ("time,a\n0,1\n", 0, "no column is a coordinate of model"),
        ("time,{0},b\n0,1,2\n", 0, "column 'b' is no coordinate"),
        ("time,{0}\n" + "\n".join(f"{k},1" for k in range(4)), 0, "4 frames are too few, derivatives need 9"),
        ("time,{0}\n" + "\n".join(f"{k},{40 * (-1) ** k}" for k in range(12)), 0, "before frame 2: is it in degrees"),
        ("time,{0}\n" + "\n".join(f"{k},1" for k in range(12)), "elbow", "no joint or dof 'elbow'"),
        ("time,{0}\n0,\n", 0, "line 2, frame 1, column"),
    ],
)
def test_bad_motions(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, joint: Any, message: str) -> None:
    names = pendulum().joint_names
    (tmp_path / "bad.csv").write_text(text.replace("{0}", names[0]))
    wanted = names[joint] if joint == 0 else "no_such_joint"
    code, _, err = run(capsys, "explain", ROOT / MODEL, tmp_path / "bad.csv", "--joint", wanted)
    assert code == 2
    assert message.replace("'elbow'", "'no_such_joint'") in err
    assert len(err.strip().splitlines()) == 1


def test_columns_that_are_no_coordinates_are_refused_with_the_names_that_are(tmp_path: Path) -> None:
    (tmp_path / "near.csv").write_text("time,root_joint x,root_joint_y\n0,0,0\n")
    floating = kg.compile(kg.load(ROOT / MODEL, root="free"), progress=False)
    with pytest.raises(kg.ModelError, match=r"column 'root_joint_y' is no coordinate .*; it has: root_joint y, .*"):
        read_states(floating, tmp_path / "near.csv")
    (tmp_path / "none.csv").write_text("time,a,b\n0,0,0\n")
    with pytest.raises(kg.ModelError, match=r"no column is a coordinate of model '\w+'; it has: \w+, \w+$"):
        read_states(pendulum(), tmp_path / "none.csv")


def test_other_motions_and_files_are_refused(tmp_path: Path) -> None:
    model = pendulum()
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(kg.ModelError, match=r"cannot read a motion from '.txt'; known: .npz, .csv"):
        read_states(model, tmp_path / "a.txt")
    figure = kg.compile(kg.human_figure())
    kg.Simulator(figure, dt=1e-3).run(0.02).save(tmp_path / "figure.npz")
    with pytest.raises(kg.ModelError, match=r"is a motion of 'human_figure' with joints root_joint, .* not of model"):
        read_states(model, tmp_path / "figure.npz")
    rows = "\n".join(f"{k},0,0,0,2" for k in range(12))
    (tmp_path / "hip.csv").write_text(f"time,hip_r qx,hip_r qy,hip_r qz,hip_r qw\n{rows}\n")
    with pytest.raises(kg.ModelError, match=r"hip.csv: frame 1: columns hip_r qx, .* have norm 2, expected 1"):
        read_states(figure, tmp_path / "hip.csv")
    (tmp_path / "part.csv").write_text("time,hip_r qx\n0,0\n1,0\n")
    with pytest.raises(kg.ModelError, match=r"part.csv: joint 'hip_r' has no column 'hip_r qy'"):
        read_states(figure, tmp_path / "part.csv")


def test_names_in_the_documentation_exist() -> None:
    text = (ROOT / "docs" / "torque_by_cause.md").read_text(encoding="utf-8")
    names = set(re.findall(r"\bkg\.(\w+)", text))
    assert len(names) > 8
    assert not [name for name in names if not hasattr(kg, name)]
    assert all((ROOT / "docs" / picture).is_file() for picture in re.findall(r"!\[.*?\]\((.*?)\)", text))


def test_of_closed_mechanisms_the_command_tells_what_a_leading_joint_exerts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bars that fall freely: no joint exerts a torque, whichever is asked for; a motion that opens them is refused."""
    bars = kg.compile(kg.load(ROOT / "examples" / "fourbar.toml"))
    kg.Simulator(bars, integrator="rk4").run(0.5).save(tmp_path / "bars.npz")
    arguments = ("explain", ROOT / "examples" / "fourbar.toml")
    for joint in ("drive", "pivot"):
        code, out, err = run(capsys, *arguments, tmp_path / "bars.npz", "--joint", joint)
        assert code == 0, err
        assert f"closed: what must act there where nothing acts but along {joint}\n" in out
        work = [float(row.split("│")[-2]) for row in out.splitlines() if re.match(r"│ (gravity|sum) ", row)]
        assert abs(work[0]) > 1.0 and abs(work[1]) < 1e-2
    code, _, err = run(capsys, *arguments, tmp_path / "bars.npz", "--joint", "close")
    assert code == 2 and "has no coordinates of joint 'close', which is cut; it has: drive, knee, pivot" in err
    rows = "\n".join(f"{0.01 * k},{0.01 * k}" for k in range(12))
    (tmp_path / "drive.csv").write_text(f"time,drive\n{rows}\n")
    code, _, err = run(capsys, *arguments, tmp_path / "drive.csv", "--joint", "drive")
    assert code == 2 and re.search(r"drive.csv: frame \d+ leaves loops of model 'fourbar' open by", err)


def test_entries_may_be_named_as_errors_name_them_and_leaders_as_tables_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kg.save(disc(), tmp_path / "disc.toml")
    kg.Simulator(disc(), v=[0, 0, 0, 0, 3.0, 0]).run(0.1).save(tmp_path / "disc.npz")
    arguments = ("explain", tmp_path / "disc.toml", tmp_path / "disc.npz", "--joint")
    code, _, err = run(capsys, *arguments, "base")
    assert code == 2 and "for instance base[3], base[4], base[5]" in err
    outs = []
    for name in ("base[3]", "base wx"):
        code, out, err = run(capsys, *arguments, name)
        assert code == 0, err
        assert "where nothing acts but along base wx, base wy, base wz\n" in out and "base wx by cause [N m]" in out
        outs.append(out)
    assert outs[0] == outs[1]


@pytest.mark.parametrize("name", ["squat", "throw", "kick"])
def test_explained_motions_are_carried_by_the_floor(name: str) -> None:
    example = script("examples", "explained_motions")
    _, model = example.figure()
    scene = getattr(example, name)()
    states = example.motion(model, scene)
    wrenches = example.floor(model, scene, states)
    terms = model.torque_terms(states.q, states.v, states.a, wrenches)
    assert np.abs(terms.of("root_joint").total).max() < 1e-9
    expected = model.inverse_dynamics(states.q, states.v, states.a) + terms.static
    assert np.abs(terms.total - expected).max() < 1e-9
    foot = model.link_names.index(scene.feet[0])
    poses = model.link_poses(states.q)[:, foot]
    assert np.abs(poses - poses[0]).max() < 1e-12


def test_squat_is_carried_by_soles() -> None:
    """The floor pushes between heel and toes, and the knees' torque is nearly the static one."""
    example = script("examples", "explained_motions")
    _, model = example.figure()
    scene = example.squat()
    states = example.motion(model, scene)
    wrenches = example.floor(model, scene, states)
    for wrench in wrenches:
        forward = example.centre_of_pressure(wrench, 0.067)[:, 0]
        assert forward.min() > -0.065 and forward.max() < 0.19
        assert wrench.force[:, 2].min() > 0.0
    knee = model.torque_terms(states.q, states.v, states.a, wrenches).of("knee_r")
    assert np.abs(knee.total - knee.static).max() < 0.12 * np.abs(knee.total).max()


def test_forces_from_a_file_are_a_cause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example = script("examples", "explained_motions")
    _, model = example.figure()
    scene = example.squat()
    states = example.motion(model, scene)
    wrenches = example.floor(model, scene, states)
    tau = np.zeros_like(states.v)
    kg.Trajectory(states.t, states.q, states.v, tau, joints=model.manifest.joints).save(tmp_path / "squat.npz")
    example.write_forces(tmp_path / "floor.mot", states.t, wrenches)
    arguments = ("explain", "human_figure", tmp_path / "squat.npz", "--joint", "knee_r", "--forces")
    code, out, _ = run(capsys, *arguments, f"{tmp_path / 'floor.mot'}:r_=foot_r")
    knee = model.torque_terms(states.q, states.v, states.a, wrenches).of("knee_r").total[:, 0]
    assert code == 0 and "force on foot_r" in out
    assert f"{knee[np.argmax(np.abs(knee))]:.4g}" in out
    code, _, err = run(capsys, *arguments, f"{tmp_path / 'floor.mot'}:x_=foot_r")
    assert code == 2 and "floor.mot: no column 'x_ground_force_vx'" in err
    code, _, err = run(capsys, *arguments, "floor.mot")
    assert code == 2 and "expected FILE=LINK" in err


def standing_leg() -> kg.Mechanism:
    """A trunk on a guide, thigh and shank, whose foot stands on the floor."""
    foot = kg.sphere(0.03, pose=kg.Pose((0, 0, -0.4)), friction=1.0)
    links = [
        kg.Link("trunk", 50, inertia=kg.inertia.sphere(50, 0.2)),
        kg.Link("thigh", 8, (0, 0, -0.2), kg.inertia.rod(8, 0.4, axis=(0, 0, 1))),
        kg.Link("shank", 4, (0, 0, -0.2), kg.inertia.rod(4, 0.4, axis=(0, 0, 1)), shapes=[foot]),
    ]
    joints = [
        kg.Joint("guide", "prismatic", "world", "trunk", axis=(0, 0, 1), actuated=False),
        kg.Joint("hip", "revolute", "trunk", "thigh", axis=(0, -1, 0)),
        kg.Joint("knee", "revolute", "thigh", "shank", axis=(0, 1, 0), origin=kg.Pose((0, 0, -0.4))),
    ]
    return kg.Mechanism("leg", links, joints, shapes=[kg.plane(friction=1.0)])


def test_contacts_of_a_record_are_causes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A leg that stands: what moves it and what the floor exerts add up to the torques of its servos."""
    kg.save(standing_leg(), tmp_path / "leg.toml")
    model = kg.compile(standing_leg(), progress=False)
    servos = {"hip": kg.Servo(3000, 100, 0.5), "knee": kg.Servo(3000, 100, 1.0)}
    sim = kg.Simulator(model, q=[0.8 * np.cos(0.5) + 0.031, 0.5, 1.0], servos=servos)
    sim.run(1.0)
    record = sim.run(0.5)
    record.save(tmp_path / "leg.npz")
    states = read_states(model, tmp_path / "leg.npz")
    assert len(states.t) == len(record) - 1 and [each.link for each in states.contacts] == ["shank"]
    terms = model.torque_terms(states.q, states.v, states.a, states.contacts)
    np.testing.assert_allclose(terms.total, record.tau[:-1], atol=0.05)
    arguments = ("explain", tmp_path / "leg.toml", tmp_path / "leg.npz", "--joint", "knee")
    code, out, err = run(capsys, *arguments)
    assert code == 0, err
    (row,) = [line for line in out.splitlines() if "│ sum " in line]
    assert float(row.split("│")[3]) == pytest.approx(record.tau[-2, 2], rel=0.01)
    assert "contacts of shank" in out
    columns = [f"ground_{part}{axis}" for part in ("force_v", "force_p", "torque_") for axis in "xyz"]
    rows = "\n".join("\t".join([repr(float(t)), *["0"] * 9]) for t in record.t)
    (tmp_path / "floor.mot").write_text("x\nendheader\n" + "\t".join(["time", *columns]) + f"\n{rows}\n")
    code, out, err = run(capsys, *arguments, "--forces", f"{tmp_path / 'floor.mot'}=shank")
    assert code == 0 and "force on shank" in out and "contacts of shank" not in out, err


def test_forces_of_two_plates_under_one_link_are_causes_by_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = pendulum()
    motion, link, joint = table(tmp_path / "a.csv", model), model.link_names[-1], model.joint_names[0]
    names = [f"{k}_ground_{part}{axis}" for k in (1, 2) for part in ("force_v", "force_p", "torque_") for axis in "xyz"]
    t, q, v, a = swinging()
    forces = [(0.0, 30.0, 10.0), (0.0, -5.0, 40.0)]
    row = "\t".join(str(x) for force in forces for x in (*force, *[0.1] * 3, *[0.0] * 3))
    lines = "\n".join(f"{now}\t{row}" for now in t)
    for name in ("two.mot", "two:b.mot"):
        (tmp_path / name).write_text("two\nendheader\n" + "\t".join(["time", *names]) + f"\n{lines}\n")
    arguments = ["explain", ROOT / MODEL, motion, "--joint", joint]
    given = [f"{tmp_path / 'two.mot'}:1_={link}", f"{tmp_path / 'two:b.mot'}:2_={link}"]
    code, out, err = run(capsys, *arguments, "--forces", given[0], "--forces", given[1])
    wrenches = [kg.Wrench(str(k), link, force, [0.1] * 3) for k, force in enumerate(forces)]
    total = model.torque_terms(q, v, a, wrenches).of(joint).total[:, 0]
    assert code == 0, err
    assert f"{total[np.argmax(np.abs(total))]:.4g}" in out
    assert f"force 1 on {link}" in out and f"force 2 on {link}" in out
    code, _, err = run(capsys, *arguments, "--forces", given[0], "--forces", given[0])
    assert code == 2 and f":1_={link} is given twice; give it once" in err


def test_examples_write_their_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script("examples", "explained_motions").main(tmp_path)
    for name in ("squat", "throw", "kick"):
        for part in ("", "_causes"):
            assert (tmp_path / f"{name}{part}.png").stat().st_size > 10_000
    assert "largest force or moment left at the root" in capsys.readouterr().out
