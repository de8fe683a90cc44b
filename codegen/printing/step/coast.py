"""What a step asks of a mechanism that coasts: its momenta, of which it keeps some (§10)."""

from __future__ import annotations

from ...symbolic.derivations.coast import momenta
from ..kernels import CFile, Context, internal_file, printed

MOMENTA = "momenta"


def coast_file(context: Context) -> CFile:
    """PREFIX_coast.c: C only, the step calls it."""
    pieces = [printed(context, MOMENTA, momenta(context.mechanism))]
    return internal_file(context, "coast", "what a coast keeps", pieces)
