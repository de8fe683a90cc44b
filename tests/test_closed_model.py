"""What a model tells of its loops: W, H, S, independent joints, assembly, cut joints, torques of the actuators."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from closed_mechanisms import bar_in_two_hands, five_bar, four_bar, rod, slider_crank, stewart
from oracles.numeric import Array, error

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Mechanism, Pose
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model
from kinegen.runtime.errors import ModelError

MECHANISMS = {
    "four-bar": lambda: four_bar(1.0, 2.0, 2.5, 3.0),
    "two motors": lambda: two_motors(),
    "slider-crank": slider_crank,
    "five-bar": five_bar,
    "stewart": stewart,
    "bar in two hands": bar_in_two_hands,
    "tree": lambda: Mechanism("tree", [rod("a", 1.0), rod("b", 1.0)], [
        Joint("one", "revolute", "world", "a"), Joint("two", "revolute", "a", "b", Pose((1, 0, 0)), actuated=False)]),
}  # fmt: skip


def two_motors() -> Mechanism:
    """The four-bar with a second actuator, on the rocker [S]."""
    base = four_bar(1.0, 2.0, 2.5, 3.0, "two_motors")
    joints = [
        Joint(j.name, j.kind, j.parent, j.child, j.origin, j.child_origin, actuated=j.name in ("pivot", "base"),
              effort_limit=25.0)
        for j in base.joints
    ]  # fmt: skip
    return Mechanism(base.name, base.links, joints, gravity=base.gravity)


@cache
def model(name: str) -> Model:
    return Model.load(compile_mechanism(MECHANISMS[name]()))


def motion(name: str, seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    q = model(name).random(rng)
    v, a = model(name).dependent_motion(q, rng.normal(size=model(name).nv), rng.normal(size=model(name).nv))
    return q, v, a


# ---- W, H, S


def test_four_bar_as_on_paper() -> None:
    """Rates of the four-bar from its geometry: relative knee, rocker and tip angles per crank angle."""
    crank, rocker = 0.7, None
    q = model("four-bar").assemble([crank, 0.1, 2.0], hold=["pivot"])
    coupler, rocker = q[0] + q[1], q[2]
    assert np.allclose(
        [np.cos(crank) + 2.0 * np.cos(coupler), np.sin(crank) + 2.0 * np.sin(coupler)],
        [3.0 + 2.5 * np.cos(rocker), 2.5 * np.sin(rocker)],
        atol=1e-10,
    )
    sine = np.sin(coupler - rocker)
    coupler_rate = np.sin(rocker - crank) / (2.0 * sine)
    rocker_rate = np.sin(coupler - crank) / (2.5 * sine)
    assert model("four-bar").independent == ("pivot",)
    assert model("four-bar").dependent == ("knee", "base", "tip")
    expected = [[coupler_rate - 1.0], [rocker_rate], [coupler_rate - rocker_rate]]
    assert error(model("four-bar").H(q), expected) < 1e-9
    assert error(model("four-bar").W(q), [[1.0], *expected[:2]]) < 1e-9
    assert error(model("two motors").S(q), [[1.0], [rocker_rate]]) < 1e-9


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "five-bar", "stewart", "bar in two hands"])
def test_shapes_and_closure(name: str) -> None:
    q, v, a = motion(name)
    m = model(name)
    W, H, S, J = m.W(q), m.H(q), m.S(q), m.closure_jacobian(q)
    cut = sum(joint.nv for joint in m.manifest.loops)
    assert W.shape == (m.nv, m.nf) and H.shape == (len(m.dependent), m.nf) and S.shape == (m.nu, m.nf)
    assert len(m.dependent) == m.nv + cut - m.nf
    assert J.shape == (6 * len(m.manifest.loops), m.nv + cut)
    assert np.linalg.matrix_rank(J, tol=1e-9) == m.nv + cut - m.nf
    rates = np.vstack([W, H[m.nv - m.nf :]])  # the tree's, then the cut joints'
    assert np.abs(J @ rates).max() < 1e-9
    assert np.abs(m.kernel("closure_rows")(q) @ a + m.kernel("closure_rows_bias")(q, v)).max() < 1e-8
    names = list(m.independent)
    order = [f"{j.name}[{i}]" if j.nv > 1 else j.name for j in m.manifest.joints for i in range(j.nv)]
    assert np.array_equal(W[[order.index(n) for n in names]], np.eye(m.nf))


def test_trees_have_a_trivial_closure() -> None:
    tree = model("tree")
    q, v = np.array([0.3, 0.4]), np.array([1.0, 2.0])
    assert tree.independent == ("one", "two") and tree.dependent == ()
    assert np.array_equal(tree.W(q), np.eye(2))
    assert tree.H(q).shape == (0, 2)
    assert np.array_equal(tree.S(q), [[1.0, 0.0]])
    assert tree.closure_residual(q).shape == (0,)
    assert np.array_equal(tree.assemble(q), q)
    assert tree.partition(q).rank == 0
    assert error(tree.dependent_motion(q, v, v)[1], v) == 0.0
    a = tree.forward_dynamics(q, v, [3.0, 0.0])
    assert tree.actuator_torques(q, v, a) == pytest.approx([3.0])


def welded(gap: float) -> Mechanism:
    """A swinging rod, and a loop of fixed joints beside it that is open by `gap`."""
    joints = [
        Joint("hold", "fixed", "world", "a"),
        Joint("swing", "revolute", "a", "b"),
        Joint("weld", "fixed", "world", "a", Pose((gap, 0, 0)), cut=True),
    ]
    return Mechanism("welded", [rod("a", 1.0), rod("b", 1.0)], joints)


def test_a_loop_of_fixed_joints() -> None:
    with pytest.raises(ModelError, match=r"'weld' cannot be closed: its ends stay 0\.01"):
        compile_mechanism(welded(0.01))
    closed = Model.load(compile_mechanism(welded(0.0)))
    assert (closed.nf, closed.partition(closed.q0).rank) == (1, 0)
    assert np.isfinite(closed.forward_dynamics([0.1], [1.0], [0.0])).all()


# ---- Independent joints


def test_pinned_joints_lead() -> None:
    q, v, a = motion("four-bar")
    pinned = model("four-bar").with_independent(["base"])
    assert pinned.independent == ("base",) and model("four-bar").independent == ("pivot",)
    assert error(pinned.W(q) * model("four-bar").W(q)[2], model("four-bar").W(q)) < 1e-9
    assert error(pinned.dependent_motion(q, v, a)[1], a) < 1e-9
    assert error(pinned.forward_dynamics(q, v, a), model("four-bar").forward_dynamics(q, v, a)) < 1e-12


def test_legs_lead_the_platform() -> None:
    legs = [f"leg{i}" for i in range(6)]
    pinned = model("stewart").with_independent(legs)
    assert pinned.independent == tuple(legs)
    q, _, _ = motion("stewart")
    assert error(pinned.S(q), np.eye(6)) < 1e-12
    platform = pinned.W(q)[:6]
    assert error(platform @ model("stewart").S(q), np.eye(6)) < 1e-8  # inverse of the legs per platform


def test_part_of_a_joint_may_lead() -> None:
    pinned = model("bar in two hands").with_independent(["left_shoulder[1]", "right_elbow"])
    assert {"left_shoulder[1]", "right_elbow"} <= set(pinned.independent)
    assert len(pinned.independent) == pinned.nf == 12


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["pivot", "base"], "pivot, base cannot all be independent: the loops leave 1 degrees of freedom and"),
        (["tip"], "no joint 'tip' in the tree is cut and has no coordinate of its own"),
        (["crank"], "no joint 'crank' in the tree; it has:"),
        ("pivot", r"expected a list of names, got the text 'pivot'"),
    ],
)
def test_contradictory_and_unknown_pins(names: list[str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        model("four-bar").with_independent(names)


def test_partition_is_told_with_its_condition() -> None:
    q, _, _ = motion("five-bar")
    found = model("five-bar").partition(q)
    assert (found.rank, len(found.independent), len(found.dependent)) == (2, 2, 2)
    assert 1.0 <= found.condition < np.inf


# ---- Assembly and cut joints


def test_assembly_holds_what_it_is_told() -> None:
    q = model("five-bar").assemble([1.2, 0.3, 0.4, 0.5], hold=["left_motor", "right_motor"])
    assert (q[0], q[2]) == (1.2, 0.4)
    assert np.abs(model("five-bar").closure_residual(q)).max() <= 1e-10


def test_assembly_takes_batches_and_starts_that_are_dead_points() -> None:
    q = model("five-bar").assemble(np.zeros((3, 4)))
    assert q.shape == (3, 4)
    assert np.abs(model("five-bar").closure_residual(q)).max() <= 1e-10


def test_joints_are_not_assembled_upside_down() -> None:
    """A hinge whose sides face each other has zero cross product as well."""
    q = model("bar in two hands").random(0, size=20)
    rods = model("slider-crank").random(1, size=50)
    assert np.abs(model("slider-crank").closure_residual(rods)).max() <= 1e-10
    poses = model("slider-crank").kernel("cut_poses")(rods).reshape(50, 3, 4)
    assert (poses[:, 2, 2] > 0.99).all()
    assert np.isfinite(q).all()


def test_project_puts_dependent_entries_back() -> None:
    q, v, _ = motion("five-bar")
    off = q + np.array([0.0, 1e-3, 0.0, -1e-3])
    closed, rate = model("five-bar").project(off, v + 0.1)
    assert np.abs(model("five-bar").closure_residual(closed)).max() <= 1e-10
    assert np.abs(model("five-bar").kernel("closure_rows")(closed) @ rate).max() < 1e-12
    assert closed[[0, 2]] == pytest.approx(q[[0, 2]], abs=1e-12)


def test_cut_joints_unwind_next_to_an_earlier_value() -> None:
    q, v, _ = motion("four-bar")
    angle, rate = model("four-bar").loop_joint("tip", q, v)
    later, _ = model("four-bar").loop_joint("tip", q, near=angle + 4 * np.pi + 0.1)
    assert later == pytest.approx(angle + 4 * np.pi)
    step = 1e-6
    after = model("four-bar").loop_joint("tip", model("four-bar").integrate(q, step * v))[0]
    assert error((after - angle) / step, rate) < 1e-5
    with pytest.raises(ModelError, match="has no cut joint 'pivot'; it has: tip"):
        model("four-bar").loop_joint("pivot", q)


# ---- Torques of the actuators


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "five-bar", "stewart"])
def test_torques_give_the_motion_back(name: str) -> None:
    q, v, a = motion(name, 4)
    torques = model(name).actuator_torques(q, v, a)
    m, tau = model(name), np.zeros(model(name).nv)
    for torque, joint in zip(torques, m.actuators, strict=True):
        tau[m.v_slice(joint)] = torque
    assert error(m.forward_dynamics(q, v, tau), a) < 1e-9
    wanted = m.W(q).T @ m.inverse_dynamics(q, v, a)
    assert np.abs(m.S(q).T @ torques - wanted).max() < 1e-9 * max(1.0, float(np.abs(wanted).max()))


def test_redundant_torques_are_the_least() -> None:
    q, v, a = motion("two motors", 2)
    m = model("two motors")
    S, wanted = m.S(q), m.W(q).T @ m.inverse_dynamics(q, v, a)
    torques = m.actuator_torques(q, v, a)
    assert error(S.T @ torques, wanted) < 1e-12
    assert error(torques, np.linalg.pinv(S.T) @ wanted) < 1e-12
    weights = np.array([1.0, 9.0])
    weighted = m.actuator_torques(q, v, a, weights=weights)
    assert error(S.T @ weighted, wanted) < 1e-12
    null = np.array([-S[1, 0], S[0, 0]])  # Sᵀ null = 0: optimal where Q τ has no part along it
    assert abs(null @ (weights * weighted)) < 1e-9 * np.abs(weights * weighted).max()
    assert error(m.actuator_torques(q, v, a, weights=np.diag(weights)), weighted) < 1e-12


def test_limits_are_kept_and_the_motion_too() -> None:
    q, v, a = motion("two motors", 2)
    m = model("two motors")
    free = m.actuator_torques(q, v, a)
    S, wanted = m.S(q), m.W(q).T @ m.inverse_dynamics(q, v, a)
    most = np.abs(free) * [0.9, 10.0] + [0.0, 50.0]
    limited = m.actuator_torques(q, v, a, limits=most)
    assert (np.abs(limited) <= most + 1e-12).all()
    assert abs(limited[0]) == pytest.approx(most[0])
    assert error(S.T @ limited, wanted) < 1e-9
    asymmetric = m.actuator_torques(q, v, a, limits=[-most, most])
    assert error(asymmetric, limited) < 1e-9
    assert error(m.actuator_torques(q, v, a, limits=1e6 * np.ones(2)), free) == 0.0


def test_limits_that_cannot_be_kept_name_the_joints() -> None:
    q, v, a = motion("two motors", 2)
    with pytest.raises(ModelError, match=r"limits: no torques .* these exceed theirs: (pivot|base) \("):
        model("two motors").actuator_torques(q, v, 100 * a, limits=[1e-3, 1e-3])
    with pytest.raises(ModelError, match="limits: no torques"):
        model("two motors").actuator_torques(q, v, 1e4 * a, limits=True)


def test_too_few_actuators_are_said_and_shown() -> None:
    tree = model("tree")
    q, v, a = np.array([0.3, 0.4]), np.zeros(2), np.array([1.0, 2.0])
    with pytest.raises(ModelError, match=r"under-actuated for this motion: 1 actuators \(one\) of rank 1 for 2"):
        tree.actuator_torques(q, v, a)
    torques, left = tree.actuator_torques(q, v, a, unbalanced=True)
    wanted = tree.inverse_dynamics(q, v, a)
    assert error(torques, wanted[:1]) < 1e-12
    assert error(left, [0.0, wanted[1]]) < 1e-12


def test_torques_of_batches() -> None:
    q = model("stewart").random(0, size=4)
    v, a = model("stewart").dependent_motion(q, np.zeros(24))
    torques = model("stewart").actuator_torques(q, v, a)
    assert torques.shape == (4, 6)
    for i in range(4):
        assert error(torques[i], model("stewart").actuator_torques(q[i], v[i], a[i])) < 1e-12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": [1.0, -1.0]}, "weights: expected positive numbers"),
        ({"weights": [1.0]}, r"weights: expected shape \(2,\)"),
        ({"limits": [1.0]}, r"limits: expected True, \(2,\) or \(2, 2\) numbers"),
        ({"limits": [[1.0, 1.0], [-1.0, -1.0]]}, "limits: lower exceeds upper for 0"),
    ],
)
def test_bad_actuation_arguments(options: dict[str, list[float]], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        model("two motors").actuator_torques(*motion("two motors"), **options)


def test_compile_takes_the_leaders() -> None:
    mechanism = MECHANISMS["four-bar"]()
    assert kg.compile(mechanism, independent=["base"], progress=False).independent == ("base",)
    with pytest.raises(kg.ModelError, match="cannot all be independent"):
        kg.compile(mechanism, independent=["base", "pivot"], progress=False)
