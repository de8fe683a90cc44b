"""Base parameters: as many as published, the same in numbers and without rounding, and nothing is lost by them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.analysis.loops.assembly import Assembly
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from kinegen.codegen.symbolic.regressor.modular import PRIME, Modular, fraction_of, reduced
from kinegen.runtime.identification import walks
from support.mechanisms.arms import PUMA_560, STAUBLI_RX90, arm
from support.mechanisms.linkages import DenavitHartenberg
from support.oracles.mechanisms import EVERY_KIND, double_pendulum, random_mechanism, random_state
from support.rolling.mechanisms import ROLLING
from support.rolling.oracle import state

SQUARE = tuple(kind for kind in EVERY_KIND if kind not in ("gimbal", "cartesian"))  # axes of these are drawn askew
EXAMPLES = Path(__file__).parents[2] / "examples"
SLIDER_CRANK = (("a", (0.25, 0.0, 0.0)), ("b", (0.25, 0.0, 0.0)), ("s", (0.0, 0.0, 0.0)))


def test_counts_of_published_arms() -> None:
    """PUMA 560 without rotors 36 [Mayeda90] [Gautier90]: one of the first link, whose axis is vertical, seven of each
    other. Stäubli RX-90 with rotors 40 [Symoro90]: those of the first two joints count with their links."""
    puma = kg.derive(arm("puma560", PUMA_560)).base_parameters
    assert len(puma) == 36
    assert [sum(k // 10 == link for k in puma.independent) for link in range(6)] == [1, 7, 7, 7, 7, 7]
    model = kg.compile(arm("rx90", STAUBLI_RX90), contacts=False)
    rx90 = kg.base_parameters(model, rotors=True)
    assert len(rx90) == 40
    assert [name for name in rx90.names if name.startswith("rotor")] == [f"rotor_joint{k}" for k in (3, 4, 5, 6)]
    plain = kg.base_parameters(model)
    exact = kg.derive(arm("rx90", STAUBLI_RX90)).base_parameters
    assert plain.independent == exact.independent and len(plain) == 36
    assert np.allclose(plain.matrix, np.array(exact.matrix, dtype=float), rtol=0.0, atol=1e-12)
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 5, 6))
    Y = model.torque_regressor(q, v, a)
    values = plain.values(model.inertial_parameters())
    assert np.allclose(Y[..., plain.independent] @ values, model.inverse_dynamics(q, v, a), atol=1e-11)


@pytest.mark.parametrize("name", ROLLING)
def test_of_what_rolls_all_is_found_that_torques_along_its_motions_tell(name: str) -> None:
    model = kg.compile(ROLLING[name](), contacts=False)
    base = kg.base_parameters(model)
    rng = np.random.default_rng(1)
    felt, wanted = [], []
    for seed in range(40):
        q, v = model.project(*state(Assembly(ROLLING[name](), ()), seed))
        v, a = model.dependent_motion(q, v, rng.normal(size=model.nv))
        felt.append(model.W(q).T @ model.torque_regressor(q, v, a))
        wanted.append(model.W(q).T @ model.inverse_dynamics(q, v, a))
    Y = np.concatenate(felt)
    assert len(base) == np.linalg.matrix_rank(Y, 1e-9 * np.abs(Y).max())
    found = Y[:, base.independent] @ base.values(model.inertial_parameters())
    assert np.allclose(found, np.concatenate(wanted), atol=1e-8)


def test_a_four_bar_has_eight() -> None:
    """Three parameters each of crank and rocker that turn about fixed points, four of the coupler, of which its mass
    as two points at its joints counts with crank and rocker: 3 + 3 + 4 − 2."""
    model = kg.compile(EXAMPLES / "fourbar.toml", contacts=False)
    base = kg.base_parameters(model)
    assert len(base) == 8
    assert {name.partition("_")[0] for name in base.names} == {"mx", "my", "Izz"}
    assert {"m_crank", "m_rocker", "Ixx_coupler", "mz_coupler"} <= set(base.unfelt)
    rng = np.random.default_rng(1)
    q = model.random(rng)
    v, a = model.dependent_motion(q, *rng.normal(size=(2, model.nv)))
    Y = model.W(q).T @ model.torque_regressor(q, v, a)
    wanted = model.W(q).T @ model.inverse_dynamics(q, v, a)
    assert np.allclose(Y[:, base.independent] @ base.values(model.inertial_parameters()), wanted, atol=1e-11)


@pytest.mark.parametrize(("size", "pull"), [(1e-6, 1e3), (1e6, 9.81)])
def test_units_do_not_decide_how_many(size: float, pull: float) -> None:
    """A vertical shoulder, then two parallel joints: 1 + 7 + 7 parameters, whatever the size."""
    rod = kg.inertia.rod(size**3, size, axis=(0, 0, 1))
    links = [kg.Link(name, size**3, (0.01 * size, 0.02 * size, -size / 2), rod) for name in "abc"]
    joints = [
        kg.Joint("s", "revolute", "world", "a", axis=(0, 0, 1)),
        kg.Joint("e", "revolute", "a", "b", kg.Pose((0, 0.1 * size, -size)), axis=(0, 1, 0)),
        kg.Joint("w", "revolute", "b", "c", kg.Pose((0.05 * size, 0, -size)), axis=(0, 1, 0)),
    ]
    model = kg.compile(kg.Mechanism("planar", links, joints, gravity=(0, 0, -pull)), contacts=False, progress=False)
    assert len(kg.base_parameters(model)) == 15


def test_groups_in_symbols() -> None:
    """Lengths that are open stand in the sums: the lower mass counts with the upper link at its length."""
    length = sympy.Symbol("l1", positive=True)
    base = kg.derive(double_pendulum(l1=length)).base_parameters
    assert [str(x) for x in base.groups] == [
        "mx_upper",
        "-l1*m_lower + mz_upper",
        "Iyy_upper + l1**2*m_lower",
        "mx_lower",
        "mz_lower",
        "Iyy_lower",
    ]
    assert kg.base_parameters(kg.compile(double_pendulum(l1=0.5), contacts=False)).groups()[1:3] == (
        "mz_upper - 0.5 m_lower",
        "Iyy_upper + 0.25 m_lower",
    )


@pytest.mark.parametrize("seed", range(6))
def test_random_square_trees_without_rounding(seed: int) -> None:
    """Joints of all kinds at right angles: what counts modulo a prime is what counts in numbers."""
    mechanism = random_mechanism(seed, bodies=4, skew=0.0, mimic=0.0, kinds=SQUARE)
    exact = kg.derive(mechanism).base_parameters
    Y = _stacked(mechanism)
    assert np.linalg.matrix_rank(Y / np.maximum(np.linalg.norm(Y, axis=0), 1e-12), tol=1e-8) == len(exact)
    B = np.array(exact.matrix, dtype=float)
    assert np.allclose(Y, Y[:, exact.independent] @ B, rtol=0.0, atol=1e-10 * np.abs(Y).max())


def _stacked(mechanism: kg.Mechanism) -> np.ndarray:
    Y, rng = numeric(derive(mechanism, "torque_regressor")), np.random.default_rng(5)
    states = [random_state(mechanism, rng)[:3] for _ in range(60)]
    return np.concatenate([Y(dict(zip("qva", map(np.ndarray.tolist, s), strict=True)))["Y"] for s in states])


def test_what_is_not_rational_is_refused_by_name() -> None:
    with pytest.raises(kg.ModelError, match="'fourbar': no exact base parameters: it has closed loops"):
        _ = kg.derive(kg.load(EXAMPLES / "fourbar.toml")).base_parameters
    with pytest.raises(kg.ModelError, match=r"joint 'joint\d' does not stand at right angles; base_parameters"):
        _ = kg.derive(random_mechanism(1, bodies=3, skew=1.0, mimic=0.0)).base_parameters


def test_numbers_modulo_a_prime() -> None:
    x = Modular.of(0.75, PRIME)
    assert fraction_of((x * x - 1 / x).value, PRIME) == sympy.Rational(9, 16) - sympy.Rational(4, 3)
    assert fraction_of(pow(3, 160), PRIME) == 3**160 and fraction_of(pow(3, 180), PRIME) != 3**180
    rows, pivots = reduced([[2, 4, 1], [1, 2, 3], [3, 6, 4]], PRIME)
    assert pivots == [0, 2] and rows == [[1, 2, 0], [0, 0, 1]]


@pytest.mark.parametrize("welded", [False, True], ids=["no joint moves", "loops let nothing move"])
def test_where_nothing_moves_torques_tell_nothing(welded: bool) -> None:
    link = kg.Link("post", 1.0, inertia=kg.inertia.box(1.0, (0.1, 0.2, 0.3)))
    joints = [kg.Joint("held", "revolute" if welded else "fixed", "world", "post")]
    joints += [kg.Joint("weld", "fixed", "world", "post", cut=True)] if welded else []
    at = kg.compile(kg.Mechanism("post", [link], joints), progress=False)
    for rotors in (False, True):
        base = kg.base_parameters(at, rotors=rotors)
        assert (len(base), base.unfelt) == (0, base.labels)
    record = kg.TorqueRecord(*[np.zeros((9, at.nv))] * 4)
    with pytest.raises(kg.ModelError, match=r"identify: model 'post': nothing moves, so that torques tell nothing"):
        kg.identify(at, record)


@pytest.mark.parametrize("leader", ["drive", "pivot", "knee"])
def test_what_leads_does_not_decide_how_many_even_at_its_dead_points(leader: str) -> None:
    """The rocker stands still at its dead points while the others move: 8 parameters whichever joint leads."""
    model = kg.compile(EXAMPLES / "fourbar.toml", contacts=False).with_independent([leader])
    assert {len(kg.base_parameters(model, seed=seed)) for seed in range(8)} == {8}


def test_a_trihedral_linkage_of_equal_links_has_nineteen() -> None:
    """Bricard's: its default leader has dead points on the way; 19 by null vectors of the loop of size one."""
    six = DenavitHartenberg([1.0] * 6, [np.pi / 2, -np.pi / 2] * 3, [0.0] * 6, [2.2] * 6)
    model = kg.compile(six.mechanism("trihedral"), contacts=False, progress=False)
    assert {len(kg.base_parameters(model, seed=seed)) for seed in range(3)} == {19}


