"""Redundant loops of rounded dimensions move as the exact ones that they stand for, or are refused with their gap."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.random import default_rng

import kinegen as kg
from kinegen import FitWarning, Joint, Mechanism, ModelError, Pose
from kinegen.codegen.analysis.loops.closure import scales_of
from kinegen.codegen.analysis.loops.fit import fitted
from kinegen.codegen.analysis.plan import plan
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from kinegen.codegen.symbolic.loops.closed_functions import derive_closed
from kinegen.codegen.symbolic.loops.left_out import TRUSTED_ROUNDED
from support.mechanisms.closed_mechanisms import rod

RIGHT = np.pi / 2

URDF = """<robot name="upright">
  <link name="crank">{rod}</link><link name="coupler">{rod}</link><link name="rocker">{rod}</link><link name="base"/>
  <joint name="pivot" type="continuous"><parent link="base"/><child link="crank"/>
    <origin rpy="{angle} 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="knee" type="continuous"><parent link="crank"/><child link="coupler"/>
    <origin xyz="0.25 0 0" rpy="0 {full} 0"/><axis xyz="0 0 -1"/></joint>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rocker"/>
    <origin xyz="0.7 0 0" rpy="0 0 0"/><axis xyz="0 -1 0"/></joint>
</robot>"""
INERTIAL = (
    '<inertial><origin xyz="0.3 0 0"/><mass value="0.6"/>'
    '<inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def upright(folder: Path, digits: int) -> Mechanism:
    """A planar four-bar that stands in x-z; its axes are turned there by angles of that many digits."""
    path = folder / f"upright_{digits}.urdf"
    angle, full = f"{RIGHT:.{digits}g}", f"{2 * RIGHT:.{digits}g}"
    path.write_text(URDF.format(rod=INERTIAL, angle=angle, full=full))
    tip, end = Pose((0.8, 0, 0), (float(angle), 0, 0)), Pose((0.6, 0, 0))
    return kg.load(path).connect("coupler", "rocker", kg.revolute(axis=(0, 1, 0)), name="tip", pose=tip, pose_b=end)


def bennett(digits: int) -> Mechanism:
    """Four revolute joints, opposite links alike, sin(alpha)/a = sin(beta)/b, lengths and twists rounded."""
    a, b, alpha = 0.4, 0.7, 0.5
    beta = np.arcsin(b / a * np.sin(alpha))
    links = [Pose((round(x, digits), 0, 0), (round(angle, digits), 0, 0)) for x, angle in ((a, alpha), (b, beta))]
    passive = {"actuated": False}
    joints = [
        Joint("first", "revolute", "world", "one"),
        Joint("second", "revolute", "one", "two", links[0], **passive),  # type: ignore[arg-type]
        Joint("third", "revolute", "two", "three", links[1], **passive),  # type: ignore[arg-type]
        Joint("fourth", "revolute", "world", "three", links[1].inverse(), links[0], **passive),  # type: ignore[arg-type]
    ]
    return Mechanism(f"bennett_{digits}", [rod("one", a), rod("two", b), rod("three", a)], joints)


@cache
def bennett_model(digits: int) -> kg.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        return kg.compile(bennett(digits))


@pytest.fixture(scope="module")
def uprights(tmp_path_factory: pytest.TempPathFactory) -> tuple[kg.Model, kg.Model]:
    """Exact to the last digit, and to six."""
    folder = tmp_path_factory.mktemp("upright")
    with pytest.warns(FitWarning, match=r"miss by up to [1-9]\.?\d*e-06 m or rad.*fit=0"):
        rounded = kg.compile(upright(folder, 6))
    return kg.compile(upright(folder, 17)), rounded


def test_six_digits_of_a_urdf_move_as_all(uprights: tuple[kg.Model, kg.Model]) -> None:
    exact, rounded = uprights
    assert exact.loops.misfit == 0.0
    assert 1e-6 < rounded.loops.misfit < 1e-5
    assert exact.nf == rounded.nf == 1
    q = exact.q0
    v, _ = exact.dependent_motion(q, np.full(3, 4.0))
    for integrator in ("semi_implicit", "rk4"):
        runs = [kg.Simulator(m, q=q, v=v, integrator=integrator).run(1.0, every=50) for m in uprights]
        assert np.ptp(runs[0].q[:, 0]) > 1.0
        assert np.abs(runs[0].q - runs[1].q).max() < 1e-4
        energy = [run.energy.sum(axis=1) for run in runs]
        assert np.abs(energy[1] - energy[0]).max() < 1e-4 * np.ptp(runs[0].energy[:, 0])
        gap = np.abs(rounded.closure_residual(runs[1].q)).max()
        assert gap <= 20 * rounded.loops.misfit


def test_all_routes_of_a_rounded_model_agree(uprights: tuple[kg.Model, kg.Model]) -> None:
    exact, rounded = uprights
    tau = np.array([0.4, -0.3, 0.2])
    for q in rounded.random(5, size=6):
        v, _ = rounded.dependent_motion(q, np.full(3, 1.5))
        expected = exact.forward_dynamics(exact.assemble(q), v, tau)
        for method in (None, "reduced", "unit_vector"):
            found = rounded.forward_dynamics(q, v, tau, method=method)
            assert np.abs(found - expected).max() < 1e-3 * np.abs(expected).max(), method


def test_strict_on_request_and_by_default_beyond_six_digits(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"'tip' cannot be closed.*e-0[56]"):
        kg.compile(upright(tmp_path, 6), fit=0.0)
    with pytest.raises(ModelError, match="cannot be closed"):
        kg.compile(upright(tmp_path, 4))
    assert 1e-4 < fitted(upright(tmp_path, 4), 1e-2).misfit < 1e-3


def test_a_loop_that_is_open_is_no_rounding() -> None:
    """Two rods that do not reach."""
    gap = 1e-4
    joints = [
        Joint("i", "revolute", "world", "a"),
        Joint("j", "revolute", "a", "b", Pose((0.5, 0, 0)), actuated=False),
        Joint("k", "revolute", "world", "b", Pose((1.0 + gap, 0, 0)), Pose((0.5, 0, 0)), actuated=False),
    ]
    with pytest.raises(ModelError, match=f"'k' cannot be closed: its ends stay {gap:.3g} "):
        kg.compile(Mechanism("short", [rod("a", 0.5), rod("b", 0.5)], joints))


@pytest.mark.parametrize("digits", [pytest.param(digits, marks=pytest.mark.sweep) for digits in (6, 9)])
def test_a_rounded_bennett_linkage_turns_round_as_the_exact_one(digits: int) -> None:
    exact, rounded = bennett_model(16), bennett_model(digits)
    assert exact.loops.misfit == 0.0 and exact.nf == rounded.nf == 1
    assert 0.0 < rounded.loops.misfit < 10.0 ** (1 - digits)
    q = exact.q0
    v, _ = exact.dependent_motion(q, np.full(3, 2.0))
    runs = [kg.Simulator(m, q=q, v=v, dt=5e-4, integrator="rk4").run(2.0, every=20) for m in (exact, rounded)]
    assert np.ptp(runs[0].q[:, 0]) > 1.0
    within = 300 * 10.0**-digits + 1e-5  # what is rounded, and the steps' own error with other rows
    assert np.abs(runs[0].q - runs[1].q).max() < within
    energy = runs[1].energy.sum(axis=1)
    assert np.abs(energy - runs[0].energy.sum(axis=1)).max() < within * np.ptp(runs[0].energy[:, 0])


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(20))
def test_bennett_linkages_of_any_dimensions(seed: int) -> None:
    """Known at generation: rank and misfit of linkages rounded to 5 to 10 digits."""
    rng = np.random.default_rng(seed)
    digits = int(rng.integers(5, 11))
    found = fitted(bennett(digits), 1e-4)
    assert found.reference and len(found.reference.partition.dependent) == 2
    assert found.misfit < 10.0 ** (1 - digits)


def test_a_start_is_given_to_a_rounded_model_as_to_an_exact_one(tmp_path: Path) -> None:
    with pytest.warns(FitWarning):
        models = [kg.compile(upright(tmp_path, digits), at={"pivot": 2.0}) for digits in (17, 6)]
    exact, rounded = models
    assert rounded.q0[rounded.q_slice("pivot")] == pytest.approx(2.0, abs=1e-9)
    assert np.abs(rounded.q0 - exact.q0).max() < 1e-4
    assert kg.Simulator(rounded).run(0.1).q.shape[1] == 3


def test_straight_line_code_is_taken_where_only_rounding_is_missed() -> None:
    """Its proof passes on the closure, by a tolerance that grows with the misfit, and fails off it."""
    mechanism, model = bennett(5), bennett_model(5)
    made = plan(mechanism)
    assert made.straight.closed and made.straight.closed.function and made.reference
    run = numeric(made.straight.closed.function)
    strict = numeric(
        derive_closed(mechanism, made.reference.partition, made.straight.closed.name, scales_of(mechanism))
    )
    rng, judged = np.random.default_rng(3), 0
    for q in model.random(rng, size=20):
        v, _ = model.dependent_motion(q, rng.normal(size=3))
        given = {"q": q.tolist(), "v": v.tolist(), "tau": rng.normal(size=3).tolist(), "d": [0.0] * 3, "p": []}
        taken = run(given)["quality"][0]
        judged += taken > TRUSTED_ROUNDED
        assert strict(given)["quality"][0] < 1e-3  # exact rows are not missed by so much
        assert run(given | {"q": (q + np.array((0.3, -0.2, 0.1))).tolist()})["quality"][0] < TRUSTED_ROUNDED
    assert judged > 15


@pytest.mark.parametrize("digits", [4, 5, 6])
def test_the_proof_allows_what_was_measured(digits: int) -> None:
    """Rows that are left out are missed by no more than the bound of this mechanism, which is near what they miss."""
    made = plan(bennett(digits), fit=1e-4)
    assert made.straight.scales and made.reference
    rows, bias = (numeric(derive(made.mechanism, name)) for name in ("closure_rows", "closure_rows_bias"))
    dependent, chosen, rng = (
        list(made.reference.partition.dependent),
        list(made.reference.partition.rows),
        default_rng(7),
    )
    left, worst = [r for r in range(6) if r not in chosen], 0.0
    for q in fitted(made.mechanism, 1e-4).configurations:
        K = rows({"q": q.tolist(), "p": []})["K"]
        if np.linalg.cond(K[np.ix_(chosen, dependent)]) > 10.0:
            continue
        v, a = rng.normal(size=(2, 3))
        v[dependent] = 0.0
        v[dependent] = np.linalg.solve(K[np.ix_(chosen, dependent)], -(K @ v)[chosen])
        drift = bias({"q": q.tolist(), "v": v.tolist(), "p": []})["dKv"]
        a[dependent] = 0.0
        a[dependent] = np.linalg.solve(K[np.ix_(chosen, dependent)], -(K @ a + drift)[chosen])
        worst = max(worst, float(np.abs((K @ a + drift)[left]).max() / np.sqrt((a**2).sum() + (v**2).sum() ** 2)))
    assert 0.0 < worst < made.straight.scales.missed < min(100.0 * worst, 1e-4)


@pytest.mark.parametrize("tolerance", [-1e-6, 1e-3, float("nan")])
def test_a_tolerance_that_is_none_is_refused(tolerance: float, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"fit=.*between 0 and 0.0001"):
        kg.compile(upright(tmp_path, 17), fit=tolerance)


def test_loops_of_a_library_must_close(tmp_path: Path) -> None:
    hold = kg.Connection("hold", "crank", "world", kg.revolute())
    kg.Simulator(kg.TopologyLibrary(upright(tmp_path, 17), [hold])).run(0.01)
    with pytest.raises(ModelError, match="'tip' cannot be closed"):
        kg.Simulator(kg.TopologyLibrary(upright(tmp_path, 6), [hold]))


@pytest.mark.sweep
def test_limits_hold_a_rounded_loop_as_an_exact_one(tmp_path: Path) -> None:
    runs = []
    for digits in (17, 6):
        mechanism = upright(tmp_path, digits)
        joints = [replace(j, kind="revolute", limits=(-0.4, 0.9)) if j.name == "pivot" else j for j in mechanism.joints]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FitWarning)
            model = kg.compile(replace(mechanism, joints=tuple(joints)))
        runs.append(kg.Simulator(model, q=model.assemble(np.zeros(3), hold=["pivot"])).run(1.0, every=20))
    exact, rounded = runs
    pivot = [run.q[:, model.q_slice("pivot")] for run in runs]
    assert np.ptp(pivot[0]) > 0.3 and pivot[0].min() < -0.4 + 1e-6
    assert pivot[1].min() > -0.4 - 1e-6
    assert np.abs(exact.q - rounded.q).max() < 1e-3


@pytest.mark.parametrize("digits", [16, 7, 5, 4])
def test_base_parameters_of_a_rounded_linkage_are_as_many_as_of_the_exact_one(digits: int) -> None:
    model = bennett_model(digits)
    assert [len(kg.base_parameters(model, seed=seed)) for seed in range(2)] == [7, 7]


def folded(digits: int) -> Mechanism:
    twist, other = round(0.6, digits), round(float(np.arcsin(1.3 * np.sin(0.6))), digits)
    short, long = Pose((1.0, 0, 0), (twist, 0, 0)), Pose((1.3, 0, 0), (other, 0, 0))
    joints = [
        Joint("first", "revolute", "world", "one", start=0.8),
        Joint("second", "revolute", "one", "two", short, start=2.997),
        Joint("third", "revolute", "two", "three", long, start=-0.8),
        Joint("fourth", "revolute", "world", "three", long.inverse(), short),
    ]
    links = [rod("one", 1.0), rod("two", 1.3), rod("three", 1.0)]
    return Mechanism(f"folded_{digits}", links, joints)


@pytest.mark.parametrize("digits", [2, 3])
def test_what_closes_folded_alone_because_it_is_rounded_is_told(digits: int) -> None:
    """Bennett's linkage, twists 0.6 and asin(1.3 sin 0.6): with so few digits it closes flat alone, and cannot move."""
    told = r"hold one motion by .* of the others alone, and leave 0 degrees of freedom"
    with pytest.warns(FitWarning, match=told):
        model = kg.compile(folded(digits))
    assert model.nf == 0


def test_what_holds_weakly_is_told_of_libraries_and_of_parameters_at_their_values() -> None:
    told, closed = r"hold one motion by .* of the others alone, and leave {} degrees of freedom", folded(2)
    with pytest.warns(FitWarning, match=told.format(0)):
        kg.compile(kg.parametrise(closed, "mass of one"))
    joints = [*closed.joints, Joint("flies", "free", "world", "beside")]
    mechanism = Mechanism("folded_beside", [*closed.links, kg.Link("beside", 1.0, inertia=np.eye(3))], joints)
    library = kg.TopologyLibrary(mechanism, [kg.Connection("tie", "world", "beside", kg.spherical())])
    with pytest.warns(FitWarning, match=told.format(6)):
        assert library.precompile().model.nf == 6
