"""Inverse kinematics: targets that can be reached are, within limits and on the closure; others are told."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from scipy.optimize import least_squares

import kinegen as kg
from kinegen.codegen.build import build_with
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import Selection
from kinegen.runtime.inverse.solve import _better
from kinegen.runtime.names.lookup import frames
from kinegen.runtime.structs import ENDED
from support.drawn.verdict import toolchain
from support.mechanisms.closed_mechanisms import five_bar, stewart
from support.mechanisms.robots import FOLDER
from support.oracles.numeric import Array
from support.oracles.pinocchio_oracle import to_pinocchio

pytestmark = pytest.mark.filterwarnings("ignore::kinegen.runtime.errors.ContactWarning")
TOLERANCE = 1e-6


def robot(file: str, root: str) -> Mechanism:
    return kg.load(FOLDER / file, root=root)  # type: ignore[arg-type]  # one of its literals


MACHINES: dict[str, Callable[[], Mechanism]] = {
    "panda": lambda: robot("panda_description/urdf/panda.urdf", "fixed"),
    "talos": lambda: robot("talos_data/robots/talos_reduced.urdf", "free"),
    "go2": lambda: robot("go2_description/urdf/go2.urdf", "free"),
    "figure": kg.human_figure,
    "stewart": stewart,
}
POSED = {
    "panda": ["panda_hand"],
    "talos": ["left_sole_link", "right_sole_link"],
    "go2": [],
    "figure": ["foot_l", "foot_r", "hand_r"],
    "stewart": ["platform"],
}
POINTS = {"go2": ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]}
TRUNK = {"talos": "torso_2_link", "go2": "base", "figure": "pelvis"}


@cache
def model(name: str) -> kg.Model:
    """Of the robots with these kernels alone."""
    if name in ("figure", "stewart"):
        return kg.compile(MACHINES[name]())
    selection = Selection(("solve_ik", "integrate", "difference"))
    return kg.Model.load(build_with(generate(MACHINES[name](), contacts=False, selection=selection), toolchain()))


def targets(name: str, q: Array) -> list[kg.FrameTarget | kg.ComTarget]:
    """Where frames, trunk and centre of mass are at q (..., nq)."""
    at = model(name)
    pose = {frame: at.frame_pose(q, frame) for frame in (*POSED[name], *POINTS.get(name, ()))}
    found = [kg.FrameTarget(frame, pose[frame][..., :3, 3], pose[frame][..., :3, :3]) for frame in POSED[name]]
    found += [kg.FrameTarget(frame, pose[frame][..., :3, 3]) for frame in POINTS.get(name, ())]
    trunk = TRUNK.get(name)
    if trunk is None:
        return found
    return [*found, kg.FrameTarget(trunk, rotation=at.frame_pose(q, trunk)[..., :3, :3]), kg.ComTarget(at.com(q))]


def missed(name: str, q: Array, asked: Sequence[kg.FrameTarget | kg.ComTarget]) -> float:
    """Largest distance [m, rad] from the targets, by frame poses alone."""
    at, worst = model(name), 0.0
    for target in asked:
        if isinstance(target, kg.ComTarget):
            worst = max(worst, float(np.linalg.norm(at.com(q) - target.position, axis=-1).max()))
            continue
        pose = at.frame_pose(q, target.frame)
        if target.position is not None:
            worst = max(worst, float(np.linalg.norm(pose[..., :3, 3] - target.position, axis=-1).max()))
        if target.rotation is not None:
            turn = np.swapaxes(np.asarray(target.rotation), -1, -2) @ pose[..., :3, :3]
            worst = max(worst, max(float(np.linalg.norm(pin.log3(R))) for R in turn.reshape(-1, 3, 3)))
    return worst


def beyond_limits(at: kg.Model, q: Array) -> float:
    joints = [j for j in at.manifest.joints if j.nq == j.nv and j.lower]
    out = [np.maximum(np.array(j.lower) - q[..., at.q_slice(j.name)], q[..., at.q_slice(j.name)] - j.upper)
           for j in joints]  # fmt: skip
    return max((float(x.max()) for x in out if x.size), default=0.0)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.sweep if name in ("go2", "stewart") else ()) for name in MACHINES]
)
def test_random_reachable_targets_are_reached(name: str) -> None:
    """Random configurations within the limits tell the goals; the search starts elsewhere."""
    at = model(name)
    q = at.random(0, size=40 if name in ("panda", "go2") else 12)
    if name in TRUNK:
        q[:, :3] *= 0.3
    asked = targets(name, q)
    found = kg.solve_ik(at, asked, restarts=60)
    assert found.reached.all() and found.residual.max() <= TOLERANCE
    assert missed(name, found.q, asked) <= 1.1 * TOLERANCE
    assert beyond_limits(at, found.q) <= 1e-9
    if at.manifest.closed:
        assert np.abs(at.closure_residual(found.q)).max() < 1e-10
    near = at.integrate(found.q, 0.02 * np.random.default_rng(1).normal(size=(len(q), at.nv)))
    warm = kg.solve_ik(at, asked, near, limits=False)
    assert warm.iterations.mean() < 5


@pytest.mark.parametrize("name", ["panda", "talos", "stewart"])
def test_batch_is_single_bit_for_bit(name: str) -> None:
    at = model(name)
    q = at.assemble(at.random(3, size=6)) if at.manifest.closed else at.random(3, size=6)
    asked, starts = targets(name, q), at.integrate(q, np.full((6, at.nv), 0.05))
    batch = kg.solve_ik(at, asked, starts, check=False)
    for row in range(6):
        one = kg.solve_ik(at, targets(name, q[row]), starts[row], check=False)
        assert np.array_equal(one.q, batch.q[row]) and one.iterations == batch.iterations[row]


def test_rows_that_follow_start_where_the_last_ended() -> None:
    at, t = model("talos"), np.linspace(0.0, 1.0, 30)[:, None]
    begin = at.q0
    begin[at.q_slice("leg_left_4_joint")] = begin[at.q_slice("leg_right_4_joint")] = 0.6
    asked = targets("talos", np.broadcast_to(begin, (30, at.nq)))
    asked[-1] = kg.ComTarget(at.com(begin) + t * [0.03, 0.02, -0.05])
    path = kg.solve_ik(at, asked, begin, follow=True)
    again = begin
    for i in range(30):
        row = [*targets("talos", begin)[:-1], kg.ComTarget(asked[-1].position[i])]
        again = kg.solve_ik(at, row, again).q
        assert np.array_equal(again, path.q[i])
    assert path.iterations[1:].max() <= 4 and np.abs(at.difference(path.q[:-1], path.q[1:])).max() < 0.05


@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-5, 1e-3])
def test_opposite_axes_turn_round(off: float) -> None:
    """From the one direction that tells no way to turn, exactly and nearly; what holds it there is no way out."""
    at = model("talos")
    back, down = kg.LookAtTarget("torso_2_link", (-2.0, off, 0.0)), kg.DirectionTarget("base_link", (off, 0.0, -1.0))
    turned = kg.solve_ik(at, [replace(back, at=at.frame_pose(at.q0, "torso_2_link")[:3, 3] + back.at)])
    assert turned.reached and kg.solve_ik(at, [down]).reached
    upright = kg.FrameTarget("base_link", rotation=np.eye(3), rotation_weight=10.0)
    held = kg.solve_ik(at, [upright, down], check=False)
    assert not held.reached and held.residual[1] > 3.0 and held.residual[0] < 0.05


@pytest.mark.parametrize("follow", [False, True])
def test_no_rows_have_no_solutions(follow: bool) -> None:
    none = kg.solve_ik(model("talos"), [kg.ComTarget(np.zeros((2, 0, 3)))], follow=follow)
    assert none.q.shape == (2, 0, model("talos").nq) and none.reached.shape == (2, 0)


def test_as_scipy_on_pinocchio() -> None:
    """Out of reach and out of limits: the compromise of the weights is the least-squares solution of another solver."""
    mechanism, at = MACHINES["panda"](), model("panda")
    oracle, (place, offset) = to_pinocchio(mechanism), frames(at.manifest)["panda_hand"]
    lower, upper = (np.concatenate([getattr(j, side) for j in at.manifest.joints]) for side in ("lower", "upper"))
    goal, wp, wr = np.array([0.6, 0.5, 1.1]), np.array([2.0, 1.0, 0.5]), 0.3
    R = pin.exp3(np.array([0.4, -1.2, 2.0]))

    def residual(q: Array) -> Array:
        pose = oracle.link_poses(q)[int(place[0])] @ offset
        return np.concatenate([wp * (pose[:3, 3] - goal), wr * pin.log3(pose[:3, :3] @ R.T)])

    start = np.clip(at.q0, lower + 1e-3, upper - 1e-3)
    target = kg.FrameTarget("panda_hand", goal, R, position_weight=wp, rotation_weight=wr)
    found = kg.solve_ik(at, [target], start, check=False, iterations=1000)
    other = least_squares(residual, found.q.clip(lower + 1e-9, upper - 1e-9), bounds=(lower, upper), xtol=1e-14,
                          ftol=1e-14, gtol=1e-14)  # fmt: skip
    assert not found.reached and (np.abs(found.q - lower) < 1e-12).sum() + (np.abs(found.q - upper) < 1e-12).sum() > 0
    assert 0.5 * np.square(residual(found.q)).sum() <= other.cost * (1 + 1e-9)
    assert np.square(residual(found.q)).sum() < 0.5 * np.square(residual(start)).sum()
    tangent = least_squares(residual, start, bounds=(lower, upper), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert 0.5 * np.square(residual(found.q)).sum() <= tangent.cost * 1.001  # from the same start, no worse


def test_the_tolerance_is_of_metres_and_radians_whatever_the_weights() -> None:
    """Residuals are the distance along axes that count, and the angle that is left; the search ends within them."""
    at, rng = model("panda"), np.random.default_rng(5)
    largest = []
    for tolerance in (1e-2, 1e-5):
        for _ in range(20):
            goal = at.frame_pose(at.random(rng), "panda_hand")
            hand = kg.FrameTarget("panda_hand", goal[:3, 3], goal[:3, :3], (0, 0, 0), (5.0, 5.0, 0.0), 0.1)
            found = kg.solve_ik(at, [hand], tolerance=tolerance, restarts=20)
            off = at.frame_pose(found.q, "panda_hand") - goal
            angle = 2.0 * np.arcsin(np.linalg.norm(off[:3, :3]) / np.sqrt(8.0))
            assert found.units == ("m", "rad") and found.residual.max() <= tolerance
            assert found.residual == pytest.approx([np.linalg.norm(off[:2, 3]), angle], rel=1e-6, abs=1e-12)
            largest.append(found.residual.max())
    assert max(largest[:20]) > 1e-3 and max(largest[20:]) > 1e-8


def test_out_of_reach_is_told() -> None:
    at = model("panda")
    with pytest.raises(kg.IKError, match=r"position of 'panda_hand' is missed by 1\.\d+ m and has no better near") as e:
        kg.solve_ik(at, [kg.FrameTarget("panda_hand", (2.0, 0.0, 0.3))], restarts=2)
    assert 1.0 < e.value.solution.residual.item() < 1.4 and not e.value.solution.reached
    for again in (pickle.loads(pickle.dumps(e.value)), copy.deepcopy(e.value), copy.copy(e.value)):
        assert str(again) == str(e.value) and np.array_equal(again.solution.q, e.value.solution.q)
    goals = np.array([[0.4, 0.1, 0.4], [3.0, 0.0, 0.0]])
    told = kg.solve_ik(at, [kg.FrameTarget("panda_hand", goals)], check=False)
    assert told.reached.tolist() == [True, False] and "row 1 (1 of 2 rows)" in told.message()
    with pytest.raises(kg.IKError, match="allow more iterations"):
        kg.solve_ik(at, [kg.FrameTarget("panda_hand", goals[0])], iterations=1)


def test_look_at_direction_and_parts() -> None:
    """The hand looks at a ball while its height alone is asked for; the elbow's axis lies level."""
    at, ball = model("panda"), np.array([1.5, 0.4, 0.2])
    asked = [
        kg.LookAtTarget("panda_hand", ball, axis=(0, 0, 1), point=(0, 0, 0.1)),
        kg.FrameTarget("panda_hand", (0.0, 0.0, 0.6), position_weight=(0, 0, 1)),
        kg.DirectionTarget("panda_link4", (0, 1, 0), axis=(0, 0, -1)),
    ]
    q = kg.solve_ik(at, asked, restarts=10, hold=["panda_finger_joint1"]).q
    pose = at.frame_pose(q, "panda_hand")
    eye = pose[:3, 3] + pose[:3, :3] @ [0, 0, 0.1]
    assert np.allclose(pose[:3, 2], (ball - eye) / np.linalg.norm(ball - eye), atol=2e-6)
    assert abs(pose[2, 3] - 0.6) < 2e-6
    assert np.allclose(at.frame_pose(q, "panda_link4")[:3, 2], [0, -1, 0], atol=2e-6)
    assert q[at.q_slice("panda_finger_joint1")] == at.q0[at.q_slice("panda_finger_joint1")]