@pytest.mark.parametrize("leader", ["crank", "rod"])
def test_a_slider_crank_that_can_fold_has_those_of_its_own_branch(leader: str) -> None:
    """With a rod as long as the crank the slider may also rest above the pivot while the two turn as one. On the
    branch of the start the rod turns back as the crank turns: both inertias and half the slider's mass are one sum."""
    joints = [
        kg.Joint("crank", "revolute", "world", "a", axis=(0, 0, 1), start=0.5),
        kg.Joint("rod", "revolute", "a", "b", kg.Pose((0.5, 0, 0)), axis=(0, 0, 1), start=-1.0),
        kg.Joint("slide", "prismatic", "world", "s", axis=(1, 0, 0), start=0.8),
        kg.Joint("pin", "revolute", "b", "s", kg.Pose((0.5, 0, 0)), axis=(0, 0, 1)),
    ]
    links = [kg.Link(name, 1.0, com, kg.inertia.box(1.0, (0.5, 0.1, 0.1))) for name, com in SLIDER_CRANK]
    mechanism = kg.Mechanism("slider_crank", links, joints, gravity=(0, -9.81, 0))
    model = kg.compile(mechanism, contacts=False, progress=False).with_independent([leader])
    for seed in range(4):
        base = kg.base_parameters(model, seed=seed)
        assert base.groups() == (
            "mx_a + 0.5 m_b + 0.5 m_s",
            "my_a",
            "Izz_a + 0.25 m_b + Izz_b + 0.5 m_s",
            "mx_b + 0.5 m_s",
            "my_b",
        )


