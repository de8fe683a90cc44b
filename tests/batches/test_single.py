"""Models of floats: against those of doubles and Pinocchio, ways to call them, arguments, what they refuse by name."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import kinegen as kg
import kinegen.runtime
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.printing.selection import Selection
from support.c.generated_samples import PARAMETERS, parametric
from support.oracles.mechanisms import random_mechanism, random_state
from support.oracles.pinocchio_oracle import to_pinocchio

Array = NDArray[Any]

COUNT = 37
METHODS = {
    "inverse_dynamics": ("q", "v", "a"),
    "bias": ("q", "v"),
    "gravity": ("q",),
    "mass_matrix": ("q",),
    "forward_dynamics": ("q", "v", "tau"),
    "link_poses": ("q",),
    "com": ("q",),
    "com_jacobian": ("q",),
    "cog_bias": ("q", "v"),
    "energy": ("q", "v"),
    "momentum": ("q", "v"),
    "centroidal_momentum_matrix": ("q",),
    "momentum_rate": ("q", "v", "a"),
    "integrate": ("q", "v"),
    "difference": ("q", "other"),
}
MECHANISMS: dict[str, Callable[[], Mechanism]] = {
    "every kind": lambda: random_mechanism(165, bodies=9, mimic=0),
    "mimics": lambda: random_mechanism(5, bodies=5, kinds=["revolute", "prismatic", "helical"], mimic=0.8),
    "free": lambda: random_mechanism(4, bodies=4, kinds=["revolute", "fixed"], root="free"),
    "parameters": parametric,
}


@cache
def models(name: str) -> tuple[kg.SingleModel, kg.Model]:
    """Of floats by lanes, and of doubles."""
    mechanism = MECHANISMS[name]()
    single = kg.compile(mechanism, dtype="float32", lanes=True, progress=False)
    double = kg.compile(mechanism, contacts=False, progress=False)
    if mechanism.parameters:
        return single.with_parameters(PARAMETERS), double.with_parameters(PARAMETERS)
    return single, double


@cache
def states(name: str) -> dict[str, Array]:
    mechanism, rng = MECHANISMS[name](), np.random.default_rng(3)
    rows = [random_state(mechanism, rng) for _ in range(COUNT)]
    found = {key: np.array([row[k] for row in rows], np.float32) for k, key in enumerate(("q", "v", "a", "tau"))}
    return found | {"other": np.roll(found["q"], 1, axis=0)}


def doubles(arrays: list[Array]) -> list[Array]:
    return [array.astype(np.float64) for array in arrays]


def off(found: Array, right: Array) -> Array:
    """(n) the largest difference in each state, of its largest number."""
    axes = tuple(range(1, found.ndim))
    return np.asarray(np.abs(found - right).max(axes) / np.abs(right).max(axes))


def soa(array: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(array, 0, -1))


def quaternion(model: kg.SingleModel) -> slice:
    """Where that of the free joint stands in q."""
    return slice(model.q_slice("joint0").start + 3, model.q_slice("joint0").stop)


# ---- Numbers


@pytest.mark.parametrize("name", MECHANISMS)
def test_against_doubles(name: str) -> None:
    """A few roundings in most states, more where what is added up nearly cancels."""
    single, double = models(name)
    for method, arguments in METHODS.items():
        given = [states(name)[each] for each in arguments]
        found, right = getattr(single, method)(*given), getattr(double, method)(*doubles(given))
        assert found.dtype == np.float32 and found.shape == right.shape
        error = off(found, right)
        assert error.max() < 3e-5 and np.median(error) < 1e-6, (method, error.max(), np.median(error))


def test_against_pinocchio() -> None:
    single, _ = models("free")
    oracle, given, turned = to_pinocchio(MECHANISMS["free"]()), states("free"), quaternion(single)
    for k in range(3):
        q, v, a, tau = (given[name][k].astype(float) for name in ("q", "v", "a", "tau"))
        q[turned] /= np.linalg.norm(q[turned])
        assert off(single.inverse_dynamics(q, v, a)[None], oracle.inverse_dynamics(q, v, a)[None]) < 1e-6
        assert off(single.mass_matrix(q)[None], oracle.mass_matrix(q)[None]) < 1e-6
        assert off(single.forward_dynamics(q, v, tau)[None], oracle.forward_dynamics(q, v, tau)[None]) < 1e-5


def test_sines_of_all_angles() -> None:
    """Of a hinge's pose: by polynomials up to 8192 rad, by the mathematics library beyond."""
    arm = kg.Link("arm", 1.0, inertia=(1, 0, 0, 1, 0, 1))
    hinge = kg.Mechanism("hinge", [arm], [kg.Joint("pin", "revolute", "world", "arm", axis=(0, 0, 1))])
    model = kg.compile(hinge, dtype="float32", lanes=True, progress=False)
    rng = np.random.default_rng(0)
    for reach, most in ((0.8, 8e-8), (100.0, 1.2e-7), (8192.0, 1.2e-7), (1e7, 1.2e-7)):
        q = rng.uniform(-reach, reach, (4000, 1)).astype(np.float32)
        poses, angle = model.link_poses(q)[:, 0], q[:, 0].astype(float)
        assert np.abs(poses[:, 0, 0] - np.cos(angle)).max() < most
        assert np.abs(poses[:, 1, 0] - np.sin(angle)).max() < most