def test_half_a_turn_and_joints_that_are_held() -> None:
    """From a goal that is upside down exactly, where the axis of the turn is not unique."""
    at = model("go2")
    for axis in np.eye(3):
        R = 2 * np.outer(axis, axis) - np.eye(3)
        legs = [n for n in at.joint_names if at.q_slice(n).start >= 7]
        found = kg.solve_ik(at, [kg.FrameTarget("base", (0.1, 0.2, 0.9), R)], at.neutral(), hold=legs, limits=False)
        assert np.array_equal(found.q[7:], at.neutral()[7:])
        assert np.abs(at.frame_pose(found.q, "base")[:3, :3] - R).max() < 1e-6


@pytest.mark.parametrize("far", [1e2, 1e4])
def test_what_moves_freely_goes_far_within_few_passes(far: float) -> None:
    """It shifts there, and is not to turn about the distance."""
    for target in (kg.ComTarget((0.0, far, 0.0)), kg.FrameTarget("FL_foot", (far, 0.0, 0.0))):
        assert kg.solve_ik(model("go2"), [target], iterations=20).reached


@pytest.mark.parametrize("name", ["left_elbow", pytest.param("tip", marks=pytest.mark.sweep)])
def test_limits_of_dependent_and_cut_joints(name: str) -> None:
    """A five-bar's tip goes to a goal, or as near as an elbow or the cut joint lets that has a limit on the way."""
    base, way = five_bar(), np.array([0.08, -0.12, 0.0])
    free = kg.compile(base)
    start = free.assemble(np.array([2.3, -1.6, 0.9, 1.6]))
    goal = free.frame_pose(start, "left_forearm") @ [0.7, 0, 0, 1]
    target = kg.FrameTarget("left_forearm", goal[:3] + way, point=(0.7, 0, 0))
    found = kg.solve_ik(free, [target], start)
    assert np.abs(free.closure_residual(found.q)).max() < 1e-10

    def angle(at: kg.Model, q: Array) -> float:
        return float((at.loop_joint(name, q)[0] if name == "tip" else q[at.q_slice(name)]).item())

    was, would = angle(free, start), angle(free, found.q)
    half = 0.5 * (was + would)
    ends = (-10.0, half) if would > was else (half, 10.0)
    joints = [replace(j, limits=ends) if j.name == name else j for j in base.joints]
    at = kg.compile(replace(base, name=f"bounded_{name}", joints=tuple(joints)))
    kept = kg.solve_ik(at, [target], start, check=False)
    assert not kept.reached and kept.ended == 1 and abs(angle(at, kept.q) - half) < 1e-8
    assert np.abs(at.closure_residual(kept.q)).max() < 1e-10
    beside = [at.assemble(at.integrate(kept.q, s * column)) for column in at.W(kept.q).T for s in (-0.05, 0.05)]
    again = kg.solve_ik(at, [target], np.array(beside), check=False)
    assert again.residual.min() >= kept.residual.item() - 1e-9  # from beside it nothing nearer is found


