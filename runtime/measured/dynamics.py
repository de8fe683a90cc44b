"""Inverse dynamics from measured motion [B]: no joint angle, no model of the joints but their centres (§4).

With N_i = I_i ω̇_i + ω_i × I_i ω_i and F_i = m_i (p̈_Gi − g) of every segment, and the external wrenches: the moment at a
joint is Σ (N_i + r × F_i) − Σ (τ_E + r_E × f_E) over what hangs below it, the force Σ F_i − Σ f_E.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..abi import CAUSES
from ..arguments import Array, as_array
from ..errors import ModelError, shown
from ..model.torques.causes import TorqueTerms, Wrench
from ..names.lookup import near
from ..typed import typed
from .loads import JointLoads
from .motion import BodySegment, Motion, SegmentMotion
from .synchrony import require_synchrony

FAR, GYRATIONS = 3.0, 5.0
"""m, and radii of gyration, from a segment's mass centre: what acts on it further out than both, or a joint there, is
told in other units or axes."""
LOADED = 20.0
"""N: smaller forces have no reliable point."""


@typed
def inverse_dynamics_from_motion(
    segments: Sequence[BodySegment],
    motion: Motion,
    wrenches: Sequence[Wrench] = (),
    *,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    centers: Mapping[str, ArrayLike] | None = None,
    unmeasured: Collection[str] = (),
    check_synchrony: bool = True,
) -> JointLoads:
    """Joint forces and moments of a body whose segments were measured.

    `segments`: a tree by `parent`; `motion`: all of them over n frames; `wrenches`: what acts on segments from outside,
    (n, 3) each (`PlateRecord.on`); `centers`: joint → (n, 3) [m] world, instead of `BodySegment.center`; `unmeasured`:
    names of parents outside the list that hold a chain (a pelvis that holds a measured leg): their joints are joints,
    whose power and work are known where it is "world" only; those of segments without parent are residuals.
    `check_synchrony`: refuse plates that plainly lag the motion. Joints and points of wrenches more than 3 m and five
    radii of gyration from a segment's mass centre are refused as told in other units or axes.

    Causes of a moment: acceleration, centrifugal (ω × Iω, and of p̈_G the parts ω × (ω × d) of all segments on the path
    from the root), gravity, every wrench. ModelError names the segment, joint or wrench and the frame that is wrong.
    """
    chain = _ordered(segments, motion, frozenset(unmeasured))
    n = len(motion.t)
    down = as_array("gravity", gravity, (3,), batch=False)
    body = _Body(
        chain, [motion.segments[s.name].checked(s.name, n) for s in chain], _centers(chain, motion, centers or {})
    )
    acting = [_acting(wrench, body, n) for wrench in wrenches]
    if len({wrench.name for wrench in wrenches}) < len(wrenches):
        raise ModelError("two wrenches have the same name; give them different ones")
    if check_synchrony and acting and all(s.parent is None for s in chain if body.parent(s) < 0):
        mass = np.array([s.mass for s in chain])
        needed = np.einsum("s,ski->ki", mass, np.array([m.acceleration for m in body.moving]) - down)
        require_synchrony(needed, sum((force for _, force, _, _ in acting), np.zeros((n, 3))), motion.t)
    terms, force = body.loads(down, acting)
    holding = [body.holding(s) for s in chain]
    joints = tuple(s.joint for s in chain)
    labelled = TorqueTerms(
        terms,
        tuple(f"{joint} {axis}" for joint in joints for axis in "xyz"),
        tuple(joint for joint in joints for _ in range(3)),
        tuple(s.name for s in chain),
        (*CAUSES, *(wrench.name for wrench in wrenches)),
    )
    return JointLoads(
        motion.t,
        joints,
        tuple(s.joint for s in chain if s.parent is None),
        force,
        np.stack(body.centers, axis=1),
        labelled,
        np.stack([m.omega - omega for m, (omega, _) in zip(body.moving, holding, strict=True)], axis=1),
        np.stack([m.rotation for m in body.moving], axis=1),
        np.stack([rotation for _, rotation in holding], axis=1),
    )


Acting = tuple[int, Array, Array, Array]
"""Segment, force, point, moment (n, 3)."""


@dataclass(frozen=True)
class _Body:
    """Segments with parents first, their motions, and the centres (n, 3) of their joints."""

    chain: list[BodySegment]
    moving: list[SegmentMotion]
    centers: list[Array]

    def parent(self, segment: BodySegment) -> int:
        return next((k for k, s in enumerate(self.chain) if s.name == segment.parent), -1)

    def holding(self, segment: BodySegment) -> tuple[Array, Array]:
        """Angular velocity (n, 3) and axes (n, 3, 3) of what its joint is on; NaN where that was not measured."""
        n, parent = len(self.centers[0]), self.parent(segment)
        if parent >= 0:
            return self.moving[parent].omega, self.moving[parent].rotation
        known = 1.0 if segment.parent in (None, "world") else np.nan
        return np.full((n, 3), 0.0 * known), np.broadcast_to(known * np.eye(3), (n, 3, 3))

    def path(self, i: int) -> list[int]:
        """Segments from i to the root."""
        steps = [i]
        while (p := self.parent(self.chain[steps[-1]])) >= 0:
            steps.append(p)
        return steps

    def centripetal(self, i: int) -> Array:
        """(n, 3) Σ ω × (ω × d) over the path: the part of p̈_Gi that is left if nothing accelerates."""
        total, end = np.zeros_like(self.centers[i]), self.moving[i].com
        for k in self.path(i):
            start = self.moving[k].com if self.chain[k].parent is None else self.centers[k]
            w = self.moving[k].omega
            total = total + np.cross(w, np.cross(w, end - start))
            end = self.centers[k]
        return total

    def loads(self, gravity: Array, acting: Sequence[Acting]) -> tuple[Array, Array]:
        """Terms (n, 3 joints, segments, causes) of the moments and forces (n, joints, 3)."""
        n, count = len(self.centers[0]), len(self.chain)
        terms = np.zeros((n, count, 3, count, len(CAUSES) + len(acting)))
        force = np.zeros((n, count, 3))
        for i, (segment, motion) in enumerate(zip(self.chain, self.moving, strict=True)):
            inertia = np.einsum("kij,jl,kml->kim", motion.rotation, segment.inertia, motion.rotation)
            round_part = self.centripetal(i)
            spun = np.einsum("kij,kj->ki", inertia, motion.omega)
            pushes = (
                (np.einsum("kij,kj->ki", inertia, motion.alpha), segment.mass * (motion.acceleration - round_part)),
                (np.cross(motion.omega, spun), segment.mass * round_part),
                (np.zeros((n, 3)), np.broadcast_to(-segment.mass * gravity, (n, 3))),
            )
            for j in self.path(i):
                arm = motion.com - self.centers[j]
                for cause, (moment, push) in enumerate(pushes):
                    terms[:, j, :, i, cause] = moment + np.cross(arm, push)
                    force[:, j] += push
        for k, (i, push, point, moment) in enumerate(acting):
            for j in self.path(i):
                terms[:, j, :, i, len(CAUSES) + k] = -(moment + np.cross(point - self.centers[j], push))
                force[:, j] -= push
        return terms.reshape(n, 3 * count, count, -1), force


def _ordered(segments: Sequence[BodySegment], motion: Motion, unmeasured: frozenset[str]) -> list[BodySegment]:
    """Parents first. ModelError for names that come twice, unknown parents, rings, segments that did not move."""
    names = [segment.name for segment in segments]
    for kind, given in (("segments", names), ("joints", [segment.joint for segment in segments])):
        twice = next((name for name in given if given.count(name) > 1), None)
        if twice is not None:
            raise ModelError(f"two {kind} are called '{twice}'; give them different names")
    missing = [name for name in names if name not in motion.segments]
    if missing:
        raise ModelError(
            f"the motion lacks segment {', '.join(map(repr, missing))}; it has: "
            f"{', '.join(motion.segments) or 'none'}. Measure it, or leave it out with what hangs on it"
        )
    for segment in segments:
        if segment.parent is not None and segment.parent not in names and segment.parent not in unmeasured:
            raise ModelError(
                f"segment '{segment.name}': no parent {segment.parent!r}{near(segment.parent, names)}; if it holds the "
                f"chain but was not measured, say so: unmeasured=[{segment.parent!r}]"
            )
    placed: list[BodySegment] = []
    waiting = list(segments)
    while waiting:
        known = {segment.name for segment in placed}
        ready = [s for s in waiting if s.parent is None or s.parent in known or s.parent not in names]
        if not ready:
            raise ModelError(f"segments hang on each other in a ring: {', '.join(s.name for s in waiting)}")
        placed.append(ready[0])
        waiting.remove(ready[0])
    if not placed:
        raise ModelError("there are no segments")
    return placed


def _centers(chain: Sequence[BodySegment], motion: Motion, given: Mapping[str, ArrayLike]) -> list[Array]:
    """(n, 3) centre of each segment's joint. ModelError for one out of reach; a residual may be about any point."""
    joints = [segment.joint for segment in chain]
    for name in given:
        if name not in joints:
            raise ModelError(f"centers: no joint {shown(name)}{near(name, joints)}")
    found = []
    for segment in chain:
        moving = motion.segments[segment.name]
        if segment.joint in given:
            where = f"centers: joint '{segment.joint}'"
            center = as_array(where, given[segment.joint], (len(motion.t), 3), batch=False)
        else:
            where = f"segment '{segment.name}': center"
            center = moving.com + np.einsum("kij,j->ki", moving.rotation, segment.center - segment.com)
        away = np.linalg.norm(center - moving.com, axis=1)
        if segment.parent is not None and away.max() > (far := _reach(segment)):
            k = int(np.argmax(away > far))
            raise ModelError(
                f"{where}: in frame {k + 1} the joint is {away[k]:.4g} m from the mass centre of segment "
                f"'{segment.name}'; is it in millimetres, or in other axes than the motion?"
            )
        found.append(center)
    return found