def test_steps_along_a_branch_neither_end_beside_their_aim_nor_where_motions_have_turned() -> None:
    """A step that closing the loop bends by more than a tenth, and one that ends closed, but 3 rad further, where the
    joints move in other ratios: both may have come to another branch."""
    model = kg.compile(EXAMPLES / "fourbar.toml", contacts=False)
    reach = np.ones(model.nv)
    first = walks._first(model, reach, np.random.default_rng(0))
    way = first.ways[:, 0] / np.abs(first.ways).max()
    assert walks._stepped(model, first, 0.2 * way, reach, 0.0) is not None
    assert walks._stepped(model, first, way, reach, 0.0) is None
    far = walks._walk(model, first, np.array([-1.0]), reach, 3.0, 0.0)
    assert walks._stepped(model, first, np.asarray(model.difference(first.q, far.q)), reach, 0.0) is None


@pytest.mark.parametrize(("cranks", "start"), [(2, 0.7), (3, 0.7), (3, 1e-4)])
def test_a_parallelogram_has_those_of_a_bar_that_does_not_turn(cranks: int, start: float) -> None:
    """All cranks turn alike and the bar moves as a point: one moment of inertia, two first moments, with its mass.
    A start beside the line in which all lie, where other branches begin, tells as much as others."""
    links = [kg.Link(f"c{i}", 1.0, (0.25, 0.05, 0), kg.inertia.box(1.0, (0.5, 0.1, 0.1))) for i in range(cranks)]
    links.append(kg.Link("bar", 2.0, (0.5, 0, 0), kg.inertia.box(2.0, (1.0, 0.1, 0.1))))
    joints = []
    for i in range(cranks):
        along, pinned = kg.Pose((i / (cranks - 1), 0, 0)), kg.Pose((0.5, 0, 0))
        joints.append(kg.Joint(f"j{i}", "revolute", "world", f"c{i}", along, axis=(0, 0, 1), start=start))
        ends = (pinned, along) if i else (pinned,)
        joints.append(kg.Joint(f"k{i}", "revolute", f"c{i}", "bar", *ends, axis=(0, 0, 1), start=None if i else -start))
    mechanism = kg.Mechanism("parallelogram", links, joints, gravity=(0, -9.81, 0))
    model = kg.compile(mechanism, contacts=False, progress=False)
    for seed in range(3):
        base = kg.base_parameters(model, seed=seed)
        assert [name.partition("_")[0] for name in base.names] == ["mx", "my", "Izz"]
        assert "Izz_bar" in base.unfelt


@pytest.mark.parametrize(
    ("example", "count", "seeds"), [("delta", 34, 6), pytest.param("cassie", 142, 4, marks=pytest.mark.sweep)]
)
def test_robots_of_closed_loops_have_as_many_by_every_seed(
    example: str, count: int, seeds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A delta's arm has three, its pair of rods nine with their mass at the elbow; a mass at the platform is one at the
    end of any pair: 3 (3 + 9) - 2. Cassie's axes are parallel to a few digits, which nothing more is told by."""
    monkeypatch.syspath_prepend(str(EXAMPLES / "closed"))
    mechanism = importlib.import_module(example).mechanism()
    for name in (example, "sketch", "follow"):
        sys.modules.pop(name, None)
    model = kg.compile(mechanism, contacts=False, progress=False)
    found = [kg.base_parameters(model, seed=seed) for seed in range(seeds)]
    assert [len(base) for base in found] == [count] * seeds
    assert len({base.independent for base in found}) == 1