def test_bad_arguments_are_refused() -> None:
    at = model("panda")
    good = kg.FrameTarget("panda_hand", (0.4, 0, 0.4))
    for asked, words in (
        ([], "expected at least one"),
        ([kg.FrameTarget("hand", (0, 0, 0))], "no link or frame 'hand'"),
        ([kg.FrameTarget("panda_link0", (0, 0, 0))], "fixed to the world"),
        ([kg.FrameTarget("panda_hand")], "give a position, a rotation or both"),
        ([kg.FrameTarget("panda_hand", (0, 0))], "expected shape"),
        ([kg.FrameTarget("panda_hand", rotation=2 * np.eye(3))], "expected a rotation matrix"),
        ([kg.FrameTarget("panda_hand", (0, 0, 0), position_weight=-1.0)], "must not be negative"),
        ([kg.LookAtTarget("panda_hand", (0, 0, 0), axis=(0, 0, 0))], "axis must not be zero"),
        ([good, kg.ComTarget((float("nan"), 0, 0))], "expected a number"),
        ([good, kg.FrameTarget("panda_hand", np.zeros((2, 3))), kg.ComTarget(np.zeros((3, 3)))], "batch axes"),
    ):
        with pytest.raises(kg.ModelError, match=words):
            kg.solve_ik(at, asked)
    with pytest.raises(kg.ModelError, match="no joint 'elbow'"):
        kg.solve_ik(at, [good], hold=["elbow"])
    still = kg.compile(kg.Mechanism("still", [kg.Link("a", 1.0)], [kg.Joint("f", "fixed", "world", "a")]))
    with pytest.raises(kg.ModelError, match="nothing moves"):
        kg.solve_ik(still, [kg.ComTarget((0, 0, 0))])


