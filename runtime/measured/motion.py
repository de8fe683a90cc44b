"""How body segments move: from poses, marker clusters or inertial sensors to what inverse dynamics needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..analysis.smoothing import (
    Smoothing,
    angular_motion,
    at_samples,
    derivatives,
    low_pass,
    low_pass_rotations,
    require_increase,
    rotation_logarithm,
    sample_rate,
)
from ..analysis.values import by_value
from ..arguments import Array, as_array, as_count, as_floats, as_number
from ..errors import ModelError, shown, warn
from ..typed import typed
from .markers import Markers, fit_cluster, require_size

FARTHEST = 100.0
"""m from the world's origin: beyond, lengths are taken to be in other units."""
FASTEST = 100.0
"""rad/s: beyond, an inertial sensor's rates are held against its rotations."""
OFTEN = 7.5
"""Times that rates may be what the rotations turn with: in degrees per second they are 57 times as much."""
UNIT_TOLERANCE = 1e-3
SLACK = 1e-6  # relative, of the triangle inequality of principal moments: tables give six digits
ROUNDING = 1e-9  # how far the last row of a pose may be off 0 0 0 1


@by_value
@dataclass(frozen=True)
class BodySegment:
    """A rigid segment: mass [kg], `inertia` (3, 3) about the mass centre [kg m²], `com` (3) [m], in segment axes.

    `joint` (named after the segment if empty) connects it to `parent` at `center` (3) [m] in segment axes. Without a
    parent the segment floats; what its joint would have to exert is then a residual. Warns of principal moments that
    no body has, of which one is more than the other two together.
    """

    name: str
    mass: float
    inertia: Any
    parent: str | None = None
    joint: str = ""
    com: Any = (0.0, 0.0, 0.0)
    center: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not isinstance(self.joint, str):
            raise ModelError(f"segment: its name and its joint are text, got {shown(self.name)}, {shown(self.joint)}")
        where = f"segment '{self.name}'"
        inertia = as_array(f"{where}: inertia", self.inertia, (3, 3), batch=False)
        low, middle, high = np.linalg.eigvalsh(inertia).tolist()
        if not np.allclose(inertia, inertia.T, rtol=1e-9, atol=1e-12) or low < 0.0:
            raise ModelError(f"{where}: inertia must be symmetric and not negative, got {inertia.tolist()}")
        if high > low + middle + SLACK * high:
            warn(f"{where}: no body has principal moments {low:.6g}, {middle:.6g}, {high:.6g}; check axes and units")
        if as_number(f"{where}: mass", self.mass) < 0.0:
            raise ModelError(f"{where}: mass must not be negative, got {shown(self.mass)}")
        for key, value in (
            ("inertia", inertia),
            ("com", as_array(f"{where}: com", self.com, (3,), batch=False)),
            ("center", as_array(f"{where}: center", self.center, (3,), batch=False)),
            ("joint", self.joint or self.name),
        ):
            object.__setattr__(self, key, value)


@by_value
@dataclass(frozen=True)
class SegmentMotion:
    """Motion of a segment in world axes over n frames: `rotation` (n, 3, 3) segment to world, mass centre `com` (n, 3),
    its `acceleration` (n, 3), `omega` and `alpha` (n, 3) angular velocity and acceleration.

    ModelError for other sizes, gaps, rotations that are none, and positions that cannot be in metres.
    """

    rotation: Array
    com: Array
    acceleration: Array
    omega: Array
    alpha: Array

    @typed
    def checked(self, name: str, n: int) -> SegmentMotion:
        """With arrays for n frames; the segment's name is for messages."""
        where, n = f"motion of segment '{name}'", as_count("n", n, least=1)
        rotation = _frames(f"{where}: rotation", self.rotation, n, (3, 3))
        _require_rotations(f"{where}: rotation", rotation)
        rest = {key: _frames(f"{where}: {key}", getattr(self, key), n, (3,)) for key in _VECTORS}
        _require_metres(f"{where}: com", rest["com"])
        return SegmentMotion(rotation, **rest)


_VECTORS = ("com", "acceleration", "omega", "alpha")


