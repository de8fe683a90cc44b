"""`Trajectory`: files, slices, plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinegen.runtime import Simulator, Trajectory
from kinegen.runtime.errors import ModelError
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


def test_slices_of_a_trajectory() -> None:
    trajectory = Simulator(slider(), v=[1.0]).run(0.01)
    assert len(trajectory) == 11 and len(trajectory[2:8:2]) == 3 and len(trajectory[-1]) == 1
    np.testing.assert_array_equal(trajectory[2:8:2].t, trajectory.t[2:8:2])
    np.testing.assert_array_equal(trajectory[-1].q, trajectory.q[-1:])
    assert [len(part) for part in trajectory] == [1] * 11
    with pytest.raises(IndexError):
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
        with pytest.raises(ModelError, match=name):
            Trajectory.load(tmp_path / f"{name}.npz")
    with pytest.raises(ModelError, match="cannot write"):
        Simulator(slider()).run(0.01).save(tmp_path / "no" / "folder.npz")


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


def test_a_trajectory_without_model_says_so() -> None:
    run = Simulator(slider()).run(0.01)
    bare = Trajectory(run.t, run.q, run.v, run.tau, joints=run.joints)
    with pytest.raises(ModelError, match="energy: the trajectory has no model"):
        _ = bare.energy
    with pytest.raises(ModelError, match="v: expected shape"):
        Trajectory(run.t, run.q, run.v[1:], run.tau, joints=run.joints)
