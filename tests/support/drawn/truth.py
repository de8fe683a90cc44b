"""What a random mechanism does by maximal coordinates: freedoms and accelerations with 60 digits, motion in doubles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from support.maximal.assembly import Assembly
from support.maximal.equations import Frames, Placement
from support.maximal.exact import MP, Exact, exact, rounded
from support.maximal.motion import Moved, branch_rank, motion
from support.maximal.solving import acceleration, free_exactly, free_in_doubles

Array = NDArray[np.float64]

MET = 1e-20
"""Part of the drift that C a + drift may miss where w belongs to a motion, with 60 digits."""


ACCELERATION = 1e-8
"""Relative error of accelerations where the closure is well conditioned."""

DOUBTED = 1e3
"""Times what stable doubles miss by, which is what rounding of the configuration makes of it near singularities."""

MOST = 1e-3
"""Error that no conditioning excuses."""


@dataclass(frozen=True)
class Truth:
    """A state of an assembly and what follows.

    `freedoms` at the configuration, `branch` those of the branch around it: more at the configuration where branches
    cross; `moves`: it can leave the configuration. `ratio`: smallest over largest singular value of C that counts.
    w (size): velocities; `a` (size): their rates without springs and dampers under `tau` by joint, to the last digit of
    a double; `doubt`: by how much the same in doubles misses them, relative. `inert`: all that moves has inertia.
    """

    assembly: Assembly
    frames: Frames
    freedoms: int
    branch: int
    moves: bool
    ratio: float
    w: Array
    tau: Mapping[str, Array]
    a: Array
    doubt: float
    inert: bool

    @property
    def crossing(self) -> bool:
        """Branches cross here, or what seems free cannot move: how it goes on is not decided by its equations."""
        return self.freedoms != self.branch or not self.moves

    def of(self, values: Array, names: tuple[str, ...]) -> Array:
        """What of w or its rate belongs to these joints, one after the other."""
        return np.concatenate([values[self.frames.part(name)] for name in names]) if names else np.zeros(0)

    def torques(self, names: tuple[str, ...]) -> Array:
        """Of these joints, one after the other."""
        sizes = {name: self.frames.part(name) for name in names}
        zeros = {name: np.zeros(part.stop - part.start) for name, part in sizes.items()}
        return np.concatenate([self.tau.get(name, zeros[name]) for name in names]) if names else np.zeros(0)

    @property
    def allowed(self) -> float:
        """Relative error of accelerations that conditioning excuses."""
        return min(ACCELERATION + DOUBTED * self.doubt, MOST)

    def misses(self, a: Array, names: tuple[str, ...]) -> float:
        """By how much accelerations of these joints are off, relative to the largest of all, at least 1."""
        wrong = np.abs(a - self.of(self.a, names)).max(initial=0.0)
        return float(wrong) / max(1.0, float(np.abs(self.a).max()))

    def moved(self, duration: float) -> Moved:
        rank = self.frames.size - self.freedoms
        return motion(Placement.start(self.frames), self.w, self.tau, duration, rank)


def truth(assembly: Assembly, rng: np.random.Generator) -> Truth:
    """At random velocities (zero in one case of four, and where branches cross) and torques."""
    frames, digits = Frames.of(assembly, False), Frames.of(assembly, True)
    at, start = Placement.start(digits), Placement.start(frames)
    N, P, _ = free_exactly(at.C)
    freedoms, rank = N.shape[1], frames.size - N.shape[1]
    highest, moves = branch_rank(start, rank)
    branch = frames.size - highest
    tau = {
        body.joint.name: rng.uniform(-2, 2, body.nv)
        for body in assembly.mechanism.tree.bodies
        if body.nv and body.joint.mimic is None and rng.random() < 0.5
    }
    w = (
        _velocity(N, rng)
        if freedoms and freedoms == branch and moves and rng.random() < 0.75
        else exact(np.zeros(frames.size))
    )
    N_doubles, P_doubles, sizes = free_in_doubles(start.C, rank)
    ratio = float(sizes[rank - 1] / sizes[0]) if rank else 1.0
    try:
        a, missed = acceleration(at, w, tau, N, P)
        if missed > MET:  # no motion begins like this
            w = w * 0
            a, missed = acceleration(at, w, tau, N, P)
        rough, _ = acceleration(start, rounded(w), tau, N_doubles, P_doubles)
        inert = True
    except (ZeroDivisionError, np.linalg.LinAlgError):
        a, rough, inert = w * 0, np.full(frames.size, np.inf), False
    found = rounded(a)
    doubt = float(np.abs(found - rough).max()) / max(1.0, float(np.abs(found).max()))
    return Truth(assembly, frames, freedoms, branch, moves, ratio, rounded(w), tau, found, doubt, inert)


def _velocity(N: Exact, rng: np.random.Generator) -> Exact:
    """Free, the largest entry between 0.5 and 2."""
    w = N @ exact(rng.normal(size=N.shape[1]))
    return w * (MP.mpf(float(rng.uniform(0.5, 2.0))) / max(abs(x) for x in w))