def _reach(segment: BodySegment) -> float:
    """How far from its mass centre a segment may be [m], as a pole of 7 m is."""
    widest = float(np.linalg.eigvalsh(segment.inertia)[-1])
    return max(FAR, GYRATIONS * math.sqrt(widest / segment.mass)) if segment.mass > 0.0 else FAR


def _acting(wrench: Wrench, body: _Body, n: int) -> Acting:
    """The wrench with n frames. ModelError for an unknown segment, other frames, a point out of reach."""
    names = [segment.name for segment in body.chain]
    where = f"wrench '{wrench.name}'"
    if wrench.link not in names:
        raise ModelError(f"{where}: no segment {shown(wrench.link)}{near(wrench.link, names)}")
    for part in ("force", "point", "moment"):
        shape = getattr(wrench, part).shape
        if shape not in ((3,), (n, 3)):
            raise ModelError(
                f"{where}: {part} has shape {shape}, the motion has {n} frames: the records are not synchronised; "
                "PlateRecord.on(segment, motion.t) puts a plate on the frames"
            )
    force, point, moment = (np.broadcast_to(x, (n, 3)) for x in (wrench.force, wrench.point, wrench.moment))
    i = names.index(wrench.link)
    away = np.where(np.linalg.norm(force, axis=1) > LOADED, np.linalg.norm(point - body.moving[i].com, axis=1), 0.0)
    if away.max() > (far := _reach(body.chain[i])):
        k = int(np.argmax(away > far))
        raise ModelError(
            f"{where}: in frame {k + 1} it acts {away[k]:.4g} m from segment '{wrench.link}'; are its points in "
            "millimetres, in other axes than the motion, or is it on another segment?"
        )
    return i, force, point, moment