def test_a_motion_in_floats() -> None:
    """A second of steps as users write them stays beside the same in doubles."""
    ends = []
    for model, dtype in zip(models("free"), (np.float32, np.float64), strict=True):
        q, v = model.neutral(), np.ones(model.nv, dtype)
        for _ in range(100):
            v = v + dtype(0.01) * model.forward_dynamics(q, v, np.zeros(model.nv, dtype))
            q = model.integrate(q, dtype(0.01) * v)
        assert q.dtype == dtype
        ends.append(q)
    assert 0.0 < np.abs(ends[0] - ends[1]).max() < 1e-4


# ---- Ways to call


@pytest.mark.parametrize("method", ["forward_dynamics", "mass_matrix", "energy", "integrate"])
def test_every_way_gives_the_same(method: str) -> None:
    call: Any = getattr(models("free")[0], method)
    given = [states("free")[name] for name in METHODS[method]]
    expected = np.array([call(*(x[i] for x in given)) for i in range(COUNT)])
    turned = [soa(x) for x in given]
    assert np.array_equal(call(*given), expected) and call(*given).dtype == np.float32
    assert np.array_equal(call(*given, threads=3), expected)
    assert np.array_equal(call(*turned, layout="soa", threads=2), soa(expected))
    out = np.full_like(expected, 7.0)
    assert call(*given, out=out) is out and np.array_equal(out, expected)
    one = [x[:1] if k == 0 else x for k, x in enumerate(given)]
    assert np.array_equal(call(*one)[0], expected[0])


def test_packed_matrices() -> None:
    model, q = models("free")[0], states("free")["q"]
    packed, tau = model.mass_matrix(q, packed=True), states("free")["tau"]
    assert packed.dtype == np.float32
    assert np.array_equal(model.mass_matrix_pattern.full(packed), model.mass_matrix(q))
    x = model.mass_matrix_solve(packed, tau)
    assert off(model.mass_matrix_product(packed, x), tau).max() < 1e-5


def test_a_matrix_that_doubles_leave_a_loop_is_written_out() -> None:
    human = kg.human_figure()
    sources = kg.generate(human, selection=Selection(("mass_matrix",), dtype="float32"))
    assert sources.manifest.kernel("mass_matrix").route == "composite"
    assert kg.generate(human, selection=Selection(("mass_matrix",))).manifest.kernel("mass_matrix").route != "composite"


def test_what_it_tells_of_itself() -> None:
    single, double = models("every kind")
    assert (single.dtype, double.dtype) == (np.float32, np.float64)
    for name in ("nq", "nv", "nu", "joint_names", "link_names", "parameters", "actuators"):
        assert getattr(single, name) == getattr(double, name)
    for name in ("neutral", "q0", "random"):
        found = getattr(single, name)
        q = found if isinstance(found, np.ndarray) else found()
        assert q.dtype == np.float32 and q.shape == (single.nq,)
        single.link_poses(q)
    assert np.array_equal(single.random(5, size=3), double.random(5, size=3).astype(np.float32))
    assert single.total_mass() == pytest.approx(double.total_mass(), rel=1e-6)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_where_nothing_moves(dtype: Any) -> None:
    """By lanes too, of which there are none then."""
    post = kg.Mechanism("post", [kg.Link("post", 1.0)], [kg.Joint("weld", "fixed", "world", "post")])
    model = kg.compile(post, dtype=dtype, lanes=True, progress=False)
    assert np.array_equal(model.link_poses(np.zeros((3, 0))), np.tile(np.eye(4), (3, 1, 1, 1)))
    for found in (model.mass_matrix([]), model.integrate([], []), model.bias([], []), model.com([])):
        assert found.dtype == dtype and not found.any()


