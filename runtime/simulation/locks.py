"""Motions through the locks of gimbals, where angles change so fast that steps are too long for them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..abi import JointSpec
from ..arguments import Array
from ..errors import StepWarning, warn
from ..kinds import KINDS

WIDEST_TURN = 0.5
"""Turn of an axis in one step [rad] above which Runge-Kutta's steps gain or lose 1e-4 and more of the energy."""


def warn_of_locks(joints: Iterable[JointSpec], t: Array, v: Array, dt: float) -> None:
    """Names each joint of three axes in sequence of which one turns further in a step of dt [s] than steps can follow:
    where its axes come into one plane the rates of the outer two grow without bound, whatever the body's speed is.
    v (T, nv) at moments t (T), or (B, T, nv) of several simulations, of which the row is told."""
    for joint in joints:
        if len(KINDS[joint.kind].turns) < 3 or not v.size:
            continue
        turned = dt * np.nan_to_num(np.abs(v[..., joint.v_start : joint.v_start + joint.nv]).max(axis=-1))
        *row, at = (int(i) for i in np.unravel_index(int(turned.argmax()), turned.shape))
        if turned[(*row, at)] > WIDEST_TURN:
            where = f" of row {row[0]}" if row else ""
            warn(
                f"joint '{joint.name}' ({joint.kind}){where} turns by {turned[(*row, at)]:.2g} rad in one step at "
                f"t = {t[at]:g} s, where its axes come near one plane or it spins: what follows is not exact; "
                f"take a smaller dt (now {dt:g} s), other axes or kg.spherical()",
                StepWarning,
            )
