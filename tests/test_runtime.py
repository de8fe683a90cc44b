"""`Model`: what it says of itself, batches, arguments at the door, parameters, pickling, life without SymPy."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from unit_mass import chain

from kinegen.codegen.mechanism import Frame, Joint, Link, Mechanism, Pose
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model, load
from kinegen.runtime.errors import ModelError

INERTIA = (0.1, 0.0, 0.0, 0.2, 0.0, 0.3)


def figure() -> Mechanism:
    """A floating trunk with an arm (ball, limited hinge) and a wheel on a slide; a hand frame; a frame of the world."""
    links = [Link(name, 1.0, (0.1, 0.2, 0.3), INERTIA) for name in ("trunk", "upper", "lower", "cart", "wheel")]
    joints = [
        Joint("base", "free", "world", "trunk"),
        Joint("shoulder", "spherical", "trunk", "upper", Pose((0.0, 0.2, 0.5))),
        Joint("elbow", "revolute", "upper", "lower", Pose((0.0, 0.0, -0.3)), axis=(0, 1, 0), limits=(0.2, 2.5)),
        Joint("slide", "prismatic", "trunk", "cart", axis=(1, 0, 0), limits=(None, -0.5), actuated=False),
        Joint("axle", "continuous", "cart", "wheel"),
    ]
    frames = [
        Frame("hand", "lower", Pose((0.0, 0.1, -0.25), (0.3, -0.2, 0.1))),
        Frame("mark", "world", Pose((1, 2, 3))),
    ]
    return Mechanism("figure", links, joints, frames=frames)


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.load(compile_mechanism(figure()))


@pytest.fixture(scope="module")
def pendulum() -> Model:
    """A pendulum of unknown mass m and length l."""
    m, length = sympy.symbols("m l")
    link = Link("rod", m, (0.0, 0.0, -length), (0.0,) * 6)
    joint = Joint("pin", "revolute", "world", "rod", axis=(0, 1, 0))
    return Model.load(compile_mechanism(Mechanism("pendulum", [link], [joint])))


def calls(model: Model) -> dict[str, tuple[Callable[..., Any], str]]:
    """Every function of arrays, with its arguments in letters: q, c (another q) and v (anything with nv entries)."""
    return {
        "inverse_dynamics": (model.inverse_dynamics, "qvv"),
        "rnea": (model.rnea, "qvv"),
        "inverse_dynamics cog": (lambda *x: model.inverse_dynamics(*x, method="cog"), "qvv"),
        "mass_matrix": (model.mass_matrix, "q"),
        "crba": (model.crba, "q"),
        "mass_matrix unit_vector": (lambda q: model.mass_matrix(q, method="unit_vector"), "q"),
        "forward_dynamics": (model.forward_dynamics, "qvv"),
        "aba": (model.aba, "qvv"),
        "forward_dynamics unit_vector": (lambda *x: model.forward_dynamics(*x, method="unit_vector"), "qvv"),
        "bias": (model.bias, "qv"),
        "gravity": (model.gravity, "q"),
        "passive_forces": (model.passive_forces, "qv"),
        "link_poses": (model.link_poses, "q"),
        "cog_jacobian": (model.cog_jacobian, "q"),
        "cog_bias": (model.cog_bias, "qv"),
        "com": (model.com, "q"),
        "com_jacobian": (model.com_jacobian, "q"),
        "frame_pose": (lambda q: model.frame_pose(q, "hand"), "q"),
        "frame_pose of world": (lambda q: model.frame_pose(q, "mark"), "q"),
        "frame_jacobian": (lambda q: model.frame_jacobian(q, "hand"), "q"),
        "frame_jacobian of world": (lambda q: model.frame_jacobian(q, "mark"), "q"),
        "energy": (model.energy, "qv"),
        "momentum": (model.momentum, "qv"),
        "centroidal_momentum_matrix": (model.centroidal_momentum_matrix, "q"),
        "integrate": (model.integrate, "qv"),
        "difference": (model.difference, "qc"),
    }


NAMES = tuple(calls(Model.__new__(Model)))


def arguments(model: Model, letters: str, size: tuple[int, ...] = (), seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [model.random(rng, size=size) if x in "qc" else rng.normal(size=(*size, model.nv)) for x in letters]


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
    html = Model.load(compile_mechanism(mechanism))._repr_html_()
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


# ---- Arguments at the door


def test_arrays_of_every_make_are_taken(model: Model) -> None:
    q, v, a = arguments(model, "qvv")
    expected = model.inverse_dynamics(q, v, a)
    wide = np.zeros(2 * model.nv)
    wide[::2] = v
    frozen = a.copy()
    frozen.flags.writeable = False
    for given in (
        (q.tolist(), tuple(v), a),
        (q, wide[::2], frozen),
        (q.astype(">f8"), np.asfortranarray(v[None])[0], a[::-1][::-1]),
        (pickle.loads(pickle.dumps(q)), v, a),
    ):
        np.testing.assert_array_equal(model.inverse_dynamics(*given), expected)
    ones = np.ones(model.nv)
    expected = model.inverse_dynamics(model.neutral(), ones, 0 * ones)
    for dtype in (int, np.int8, np.uint64, np.float32, np.float16):
        given = (model.neutral().astype(dtype), ones.astype(dtype), np.zeros(model.nv, dtype))
        np.testing.assert_array_equal(model.inverse_dynamics(*given), expected)


def test_results_are_fresh_and_arguments_untouched(model: Model) -> None:
    q, v = arguments(model, "qv")
    before = q.copy(), v.copy()
    first = model.integrate(q, v)
    kept = first.copy()
    assert first.flags.owndata and first.flags.writeable
    model.integrate(q, 2 * v)
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal((*q, *v), (*before[0], *before[1]))


NAN, INF = float("nan"), float("inf")
BAD_V = {
    "short": (np.zeros(11), r"v: expected shape \(\.\.\., 12\), got \(11,\)"),
    "long": (np.zeros(13), r"v: expected shape .* got \(13,\)"),
    "scalar": (1.0, r"v: expected shape .* got \(\)"),
    "column": (np.zeros((12, 1)), r"v: expected shape .* got \(12, 1\)"),
    "complex": (np.zeros(12, complex), "v: expected float64 numbers .* got dtype complex128"),
    "object": (np.zeros(12, object), "v: expected float64 numbers .* got dtype object"),
    "bool": (np.zeros(12, bool), "v: expected float64 numbers .* got dtype bool"),
    "text": (["fast"] * 12, "v: expected float64 numbers .* got list"),
    "none": (None, "v: expected float64 numbers .* got NoneType None"),
    "dict": ({"v": 1}, "v: expected float64 numbers .* got dict"),
    "ragged": ([[1.0], [2.0, 3.0]], "v: expected an array .* got list"),
    "sympy": ([sympy.Symbol("x")] * 12, "v: expected float64 numbers .* got list"),
    "masked": (np.ma.masked_array(np.zeros(12), mask=[True] + [False] * 11), "v: .* masked array"),
    "dates": (np.zeros(12, "datetime64[s]"), "v: expected float64 numbers"),
    "empty": ([], r"v: expected shape .* got \(0,\)"),
    "nan": ([0.0] * 5 + [NAN] + [0.0] * 6, "v: entry 5 is nan, expected a number"),
    "inf": ([0.0] * 11 + [INF], "v: entry 11 is inf, expected a number"),
    "nan in a batch": (np.full((2, 12), NAN), r"v: entry \(0, 0\) is nan"),
}


@pytest.mark.parametrize("case", BAD_V)
def test_bad_arguments_are_named(model: Model, case: str) -> None:
    value, message = BAD_V[case]
    for attempt in (lambda: model.bias(model.q0, value), lambda: model.energy(model.q0, value)):
        with pytest.raises(ModelError, match=message):
            attempt()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("position", [0, 1, 2])
def test_every_function_refuses_nan_and_wrong_sizes(model: Model, name: str, position: int) -> None:
    function, letters = calls(model)[name]
    position = min(position, len(letters) - 1)
    for spoil in (lambda x: np.where(np.arange(x.size) == 0, NAN, x), lambda x: x[:-1], lambda x: x.astype(complex)):
        given = arguments(model, letters)
        given[position] = spoil(given[position])
        with pytest.raises(ModelError):
            function(*given)


def test_longdouble_would_lose_digits(model: Model) -> None:
    if np.dtype(np.longdouble).itemsize > 8:
        with pytest.raises(ModelError, match="v: expected float64"):
            model.bias(model.q0, np.zeros(model.nv, np.longdouble))


@pytest.mark.parametrize("joint, at", [("base", 3), ("shoulder", 7)])
def test_quaternions_off_unit_norm_are_named(model: Model, joint: str, at: int) -> None:
    q = model.q0
    q[at : at + 4] = 0.0, 0.0, 0.8, 0.8
    for attempt in (
        lambda: model.mass_matrix(q),
        lambda: model.mass_matrix(np.stack([model.q0, q])),
        lambda: model.difference(model.q0, q),
        lambda: model.integrate(q, np.zeros(model.nv)),
    ):
        with pytest.raises(ModelError, match=rf"quaternion \[x y z w\] of joint '{joint}', entries {at} to {at + 3}"):
            attempt()
    q[at : at + 4] = 0.0, 0.0, 0.0, 1.0 + 0.9e-6
    model.mass_matrix(q)


def test_cosine_sine_pairs_off_unit_norm_are_named() -> None:
    model = Model.load(compile_mechanism(chain(("planar",))))
    with pytest.raises(ModelError, match=r"q: the \[cos sin\] pair of joint 'j0', entries 2 to 3, has norm 2"):
        model.gravity([0.0, 0.0, 2.0, 0.0])


def test_unknown_names_come_with_the_nearest(model: Model) -> None:
    for attempt, message in (
        (lambda: model.q_slice("elbwo"), "no joint 'elbwo'; it has: elbow"),
        (lambda: model.v_slice("lower"), "no joint 'lower'"),
        (lambda: model.frame_pose(model.q0, "hnad"), "no link or frame 'hnad'; it has: hand"),
        (lambda: model.frame_jacobian(model.q0, ""), "no link or frame ''"),
        (lambda: model.mass_matrix(model.q0, method="magic"), "unknown method 'magic'; known: .*unit_vector"),
        (lambda: model.with_parameters(m=1.0), "no parameter 'm'; it has none"),
        (lambda: model.kernel("warp"), "no kernel 'warp'"),
    ):
        with pytest.raises(ModelError, match=message):
            attempt()


# ---- Frames


def test_frames_move_as_their_jacobian_says(model: Model) -> None:
    q, v = arguments(model, "qv", seed=3)
    step = 1e-6
    for frame in ("hand", "lower", "trunk", "mark"):
        ends = [model.frame_pose(model.integrate(q, s * v), frame) for s in (-step, step)]
        velocity = model.frame_jacobian(q, frame) @ v
        np.testing.assert_allclose((ends[1] - ends[0])[:3, 3] / (2 * step), velocity[:3], atol=1e-8)
        spin = (ends[1] - ends[0])[:3, :3] / (2 * step) @ model.frame_pose(q, frame)[:3, :3].T
        np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], velocity[3:], atol=1e-8)


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


@pytest.mark.parametrize("value", [NAN, INF, "1", None, 1j, [1.0, 2.0]])
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
