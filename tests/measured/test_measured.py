"""Inverse dynamics from measured motion: a simulated motion comes back, chains and whole bodies, sensors, clusters."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import kinegen as kg
from kinegen.runtime.analysis.smoothing import derivatives, low_pass, rotation_logarithm
from support.files.measured_truth import script, truth

Array = NDArray[np.float64]
EXAMPLE = script("examples", "measured_motion")
INNER = slice(5, -5)
LEG = ("thigh_l", "shank_l", "foot_l")


def poses_motion() -> kg.Motion:
    """The simulated motion by exact poses, differentiated without smoothing."""
    known = truth()
    return kg.Motion.from_poses(known.t, known.poses, EXAMPLE.segments(), EXAMPLE.EXACT)


def plate(t: Array, scale: float = 1.0) -> kg.Wrench:
    force, moment = truth().plate
    return kg.Wrench("plate", "foot_r", scale * force, np.zeros_like(force), scale * moment)


def whole_body() -> kg.JointLoads:
    return kg.inverse_dynamics_from_motion(EXAMPLE.segments(), poses_motion(), [plate(truth().t)])


def test_exact_markers_and_plate_give_the_torques_of_the_springs(tmp_path: Path) -> None:
    known = truth()
    loads = EXAMPLE.recover(*EXAMPLE.write_measured(known, tmp_path, 0.0), EXAMPLE.EXACT)
    assert max(EXAMPLE.errors(known, loads).values()) < 1e-8
    assert max(np.abs(moment).max() for moment in known.moments.values()) > 50.0
    assert np.abs(loads.residual["root_joint"][INNER]).max() < 1e-6
    assert np.abs(loads.terms.total[INNER] - loads.terms.by_cause.sum(-1)[INNER]).max() < 1e-9


def test_error_grows_with_the_noise_and_stays_small(tmp_path: Path) -> None:
    known = truth()
    found = {
        noise: EXAMPLE.errors(
            known, EXAMPLE.recover(*EXAMPLE.write_measured(known, tmp_path, noise), kg.Smoothing(cutoff=10.0))
        )
        for noise in (0.5, 2.0)
    }
    for joint in EXAMPLE.SHOWN:
        assert found[0.5][joint] < found[2.0][joint] < 10.0
    assert found[2.0]["ankle_r"] < 1.5


def test_every_pose_joint_and_direction() -> None:
    known, loads = truth(), whole_body()
    for joint, moment in known.moments.items():
        if not joint.startswith(("knee", "elbow")):
            assert np.abs(loads.moment_of(joint) - moment)[INNER].max() < 1e-6
    child = loads.moment_of("hip_l", "child")
    assert np.allclose(np.einsum("kij,kj->ki", known.poses["thigh_l"][:, :3, :3], child), loads.moment_of("hip_l"))
    parent = loads.force_of("hip_l", "parent")
    assert np.allclose(np.einsum("kij,kj->ki", known.poses["pelvis"][:, :3, :3], parent), loads.force_of("hip_l"))


def test_a_leg_alone_gives_what_the_whole_body_gives() -> None:
    leg = [segment for segment in EXAMPLE.segments() if segment.name in LEG]
    loads = kg.inverse_dynamics_from_motion(leg, poses_motion(), unmeasured=["pelvis"])
    whole = whole_body()
    assert loads.joints == ("hip_l", "knee_l", "ankle_l")
    assert not loads.residual
    for joint in loads.joints:
        assert np.allclose(loads.moment_of(joint), whole.moment_of(joint), atol=1e-10)
        assert np.allclose(loads.force_of(joint), whole.force_of(joint), atol=1e-10)
    power, work = loads.power(), loads.work()
    assert np.isnan(power.of("hip_l").values).all() and np.isnan(work.of("hip_l").values).all()
    assert np.allclose(power.of("knee_l").total, whole.power().of("knee_l").total, atol=1e-10)
    assert np.allclose(work.of("knee_l").total, whole.work().of("knee_l").total, atol=1e-10)
    with pytest.raises(kg.ModelError, match="joint 'hip_l': its parent was not measured; ask for axes='world' or"):
        loads.moment_of("hip_l", "parent")


def test_causes_in_a_plane_are_those_of_the_compiled_model() -> None:
    """Where all axes are parallel and the root stands, ω̇ is free of products of velocities: both splits are one."""
    rod = kg.inertia.rod(1.0, 0.5, axis=(0, 0, 1))
    mechanism = kg.Mechanism(
        "swing",
        [kg.Link(name, 1.0, (0.02, 0, -0.25), rod) for name in ("upper", "lower")],
        [
            kg.Joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0)),
            kg.Joint("elbow", "revolute", "upper", "lower", kg.Pose((0, 0, -0.5)), axis=(0, 1, 0)),
        ],
    )
    model = kg.compile(mechanism)
    t = np.arange(201) / 200.0
    q = np.array([0.8 * np.sin(3 * t), 0.5 * np.cos(4 * t)]).T
    v = np.array([2.4 * np.cos(3 * t), -2.0 * np.sin(4 * t)]).T
    a = np.array([-7.2 * np.sin(3 * t), -8.0 * np.cos(4 * t)]).T
    poses = {name: model.link_poses(q)[:, i] for i, name in enumerate(model.link_names)}
    body = kg.body_segments(mechanism)
    motion = kg.Motion.from_poses(t, poses, body, EXAMPLE.EXACT)
    loads = kg.inverse_dynamics_from_motion(body, motion, unmeasured=["world"])
    expected = model.torque_terms(q, v, a)
    for k, joint in enumerate(("shoulder", "elbow")):
        found = loads.terms.of(f"{joint} y").values[INNER, 0]
        assert np.allclose(found, expected.values[INNER, k], atol=1e-6)
    assert np.allclose(loads.power().of("elbow").total.sum(1)[INNER], (expected.total * v)[INNER, 1], atol=1e-6)
    assert np.allclose(loads.work().of("elbow").total.sum(), expected.work(v, t).total[1], atol=1e-5)


def test_a_residual_may_be_about_a_point_far_from_the_body() -> None:
    """About the world's origin, 8 m away: the same force, and a moment larger by its arm."""
    motion, origin = poses_motion(), np.full((401, 3), [8.0, 0.0, 0.0])
    near = kg.inverse_dynamics_from_motion(EXAMPLE.segments(), motion)
    (root,) = near.roots
    far = kg.inverse_dynamics_from_motion(EXAMPLE.segments(), motion, centers={root: origin})
    arm = near.centers[:, near.joints.index(root)] - origin
    assert np.allclose(far.force_of(root), near.force_of(root), rtol=1e-12)
    assert np.allclose(far.moment_of(root), near.moment_of(root) + np.cross(arm, near.force_of(root)), rtol=1e-9)