@typed
@by_value
@dataclass(frozen=True)
class Motion:
    """Segments in motion at times t (n) [s]; `fit` holds, by segment, the rms misfit (n) [m] of marker clusters."""

    t: Array
    segments: Mapping[str, SegmentMotion]
    fit: Mapping[str, Array]

    def __post_init__(self) -> None:
        """ModelError for no times, times that do not increase, and motions of segments that do not fit them."""
        t = as_times(self.t)
        if not t.size:
            raise ModelError("t: a motion has one frame or more, got none")
        require_increase(t, "t")
        object.__setattr__(self, "t", t)
        object.__setattr__(self, "segments", {name: one.checked(name, len(t)) for name, one in self.segments.items()})

    @staticmethod
    @typed
    def from_kinematics(t: ArrayLike, segments: Mapping[str, SegmentMotion]) -> Motion:
        """From times t (n) [s], evenly spaced, and the motion of each segment at them, by name: everything as it was
        measured or computed elsewhere.
        """
        times = as_times(t)
        sample_rate(times, "t")
        return Motion(times, segments, {})

    @staticmethod
    @typed
    def from_poses(
        t: ArrayLike,
        poses: Mapping[str, ArrayLike],
        segments: Sequence[BodySegment],
        smoothing: Smoothing | None = None,
    ) -> Motion:
        """From poses [R p; 0 0 0 1] (n, 4, 4) of the segments' axes in world; `smoothing` is `Smoothing()` if not
        given. ModelError where the last row says something else, as of transposed poses.
        """
        smoothing = smoothing or Smoothing()
        times = as_times(t)
        rate = sample_rate(times, "t")
        found = {}
        for segment in segments:
            where = f"pose of segment '{segment.name}'"
            if segment.name not in poses:
                raise ModelError(f"no pose of segment '{segment.name}'; there are: {', '.join(poses) or 'none'}")
            pose = _frames(where, poses[segment.name], len(times), (4, 4))
            _require_rotations(where, pose[:, :3, :3])
            _require_metres(where, pose[:, :3, 3])
            _require_last_row(where, pose)
            R, p = np.ascontiguousarray(pose[:, :3, :3]), np.ascontiguousarray(pose[:, :3, 3])
            if smoothing.cutoff is not None:
                R, p = low_pass_rotations(R, rate, smoothing.cutoff), low_pass(p, rate, smoothing.cutoff)
            found[segment.name] = _differentiated(R, p, segment, rate, smoothing)
        return Motion(times, found, {})

    @staticmethod
    @typed
    def from_markers(
        markers: Markers,
        clusters: Mapping[str, Mapping[str, ArrayLike]],
        segments: Sequence[BodySegment],
        smoothing: Smoothing | None = None,
    ) -> Motion:
        """From clusters of markers, segment → marker → place (3) [m] in segment axes: the markers are low-passed, a
        rigid motion fitted to each cluster and differentiated; clusters of other segments are passed over. `smoothing`
        is `Smoothing()` if not given. ModelError where a segment spins so fast that the low-pass leaves less than half
        of its cluster's size.
        """
        smoothing = smoothing or Smoothing()
        lacking = [segment.name for segment in segments if segment.name not in clusters]
        if lacking:
            known = ", ".join(clusters) or "none"
            raise ModelError(f"{markers.file}: no cluster of markers for segment '{lacking[0]}'; there are: {known}")
        used = tuple(dict.fromkeys(name for segment in segments for name in clusters[segment.name]))
        raw = Markers(markers.file, markers.t, used, markers.of(used))
        rate = raw.rate
        kept = raw if smoothing.cutoff is None else raw.low_passed(smoothing.cutoff)
        found, fit = {}, {}
        for segment in segments:
            where = f"{markers.file}: segment '{segment.name}'"
            if kept is not raw:
                require_size(raw, kept, clusters[segment.name], where)
            cluster = fit_cluster(kept, clusters[segment.name])
            _require_metres(where, cluster.origin)
            fit[segment.name] = cluster.rms
            found[segment.name] = _differentiated(cluster.rotation, cluster.origin, segment, rate, smoothing)
        return Motion(kept.t, found, fit)


@typed
def motion_from_imu(
    t: ArrayLike,
    rotation: ArrayLike,
    com: ArrayLike,
    rates: ArrayLike,
    specific_force: ArrayLike,
    *,
    offset: ArrayLike = (0.0, 0.0, 0.0),
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    smoothing: Smoothing | None = None,
) -> SegmentMotion:
    """Motion of a segment that carries an inertial sensor: `rotation` (n, 3, 3) segment to world and mass centre `com`
    (n, 3) [m] as estimated, `rates` (n, 3) [rad/s] of the gyroscope and `specific_force` (n, 3) [m/s²] of the
    accelerometer, both in segment axes; `offset` (3) [m]: from the sensor to the mass centre, segment axes.

    p̈_G = R f + g + ω̇ × r + ω × (ω × r); only ω̇ is a derivative, of the rates. ModelError for rates that must be in
    degrees per second: above 100, and far more than `rotation` turns with.
    """
    smoothing = smoothing or Smoothing()
    times = as_times(t)
    rate, n = sample_rate(times, "t"), len(times)
    R, gyro = _frames("rotation", rotation, n, (3, 3)), _frames("rates", rates, n, (3,))
    _require_radians(R, gyro, rate)
    if smoothing.cutoff is not None:
        gyro = low_pass(gyro, rate, smoothing.cutoff)
    omega = np.einsum("kij,kj->ki", R, gyro)
    alpha = np.einsum("kij,kj->ki", R, derivatives(gyro, rate, smoothing)[0])  # R ω̇_body = ω̇_world
    force = _frames("specific_force", specific_force, n, (3,))
    if smoothing.cutoff is not None:
        force = low_pass(force, rate, smoothing.cutoff)
    r = np.einsum("kij,j->ki", R, as_array("offset", offset, (3,), batch=False))
    turning = np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))
    acceleration = np.einsum("kij,kj->ki", R, force) + as_array("gravity", gravity, (3,), batch=False) + turning
    return SegmentMotion(R, _frames("com", com, n, (3,)), acceleration, omega, alpha)