@pytest.mark.parametrize(
    ("before", "after", "taken"),
    [
        ((0.1, "stationary"), (0.05, "out_of_passes"), True),
        ((0.1, "stationary"), (0.2, "stationary"), False),
        ((0.1, "stationary"), (0.05, "out_of_bounds"), False),
        ((0.1, "out_of_bounds"), (0.05, "out_of_bounds"), True),
        ((0.0, "out_of_bounds"), (1e-9, "reached"), True),
    ],
)
def test_of_two_attempts_the_nearer_one_is_kept_unless_it_leaves_the_limits(
    before: tuple[float, str], after: tuple[float, str], taken: bool
) -> None:
    def attempt(q: float, size: float, ended: str) -> kg.IKSolution:
        row = np.full((1, 1), q), np.full((1, 1), size), ("hand",), ("m",)
        return kg.IKSolution(*row, np.array([ended == "reached"]), np.array([7]), np.array([list(ENDED).index(ended)]))

    found = _better(attempt(1.0, *before), attempt(2.0, *after), np.array([0]))
    kept = after if taken else before
    assert found.q[0, 0] == (2.0 if taken else 1.0) and found.residual[0, 0] == kept[0]
    assert list(ENDED)[found.ended[0]] == kept[1] and found.reached[0] == (kept[1] == "reached")
    assert found.iterations[0] == 14