def test_static_approximation_is_the_plate_alone() -> None:
    loads = whole_body()
    force, moment = truth().plate
    knee = loads.centers[:, loads.joints.index("knee_r")]
    expected = -(moment + np.cross(-knee, force))
    assert np.allclose(loads.static[:, loads.joints.index("knee_r")], expected)
    assert not loads.static[:, loads.joints.index("knee_l")].any()


def test_inertial_sensors_instead_of_derivatives() -> None:
    known, gravity = truth(), np.array([0.0, 0.0, -9.81])
    exact, offset = poses_motion(), np.array([0.03, -0.02, 0.1])
    sensed = {}
    for name, one in exact.segments.items():
        r = np.einsum("kij,j->ki", one.rotation, offset)
        at_sensor = one.acceleration - np.cross(one.alpha, r) - np.cross(one.omega, np.cross(one.omega, r))
        turned = one.rotation.transpose(0, 2, 1)
        rates, force = (np.einsum("kij,kj->ki", turned, x) for x in (one.omega, at_sensor - gravity))
        sensed[name] = kg.motion_from_imu(
            known.t, one.rotation, one.com, rates, force, offset=offset, smoothing=EXAMPLE.EXACT
        )
    motion = kg.Motion.from_kinematics(known.t, sensed)
    loads, expected = (
        kg.inverse_dynamics_from_motion(EXAMPLE.segments(), m, [plate(known.t)]) for m in (motion, exact)
    )
    assert np.abs(loads.moment - expected.moment)[12:-12].max() < 1e-6


def test_a_sliding_centre_adds_its_force() -> None:
    loads, n = whole_body(), len(truth().t)
    slide = np.tile([0.01, 0.0, -0.02], (n, 1))
    axis = (0.0, 1.0, 0.0)
    added = loads.along("knee_l", axis, slide) - loads.along("knee_l", axis)
    assert np.allclose(added, loads.force_of("knee_l") @ slide[0])


def test_xarray_of_loads() -> None:
    loads = whole_body()
    data = loads.to_xarray()
    chosen = data["moment"].sel(joint_name="hip_l", axis="y").to_numpy()
    assert np.array_equal(chosen, loads.moment_of("hip_l")[:, 1])
    assert np.allclose(data["terms"].sum(["link", "cause"]), data["total"])


