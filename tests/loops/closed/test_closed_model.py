"""What a model tells of its loops: W, H, S, independent joints, assembly, cut joints, torques of the actuators."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.analysis.loops.partition import choose_reference
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime.errors import ModelError
from support.mechanisms.closed_mechanisms import four_bar, rod
from support.mechanisms.closed_models import MECHANISMS, model, motion
from support.oracles.numeric import error

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
    closed = kg.compile(welded(0.0))
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
        (["tip"], r"no coordinates of joint 'tip', which is cut; it has: .*base; mechanism\.in_tree\('tip'\) cuts"),
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


FOUR_BAR = "examples/fourbar.toml"


def assemblies() -> npt.NDArray[np.float64]:
    """(2, 2001, 3) drive, knee, pivot of that four-bar: its two ways of being assembled, by the law of cosines."""
    drive = np.linspace(-np.pi, np.pi, 2001)
    tip = 0.3 * np.stack((np.cos(drive), np.sin(drive)), axis=-1)
    base = np.array((0.8, 0.0)) - tip
    far = np.linalg.norm(base, axis=-1)
    inner = np.arccos((0.9**2 + far**2 - 0.7**2) / (2 * 0.9 * far))
    found = []
    for side in (1.0, -1.0):
        bar = np.arctan2(base[:, 1], base[:, 0]) + side * inner
        end = 0.9 * np.stack((np.cos(bar), np.sin(bar)), axis=-1) - base
        found.append(np.stack((drive, bar - drive, np.arctan2(end[:, 1], end[:, 0])), axis=-1))
    return np.array(found)


@pytest.mark.parametrize("off", [0.02, 0.2, 0.4])
@pytest.mark.parametrize("named", [("drive",), ("drive", "knee"), ("knee", "pivot"), ("drive", "knee", "pivot")])
def test_starts_are_near_what_is_asked_for(named: tuple[str, ...], off: float) -> None:
    """On the branch on which the named joints are nearest to what they were asked for, and about as near as there."""
    mechanism, exact, rng = kg.load(FOUR_BAR), assemblies(), np.random.default_rng(4)
    own = [("drive", "knee", "pivot").index(name) for name in named]
    for side, k in zip(rng.integers(2, size=8), rng.integers(2001, size=8), strict=True):
        asked = exact[side, k] + off * rng.uniform(-0.5, 0.5, 3)
        at = {name: (asked[i],) for name, i in zip(named, own, strict=True)}
        start = np.array(choose_reference(mechanism, (), at).start)
        turns = (exact - asked + np.pi) % (2 * np.pi) - np.pi
        ways = np.linalg.norm(turns[..., own], axis=-1).min(axis=-1)
        reached = (exact - start + np.pi) % (2 * np.pi) - np.pi
        assert np.linalg.norm((start - asked)[own]) <= 1.2 * ways.min() + 2e-3
        if len(named) > 1 and ways[side] < 0.5 * ways[1 - side]:
            assert int(np.linalg.norm(reached, axis=-1).min(axis=-1).argmin()) == side


@pytest.mark.parametrize(("knee", "closed"), [(-0.5, (1.0, -0.5009, 1.3515)), (-2.25, (1.0, -2.2530, -2.1070))])
def test_a_joint_named_more_throws_nothing_away(knee: float, closed: tuple[float, ...]) -> None:
    model = kg.compile(kg.load(FOUR_BAR), at={"drive": 1.0, "knee": knee})
    assert model.q0 == pytest.approx(closed, abs=4e-3)


def test_project_puts_dependent_entries_back() -> None:
    q, v, _ = motion("five-bar")
    off = q + np.array([0.0, 1e-3, 0.0, -1e-3])
    closed, rate = model("five-bar").project(off, v + 0.1)
    assert np.abs(model("five-bar").closure_residual(closed)).max() <= 1e-10
    assert np.abs(model("five-bar").kernel("closure_rows")(closed) @ rate).max() < 1e-12
    assert closed[[0, 2]] == pytest.approx(q[[0, 2]], abs=1e-12)


def all_driven() -> kg.Model:
    """A four-bar with a motor on each joint: pivots alone would choose another leader where it starts."""
    links = [kg.Link(n, w, (w / 2, 0, 0), kg.inertia.rod(w, w)) for n, w in zip("abc", (0.3, 0.9, 0.7), strict=True)]
    joints = [
        Joint("drive", "revolute", "world", "a"),
        Joint("knee", "revolute", "a", "b", Pose((0.3, 0, 0))),
        Joint("pivot", "revolute", "world", "c", Pose((0.8, 0, 0))),
        Joint("close", "revolute", "b", "c", Pose((0.9, 0, 0)), child_origin=Pose((0.7, 0, 0))),
    ]
    return kg.compile(Mechanism("all_driven", links, joints, gravity=(0, -9.81, 0)))


def rolling_car() -> kg.Model:
    """Two wheels that roll on the ground, on an axle each, on a board that slides over it."""
    links = [kg.Link("board", 2.0, (0, 0, 0), np.eye(3))]
    links += [kg.Link(f"w{i}", 0.5, inertia=kg.inertia.cylinder(0.5, 0.1, 0.02, axis=(0, 1, 0))) for i in range(2)]
    joints = [Joint("slide", "planar", "world", "board", Pose((0, 0, 0.1)))]
    joints += [Joint(f"a{i}", "revolute", "board", f"w{i}", Pose((0, 0.4 * i, 0)), axis=(0, 1, 0)) for i in range(2)]
    return kg.compile(Mechanism("car", links, [*joints, *(kg.rolling(f"w{i}", radius=0.1) for i in range(2))]))


@pytest.mark.parametrize("name", ["all driven", "car", "four-bar", "five-bar", "stewart", "bar in two hands"])
def test_velocities_follow_those_that_lead_as_in_H(name: str) -> None:
    """Also where a motion starts, and one of many does."""
    m = {"all driven": all_driven, "car": rolling_car}.get(name, lambda: model(name))()
    asked = np.random.default_rng(0).normal(size=(3, m.nv))
    expected = m.dependent_motion(m.q0, asked)[0]
    lead = list(m.loops.leaders)
    assert np.array_equal(expected[:, lead], asked[:, lead])
    scale = 1e-9 * np.abs(expected).max()
    np.testing.assert_allclose(m.project(m.q0, asked)[1], expected, atol=scale)
    sim = kg.Simulator(m, v=asked[0], limits=False)
    np.testing.assert_allclose(sim.v, expected[0], atol=scale)
    sim.v = asked[1]
    np.testing.assert_allclose(sim.v, expected[1], atol=scale)
    runs = kg.rollout(m, m.q0, asked, steps=1, dt=1e-4, limits=False)
    np.testing.assert_allclose(runs.v[:, 0], expected, atol=scale)


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


def test_compile_takes_the_leaders() -> None:
    mechanism = MECHANISMS["four-bar"]()
    assert kg.compile(mechanism, independent=["base"], progress=False).independent == ("base",)
    with pytest.raises(kg.ModelError, match="cannot all be independent"):
        kg.compile(mechanism, independent=["base", "pivot"], progress=False)


def test_leaders_of_open_parameters_are_found_away_from_singular_neutral() -> None:
    """A parallelogram with symbols is flat at neutral: the crank alone leads nevertheless."""
    length = sympy.Symbol("length")
    base = four_bar(1.0, 2.0, 1.0, 2.0, "open_parallelogram")
    joints = [*base.joints]
    joints[1] = Joint("knee", "revolute", "crank", "coupler", Pose((length, 0, 0)), actuated=False)
    mechanism = Mechanism(base.name, base.links, joints, gravity=base.gravity)
    found = kg.compile(mechanism).with_parameters(length=1.0)
    assert found.independent == ("pivot",)
    assert found.partition(found.neutral()).rank == 1


def test_a_free_cut_joint_locks_nothing_and_measures() -> None:
    joints = [
        Joint("swing", "revolute", "world", "a"),
        Joint("seen", "free", "world", "a", child_origin=Pose((1, 0, 0)), cut=True),
    ]
    seen = kg.compile(Mechanism("seen", [rod("a", 1.0)], joints, gravity=(0, -9.81, 0)))
    pose, twist = seen.loop_joint("seen", [0.3], [2.0])
    assert error(pose, [np.cos(0.3), np.sin(0.3), 0, 0, 0, np.sin(0.15), np.cos(0.15)]) < 1e-12
    assert error(twist, [0, 2, 0, 0, 0, 2]) < 1e-12
    assert seen.independent == ("swing",)
    assert seen.forward_dynamics([0.0], [0.0], [0.0])[0] == pytest.approx(-9.81 * 1.5)


def test_upside_down_is_open() -> None:
    """Opposite axes have no cross product either."""
    joints = [
        Joint("ball", "spherical", "world", "a"),
        Joint("hinge", "revolute", "world", "a", cut=True),
    ]
    hung = kg.compile(Mechanism("hung", [Link("a", 1.0, inertia=(1, 0, 0, 1, 0, 1))], joints))
    upright, turned = [0.0, 0.0, np.sin(0.2), np.cos(0.2)], [1.0, 0.0, 0.0, 0.0]
    assert np.abs(hung.closure_residual(upright)).max() < 1e-15
    assert np.linalg.norm(hung.closure_residual(turned)) == pytest.approx(2.0)
    closed = hung.assemble(turned)
    assert np.abs(hung.closure_residual(closed)).max() <= 1e-10
    assert hung.link_poses(closed)[0, 2, 2] == pytest.approx(1.0)
