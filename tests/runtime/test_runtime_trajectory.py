"""`Trajectory`: files, slices, plots."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime import Simulator, Trajectory
from kinegen.runtime.errors import ModelError
from kinegen.runtime.measured.states import read_states
from kinegen.runtime.measured.table import read_table
from support.mechanisms.closed_models import hinged
from support.mechanisms.moving_models import floating, slider, thrown


def test_trajectory_through_a_file(tmp_path: Path) -> None:
    model = floating(-9.81)
    trajectory = Simulator(model, tau=np.full(model.nv, 0.1), **thrown(model)).run(0.1)
    trajectory.save(tmp_path / "motion.npz")
    back = Trajectory.load(tmp_path / "motion.npz")
    for name in ("t", "q", "v", "tau", "energy", "momentum"):
        np.testing.assert_array_equal(getattr(back, name), getattr(trajectory, name))
    assert (back.name, back.joints, back.events) == (trajectory.name, trajectory.joints, trajectory.events)
    np.testing.assert_array_equal(back.joint("hinge")[0], trajectory.q[:, model.q_slice("hinge")])
    again = Trajectory.load(tmp_path / "motion.npz", model=model)
    np.testing.assert_array_equal(again[3:].energy, trajectory.energy[3:])


def test_other_files_are_not_written_over(tmp_path: Path) -> None:
    model = tmp_path / "robot.urdf"
    model.write_text("<robot/>")
    with pytest.raises(kg.ModelError, match=r"robot\.urdf: motions are written as \.npz files; choose that suffix"):
        Simulator(slider()).run(0.01).save(model)
    assert model.read_text() == "<robot/>"


def test_a_motion_of_another_model_is_refused(tmp_path: Path) -> None:
    """Also where q and v are as long as those of the model."""
    file = tmp_path / "run.npz"
    Simulator(slider()).run(0.01).save(file)
    said = rf"^{re.escape(str(file))}: is a motion of 'slider' with joints slide: not of model"
    joint = kg.Joint("slide", "revolute", "world", "mass", armature=1)
    turning = kg.Mechanism("turning", [kg.Link("mass", 1.0)], [joint])
    for other in (kg.compile(turning), floating()):
        with pytest.raises(ModelError, match=rf"{said} '{other.name}'"):
            Trajectory.load(file, other)


def test_slices_of_a_trajectory() -> None:
    trajectory = Simulator(slider(), v=[1.0]).run(0.01)
    assert len(trajectory) == 11 and len(trajectory[2:8:2]) == 3 and len(trajectory[-1]) == 1
    np.testing.assert_array_equal(trajectory[2:8:2].t, trajectory.t[2:8:2])
    np.testing.assert_array_equal(trajectory[-1].q, trajectory.q[-1:])
    assert [len(part) for part in trajectory] == [1] * 11
    with pytest.raises(IndexError, match=r"trajectory\[11\]: there are 11 states"):
        trajectory[11]
    assert "11 states" in repr(trajectory) and "empty" in repr(trajectory[5:5])


def test_files_that_are_no_trajectory(tmp_path: Path) -> None:
    good = tmp_path / "good.npz"
    Simulator(slider()).run(0.01).save(good)
    data = dict(np.load(good))
    cases: dict[str, dict[str, Any]] = {
        "missing": {key: data[key] for key in ("about", "t", "q", "v")},
        "sizes": {**data, "q": data["q"][:-1]},
        "nan": {**data, "v": np.full_like(data["v"], np.nan)},
        "format": {**data, "about": np.array('{"format": "another"}')},
        "json": {**data, "about": np.array("{")},
        "pickle": {**data, "t": np.array([{"a": 1}], dtype=object)},
    }
    for name, arrays in cases.items():
        np.savez(tmp_path / f"{name}.npz", **arrays)
    (tmp_path / "text.npz").write_text("no zip")
    (tmp_path / "empty.npz").write_text("")
    for name in (*cases, "text", "empty", "absent"):
        with pytest.raises(ModelError, match=rf"^{tmp_path / name}\.npz: (?!{tmp_path})"):
            Trajectory.load(tmp_path / f"{name}.npz")
    with pytest.raises(ModelError, match=r"^'a\\x00b\.npz': cannot be read: no file has such a name$"):
        Trajectory.load("a\0b.npz")
    with pytest.raises(ModelError, match=r"^largest: expected a whole number of at least 0, got -1$"):
        Trajectory.load(good, largest=-1)
    with pytest.raises(ModelError, match="cannot be written"):
        Simulator(slider()).run(0.01).save(tmp_path / "no" / "folder.npz")


def test_a_damaged_byte_is_a_refusal_that_names_the_file(tmp_path: Path) -> None:
    """Whatever byte of a file is another, it reads as before or is refused; no other error comes out."""
    good, bad, rng = tmp_path / "good.npz", tmp_path / "bad.npz", np.random.default_rng(0)
    Simulator(slider()).run(0.01).save(good)
    data, refused = good.read_bytes(), 0
    for _ in range(200):
        changed = bytearray(data)
        changed[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
        bad.write_bytes(changed)
        try:
            np.testing.assert_array_equal(Trajectory.load(bad).q, Trajectory.load(good).q)
        except ModelError as error:
            assert str(error).startswith(str(bad))
            refused += 1
    assert refused > 100


def test_sizes_are_checked_before_anything_is_unpacked(tmp_path: Path) -> None:
    good, bomb = tmp_path / "good.npz", tmp_path / "bomb.npz"
    Simulator(slider()).run(0.01).save(good)
    arrays = dict(np.load(good))
    np.savez_compressed(bomb, **{**arrays, "q": np.zeros((1 << 23, 1))})
    assert bomb.stat().st_size < 1 << 17
    with pytest.raises(ModelError, match=r"bomb\.npz: its arrays take 67,\d+,\d+ bytes, at most .* are read"):
        Trajectory.load(bomb, largest=1 << 20)
    with zipfile.ZipFile(
        bomb, "w", zipfile.ZIP_DEFLATED
    ) as archive:  # says that it holds a terabyte, and holds nothing
        for name in arrays:
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array_header_1_0(
                    member, {"descr": "<f8", "fortran_order": False, "shape": (1 << 37,)}
                )
    with pytest.raises(ModelError, match=r"bomb\.npz: array 'about': .* take 1,099,511,627,776 bytes, the file has 0"):
        Trajectory.load(bomb)


HOSTILE: dict[str, tuple[Callable[[dict[str, Any]], dict[str, Any]], str]] = {
    "a kind that is none": (lambda joint: {"kind": "magnet"}, "joint 'slide' is none"),
    "a place below zero": (lambda joint: {"q_start": -1}, "joint 'slide' is none"),
    "a place that is text": (lambda joint: {"v_start": "0"}, "joint 'slide' is none"),
    "another size": (lambda joint: {"nq": 7}, "joint 'slide' is none"),
    "far away": (lambda joint: {"q_start": 10**30}, "q: expected shape"),
    "a name that is a list": (lambda joint: {"name": [1]}, r"joint \(1,\) is none"),
    "a parent that is a number": (lambda joint: {"parent": 1}, "joint 'slide' is none"),
    "no name": (lambda joint: {"name": None}, "joint None is none"),
    "limits as text": (lambda joint: {"lower": ["a"]}, "lower of joint 'slide'"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_joints_that_no_model_has(tmp_path: Path, case: str) -> None:
    change, words = HOSTILE[case]
    good = tmp_path / "good.npz"
    Simulator(slider()).run(0.01).save(good)
    arrays = dict(np.load(good))
    about = json.loads(str(arrays["about"]))
    about["joints"][0] |= change(about["joints"][0])
    np.savez(good, **{**arrays, "about": np.array(json.dumps(about))})
    with pytest.raises(ModelError, match=words):
        Trajectory.load(good)


def test_plots_name_the_joints(tmp_path: Path) -> None:
    model = floating()
    trajectory = Simulator(model, tau=np.ones(model.nv), **thrown(model)).run(0.05)
    figure = trajectory.plot(tmp_path / "all.png")
    assert (tmp_path / "all.png").stat().st_size > 10_000
    assert len(figure.axes) == 3 and figure.axes[-1].get_xlabel() == "time [s]"
    figure = trajectory.plot(joints=["hinge", "cross"])
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["hinge", "cross first", "cross second"]
    with pytest.raises(ModelError, match="no joint 'knee'; it has: base"):
        trajectory.plot(joints=["knee"])
    with pytest.raises(ModelError, match=r"x\.zzz: no pictures of that kind; known: .*png"):
        trajectory.plot(tmp_path / "x.zzz")
    with pytest.raises(ModelError, match=r"x\.png: cannot be written: No such file"):
        trajectory.plot(tmp_path / "none" / "x.png")


def test_plots_draw_cut_joints_that_are_named() -> None:
    model = hinged(3.1315)
    trajectory = Simulator(model).run(0.05)
    for names in (["t"], ["a", "t"]):
        panels = trajectory.plot(joints=names).axes
        assert [text.get_text() for text in panels[0].get_legend().get_texts()] == names
        for panel, motion in zip(panels, trajectory.joint("t"), strict=False):
            np.testing.assert_array_equal(panel.lines[-1].get_ydata(), motion[:, 0])
    assert len(trajectory.plot().axes[0].lines) == 3


def test_as_columns(tmp_path: Path) -> None:
    """Full precision, and read back by what reads measured motions."""
    model = floating()
    run = Simulator(model, tau=np.ones(model.nv), **thrown(model)).run(0.05)
    table = run.to_pandas()
    assert np.array_equal(table.index, run.t) and table.shape == (len(run), model.nq + 2 * model.nv)
    assert np.array_equal(table["hinge"], run.q[:, model.q_slice("hinge")][:, 0])
    assert np.array_equal(table["v(cross second)"], run.v[:, model.v_slice("cross")][:, 1])
    assert table["tau(hinge)"].iloc[0] == 1.0
    assert run.to_csv(tmp_path / "run.csv") == tmp_path / "run.csv"
    read = read_table(tmp_path / "run.csv")
    assert read.columns == ("time", *table.columns) and np.array_equal(read.values[:, 1:], table.to_numpy())
    assert read_states(model, tmp_path / "run.csv").q == pytest.approx(run.q, abs=1e-12)
    for path, words in ((tmp_path / "a.txt", "written as .csv"), (tmp_path / "a\0.csv", "has such a name")):
        with pytest.raises(ModelError, match=words):
            run.to_csv(path)
    joints = run.joints
    for name, words in (("a,b", "comma or quote"), ("cross first", "called 'cross first'"), ("time", "called 'time'")):
        run.joints = tuple(replace(joint, name=name) if joint.name == "hinge" else joint for joint in joints)
        with pytest.raises(ModelError, match=words):
            run.to_csv(tmp_path / "a.csv")


def test_a_trajectory_without_model_says_so() -> None:
    run = Simulator(slider()).run(0.01)
    bare = Trajectory(run.t, run.q, run.v, run.tau, joints=run.joints)
    with pytest.raises(ModelError, match="energy: the trajectory has no model"):
        _ = bare.energy
    with pytest.raises(ModelError, match="v: expected shape"):
        Trajectory(run.t, run.q, run.v[1:], run.tau, joints=run.joints)