def test_picture_of_loads(tmp_path: Path) -> None:
    loads = whole_body()
    figure = loads.plot(("ankle_r y", "hip_r y"), tmp_path / "loads.png", title="A boot")
    assert len(figure.axes) == 4
    assert (tmp_path / "loads.png").stat().st_size > 10_000


def test_cluster_fit_is_rigid_and_reports_misfit() -> None:
    rng = np.random.default_rng(4)
    places = {name: rng.normal(size=3) for name in "abcd"}
    vectors = rng.normal(size=(6, 3))
    R = np.array([_exponential(x) for x in vectors])
    p = rng.normal(size=(6, 3))
    seen = np.stack([R @ at + p for at in places.values()], axis=1)
    markers = kg.Markers("lab", np.arange(6) / 100.0, tuple(places), seen)
    fit = kg.fit_cluster(markers, places)
    assert np.allclose(fit.rotation, R) and np.allclose(fit.origin, p) and fit.rms.max() < 1e-12
    moved = replace(markers, positions=seen + 0.01 * rng.normal(size=seen.shape))
    assert 0.001 < kg.fit_cluster(moved, places).rms.mean() < 0.02
    mirrored = replace(markers, positions=seen * [1, 1, -1])
    assert np.allclose(np.linalg.det(kg.fit_cluster(mirrored, places).rotation), 1.0)


def _exponential(vector: Array) -> Array:
    angle = np.linalg.norm(vector)
    x, y, z = vector / angle
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)


def test_short_gaps_are_filled_by_cubics_and_long_ones_stay() -> None:
    t = np.arange(40) / 100.0
    path = np.stack([t**3, 1 - t**2, t], axis=1)[:, None]
    gappy = path.copy()
    gappy[10:14] = np.nan
    gappy[25:36] = np.nan
    filled = kg.Markers("lab", t, ("m",), gappy).filled(longest=5)
    assert np.allclose(filled.positions[:25], path[:25], atol=1e-12)
    with pytest.raises(kg.ModelError, match=r"lab: marker 'm' is not seen in frames 26 to 36.*filled\(longest=11\)"):
        filled.of(["m"])


@pytest.mark.parametrize("gap", [slice(0, 2), slice(1, 3), slice(38, 40)])
def test_filling_is_advised_only_where_it_can_be_done(gap: slice) -> None:
    positions = np.ones((40, 1, 3))
    positions[gap] = np.nan
    with pytest.raises(kg.ModelError, match=r"s on\); take other frames \(markers.between\) or markers"):
        kg.Markers("lab", np.arange(40) / 100.0, ("m",), positions).filled(5).of(["m"])


def test_low_pass_keeps_slow_and_stops_fast_without_delay() -> None:
    t = np.arange(1000) / 200.0
    slow, fast = np.sin(2 * np.pi * 1.0 * t), np.sin(2 * np.pi * 40.0 * t)
    kept = low_pass((slow + fast)[:, None], 200.0, 6.0)[:, 0]
    assert np.abs(kept - slow)[50:-50].max() < 0.002
    at_cutoff = low_pass(np.sin(2 * np.pi * 6.0 * t)[:, None], 200.0, 6.0)[200:-200]
    assert np.abs(at_cutoff).max() == pytest.approx(np.sqrt(0.5), abs=0.01)


@pytest.mark.parametrize(("rate", "cutoff"), [(100.0, 20.0), (60.0, 12.0), (100.0, 6.0), (1000.0, 50.0), (50.0, 24.0)])
def test_half_of_the_power_is_left_at_the_cutoff(rate: float, cutoff: float) -> None:
    """Of the answer to a lone sample, by its Fourier sum: frequencies are not bent."""
    x = np.zeros((4001, 1))
    x[2000] = 1.0
    answer = low_pass(x, rate, cutoff)[:, 0] @ np.exp(2j * np.pi * cutoff / rate * np.arange(4001))
    assert abs(answer) == pytest.approx(np.sqrt(0.5), abs=1e-9)


def test_derivatives_of_polynomials_are_exact_to_the_last_frame() -> None:
    t = np.arange(30) / 100.0
    x = (2 * t**5 - t**2 + 3)[:, None]
    first, second = derivatives(x, 100.0, kg.Smoothing.none())
    assert np.allclose(first[:, 0], 10 * t**4 - 2 * t, atol=1e-9)
    assert np.allclose(second[:, 0], 40 * t**3 - 2, atol=1e-7)


