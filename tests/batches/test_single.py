"""Models of floats: against those of doubles and Pinocchio, and ways to call them."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
import kinegen.runtime
from kinegen.codegen.printing.selection import Selection
from support.c.generated_samples import PARAMETERS, parametric
from support.c.single_models import COUNT, MECHANISMS, METHODS, Array, models, quaternion, soa, states
from support.oracles.pinocchio_oracle import to_pinocchio


def doubles(arrays: list[Array]) -> list[Array]:
    return [array.astype(np.float64) for array in arrays]


def off(found: Array, right: Array) -> Array:
    """(n) the largest difference in each state, of its largest number."""
    axes = tuple(range(1, found.ndim))
    return np.asarray(np.abs(found - right).max(axes) / np.abs(right).max(axes))


# ---- Numbers


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.sweep if n == "every kind" else ()) for n in MECHANISMS]
)
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