def _differentiated(R: Array, p: Array, segment: BodySegment, rate: float, smoothing: Smoothing) -> SegmentMotion:
    com = p + np.einsum("kij,j->ki", R, segment.com)
    omega, alpha = angular_motion(R, rate, smoothing, f"segment '{segment.name}'")
    return SegmentMotion(R, com, derivatives(com, rate, smoothing)[1], omega, alpha)


def as_times(t: ArrayLike) -> Array:
    """(n) times [s]."""
    times = as_floats("t", t, "(n,)")
    return as_array("t", times, (times.size,), batch=False)


def _frames(what: str, value: Any, n: int, shape: tuple[int, ...]) -> Array:
    """(n, *shape). ModelError that counts frames from 1 for gaps and another number of frames."""
    array = as_floats(what, value, f"{(n, *shape)}")
    if array.shape[1:] == shape and array.shape[0] != n:
        raise ModelError(f"{what}: has {array.shape[0]} frames, the motion has {n}: the records are not synchronised")
    if array.shape == (n, *shape) and array.dtype.kind == "f":
        lost = ~np.isfinite(array.reshape(n, -1)).all(axis=1)
        if lost.any():
            raise ModelError(f"{what}: frame {int(np.argmax(lost)) + 1} is a gap; fill it or take other frames")
    return as_array(what, value, (n, *shape), batch=False)


def _require_last_row(what: str, pose: Array) -> None:
    end = np.array([0.0, 0.0, 0.0, 1.0])
    off = np.abs(pose[:, 3] - end).max(axis=1) > ROUNDING
    if off.any():
        k = int(np.argmax(off))
        turned = "; its transpose does" if np.abs(pose[k, :, 3] - end).max() <= ROUNDING else ""
        row = ", ".join(f"{x:.4g}" for x in pose[k, 3])
        raise ModelError(
            f"{what}: frame {k + 1}: expected [R p; 0 0 0 1], the last row must say 0 0 0 1, got [{row}]{turned}"
        )


def _require_rotations(what: str, R: Array) -> None:
    off = np.abs(np.einsum("kji,kjl->kil", R, R) - np.eye(3)).max(axis=(1, 2))
    off = np.maximum(off, np.where(np.linalg.det(R) < 0.0, 1.0, 0.0))
    if off.max() > UNIT_TOLERANCE:
        k = int(np.argmax(off > UNIT_TOLERANCE))
        raise ModelError(f"{what}: frame {k + 1} is no rotation: RᵀR is off the unit matrix by {off[k]:.2g}")


def _require_radians(R: Array, gyro: Array, rate: float) -> None:
    """ModelError where rates (n, 3) are large, and the rotations (n, 3, 3) turn far less at these frames."""
    told = np.abs(gyro).max(axis=1)
    fast = told > FASTEST
    steps = np.linalg.norm(rotation_logarithm(np.einsum("kji,kjl->kil", R[:-1], R[1:])), axis=1)
    turned = rate * at_samples(steps)
    if fast.any() and told[fast].sum() > OFTEN * turned[fast].sum():
        k = int(np.argmax(fast))
        raise ModelError(
            f"rates: frame {k + 1} turns with {told[k]:.4g} rad/s; are they in degrees per second? By the rotations it "
            f"turns with {turned[k]:.4g} rad/s"
        )


def _require_metres(what: str, p: Array) -> None:
    far = np.linalg.norm(p, axis=-1)
    if far.max() > FARTHEST:
        k = int(np.argmax(far > FARTHEST))
        raise ModelError(f"{what}: frame {k + 1} is {far[k]:.4g} m from the origin; are lengths in millimetres?")