def test_rotation_vectors_of_small_and_large_turns() -> None:
    for vector in ([1e-9, 0, 0], [0.1, -0.2, 0.3], [0, 3.1, 0], [0, 0, 0]):
        turn = _exponential(np.array(vector)) if any(vector) else np.eye(3)
        assert np.allclose(rotation_logarithm(turn), vector, atol=1e-12)


def segments_without(name: str) -> dict[str, Any]:
    return {key: pose for key, pose in truth().poses.items() if key != name}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: kg.Motion.from_poses(truth().t, segments_without("head"), EXAMPLE.segments()), "no pose of.*'head'"),
        (
            lambda: kg.Motion.from_poses(
                truth().t, {k: p * [1, 1, 1, 1e3] for k, p in truth().poses.items()}, EXAMPLE.segments()
            ),
            "pose of segment 'pelvis': frame 1 is .* m from the origin; are lengths in millimetres",
        ),
        (lambda: kg.Motion.from_poses(truth().t[:-1], truth().poses, EXAMPLE.segments()), "has 401 frames.*has 400"),
        (lambda: kg.Motion.from_poses(truth().t[::-1], truth().poses, EXAMPLE.segments()), "t: must increase"),
        (
            lambda: kg.Motion.from_poses(np.delete(truth().t, 7), truth().poses, EXAMPLE.segments()),
            r"t: frames are missing between 0.015 s and 0.02 s \(frame 8",
        ),
        (
            lambda: kg.inverse_dynamics_from_motion(
                [*EXAMPLE.segments(), kg.BodySegment("tail", 1.0, np.eye(3), "pelvis")], poses_motion()
            ),
            "the motion lacks segment 'tail'",
        ),
        (
            lambda: kg.inverse_dynamics_from_motion(EXAMPLE.segments()[1:], poses_motion()),
            r"no parent 'pelvis'.*unmeasured=\['pelvis'\]",
        ),
        (
            lambda: kg.inverse_dynamics_from_motion(
                EXAMPLE.segments(), poses_motion(), [kg.Wrench("p", "foot", (0, 0, 1), (0, 0, 0))]
            ),
            "wrench 'p': no segment 'foot'.*foot_",
        ),
        (
            lambda: kg.inverse_dynamics_from_motion(
                EXAMPLE.segments(), poses_motion(), [kg.Wrench("p", "foot_r", np.zeros((9, 3)), (0, 0, 0))]
            ),
            r"wrench 'p': force has shape \(9, 3\), the motion has 401 frames: the records are not synchronised",
        ),
        (
            lambda: kg.inverse_dynamics_from_motion(
                EXAMPLE.segments(), poses_motion(), [kg.Wrench("p", "foot_r", (0, 0, 700), (150, 80, 0))]
            ),
            "wrench 'p': in frame 1 it acts 170 m from segment 'foot_r'; are its points in millimetres",
        ),
        (
            lambda: kg.inverse_dynamics_from_motion(
                EXAMPLE.segments(), poses_motion(), centers={"knee_r": np.full((401, 3), [150.0, 80.0, 0.0])}
            ),
            "centers: joint 'knee_r': in frame 1 the joint is 170 m from .* segment 'shank_r'; is it in millimetres",
        ),
        (
            lambda: kg.inverse_dynamics_from_motion(
                [
                    replace(s, center=np.array([0.0, 0.0, 40.0])) if s.joint == "hip_l" else s
                    for s in EXAMPLE.segments()
                ],
                poses_motion(),
            ),
            "segment 'thigh_l': center: in frame 1 the joint is 4.* m from .* 'thigh_l'; is it in millimetres",
        ),
        (
            lambda: kg.motion_from_imu(
                truth().t,
                poses_motion().segments["head"].rotation,
                np.zeros((401, 3)),
                np.full((401, 3), 400.0),
                np.zeros((401, 3)),
            ),
            "rates: frame 1 turns with 400 rad/s; are they in degrees",
        ),
        (lambda: kg.Smoothing(window=8), "window must be odd"),
        (lambda: kg.Smoothing(cutoff=0.0), "cutoff must be a positive"),
        (lambda: low_pass(np.zeros((50, 1)), 60.0, 30.0), "needs more than 60 .* there are 60"),
        (lambda: kg.BodySegment("s", 1.0, [[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "segment 's': inertia must be symmetric"),
        (lambda: whole_body().moment_of("knee"), "no joint 'knee'"),
    ],
)
def test_bad_input(change: Any, message: str) -> None:
    with pytest.raises(kg.ModelError, match=message):
        change()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda pose: np.swapaxes(pose, 1, 2), r"frame 1: .* 0 0 0 1, got \[\S+, \S+, \S+, 1\]; its transpose does$"),
        (lambda pose: pose + 2e-3 * np.eye(4)[:, [3]] * (np.arange(401) > 6)[:, None, None], r"frame 8: .*, 1\.002\]$"),
    ],
)
def test_poses_whose_last_row_is_another_are_refused_by_the_frame(change: Any, words: str) -> None:
    """Transposed ones would be turned the other way round, and stand at the origin."""
    poses = truth().poses | {"head": change(truth().poses["head"])}
    with pytest.raises(kg.ModelError, match=r"^pose of segment 'head': " + words):
        kg.Motion.from_poses(truth().t, poses, EXAMPLE.segments())