def test_copies_and_folders() -> None:
    single, double = models("parameters")
    q = states("parameters")["q"]
    for other in (copy.deepcopy(single), pickle.loads(pickle.dumps(single))):
        assert isinstance(other, kg.SingleModel) and np.array_equal(other.com(q), single.com(q))
    opened = kinegen.runtime.SingleModel.load(single.module.folder).with_parameters(PARAMETERS)
    assert np.array_equal(opened.com(q), single.com(q))
    with pytest.raises(kg.ModelError, match=r"dtype 'float32': kinegen\.runtime\.SingleModel\.load opens it"):
        kinegen.runtime.load(single.module.folder)
    with pytest.raises(kg.ModelError, match=r"dtype 'float64': kinegen\.runtime\.load opens it"):
        kinegen.runtime.SingleModel.load(double.module.folder)


def test_the_cache_holds_both(tmp_path: Path) -> None:
    """Found again by their front keys, each as what it is; a parameter's value is no part of them."""
    for _ in range(2):
        for dtype, kind in (("float64", kg.Model), ("float32", kg.SingleModel)):
            model = kg.compile(parametric(), dtype=dtype, cache=tmp_path, progress=False)
            assert type(model) is kind and model.dtype == dtype
    assert len(list((tmp_path / "models").iterdir())) == 2 == len(list((tmp_path / "fronts").iterdir()))


@pytest.mark.usefixtures("headers")
def test_calls_compiled_for_floats(tmp_path: Path) -> None:
    """Whatever is no float32 array takes the general way, to the same numbers."""
    model = kg.compile(MECHANISMS["free"](), dtype="float32", cache=tmp_path, progress=False)
    assert model.module.calls is not None and isinstance(model.bias, model.module.calls.Call)
    q, v = (states("free")[name][0] for name in ("q", "v"))
    right = model.bias(q, v)
    assert right.dtype == np.float32 and off(right[None], models("free")[1].bias(*doubles([q, v]))[None]) < 1e-6
    for other in (doubles([q, v]), [q.tolist(), v.tolist()], [np.repeat(q, 2)[::2], v]):
        assert np.array_equal(model.bias(*other), right)
    for wrong in (np.inf, np.nan):
        with pytest.raises(kg.ModelError, match=r"v: entry 2 is (inf|nan)"):
            model.bias(q, np.where(np.arange(len(v)) == 2, np.float32(wrong), v))


# ---- Arguments


def test_doubles_and_whole_numbers_are_rounded() -> None:
    model = models("mimics")[0]
    q = np.random.default_rng(0).normal(size=model.nq)
    assert np.array_equal(model.com(q), model.com(q.astype(np.float32)))
    assert np.array_equal(model.com(q.tolist()), model.com(q.astype(np.float32)))
    assert np.array_equal(model.com([0] * model.nq), model.com(np.zeros(model.nq, np.float16)))


def test_numbers_that_floats_do_not_hold() -> None:
    model = models("mimics")[0]
    q = np.zeros((4, model.nq))
    q[2, 0] = -4e38
    with pytest.raises(kg.ModelError, match=r"q: entry \(2, 0\) is -4e\+38, float32 holds numbers up to 3.4e38"):
        model.com(q)
    for mass, why in ((1e39, r"at most 3.40282e\+38 in size"), (1e-46, "positive")):
        with pytest.raises(kg.ModelError, match=f"parameter m1: expected a number that is {why}"):
            models("parameters")[0].with_parameters(m1=mass)
        models("parameters")[1].with_parameters(m1=mass)
    with pytest.raises(kg.ModelError, match="expected float64 numbers"):
        model.com(np.zeros(model.nq, complex))


@pytest.mark.parametrize("layout", ["aos", "soa"])
def test_rows_that_are_wrong_are_told(layout: Any) -> None:
    model, given = models("free")[0], {name: x.copy() for name, x in states("free").items()}
    turned = soa if layout == "soa" else np.asarray
    turning = model.v_slice("joint0").start + 3
    given["v"][20, turning] = np.nan
    with pytest.raises(kg.ModelError, match=rf"v: entry \(20, {turning}\) is nan"):
        model.bias(turned(given["q"]), turned(given["v"]), layout=layout)
    given["v"][20, turning] = 1e25  # its square is infinite
    with pytest.raises(kg.ModelError, match=r"bias: entry \(20, \d\) of the result is .*v has numbers of 1e\+25"):
        model.bias(turned(given["q"]), turned(given["v"]), layout=layout)


