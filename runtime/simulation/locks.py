"""Motions through the locks of gimbals, where angles change so fast that steps are too long for them."""

from __future__ import annotations

import numpy as np

from ..errors import StepWarning, warn
from ..kinds import KINDS
from .trajectory import Trajectory

MOST = 0.5
"""Turn of an axis in one step [rad] above which Runge-Kutta's steps gain or lose 1e-4 and more of the energy."""


def warn_of_locks(trajectory: Trajectory, dt: float) -> None:
    """Names each joint of three axes in sequence of which one turns further in a step of dt [s] than steps can follow:
    where its axes come into one plane the rates of the outer two grow without bound, whatever the body's speed is."""
    if trajectory.model is None:
        return
    for joint in trajectory.model.manifest.joints:
        if len(KINDS[joint.kind].turns) < 3:
            continue
        turned = dt * np.abs(trajectory.v[:, joint.v_start : joint.v_start + joint.nv]).max(axis=1)
        at = int(turned.argmax())
        if turned[at] > MOST:
            warn(
                f"joint '{joint.name}' ({joint.kind}) turns by {turned[at]:.2g} rad in one step at t = "
                f"{trajectory.t[at]:g} s, where its axes come near one plane or it spins: what follows is not exact; "
                f"take a smaller dt (now {dt:g} s), other axes or kg.spherical()",
                StepWarning,
            )
