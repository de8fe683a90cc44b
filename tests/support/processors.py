"""Processors that tests compile for."""

from __future__ import annotations

from kinegen.runtime.record import processor_features

WIDTHS = {"x86-64": (2, "sse2"), "x86-64-v3": (4, "avx2"), "x86-64-v4": (8, "avx512f")}


def targets() -> list[tuple[str, int]]:
    """Processors whose code this one runs, and the width of their vectors."""
    return [(target, width) for target, (width, feature) in WIDTHS.items() if feature in processor_features()]
