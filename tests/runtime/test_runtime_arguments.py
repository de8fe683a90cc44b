"""`Model`: arguments at the door, taken or refused by name."""

from __future__ import annotations

import gc
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.build import toolchain
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model
from kinegen.runtime.arguments import FEW, as_array, as_number
from kinegen.runtime.errors import ModelError
from support.mechanisms.sample_figure import NAMES, arguments, calls, figure
from support.mechanisms.unit_mass import chain


@pytest.fixture(scope="module", params=["compiled", "cffi"])
def model(request: pytest.FixtureRequest) -> Model:
    """Its kernels are called by the C for Python, or without Python's headers by cffi."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "cffi":
            patch.setattr(toolchain, "python_include", lambda: None)
        else:
            request.getfixturevalue("headers")
        found = Model.load(compile_mechanism(figure()))
    assert (found.module.calls is None) == (request.param == "cffi" or toolchain.python_include() is None)
    return found


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


def test_fractions_and_whole_numbers_of_any_size_are_taken(model: Model) -> None:
    third, large = Fraction(1, 3), 2**70
    q = model.neutral()
    for given in ([third] * model.nv, [large] * model.nv, [third, large, 1, 0.5, np.int64(2)] + [0] * (model.nv - 5)):
        expected = model.bias(q, np.array(given, dtype=np.float64))
        np.testing.assert_array_equal(model.bias(q, given), expected)
        np.testing.assert_array_equal(model.bias(q, [given, given]), [expected, expected])
    assert as_number("dt", Fraction(1, 1000)) == 0.001 and as_number("dt", large) == 2.0**70


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "energy", "integrate"])
def test_results_that_are_not_finite_are_refused(model: Model, name: str) -> None:
    """A floating base so far away, or so fast, that squares overflow: one state and a batch."""
    far = model.neutral()
    far[:3] = 1e300
    few = {"inverse_dynamics": 3, "forward_dynamics": 3, "energy": 2, "integrate": 2}[name]
    arguments = [far, np.full(model.nv, 1e308), np.zeros(model.nv)][:few]
    kernel = getattr(model, name)
    for given in (arguments, [np.tile(x, (3, 1)) for x in arguments]):
        with pytest.raises(ModelError, match=rf"^{name}: entry .* of the result is .*(inf|nan): .* too large"):
            kernel(*given)
    close = [x * 1e-270 if k else model.neutral() for k, x in enumerate(arguments)]
    assert np.isfinite(kernel(*close)).all()


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
    "fractions and text": ([Fraction(1, 3)] * 11 + ["1/3"], "v: expected float64 numbers .* got list"),
    "fractions and truth": ([Fraction(1, 3)] * 11 + [True], "v: expected float64 numbers .* got list"),
    "fractions and digits": ([Fraction(1)] * 11 + [np.longdouble(1)], "v: expected float64 numbers .* got list"),
    "too large": ([10**400] + [0] * 11, "v: expected float64 numbers .* got list"),
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


def test_many_numbers_are_looked_at_without_the_threads_of_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    """These spin on for milliseconds beside threads of a rollout; who takes products of few numbers starts none."""
    sizes, product = [], np.vdot

    def noted(x: np.ndarray, y: np.ndarray) -> float:
        sizes.append(x.size)
        return float(product(x, y))

    monkeypatch.setattr(np, "vdot", noted)
    for rows in (10, 5000):
        many = np.ones((rows, 7))
        assert as_array("many", many, (7,)) is many
        many[rows - 1, 6] = np.nan
        with pytest.raises(ModelError, match=rf"many: entry \({rows - 1}, 6\) is nan"):
            as_array("many", many, (7,))
    assert sizes and max(sizes) <= FEW


def test_another_number_of_arguments_is_told(model: Model) -> None:
    """As of any function of Python."""
    kernel = model.kernel("inverse_dynamics")
    given = arguments(model, "qvvv")
    for count in (0, 2, 4):
        with pytest.raises(TypeError, match="argument"):
            kernel(*given[:count])


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


@pytest.mark.parametrize("layout", ["aos", "soa"])
def test_rows_of_quaternions_off_unit_norm_are_named(layout: Literal["aos", "soa"], model: Model) -> None:
    q = np.tile(model.q0, (1000, 1))
    q[[713, 999], 3:7] *= 1.001
    with pytest.raises(ModelError, match=r"^q, row 713: the quaternion \[x y z w\] of joint 'base', entries 3 to 6"):
        model.mass_matrix(q if layout == "aos" else q.T, layout=layout)


def test_cosine_sine_pairs_off_unit_norm_are_named() -> None:
    model = kg.compile(chain(("planar",)))
    with pytest.raises(ModelError, match=r"q: the \[cos sin\] pair of joint 'j0', entries 2 to 3, has norm 2"):
        model.gravity([0.0, 0.0, 2.0, 0.0])


def test_unknown_names_come_with_the_nearest(model: Model) -> None:
    still = model.q0, np.zeros(model.nv), np.zeros(model.nv)
    for attempt, message in (
        (lambda: model.q_slice("elbwo"), "no joint 'elbwo'; it has: elbow"),
        (lambda: model.v_slice("lower"), "no joint 'lower'"),
        (lambda: model.frame_pose(model.q0, "hnad"), "no link or frame 'hnad'; it has: hand"),
        (lambda: model.frame_jacobian(model.q0, ""), "no link or frame ''"),
        (lambda: model.mass_matrix(model.q0, method="magic"), "unknown method 'magic'; known: .*unit_vector"),
        (lambda: model.mass_matrix(model.q0, method=["cog"]), r"unknown method \['cog'\]; known: .*unit_vector"),
        (lambda: model.mass_matrix(model.q0, method="product"), "'product'; known: [a-z, ]*unit_vector$"),
        (lambda: model.forward_dynamics(*still, method="damped"), "'damped'; known: [a-z, ]*unit_vector$"),
        (lambda: model.with_parameters(m=1.0), "no parameter 'm'; it has none"),
        (lambda: model.kernel("warp"), "no kernel 'warp'"),
    ):
        with pytest.raises(ModelError, match=message):
            attempt()


def test_compiled_calls_take_what_cffi_takes(headers: None) -> None:
    """All kernels, of models with and without run-time parameters: the same bits by both ways, and no leak."""
    m = sympy.Symbol("m", positive=True)
    heavy = replace(figure().links[0], mass=m)
    parametric = replace(figure(), links=[heavy, figure().links[1]], joints=figure().joints[:2], frames=[])
    for mechanism, values in ((figure(), {}), (parametric, {"m": 2.0})):
        quick = Model.load(compile_mechanism(mechanism)).with_parameters(values)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(toolchain, "python_include", lambda: None)
            slow = Model.load(compile_mechanism(mechanism)).with_parameters(values)
        rng, compared = np.random.default_rng(5), 0
        for spec in quick.manifest.kernels:
            if not spec.function:
                continue
            given = [
                quick.random(rng) if a.name in ("q", "q0", "q1") else rng.uniform(0.1, 1.0, a.shape)
                for a in spec.inputs
            ]
            given = [np.zeros(a.shape) if a.name == "frame" else x for a, x in zip(spec.inputs, given, strict=True)]
            one, other = quick.kernel(spec.name), slow.kernel(spec.name)
            assert type(one.call).__name__ == "Call" and type(other.call).__name__ == "function"
            np.testing.assert_array_equal(one(*given), other(*given), err_msg=spec.name)
            np.testing.assert_array_equal(one(*(x.tolist() for x in given)), other(*given), err_msg=spec.name)
            with pytest.raises(TypeError):
                one.call(*given, a=1)
            compared += 1
        assert compared > 20
        left = []
        for _ in range(2):
            _ = [quick.kernel("bias") for _ in range(20)]
            del _
            gc.collect()
            left.append(sum(type(x).__name__ == "Call" for x in gc.get_objects()))
        assert left[0] == left[1]
