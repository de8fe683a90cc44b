"""What is said of motions that steps cannot follow: through the locks of gimbals, or until they are not finite."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..abi import JointSpec, Manifest
from ..arguments import Array
from ..errors import SimulationError, StepWarning, warn
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


def diverged(manifest: Manifest, t: float, dt: float, v: Array, hardly_inert: str) -> SimulationError:
    """That the state stops being finite in the step from t [s]; v: the last velocities (nv); `hardly_inert`: joints
    that can move there with next to no mass, "" for none."""
    fast = max((j for j in manifest.joints if j.nv), key=lambda j: float(np.abs(v[j.v_start : j.v_start + j.nv]).max()))
    speed = float(np.abs(v[fast.v_start : fast.v_start + fast.nv]).max())
    names = " or ".join(f"'{j.name}' ({j.kind})" for j in manifest.joints if len(KINDS[j.kind].turns) == 3)
    moving = (
        f"; fastest is joint '{fast.name}' with {speed:.3g} rad/s or m/s" if speed > 0.0 else ", which begins at rest"
    )
    turned = f", or, if {names} came where its axes lie in one plane, other axes or kg.spherical()"
    without = f"; {hardly_inert} can move there with next to no mass: keep it away from a gimbal's lock and from "
    without += "a dead point of all that has mass"
    return SimulationError(
        f"the state stops being finite in the step from t = {t:g} s{moving}: take a smaller dt (now {dt:g} s)"
        f"{turned if names else ''}, or check torques, stiffness, masses and inertias"
        f"{without if hardly_inert else ''}"
    )
