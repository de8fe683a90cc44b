"""The table of kernels that several commands print."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from kinegen.runtime.abi import KernelSpec, Manifest

from .terminal import table


def kernel_table(manifest: Manifest) -> Table:
    """What each kernel costs and how it is computed; loops count their operations at run time and show none."""
    shown = table("kernels", "kernel", "× + ÷", "sin cos", "route", "why", right=("× + ÷", "sin cos"), fold=("why",))
    for kernel in manifest.kernels:
        operations, pairs = operation_counts(kernel)
        shown.add_row(kernel.name, operations, pairs, escape(kernel.route), escape(kernel.reason))
    return shown


def operation_counts(kernel: KernelSpec) -> tuple[str, str]:
    """Multiplications, additions, divisions; pairs of sine and cosine. Empty where they were not counted."""
    counts = kernel.counted
    if not counts:
        return "", ""
    return str(sum(counts.get(part, 0) for part in ("mul", "add", "div"))), str(counts.get("sincos", 0))
