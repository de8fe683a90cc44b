"""What a step asks of a mechanism that coasts: its momenta, of which it keeps some (§10)."""

from __future__ import annotations

from dataclasses import replace

from ...mechanism.mechanism import Mechanism
from ...program.types import Function
from ...symbolic.functions import derive
from ..kernels import CFile, Context, internal_declarations, kernels_text, printed

NAME = "momenta"


def momenta(mechanism: Mechanism) -> Function:
    """(q, v) -> M v, which are the torques at rest without gravity for accelerations of these numbers."""
    return replace(derive(mechanism, "unit_torque"), title="momenta M a of velocities a")


def coast_file(context: Context) -> CFile:
    """PREFIX_coast.c: C only, the step calls it."""
    pieces = [printed(context, NAME, momenta(context.mechanism))]
    text = kernels_text(context, "what a coast keeps", pieces, batches=False)
    return CFile(f"{context.prefix}_coast.c", text, (), {}, (), internal_declarations(context, pieces))
