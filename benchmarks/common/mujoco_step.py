"""MuJoCo's steps, timed one by one."""

from __future__ import annotations

import time
from typing import Any

import mujoco


def seconds_of(model: Any, data: Any, n: int) -> float:
    """What a call of mj_step with n steps takes; with n = 0, the call from Python alone."""
    begun = time.perf_counter()
    mujoco.mj_step(model, data, nstep=n)
    return time.perf_counter() - begun