def test_unit_norm_within_what_floats_hold() -> None:
    """A quaternion normalised in floats, or some steps later, is one; one that was never normalised is not."""
    single, double = models("free")
    q = single.neutral()
    for factor, taken in ((1 + 5e-6, True), (1 - 5e-6, True), (1 + 3e-5, False), (1 - 3e-5, False)):
        other = q.copy()
        other[quaternion(single)] *= np.float32(factor)
        for given in (other, np.tile(other, (20, 1))):
            if taken:
                single.com(given)
                with pytest.raises(kg.ModelError, match="has norm"):
                    double.com(given)
            else:
                with pytest.raises(kg.ModelError, match="has norm"):
                    single.com(given)


def test_results_go_into_float32_arrays() -> None:
    model, q = models("free")[0], states("free")["q"]
    with pytest.raises(kg.ModelError, match=r"out: expected a float32 array of shape \(37, 3\), got float64 \(37, 3\)"):
        model.com(q, out=np.empty((COUNT, 3)))


# ---- What is refused


def test_all_else_of_a_model_is_refused_by_name() -> None:
    model = models("free")[0]
    missing = [name for name in dir(kg.Model) if not name.startswith("_") and name not in dir(kg.SingleModel)]
    assert len(missing) > 30 and {"H", "frame_pose", "cog_jacobian", "passive_forces", "assemble"} <= set(missing)
    for name in missing:
        assert not hasattr(model, name)
        with pytest.raises(kg.ModelError, match=rf"^{name} of model .* float32: .*compile without dtype"):
            getattr(model, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = model.nothing


REFUSED: dict[str, Callable[[Any, Array], object]] = {
    "Simulator": lambda model, q: kg.Simulator(model),
    "runtime.Simulator": lambda model, q: kinegen.runtime.Simulator(model),
    "rollout": lambda model, q: kg.rollout(model, q, steps=3),
    "solve_ik": lambda model, q: kg.solve_ik(model, []),
    "linearize": lambda model, q: kg.linearize(model, q),
    "equilibrium": lambda model, q: kg.equilibrium(model, q),
    "step_derivatives": lambda model, q: kg.step_derivatives(model, q, q),
    "base_parameters": lambda model, q: kg.base_parameters(model),
    "identify": lambda model, q: kg.identify(model, []),
    "jax": lambda model, q: kg.jax.functions(model),
    "view": lambda model, q: kg.view(model),
    "play": lambda model, q: kg.play(model, "page.html"),
    "tour": lambda model, q: kg.tour(model),
    "external_wrench": lambda model, q: kg.external_wrench(model, q, q, q),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_a_model_of_doubles_refuses_at_the_door(name: str) -> None:
    model = models("mimics")[0]
    with pytest.raises(kg.ModelError, match="float32 model has kernels alone: compile without dtype"):
        REFUSED[name](model, np.zeros(model.nq))


def test_options_that_do_not_fit() -> None:
    tree = MECHANISMS["free"]()
    with pytest.raises(kg.ModelError, match="dtype: expected one of 'float64', 'float32', got 'float16'"):
        kg.compile(tree, dtype="float16")  # type: ignore[call-overload]
    with pytest.raises(kg.ModelError, match="dtype: expected 'float64' or 'float32', got 'half'"):
        Selection(dtype="half")
    for option in ({"independent": ["a"]}, {"rows": kg.RowRules()}):
        with pytest.raises(kg.ModelError, match=f"{next(iter(option))}: a float32 model is an open tree"):
            kg.compile(tree, dtype="float32", **option)
    with pytest.raises(kg.ModelError, match=r"'float32': '.*' closes a loop by joint .*compile without dtype"):
        kg.compile("examples/fourbar.toml", dtype="float32")
    with pytest.raises(kg.ModelError, match=r"no kernel 'simulate' of float32"):
        kg.generate(tree, selection=Selection(("bias", "simulate"), dtype="float32"))
    with pytest.raises(kg.ModelError, match="of float32 there are no others: compile without dtype"):
        models("free")[0].kernel("frame_jacobian")


@pytest.mark.parametrize("mass", [1e-41, 1e39])
def test_descriptions_that_floats_do_not_hold(mass: float) -> None:
    ball = kg.Mechanism("ball", [kg.Link("ball", mass)], [kg.Joint("slide", "prismatic", "world", "ball")])
    with pytest.raises(kg.ModelError, match=r"beyond the numbers of single precision.*compile without dtype"):
        kg.generate(ball, selection=Selection(dtype="float32"))
    assert kg.generate(ball, selection=Selection(("bias",)))
