"""What a step asks of a mechanism that coasts: its momenta, of which it keeps some (§10)."""

from __future__ import annotations

from dataclasses import replace

from ...mechanism.mechanism import Mechanism
from ...program.types import Function
from ...symbolic.functions import derive
from ..kernels import CFile, Context, internal_file, printed

NAME = "momenta"


def momenta(mechanism: Mechanism) -> Function:
    """(q, v) -> M v, which are the torques at rest without gravity for accelerations of these numbers."""
    return replace(derive(mechanism, "unit_torque"), title="momenta M a of velocities a")


def coast_file(context: Context) -> CFile:
    """PREFIX_coast.c: C only, the step calls it."""
    pieces = [printed(context, NAME, momenta(context.mechanism))]
    return internal_file(context, "coast", "what a coast keeps", pieces)
