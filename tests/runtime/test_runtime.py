"""`Model`: what it says of itself, batches, frames, parameters, pickling, threads, life without SymPy."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model, load
from kinegen.runtime.errors import ModelError
from support.mechanisms.closed_mechanisms import four_bar
from support.mechanisms.sample_figure import INERTIA, NAMES, arguments, calls, figure


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.load(compile_mechanism(figure()))


@pytest.fixture(scope="module")
def pendulum() -> Model:
    """A pendulum of unknown mass m and length l."""
    m, length = sympy.symbols("m l")
    link = Link("rod", m, (0.0, 0.0, -length), (0.0,) * 6)
    joint = Joint("pin", "revolute", "world", "rod", axis=(0, 1, 0))
    return kg.compile(Mechanism("pendulum", [link], [joint]))


# ---- What it says of itself


def test_sizes_names_and_places(model: Model) -> None:
    assert (model.nq, model.nv, model.nu) == (14, 12, 5)
    assert model.joint_names == ("base", "shoulder", "elbow", "slide", "axle")
    assert model.link_names == ("trunk", "upper", "lower", "cart", "wheel")
    assert set(model.frame_names) == {*model.link_names, "hand", "mark"}
    assert model.q_slice("shoulder") == slice(7, 11) and model.v_slice("shoulder") == slice(6, 9)
    assert model.q_slice("axle") == slice(13, 14) and model.v_slice("axle") == slice(11, 12)
    assert model.name == "figure" and "figure" in repr(model)


def test_neutral_and_home(model: Model) -> None:
    np.testing.assert_array_equal(model.neutral(), [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])
    np.testing.assert_array_equal(model.q0, [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0.2, -0.5, 0])


def test_random_configurations_keep_limits_and_unit_norm(model: Model) -> None:
    q = model.random(1, size=(50, 4))
    assert q.shape == (50, 4, model.nq)
    np.testing.assert_allclose(np.linalg.norm(q[..., 3:7], axis=-1), 1.0, atol=1e-15)
    elbow, slide = q[..., 11], q[..., 12]
    assert elbow.min() >= 0.2 and elbow.max() <= 2.5 and np.ptp(elbow) > 2.0
    assert slide.max() <= -0.5 and slide.min() >= -2.5
    np.testing.assert_array_equal(model.random(7), model.random(np.random.default_rng(7)))


def test_configurations_one_by_one_are_drawn_anew(model: Model) -> None:
    """More than are drawn together: in the limits, each an array of its own; a child process goes another way."""
    found = np.array([model.random() for _ in range(200)])
    assert len(np.unique(found[:, 11])) == 200 and np.ptp(found[:, 11]) > 1.5
    assert found[:, 11].min() >= 0.2 and found[:, 11].max() <= 2.5
    np.testing.assert_allclose(np.linalg.norm(found[:, 3:7], axis=-1), 1.0, atol=1e-15)
    assert np.abs(found[:, 3:7].mean(axis=0)).max() < 0.2
    assert all(one.base is None and one.flags.writeable for one in (model.random(), model.random()))
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writing, model.random().tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = np.frombuffer(os.read(reading, 8 * model.nq))
    os.close(reading), os.close(writing)
    assert not (theirs == model.random()).any()


def test_source_is_what_was_compiled(model: Model) -> None:
    assert model.sources.keys() == set(model.manifest.sources)
    assert f"void {model.manifest.prefix}_inverse_dynamics(" in model.source


def test_load_by_every_door(model: Model) -> None:
    folder = model.module.folder
    for again in (load(folder), Model.load(str(folder)), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.mass_matrix(model.q0), model.mass_matrix(model.q0))


def test_names_are_escaped_in_notebooks() -> None:
    link = Link("<script>alert(1)</script>", 1.0, inertia=INERTIA)
    mechanism = Mechanism("<b>bold</b>", [link], [Joint("<i>", "revolute", "world", link.name)])
    html = kg.compile(mechanism)._repr_html_()
    assert "<script>" not in html and "<b>" not in html and "<i>" not in html
    assert "&lt;script&gt;" in html


# ---- Batches


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_is_its_states_one_by_one(model: Model, name: str) -> None:
    function, letters = calls(model)[name]
    batch = arguments(model, letters, (3, 2))
    result = function(*batch)
    for at in np.ndindex(3, 2):
        np.testing.assert_allclose(result[at], function(*(x[at] for x in batch)), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", ["inverse_dynamics", "bias", "forward_dynamics", "integrate"])
def test_batch_axes_broadcast(model: Model, name: str) -> None:
    function, letters = calls(model)[name]
    q, *rest = arguments(model, letters, (4, 1))
    row = [x[0, 0] for x in rest]
    table = [np.stack([x, 2 * x, -x]) for x in row]
    result = function(q, *table)
    assert result.shape[:2] == (4, 3)
    for i in range(4):
        for k in range(3):
            expected = function(q[i, 0], *(x[k] for x in table))
            np.testing.assert_allclose(result[i, k], expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(function(q, *row)[:, 0], [function(x, *row) for x in q[:, 0]], rtol=1e-13, atol=1e-13)


def test_no_states_give_no_results(model: Model) -> None:
    assert model.mass_matrix(np.empty((0, model.nq))).shape == (0, model.nv, model.nv)
    assert model.bias(np.empty((5, 0, model.nq)), np.zeros(model.nv)).shape == (5, 0, model.nv)


def test_batch_axes_that_do_not_fit(model: Model) -> None:
    with pytest.raises(ModelError, match=r"bias: batch axes do not broadcast: q \(3, 14\), v \(2, 12\)"):
        model.bias(model.random(0, size=3), np.zeros((2, model.nv)))


def test_batch_axes_that_do_not_fit_are_told_by_the_method_that_was_asked(model: Model) -> None:
    """Not by a kernel that it asks, nor with arguments or axes that were not given."""
    q, v, a = model.random(0, size=3), np.zeros((2, model.nv)), np.zeros(model.nv)
    given = r"q \(3, 14\), v \(2, 12\)"
    for name in ("frame_velocity", "frame_bias", "frame_velocity_derivatives"):
        for reference in ("local_world_aligned", "local"):
            with pytest.raises(ModelError, match=rf"^{name}: batch axes do not broadcast: {given}$"):
                getattr(model, name)(q, v, "hand", reference=reference)
    for name in ("frame_acceleration", "frame_acceleration_derivatives"):
        with pytest.raises(ModelError, match=rf"^{name}: batch axes do not broadcast: {given}, a \(12,\)$"):
            getattr(model, name)(q, v, a, "hand")
    with pytest.raises(ModelError, match=rf"^com_velocity_derivatives: batch axes do not broadcast: {given}$"):
        model.com_velocity_derivatives(q, v)
    for way, last in (("inverse", "a"), ("forward", "tau")):
        for order in ("", "_second"):
            name = f"{way}_dynamics{order}_derivatives"
            with pytest.raises(ModelError, match=rf"^{name}: batch axes do not broadcast: {given}, {last} \(12,\)$"):
                getattr(model, name)(q, v, a)
        name = f"{way}_dynamics_second_derivatives"
        with pytest.raises(
            ModelError, match=rf"^{name}: .*: q \(3, 14\), v \(12,\), {last} \(12,\), weights \(2, 12\)$"
        ):
            getattr(model, name)(q, v=a, **{last: a}, weights=v)


def test_batch_axes_that_do_not_fit_are_told_of_what_stands_still_too() -> None:
    joints = [kg.Joint("foot", "fixed", "world", "post"), kg.Joint("pin", "revolute", "post", "rod", axis=(0, 1, 0))]
    model = kg.compile(
        Mechanism(
            "gate", [Link("post"), Link("rod", 1.0, (0, 0, -1), INERTIA)], joints, frames=[kg.Frame("bell", "world")]
        )
    )
    for name in ("frame_velocity", "frame_velocity_derivatives"):
        with pytest.raises(ModelError, match=rf"^{name}: batch axes do not broadcast: q \(3, 1\), v \(2, 1\)$"):
            getattr(model, name)(np.zeros((3, 1)), np.zeros((2, 1)), "bell")
    with pytest.raises(ModelError, match=r"'which batch axes do not broadcast'.*bell"):  # as a name, not a fault
        model.frame_velocity_derivatives(np.zeros((3, 1)), np.zeros((2, 1)), "which batch axes do not broadcast")


def test_batch_axes_that_do_not_fit_are_told_of_loops_too() -> None:
    model = kg.compile(four_bar(1.0, 2.0, 2.5, 3.0))
    q, v, a = np.tile(model.q0, (3, 1)), np.zeros((2, model.nv)), np.zeros(model.nv)
    given = rf"q \(3, {model.nq}\), v \(2, {model.nv}\)"
    asked = {
        "forward_dynamics_derivatives": (q, v, a),
        "forward_dynamics_second_derivatives": (q, v, a),
        "actuator_torques": (q, v, a),
        "dependent_motion": (q, v),
        "project": (q, v),
        "loop_joint": (model.manifest.loops[0].name, q, v),
    }
    for name, asking in asked.items():
        with pytest.raises(ModelError, match=rf"^{name}: batch axes do not broadcast: {given}"):
            getattr(model, name)(*asking)
    with pytest.raises(ModelError, match=r"^forward_dynamics_second_derivatives: .*, weights \(2, 3\)$"):
        model.forward_dynamics_second_derivatives(q, a, a, weights=v)
    with pytest.raises(ModelError, match=r"^actuator_torques: .*: q \(3, 3\), v \(3,\), a \(2, 3\)$"):
        model.actuator_torques(q, a, v, passive=True)


# ---- Frames


def test_misspelt_options_are_refused_by_the_name_of_the_method(model: Model) -> None:
    q, v = model.neutral(), np.zeros(model.nv)
    for name, given in (("bias", (q, v)), ("forward_dynamics", (q, v, v))):
        for option in ("thread", "layot"):
            told = rf"^{name}\(\) got an unexpected keyword argument '{option}'; options are out, layout, threads$"
            with pytest.raises(TypeError, match=told):
                getattr(model, name)(*given, **{option: 2})


def test_frames_move_as_their_jacobian_says(model: Model) -> None:
    q, v = arguments(model, "qv", seed=3)
    step = 1e-6
    for frame in ("hand", "lower", "trunk", "mark"):
        ends = [model.frame_pose(model.integrate(q, s * v), frame) for s in (-step, step)]
        velocity = model.frame_jacobian(q, frame) @ v
        np.testing.assert_allclose((ends[1] - ends[0])[:3, 3] / (2 * step), velocity[:3], atol=1e-8)
        spin = (ends[1] - ends[0])[:3, :3] / (2 * step) @ model.frame_pose(q, frame)[:3, :3].T
        np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], velocity[3:], atol=1e-8)


def test_frames_at_angles_far_out(model: Model) -> None:
    """Along a path sines and cosines are found together, or link by link where one is out of their range."""
    q = model.neutral()
    for elbow, axle in ((0.7, -0.2), (1e6, 0.3), (0.7, -4e7)):
        q[11], q[13] = elbow, axle
        for link, pose in zip(model.link_names, model.link_poses(q), strict=True):
            np.testing.assert_allclose(model.frame_pose(q, link), pose, atol=1e-14)


def test_a_frame_is_fixed_to_its_link(model: Model) -> None:
    q = model.random(2, size=4)
    lower = model.link_poses(q)[:, model.link_names.index("lower")]
    pose = Pose((0.0, 0.1, -0.25), (0.3, -0.2, 0.1))
    np.testing.assert_allclose(model.frame_pose(q, "lower"), lower)
    hand = model.frame_pose(q, "hand")
    np.testing.assert_allclose(hand[:, :3, :3], lower[:, :3, :3] @ np.array(pose.rotation, float), atol=1e-14)
    np.testing.assert_allclose(
        hand[:, :3, 3], (lower @ np.array([*pose.xyz, 1.0], float))[:, :3], rtol=1e-13, atol=1e-14
    )


# ---- Parameters


def test_parameters_are_set_by_name_on_a_new_model(pendulum: Model) -> None:
    assert dict(pendulum.parameters) == {"l": None, "m": None}
    with pytest.raises(ModelError, match=r"no value for parameter l, m; set it: model.with_parameters\(\{'l': 1.0\}\)"):
        pendulum.gravity([0.3])
    half = pendulum.with_parameters(m=2.0)
    with pytest.raises(ModelError, match="no value for parameter l;"):
        half.mass_matrix([0.3])
    whole = half.with_parameters({"l": 0.5})
    assert dict(whole.parameters) == {"l": 0.5, "m": 2.0} and half.parameters["l"] is None
    np.testing.assert_allclose(whole.mass_matrix([0.3]), [[2.0 * 0.5**2]], rtol=1e-14)
    np.testing.assert_allclose(whole.gravity([[0.3], [0.4]]), 2.0 * 9.81 * 0.5 * np.sin([[0.3], [0.4]]), rtol=1e-14)
    heavier = whole.with_parameters(m=np.int64(4))
    np.testing.assert_allclose(heavier.mass_matrix([0.3]), 2 * whole.mass_matrix([0.3]), rtol=1e-14)
    again = pickle.loads(pickle.dumps(heavier))
    assert dict(again.parameters) == {"l": 0.5, "m": 4.0}


@pytest.mark.parametrize("value", [np.nan, np.inf, "1", None, 1j, [1.0, 2.0]])
def test_bad_parameter_values(pendulum: Model, value: Any) -> None:
    with pytest.raises(ModelError, match="parameter m"):
        pendulum.with_parameters(m=value)
    with pytest.raises(TypeError):
        pendulum.parameters["m"] = 1.0  # type: ignore[index]


# ---- Threads and processes


def test_threads_share_a_model(model: Model) -> None:
    batches = [arguments(model, "qvv", (200,), seed) for seed in range(8)]
    expected = [model.forward_dynamics(*batch) for batch in batches]
    results: list[Any] = [None] * 8

    def work(i: int) -> None:
        for _ in range(20):
            results[i] = model.forward_dynamics(*batches[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


def test_running_needs_neither_sympy_nor_jinja_nor_matplotlib(model: Model) -> None:
    script = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['sympy', 'jinja2', 'lxml', 'rich', 'matplotlib', 'pycparser']))\n"
        "from kinegen.runtime import Simulator, Trajectory, layouts, load\n"
        f"model = load({str(model.module.folder)!r})\n"
        "trajectory = Simulator(model).run(0.01)\n"
        "print(len(trajectory), trajectory.energy.shape)\n"
        "for attempt in (trajectory.plot, lambda: Simulator(model).run(0.01, progress=True)):\n"
        "    try:\n"
        "        attempt()\n"
        "    except ValueError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    first, plot, bar = done.stdout.splitlines()
    assert first == "11 (11, 2)"
    assert "matplotlib" in plot and "rich" in bar


def test_what_is_no_compiled_model(tmp_path: Any) -> None:
    with pytest.raises(ModelError, match=re.escape(str(tmp_path))):
        load(tmp_path)