def test_segments_with_moments_that_no_body_has_are_warned_of() -> None:
    """A sum of two that is met is right: a flat body has that."""
    with pytest.warns(UserWarning, match=r"segment 'x': no body has principal moments 1, 1, 5; check axes and"):
        kg.BodySegment("x", 1.0, np.diag([1.0, 1.0, 5.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kg.BodySegment("flat", 1.0, np.diag([1.0, 2.0, 3.0])).mass == 1.0


def test_plates_that_lag_are_found_and_can_be_allowed() -> None:
    force, moment = truth().plate
    late = kg.Wrench("plate", "foot_r", np.roll(force, 20, axis=0), np.zeros_like(force), np.roll(moment, 20, axis=0))
    call = (EXAMPLE.segments(), poses_motion(), [late])
    with pytest.raises(kg.ModelError, match=r"not synchronised.*0.05 s \(20 frames\) late.*shifted\(-0.05\)"):
        kg.inverse_dynamics_from_motion(*call)
    allowed = kg.inverse_dynamics_from_motion(*call, check_synchrony=False)
    assert np.abs(allowed.residual["root_joint"][:, :3]).max() > 10.0


@pytest.mark.parametrize("n", [1, 2, 11])
def test_a_pose_of_few_frames_on_a_plate_is_not_asked_for_a_lag(n: int) -> None:
    still = kg.SegmentMotion(np.tile(np.eye(3), (n, 1, 1)), *np.zeros((4, n, 3)))
    motion = kg.Motion(0.01 * np.arange(n), {"a": still}, {})
    plate = kg.Wrench("plate", "a", (0, 0, 9.81), (0, 0, 0))
    loads = kg.inverse_dynamics_from_motion([kg.BodySegment("a", 1.0, np.eye(3) * 0.01)], motion, [plate])
    (rest,) = loads.residual.values()
    np.testing.assert_allclose(rest, np.zeros((n, 6)), rtol=0, atol=1e-12)


def test_poses_with_a_gap_name_the_frame() -> None:
    poses = dict(truth().poses)
    poses["shank_l"] = poses["shank_l"].copy()
    poses["shank_l"][33] = np.nan
    with pytest.raises(kg.ModelError, match="pose of segment 'shank_l': frame 34 is a gap"):
        kg.Motion.from_poses(truth().t, poses, EXAMPLE.segments())


def test_a_pole_may_be_held_at_its_far_end_and_no_further() -> None:
    """A vaulting pole of 7 m, that stands on its foot: its load is its weight."""
    n, zero = 20, np.zeros((20, 3))
    pole = kg.BodySegment("pole", 3.0, np.diag([12.25, 12.25, 0.01]))
    standing = kg.SegmentMotion(np.tile(np.eye(3), (n, 1, 1)), np.tile([0, 0, 3.5], (n, 1)), zero, zero, zero)
    motion = kg.Motion.from_kinematics(np.arange(n) / 100.0, {"pole": standing})
    loads = kg.inverse_dynamics_from_motion([pole], motion, [kg.Wrench("box", "pole", (0, 0, 29.43), (0, 0, 0))])
    assert np.abs(loads.residual["pole"]).max() < 1e-12
    with pytest.raises(kg.ModelError, match=r"wrench 'box': in frame 1 it acts 11 m from segment 'pole'"):
        kg.inverse_dynamics_from_motion([pole], motion, [kg.Wrench("box", "pole", (0, 0, 29.43), (0, 0, -7.5))])
